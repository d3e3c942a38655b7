"""Keys and the audit log: what the store promises of them."""

from __future__ import annotations

import asyncio

from tests.stores.builders import SPACE, at

from holdfast.core.names import ALL_NAMESPACES
from holdfast.core.values import Payload
from holdfast.ports.access import AuditRecord, KeyRecord, NewAudit
from holdfast.stores import SqlStore


def key(id: str, space: str = SPACE, created: int = 1) -> KeyRecord:
    return KeyRecord(id, space, f"key {id}: grüße", "operator", "0a" * 32, at(created), "ann", at(90))


def row(uid: str, *, target: str = "run-1", action: str = "runs.cancel", when: float = 1) -> NewAudit:
    before, after = Payload('{"status":"grüße \\u0000"}'.encode()), None
    return NewAudit(at(when), "ann", "k1", action, target, "request-7", before, after, uid)


def record(number: int, it: NewAudit) -> AuditRecord:
    return AuditRecord(number, *it[:-1])


# --- keys


async def test_a_key_is_found_by_its_id_whatever_its_namespace(store: SqlStore) -> None:
    for each in (key("a"), key("b", "elsewhere"), key("c", ALL_NAMESPACES)):
        assert await store.add_key(each)

    assert await store.find_key("a") == key("a")
    assert await store.find_key("b") == key("b", "elsewhere")
    assert await store.find_key("c") == key("c", ALL_NAMESPACES)
    assert await store.find_key("A") is None


async def test_an_id_belongs_to_one_key(store: SqlStore) -> None:
    assert await store.add_key(key("a"))

    assert not await store.add_key(key("a", "elsewhere"))
    assert await store.find_key("a") == key("a")


async def test_keys_are_listed_newest_first_in_their_own_namespace_alone(store: SqlStore) -> None:
    for id, space, created in (("a", SPACE, 1), ("c", SPACE, 3), ("b", SPACE, 3), ("d", ALL_NAMESPACES, 4)):
        await store.add_key(key(id, space, created))

    assert [each.id for each in await store.list_keys(SPACE)] == ["c", "b", "a"]
    assert [each.id for each in await store.list_keys(ALL_NAMESPACES)] == ["d"]
    assert await store.list_keys("elsewhere") == []


async def test_a_key_is_revoked_once_and_only_in_its_own_namespace(store: SqlStore) -> None:
    await store.add_key(key("a"))

    assert await store.revoke_key("elsewhere", "a", "eve", at(5)) is None
    assert await store.revoke_key(ALL_NAMESPACES, "a", "eve", at(5)) is None
    assert await store.revoke_key(SPACE, "b", "eve", at(5)) is None
    assert await store.find_key("a") == key("a")

    revoked = key("a")._replace(revoked_at=at(6), revoked_by="bob")
    assert await store.revoke_key(SPACE, "a", "bob", at(6)) == revoked
    assert await store.revoke_key(SPACE, "a", "eve", at(7)) == revoked
    assert await store.find_key("a") == revoked


async def test_the_last_use_of_a_key_does_not_go_back(store: SqlStore) -> None:
    await store.add_key(key("a"))
    await store.add_key(key("b"))

    for seconds in (5, 9, 7):
        await store.note_key_used("a", at(seconds))
    await store.note_key_used("nobody", at(5))

    assert await store.find_key("a") == key("a")._replace(used_at=at(9))
    assert await store.find_key("b") == key("b")


# --- the audit log


async def test_rows_are_listed_newest_first_by_the_page(store: SqlStore) -> None:
    rows = [row(f"{n}", when=n) for n in range(5)]
    await store.write_audit(SPACE, rows[:3])
    await store.write_audit(SPACE, rows[3:])

    first = await store.list_audit(SPACE, None, 2, None, None)
    second = await store.list_audit(SPACE, first[-1].number, 2, None, None)
    third = await store.list_audit(SPACE, second[-1].number, 2, None, None)

    numbers = [each.number for each in [*first, *second, *third]]
    assert numbers == sorted(numbers, reverse=True)
    assert [*first, *second, *third] == [
        record(number, it) for number, it in zip(numbers, reversed(rows), strict=True)
    ]
    assert await store.list_audit(SPACE, third[-1].number, 2, None, None) == []


async def test_rows_are_chosen_by_target_and_action(store: SqlStore) -> None:
    rows = [row("1"), row("2", target="run-2"), row("3", action="runs.retry"), row("4", target="Run-1")]
    await store.write_audit(SPACE, rows)

    async def chosen(target: str | None, action: str | None, before: int | None = None) -> list[float]:
        found = await store.list_audit(SPACE, before, 10, target, action)
        return [each.number for each in found]

    four, three, two, one = await chosen(None, None)
    assert await chosen("run-1", None) == [three, one]
    assert await chosen("run-1", None, three) == [one]
    assert await chosen("run-1", "runs.retry") == [three]
    assert await chosen(None, "runs.cancel") == [four, two, one]
    assert await chosen(None, "runs") == []


async def test_a_row_that_is_sent_again_is_written_once(store: SqlStore) -> None:
    await store.write_audit(SPACE, [row("1"), row("2")])
    await store.write_audit(SPACE, [row("2"), row("3"), row("1")])

    found = await store.list_audit(SPACE, None, 10, None, None)
    assert [each.number for each in found] == [3, 2, 1]


async def test_many_writers_lose_no_row(pair: tuple[SqlStore, SqlStore]) -> None:
    groups = [[row(f"{group}-{n}") for n in range(20)] for group in range(10)]

    # Each group is sent twice, by both, as after a broken connection.
    await asyncio.gather(*(store.write_audit(SPACE, group) for group in groups for store in pair))

    assert len(await pair[0].list_audit(SPACE, None, 1000, None, None)) == 200


async def test_another_namespace_is_neither_listed_nor_removed(store: SqlStore) -> None:
    await store.write_audit("elsewhere", [row("1")])
    await store.write_audit(SPACE, [row("2")])

    assert await store.remove_audit(SPACE, at(100), 10) == 1

    assert await store.list_audit(SPACE, None, 10, None, None) == []
    assert await store.list_audit(SPACE, None, 10, "run-1", None) == []
    assert len(await store.list_audit("elsewhere", None, 10, None, None)) == 1


async def test_old_rows_are_removed_in_bites_the_oldest_first(store: SqlStore) -> None:
    await store.write_audit(SPACE, [row(f"{n}", when=n) for n in range(7)])

    removed = [await store.remove_audit(SPACE, at(5), 2) for _ in range(4)]

    assert removed == [2, 2, 1, 0]
    assert [each.at for each in await store.list_audit(SPACE, None, 10, None, None)] == [at(6), at(5)]


async def test_a_number_is_not_used_again_after_all_rows_are_removed(store: SqlStore) -> None:
    await store.write_audit(SPACE, [row("1")])
    await store.remove_audit(SPACE, at(100), 10)
    await store.write_audit(SPACE, [row("2")])

    assert [each.number for each in await store.list_audit(SPACE, None, 10, None, None)] == [2]
