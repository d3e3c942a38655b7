"""What was asked and is closed: who has answered what, or that nobody has."""

from __future__ import annotations

import asyncio
import datetime as dt
from random import Random
from string import ascii_letters
from typing import Any

import pytest

from holdfast import Catalog, context, workflow
from holdfast.errors import BadOption
from holdfast.testing import Environment

catalog = Catalog()


@workflow(catalog=catalog)
async def asking(title: str) -> Any:
    return await context().ask(title, name="verdict")


@workflow(catalog=catalog)
async def hurried() -> str:
    try:
        async with asyncio.timeout(60):
            await context().ask("Quick?", answer=bool, name="verdict")
    except TimeoutError:
        return "too late"
    return "in time"


async def test_answers_are_listed_with_who_gave_them_the_newest_first(store_url: str):
    async with Environment(store_url, catalog=catalog) as env:
        answers: list[tuple[str, Any]] = [("yes", True), ("no", False), ("value", {"amount": 5})]
        for id, _ in answers:
            await env.start(asking, f"May {id} pass?", id=id)
        await env.wait_until_quiet()
        for id, value in answers:
            env.clock.advance(dt.timedelta(seconds=1))
            await env.resolve(id, "verdict", value, by=f"{id}-sayer", comment="as agreed")
            await env.result(id)

        found = await env.answered_questions()

        assert [(it.run, it.answer, it.by, it.title) for it in found] == [
            (id, id, f"{id}-sayer", f"May {id} pass?") for id in ("value", "no", "yes")
        ]
        assert (found[0].workflow, found[0].name, found[0].comment) == ("asking", "verdict", "as agreed")
        assert found[0].at > found[1].at > found[2].at
        assert await env.answered_questions(1) == found[:1]
        with pytest.raises(BadOption, match="limit"):
            await env.answered_questions(0)


async def test_a_refusal_is_a_no(store_url: str):
    async with Environment(store_url, catalog=catalog) as env:
        await env.start(asking, "First?", id="refused")
        await env.wait_until_quiet()
        await env.reject("refused", "verdict", "never", by="sam")
        await env.wait_until_quiet()

        (found,) = await env.answered_questions()

        assert (found.answer, found.by) == ("no", "sam")


async def test_a_question_that_nobody_answers_in_time_was_given_up(store_url: str):
    async with Environment(store_url, catalog=catalog) as env:
        assert await env.run(hurried) == "too late"

        (found,) = await env.answered_questions()

        assert (found.answer, found.by, found.comment, found.title) == ("gave_up", None, None, "Quick?")


async def test_a_large_answer_is_a_value_and_is_not_read(store_url: str):
    async with Environment(store_url, catalog=catalog) as env:
        for id in ("large", "small"):
            await env.start(asking, "What?", id=id)
        await env.wait_until_quiet()
        # Of random letters: what repeats itself would be small in a database that compresses.
        await env.resolve("large", "verdict", "".join(Random(1).choices(ascii_letters, k=100_000)))
        await env.result("large")
        env.clock.advance(dt.timedelta(seconds=1))
        await env.resolve("small", "verdict", "x")
        await env.result("small")

        rows = await env._store.list_closed_questions(env.namespace, 10)

        assert [(row.run_id, row.payload is None) for row in rows] == [("small", False), ("large", True)]
        assert [it.answer for it in await env.answered_questions()] == ["value", "value"]
