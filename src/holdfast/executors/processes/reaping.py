"""Processes that have exited, until it is certain that nothing of them is left.

Most processes never come here: when they exit, their pipes are closed and their group is empty. The others
have left something that gives no notice when it ends: children that were asked to end and have time to do so,
children that have left the group, a pipe that such a child holds open. Those are looked for in /proc, by one
scan for all of them at once, a part of it in each iteration of the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextvars import Context
from typing import NamedTuple, Protocol

from holdfast.executors.processes.keeper import group_of, kill_marked, mark_of, process_ids

_PAUSE = 0.02
_SCANS_WITHOUT_MARK = 2
_PROCESSES_PER_ITERATION = 50
"""How many processes are looked at in one iteration of the event loop. Each takes some twenty
microseconds."""
_HELD_PIPE_AFTER = 0.3
"""Seconds. A pipe that stays open for longer than this after the exit of its process is held by a process
that has left the group. That process is then looked for by its mark."""
_GIVE_UP_AFTER = 3.0
"""Seconds after which the reaper no longer waits for what was killed and is still there."""


class ExitedProcess(Protocol):
    """A process that has exited, and its process group."""

    @property
    def group(self) -> int: ...
    @property
    def token(self) -> bytes:
        """The value of its mark."""
        ...

    @property
    def end_requested(self) -> bool:
        """It did not end by itself. Then everything that carries its mark ends with it."""
        ...

    @property
    def reaped_at(self) -> float | None:
        """None while the rest of its group still has time to end."""
        ...

    @property
    def pipes_closed(self) -> bool:
        """All its pipes have been read to the end."""
        ...

    @property
    def group_exists(self) -> bool:
        """Its group has a member. That may be a zombie: only init can reap an orphan, and init may take a
        second to do so, or never do it."""
        ...


class _ProcScan(NamedTuple):
    has_proc: bool
    """There is a /proc to read."""
    groups: set[int]
    """Groups with at least one member that is not a zombie."""
    marked: dict[bytes, list[int]]
    """Processes, by the value of their mark."""


def _scan_proc(mark: bytes, tokens: set[bytes], *, by_group: bool) -> Generator[None, None, _ProcScan]:
    scan = _ProcScan(has_proc=False, groups=set(), marked={})
    pids = process_ids()
    for at, pid in enumerate(pids):
        if by_group and (group := group_of(pid)) is not None:
            scan.groups.add(group)
        if tokens and (token := mark_of(pid, mark)) is not None and token in tokens:
            scan.marked.setdefault(token, []).append(pid)
        if at % _PROCESSES_PER_ITERATION == _PROCESSES_PER_ITERATION - 1:
            yield
    return scan._replace(has_proc=bool(pids))


class _ScanResults:
    """What the scans since its exit have shown of one process."""

    __slots__ = ("group_is_empty", "scans_without_mark")

    def __init__(self) -> None:
        self.group_is_empty = False
        self.scans_without_mark = 0
        """How often in a row nothing with its mark was found."""

    @property
    def mark_is_gone(self) -> bool:
        """One scan is not enough: a process has no mark for the moment in which it loads its program."""
        return self.scans_without_mark >= _SCANS_WITHOUT_MARK


class Reaper:
    """Calls `reap` when the rest of a group has ended, and `finish` when nothing of the process is left."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        contextvars: Context,
        mark: bytes,
        reap: Callable[[ExitedProcess], None],
        finish: Callable[[ExitedProcess], None],
    ) -> None:
        self._loop = loop
        self._contextvars = contextvars
        self._mark = mark
        self._reap = reap
        self._finish = finish
        self._processes: dict[ExitedProcess, _ScanResults] = {}
        self._is_active = False

    def add(self, process: ExitedProcess) -> None:
        if process not in self._processes:
            self._processes[process] = _ScanResults()
        if not self._is_active:
            self._is_active = True
            self._loop.call_soon(self._check, context=self._contextvars)

    def _check(self) -> None:
        now = self._loop.time()
        for process, results in list(self._processes.items()):
            if _is_finished(process, results, now):
                del self._processes[process]
                self._finish(process)
        if not self._processes:
            self._is_active = False
            return
        in_group = [
            process
            for process, results in self._processes.items()
            if not results.group_is_empty and process.group_exists
        ]
        by_mark = [
            process
            for process, results in self._processes.items()
            if _is_sought_by_mark(process, results, now)
        ]
        if in_group or by_mark:
            tokens = {process.token for process in by_mark}
            self._continue_scan(_scan_proc(self._mark, tokens, by_group=bool(in_group)), in_group, by_mark)
        else:
            self._loop.call_later(_PAUSE, self._check, context=self._contextvars)

    def _continue_scan(
        self,
        scan: Generator[None, None, _ProcScan],
        in_group: list[ExitedProcess],
        by_mark: list[ExitedProcess],
    ) -> None:
        try:
            next(scan)
        except StopIteration as end:
            has_changed = self._apply(end.value, in_group, by_mark)
            self._loop.call_later(0 if has_changed else _PAUSE, self._check, context=self._contextvars)
        else:
            self._loop.call_soon(self._continue_scan, scan, in_group, by_mark, context=self._contextvars)

    def _apply(self, scan: _ProcScan, in_group: list[ExitedProcess], by_mark: list[ExitedProcess]) -> bool:
        """Kill what carries a mark, and note what was found. True if that may finish a process."""
        has_changed = False
        for process in by_mark:
            found = scan.marked.get(process.token, ())
            for pid in found:
                kill_marked(pid, self._mark, process.token)
            results = self._processes[process]
            results.scans_without_mark = 0 if found else results.scans_without_mark + 1
            has_changed |= results.scans_without_mark == _SCANS_WITHOUT_MARK
        for process in in_group:
            # Without /proc nobody can tell who is in a group. Then an open pipe counts as a sign of life.
            is_empty = process.group not in scan.groups if scan.has_proc else process.pipes_closed
            if is_empty and process.reaped_at is None:
                self._reap(process)
            elif is_empty:
                self._processes[process].group_is_empty = True
            has_changed |= is_empty
        return has_changed


def _is_finished(process: ExitedProcess, results: _ScanResults, now: float) -> bool:
    if process.reaped_at is None:
        return False
    if now > process.reaped_at + _GIVE_UP_AFTER:
        return True
    is_alone = results.group_is_empty or not process.group_exists
    if process.pipes_closed:
        return is_alone and (results.mark_is_gone or not process.end_requested)
    # A process that cannot be found holds a pipe: it has left the group and removed its mark as well.
    return is_alone and results.mark_is_gone and now > process.reaped_at + _HELD_PIPE_AFTER


def _is_sought_by_mark(process: ExitedProcess, results: _ScanResults, now: float) -> bool:
    if process.reaped_at is None:
        return False
    if process.end_requested and not results.mark_is_gone:
        return True
    return not process.pipes_closed and now > process.reaped_at + _HELD_PIPE_AFTER
