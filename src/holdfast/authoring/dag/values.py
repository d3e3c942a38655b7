"""The values of references in a run: its inputs, the outputs and states of its tasks, the item of a
fan-out."""

from __future__ import annotations

from typing import Any, cast

from holdfast.authoring.dag.model import ApprovalTask, Const, Dag, DagTask, Each, Ref, Source
from holdfast.authoring.dag.progress import UNKNOWN, DagProgress, TaskProgress
from holdfast.authoring.dag.types import (
    ANY,
    ListType,
    ObjectType,
    Type,
    check,
    inside,
    json_schema_of,
    may_be_missing,
)
from holdfast.authoring.documents.comparison import name_of_value
from holdfast.authoring.documents.references import Missing, follow
from holdfast.core.codec import Codec
from holdfast.core.questions import QuestionDetails
from holdfast.core.shared_inputs import SHARED_FROM
from holdfast.core.values import Payload, TaskStatus
from holdfast.errors import WrongType, show

_INDEX_FACTS = ("parallel_index", "parallel_count")
_OF_ONE_ITEM = ("item", "parallel_index")
"""References whose value is another one in each item of a fan-out."""
_MOST_ITEMS = 1_000_000
"""Of a fan-out. A file may not ask for more either."""


class Values:
    def __init__(self, input: Payload, dag: Dag, progress: DagProgress, codec: Codec) -> None:
        self._codec = codec
        self._progress = progress
        self._input_type = ObjectType({name: it.type for name, it in dag.inputs.items()})
        self.input: dict[str, Any] = codec.decode(input, dict[str, Any], "the input of the run")

    def of(self, ref: Ref, node: TaskProgress | None = None, index: int = 0) -> Any:
        """Raises WrongType if there is no such value."""
        root, *path = ref.path
        match root:
            case "input":
                return _follow(ref, self.input, path, self._input_type)
            case "tasks":
                return self._of_task(ref, self._progress.nodes[str(path[0])], path[1:])
            case "item" if node is not None and node.items is not None:
                return _follow(ref, node.items[index], path, self._item_type(node))
            case "parallel_index" if node is not None:
                return index
            case "parallel_count" if node is not None:
                return node.count
            case _:
                raise WrongType(str(ref), "there is no such value here")

    def _of_task(self, ref: Ref, node: TaskProgress, path: list[str | int]) -> Any:
        if path[0] == "status":
            return str(node.status)
        if node.status is not TaskStatus.SUCCESS and not node.is_fan_out:
            return None  # a task that runs after a failure gets null
        decoded = node.decoded
        if decoded is UNKNOWN:
            decoded = self._codec.decode(node.output(), Any, f"the output of task {node.task.name!r}")
            if node.status.is_final:  # else the task is being tried again, and its output will change
                node.decoded = decoded
        return _follow(ref, decoded, path[1:], _type_of(node.task))

    def _item_type(self, node: TaskProgress) -> Type:
        ref = node.task.fan_out.items if isinstance(node.task.fan_out, Each) else None
        if ref is None:
            return ANY
        if ref.path[0] == "input":
            items = inside(self._input_type, ref.path[1:])
        else:
            items = inside(_type_of(self._progress.nodes[str(ref.path[1])].task), ref.path[3:])
        return inside(items, [0])

    def inputs_of(self, node: TaskProgress, index: int) -> tuple[Payload, Payload | None]:
        """The input of a task, or of one item of it. If the inputs of all items have much in common: the rest
        of the input, and what they have in common. Raises WrongType, PayloadTooLarge."""
        task = node.task
        own_names = _names_of_one_item(task)
        given: dict[str, Any]
        if task.inputs is None:
            given = dict(self.input)
            if isinstance(task.fan_out, Each) and task.fan_out.items.path[0] == "input":
                # Each item gets itself, and not the list that it comes from.
                given.pop(str(task.fan_out.items.path[1]), None)
            if not node.is_fan_out:
                given |= {name: self.of(_output_of(name)) for name in task.depends_on}
        else:
            given = self._declared(node, index)
        if isinstance(task.fan_out, Each) and node.items is not None and "item" not in given:
            given["item"] = node.items[index]
            own_names.add("item")
        common = self._common_of(node, given, own_names)
        if not common:
            return self.with_index(node, index, given), None
        own = self.with_index(node, index, {name: given[name] for name in own_names})
        self._codec.check_size(len(common) + len(own) - 1, f"the input of task {task.name!r}")
        return own, common

    def _common_of(self, node: TaskProgress, given: dict[str, Any], own_names: set[str]) -> Payload:
        """What the inputs of all items have in common; empty if it is not worth sharing. It is encoded
        once."""
        if node.common is None:
            node.common = Payload(b"")
            if node.count > 1:
                skipped = own_names.union(_INDEX_FACTS)
                same = {name: value for name, value in given.items() if name not in skipped}
                common = self._codec.encode(same, f"the input of task {node.task.name!r}")
                if len(common) >= SHARED_FROM:
                    node.common = common
        return node.common

    def with_index(self, node: TaskProgress, index: int, given: dict[str, Any]) -> Payload:
        """The inputs of a task, followed by the index and the count if it fans out. They are last, so that a
        reader who wants only them finds them at the end. Raises PayloadTooLarge."""
        if node.is_fan_out:
            index_facts = dict(zip(_INDEX_FACTS, (index, node.count), strict=True))
            given = {name: value for name, value in given.items() if name not in index_facts} | index_facts
        return self._codec.encode(given, f"the input of task {node.task.name!r}")

    def child_inputs(self, node: TaskProgress, index: int) -> dict[str, Any]:
        """The inputs of another workflow. It has parameters of its own, so it gets only what `inputs` says.
        Raises WrongType."""
        if node.task.inputs is not None:
            return self._declared(node, index)
        return {} if node.items is None else {"item": node.items[index]}

    def question_of(self, node: TaskProgress, work: ApprovalTask) -> Payload:
        """The details of the question that an approval asks. Raises WrongType, PayloadTooLarge."""
        facts = None if node.task.inputs is None else self._declared(node, 0)
        answer = node.task.output_type
        details = QuestionDetails(
            work.message, facts, None if answer is None else json_schema_of(answer), work.by or None
        )
        return self._codec.encode(details, f"the question of task {node.task.name!r}")

    def _declared(self, node: TaskProgress, index: int) -> dict[str, Any]:
        task = node.task
        given = {name: self._given(source, node, index) for name, source in (task.inputs or {}).items()}
        if task.input_type is not None:
            problem = check(given, task.input_type)
            if problem is not None:
                raise WrongType(f"the inputs of task {task.name!r}", problem)
        return given

    def _given(self, source: Source, node: TaskProgress, index: int) -> Any:
        return source.value if isinstance(source, Const) else self.of(source, node, index)

    def items_of(self, node: TaskProgress) -> tuple[int, list[Any] | None]:
        """How many items the task fans out into, and which. Raises WrongType."""
        fan_out = node.task.fan_out
        if fan_out is None:
            return 1, None
        if isinstance(fan_out, Each):
            items = self.of(fan_out.items)
            if not isinstance(items, list):
                raise WrongType(str(fan_out.items), f"foreach needs a list, got {name_of_value(items)}")
            return len(found := cast("list[Any]", items)), found
        count = fan_out.count if isinstance(fan_out.count, int) else self.of(fan_out.count)
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= _MOST_ITEMS:
            what = "parallel" if isinstance(fan_out.count, int) else str(fan_out.count)
            given = show(count) if type(count) is int else name_of_value(count)
            raise WrongType(what, f"parallel needs a whole number from 0 to {_MOST_ITEMS:,}, got {given}")
        return count, None


def _names_of_one_item(task: DagTask) -> set[str]:
    """The declared inputs that may differ from item to item."""
    sources = (task.inputs or {}).items()
    return {name for name, it in sources if isinstance(it, Ref) and it.path[0] in _OF_ONE_ITEM}


def _type_of(task: DagTask) -> Type:
    output = task.output_type or ANY
    return output if task.fan_out is None else ListType(output)


def _output_of(task: str) -> Ref:
    return Ref(("tasks", task, "output"))


def _follow(ref: Ref, value: Any, path: list[str | int], type: Type) -> Any:
    """The value at the end of the path; null if the type allows it to be missing. Raises WrongType."""
    try:
        return follow(value, path)
    except Missing as error:
        if may_be_missing(type, path[: error.number + 1]):
            return None
        raise WrongType(str(ref), str(error)) from None
