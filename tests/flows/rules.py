"""What must hold of every history of a flow, besides how it ends: limits, and that nothing succeeds twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tests.flows.player import node_at, place_of

from holdfast.core.history import read_steps
from holdfast.core.journal import ReopenedHeard, TaskAsked, TaskCancelAsked, TaskHeard, TaskResumed
from holdfast.core.records import History
from holdfast.core.values import TaskStatus

_BRANCHES = ("parallel", "foreach")


def broken_rules(flow: dict[str, Any], history: History, entered: Mapping[str, int]) -> Iterator[str]:
    """`entered` is how often each node was come to; what a retry does again is not counted."""
    yield from _broken_limits(flow, history)
    good = Counter(
        (record.name, place_of(record)) for record in history.tasks if record.status is TaskStatus.SUCCESS
    )
    for (name, place), times in good.items():
        path = name if place is None else name.rpartition("/")[0]
        if times > entered[path]:
            yield f"{name} [{place}] succeeded {times} times in {entered[path]} visits"


def _broken_limits(flow: dict[str, Any], history: History) -> Iterator[str]:
    """More under way at once than the flow allows, by what was asked for and had ended after each step."""
    names = {record.seq: record.name for record in history.tasks}
    under_way: dict[int, str] = {}
    for number, step in enumerate(read_steps(history)):
        for heard in step.heard:
            if isinstance(heard, TaskHeard):
                under_way.pop(heard.seq, None)
            elif isinstance(heard, ReopenedHeard):
                under_way.clear()
        for asked in step.asked:
            if isinstance(asked, TaskAsked | TaskResumed):
                under_way[asked.seq] = names[asked.seq]
            elif isinstance(asked, TaskCancelAsked):
                under_way.pop(asked.seq, None)
        counts = Counter(under_way.values())
        if len(counts) > 1:
            yield f"step {number}: more than one node works: {counts}"
        for name, count in counts.items():
            most = _most_at_once(node_at(flow, name))
            if count > (most or count):
                yield f"step {number}: {count} of {name} under way, and not {most}"


def _most_at_once(node: dict[str, Any]) -> int:
    """0: as many as there are."""
    is_concurrent = node["kind"] in _BRANCHES and node.get("parallel_mode") == "concurrent"
    return node.get("max_parallel", 0) if is_concurrent else 1
