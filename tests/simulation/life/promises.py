"""What must have come of it: the promises that the workload checks, each as a function.

Those in `Watch` are checked while the simulation runs, the others at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from tests.simulation.life.book import Book, Reading
from tests.simulation.life.mail import all_messages
from tests.simulation.life.observing import observer_problems
from tests.simulation.life.programs import FailAtFirst, Outside, Script
from tests.simulation.life.questioning import question_problems, update_problems

from holdfast.client.streams import StreamItem
from holdfast.core.codec import Codec
from holdfast.core.names import BURIED
from holdfast.core.records import History, MessageKind, RunRecord, TaskRecord
from holdfast.core.run_options import read_run_options
from holdfast.core.values import RunKey, RunStatus, TaskStatus, key_text
from holdfast.ports.executor import Attempt
from holdfast.testing.simulation.database import run_inline
from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.world import SECOND

_GRACE = 60 * SECOND
_SLACK = 120 * SECOND
"""For a node to notice: longer than a lease, and than the longest task with its delays."""
_LOST = "TaskLost"
"""Ten nodes died over one task."""
_PAUSE_AND_GO_ON = (MessageKind.PAUSE, MessageKind.RESUME, MessageKind.RETRY)
_TABLES = (
    "journal",
    "tasks",
    "attempts",
    "messages",
    "logs",
    "state",
    "shared_inputs",
    "stream_items",
    "queue",
)


class Watch:
    """Looks at every write and at every attempt that starts."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._by_id: dict[str, RunKey] = {}
        self.streams_at_end: dict[RunKey, Any] = {}
        """The streams of each run when it had ended."""
        self.statuses: dict[RunKey, list[RunStatus]] = {}
        """All that each run had, in order."""
        self.reopened: set[RunKey] = set()
        simulation.safety.on_change.append(self._check_change)
        simulation.safety.on_start.append(self._check_start)

    def _check_change(self, before: History | None, after: History) -> None:
        run = after.run
        if before is None and run.id is not None:
            other = self._by_id.get(run.id)
            if other is not None and self._has_id(other, run.id):
                self._simulation.world.fail(f"one id, one run: {run.id} has two")
            self._by_id[run.id] = run.key
        if before is None or before.run.status is not run.status:
            self.statuses.setdefault(run.key, []).append(run.status)
            if before is not None and before.run.status.is_final:
                self.reopened.add(run.key)
        if before is not None and before.run.id != run.id and not run.status.is_final:
            self._simulation.world.fail(f"a run that is replaced has ended: {before.run.id} goes on")
        if run.status.is_final:
            self.streams_at_end[run.key] = self.streams_of(run.key)
        taken = {} if before is None else {message.id: message.taken for message in before.messages}
        for message in after.messages:
            is_new = message.taken is not None and taken.get(message.id) is None
            is_reopened = before is not None and before.run.status.is_final  # which overtakes the pause
            is_paused = run.status is RunStatus.PAUSED or is_reopened
            if is_new and message.kind is MessageKind.PAUSE and not is_paused:
                self._simulation.world.fail(f"a pause is not forgotten: {run.id} has read it and goes on")

    def _has_id(self, run: RunKey, id: str) -> bool:
        """Whether the run is there and has not lost its id to another run."""
        [[times]] = self._simulation.rows.ask("SELECT count(*) FROM runs WHERE key = ? AND id = ?", run, id)
        return bool(times)

    def streams_of(self, run: RunKey) -> Any:
        return run_inline(self._simulation.store.list_streams(self._simulation.namespace, run))

    def _check_start(self, attempt: Attempt, history: History) -> None:
        messages = all_messages(self._simulation, history.run.key)
        acts = [it for it in messages if it.kind in _PAUSE_AND_GO_ON]
        done = [it.kind for it in acts if it.taken is not None]
        what = f"{attempt.name} ({attempt.seq}, attempt {attempt.number}) of run {attempt.run_id} starts"
        options = read_run_options(history.run.options)
        # A run that is cancelled, or over its deadline, cleans up, also if it was paused.
        is_overdue = options.deadline is not None and options.deadline <= self._simulation.world.now
        cleans_up = is_overdue or any(it.kind is MessageKind.CANCEL for it in messages)
        resident = getattr(attempt, "resident", None)
        is_pausing = resident is not None and resident.pause is not None
        if is_pausing or (done and done[-1] is MessageKind.PAUSE and not cleans_up):
            self._simulation.world.fail(f"no task begins while its run is paused: {what}")
        if history.run.status.is_final:
            self._simulation.world.fail(f"a run that has ended does nothing: {what}")
        is_early = options.start_at is not None and self._simulation.world.now < options.start_at - SECOND
        # A retry with a deadline before the start asks for an earlier start.
        is_hurried = options.deadline is not None and options.deadline <= (options.start_at or 0)
        if is_early and not is_hurried:
            self._simulation.world.fail(f"no task begins before the start of its run: {what}")


