"""Checks a DAG as a whole: which task depends on which, and whether outputs fit inputs.

Each mistake is reported once. What cannot be checked because of an earlier mistake counts as right: names
that could not be read (`lost`), and the outputs of tasks that depend on an unknown task.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import Final

from holdfast.authoring.dag.drafts import DagDraft, PositionedConstant, TaskDraft, Use
from holdfast.authoring.dag.expression_checks import check_condition
from holdfast.authoring.dag.model import ApprovalTask, CallTask, SignalTask
from holdfast.authoring.dag.references import RESERVED
from holdfast.authoring.dag.scope import Scope
from holdfast.authoring.dag.types import (
    INT,
    ListType,
    ObjectType,
    OptionalType,
    Type,
    check,
    describe,
    fits,
    is_any,
    is_optional,
)
from holdfast.authoring.documents.expression_tree import Reference
from holdfast.authoring.documents.nodes import text_of
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.authoring.documents.references import Ref
from holdfast.core.schedule_inputs import has_placeholder
from holdfast.errors import show

_MOST_CYCLES: Final = 20


def check_document(document: DagDraft, problems: Problems) -> None:
    _check_names(document, problems)
    if document.schedule_position is not None and document.has_inputs:
        _check_schedule_input(document, document.schedule_position, problems)
    if not document.has_tasks:
        return
    _check_dependencies(document, problems)
    _check_calls_of_itself(document, problems)
    upstream = Upstream(document, problems)
    scope = Scope(document, upstream, problems)
    for draft in document.tasks.values():
        _check_task(draft, scope, problems)
    for use in (document.output or {}).values():
        scope.type_of_use(use, None)


# --- names


def _check_names(document: DagDraft, problems: Problems) -> None:
    for draft in document.tasks.values():
        if draft.name in RESERVED:
            reason = f"a task cannot be called {draft.name!r}, which means something else in references"
            problems.add(draft.position, reason)


def _check_schedule_input(document: DagDraft, position: Position, problems: Problems) -> None:
    """A schedule must give every input that a run needs."""
    for name, given in document.schedule_input.items():
        parameter = document.inputs.get(name)
        if name in document.lost_inputs:
            continue
        if parameter is None:
            hint = problems.did_you_mean(name, document.inputs)
            problems.add(given.position, f"schedule.input: no input {show(name)}{hint}")
        elif not has_placeholder(given.source.value):
            problem = check(given.source.value, parameter.type)
            if problem is not None:
                problems.add(given.position, f"schedule.input.{name}: {problem}")
    for name, parameter in document.inputs.items():
        is_filled_in = describe(parameter.type) in ("date", "datetime")
        is_known = name in document.schedule_input or name in document.lost_inputs
        if not (parameter.has_default or is_filled_in or is_known):
            problems.add(position, f"the schedule gives no value for input {name!r}, which has no default")


def _check_dependencies(document: DagDraft, problems: Problems) -> None:
    for draft in document.tasks.values():
        seen: set[str] = set()
        good: list[tuple[str, Position]] = []
        for name, position in draft.depends_on:
            if name == draft.name:
                problems.add(position, f"{name} cannot depend on itself")
            elif name in seen:
                problems.add(position, f"{name} is there twice")
            elif name in document.tasks or name in document.lost_tasks:
                good.append((name, position))
            else:
                hint = problems.did_you_mean(name, document.tasks)
                problems.add(position, f"no task {show(name)}{hint}")
                draft.broken |= {"depends_on"}
            seen.add(name)
        draft.depends_on = good


def _check_calls_of_itself(document: DagDraft, problems: Problems) -> None:
    """A DAG that calls itself in every run would never end."""
    for draft in document.tasks.values():
        calls_itself = isinstance(draft.work, CallTask) and draft.work.workflow == document.name
        if calls_itself and not _may_be_left_out(draft, document):
            problems.add(
                draft.nodes["workflow"].position,
                f"{draft.name} calls the DAG that it is in, and so would every run without an end; "
                "say by `when` in which runs it does",
            )


def _may_be_left_out(draft: TaskDraft, document: DagDraft) -> bool:
    """Whether a run can end without this task. The reason may lie in the task itself or in a task before it,
    unless the task runs after failures. Also true if something is broken, so that nobody can tell.
    """
    seen = {draft.name}
    to_ask = [draft]
    while to_ask:
        asked = to_ask.pop()
        has_open_count = asked.foreach is not None or isinstance(asked.parallel, Use)
        is_up_to_others = isinstance(asked.work, ApprovalTask | SignalTask)
        if asked.when is not None or has_open_count or is_up_to_others or asked.broken:
            return True
        if text_of(asked.nodes.get("on_failure")) == "run":
            continue
        before = {name for name, _ in asked.depends_on}
        if before & document.lost_tasks:
            return True
        to_ask += [document.tasks[name] for name in before - seen]
        seen |= before
    return False


class Upstream:
    """Which tasks come before which, directly or not. Reports cycles; a task in a cycle comes before
    itself."""

    def __init__(self, document: DagDraft, problems: Problems) -> None:
        self._numbers = {name: number for number, name in enumerate(document.tasks)}
        self._unknown = 1 << len(self._numbers)
        """The bit that stands for unknown tasks. A task with this bit may come after any other."""
        self._before = dict.fromkeys(self._numbers, 0)
        edges = {
            draft.name: [name for name, _ in draft.depends_on if name in document.tasks]
            for draft in document.tasks.values()
        }
        order, cycles = _order(edges)
        for cycle in cycles:
            _report_cycle(cycle, document, problems)
        # Without cycles one pass is enough. Each cycle may need another.
        for _ in range(len(cycles) + 1):
            for name in order:
                self._before[name] = self._gather(document.tasks[name], edges[name])

    def _gather(self, draft: TaskDraft, depends_on: list[str]) -> int:
        bits = self._before[draft.name]
        if "depends_on" in draft.broken or len(depends_on) < len(draft.depends_on):
            bits |= self._unknown
        for name in depends_on:
            bits |= self._before[name] | 1 << self._numbers[name]
        return bits

    def may_have(self, task: str, before: str) -> bool:
        """Whether `before` is upstream of `task`, or may be: an unknown task could be in between."""
        bits = self._before[task]
        return bool(bits & self._unknown or bits >> self._numbers[before] & 1)


def _order(edges: dict[str, list[str]]) -> tuple[list[str], list[list[str]]]:
    """The tasks, each after those that it depends on. Cycles are cut for this, and returned as well."""
    edges = {name: list(others) for name, others in edges.items()}
    cycles: list[list[str]] = []
    while len(cycles) < _MOST_CYCLES:
        try:
            return list(TopologicalSorter(edges).static_order()), cycles
        except CycleError as error:
            cycle: list[str] = error.args[1][::-1]  # each depends on the next, and the last is the first
            cycles.append(cycle)
            edges[cycle[0]].remove(cycle[1])
    return list(edges), cycles


def _report_cycle(cycle: list[str], document: DagDraft, problems: Problems) -> None:
    order = list(document.tasks)
    start = min(range(len(cycle) - 1), key=lambda number: order.index(cycle[number]))
    turned = [*cycle[start:-1], *cycle[: start + 1]]
    first, second = turned[0], turned[1]
    position = next(position for name, position in document.tasks[first].depends_on if name == second)
    shown = turned if len(turned) <= 12 else [*turned[:6], "…", *turned[-5:]]
    problems.add(position, f"these tasks wait for each other: {' -> '.join(shown)}")


# --- one task


def _check_task(draft: TaskDraft, scope: Scope, problems: Problems) -> None:
    item = _check_fan_out(draft, scope, problems)
    scope.enter(draft, item)
    if draft.when is not None:
        scalar = draft.when.scalar

        def type_of(part: Reference) -> Type:
            return scope.type_of_use(Use("when", Ref(part.path), part.offsets, part.is_short, scalar), draft)

        check_condition(
            draft.when.expression.tree,
            type_of,
            lambda at, reason: problems.add(scalar.at(at), f"when: {reason}"),
            problems,
        )
    _check_inputs(draft, scope, problems)


def _check_fan_out(draft: TaskDraft, scope: Scope, problems: Problems) -> Type | None:
    """Returns the type of one item."""
    if isinstance(draft.parallel, Use):
        count = scope.type_of_use(draft.parallel, draft)
        wrong = fits(count, INT)
        if wrong is not None:
            problems.add(draft.parallel.at(0), f"parallel needs an int: {wrong}")
    if draft.foreach is None:
        return None
    items = scope.type_of_use(draft.foreach, draft)
    if isinstance(items, ListType):
        return items.of
    if not is_any(items):
        why = "may be null" if isinstance(items, OptionalType) else f"is {describe(items)}"
        problems.add(draft.foreach.at(0), f"foreach needs a list, but {draft.foreach.ref} {why}")
    return None


def _check_inputs(draft: TaskDraft, scope: Scope, problems: Problems) -> None:
    wanted = draft.input_type
    if wanted is not None and not isinstance(wanted, ObjectType):
        if not is_any(wanted):
            position = draft.nodes["input_type"].position
            problems.add(
                position, f"input_type must be an object, such as {{day: date}}, not {describe(wanted)}"
            )
        wanted = None
    if draft.inputs is None:
        if "inputs" not in draft.broken:
            _check_implicit_inputs(draft, wanted, scope, problems)
        return
    for name, source in draft.inputs.items():
        its_type = None
        if wanted is not None:
            its_type = wanted.fields.get(name)
            if its_type is None:
                hint = problems.did_you_mean(name, wanted.fields)
                problems.add(draft.input_positions[name], f"input_type has no {show(name)}{hint}")
        _check_source(name, source, its_type, draft, scope, problems)
    if wanted is not None and "inputs" not in draft.broken:
        for name in wanted.fields:
            if name not in draft.input_positions and not is_optional(wanted.fields[name]):
                problems.add(draft.positions["inputs"], f"inputs lacks {name!r}, which input_type has")


def _check_source(
    name: str,
    source: Use | PositionedConstant,
    wanted: Type | None,
    draft: TaskDraft,
    scope: Scope,
    problems: Problems,
) -> None:
    if isinstance(source, PositionedConstant):
        wrong = None if wanted is None else check(source.source.value, wanted)
        if wrong is not None:
            problems.add(source.position, f"inputs.{name} does not fit input_type: {wrong}")
        return
    given = scope.type_of_use(source, draft)
    wrong = None if wanted is None else fits(given, wanted)
    if wrong is not None:
        problems.add(source.at(0), f"inputs.{name} does not fit input_type: {wrong}")


def _check_implicit_inputs(
    draft: TaskDraft, wanted: ObjectType | None, scope: Scope, problems: Problems
) -> None:
    """Without `inputs`, a task gets values by name, so no two of them may have the same name."""
    given: dict[str, Type] = {}
    for group in scope.implicit_inputs(draft):
        for name in group.keys() & given.keys():
            other = "what its fan-out adds" if name in RESERVED else "what the task of that name gives"
            problems.add(
                draft.position,
                f"{draft.name} would get two things called {name!r}: an input of the run, and {other}; "
                "say by `inputs` what it is to get",
            )
        given |= group
    if wanted is None or not scope.knows_inputs(draft):
        return
    wrong = fits(ObjectType(given), wanted)
    if wrong is not None:
        position = draft.nodes["input_type"].position
        problems.add(position, f"what {draft.name} gets does not fit input_type: {wrong}")
