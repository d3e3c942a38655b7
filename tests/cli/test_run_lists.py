"""`holdfast runs list` by conditions."""

from __future__ import annotations

import asyncio

from tests.cli.processes import Project
from tests.cli.test_retention import fill


def test_runs_are_listed_by_how_long_they_took(project: Project) -> None:
    asyncio.run(fill(project))

    quick = project.ask("runs", "list", "--took-under", "1h30m")
    long = project.ask("runs", "list", "--took-over", "1h30m")
    refused = project.run("runs", "list", "--took-over", "soon")

    assert {run["id"] for run in quick} == {"greet-ann", "greet-bob", "greet-cem"}
    assert long == []
    assert refused.returncode == 2
    assert "'soon' is not a length of time, such as 30d, 12h or 1h30m" in refused.stderr