def problems(book: Book, watch: Watch, simulation: Simulation) -> Iterator[str]:
    yield from Outside.problems
    yield from _rows_of_deleted_runs(simulation)
    yield from _tags(book, simulation)
    for reading in book.readings:
        yield from _reading(reading, book)
    if book.observer is not None:
        yield from observer_problems(book.observer, watch.statuses, simulation.safety.deleted)
    for history in simulation.safety.histories():
        run = history.run
        yield from _named(run, _ending(history, book))
        yield from _named(run, _deadline(history, simulation))
        found = book.final.get(run.key)
        if found is not None:
            yield from _named(run, _signals(run, found, book))
            yield from _named(run, question_problems(run, found, book))
            was_retried = run.key in watch.reopened
            yield from _named(run, update_problems(run, found, book, was_retried=was_retried))
            poured = [_poured(task) for task in history.tasks if task.name == "pour"]
            for name in dict.fromkeys([*found["streams"], *(stream for stream, _ in poured)]):
                yield from _named(run, _sections(name, found["streams"].get(name, []), history))
        if watch.streams_at_end[run.key] != watch.streams_of(run.key):
            yield from _named(run, ["something was published after its end"])


def _id_of(run: RunRecord) -> str:
    """The id that it was started with, also if another run has it now."""
    return run.id or read_run_options(run.options).former_id


def _named(run: RunRecord, found: Iterable[str]) -> Iterator[str]:
    for problem in found:
        name = run.id or f"{key_text(run.key)}, once {_id_of(run)},"
        yield f"run {name} of {run.workflow}, {run.status} ({run.failure and run.failure.message}): {problem}"


def _rows_of_deleted_runs(simulation: Simulation) -> Iterator[str]:
    """A deleted run leaves no row."""
    for table in _TABLES:
        [[left]] = simulation.rows.ask(
            f"SELECT count(*) FROM {table} WHERE run NOT IN (SELECT key FROM runs)"
        )
        if left:
            yield f"{left} rows of deleted runs are left in {table}"
    [[buried]] = simulation.rows.ask("SELECT count(*) FROM runs WHERE namespace = ?", BURIED)
    if buried:
        yield f"{buried} runs that were deleted are still there"


def _tags(book: Book, simulation: Simulation) -> Iterator[str]:
    """A list by tag has exactly the runs that were started with it and not deleted."""
    for tag, listed in book.listed.items():
        expected = [
            history.run.id or key_text(history.run.key)
            for history in simulation.safety.histories()
            if tag in read_run_options(history.run.options).tags
        ]
        if sorted(listed) != sorted(expected):
            yield f"the list by tag {tag} has {sorted(listed)}, not {expected}"


# --- how runs end


def _script_of(run: RunRecord) -> Script | None:
    return Codec().decode(run.input, dict[str, Script], "input")["script"] if run.workflow == "live" else None


def _ending(history: History, book: Book) -> Iterator[str]:
    run = history.run
    script = _script_of(run)
    output = None if run.output is None else msgspec.json.decode(run.output)
    if run.status is RunStatus.SUCCESS:
        is_right = output == 7 if script is None else script.accepts(output)
        if not is_right:
            yield f"its result is {output}"
        return
    reason = str(run.failure)
    harms = book.harms_to(_id_of(run))
    may_fail = script is not None and any(
        isinstance(act, FailAtFirst) and act.failures for act in script.all_acts()
    )
    if run.status is RunStatus.FAILED and (may_fail or _LOST in reason or "deadline" in harms):
        return
    if run.status is RunStatus.CANCELLED and {"cancel", "terminate", "deadline"} & {*harms}:
        return
    if run.status is RunStatus.CANCELLED and run.parent is not None:
        return  # its parent has failed, and did not wait for it
    yield f"nothing was done to it that could end it so: {harms}"


