"""Notifications of changes by other processes: LISTEN, on a separate connection and thread.

The thread sleeps in the kernel until the server sends a notification or `stop` is called. It sends one
statement when it connects and none after that.
"""

from __future__ import annotations

import asyncio
import selectors
import socket
import threading
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, Final

import psycopg

from holdfast.stores.database import Changes, Topics

CHANNEL: Final = "holdfast"

LINE: Final[Mapping[str, Any]] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""Detects a dead peer within half a minute, unless the URL overrides this. TCP alone takes hours."""

_SECONDS_BETWEEN_TRIES = 1.0
_LONGEST_PAYLOAD = 7_900
"""In bytes. Postgres refuses a payload of 8,000."""


def payload_of(topics: Iterable[str]) -> bytes:
    """Empty if there are too many topics to name: then everybody is told, as by releases that name none."""
    payload = " ".join(sorted(topics)).encode()
    return payload if len(payload) <= _LONGEST_PAYLOAD else b""


def topics_of(payload: bytes) -> Topics:
    return frozenset(payload.decode(errors="replace").split()) or None


def watch(
    url: str, line: Mapping[str, Any], changes: Changes, own_pids: Container[int]
) -> Callable[[], None]:
    """Tell `changes` on this event loop's thread after commits of backends other than `own_pids`. A
    notification that concerns nobody here does not wake the loop.

    Returns a function that stops the calls. It does not wait for the thread to end.
    """
    watcher = _Watcher(url, line, changes, own_pids)
    threading.Thread(target=watcher.run, name="holdfast-listener", daemon=True).start()
    return watcher.stop


class _Watcher:
    def __init__(self, url: str, line: Mapping[str, Any], changes: Changes, own_pids: Container[int]) -> None:
        self._url = url
        self._line = line
        self._changes = changes
        self._own_pids = own_pids
        self._loop = asyncio.get_running_loop()
        self._is_stopped = self._is_told = False
        self._untold: deque[Topics] = deque()
        """What the event loop has not been told yet."""
        self._stop_reading, self._stop_writing = socket.socketpair()

    def stop(self) -> None:
        self._is_stopped = True  # also for calls that the event loop has already scheduled
        self._stop_writing.close()

    def run(self) -> None:
        with self._stop_reading:
            while not self._is_stopped_within(0):
                try:
                    self._listen()
                except psycopg.Error:
                    # The line is lost, or a server that is not the primary yet refuses to listen. Without
                    # the listener, changes are found by polling. So it only tries again here, and leaves it
                    # to the next transaction to raise the error.
                    if self._is_stopped_within(_SECONDS_BETWEEN_TRIES):
                        return

    def _listen(self) -> None:
        with (
            psycopg.connect(
                self._url, autocommit=True, application_name="holdfast listener", **self._line
            ) as connection,
            selectors.DefaultSelector() as selector,
        ):
            connection.execute(f"LISTEN {CHANNEL}")
            self._tell(None)  # for changes before LISTEN took effect
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.register(self._stop_reading, selectors.EVENT_READ)
            while True:
                ready = selector.select()
                if any(key.fileobj is self._stop_reading for key, _ in ready):
                    return
                connection.pgconn.consume_input()
                while (notification := connection.pgconn.notifies()) is not None:
                    if notification.be_pid not in self._own_pids:
                        self._tell(topics_of(notification.extra))

    def _is_stopped_within(self, seconds: float) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self._stop_reading, selectors.EVENT_READ)
            return bool(selector.select(seconds))

    def _tell(self, topics: Topics) -> None:
        if not self._changes.concern(topics):
            return
        self._untold.append(topics)
        # A burst of commits leads to one call. A race with the event loop can only add a call.
        if not self._is_told:
            self._is_told = True
            try:
                self._loop.call_soon_threadsafe(self._on_loop)
            except RuntimeError:
                pass  # the loop is closed, so nothing listens any more

    def _on_loop(self) -> None:
        self._is_told = False
        untold = [self._untold.popleft() for _ in range(len(self._untold))]
        if untold and not self._is_stopped:
            named = [topics for topics in untold if topics is not None]
            everything = frozenset[str]().union(*named)
            self._changes.tell(everything if len(named) == len(untold) else None)
