"""Every error that holdfast raises.

HoldfastError
├── Refused                 bad input; nothing was changed
│   ├── BadOption           an option with a value that is not allowed
│   │   ├── UnknownSetting  a setting that does not exist
│   │   └── BadFile         a file that is missing, or cannot be read
│   ├── AddressRefused      an address that users may not have a node connect to
│   ├── BadUrl              a store URL that cannot be understood
│   ├── BadDefinition       a task or workflow that cannot be registered
│   ├── BadDocument         a file with a workflow that cannot run, with all mistakes and their positions
│   │   ├── BadDag
│   │   └── BadFlow
│   ├── CannotStore         a value that JSON cannot carry, with the path inside it
│   ├── PayloadTooLarge     a value over the limit
│   ├── StreamOverflow      more items than may wait to be written
│   ├── StreamGap           a stream no longer has the items that were asked for
│   ├── OffsetGone          changes were removed that a watcher has not read
│   ├── WrongType           a value that does not fit its type hint
│   ├── SecretNotDeclared   a task asks for a secret that is not among its `secrets`
│   ├── UnknownWorkflow     no workflow of that name and version here
│   │   └── WorkflowNotFound  the store has no such workflow, or no such version of it
│   ├── WorkflowTaken       the name belongs to a workflow of another kind
│   ├── WorkflowInUse       runs of it have not ended, or schedules start it
│   ├── WorkflowChanged     its newest version is not the one that was to be replaced
│   ├── NoGraph             a workflow in code has no static graph
│   ├── UnknownTask         no task of that name here
│   ├── VersionConflict     a known version with other code
│   ├── RunNotFound         no run of that id
│   ├── JobNotFound         no bulk job of that id
│   ├── TooManyRuns         more runs match than a bulk job may change
│   ├── ScheduleNotFound    no schedule of that name
│   ├── ScheduleTaken       a schedule of that name starts another workflow
│   ├── ScheduleChanged     it is not the one that was to be replaced
│   ├── NodeNotFound        no node of that id is there
│   ├── KeyNotFound         no key of that id in the namespace
│   ├── AlertNotFound       no rule for alerts of that name
│   ├── FlowNotFound        no flow of that id, or no such version of it
│   ├── NotPublished        only a published version of a flow can be run
│   ├── ItemLost            a worker reports on a task that it no longer has
│   ├── RunExists           the id belongs to another run
│   ├── FamilyTooDeep       a child with too many ancestors
│   ├── RunEnded            the run has ended and takes no messages
│   ├── MessageIdTaken      the run has another message of that id
│   ├── NotEnded            only a run that failed or was cancelled can be retried; an ended one deleted
│   ├── NeededByParent      a child is deleted with its parent, not by itself
│   ├── HeardByParent       a child whose end its parent has heard is retried with the parent
│   ├── DeadlineOver        a run whose deadline has passed is retried with a new one
│   ├── BadArchive          a file of exported runs that is cut, changed or of a newer holdfast
│   ├── CannotImport        runs that exist already, or that have not ended
│   ├── NotAsked            the task is not waiting for approval
│   ├── NotParked           only a parked or paused run can be resumed
│   ├── NotRunning          the run is paused, parked or over
│   ├── PromiseSettled      the promise already has a value
│   ├── UpdateRefused       the run does not take the update
│   ├── MessageIdTaken      another message to the run has that message id
│   ├── UnknownPromise      the run asks for no promise of that name
│   ├── PromiseClosed       nobody waits for that answer any more
│   ├── MayNotAnswer        the question is for somebody else
│   ├── BadAnswer           the answer does not fit the question
│   └── OutsideContext      `context()` outside a workflow, `task_context()` outside a task
├── TaskError               a task failed; also an instance of the task's own exception class
│   ├── TaskTimedOut        … because it ran, waited or sent no heartbeat for too long
│   ├── Rejected            … because its approval was refused
│   └── TaskLost            … because every node that ran it died
├── DoNotRetry              a task raises it, or raises another error from it, to fail for good
│   ├── SecretNotFound      a secret that a task needs is nowhere on this node
│   ├── BadSecret           … is too short to be masked, too long, or no text
│   └── DeliveryFailed      a webhook was not delivered, and is not tried again
├── SecretUnreadable        a command or file that has a secret could not be read; tried again as `Retry` says
├── NoWorker                no worker of the service could be reached
├── WorkerFailed            a worker reported an error, or sent an answer that cannot be read
├── TooManySteps            a flow has visited too many nodes; it probably loops
├── HistoryTooLong          a run has more steps than `max_history` allows
├── ChapterRefused          a run asked to go on as a new chapter, and its code did not end with that
├── CommandFailed           a task's process ended with an exit code other than 0, or by a signal
├── CannotEvaluate          a condition of a DAG that is neither true nor false
├── SignalsRefused          some signals of a batch were refused; the others were sent
├── RunFailed               a run failed; also an instance of the exception class that ended it
├── RunCancelled            a run was cancelled
├── UpdateFailed            the handler of an update failed; also an instance of its own exception class
├── UpdateUnanswered        the run ended before it answered the update
├── UpdateTimedOut          no answer to an update in time; it may still come
├── DeadlineExceeded        a run failed because it had not ended by its deadline
├── RunParked               a run that a test waits for was parked
├── RunStuck                a run that a test waits for, and that waits for what nobody sends
├── DeterminismError        a replayed workflow asked for something else than is recorded
├── ImpossibleCommand       a program asked for what no engine can do
├── StepTooLarge            a run asked for more bytes in one step than a commit may have
├── TooManySetbacks         a run that too many nodes in a row have claimed in vain
├── TooManyStalls           a run whose code made the event loops of two nodes stand still
├── ForbiddenInWorkflow     real I/O, threads or endless spinning in workflow code
├── MayOnlyLook             a validator or a condition that asks for something
├── Deadlock                a workflow that waits for something that can never happen
├── StoreError
│   ├── StoreUnavailable    the database does not answer
│   ├── CommitRefused       the database refuses a value, and would refuse it again
│   ├── StoreFull           the disk of the database is full
│   ├── SchemaTooNew        a newer holdfast has migrated the database, and this one may not use it
│   └── JournalCorrupt      a run whose journal or rows cannot be read
├── ServerError             a `Holdfast` that talks to a server
│   ├── ServerUnavailable   the server does not answer
│   ├── ServerFailed        the server has failed, or what answers is not a holdfast server
│   ├── KeyRefused          the server wants a key, or refuses the one that it got
│   └── NotPermitted        the key may not do this
├── NotOverHttp             a call that needs the database itself
├── ForbiddenInSimulation   real I/O in a simulation
├── SimulationFailed        a simulation that found a failure, with the seed to reproduce it
├── OpenedBefore            a Holdfast object can be opened once only
├── WrongLoop               a Holdfast can be used only on the event loop that opened it
├── InEventLoop             `holdfast.sync` would stop the event loop that runs in this thread
├── InFork                  `holdfast.sync` in a fork of the process that opened it
├── NodeStopped             the engine of this process has failed; other nodes go on
│   └── LoopStalled         … because the event loop stood still for too long
└── NotOpen                 the Holdfast object is not open, or no longer
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from typing import Any, NamedTuple


class HoldfastError(Exception):
    """The root of the tree."""

    details: str = ""
    """More than fits into a line, for people. A recorded failure has it instead of a traceback."""

    def __reduce__(self) -> tuple[Any, ...]:
        # By default, copying and pickling call the class with `args`. That fails for our errors with other
        # parameters than a message, and breaks the process pool that the error came from.
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[HoldfastError], args: tuple[Any, ...], state: dict[str, Any]) -> HoldfastError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


# --- refused input


class Refused(HoldfastError):
    """Bad input. Nothing was changed."""


def code_of(kind: type[BaseException]) -> str:
    """The name of the class in small letters: `run_not_found` for RunNotFound. For programs, so it stays."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


