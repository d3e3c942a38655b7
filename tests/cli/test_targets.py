"""What users type for a workflow, and where the runs are kept."""

from __future__ import annotations

import itertools
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.builders import after

from holdfast.cli.arguments.targets import load_all, load_target
from holdfast.cli.database import DatabaseOptions, find_database
from holdfast.cli.views.output import span_text
from holdfast.cli.views.visible import shell_word
from holdfast.errors import BadOption
from holdfast.settings import Settings

_numbers = itertools.count()

_WORKFLOW = """
from holdfast import workflow

@workflow(name="{name}")
async def main() -> None: ...
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """To be in, with what it imports forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def new_name(stem: str) -> str:
    """One that no other test has imported or registered."""
    return f"{stem}_{next(_numbers)}"


def write_workflow(file: Path) -> str:
    name = new_name("workflow")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_WORKFLOW.format(name=name))
    return name


def test_a_node_serves_all_workflows_of_a_module(folder: Path):
    module = new_name("shop")
    file = folder / f"{module}.py"
    first = write_workflow(file)
    second = new_name("workflow")
    file.write_text(file.read_text() + _WORKFLOW.format(name=second).replace("main", "other"))

    loaded = load_all([f"{module}.py"], is_first_a_workflow=False)

    assert [each.name for each in loaded] == [first, second]


def test_a_module_is_found_from_the_folder_one_is_in(folder: Path):
    module = new_name("shop")
    name = write_workflow(folder / f"{module}.py")

    assert load_target(module).name == name
    assert load_target(f"{module}:main").name == name
    assert load_target(f"{module}:{name}").name == name, "also by the name it has in the store"


def test_a_module_in_a_package_is_found(folder: Path):
    package = new_name("package")
    name = write_workflow(folder / package / "orders.py")

    assert load_target(f"{package}.orders:main").name == name


def test_a_file_anywhere_can_be_named_and_import_its_neighbours(folder: Path):
    stem, neighbour = new_name("shop"), new_name("neighbour")
    name = write_workflow(folder / "deep" / f"{stem}.py")
    (folder / "deep" / f"{neighbour}.py").write_text("fine = True\n")
    file = folder / "deep" / f"{stem}.py"
    file.write_text(f"import {neighbour}\n{file.read_text()}")

    assert load_target(f"deep/{stem}.py").name == name
    assert load_target(f"deep/{stem}.py:main").origin == f"{stem}:main"


def test_what_it_imports_from_elsewhere_does_not_make_a_module_ambiguous(folder: Path):
    other, module = new_name("other"), new_name("shop")
    write_workflow(folder / f"{other}.py")
    name = write_workflow(folder / f"{module}.py")
    file = folder / f"{module}.py"
    file.write_text(f"from {other} import main as another\n{file.read_text()}")

    assert load_target(module).name == name


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "a YAML or JSON file, module:workflow or file.py:workflow"),
        (":main", "a YAML or JSON file, module:workflow or file.py:workflow"),
        ("..", "a YAML or JSON file, module:workflow or file.py:workflow"),
        (".shop:main", "a YAML or JSON file, module:workflow or file.py:workflow"),
        ("shop:main.<locals>.inner", "a YAML or JSON file"),
        ("missing_module_xyz", "there is no module 'missing_module_xyz'"),
        ("missing_module_xyz.inner:main", "there is no module 'missing_module_xyz'"),
        ("missing.py:main", "missing.py: no such file"),
        ("folder.py", "folder.py: this is a folder, not a file"),
        ("circle.py", "circle.py: cannot be read (Too many levels of symbolic links)"),
        ("pipe.py", "pipe.py: not a regular file"),
        ("json:dumps", "json: 'dumps' is no workflow or task"),
        ("json:nope", "json: it has no workflow or task 'nope'"),
        ("json", "json: it has no workflow, which is a function or a class with @workflow"),
        ("things", "things: this is a folder; name a file in it"),
        ("small.yaml:main", "small.yaml: a file of this kind has one workflow; leave out ':main'"),
        ("missing.yaml", "missing.yaml: no such file"),
        ("missing/etl.yaml", "missing/etl.yaml: no such file"),
        ("folder.py/etl.yaml", "folder.py/etl.yaml: no such file; did you mean 'elt.yaml'?"),
        ("pipe.py/etl.yaml", "pipe.py/etl.yaml: no such file"),
        ("etl.yaml", "etl.yaml: this is a folder, not a file"),
    ],
)
def test_what_is_no_workflow_is_refused_with_what_is_expected(folder: Path, target: str, message: str):
    for name in ("folder.py", "etl.yaml"):
        (folder / name).mkdir()
    (folder / "folder.py" / "elt.yaml").touch()
    (folder / "things").mkdir()
    (folder / "small.yaml").touch()
    (folder / "circle.py").symlink_to("circle.py")
    os.mkfifo(folder / "pipe.py")

    with pytest.raises(BadOption) as caught:
        load_target(target)

    assert message in str(caught.value)


