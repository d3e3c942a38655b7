"""A node that is frozen past its lease and wakes up: SIGSTOP does what a lid or a busy host does to it."""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.chaos.evidence import Executions, query, read_rows, repeated
from tests.chaos.node import catalog, one_standstill, one_step, result_of, ten_steps
from tests.chaos.processes import Process, node_arguments, running, wait_until
from tests.patience import PATIENCE, SOON
from tests.stores.builders import new_run

from holdfast import Holdfast, Run
from holdfast.core.values import Instant
from holdfast.errors import StoreUnavailable
from holdfast.stores.commit_script import create_runs
from holdfast.stores.database import Transaction
from holdfast.stores.postgres.driver import PostgresDatabase

_LEASE = 0.5
_LONGEST_TASK = 0.1
_RUNS = 20
_LONG_AGO = Instant(1)
_NOTICED = "runs to other nodes"


async def test_late_writes_of_a_frozen_node_change_nothing_and_it_goes_on_serving(
    store_url: str, tmp_path: Path
) -> None:
    executions = Executions(tmp_path / "executions")
    start = node_arguments(store_url, executions.path, lease=_LEASE)
    dice = random.Random(1)
    with running(start, tmp_path / "frozen") as frozen:
        async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
            for round in range(2):
                noticed = frozen.output.count(_NOTICED)
                runs = await _begin_runs(hf, executions, round)
                await asyncio.sleep(dice.uniform(0, 0.2))
                _freeze(frozen, store_url)

                with running(start, tmp_path / "other") as other:
                    for number, run in enumerate(runs):
                        assert await run.result(timeout=SOON) == result_of(number)
                    rows = read_rows(store_url)
                    frozen.send(signal.SIGCONT)
                    wait_until(lambda was=noticed: frozen.output.count(_NOTICED) > was, "the node to notice")
                    await asyncio.sleep(2 * _LONGEST_TASK)  # whatever it still had in hand is over by now

                    assert read_rows(store_url) == rows
                    assert await hf.doctor() == []
                    other.send(signal.SIGTERM)
                    assert other.wait() == 0

                assert await _run_one(hf, round) == 700
                assert executions.path.read_text().splitlines()[-1].endswith(f" {frozen.pid}")


async def test_a_node_that_is_frozen_for_less_than_its_lease_keeps_its_runs(
    store_url: str, tmp_path: Path
) -> None:
    executions = Executions(tmp_path / "executions")
    start = node_arguments(store_url, executions.path, lease=20)
    with (
        running(start, tmp_path / "frozen") as frozen,
        running(start, tmp_path / "other") as other,
    ):
        frozen.wait_for_output("serving")
        other.wait_for_output("serving")
        async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
            runs = await _begin_runs(hf, executions, 0)

            _freeze(frozen, store_url)
            await asyncio.sleep(1)
            frozen.send(signal.SIGCONT)

            for number, run in enumerate(runs):
                assert await run.result(timeout=SOON) == result_of(number)
        assert _NOTICED not in frozen.output + other.output

    assert repeated(executions.counts()) == []


async def test_a_node_that_wakes_up_does_not_begin_what_others_have_done(
    store_url: str, tmp_path: Path
) -> None:
    executions = Executions(tmp_path / "executions")
    start = node_arguments(store_url, executions.path, lease=_LEASE)
    with (
        running([*start, "--concurrency", "1"], tmp_path / "frozen") as frozen,
        running(start, tmp_path / "other") as other,
    ):
        frozen.wait_for_output("serving")
        # Ready to take over at once, however long a process takes to start, and not before.
        other.wait_for_output("serving")
        _freeze(other, store_url)
        async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
            # It has one slot, so the others wait behind the one that will keep it from doing anything.
            await hf.start(one_standstill, str(tmp_path / "go on"))
            wait_until(lambda: executions.counts().total() == 1, "the task to begin")
            queued = await hf.start_many(one_step, [(number, 0.0) for number in range(1, 6)])
            wait_until(lambda: _tasks(store_url) == 6, "the node to take all of them")
            wait_until((tmp_path / "go on: blocked").exists, "the task to hold up everything")
            _freeze(frozen, store_url)
            other.send(signal.SIGCONT)

            results = [await run.result(timeout=SOON) for run in queued]
            wait_until(lambda: executions.processes()[other.pid] == 6, "the other node to do all of it")
            (tmp_path / "go on").touch()
            frozen.send(signal.SIGCONT)
            wait_until(lambda: _NOTICED in frozen.output, "the node to notice")

    assert results == [100, 200, 300, 400, 500]
    assert executions.processes()[other.pid] == 6
    assert executions.processes()[frozen.pid] == 1


async def test_a_node_that_freezes_in_the_middle_of_a_commit_loses_its_lease_all_the_same(
    postgres_url: str,
) -> None:
    database = PostgresDatabase(postgres_url)
    connection = database.connect()
    database.migrate(connection)
    connection.write(lambda tx: tx.run("hold_lease", "frozen", "default", 1, _LONG_AGO, _LONG_AGO, 1, None))
    connection.write(lambda tx: create_runs(tx, "default", [new_run(1, owner="frozen")]))
    is_inside, goes_on = threading.Event(), threading.Event()

    def freeze(tx: Transaction) -> None:
        tx.run("hold_lease", "frozen", "default", 2, _LONG_AGO, _LONG_AGO, 0, None)
        tx.rows("read_clock")  # a round trip: the server has the row locked now
        is_inside.set()
        goes_on.wait(2 * PATIENCE)
        tx.rows("read_clock")

    frozen = asyncio.create_task(asyncio.to_thread(connection.write, freeze))
    await asyncio.to_thread(is_inside.wait, PATIENCE)
    async with Holdfast(postgres_url, catalog=catalog):
        await asyncio.to_thread(wait_until, lambda: not _has_node(postgres_url, "frozen"), "a reaper")
    goes_on.set()

    with pytest.raises(StoreUnavailable):
        await frozen
    connection.close()


async def _begin_runs(hf: Holdfast, executions: Executions, round: int) -> list[Run[list[int]]]:
    """Start runs, and come back when they are well under way."""
    already = executions.counts().total()
    ids = [f"run-{round}-{number}" for number in range(_RUNS)]
    runs = await hf.start_many(ten_steps, [(number, _LONGEST_TASK) for number in range(_RUNS)], ids=ids)
    wait_until(lambda: executions.counts().total() > already + 3 * _RUNS, "tasks that are executed")
    return runs


async def _run_one(hf: Holdfast, round: int) -> int:
    run = await hf.start(one_step, 7, 0, id=f"after-{round}")
    return await run.result(timeout=SOON)


def _has_node(url: str, id: str) -> bool:
    return (id,) in query(url, "SELECT id FROM nodes")


def _tasks(url: str) -> int:
    return query(url, "SELECT count(*) FROM tasks")[0][0]


def _freeze(node: Process, url: str) -> None:
    """Stop the process at a moment when it does not hold the lock of a SQLite file.

    Nobody could take over then: a lock on a file has no lease. (The others wait, and go on when it does.)
    """
    for _ in range(100):
        node.send(signal.SIGSTOP)
        wait_until(node.stands_still, "every thread to stand still")
        if url.startswith("postgresql:") or _can_write(Path(url.removeprefix("sqlite:///"))):
            return
        node.send(signal.SIGCONT)
        time.sleep(0.005)
    raise AssertionError("the node holds the lock all the time")


def _can_write(file: Path) -> bool:
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False  # it is locked
        connection.execute("ROLLBACK")
    return True
