"""The views without a terminal: a line for each thing that happens, or JSON lines for programs."""

from __future__ import annotations

import datetime as dt
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from holdfast.cli.database import DatabaseOptions
from holdfast.cli.views.output import (
    PRINTED,
    between,
    json_text,
    log_label,
    moment_text,
    span_text,
    task_label,
)
from holdfast.cli.views.progress import (
    BranchesLine,
    RunSnapshot,
    TaskChange,
    TaskLine,
    UnsuccessfulAttempt,
    VisitsLine,
)
from holdfast.cli.views.visible import log_line, one_line
from holdfast.cli.views.wording import (
    attempt_ended_text,
    attempt_text,
    outside_wait,
    retry_text,
    skip_text,
    without_task_name,
)
from holdfast.client.logs import LogLine
from holdfast.core.values import TaskStatus

_HOLD = 0.5
"""Seconds that a line is held back. Logs and tasks are read separately, so lines arrive out of order."""
_MANY = 100
"""Of more items, or more visits of a node, this many lines are printed, and then only failures and counts."""
_COUNT_EVERY = 10.0


class _DelayedLine(NamedTuple):
    at: dt.datetime
    order: int
    arrived: float
    text: str


class LineSorter:
    """Writes lines in the order of their times, if they arrive within half a second of each other."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._held: list[_DelayedLine] = []
        self._count = 0

    def add(self, at: dt.datetime, text: str) -> None:
        self._count += 1
        self._held.append(_DelayedLine(at, self._count, self._clock(), text))

    def flush(self, *, all: bool = False) -> None:
        """Writes the lines that were held long enough, or all of them."""
        old = self._clock() - _HOLD
        due = [held for held in self._held if all or held.arrived <= old]
        if not due:
            return
        latest = max(held.at for held in due)
        out = sorted(held for held in self._held if held.at <= latest)
        self._held = [held for held in self._held if held.at > latest]
        for held in out:
            self._write(held.text)


class _LineView(ABC):
    def __init__(self, write: Callable[[str], None], since: dt.datetime | None) -> None:
        self._lines = LineSorter(write)
        self._since = since
        """What happened before this is not printed."""
        self._is_first = True

    def prints_above(self) -> AbstractContextManager[None]:
        return nullcontext()

    def show(self, snapshot: RunSnapshot) -> None:
        self._add(snapshot)
        self._lines.flush()

    def hide(self) -> None:
        self._lines.flush(all=True)

    def reveal(self) -> None:
        return None

    def finish(self, snapshot: RunSnapshot) -> None:
        self._add(snapshot)
        self._lines.flush(all=True)

    @abstractmethod
    def _add(self, snapshot: RunSnapshot) -> None: ...


class _Printed:
    """What was printed about the tasks of one name."""

    lines = 0
    latest: dt.datetime | None = None
    is_cut = False
    """It was said that the others are only counted."""


class PlainView(_LineView):
    def __init__(
        self,
        write: Callable[[str], None],
        database: DatabaseOptions,
        since: dt.datetime | None,
        *,
        is_code: bool = False,
    ) -> None:
        """If the workflow is code, what it and its tasks print is on the terminal already."""
        super().__init__(write, since)
        self._left_out = PRINTED if is_code else ()
        self._database = database
        self._counted: dict[str, float] = {}
        self._uncounted: dict[str, TaskLine] = {}
        """Lines that changed since their counts were printed."""
        self._printed: dict[str, _Printed] = {}
        """By the name of the tasks."""

    def _add(self, snapshot: RunSnapshot) -> None:
        if self._is_first:
            self._is_first = False
            at = self._since or snapshot.info.created_at
            goes_on = "had ended" if snapshot.info.status.is_final else "goes on"
            doing = "starts" if self._since is None else goes_on
            self._print(at, f"run {snapshot.info.id} of {snapshot.info.workflow} {doing}")
        for each in snapshot.unsuccessful:
            self._print(each.attempt.finished_at, _unsuccessful_text(each, snapshot))
        lines = snapshot.progress.lines
        changes: dict[str, list[TaskChange]] = {}
        for change in snapshot.changes:
            changes.setdefault(change.task.name, []).append(change)
        for name, of_name in changes.items():
            for change in of_name:
                self._add_change(change, lines[name], snapshot)
            # Before what comes after it: both may have happened in the same instant.
            if lines[name].expected > _MANY:
                self._count(lines[name])
        for line in [line for name, line in self._uncounted.items() if name not in changes]:
            self._count(line)
        for logged in snapshot.lines:
            if logged.stream not in self._left_out:
                self._print(logged.at, _log_text(logged), with_time=False)

    def _add_change(self, change: TaskChange, line: TaskLine, snapshot: RunSnapshot) -> None:
        printed = self._printed.setdefault(line.name, _Printed())
        is_cut = line.expected > _MANY and printed.lines >= _MANY
        if is_cut and change.task.status is not TaskStatus.FAILED:
            if printed.latest is not None and not printed.is_cut:
                printed.is_cut = True
                self._print(
                    printed.latest, f"{line.name}: from here on, only failures and counts are printed"
                )
            return
        for at, text in _change_texts(change, line, snapshot, self._database):
            is_asking = outside_wait(line, snapshot.info.id, self._database) is not None
            # A wait that began before a resume is printed all the same: the user has to answer it.
            if self._print(max(at, self._since) if is_asking and self._since else at, text):
                printed.lines += 1
                printed.latest = at if printed.latest is None else max(at, printed.latest)

    def _count(self, line: TaskLine) -> None:
        now = time.monotonic()
        self._uncounted[line.name] = line
        # A node in a loop is over after every visit.
        is_over = line.is_closed if isinstance(line, (VisitsLine, BranchesLine)) else line.is_over
        if now - self._counted.setdefault(line.name, now) >= _COUNT_EVERY or is_over:
            self._counted[line.name] = now
            del self._uncounted[line.name]
            failed = line.counts[TaskStatus.FAILED]
            # A look may find the end together with what came after it, so the end keeps its own time.
            at = line.finished_at if is_over else None
            text = _count_text(line) + (f", {failed:,} failed" if failed else "")
            self._print(at or dt.datetime.now(dt.UTC), text)

    def _print(self, at: dt.datetime, text: str, *, with_time: bool = True) -> bool:
        """Returns whether it is printed, and not left out as past."""
        is_printed = bool(text) and (self._since is None or at >= self._since)
        if is_printed:
            self._lines.add(at, f"{moment_text(at)} {text}" if with_time else text)
        return is_printed


def _count_text(line: TaskLine) -> str:
    match line:
        case VisitsLine():
            return f"{line.name} visited {line.asked_for:,} times"
        case BranchesLine():
            return f"{line.name} {line.done:,} done"
        case _:
            return f"{line.name} {line.done:,} of {line.expected:,} done"


def _log_text(logged: LogLine) -> str:
    return f"{log_label(logged.task, logged.index)} | {log_line(logged.text)}"


def _unsuccessful_text(unsuccessful: UnsuccessfulAttempt, snapshot: RunSnapshot) -> str:
    task, attempt = unsuccessful
    if task.status is TaskStatus.FAILED and attempt.attempt == task.attempt:
        return ""  # printed as the end of the task
    maximum = snapshot.progress.lines[task.name].outline.max_attempts
    tried = attempt_text(attempt.attempt, task.lost, maximum) or "attempt 1" + (
        f" of {maximum + task.lost}" if maximum else ""
    )
    ended, _, problem = attempt_ended_text(
        attempt.status, without_task_name(attempt.problem or "", task.name)
    ).partition(": ")
    text = f"{task_label(task.name, task.index)} {ended} ({tried})" + (
        f": {one_line(problem)}" if problem else ""
    )
    is_latest = task.attempt == attempt.attempt + 1
    again = retry_text(task.retry_at, attempt.finished_at) if is_latest else ""
    return f"{text}; {again}" if again else text


def _change_texts(
    change: TaskChange, line: TaskLine, snapshot: RunSnapshot, database: DatabaseOptions
) -> Iterator[tuple[dt.datetime, str]]:
    task, label = change.task, task_label(change.task.name, change.task.index)
    tried = attempt_text(task.attempt, task.lost, change.max_attempts)
    tried = f" ({tried})" if tried else ""
    began, ended = task.started_at or task.created_at, task.finished_at or task.created_at
    took = between(task.started_at, task.finished_at, ended)
    match task.status:
        case TaskStatus.RUNNING:
            wait = outside_wait(line, snapshot.info.id, database)
            doing = f"{wait.text}; answer with: {wait.command}" if wait is not None else f"running{tried}"
            yield began, f"{label} {doing}"
        case TaskStatus.SUCCESS:
            yield ended, f"{label} success{tried}" + (f" after {span_text(took)}" if took is not None else "")
        case TaskStatus.FAILED:
            problem = without_task_name(task.problem or "it is not known why", task.name)
            yield ended, f"{label} failed{tried}: {one_line(problem)}"
        case TaskStatus.SKIPPED:
            why = skip_text(line, snapshot.progress)
            yield ended, f"{label} skipped" + (f": {why}" if why else "")
        case TaskStatus.CANCELLED:
            yield ended, f"{label} cancelled"
        case TaskStatus.PENDING | TaskStatus.DISPATCHED:
            return


class JsonView(_LineView):
    """One JSON object per line, the result last."""

    def _add(self, snapshot: RunSnapshot) -> None:
        if self._is_first:
            self._is_first = False
            info = snapshot.info
            began = {"run": info.id, "key": info.key, "workflow": info.workflow, "version": info.version}
            self._lines.add(info.created_at, json_text({"event": "run", "at": info.created_at, **began}))
        for task, attempt in snapshot.unsuccessful:
            about = {
                "task": task.name,
                "index": task.index,
                "attempt": attempt.attempt,
                "status": attempt.status,
            }
            more = {"problem": attempt.problem, "node": attempt.node, "worker": attempt.worker or None}
            self._print("attempt", attempt.finished_at, {**about, **more})
        for change in snapshot.changes:
            task = change.task
            at = task.finished_at or (task.started_at if task.status is TaskStatus.RUNNING else None)
            about = {"task": task.name, "index": task.index, "count": task.count, "status": task.status}
            more = {
                "attempt": task.attempt,
                "lost": task.lost,
                "problem": task.problem,
                "retry_at": task.retry_at,
            }
            self._print("task", at or task.created_at, {"seq": task.seq, **about, **more})
        for logged in snapshot.lines:
            about = {"task": logged.task, "index": logged.index, "attempt": logged.attempt}
            self._print("log", logged.at, {**about, "stream": logged.stream, "text": logged.text})

    def _print(self, event: str, at: dt.datetime, facts: dict[str, Any]) -> None:
        if self._since is None or at >= self._since:
            self._lines.add(at, json_text({"event": event, "at": at, **facts}))
