"""Questions of runs that go on as new chapters: they stay open, and each answer is got once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Catalog, PromiseClosed, RunFailed, context, workflow
from holdfast.testing import Environment, assert_durable

NewDatabase = Callable[[], str]

catalog = Catalog()
weather = ["bad"]


@workflow(catalog=catalog)
async def patient(chapter: int = 1) -> Any:
    ctx = context()
    answer = ctx.ask(f"Refund, in chapter {chapter}?", answer=int, by=["ann"], name="refund")
    if chapter == 3:
        return await answer
    await ctx.signal("on")
    ctx.continue_as(chapter + 1)


@workflow(catalog=catalog)
async def repeating(got: list[str] = []) -> list[str]:  # noqa: B006
    got = [*got, await context().promise("step")]
    if len(got) == 3:
        return got
    context().continue_as(got)


@workflow(catalog=catalog)
async def hasty(chapter: int = 1) -> Any:
    ctx = context()
    answer = ctx.promise("step")
    if chapter == 1:
        other = ctx.promise("other")
        await ctx.signal("on")
        assert answer.done()
        other.cancel()
        ctx.continue_as(2)
    return [await answer, await ctx.promise("step"), await ctx.promise("other")]


@workflow(catalog=catalog)
async def fragile(chapter: int = 1) -> Any:
    ctx = context()
    if chapter == 1:
        ctx.promise("price")
        await ctx.signal("on")
        ctx.continue_as(2)
    await ctx.signal("go")
    if weather == ["bad"]:
        raise ValueError("bad weather")
    return await ctx.promise("price")


async def test_an_open_question_goes_on_under_its_number_and_in_new_words(new_database: NewDatabase) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(patient)
        for chapter in (1, 2):
            await env.wait_until_quiet()
            [question] = await env.questions()
            assert (question.number, question.title) == (0, f"Refund, in chapter {chapter}?")
            await run.signal("on")
            await env.crash()
        await env.wait_until_quiet()

        await run.resolve(0, 5, by="ann")

        assert await run.result() == 5
        assert await env.questions() == []


async def test_an_answer_that_comes_while_a_chapter_ends_is_for_the_next(new_database: NewDatabase) -> None:
    async def answer(run: Any) -> None:
        await run.resolve("refund", 5, by="ann", ahead=True)
        for number in range(2):
            await run.signal("on", message_id=f"on {number}")

    assert await assert_durable(patient, during=answer, catalog=catalog, new_database=new_database) == 5


async def test_an_answer_that_the_code_has_got_does_not_come_again(new_database: NewDatabase) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(repeating)
        for number, word in enumerate(("one", "two", "three")):
            await env.wait_until_quiet()
            [question] = await env.questions()
            assert question.number == number
            await run.resolve("step", word)
            if number == 1:
                await env.crash()

        assert await run.result() == ["one", "two", "three"]


async def test_an_answer_that_nobody_looked_at_is_for_the_next_chapter(new_database: NewDatabase) -> None:
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(hasty)
        await env.wait_until_quiet()
        await run.resolve("step", "one")
        await run.signal("on")
        await env.wait_until_quiet()
        with pytest.raises(PromiseClosed):
            await run.resolve(1, "to a question that was cancelled")

        assert [(it.number, it.name) for it in await env.questions()] == [(2, "step")]
        await run.resolve("step", "two")
        await env.wait_until_quiet()
        assert [(it.number, it.name) for it in await env.questions()] == [(3, "other")]
        await run.resolve("other", "three")

        assert await run.result() == ["one", "two", "three"]


@pytest.mark.parametrize("is_answered", [False, True])
async def test_a_retry_opens_a_question_of_an_earlier_chapter_again(
    new_database: NewDatabase, is_answered: bool
) -> None:
    weather[:] = ["bad"]
    async with Environment(new_database(), catalog=catalog) as env:
        run = await env.start(fragile)
        await env.wait_until_quiet()
        await run.signal("on")
        await env.wait_until_quiet()
        if is_answered:
            await run.resolve("price", 7)
            await env.wait_until_quiet()
        await run.signal("go")
        with pytest.raises(RunFailed):
            await run.result()
        assert await env.questions() == []

        weather[:] = ["good"]
        await run.retry()
        await env.wait_until_quiet()

        if not is_answered:
            assert [it.number for it in await env.questions()] == [0]
            await run.resolve(0, 7)
        assert await run.result() == 7
