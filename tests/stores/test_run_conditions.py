"""Lists of runs by every condition, also by those that no index answers: nothing is missed, and each page
looks at a limited number of runs."""

from __future__ import annotations

import datetime as dt
from random import Random
from typing import Any

import msgspec
import pytest
from tests.stores.builders import SPACE, Node, at, ended, key, new_run

from holdfast.core.run_options import RunOptions
from holdfast.core.values import Failure, Payload, RunStatus, key_text
from holdfast.ports.runs import RunFilter
from holdfast.stores import SqlStore, run_lists, run_overviews

FAILED, SUCCESS = RunStatus.FAILED, RunStatus.SUCCESS


def failure(type: str, message: str, cause: Failure | None = None) -> Failure:
    return Failure(type=type, message=message, traceback="some code of traceback", cause=cause)


async def fail(store: SqlStore, number: int, why: Failure) -> None:
    node = Node(store)
    await node.start(number)
    end = msgspec.structs.replace(ended(number, status=FAILED), failure=msgspec.json.encode(why))
    await node.commit(held=node.held(number), ended=[end])


async def listed(store: SqlStore, **conditions: Any) -> list[int]:
    found = await store.list_runs(SPACE, RunFilter(**conditions))
    most = conditions.get("limit", 100)
    assert await store.count_listed(SPACE, RunFilter(**conditions), most) == len(found)
    return [int.from_bytes(run.key, "big") for run in found]


def tagged(*tags: str) -> bytes:
    return msgspec.json.encode(RunOptions(tags=tags))


async def test_all_conditions_must_hold(store: SqlStore) -> None:
    done = {"status": SUCCESS, "wake_at": None}
    await store.create_runs(
        SPACE,
        [
            new_run(1, version="1", options=tagged("red", "blue"), schedule="nightly"),
            new_run(2, version="2", options=tagged("red"), parent=key(1), parent_seq=0),
            new_run(3, version="2", parent=key(1), parent_seq=1, finished_at=at(10), **done),
            new_run(4, version="2", schedule="nightly", finished_at=at(20), workflow="mail", **done),
            new_run(5, version="1", finished_at=at(30), **done),
        ],
    )
    await store.create_runs("other", [new_run(9, namespace="other", parent=key(1), schedule="nightly")])

    assert await listed(store, tags=("red",)) == [2, 1]
    assert await listed(store, tags=("red", "blue")) == [1]
    assert await listed(store, tags=("red",), version="2") == [2]
    assert await listed(store, schedule="nightly") == [4, 1]
    assert await listed(store, schedule="nightly", workflow="mail") == [4]
    assert await listed(store, parent=key(1)) == [3, 2]
    assert await listed(store, parent=key(1), statuses=(SUCCESS,)) == [3]
    assert await listed(store, parent=key(1), before=key(3)) == [2]
    assert await listed(store, version="2") == [4, 3, 2]
    assert await listed(store, version="2", statuses=(SUCCESS, RunStatus.PENDING), workflow="order") == [3, 2]
    assert await listed(store, statuses=(SUCCESS, RunStatus.PENDING), limit=3) == [5, 4, 3]
    assert await listed(store, statuses=(SUCCESS,), version="1") == [5]
    assert await listed(store, ended_since=at(10)) == [5, 4, 3]
    assert await listed(store, ended_since=at(11), ended_before=at(30)) == [4]
    assert await listed(store, ended_before=at(30), workflow="order") == [3]
    assert await listed(store, version="1", since=key(2)) == [5]


async def test_runs_are_chosen_by_how_long_they_took(store: SqlStore) -> None:
    def took(begin: int | None, end: int | None) -> dict[str, Any]:
        return {
            "started_at": None if begin is None else at(begin),
            "finished_at": None if end is None else at(end),
            "status": RunStatus.RUNNING if end is None else SUCCESS,
        }

    await store.create_runs(
        SPACE,
        [
            new_run(1, **took(0, 30)),
            new_run(2, **took(10, 39)),
            new_run(3, **took(0, None)),
            new_run(4, **took(None, 50)),  # it was cancelled before it began
            new_run(5, **took(60, 50)),  # the clocks of two nodes differ
            new_run(6, workflow="mail", **took(0, 31)),
        ],
    )

    def seconds(number: float) -> dt.timedelta:
        return dt.timedelta(seconds=number)

    assert await listed(store, took_over=seconds(30)) == [6, 1]
    assert await listed(store, took_over=seconds(30.000_001)) == [6]
    assert await listed(store, took_under=seconds(30)) == [5, 4, 2]
    assert await listed(store, took_over=seconds(29), took_under=seconds(31)) == [2, 1]
    assert await listed(store, took_over=seconds(0)) == [6, 5, 4, 2, 1]
    assert await listed(store, took_under=seconds(0)) == []
    assert await listed(store, took_under=seconds(0.000_001)) == [5, 4]
    assert await listed(store, took_over=seconds(1), workflow="mail") == [6]
    assert await listed(store, took_over=seconds(1), statuses=(RunStatus.RUNNING,)) == []
    assert await listed(store, took_over=seconds(1_000_000_000)) == []


