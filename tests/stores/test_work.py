"""Who gets which run, when, and what happens to the runs of a node that dies."""

from __future__ import annotations

import asyncio

import pytest
from tests.patience import PATIENCE
from tests.stores.builders import (
    SPACE,
    TIMER_WAIT,
    Node,
    at,
    child_wait,
    ended,
    key,
    new_run,
    new_task,
    released,
    signal,
    step,
    turn_of,
)

from holdfast.core.commands import ContinueRun
from holdfast.core.journal import write_step
from holdfast.core.records import MessageKind
from holdfast.core.values import Payload, RunStatus
from holdfast.ports.commits import ClaimRequest, NewMessage, NewStep, ProvedRun, Receipt
from holdfast.ports.nodes import NextWork
from holdfast.ports.runs import Act, ParkedRunCancellation, RunFilter
from holdfast.stores import SqlStore, store_for
from holdfast.stores.commit_script import write_commit
from holdfast.stores.database import Transaction


async def test_due_runs_are_taken_oldest_first_and_each_claim_has_the_same_share(store: SqlStore) -> None:
    node = Node(store)
    due = {1: 5, 2: 3, 3: 4, 4: 1, 5: 60}
    claims = {1: "order@1", 2: "mail@1", 3: "order@1", 4: "mail@1", 5: "order@1"}
    runs = [new_run(n, wake_at=at(due[n]), claim=claims[n]) for n in due]
    await store.create_runs(SPACE, runs)

    first = await node.claim("order@1", "mail@1", "none@1", limit=2, now=10)
    second = await node.claim("order@1", "mail@1", "none@1", limit=2, now=10)

    assert [claim.run.key for claim in first.claimed] == [key(4), key(3)]
    assert [claim.run.key for claim in second.claimed] == [key(2), key(1)]


async def test_a_claim_whose_backlog_is_older_does_not_keep_another_waiting(store: SqlStore) -> None:
    node = Node(store)
    backlog = [new_run(n, wake_at=at(n / 100), claim="order@1") for n in range(1, 21)]
    await store.create_runs(SPACE, [*backlog, new_run(99, wake_at=at(5), claim="mail@1")])

    taken = await node.claim("order@1", "mail@1", limit=10, now=10)

    assert key(99) in [claim.run.key for claim in taken.claimed]


async def test_of_claims_with_urgent_runs_the_one_that_waited_longest_comes_first(store: SqlStore) -> None:
    node = Node(store)
    due = {1: 4, 2: 6, 3: 8, 4: 5, 5: 7, 6: 3, 7: 1}
    claims = {1: "a@1", 2: "a@1", 3: "a@1", 4: "b@1", 5: "b@1", 6: "c@1", 7: "c@1"}
    priorities = dict.fromkeys(range(1, 7), 9) | {7: 1}
    runs = [new_run(n, wake_at=at(due[n]), claim=claims[n], priority=priorities[n]) for n in due]
    await store.create_runs(SPACE, runs)

    taken = [await node.claim("a@1", "b@1", "c@1", limit=2, now=10) for _ in range(4)]

    keys = [sorted(claim.run.key for claim in each.claimed) for each in taken]
    assert keys == [[key(1), key(6)], [key(4), key(5)], [key(2), key(3)], [key(7)]]


async def test_idle_nodes_know_of_each_other_while_they_look_for_work(postgres_url: str) -> None:
    store = store_for(postgres_url)
    await store.open()
    first, second, other = Node(store, "node-1"), Node(store, "node-2"), Node(store, "node-3")

    async def peers(node: Node, now: float, serves: str = "a") -> int | None:
        return (await store.next_work(SPACE, node.id, ["order@1"], (), serves, at(now))).peers

    assert await peers(first, 0) == 0  # nobody knows of it
    await first.commit(0, serves="a")
    await second.commit(0, serves="a")
    await other.commit(0, serves="b")
    assert await peers(first, 1) == await peers(second, 1) == 2
    assert await peers(first, 40) == 2
    await second.commit(80, serves="a", claim=ClaimRequest(["order@1"], 10))  # all leases have run out
    assert await store.list_nodes(SPACE) == ["node-1", "node-2"]
    assert await peers(second, 90) == 2
    assert await peers(second, 120) == 1
    await second.commit(120, serves="a", claim=ClaimRequest(["order@1"], 10))
    assert await store.list_nodes(SPACE) == ["node-2"]
    await store.close()


