"""The graph of what a run has asked for is bounded, whatever its journal has."""

from __future__ import annotations

from holdfast.core.journal import StepRecord, TaskAsked, TaskHeard
from holdfast.core.journal_graphs import graph_of_walk, walk_steps
from holdfast.core.run_graphs import MOST_NODES
from holdfast.core.values import Instant


def test_steps_with_thousands_of_names_keep_few_edges():
    many = 3_000
    steps = [
        StepRecord(Instant(step), heard, tuple(TaskAsked(seq, f"task {seq}") for seq in asked))
        for step, heard, asked in (
            (1, (), range(many)),
            (2, tuple(map(TaskHeard, range(many))), range(many, 2 * many)),
        )
    ]

    walk = walk_steps(steps, ())
    found = graph_of_walk("wide", walk, (), has_all_steps=True)

    assert len(walk.nodes) == 2 * many
    assert len(walk.edges) < 10 * MOST_NODES, "and not nine million"
    assert len(found.graph.nodes) == MOST_NODES
    assert not found.is_all


def test_edges_between_the_first_nodes_are_kept():
    asked = tuple(TaskAsked(seq, f"task {seq}") for seq in range(20))
    steps = [
        StepRecord(Instant(1), (), asked),
        StepRecord(Instant(2), tuple(map(TaskHeard, range(20))), (TaskAsked(20, "last"),)),
    ]

    found = graph_of_walk("few", walk_steps(steps, ()), (), has_all_steps=True)

    assert [(edge.source, edge.target) for edge in found.graph.edges] == [
        (f"task:task {number}", "task:last") for number in range(20)
    ]
    assert found.is_all
