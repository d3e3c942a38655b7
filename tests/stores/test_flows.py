"""Flows: a name with numbered versions, of which those that are published never change."""

from __future__ import annotations

import asyncio

import pytest
from tests.stores.builders import SPACE, at

from holdfast.core.records import Definition
from holdfast.errors import VersionConflict
from holdfast.ports.flows import DRAFT, PUBLISHED, FlowRecord, FlowVersion, definition_of
from holdfast.stores import SqlStore


def version(number: int = 1, *, hash: str = "h1", status: str = PUBLISHED, source: str = "{}") -> FlowVersion:
    return FlowVersion("orders", number, status, hash, source, at(number))


async def test_a_flow_is_found_under_its_name(store: SqlStore) -> None:
    flow = await store.create_flow(SPACE, "orders", "of the shop: grüße", at(1))

    assert flow == FlowRecord("orders", "orders", "of the shop: grüße", at(1))
    assert await store.find_flow(SPACE, "orders") == flow
    assert await store.find_flow("elsewhere", "orders") is None
    assert await store.find_flow(SPACE, "Orders") is None


async def test_a_name_that_is_taken_gets_a_number(store: SqlStore) -> None:
    await store.register_definitions(SPACE, [Definition("orders-3", "1", "code", "h", "def …")], at(0))
    await store.register_definitions(SPACE, [Definition("mail", "1", "dag", "h", "steps: []")], at(0))

    ids = [(await store.create_flow(SPACE, "orders", "", at(number))).id for number in range(4)]

    assert ids == ["orders", "orders-2", "orders-4", "orders-5"]
    mail = await store.create_flow(SPACE, "mail", "", at(9))
    assert (mail.id, mail.name) == ("mail-2", "mail")
    assert (await store.create_flow("elsewhere", "mail", "", at(9))).id == "mail"
    assert (await store.create_flow(SPACE, "orders-2", "", at(9))).id == "orders-2-2"


async def test_flows_created_at_once_have_different_ids(pair: tuple[SqlStore, SqlStore]) -> None:
    created = await asyncio.gather(*(pair[n % 2].create_flow(SPACE, "orders", "", at(n)) for n in range(20)))

    expected = {"orders", *(f"orders-{number}" for number in range(2, 21))}
    assert {flow.id for flow in created} == expected


async def test_flows_are_listed_newest_first_by_the_page(store: SqlStore) -> None:
    for number in (1, 3, 2, 3):
        await store.create_flow(SPACE, f"f{number}", "", at(number))
    await store.create_flow("elsewhere", "other", "", at(9))

    assert [flow.id for flow in (await store.list_flows(SPACE, 10, 0))[0]] == ["f3-2", "f3", "f2", "f1"]
    second, total = await store.list_flows(SPACE, 2, 2)
    assert ([flow.id for flow in second], total) == (["f2", "f1"], 4)
    assert await store.list_flows(SPACE, 2, 100) == ([], 4)
    assert await store.list_flows("nowhere", 2, 0) == ([], 0)


async def test_versions_are_listed_by_number_the_highest_first(store: SqlStore) -> None:
    versions = {number: version(number, hash=f"h{number}") for number in (1, 10, 9, 2)}
    for each in versions.values():
        assert await store.write_flow_version(SPACE, each, None)

    assert await store.list_flow_versions(SPACE, "orders") == [versions[number] for number in (10, 9, 2, 1)]
    assert await store.list_flow_versions(SPACE, "order") == []
    assert await store.list_flow_versions("elsewhere", "orders") == []
    assert await store.find_flow_version(SPACE, "orders", 9) == versions[9]
    assert await store.find_flow_version(SPACE, "orders", None) == versions[10]
    assert await store.find_flow_version(SPACE, "orders", 3) is None


async def test_other_workflows_of_that_name_are_no_versions_of_the_flow(store: SqlStore) -> None:
    await store.register_definitions(SPACE, [Definition("orders", "7", "code", "h", "def …")], at(0))
    await store.register_definitions(SPACE, [Definition("orders", "a7", "flow", "h", "{}")], at(0))

    assert await store.list_flow_versions(SPACE, "orders") == []
    assert await store.find_flow_version(SPACE, "orders", 7) is None


async def test_a_published_version_is_never_changed(store: SqlStore) -> None:
    await store.write_flow_version(SPACE, version(hash="h1"), None)
    other = version(hash="h2", source="{1}")

    assert not await store.write_flow_version(SPACE, other, None)
    assert not await store.write_flow_version(SPACE, other, "h1")
    assert not await store.write_flow_version(SPACE, version(hash="h1", status=DRAFT), "h1")

    assert await store.list_flow_versions(SPACE, "orders") == [version(hash="h1")]
    with pytest.raises(VersionConflict):
        await store.register_definitions(SPACE, [Definition("orders", "1", "flow", "h2", "{}")], at(9))


async def test_a_draft_is_replaced_by_whoever_has_seen_it_as_it_is(store: SqlStore) -> None:
    await store.write_flow_version(SPACE, version(hash="h1", status=DRAFT), None)
    second = version(hash="h2", status=DRAFT, source="{2}")

    assert await store.write_flow_version(SPACE, second, "h1")
    assert not await store.write_flow_version(SPACE, version(hash="h3", status=DRAFT), "h1")
    assert not await store.write_flow_version(SPACE, version(hash="h3", status=DRAFT), None)
    assert not await store.write_flow_version("elsewhere", version(hash="h3", status=DRAFT), "h2")

    assert await store.list_flow_versions(SPACE, "orders") == [second]


async def test_a_draft_is_published_once(store: SqlStore) -> None:
    draft = version(2, status=DRAFT)
    await store.write_flow_version(SPACE, version(1), None)
    await store.write_flow_version(SPACE, draft, None)
    assert await store.find_flow_version(SPACE, "orders", None) == version(1)
    assert await store.find_flow_version(SPACE, "orders", 2) == draft
    assert await store.find_published_definition(SPACE, "orders", None) == definition_of(version(1))
    assert await store.find_published_definition(SPACE, "orders", 2) is None

    assert await store.write_flow_version(SPACE, draft._replace(status=PUBLISHED), "h1")

    assert not await store.write_flow_version(SPACE, draft, "h1")
    assert await store.find_flow_version(SPACE, "orders", None) == version(2)
    assert await store.find_published_definition(SPACE, "orders", 2) == definition_of(version(2))


async def test_nodes_learn_what_is_published_and_no_draft(store: SqlStore) -> None:
    await store.write_flow_version(SPACE, version(1, source="start: a"), None)
    await store.write_flow_version(SPACE, version(2, status=DRAFT), None)

    known = await store.find_definitions(SPACE, [("orders", "1"), ("orders", "2")])

    assert known == [Definition("orders", "1", "flow", "h1", "start: a", is_published=True)]


async def test_of_two_who_write_one_number_at_once_one_is_refused(pair: tuple[SqlStore, SqlStore]) -> None:
    for number in range(10):
        written = await asyncio.gather(
            *(
                store.write_flow_version(SPACE, version(number, hash=f"{n}"), None)
                for n, store in enumerate(pair)
            )
        )
        assert sorted(written) == [False, True]
