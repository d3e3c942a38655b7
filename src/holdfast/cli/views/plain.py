"""The views for what is no terminal: lines as things happen, or JSON lines for programs."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from holdfast.cli.database_options import DatabaseOptions
from holdfast.cli.views.output import between, json_text, moment_text, span_text, task_label
from holdfast.cli.views.progress import BranchesLine, TaskChange, TaskLine, VisitsLine
from holdfast.cli.views.visible import log_line, one_line
from holdfast.cli.views.wording import (
    asked_of,
    attempt_ended_text,
    attempt_text,
    own_words,
    retry_text,
    skip_text,
)
from holdfast.cli.watching import RunSnapshot, Setback
from holdfast.client.logs import LogLine
from holdfast.core.values import TaskStatus

_HOLD = 0.5
"""Seconds that a line is held back: what a task said and that it ended are read one after the other."""
_MANY = 100
"""Of a fan-out with more items, or a node with more visits, only failures and counts are told."""
_COUNT_EVERY = 10.0


class _DelayedLine(NamedTuple):
    at: dt.datetime
    order: int
    arrived: float
    text: str


class InOrder:
    """Lets lines out in the order of what they tell of, as far as they come within half a second."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._held: list[_DelayedLine] = []
        self._count = 0

    def add(self, at: dt.datetime, text: str) -> None:
        self._count += 1
        self._held.append(_DelayedLine(at, self._count, self._clock(), text))

    def let_out(self, *, all: bool = False) -> None:
        old = self._clock() - _HOLD
        ripe = [held for held in self._held if all or held.arrived <= old]
        if not ripe:
            return
        latest = max(held.at for held in ripe)
        out = sorted(held for held in self._held if held.at <= latest)
        self._held = [held for held in self._held if held.at > latest]
        for held in out:
            self._write(held.text)


class PlainView:
    def __init__(
        self, write: Callable[[str], None], place: DatabaseOptions, since: dt.datetime | None
    ) -> None:
        self._lines = InOrder(write)
        self._place = place
        self._since = since
        """What was before is not told again."""
        self._counted: dict[str, float] = {}
        self._uncounted: dict[str, TaskLine] = {}
        """Lines of which more has happened since they were counted."""
        self._is_first = True

    def show(self, news: RunSnapshot) -> None:
        self._tell(news)
        self._lines.let_out()

    def hide(self) -> None:
        self._lines.let_out(all=True)

    def reveal(self) -> None: ...

    def finish(self, news: RunSnapshot) -> None:
        self._tell(news)
        self._lines.let_out(all=True)

    def _tell(self, news: RunSnapshot) -> None:
        if self._is_first:
            self._is_first = False
            at = self._since or news.info.created_at
            goes_on = "had ended" if news.info.status.is_final else "goes on"
            doing = "starts" if self._since is None else goes_on
            self._say(at, f"run {news.info.id} of {news.info.workflow} {doing}")
        for setback in news.setbacks:
            self._say(setback.attempt.finished_at, _setback_text(setback, news))
        for change in news.changes:
            line = news.board.lines[change.task.name]
            if line.expected > _MANY:
                self._uncounted[line.name] = line
                if change.task.status is not TaskStatus.FAILED:
                    continue
            for at, text in _change_texts(change, line, news, self._place):
                is_asking = asked_of(line, news.info.id, self._place) is not None
                # Whoever comes back to a run that waits for an answer wants to know of it.
                self._say(max(at, self._since) if is_asking and self._since else at, text)
        for line in list(self._uncounted.values()):
            self._count(line)
        for said in news.lines:
            self._say(said.at, _log_text(said), with_time=False)

    def _count(self, line: TaskLine) -> None:
        now = time.monotonic()
        # A node that is visited again and again is over after every visit.
        is_over = line.is_over if line.node is None else line.is_closed
        if now - self._counted.setdefault(line.name, now) >= _COUNT_EVERY or is_over:
            self._counted[line.name] = now
            del self._uncounted[line.name]
            failed = line.counts[TaskStatus.FAILED]
            self._say(dt.datetime.now(dt.UTC), _count_text(line) + (f", {failed:,} failed" if failed else ""))

    def _say(self, at: dt.datetime, text: str, *, with_time: bool = True) -> None:
        if text and (self._since is None or at >= self._since):
            self._lines.add(at, f"{moment_text(at)} {text}" if with_time else text)


def _count_text(line: TaskLine) -> str:
    match line:
        case VisitsLine():
            return f"{line.name} visited {line.asked_for:,} times"
        case BranchesLine():
            return f"{line.name} {line.done:,} done"
        case _:
            return f"{line.name} {line.done:,} of {line.expected:,} done"