async def test_text_is_looked_for_as_it_is_written(store: SqlStore) -> None:
    ids = {1: "order-100%", 2: "ORDER_1001", 3: "order\\x", 4: "bestellung-größe"}
    await store.create_runs(SPACE, [new_run(number, id=id) for number, id in ids.items()])
    await store.create_runs(SPACE, [new_run(0xABCDEF)])

    assert await listed(store, id_text="order") == [3, 2, 1]
    assert await listed(store, id_text="100%") == [1]
    assert await listed(store, id_text="order_") == [2]
    assert await listed(store, id_text="r\\x") == [3]
    assert await listed(store, id_text="GRößE") == [4]
    assert await listed(store, id_text="GRÖSSE") == []
    assert await listed(store, id_text=key_text(key(0xABCDEF))[-7:].upper()) == [0xABCDEF]


async def test_a_failure_is_found_by_its_class_and_its_message(store: SqlStore) -> None:
    await fail(store, 1, failure("builtins:ValueError", 'said "50% off"\nand left'))
    await fail(store, 2, failure("shop.errors:Basket.Empty", "no ValueError here"))
    await fail(store, 3, failure("holdfast.errors:TaskFailed", "x", failure("builtins:ValueError", "Deep")))
    await store.create_runs(SPACE, [new_run(4)])

    assert await listed(store, error_type="ValueError") == [3, 1]
    assert await listed(store, error_type="builtins:ValueError") == [3, 1]
    assert await listed(store, error_type="Error") == []
    assert await listed(store, error_type="Empty") == [2]
    assert await listed(store, error_type="Basket.Empty") == [2]
    assert await listed(store, error_text='"50% OFF"\nand') == [1]
    assert await listed(store, error_text="5_%") == []
    assert await listed(store, error_text="deep") == [3]
    assert await listed(store, error_text="valueerror") == [2]
    assert await listed(store, error_text="traceback") == []  # a name in the JSON, and a word in it
    assert await listed(store, error_text="x", error_type="ValueError") == [3]
    assert await listed(store, error_text="e", statuses=(SUCCESS,)) == []


async def test_a_page_looks_at_a_limited_number_of_runs(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lists, "_EXAMINED", 10)
    wanted = (3, 4, 25)
    await store.create_runs(
        SPACE, [new_run(number, version="2" if number in wanted else "1") for number in range(1, 31)]
    )
    which, pages = RunFilter(version="2", limit=1), []
    for _ in range(10):
        page = await store.page_runs(SPACE, which)
        pages.append(([int.from_bytes(run.key, "big") for run in page.runs], page.next))
        if page.next is None:
            break
        which = which._replace(before=page.next)

    assert pages == [
        ([25], key(25)),
        ([], key(15)),
        ([], key(5)),
        ([4], key(4)),
        ([3], key(3)),
        ([], None),
    ]
    assert [run.key for run in await store.list_runs(SPACE, RunFilter(version="2"))] == [
        key(number) for number in reversed(wanted)
    ]


async def test_a_page_without_conditions_knows_whether_it_is_the_last(store: SqlStore) -> None:
    await store.create_runs(SPACE, [new_run(number) for number in range(1, 5)])

    first = await store.page_runs(SPACE, RunFilter(limit=2))
    last = await store.page_runs(SPACE, RunFilter(limit=2, before=first.next))

    assert [run.key for run in (*first.runs, *last.runs)] == [key(n) for n in (4, 3, 2, 1)]
    assert (first.next, last.next) == (key(3), None)


async def test_a_page_of_large_runs_is_cut_and_the_list_goes_on(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_overviews, "_PAGE_BYTES", 100_000)
    large = Payload(msgspec.json.encode(Random(1).randbytes(15_000).hex()))
    await store.create_runs(SPACE, [new_run(number, input=large) for number in range(1, 11)])

    page = await store.page_runs(SPACE, RunFilter())
    heads = await store.page_runs(SPACE, RunFilter(), payloads=False)

    assert 1 <= len(page.runs) < 10
    assert page.next == page.runs[-1].key
    assert all(run.input == large for run in page.runs)
    assert (len(heads.runs), heads.next) == (10, None)
    assert {run.input for run in heads.runs} == {None}
    assert await listed(store) == list(range(10, 0, -1))


async def test_a_page_of_runs_that_the_database_compresses_is_cut_too(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_overviews, "_PAGE_BYTES", 1_000_000)
    repeated = Payload(msgspec.json.encode("x" * 50_000))
    await store.create_runs(SPACE, [new_run(number, input=repeated) for number in range(1, 201)])

    page = await store.page_runs(SPACE, RunFilter(limit=200))

    assert 10 <= len(page.runs) <= 50
    assert page.next == page.runs[-1].key
    assert len(await listed(store, limit=200)) == 200
