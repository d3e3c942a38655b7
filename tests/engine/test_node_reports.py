"""What a node says of itself, as operators see it."""

from __future__ import annotations

import asyncio
import datetime as dt
from random import Random

import pytest
from tests.patience import until

from holdfast import Catalog, Holdfast, NodeQueue, task, workflow
from holdfast.core.values import Instant, NodeId
from holdfast.engine.node_reports import NodeReporter
from holdfast.errors import StoreUnavailable
from holdfast.parts import version_of_package
from holdfast.ports.fleet import NodeReport, QueueReport


@pytest.fixture
async def go_on() -> asyncio.Event:
    return asyncio.Event()


@pytest.fixture
def catalog(go_on: asyncio.Event) -> Catalog:
    made = Catalog()

    @task(queue="narrow", catalog=made)
    async def hold(number: int) -> int:
        await go_on.wait()
        return number

    @workflow(catalog=made)
    async def many(count: int) -> int:  # pyright: ignore[reportUnusedFunction]
        return sum(await asyncio.gather(*[hold(number) for number in range(count)]))

    return made


async def narrow_queue(client: Holdfast, waiting: int) -> NodeQueue:
    found: list[NodeQueue] = []

    async def is_told() -> bool:
        queues = (await client.queues()).queues
        found[:] = [it for it in queues if (it.queue, it.waiting) == ("narrow", waiting)]
        return bool(found)

    await until(is_told)
    return found[0]


async def test_operators_see_who_holds_the_slots_of_a_queue_and_who_waits(
    store_url: str, catalog: Catalog, go_on: asyncio.Event
):
    async with (
        Holdfast(store_url, catalog=catalog, queues={"narrow": 2}) as hf,
        Holdfast(store_url, catalog=catalog, engine=False) as operator,
    ):
        run = await hf.start("many", 15, id="wide")

        queue = await narrow_queue(operator, waiting=13)
        [node] = await operator.nodes()

        assert (queue.node, queue.limit, queue.running) == (node.id, 2, 2)
        assert [(it.run, it.seq, it.task) for it in queue.first] == [
            ("wide", seq, "hold") for seq in range(2, 12)
        ]
        assert (node.version, node.is_stopping) == (version_of_package(), False)

        go_on.set()
        assert await run.result() == sum(range(15))
        assert (await operator.queues()).queues == []  # it has no runs


async def test_a_node_that_stops_says_so_while_its_tasks_end(
    store_url: str, catalog: Catalog, go_on: asyncio.Event
):
    async with Holdfast(store_url, catalog=catalog, engine=False) as operator:
        hf = Holdfast(store_url, catalog=catalog, queues={"narrow": 1}, drain_seconds=30)
        await hf.open()
        await hf.start("many", 1)
        await narrow_queue(operator, waiting=0)

        stopping = asyncio.create_task(hf.close())

        async def is_told() -> bool:
            return any(node.is_stopping for node in await operator.nodes())

        await until(is_told)
        go_on.set()
        await stopping
        assert await operator.nodes() == []


# --- the last change is written, too


class Notebook:
    """A store that writes when it is let, and a node that runs so many tasks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("holdfast.engine.node_reports._EVERY", dt.timedelta(milliseconds=1))
        self.reporter = NodeReporter(self, Random(1), "1.0")
        self.reporter.describe = self._describe
        self.running = 0
        self.looks = 0
        self.written: list[int] = []
        self.failures = 0
        self.may_write = asyncio.Event()
        self.is_writing = asyncio.Event()

    def _describe(self, version: str) -> tuple[NodeId, Instant | None, NodeReport]:
        self.looks += 1
        queue = QueueReport("default", 8, self.running, 0, [])
        return NodeId("node-1"), Instant(1), NodeReport(version, False, [queue])

    async def write_node_report(self, node: NodeId, report: NodeReport) -> None:
        self.is_writing.set()
        await self.may_write.wait()
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("the database", "it is away")
        self.written.append(report.queues[0].running)

    async def is_still(self) -> None:
        async def has_ended() -> bool:
            looks = self.looks
            await asyncio.sleep(0.05)
            return looks == self.looks

        await until(has_ended)


async def test_a_change_during_the_write_of_a_report_is_written_after_it(monkeypatch: pytest.MonkeyPatch):
    book = Notebook(monkeypatch)
    book.running = 1
    book.reporter.note_commit(Instant(0))
    await book.is_writing.wait()

    book.running = 0
    book.reporter.note_commit(Instant(1))  # the last one
    book.may_write.set()
    await book.is_still()

    assert book.written == [1, 0]
    assert book.looks == 3


async def test_a_report_that_could_not_be_written_is_written_when_the_database_is_back(
    monkeypatch: pytest.MonkeyPatch,
):
    book = Notebook(monkeypatch)
    book.failures = 3
    book.may_write.set()

    book.reporter.note_commit(Instant(0))
    await book.is_still()

    assert book.written == [0]
