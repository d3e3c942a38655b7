"""`holdfast runs export` and `holdfast runs import`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.cli.processes import Project
from tests.cli.test_retention import fill


@pytest.fixture
def filled(project: Project) -> Project:
    asyncio.run(fill(project))
    return project


def kinds(text: str) -> list[str]:
    return [json.loads(line)["kind"] for line in text.splitlines()]


def test_runs_go_to_a_file_and_into_another_database(filled: Project) -> None:
    exported = filled.run("runs", "export", "--ended", "--output", "runs.jsonl")
    imported = filled.run("runs", "import", "runs.jsonl", "--db", "copy.db")
    again = filled.run("runs", "import", "runs.jsonl", "--db", "copy.db", "--json")

    assert exported.stdout == ""
    assert "3 runs exported to runs.jsonl" in exported.stderr
    assert "3 runs imported" in imported.stderr
    assert json.loads(again.stdout) == {
        "checked": 3, "runs": 0, "live": 0, "existing": 3, "skipped": 0, "dry_run": False,
    }  # fmt: skip
    listed = json.loads(filled.run("runs", "list", "--db", "copy.db", "--json").stdout)
    assert {run["id"] for run in listed} == {"greet-ann", "greet-bob", "greet-cem"}
    assert "Hello ann" in filled.run("runs", "show", "greet-ann", "--db", "copy.db").stdout


def test_lines_go_through_pipes(filled: Project) -> None:
    exported = filled.run("runs", "export", "greet-ann", "greet-bob")
    assert kinds(exported.stdout).count("run") == 2

    imported = filled.run("runs", "import", "-", "--db", "copy.db", input=exported.stdout)

    assert "2 runs imported" in imported.stderr


def test_a_live_run_is_imported_only_by_name_of_the_option(filled: Project) -> None:
    filled.run("runs", "export", "waiting", "-o", "runs.jsonl")

    refused = filled.run("runs", "import", "runs.jsonl", "--db", "copy.db")
    would = filled.run("runs", "import", "runs.jsonl", "--db", "copy.db", "--live", "--dry-run")
    done = filled.run("runs", "import", "runs.jsonl", "--db", "copy.db", "--live")

    assert refused.returncode == 2
    assert "waiting: it has not ended; with live=True (--live) it would go on here" in refused.stderr
    assert "1 run would be imported (1 not ended)" in would.stderr
    assert "1 run imported (1 not ended)" in done.stderr


def test_an_export_that_fails_leaves_no_file(filled: Project) -> None:
    file = filled.folder / "runs.jsonl"
    file.write_text("older")

    refused = filled.run("runs", "export", "--status", "sleepy", "--output", "runs.jsonl")

    assert refused.returncode == 2
    assert file.read_text() == "older"
    assert [each.name for each in Path(filled.folder).glob(".runs.jsonl*")] == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["export"], "name runs, or give --all or conditions"),
        (["export", "greet-ann", "--all"], "name runs, or give --all or conditions"),
        (["export", "nobody"], "no run 'nobody'"),
        (["export", "--all", "--older-than", "soon"], "'soon' is not a length of time"),
        (["export", "--all", "--output", "nowhere/runs.jsonl"], "nowhere/runs.jsonl: No such file"),
        (["import", "nope.jsonl"], "nope.jsonl: no such file"),
        (["import", "holdfast.toml"], "line 1: "),
    ],
)
def test_what_cannot_be_done_is_refused(filled: Project, arguments: list[str], problem: str) -> None:
    (filled.folder / "holdfast.toml").write_text("# no runs\n")

    refused = filled.run("runs", *arguments)

    assert refused.returncode == 2
    assert problem in " ".join(refused.stderr.split())
