"""Workers and the queue, as programs that do not use HTTP see them."""

from __future__ import annotations

import datetime as dt
from typing import Any, cast

import pytest

from holdfast.client.workers import WorkerInfo, Workers, queue_id, read_queue_id
from holdfast.core.codec import Codec
from holdfast.core.values import Failed, Instant, Payload, RunKey, Succeeded, later
from holdfast.errors import BadOption, CannotStore, ItemLost, NoWorker, PayloadTooLarge, WrongType
from holdfast.ports.workers import (
    Completion,
    CompletionResult,
    QueueItem,
    WorkerRecord,
    WorkerStore,
)

SECOND = dt.timedelta(seconds=1)
NOW = Instant(1_000_000_000_000)
RUN = RunKey(bytes(15) + b"\x01")
ID = "00000000-0000-0000-0000-000000000001:3:2"


class Memory:
    """A store that remembers what it was asked, and answers what the test says."""

    def __init__(self, *workers: WorkerRecord) -> None:
        self.workers = list(workers)
        self.completions: list[Completion] = []
        self.result = CompletionResult.DONE
        self.is_held = True
        self.item: QueueItem | None = None
        self.asked: list[Any] = []

    async def register_worker(self, namespace: str, worker: WorkerRecord) -> None:
        self.workers.append(worker)

    async def list_workers(self, namespace: str, since: Instant) -> list[WorkerRecord]:
        return [each for each in self.workers if each.heartbeat_at >= since]

    async def record_heartbeat(self, namespace: str, *given: Any) -> bool:
        self.asked.append(given)
        return True

    async def mark_workers_offline(self, namespace: str, before: Instant) -> int:
        self.asked.append(before)
        return 3

    async def poll_queue(self, namespace: str, *given: Any) -> QueueItem | None:
        self.asked.append(given)
        return self.item

    async def complete_item(self, namespace: str, completion: Completion, now: Instant) -> CompletionResult:
        self.completions.append(completion)
        return self.result

    async def renew_item(self, namespace: str, *given: Any) -> bool:
        self.asked.append(given)
        return self.is_held


def workers_of(memory: Memory, limit: int = 1000) -> Workers:
    return Workers(
        cast("WorkerStore", cast("Any", memory)),
        namespace="default",
        now=lambda: NOW,
        ttl=15 * SECOND,
        queue_lease=60 * SECOND,
        encode=Codec(limit).encode,
    )


def worker(id: str, *services: str, load: int = 0, ago: int = 0, **more: Any) -> WorkerRecord:
    found = WorkerRecord(id, f"http://{id}", services, "http", load, later(NOW, -ago * SECOND))
    return found._replace(**more)


# --- the registry


async def test_a_worker_without_a_url_is_one_that_asks():
    memory = Memory()

    await workers_of(memory).register("w1", "", ["sum", "sum", "mul"])
    await workers_of(memory).register("w2", "https://here", ["sum"])
    await workers_of(memory).register("w3", "queue", ["sum"], "gpu")

    assert memory.workers == [
        WorkerRecord("w1", "queue", ("sum", "mul"), "async", 0, NOW),
        WorkerRecord("w2", "https://here", ("sum",), "http", 0, NOW),
        WorkerRecord("w3", "queue", ("sum",), "gpu", 0, NOW),
    ]


@pytest.mark.parametrize(
    "given",
    [
        {"id": ""},
        {"id": None},
        {"url": "here"},
        {"url": 5},
        {"url": "http://a\nb"},
        {"url": "http://\ud800"},
        {"services": []},
        {"services": [""]},
        {"services": [None]},
        {"type": "x" * 501},
    ],
)
async def test_a_worker_that_no_store_could_keep_is_refused(given: dict[str, Any]):
    memory = Memory()

    with pytest.raises(BadOption):
        await workers_of(memory).register(**{"id": "w1", "url": "http://here", "services": ["sum"], **given})

    assert memory.workers == []


@pytest.mark.parametrize("services", ["sum", None, 5, {"sum"}])
async def test_services_that_are_no_list_are_refused(services: Any):
    with pytest.raises(WrongType, match="services"):
        await workers_of(Memory()).register("w1", "http://here", services)


async def test_a_heartbeat_renews_what_the_worker_holds():
    memory = Memory()

    assert await workers_of(memory).heartbeat("w1", load=2)
    assert memory.asked == [("w1", "queue", 2, NOW, later(NOW, 60 * SECOND))]


@pytest.mark.parametrize("load", [-1, 2**31, 1.5, "1", True, None])
async def test_a_load_that_is_no_number_is_refused(load: Any):
    with pytest.raises(BadOption, match="load"):
        await workers_of(Memory()).heartbeat("w1", load=load)


