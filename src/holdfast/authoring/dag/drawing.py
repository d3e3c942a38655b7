"""A DAG as a graph to be drawn, and what drawings say of a task in words."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, assert_never

from holdfast.authoring.dag.model import (
    ApprovalTask,
    CallTask,
    Dag,
    DagTask,
    Each,
    Ref,
    SignalTask,
    SleepTask,
    Times,
)
from holdfast.authoring.documents.references import path_text
from holdfast.authoring.graphs.text_width import one_line
from holdfast.core.graphs import Graph, GraphEdge, GraphNode
from holdfast.core.names import written_span
from holdfast.ports.executor import PythonFunction, ShellCommand

KindName: TypeAlias = Literal["shell", "python", "workflow", "approval", "signal", "sleep"]


def graph_of(dag: Dag) -> Graph:
    return Graph(
        name=dag.name,
        description=one_line(dag.description),
        noun="task",
        direction="right",
        nodes=tuple(_node(task) for task in dag.tasks.values()),
        edges=tuple(
            GraphEdge(before, task.name, style="dashed" if task.runs_on_failure else "solid")
            for task in dag.tasks.values()
            for before in task.depends_on
        ),
    )


def as_facts(dag: Dag) -> dict[str, Any]:
    """The content of the drawing as JSON values."""
    return {
        "name": dag.name,
        "kind": "dag",
        "tasks": [
            {
                "name": task.name,
                "kind": kind_of(task),
                "work": work_of(task),
                "repetition": _repetition_of(task),
                "depends_on": list(task.depends_on),
                "runs_on_failure": task.runs_on_failure,
                "when": None if task.when is None else task.when.text,
            }
            for task in dag.tasks.values()
        ],
    }


def _node(task: DagTask) -> GraphNode:
    repetition = _repetition_of(task)
    return GraphNode(
        id=task.name,
        title=task.name,
        kind=kind_of(task),
        work=work_of(task),
        notes=(*([repetition] if repetition else []), *_conditions_of(task)),
        is_repeated=task.fan_out is not None,
    )


def kind_of(task: DagTask) -> KindName:
    match task.work:
        case ShellCommand():
            return "shell"
        case PythonFunction():
            return "python"
        case CallTask():
            return "workflow"
        case ApprovalTask():
            return "approval"
        case SignalTask():
            return "signal"
        case SleepTask():
            return "sleep"
        case _:
            assert_never(task.work)


def work_of(task: DagTask) -> str:
    """What the task does, on one line: the command, the function, the question, the duration."""
    match task.work:
        case ShellCommand(command):
            return one_line(command if isinstance(command, str) else " ".join(command))
        case PythonFunction(function, file, module):
            return f"{file or module}:{function}"
        case CallTask(workflow):
            return one_line(workflow)
        case ApprovalTask(message):
            return one_line(message)
        case SignalTask(name):
            return one_line(name)
        case SleepTask(duration):
            return written_span(duration)
        case _:
            assert_never(task.work)


def _repetition_of(task: DagTask) -> str | None:
    """How often the task is done: `for each discover.files, 4 at once`. None if it is done once."""
    match task.fan_out:
        case None:
            return None
        case Times(count):
            often = f"{_short(count) if isinstance(count, Ref) else count} times"
        case Each(items):
            often = f"for each {_short(items)}"
        case _:
            assert_never(task.fan_out)
    return often if task.concurrency is None else f"{often}, {task.concurrency} at once"


def _conditions_of(task: DagTask) -> list[str]:
    """What must hold for the task to run, if that is not simply that all tasks before it succeeded."""
    conditions: list[str] = []
    if task.runs_on_failure:
        conditions.append("also after a failure")
    if task.when is not None:
        conditions.append(f"when {one_line(task.when.text)}")
    return conditions


def _short(ref: Ref) -> str:
    """As most people write it: `discover.files` rather than `tasks.discover.output.files`."""
    if ref.path[0] == "tasks" and ref.path[2] == "output":
        return path_text((ref.path[1], *ref.path[3:]))
    return path_text(ref.path)
