"""Which traces are kept where holdfast sets up OpenTelemetry itself: so many new ones in a second.

A trace that somebody else has begun is kept if they keep it. A trace is kept as a whole, but for one thing:
of the runs that one call starts, no more are traced than there may be new traces.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from opentelemetry import trace as otel
from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind, TraceState

from holdfast.telemetry.tracing import RUNS, SHARE

MOST_NEW_TRACES: Final = 10
"""In a second, as in the agent of Datadog. A run of one task that is traced takes some 300 µs more of CPU
time, so 10 of them take 0.3 % of a core. On a busy node, all runs that are not traced take more than that."""

_SAMPLED_OF: Final = "holdfast.sampled_of"
_LOG_SECONDS: Final = 3600.0

_log = logging.getLogger("holdfast.tracing")


class LimitedTraces(Sampler):
    """A token bucket that holds the tokens of one second. A new trace takes one, and the start of many runs
    takes one for each run that is traced.

    There is no lock, since a fork could leave it locked. Threads that ask at the same instant may get one
    trace more.
    """

    def __init__(
        self, per_second: int = MOST_NEW_TRACES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_second
        self._clock = clock
        self._tokens = float(per_second)
        self._filled_at = clock()
        self._left_out_before = 0
        """New traces, since the last one that was kept."""
        self._left_out = 0
        """Runs, since that was logged."""
        self._log_at = self._filled_at

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Any = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        parent = otel.get_current_span(parent_context).get_span_context()
        if parent.is_valid and not parent.trace_flags.sampled:
            return SamplingResult(Decision.DROP, None, parent.trace_state)
        runs = attributes.get(RUNS, 1) if attributes else 1
        if parent.is_valid:
            added = {} if runs <= 1 else _share(max(self._take(runs), 1), runs)
            return SamplingResult(
                Decision.RECORD_AND_SAMPLE, {**(attributes or {}), **added}, parent.trace_state
            )
        kept = self._take(max(runs, 1))
        if not kept:
            self._left_out_before += 1
            return SamplingResult(Decision.DROP)
        added = _share(kept, runs)
        if self._left_out_before:
            added[_SAMPLED_OF] = self._left_out_before + 1
            self._left_out_before = 0
        return SamplingResult(Decision.RECORD_AND_SAMPLE, {**(attributes or {}), **added})

    def leaves_out(self, runs: int) -> bool:
        """Whether a new trace would not be kept now. If so, it counts as left out. To ask this is much faster
        than to make a span that is not kept."""
        if self._available(self._clock()) >= 1:
            return False
        self._left_out_before += 1
        self._take(runs)
        return True

    def get_description(self) -> str:
        return f"LimitedTraces{{{self._per_second}}}"

    def _available(self, now: float) -> float:
        return min(self._per_second, self._tokens + (now - self._filled_at) * self._per_second)

    def _take(self, wanted: int) -> int:
        now = self._clock()
        available = self._available(now)
        taken = min(wanted, int(available))
        self._tokens, self._filled_at = available - taken, now
        if taken < wanted:
            self._left_out += wanted - taken
            if now >= self._log_at:
                self._log_left_out(now)
        return taken

    def _log_left_out(self, now: float) -> None:
        _log.warning(
            "not every run is traced: at most %d new traces are kept in a second, and %d were left out. "
            "OTEL_TRACES_SAMPLER=parentbased_always_on keeps all. This is logged once an hour",
            self._per_second,
            self._left_out,
        )
        self._left_out, self._log_at = 0, now + _LOG_SECONDS


def _share(kept: int, runs: int) -> dict[str, Any]:
    return {} if kept >= runs else {SHARE: kept / runs}
