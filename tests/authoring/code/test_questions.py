"""Questions: what is asked, who may answer with what, and which question an answer is for. On both stores."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from holdfast import Catalog, Run, context, workflow
from holdfast.errors import BadAnswer, MayNotAnswer, PromiseClosed, PromiseSettled, UnknownPromise
from holdfast.testing import Environment, assert_durable

NewDatabase = Callable[[], str]

catalog = Catalog()


class Decision(msgspec.Struct):
    refund: bool
    amount: int = 0


@workflow(catalog=catalog)
async def twice() -> list[Any]:
    return [await context().promise("approve"), await context().promise("approve")]


@workflow(catalog=catalog)
async def refund() -> list[Any]:
    answer = await context().ask(
        "Refund 4,180 to Lindqvist?",
        facts={"order": 7},
        answer=Decision,
        by=["ann"],
        name="refund",
        details=True,
    )
    return [answer.value.refund, answer.by, answer.comment]


@workflow(catalog=catalog)
async def impatient() -> list[Any]:
    found: list[Any] = []
    for _ in range(2):
        try:
            found.append(await context().promise("price", timeout=dt.timedelta(hours=1)))
        except TimeoutError:
            found.append("timed out")
    return found


@workflow(catalog=catalog)
async def late() -> list[Any]:
    await context().signal("go")
    return [await context().promise("approve"), await context().promise("approve")]


async def test_what_nobody_asks_for_is_refused_and_what_is_open_is_told(new_database: NewDatabase) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(twice, id="r")
        await env.wait_until_quiet()

        with pytest.raises(UnknownPromise, match="asks for nothing called 'aprove'; open: 'approve'"):
            await run.resolve("aprove", 1)
        with pytest.raises(UnknownPromise, match="no question number 7"):
            await run.resolve(7, 1)

        assert [it.name for it in await env.questions()] == ["approve"]


async def test_a_name_that_is_asked_for_again_is_a_new_question(new_database: NewDatabase) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(twice)
        await env.wait_until_quiet()
        await run.resolve("approve", 1)
        with pytest.raises(PromiseSettled):
            await run.resolve(0, 5)
        await env.wait_until_quiet()
        await env.crash()
        [question] = await env.questions(run=run)

        await run.resolve(question.number, 2)

        assert question.number == 1
        assert await run.result() == [1, 2]
        assert await env.questions() == []


async def test_of_two_answers_at_once_one_is_refused(new_database: NewDatabase) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(refund)
        await env.wait_until_quiet()
        answers = [run.resolve("refund", {"refund": bool(n)}, by="ann") for n in range(2)]

        results = await asyncio.gather(*answers, return_exceptions=True)

        assert [type(it) for it in results] == [type(None), PromiseSettled]
        assert await run.result() == [False, "ann", ""]


async def test_who_may_answer_and_with_what_is_checked_before_it_is_written(
    new_database: NewDatabase,
) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(refund)
        await env.wait_until_quiet()

        with pytest.raises(MayNotAnswer, match=r"'bob' may not answer 'refund'.*allowed: 'ann'"):
            await run.resolve("refund", {"refund": True}, by="bob")
        with pytest.raises(BadAnswer, match=r"the answer\.refund: expected true or false, got 'yes'"):
            await run.resolve("refund", {"refund": "yes"}, by="ann")

        assert await env.messages(run) == []
        [question] = await env.questions(by="ann")
        assert (question.title, question.facts) == ("Refund 4,180 to Lindqvist?", {"order": 7})
        assert await env.questions(by="bob") == []
        await run.resolve("refund", {"refund": True}, by="ann", comment="a regular")
        assert await run.result() == [True, "ann", "a regular"]


async def test_a_late_answer_does_not_answer_the_next_question_of_its_name(new_database: NewDatabase) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(impatient)
        await env.wait_until_quiet()
        await env.skip(dt.timedelta(hours=1))
        await env.wait_until_quiet()

        with pytest.raises(PromiseClosed):
            await run.resolve(0, "late")
        await run.resolve("price", "in time")

        assert await run.result() == ["timed out", "in time"]


async def test_an_answer_ahead_is_kept_once_until_it_is_asked_for(new_database: NewDatabase) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(late)
        await run.resolve("approve", 1, ahead=True)
        with pytest.raises(PromiseSettled):
            await run.resolve("approve", 2, ahead=True)
        await env.wait_until_quiet()
        await run.signal("go")
        await env.wait_until_quiet()
        await env.crash()

        await run.resolve("approve", 3, ahead=True)

        assert await run.result() == [1, 3]


async def test_questions_are_closed_when_their_run_is_terminated(new_database: NewDatabase) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(twice)
        await env.wait_until_quiet()

        await env.terminate(run)
        await env.wait_until_quiet()

        assert await env.questions() == []


async def test_questions_survive_a_crash_at_every_commit(new_database: NewDatabase) -> None:
    async def answer(run: Run) -> None:
        for value in (1, 2):
            with contextlib.suppress(PromiseSettled):
                await run.resolve("approve", value, ahead=True)

    found = await assert_durable(twice, during=answer, new_database=new_database, catalog=catalog)

    assert len(found) == 2


async def test_an_answer_wins_over_a_timeout_that_is_heard_in_the_same_step(
    new_database: NewDatabase,
) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(impatient)
        await env.wait_until_quiet()
        await env.pause(run)
        await env.wait_until_quiet()
        await run.resolve("price", "in time")
        await env.skip(dt.timedelta(hours=2))

        await env.resume(run)
        await env.wait_until_quiet()
        await env.crash()
        await run.resolve("price", "the second")

        assert await run.result() == ["in time", "the second"]


async def test_an_explanation_tells_what_is_asked_and_of_whom(new_database: NewDatabase) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        await env.start(refund, id="r")
        await env.start(twice, id="plain")
        await env.wait_until_quiet()

        asked = (await env.explain("r")).reasons
        plain = (await env.explain("plain")).reasons

        assert [it.what for it in asked[1:]] == ["it asks ann: Refund 4,180 to Lindqvist?"]
        assert asked[1].advice == "holdfast resolve r '#0' JSON --by ann"
        assert [it.what for it in plain[1:]] == ["it has asked for promise 'approve', which has not come"]


@workflow(catalog=catalog)
async def shared() -> list[Any]:
    found = [await context().promise("vote", same=True), await context().promise("vote", same=True)]
    return [*found, await context().signal("go")]


async def test_an_answer_ahead_to_a_promise_that_keeps_its_value_is_refused(
    new_database: NewDatabase,
) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(shared)
        await env.wait_until_quiet()
        await run.resolve("vote", "ann")
        with pytest.raises(PromiseSettled):
            await run.resolve("vote", "bob", ahead=True)

        await run.signal("go", 1)

        assert await run.result() == ["ann", "ann", 1]
