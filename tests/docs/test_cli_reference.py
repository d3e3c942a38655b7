"""The page of the command line has every command and every option."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from tests.docs.pages import ROOT

from holdfast.cli.main import app

EVERYWHERE = {"--db", "--server", "--key-file", "--namespace", "--json", "--help"}


def commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    if not hasattr(group, "commands"):
        yield path, group
        return
    for name, command in group.commands.items():
        yield from commands(command, f"{path} {name}")


def test_every_command_and_option_is_on_the_page() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")

    for path, command in commands(typer.main.get_command(app), "holdfast"):
        assert f"`{path}" in page, path
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith("--") and option not in EVERYWHERE:
                    assert f"`{option}" in page, f"{path} {option}"


def test_every_option_that_is_said_to_be_everywhere_is() -> None:
    without_runs = {"holdfast init", "holdfast validate", "holdfast graph", "holdfast completion"}

    for path, command in commands(typer.main.get_command(app), "holdfast"):
        options = {option for parameter in command.params for option in parameter.opts}
        if path not in without_runs:
            # All tenants share the schema.
            wanted = {"--db", "--server", "--key-file"}
            wanted |= set() if path.startswith("holdfast db ") else {"--namespace"}
            assert wanted <= options, path
