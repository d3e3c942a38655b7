"""Metrics in the form that Prometheus reads.

A node records up to ten thousand tasks a second, so numbers are added up here, in lists and dictionaries, and
`prometheus_client` only writes them down when somebody asks. Labels are bounded: so many workflows and queues
have a name, and the others are `other`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from holdfast.ports.telemetry import CommitFacts, Gauge

MOST_NAMES: Final = 200
OTHER: Final = "other"

_SECOND: Final = 1_000_000
_TASK_BOUNDS: Final = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 60.0, 300.0, 1800.0, 7200.0)
_RUN_BOUNDS: Final = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 60.0, 600.0, 3600.0, 86_400.0, 604_800.0)
_SHORT_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_BYTE_BOUNDS: Final = (1e3, 1e4, 1e5, 1e6, 8e6, 64e6)

Labels: TypeAlias = tuple[str, ...]


class Metrics:
    """The telemetry of one node. It belongs to one event loop."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._workflows = _Names()
        self._queues = _Names()
        self._runs_begun = _Counts("holdfast_runs_begun", "Runs that took their first step.", "workflow")
        self._runs_ended = _Counts("holdfast_runs_ended", "Runs that ended.", "workflow", "status")
        self._runs_parked = _Counts(
            "holdfast_runs_parked", "Times that a run could not go on with its code.", "workflow"
        )
        self._tasks_ended = _Counts("holdfast_tasks_ended", "Tasks that ended.", "workflow", "status")
        self._retries = _Counts(
            "holdfast_task_retries", "Attempts that are made because another was in vain.", "workflow"
        )
        self._runs_lost = _Counts("holdfast_runs_lost", "Runs that another node took from this one.")
        self._leases_lost = _Counts("holdfast_lease_losses", "Times that the lease of the node ran out.")
        self._run_times = _Times(
            "holdfast_run_seconds", "From the start of a run to its end.", _RUN_BOUNDS, "workflow"
        )
        self._task_times = _Times(
            "holdfast_task_seconds", "The last attempt at a task, while it ran.", _TASK_BOUNDS, "workflow"
        )
        self._waits = _Times(
            "holdfast_task_wait_seconds", "An attempt, before it had a slot.", _TASK_BOUNDS, "queue"
        )
        self._replays = _Times(
            "holdfast_replay_seconds",
            "From the claim of a run with a history until it went on.",
            _TASK_BOUNDS,
        )
        self._delays = _Times(
            "holdfast_wakeup_delay_seconds", "How late the first due timer of a tick was.", _SHORT_BOUNDS
        )
        self._commits = _Times("holdfast_commit_seconds", "Commits, with all tries.", _SHORT_BOUNDS)
        self._commit_sizes = _Times("holdfast_commit_bytes", "Payloads of a commit.", _BYTE_BOUNDS, unit=1)
        for each in (self._runs_lost, self._leases_lost):
            each.add((), 0)

    def committed(self, facts: CommitFacts) -> None:
        workflow_of = self._workflows.bounded
        self._commits.add((), [round(facts.seconds * _SECOND)])
        self._commit_sizes.add((), [facts.bytes])
        for task, times in facts.tasks.items():
            workflow = workflow_of(task.workflow)
            self._tasks_ended.add((workflow, task.status.value), times.count)
            self._task_times.add((workflow,), times.ran)
            self._waits.add((self._queues.bounded(task.queue),), times.waited)
        for run, run_times in facts.ended.items():
            workflow = workflow_of(run.workflow)
            self._runs_ended.add((workflow, run.status.value), len(run_times))
            self._run_times.add((workflow,), run_times)
        for counts, numbers in (
            (self._runs_begun, facts.begun),
            (self._runs_parked, facts.parked),
            (self._retries, facts.retries),
        ):
            for name, number in numbers.items():
                counts.add((workflow_of(name),), number)
        if facts.replays:
            self._replays.add((), facts.replays)
        if facts.overdue is not None:
            self._delays.add((), [facts.overdue])
        if facts.lost_runs:
            self._runs_lost.add((), facts.lost_runs)
        if facts.lost_lease:
            self._leases_lost.add((), 1)

    def prepare(self, gauges: Sequence[Gauge], *, with_node: bool) -> Callable[[], bytes]:
        """As in `MetricsText`."""
        families = _gauge_families(gauges)
        if with_node:
            families += [it.family() for it in vars(self).values() if isinstance(it, _Counts | _Times)]
        return lambda: _written(families)


def _gauge_families(gauges: Iterable[Gauge]) -> list[Metric]:
    families: list[Metric] = []
    for gauge in gauges:
        family = GaugeMetricFamily(gauge.name, gauge.help, labels=gauge.labels)
        for labels, value in gauge.values.items():
            family.add_metric(labels, value)
        families.append(family)
    return families


def _written(families: Sequence[Metric]) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Snapshot(families))
    return generate_latest(registry)


class _Snapshot(Collector):
    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        return iter(self._families)


class _Names:
    """The first names that come. A label for each of a million names would fill the memory here and there."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def bounded(self, name: str) -> str:
        if name in self._known:
            return name
        if len(self._known) >= MOST_NAMES:
            return OTHER
        self._known.add(name)
        return name


class _Counts:
    def __init__(self, name: str, help: str, *labels: str) -> None:
        self._name, self._help, self._labels = name, help, labels
        self._values: dict[Labels, int] = {}

    def add(self, labels: Labels, number: int) -> None:
        self._values[labels] = self._values.get(labels, 0) + number

    def family(self) -> Metric:
        family = CounterMetricFamily(self._name, self._help, labels=self._labels)
        for labels, value in self._values.items():
            family.add_metric(labels, value)
        return family


class _Buckets:
    __slots__ = ("counts", "sum")

    def __init__(self, size: int) -> None:
        self.counts = [0] * size
        self.sum = 0


class _Times:
    """A histogram for each value of the labels."""

    def __init__(
        self, name: str, help: str, bounds: Sequence[float], *labels: str, unit: int = _SECOND
    ) -> None:
        self._name, self._help, self._labels = name, help, labels
        self._unit = unit
        self._bounds = [round(bound * unit) for bound in bounds]
        self._words = [*map(str, bounds), "+Inf"]
        self._values: dict[Labels, _Buckets] = {}

    def add(self, labels: Labels, numbers: Sequence[int]) -> None:
        found = self._values.get(labels)
        if found is None:
            if not numbers:
                return
            found = self._values[labels] = _Buckets(len(self._words))
        counts, bounds = found.counts, self._bounds
        found.sum += sum(numbers)
        if len(numbers) < len(bounds):
            for number in numbers:
                counts[bisect_left(bounds, number)] += 1
            return
        ordered = sorted(numbers)  # a search for each bound instead of each number
        below = 0
        for place, bound in enumerate(bounds):
            upto = bisect_right(ordered, bound, below)
            counts[place] += upto - below
            below = upto
        counts[-1] += len(ordered) - below

    def family(self) -> Metric:
        family = HistogramMetricFamily(self._name, self._help, labels=self._labels)
        for labels, buckets in self._values.items():
            total = 0
            sizes: list[tuple[str, float]] = []
            for word, count in zip(self._words, buckets.counts, strict=True):
                total += count
                sizes.append((word, total))
            family.add_metric(labels, sizes, sum_value=buckets.sum / self._unit)
        return family