def test_a_file_that_would_hide_a_module_is_refused(folder: Path):
    write_workflow(folder / "json.py")

    with pytest.raises(BadOption, match="'json' is a module that Python has already"):
        load_target("json.py")


def test_a_missing_import_of_the_module_itself_is_not_taken_for_the_module(folder: Path):
    module = new_name("shop")
    (folder / f"{module}.py").write_text("import surely_not_installed\n")

    with pytest.raises(ModuleNotFoundError, match="surely_not_installed"):
        load_target(module)


def test_a_module_that_fails_is_loaded_anew_next_time(folder: Path):
    stem = new_name("shop")
    file = folder / f"{stem}.py"
    file.write_text("1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        load_target(f"{stem}.py")
    name = write_workflow(file)

    assert load_target(f"{stem}.py").name == name


def test_workflows_that_a_dag_calls_are_loaded_and_those_that_these_call(folder: Path):
    outer, middle, inner = new_name("outer"), new_name("middle"), new_name("inner")
    (folder / f"{outer}.yaml").write_text(f"name: {outer}\ntasks:\n  a: {{workflow: {middle}}}\n")
    (folder / f"{middle}.yml").write_text(f"name: {middle}\ntasks:\n  a: {{workflow: {inner}}}\n")
    (folder / f"{inner}.yaml").write_text(f"name: {inner}\ntasks:\n  a: {{workflow: {outer}}}\n")

    loaded = load_all([f"{outer}.yaml"])

    assert [workflow.name for workflow in loaded] == [outer, middle, inner]


# --- where the runs are


def test_without_a_word_the_database_is_in_the_project(folder: Path):
    database = find_database(None, None)

    assert database.file is not None
    assert database.file == folder / ".holdfast" / "holdfast.db"
    assert database.command("run", "--resume", "x") == "holdfast run --resume x"
    assert not database.file.parent.exists(), "asking makes nothing"


@pytest.mark.parametrize("mark", [".holdfast/x", "holdfast.toml"])
def test_the_project_is_the_nearest_folder_upwards_that_looks_like_one(
    folder: Path, mark: str, monkeypatch: pytest.MonkeyPatch
):
    (folder / mark).parent.mkdir(exist_ok=True)
    (folder / mark).write_text("")
    deep = folder / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)

    assert find_database(None, None).file == folder / ".holdfast" / "holdfast.db"


def test_settings_of_the_project_are_read_and_its_paths_are_meant_from_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    (folder / "holdfast.toml").write_text('url = "sqlite:///data/mine.db"\nnamespace = "shop"\n')
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")

    database = find_database(None, None)

    assert database.file == folder / "data" / "mine.db"
    assert database.settings.namespace == "shop"


def test_the_environment_wins_over_the_file_and_the_option_over_both(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    (folder / "holdfast.toml").write_text('url = "sqlite:///data/mine.db"\n')
    monkeypatch.setenv("HOLDFAST_URL", "sqlite:////elsewhere/yours.db")

    assert find_database(None, None).file == Path("/elsewhere/yours.db")
    assert find_database("ours.db", None).file == folder / "ours.db"


@pytest.mark.parametrize("name", ["a b.db", "a?b#c.db", "100%.db", "ümlaut.db"])
def test_a_path_may_have_any_character(folder: Path, name: str):
    assert find_database(name, None).file == folder / name


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@host/shop",
        "postgresql://host/shop?user=me&password=secret",
        "postgresql://host/shop?sslpassword=secret",
        "postgresql://me:secret@[host/shop",
    ],
)
def test_commands_to_type_repeat_what_was_given_but_name_the_setting_instead_of_a_password(
    folder: Path, url: str
):
    database = find_database(url, "my shop")

    command = database.command("runs", "show", "x")

    assert command == """holdfast runs show x --db "$HOLDFAST_URL" --namespace 'my shop'"""


@pytest.mark.parametrize("db", ["my db.db", "postgresql://me@host/shop", "sqlite:///a:b@c.db"])
def test_a_database_without_a_password_is_repeated_as_it_is(folder: Path, db: str):
    command = find_database(db, None).command("runs", "list")

    assert shlex.split(command) == ["holdfast", "runs", "list", "--db", db]


@pytest.mark.parametrize(
    "word",
    ["plain", "two words", "it's", "$HOME `id`", "", "\x1b[2Jmine", "a\tb\nc'd\\e", "\u202eölü\x9b1"],
)
def test_a_command_means_the_same_when_it_is_pasted_into_a_shell(word: str):
    command = DatabaseOptions(Settings(), ("--namespace", shell_word(word))).command("run", "--resume", word)

    assert command.isprintable()
    script = f"holdfast() {{ printf '%s\\0' \"$@\"; }}; {command}"
    heard = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
    assert heard.decode().split("\0") == ["run", "--resume", word, "--namespace", word, ""]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0.0 s"),
        (0, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (3599.7, "1 h 00 min"),
        (7380, "2 h 03 min"),
        (360_000, "4 d 04 h"),
    ],
)
def test_lengths_of_time_are_told_as_people_need_them(seconds: float, text: str):
    assert span_text(after(seconds) - after(0)) == text
