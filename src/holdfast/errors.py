"""Every error that holdfast raises.

HoldfastError
├── Refused                 bad input, stopped at the door; nothing was changed
│   ├── BadOption           an option outside what it may be
│   │   └── BadFile         a file that is missing, or cannot be read
│   ├── BadUrl              a store URL that cannot be understood
│   ├── BadDefinition       a task or workflow that cannot be registered
│   ├── BadDocument         a workflow in a file that cannot run, with all that is wrong in it and where
│   │   ├── BadDag
│   │   └── BadFlow
│   ├── CannotStore         a value that JSON cannot carry, with the path inside it
│   ├── PayloadTooLarge     a value over the limit
│   ├── WrongType           a value that does not fit its type hint
│   ├── UnknownWorkflow     no workflow of that name and version here
│   ├── UnknownTask         no task of that name here
│   ├── VersionConflict     a known version with other code
│   ├── RunNotFound         no run of that id
│   ├── ScheduleNotFound    no schedule of that name
│   ├── FlowNotFound        no flow of that id, or no such version of it
│   ├── NotPublished        only a published version of a flow can be run
│   ├── ItemLost            a worker tells of a task that is no longer its own
│   ├── RunExists           a child's id belongs to another run
│   ├── FamilyTooDeep       a child with too many generations above it
│   ├── RunEnded            the run is over and takes nothing more
│   ├── NotEnded            only a run that is over can be retried
│   ├── HeardByParent       a child whose end its parent knows is retried with the parent
│   ├── NotAsked            nobody is asked for that approval now
│   ├── NotParked           only a run that is parked can be resumed
│   ├── PromiseSettled      the promise has a value already
│   └── OutsideContext      `context()` outside a workflow, `task_context()` outside a task
├── TaskError               a task failed; also an instance of the task's own exception class
│   ├── TaskTimedOut        … because it took, waited or was silent for too long
│   ├── Rejected            … because whoever was asked for approval said no
│   └── TaskLost            … because every node that ran it died
├── NoWorker                no worker of the service could be reached
├── WorkerFailed            what a worker says has gone wrong, or an answer that is none
├── TooManySteps            a flow has visited more nodes than it may: it probably goes round in circles
├── CommandFailed           a task's process ended with another exit code than 0, or by a signal
├── CannotEvaluate          a condition of a DAG that is neither true nor false
├── RunFailed               a run failed; also an instance of the exception class that ended it
├── RunCancelled            a run was cancelled
├── RunParked               a run that a test waits for cannot go on
├── DeterminismError        a replayed workflow asked for something else than it did before
├── TooManySetbacks         a run whose code may be what kills the nodes that take it
├── ForbiddenInWorkflow     real I/O, threads or endless spinning in workflow code
├── Deadlock                a workflow that waits for nothing that could ever happen
├── StoreError
│   ├── StoreUnavailable    the database does not answer
│   ├── StoreFull           no room left on its disk
│   ├── SchemaTooNew        a newer holdfast has changed the database
│   └── JournalCorrupt      a run whose journal or rows cannot be read
├── ForbiddenInSimulation   real I/O in a simulation
├── SimulationFailed        a simulation that found something, with the seed that shows it
├── OpenedBefore            a Holdfast object is opened once
├── WrongLoop               a Holdfast is used on the event loop that opened it
├── NodeStopped             the engine of this process has failed; others go on
└── NotOpen                 the Holdfast object is not open (any more)
"""

from __future__ import annotations

import signal
from collections.abc import Iterable
from typing import Any, NamedTuple


