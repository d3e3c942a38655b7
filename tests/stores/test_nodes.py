"""Nodes that are known to be dead need not be waited for; and where a version of a workflow was found."""

from __future__ import annotations

import pytest
from tests.stores.builders import SPACE, Node, at, ended, key, released, signal, step

from holdfast.core.records import Definition
from holdfast.core.values import RunStatus
from holdfast.errors import VersionConflict
from holdfast.ports.commits import ClaimRequest
from holdfast.stores import SqlStore


async def claim_now(node: Node, **rows: object) -> list[bytes]:
    """What it gets by the store's own clock: that is the one by which the dead are buried."""
    seconds = (await node.store.now() - at(0)) / 1_000_000 + 1
    receipt = await node.commit(seconds, claim=ClaimRequest(["order@1"], 10), **rows)
    return [claim.run.key for claim in receipt.claimed]


# --- nodes


async def test_every_node_with_a_lease_is_listed_also_one_that_has_run_out(store: SqlStore) -> None:
    await Node(store, "a", lease=-5).commit()
    await Node(store, "b").commit()
    await Node(store, "c", namespace="elsewhere").commit()
    await Node(store, "d").commit()
    await store.remove_node(SPACE, Node(store, "d").id)

    assert sorted(await store.list_nodes(SPACE)) == ["a", "b"]
    assert await store.list_nodes("elsewhere") == ["c"]
    assert await store.list_nodes("nowhere") == []


async def test_the_runs_of_a_buried_node_are_taken_at_once_and_it_is_fenced_out(store: SqlStore) -> None:
    forever = 10 * 365 * 86_400
    dead, alive = Node(store, "dead", lease=forever), Node(store, "alive", lease=forever)
    await dead.start(1)
    await alive.start(2)

    await store.expire_nodes(SPACE, ["dead"])

    assert await store.list_nodes(SPACE) == ["alive"]
    assert await claim_now(alive) == [key(1)]
    late = await dead.commit(1, held=dead.held(1), steps=[step(1, 1)], ended=[ended(1)])
    assert late.lost == {key(1)}
    (history,) = await store.load_histories(SPACE, [key(1)])
    assert (history.run.owner, history.run.epoch, len(history.steps)) == ("alive", 2, 1)


async def test_a_run_that_a_buried_node_had_has_had_a_setback_and_others_have_not(store: SqlStore) -> None:
    dead, alive = Node(store, "dead"), Node(store, "alive")
    await dead.start(1, 2)
    await dead.commit(held=dead.held(2), released=[released(2)])
    await alive.start(3)

    await store.expire_nodes(SPACE, ["dead", "never seen"])

    histories = await store.load_histories(SPACE, [key(1), key(2), key(3)])
    assert [history.run.setbacks for history in histories] == [1, 0, 0]
    assert [history.run.owner for history in histories] == [None, None, "alive"]
    assert histories[1].run.wake_at is None


async def test_several_are_buried_at_once_and_a_second_burial_changes_nothing(store: SqlStore) -> None:
    dead = [Node(store, f"dead-{number}") for number in range(3)]
    for number, node in enumerate(dead):
        await node.start(number)

    await store.expire_nodes(SPACE, [node.id for node in dead])
    await store.expire_nodes(SPACE, [node.id for node in dead])
    await store.expire_nodes(SPACE, [])

    histories = await store.load_histories(SPACE, [key(number) for number in range(3)])
    assert [history.run.setbacks for history in histories] == [1, 1, 1]
    assert await store.list_nodes(SPACE) == []
    assert await store.stranded_runs(SPACE, at(0)) == []


async def test_mail_for_a_run_of_a_buried_node_is_read_by_the_next(store: SqlStore) -> None:
    dead, alive = Node(store, "dead"), Node(store, "alive")
    await dead.start(1)
    await store.post_messages(SPACE, [signal(1)], at(1))
    await dead.commit(2, collect=True)

    await store.expire_nodes(SPACE, ["dead"])

    seconds = (await store.now() - at(0)) / 1_000_000 + 1
    receipt = await alive.claim(now=seconds)
    assert [claim.run.status for claim in receipt.claimed] == [RunStatus.RUNNING]
    assert [message.name for message in receipt.mail] == ["go"]


# --- definitions


ORDER = Definition("order", "1", "dag", "hash", "tasks: {}\n# grüße 🎉", "etl/order.yaml")


async def test_a_definition_is_read_back_by_its_name_and_version(store: SqlStore) -> None:
    await store.register_definitions(
        SPACE, [ORDER, ORDER._replace(version="2"), ORDER._replace(name="mail")], at(0)
    )
    await store.register_definitions("elsewhere", [ORDER._replace(source="another")], at(0))

    asked = [("mail", "1"), ("order", "2"), ("order", "3"), ("nobody", "1")]
    found = await store.find_definitions(SPACE, asked)

    assert sorted(found) == [ORDER._replace(name="mail"), ORDER._replace(version="2")]
    assert await store.find_definitions("elsewhere", [("order", "1")]) == [ORDER._replace(source="another")]
    assert await store.find_definitions(SPACE, []) == []


async def test_what_a_version_is_stays_and_where_it_was_found_last_is_kept(store: SqlStore) -> None:
    await store.register_definitions(SPACE, [ORDER], at(0))

    moved = ORDER._replace(origin="elsewhere/order.yaml", source="another text of the same meaning")
    await store.register_definitions(SPACE, [moved], at(1))

    assert await store.find_definitions(SPACE, [("order", "1")]) == [ORDER._replace(origin=moved.origin)]


async def test_a_version_that_is_refused_changes_nothing_of_what_is_known(store: SqlStore) -> None:
    await store.register_definitions(SPACE, [ORDER], at(0))

    changed = ORDER._replace(hash="another", origin="elsewhere.yaml")
    with pytest.raises(VersionConflict, match="'order' version '1'"):
        await store.register_definitions(SPACE, [ORDER._replace(name="new"), changed], at(1))

    assert await store.find_definitions(SPACE, [("order", "1"), ("new", "1")]) == [ORDER]
