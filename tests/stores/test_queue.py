"""The queue: one worker at a time has an item, until it says what came of it or its lease runs out."""

from __future__ import annotations

import asyncio

import msgspec
from tests.patience import until
from tests.stores.builders import (
    SERVICE_WAIT,
    SPACE,
    Node,
    Worker,
    at,
    change,
    ended,
    key,
    new_run,
    new_task,
    queued,
    released,
    settled,
    step,
)

from holdfast.core.policies import LOST_ATTEMPTS_ALLOWED
from holdfast.core.records import AttemptRecord, MessageKind
from holdfast.core.remote import read_report
from holdfast.core.values import Failed, Failure, Payload, RunStatus, Succeeded, TaskStatus, key_text
from holdfast.ports.commits import EndedAttempt, MovedTask, SettledTask, UnqueuedTask
from holdfast.ports.runs import ParkedRunCancellation, Reopening
from holdfast.ports.workers import CompletionResult, QueueItem
from holdfast.stores import SqlStore

DONE = Succeeded(Payload(b'{"ok":true}'))
FAILURE = Failure(type="builtins:ValueError", message="no such image")


async def test_a_worker_takes_what_is_queued_and_the_task_shows_it(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)

    item = await worker.poll(now=3)

    assert item == QueueItem(
        run=key(1),
        run_id=key_text(key(1)),
        seq=0,
        name="charge",
        service="resize",
        input=Payload(b"[1]"),
        attempt=1,
        lease=1,
        worker="w1",
        created_at=at(0),
        taken_at=at(3),
        lease_until=at(13),
    )
    (task,) = await store.list_tasks(SPACE, key(1))
    assert (task.status, task.attempt, task.lost, task.started_at) == (TaskStatus.RUNNING, 1, 0, at(3))


async def test_an_item_tells_the_name_that_the_user_gave_the_run(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, id="order-7")
    await node.commit(held=node.held(1), queued=[queued(1)])

    item = await Worker(store).take()

    assert item.run_id == "order-7"


async def test_what_is_taken_is_not_given_to_another(store: SqlStore) -> None:
    await Node(store).queue(1)
    await Worker(store, "w1").take()

    assert await Worker(store, "w2").poll(now=9.9) is None


async def test_nothing_comes_of_other_services_and_namespaces(store: SqlStore) -> None:
    await Node(store).queue(1)

    assert await Worker(store).poll("crop", "rotate") is None
    assert await Worker(store, namespace="elsewhere").poll() is None
    assert await store.poll_queue(SPACE, "w1", [], at(0), at(10)) is None


async def test_the_longest_due_of_all_services_comes_first_and_tasks_of_one_instant_in_their_order(
    store: SqlStore,
) -> None:
    node, worker = Node(store), Worker(store)
    await node.start(1)
    await node.commit(
        held=node.held(1),
        tasks=[new_task(1, seq) for seq in range(1, 5)],
        queued=[
            queued(1, 0, service="crop", ready=3),
            queued(1, 1, service="resize", ready=2),
            queued(1, 2, service="crop", ready=1),
            queued(1, 3, service="crop", ready=1),
            queued(1, 4, service="rotate", ready=0),
        ],
    )

    order = [(await worker.take("resize", "crop", "resize", now=5)).seq for _ in range(4)]

    assert order == [2, 3, 1, 0]
    assert await worker.poll("resize", "crop", now=5) is None


async def test_a_backoff_is_waited_for(store: SqlStore) -> None:
    await Node(store).queue(1, ready=60)

    assert await Worker(store).poll(now=59.9) is None
    assert (await Worker(store).take(now=60)).seq == 0


async def test_when_the_lease_runs_out_the_next_one_takes_the_item_and_the_first_is_refused(
    store: SqlStore,
) -> None:
    node, first, second = Node(store), Worker(store, "w1"), Worker(store, "w2")
    await node.queue(1)
    lost = await first.take(now=1)

    taken = await second.take(now=11)

    assert (taken.attempt, taken.lease, taken.worker, taken.taken_at) == (2, 2, "w2", at(11))
    (task,) = await store.list_tasks(SPACE, key(1))
    assert (task.status, task.attempt, task.lost, task.started_at) == (TaskStatus.RUNNING, 2, 1, at(11))
    assert await store.list_attempts(SPACE, key(1)) == [
        AttemptRecord(key(1), 0, 1, "lost", None, at(1), at(11), "", "w1")
    ]
    assert await first.complete(lost, DONE, now=12) is CompletionResult.LOST
    assert not await store.renew_item(SPACE, key(1), 0, lost.lease, at(99))
    assert (await store.load_histories(SPACE, [key(1)]))[0].messages == []
    assert await second.complete(taken, DONE, now=12) is CompletionResult.DONE