class HoldfastError(Exception):
    """The root of the tree."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are copied and pickled by calling their class with `args`. Those of ours that take other
        # things than their message would be lost that way, and with them the process pool they came from.
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[HoldfastError], args: tuple[Any, ...], state: dict[str, Any]) -> HoldfastError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


# --- refused at the door


class Refused(HoldfastError):
    """Bad input. Nothing was changed."""


_LONGEST_VALUE = 200


def show(value: object) -> str:
    """The value as people can read it. Never raises: it is shown because something is wrong with it."""
    try:
        shown = repr(value).encode(errors="backslashreplace").decode()
    except Exception:  # a broken __repr__, a nesting too deep, an integer of ten thousand digits
        return "something that cannot be shown"
    return shown if len(shown) <= _LONGEST_VALUE else shown[:_LONGEST_VALUE] + "…"


class BadOption(Refused, ValueError):
    others: tuple[BadOption, ...] = ()
    """What else was wrong, where all mistakes are told at once."""

    def __init__(self, option: str, value: object, expected: str, others: Iterable[BadOption] = ()) -> None:
        self.option, self.value, self.expected = option, value, expected
        if others:
            self.others = tuple(others)
        mistake = f"{option} is {show(value)}, but must be {expected}"
        super().__init__("; ".join([mistake, *map(str, self.others)]))


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


class BadUrl(Refused, ValueError):
    def __init__(self, url: str, reason: str) -> None:
        self.url, self.reason = url, reason
        super().__init__(f"cannot use {url!r} as a store: {reason}")


class BadDefinition(Refused, TypeError):
    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{name!r} cannot be registered: {reason}")


class Problem(NamedTuple):
    """One thing that is wrong in a file, and where: `etl.yaml:12:5: no task 'extrct'`."""

    file: str
    line: int
    """From 1."""
    column: int
    message: str
    path: str = ""
    """Where it stands inside the value, as in `$.nodes.check.choice_cases[0].expr`, if that is told."""

    def __str__(self) -> str:
        where = f" {self.path}:" if self.path else ""
        return f"{self.file}:{self.line}:{self.column}:{where} {self.message}"


_MOST_PROBLEMS_SHOWN = 50


class BadDocument(Refused, ValueError):
    """`problems` has all of them, in the order of the file; the message leaves out what nobody would read."""

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
    """`path` leads to the value inside what was passed, as in `order.items[3].price`."""

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


class WrongType(Refused, TypeError):
    def __init__(self, what: str, reason: str) -> None:
        self.what, self.reason = what, reason
        super().__init__(f"{what}: {reason}")


class UnknownWorkflow(Refused, LookupError):
    def __init__(self, name: str, version: str | None, known: list[str]) -> None:
        self.name, self.version, self.known = name, version, known
        wanted = name if version is None else f"{name} version {version}"
        super().__init__(f"no workflow {show(wanted)} is registered here; {_known(known)}")


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


class ScheduleNotFound(Refused, LookupError):
    def __init__(self, name: str, namespace: str) -> None:
        self.name, self.namespace = name, namespace
        super().__init__(f"no schedule {show(name)} in namespace {namespace!r}")


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
        super().__init__(f"item {show(id)} is no longer yours: {reason}; what you did of it is not counted")


class RunExists(Refused):
    def __init__(self, id: str) -> None:
        self.id = id
        super().__init__(f"the id {id!r} belongs to another run; give the child another id")


class FamilyTooDeep(Refused):
    def __init__(self, workflow: str, limit: int) -> None:
        self.workflow, self.limit = workflow, limit
        super().__init__(
            f"a run of {workflow!r} was not begun: it would have had more than {limit:,} runs above it, each "
            "started by the one before; does a workflow call itself without an end? If it is meant to go so "
            "deep, raise the setting max_depth"
        )


class RunEnded(Refused):
    def __init__(self, id: str, what: str) -> None:
        self.id = id
        super().__init__(f"run {id!r} has ended and takes no {what} any more")


class NotEnded(Refused):
    def __init__(self, id: str, status: str) -> None:
        self.id, self.status = id, status
        super().__init__(f"run {id!r} is {status}; only a run that failed or was cancelled can be retried")


class HeardByParent(Refused):
    def __init__(self, id: str, parent: str) -> None:
        self.id, self.parent = id, parent
        super().__init__(
            f"run {id!r} is a child of {parent!r}, which goes by how it ended: to end in another way now "
            "would change the past of the parent; retry the parent instead, once that has ended"
        )


class NotAsked(Refused, LookupError):
    def __init__(self, id: str, task: str) -> None:
        self.id, self.task = id, task
        super().__init__(
            f"task {show(task)} of run {id!r} does not wait for approval; "
            "`holdfast runs show` tells what does"
        )


class NotParked(Refused):
    def __init__(self, id: str, status: str) -> None:
        self.id, self.status = id, status
        super().__init__(f"run {id!r} is {status}; only a run that is parked or paused can be resumed")


class PromiseSettled(Refused):
    def __init__(self, id: str, name: str) -> None:
        self.id, self.name = id, name
        super().__init__(f"promise {name!r} of run {id!r} is settled; a promise is settled once")


class OutsideContext(Refused, RuntimeError):
    pass


# --- failures of the user's work, raised again


class TaskError(HoldfastError):
    """A task failed for good.

    Where the task's exception class can be found, the error that is raised is an instance of both:
    `except PaymentDeclined` and `except TaskError` catch the same thing.
    """

    type_name: str = ""
    """The class of the original exception, as `module:qualname`."""
    message: str = ""
    traceback_text: str = ""
    """Where the task raised it, as text."""
    task_id: str | None = None


class TaskTimedOut(TaskError, TimeoutError):
    pass


class Rejected(TaskError):
    pass


class TaskLost(TaskError):
    pass


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
        super().__init__(_how_it_ended(exit_code))


def _how_it_ended(exit_code: int) -> str:
    if exit_code >= 0:
        return f"exited with code {exit_code}"
    try:
        return f"was ended by signal {signal.Signals(-exit_code).name}"
    except ValueError:  # a real-time signal, which has only a number
        return f"was ended by signal {-exit_code}"


class CannotEvaluate(HoldfastError, ValueError):
    """A condition that is neither true nor false, with the reason."""


class RunFailed(HoldfastError):
    """A run failed. Like TaskError, also an instance of the original class where it can be found."""

    type_name: str = ""
    message: str = ""
    traceback_text: str = ""
    task_id: str | None = None


class RunCancelled(HoldfastError):
    def __init__(self, id: str = "", reason: str = "") -> None:
        self.id, self.reason = id, reason
        super().__init__(f"run {id!r} was cancelled" + (f": {reason}" if reason else ""))


# --- programs


class RunParked(HoldfastError):
    """Raised in tests only: elsewhere an operator may mend it, and whoever waits goes on waiting."""

    def __init__(self, id: str, reason: str) -> None:
        self.id, self.reason = id, reason
        super().__init__(f"run {id!r} cannot go on and is parked: {reason}")


class DeterminismError(HoldfastError):
    """`recorded` and `requested` say what stood at `position` of that kind, then and now."""

    def __init__(self, kind: str, position: int, recorded: str, requested: str) -> None:
        self.kind, self.position, self.recorded, self.requested = kind, position, recorded, requested
        super().__init__(
            f"{kind} {position} was {recorded} when this run passed here, "
            f"but the code now asks for {requested}; "
            "restore the old order, guard the change with context().patched(...), or start new runs on a new "
            "version, then resume the run"
        )


class TooManySetbacks(HoldfastError):
    """Why a run was set aside that one node after the other has come to nothing with."""

    def __init__(self, setbacks: int) -> None:
        self.setbacks = setbacks
        super().__init__(
            f"{setbacks} nodes in a row have taken this run and come to nothing with it: they died, fell "
            "silent, or had code that does not fit it; its own code may be what ends the process (a crash in "
            "a C extension, memory, a loop without end). Mend that, then resume it"
        )


class ForbiddenInWorkflow(HoldfastError, RuntimeError):
    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(
            f"{what} is not possible in workflow code, which must be replayable; "
            "put it in a @task and await that"
        )


class Deadlock(HoldfastError):
    def __init__(self) -> None:
        super().__init__(
            "the workflow waits, but has no task, timer, child, signal or promise to wait for: "
            "it awaits an asyncio object that nothing in it will ever set"
        )


# --- the store


class StoreError(HoldfastError):
    pass


class StoreUnavailable(StoreError, ConnectionError):
    """`may_pass` is False if waiting does not help: someone has to mend something first."""

    def __init__(self, store: str, reason: str, *, may_pass: bool = True) -> None:
        self.store, self.reason, self.may_pass = store, reason, may_pass
        super().__init__(f"{store} {'does not answer' if may_pass else 'cannot be used'}: {reason}")


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
    """`position` is the step of the journal that cannot be read; None if it is another row of the run."""

    def __init__(self, position: int | None, reason: str) -> None:
        self.position, self.reason = position, reason
        what = "what is stored of the run" if position is None else f"step {position} of the journal"
        super().__init__(
            f"{what} cannot be read: {reason}; if a newer holdfast wrote it, upgrade this one, "
            "else restore it from a backup"
        )


class OpenedBefore(HoldfastError, RuntimeError):
    def __init__(self) -> None:
        super().__init__("a Holdfast is opened once and closed once; make another one")


class NodeStopped(HoldfastError, RuntimeError):
    def __init__(self, cause: BaseException) -> None:
        self.cause = cause
        super().__init__(
            f"the engine of this process has stopped by an error of its own ({cause!r}); nothing recorded is "
            "lost: start the process again, and please report it"
        )


class WrongLoop(HoldfastError, RuntimeError):
    def __init__(self) -> None:
        super().__init__(
            "a Holdfast belongs to the event loop that opened it: from another thread, hand it the call with "
            "asyncio.run_coroutine_threadsafe(call, loop); for another loop, open another Holdfast"
        )


class NotOpen(HoldfastError, RuntimeError):
    def __init__(self) -> None:
        super().__init__("this Holdfast is not open: use it inside `async with Holdfast(...) as hf:`")


# --- simulations


class ForbiddenInSimulation(HoldfastError):
    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(
            f"{what} is real I/O, which a simulation cannot repeat; give the task something to talk to "
            "that lives in memory, as in any unit test"
        )


class SimulationFailed(HoldfastError, AssertionError):
    """`schedule` is what must go wrong for it to happen, and no more."""

    def __init__(self, seed: int, problem: str, schedule: list[str], trace: list[str]) -> None:
        self.seed, self.problem, self.schedule, self.trace = seed, problem, schedule, trace
        faults = "\n".join(f"  {fault}" for fault in schedule) or "  none: it happens without any"
        story = "\n".join(trace)
        super().__init__(f"{problem}\n\nseed {seed}\nfaults:\n{faults}\n\nthe end of the story:\n{story}")