_LONGEST_VALUE = 200
_MOST_NAMED = 20
_MOST_OPEN = 10


def show(value: object) -> str:
    """The value for an error message. Never raises, because the value may be the very thing that is wrong."""
    try:
        shown = repr(value).encode(errors="backslashreplace").decode()
    except Exception:  # a broken __repr__, deep nesting, an integer of ten thousand digits
        return "something that cannot be shown"
    return shown if len(shown) <= _LONGEST_VALUE else shown[:_LONGEST_VALUE] + "…"


class BadOption(Refused, ValueError):
    others: tuple[BadOption, ...] = ()
    """The other mistakes in the same input."""

    def __init__(self, option: str, value: object, expected: str, others: Iterable[BadOption] = ()) -> None:
        self.option, self.value, self.expected = option, value, expected
        if others:
            self.others = tuple(others)
        mistake = f"{option} is {show(value)}, but must be {expected}"
        super().__init__("; ".join([mistake, *map(str, self.others)]))


def hint_at(name: str, known: Iterable[str]) -> str:
    """What to say of a name that is none of those that are known."""
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(name, names, 1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"


class UnknownSetting(BadOption):
    def __init__(self, source: str, name: str, value: object, known: Iterable[str]) -> None:
        names = sorted(known)
        super().__init__(f"{name} in {source}", value, "one of " + ", ".join(names))
        self.args = (f"{source} has no setting {name!r}; {hint_at(name, names)}",)


class BadFile(BadOption):
    """`value` is the path, and `reason` says what is wrong with the file."""

    def __init__(self, option: str, path: str, reason: str) -> None:
        super().__init__(option, path, "a file that can be read")
        self.reason = reason
        self.args = (f"{path}: {reason}",)

    @classmethod
    def unreadable(cls, option: str, path: str, error: OSError) -> BadFile:
        match error:
            case FileNotFoundError() | NotADirectoryError():
                return cls(option, path, "no such file")
            case IsADirectoryError():
                return cls(option, path, "this is a folder, not a file")
            case _:
                return cls(option, path, f"cannot be read ({error.strerror})")


class AddressRefused(Refused):
    """Users may not have this process connect to the host: it is not public, and not allowed."""

    def __init__(self, host: str, kind: str) -> None:
        self.host, self.kind = host, kind
        super().__init__(
            f"{show(host)} is {kind}, and nodes connect to public addresses only: list it in the setting "
            "allowed_addresses, of the server and of the nodes, if they may"
        )


class BadUrl(Refused, ValueError):
    def __init__(self, url: str, reason: str) -> None:
        self.url, self.reason = url, reason
        super().__init__(f"cannot use {url!r} as a store: {reason}")


class BadDefinition(Refused, TypeError):
    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{name!r} cannot be registered: {reason}")


class Problem(NamedTuple):
    """A mistake in a file, with its position: `etl.yaml:12:5: no task 'extrct'`."""

    file: str
    line: int
    """From 1. 0: the file as a whole."""
    column: int
    message: str
    path: str = ""
    """The path inside the document, if known: `$.nodes.check.choice_cases[0].expr`."""

    def __str__(self) -> str:
        where = f" {self.path}:" if self.path else ""
        position = f":{self.line}:{self.column}" if self.line else ""
        return f"{self.file}{position}:{where} {self.message}"


_MOST_PROBLEMS_SHOWN = 50


class BadDocument(Refused, ValueError):
    """`problems` has all mistakes, in the order of the file. The message has only the first 50."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        lines = [str(problem) for problem in self.problems[:_MOST_PROBLEMS_SHOWN]]
        if len(self.problems) > len(lines):
            lines.append(f"and {len(self.problems) - len(lines)} problems more")
        super().__init__("\n".join(lines))


class BadDag(BadDocument):
    pass


class BadFlow(BadDocument):
    pass


class CannotStore(Refused, TypeError):
    """`path` is the place of the value inside what was passed: `order.items[3].price`."""

    def __init__(self, what: str, path: str, reason: str) -> None:
        self.what, self.path, self.reason = what, path, reason
        super().__init__(f"{what} cannot be stored: {path} {reason}")


class PayloadTooLarge(Refused, ValueError):
    def __init__(self, what: str, size: int, limit: int) -> None:
        self.what, self.size, self.limit = what, size, limit
        super().__init__(
            f"{what} takes {size:,} bytes as JSON, over the limit of {limit:,}; "
            "store the data elsewhere and pass a reference, or raise the setting max_payload_bytes"
        )


class StreamOverflow(Refused, RuntimeError):
    def __init__(self, stream: str, reason: str) -> None:
        self.stream, self.reason = stream, reason
        super().__init__(f"stream {show(stream)} takes no more for now, and nothing was published: {reason}")


class StreamGap(Refused, LookupError):
    def __init__(self, run: str, stream: str, wanted: int, first: int) -> None:
        self.run, self.stream, self.wanted, self.first = run, stream, wanted, first
        """`first` is the offset of the oldest item that is kept."""
        super().__init__(
            f"stream {show(stream)} of run {show(run)} has no item {wanted} any more: {first} is the oldest "
            f"that is kept; go on with after={first - 1}, read faster, or raise the settings stream_items, "
            "stream_bytes and stream_kept_seconds"
        )


class OffsetGone(Refused, LookupError):
    def __init__(self, offset: str, reason: str) -> None:
        self.offset, self.reason = offset, reason
        super().__init__(
            f"nobody can watch from offset {show(offset)} any more: {reason}; take a new one from "
            "watch_offset(), read the current state, and watch after that offset. The settings "
            "watch_kept_seconds and watch_bytes say how long changes are kept"
        )


class WrongType(Refused, TypeError):
    def __init__(self, what: str, reason: str) -> None:
        self.what, self.reason = what, reason
        super().__init__(f"{what}: {reason}")


class SecretNotDeclared(Refused, LookupError):
    def __init__(self, task: str, name: str, declared: Iterable[str]) -> None:
        self.task, self.name, self.declared = task, name, tuple(declared)
        super().__init__(
            f"task {task!r} asks for the secret {name!r}, and its secrets are "
            f"{', '.join(self.declared) or 'none'}; add it: @task(secrets=[{name!r}])"
        )


class UnknownWorkflow(Refused, LookupError):
    def __init__(self, name: str, version: str | None, known: list[str]) -> None:
        self.name, self.version, self.known = name, version, known
        wanted = name if version is None else f"{name} version {version}"
        super().__init__(f"no workflow {show(wanted)} is registered here; {_known(known)}")


class WorkflowNotFound(UnknownWorkflow):
    def __init__(self, name: str, namespace: str, version: str | None = None) -> None:
        super().__init__(name, version, [])
        self.namespace = namespace
        what = (
            f"no workflow {show(name)}"
            if version is None
            else f"workflow {show(name)} has no version {show(version)}"
        )
        self.args = (f"{what} in namespace {namespace!r}",)


class WorkflowTaken(Refused):
    """`kind` is that of the workflow that has the name, `wanted` that of the text."""

    def __init__(self, name: str, kind: str, wanted: str) -> None:
        self.name, self.kind, self.wanted = name, kind, wanted
        super().__init__(
            f"workflow {show(name)} is of kind {kind!r}, and the text is a {wanted}; give it another name, "
            "or delete that workflow first"
        )


class WorkflowInUse(Refused):
    def __init__(self, name: str, open_runs: int, schedules: list[str]) -> None:
        self.name, self.open_runs, self.schedules = name, open_runs, schedules
        runs = [f"{open_runs:,} of its runs have not ended"] if open_runs else []
        started = [f"schedules start it ({', '.join(sorted(schedules)[:10])})"] if schedules else []
        super().__init__(
            f"workflow {show(name)} is not deleted: {' and '.join([*runs, *started])}; end the runs and "
            "delete the schedules first. With force=True, its "
            "schedules are deleted, and its runs go on to their end"
        )


class WorkflowChanged(Refused):
    """`expected` and `found` are hashes; empty: no version."""

    def __init__(self, name: str, expected: str, found: str) -> None:
        self.name, self.expected, self.found = name, expected, found
        news = f"its newest version has the hash {found}" if found else "it does not exist"
        wanted = f"that with {expected}" if expected else "none at all"
        super().__init__(
            f"workflow {show(name)} is not published: {news}, and the text was to replace {wanted}; "
            "read the workflow again, and decide anew"
        )


class NoGraph(Refused):
    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind
        super().__init__(
            f"workflow {show(name)} is of kind {kind!r} and has no graph: what code does is known when it "
            "runs. The tasks of a run show it"
        )


class UnknownTask(Refused, LookupError):
    def __init__(self, name: str, known: list[str]) -> None:
        self.name, self.known = name, known
        super().__init__(f"no task {show(name)} is registered here; {_known(known)}")


def _known(names: list[str]) -> str:
    if not names:
        return "none are: is the module that defines it imported?"
    shown = ", ".join(sorted(names)[:10])
    return f"known are {shown}" + (f" and {len(names) - 10} more" if len(names) > 10 else "")


class VersionConflict(Refused):
    def __init__(self, name: str, version: str) -> None:
        self.name, self.version = name, version
        super().__init__(
            f"workflow {name!r} version {version!r} is known with another definition, and runs rely on it; "
            "give the changed workflow a new version"
        )


class RunNotFound(Refused, LookupError):
    def __init__(self, id: str, namespace: str) -> None:
        self.id, self.namespace = id, namespace
        super().__init__(f"no run {show(id)} in namespace {namespace!r}")


class JobNotFound(Refused, LookupError):
    def __init__(self, id: str, namespace: str) -> None:
        self.id, self.namespace = id, namespace
        super().__init__(f"no bulk job {show(id)} in namespace {namespace!r}")


class TooManyRuns(Refused):
    def __init__(self, at_most: int) -> None:
        self.at_most = at_most
        super().__init__(f"more than {at_most:,} runs match; nothing was done. Do a dry run first")


class ScheduleNotFound(Refused, LookupError):
    def __init__(self, name: str, namespace: str) -> None:
        self.name, self.namespace = name, namespace
        super().__init__(f"no schedule {show(name)} in namespace {namespace!r}")


class ScheduleTaken(Refused):
    """`workflow` is the one that the schedule starts, `wanted` the other one."""

    def __init__(self, name: str, workflow: str, wanted: str) -> None:
        self.name, self.workflow, self.wanted = name, workflow, wanted
        super().__init__(
            f"schedule {show(name)} starts workflow {workflow!r}; give the schedule of {wanted!r} "
            f"another name, or delete {show(name)} first"
        )


class ScheduleChanged(Refused):
    """`expected` and `found` are hashes; empty: no schedule."""

    def __init__(self, name: str, expected: str, found: str) -> None:
        self.name, self.expected, self.found = name, expected, found
        if not found:
            why = "it is not there any more"
        elif not expected:
            why = "there is one of that name already"
        else:
            why = "somebody has changed it meanwhile"
        super().__init__(f"schedule {show(name)} is left as it is: {why}; look at it again, and decide anew")


class AlertNotFound(Refused, LookupError):
    def __init__(self, name: str, namespace: str) -> None:
        self.name, self.namespace = name, namespace
        super().__init__(f"no alert {show(name)} in namespace {namespace!r}; `holdfast alerts list` has them")


class NodeNotFound(Refused, LookupError):
    """Of a process that runs workflows."""

    def __init__(self, id: str, namespace: str) -> None:
        self.id, self.namespace = id, namespace
        super().__init__(
            f"no node {show(id)} is there in namespace {namespace!r}; if it has ended or lost its lease, "
            "other nodes have its runs. nodes() and `holdfast nodes --json` list the ids"
        )


class KeyNotFound(Refused, LookupError):
    """Of a key of the server, not of a run."""

    def __init__(self, id: str, namespace: str) -> None:
        self.id, self.namespace = id, namespace
        super().__init__(
            f"no key {show(id)} in namespace {namespace!r}; one that is good for all namespaces is meant "
            "only if you say so (all_namespaces=True, --all-namespaces)"
        )


class FlowNotFound(Refused, LookupError):
    def __init__(self, id: str, namespace: str, version: object = None) -> None:
        self.id, self.namespace, self.version = id, namespace, version
        what = f"no flow {show(id)}" if version is None else f"flow {show(id)} has no version {show(version)}"
        super().__init__(f"{what} in namespace {namespace!r}")


class NotPublished(Refused):
    def __init__(self, id: str, version: object = None) -> None:
        self.id, self.version = id, version
        what = "no version that is published" if version is None else f"no published version {version}"
        super().__init__(f"flow {show(id)} has {what}: publish one, and it can be run")


class ItemLost(Refused):
    def __init__(self, id: str, reason: str) -> None:
        self.id, self.reason = id, reason
        super().__init__(f"item {show(id)} is no longer yours: {reason}; your result is not recorded")


class RunExists(Refused):
    def __init__(self, id: str, key: str, difference: str) -> None:
        self.id, self.key = id, key
        """`key` is of the run that has the id."""
        self.difference = difference
        """Empty if that run is as the one that was asked for."""
        is_other = f", and {difference}" if difference else ""
        super().__init__(f"run {id!r} exists{is_other}; give the new run another id")


class FamilyTooDeep(Refused):
    def __init__(self, workflow: str, limit: int) -> None:
        self.workflow, self.limit = workflow, limit
        super().__init__(
            f"a run of {workflow!r} was not started: it would have more than {limit:,} ancestors; does a "
            "workflow call itself without end? If it is meant to go so deep, raise the setting max_depth"
        )


class RunEnded(Refused):
    def __init__(self, id: str, what: str) -> None:
        self.id = id
        super().__init__(f"run {id!r} has ended and takes no {what} any more")


class MessageIdTaken(Refused):
    def __init__(self, id: str, message_id: str) -> None:
        self.id, self.message_id = id, message_id
        super().__init__(
            f"run {show(id)} has another message with the id {show(message_id)}; give that id only to one "
            "message, which may be sent again"
        )


class NotEnded(Refused):
    def __init__(
        self, id: str, status: str, rule: str = "only a run that failed or was cancelled can be retried"
    ) -> None:
        self.id, self.status = id, status
        super().__init__(f"run {id!r} is {status}; {rule}")


class NeededByParent(Refused):
    def __init__(self, id: str, parent: str) -> None:
        self.id, self.parent = id, parent
        super().__init__(
            f"run {id!r} is a child of {parent!r}, whose history refers to it; delete {parent!r} once it has "
            "ended, and its children go with it"
        )


class BadArchive(Refused):
    """`line` is the number of the line, from 1."""

    def __init__(self, line: int, reason: str) -> None:
        self.line, self.reason = line, reason
        super().__init__(f"line {line:,}: {reason}; nothing was imported")


class CannotImport(Refused):
    """`runs` are the ids of the first 20 runs, each with the reason. `count` is the number of all."""

    def __init__(self, runs: list[tuple[str, str]], count: int) -> None:
        self.runs, self.count = runs, count
        lines = [f"{count:,} run{'' if count == 1 else 's'} cannot be imported:"]
        lines += [f"  {id}: {reason}" for id, reason in runs]
        if count > len(runs):
            lines.append(f"  and {count - len(runs):,} more")
        super().__init__("\n".join(lines))


class HeardByParent(Refused):
    def __init__(self, id: str, parent: str) -> None:
        self.id, self.parent = id, parent
        super().__init__(
            f"run {id!r} is a child of {parent!r}, which depends on how it ended: another end would change "
            "the parent's past; retry the parent instead, once it has ended"
        )


class DeadlineOver(Refused):
    def __init__(self, id: str, deadline: str) -> None:
        self.id, self.deadline = id, deadline
        """The deadline in ISO 8601."""
        super().__init__(
            f"the deadline of run {id!r} passed at {deadline}, so a retry would fail at once; retry with "
            "deadline=timedelta(...) to give it a new one, or with deadline=None to let it take its "
            "time (holdfast runs retry RUN --deadline 1h, or none)"
        )


class NotAsked(Refused, LookupError):
    def __init__(self, id: str, task: str) -> None:
        self.id, self.task = id, task
        super().__init__(
            f"task {show(task)} of run {id!r} does not wait for approval; "
            "`holdfast runs show` tells what does"
        )


class NotRunning(Refused):
    def __init__(self, id: str, status: str, what: str) -> None:
        self.id, self.status = id, status
        super().__init__(f"run {id!r} is {status} and cannot be {what}")


class NotParked(Refused):
    def __init__(self, id: str, status: str, *, is_pausing: bool = False) -> None:
        self.id, self.status, self.is_pausing = id, status, is_pausing
        super().__init__(
            f"run {id!r} is to be paused, and is not yet: its node does that when the tasks that run have "
            "ended; resume it then"
            if is_pausing
            else f"run {id!r} is {status}; only a run that is parked or paused can be resumed"
        )


class PromiseSettled(Refused):
    def __init__(self, id: str, name: str | int) -> None:
        self.id, self.name = id, name
        what = f"promise {name!r}" if isinstance(name, str) else f"question {name}"
        super().__init__(f"{what} of run {id!r} is settled; a promise is settled once")


class UnknownPromise(Refused):
    def __init__(self, id: str, name: str | int, open: Iterable[str], *, has_begun: bool = True) -> None:
        self.id, self.name, self.open = id, name, tuple(open)
        what = f"nothing called {name!r}" if isinstance(name, str) else f"no question number {name}"
        shown = ", ".join(map(repr, self.open[:_MOST_OPEN])) + (", …" if len(self.open) > _MOST_OPEN else "")
        if not has_begun:
            shown = "nothing, it has not begun"
        super().__init__(
            f"run {id!r} asks for {what}; open: {shown or 'nothing'}. "
            "To send an answer before the run asks, say so with `ahead`"
        )


class PromiseClosed(Refused):
    def __init__(self, id: str, name: str | int) -> None:
        self.id, self.name = id, name
        what = f"{name!r}" if isinstance(name, str) else f"question {name}"
        super().__init__(f"run {id!r} does not wait for an answer to {what} any more")


class MayNotAnswer(Refused):
    def __init__(self, id: str, name: str, by: str, allowed: Iterable[str]) -> None:
        self.id, self.name, self.by, self.allowed = id, name, by, tuple(allowed)
        who = f"{by!r} may not answer" if by else "say with `by` who answers"
        super().__init__(f"{who} {name!r} of run {id!r}; allowed: {', '.join(map(repr, self.allowed))}")


class BadAnswer(Refused, ValueError):
    def __init__(self, id: str, name: str, why: str) -> None:
        self.id, self.name, self.why = id, name, why
        super().__init__(f"{name!r} of run {id!r} cannot be answered with this: {why}")


class UpdateRefused(Refused):
    """The run does not take the update. Nothing of the update is recorded."""

    def __init__(self, reason: str = "", id: str = "", name: str = "") -> None:
        self.reason, self.id, self.name = reason, id, name
        super().__init__(f"run {id!r} refuses update {name!r}: {reason}" if id else reason)


class OutsideContext(Refused, RuntimeError):
    pass


# --- failures of tasks and runs


class TaskError(HoldfastError):
    """A task failed and is not retried any more.

    If the class of the task's exception is loaded, the raised error is an instance of both classes:
    `except PaymentDeclined` and `except TaskError` both catch it.
    """

    type_name: str = ""
    """The class of the original exception, as `module:qualname`."""
    message: str = ""
    traceback_text: str = ""
    """The original traceback."""
    task_id: str | None = None


class TaskTimedOut(TaskError, TimeoutError):
    pass


class Rejected(TaskError):
    pass


class TaskLost(TaskError):
    pass


class DoNotRetry(HoldfastError):
    """Raised by a task that fails for good, whatever its `Retry` says.

    `raise DoNotRetry("the card is stolen")`, or `raise CardDeclined(number) from DoNotRetry` to keep the
    class. An error's class may also derive from it.
    """


class SecretNotFound(DoNotRetry):
    """Not tried again, since waiting does not help. Retry the run when the secret is there."""

    def __init__(self, what: str, name: str, places: Iterable[str], setting: str) -> None:
        self.name, self.places = name, tuple(places)
        where = "; ".join(self.places) or f"nowhere, since the setting {setting!r} is empty"
        self.problem = (
            f"there is no {what} {name!r} on this node (looked in: {where}); add it there, or say in the "
            f"setting {setting!r} where it is"
        )
        """Without what to do with a run that has failed by it."""
        super().__init__(self.problem + (", and retry the run" if what == "secret" else ""))


class BadSecret(DoNotRetry):
    def __init__(self, what: str, name: str, where: str, problem: str) -> None:
        self.name = name
        super().__init__(f"the {what} {name!r} from {where} {problem}")


class DeliveryFailed(DoNotRetry):
    """Of an alert. Retry its run to send it again."""

    def __init__(self, rule: str, problem: str) -> None:
        self.rule, self.problem = rule, problem
        super().__init__(f"the webhook of alert {show(rule)} was not delivered: {problem}")


class SecretUnreadable(HoldfastError):
    def __init__(self, what: str, name: str, problem: str) -> None:
        self.name = name
        super().__init__(f"the {what} {name!r} could not be read: {problem}")


class NoWorker(HoldfastError):
    pass


class WorkerFailed(HoldfastError):
    pass


class TooManySteps(HoldfastError):
    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(
            f"the flow has visited {limit:,} nodes and has not come to an end; does it go round in circles? "
            "If it is meant to go on for so long, raise the setting max_steps and retry the run"
        )


class CommandFailed(HoldfastError):
    """`exit_code` is negative for a signal: -9 for SIGKILL."""

    def __init__(self, exit_code: int) -> None:
        self.exit_code = exit_code
        super().__init__(_describe_exit(exit_code))


def _describe_exit(exit_code: int) -> str:
    if exit_code >= 0:
        return f"exited with code {exit_code}"
    try:
        return f"was ended by signal {signal.Signals(-exit_code).name}"
    except ValueError:  # a real-time signal, which has only a number
        return f"was ended by signal {-exit_code}"


class CannotEvaluate(HoldfastError, ValueError):
    """A condition could not be evaluated to true or false. The message has the reason."""


class SignalsRefused(HoldfastError):
    """`refused` has the place of each refused signal in the batch, and its error. All others were sent."""

    def __init__(self, refused: Iterable[tuple[int, HoldfastError]], sent: int) -> None:
        self.refused, self.sent = tuple(refused), sent
        reasons = [f"[{place}] {error}" for place, error in self.refused[:_MOST_NAMED]]
        left = len(self.refused) - len(reasons)
        more = [f"and {left:,} more"] if left else []
        super().__init__(
            f"{len(self.refused):,} of {len(self.refused) + sent:,} signals were refused, and {sent:,} were "
            "sent: " + "; ".join([*reasons, *more])
        )


class RunFailed(HoldfastError):
    """A run failed. Like TaskError, it is also an instance of the original class if that is loaded."""

    type_name: str = ""
    message: str = ""
    traceback_text: str = ""
    task_id: str | None = None


class UpdateFailed(HoldfastError):
    """The handler of an update failed. Like TaskError, it is also an instance of the original class."""

    type_name: str = ""
    message: str = ""
    traceback_text: str = ""
    task_id: str | None = None


class UpdateUnanswered(HoldfastError):
    def __init__(self, id: str, name: str, message_id: str) -> None:
        self.id, self.name, self.message_id = id, name, message_id
        super().__init__(
            f"run {id!r} ended before it answered update {name!r} (message id {message_id!r}); what the "
            "update began was ended with the run"
        )


class UpdateTimedOut(HoldfastError, TimeoutError):
    def __init__(self, id: str, name: str, message_id: str, seconds: float) -> None:
        self.id, self.name, self.message_id = id, name, message_id
        super().__init__(
            f"run {id!r} has not answered update {name!r} within {seconds:g} s; the update may still happen: "
            f"ask again with message_id={message_id!r} and the same arguments to get its answer"
        )


class RunCancelled(HoldfastError):
    def __init__(self, id: str = "", reason: str = "") -> None:
        self.id, self.reason = id, reason
        super().__init__(f"run {id!r} was cancelled" + (f": {reason}" if reason else ""))


# --- programs


class HistoryTooLong(HoldfastError):
    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(
            f"its history has {limit:,} steps, which is the limit; let the workflow go on as a new chapter "
            "before that, with context().continue_as(...), or divide a DAG or flow into several. To let this "
            "run go on, raise the setting max_history and retry the run"
        )


class ChapterRefused(HoldfastError):
    def __init__(self, instead: str) -> None:
        super().__init__(
            f"context().continue_as(...) was called, but then the code {instead}; continue_as raises an "
            "exception, which must leave the workflow: do not catch BaseException around it, do not return "
            "in a `finally`, and await the asyncio task that calls it"
        )


class DeadlineExceeded(HoldfastError):
    def __init__(self, deadline: str) -> None:
        self.deadline = deadline
        """In ISO 8601. It is not in the message: failures of one cause have the same message."""
        super().__init__("the run had not ended by its deadline")


class RunParked(HoldfastError):
    """Raised in tests only. Elsewhere callers keep waiting, because an operator may resume the run."""

    def __init__(self, id: str, reason: str) -> None:
        self.id, self.reason = id, reason
        super().__init__(f"run {id!r} cannot go on and is parked: {reason}")


class RunStuck(HoldfastError, AssertionError):
    """Raised in tests only: the test waits for the run, and the run for something that nobody sends.

    `waiting` says what it waits for.
    """

    def __init__(self, id: str, waiting: str, seconds: float, advice: str) -> None:
        self.id, self.waiting = id, waiting
        super().__init__(
            f"run {id!r} waits for {waiting}, and the test waits for the run: nothing has happened for "
            f"{seconds:g} s of real time, and nothing is due; {advice}"
        )


_AFTER_AN_EDIT = (
    "restore the old code, guard the change with context().patched(...), or start new runs on a new version"
)


class DeterminismError(HoldfastError):
    """A replayed workflow asked for something else than is recorded.

    `recorded` is request number `position` of step `step` in the journal. `requested` is what the code asks
    for now, in the line `place`. `task` is the number of the recorded task, if it is one; `state` are the key
    and the digest of a recorded change of state; `input` are the arguments or the value of the request, as
    JSON. `details` have the whole difference.
    """

    def __init__(
        self,
        step: int,
        position: int,
        recorded: str,
        requested: str,
        *,
        place: str | None = None,
        hint: str | None = None,
        task: int | None = None,
        state: tuple[str, int | None] | None = None,
        input: str | None = None,
    ) -> None:
        self.step, self.position, self.recorded, self.requested = step, position, recorded, requested
        self.place, self.task, self.state, self.input = place, task, state, input
        where = f" in {place}" if place else ""
        super().__init__(
            f"the code has changed under this run: step {step} of its journal has {recorded} as request "
            f"{position}, and the code{where} now asks for {requested}; "
            f"{hint or _AFTER_AN_EDIT}, then resume the run"
        )


class ImpossibleCommand(HoldfastError):
    """Why the run was parked: its program asked for something that no engine can carry out."""

    def __init__(self, command: object, reason: str) -> None:
        self.reason = reason
        self.command = show(command)
        super().__init__(
            f"the program of this run asks for {self.command}, which cannot be done: {reason}; this is a "
            "mistake of holdfast or of a program of your own: please report it. Nothing of the step was "
            "recorded; resume the run with a version that has the mistake mended, or cancel it"
        )


class StepTooLarge(HoldfastError):
    """Why the run was parked: the payloads of one step are more than a node may have to write at once."""

    def __init__(self, size: int, limit: int) -> None:
        self.size, self.limit = size, limit
        super().__init__(
            f"in one step this run asks for {size:,} bytes of arguments, results and state, and the limit is "
            f"{limit:,}; a step is recorded whole. Await a part of the tasks before asking for the next, "
            "pass large data by reference (a path, a URL), or raise the setting max_step_bytes; then resume "
            "the run"
        )


class TooManySetbacks(HoldfastError):
    """Why the run was parked: too many nodes in a row claimed it in vain."""

    def __init__(self, setbacks: int) -> None:
        self.setbacks = setbacks
        super().__init__(
            f"{setbacks} nodes in a row claimed this run in vain: they died, lost their lease, or had code "
            "that does not fit the run; its own code may end the process (a crash in a C extension, too much "
            "memory, an endless loop). Fix that, then resume the run"
        )


class TooManyStalls(HoldfastError):
    """Why the run was parked: its code, or that of one of its async tasks, does not return."""

    def __init__(self, stalls: int, task: str | None, stack: str) -> None:
        self.stalls, self.task = stalls, task
        self.details = stack
        where = "the code of its workflow" if task is None else f"its task {task!r}"
        super().__init__(
            f"{stalls} nodes had to stop because {where} held up their event loop and did not return; the "
            "stack shows where. Fix that (what blocks or computes for long belongs in a task that is a plain "
            "function: it gets a thread), deploy it, then resume the run"
        )


class ForbiddenInWorkflow(HoldfastError, RuntimeError):
    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(
            f"{what} is not possible in workflow code, which must be replayable; "
            "put it in a @task and await that"
        )


class MayOnlyLook(HoldfastError, RuntimeError):
    def __init__(self, who: str, what: str, *, has_changed_run: bool = False) -> None:
        """`has_changed_run`: the code of the run would go on without a reason in the journal."""
        self.who, self.what, self.has_changed_run = who, what, has_changed_run
        super().__init__(
            f"{who} may only look at the run, and asked for {what}, which would not be recorded; "
            "ask for it in the handler, or in the code of the workflow"
        )


class Deadlock(HoldfastError):
    def __init__(self) -> None:
        super().__init__(
            "the workflow waits, but has no task, timer, child, signal, promise or update to wait for: "
            "it awaits an asyncio object that nothing in it will ever set"
        )


# --- the store


class StoreError(HoldfastError):
    pass


class StoreUnavailable(StoreError, ConnectionError):
    """`may_pass` is False if waiting does not help, because somebody must fix the cause first."""

    def __init__(self, store: str, reason: str, *, may_pass: bool = True) -> None:
        self.store, self.reason, self.may_pass = store, reason, may_pass
        super().__init__(f"{store} {'does not answer' if may_pass else 'cannot be used'}: {reason}")


class CommitRefused(StoreError):
    """Not an outage: the same rows would be refused again."""

    def __init__(self, store: str, reason: str) -> None:
        self.store, self.reason = store, reason
        super().__init__(
            f"{store} refuses what was to be written: {reason}; nothing of it was recorded. Change what the "
            "code asks for, or the limit of the database, then try again (a parked run: resume it)"
        )


class StoreFull(StoreError):
    def __init__(self, store: str, reason: str) -> None:
        self.store, self.reason = store, reason
        super().__init__(
            f"{store} has no room left: {reason}; nothing was written: free some space and try again"
        )


class SchemaTooNew(StoreError):
    def __init__(self, store: str, found: int, known: int) -> None:
        self.store, self.found, self.known = store, found, known
        super().__init__(
            f"{store} has schema {found}, made by a newer holdfast; "
            f"this one knows up to {known}: upgrade holdfast"
        )


class JournalCorrupt(StoreError):
    """`position` is the journal step that cannot be read; None if it is another row of the run."""

    def __init__(self, position: int | None, reason: str, *, says_what_to_do: bool = False) -> None:
        """`says_what_to_do`: the reason does."""
        self.position, self.reason = position, reason
        what = "the run's stored data" if position is None else f"step {position} of the journal"
        advice = "; if a newer holdfast wrote it, upgrade this one, else restore it from a backup"
        super().__init__(f"{what} cannot be read: {reason}{'' if says_what_to_do else advice}")


class OpenedBefore(HoldfastError, RuntimeError):
    def __init__(self) -> None:
        super().__init__("a Holdfast is opened once and closed once; make another one")


class NodeStopped(HoldfastError, RuntimeError):
    def __init__(self, cause: BaseException) -> None:
        self.cause = cause
        super().__init__(
            f"the engine of this process has stopped with an internal error ({cause!r}); nothing recorded is "
            "lost: start the process again, and please report the error"
        )


def node_stopped(failure: Exception) -> NodeStopped:
    """What to raise where the engine is needed that this error has ended."""
    return failure if isinstance(failure, NodeStopped) else NodeStopped(failure)


class LoopStalled(NodeStopped):
    def __init__(self, seconds: float, holder: str, stack: str) -> None:
        self.seconds, self.holder = seconds, holder
        self.details = stack
        RuntimeError.__init__(
            self,
            f"the event loop of this process stood still for {seconds:.1f} s, held up by {holder}; the "
            "engine has given its runs to other nodes and does nothing more. Nothing recorded is lost: fix "
            "what blocks, and start the process again",
        )
        self.cause = self


class WrongLoop(HoldfastError, RuntimeError):
    def __init__(self) -> None:
        super().__init__(
            "a Holdfast belongs to the event loop that opened it: from another thread, hand it the call with "
            "asyncio.run_coroutine_threadsafe(call, loop); for another loop, open another Holdfast"
        )


class InEventLoop(HoldfastError, RuntimeError):
    def __init__(self) -> None:
        super().__init__(
            "holdfast.sync waits, and that would stop the event loop that runs in this thread: there, use "
            "holdfast.Holdfast with `await`; a task that calls holdfast.sync is a plain `def`"
        )


class InFork(HoldfastError, RuntimeError):
    def __init__(self, opened_in: int, process: int) -> None:
        self.opened_in = opened_in
        self.process = process
        super().__init__(
            f"this Holdfast was opened in process {opened_in}, and process {process} is a fork of it, "
            "without its threads and connections: open one in each process, after the fork"
        )


class NotOpen(HoldfastError, RuntimeError):
    def __init__(self) -> None:
        super().__init__(
            "this Holdfast is not open: use it inside `async with Holdfast(...) as hf:`, or inside `with` "
            "if it is that of holdfast.sync"
        )


# --- servers


class ServerError(HoldfastError):
    """`url` is the server that was asked."""

    def __init__(self, url: str, reason: str) -> None:
        self.url, self.reason = url, reason
        super().__init__(reason)


class ServerUnavailable(ServerError, ConnectionError):
    """Every change has an id, and is done once: the call may be repeated."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(url, reason)
        self.args = (f"the server {url} does not answer: {reason}",)


class ServerFailed(ServerError):
    def __init__(self, url: str, status: int, reason: str) -> None:
        super().__init__(url, reason)
        self.status = status
        self.args = (f"the server {url} answered with status {status}: {reason}",)


class KeyRefused(ServerError):
    def __init__(self, url: str, reason: str) -> None:
        super().__init__(url, reason)
        self.args = (f"the server {url} refuses the key: {reason}",)


class NotPermitted(ServerError):
    def __init__(self, url: str, reason: str) -> None:
        super().__init__(url, reason)
        self.args = (f"the server {url} does not permit this: {reason}",)


class NotOverHttp(HoldfastError):
    def __init__(self, call: str, advice: str) -> None:
        self.call, self.advice = call, advice
        super().__init__(f"{call} cannot be done over HTTP; {advice}")


# --- simulations


class ForbiddenInSimulation(HoldfastError):
    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(
            f"{what} is real I/O, which a simulation cannot repeat; give the task something to talk to "
            "that lives in memory, as in any unit test"
        )


class SimulationFailed(HoldfastError, AssertionError):
    """`schedule` is the smallest list of faults that was found to cause the failure."""

    def __init__(self, seed: int, problem: str, schedule: list[str], trace: list[str]) -> None:
        self.seed, self.problem, self.schedule, self.trace = seed, problem, schedule, trace
        faults = "\n".join(f"  {fault}" for fault in schedule) or "  none: it happens without any"
        story = "\n".join(trace)
        super().__init__(f"{problem}\n\nseed {seed}\nfaults:\n{faults}\n\nthe end of the story:\n{story}")
