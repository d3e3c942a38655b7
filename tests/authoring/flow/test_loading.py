"""From a document to a flow: every field has its meaning, in JSON as in YAML."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from pathlib import Path as FilePath
from typing import Any

import msgspec
import pytest
from tests.authoring.flow.wrong_cases import nested_flow

from holdfast.authoring.documents.references import Path
from holdfast.authoring.flow.loader import (
    definition_hash,
    load_flow_file,
    load_flow_text,
    read_flow_file,
)
from holdfast.authoring.flow.model import (
    ApprovalNode,
    CallNode,
    ChoiceNode,
    EventNode,
    ExecutorNode,
    Fan,
    Flow,
    FlowNode,
    ForeachNode,
    Http,
    LocalFunction,
    LocalScript,
    NodeKind,
    ParallelNode,
    Post,
    Prep,
    Queue,
    SubflowNode,
    TimerNode,
)
from holdfast.core.policies import NO_RETRY, Retry, TaskOptions
from holdfast.errors import BadFlow

MILLISECOND = dt.timedelta(milliseconds=1)


def node_of(**fields: Any) -> FlowNode:
    flow = {"start": "n", "nodes": {"n": fields}, "edges": [{"from": "n", "to": "n"}]}
    return load_flow_text(json.dumps(flow)).nodes["n"]


def kind_of(**fields: Any) -> NodeKind:
    return node_of(**fields).does


# --- kinds


@pytest.mark.parametrize(
    ("fields", "does"),
    [
        ({"kind": "executor", "service": "sum"}, ExecutorNode(Http(), "sum")),
        (
            {
                "kind": "executor",
                "service": "sum",
                "exec_type": "http",
                "max_attempts": 3,
                "attempt_delay_ms": 20,
                "weighted_by_load": True,
            },
            ExecutorNode(Http(3, 20 * MILLISECOND, True), "sum"),
        ),
        (
            {"kind": "executor", "service": "sum", "exec_type": "queue"},
            ExecutorNode(Queue(), "sum", TaskOptions(service="sum")),
        ),
        (
            {"kind": "executor", "exec_type": "local_func", "func": "shop:sum"},
            ExecutorNode(LocalFunction("shop:sum")),
        ),
        (
            {"kind": "executor", "exec_type": "local_func", "service": "sum"},
            ExecutorNode(LocalFunction("sum")),
        ),
        (
            {"kind": "executor", "exec_type": "local_func", "service": "s", "func": "f"},
            ExecutorNode(LocalFunction("f")),
        ),
        ({"kind": "choice", "default_action": "go"}, ChoiceNode((), "go")),
        ({"kind": "parallel"}, ParallelNode(Http(), (), Fan(1))),
        (
            {
                "kind": "parallel",
                "parallel_services": ["b", "a", "b"],
                "parallel_mode": "concurrent",
                "failure_strategy": "fail_fast",
            },
            ParallelNode(Http(), ("b", "a", "b"), Fan(None, "fail_fast")),
        ),
        (
            {"kind": "parallel", "parallel_mode": "concurrent", "max_parallel": 4.0, "exec_type": "queue"},
            ParallelNode(Queue(), (), Fan(4)),
        ),
        (
            {"kind": "parallel", "parallel_mode": "concurrent", "max_parallel": 0},
            ParallelNode(Http(), (), Fan(None)),
        ),
        (
            {"kind": "parallel", "parallel_mode": "sequential", "max_parallel": 1},
            ParallelNode(Http(), (), Fan(1)),
        ),
        ({"kind": "parallel", "exec_type": "local_func"}, ParallelNode(LocalFunction(""), (), Fan(1))),
        (
            {"kind": "parallel", "exec_type": "local_script", "script": {"cmd": "x"}},
            ParallelNode(LocalScript(("x",)), (), Fan(1)),
        ),
        (
            {"kind": "foreach", "service": "s", "exec_type": "queue", "prep": {"input_key": "list"}},
            ForeachNode(Queue(), "s", Fan(1), TaskOptions(service="s")),
        ),
        (
            {
                "kind": "foreach",
                "service": "s",
                "failure_strategy": "ignore_errors",
                "prep": {"input_key": "l"},
            },
            ForeachNode(Http(), "s", Fan(1, "ignore_errors")),
        ),
        ({"kind": "subflow", "workflow": "billing"}, CallNode("billing")),
        ({"kind": "timer"}, TimerNode()),
        ({"kind": "wait_event"}, EventNode()),
        ({"kind": "approval"}, ApprovalNode()),
    ],
    ids=str,
)
def test_a_kind_with_its_fields(fields: dict[str, Any], does: NodeKind):
    assert kind_of(**fields) == does


def test_a_subflow_holds_a_flow_with_all_that_flows_have():
    inner = {
        "name": "inner",
        "start": "a",
        "nodes": {"a": {"kind": "timer"}, "b": {"kind": "approval"}},
        "edges": [{"from": "a", "action": "", "to": "b"}],
    }

    does = kind_of(kind="subflow", subflow=inner)

    nodes = {"a": FlowNode(key="a", does=TimerNode()), "b": FlowNode(key="b", does=ApprovalNode())}
    assert does == SubflowNode(Flow(start="a", nodes=nodes, edges={"a": {"default": "b"}}, name="inner"))


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({}, TaskOptions()),
        ({"max_retries": 0, "wait_ms": 50}, TaskOptions(retry=NO_RETRY)),
        (
            {"max_retries": 2},
            TaskOptions(retry=Retry(max_attempts=3, first_delay=0 * MILLISECOND, factor=1.0, jitter=0.0)),
        ),
        (
            {"max_retries": 1, "wait_ms": 3_600_000, "timeout_ms": 2500},
            TaskOptions(
                retry=Retry(
                    max_attempts=2,
                    first_delay=dt.timedelta(hours=1),
                    max_delay=dt.timedelta(hours=1),
                    factor=1.0,
                    jitter=0.0,
                ),
                timeout=dt.timedelta(seconds=2.5),
            ),
        ),
    ],
    ids=str,
)
def test_retries_wait_the_same_time_each(fields: dict[str, Any], options: TaskOptions):
    does = kind_of(kind="executor", service="s", **fields)

    assert isinstance(does, ExecutorNode)
    assert does.options == options


def test_the_timeout_of_a_script_is_that_of_the_task():
    inside = kind_of(kind="executor", exec_type="local_script", script={"cmd": "x", "timeout_ms": 10})
    outside = kind_of(kind="executor", exec_type="local_script", script={"cmd": "x"}, timeout_ms=10)

    assert (
        inside == outside == ExecutorNode(LocalScript(("x",)), options=TaskOptions(timeout=10 * MILLISECOND))
    )


# --- scripts


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ({"cmd": "./run.sh"}, ("./run.sh",)),
        ({"cmd": "grep", "args": ["-c", 1.10, True, ""]}, ("grep", "-c", "1.1", "true", "")),
        ({"cmd": "x", "args": [2**63 - 1, -(2**63)]}, ("x", "9223372036854775807", "-9223372036854775808")),
        ({"code": "pass", "language": "python"}, ("python3", "-c", "pass")),
        ({"code": "pass", "language": "python", "args": ["-x"]}, ("python3", "-c", "pass", "-x")),
        ({"code": "1", "language": "javascript"}, ("node", "-e", "1")),
        ({"code": "1", "language": "node", "args": ["-x"]}, ("node", "-e", "1", "--", "-x")),
        ({"code": "ls", "language": "sh"}, ("sh", "-c", "ls")),
        ({"code": "ls $1", "language": "sh", "args": ["a"]}, ("sh", "-c", "ls $1", "sh", "a")),
        ({"code": "ls $1", "language": "bash", "args": ["a"]}, ("bash", "-c", "ls $1", "bash", "a")),
        ({"code": "1", "language": "ruby", "args": ["-x"]}, ("ruby", "-e", "1", "--", "-x")),
        ({"code": "1", "language": "perl"}, ("perl", "-e", "1")),
    ],
    ids=str,
)
def test_a_script_is_a_command(script: dict[str, Any], command: tuple[str, ...]):
    does = kind_of(kind="executor", exec_type="local_script", script=script)

    assert does == ExecutorNode(LocalScript(command))


def test_a_script_has_its_variables_and_its_folder():
    text = """
