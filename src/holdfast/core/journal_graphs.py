"""A graph of what a run of code has asked for, read from its journal without the code.

The nodes are names: of tasks, of workflows that it called, of questions, signals and timers. What a run has
heard since it last asked for something led to what it asks for next. So `gather(a, b)` and then `c` gives
a -> c and b -> c, and two chains side by side stay apart unless both go on in the same step.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from holdfast.core.events import MessageId
from holdfast.core.graphs import Graph, GraphEdge, GraphNode
from holdfast.core.history import steps_that_count
from holdfast.core.journal import (
    ChildAsked,
    ChildCancelAsked,
    ChildHeard,
    Heard,
    MessageAsked,
    MessageHeard,
    QuestionAsked,
    QuestionClosed,
    Requested,
    StateAsked,
    StepAsked,
    StepRecord,
    TaskAsked,
    TaskHeard,
    TaskOpened,
    TaskRecorded,
    TimerAsked,
    TimerCancelAsked,
    TimerHeard,
)
from holdfast.core.names import written_span
from holdfast.core.records import MessageKind
from holdfast.core.run_graphs import (
    MOST_NODES,
    NodeState,
    TaskTally,
    last_of,
    node_state,
    tallies_by_name,
    worst_of,
)
from holdfast.core.values import Instant, TaskStatus
from holdfast.core.waiting import WaitKind

_MOST_EDGES: Final = 1_000
_MOST_TIMERS: Final = 10
"""If there are more lengths of timers, all timers are one node."""


class HeardMessage(NamedTuple):
    """What is needed of a message to know which wait it ended."""

    id: MessageId
    kind: MessageKind
    name: str
    question: int | None


class JournalGraph(NamedTuple):
    graph: Graph
    states: list[NodeState]
    """In the order of the nodes."""
    is_all: bool
    """Whether every node and edge is there."""


def walk_steps(
    steps: Sequence[StepRecord], messages: Iterable[HeardMessage], ended_at: Instant | None = None
) -> StepWalk:
    """`steps` are the first ones of the run. `ended_at` is when it ended; what it had asked for and not heard
    by then is cancelled."""
    counted = [step for _, step in steps_that_count(list(steps))]
    walk = StepWalk(counted, {message.id: message for message in messages})
    for step in counted:
        walk.add(step)
    if ended_at is not None:
        walk.end(ended_at)
    return walk


def graph_of_walk(
    name: str, walk: StepWalk, tallies: Iterable[TaskTally], *, has_all_steps: bool
) -> JournalGraph:
    """`tallies` count all tasks of the run. A name that is only there is of steps that were not read, or, if
    all were, of one that was written since."""
    by_name = tallies_by_name(tallies)
    for each in () if has_all_steps else by_name:
        walk.nodes.setdefault(f"task:{each}", _Node("task", each))
    shown = dict(list(walk.nodes.items())[:MOST_NODES])
    edges = [edge for edge in walk.edges if edge[0] in shown and edge[1] in shown]
    graph = Graph(
        name=name,
        noun="node",
        direction="down",
        nodes=tuple(
            GraphNode(
                id=id, title=node.title, kind=node.kind, work=node.work, is_repeated=_count(node, by_name) > 1
            )
            for id, node in shown.items()
        ),
        edges=tuple(GraphEdge(*edge) for edge in edges[:_MOST_EDGES]),
    )
    states = [_state(id, node, by_name) for id, node in shown.items()]
    is_all = len(shown) == len(walk.nodes) and len(edges) <= _MOST_EDGES
    return JournalGraph(graph, states, is_all)


class _Asked(NamedTuple):
    """Something that is no task: a child, a question, a signal, a timer."""

    status: TaskStatus
    asked_at: Instant
    ended_at: Instant | None = None


class _Node:
    def __init__(self, kind: str, title: str, work: str = "") -> None:
        self.kind = kind
        self.title = title
        self.work = work
        self.asked: dict[int, _Asked] = {}
        """By number. A task is not here: its row says what became of it."""
        self.next_number = 0
        self.waiting: list[int] = []
        """The numbers of signals that have not come."""

    @property
    def is_task(self) -> bool:
        return self.kind in ("task", "step")


def _count(node: _Node, tallies: Mapping[str, Sequence[TaskTally]]) -> int:
    return sum(tally.tasks for tally in tallies.get(node.title, ())) if node.is_task else len(node.asked)


def _state(id: str, node: _Node, tallies: Mapping[str, Sequence[TaskTally]]) -> NodeState:
    some = tallies.get(node.title, ()) if node.is_task else _tallies_of(node)
    if not some:
        return node_state(id, node.title, (), TaskStatus.PENDING)
    # Tasks of one name in code may follow each other, or be side by side. A failed one that was tried anew by
    # the code is shown as failed: only the code knows.
    state = worst_of(some) if sum(tally.tasks for tally in some) > 1 else last_of(some)
    return node_state(id, node.title, some, state)


def _tallies_of(node: _Node) -> list[TaskTally]:
    return [
        TaskTally(
            node.title, it.status, 1, 0, 1, number, number, it.asked_at, it.asked_at, it.ended_at
        )
        for number, it in node.asked.items()
    ]  # fmt: skip


class StepWalk:
    """What the steps have asked for and heard."""

    def __init__(self, steps: Sequence[StepRecord], messages: Mapping[MessageId, HeardMessage]) -> None:
        self.nodes: dict[str, _Node] = {}
        self.edges: dict[tuple[str, str], None] = {}
        """Between nodes that are shown, and not many more than that are."""
        self._shown: set[str] = set()
        self._messages = messages
        self._tasks: dict[int, str] = {}
        self._task_nodes: dict[str, str] = {}
        """By the name of the task."""
        self._children: dict[int, str] = {}
        self._questions: dict[int, str] = {}
        self._timers: dict[int, str] = {}
        self._opened: set[int] = set()
        self._heard: dict[str, None] = {}
        """The nodes that were heard since something was asked for."""
        self._shown_timers, self._has_one_timer = _timers_to_show(steps)

    def add(self, step: StepRecord) -> None:
        at, tasks, seen = step.at, self._tasks, self._heard
        new: dict[str, None] = {}
        # A step may have thousands of tasks and changes of state, and little else. So these come first.
        for heard in step.heard:
            node = tasks.get(heard.seq) if type(heard) is TaskHeard else self._hear(heard, at)
            if node is not None:
                seen[node] = None
        for asked in step.requests():
            if type(asked) is StateAsked:
                continue
            node = self._ask_task(asked) if type(asked) is TaskAsked else self._ask(asked, at)
            if node is not None:
                new[node] = None
        self._link(self._heard, new)
        if new:
            self._heard.clear()

    def _link(self, sources: Iterable[str], targets: Iterable[str]) -> None:
        """A step may hear of thousands of names and ask for as many, so only shown edges are kept."""
        shown = [source for source in sources if source in self._shown]
        for target in targets:
            if target not in self._shown:
                continue
            if len(self.edges) > _MOST_EDGES:
                return
            self.edges |= {(source, target): None for source in shown if source != target}

    def end(self, at: Instant) -> None:
        for node in self.nodes.values():
            for number, asked in node.asked.items():
                if not asked.status.is_final:
                    node.asked[number] = _Asked(TaskStatus.CANCELLED, asked.asked_at, at)

    def _node(self, kind: str, name: str, work: str = "", key: str | None = None) -> str:
        """The id of a node, which is added if it is new."""
        id = f"{'task' if kind == 'step' else kind}:{name if key is None else key}"
        if id not in self.nodes:
            self.nodes[id] = _Node(kind, name, work)
            if len(self.nodes) <= MOST_NODES:
                self._shown.add(id)
        return id

    # --- what it asks for

    def _ask(self, asked: Requested | MessageAsked, at: Instant) -> str | None:
        match asked:
            case TaskAsked():
                return self._ask_task(asked)
            case TaskOpened():
                self._opened.add(asked.seq)
                self._tasks[asked.seq] = self._node("task", asked.name)
                return self._tasks[asked.seq]
            case TaskRecorded():
                return None if asked.seq in self._opened else self._node("task", asked.name)
            case ChildAsked():
                return self._open(self._children, asked.seq, self._node("child", asked.workflow), at)
            case QuestionAsked():
                return self._open(self._questions, asked.seq, self._node("promise", asked.name), at)
            case TimerAsked():
                return self._start_timer(asked, at)
            case MessageAsked():
                return self._expect(asked, at)
            case QuestionClosed():
                self._close(asked.seq, at)
            case ChildCancelAsked():
                self._end(self._children, asked.seq, TaskStatus.CANCELLED, at)
            case TimerCancelAsked():
                self._end(self._timers, asked.seq, TaskStatus.CANCELLED, at)
            case _:
                pass
        return None

    def _ask_task(self, asked: TaskAsked) -> str:
        node = self._task_nodes.get(asked.name)
        if node is None:
            kind = "step" if isinstance(asked, StepAsked) else "task"
            node = self._task_nodes[asked.name] = self._node(kind, asked.name)
        self._tasks[asked.seq] = node
        return node

    def _open(self, known: dict[int, str], number: int, node: str, at: Instant) -> str:
        known[number] = node
        self.nodes[node].asked[number] = _Asked(TaskStatus.RUNNING, at)
        return node

    def _close(self, number: int, at: Instant) -> None:
        """A question that is closed in the step that asked it was answered before."""
        node = self._questions.get(number)
        is_answered = node is not None and self.nodes[node].asked[number].asked_at == at
        self._end(self._questions, number, TaskStatus.SUCCESS if is_answered else TaskStatus.CANCELLED, at)

    def _start_timer(self, asked: TimerAsked, at: Instant) -> str | None:
        if asked.seq not in self._shown_timers:
            return None
        length = "" if self._has_one_timer else _length(asked, at)
        return self._open(self._timers, asked.seq, self._node("timer", "timer", length, key=length), at)

    def _expect(self, asked: MessageAsked, at: Instant) -> str | None:
        if asked.kind is not WaitKind.SIGNAL:
            return None  # a promise that it asks for again: its question is known
        node = self._node("signal", asked.name)
        seen = self.nodes[node]
        seen.asked[seen.next_number] = _Asked(TaskStatus.RUNNING, at)
        seen.waiting.append(seen.next_number)
        seen.next_number += 1
        return node

    # --- what it hears

    def _hear(self, heard: Heard, at: Instant) -> str | None:
        match heard:
            case TaskHeard():
                return self._tasks.get(heard.seq)
            case ChildHeard():
                status = TaskStatus.FAILED if heard.has_failed else TaskStatus.SUCCESS
                return self._end(self._children, heard.seq, status, at)
            case TimerHeard():
                return self._end(self._timers, heard.seq, TaskStatus.SUCCESS, at)
            case MessageHeard():
                return self._receive(self._messages.get(heard.message), at)
            case _:
                return None

    def _end(self, known: Mapping[int, str], number: int, status: TaskStatus, at: Instant) -> str | None:
        node = known.get(number)
        if node is not None:
            before = self.nodes[node].asked[number]
            if not before.status.is_final:
                self.nodes[node].asked[number] = _Asked(status, before.asked_at, at)
        return node

    def _receive(self, message: HeardMessage | None, at: Instant) -> str | None:
        if message is None:
            return None
        if message.kind in (MessageKind.RESOLVED, MessageKind.REJECTED):
            if message.question is None:
                return None  # it came ahead of the question, which closes when it is asked
            status = TaskStatus.SUCCESS if message.kind is MessageKind.RESOLVED else TaskStatus.FAILED
            return self._end(self._questions, message.question, status, at)
        if message.kind is not MessageKind.SIGNAL:
            return None
        node = f"signal:{message.name}"
        seen = self.nodes.get(node)
        if seen is None:
            return None  # it has not asked for it yet
        if seen.waiting:
            number = seen.waiting.pop(0)
            seen.asked[number] = _Asked(TaskStatus.SUCCESS, seen.asked[number].asked_at, at)
        return node


def _timers_to_show(steps: Sequence[StepRecord]) -> tuple[set[int], bool]:
    """The numbers of timers that are more than an unused timeout, and whether they are one node. A timer
    counts if it has fired, or if it is open and was set in a step that asked for nothing else."""
    lengths: dict[int, str] = {}
    fired: set[int] = set()
    alone: set[int] = set()
    cancelled: set[int] = set()
    for step in steps:
        requests = step.requests()
        if _TIMERS.isdisjoint(map(type, step.heard)) and _TIMERS.isdisjoint(map(type, requests)):
            continue
        fired.update(heard.seq for heard in step.heard if isinstance(heard, TimerHeard))
        timers = [asked for asked in requests if isinstance(asked, TimerAsked)]
        lengths.update((timer.seq, _length(timer, step.at)) for timer in timers)
        cancelled.update(asked.seq for asked in requests if isinstance(asked, TimerCancelAsked))
        if timers and not any(isinstance(asked, _OTHER_WAITS) for asked in requests):
            alone.update(timer.seq for timer in timers)
    shown = fired | (alone - cancelled)
    return shown, len({lengths[seq] for seq in shown if seq in lengths}) > _MOST_TIMERS


_TIMERS: Final[frozenset[type]] = frozenset({TimerAsked, TimerCancelAsked, TimerHeard})
_OTHER_WAITS: Final = (TaskAsked, ChildAsked, QuestionAsked, MessageAsked)


def _length(timer: TimerAsked, at: Instant) -> str:
    """How long it takes, in whole seconds if it takes longer than one."""
    span = dt.timedelta(microseconds=max(timer.due - at, 0))
    if span > dt.timedelta(seconds=1):
        span = dt.timedelta(seconds=round(span.total_seconds()))
    return written_span(span)
