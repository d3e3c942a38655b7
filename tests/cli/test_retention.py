"""`holdfast runs delete` and `holdfast runs prune`."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.cli.processes import Project

from holdfast import Catalog, Holdfast, context, workflow

catalog = Catalog()


@workflow(catalog=catalog)
async def greet(name: str) -> str:
    return f"Hello {name}"


@workflow(catalog=catalog)
async def wait() -> None:
    await context().signal("go")


async def fill(project: Project) -> None:
    (project.folder / ".holdfast").mkdir()
    url = f"sqlite:///{project.folder}/.holdfast/holdfast.db"
    async with Holdfast(url, catalog=catalog) as hf:
        for name in ("ann", "bob", "cem"):
            await hf.run(greet, name, id=f"greet-{name}")
        await hf.start(wait, id="waiting")


def test_runs_are_deleted_by_name_and_by_age(project: Project) -> None:
    asyncio.run(fill(project))

    deleted = project.run("runs", "delete", "greet-ann")
    counted = project.run("runs", "prune", "--older-than", "0s", "--dry-run")
    young = project.run("runs", "prune", "--older-than", "30d", "--json")
    pruned = project.run("runs", "prune", "--older-than", "0s", "--status", "success")

    assert "run greet-ann is deleted" in deleted.stderr
    assert "2 runs would be deleted" in counted.stderr
    assert json.loads(young.stdout) == {"runs": 0, "rows": 0, "dry_run": False}
    assert "2 runs deleted" in pruned.stderr
    listed = json.loads(project.run("runs", "list", "--json").stdout)
    assert [run["id"] for run in listed] == ["waiting"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["delete", "waiting"], "only a run that has ended can be deleted"),
        (["delete", "nobody"], "no run 'nobody'"),
        (["prune", "--older-than", "soon"], "'soon' is not a length of time, such as 30d"),
        (["prune", "--older-than", "1d", "--status", "running"], "only ended runs are deleted"),
    ],
)
def test_what_cannot_be_deleted_is_refused(project: Project, arguments: list[str], problem: str) -> None:
    asyncio.run(fill(project))

    refused = project.run("runs", *arguments)

    assert refused.returncode == 2
    assert problem in " ".join(refused.stderr.split())
