"""Flows and their versions, as programs that do not use HTTP see them."""

from __future__ import annotations

from typing import Any, cast

import pytest

from holdfast import Catalog, Holdfast
from holdfast.client.flows import Flows, parse_version_id, version_number
from holdfast.core.values import Instant
from holdfast.errors import (
    BadFlow,
    BadOption,
    CannotStore,
    FlowNotFound,
    NotPublished,
    VersionConflict,
    WrongType,
)
from holdfast.ports.flows import FlowReader, FlowRecord, FlowStore, FlowVersion


def flow(service: str) -> dict[str, Any]:
    return {"start": "a", "nodes": {"a": {"kind": "executor", "service": service}}, "edges": []}


async def test_a_version_is_published_found_and_compared(store_url: str):
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        made = await hf.flows.create("orders", "what is ordered")
        first = await hf.flows.publish("orders", flow("sum"))
        second = await hf.flows.publish("orders", flow("mul"))

        newest = await hf.flows.get("orders")
        [change] = await hf.flows.compare("orders", 1, 2)

        assert await hf.flows.describe("orders") == made
        assert (first.id, first.number, first.status) == ("orders@1", 1, "published")
        assert newest == second == (await hf.flows.versions("orders"))[0]
        assert (change.kind, change.before, change.after) == ("changed", "sum", "mul")


async def test_a_flow_that_is_called_like_another_gets_an_id_of_its_own(store_url: str):
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        ids = [(await hf.flows.create("orders")).id for _ in range(3)]

        assert ids == ["orders", "orders-2", "orders-3"]
        assert await hf.flows.names([*ids, "other"]) == dict.fromkeys(ids, "orders")


async def test_a_draft_can_be_saved_again_and_is_not_what_is_run(store_url: str):
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        await hf.flows.create("orders")
        draft = await hf.flows.save_draft("orders", flow("sum"))
        same = await hf.flows.save_draft("orders", flow("sum"))
        changed = await hf.flows.save_draft("orders", flow("mul"), 1)

        with pytest.raises(NotPublished):
            await hf.flows.get("orders")
        published = await hf.flows.publish("orders", version=1)

        assert draft == same
        assert (draft.number, changed.number, changed.status) == (1, 1, "draft")
        assert published.hash == changed.hash != draft.hash
        assert (await hf.flows.get("orders")) == published
        assert await hf.flows.publish("orders", version=1) == published


async def test_a_version_may_have_a_number_of_its_own_and_the_next_counts_from_it(store_url: str):
    async with Holdfast(store_url, catalog=Catalog()) as hf:
        await hf.flows.create("orders")
        await hf.flows.publish("orders", flow("sum"), 7)

        following = await hf.flows.publish("orders", flow("mul"))

        assert following.number == 8
        with pytest.raises(VersionConflict):
            await hf.flows.publish("orders", flow("mul"), 7)


async def test_a_version_whose_number_is_a_date_can_be_run_by_it(store_url: str):
    async with Holdfast(store_url, catalog=Catalog(), engine=False) as hf:
        await hf.flows.create("orders")
        made = await hf.flows.publish("orders", flow("sum"), 2026111601)
        await hf.flows.publish("orders", flow("mul"))

        run = await hf.start("orders", version=made.number)

        assert (await hf.describe(run)).version == "2026111601"


async def test_after_the_highest_number_there_is_no_next_one(store_url: str):
    async with Holdfast(store_url, catalog=Catalog(), engine=False) as hf:
        await hf.flows.create("orders")
        last = await hf.flows.publish("orders", flow("sum"), 2**31 - 1)

        with pytest.raises(BadOption, match="version is 2147483648"):
            await hf.flows.publish("orders", flow("mul"))

        assert await hf.flows.versions("orders") == [last]


async def test_what_is_not_there_is_not_found(sqlite_url: str):
    async with Holdfast(sqlite_url, catalog=Catalog()) as hf:
        await hf.flows.create("orders")
        await hf.flows.publish("orders", flow("sum"))

        for missing in (
            hf.flows.describe("refunds"),
            hf.flows.versions("refunds"),
            hf.flows.get("refunds"),
            hf.flows.get("\0"),
            hf.flows.get("orders", 2),
            hf.flows.publish("refunds", flow("sum")),
            hf.flows.publish("orders", version=2),
            hf.flows.compare("orders", 1, 2),
        ):
            with pytest.raises(FlowNotFound):
                await missing


