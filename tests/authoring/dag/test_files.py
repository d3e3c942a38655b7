"""What can be wrong with the file of a DAG, and with the files that it names. Nothing is ever imported."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import pytest

from holdfast import Catalog, load_dag
from holdfast.authoring.dag.loader import definition_hash, load_file, load_text
from holdfast.authoring.documents.file_text import read_text
from holdfast.errors import BadDag


def problems_of(path: Path) -> list[str]:
    with pytest.raises(BadDag) as caught:
        load_file(path)
    assert all(problem.file == str(path) for problem in caught.value.problems)
    return [f"{problem.line}:{problem.column}: {problem.message}" for problem in caught.value.problems]


# --- the file itself


def test_a_file_is_loaded_and_its_text_can_be_had(tmp_path: Path):
    path = tmp_path / "nightly-etl.yaml"
    path.write_text("# é\ntasks: {a: {command: echo}}\n", "utf-8")

    assert load_file(path).name == "nightly-etl"
    assert load_file(str(path)) == load_text(read_text(path, BadDag), file=str(path))


def test_a_file_whose_name_cannot_be_that_of_a_workflow_needs_another(tmp_path: Path):
    path = tmp_path / "my etl.yaml"
    path.write_text("tasks: {a: {command: echo}}\n")

    assert problems_of(path) == ["1:1: the DAG needs a name; 'my etl', that of the file, cannot be one"]


def test_a_file_that_is_not_there(tmp_path: Path):
    assert problems_of(tmp_path / "none.yaml") == ["0:0: no such file"]


def test_a_folder(tmp_path: Path):
    assert problems_of(tmp_path) == ["0:0: this is a folder, not a file"]


def test_a_path_that_no_file_can_have():
    assert problems_of(Path("a\0b")) == ["0:0: it cannot be read: embedded null byte"]


def test_a_file_that_is_not_utf_8(tmp_path: Path):
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"name: t\ndescription: \xc3\xa9 caf\xe9\n")

    assert problems_of(path) == ["2:19: it is not text in UTF-8"]


def test_an_empty_file(tmp_path: Path):
    path = tmp_path / "empty.yaml"
    path.write_bytes(b"")

    assert problems_of(path) == ["1:1: there is nothing in it"]


def test_a_file_that_is_too_large(tmp_path: Path):
    path = tmp_path / "large.yaml"
    path.write_bytes(b"#" * 1_000_001)

    assert problems_of(path) == ["0:0: it has more than 1,000,000 bytes, which is too large for a workflow"]


def test_a_file_that_is_saved_while_it_is_loaded_is_stored_as_it_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path, newer = tmp_path / "etl.yaml", tmp_path / "newer"
    path.write_text("tasks: {a: {command: echo old}}\n")
    newer.write_text("tasks: {a: {command: echo new}}\n")
    open_path = Path.open

    def open_and_replace(file: Path, mode: str) -> IO[Any]:
        stream = open_path(file, mode)
        if newer.exists():
            newer.replace(file)  # as an editor saves; the open stream still reads the old text
        return stream

    monkeypatch.setattr(Path, "open", open_and_replace)
    workflow = load_dag(path, catalog=Catalog())

    assert "old" in workflow.source
    assert workflow.hash == definition_hash(load_text(workflow.source, file=workflow.origin))


# --- functions

ETL = """
import nowhere_to_be_found

raise SystemExit("this file was run")

def discover(day, limit=100): ...

async def fetch(url: str, *, depth: int, retries=3): ...

def whatever(**options): ...

def positional(a, b=1, /, *rest): ...

@nowhere_to_be_found.decorated
def wrapped(a, b, c): ...

if True:
    def conditional(day): ...
else:
    try:
        def tried(day): ...
    except ImportError:
        def caught(day): ...
    finally:
        def last(day): ...

alias = discover
first, (second, third) = discover, (discover, discover)
typed: object = discover
from os import path as imported
class Callable: ...

def twice(): ...
def twice(day): ...

def outer():
    def inner(): ...
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "etl.py").write_text(ETL)
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "star.py").write_text("from somewhere import *\n")
    (tmp_path / "warns.py").write_text("pattern = '\\d'\ndef main(): ...\n")
    return tmp_path


def dag_in(folder: Path, *lines: str) -> Path:
    """A DAG with a task of these lines, after a task `a`, in a run with the inputs `day` and `url`."""
    path = folder / "t.yaml"
    body = "".join(f"    {line}\n" for line in lines)
    path.write_text(f"input: {{day: date, url: str}}\ntasks:\n  a: {{command: x}}\n  b:\n{body}", "utf-8")
    return path


@pytest.mark.parametrize(
    "lines",
    [
        ["file: etl.py", "function: discover"],
        ["file: ./etl.py", "function: discover", "inputs: {day: {ref: input.day}}"],
        ["file: etl.py", "function: fetch", "inputs: {url: {ref: input.url}, depth: {const: 1}}"],
        ["file: etl.py", "function: whatever", "inputs: {anything: {const: 1}}"],
        ["file: etl.py", "function: positional", "inputs: {a: {const: 1}}"],
        ["file: etl.py", "function: positional", "depends_on: a"],
        ["file: etl.py", "function: wrapped", "inputs: {x: {const: 1}}"],
        *(["file: etl.py", f"function: {name}"] for name in ("conditional", "tried", "caught", "last")),
        *(
            ["file: etl.py", f"function: {name}"]
            for name in ("alias", "second", "typed", "imported", "Callable")
        ),
        ["file: etl.py", "function: twice", "inputs: {day: {const: 1}}"],
        ["file: star.py", "function: anything"],
        ["file: warns.py"],
        ["module: not.there", "function: f"],
    ],
    ids=" ".join,
)
def test_a_function_that_gets_what_it_needs(folder: Path, lines: list[str]):
    assert load_file(dag_in(folder, *lines)).tasks["b"].name == "b"


