"""From nodes that have the right shape to a draft: texts become references, conditions, types, durations.

A text that cannot be read is reported at its position. Whether the names in it are known is checked by
`checks.py`, once all of the file has been read.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

from holdfast.authoring.dag.drafts import DagDraft, PositionedConstant, TaskDraft, Use, When
from holdfast.authoring.dag.expressions import BadExpression, Expression
from holdfast.authoring.dag.fields import (
    KIND_BY_WORK,
    NAME,
    OPTION_FIELDS,
    PYTHON,
    SHELL,
    TASK_FIELDS,
    TOP,
    TaskKind,
)
from holdfast.authoring.dag.model import (
    ApprovalTask,
    CallTask,
    Const,
    DagWork,
    Parameter,
    SignalTask,
    SleepTask,
)
from holdfast.authoring.dag.references import BadReference, parse_reference
from holdfast.authoring.dag.schedule_reading import read_schedule
from holdfast.authoring.dag.type_notation import Notation
from holdfast.authoring.documents.field_values import read_fields, whole
from holdfast.authoring.documents.nodes import (
    ListNode,
    MapNode,
    Node,
    ScalarNode,
    entries_of,
    items_of,
    text_of,
    value_of,
)
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.authoring.documents.shapes import is_text
from holdfast.ports.executor import PythonFunction, ShellCommand

_PLAIN_FIELDS: Final = {name: TOP.fields[name] for name in ("description", "timeout", "max_parallel")}
_SLEEP: Final = {"sleep": TASK_FIELDS["sleep"]}


class DagDocumentReader:
    def __init__(self, top: MapNode, problems: Problems, file: str) -> None:
        self._top, self._problems, self._file = top, problems, file
        named = top.get("types")
        self._types = Notation(
            named if isinstance(named, MapNode) else MapNode({}, top.position),
            problems,
            is_complete="types" not in top.broken,
        )
        defaults = top.get("defaults")
        self._defaults = self._options_in(defaults, None) if isinstance(defaults, MapNode) else {}

    def read(self) -> DagDraft:
        self._types.read_all()
        top, tasks = self._top, self._top.get("tasks")
        inputs, lost_inputs = self._inputs()
        document = DagDraft(
            name=self._name(),
            inputs=inputs,
            lost_inputs=lost_inputs,
            has_inputs="input" not in top.broken,
            tasks=self._tasks(),
            lost_tasks=_lost(tasks),
            has_tasks="tasks" not in top.broken,
            tasks_position=top.position if tasks is None else tasks.position,
            output=self._output(top.get("output")),
            **read_fields(top, _PLAIN_FIELDS, self._problems),
        )
        schedule = top.get("schedule")
        if schedule is not None:
            document.schedule = read_schedule(schedule, self._problems)
            self._read_schedule_input(schedule, document)
        return document

    def _read_schedule_input(self, node: Node, document: DagDraft) -> None:
        given = node.get("input") if isinstance(node, MapNode) else None
        if isinstance(node, MapNode) and "input" in node.broken:
            return  # its inputs are not known
        document.schedule_position = node.position if given is None else given.position
        for name, (_, value) in entries_of(given).items():
            document.schedule_input[name] = PositionedConstant(Const(value_of(value)), value.position)

    def _name(self) -> str:
        if "name" in self._top.entries or "name" in self._top.broken:
            return text_of(self._top.get("name"))
        stem = PurePath(self._file).stem
        if not is_text(stem, NAME):
            hint = "" if self._file.startswith("<") else f"; {stem[:100]!r}, that of the file, cannot be one"
            self._problems.add(self._top.position, f"the DAG needs a name{hint}")
        return stem

    def _inputs(self) -> tuple[dict[str, Parameter], frozenset[str]]:
        """All inputs, and the names of those with a problem."""
        given = self._top.get("input")
        found: dict[str, Parameter] = {}
        lost = set(_lost(given))
        for name, (_, node) in entries_of(given).items():
            before = len(self._problems)
            declared = self._types.declared(name, node)
            found[name] = Parameter(declared.type, declared.has_default, declared.default)
            if len(self._problems) > before:
                lost.add(name)
        return found, frozenset(lost)

    def _output(self, node: Node | None) -> dict[str, Use] | None:
        if node is None:
            return None
        found: dict[str, Use] = {}
        for name, (_, value) in entries_of(node).items():
            ref = value.get("ref") if isinstance(value, MapNode) else value
            use = self._use(ref, f"output.{name}")
            if use is not None:
                found[name] = use
        return found

    def _use(self, node: Node | None, title: str) -> Use | None:
        if not isinstance(node, ScalarNode):
            return None
        try:
            written = parse_reference(text_of(node))
        except BadReference as error:
            self._problems.add(node.at(error.offset), f"{title}: {error.reason}")
            return None
        return Use(title, written.ref, written.offsets, written.is_short, node)

    # --- tasks

    def _tasks(self) -> dict[str, TaskDraft]:
        return {
            name: self._task(name, entry.key.position, entry.value)
            for name, entry in entries_of(self._top.get("tasks")).items()
            if isinstance(entry.value, MapNode)
        }

    def _task(self, name: str, position: Position, node: MapNode) -> TaskDraft:
        kind = next((KIND_BY_WORK[field] for field in node.entries if field in KIND_BY_WORK), None)
        draft = TaskDraft(
            name=name,
            position=position,
            kind=kind,
            positions={field: entry.key.position for field, entry in node.entries.items()},
            nodes=_nodes(node),
            work=None if kind is None else self._work(kind, name, node),
        )
        draft.depends_on = _positions_of_names(node.get("depends_on"))
        draft.when = self._when(node.get("when"))
        draft.inputs, draft.input_positions = self._sources(node.get("inputs"), "inputs")
        draft.input_type = self._type(node.get("input_type"))
        draft.output_type = self._type(node.get("output_type"))
        asked = node.get("approval")
        if isinstance(asked, MapNode):
            self._read_question(draft, asked)
        draft.foreach = self._use(node.get("foreach"), "foreach")
        draft.parallel = self._parallel(node.get("parallel"))
        concurrency = node.get("concurrency")
        draft.concurrency = None if concurrency is None else whole(concurrency)
        self._read_options(draft, node)
        # A field with the right shape that cannot be read is broken as well.
        unread = {
            field
            for field in ("when", "foreach", "parallel")
            if field in node.entries and not getattr(draft, field)
        }
        lost_inputs = {"inputs"} if _lost(node.get("inputs")) else set[str]()
        draft.broken = node.broken | unread | lost_inputs
        return draft

    def _work(self, kind: TaskKind, name: str, node: MapNode) -> DagWork | None:
        match kind.name:
            case "shell":
                command = node.get("command")
                listed = tuple(map(text_of, items_of(command)))
                return ShellCommand(listed or text_of(command))
            case "python":
                function = text_of(node.get("function")) or "main"
                file, module = text_of(node.get("file")), text_of(node.get("module"))
                return PythonFunction(function, file or None, module or None)
            case "workflow":
                return CallTask(text_of(node.get("workflow")))
            case "approval":
                return _approval(node.get("approval"))
            case "wait_for_signal":
                return SignalTask(text_of(node.get("wait_for_signal")) or name)
            case _:
                length = read_fields(node, _SLEEP, self._problems).get("sleep")
                return None if length is None else SleepTask(length)

    def _type(self, node: Node | None) -> Any:
        return None if node is None else self._types.read(node)

    def _when(self, node: Node | None) -> When | None:
        if not isinstance(node, ScalarNode):
            return None
        try:
            return When(Expression.parse(text_of(node)), node)
        except BadExpression as error:
            self._problems.add(node.at(error.offset), f"when: {error.reason}")
            return None

    def _read_question(self, draft: TaskDraft, asked: MapNode) -> None:
        """What a person is told, and has to answer, is what the task gets and gives."""
        draft.inputs, draft.input_positions = self._sources(asked.get("facts"), "facts")
        answer = asked.get("answer")
        if answer is not None and draft.output_type is not None:
            self._problems.add(
                answer.position, "answer: output_type is another word for it; give one of them"
            )
        draft.output_type = self._type(answer) or draft.output_type

    def _sources(
        self, node: Node | None, title: str
    ) -> tuple[dict[str, Use | PositionedConstant] | None, dict[str, Position]]:
        if node is None:
            return None, {}
        found: dict[str, Use | PositionedConstant] = {}
        for name, (_, value) in entries_of(node).items():
            constant = value.get("const") if isinstance(value, MapNode) else None
            if constant is not None:
                found[name] = PositionedConstant(Const(value_of(constant)), constant.position)
                continue
            use = self._use(value.get("ref") if isinstance(value, MapNode) else None, f"{title}.{name}")
            if use is not None:
                found[name] = use
        return found, {name: entry.key.position for name, entry in entries_of(node).items()}

    def _parallel(self, node: Node | None) -> int | Use | None:
        if node is None:
            return None
        return self._use(node, "parallel") if text_of(node) else whole(node)

    # --- options

    def _read_options(self, draft: TaskDraft, node: MapNode) -> None:
        """The options of the task. A command or a function gets those of `defaults` that it does not have
        itself; other kinds do not, since a timeout for commands is hardly meant for an approval."""
        own = self._options_in(node, draft.kind)
        variables: dict[str, str] = own.pop("env", {})
        if draft.kind in (SHELL, PYTHON):
            own = {**self._defaults, **own}
            variables = {**own.pop("env", {}), **variables}
        draft.env = variables
        draft.workdir = own.pop("workdir", None)
        draft.options = own

    def _options_in(self, node: MapNode, kind: TaskKind | None) -> dict[str, Any]:
        fields = {
            name: field for name, field in OPTION_FIELDS.items() if kind is None or field.is_for(kind.name)
        }
        found = read_fields(node, fields, self._problems)
        return {"retry" if name == "retries" else name: value for name, value in found.items()}


def _approval(asked: Node | None) -> ApprovalTask:
    if not isinstance(asked, MapNode):
        return ApprovalTask(text_of(asked))
    by = asked.get("by")
    names = tuple(map(text_of, items_of(by))) or ((text_of(by),) if by is not None else ())
    return ApprovalTask(text_of(asked.get("title") or asked.get("message")), names)


def _nodes(node: Node | None) -> dict[str, Node]:
    return {name: entry.value for name, entry in entries_of(node).items()}


def _lost(node: Node | None) -> frozenset[str]:
    return node.broken if isinstance(node, MapNode) else frozenset()


def _positions_of_names(node: Node | None) -> list[tuple[str, Position]]:
    listed = node.items if isinstance(node, ListNode) else [] if node is None else [node]
    return [(text_of(item), item.position) for item in listed if isinstance(item, ScalarNode)]
