"""What `holdfast runs show` and `holdfast explain` say of runs that were started with options."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import shlex

import pytest
from tests.cli.processes import Project

from holdfast import Catalog, DeadlineExceeded, Holdfast, context, workflow

catalog = Catalog()
ID = "it's one; of two"


@workflow(catalog=catalog)
async def wait() -> None:
    context().publish("progress", 1)
    await context().signal("go on")


async def fill(project: Project) -> None:
    async with Holdfast(f"sqlite:///{project.folder}/own.db", catalog=catalog) as hf:
        await hf.start(wait, id=ID)
        options = wait.options(
            id=ID, id_policy="replace", tags=["red", "grün"], note="a gift", priority=3, by="ann",
            deadline=dt.timedelta(hours=1),
        )  # fmt: skip
        await hf.start(options)
        await anext(hf.stream(ID, "progress"))


def test_a_run_is_shown_with_its_options_and_with_commands_to_paste(project: Project) -> None:
    asyncio.run(fill(project))

    shown = project.run("runs", "show", ID, "--db", "own.db").stdout
    facts = {line[:10].strip(): line[10:] for line in shown.splitlines()}
    whole = json.loads(project.run("runs", "show", ID, "--db", "own.db", "--json").stdout)
    explained = project.run("explain", ID, "--db", "own.db").stdout

    assert {name: facts[name] for name in ("note", "tags", "priority", "by", "streams")} == {
        "note": "a gift",
        "tags": "red, grün",
        "priority": "3",
        "by": "ann",
        "streams": "progress (1)",
    }
    assert facts["deadline"].startswith("20")
    assert project.run("runs", "show", facts["previous"], "--db", "own.db").stdout.count(f"had id    {ID}")
    wrong = project.run("runs", "stream", ID, "progres", "--no-follow", "--db", "own.db")
    assert "has published nothing to stream 'progres'; it has progress" in wrong.stderr
    assert whole["streams"] == [{"name": "progress", "first": 0, "count": 1}]
    (advice,) = [line for line in explained.splitlines() if "holdfast signal" in line]
    assert shlex.split(advice.partition("to move it: ")[2]) == [
        "holdfast", "signal", ID, "go on", "JSON", "--db", "own.db",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ["try-now", "--workflow", "wait", "--task", "x"],
            "for --task: it is for one run, not for all that match",
        ),
        (
            ["resume", "--all", "--timers", "wait"],
            "for --timers: it is for paused runs, and --all means parked",
        ),
    ],
)
def test_options_that_would_be_ignored_are_refused(
    project: Project, arguments: list[str], problem: str
) -> None:
    asyncio.run(fill(project))

    refused = project.run("runs", *arguments, "--db", "own.db", "--yes")

    assert refused.returncode == 2
    assert problem in refused.stderr


def test_commands_that_retry_a_run_whose_deadline_has_passed_can_be_pasted(project: Project) -> None:
    async def fail() -> None:
        async with Holdfast(f"sqlite:///{project.folder}/own.db", catalog=catalog) as hf:
            run = await hf.start(wait.options(id="late", deadline=dt.timedelta(milliseconds=50)))
            with pytest.raises(DeadlineExceeded):
                await run.result()

    asyncio.run(fail())

    shown = project.run("runs", "show", "late", "--db", "own.db").stdout
    explained = project.run("explain", "late", "--db", "own.db").stdout
    refused = project.run("runs", "retry", "late", "--db", "own.db")

    command = "holdfast runs retry late --deadline 1h --db own.db"
    assert f"try again what failed: {command}" in shown
    assert f"to try again what failed: {command}" in explained
    assert refused.returncode == 2
    assert "holdfast runs retry RUN --deadline 1h" in " ".join(refused.stderr.split())
    assert project.run(*shlex.split(command)[1:]).returncode == 0
