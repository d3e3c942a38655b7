"""A proxy in front of Postgres whose connections break, most often right after a commit.

Then the server has committed, and its answer never arrives. After this failure a client cannot know what
happened without asking again.

The caller can also stall the connections, slow them down, or cut them.
"""

from __future__ import annotations

import random
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_SOCKET = ".s.PGSQL.5432"
_COMMITTED = b"COMMIT\x00"  # the server's answer to a successful commit
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class BadLine:
    def __init__(self, target: Path, listener: socket.socket, seed: int) -> None:
        self._target = target
        self._listener = listener
        self._dice = random.Random(seed)
        self._flows = threading.Event()
        self._flows.set()
        self._answers_flow = threading.Event()
        self._answers_flow.set()
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._forgotten: set[tuple[socket.socket, socket.socket]] = set()
        self._lock = threading.Lock()
        self.is_bad = False
        self.seconds_late = 0.0
        """The delay of everything in both directions."""
        self.lost_answers = 0
        """How many commits were done whose answer was dropped."""
        self.broken = 0
        """How many connections were cut at some other moment."""

    @property
    def port(self) -> int:
        """The port of a line over TCP."""
        return self._listener.getsockname()[1]

    def serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed: the test is over
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self._target))
            except OSError:
                _cut(client, server)  # the database is down, and the client gets a broken connection
                continue
            with self._lock:
                self._pairs.add((client, server))
            threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
            threading.Thread(target=self._answer, args=(server, client), daemon=True).start()

    def stall(self) -> None:
        """From now on nothing arrives in either direction, without an error."""
        self._flows.clear()

    def stall_after_commit(self) -> None:
        """From now on the answers to commits do not arrive. Everything else does."""
        self._answers_flow.clear()

    def flow(self) -> None:
        """Let everything that was held up arrive now."""
        self._flows.set()
        self._answers_flow.set()

    def forget(self) -> None:
        """From now on the existing connections swallow everything without an error, as behind a firewall that
        has forgotten them. New connections work."""
        with self._lock:
            self._forgotten |= self._pairs

    def lead_to(self, folder_of_server: str) -> None:
        """From now on lead to this server, as an address does that follows the primary. Existing connections
        break."""
        self._target = Path(folder_of_server) / _SOCKET
        self.cut()

    def cut(self) -> None:
        """Break every connection. What was held up never arrives."""
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            _cut(*pair)

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        while data := _receive(client):
            self._hold_up()
            if (client, server) in self._forgotten:
                continue
            if not _send(server, data):
                break
        self._end(client, server)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        while data := _receive(server):
            self._hold_up()
            if (client, server) in self._forgotten:
                continue
            if _COMMITTED in data:
                self._answers_flow.wait()
            if self.is_bad and self._breaks(data):
                break
            if not _send(client, data):
                break
        self._end(client, server)

    def _hold_up(self) -> None:
        if self.seconds_late:
            time.sleep(self.seconds_late)
        self._flows.wait()

    def _breaks(self, answer: bytes) -> bool:
        if _COMMITTED in answer:
            is_lost = self._dice.random() < 0.3
            self.lost_answers += is_lost
            return is_lost
        is_cut = self._dice.random() < 0.05
        self.broken += is_cut
        return is_cut

    def _end(self, client: socket.socket, server: socket.socket) -> None:
        with self._lock:
            self._pairs.discard((client, server))
            self._forgotten.discard((client, server))
        _cut(client, server)


def _receive(end: socket.socket) -> bytes:
    try:
        return end.recv(1 << 16)
    except OSError:
        return b""  # the other direction has cut the connection


def _send(end: socket.socket, data: bytes) -> bool:
    try:
        end.sendall(data)
    except OSError:
        return False
    return True


def _cut(*ends: socket.socket) -> None:
    for end in ends:
        try:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it was shut down already
        end.close()


@contextmanager
def _serving(folder_of_server: str, listener: socket.socket, seed: int) -> Generator[BadLine]:
    listener.listen()
    line = BadLine(Path(folder_of_server) / _SOCKET, listener, seed)
    threading.Thread(target=line.serve, daemon=True).start()
    try:
        yield line
    finally:
        line.flow()
        listener.shutdown(socket.SHUT_RDWR)
        line.cut()


@contextmanager
def bad_line(folder_of_server: str, *, seed: int) -> Generator[tuple[BadLine, str]]:
    """The line, and the folder to use as `host` in the URL."""
    # Not in the test's own folder, whose path may be too long: a socket's path has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="line_") as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(Path(folder) / _SOCKET))
        with _serving(folder_of_server, listener, seed) as line:
            yield line, folder


@contextmanager
def tcp_line(folder_of_server: str, *, seed: int) -> Generator[BadLine]:
    """A line that listens on a TCP port of this machine."""
    with socket.socket(socket.AF_INET) as listener:
        listener.bind(("127.0.0.1", 0))
        with _serving(folder_of_server, listener, seed) as line:
            yield line
