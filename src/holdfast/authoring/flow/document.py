"""Writes a flow as a document, in the fields that people write. Each meaning is written in one way.

Fields with their defaults are left out. The document loads as the same flow, so two documents that differ are
two flows.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, assert_never

from holdfast.authoring.documents.expression_tree import Constant, Operation, Part, Reference
from holdfast.authoring.documents.references import Steps
from holdfast.authoring.flow.model import (
    ApprovalNode,
    CallNode,
    ChoiceNode,
    EventNode,
    ExecutorNode,
    Fan,
    Flow,
    FlowNode,
    FlowWork,
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
from holdfast.core.policies import TaskOptions


def document_of(flow: Flow) -> dict[str, Any]:
    """As values of JSON. Nodes are in the order of the flow, and edges in that of their nodes."""
    whole: dict[str, Any] = {}
    to_write = [(flow, whole)]
    while to_write:  # without recursion: flows may be nested a hundred deep
        each, document = to_write.pop()
        nodes = {key: _node(node) for key, node in each.nodes.items()}
        document |= {
            **_given(name=each.name, description=each.description),
            "start": each.start,
            "nodes": nodes,
            **_given(edges=_edges(each)),
        }
        for key, node in each.nodes.items():
            if isinstance(node.does, SubflowNode):
                to_write.append((node.does.flow, nodes[key]["subflow"]))
    return whole


def _edges(flow: Flow) -> list[dict[str, str]]:
    return [
        {"from": source, "action": action, "to": target}
        for source, targets in flow.edges.items()
        for action, target in targets.items()
    ]


def _node(node: FlowNode) -> dict[str, Any]:
    return {
        **_does(node.does),
        **_given(params=node.params, prep=prep_document(node.prep), post=_post(node.post)),
    }


def _given(**fields: Any) -> dict[str, Any]:
    """Without empty fields."""
    return {name: value for name, value in fields.items() if value}


def prep_document(prep: Prep) -> dict[str, Any]:
    if prep.input_map is not None:
        return {"input_map": {name: str(path) for name, path in prep.input_map.items()}}
    return {} if prep.input_key is None else {"input_key": str(prep.input_key)}


def _post(post: Post) -> dict[str, Any]:
    return _given(
        output_key=post.output_key,
        output_map={name: _steps(steps) for name, steps in post.output_map.items()},
        action_static=post.action_static,
        action_key=None if post.action_key is None else _steps(post.action_key),
    )


def _steps(steps: Steps) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)[1:]


# --- kinds


def _does(does: NodeKind) -> dict[str, Any]:
    match does:
        case ExecutorNode():
            work = _work(does.work, does.service, does.options)
            return {"kind": "executor", **work, **_options(does.options)}
        case ChoiceNode():
            cases = [{"action": case.action, "expr": _condition(case.condition)} for case in does.cases]
            return {"kind": "choice", **_given(choice_cases=cases, default_action=does.default_action)}
        case ParallelNode():
            services = _given(parallel_services=list(does.services))
            work = {**_work(does.work, "", does.options), **services}
            return {"kind": "parallel", **work, **_fan(does.fan), **_options(does.options)}
        case ForeachNode():
            work = _work(does.work, does.service, does.options)
            return {"kind": "foreach", **work, **_fan(does.fan), **_options(does.options)}
        case SubflowNode():
            return {"kind": "subflow", "subflow": {}}  # `document_of` fills it later
        case CallNode():
            return {"kind": "subflow", "workflow": does.workflow}
        case TimerNode():
            return {"kind": "timer"}
        case EventNode():
            return {"kind": "wait_event"}
        case ApprovalNode():
            return {"kind": "approval", **_given(question=does.question)}
        case _:
            assert_never(does)


def _work(work: FlowWork, service: str, options: TaskOptions) -> dict[str, Any]:
    match work:
        case Http():
            return _given(
                service=service,
                max_attempts=work.max_attempts,
                attempt_delay_ms=_milliseconds(work.attempt_delay),
                weighted_by_load=work.weighted_by_load,
            )
        case Queue():
            return {"exec_type": "queue", **_given(service=service)}
        case LocalFunction():
            return {"exec_type": "local_func", **_given(func=work.name)}
        case LocalScript(command, env, work_dir):
            given = _given(args=list(command[1:]), env=env, secrets=list(options.secrets), work_dir=work_dir)
            script = {"cmd": command[0], **given}
            return {"exec_type": "local_script", "script": script}
        case _:
            assert_never(work)


def _options(options: TaskOptions) -> dict[str, Any]:
    retry = options.retry
    return _given(
        max_retries=retry.max_attempts - 1,
        wait_ms=None if retry.max_attempts == 1 else _milliseconds(retry.first_delay),
        timeout_ms=None if options.timeout is None else _milliseconds(options.timeout),
    )


def _fan(fan: Fan) -> dict[str, Any]:
    mode = None if fan.at_once == 1 else "concurrent"
    strategy = None if fan.strategy == Fan().strategy else fan.strategy
    return _given(
        parallel_mode=mode,
        max_parallel=None if mode is None else fan.at_once,
        failure_strategy=strategy,
    )


def _milliseconds(span: dt.timedelta) -> int | float:
    """A whole number, if it is one."""
    count = span / dt.timedelta(milliseconds=1)
    return int(count) if count.is_integer() else count


# --- conditions


def _condition(part: Part) -> Any:
    match part:
        case Operation("and" | "or" as name, parts):
            return {name: [_condition(each) for each in parts]}
        case Operation("not", (of,)):
            return {"not": _condition(of)}
        case Operation("exists", (Reference(path),)):
            return {"exists": str(path)}
        case Operation("within", operands):
            return {"in": [_condition(each) for each in operands]}
        case Operation(name, operands):
            return {name: [_condition(each) for each in operands]}
        case Reference(path):
            return str(path)
        case Constant(value):
            return value
        case _:
            raise AssertionError("a flow has no lists of parts")
