"""A disk that fills up under Postgres: whoever wants more is told, what runs is held, nothing is lost.

The disk is a file system in memory that holds the journal. Mounting it takes root. A limit on the size of
files, which takes no rights, would not do: Postgres calls that an internal error, and stops if its log
meets it.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.chaos.evidence import Executions, repeated
from tests.chaos.node import catalog, keep_log, one_step, result_of, ten_steps
from tests.chaos.own_postgres import OwnServer, own_server
from tests.chaos.small_disk import SmallDisk, small_disk
from tests.patience import PATIENCE, until

from holdfast import Holdfast
from holdfast.errors import StoreFull

_RUNS = 20
_TABLES = ("journal", "tasks", "runs")


@pytest.fixture
def server() -> Iterator[OwnServer]:
    with own_server() as server:
        yield server


@pytest.fixture
def disk(server: OwnServer) -> Iterator[SmallDisk]:
    parent = Path(server.folder) / "mounts"
    parent.mkdir()
    with small_disk(parent) as disk:
        if not disk.is_mounted:
            pytest.skip(
                "a disk cannot be mounted here, so a full disk under Postgres is NOT TESTED; it takes root"
            )
        yield disk


def _move_tables(server: OwnServer, disk: SmallDisk) -> None:
    space = disk.folder / "space"
    space.mkdir()
    shutil.chown(space, Path(server.folder).owner())
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLESPACE small LOCATION '{space}'".encode())
        for table in _TABLES:
            connection.execute(f"ALTER TABLE holdfast.{table} SET TABLESPACE small".encode())


def _move_back(server: OwnServer) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        for table in _TABLES:
            connection.execute(f"ALTER TABLE holdfast.{table} SET TABLESPACE pg_default".encode())
        connection.execute(b"DROP TABLESPACE small")


async def test_a_full_disk_refuses_new_runs_and_holds_the_others_until_there_is_room(
    server: OwnServer, disk: SmallDisk, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    executions = Executions(tmp_path / "executions")
    keep_log(executions.path)
    async with Holdfast(server.url, catalog=catalog) as hf, asyncio.timeout(PATIENCE):
        await asyncio.to_thread(_move_tables, server, disk)
        runs = await hf.start_many(ten_steps, [(run, 0.2) for run in range(_RUNS)])
        await until(lambda: executions.counts().total() > _RUNS)
        disk.fill([], tmp_path)
        refused = 0
        while "has no room left" not in caplog.text or not refused:
            try:
                await hf.start(one_step, refused, 0)
            except StoreFull:
                refused += 1
        engine = hf._engine
        assert engine is not None
        assert engine.failure is None

        disk.free([])
        results = await asyncio.gather(*[run.result() for run in runs])
        assert await hf.doctor() == []
    await asyncio.to_thread(_move_back, server)

    assert results == [result_of(run) for run in range(_RUNS)]
    assert repeated(executions.counts()) == []
