"""An explanation as sentences, in parts that name what they are about. The sentences are made here alone.

First what the run waits for or why it ended; then since when, and when it goes on; then what is safe. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from holdfast.core.english import span_words
from holdfast.core.explaining import Surroundings
from holdfast.core.explanations import Explanation, ExplanationPart, Reason, ReasonKind, RunFacts
from holdfast.core.records import RunRecord
from holdfast.core.situations import BusyTask, OpenTaskRow, RunCounts, Situation
from holdfast.core.values import Instant, RunStatus, TaskStatus, instant, key_text, moment

_SLOWER: Final = 2
"""So many times as long as usual is worth a word, if it is also a second more."""
_HOLDERS: Final = 2
"""Tasks in the slots of a queue that are named."""


class FailedTask(msgspec.Struct, frozen=True):
    """The task that a run failed with."""

    seq: int
    name: str
    attempts: int


class Ending(msgspec.Struct, frozen=True):
    """What is known about the end of a run, besides its row."""

    task: FailedTask | None = None
    by: str = ""
    """Who has cancelled it."""
    asked_at: Instant | None = None
    """When it was asked to end."""
    usual: int | None = None
    """How many microseconds runs of its workflow usually take."""


def run_facts(run: RunRecord, counts: RunCounts) -> RunFacts:
    tasks = counts.tasks
    took = None
    if run.finished_at is not None and run.started_at is not None:
        took = max(run.finished_at - run.started_at, 0) / 1_000_000
    return RunFacts(
        None if run.started_at is None else moment(run.started_at),
        None if run.finished_at is None else moment(run.finished_at),
        took,
        counts.asked_for / 1_000_000,
        sum(tasks.values()),
        tasks.get(TaskStatus.SUCCESS, 0),
        tasks.get(TaskStatus.RUNNING, 0) + tasks.get(TaskStatus.DISPATCHED, 0),
        tasks.get(TaskStatus.FAILED, 0),
        run.owner,
        counts.parent,
        counts.children,
        run.chapter + 1,
        counts.steps,
        counts.is_exact,
        tasks.get(TaskStatus.SKIPPED, 0),
    )


def explanation_parts(
    explanation: Explanation, situation: Situation, counts: RunCounts, ending: Ending, around: Surroundings
) -> tuple[ExplanationPart, ...]:
    sentences = _Sentences(explanation, situation, counts, ending, around)
    return tuple(_joined(sentences.parts()))


class _Sentences:
    def __init__(
        self,
        explanation: Explanation,
        situation: Situation,
        counts: RunCounts,
        ending: Ending,
        around: Surroundings,
    ) -> None:
        self._explanation, self._situation, self._counts = explanation, situation, counts
        self._run, self._ending, self._now, self._holders = situation.run, ending, around.now, around.holders

    def parts(self) -> Iterator[ExplanationPart]:
        """Of one reason: a problem, or else what comes first in the table below. Then the deadline."""
        words = self._words()
        order = list(words)
        told = [it for it in self._explanation.reasons if it.kind is not ReasonKind.DEADLINE]
        candidates = told or self._explanation.reasons
        if not candidates:
            yield _text("Has no reason to wake. ")
            yield _strong("This should not happen: to know more, use `holdfast doctor`.")
            return
        reason = min(candidates, key=lambda it: (not it.problem, order.index(it.kind)))
        yield from words[reason.kind](reason)
        if reason.kind is not ReasonKind.DEADLINE:
            yield from self._deadline()

    # --- ended

    def _ended(self, reason: Reason) -> Iterator[ExplanationPart]:
        match self._run.status:
            case RunStatus.SUCCESS:
                yield from self._succeeded()
            case RunStatus.FAILED:
                yield from self._failed()
            case _:
                yield from self._cancelled()

    def _succeeded(self) -> Iterator[ExplanationPart]:
        run, usual = self._run, self._ending.usual
        if run.finished_at is None or run.started_at is None:
            yield _text("Done.")
            return
        took = max(run.finished_at - run.started_at, 0)
        yield _text("Done in ")
        yield _strong(_span(took))
        if usual is not None and took > _SLOWER * usual and took - usual > 1_000_000:
            yield _text(f", {took / max(usual, 1):,.0f} times as long as usual")
        yield _text(".")

    def _failed(self) -> Iterator[ExplanationPart]:
        failure, task = self._run.failure, self._ending.task
        why = failure.summary if failure is not None else "it is not known why"
        if task is None:
            yield _text("Failed: ")
            yield _strong(why)
            yield _text(f"{_stop(why)} What is recorded stays; a retry begins after it.")
            return
        yield _task(task.name, task.seq)
        yield _text(" failed: ")
        why = why.removeprefix(f"task {task.name!r} failed: ")
        yield _strong(why)
        if task.attempts > 1:
            yield _text(f", after {task.attempts:,} attempts.")
        else:
            yield _text(_stop(why))
        yield _text(" What is recorded stays; a retry begins at ")
        yield _task(task.name, task.seq)
        yield _text(".")

    def _cancelled(self) -> Iterator[ExplanationPart]:
        run, ending = self._run, self._ending
        reason = run.failure.message if run.failure is not None else ""
        yield _text("Cancelled")
        if ending.by:
            yield _text(" by ")
            yield _strong(ending.by)
        if (at := ending.asked_at or run.finished_at) is not None:
            yield _text(f" at {_clock(at)}")
        yield _text(f': "{reason}".' if reason else ".")
        if ending.asked_at is not None and run.finished_at is not None:
            cleanup = run.finished_at - ending.asked_at
            if cleanup >= 1_000_000:
                yield _text(f" Cleanup took {_span(cleanup)}.")

    # --- set aside

    def _parked(self, reason: Reason) -> Iterator[ExplanationPart]:
        yield _text("Parked: ")
        yield _strong(reason.problem)
        yield _text(_stop(reason.problem))
        if self._run.wake_at is None:
            yield _text(" It is not tried again by itself: mend that, and resume it.")
        else:
            yield _text(f" It is tried again by itself at {_clock(self._run.wake_at)}.")

    def _paused(self, reason: Reason) -> Iterator[ExplanationPart]:
        paused = reason.what.removeprefix("it is ")
        yield _text(f"{paused[:1].upper()}{paused[1:]}{_stop(paused)} It goes on only when it is resumed.")

    # --- nodes

    def _node(self, reason: Reason) -> Iterator[ExplanationPart]:
        if not reason.problem and reason.name:
            yield _text("On ")
            yield ExplanationPart(reason.name, "node", reason.name)
            yield _text(", and at work.")
        elif reason.name:
            yield _text("Was on ")
            yield ExplanationPart(reason.name, "node", reason.name)
            yield _text(", which is gone or has not renewed its lease.")
            yield _text(f" {_sentence(reason.advice)}")
        elif reason.problem.startswith("no node has "):
            yield _text("No node has ")
            yield ExplanationPart(self._run.workflow, "workflow", self._run.workflow)
            yield _text(f" {self._run.version}. Start one that does; the run waits until then.")
        elif reason.problem:
            yield _text(f"{_sentence(reason.what)} ")
            yield _strong(_sentence(reason.problem))
        else:
            yield _text("Waits for a node that has ")
            yield ExplanationPart(self._run.workflow, "workflow", self._run.workflow)
            yield _text(f"{self._since(reason)}.")

    # --- tasks

    def _tasks(self, reason: Reason) -> Iterator[ExplanationPart]:
        """How many run and are done, or the one that runs."""
        under_way = [it for it in self._situation.tasks if it.status is not TaskStatus.PENDING]
        names = {it.name for it in under_way}
        running = sum(
            count
            for (status, _), count in self._situation.task_counts.items()
            if status in (TaskStatus.RUNNING, TaskStatus.DISPATCHED)
        )
        total = sum(self._counts.tasks.values())
        done = self._counts.tasks.get(TaskStatus.SUCCESS, 0) + self._counts.tasks.get(TaskStatus.SKIPPED, 0)
        if running <= 1 or not names:
            yield from self._one_task(reason)
        else:
            yield _strong(f"{running:,}")
            yield _text(" tasks run, such as " if len(names) > 1 else " of ")
            yield _task(under_way[0].name, under_way[0].seq)
            yield _text("; " if len(names) > 1 else " run; ")
            yield _text(f"{done:,} of {total:,} tasks are done.")

    def _one_task(self, reason: Reason) -> Iterator[ExplanationPart]:
        task = self._row(reason.name)
        if task is None:
            yield from self._plain(reason)
            return
        yield _task(task.name, task.seq)
        if reason.what.startswith(f"{task.name} waits"):
            yield _text(f" waits for a signal, a time or another run{self._since(reason)}.")
        elif self._run.owner is None:
            yield _text(" is to be run when a node takes the run.")
        else:
            yield _text(f" runs{self._since(reason)}, on ")
            yield ExplanationPart(self._run.owner, "node", self._run.owner)
            yield _text(".")

    def _retry(self, reason: Reason) -> Iterator[ExplanationPart]:
        yield self._named_task(reason.name)
        attempt = reason.what.rpartition(", ")[2]
        yield _text(f" failed and is tried again{self._in(reason)}, {attempt}.")
        if reason.problem:
            yield _text(f" {_sentence(reason.problem)}")

    def _slot(self, reason: Reason) -> Iterator[ExplanationPart]:
        waiting = next((it for it in self._situation.tasks if f"task {it.name!r} " in reason.what), None)
        yield self._named_task("" if waiting is None else waiting.name)
        yield _text(" waits for a slot of queue ")
        yield ExplanationPart(reason.name, "queue", reason.name)
        yield _text(self._since(reason))
        holders: Sequence[BusyTask] = () if waiting is None else self._holders.get(waiting.seq, ())
        for number, holder in enumerate(holders[:_HOLDERS]):
            yield _text(", " if number else ", held by ")
            yield from self._holder(holder)
        more = len(holders) - _HOLDERS
        yield _text(f" and {more:,} more." if more > 0 else ".")

    def _holder(self, holder: BusyTask) -> Iterator[ExplanationPart]:
        if holder.run == self._run.key:
            yield _task(holder.name, holder.seq)
        else:
            id = holder.run_id or key_text(holder.run)
            yield _text(f"{holder.name} of run ")
            yield ExplanationPart(id, "run", id)
        if holder.started_at is not None and self._now > holder.started_at:
            yield _text(f" for {_span(self._now - holder.started_at)}")

    def _service(self, reason: Reason) -> Iterator[ExplanationPart]:
        waiting = next((it.name for it in self._situation.tasks if f"task {it.name!r}" in reason.what), "")
        yield self._named_task(waiting)
        is_taken = reason.what.startswith("worker ")
        yield _text(" is with a worker of service " if is_taken else " waits for a worker of service ")
        yield ExplanationPart(reason.name, "service", reason.name)
        yield _text(f"{self._since(reason)}.")
        if reason.problem:
            yield _text(" ")
            yield _strong(_sentence(reason.problem))

    # --- people and messages

    def _person(self, reason: Reason) -> Iterator[ExplanationPart]:
        if not reason.name:
            yield from self._plain(reason)
            return
        yield _text("Waits for a person to answer ")
        yield ExplanationPart(reason.name, "promise", reason.name)
        yield _text(f"{self._since(reason)}.")

    def _promise(self, reason: Reason) -> Iterator[ExplanationPart]:
        is_asked = any(it.name == reason.name for it in self._situation.questions)
        if is_asked or not reason.name:
            yield from self._person(reason)
            return
        yield _text("Waits for the promise ")
        yield ExplanationPart(reason.name, "promise", reason.name)
        yield _text(f"{self._since(reason)}.")

    def _signal(self, reason: Reason) -> Iterator[ExplanationPart]:
        yield _text("Waits for the signal ")
        yield ExplanationPart(reason.name, "signal", reason.name)
        yield _text(f"{self._since(reason)}.")
        others = [it.name for it in self._situation.unread if it.kind.value == "signal"]
        if others:
            count = sum(it.times for it in self._situation.unread if it.kind.value == "signal")
            came = "another came and was" if count == 1 else f"{count:,} others came and were"
            yield _text(f" {came[:1].upper()}{came[1:]} not read: ")
            for number, name in enumerate(others):
                yield _text(", " if number else "")
                yield ExplanationPart(name, "signal", name)
            yield _text(".")

    def _update(self, reason: Reason) -> Iterator[ExplanationPart]:
        is_under_way = reason.since is not None
        yield _text("Is answering the update " if is_under_way else "Waits for an update, such as ")
        yield _strong(reason.name)
        yield _text(f"{self._since(reason)}.")

    # --- time and others

    def _timer(self, reason: Reason) -> Iterator[ExplanationPart]:
        if reason.until is None:
            yield from self._plain(reason)
            return
        until = instant(reason.until)
        yield _text("Sleeps until ")
        yield _strong(_clock(until))
        yield _text(f", {_span(until - self._now)} more." if until > self._now else ".")
        if self._run.owner is None:
            yield _text(" No node holds it meanwhile.")

    def _start(self, reason: Reason) -> Iterator[ExplanationPart]:
        yield _text("Is to be started at ")
        yield _strong("" if reason.until is None else _clock(instant(reason.until)))
        yield _text(f"{self._in(reason, ', ')}.")

    def _child(self, reason: Reason) -> Iterator[ExplanationPart]:
        child = next((it for it in self._situation.children if it.id == reason.name), None)
        if child is None:
            yield from self._plain(reason)
            return
        others = self._situation.child_count - 1
        yield _text("Waits for its child " if others <= 0 else f"Waits for {others + 1:,} children, such as ")
        yield ExplanationPart(child.id, "run", child.id)
        yield _text(f", which is {child.status.value}{self._since(reason)}.")

    def _turn(self, reason: Reason) -> Iterator[ExplanationPart]:
        yield _text("Waits for its turn in ")
        yield ExplanationPart(reason.name, "run", reason.name)
        yield _text(", which was retried.")

    def _deadline(self) -> Iterator[ExplanationPart]:
        for reason in self._explanation.reasons:
            if reason.kind is ReasonKind.DEADLINE and reason.until is not None:
                until = instant(reason.until)
                passed = f"was {_span(self._now - until)} ago"
                comes = f"is in {_span(until - self._now)}"
                yield _text(f" Its deadline {passed if until <= self._now else comes}.")

    def _plain(self, reason: Reason) -> Iterator[ExplanationPart]:
        yield _text(_sentence(reason.what))
        if reason.problem:
            yield _text(" ")
            yield _strong(_sentence(reason.problem))

    # --- words

    def _since(self, reason: Reason) -> str:
        if reason.since is None or (span := self._now - instant(reason.since)) < 1_000_000:
            return ""
        return f", for {_span(span)}"

    def _in(self, reason: Reason, before: str = " ") -> str:
        if reason.until is None or (span := instant(reason.until) - self._now) <= 0:
            return ""
        return f"{before}in {_span(span)}"

    def _row(self, name: str) -> OpenTaskRow | None:
        return next((it for it in self._situation.tasks if it.name == name), None)

    def _named_task(self, name: str) -> ExplanationPart:
        row = self._row(name)
        return _task(name or "A task", None if row is None else row.seq)

    def _words(self) -> Mapping[ReasonKind, Callable[[Reason], Iterator[ExplanationPart]]]:
        """In the order in which one is chosen to be told."""
        return {
            ReasonKind.END: self._ended,
            ReasonKind.PARKED: self._parked,
            ReasonKind.PAUSED: self._paused,
            ReasonKind.CANCEL: self._plain,
            ReasonKind.START: self._start,
            ReasonKind.TURN: self._turn,
            ReasonKind.RETRY: self._retry,
            ReasonKind.SLOT: self._slot,
            ReasonKind.SERVICE: self._service,
            ReasonKind.TASK: self._tasks,
            ReasonKind.APPROVAL: self._person,
            ReasonKind.PROMISE: self._promise,
            ReasonKind.SIGNAL: self._signal,
            ReasonKind.UPDATE: self._update,
            ReasonKind.CHILD: self._child,
            ReasonKind.TIMER: self._timer,
            ReasonKind.MESSAGE: self._plain,
            ReasonKind.NODE: self._node,
            ReasonKind.DEADLINE: self._plain,
        }


def _joined(parts: Iterator[ExplanationPart]) -> Iterator[ExplanationPart]:
    """Plain texts that follow each other are one part; empty ones are left out."""
    text = ""
    for part in parts:
        if not part.kind:
            text += part.text
            continue
        if text:
            yield _text(text)
            text = ""
        if part.text:
            yield part
    if text:
        yield _text(text)


def _text(text: str) -> ExplanationPart:
    return ExplanationPart(text)


def _strong(text: str) -> ExplanationPart:
    return ExplanationPart(text, "strong")


def _task(name: str, seq: int | None) -> ExplanationPart:
    return ExplanationPart(name, "strong" if seq is None else "task", "" if seq is None else str(seq))


def _sentence(text: str) -> str:
    """As a sentence of its own: `it waits` becomes `It waits.`"""
    return f"{text[:1].upper()}{text[1:]}{_stop(text)}" if text else ""


def _stop(text: str) -> str:
    return "" if text.endswith((".", "!", "?")) else "."


def _clock(at: Instant) -> str:
    return moment(at).strftime("%Y-%m-%d %H:%M UTC")


def _span(microseconds: int) -> str:
    return span_words(max(microseconds, 0) / 1_000_000)