async def test_a_node_that_dies_with_runs_is_reaped_though_it_was_just_seen(postgres_url: str) -> None:
    store = store_for(postgres_url)
    await store.open()
    dead, alive = Node(store, "node-1"), Node(store, "node-2")
    await dead.start(1)
    await dead.commit(serves="a")
    await store.next_work(SPACE, dead.id, [], (), "a", at(1))

    taken = await alive.claim(now=11)

    assert [claim.run.key for claim in taken.claimed] == [key(1)]
    await store.close()


@pytest.mark.parametrize(("setbacks", "due", "taken"), [(0, 64, 32), (1, 36, 8)])
async def test_a_claim_locks_no_more_runs_than_it_takes(
    postgres_url: str, setbacks: int, due: int, taken: int
) -> None:
    """Two nodes that claim at the same time both get something."""
    first, second = store_for(postgres_url), store_for(postgres_url)
    await first.open()
    await second.open()
    claims = [f"flow-{n}@1" for n in range(4)]
    runs = [new_run(n, wake_at=at(1), claim=claims[n % 4], setbacks=setbacks) for n in range(1, due + 1)]
    await first.create_runs(SPACE, runs)

    def claim_while_claiming(tx: Transaction) -> tuple[Receipt, Receipt]:
        mine = write_commit(tx, Node(first).prepare(10, claim=ClaimRequest(claims, 32)))
        other = asyncio.run_coroutine_threadsafe(
            Node(second, "node-2").claim(*claims, limit=32, now=10), loop
        )
        return mine, other.result(PATIENCE)

    loop = asyncio.get_running_loop()
    receipts = await first._driver.write(claim_while_claiming)

    assert [len(receipt.claimed) for receipt in receipts] == [taken, taken]
    assert not {it.run.key for it in receipts[0].claimed} & {it.run.key for it in receipts[1].claimed}
    await first.close()
    await second.close()


async def test_who_is_asked_to_end_comes_before_all_that_was_created_since(store: SqlStore) -> None:
    node = Node(store)
    waiting = {"wake_at": None, "waiting": "children", "status": RunStatus.RUNNING}
    older = new_run(1, created_at=at(0), **waiting)
    parked = new_run(2, created_at=at(1), wake_at=None, status=RunStatus.PARKED)
    younger = [new_run(n, created_at=at(n), wake_at=at(n)) for n in (3, 4, 5)]
    await store.create_runs(SPACE, [older, parked, *younger])

    asked = [NewMessage(key(n), MessageKind.CANCEL, "", Payload(b'"enough"'), None) for n in (5, 2, 1)]
    await store.post_messages(SPACE, asked, at(9))
    first = await node.claim(limit=3, now=10)

    assert [claim.run.key for claim in first.claimed] == [key(1), key(2), key(3)]


async def test_who_is_asked_to_end_comes_before_all_that_was_created_at_the_same_time(
    store: SqlStore,
) -> None:
    node = Node(store)
    await store.create_runs(SPACE, [new_run(n, created_at=at(0), wake_at=at(0)) for n in range(1, 30)])

    for number in (7, 29):
        asked = NewMessage(key(number), MessageKind.CANCEL, "", Payload(b'"enough"'), None)
        await store.post_messages(SPACE, [asked], at(9))
    first = await node.claim(limit=2, now=10)

    assert [claim.run.key for claim in first.claimed] == [key(7), key(29)]


async def test_a_claimed_run_is_owned_and_running_under_a_new_epoch(store: SqlStore) -> None:
    node = Node(store)
    await store.create_runs(SPACE, [new_run(1)])

    (claim,) = (await node.claim(now=5)).claimed

    assert claim.is_new
    assert (claim.run.owner, claim.run.epoch, claim.run.status) == (node.id, 1, RunStatus.RUNNING)
    assert (claim.run.wake_at, claim.run.waiting, claim.run.started_at) == (None, None, at(5))
    assert (await store.load_histories(SPACE, [key(1)]))[0].run == claim.run