@pytest.mark.parametrize("number", [0, -1, 2**31, True, "1", 1.0])
async def test_a_number_that_no_version_can_have_is_refused(number: Any):
    flows = flows_of(Busy())

    with pytest.raises(BadOption, match="version"):
        await flows.publish("orders", "{}", number)
    with pytest.raises(BadOption, match="version"):
        await flows.get("orders", number)


async def test_a_definition_that_is_none_is_refused(sqlite_url: str):
    async with Holdfast(sqlite_url, catalog=Catalog()) as hf:
        await hf.flows.create("orders")

        with pytest.raises(BadOption, match="definition"):
            await hf.flows.publish("orders")
        with pytest.raises(WrongType, match="definition"):
            await hf.flows.publish("orders", cast("Any", 5))
        with pytest.raises(CannotStore, match="definition"):
            await hf.flows.publish("orders", {"start": object()})
        with pytest.raises(BadFlow):
            await hf.flows.publish("orders", "start: nowhere")
        assert await hf.flows.versions("orders") == []


@pytest.mark.parametrize(("page", "size"), [(0, 10), (1, 0), (1, 1001), (10**9, 10), ("1", 10)])
async def test_a_page_that_cannot_be_is_refused(page: Any, size: Any):
    with pytest.raises(BadOption):
        await flows_of(Busy()).list(page, size)


@pytest.mark.parametrize("id", ["", "orders", "@1", "orders@"])
def test_an_id_that_names_no_version_is_refused(id: str):
    with pytest.raises(BadOption, match="flow_version_id"):
        parse_version_id(id)


def test_an_id_names_a_workflow_and_a_version():
    assert parse_version_id("orders@3") == ("orders", "3")
    assert parse_version_id("a@b@auto-12") == ("a@b", "auto-12")
    assert [version_number(text) for text in ("3", "auto-12", "-1", "\u0663", "9" * 11)] == [3] + [None] * 4


# --- others who write at the same time


class Busy:
    """A store in which somebody else is faster, as often as the test says."""

    def __init__(self, times: int = 0) -> None:
        self.versions: list[FlowVersion] = []
        self.times = times
        self.looked = 0

    async def find_flow(self, namespace: str, id: str) -> FlowRecord | None:
        self.looked += 1
        return FlowRecord(id, id.upper(), "", Instant(0)) if id == "orders" else None

    async def list_flow_versions(self, namespace: str, flow: str) -> list[FlowVersion]:
        return sorted(self.versions, key=lambda each: -each.number)

    async def write_flow_version(self, namespace: str, version: FlowVersion, replaces: str | None) -> bool:
        if self.times:
            self.times -= 1
            self.versions.append(version._replace(hash=f"other {self.times}", source="other"))
            return False
        self.versions.append(version)
        return True


class Reader:
    def check(self, source: str, *, is_json: bool | None) -> str:
        return source

    def compare(self, before: str, after: str) -> list[Any]:
        return []


def flows_of(store: Busy) -> Flows:
    reader: FlowReader = Reader()
    return Flows(
        cast("FlowStore", cast("Any", store)), reader, namespace="default", now=lambda: Instant(1_000_000)
    )


async def test_whoever_was_slower_gets_the_next_number():
    store = Busy(times=3)

    made = await flows_of(store).publish("orders", "mine")

    assert made.number == 4
    assert [each.source for each in store.versions] == ["other", "other", "other", "mine"]


async def test_whoever_wants_a_number_that_another_was_faster_with_is_told():
    with pytest.raises(VersionConflict):
        await flows_of(Busy(times=1)).publish("orders", "mine", 5)


async def test_nobody_tries_for_ever():
    with pytest.raises(VersionConflict):
        await flows_of(Busy(times=1000)).publish("orders", "mine")


async def test_the_names_of_flows_are_looked_up_once():
    store = Busy()
    flows = flows_of(store)

    first = await flows.names(["orders", "other", "orders"])
    second = await flows.names(["orders", "other"])

    assert first == second == {"orders": "ORDERS"}
    assert store.looked == 2


async def test_a_draft_need_not_be_able_to_run_and_is_checked_when_it_is_published(store_url: str):
    async with Holdfast(store_url, engine=False, catalog=Catalog()) as hf:
        await hf.flows.create("orders")
        draft = await hf.flows.save_draft("orders", "{start: a")
        assert draft.status == "draft"

        with pytest.raises(BadFlow):
            await hf.flows.publish("orders", version=1)
        assert (await hf.flows.get("orders", 1)).definition == "{start: a"

        await hf.flows.save_draft("orders", flow("sum"), 1)
        assert (await hf.flows.publish("orders", version=1)).status == "published"