start: n
nodes:
  n:
    kind: executor
    exec_type: local_script
    script: {cmd: x, env: {A: 1.10, B: yes, C: ''}, work_dir: jobs}
"""

    does = load_flow_text(text).nodes["n"].does

    assert does == ExecutorNode(LocalScript(("x",), {"A": "1.10", "B": "yes", "C": ""}, "jobs"))


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import sys; print('|'.join(sys.argv[1:]))"),
        ("sh", 'printf "%s|%s\\n" "$1" "$2"'),
        ("bash", 'printf "%s|%s\\n" "$1" "$2"'),
    ],
)
def test_arguments_arrive_also_if_they_look_like_options(language: str, code: str):
    script = {"code": code, "language": language, "args": ["-x", "--version"]}
    does = kind_of(kind="executor", exec_type="local_script", script=script)
    assert isinstance(does, ExecutorNode)
    assert isinstance(does.work, LocalScript)

    ended = subprocess.run(does.work.command, capture_output=True, text=True, check=True)

    assert ended.stdout == "-x|--version\n"


# --- what goes in and comes out


def test_prep_and_post_are_paths():
    node = node_of(
        kind="timer",
        prep={"input_map": {"a": "$params.a", "b": "order.lines[0]", "c": "$shared"}},
        post={
            "output_key": "out",
            "output_map": {"first": "lines[0].sku", "name": "name"},
            "action_static": "go",
            "action_key": "next.action",
        },
        params={"x": [1, {"y": None}]},
    )

    paths = {
        "a": Path("params", ("a",)),
        "b": Path("shared", ("order", "lines", 0)),
        "c": Path("shared"),
    }
    assert node.prep == Prep(input_map=paths)
    assert node.post == Post(
        "out", {"first": ("lines", 0, "sku"), "name": ("name",)}, "go", ("next", "action")
    )
    assert node.params == {"x": [1, {"y": None}]}


def test_an_input_key_without_a_root_is_one_of_shared():
    assert node_of(kind="timer", prep={"input_key": "total"}).prep == Prep(Path("shared", ("total",)))


def test_an_empty_input_map_is_an_empty_map_and_not_null():
    assert node_of(kind="timer", prep={"input_map": {}}).prep == Prep(input_map={})
    assert node_of(kind="timer", prep={}).prep == Prep()


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("timer", {"delay_ms": 0}),
        ("timer", {"delay_ms": 1.5}),
        ("timer", {"delay_ms": None}),
        ("timer", {"signal_key": 5}),
        ("wait_event", {"signal_key": "$shared.paid", "timeout_ms": 1000}),
        ("wait_event", {"signal_key": "$input[0]"}),
        ("wait_event", {"signal_key": None, "timeout_ms": None, "delay_ms": "any"}),
        ("approval", {"approval_key": "boss.says", "timeout_ms": 0}),
        ("parallel", {"services": ["a", "b"]}),
        ("executor", {"delay_ms": "any", "timeout_ms": "any", "signal_key": "$?"}),
    ],
    ids=str,
)
def test_params_are_looked_at_only_where_the_node_itself_goes_by_them(kind: str, params: dict[str, Any]):
    fields = {"service": "s"} if kind == "executor" else {}

    assert node_of(kind=kind, params=params, **fields).params == params


# --- edges


def test_edges_are_found_by_node_and_action():
    flow = load_flow_text(
        """
