"""A command that does not exist is answered with the one that was meant."""

from __future__ import annotations

import pytest
import typer
from tests.cli.processes import Project
from tests.docs.test_cli_reference import commands

from holdfast.cli.main import app
from holdfast.cli.suggestions import OTHER_WORDS


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("approvals", "Did you mean `holdfast questions`?"),
        ("ps", "Did you mean `holdfast runs list`?"),
        ("trigger", "Did you mean `holdfast start`?"),
        ("runs logs", "Did you mean `holdfast logs`?"),
        ("db prune", "Did you mean `holdfast runs prune`?"),
        ("runs lst", "Did you mean 'list'?"),
        ("xyzzy", "No such command 'xyzzy'."),
    ],
)
def test_a_command_of_another_system_is_answered_with_ours(project: Project, typed: str, meant: str):
    done = project.execute(*typed.split())

    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(meant)
    assert done.stdout == ""


def test_each_suggestion_is_a_command_and_no_command_is_hidden_by_one():
    known = {path for path, _ in commands(typer.main.get_command(app), "holdfast")}
    groups = {path.rsplit(" ", 1)[0] for path in known}

    assert not (known | groups) & OTHER_WORDS.keys()
    for typed, meant in OTHER_WORDS.items():
        command = meant.partition(" RUN")[0].partition(" --")[0]
        assert command in known | groups, f"{typed}: {meant}"
