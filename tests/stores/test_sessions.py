"""Sessions: what the store promises of them."""

from __future__ import annotations

from typing import Any

from tests.stores.builders import SPACE, at

from holdfast.core.names import ALL_NAMESPACES
from holdfast.ports.access import KeyRecord
from holdfast.ports.sessions import SessionRecord
from holdfast.stores import SqlStore


def session(id: str, space: str = SPACE, created: int = 1, **more: Any) -> SessionRecord:
    made = SessionRecord(
        id, space, "ann: grüße", "operator", "0a" * 32, None, "ann", at(created), at(90), at(created)
    )
    return made._replace(**more)


async def test_a_session_is_found_by_its_id_until_it_expires(store: SqlStore) -> None:
    for each in (session("a"), session("b", "elsewhere"), session("c", ALL_NAMESPACES, expires_at=at(50))):
        assert await store.add_session(each, 20)

    assert not await store.add_session(session("a", "elsewhere"), 20)
    assert await store.find_session("a", at(2)) == session("a")
    assert await store.find_session("b", at(89)) == session("b", "elsewhere")
    assert await store.find_session("c", at(50)) is None
    assert await store.find_session("A", at(2)) is None


async def test_a_session_ends_with_its_key(store: SqlStore) -> None:
    keys = [KeyRecord(id, SPACE, id, "viewer", "0a", at(1), "", expires) for id, expires in (("k", None),)]
    keys.append(keys[0]._replace(id="short", expires_at=at(5)))
    for each in keys:
        await store.add_key(each)
    for id in ("k", "short", "nobody"):
        await store.add_session(session(f"of {id}", key=id), 20)

    async def alive(now: int) -> list[str]:
        listed = [each.id for each in await store.list_sessions(SPACE, at(now), 100)]
        ids = ("of short", "of nobody", "of k")
        assert listed == [id for id in ids if await store.find_session(id, at(now)) is not None]
        return listed

    assert await alive(2) == ["of short", "of k"]
    assert await alive(5) == ["of k"]
    await store.revoke_key(SPACE, "k", "ann", at(6))
    assert await alive(6) == []


async def test_of_one_subject_only_the_newest_sessions_are_kept(store: SqlStore) -> None:
    await store.add_session(session("of bob", created=0, subject="bob"), 2)
    for number, id in enumerate("abcd"):
        await store.add_session(session(id, created=number), 2)

    listed = [each.id for each in await store.list_sessions(SPACE, at(9), 100)]

    assert listed == ["d", "c", "of bob"]
    assert [each.id for each in await store.list_sessions(SPACE, at(9), 1)] == ["d"]


async def test_expired_sessions_are_removed_when_one_is_added(store: SqlStore) -> None:
    await store.add_session(session("old", expires_at=at(5)), 20)
    await store.add_session(session("new", created=5), 20)

    assert await store.find_session("old", at(0)) is None
    assert await store.find_session("new", at(5)) is not None


async def test_a_session_is_ended_in_its_own_namespace_alone(store: SqlStore) -> None:
    await store.add_session(session("a"), 20)

    assert await store.end_session("elsewhere", "a") is None
    assert await store.end_session(ALL_NAMESPACES, "a") is None
    assert await store.end_session(SPACE, "a") == session("a")
    assert await store.end_session(SPACE, "a") is None
    assert await store.find_session("a", at(2)) is None


async def test_the_last_use_of_a_session_does_not_go_back(store: SqlStore) -> None:
    await store.add_session(session("a"), 20)

    for seconds in (5, 9, 7):
        await store.note_session_used("a", at(seconds))
    await store.note_session_used("nobody", at(5))

    assert await store.find_session("a", at(10)) == session("a", used_at=at(9))
