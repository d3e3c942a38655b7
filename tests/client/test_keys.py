"""Keys: made, listed, revoked, and checked as a server does it."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import BadOption, Holdfast, KeyNotFound, NewKey, Role
from holdfast.client import keys as client_keys
from holdfast.client.keys import Keys
from holdfast.core.keys import hash_of, read_key
from holdfast.core.names import ALL_NAMESPACES
from holdfast.core.values import Instant, instant, later
from holdfast.errors import StoreUnavailable
from holdfast.stores import SqlStore, store_for

START = instant(dt.datetime(2030, 1, 1, tzinfo=dt.UTC))


class Desk:
    """A store that counts the calls, and the clock."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store
        self.now = START
        self.reads: list[str] = []
        self.uses: list[str] = []
        self.error: Exception | None = None
        self.may_read = asyncio.Event()
        self.may_read.set()
        self.has_read = asyncio.Event()
        self.losses = 0
        """How many answers of `add_key` are lost."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def wait(self, **span: float) -> None:
        self.now = later(self.now, dt.timedelta(**span))

    def keys(self, namespace: str = "default") -> Keys:
        store: Any = self
        return Keys(store, namespace=namespace, now=lambda: self.now)

    async def add_key(self, key: Any) -> bool:
        added = await self._store.add_key(key)
        if self.losses:
            self.losses -= 1
            raise StoreUnavailable("the store", "the connection broke after COMMIT")
        return added

    async def find_key(self, id: str) -> Any:
        self.reads.append(id)
        found = await self._store.find_key(id)
        self.has_read.set()
        await self.may_read.wait()
        if self.error is not None:
            raise self.error
        return found

    async def note_key_used(self, id: str, now: Instant) -> None:
        self.uses.append(id)
        if self.error is not None:
            raise self.error
        await self._store.note_key_used(id, now)


@pytest.fixture
async def desk(store_url: str) -> AsyncIterator[Desk]:
    store = store_for(store_url)
    await store.open()
    yield Desk(store)
    await store.close()


# --- making, listing, revoking


async def test_a_key_is_shown_once_and_only_its_hash_is_stored(desk: Desk) -> None:
    new = await desk.keys().create("ci", "operator", expires=dt.timedelta(days=90), by="ann")

    parts = read_key(new.text)
    assert parts is not None
    stored = await desk.find_key(new.info.id)
    assert stored.hash == hash_of(parts.secret)
    assert parts.secret not in repr(stored)
    assert parts.secret not in repr(new)
    assert (new.info.name, new.info.role, new.info.namespace) == ("ci", "operator", "default")
    assert (new.info.state, new.info.created_by, new.info.used_at) == ("active", "ann", None)
    assert new.info.expires_at == dt.datetime(2030, 4, 1, tzinfo=dt.UTC)
    assert await desk.keys().list() == [new.info]


async def test_each_key_is_another(desk: Desk) -> None:
    made = [await desk.keys().create("ci", Role.VIEWER) for _ in range(20)]

    assert len({new.text for new in made}) == len({new.info.id for new in made}) == 20


@pytest.mark.parametrize(
    "expires",
    [
        dt.timedelta(0),
        dt.timedelta(days=-1),
        dt.timedelta(days=999_999_999),
        dt.datetime(2029, 12, 31, tzinfo=dt.UTC),
        dt.datetime(2031, 1, 1),  # noqa: DTZ001
        90,
        "90d",
    ],
)
async def test_an_expiry_that_is_none_is_refused(desk: Desk, expires: Any) -> None:
    with pytest.raises(BadOption, match="expires"):
        await desk.keys().create("ci", "viewer", expires=expires)
    assert await desk.keys().list() == []


async def test_a_wrong_name_role_or_sender_is_refused(desk: Desk) -> None:
    for name, role, by in (
        ("", "viewer", ""),
        ("x" * 201, "viewer", ""),
        ("ci", "root", ""),
        ("ci", "viewer", 5),
    ):
        with pytest.raises(BadOption):
            await desk.keys().create(name, role, by=by)  # pyright: ignore[reportArgumentType]
    assert await desk.keys().list() == []


async def test_a_key_whose_answer_is_lost_is_made_once(desk: Desk) -> None:
    desk.losses = 1

    new = await desk.keys().create("ci", "viewer")

    assert await desk.keys().list() == [new.info]
    assert await desk.keys().check(new.text) is not None


async def test_keys_of_another_namespace_are_neither_listed_nor_revoked(desk: Desk) -> None:
    ours, theirs = desk.keys("ours"), desk.keys("theirs")
    new = await theirs.create("ci", "viewer")

    assert await ours.list() == await ours.list(all_namespaces=True) == []
    for told in (False, True):
        with pytest.raises(KeyNotFound, match="in namespace 'ours'"):
            await ours.revoke(new.info.id, all_namespaces=told)
    assert await ours.check(new.text) == new.info  # it says itself where it belongs


async def test_a_key_of_all_namespaces_is_listed_and_revoked_only_if_told_so(desk: Desk) -> None:
    keys = desk.keys()
    own = await keys.create("own", "viewer")
    desk.wait(seconds=1)
    new = await desk.keys("theirs").create("ops", "admin", all_namespaces=True)

    assert new.info.namespace == ALL_NAMESPACES
    assert [each.name for each in await keys.list()] == ["own"]
    assert [each.name for each in await keys.list(all_namespaces=True)] == ["ops", "own"]
    with pytest.raises(KeyNotFound):
        await keys.revoke(new.info.id)
    assert await keys.check(new.text) is not None
    assert (await keys.revoke(new.info.id, all_namespaces=True)).state == "revoked"
    assert (await keys.revoke(own.info.id, all_namespaces=True)).state == "revoked"
    assert await keys.check(new.text) is None


async def test_a_key_is_revoked_once(desk: Desk) -> None:
    keys = desk.keys()
    new = await keys.create("ci", "viewer")
    desk.wait(seconds=1)
    revoked = await keys.revoke(new.info.id, by="bob")
    desk.wait(seconds=1)

    assert (revoked.state, revoked.revoked_by) == ("revoked", "bob")
    assert await keys.revoke(new.info.id, by="eve") == revoked
    with pytest.raises(KeyNotFound):
        await keys.revoke("nobody")


def test_the_namespace_that_stands_for_all_is_nobodys() -> None:
    with pytest.raises(BadOption, match="stands for all namespaces"):
        Holdfast("sqlite:///:memory:", namespace="*", engine=False)


# --- checking


async def test_a_right_key_is_accepted_and_no_other(desk: Desk) -> None:
    keys = desk.keys()
    new, other = await keys.create("ci", "viewer"), await keys.create("cd", "admin")
    wrong = [
        new.text[:-1] + ("0" if new.text[-1] != "0" else "1"),
        new.text.replace(new.info.id, other.info.id),
        new.text.replace(new.info.id, "0" * 16),
        new.text.upper(),
        new.info.id,
        "",
    ]

    assert await keys.check(new.text) == new.info
    assert [await keys.check(text) for text in wrong] == [None] * len(wrong)


async def test_a_key_is_refused_from_the_instant_at_which_it_expires(desk: Desk) -> None:
    keys = desk.keys()
    new = await keys.create("ci", "viewer", expires=dt.timedelta(seconds=3))

    desk.wait(seconds=2.999999)
    assert await keys.check(new.text) is not None
    desk.wait(microseconds=1)
    assert await keys.check(new.text) is None  # although it was read a moment ago
    assert [each.state for each in await keys.list()] == ["expired"]


async def test_a_revoked_key_is_refused_at_once_here_and_soon_elsewhere(desk: Desk) -> None:
    keys, elsewhere = desk.keys(), desk.keys()
    new = await keys.create("ci", "viewer")
    assert await keys.check(new.text) is not None
    assert await elsewhere.check(new.text) is not None

    await keys.revoke(new.info.id)

    assert await keys.check(new.text) is None
    assert await elsewhere.check(new.text) is not None
    desk.wait(seconds=5)
    assert await elsewhere.check(new.text) is None


async def test_a_read_that_began_before_the_revocation_is_not_remembered(desk: Desk) -> None:
    keys = desk.keys()
    new = await keys.create("ci", "viewer")
    desk.may_read.clear()
    early = asyncio.create_task(keys.check(new.text))
    await asyncio.wait_for(desk.has_read.wait(), PATIENCE)

    await keys.revoke(new.info.id)
    desk.may_read.set()
    await early

    assert await keys.check(new.text) is None


async def test_a_key_is_read_every_five_seconds_at_most(desk: Desk) -> None:
    keys = desk.keys()
    new = await keys.create("ci", "viewer")

    assert all(await asyncio.gather(*(keys.check(new.text) for _ in range(200))))
    desk.wait(seconds=4.9)
    assert await keys.check(new.text)
    assert len(desk.reads) == 1
    desk.wait(seconds=0.1)
    assert await keys.check(new.text)
    assert len(desk.reads) == 2
    desk.wait(seconds=-60)  # the clock was set back
    assert await keys.check(new.text)
    assert len(desk.reads) == 3


async def test_so_is_a_key_that_there_is_not(desk: Desk) -> None:
    keys = desk.keys()
    text = "hf_" + "0" * 16 + "_" + "1" * 64

    for _ in range(10):
        assert await keys.check(text) is None

    assert len(desk.reads) == 1


async def test_only_so_many_keys_are_remembered(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_keys, "_MOST_KNOWN", 10)
    keys = desk.keys()
    new = await keys.create("ci", "viewer")

    for number in range(100):
        await keys.check(f"hf_{number:016x}_{'1' * 64}")
        assert await keys.check(new.text) is not None  # so it is never the oldest

    assert len(keys._known) == 10
    assert desk.reads.count(new.info.id) == 1


async def test_a_cancelled_request_does_not_disturb_others_with_the_same_key(desk: Desk) -> None:
    keys = desk.keys()
    new = await keys.create("ci", "viewer")
    desk.may_read.clear()
    first, second = (asyncio.create_task(keys.check(new.text)) for _ in range(2))
    await asyncio.sleep(0)

    first.cancel()
    desk.may_read.set()

    assert await second is not None
    assert len(desk.reads) == 1


async def test_a_key_that_cannot_be_read_is_not_accepted(desk: Desk) -> None:
    keys = desk.keys()
    new = await keys.create("ci", "viewer")
    desk.error = StoreUnavailable("the store", "it is away")

    with pytest.raises(StoreUnavailable):
        await keys.check(new.text)
    desk.error = None
    assert await keys.check(new.text) is not None


async def test_a_role_that_this_version_does_not_know_is_refused(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    keys = desk.keys()
    new = await keys.create("ci", "viewer")
    stored = await desk.find_key(new.info.id)
    await desk.add_key(stored._replace(id="f" * 16, role="auditor"))

    assert await keys.check(new.text.replace(new.info.id, "f" * 16)) is None
    assert "the role 'auditor', which this version does not know" in caplog.text
    assert {each.role for each in await keys.list()} == {"viewer", "auditor"}


# --- the last use


async def used_at(keys: Keys, new: NewKey) -> dt.datetime | None:
    await keys.close()
    return next(each.used_at for each in await keys.list() if each.id == new.info.id)


async def test_the_last_use_is_noted_once_a_minute_at_most(desk: Desk) -> None:
    keys, elsewhere = desk.keys(), desk.keys()
    new = await keys.create("ci", "viewer")
    assert await used_at(keys, new) is None

    for _ in range(12):  # a minute
        await keys.check(new.text)
        first = await used_at(keys, new)
        await elsewhere.check(new.text)
        desk.wait(seconds=5)
    assert first == dt.datetime(2030, 1, 1, tzinfo=dt.UTC)
    assert desk.uses == [new.info.id]

    await keys.check(new.text)
    assert await used_at(keys, new) == dt.datetime(2030, 1, 1, 0, 1, tzinfo=dt.UTC)
    assert len(desk.uses) == 2


async def test_a_wrong_secret_is_no_use(desk: Desk) -> None:
    keys = desk.keys()
    new = await keys.create("ci", "viewer")

    await keys.check(new.text[:-4] + "0000")

    assert await used_at(keys, new) is None


async def test_a_use_that_cannot_be_noted_fails_no_request(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    keys = desk.keys()
    new = await keys.create("ci", "viewer")
    caplog.set_level(logging.WARNING)
    for error in (StoreUnavailable("the store", "it is read-only"), RuntimeError("a defect")):
        desk.wait(minutes=2)
        desk.error = None
        await keys._find(new.info.id)
        desk.error = error
        assert await keys.check(new.text) is not None
        await keys.close()

    assert f"it is not noted that key {new.info.id} was used" in caplog.text
    assert f"it could not be noted that key {new.info.id} was used" in caplog.text
    assert new.text not in caplog.text
    assert len(desk.uses) == 2


async def test_closing_waits_for_the_notes(store_url: str) -> None:
    async with Holdfast(store_url, engine=False) as hf:
        new = await hf.keys.create("ci", "viewer")
        assert await hf.keys.check(new.text) is not None

    async with Holdfast(store_url, engine=False) as hf:
        [info] = await hf.keys.list()
        assert info.used_at is not None
