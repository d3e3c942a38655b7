"""Spans: what a node and its clients tell a tracer, and where the code of a task finds its parent.

The port knows no library. `trace` is always a span as W3C writes it: `traceparent`, or that, a space and
`tracestate`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from holdfast.core.values import Failure, Instant, Outcome, RunStatus


class TracedRun(NamedTuple):
    """What spans say about a run."""

    id: str
    namespace: str
    workflow: str
    created_at: Instant
    trace: str
    """The span in which it was started; empty if there is none."""
    traced_at: Instant
    """When that was."""
    node: str
    """Who works on it."""


class TracedTask(NamedTuple):
    """What spans say about an attempt."""

    name: str
    id: str
    attempt: int
    queue: str
    worker: str
    """Who has made it; empty if it begins now."""
    begun_at: Instant | None
    """None: now."""


class AttemptSpan(Protocol):
    """The span of an attempt. If its run is not sampled, it is the parent that the code of the task sees."""

    def enter(self) -> None:
        """Make it the current span in the context variables of the caller, who throws them away later."""
        ...

    @property
    def trace(self) -> str: ...

    @property
    def carrier(self) -> Mapping[str, str]:
        """`traceparent` and `tracestate`, for code in another process. `tracestate` may be empty."""
        ...

    @property
    def ids(self) -> Mapping[str, str]:
        """`trace_id` and `span_id`, for log records. Empty if it is not recorded."""
        ...

    def end(self, outcome: Outcome) -> None: ...


class RunTrace(Protocol):
    """The trace to which belongs what a run does now. Kept in memory with the run."""

    @property
    def is_recorded(self) -> bool:
        """False: it is not sampled, and its attempts have no spans of their own."""
        ...

    @property
    def parent(self) -> AttemptSpan:
        """The parent of its attempts and children."""
        ...

    @property
    def traced_at(self) -> Instant:
        """When the trace began."""
        ...

    @property
    def until(self) -> Instant:
        """From then on, what the run does belongs to another trace."""
        ...

    def begin_attempt(self, task: TracedTask) -> AttemptSpan: ...

    def end_run(self, status: RunStatus, failure: Failure | None, at: Instant) -> None: ...


class NodeTracing(Protocol):
    """Called by the engine on its event loop, so neither it nor a `RunTrace` may wait or raise."""

    def unsampled(self, trace: str) -> RunTrace | None:
        """The trace of a run that was started in a span that is not sampled. It stays so as long as the run
        lasts. None: it is sampled, or there is no such span."""
        ...

    def follow(self, run: TracedRun, now: Instant, before: RunTrace | None) -> RunTrace:
        """The trace for what the run does from now on. `before` is the one that is too old by now."""
        ...


class StartTrace(NamedTuple):
    """What new runs store of the span in which they are started."""

    trace: str
    """Empty: they store nothing."""
    share: float = 1.0
    """How many of these runs are traced."""


class SendingSpan(Protocol):
    def name_run(self, id: str, trace: str) -> None:
        """Say for which run the message is, and link to the span in which that run was started."""
        ...


class ClientTracing(Protocol):
    def starting(self, workflow: str, ids: Sequence[str | None]) -> AbstractContextManager[StartTrace]:
        """A span around the start of runs."""
        ...

    def sending(
        self, what: str, names: Collection[str], runs: Sequence[str]
    ) -> AbstractContextManager[SendingSpan | None]:
        """A span around a signal or an update, or around signals to many runs. None: nobody records it."""
        ...


class TraceHeaders(Protocol):
    """For whoever sends requests, and whoever gets them."""

    def current(self) -> Mapping[str, str]:
        """The headers that name the current span. Empty if there is none."""
        ...

    def entered(self, traceparent: str, tracestate: str) -> AbstractContextManager[None]:
        """The sender's span is the current one. A header that says nothing is ignored."""
        ...


class Tracing(NodeTracing, ClientTracing, TraceHeaders, Protocol):
    """All of it, over one tracer."""