async def test_a_worker_is_online_if_it_was_heard_of_lately_and_nobody_has_marked_it_otherwise():
    memory = Memory(worker("new", "sum"), worker("old", "sum", ago=16), worker("off", "sum", is_online=False))

    lately = await workers_of(memory).list()
    ever = await workers_of(memory).list(ttl=3600 * SECOND)

    assert [(each.id, each.is_online) for each in lately] == [("new", True), ("off", False)]
    assert [(each.id, each.is_online) for each in ever] == [("new", True), ("old", False), ("off", False)]
    assert ever[0] == WorkerInfo(
        "new", "http://new", ["sum"], "http", 0, dt.datetime(1970, 1, 12, 13, 46, 40, tzinfo=dt.UTC), True
    )


@pytest.mark.parametrize("ttl", [dt.timedelta(0), -SECOND, dt.timedelta(days=40_000), 5])
async def test_a_length_of_time_that_is_none_is_refused(ttl: Any):
    with pytest.raises(BadOption, match="ttl"):
        await workers_of(Memory()).list(ttl=ttl)


async def test_the_least_loaded_worker_that_is_online_and_can_be_called_is_allocated():
    memory = Memory(
        worker("busy", "sum", load=2),
        worker("idle", "sum", load=1),
        worker("also-idle", "sum", load=1),
        worker("asking", "sum", url="queue"),
        worker("gone", "sum", ago=16),
        worker("marked", "sum", is_online=False),
        worker("other", "mul"),
    )

    found = await workers_of(memory).allocate("sum")

    assert found.id == "also-idle"
    with pytest.raises(NoWorker, match="'div'"):
        await workers_of(memory).allocate("div")


async def test_those_who_were_silent_for_longer_than_they_may_are_marked():
    memory = Memory()

    assert await workers_of(memory).mark_offline() == 3
    assert memory.asked == [later(NOW, -15 * SECOND)]


# --- the queue


async def test_what_is_taken_is_the_workers_for_a_lease():
    memory = Memory()
    memory.item = QueueItem(RUN, "r", 3, "work", "sum", Payload(b"{}"), 1, 2, "w1", NOW, NOW, NOW)

    item = await workers_of(memory).poll("w1", ["sum"])

    assert item is memory.item
    assert memory.asked == [("w1", ("sum",), NOW, later(NOW, 60 * SECOND))]
    assert queue_id(item) == ID
    assert read_queue_id("queue_id", ID) == (RUN, 3, 2)


async def test_a_result_is_told_as_json_and_an_error_as_a_failure():
    memory = Memory()

    await workers_of(memory).complete(ID, result={"sum": 3})
    await workers_of(memory).complete(ID, result=5, error="no\x00 room\ud800")

    good, bad = memory.completions
    assert good == Completion(RUN, 3, 2, Succeeded(Payload(b'{"sum":3}')))
    assert isinstance(bad.outcome, Failed)
    assert bad.outcome.failure.type == "holdfast.errors:WorkerFailed"
    assert bad.outcome.failure.message == "no\ufffd room\\ud800"


async def test_an_error_without_end_is_cut():
    memory = Memory()

    await workers_of(memory).complete(ID, error="x" * 200_000)

    outcome = memory.completions[0].outcome
    assert isinstance(outcome, Failed)
    assert len(outcome.failure.message) == 100_001


async def test_what_cannot_be_kept_is_refused_before_anyone_is_told():
    memory = Memory()
    workers = workers_of(memory, limit=100)

    with pytest.raises(PayloadTooLarge):
        await workers.complete(ID, result="x" * 100)
    with pytest.raises(CannotStore):
        await workers.complete(ID, result=float("nan"))
    with pytest.raises(WrongType):
        await workers.complete(ID, error=cast("Any", 5))

    assert memory.completions == []


@pytest.mark.parametrize("result", [CompletionResult.LOST, CompletionResult.GONE])
async def test_what_is_no_longer_the_workers_is_refused_with_why(result: CompletionResult):
    memory = Memory()
    memory.result, memory.is_held = result, False

    with pytest.raises(ItemLost, match=result.value):
        await workers_of(memory).complete(ID, result=1)
    with pytest.raises(ItemLost):
        await workers_of(memory).renew(ID)


async def test_what_is_held_is_held_for_another_lease():
    memory = Memory()

    await workers_of(memory).renew(ID)

    assert memory.asked == [(RUN, 3, 2, later(NOW, 60 * SECOND))]


@pytest.mark.parametrize(
    "id",
    [
        "",
        "x",
        "x:1:1",
        f"{ID}:4",
        ID[:-2],
        f"{ID[:-1]}-1",
        f"{ID[:-1]}2147483648",
        f"{ID[:-1]}\u0662",
        None,
        5,
    ],
)
async def test_an_id_that_nobody_has_given_is_refused(id: Any):
    with pytest.raises(BadOption, match="queue_id"):
        await workers_of(Memory()).complete(id, result=1)
