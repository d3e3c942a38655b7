"""The graph of a run: `hf.graph`. It reads a limited part of the journal, and the tasks summed up."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable
from typing import Any, Final, NamedTuple

from holdfast.client.run import Run
from holdfast.client.run_filters import instant_at
from holdfast.client.run_reading import RunReading
from holdfast.core.graphs import Graph, GraphLayout
from holdfast.core.journal import StepRecord, read_step
from holdfast.core.journal_graphs import HeardMessage, StepWalk, graph_of_walk, walk_steps
from holdfast.core.records import Definition, RunRecord
from holdfast.core.run_graphs import (
    MOST_NODES,
    MOST_STEPS,
    FlowVisits,
    RunGraph,
    TaskTally,
    edges_done,
    states_of_definition,
)
from holdfast.core.values import Instant, RunKey, RunStatus, TaskStatus
from holdfast.errors import BadDocument, JournalCorrupt

_BYTES: Final = 8 * 1024 * 1024
_MOST_TALLIES: Final = 2 * MOST_NODES * len(TaskStatus)


class _Steps(NamedTuple):
    read: list[tuple[int, bytes]]
    is_all: bool


class RunGraphs(RunReading):
    """The part of a client that draws runs."""

    async def graph(self, run: Run[Any] | str, *, at: dt.datetime | None = None) -> RunGraph:
        """The graph of a run, with what became of each node, and where it is drawn. With `at`, as it was
        then.

        A DAG or a flow has the graph of its version. That of code is made of what it asked for: tasks,
        children, questions, signals and timers. Up to 5,000 steps are read for it, and 200 nodes are shown.
        """
        record = await self._find(run)
        then = instant_at("at", at)
        found = await self._store.find_definitions(self.namespace, [(record.workflow, record.version)])
        drawn = await self._drawn(found[0]) if found else None
        if drawn is None:
            return await self._graph_of_code(record, then)
        tallies = await self._tally(record, then)
        if not any(node.is_start for node in drawn[0].nodes):
            return await asyncio.to_thread(_graph_of_dag, record, *drawn, tallies, then)
        steps = await self._first_steps(record.key)
        return await asyncio.to_thread(_graph_of_flow, record, *drawn, tallies, steps, then)

    async def _graph_of_code(self, record: RunRecord, then: Instant | None) -> RunGraph:
        # All are asked for at once: the steps are walked while the database counts.
        reading = asyncio.gather(
            self._first_steps(record.key),
            self._store.list_heard_messages(self.namespace, record.key, MOST_STEPS),
        )
        (walked, steps_read, has_all), tallies = await asyncio.gather(
            _walk(record, reading, then), self._tally(record, then)
        )

        def draw() -> RunGraph:
            made = graph_of_walk(record.workflow, walked, tallies, has_all_steps=has_all)
            return RunGraph(
                source="journal",
                version=record.version,
                graph=made.graph,
                layout=self._workflows.reader.lay_out(made.graph),
                nodes=made.states,
                edges_taken=[(edge.source, edge.target) for edge in made.graph.edges],
                steps_read=steps_read,
                is_all=made.is_all and has_all and len(tallies) < _MOST_TALLIES,
            )

        # In a thread: the layout would hold up the event loop, as thousands of steps would.
        return await asyncio.to_thread(draw)

    async def _tally(self, record: RunRecord, at: Instant | None) -> list[TaskTally]:
        return await self._store.tally_tasks(self.namespace, record.key, at, _MOST_TALLIES)

    async def _drawn(self, definition: Definition) -> tuple[Graph, GraphLayout] | None:
        try:
            return await asyncio.to_thread(self._workflows.reader.graph, definition)
        except BadDocument:  # of a later release
            return None

    async def _first_steps(self, run: RunKey) -> _Steps:
        found = await self._store.read_steps(run, 0, MOST_STEPS + 1, _BYTES)
        size = sum(len(step) for _, step in found)
        return _Steps(found[:MOST_STEPS], len(found) <= MOST_STEPS and size < _BYTES)


async def _walk(
    record: RunRecord, reading: Awaitable[tuple[_Steps, list[HeardMessage]]], then: Instant | None
) -> tuple[StepWalk, int, bool]:
    """Also how many steps were walked, and whether these are all."""
    steps, messages = await reading

    def walk() -> tuple[StepWalk, int, bool]:
        read, is_read = _read(steps.read, then)
        has_all = is_read and steps.is_all
        # A child that was not read may have ended well: of a part nothing is known of its end.
        ended_at = _end_of(record, then) if has_all else None
        return walk_steps(read, messages, ended_at), len(read), has_all

    return await asyncio.to_thread(walk)


def _read(steps: list[tuple[int, bytes]], until: Instant | None) -> tuple[list[StepRecord], bool]:
    """The steps up to that time, and whether all of them could be read."""
    read: list[StepRecord] = []
    for position, data in steps:
        try:
            step = read_step(position, data)
        except JournalCorrupt:
            return read, False
        if until is not None and step.at > until:
            break
        read.append(step)
    return read, True


def _end_of(record: RunRecord, at: Instant | None) -> Instant | None:
    """When it had ended at that time."""
    end = record.finished_at
    return end if end is not None and (at is None or end <= at) else None


def _status_then(record: RunRecord, at: Instant | None) -> RunStatus:
    return record.status if at is None or _end_of(record, at) is not None else RunStatus.RUNNING


def _graph_of_dag(
    record: RunRecord, graph: Graph, layout: GraphLayout, tallies: list[TaskTally], at: Instant | None
) -> RunGraph:
    states = states_of_definition(graph, tallies, _status_then(record, at))
    return RunGraph(
        source="definition",
        version=record.version,
        graph=graph,
        layout=layout,
        nodes=[states[node.id] for node in graph.nodes],
        edges_taken=edges_done(graph, states),
        steps_read=0,
        is_all=True,
    )


def _graph_of_flow(
    record: RunRecord,
    graph: Graph,
    layout: GraphLayout,
    tallies: list[TaskTally],
    steps: _Steps,
    at: Instant | None,
) -> RunGraph:
    states = states_of_definition(graph, tallies, _status_then(record, at))
    read, is_read = _read(steps.read, at)
    visits = FlowVisits(graph)
    for step in read:
        visits.add(step)
    return RunGraph(
        source="definition",
        version=record.version,
        graph=graph,
        layout=layout,
        nodes=[states[node.id] for node in graph.nodes],
        edges_taken=list(visits.taken),
        steps_read=len(read),
        is_all=is_read and steps.is_all,
    )
