"""`holdfast graph`: a drawing for where it goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.file_commands import call, call_in_terminal, execute

ETL = """
name: etl
tasks:
  load: {command: "echo größe"}
  clean: {command: x, depends_on: load}
  check: {command: x, depends_on: load}
  publish: {command: x, depends_on: [clean, check], when: "load.count > 0"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "etl.yaml").write_text(ETL, "utf-8")
    return tmp_path


def test_text_is_drawn_with_box_characters(folder: Path):
    done = call("graph", "etl.yaml", cwd=folder)

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:4] == [
        "etl (4 tasks)",
        "",
        "●    load     shell  echo größe",
        "├─╮",
    ]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_encoding_that_cannot_carry_them_gets_plain_characters(folder: Path, encoding: str):
    done = execute("graph", "etl.yaml", cwd=folder, PYTHONUTF8="0", PYTHONIOENCODING=encoding)

    assert done.code == 0
    assert done.out.splitlines()[2:4] == ["*    load     shell  echo gr??e", "+-."]


def test_in_a_terminal_it_is_no_wider_than_that(folder: Path):
    done = call_in_terminal("graph", "etl.yaml", cwd=folder, columns=30)

    assert done.code == 0
    assert max(len(line) for line in done.out.splitlines()) == 30


def test_mermaid_can_be_asked_for(folder: Path):
    mermaid = call("graph", "etl.yaml", "--format", "mermaid", cwd=folder)
    poor = ("graph", "etl.yaml", "--format", "mermaid")
    in_utf8 = execute(*poor, cwd=folder, PYTHONUTF8="0", PYTHONIOENCODING="ascii")

    assert mermaid.out.startswith("flowchart LR\n")
    assert "größe" in in_utf8.out


@pytest.mark.parametrize(
    ("name", "beginning"),
    [("etl.mmd", "flowchart LR"), ("ETL.MERMAID", "flowchart LR"), ("etl.txt", "etl (4 tasks)")],
)
def test_the_name_of_the_output_says_which_kind_is_meant(folder: Path, name: str, beginning: str):
    done = call("graph", "etl.yaml", "--output", name, cwd=folder)

    assert (done.code, done.out, done.err) == (0, "", f"wrote {name}\n")
    assert (folder / name).read_text("utf-8").startswith(beginning)


def test_a_kind_of_file_that_is_not_drawn_is_refused_with_those_that_are(folder: Path):
    done = call("graph", "etl.yaml", "--output", "etl.svg", cwd=folder)

    assert (done.code, done.out) == (2, "")
    assert "ends in .mmd, .mermaid, .txt, .json, or given with --format text, mermaid, json" in done.err
    assert not (folder / "etl.svg").exists()


def test_a_format_that_is_asked_for_wins_over_the_name(folder: Path):
    call("graph", "etl.yaml", "-f", "mermaid", "-o", "etl.txt", cwd=folder)

    assert (folder / "etl.txt").read_text("utf-8").startswith("flowchart LR")


def test_programs_get_the_tasks_and_what_each_depends_on(folder: Path):
    short = call("graph", "etl.yaml", "--json", cwd=folder)
    long = call("graph", "etl.yaml", "--format", "json", cwd=folder)
    written = call("graph", "etl.yaml", "--output", "etl.json", cwd=folder)

    assert short.out == long.out == (folder / "etl.json").read_text("utf-8")
    assert written.err == "wrote etl.json\n"
    facts = json.loads(short.out)
    assert facts["name"] == "etl"
    assert {each["name"]: each["depends_on"] for each in facts["tasks"]} == {
        "load": [],
        "clean": ["load"],
        "check": ["load"],
        "publish": ["clean", "check"],
    }
    assert facts["tasks"][0]["work"] == "echo größe"
    assert facts["tasks"][-1]["when"] == "load.count > 0"


def test_json_and_another_format_contradict_each_other(folder: Path):
    done = call("graph", "etl.yaml", "--json", "--format", "text", cwd=folder)

    assert (done.code, done.out) == (2, "")
    assert "--format is 'text', but must be left out with --json" in done.err


def test_standard_input_is_drawn_for_a_dash(folder: Path):
    done = call("graph", "-", cwd=folder, input=ETL)

    assert done.out.startswith("etl (4 tasks)")


def test_an_output_that_cannot_be_written_is_an_error_in_one_line(folder: Path):
    done = call("graph", "etl.yaml", "--output", "nowhere/etl.txt", cwd=folder)

    assert done == (2, "", "error: 'nowhere/etl.txt' cannot be written: No such file or directory\n")


def test_a_file_with_problems_is_not_drawn_and_they_are_named(folder: Path):
    (folder / "bad.yaml").write_text("tasks:\n  b: {command: echo b, depends_on: c}\n")

    done = call("graph", "bad.yaml", cwd=folder)

    assert (done.code, done.out) == (2, "")
    assert "bad.yaml:2:36: " in done.err


# --- flows

FLOW = """
name: größe
start: size
nodes:
  size: {kind: choice, choice_cases: [{action: big, expr: {gt: [$params.n, 1]}}], default_action: small}
  nap: {kind: timer, params: {delay_ms: 1500}}
edges: [{from: size, action: big, to: nap}]
"""


def test_a_flow_is_a_list_of_where_its_actions_lead(folder: Path):
    (folder / "flow.yaml").write_text(FLOW, "utf-8")

    text = call("graph", "flow.yaml", cwd=folder)
    plain = execute("graph", "flow.yaml", cwd=folder, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    narrow = call_in_terminal("graph", "flow.yaml", cwd=folder, columns=30)

    assert text.out.splitlines() == [
        "größe (2 nodes)",
        "",
        "size  choice  big → nap  1 case",
        "nap   timer   ends       1.5s",
    ]
    assert plain.out.splitlines()[2] == "size  choice  big -> nap  1 case"
    assert narrow.out.splitlines()[2] == "size  choice  big → nap"


def test_a_flow_is_drawn_as_mermaid_and_json(folder: Path):
    (folder / "flow.json").write_text('{"start": "a", "nodes": {"a": {"kind": "timer"}}}')

    mermaid = call("graph", "flow.json", "-f", "mermaid", cwd=folder)
    facts = json.loads(call("graph", "flow.json", "--json", cwd=folder).out)

    assert mermaid.out.splitlines()[0] == "flowchart TD"
    assert (facts["name"], facts["kind"], len(facts["nodes"])) == ("flow", "flow", 1)