async def test_a_run_that_has_moved_before_is_not_new_and_keeps_its_start(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(1, held=node.held(1), released=[released(1, wake_at=at(2))])

    (claim,) = (await node.claim(now=3)).claimed

    assert not claim.is_new
    assert (claim.run.epoch, claim.run.started_at) == (2, at(0))


async def test_runs_of_other_workflows_and_namespaces_are_left_alone(store: SqlStore) -> None:
    node = Node(store)
    await store.create_runs(SPACE, [new_run(1, claim="other@1")])
    await store.create_runs("elsewhere", [new_run(2, namespace="elsewhere")])

    receipt = await node.claim("order@1")

    assert receipt.claimed == []
    assert await store.next_work(SPACE, node.id, ["order@1"]) == NextWork(None, None, False, None)


async def test_two_nodes_that_claim_at_once_share_the_runs(pair: tuple[SqlStore, SqlStore]) -> None:
    nodes = [Node(store, f"node-{number}") for number, store in enumerate(pair)]
    await pair[0].create_runs(SPACE, [new_run(n) for n in range(100)])

    taken: list[bytes] = []
    for _ in range(20):
        receipts = await asyncio.gather(*(node.claim(limit=7) for node in nodes))
        taken += [claim.run.key for receipt in receipts for claim in receipt.claimed]

    assert sorted(taken) == [key(n) for n in range(100)]


async def test_a_peek_finds_the_earliest_due_time_of_all_its_workflows(store: SqlStore) -> None:
    await store.create_runs(SPACE, [new_run(n, claim=f"flow-{n % 3}@1", wake_at=at(n)) for n in range(9)])

    peek = await store.next_work(SPACE, Node(store).id, ["flow-2@1", "flow-1@1", "none@1"])

    assert (peek.wake_at, peek.expires_at, peek.has_mail) == (at(1), None, False)


async def test_a_released_run_sleeps_until_it_is_due(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)

    await node.commit(held=node.held(1), released=[released(1, wake_at=at(60), waiting=TIMER_WAIT)])

    assert (await node.claim(now=59)).claimed == []
    assert (await store.next_work(SPACE, node.id, ["order@1"])).wake_at == at(60)
    assert [claim.run.key for claim in (await node.claim(now=60)).claimed] == [key(1)]


async def test_a_message_that_came_before_the_release_still_wakes_the_run(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2, 3)
    await store.post_messages(SPACE, [signal(1), signal(2)], at(1))

    await node.commit(
        2,
        held=node.held(1, 2, 3),
        released=[released(1), released(2, wake_at=at(60)), released(3, wake_at=at(0.5))],
    )
    receipt = await node.claim(now=2)

    assert {claim.run.key for claim in receipt.claimed} == {key(1), key(2), key(3)}
    assert [message.run for message in receipt.mail] == [key(1), key(2)]


async def test_a_message_after_the_release_wakes_the_run(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), released=[released(1, wake_at=at(60))])

    await store.post_messages(SPACE, [signal(1)], at(5))

    assert (await store.next_work(SPACE, node.id, ["order@1"])).wake_at == at(5)
    assert [message.name for message in (await node.claim(now=5)).mail] == ["go"]


async def test_mail_of_an_owned_run_is_collected_once_by_its_owner(store: SqlStore) -> None:
    node, other = Node(store), Node(store, "node-2")
    await node.start(1)
    await store.post_messages(SPACE, [signal(1)], at(1))
    assert (await store.next_work(SPACE, node.id, [])).has_mail
    assert not (await store.next_work(SPACE, other.id, [])).has_mail

    assert (await other.claim(now=1)).mail == []
    assert [message.name for message in (await node.commit(1, collect=True)).mail] == ["go"]
    assert not (await store.next_work(SPACE, node.id, [])).has_mail
    assert (await node.commit(1, collect=True)).mail == []


async def test_a_commit_that_does_not_collect_leaves_the_mail(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [signal(1)], at(1))

    assert (await node.commit(1)).mail == []
    assert (await store.next_work(SPACE, node.id, [])).has_mail


async def test_a_dead_nodes_runs_go_to_another_and_its_late_commit_is_fenced_out(store: SqlStore) -> None:
    dead, alive = Node(store, "dead", lease=5), Node(store, "alive")
    await dead.start(1)
    assert (await store.next_work(SPACE, alive.id, ["order@1"])).expires_at == at(5)
    assert (await alive.claim(now=5)).claimed == []

    (claim,) = (await alive.claim(now=5.1)).claimed
    late = await dead.commit(6, held=dead.held(1), steps=[step(1, 1)], ended=[ended(1)])

    assert (claim.run.key, claim.run.owner, claim.run.epoch, claim.is_new) == (key(1), alive.id, 2, False)
    assert late.lost == {key(1)}
    (history,) = await store.load_histories(SPACE, [key(1)])
    assert (history.run.owner, len(history.steps)) == (alive.id, 1)


