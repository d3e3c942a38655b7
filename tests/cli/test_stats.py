"""`holdfast stats` and `holdfast namespaces`."""

from __future__ import annotations

import asyncio
import contextlib

from tests.cli.processes import Project

from holdfast import Catalog, Holdfast, workflow
from holdfast.cli.commands.stats import _chart

catalog = Catalog()


@workflow(catalog=catalog)
async def quick() -> int:
    return 1


def test_counts_and_a_chart_are_printed(project: Project) -> None:
    async def fill() -> None:
        async with Holdfast(f"sqlite:///{project.folder}/own.db", catalog=catalog) as hf:
            for run in await hf.start_many(quick, [()] * 3):
                await run.result()

    asyncio.run(fill())

    shown = project.run("stats", "--db", "own.db").stdout
    whole = project.ask("stats", "--last", "1d", "--step", "1h", "--db", "own.db")
    spaces = project.ask("namespaces", "--db", "own.db")
    refused = project.run("stats", "--last", "30d", "--db", "own.db")

    assert "success    3" in shown
    assert "started            3  " in shown
    assert "█" in shown
    assert (whole["total"]["succeeded"], len(whole["points"])) == (3, 24)
    assert spaces == [{"name": "default", "open_runs": 0, "failed_runs": 0}]
    assert "NAMESPACE" in project.run("namespaces", "--db", "own.db").stdout
    assert refused.returncode == 2
    assert "whole minutes, from 1 to 11,520" in refused.stderr


def test_the_status_is_told_in_sentences(project: Project) -> None:
    @workflow(catalog=catalog)
    async def broken() -> None:
        raise ValueError("not today")

    async def fill() -> None:
        async with Holdfast(f"sqlite:///{project.folder}/own.db", catalog=catalog) as hf:
            run = await hf.start(broken)
            with contextlib.suppress(ValueError):
                await run.result()

    asyncio.run(fill())

    shown = project.run("status", "--db", "own.db").stdout.splitlines()
    whole = project.ask("status", "--db", "own.db")

    assert shown[0] == "Work goes on, and one thing needs a person. No run is under way."
    assert shown[1].startswith(
        "In the last 24 hours runs ended once, 1 with a failure. No node is up; the database "
    )
    assert shown[2:4] == ["", "broken failed"]
    assert shown[4].startswith("  It failed with ValueError: not today. ")
    assert whole["items"][0]["title"] == "broken failed"


def test_a_chart_has_a_bar_for_whatever_is_not_zero() -> None:
    assert _chart([0, 0]) == ""
    assert _chart([0, 8, 4, 1000]) == " ▁▁█"
    assert _chart([1] * 120) == "█" * 60
    assert len(_chart([1] * 61)) == 31
