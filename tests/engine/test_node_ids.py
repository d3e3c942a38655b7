"""Nodes on one machine: who finds another dead takes its runs at once, and leaves the living alone."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from random import Random

import pytest
from tests.chaos.processes import Process
from tests.engine.neighbour import LEASE, catalog
from tests.patience import PATIENCE
from tests.stores.builders import Node, key

from holdfast import Holdfast, RunStatus
from holdfast.core.values import NodeId
from holdfast.engine import node_ids
from holdfast.engine.node_ids import is_surely_dead, new_node_id
from holdfast.stores import SqlStore, store_for

AT_ONCE = 60.0
"""Seconds: much less than a lease, and enough for a busy machine."""


@pytest.fixture
def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def named(pid: int | str, life: str | None = None) -> str:
    """As another engine on this machine would be called."""
    return f"{socket.gethostname()}:{pid}:{node_ids._pid_scope() if life is None else life}:0badcafe"


# --- telling the dead from the living


def test_a_node_is_named_for_its_machine_its_process_and_one_engine_of_it() -> None:
    first, second = new_node_id(Random(1)), new_node_id(Random(2))

    assert first != second
    assert first.rsplit(":", 3)[:2] == [socket.gethostname(), str(os.getpid())]
    assert first.rsplit(":", 3)[2] == second.rsplit(":", 3)[2] != ""


def test_a_process_that_runs_is_not_dead_and_one_that_has_ended_is(gone: int) -> None:
    assert not is_surely_dead(new_node_id(Random(1)))
    assert not is_surely_dead(named(os.getppid()))
    assert is_surely_dead(named(gone))


def test_a_process_that_stands_still_is_not_dead() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        process.send_signal(signal.SIGSTOP)

        assert not is_surely_dead(named(process.pid))
    finally:
        process.kill()
        process.wait()


def test_a_process_that_has_ended_and_that_nobody_has_asked_after_is_dead() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is left as it is

    is_dead = is_surely_dead(named(process.pid))
    process.wait()

    assert is_dead


def test_of_processes_elsewhere_nothing_is_known(gone: int) -> None:
    """Another machine, another start of this one, another container: there the number is another's."""
    assert not is_surely_dead(named(gone, life="01234567"))
    assert not is_surely_dead(named(gone, life=""))


@pytest.mark.parametrize(
    "node",
    [
        "",
        "node-1",
        "host:1",
        "host:1:2",
        "a:b:c:d",
        "host:-1:{life}:x",
        "host::{life}:x",
        f"host:{10**30}:{{life}}:x",
    ],
)
def test_a_name_that_was_given_by_another_version_is_nobody_to_be_buried(node: str) -> None:
    assert not is_surely_dead(node.format(life=node_ids._pid_scope()))


def test_where_there_is_no_telling_nobody_is_dead(gone: int, monkeypatch: pytest.MonkeyPatch) -> None:
    name = named(gone)
    monkeypatch.setattr(node_ids, "_pid_scope", lambda: "")

    assert not is_surely_dead(named(gone))
    assert not is_surely_dead(name)
    assert new_node_id(Random(1)).rsplit(":", 3)[2] == ""


# --- real ones


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[SqlStore]:
    store = store_for(store_url)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def start_neighbour(store_url: str, tmp_path: Path) -> Callable[[], Process]:
    def start() -> Process:
        return Process(["-m", "tests.engine.neighbour", store_url], tmp_path / "neighbour.log")

    return start


async def until_holding(process: Process) -> None:
    async with asyncio.timeout(PATIENCE):
        while "holding" not in process.output:
            assert process.is_running, process.output
            await asyncio.sleep(0.02)


async def test_the_run_of_a_killed_process_is_taken_at_once_and_not_after_its_lease(
    store_url: str, store: SqlStore, start_neighbour: Callable[[], Process]
) -> None:
    process = start_neighbour()
    await until_holding(process)
    process.kill()

    began = time.monotonic()
    async with Holdfast(store_url, catalog=catalog, lease_seconds=LEASE) as hf:
        async with asyncio.timeout(AT_ONCE):
            attempt = await hf.result("held", int)
        attempts = [(each.attempt, each.status) for each in await hf.attempts("held")]
        run = await hf.describe("held")
        nodes = await store.list_nodes("default")

    assert time.monotonic() - began < AT_ONCE
    assert (attempt, attempts) == (2, [(1, "lost")])
    assert run.status is RunStatus.SUCCESS
    assert [node.rsplit(":", 3)[1] for node in nodes] == [str(os.getpid())]


async def test_a_neighbour_that_lives_is_left_alone(
    store_url: str, store: SqlStore, start_neighbour: Callable[[], Process]
) -> None:
    process = start_neighbour()
    await until_holding(process)
    try:
        async with Holdfast(store_url, catalog=catalog, lease_seconds=LEASE):
            await asyncio.sleep(0.5)
            found = await store.find_run("default", "held")
            nodes = await store.list_nodes("default")
    finally:
        process.kill()

    assert found is not None
    assert (found.epoch, found.setbacks) == (1, 0)
    assert found.owner in nodes
    assert len([node for node in nodes if f":{process.pid}:" in node]) == 1


async def test_a_dead_node_of_another_machine_is_waited_for(
    store_url: str, store: SqlStore, gone: int
) -> None:
    far = Node(store, named(gone, life="01234567"), lease=10 * 365 * 86_400)
    await far.start(1, workflow="held", claim="held", version="1")

    async with Holdfast(store_url, catalog=catalog, lease_seconds=LEASE):
        await asyncio.sleep(0.3)
        nodes = await store.list_nodes("default")
        (history,) = await store.load_histories("default", [key(1)])

    assert far.id in nodes
    assert (history.run.owner, history.run.setbacks) == (far.id, 0)


async def test_only_the_dead_of_its_own_namespace_are_buried(
    store_url: str, store: SqlStore, gone: int
) -> None:
    here, there = Node(store, named(gone)), Node(store, f"x{named(gone)}", namespace="elsewhere")
    await here.start(1)
    await there.start(2)

    async with Holdfast(store_url, catalog=catalog, lease_seconds=LEASE):
        nodes = await store.list_nodes("default"), await store.list_nodes("elsewhere")
        found = await store.find_run("default", key(1)), await store.find_run("elsewhere", key(2))

    assert here.id not in nodes[0]
    assert nodes[1] == [there.id]
    assert [run.setbacks for run in found if run is not None] == [1, 0]


async def test_a_client_without_an_engine_buries_nobody(store_url: str, store: SqlStore, gone: int) -> None:
    dead = Node(store, named(gone))
    await dead.start(1)

    async with Holdfast(store_url, engine=False, catalog=catalog):
        pass

    assert await store.list_nodes("default") == [NodeId(dead.id)]