def test_a_function_of_a_fan_out_gets_its_item_its_index_and_their_number(folder: Path):
    (folder / "fan.py").write_text(
        "def each(item, parallel_index, parallel_count): ...\ndef some(parallel_index): ..."
    )

    for lines in (
        ["function: each", "depends_on: a", "foreach: a.files"],
        ["function: each", "depends_on: a", "foreach: a.files", "inputs: {}"],
        ["function: some", "parallel: 3"],
    ):
        assert load_file(dag_in(folder, "file: fan.py", *lines)).tasks["b"].name == "b"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["file: none.py"], ["5:11: none.py is not there"]),
        (["file: folder.py"], ["5:11: folder.py cannot be read: Is a directory"]),
        (["file: etl.py"], ["5:11: etl.py has no function 'main' at its top level"]),
        (
            ["file: etl.py", "function: discovr"],
            ["6:15: etl.py has no function 'discovr' at its top level; did you mean 'discover'?"],
        ),
        (["file: etl.py", "function: inner"], ["6:15: etl.py has no function 'inner' at its top level"]),
        (
            ["file: etl.py", "function: discover", "inputs: {dya: {const: 1}, day: {const: 2}}"],
            ["7:14: discover() in etl.py has no parameter 'dya'; did you mean 'day'?"],
        ),
        (
            ["file: etl.py", "function: fetch", "inputs: {url: {const: x}}"],
            ["7:5: fetch() in etl.py needs 'depth', which it does not get from `inputs`"],
        ),
        (
            ["file: etl.py", "function: fetch"],
            ["6:5: fetch() in etl.py needs 'depth', which it does not get from the run and tasks before"],
        ),
        (
            ["file: etl.py", "function: positional", "depends_on: a", "parallel: 2"],
            ["6:5: positional() in etl.py needs 'a', which it does not get from the run and tasks before"],
        ),
        (
            ["file: etl.py", "function: twice", "inputs: {}"],
            ["7:5: twice() in etl.py needs 'day', which it does not get from `inputs`"],
        ),
        (
            ["file: etl.py", "function: fetch", "depends_on: nobody"],
            ["7:17: no task 'nobody'"],
        ),
        (
            ["file: etl.py", "function: fetch", "inputs: {url: 5}"],
            ["7:19: inputs.url must be {const: …} for a value, or {ref: …} for a reference, not 5"],
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_function_that_is_not_there_or_cannot_be_called_so(
    folder: Path, lines: list[str], expected: list[str]
):
    assert problems_of(dag_in(folder, *lines)) == expected


def test_a_text_is_loaded_without_a_look_at_any_file():
    assert load_text("name: t\ntasks: {a: {file: none.py}, b: {command: ./none.sh}}").name == "t"


def test_a_source_that_is_too_large_is_not_read(folder: Path):
    (folder / "large.py").write_bytes(b"#" * 5_000_001)

    assert problems_of(dag_in(folder, "file: large.py")) == ["5:11: large.py has more than 5,000,000 bytes"]


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("x = 1\ndef f(:\n", "line 2: "),
        ("def f(): ...\0", ""),
        ("(" * 5000, ""),
        ("x = " + "-" * 100_000 + "1", ""),
    ],
    ids=["a slip", "NUL", "too many brackets", "too deep"],
)
def test_a_source_that_python_cannot_parse(folder: Path, source: str, where: str):
    (folder / "broken.py").write_text(source)

    (problem,) = problems_of(dag_in(folder, "file: broken.py"))

    # The rest is Python's own, and differs from one version to the next.
    assert problem.startswith(f"5:11: broken.py cannot be parsed: {where}")
    assert len(problem) > len("5:11: broken.py cannot be parsed: ")


def test_nobody_is_told_what_a_function_lacks_if_the_inputs_of_the_run_are_wrong(folder: Path):
    path = folder / "t.yaml"
    path.write_text("input: {day: 5}\ntasks: {b: {file: etl.py, function: discover}}")

    assert problems_of(path) == [
        "1:14: input.day must be a type, such as str, [int], {name: str} or the name of one, not 5"
    ]


# --- commands


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for name, mode in (("run.sh", 0o755), ("plain.sh", 0o644), ("sub/inner.sh", 0o755)):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(mode)
    return tmp_path


@pytest.mark.parametrize(
    "lines",
    [
        ["command: ./run.sh"],
        ["command: [./run.sh, --fast]"],
        ["command: ./none.sh --fast"],  # to find the program in a line of shell is the shell's own matter
        ["command: ./$NAME.sh"],
        ["command: none.sh"],
        ["command: [none.sh]"],
        ["command: ./inner.sh", "workdir: sub"],
        ["command: [../run.sh]", "workdir: sub"],
        ["command: ./made-by-a-task.sh", "workdir: not-there-yet"],
    ],
    ids=" ".join,
)
def test_a_command_that_can_be_run_or_that_nobody_can_judge(scripts: Path, lines: list[str]):
    assert load_file(dag_in(scripts, *lines)).tasks["b"].name == "b"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["command: ./none.sh"], "5:14: there is no ./none.sh"),
        (["command: [./none.sh, x]"], "5:14: there is no ./none.sh"),
        (["command: ./sub"], "5:14: ./sub is not a file"),
        (
            ["command: ./plain.sh"],
            "5:14: ./plain.sh may not be executed; allow it with chmod +x ./plain.sh",
        ),
        (["command: ./run.sh", "workdir: sub"], "5:14: there is no ./run.sh"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_script_that_cannot_be_run(scripts: Path, lines: list[str], expected: str):
    assert problems_of(dag_in(scripts, *lines)) == [expected]
