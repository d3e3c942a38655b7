"""The questions that approvals of DAGs and flows ask: who may answer, and with what. On both stores."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from holdfast import BadAnswer, Catalog, DagWorkflow, MayNotAnswer, load_dag, load_flow, with_options
from holdfast.errors import NotAsked
from holdfast.testing import Environment, assert_durable

NewDatabase = Callable[[], str]
HOUR = dt.timedelta(hours=1)

DAG = """
    name: refund
    input: {total: int = 4180}
    tasks:
      gate:
        approval:
          title: Refund?
          facts: {total: {ref: input.total}}
          answer: bool
          by: [ann, bob]
"""
FLOW = """
    start: confirm
    nodes:
      confirm:
        kind: approval
        question: {title: Refund?, facts: {total: $params.total}, answer: {type: boolean}, by: [ann, bob]}
        post: {output_key: said}
"""


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture(params=["dag", "flow"])
def refund(request: pytest.FixtureRequest, tmp_path: Path, catalog: Catalog) -> Any:
    file = tmp_path / "refund.yaml"
    if request.param == "dag":
        file.write_text(dedent(DAG))
        return load_dag(file, catalog=catalog)
    file.write_text(dedent(FLOW))
    return load_flow(file, catalog=catalog)


@pytest.fixture
def task(refund: Any) -> str:
    return "gate" if isinstance(refund, DagWorkflow) else "confirm"


async def test_an_approval_says_what_is_asked_and_takes_only_a_fitting_answer(
    refund: Any, task: str, catalog: Catalog, store_url: str
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(refund, total=4180)
        await env.wait_until_quiet()

        [question] = await env.questions(by="ann")
        assert question.title == "Refund?"
        assert (question.name, question.facts, question.by) == (task, {"total": 4180}, ("ann", "bob"))
        assert await env.questions(by="eve") == []
        with pytest.raises(MayNotAnswer):
            await env.approve(run, task, by="eve")
        with pytest.raises(BadAnswer):
            await env.approve(run, task, value="perhaps", by="ann")
        reason = (await env.explain(run)).reasons[-1]
        assert reason.what == f"{task} waits for approval: {question.title}"
        assert reason.advice.endswith(f"{task} --by ann")

        await env.approve(run, task, by="bob", comment="a regular")

        found = await run.result()
        assert True in found.values()
        [message] = await env.messages(run)
        assert (message.by, message.comment, message.question) == ("bob", "a regular", 0)
        assert await env.questions() == []


async def test_what_explains_an_approval_can_be_done_and_goes_when_it_is_done(
    refund: Any, task: str, catalog: Catalog, store_url: str
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(refund, total=4180)
        await env.wait_until_quiet()
        await run.pause()
        await env.wait_until_quiet()
        assert "approval" in [reason.kind for reason in (await env.explain(run)).reasons]

        await env.approve(run, task, by="ann")

        kinds = [reason.kind for reason in (await env.explain(run)).reasons]
        assert kinds == ["paused", "message"]
        await run.resume()
        assert True in (await run.result()).values()


WAITS = """
    name: waits
    tasks:
      size: {approval: {title: Which size?, answer: {cm: int}, by: ann}}
      hear: {depends_on: size, wait_for_signal: the truck}
"""


async def test_an_explanation_of_a_dag_names_the_value_and_the_signal_that_it_needs(
    tmp_path: Path, catalog: Catalog, store_url: str
) -> None:
    file = tmp_path / "waits.yaml"
    file.write_text(dedent(WAITS))
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(with_options(load_dag(file, catalog=catalog), id="w"))
        await env.wait_until_quiet()
        assert (await env.explain(run)).reasons[-1].advice == "holdfast approve w size --value JSON --by ann"

        await env.approve(run, "size", value={"cm": 5}, by="ann")
        await env.wait_until_quiet()

        for _ in range(2):  # on a node, and in the store only
            [reason] = [it for it in (await env.explain(run)).reasons if it.kind != "node"]
            assert (reason.kind, reason.what) == ("signal", "hear waits for signal 'the truck'")
            assert reason.advice == "holdfast signal w 'the truck' JSON"
            await env.skip(HOUR)
            await env.wait_until_quiet()
        with pytest.raises(NotAsked):
            await env.approve(run, "hear")
        await run.signal("the truck")
        assert await run.result() is not None


async def test_an_answer_ahead_that_does_not_fit_is_dropped_and_told(
    refund: Any, task: str, catalog: Catalog, store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(with_options(refund, delay=HOUR), total=4180)
        await run.resolve(task, True, by="eve", ahead=True)

        with caplog.at_level(logging.WARNING, "holdfast.workflow"):
            await env.skip(HOUR)
            await env.wait_until_quiet()
            await env.crash()
            await env.wait_until_quiet()

        assert caplog.text.count(f"an answer to {task!r} was not taken: 'eve' is not among those") == 1
        [question] = await env.questions()
        await run.resolve(question.number, True, by="ann")
        assert True in (await run.result()).values()


async def test_an_answer_ahead_that_fits_is_taken(
    refund: Any, task: str, catalog: Catalog, new_database: NewDatabase
) -> None:
    async def answer(run: Any) -> None:
        await run.resolve(task, True, by="ann", ahead=True)

    found = await assert_durable(
        refund, during=answer, catalog=catalog, new_database=new_database, total=4180
    )

    assert True in found.values()


@pytest.mark.parametrize("is_ahead", [False, True])
async def test_a_signal_does_not_answer_an_approval_that_names_people(
    tmp_path: Path, catalog: Catalog, store_url: str, caplog: pytest.LogCaptureFixture, is_ahead: bool
) -> None:
    file = tmp_path / "refund.yaml"
    file.write_text(dedent(FLOW))
    flow = load_flow(file, catalog=catalog)
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(with_options(flow, delay=HOUR), total=4180)
        if not is_ahead:
            await env.skip(HOUR)
            await env.wait_until_quiet()

        with caplog.at_level(logging.WARNING, "holdfast.workflow"):
            await run.signal("confirm", True)
            await env.skip(HOUR)
            await env.wait_until_quiet()
            await env.crash()
            await env.wait_until_quiet()

        assert [it.name for it in await env.questions()] == ["confirm"]
        assert caplog.text.count("a signal does not say who; use hf.approve(..., by=...)") == 1
        await env.approve(run, "confirm", value=False, by="ann")
        assert (await run.result())["said"] is False
