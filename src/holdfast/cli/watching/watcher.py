"""Looks at a run until it has ended, and hands each snapshot to a view.

A look asks only for tasks that have not ended. The longer a look takes, the longer the pause after it.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from holdfast.cli.views.progress import RunProgress, RunSnapshot, TaskChange, UnsuccessfulAttempt, View
from holdfast.client.logs import LogLine
from holdfast.client.run import Cursor, Run, RunInfo, TaskInfo
from holdfast.core.values import RunStatus, TaskStatus
from holdfast.errors import NodeStopped, NotOpen, RunCancelled, RunFailed, StoreError

if TYPE_CHECKING:
    from holdfast.app import Holdfast

_PAUSE = 0.15
_PAUSE_FACTOR = 4
"""The pause after a look is at least this many times as long as the look."""
_DESCRIBE_EVERY = 1.0
_PAGE = 10_000
_STORE_PAUSE = 1.0
_LAST_LOGS = 5.0
"""How many seconds to wait for the last log lines after the end."""


class RunWatcher:
    """`snapshot` is the result of the last look."""

    def __init__(self, client: Holdfast, run: Run[Any], progress: RunProgress, info: RunInfo) -> None:
        self._client = client
        self.run = run
        self._progress = progress
        self._reported: dict[int, int] = {}
        """The last attempt that did not succeed, by the number of the task, for tasks that have not ended."""
        self._lines: list[LogLine] = []
        self._lines_read = 0
        self._described = 0.0
        self._cost = 0.0
        """How many seconds the last look took."""
        self._ending: asyncio.Task[None] | None = None
        self.snapshot = RunSnapshot(info, progress)

    @property
    def has_ended(self) -> bool:
        """The run has ended; the next look will show it."""
        return self._ending is not None and self._ending.done()

    async def watch(self, view: View) -> None:
        """Shows the run until it has ended, or cannot go on by itself. Raises NodeStopped."""
        ending = self._wait_for_end()
        following = asyncio.create_task(self._follow_log(), name="holdfast cli log")
        try:
            while True:
                is_over = ending.done()
                try:
                    await self._look(is_over=is_over)
                except StoreError:  # the node waits for the store, and logs that
                    await asyncio.sleep(_STORE_PAUSE)
                    continue
                if is_at_rest(self.snapshot.info):
                    break
                if is_over:
                    _raise_unless_ended(ending)
                    ending = self._wait_for_end()  # the run was opened again
                    await self._look_again()
                view.show(self.snapshot)
                # The next snapshot has only what is new.
                self.snapshot = RunSnapshot(self.snapshot.info, self._progress, cursor=self.snapshot.cursor)
                await asyncio.wait({ending}, timeout=max(_PAUSE, _PAUSE_FACTOR * self._cost))
            if self.snapshot.info.status.is_final:
                await asyncio.wait({following}, timeout=_LAST_LOGS)
        finally:
            for each in (ending, following):
                each.cancel()
            await asyncio.gather(ending, following, return_exceptions=True)
        self.snapshot = self.snapshot._replace(lines=[*self.snapshot.lines, *self._take_lines()])

    async def look_with(self, client: Holdfast) -> None:
        """One more look, through another client, after ours was closed. Raises StoreError."""
        self._client = client
        await self._look(is_over=True)
        if self.snapshot.info.status.is_final:
            to_skip = self._lines_read
            async for line in client.follow(self.run):
                to_skip -= 1
                if to_skip < 0:
                    self._lines.append(line)
        self.snapshot = self.snapshot._replace(lines=[*self.snapshot.lines, *self._take_lines()])

    def _wait_for_end(self) -> asyncio.Task[None]:
        self._ending = asyncio.create_task(self._end(), name="holdfast cli end")
        return self._ending

    async def _end(self) -> None:
        await self.run.result()

    async def _look(self, *, is_over: bool) -> None:
        clock = asyncio.get_running_loop()
        began = clock.time()
        info = self.snapshot.info
        # The run is read before its tasks. If it has ended by then, no task can change any more.
        if is_over or began - self._described >= _DESCRIBE_EVERY:
            info = await self._client.describe(self.run)
            self._described = began
        changes = await self._read_changes()
        cursor = await self._read_cursor() if changes or is_over else self.snapshot.cursor
        unsuccessful = await self._read_unsuccessful(changes)
        self._progress.find_empty(is_success=info.status is RunStatus.SUCCESS)
        if info.status.is_final:
            self._progress.close()
        self.snapshot = RunSnapshot(info, self._progress, changes, unsuccessful, self._take_lines(), cursor)
        self._cost = clock.time() - began

    async def _read_cursor(self) -> Cursor | None:
        if not self._progress.has_cursor:
            return None
        return await self._client.cursor(self.run)

    async def _look_again(self) -> None:
        """Reads all tasks again: those that had ended may run again, and the progress has forgotten them."""
        shown_until = max(
            (each.finished_at for each in self._progress.lines.values() if each.finished_at), default=None
        )
        self._progress = self._progress.restarted()
        changes = [each for each in await self._read_changes() if not _ended_by(each.task, shown_until)]
        self.snapshot = self.snapshot._replace(progress=self._progress, changes=changes)

    async def _read_changes(self) -> list[TaskChange]:
        changes: list[TaskChange] = []
        since = self._progress.next
        while True:
            page = await self._client.tasks(self.run, since=since, limit=_PAGE)
            changes += self._progress.apply(page)
            if len(page) < _PAGE:
                return changes
            since = page[-1].seq + 1

    async def _read_unsuccessful(self, changes: Sequence[TaskChange]) -> list[UnsuccessfulAttempt]:
        tried = {change.task.seq: change.task for change in changes if _was_tried(change)}
        found: list[UnsuccessfulAttempt] = []
        for attempt in await self._client.attempts(self.run, of=list(tried)) if tried else ():
            if attempt.attempt > self._reported.get(attempt.seq, 0):
                self._reported[attempt.seq] = attempt.attempt
                if attempt.status == "success":
                    continue  # attempts of workers have rows even if they succeed
                found.append(UnsuccessfulAttempt(tried[attempt.seq], attempt))
        for change in changes:
            if change.task.status.is_final:
                self._reported.pop(change.task.seq, None)
        self._progress.note_attempts([each.attempt for each in found])
        return found

    async def _follow_log(self) -> None:
        try:
            async for line in self._client.follow(self.run):
                self._lines.append(line)
                self._lines_read += 1
        except StoreError:
            return  # the log cannot be read, and waiting does not help
        except (NotOpen, NodeStopped):
            return  # no more lines will come

    def _take_lines(self) -> list[LogLine]:
        lines, self._lines = self._lines, []
        return lines


def _raise_unless_ended(ending: asyncio.Task[None]) -> None:
    error = ending.exception()
    if error is not None and not isinstance(error, (RunFailed, RunCancelled, StoreError)):
        raise error


def _ended_by(task: TaskInfo, at: dt.datetime | None) -> bool:
    return at is not None and task.finished_at is not None and task.finished_at <= at


def _was_tried(change: TaskChange) -> bool:
    task = change.task
    return task.attempt > change.attempt_before or task.status is TaskStatus.FAILED


def is_at_rest(info: RunInfo) -> bool:
    """Whether the run goes no further by itself."""
    return info.status.is_final or info.status in (RunStatus.PARKED, RunStatus.PAUSED)