def _log_text(said: LogLine) -> str:
    return f"{task_label(said.task, said.index)} | {log_line(said.text)}"


def _setback_text(setback: Setback, news: RunSnapshot) -> str:
    task, attempt = setback
    if task.status is TaskStatus.FAILED and attempt.attempt == task.attempt:
        return ""  # told as the end of the task
    most = news.board.lines[task.name].most_attempts
    tried = attempt_text(attempt.attempt, task.lost, most) or "attempt 1" + (
        f" of {most + task.lost}" if most else ""
    )
    words, _, problem = attempt_ended_text(
        attempt.status, own_words(attempt.problem or "", task.name)
    ).partition(": ")
    text = f"{task_label(task.name, task.index)} {words} ({tried})" + (
        f": {one_line(problem)}" if problem else ""
    )
    is_latest = task.attempt == attempt.attempt + 1
    again = retry_text(task.retry_at, attempt.finished_at) if is_latest else ""
    return f"{text}; {again}" if again else text


def _change_texts(
    change: TaskChange, line: TaskLine, news: RunSnapshot, place: DatabaseOptions
) -> Iterator[tuple[dt.datetime, str]]:
    task, label = change.task, task_label(change.task.name, change.task.index)
    tried = attempt_text(task.attempt, task.lost, change.most_attempts)
    tried = f" ({tried})" if tried else ""
    began, ended = task.started_at or task.created_at, task.finished_at or task.created_at
    took = between(task.started_at, task.finished_at, ended)
    match task.status:
        case TaskStatus.RUNNING:
            asked = asked_of(line, news.info.id, place)
            words = f"{asked.words}; answer with: {asked.command}" if asked is not None else f"running{tried}"
            yield began, f"{label} {words}"
        case TaskStatus.SUCCESS:
            yield ended, f"{label} success{tried}" + (f" after {span_text(took)}" if took is not None else "")
        case TaskStatus.FAILED:
            problem = own_words(task.problem or "it is not known why", task.name)
            yield ended, f"{label} failed{tried}: {one_line(problem)}"
        case TaskStatus.SKIPPED:
            why = skip_text(line, news.board)
            yield ended, f"{label} skipped" + (f": {why}" if why else "")
        case TaskStatus.CANCELLED:
            yield ended, f"{label} cancelled"
        case TaskStatus.PENDING | TaskStatus.DISPATCHED:
            return


class JsonView:
    """One JSON object a line, the result last."""

    def __init__(self, write: Callable[[str], None], since: dt.datetime | None) -> None:
        self._lines = InOrder(write)
        self._since = since
        self._is_first = True

    def show(self, news: RunSnapshot) -> None:
        self._tell(news)
        self._lines.let_out()

    def hide(self) -> None:
        self._lines.let_out(all=True)

    def reveal(self) -> None: ...

    def finish(self, news: RunSnapshot) -> None:
        self._tell(news)
        self._lines.let_out(all=True)

    def _tell(self, news: RunSnapshot) -> None:
        if self._is_first:
            self._is_first = False
            info = news.info
            began = {"run": info.id, "key": info.key, "workflow": info.workflow, "version": info.version}
            self._lines.add(info.created_at, json_text({"event": "run", "at": info.created_at, **began}))
        for task, attempt in news.setbacks:
            about = {
                "task": task.name,
                "index": task.index,
                "attempt": attempt.attempt,
                "status": attempt.status,
            }
            more = {"problem": attempt.problem, "node": attempt.node, "worker": attempt.worker or None}
            self._say("attempt", attempt.finished_at, {**about, **more})
        for change in news.changes:
            task = change.task
            at = task.finished_at or (task.started_at if task.status is TaskStatus.RUNNING else None)
            about = {"task": task.name, "index": task.index, "count": task.count, "status": task.status}
            more = {
                "attempt": task.attempt,
                "lost": task.lost,
                "problem": task.problem,
                "retry_at": task.retry_at,
            }
            self._say("task", at or task.created_at, {"seq": task.seq, **about, **more})
        for said in news.lines:
            about = {"task": said.task, "index": said.index, "attempt": said.attempt}
            self._say("log", said.at, {**about, "stream": said.stream, "text": said.text})

    def _say(self, event: str, at: dt.datetime, facts: dict[str, Any]) -> None:
        if self._since is None or at >= self._since:
            self._lines.add(at, json_text({"event": event, "at": at, **facts}))
