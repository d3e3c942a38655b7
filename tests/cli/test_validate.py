"""`holdfast validate`: every problem of every file, with its place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.cli.file_commands import call, call_in_terminal, execute

from holdfast.authoring.dag.schema import json_schema
from holdfast.cli.commands.validate import excerpt

GOOD = "tasks:\n  a: {command: echo a}\n  b: {command: echo b, depends_on: a}\n"
BAD = "tasks:\n  a: {comand: echo a}\n  b: {command: echo b, depends_on: c}\n"


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, "utf-8")


def test_a_good_file_is_ok_with_the_number_of_its_tasks(tmp_path: Path):
    write(tmp_path, etl=GOOD)

    done = call("validate", "etl.yaml", cwd=tmp_path)

    assert done == (0, "etl.yaml: ok: 2 tasks\n", "")


def test_all_problems_of_all_files_are_named_with_their_places(tmp_path: Path):
    write(tmp_path, good=GOOD, bad=BAD, cycle="tasks:\n  a: {command: x, depends_on: a}\n")

    done = call("validate", "good.yaml", "bad.yaml", "cycle.yaml", "missing.yaml", cwd=tmp_path)

    lines = done.out.splitlines()
    assert done.code == 1
    assert lines[0] == "good.yaml: ok: 2 tasks"
    assert lines[1:3] == [
        "bad.yaml:2:7: tasks.a has no field 'comand'; did you mean 'command'?",
        "bad.yaml:3:36: no task 'c'",
    ]
    assert lines[3].startswith("cycle.yaml:2:31: ")
    assert lines[4:] == ["missing.yaml: no such file"]


def test_in_a_terminal_the_line_is_shown_with_a_mark_under_the_place(tmp_path: Path):
    write(tmp_path, bad="tasks:\n  b: {command: echo b, depends_on: c}\n")

    done = call_in_terminal("validate", "bad.yaml", cwd=tmp_path)

    first, line, mark = done.out.splitlines()
    assert done.code == 1
    assert first.startswith("bad.yaml:2:36: ")
    assert line == "    b: {command: echo b, depends_on: c}"
    assert mark == " " * (2 + 35) + "^"


def test_json_has_the_same_for_programs(tmp_path: Path):
    write(tmp_path, good=GOOD, bad="tasks:\n  b: {command: echo b, depends_on: c}\n")

    done = call("validate", "--json", "good.yaml", "bad.yaml", cwd=tmp_path)

    good, bad = json.loads(done.out)
    assert done.code == 1
    assert good == {"file": "good.yaml", "ok": True, "kind": "dag", "tasks": 2, "problems": []}
    assert bad["ok"] is False
    assert bad["tasks"] is None
    assert [(each["line"], each["column"]) for each in bad["problems"]] == [(2, 36)]
    assert "c" in bad["problems"][0]["message"]


def test_a_folder_stands_for_the_dags_in_it_and_below_and_for_no_other_yaml(tmp_path: Path):
    for folder in ("sub", ".hidden", "env/lib"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "env" / "pyvenv.cfg").touch()
    write(
        tmp_path,
        b=GOOD,
        a='{"tasks": {"x": {"command": "true"}}}',
        compose="services:\n  web:\n    tasks: 1\n",
    )
    write(tmp_path / "sub", c=BAD)
    write(tmp_path / ".hidden", d=GOOD)
    write(tmp_path / "env" / "lib", e=GOOD)

    done = call("validate", ".", "./b.yaml", "b.yaml", cwd=tmp_path)

    assert done.code == 1
    assert [line.split(":")[0] for line in done.out.splitlines() if "ok" in line] == [
        "a.yaml",
        "b.yaml",
    ]
    assert "sub/c.yaml:3:36: " in done.out
    assert "compose" not in done.out
    assert ".hidden" not in done.out
    assert "env" not in done.out


def test_a_folder_without_dags_is_an_error_and_no_success(tmp_path: Path):
    write(tmp_path, compose="services: {}\n")

    done = call("validate", str(tmp_path), cwd=tmp_path)

    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: no workflow in ")


def test_standard_input_is_read_for_a_dash(tmp_path: Path):
    good = execute("validate", "-", cwd=tmp_path, input="tasks: {a: {command: './not_there.sh'}}")
    bad = call("validate", "-", cwd=tmp_path, input="tasks: {a: {}}")
    binary = call("validate", "-", cwd=tmp_path, input=b"tasks:\n  \xff\xfe")

    assert good == (0, "stdin: ok: 1 task\n", "")
    assert bad.code == 1
    assert bad.out.startswith("stdin:1:")
    assert binary == (1, "stdin:2:3: it is not text in UTF-8\n", "")


def test_the_files_that_a_dag_names_are_looked_for_beside_it(tmp_path: Path):
    (tmp_path / "project").mkdir()
    write(tmp_path / "project", etl="tasks:\n  a: {command: ./run.sh}\n  b: {file: etl.py, function: go}\n")
    (tmp_path / "project" / "etl.py").write_text("def gone(): ...\n")

    done = call("validate", "project/etl.yaml", cwd=tmp_path)

    assert done.code == 1
    assert "project/etl.yaml:2:16: there is no ./run.sh" in done.out
    assert "go" in done.out.splitlines()[1]


def test_without_files_it_asks_for_them(tmp_path: Path):
    done = call("validate", cwd=tmp_path)

    assert done.code == 2
    assert done.err.startswith("error: which files?")


def test_the_schema_is_printed_for_editors(tmp_path: Path):
    done = call("validate", "--schema", cwd=tmp_path)

    assert done.code == 0
    assert json.loads(done.out) == json_schema()


def test_text_that_would_move_the_cursor_is_not_passed_on(tmp_path: Path):
    write(tmp_path, bad='tasks:\n  "a\\e[2J": {command: x}\n')

    done = call_in_terminal("validate", "bad.yaml", cwd=tmp_path)

    assert done.code == 1
    assert "\x1b" not in done.out


# --- the part of a line that is shown


@pytest.mark.parametrize(
    ("line", "column", "width", "shown", "marked"),
    [
        ("ab: cd", 5, 80, "ab: cd", "c"),
        ("\tab: cd", 6, 80, "    ab: cd", "c"),
        ("日本: x", 5, 80, "日本: x", "x"),
        ("", 1, 80, "", ""),
        ("ab", 3, 80, "ab", ""),
        ("x" * 100 + "HERE" + "y" * 100, 101, 40, "…" + "x" * 15 + "HERE" + "y" * 19 + "…", "H"),
        ("HERE" + "y" * 100, 1, 40, "HERE" + "y" * 35 + "…", "H"),
        ("日" * 100 + "HERE", 101, 21, "…" + "日" * 8 + "HERE", "H"),
    ],
)
def test_the_mark_stands_below_the_place_however_wide_the_text(
    line: str, column: int, width: int, shown: str, marked: str
):
    from rich.cells import cell_len

    text, mark = excerpt(line, column, width)

    assert text == shown
    assert cell_len(text) <= width
    cells = [character for character in text for _ in range(cell_len(character))]
    assert "".join(cells[len(mark) - 1 : len(mark)]) == marked


# --- flows

FLOW = """
start: size
nodes:
  size: {kind: choice, choice_cases: [{action: big, expr: {gt: [$params.n, 1]}}], default_action: small}
  inner: {kind: subflow, subflow: {start: nap, nodes: {nap: {kind: timer}}}}
