"""The histograms: many numbers at once are counted as each by itself."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.core.values import RunStatus
from holdfast.ports.telemetry import CommitFacts, RunGroup
from holdfast.telemetry.prometheus import Metrics

_BOUNDS = [round(bound * 1e6) for bound in (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600, 3600, 86_400, 604_800)]
_near_bounds = st.sampled_from([bound + off for bound in _BOUNDS for off in (-1, 0, 1)])


def _facts(times: Sequence[int]) -> CommitFacts:
    ended = {RunGroup("order", RunStatus.SUCCESS): times}
    return CommitFacts(0, 0.0, {}, {}, ended, {}, {}, 0, False, (), None)


def _histogram(metrics: Metrics) -> list[str]:
    text = metrics.prepare([], with_node=True)().decode()
    return [line for line in text.splitlines() if line.startswith("holdfast_run_seconds")]


@given(st.lists(st.integers(0, 10**12) | _near_bounds, min_size=1, max_size=60))
@example(_BOUNDS * 2)
def test_many_times_at_once_are_counted_as_each_by_itself(times: list[int]):
    together, one_by_one = Metrics(), Metrics()

    together.committed(_facts(times))
    for each in times:
        one_by_one.committed(_facts([each]))

    assert _histogram(together) == _histogram(one_by_one)
    assert f'holdfast_run_seconds_count{{workflow="order"}} {float(len(times))}' in _histogram(together)