async def test_a_reaped_node_is_not_known_any_more(store: SqlStore) -> None:
    dead, alive = Node(store, "dead", lease=5), Node(store, "alive")
    await dead.start(1)

    await alive.claim(now=6)

    assert await dead.last_tick() is None


async def test_runs_of_a_dead_node_that_nobody_here_may_claim_are_free_for_others(
    store: SqlStore,
) -> None:
    dead, alive, third = Node(store, "dead", lease=5), Node(store, "alive"), Node(store, "third")
    await dead.start(1, claim="other@1")

    assert (await alive.claim("order@1", now=6)).claimed == []

    assert [claim.run.key for claim in (await third.claim("other@1", now=6)).claimed] == [key(1)]


async def test_a_node_in_another_namespace_is_not_reaped(store: SqlStore) -> None:
    elsewhere, here = Node(store, "elsewhere", lease=5, namespace="elsewhere"), Node(store, "here")
    await elsewhere.start(1)

    await here.claim(now=60)

    assert await elsewhere.last_tick() == 1


async def test_a_node_that_leaves_hands_its_runs_over_at_once(store: SqlStore) -> None:
    node, other = Node(store), Node(store, "node-2")
    await node.start(1)

    await store.remove_node(SPACE, node.id)

    now = await store.now()
    receipt = await store.commit(
        other.prepare((now - at(0)) / 1_000_000 + 1, claim=ClaimRequest(["order@1"], 10))
    )
    assert [claim.run.key for claim in receipt.claimed] == [key(1)]
    assert await node.last_tick() is None