edges: [{from: size, to: inner}]
"""
BAD_FLOW = FLOW.replace("kind: timer", "kind: tmer").replace("to: inner", "to: nowhere")


def test_a_flow_is_told_from_a_dag_and_is_ok_with_the_number_of_its_nodes(tmp_path: Path):
    write(tmp_path, flow=FLOW, etl=GOOD)
    flow = {"start": "tasks", "nodes": {"tasks": {"kind": "timer"}}}
    (tmp_path / "one.json").write_text(json.dumps(flow))
    (tmp_path / "dag.json").write_text('{"tasks": {"start": {"command": "true"}}}')

    done = call("validate", "flow.yaml", "etl.yaml", "one.json", "dag.json", cwd=tmp_path)
    piped = call("validate", "-", cwd=tmp_path, input=json.dumps(flow))

    assert done.out.splitlines() == [
        "flow.yaml: ok: 3 nodes",
        "etl.yaml: ok: 2 tasks",
        "one.json: ok: 1 node",
        "dag.json: ok: 1 task",
    ]
    assert piped == (0, "stdin: ok: 1 node\n", "")


def test_problems_of_a_flow_have_their_paths_in_it(tmp_path: Path):
    write(tmp_path, flow=BAD_FLOW)

    plain = call("validate", "flow.yaml", cwd=tmp_path)
    shown = call_in_terminal("validate", "flow.yaml", cwd=tmp_path, columns=200)
    [found] = json.loads(call("validate", "flow.yaml", "--json", cwd=tmp_path).out)

    assert plain.code == shown.code == 1
    assert re.search(
        r"^flow.yaml:5:\d+: \$\.nodes\.inner\.subflow\.nodes\.nap\.kind: ", plain.out, re.MULTILINE
    )
    assert "$.nodes.inner.subflow.nodes.nap.kind: " in shown.out
    assert (found["kind"], found["ok"], found["nodes"]) == ("flow", False, None)
    paths = {problem["path"]: problem["line"] for problem in found["problems"]}
    assert paths["$.nodes.inner.subflow.nodes.nap.kind"] == 5
    assert paths["$.edges[0].to"] == 6


def test_a_folder_stands_for_its_flows_too_and_for_no_other_json(tmp_path: Path):
    write(tmp_path, etl=GOOD, flow=FLOW, cluster="kind: Cluster\nnodes:\n  - role: worker\n")
    (tmp_path / "flow.json").write_text('{"start": "a", "nodes": {"a": {"kind": "timer"}}}')
    (tmp_path / "broken.json").write_text('{"start": "a", "nodes": {"a": {"kind": "timer"}}')
    (tmp_path / "package.json").write_text('{"scripts": {"start": "node ."}, "nodes": 1}')
    (tmp_path / "tasks.json").write_text('{"version": "2.0.0", "tasks": []}')

    done = call("validate", ".", cwd=tmp_path)

    assert [line.split(":")[0] for line in done.out.splitlines()] == [
        "broken.json",
        "etl.yaml",
        "flow.json",
        "flow.yaml",
    ]
