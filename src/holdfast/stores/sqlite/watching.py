"""Notices commits of other processes to a SQLite file.

SQLite keeps the header of its WAL index in the file `-shm`, which all processes map into memory. A commit
changes the header when it becomes visible, and not before. (The `-wal` file is written earlier: between the
two lies the fsync, which may take seconds.) So the header is read, which takes some microseconds and sends no
statement. Only after a change SQLite is asked whether another connection has made it.

Where the kernel tells of writes to the `-wal` file (inotify), the header is read right after such a write.
Elsewhere, and in case the kernel is silent, it is read fifty times a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import sys
from collections.abc import Awaitable, Callable, Generator

from holdfast.errors import StoreUnavailable

_HEADER_BYTES = 96
"""Two copies of 48 bytes, which are written one after the other."""
_POLL_SECONDS = 0.02
_FIRST_LOOK = 0.0005
"""Seconds from one look to the next after a write. Then twice as long each time."""
_BETWEEN_QUESTIONS = 0.005
"""Seconds. A process that commits all the time causes changes itself, and need not ask after each of them."""
_IN_MODIFY = 2
_descriptors: dict[str, int] = {}
"""Of the WAL indexes that this process has read, by path."""
_NONBLOCK_CLOEXEC = os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0)


async def watch(path: str, changed: Callable[[], None], count_changes: Callable[[], Awaitable[int]]) -> None:
    """Call `changed` after commits of other connections, for ever. `count_changes` asks SQLite for a number
    that differs after each of them."""
    _close_removed()
    seen: bytes | None = None
    count: int | None = None
    pause = _POLL_SECONDS
    with _writes_to(f"{path}-wal") as writes:
        while True:
            header = _read_header(f"{path}-shm")
            if header != seen:
                try:
                    now = await count_changes()
                except StoreUnavailable:
                    changed()  # the listener's next query will raise the error
                else:
                    if count is not None and now != count:
                        changed()
                    seen, count = header, now
                pause = _BETWEEN_QUESTIONS
            pause = await _pause(pause, writes)


async def _pause(seconds: float, writes: _Writes) -> float:
    """Wait for the next look, and return how long to wait after it. After a write the looks come close
    together at first, because nobody knows how long its fsync takes."""
    if seconds < _POLL_SECONDS:
        await asyncio.sleep(seconds)
    else:
        await writes.wait(_POLL_SECONDS)
    return _FIRST_LOOK if writes.take() else min(2 * seconds, _POLL_SECONDS)


def _read_header(index: str) -> bytes | None:
    """None if there is no WAL index: SQLite removes it when the last connection closes."""
    try:
        return os.pread(_descriptor_of(index), _HEADER_BYTES, 0)
    except OSError:
        return None


def _descriptor_of(index: str) -> int:
    """Stays open as long as the file exists. A process that closes any descriptor of a file loses all its
    POSIX locks on that file. SQLite keeps its locks on this one: without them two processes would write at
    once, and the database would be corrupt."""
    descriptor = _descriptors.get(index)
    if descriptor is not None and not os.fstat(descriptor).st_nlink:
        os.close(_descriptors.pop(index))
        descriptor = None
    if descriptor is None:
        descriptor = _descriptors[index] = os.open(index, os.O_RDONLY)
    return descriptor


def _close_removed() -> None:
    for index, descriptor in list(_descriptors.items()):
        if not os.fstat(descriptor).st_nlink:
            os.close(_descriptors.pop(index))


class _Writes:
    """The writes to a file since they were last taken. There are never any, if the kernel cannot tell.

    The loop is woken only while somebody waits: a commit of this process is dozens of writes."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()

    async def wait(self, seconds: float) -> None:
        """Until there is one, or for so long."""
        if self._descriptor is None:
            await asyncio.sleep(seconds)
            return
        over = self._loop.create_future()
        timer = self._loop.call_later(seconds, _finish, over)
        self._loop.add_reader(self._descriptor, _finish, over)
        try:
            await over
        finally:
            timer.cancel()
            self._loop.remove_reader(self._descriptor)

    def take(self) -> bool:
        """Whether there were any."""
        if self._descriptor is None:
            return False
        try:
            return bool(os.read(self._descriptor, 1 << 16))
        except BlockingIOError:
            return False


def _finish(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)


@contextlib.contextmanager
def _writes_to(file: str) -> Generator[_Writes]:
    descriptor = _open_inotify(file)
    try:
        yield _Writes(descriptor)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _open_inotify(file: str) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        descriptor: int = libc.inotify_init1(_NONBLOCK_CLOEXEC)
        if descriptor < 0:
            return None
        if libc.inotify_add_watch(descriptor, os.fsencode(file), _IN_MODIFY) < 0:
            os.close(descriptor)
            return None
    except (OSError, AttributeError):  # a C library without inotify, or none that can be loaded
        return None
    return descriptor
