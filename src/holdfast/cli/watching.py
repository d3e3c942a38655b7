"""Looks at a run until it has ended, and shows what it sees to a view.

Cheap: only tasks that have not ended are asked about, and the more a look costs, the longer it rests.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from holdfast.cli.views.progress import RunProgress, TaskChange
from holdfast.client.logs import LogLine
from holdfast.client.run import AttemptInfo, Cursor, Run, RunInfo, TaskInfo, cursor_in
from holdfast.core.values import RunStatus, TaskStatus, key_text
from holdfast.errors import NodeStopped, NotOpen, RunCancelled, RunFailed, StoreError

if TYPE_CHECKING:
    from holdfast.app import Holdfast

_PAUSE = 0.15
_REST = 4
"""How many times as long as a look took the pause after it is at least."""
_DESCRIBE_EVERY = 1.0
_PAGE = 10_000
_AWAY = 1.0
_LAST_WORDS = 5.0
"""Seconds that the last lines of the log are waited for after the end."""


class Setback(NamedTuple):
    """An attempt that did not succeed, and the task whose it was."""

    task: TaskInfo
    attempt: AttemptInfo


class RunSnapshot(NamedTuple):
    """What is seen at one look."""

    info: RunInfo
    board: RunProgress
    changes: Sequence[TaskChange] = ()
    setbacks: Sequence[Setback] = ()
    lines: Sequence[LogLine] = ()
    cursor: Cursor | None = None
    """Where it is, if it is a run of a flow."""


class View(Protocol):
    def show(self, news: RunSnapshot) -> None:
        """Called several times a second, also when nothing has changed."""
        ...

    def hide(self) -> None:
        """Leave the terminal to somebody else, until `reveal`."""
        ...

    def reveal(self) -> None: ...

    def finish(self, news: RunSnapshot) -> None:
        """It has ended, or nobody looks at it here any more."""
        ...


class RunWatcher:
    """`news` is what was seen last."""

    def __init__(self, client: Holdfast, run: Run[Any], board: RunProgress, info: RunInfo) -> None:
        self._client = client
        self.run = run
        self._board = board
        self._told: dict[int, int] = {}
        """The last attempt that was told of, by the number of the task, of those that have not ended."""
        self._lines: list[LogLine] = []
        self._lines_read = 0
        self._described = 0.0
        self._cost = 0.0
        """Seconds that the last look took."""
        self._ending: asyncio.Task[None] | None = None
        self.news = RunSnapshot(info, board)

    @property
    def has_ended(self) -> bool:
        """Its end is known here, and will be seen at the next look."""
        return self._ending is not None and self._ending.done()

    async def until_it_rests(self, view: View) -> None:
        """Show it until it has ended, or cannot go on by itself. Raises NodeStopped."""
        ending = self._begin_to_wait()
        following = asyncio.create_task(self._follow(), name="holdfast cli log")
        try:
            while True:
                is_over = ending.done()
                try:
                    await self._look(is_over=is_over)
                except StoreError:  # the node waits for it, and says so
                    await asyncio.sleep(_AWAY)
                    continue
                if rests(self.news.info):
                    break
                if is_over:
                    _raise_unless_it_ended(ending)
                    ending = self._begin_to_wait()  # it was opened again
                    await self._look_anew()
                view.show(self.news)
                self.news = RunSnapshot(
                    self.news.info, self._board, cursor=self.news.cursor
                )  # the rest is told
                await asyncio.wait({ending}, timeout=max(_PAUSE, _REST * self._cost))
            if self.news.info.status.is_final:
                await asyncio.wait({following}, timeout=_LAST_WORDS)
        finally:
            for each in (ending, following):
                each.cancel()
            await asyncio.gather(ending, following, return_exceptions=True)
        self.news = self.news._replace(lines=[*self.news.lines, *self._take_lines()])

    async def look_back(self, client: Holdfast) -> None:
        """How it stands now that nobody works on it here, asked by another client. Raises StoreError."""
        self._client = client
        await self._look(is_over=True)
        if self.news.info.status.is_final:
            unread = self._lines_read
            async for line in client.follow(self.run):
                unread -= 1
                if unread < 0:
                    self._lines.append(line)
        self.news = self.news._replace(lines=[*self.news.lines, *self._take_lines()])

    def _begin_to_wait(self) -> asyncio.Task[None]:
        self._ending = asyncio.create_task(self._end(), name="holdfast cli end")
        return self._ending

    async def _end(self) -> None:
        await self.run.result()

    async def _look(self, *, is_over: bool) -> None:
        clock = asyncio.get_running_loop()
        began = clock.time()
        info = self.news.info
        # Before its tasks: what has ended now has no task that could still change.
        if is_over or began - self._described >= _DESCRIBE_EVERY:
            info = await self._client.describe(self.run)
            self._described = began
        changes = await self._changes()
        cursor = await self._cursor() if changes or is_over else self.news.cursor
        setbacks = await self._setbacks(changes)
        self._board.find_empty(is_success=info.status is RunStatus.SUCCESS)
        if info.status.is_final:
            self._board.close()
        self.news = RunSnapshot(info, self._board, changes, setbacks, self._take_lines(), cursor)
        self._cost = clock.time() - began

    async def _cursor(self) -> Cursor | None:
        if not self._board.is_of_a_flow:
            return None
        return cursor_in((await self._client.sights.run(key_text(self.run.key))).state)

    async def _look_anew(self) -> None:
        """What had ended is tried again, under numbers that the board has done with."""
        told_until = max(
            (each.finished_at for each in self._board.lines.values() if each.finished_at), default=None
        )
        self._board = self._board.anew()
        changes = [each for each in await self._changes() if not _ended_by(each.task, told_until)]
        self.news = self.news._replace(board=self._board, changes=changes)

    async def _changes(self) -> list[TaskChange]:
        changes: list[TaskChange] = []
        since = self._board.next
        while True:
            page = await self._client.tasks(self.run, since=since, limit=_PAGE)
            changes += self._board.apply(page)
            if len(page) < _PAGE:
                return changes
            since = page[-1].seq + 1

    async def _setbacks(self, changes: Sequence[TaskChange]) -> list[Setback]:
        tried = {change.task.seq: change.task for change in changes if _was_tried(change)}
        found: list[Setback] = []
        for attempt in await self._client.attempts(self.run, of=list(tried)) if tried else ():
            if attempt.attempt > self._told.get(attempt.seq, 0):
                self._told[attempt.seq] = attempt.attempt
                if attempt.status == "success":
                    continue  # a worker has made it
                found.append(Setback(tried[attempt.seq], attempt))
        for change in changes:
            if change.task.status.is_final:
                self._told.pop(change.task.seq, None)
        self._board.note_attempts([each.attempt for each in found])
        return found

    async def _follow(self) -> None:
        try:
            async for line in self._client.follow(self.run):
                self._lines.append(line)
                self._lines_read += 1
        except StoreError:
            return  # it cannot be read, and waiting does not help
        except (NotOpen, NodeStopped):
            return  # nothing more will be said

    def _take_lines(self) -> list[LogLine]:
        lines, self._lines = self._lines, []
        return lines


def _raise_unless_it_ended(ending: asyncio.Task[None]) -> None:
    error = ending.exception()
    if error is not None and not isinstance(error, (RunFailed, RunCancelled, StoreError)):
        raise error


def _ended_by(task: TaskInfo, at: dt.datetime | None) -> bool:
    return at is not None and task.finished_at is not None and task.finished_at <= at


def _was_tried(change: TaskChange) -> bool:
    task = change.task
    return task.attempt > change.attempt_before or task.status is TaskStatus.FAILED


def rests(info: RunInfo) -> bool:
    """Whether it goes no further by itself."""
    return info.status.is_final or info.status in (RunStatus.PARKED, RunStatus.PAUSED)
