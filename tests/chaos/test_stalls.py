"""Event loops that stand still. A lease is lost only by a node that is dead, or that never comes back."""

from __future__ import annotations

import asyncio
import importlib
import logging
import signal
import time
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.chaos.evidence import query
from tests.chaos.processes import Process, running, wait_until
from tests.chaos.stalling import blocked, good, quick, spin, spin_in_a_task, thinking
from tests.patience import PATIENCE, SOON, until

from holdfast import Holdfast, RunStatus, task, workflow
from holdfast.authoring.catalog import Catalog
from holdfast.cli.exit_codes import ExitCode
from holdfast.errors import LoopStalled, NodeStopped
from holdfast.stores.database import Transaction

_FILE = str(Path(__file__).with_name("stalling.py"))
_LEASE = 2
"""A busy machine may keep a thread waiting for half a second. So may code that spins, which leaves little of
the interpreter to the thread that renews the lease and charges the run."""
_STALL = 1.5


class Nodes:
    """Processes of `holdfast serve`, on one database."""

    def __init__(self, url: str, folder: Path, **settings: float) -> None:
        self._folder = folder
        self._log = folder / "executions"
        given = {"lease_seconds": _LEASE, "stall_seconds": _STALL, "drain_seconds": 2, **settings}
        self._environment = {f"HOLDFAST_{name.upper()}": str(value) for name, value in given.items()}
        self._environment |= {"HOLDFAST_URL": url, "STALLING_LOG": str(self._log)}
        self._stack = ExitStack()
        self.all: list[Process] = []

    def start(self, count: int = 1) -> None:
        for _ in range(count):
            command = ["-m", "holdfast", "serve", f"{_FILE}:spin", "--no-http", "--quiet"]
            output = self._folder / f"node-{len(self.all)}"
            self.all.append(self._stack.enter_context(running(command, output, self._environment)))
        for node in self.all:
            node.wait_for_output("serving")

    def close(self) -> None:
        self._stack.close()

    @property
    def executions(self) -> Counter[str]:
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return Counter(line.rpartition(" ")[0] for line in lines)

    @property
    def output(self) -> str:
        return "\n".join(node.output for node in self.all)

    def ended(self) -> list[Process]:
        return [node for node in self.all if not node.is_running]


@contextmanager
def nodes(url: str, folder: Path, count: int, **settings: float) -> Generator[Nodes]:
    made = Nodes(url, folder, **settings)
    try:
        made.start(count)
        yield made
    finally:
        made.close()


def facts(url: str, workflow: str) -> tuple[Any, ...]:
    """The epoch and the setbacks of its only run, and how many of its attempts did not succeed."""
    (row,) = query(
        url,
        "SELECT epoch, setbacks, (SELECT count(*) FROM attempts WHERE attempts.run = runs.key) "
        f"FROM runs WHERE workflow = '{workflow}'",
    )
    return row


# --- for ever


@pytest.mark.parametrize(
    ("stalling", "named"),
    [(spin, "workflow 'spin'"), (spin_in_a_task, "task 'block_for_ever' of workflow 'spin_in_a_task'")],
    ids=["workflow", "task"],
)
async def test_code_that_never_returns_costs_a_fleet_two_nodes_and_not_more(
    store_url: str, tmp_path: Path, stalling: Any, named: str
) -> None:
    if stalling is spin_in_a_task and not hasattr(asyncio.Task, "get_context"):
        pytest.skip("Python 3.11 does not tell whose task it is, if an async task has made another")
    with nodes(store_url, tmp_path, 3) as fleet:
        async with Holdfast(store_url, engine=False) as hf:
            run = await hf.start(stalling, id="bad")

            async def is_parked() -> bool:
                return (await run.describe()).status is RunStatus.PARKED

            await until(is_parked)
            others = await hf.start_many(good, range(20))
            assert [await each.result(timeout=SOON) for each in others] == list(range(20))

            wait_until(lambda: len(fleet.ended()) == 2, "two nodes to end")
            assert [node.wait() for node in fleet.ended()] == [ExitCode.STALLED] * 2
            info = await run.describe()
            assert info.failure is not None
            assert info.failure.type == "holdfast.errors:TooManyStalls"
            assert "while True:" in info.failure.traceback
            assert f"{named} (run bad) has held up the event loop" in fleet.output
            # What ended in the tick that the code holds up is not recorded, so the second node does it again.
            assert fleet.executions["quick"] == (22 if stalling is spin else 20)
            assert await hf.doctor() == []

            # Whoever resumes it says that it is mended. It is not.
            await hf.resume(run)
            wait_until(lambda: len(fleet.ended()) == 3, "the last node to stall")


