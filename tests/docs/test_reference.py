"""The reference names everything there is, so that nothing is added without being described."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import msgspec
import pytest
from tests.docs.pages import ROOT

import holdfast
from holdfast import Context, Holdfast, Retry, Run, RunInfo, RunStatus, TaskContext, TaskStatus, errors
from holdfast.core.policies import TaskOptions
from holdfast.settings import Settings

DOCS = ROOT / "docs"
NOT_FOR_USERS = {
    Holdfast: {
        "key_of",
        "waiters",
        "register_all",
        "list_tasks",
        "preview_input",
        "watching",
        "settings",
        "namespace",
    },
    TaskContext: {"add_lines", "end", "origin", "print"},
    TaskOptions: {"service", "is_step"},
}


def text_of(page: str) -> str:
    return (DOCS / page).read_text("utf-8")


def public_names(kind: type) -> list[str]:
    hidden = NOT_FOR_USERS.get(kind, set())
    return [name for name, _ in inspect.getmembers(kind) if not name.startswith("_") and name not in hidden]


@pytest.mark.parametrize(
    ("kind", "page"),
    [
        (Context, "reference/context.md"),
        (Holdfast, "reference/client.md"),
        (Run, "reference/client.md"),
        (RunInfo, "reference/client.md"),
        (TaskContext, "reference/tasks-and-workflows.md"),
        (TaskOptions, "reference/tasks-and-workflows.md"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else Path(value).stem,
)
def test_every_public_name_of_a_class_is_in_its_reference(kind: type, page: str):
    text = text_of(page)

    missing = [name for name in public_names(kind) if f"`{name}`" not in text and f"`{name}(" not in text]

    assert missing == []


def test_every_public_name_of_the_package_is_somewhere_in_the_reference():
    text = "".join(page.read_text("utf-8") for page in (DOCS / "reference").glob("*.md"))

    missing = [name for name in holdfast.__all__ if f"`{name}" not in text and f"## {name}\n" not in text]

    assert missing == []


def test_every_error_is_in_the_reference_with_the_builtin_class_it_also_is():
    rows = {
        row.split("`")[1]: row
        for row in text_of("reference/errors.md").splitlines()
        if row.startswith("| ") and "`" in row
    }
    kinds = [
        kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__
    ]

    for kind in kinds:
        assert kind.__name__ in rows, f"{kind.__name__} is missing"
        for base in kind.__bases__:
            if base.__module__ == "builtins" and base is not Exception:
                assert f"`{base.__name__}`" in rows[kind.__name__]


@pytest.mark.parametrize("states", [RunStatus, TaskStatus])
def test_every_state_is_in_the_reference(states: type[RunStatus] | type[TaskStatus]):
    text = text_of("reference/states.md")

    assert [state for state in states if f"`{state}`" not in text] == []


def test_every_setting_is_in_the_table_with_its_default():
    text = text_of("how-to/settings.md")

    for field in msgspec.structs.fields(Settings):
        default = getattr(Settings(), field.name)
        shown = f"`{default}`" if isinstance(default, str | dict) else str(default)
        shown = f"`{json.dumps(default)}`" if isinstance(default, tuple) else shown
        shown = "none" if default == "" else shown
        assert f"| `{field.name}` | {shown} |" in text


def test_the_defaults_of_retry_are_those_in_the_reference():
    retry = Retry()
    delays = f"first_delay={retry.first_delay.seconds} s, factor={retry.factor}"
    limits = f"max_delay={retry.max_delay.seconds // 60} min, jitter={retry.jitter}"
    errors = f"never_on={retry.never_on}, only_on={retry.only_on}"

    shown = f"`Retry(max_attempts={retry.max_attempts}, {delays}, {limits}, {errors})`"

    assert shown in text_of("reference/tasks-and-workflows.md")


def test_every_test_that_the_page_on_reliability_names_is_there() -> None:
    page = text_of("reliability.md")
    sources = [file.read_text() for file in (ROOT / "tests" / "other_systems").glob("test_*.py")]
    tests = [name for source in sources for name in re.findall(r"def (test_\w+)", source)]

    named = re.findall(r"`…(\w+)…?`", page)

    assert len(named) > 50
    assert [part for part in named if not any(part in test for test in tests)] == []


@pytest.mark.parametrize("name", ["reliability.md", "security.md"])
def test_every_file_and_folder_that_a_page_names_as_proof_is_there(name: str) -> None:
    page = text_of(name)

    named = re.findall(r"`(tests/[\w/.]+)`", page)

    assert len(named) > 5
    assert [path for path in named if not (ROOT / path).exists()] == []
