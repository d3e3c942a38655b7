"""What `import holdfast` gives, and what it does not wait for."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import holdfast
from holdfast.authoring.code.definitions import task

HEAVY = {"holdfast.app", "holdfast.authoring.dag", "holdfast.client", "holdfast.engine", "holdfast.stores"}
HEAVY |= {"apsw", "psycopg", "rich", "sqlite3", "tomllib", "typer", "uvloop", "yaml"}


def loaded_by(code: str) -> set[str]:
    """The modules that a new process has after this."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(shown.stdout.split())


def test_the_package_alone_brings_none_of_its_modules():
    loaded = loaded_by("import holdfast")

    assert [name for name in loaded if name.startswith("holdfast.")] == []
    assert "asyncio" not in loaded


def test_what_a_module_of_tasks_needs_does_not_bring_the_engine_the_stores_or_the_reader_of_yaml():
    loaded = loaded_by("from holdfast import task, workflow, context, task_context, Context, Retry, errors")

    assert loaded & HEAVY == set()


def test_a_script_that_opens_a_database_does_not_bring_the_reader_of_yaml():
    loaded = loaded_by("from holdfast import Holdfast, task, workflow")

    assert loaded & {"holdfast.authoring.dag", "rich", "typer", "yaml"} == set()


def test_every_name_is_the_same_thing_as_in_the_module_where_it_lives():
    found = {name: getattr(holdfast, name) for name in holdfast.__all__}

    assert found["task"] is task
    assert found == {name: vars(holdfast)[name] for name in holdfast.__all__}
    assert all(inspect.getmodule(it).__name__.startswith("holdfast.") for it in found.values())


def test_type_checkers_are_told_of_the_same_names_in_the_same_places_as_are_found():
    tree = ast.parse(Path(holdfast.__file__).read_text("utf-8"))
    told = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holdfast.")
        for alias in node.names
    }

    found = {name: f"holdfast.{home}" for name, home in holdfast._MODULE_OF.items()}

    assert found == told
    assert sorted(found) == sorted(holdfast.__all__)


def test_the_version_is_that_of_what_is_installed():
    assert holdfast.__version__ == version("holdfast")


def test_a_star_and_dir_give_the_public_names_and_nothing_else():
    shown = subprocess.run(
        [
            sys.executable,
            "-c",
            "import holdfast, holdfast.app\nprint(*dir(holdfast))\nfrom holdfast import *\nprint(*dir())",
        ],
        check=True,
        capture_output=True,
        text=True,
    )

    listed, starred = (set(line.split()) for line in shown.stdout.splitlines())
    assert listed == {*holdfast.__all__, "__version__", "errors"}
    assert {name for name in starred if not name.startswith("__")} - {"holdfast"} == set(holdfast.__all__)


def test_a_name_that_is_not_there_is_refused_as_by_any_module():
    with pytest.raises(AttributeError, match="module 'holdfast' has no attribute 'tasks'"):
        _ = holdfast.tasks  # type: ignore[attr-defined]
