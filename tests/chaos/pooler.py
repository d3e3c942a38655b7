"""pgbouncer before a Postgres server. It listens on a socket in a folder of its own, as the server does."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.patience import PATIENCE

NOT_INSTALLED = (
    "pgbouncer is not installed, so poolers are NOT TESTED here; install it (apt install pgbouncer)"
)


def find_pgbouncer() -> str | None:
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


class Pooler:
    def __init__(self, folder: Path, folder_of_server: str, mode: str) -> None:
        self.folder = str(folder)
        self._socket = folder / ".s.PGSQL.5432"
        self._log = folder / "pgbouncer.log"
        self._config = folder / "pgbouncer.ini"
        self._config.write_text(
            f"[databases]\n* = host={folder_of_server} port=5432 user=postgres\n"
            f"[pgbouncer]\nlisten_addr =\nlisten_port = 5432\nunix_socket_dir = {folder}\n"
            f"auth_type = any\npool_mode = {mode}\nlogfile = {self._log}\n"
            "max_client_conn = 1000\ndefault_pool_size = 90\nserver_login_retry = 0.2\n"
        )
        folder.chmod(0o777)
        self._config.chmod(0o644)
        # pgbouncer refuses to be root. The folder of the socket belongs to the user that the server runs as.
        self._user = ["-u", Path(folder_of_server).owner()] if os.geteuid() == 0 else []
        self.start()

    def start(self) -> None:
        program = find_pgbouncer()
        assert program is not None, NOT_INSTALLED
        self._socket.unlink(missing_ok=True)
        self._process = subprocess.Popen([program, *self._user, str(self._config)], stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while not self._socket.exists():
            assert self._process.poll() is None, self._log.read_text()
            assert time.monotonic() < deadline, "pgbouncer does not listen"
            time.sleep(0.02)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@dataclass
class PoolerBefore:
    url: str
    """Leads to the database through the pooler."""
    pooler: Pooler


@contextmanager
def pooler_before(url: str, mode: str) -> Generator[PoolerBefore]:
    """For tests, which are skipped without pgbouncer. The `url` names the folder of the server's socket."""
    if find_pgbouncer() is None:
        pytest.skip(NOT_INSTALLED)
    name, _, folder_of_server = url.partition("?host=")
    with pooler(folder_of_server, mode) as between:
        yield PoolerBefore(f"{name}?host={between.folder}", between)


@contextmanager
def pooler(folder_of_server: str, mode: str) -> Generator[Pooler]:
    # Not in a folder of pytest: under root it runs as another user, who may not look there.
    with tempfile.TemporaryDirectory(prefix="pgbouncer_") as folder:
        pooler = Pooler(Path(folder), folder_of_server, mode)
        try:
            yield pooler
        finally:
            pooler.kill()
