"""A request that comes again with its `Idempotency-Key`: it is answered as before, and done once."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest
from tests.server.v1.asking import Asker

from holdfast.server import repeated_requests

TRIGGER: Final = "/schedules/often/trigger"


async def trigger(api: Asker, key: str | None, **headers: str) -> Any:
    """Starts a run each time that it is done."""
    given = headers if key is None else {"Idempotency-Key": key, **headers}
    response = await api.http.post(TRIGGER, headers=given)
    return response.json()


async def put_schedule(api: Asker) -> None:
    plan = {"workflow": "doubled", "every": 3600, "input": {"number": 1}}
    await api.ask("PUT", "/schedules/often", plan)


async def test_it_is_answered_as_before_and_done_once(small_api: Asker):
    await put_schedule(small_api)

    first, again, other = [await trigger(small_api, key) for key in ("a", "a", "b")]

    assert first == again != other
    assert len((await small_api.get("/runs"))["items"]) == 2
    rows = await small_api.get("/audit", action="schedules.trigger")
    assert len(rows["items"]) == 2, "what was not done again is not in the audit log again"


async def test_while_it_is_being_done_the_repetition_waits(small_api: Asker):
    run = await small_api.start("waiting", {})
    body = {"name": "go", "value": 1}
    asked = {"headers": {"Idempotency-Key": "a"}, "json": body}

    answers = await asyncio.gather(*[small_api.http.post(f"/runs/{run}/signals", **asked) for _ in range(5)])

    assert [answer.status_code for answer in answers] == [204] * 5
    assert len((await small_api.get(f"/runs/{run}/messages"))["items"]) == 1


async def test_without_a_key_or_in_another_namespace_it_is_another_request(small_api: Asker):
    await put_schedule(small_api)

    answers = [await trigger(small_api, None), await trigger(small_api, None), await trigger(small_api, "a")]
    elsewhere = await trigger(small_api, "a", **{"Holdfast-Namespace": "shop"})

    assert len({answer["key"] for answer in answers}) == 3
    assert elsewhere["code"] == "schedule_not_found"


async def test_nobody_gets_the_answer_of_somebody_else(small_api: Asker):
    await put_schedule(small_api)

    ann, bob, ann_again = [
        await trigger(small_api, "a", **{"Holdfast-By": who}) for who in ("ann", "bob", "ann")
    ]

    assert ann == ann_again != bob


async def test_what_has_failed_may_be_sent_again(small_api: Asker):
    await put_schedule(small_api)
    real, calls = small_api.hf.schedules.trigger, []

    async def trigger_once_in_two(name: str) -> Any:
        calls.append(name)
        if len(calls) == 1:
            raise RuntimeError("a bug")
        return await real(name)

    small_api.hf.schedules.trigger = trigger_once_in_two  # pyright: ignore[reportAttributeAccessIssue]
    assert (await trigger(small_api, "a"))["code"] == "internal_error"

    assert "key" in await trigger(small_api, "a")


async def test_the_oldest_answers_are_forgotten(small_api: Asker, monkeypatch: pytest.MonkeyPatch):
    await put_schedule(small_api)
    monkeypatch.setattr(repeated_requests, "MOST_ANSWERS", 2)

    first = await trigger(small_api, "a")
    for key in ("b", "c"):
        await trigger(small_api, key)

    assert await trigger(small_api, "a") != first