def _deadline(history: History, simulation: Simulation) -> Iterator[str]:
    """It ends a run by name, within its grace."""
    run = history.run
    deadline = read_run_options(run.options).deadline
    if deadline is None or run.finished_at is None:
        return
    is_named = run.failure is not None and run.failure.type.endswith(":DeadlineExceeded")
    late = run.finished_at - deadline
    # What a task reported in time may end the run, though it is recorded later.
    is_in_time = bool(history.tasks) and all(
        task.finished_at is not None and task.finished_at <= deadline for task in history.tasks
    )
    is_plain = run.status is not RunStatus.CANCELLED and not is_named and not is_in_time
    if late > 0 and is_plain and simulation.safety.clocks_agree:
        yield f"it has ended {late / SECOND} s after its deadline, and does not say so"
    if late < 0 and is_named and simulation.safety.clocks_agree:
        yield f"it has failed by its deadline {-late / SECOND} s before it"
    since = max(deadline, simulation.faults_ended_at or 0)
    if run.finished_at > since + _GRACE + _SLACK:
        yield f"it has ended {(run.finished_at - since) / SECOND} s after its deadline"


# --- what runs hear


def _signals(run: RunRecord, found: dict[str, Any], book: Book) -> Iterator[str]:
    """Each accepted signal is heard once, in the order of sending."""
    sent: dict[str, list[Any]] = {}
    for message in found["messages"]:
        if message.kind == "signal":
            sent.setdefault(message.name, []).append(message.value)
    for name, values in sent.items():
        heard = found["state"].get(f"heard:{name}", [])
        if heard != values[: len(heard)]:
            yield f"it heard {heard} of signal {name!r}, and {values} were sent"
        senders = list(dict.fromkeys(sender for sender, _ in values if sender != "finisher"))
        for sender in senders:
            numbers = [number for each, number in values if each == sender]
            once = list(dict.fromkeys(numbers))
            if once != sorted(once):
                yield f"the numbers of {sender} came as {numbers}"
    planned = book.planned.get(_id_of(run))
    for key, sender, name, number in planned.acknowledged if planned else ():
        times = sent.get(name, []).count([sender, number])
        if key == run.key and not 1 <= times <= (planned.tries[sender, name, number] if planned else 0):
            yield f"number {number} of {sender} was acknowledged, and it is there {times} times"


# --- streams


def _poured(task: TaskRecord) -> tuple[str, int]:
    """To which stream the task was to publish, and how much."""
    asked = msgspec.json.decode(task.input)
    return asked["stream"], asked["items"]


def _sections(name: str, items: list[StreamItem], history: History) -> Iterator[str]:
    """The items of each attempt are in order from the first; those of the last attempt are all there, if the
    task succeeded."""
    if [item.offset for item in items] != list(range(len(items))):
        yield f"the offsets of a stream are {[item.offset for item in items]}"
    sections: dict[int, list[StreamItem]] = {}
    for item in items:
        section = sections.setdefault(item.seq, [])
        if item.task is None:
            continue  # the code of the workflow: its steps may be made again after a retry
        if item.is_first:
            # An attempt that a stopping node hands back begins again, with its number.
            if section and item.attempt < section[-1].attempt:
                yield f"attempt {item.attempt} begins after attempt {section[-1].attempt}"
            section.clear()
        elif not section or section[-1].attempt != item.attempt:
            yield f"item {item.offset} of attempt {item.attempt} has no first item before it"
        if item.value[0] != len(section):
            yield f"item {item.offset} is {item.value}, after {len(section)} of its attempt"
        section.append(item)
    for task in history.tasks:
        if task.name == "pour" and task.status is TaskStatus.SUCCESS and _poured(task)[0] == name:
            last = [item for item in sections.get(task.seq, []) if item.attempt == task.attempt]
            if len(last) != _poured(task)[1]:
                yield f"task {task.seq} has succeeded, and its last attempt has {len(last)} items in a stream"


def _reading(reading: Reading, book: Book) -> Iterator[str]:
    """A reader that goes on at its offset gets each item once, and the same as everybody else."""
    offsets = [item.offset for item in reading.items]
    if offsets != list(range(len(offsets))):
        yield f"a reader of {reading.id} got the offsets {offsets}"
    found = book.final.get(reading.key) if reading.key is not None else None
    if found is None:
        return
    items: list[StreamItem] = found["streams"].get(reading.stream, [])
    if reading.items != items[: len(reading.items)]:
        yield f"a reader of {reading.id} got other items than there are"
