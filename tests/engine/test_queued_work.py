"""Work that a run leaves in the queue: workers take it, fall silent, and the node dies meanwhile."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pytest

from holdfast import Catalog, Run, RunFailed, workflow
from holdfast.client.workers import queue_id
from holdfast.core.policies import LOST_ATTEMPTS_ALLOWED
from holdfast.core.records import MessageKind, TaskRecord
from holdfast.core.remote import write_report
from holdfast.core.values import Payload, Succeeded, TaskStatus, later
from holdfast.errors import ItemLost
from holdfast.ports.commits import NewMessage
from holdfast.ports.workers import QueueItem
from holdfast.testing import Environment

MINUTE = dt.timedelta(minutes=1)

ONE: dict[str, Any] = {
    "start": "work",
    "nodes": {
        "work": {
            "kind": "executor",
            "exec_type": "queue",
            "service": "resize",
            "max_retries": 1,
            "wait_ms": 600_000,
            "post": {"output_key": "result"},
        }
    },
}

BRANCHES: dict[str, Any] = {
    "start": "both",
    "nodes": {
        "both": {
            "kind": "parallel",
            "exec_type": "queue",
            "parallel_services": ["resize", "crop"],
            "parallel_mode": "concurrent",
            "failure_strategy": "fail_fast",
            "post": {"output_key": "results", "action_static": "next"},
        },
        "mend": {"kind": "approval"},
    },
    "edges": [{"from": "both", "action": "error", "to": "mend"}],
}


async def start(
    environment: Environment, definition: dict[str, Any], *, id: str | None = None, **params: Any
) -> Run[Any]:
    flow = await environment.flows.create("flow")
    await environment.flows.publish(flow.id, definition)
    run = await environment.start_with(flow.id, (), params, id=id)
    await environment.wait_until_quiet()
    return run


async def take(environment: Environment, service: str, worker: str = "w1") -> QueueItem:
    item = await environment.workers.poll(worker, [service])
    assert item is not None
    return item


async def take_over(environment: Environment, item: QueueItem, worker: str) -> QueueItem:
    """Another worker, whose clock is ahead, takes it: no time passes here."""
    at = later(item.lease_until, MINUTE)
    store = environment._store
    taken = await store.poll_queue(environment.namespace, worker, [item.service], at, later(at, MINUTE))
    assert taken is not None
    return taken


async def row_of(environment: Environment, run: Run[Any]) -> TaskRecord:
    [row] = await environment.list_tasks(run)
    return row


async def test_what_a_worker_has_is_not_lost_with_the_node_that_put_it_into_the_queue(store_url: str) -> None:
    async with Environment(store_url, catalog=Catalog()) as environment:
        run = await start(environment, ONE)
        item = await take(environment, "resize")

        await environment.crash()
        await environment.wait_until_quiet()
        row = await row_of(environment, run)
        await environment.workers.complete(queue_id(item), result=7)

        assert await run.result() == {"result": 7}
        assert (row.status, row.attempt, row.lost) == (TaskStatus.RUNNING, 1, 0)
        assert [each.status for each in await environment.attempts(run)] == ["success"]
        assert await environment.workers.poll("w2", ["resize"]) is None


async def test_what_nobody_has_taken_yet_is_taken_once_after_the_node_has_died(store_url: str) -> None:
    async with Environment(store_url, catalog=Catalog()) as environment:
        run = await start(environment, ONE)

        await environment.crash()
        await environment.wait_until_quiet()
        item = await take(environment, "resize")

        assert (item.attempt, item.lease) == (1, 1)
        await environment.workers.complete(queue_id(item), result=7)
        assert await run.result() == {"result": 7}


async def test_a_run_whose_work_is_in_the_queue_leaves_memory_and_says_what_it_waits_for(
    store_url: str,
) -> None:
    async with Environment(store_url, catalog=Catalog()) as environment:
        run = await start(environment, ONE)
        item = await take(environment, "resize")

        await environment.skip(MINUTE)

        row = await row_of(environment, run)
        assert not environment.engine.has(item.run)
        assert (await environment.describe(run)).waiting == "a worker of service 'resize' (work)"
        assert (row.status, row.started_at) == (TaskStatus.RUNNING, item.taken_at)
        await environment.workers.complete(queue_id(item), result=7)
        assert await run.result() == {"result": 7}


@pytest.mark.parametrize("is_in_memory", [True, False])
async def test_attempts_that_workers_lost_are_counted_and_are_no_failures(
    store_url: str, is_in_memory: bool
) -> None:
    async with Environment(store_url, catalog=Catalog()) as environment:
        run = await start(environment, ONE)
        first = await take(environment, "resize", "silent")
        await environment.skip(MINUTE * (not is_in_memory))
        assert environment.engine.has(first.run) == is_in_memory
        second = await take_over(environment, first, "clumsy")
        await environment.workers.complete(queue_id(second), error="dropped")
        await environment.wait_until_quiet()
        too_early = await environment.workers.poll("w3", ["resize"])
        await environment.skip(10 * MINUTE)

        third = await take(environment, "resize", "good")
        await environment.workers.complete(queue_id(third), result=7)

        assert await run.result() == {"result": 7}
        assert too_early is None
        row = await row_of(environment, run)
        assert (row.status, row.attempt, row.lost) == (TaskStatus.SUCCESS, 3, 1)
        told = [(each.attempt, each.status, each.worker) for each in await environment.attempts(run)]
        assert told == [(1, "lost", "silent"), (2, "failed", "clumsy"), (3, "success", "good")]


async def test_the_wait_between_two_attempts_goes_on_though_the_node_has_died(store_url: str) -> None:
    async with Environment(store_url, catalog=Catalog()) as environment:
        run = await start(environment, ONE)
        first = await take(environment, "resize")
        await environment.workers.complete(queue_id(first), error="dropped")
        await environment.wait_until_quiet()

        await environment.crash()
        await environment.wait_until_quiet()
        too_early = await environment.workers.poll("w2", ["resize"])
        await environment.skip(10 * MINUTE)
        second = await take(environment, "resize")
        await environment.workers.complete(queue_id(second), result=7)

        assert await run.result() == {"result": 7}
        assert too_early is None
        assert second.attempt == 2


async def test_a_retry_puts_the_work_into_the_queue_again(store_url: str) -> None:
    async with Environment(store_url, catalog=Catalog()) as environment:
        run = await start(environment, ONE)
        for _ in range(2):
            item = await take(environment, "resize")
            await environment.workers.complete(queue_id(item), error="dropped")
            await environment.skip(10 * MINUTE)
        with pytest.raises(RunFailed, match="dropped"):
            await run.result()

        await environment.retry(run)
        await environment.wait_until_quiet()
        item = await take(environment, "resize")
        await environment.workers.complete(queue_id(item), result=7)

        assert await run.result() == {"result": 7}
        assert item.attempt == 3


async def test_a_task_that_too_many_workers_have_lost_fails_its_run_and_the_node_lives(
    store_url: str,
) -> None:
    async with Environment(store_url, catalog=Catalog()) as environment:
        run = await start(environment, ONE)
        for turn in range(LOST_ATTEMPTS_ALLOWED + 1):
            await take(environment, "resize", f"silent {turn}")
            await environment.skip(10 * MINUTE)

        given_up = await environment.workers.poll("last", ["resize"])
        with pytest.raises(RunFailed, match="a worker that was not heard of any more, 11 times"):
            await run.result()
        other = await start(environment, ONE)
        await environment.workers.complete(queue_id(await take(environment, "resize")), result=7)

        assert given_up is None
        assert await other.result() == {"result": 7}
        row = await row_of(environment, run)
        assert (row.status, row.attempt) == (TaskStatus.FAILED, LOST_ATTEMPTS_ALLOWED + 1)
        statuses = [each.status for each in await environment.attempts(run)]
        assert statuses == ["lost"] * (LOST_ATTEMPTS_ALLOWED + 1)


async def test_a_branch_that_is_broken_off_is_nobodys_any_more(store_url: str) -> None:
    async with Environment(store_url, catalog=Catalog()) as environment:
        run = await start(environment, BRANCHES)
        first = await take(environment, "resize")
        second = await take(environment, "crop", "w2")

        await environment.workers.complete(queue_id(first), error="dropped")
        await environment.wait_until_quiet()

        with pytest.raises(ItemLost):
            await environment.workers.complete(queue_id(second), result=1)
        rows = {row.seq: (row.name, str(row.status)) for row in await environment.list_tasks(run)}
        assert rows[second.seq] == ("both/branch", "cancelled")
        overview = await environment.run_overviews.run(run.id)
        assert not overview.is_queued


async def test_what_is_said_of_a_task_that_nobody_waits_for_is_read_and_changes_nothing(
    store_url: str,
) -> None:
    async with Environment(store_url, catalog=Catalog()) as environment:
        run = await start(environment, ONE)
        item = await take(environment, "resize")
        report = write_report(1, "w1", item.taken_at, Succeeded(Payload(b"1")))
        message = NewMessage(item.run, MessageKind.TASK, "99", report)

        await environment._store.post_messages("default", [message], environment.clock.now())
        await environment.skip(MINUTE)
        await environment.workers.complete(queue_id(item), result=7)

        assert await run.result() == {"result": 7}
        history = await environment.history(run)
        assert [each.kind for each in history.messages] == [MessageKind.TASK, MessageKind.TASK]
        assert all(each.taken is not None for each in history.messages)


# --- names that a database cannot keep


def incompressible(length: int, seed: int = 1) -> str:
    """Four bytes each: an index of Postgres takes fewer than 700 of them."""
    dice = random.Random(seed)
    return "".join(chr(dice.randrange(0x20000, 0x2A6D6)) for _ in range(length))


@pytest.mark.parametrize("service", ["a\0b", incompressible(5000)], ids=["NUL", "long"])
async def test_a_service_in_params_that_cannot_be_kept_fails_its_run_and_no_other(
    store_url: str, service: str
) -> None:
    named: dict[str, Any] = {
        "start": "p",
        "nodes": {"p": {"kind": "parallel", "exec_type": "queue", "post": {"output_key": "results"}}},
    }
    async with Environment(store_url, catalog=Catalog()) as environment:
        innocent = await start(environment, named, services=["resize"])
        run = await start(environment, named, services=[service])
        await environment.workers.complete(queue_id(await take(environment, "resize")), result=7)

        assert await innocent.result() == {"results": [7]}
        told = await environment.describe(run)
        assert told.status == "failed"
        assert "expected a list of services" in str(told.failure)


async def test_a_workflow_that_is_called_from_deep_inside_has_an_id_that_can_be_kept(store_url: str) -> None:
    catalog = Catalog()

    @workflow(name="child", catalog=catalog)
    async def child() -> int:
        return 1

    keys = [incompressible(98, seed) for seed in range(5)]
    does: dict[str, Any] = {"workflow": "child"}
    for key in keys:
        node = {"kind": "subflow", "post": {"output_key": "x"}, **does}
        does = {"subflow": {"start": key, "nodes": {key: node}}}
    async with Environment(store_url, catalog=catalog) as environment:
        run = await start(environment, does["subflow"], id=incompressible(200))

        assert await run.result() == {"x": {"x": {"x": {"x": {"x": 1}}}}}