async def test_a_task_that_never_returns_is_charged_to_its_run_by_name(
    store_url: str, tmp_path: Path
) -> None:
    with nodes(store_url, tmp_path, 1) as fleet:
        async with Holdfast(store_url, engine=False) as hf:
            await hf.start(blocked, 3600.0, id="bad")

            (node,) = fleet.all
            assert node.wait() == ExitCode.STALLED
            assert "task 'block' of workflow 'blocked' (run bad) has held up the event loop" in node.output
            assert "time.sleep(seconds)" in node.output
            assert node.output.splitlines()[-1].startswith("holdfast ends this process: the event loop")
            ((task, stack),) = query(store_url, "SELECT task, stack FROM stalls")
            assert (task, "time.sleep(seconds)" in stack) == ("block", True)
            assert query(store_url, "SELECT id FROM nodes") == []
            assert facts(store_url, "blocked")[1] == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_a_node_whose_loop_spins_and_others_have_its_runs_at_once(
    store_url: str, tmp_path: Path, number: signal.Signals
) -> None:
    with nodes(store_url, tmp_path, 1, stall_seconds=3600, lease_seconds=600, drain_seconds=0) as fleet:
        (node,) = fleet.all
        async with Holdfast(store_url, engine=False) as hf:
            await hf.start(spin)
            node.wait_for_output("has held up the event loop")

            node.send(number)

            assert node.wait() == 128 + number
            assert query(store_url, "SELECT id FROM nodes") == []
            assert facts(store_url, "spin")[1] == 0
            assert query(store_url, "SELECT * FROM stalls") == []


async def test_a_second_signal_ends_such_a_node_at_once(sqlite_url: str, tmp_path: Path) -> None:
    with nodes(sqlite_url, tmp_path, 1, stall_seconds=3600, drain_seconds=3600) as fleet:
        (node,) = fleet.all
        async with Holdfast(sqlite_url, engine=False) as hf:
            await hf.start(spin)
            node.wait_for_output("has held up the event loop")
            node.send(signal.SIGINT)
            assert not node.ends_within(1)

            node.send(signal.SIGINT)

            assert node.wait() == 128 + signal.SIGINT


async def test_a_node_that_moves_still_stops_in_order(store_url: str, tmp_path: Path) -> None:
    with nodes(store_url, tmp_path, 2) as fleet:
        fleet.all[0].send(signal.SIGTERM)
        fleet.all[1].send(signal.SIGINT)

        assert [node.wait() for node in fleet.all] == [0, 0]


# --- for a while


async def test_a_task_that_blocks_for_many_leases_is_done_once_and_warned_about(
    store_url: str, tmp_path: Path
) -> None:
    with nodes(store_url, tmp_path, 2, stall_seconds=60) as fleet:
        async with Holdfast(store_url, engine=False) as hf:
            run = await hf.start(blocked, 3 * _LEASE, id="slow")

            assert await run.result(timeout=SOON) == 3 * _LEASE

            assert fleet.executions == {"block": 1}
            assert facts(store_url, "blocked") == (1, 0, 0)
            assert "task 'block' of workflow 'blocked' (run slow) has held up the event loop" in fleet.output
            assert "lost" not in fleet.output