async def test_a_completion_wakes_the_run_with_a_message_and_removes_the_item(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    await node.commit(held=node.held(1), released=[released(1, waiting=SERVICE_WAIT)])
    item = await worker.take(now=1)

    result = await worker.complete(item, DONE, now=2)

    assert result is CompletionResult.DONE
    receipt = await node.claim(now=2)
    assert [claimed.run.key for claimed in receipt.claimed] == [key(1)]
    (message,) = receipt.mail
    assert (message.kind, message.name) == (MessageKind.TASK, "0")
    report = read_report(message.payload)
    assert (report.attempt, report.worker, report.started_at, report.outcome) == (1, "w1", at(1), DONE)
    assert await worker.poll(now=99) is None
    assert await worker.complete(item, DONE, now=3) is CompletionResult.GONE


async def test_a_failure_is_told_as_it_is(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)

    await worker.complete(await worker.take(), Failed(FAILURE))

    (message,) = (await node.commit(collect=True)).mail
    assert read_report(message.payload).outcome == Failed(FAILURE)


async def _listen(store: SqlStore, heard: list[str]) -> None:
    store.listen(lambda: heard.append("changed"))
    await asyncio.sleep(0.3)  # when a watch begins, it tells once: nobody knows what came before
    heard.clear()


async def test_a_node_that_listens_hears_of_a_completion(store: SqlStore) -> None:
    heard: list[str] = []
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    item = await worker.take()
    await _listen(store, heard)

    await worker.complete(item, DONE)

    await until(lambda: heard)  # a store with threads tells it from another thread


async def test_whose_lease_has_run_out_may_complete_as_long_as_nobody_else_has_the_item(
    store: SqlStore,
) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    item = await worker.take()

    assert await worker.complete(item, DONE, now=1000) is CompletionResult.DONE


async def test_an_item_that_is_renewed_stays_with_its_worker(store: SqlStore) -> None:
    await Node(store).queue(1)
    item = await Worker(store).take()

    assert await store.renew_item(SPACE, item.run, item.seq, item.lease, at(50))

    assert await Worker(store, "w2").poll(now=49) is None
    assert (await Worker(store, "w2").take(now=50)).lease == 2


async def test_an_item_cannot_be_completed_or_renewed_from_another_namespace(store: SqlStore) -> None:
    await Node(store).queue(1)
    item = await Worker(store).take()

    stranger = Worker(store, namespace="elsewhere")
    assert await stranger.complete(item, DONE) is CompletionResult.GONE
    assert not await store.renew_item("elsewhere", item.run, item.seq, item.lease, at(50))
    assert await Worker(store).complete(item, DONE) is CompletionResult.DONE


async def test_what_is_lost_too_often_is_told_to_the_run_as_failed(store: SqlStore) -> None:
    node, heard = Node(store), list[str]()
    await node.queue(1, 2)
    await node.commit(held=node.held(2), unqueued=[UnqueuedTask(key(2), 0)])
    for turn in range(LOST_ATTEMPTS_ALLOWED + 1):
        assert (await Worker(store, f"w{turn}").take(now=turn * 10)).attempt == turn + 1
    await _listen(store, heard)

    assert await Worker(store, "last").poll(now=1000) is None

    await until(lambda: heard)
    (message,) = (await node.commit(1000, collect=True)).mail
    report = read_report(message.payload)
    assert (report.attempt, report.worker) == (LOST_ATTEMPTS_ALLOWED + 1, f"w{LOST_ATTEMPTS_ALLOWED}")
    assert report.failure is not None
    assert report.failure.type == "holdfast.errors:TaskLost"
    assert "11 times" in report.failure.message
    attempts = await store.list_attempts(SPACE, key(1))
    assert [(each.attempt, each.status) for each in attempts] == [(turn, "lost") for turn in range(1, 12)]
    assert await Worker(store).poll(now=2000) is None


async def test_behind_an_item_that_is_given_up_the_next_one_is_taken(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    for turn in range(LOST_ATTEMPTS_ALLOWED + 1):
        await worker.take(now=turn * 10)
    await node.queue(2, now=500, ready=500)

    assert (await worker.take(now=1000)).run == key(2)


async def test_a_retry_is_taken_anew_and_nobody_who_had_an_earlier_attempt_can_complete_it(
    store: SqlStore,
) -> None:
    node, first, second = Node(store), Worker(store, "w1"), Worker(store, "w2")
    await node.queue(1)
    late = await first.take()
    failed = await second.take(now=10)
    await second.complete(failed, Failed(FAILURE), now=11)

    again = MovedTask(key(1), 0, TaskStatus.PENDING, 3, 0, None, at(20), None)
    await node.commit(
        12,
        held=node.held(1),
        moved=[again],
        attempts=[EndedAttempt(key(1), 0, 2, "failed", None, at(10), at(11), node.id, "w2")],
        queued=[queued(1, attempt=3, ready=20)],
    )

    assert await first.poll(now=19) is None
    assert await first.complete(late, DONE, now=19) is CompletionResult.LOST
    third = await Worker(store, "w3").take(now=20)
    assert (third.attempt, third.lease) == (3, 3)
    assert await first.complete(late, DONE, now=21) is CompletionResult.LOST
    assert await second.complete(failed, DONE, now=21) is CompletionResult.LOST
    (task,) = await store.list_tasks(SPACE, key(1))
    assert (task.status, task.attempt, task.due_at) == (TaskStatus.RUNNING, 3, None)
    attempts = await store.list_attempts(SPACE, key(1))
    assert [(each.attempt, each.worker, each.node) for each in attempts] == [
        (1, "w1", ""),
        (2, "w2", node.id),
    ]


async def test_what_is_put_again_is_taken_from_whoever_has_it(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    item = await worker.take()

    await node.commit(1, held=node.held(1), queued=[queued(1, ready=5), queued(1, ready=1)])

    assert await worker.complete(item, DONE, now=1) is CompletionResult.LOST
    assert not await store.renew_item(SPACE, item.run, item.seq, item.lease, at(50))
    again = await worker.take(now=1)
    assert again.lease == 2
    assert await store.list_attempts(SPACE, key(1)) == []


async def test_what_is_taken_out_and_put_again_in_one_commit_counts_its_leases_on(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    item = await worker.take()

    await node.commit(1, held=node.held(1), unqueued=[UnqueuedTask(key(1), 0)], queued=[queued(1)])

    assert (await worker.take(now=1)).lease == 2
    assert await worker.complete(item, DONE, now=1) is CompletionResult.LOST


async def test_a_number_of_an_attempt_that_a_node_has_not_heard_of_is_not_used_again(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    await worker.take()
    await worker.take(now=10)

    await node.commit(
        11,
        held=node.held(1),
        settled=[SettledTask(key(1), 0, TaskStatus.CANCELLED, 1, None, None, None, at(11))],
    )

    (task,) = await store.list_tasks(SPACE, key(1))
    assert (task.status, task.attempt) == (TaskStatus.CANCELLED, 2)


async def test_whoever_has_a_task_that_nobody_waits_for_any_more_is_refused(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1, 2)
    item = await worker.take()

    await node.commit(1, held=node.held(1, 2), unqueued=[UnqueuedTask(key(1), 0), UnqueuedTask(key(2), 0)])

    assert await worker.complete(item, DONE, now=1) is CompletionResult.GONE
    assert await worker.poll(now=1) is None


async def test_a_node_that_has_lost_a_run_puts_nothing_into_the_queue_and_takes_nothing_out(
    store: SqlStore,
) -> None:
    node = Node(store)
    await node.queue(1)
    await node.start(2)

    receipt = await node.commit(
        1, held=node.held(1, 2, epoch=7), queued=[queued(2)], unqueued=[UnqueuedTask(key(1), 0)]
    )

    assert receipt.lost == {key(1), key(2)}
    assert (await Worker(store).take(now=1)).run == key(1)
    assert await Worker(store).poll(now=1) is None


async def test_an_item_whose_task_or_run_is_over_is_not_handed_out(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1, 2, 3, 4)
    await node.commit(
        1,
        held=node.held(1, 2, 4),
        settled=[settled(1)],
        ended=[ended(2), ended(4, status=RunStatus.CANCELLED)],
    )

    assert (await worker.take(now=1)).run == key(3)
    assert await worker.poll(now=1) is None


async def test_an_item_without_a_task_or_a_run_is_removed_and_not_handed_out(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1, 2, 3)
    hexed = [key(number).hex() for number in (1, 2)]
    is_sqlite = "SQLite" in store.name
    one, two = (f"x'{it}'" if is_sqlite else f"'{it}'::uuid" for it in hexed)
    await change(store, f"DELETE FROM {{}}tasks WHERE run = {one}")
    await change(store, f"DELETE FROM {{}}runs WHERE key = {two}")

    assert (await worker.take(now=1)).run == key(3)

    before = store.statements
    assert await worker.poll(now=1) is None
    assert store.statements == before + 1  # there is nothing left to look at


async def test_a_completion_for_a_run_that_has_ended_reaches_nobody(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    item = await worker.take()
    await node.commit(1, held=node.held(1), ended=[ended(1)])

    assert await worker.complete(item, DONE, now=1) is CompletionResult.GONE
    assert await worker.complete(item, DONE, now=1) is CompletionResult.GONE
    assert (await store.load_histories(SPACE, [key(1)]))[0].messages == []


async def test_a_parked_run_that_is_cancelled_loses_its_items(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    await node.commit(held=node.held(1), released=[released(1, status=RunStatus.PARKED)])
    item = await worker.take()
    why = msgspec.json.encode(FAILURE)

    assert not await store.cancel_parked_run(SPACE, ParkedRunCancellation(key(1), 9, why, [], at(1)))
    assert await store.renew_item(SPACE, item.run, item.seq, item.lease, at(20))
    assert await store.cancel_parked_run(SPACE, ParkedRunCancellation(key(1), 1, why, [], at(1)))

    assert not await store.renew_item(SPACE, item.run, item.seq, item.lease, at(30))
    assert await worker.complete(item, DONE, now=1) is CompletionResult.GONE


async def test_a_run_that_ends_cancelled_loses_its_items_with_its_tasks(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    item = await worker.take()

    await node.commit(1, held=node.held(1), ended=[ended(1, status=RunStatus.CANCELLED)])

    assert not await store.renew_item(SPACE, item.run, item.seq, item.lease, at(30))


async def test_a_run_that_is_opened_again_begins_with_nothing_in_the_queue(store: SqlStore) -> None:
    node, worker = Node(store), Worker(store)
    await node.queue(1)
    item = await worker.take()
    await node.commit(1, held=node.held(1), ended=[ended(1, status=RunStatus.FAILED)])

    again = Reopening(key(1), 1, step(1, 1, b"again"), [0], [], at(2))
    assert await store.reopen_runs(SPACE, [again])

    assert await worker.complete(item, DONE, now=3) is CompletionResult.GONE
    assert await worker.poll(now=1000) is None


async def test_a_run_that_waits_for_the_queue_is_not_stranded_and_one_that_waits_for_nothing_is(
    store: SqlStore,
) -> None:
    node = Node(store)
    await node.queue(1, 2)
    await node.commit(
        held=node.held(1, 2),
        released=[released(1, waiting=SERVICE_WAIT), released(2, waiting=None)],
    )

    assert [each.run for each in await store.stranded_runs(SPACE, at(10_000))] == [key(2)]


async def test_a_commit_without_anything_for_the_queue_sends_nothing_about_it(store: SqlStore) -> None:
    node = Node(store)
    before = store.statements
    await node.commit(
        created=[new_run(1, owner=node.id)], steps=[step(1)], tasks=[new_task(1)], settled=[settled(1)]
    )
    plain = store.statements - before

    before = store.statements
    await node.commit(
        created=[new_run(2, owner=node.id)],
        steps=[step(2)],
        tasks=[new_task(2)],
        settled=[settled(2)],
        queued=[queued(2)],
    )
    with_queue = store.statements - before

    # begin, lease, runs, steps, tasks, settled, the minute, the change log, commit
    assert (plain, with_queue) == (9, 10)
