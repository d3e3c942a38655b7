"""Notices commits of other processes to a SQLite file.

SQLite keeps the header of its WAL index in the file `-shm`, which all processes map into memory. A commit
changes the header when it becomes visible, and not before. (The `-wal` file is written earlier: between the
two lies the fsync, which may take seconds.) So the header is read, which takes some microseconds and sends no
statement. It counts commits, and this process counts its own: the others are those of other connections.

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
from typing import NamedTuple

from holdfast.errors import StoreUnavailable

_HEADER_BYTES = 96
"""Two copies of 48 bytes, which are written one after the other."""
_COMMITS = slice(8, 12)
"""Where the header counts the commits of all connections, in the byte order of the machine."""
_POLL_SECONDS = 0.02
_FIRST_LOOK = 0.0005
"""Seconds from one look to the next after a write. Then twice as long each time."""
_REST, _LONG_REST = 0.001, 0.004
"""Seconds after a change. The long one comes after many changes in a row: others may commit all the time, and
whoever listens need not look after each commit."""
_MANY_IN_A_ROW = 20
_IN_MODIFY = 2
_descriptors: dict[str, int] = {}
"""Of the WAL indexes that this process has read, by path."""
_NONBLOCK_CLOEXEC = os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0)


class OwnCommits:
    """The commits of this process. Its connections make one at a time."""

    def __init__(self) -> None:
        self._count = 0
        self._is_under_way = False

    def begin(self) -> None:
        self._is_under_way = True

    def end(self, *, is_counted: bool) -> None:
        """Only one that has written something is counted. If in doubt it is not: then the listeners look
        once too often. One too many in the count could hide a commit of another process."""
        self._count += is_counted
        self._is_under_way = False

    def look(self, path: str) -> Sighting | None:
        """None if a commit was under way: nobody knows whether the header counts it."""
        before = self._settled
        header = read_header(path)
        return Sighting(header, before) if before is not None and before == self._settled else None

    @property
    def _settled(self) -> int | None:
        return None if self._is_under_way else self._count


class Sighting(NamedTuple):
    header: bytes | None
    """Of the WAL index; None if there is none: SQLite removes it when the last connection closes."""
    own: int
    """How many commits this process has made."""

    @property
    def by_others(self) -> int | None:
        """A number that differs after each commit of another connection."""
        if self.header is None:
            return None
        return (int.from_bytes(self.header[_COMMITS], sys.byteorder) - self.own) & 0xFFFF_FFFF


async def watch(
    path: str,
    changed: Callable[[], None],
    own: OwnCommits,
    look_between: Callable[[], Awaitable[Sighting | None]],
) -> None:
    """Call `changed` after commits of other connections, for ever. `look_between` looks between two
    transactions of the connection that writes."""
    _close_removed()
    seen: Sighting | None = None
    pause, in_a_row = _POLL_SECONDS, 0
    with _writes_to(f"{path}-wal") as writes:
        while True:
            if seen is not None and read_header(path) == seen.header:
                pause, in_a_row = await _pause(pause, writes), 0
                continue
            try:
                now = own.look(path) or await look_between()
            except StoreUnavailable:
                changed()  # the listener's next query will raise the error
            else:
                # Also after the first look: it may have had to wait, and nobody knows what came before it.
                if now is not None and (seen is None or now.by_others != seen.by_others):
                    changed()
                seen = now or seen
            await asyncio.sleep(_REST if in_a_row < _MANY_IN_A_ROW else _LONG_REST)
            pause, in_a_row = _FIRST_LOOK, in_a_row + 1


async def _pause(seconds: float, writes: _Writes) -> float:
    """Wait for the next look, or for a write. Returns how long to wait after it. After a write the looks come
    close together at first, because nobody knows how long its fsync takes."""
    if not await writes.wait(seconds):
        return min(2 * seconds, _POLL_SECONDS)
    await asyncio.sleep(_FIRST_LOOK)
    writes.forget()
    return _FIRST_LOOK


def read_header(path: str) -> bytes | None:
    """The header of the WAL index of a database. May be called by any thread."""
    try:
        return os.pread(_descriptor_of(f"{path}-shm"), _HEADER_BYTES, 0)
    except OSError:
        return None


def _descriptor_of(index: str) -> int:
    """Stays open as long as the file exists. A process that closes any descriptor of a file loses all its
    POSIX locks on that file. SQLite keeps its locks on this one: without them two processes would write at
    once, and the database would be corrupt."""
    descriptor = _descriptors.get(index)
    if descriptor is not None and not os.fstat(descriptor).st_nlink:
        _close(index)
        descriptor = None
    if descriptor is None:
        # If another thread was faster, this one stays open unused: to close it would drop the locks.
        descriptor = _descriptors.setdefault(index, os.open(index, os.O_RDONLY))
    return descriptor


def _close(index: str) -> None:
    """Of the threads that try, one closes it."""
    descriptor = _descriptors.pop(index, None)
    if descriptor is not None:
        os.close(descriptor)


def _close_removed() -> None:
    for index, descriptor in list(_descriptors.items()):
        if not os.fstat(descriptor).st_nlink:
            _close(index)


class _Writes:
    """The writes to a file. There are never any, if the kernel cannot tell of them.

    The loop is woken only while somebody waits: a commit of this process is dozens of writes."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()

    async def wait(self, seconds: float) -> bool:
        """Whether there is one that is not forgotten. Waits for it for so long."""
        if self._descriptor is None:
            await asyncio.sleep(seconds)
            return False
        over: asyncio.Future[bool] = self._loop.create_future()
        timer = self._loop.call_later(seconds, _finish, over, False)
        self._loop.add_reader(self._descriptor, _finish, over, True)
        try:
            return await over
        finally:
            timer.cancel()
            self._loop.remove_reader(self._descriptor)

    def forget(self) -> None:
        if self._descriptor is not None:
            with contextlib.suppress(BlockingIOError):
                os.read(self._descriptor, 1 << 16)


def _finish(over: asyncio.Future[bool], is_written: bool) -> None:
    if not over.done():
        over.set_result(is_written)


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
