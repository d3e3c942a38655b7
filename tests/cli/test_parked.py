"""Runs that an edit of their code has parked: what is shown of them, and how they are resumed together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from tests.cli.processes import Project

from holdfast import Catalog, context, task, workflow
from holdfast.testing import Environment


async def _before(order: str) -> str:
    await context().schedule("charge", order)
    await context().signal("go")
    return f"{order} is done"


async def _after(order: str) -> str:
    await context().schedule("charge", order.upper())
    await context().signal("go")
    return f"{order} is done"


def _catalog(code: Callable[[str], Coroutine[Any, Any, str]]) -> Catalog:
    catalog = Catalog()

    @task(catalog=catalog)
    async def charge(order: str) -> str:
        return order

    workflow(catalog=catalog, name="fulfil")(code)
    return catalog


async def _park(url: str, *ids: str) -> None:
    async with Environment(url, catalog=_catalog(_before)) as env:
        for id in ids:
            await env.start("fulfil", id, id=id)
        await env.wait_until_quiet()
    async with Environment(url, catalog=_catalog(_after)) as env:
        for id in ids:
            await env.signal(id, "go")
        await env.wait_until_quiet()


@pytest.fixture
def parked(project: Project) -> Project:
    """With two runs that are parked: `tea` and `milk`."""
    folder = project.folder / ".holdfast"
    folder.mkdir()
    asyncio.run(_park(f"sqlite:///{folder}/holdfast.db", "tea", "milk"))
    return project


def test_the_whole_difference_is_shown(parked: Project):
    shown = parked.run("runs", "show", "tea").stdout

    assert "why it is parked:" in shown
    assert """  recorded: task 'charge' {"order":"tea"}""" in shown
    assert """  asked:    task 'charge' with other arguments {"order":"TEA"}""" in shown
    assert f"  in:       {Path(__file__)}:" in shown
    assert """  -    await context().schedule("charge", order)""" in shown
    assert """  +    await context().schedule("charge", order.upper())""" in shown


def test_all_are_resumed_or_those_of_one_workflow(parked: Project):
    others = parked.ask("runs", "resume", "--all", "--workflow", "another")
    all_of_it = parked.run("runs", "resume", "--all", "--workflow", "fulfil")
    again = parked.ask("runs", "resume", "--all")

    assert others == {"resumed": 0}
    assert all_of_it.stderr == "2 parked runs may go on\n"
    assert again == {"resumed": 0}
    assert parked.ask("runs", "list", "--status", "parked") == []


def test_those_that_match_are_counted_and_then_resumed(parked: Project):
    conditions = ["--workflow", "fulfil", "--status", "parked"]
    paused = parked.ask("runs", "resume", "--status", "paused")
    counted = parked.run("runs", "resume", *conditions)
    resumed = parked.ask("runs", "resume", *conditions, "--yes")

    assert paused == {"matching": 0}
    assert counted.stderr == "2 runs match; give --yes to resume them\n"
    assert (resumed["done"], resumed["refusals"]) == (2, 0)
    assert parked.ask("runs", "list", "--status", "parked") == []


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "name one run, or give conditions"),
        (("tea", "--all"), "it goes with --workflow, and with nothing else"),
        (("--all", "--status", "parked"), "it goes with --workflow, and with nothing else"),
        (("tea", "--workflow", "fulfil"), "name one run, or give conditions"),
        (("tea", "--timers", "wait"), "is parked, not paused"),
        (("tea", "--timers", "skip"), "one of catch_up, wait"),
    ],
)
def test_what_is_unclear_is_refused_and_resumes_nothing(
    words: tuple[str, ...], problem: str, parked: Project
):
    refused = parked.run("runs", "resume", *words)

    assert refused.returncode == 2
    assert problem in refused.stderr
    assert len(parked.ask("runs", "list", "--status", "parked")) == 2


async def _first_chapter(order: str) -> str:
    await context().signal("turn")
    context().continue_as(order)


async def test_the_difference_of_a_later_chapter_says_of_which_its_source_is(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/shop.db"
    async with Environment(url, catalog=_catalog(_first_chapter)) as env:
        await env.start("fulfil", "tea", id="tea")
        await env.wait_until_quiet()
    async with Environment(url, catalog=_catalog(_turning)) as env:
        await env.signal("tea", "turn")
        await env.wait_until_quiet()
        assert (await env.describe("tea")).chapter == 2
    async with Environment(url, catalog=_catalog(_after)) as env:
        await env.signal("tea", "go")
        await env.wait_until_quiet()

        failure = (await env.describe("tea")).failure

    assert failure is not None
    assert "--- as its first chapter began (auto-" in str(failure.traceback)


async def _turning(order: str) -> str:
    if context().chapter == 1:
        await context().signal("turn")
        context().continue_as(order)
    return await _before(order)
