"""`holdfast bulk`, and acts on many runs that nodes do in the background."""

from __future__ import annotations

import asyncio

import pytest
from tests.cli.processes import Project

from holdfast import Catalog, Holdfast, context, workflow

catalog = Catalog()
DB = ("--db", "own.db")
WAITING = ("--workflow", "waiting")


@workflow(catalog=catalog)
async def waiting(name: str) -> str:
    await context().signal("go")
    return name


@pytest.fixture
def filled(project: Project) -> Project:
    async def fill() -> None:
        async with Holdfast(f"sqlite:///{project.folder}/own.db", catalog=catalog, engine=False) as hf:
            await hf.start_many(waiting, ["a", "b", "c"])

    asyncio.run(fill())
    return project


def work(project: Project) -> None:
    """As a node does."""

    async def serve() -> None:
        async with Holdfast(f"sqlite:///{project.folder}/own.db", catalog=catalog) as hf:
            await hf.wait_until_idle()

    asyncio.run(serve())


def test_a_job_is_begun_shown_and_followed(filled: Project) -> None:
    dry = filled.run("runs", "cancel", *WAITING, "--dry-run", *DB)
    begun = filled.run("runs", "cancel", *WAITING, "--yes", "--background", "--by", "ann", *DB)
    [job] = filled.ask("bulk", "list", *DB)
    waiting_for_a_node = filled.run("bulk", "show", job["id"], *DB)
    work(filled)
    shown = filled.run("bulk", "show", job["id"], "--follow", *DB)
    listed = filled.run("bulk", "list", *DB)

    assert dry.stderr == "3 runs match; give --yes to cancel them\n"
    assert begun.stderr == (
        f"bulk job {job['id']}: cancel; a node does it\n"
        f"  holdfast bulk show {job['id']} --follow --db own.db\n"
    )
    assert "cancel is pending: not begun" in waiting_for_a_node.stderr
    assert "cancel is success: 3 of 3 runs" in shown.stderr
    assert "ann" in listed.stdout
    assert "3 of 3 runs" in listed.stdout
    assert filled.ask("bulk", "failures", job["id"], *DB) == []
    assert {run["status"] for run in filled.ask("runs", "list", *WAITING, *DB)} == {"cancelled"}


def test_a_job_is_cancelled_and_old_runs_are_pruned_in_the_background(filled: Project) -> None:
    filled.run("runs", "terminate", *WAITING, "--yes", *DB)
    begun = filled.ask("runs", "prune", "--older-than", "0s", "--background", *DB)
    stopped = filled.run("bulk", "cancel", begun["id"], "--reason", "not yet", *DB)
    again = filled.ask("runs", "prune", "--older-than", "0s", *WAITING, "--background", *DB)
    work(filled)

    assert "is asked to stop: not begun" in stopped.stderr
    assert filled.ask("bulk", "show", begun["id"], *DB)["problem"] == "cancelled: not yet"
    assert (again["act"], filled.ask("bulk", "show", again["id"], *DB)["done"]) == ("prune", 3)
    assert filled.ask("runs", "list", *WAITING, *DB) == []


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("runs", "cancel", *WAITING, "--yes", "--dry-run"), "give it or --yes, not both"),
        (("runs", "cancel", "a", "--background"), "it is for all runs that match, not for one"),
        (("bulk", "show", "nothing"), "no bulk job 'nothing'"),
    ],
)
def test_what_makes_no_sense_is_refused(filled: Project, words: tuple[str, ...], problem: str) -> None:
    refused = filled.run(*words, *DB)

    assert refused.returncode == 2
    assert problem in refused.stderr
