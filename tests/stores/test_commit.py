"""A commit: whole or not at all, and nothing of runs that the node does not own."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.stores.builders import (
    SPACE,
    Node,
    at,
    child_wait,
    ended,
    key,
    new_run,
    new_task,
    released,
    resolved,
    settled,
    signal,
    step,
)

from holdfast.core.records import MessageKind
from holdfast.core.values import NULL, Failure, Payload, RunStatus, TaskStatus
from holdfast.ports.commits import ClaimRequest, EndedAttempt, EndedRun, MovedTask, StateChange, TakenMessage
from holdfast.ports.runs import RunFilter
from holdfast.stores import SqlStore

HARD_JSON = (
    '{"nul":"\\u0000","word":"grüße 🎉","lone":"\\ud800","big":12345678901234567890,"a":1,"a":2}'.encode()
)


async def test_a_run_is_read_back_as_it_was_written(store: SqlStore) -> None:
    node = Node(store)
    failure = Failure(type="shop:Declined", message="no\x00money", traceback="line 1")
    as_json = msgspec.json.encode(failure)

    await node.commit(
        created=[new_run(1, owner=node.id, id="order-1", input=Payload(HARD_JSON))],
        steps=[step(1, 0, b"\x00\xff")],
        tasks=[new_task(1, 0, HARD_JSON), new_task(1, 1)],
    )
    await node.commit(
        1,
        held=node.held(1),
        steps=[step(1, 1, b"")],
        settled=[settled(1, 0, HARD_JSON)],
        moved=[MovedTask(key(1), 1, TaskStatus.PENDING, 2, 1, Payload(b'{"at":3}'), at(9), at(1))],
        attempts=[EndedAttempt(key(1), 1, 1, "failed", as_json, at(0.5), at(1), node.id)],
    )
    await node.commit(
        2, held=node.held(1), ended=[EndedRun(key(1), RunStatus.FAILED, None, as_json, None, None, at(2))]
    )

    (history,) = await store.load_histories(SPACE, [key(1)])
    run, (first, second) = history.run, history.tasks
    assert (run.key, run.namespace, run.id, run.workflow, run.version) == (
        key(1),
        SPACE,
        "order-1",
        "order",
        "1",
    )
    assert (run.status, run.input, run.output, run.failure) == (RunStatus.FAILED, HARD_JSON, None, failure)
    assert (run.owner, run.epoch, run.wake_at, run.waiting) == (None, 1, None, None)
    assert (run.created_at, run.started_at, run.finished_at) == (at(0), at(0), at(2))
    assert history.steps == [b"\x00\xff", b""]
    assert (first.status, first.attempt, first.input, first.output) == (
        TaskStatus.SUCCESS,
        1,
        HARD_JSON,
        HARD_JSON,
    )
    assert (first.created_at, first.started_at, first.finished_at) == (at(0), at(1), at(2))
    assert (second.status, second.attempt, second.lost) == (TaskStatus.PENDING, 2, 1)
    assert (second.heartbeat, second.due_at, second.output) == (b'{"at":3}', at(9), None)
    (attempt,) = await store.list_attempts(SPACE, key(1))
    assert await store.list_attempts(SPACE, key(1), [1, 7, 1]) == [attempt]
    assert await store.list_attempts(SPACE, key(1), [0]) == []
    assert await store.list_attempts(SPACE, key(1), []) == []
    assert (attempt.seq, attempt.attempt, attempt.status, attempt.failure) == (1, 1, "failed", failure)
    assert (attempt.started_at, attempt.finished_at, attempt.node) == (at(0.5), at(1), node.id)


async def test_a_payload_is_text_in_the_database_that_a_person_can_read(store: SqlStore) -> None:
    await Node(store).start(1, input=Payload('{"name":"Jörg"}'.encode()))

    # list_runs goes through the same columns that psql or the sqlite3 shell show.
    (run,) = await store.list_runs(SPACE, RunFilter())

    assert run.input.decode() == '{"name":"Jörg"}'


async def test_a_lost_run_changes_nothing_and_the_others_of_the_commit_go_through(store: SqlStore) -> None:
    old, new = Node(store, "old", lease=5), Node(store, "new")
    await old.start(1, 2)
    await new.start(3, now=1)
    taken = await new.claim(now=6)
    assert {claim.run.key for claim in taken.claimed} == {key(1), key(2)}
    await new.commit(6, held=[*new.held(1, epoch=2)], released=[released(1, wake_at=at(7))])
    back = await old.claim(limit=1, now=8)
    assert [claim.run.key for claim in back.claimed] == [key(1)]

    receipt = await old.commit(
        8,
        held=[*old.held(1, epoch=3), *old.held(2, epoch=1)],
        steps=[step(1, 1), step(2, 1)],
        tasks=[new_task(1, 1), new_task(2, 1)],
        settled=[settled(1), settled(2)],
        state=[StateChange(key(1), "a", NULL), StateChange(key(2), "a", NULL)],
        messages=[signal(3, sender=key(1)), signal(3, "late", sender=key(2))],
        ended=[ended(1), ended(2)],
    )

    assert receipt.lost == {key(2)}
    mine, theirs = await store.load_histories(SPACE, [key(1), key(2)])
    assert (mine.run.status, len(mine.steps), len(mine.tasks)) == (RunStatus.SUCCESS, 2, 2)
    assert (theirs.run.status, len(theirs.steps), len(theirs.tasks)) == (RunStatus.RUNNING, 1, 1)
    assert theirs.tasks[0].status is TaskStatus.DISPATCHED
    assert (await store.read_state(SPACE, key(1)), await store.read_state(SPACE, key(2))) == ({"a": NULL}, {})
    (other,) = await store.load_histories(SPACE, [key(3)])
    assert [message.name for message in other.messages] == ["go"]


@pytest.mark.parametrize("epoch", [0, 2])
async def test_the_right_owner_with_another_epoch_is_fenced_out(store: SqlStore, epoch: int) -> None:
    node = Node(store)
    await node.start(1)

    receipt = await node.commit(held=node.held(1, epoch=epoch), steps=[step(1, 1)])

    assert receipt.lost == {key(1)}
    assert len((await store.load_histories(SPACE, [key(1)]))[0].steps) == 1


async def test_a_run_that_does_not_exist_is_lost(store: SqlStore) -> None:
    node = Node(store)

    receipt = await node.commit(held=node.held(7), steps=[step(7)], ended=[ended(7)])

    assert receipt.lost == {key(7)}


async def test_an_id_belongs_to_the_first_run_that_has_it(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, id="order-1")

    receipt = await node.commit(
        created=[new_run(2, owner=node.id, id="order-1"), new_run(3, owner=node.id, id="order-3")],
        steps=[step(2), step(3)],
        tasks=[new_task(2), new_task(3)],
    )

    assert receipt.existing == {key(2): key(1)}
    (history,) = await store.load_histories(SPACE, [key(2), key(3)])
    assert (history.run.key, len(history.tasks)) == (key(3), 1)
    assert await store.list_tasks(SPACE, key(2)) == []


async def test_a_run_that_an_earlier_try_has_added_is_not_added_again(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)

    again = [new_run(1, owner=node.id, workflow="other")]
    receipt = await node.commit(created=again, steps=[step(1)], is_retry=True)

    assert receipt.existing == {key(1): key(1)}
    assert (await store.load_histories(SPACE, [key(1)]))[0].run.workflow == "order"


async def test_of_two_new_runs_with_one_id_in_a_commit_the_first_has_it(store: SqlStore) -> None:
    node = Node(store)

    receipt = await node.commit(created=[new_run(n, owner=node.id, id="same") for n in (1, 2)])

    assert receipt.existing == {key(2): key(1)}


async def test_the_same_id_in_another_namespace_is_another_run(store: SqlStore) -> None:
    here, there = Node(store), Node(store, "node-2", namespace="elsewhere")
    await here.start(1, id="order-1")

    receipt = await there.start(2, id="order-1")

    assert receipt.existing == {}
    found = await store.find_run("elsewhere", "order-1")
    assert found is not None
    assert found.key == key(2)
    assert await store.load_histories("elsewhere", [key(1)]) == []
    assert await store.list_tasks("elsewhere", key(1)) == []
    assert await store.ended_runs("elsewhere", [key(1)]) == []


async def test_a_task_shown_as_running_and_settled_in_one_tick_is_settled(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)

    await node.commit(
        held=node.held(1),
        settled=[settled(1)],
        moved=[MovedTask(key(1), 0, TaskStatus.RUNNING, 1, 0, None, None, at(1))],
    )

    assert (await store.list_tasks(SPACE, key(1)))[0].status is TaskStatus.SUCCESS


async def test_of_two_moves_of_a_task_in_one_tick_the_last_counts(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)

    statuses = [TaskStatus.RUNNING, TaskStatus.PENDING] * 2
    await node.commit(
        held=node.held(1), moved=[MovedTask(key(1), 0, status, 1, 0, None, None, None) for status in statuses]
    )

    assert (await store.list_tasks(SPACE, key(1)))[0].status is TaskStatus.PENDING


async def test_the_last_change_of_a_state_key_counts(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    one, two = Payload(b"1"), Payload(b"2")

    changes = [("a", one), ("a", two), ("b", one), ("b", None), ("c", None), ("c", one)]
    await node.commit(held=node.held(1), state=[StateChange(key(1), *change) for change in changes])
    await node.commit(
        held=node.held(1), state=[StateChange(key(1), "a", one), StateChange(key(1), "c", None)]
    )

    assert await store.read_state(SPACE, key(1)) == {"a": one}


async def test_a_commit_whose_answer_was_lost_is_recovered_if_it_stands(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2, 3, id=None)
    await store.create_runs(SPACE, [new_run(4, id="taken"), new_run(5)])
    await store.post_messages(SPACE, [signal(1)], at(1))
    commit = node.prepare(
        2,
        created=[new_run(6, owner=node.id, id="taken"), new_run(7, owner=node.id)],
        held=[*node.held(1, 2, 3), *node.held(8)],
        steps=[step(1, 1), step(8, 1)],
        ended=[ended(2)],
        released=[released(3)],
        claim=ClaimRequest(["order@1"], 10),
    )
    assert await store.recover_commit(commit) is None

    receipt = await store.commit(commit)
    recovered = await store.recover_commit(commit)

    assert recovered is not None
    assert (
        (recovered.lost, recovered.existing)
        == (receipt.lost, receipt.existing)
        == ({key(8)}, {key(6): key(4)})
    )
    claimed = {claim.run.key: claim for claim in recovered.claimed}
    assert claimed.keys() == {key(1), key(4), key(5), key(7)}
    assert [claimed[claim.run.key] for claim in receipt.claimed] == receipt.claimed
    assert not claimed[key(1)].is_new
    assert recovered.mail == receipt.mail != []


async def test_a_run_that_was_lost_to_another_node_is_recovered_as_lost(store: SqlStore) -> None:
    late, other = Node(store, "late", lease=5), Node(store, "other")
    await late.start(1, 2)
    await other.claim(limit=1, now=6)
    commit = late.prepare(6, held=late.held(1, 2), ended=[ended(1), ended(2)])

    receipt = await store.commit(commit)
    recovered = await store.recover_commit(commit)

    assert recovered is not None
    assert recovered.lost == receipt.lost == {key(1), key(2)}


async def test_a_later_or_an_earlier_commit_is_not_taken_for_the_one_in_doubt(store: SqlStore) -> None:
    node = Node(store)
    assert await node.last_tick() is None

    await node.commit()
    await node.commit()

    assert await node.last_tick() == 2


async def test_a_cancelled_caller_does_not_interrupt_its_commit(store: SqlStore) -> None:
    node = Node(store)
    committing = asyncio.create_task(node.start(*range(1, 200)))
    await asyncio.sleep(0)

    committing.cancel()
    await asyncio.wait([committing])

    assert await node.last_tick() == 1
    assert len(await store.load_histories(SPACE, [key(n) for n in range(1, 200)])) == 199


async def test_a_run_that_ends_wakes_its_parent_with_a_message(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), created=[new_run(2, owner=node.id, parent=key(1), parent_seq=0)])
    await node.commit(held=node.held(1), released=[released(1, waiting=child_wait())])
    assert (await node.claim()).claimed == []

    await node.commit(1, held=node.held(2), ended=[ended(2, parent=1)])
    receipt = await node.claim(now=1)

    assert [claim.run.key for claim in receipt.claimed] == [key(1)]
    (message,) = receipt.mail
    assert (message.run, message.kind, message.name, message.payload) == (
        key(1),
        MessageKind.CHILD,
        "0",
        NULL,
    )
    (history,) = await store.load_histories(SPACE, [key(1)])
    (child,) = history.children
    assert (child.seq, child.key, child.status, child.output) == (0, key(2), RunStatus.SUCCESS, b'"bye"')


async def test_a_parent_that_is_over_hears_nothing(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.start(2, parent=key(1), parent_seq=0)
    await node.commit(held=node.held(1), ended=[ended(1)])

    await node.commit(held=node.held(2), ended=[ended(2, parent=1)])

    (history,) = await store.load_histories(SPACE, [key(1)])
    assert (history.messages, history.run.wake_at) == ([], None)


async def test_parent_and_child_that_end_in_one_commit_leave_no_mail(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.start(2, parent=key(1), parent_seq=0)

    await node.commit(held=node.held(1, 2), ended=[ended(2, parent=1), ended(1)])

    (history,) = await store.load_histories(SPACE, [key(1)])
    assert (history.run.status, history.messages) == (RunStatus.SUCCESS, [])


async def test_messages_of_a_commit_reach_runs_of_the_same_commit_and_no_run_that_is_over(
    store: SqlStore,
) -> None:
    node = Node(store)
    await node.start(1, 2)
    await node.commit(held=node.held(2), ended=[ended(2)])

    await node.commit(
        held=node.held(1),
        created=[new_run(3, parent=key(1), parent_seq=0)],
        messages=[signal(3), signal(2), signal(99), resolved(3), resolved(3)],
    )

    new, over = await store.load_histories(SPACE, [key(3), key(2)])
    assert [message.kind for message in new.messages] == [MessageKind.SIGNAL, MessageKind.RESOLVED]
    assert over.messages == []


async def test_a_taken_message_is_not_delivered_again(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [signal(1, "a"), signal(1, "b")], at(1))
    first, second = (await node.commit(1, collect=True)).mail

    await node.commit(2, held=node.held(1), steps=[step(1, 1)], taken=[TakenMessage(key(1), first.id, 1)])
    await store.post_messages(SPACE, [signal(1, "c")], at(3))
    receipt = await node.commit(3, collect=True)

    assert [message.name for message in receipt.mail] == ["b", "c"]
    assert second.id < receipt.mail[1].id
    (history,) = await store.load_histories(SPACE, [key(1)])
    assert [message.taken for message in history.messages] == [1, None, None]


async def test_tasks_are_read_in_pages(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), tasks=[new_task(1, seq) for seq in range(1, 6)])

    pages = [await store.list_tasks(SPACE, key(1), since, 2) for since in (0, 2, 5, 6)]

    assert [[task.seq for task in page] for page in pages] == [[0, 1], [2, 3], [5], []]
    assert len(await store.list_tasks(SPACE, key(1))) == 6


async def test_a_question_for_a_commit_that_comes_late_takes_no_mail_away(store: SqlStore) -> None:
    """Its line may be lost, and the node goes on with the answer to another one. Nobody reads this one."""
    node = Node(store)
    commit = node.prepare(created=[new_run(1, owner=node.id)], steps=[step(1)])
    await store.commit(commit)
    await store.post_messages(SPACE, [signal(1)], at(1))

    unread = await store.recover_commit(commit)
    work = await store.next_work(SPACE, node.id, [])
    collected = await node.commit(2, collect=True)

    assert unread is not None
    assert work.has_mail
    assert [message.id for message in collected.mail] == [message.id for message in unread.mail] != []
