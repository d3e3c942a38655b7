"""The graph of a run: what became of each node.

A DAG or a flow has the graph of its version. Code has none; its graph is read from the journal
(`journal_graphs`). Either way the rows of the tasks, counted by name and state, say what became of a node.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from holdfast.core.graphs import Graph, GraphLayout
from holdfast.core.journal import ReopenedHeard, Requested, StepRecord, TaskAsked, TaskOpened, TaskRecorded
from holdfast.core.values import Instant, RunStatus, TaskStatus, moment

MOST_NODES: Final = 200
MOST_STEPS: Final = 5_000

_BY_WEIGHT: Final = (
    TaskStatus.FAILED,
    TaskStatus.RUNNING,
    TaskStatus.DISPATCHED,
    TaskStatus.PENDING,
    TaskStatus.CANCELLED,
    TaskStatus.SUCCESS,
    TaskStatus.SKIPPED,
)
_BRANCHES: Final = ("/branch", "/item")
"""How the names of tasks end that are branches of a node of a flow."""


class TaskTally(NamedTuple):
    """The tasks of a run that have one name and one state."""

    name: str
    status: TaskStatus
    tasks: int
    """How many."""
    retried: int
    """How many of them have had more than one attempt."""
    attempts: int
    """The most attempts at one of them."""
    first_seq: int
    last_seq: int
    asked_at: Instant
    began_at: Instant | None
    """When the first of them began."""
    ended_at: Instant | None
    """When the last of them ended."""


class TaskStates(msgspec.Struct, frozen=True, kw_only=True):
    """How many tasks are in each state."""

    pending: int = 0
    dispatched: int = 0
    running: int = 0
    success: int = 0
    failed: int = 0
    skipped: int = 0
    cancelled: int = 0


class NodeState(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """Of the node in the graph."""
    name: str
    """Of its tasks; of a child, its workflow."""
    state: TaskStatus
    """Of a node that is done once, or visited again: that of its last task. Otherwise the worst of its
    tasks."""
    states: TaskStates
    count: int
    asked_at: dt.datetime | None = None
    began_at: dt.datetime | None = None
    ended_at: dt.datetime | None = None
    """None: it has not ended."""
    first_seq: int | None = None
    """The number of its first task. None: it has no tasks."""
    attempts: int = 0
    """The most attempts at one of its tasks."""
    note: str = ""
    """A few words, such as `2 attempts`."""


class RunGraph(msgspec.Struct, frozen=True, kw_only=True):
    """The graph of a run, with what became of each node."""

    source: Literal["definition", "journal"]
    """Where the graph is from: the version of the workflow, or what the run has asked for so far."""
    version: str
    graph: Graph
    layout: GraphLayout
    nodes: list[NodeState]
    """In the order of the graph."""
    edges_taken: list[tuple[str, str]]
    """Source and target of each edge that the run has gone along."""
    steps_read: int
    """So many steps of the journal were looked at, the first ones."""
    is_all: bool
    """False: there are more steps than were looked at, or more nodes than are shown."""


def node_state(
    id: str, name: str, tallies: Sequence[TaskTally], state: TaskStatus, note: str = ""
) -> NodeState:
    """`state` stands for the tallies as a whole."""
    counts: Counter[TaskStatus] = Counter()
    for tally in tallies:
        counts[tally.status] += tally.tasks
    count = sum(counts.values())
    began = [tally.began_at for tally in tallies if tally.began_at is not None]
    ended = [tally.ended_at for tally in tallies if tally.ended_at is not None]
    attempts = max((tally.attempts for tally in tallies), default=0)
    retried = sum(tally.retried for tally in tallies)
    if retried:
        tried = f"{attempts} attempts" if count == 1 else f"{retried:,} of {count:,} retried"
        note = f"{note}; {tried}" if note else tried
    return NodeState(
        id=id,
        name=name,
        state=state,
        states=TaskStates(**{status.value: counts[status] for status in TaskStatus}),
        count=count,
        asked_at=moment(min(tally.asked_at for tally in tallies)) if tallies else None,
        began_at=moment(min(began)) if began else None,
        ended_at=moment(max(ended)) if ended and state.is_final else None,
        first_seq=min((tally.first_seq for tally in tallies), default=None),
        attempts=attempts,
        note=note,
    )


def worst_of(tallies: Iterable[TaskTally]) -> TaskStatus:
    found = {tally.status for tally in tallies}
    return next((status for status in _BY_WEIGHT if status in found), TaskStatus.PENDING)


def last_of(tallies: Iterable[TaskTally]) -> TaskStatus:
    """The state of the newest task."""
    return max(tallies, key=lambda tally: tally.last_seq).status


def tallies_by_name(tallies: Iterable[TaskTally]) -> dict[str, list[TaskTally]]:
    """In the order in which the run first asked for each name."""
    found: dict[str, list[TaskTally]] = {}
    for tally in sorted(tallies, key=lambda tally: tally.first_seq):
        found.setdefault(tally.name, []).append(tally)
    return found


# --- DAGs and flows


def states_of_definition(
    graph: Graph, tallies: Iterable[TaskTally], status: RunStatus
) -> dict[str, NodeState]:
    """The state of every node, by id. `status` is that of the run."""
    own: dict[str, list[TaskTally]] = {node.id: [] for node in graph.nodes}
    branches: dict[str, list[TaskTally]] = {}
    for name, some in tallies_by_name(tallies).items():
        node = next((name.removesuffix(ending) for ending in _BRANCHES if name.endswith(ending)), name)
        if name in own:
            own[name] += some
        elif node in own:
            branches[node] = some
    found: dict[str, NodeState] = {}
    for node in graph.nodes:
        visits, items = own[node.id], branches.get(node.id, [])
        if not visits and not items:
            is_passed = status is RunStatus.SUCCESS
            state = TaskStatus.SKIPPED if is_passed else TaskStatus.PENDING
        elif node.is_repeated:
            state = _of_items(visits, status)
        else:
            state = last_of(visits or items)
        shown = items or visits
        note = node.notes[0] if node.is_repeated and node.notes else ""
        found[node.id] = node_state(node.id, shown[0].name if shown else node.id, shown, state, note)
    return found


def _of_items(tallies: Sequence[TaskTally], status: RunStatus) -> TaskStatus:
    """A retry leaves the rows of items that were skipped or cancelled before it. They count no more once the
    run has succeeded."""
    has_succeeded = any(tally.status is TaskStatus.SUCCESS for tally in tallies)
    return TaskStatus.SUCCESS if status is RunStatus.SUCCESS and has_succeeded else worst_of(tallies)


def edges_done(graph: Graph, states: Mapping[str, NodeState]) -> list[tuple[str, str]]:
    """The edges of a DAG that a run has gone along: both ends were done, or the second is being done."""
    return [
        (edge.source, edge.target)
        for edge in graph.edges
        if states[edge.source].state.is_final
        and states[edge.source].state is not TaskStatus.SKIPPED
        and states[edge.target].count
        and states[edge.target].state is not TaskStatus.SKIPPED
    ]


class FlowVisits:
    """Which edges of a flow a run has gone along: its steps have every visit, in order."""

    def __init__(self, graph: Graph) -> None:
        self._parents = {node.id: node.parent for node in graph.nodes}
        self._edges = {(edge.source, edge.target) for edge in graph.edges}
        self._last: dict[str | None, str] = {}
        """The node that was visited last inside of each node; None: in the outermost flow."""
        self._opened: set[int] = set()
        self.taken: dict[tuple[str, str], None] = {}

    def add(self, step: StepRecord) -> None:
        if any(isinstance(heard, ReopenedHeard) for heard in step.heard):
            # A retry visits the last node again. It does not go along an edge for that.
            self._last.clear()
        for asked in step.asked:
            node = self._visited(asked)
            if node is not None:
                self._go_to(node)

    def _visited(self, asked: Requested) -> str | None:
        match asked:
            case TaskAsked():
                pass
            case TaskOpened():
                self._opened.add(asked.seq)
            case TaskRecorded():
                if asked.seq in self._opened:
                    return None  # the end of a visit that is known
            case _:
                return None
        return asked.name if asked.name in self._parents else None

    def _go_to(self, node: str) -> None:
        parent = self._parents[node]
        before = self._last.get(parent)
        if before is not None and (before, node) in self._edges:
            self.taken[before, node] = None
        self._last[parent] = node
        self._last.pop(node, None)  # what is inside of it begins at its start