async def test_a_parked_run_is_not_taken_whatever_is_posted_to_it(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.post_messages(SPACE, [signal(1)], at(0))
    await node.commit(held=node.held(1), released=[released(1, status=RunStatus.PARKED)])

    await store.post_messages(SPACE, [signal(1)], at(1))
    assert (await node.claim(now=9)).claimed == []
    assert await store.unpark_runs(SPACE, [key(1), key(2)], at(9)) == [key(1)]

    receipt = await node.claim(now=9)
    assert [claim.run.key for claim in receipt.claimed] == [key(1)]
    assert len(receipt.mail) == 2
    assert await store.unpark_runs(SPACE, [key(1)], at(9)) == []


async def test_timers_are_not_moved_in_a_chapter_that_has_not_begun(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    last = write_step(at(1), [], [ContinueRun(1, Payload(b"{}"), 1, 0, 0, None, ())])
    await node.commit(1, held=node.held(1), steps=[NewStep(key(1), 1, last)], released=[released(1)])
    await store.act_on_runs(SPACE, [Act(key(1), MessageKind.PAUSE, "", "ada", "")], at(2))

    assert await store.unpark_runs(SPACE, [key(1)], at(9), moves_timers=True) == [key(1)]

    (history,) = await store.load_histories(SPACE, [key(1)])
    assert len(history.steps) == 2


async def test_a_parked_run_can_be_cancelled_and_tells_its_parent(store: SqlStore) -> None:
    reason = b'{"type":"cancelled","message":"enough"}'
    node = Node(store)
    await node.start(1)
    await node.start(2, parent=key(1), parent_seq=0)
    assert not await store.cancel_parked_run(SPACE, ParkedRunCancellation(key(2), 1, reason, [], at(1)))
    await node.commit(held=node.held(2), released=[released(2, status=RunStatus.PARKED)])

    assert not await store.cancel_parked_run(
        SPACE, ParkedRunCancellation(key(2), 2, reason, [signal(1)], at(1))
    )
    assert await store.cancel_parked_run(SPACE, ParkedRunCancellation(key(2), 1, reason, [signal(1)], at(1)))

    (run,) = await store.ended_runs(SPACE, [key(1), key(2)])
    assert (run.key, run.status, run.finished_at) == (key(2), RunStatus.CANCELLED, at(1))
    assert run.failure is not None
    assert run.failure.message == "enough"
    assert [message.name for message in (await node.commit(2, collect=True)).mail] == ["go", "0"]


async def test_every_reason_to_be_stranded_is_found_and_no_run_with_a_reason_to_wake(store: SqlStore) -> None:
    node = Node(store)
    await node.start(*range(1, 9))
    await node.start(10, parent=key(5), parent_seq=0)
    await node.start(11, parent=key(6), parent_seq=0)
    await node.start(13, parent=key(7), parent_seq=0)
    await node.start(14, parent=key(6), parent_seq=1)
    await node.commit(
        held=node.held(1, 2, 3, 4, 5, 6, 7, 10, 13, 14),
        released=[
            released(1, waiting=None),
            released(2, wake_at=at(60), waiting=None),
            released(3),
            released(4, status=RunStatus.PARKED, waiting=None),
            released(5, waiting=child_wait()),
            released(6, waiting=child_wait()),
            released(13, waiting=turn_of("7")),
            released(14, waiting=turn_of("6")),
        ],
        ended=[ended(7), ended(10)],
    )
    await node.commit(created=[new_run(12, owner="ghost")], tasks=[new_task(12)])

    stranded = await store.stranded_runs(SPACE, at(0))

    assert [(found.run, found.problem) for found in stranded] == [
        (key(1), "it waits for nothing"),
        (key(5), "it waits for children that have all ended"),
        (key(12), "its node ghost is gone, and no node has freed the run"),
        (key(13), "it waits until its parent wakes it, but its parent has ended; retry the parent"),
    ]


async def test_a_run_that_a_dead_node_had_has_had_a_setback_and_one_that_was_handed_back_has_not(
    store: SqlStore,
) -> None:
    dead, leaving = Node(store, "dead", lease=5), Node(store, "leaving", lease=500)
    await dead.start(1)
    await leaving.start(2)
    await store.remove_node(SPACE, leaving.id)

    await Node(store).claim(now=6)

    found = await store.list_runs(SPACE, RunFilter())
    assert {run.key: run.setbacks for run in found} == {key(1): 1, key(2): 0}


async def test_runs_with_setbacks_are_taken_in_ever_smaller_company_and_do_not_hold_up_others(
    store: SqlStore,
) -> None:
    node = Node(store)
    setbacks = {1: 0, 2: 3, 3: 0, 4: 1, 5: 0, 6: 0, 7: 8}
    await store.create_runs(SPACE, [new_run(n, wake_at=at(n), setbacks=setbacks[n]) for n in setbacks])

    taken = [(await node.claim(limit=16, now=10)).claimed for _ in range(4)]

    numbers = [[claim.run.key[-1] for claim in claimed] for claimed in taken]
    assert numbers == [[1, 3, 4, 5], [2], [6], [7]]


async def test_setbacks_are_forgotten_once_a_run_has_moved_was_let_go_or_is_resumed_but_not_when_it_is_parked(
    store: SqlStore,
) -> None:
    node = Node(store)
    await store.create_runs(SPACE, [new_run(n, setbacks=1) for n in (1, 2, 3, 4)])
    await node.claim(limit=16)
    parked = [released(n, status=RunStatus.PARKED) for n in (3, 4)]

    await node.commit(
        held=node.held(1, 2, 3, 4),
        proved=[ProvedRun(key(1))],
        released=[released(2), *parked],
    )
    await store.unpark_runs(SPACE, [key(4)], at(1))

    found = await store.list_runs(SPACE, RunFilter())
    assert {run.key[-1]: run.setbacks for run in found} == {1: 0, 2: 0, 3: 2, 4: 0}


async def test_a_parked_run_that_is_to_be_tried_again_is_taken_when_it_is_due_and_not_before(
    store: SqlStore,
) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), released=[released(1, status=RunStatus.PARKED, wake_at=at(5))])
    await store.post_messages(SPACE, [signal(1)], at(1))

    early = await node.claim(now=4)
    (claim,) = (await node.claim(now=5)).claimed

    assert early.claimed == []
    assert (claim.run.status, claim.run.failure, claim.run.setbacks) == (RunStatus.RUNNING, None, 1)


async def test_a_parked_run_that_is_cancelled_is_not_tried_again(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), released=[released(1, status=RunStatus.PARKED, wake_at=at(5))])

    reason = b'{"type":"cancelled","message":"enough"}'
    assert await store.cancel_parked_run(SPACE, ParkedRunCancellation(key(1), 1, reason, [], at(1)))

    assert (await node.claim(now=9)).claimed == []
