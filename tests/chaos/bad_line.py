"""A line to Postgres that breaks in the middle of things, and most of all right after a commit.

The server has committed and says so, and the answer never arrives: the one failure after which a
client cannot know what happened without asking again.
"""

from __future__ import annotations

import random
import socket
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_SOCKET = ".s.PGSQL.5432"
_COMMITTED = b"COMMIT\x00"  # as the server writes it when it has


class BadLine:
    def __init__(self, target: Path, listener: socket.socket, seed: int) -> None:
        self._target = target
        self._listener = listener
        self._dice = random.Random(seed)
        self.is_bad = False
        self.lost_answers = 0
        """Commits that stand and whose answer was thrown away."""
        self.broken = 0
        """Connections that were cut at some other moment."""

    def serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed: the test is over
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self._target))
            threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
            threading.Thread(target=self._answer, args=(server, client), daemon=True).start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        while data := _receive(client):
            if not _send(server, data):
                break
        _cut(client, server)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        while data := _receive(server):
            if self.is_bad and self._breaks(data):
                break
            if not _send(client, data):
                break
        _cut(client, server)

    def _breaks(self, answer: bytes) -> bool:
        if _COMMITTED in answer:
            is_lost = self._dice.random() < 0.3
            self.lost_answers += is_lost
            return is_lost
        is_cut = self._dice.random() < 0.05
        self.broken += is_cut
        return is_cut


def _receive(end: socket.socket) -> bytes:
    try:
        return end.recv(1 << 16)
    except OSError:
        return b""  # the other direction has cut it


def _send(end: socket.socket, data: bytes) -> bool:
    try:
        end.sendall(data)
    except OSError:
        return False
    return True


def _cut(*ends: socket.socket) -> None:
    for end in ends:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it was down already
        end.close()


@contextmanager
def bad_line(folder_of_server: str, *, seed: int) -> Generator[tuple[BadLine, str]]:
    """The line, and the folder that stands in the URL as `host`."""
    # Not in the test's own folder: the path of a socket may have 107 characters.
    with tempfile.TemporaryDirectory(prefix="line_") as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(Path(folder) / _SOCKET))
        listener.listen()
        line = BadLine(Path(folder_of_server) / _SOCKET, listener, seed)
        threading.Thread(target=line.serve, daemon=True).start()
        try:
            yield line, folder
        finally:
            listener.shutdown(socket.SHUT_RDWR)