start: a
nodes: {a: {kind: timer}, b: {kind: timer}}
edges:
- {from: a, to: b}
- {from: a, action: again, to: a}
- {from: b, action: '', to: a}
"""
    )

    assert flow.edges == {"a": {"default": "b", "again": "a"}, "b": {"default": "a"}}
    assert flow.next_of("a", "again") == "a"
    assert flow.next_of("a", "unknown") == "b"


@pytest.mark.parametrize(
    "edge",
    [
        {"from": "c", "action": "x", "to": "d"},
        {"from": "c", "action": "default", "to": "d"},
    ],
    ids=str,
)
@pytest.mark.parametrize("way_out", [{"default_action": "x"}, {"post": {"action_key": "go"}}], ids=str)
def test_a_choice_that_knows_what_to_do_if_no_case_is_true(edge: dict[str, str], way_out: dict[str, Any]):
    choice = {"kind": "choice", "choice_cases": [{"action": "y", "expr": "$params.y"}], **way_out}

    flow = load_flow_text(
        json.dumps({"start": "c", "nodes": {"c": choice, "d": {"kind": "timer"}}, "edges": [edge]})
    )

    assert isinstance(flow.nodes["c"].does, ChoiceNode)


def test_an_edge_for_default_is_a_way_out_too():
    choice = {"kind": "choice", "choice_cases": [{"action": "y", "expr": "$params.y"}]}
    edges = [{"from": "c", "to": "c"}]

    assert load_flow_text(json.dumps({"start": "c", "nodes": {"c": choice}, "edges": edges}))


def test_a_node_is_reached_over_any_edge():
    nodes = {key: {"kind": "timer"} for key in "abc"}
    edges = [{"from": "a", "action": "error", "to": "c"}, {"from": "c", "action": "x", "to": "b"}]

    assert set(load_flow_text(json.dumps({"start": "a", "nodes": nodes, "edges": edges})).nodes) == set("abc")


# --- texts and files

JSON = '{"start": "a", "nodes": {"a": {"kind": "timer"}}}'
YAML = "start: a\nnodes: {a: {kind: timer}}\n"


@pytest.mark.parametrize(
    "text",
    [
        JSON,
        f"\ufeff \n{JSON}",
        YAML,
        "# a comment\n" + YAML,
        "{start: a, nodes: {a: {kind: timer}}}",
        '{"start": "a", "nodes": {"a": {"kind": "timer",}}}  # no JSON, but YAML',
    ],
)
def test_a_text_is_json_if_it_can_be_and_else_yaml(text: str):
    assert load_flow_text(text) == Flow(start="a", nodes={"a": FlowNode(key="a", does=TimerNode())})


def test_what_a_text_is_can_be_said():
    assert load_flow_text(JSON, is_json=True) == load_flow_text(JSON, is_json=False)
    with pytest.raises(BadFlow, match="'start' is no number"):
        load_flow_text(YAML, is_json=True)


@pytest.mark.parametrize("name", ["flow.json", "flow.yaml", "flow.yml", "flow.JSON"])
def test_a_file_is_loaded_and_gives_the_flow_its_name(name: str, tmp_path: FilePath):
    file = tmp_path / name
    file.write_text(JSON if name.lower().endswith("json") else YAML)

    flow = load_flow_file(file)

    assert flow.name == "flow"
    assert read_flow_file(str(file)) == (flow, file.read_text())


def test_a_name_of_its_own_wins_over_that_of_the_file(tmp_path: FilePath):
    file = tmp_path / "flow.yaml"
    file.write_text(f"name: billing\ndescription: bills\n{YAML}")

    flow = load_flow_file(file)

    assert (flow.name, flow.description) == ("billing", "bills")


def test_a_text_without_a_file_has_no_name():
    assert load_flow_text(JSON).name == ""
    assert load_flow_text(JSON, file="flows/billing.json").name == "billing"


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("flow.txt", b"", "1:1: a flow is in a file that ends in .json, .yaml, .yml"),
        ("flow.json", None, " no such file"),
        ("flow.json", b'{\n"a": "\xff"}', "2:7: it is not text in UTF-8"),
        ("flow.json", YAML.encode(), "1:1: 'start' is no number, nor true, false or null"),
        ("flow.yaml", b"start: [a", "1:8: [ is not closed by ]"),
        ("flow.yaml", b"start: a\n---\n", "2:1: a second document begins here; a file has one workflow"),
        (
            "flow.yaml",
            b"#" * 1_000_001,
            " it has more than 1,000,000 bytes, which is too large for a workflow",
        ),
    ],
)
def test_a_file_that_is_none_is_told(name: str, data: bytes | None, problem: str, tmp_path: FilePath):
    file = tmp_path / name
    if data is not None:
        file.write_bytes(data)

    with pytest.raises(BadFlow) as caught:
        load_flow_file(file)

    assert str(caught.value).startswith(f"{file}:{problem}")


# --- depth and size


def test_flows_within_flows_are_loaded_as_deep_as_json_may_be():
    text = json.dumps(nested_flow(98))

    def descend(levels: int) -> Flow:
        return load_flow_text(text) if levels == 0 else descend(levels - 1)

    flow = descend(sys.getrecursionlimit() // 2)
    depth, inner = 0, flow
    while isinstance(does := inner.nodes["s"].does, SubflowNode):
        depth, inner = depth + 1, does.flow

    assert depth == 98
    assert len(definition_hash(flow)) == 64


def test_a_flow_of_ten_thousand_nodes_is_loaded():
    nodes = {f"n{number}": {"kind": "timer"} for number in range(10_000)}
    edges = [{"from": f"n{number}", "to": f"n{number + 1}"} for number in range(9_999)]

    flow = load_flow_text(json.dumps({"start": "n0", "nodes": nodes, "edges": edges}))

    assert len(flow.nodes) == 10_000


def test_a_flow_is_stored_and_read_as_it_is():
    flow = load_flow_text(json.dumps(nested_flow(3)))

    assert msgspec.json.decode(msgspec.json.encode(flow), type=Flow) == flow
