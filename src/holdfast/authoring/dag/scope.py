"""Resolves references: what each means in its task, and of which type that is."""

from __future__ import annotations

from typing import Protocol

from holdfast.authoring.dag.drafts import DagDraft, TaskDraft, Use
from holdfast.authoring.dag.fields import WORKFLOW
from holdfast.authoring.dag.types import (
    ANY,
    INT,
    STR,
    ListType,
    ObjectType,
    OptionalType,
    Type,
    describe,
    is_any,
    maybe,
    without_null,
)
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.references import path_text
from holdfast.errors import show


class TaskOrder(Protocol):
    def may_have(self, task: str, before: str) -> bool: ...


class Scope:
    def __init__(self, document: DagDraft, order: TaskOrder, problems: Problems) -> None:
        self._document, self._order, self._problems = document, order, problems
        self._items: dict[str, Type] = {}
        """The type of one item, by the name of the task. Only for tasks with `foreach`."""

    def enter(self, draft: TaskDraft, item: Type | None) -> None:
        self._items[draft.name] = item or ANY

    def type_of_use(self, use: Use, draft: TaskDraft | None) -> Type:
        """The type of the value; `any` if it is not declared. If there is no such value, reports that and
        returns `any`. `draft` is the task that the reference belongs to."""
        match use.ref.path[0]:
            case "input":
                return self._of_input(use, draft)
            case "tasks":
                return self._of_task(use, draft)
            case word:
                return self._of_item(use, draft, str(word))

    # --- inputs

    def _of_input(self, use: Use, draft: TaskDraft | None) -> Type:
        document, path = self._document, use.ref.path
        if not document.has_inputs:
            return ANY
        if len(path) == 1:
            return ANY if document.lost_inputs else ObjectType(_types_of(document))
        name = path[1]
        if name in document.lost_inputs:
            return ANY
        if not isinstance(name, str) or name not in document.inputs:
            if name in ("item", "parallel_index", "parallel_count") and draft is not None and draft.fans_out:
                hint = f"; write {name}"
            elif document.inputs:
                hint = self._problems.did_you_mean(str(name), document.inputs)
            else:
                hint = "; it has none"
            self._problems.add(use.at(1), f"{use.title}: the run has no input {show(name)}{hint}")
            return ANY
        return self._inside(document.inputs[name].type, use, 2)

    # --- tasks

    def _of_task(self, use: Use, draft: TaskDraft | None) -> Type:
        document, name = self._document, str(use.ref.path[1])
        if name in document.lost_tasks or self._is_told_already(use, draft):
            return ANY
        if name not in document.tasks:
            self._report_unknown(use, name)
            return ANY
        if draft is not None and name == draft.name:
            self._problems.add(use.at(1), f"{use.title}: {name} cannot refer to what it gives itself")
            return ANY
        if draft is not None and not self._order.may_have(draft.name, name):
            self._problems.add(
                use.at(1),
                f"{use.title}: {name} need not have ended before {draft.name}; add it to depends_on",
            )
            return ANY
        if use.ref.is_status:
            if use.title != "when":
                self._problems.add(use.at(2), f"{use.title}: a status is for `when` only")
            return STR
        return self._inside(self._output_of(document.tasks[name]), use, 3)

    def _is_told_already(self, use: Use, draft: TaskDraft | None) -> bool:
        """Whether an unknown name was reported in `depends_on` of the task already."""
        name = str(use.ref.path[1])
        return draft is not None and "depends_on" in draft.broken and name not in self._document.tasks

    def _report_unknown(self, use: Use, name: str) -> None:
        if name in self._document.inputs and use.is_short:
            hint = f"; the input is input.{name}"
        else:
            hint = self._problems.did_you_mean(name, [*self._document.tasks, "input", "tasks"])
        self._problems.add(use.at(1), f"{use.title}: no task {show(name)}{hint}")

    def _output_of(self, draft: TaskDraft) -> Type:
        if not draft.broken.isdisjoint(("foreach", "parallel")):
            return ANY
        output = draft.output_type or ANY
        return ListType(output) if draft.fans_out else output

    # --- the item of a fan-out

    def _of_item(self, use: Use, draft: TaskDraft | None, word: str) -> Type:
        is_inside = draft is not None and use.title.startswith("inputs.")
        if not is_inside or draft is None:
            self._problems.add(
                use.at(0), f"{use.title}: {word} is known only in `inputs` of a task that fans out"
            )
            return ANY
        if not draft.broken.isdisjoint(("foreach", "parallel")):
            return ANY
        if not draft.fans_out or (word == "item" and draft.foreach is None):
            needed = "foreach" if word == "item" else "foreach or parallel"
            self._problems.add(use.at(0), f"{use.title}: there is no {word} without {needed}")
            return ANY
        return self._inside(self._items.get(draft.name, ANY), use, 1) if word == "item" else INT

    # --- along a path

    def _inside(self, type: Type, use: Use, start: int) -> Type:
        """The type at the end of the path. Its first `start` steps lead to a value of `type`."""
        path = use.ref.path
        may_be_null = False
        for number in range(start, len(path)):
            if is_any(type):
                return self._of_any(use, number)
            may_be_null |= isinstance(type, OptionalType)
            type = without_null(type)
            step = path[number]
            if isinstance(type, ObjectType) and step in type.fields:
                type = type.fields[str(step)]
            elif isinstance(type, ListType) and isinstance(step, int):
                type = type.of
            else:
                self._report_step(type, use, number)
                return ANY
        return maybe(type) if may_be_null else type

    def _of_any(self, use: Use, number: int) -> Type:
        if use.is_short and number == 3 and use.ref.path[3] == "output":
            name = use.ref.path[1]
            rest = path_text(("x", *use.ref.path[4:]))[1:]
            self._problems.add(
                use.at(3),
                f"{use.title}: {name} is its output already; write {name}{rest} or tasks.{name}.output{rest}",
            )
        return ANY

    def _report_step(self, type: Type, use: Use, number: int) -> None:
        step, position = use.ref.path[number], use.at(number)
        start = use.ref.path[1:2] + use.ref.path[3:number] if use.is_short else use.ref.path[:number]
        whole = path_text(start)
        if isinstance(type, ObjectType):
            if isinstance(step, int):
                words = f"{whole} is an object and has no [{step}]"
            else:
                words = f"{whole} has no {step!r}{self._problems.did_you_mean(step, type.fields)}"
                if step.partition("-")[0] in type.fields:
                    words = f"{whole} has no {step!r}; to subtract, put spaces around the minus"
                if step in ("status", "output") and use.is_short and number == 3:
                    words = f"{whole} has no {step!r}; write tasks.{use.ref.path[1]}.{step}"
        elif isinstance(type, ListType):
            words = f"{whole} is a list and has no {step!r}; its items are {whole}[0] and so on"
        else:
            words = f"{whole} is {describe(type)} and has nothing inside"
        self._problems.add(position, f"{use.title}: {words}")

    # --- tasks without `inputs`

    def implicit_inputs(self, draft: TaskDraft) -> list[dict[str, Type]]:
        """By name: the inputs of the run, the outputs of the tasks before it, and what a fan-out adds."""
        fan_out: dict[str, Type] = {}
        if draft.foreach is not None:
            fan_out["item"] = self._items.get(draft.name, ANY)
        if draft.kind == WORKFLOW:
            return [fan_out]  # a workflow has parameters of its own, and gets nothing else
        if draft.fans_out:
            return [_types_of(self._document), {**fan_out, "parallel_index": INT, "parallel_count": INT}]
        tasks = self._document.tasks
        outputs = {name: self._output_of(tasks[name]) for name, _ in draft.depends_on if name in tasks}
        return [_types_of(self._document), outputs]

    def knows_inputs(self, draft: TaskDraft) -> bool:
        """Whether all of its implicit inputs are known."""
        document = self._document
        has_all = document.has_inputs and not document.lost_inputs
        names = {name for name, _ in draft.depends_on}
        return has_all and "depends_on" not in draft.broken and names <= document.tasks.keys()


def _types_of(document: DagDraft) -> dict[str, Type]:
    return {name: parameter.type for name, parameter in document.inputs.items()}