async def test_a_replay_that_takes_many_leases_is_done_by_one_node(store_url: str, tmp_path: Path) -> None:
    with nodes(store_url, tmp_path, 2, stall_seconds=60) as fleet:
        async with Holdfast(store_url, engine=False) as hf:
            run = await hf.start(thinking, 2 * _LEASE, id="slow")
            await run.signal("go")
            # What was done and not recorded is done again, so it is not enough that it was done.
            done = "SELECT count(*) FROM tasks WHERE name = 'quick' AND status = 'success'"
            wait_until(lambda: query(store_url, done) == [(2,)], "the second round")
            before = facts(store_url, "thinking")[0]
            # A node that is killed leaves the run to the other, which has to replay it.
            for node in fleet.all:
                node.kill()
            fleet.all.clear()
            fleet.start(2)
            await run.signal("go")

            assert await run.result(timeout=SOON) == 2

            assert facts(store_url, "thinking")[0] == before + 1
            assert fleet.executions == {"quick": 2}


@pytest.mark.parametrize("lane", ["read", "write"])
async def test_whatever_the_store_is_busy_with_the_lease_is_renewed(store_url: str, lane: str) -> None:
    """A listing over millions of rows keeps the reader, a commit of a gigabyte keeps the writer."""
    settings: dict[str, Any] = {"lease_seconds": _LEASE, "stall_seconds": 60}
    catalog = Catalog()
    began: list[int] = []

    @task(catalog=catalog)
    async def wait(seconds: float) -> None:
        began.append(1)
        await asyncio.sleep(seconds)

    @workflow(catalog=catalog)
    async def waits(seconds: float) -> None:
        await wait(seconds)

    def keep_busy(tx: Transaction) -> None:
        time.sleep(2 * _LEASE)

    async with Holdfast(store_url, catalog=catalog, **settings) as hf:
        run = await hf.start(waits, 3 * _LEASE)
        async with Holdfast(store_url, catalog=catalog, **settings):
            driver: Any = hf._parts.store._driver  # pyright: ignore[reportPrivateUsage]
            await until(lambda: began)
            await getattr(driver, lane)(keep_busy)
            await run.result(timeout=SOON)

    assert began == [1]
    assert facts(store_url, "waits") == (1, 0, 0)


# --- in a process of the user's own


async def test_the_engine_in_a_process_of_ones_own_stops_and_says_why(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def hog(seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251

    @task(catalog=catalog)
    async def cancelled() -> None:
        try:
            await asyncio.sleep(PATIENCE)
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise

    @workflow(catalog=catalog)
    async def bystander() -> None:
        await cancelled()

    ends: list[str] = []
    async with Holdfast(store_url, catalog=catalog, lease_seconds=_LEASE, stall_seconds=1) as hf:
        other = await hf.start(bystander, id="bystander")
        await until(lambda: query(store_url, "SELECT 1 FROM tasks WHERE status = 'running'"))
        serving = asyncio.create_task(hf.serve())
        with pytest.raises(LoopStalled, match="held up by workflow 'hog'"):
            await hf.start(hog, 3.0, id="hog")

        with pytest.raises(LoopStalled, match="held up by workflow 'hog'") as raised:
            await other.result(timeout=SOON)
        with pytest.raises(NodeStopped, match="held up by workflow 'hog'"):
            await hf.start(bystander)
        with pytest.raises(LoopStalled):
            await serving
        await until(lambda: ends)

    assert "time.sleep(seconds)" in raised.value.details
    assert caplog.records[-1].levelno in (logging.CRITICAL, logging.WARNING)
    assert query(store_url, "SELECT id FROM nodes") == []
    async with Holdfast(store_url, catalog=catalog) as hf:  # the other run goes on where it was
        assert (await hf.describe("bystander")).status is RunStatus.RUNNING
        await hf.cancel("bystander")


def test_the_file_that_the_nodes_serve_is_the_one_that_is_tested() -> None:
    assert importlib.import_module("tests.chaos.stalling").quick is quick
