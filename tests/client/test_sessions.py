"""Sessions: made, checked as a server does it, and ended."""

from __future__ import annotations

import datetime as dt

import pytest

from holdfast import Holdfast
from holdfast.client.sessions import Login, SessionLimits
from holdfast.errors import StoreUnavailable

LIMITS = SessionLimits()
LOGIN = Login("ann", "viewer", "default", "https://id.example ann")


async def test_only_the_secret_of_a_session_opens_it(store_url: str):
    async with Holdfast(store_url, engine=False) as hf:
        made = await hf.sessions.create(LOGIN, LIMITS)
        other = await hf.sessions.create(LOGIN, LIMITS)

        found = await hf.sessions.check(made.text, LIMITS)

        assert found == made.info
        mixed = made.text[:20] + other.text[20:]
        for wrong in (mixed, made.text + "0", made.text.upper(), made.text[4:], "", "hfs__"):
            assert await hf.sessions.check(wrong, LIMITS) is None
        assert made.text not in repr(made)


async def test_a_session_lasts_no_longer_than_it_may(store_url: str):
    soon = dt.datetime.now(dt.UTC) + dt.timedelta(minutes=5)
    late = soon + dt.timedelta(days=300)
    async with Holdfast(store_url, engine=False) as hf:
        limited = await hf.sessions.create(Login("ann", "viewer", "default", "ann", until=soon), LIMITS)
        made = await hf.sessions.create(Login("ann", "viewer", "default", "ann", until=late), LIMITS)

    assert limited.info.expires_at == soon
    assert made.info.expires_at - made.info.created_at == LIMITS.lasts


async def test_a_session_whose_making_was_not_answered_is_made_once(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    async with Holdfast(sqlite_url, engine=False) as hf:
        add, losses = hf._parts.store.add_session, [1]

        async def lose(*given: object) -> bool:
            added = await add(*given)  # type: ignore[arg-type]
            if losses.pop():
                losses.append(0)
                raise StoreUnavailable("the store", "the connection broke after COMMIT")
            return added

        monkeypatch.setattr(hf._parts.store, "add_session", lose)
        made = await hf.sessions.create(LOGIN, LIMITS)

        assert await hf.sessions.list(LIMITS) == [made.info]


async def test_a_role_that_only_a_newer_version_knows_is_refused(sqlite_url: str):
    async with Holdfast(sqlite_url, engine=False) as hf:
        made = await hf.sessions.create(Login("ann", "janitor", "default", "ann"), LIMITS)

        assert await hf.sessions.check(made.text, LIMITS) is None
