"""Spans by OpenTelemetry. Only its API is used here: who records them, and where they go, is up to the
program, or for our commands up to `exporting.py`.

    start NAME     in the caller; the parent of what follows
      task NAME    one for each attempt, and in it whatever the code of the task opens
      run NAME     from the start of the run to its end; made at the end

A run that lasts longer than `WINDOW` goes on in other traces. Each begins with a short span `take up NAME`,
which links to the trace before. So does a run that nobody has traced when it was started, as by a schedule.

If the sampler is ours (`sampling.py`), it is asked before a span is made that it would not keep.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import secrets
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import Any, Final

from opentelemetry import trace as otel
from opentelemetry.context import Context, attach
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from holdfast.core.values import LAST_INSTANT, Cancelled, Failed, Failure, Instant, Outcome, RunStatus
from holdfast.ports.tracing import RunTrace, StartTrace, TracedRun, TracedTask
from holdfast.telemetry.remote_parent import entered, read_carrier

RUNS: Final = "holdfast.runs"
SHARE: Final = "holdfast.runs.share"
"""A sampler that lets less than all of the runs of a start be traced says so in this attribute."""

WINDOW: Final = dt.timedelta(hours=1)
"""How long one trace may go on. Back ends collect the spans of a trace for minutes or hours, and a trace of a
month cannot be drawn."""

_WINDOW_MICROSECONDS: Final = WINDOW // dt.timedelta(microseconds=1)
_MICROSECOND: Final = 1_000
"""Of the nanoseconds in which spans have their times."""
_MOST_NAMED: Final = 100
"""Ids of runs in one span."""
_LONGEST_TRACE: Final = 600
"""Characters. W3C promises 512 for `tracestate`."""
_propagator: Final = TraceContextTextMapPropagator()
_NOWHERE: Final = Context()
_LEFT_OUT: Final = f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-00"
"""The parent of everything for which our sampler keeps no new trace. Nobody sees it."""


class OpenTelemetry:
    """One for a `Holdfast`. The tracer is that of the program: `opentelemetry.trace.set_tracer_provider`."""

    def __init__(self, version: str, in_span: str = "") -> None:
        self._tracer = otel.get_tracer("holdfast", version)
        sampler = getattr(otel.get_tracer_provider(), "sampler", None)
        self._leaves_out: Callable[[int], bool] | None = getattr(sampler, "leaves_out", None)
        self.in_span = in_span
        """How processes of its tasks find their span: a name of `other_processes.py`."""

    # --- clients

    @contextmanager
    def starting(self, workflow: str, ids: Sequence[str | None]) -> Generator[StartTrace]:
        if self._leaves_out is not None and _is_untraced() and self._leaves_out(len(ids)):
            yield StartTrace(_LEFT_OUT)
            return
        attributes: dict[str, str | int] = {"holdfast.workflow": workflow, RUNS: len(ids)}
        if len(ids) == 1 and ids[0] is not None:
            attributes["holdfast.run.id"] = ids[0]
        with self._tracer.start_as_current_span(
            f"start {workflow}", kind=SpanKind.PRODUCER, attributes=attributes
        ) as span:
            added: Any = getattr(span, "attributes", None)  # a span that is not recorded has none
            yield StartTrace(_written(span.get_span_context()), added.get(SHARE, 1.0) if added else 1.0)

    @contextmanager
    def sending(
        self, what: str, names: Collection[str], runs: Sequence[str]
    ) -> Generator[_SendingSpan | None]:
        name = next(iter(names)) if len(names) == 1 else ""
        attributes: dict[str, Any] = {f"holdfast.{what}": name} if name else {}
        if len(runs) == 1:
            attributes["holdfast.run.id"] = runs[0]
        else:
            attributes["holdfast.messages"] = len(runs)
            attributes["holdfast.run.ids"] = [*dict.fromkeys(runs)][:_MOST_NAMED]
        with self._tracer.start_as_current_span(
            f"{what} {name or 'many'}", kind=SpanKind.PRODUCER, attributes=attributes
        ) as span:
            try:
                yield _SendingSpan(span) if span.is_recording() else None
            except asyncio.CancelledError:  # the SDK notes no such error, but a timeout is one
                span.set_status(Status(StatusCode.ERROR, "cancelled, or not answered in time"))
                raise

    # --- requests

    def current(self) -> Mapping[str, str]:
        headers: dict[str, str] = {}
        _propagator.inject(headers)
        return headers

    def entered(self, traceparent: str, tracestate: str) -> AbstractContextManager[None]:
        return entered(traceparent, tracestate)

    # --- nodes

    def unsampled(self, trace: str) -> RunTrace | None:
        return _unsampled(trace)

    def follow(self, run: TracedRun, now: Instant, before: RunTrace | None) -> RunTrace:
        if before is None and run.trace and run.traced_at + _WINDOW_MICROSECONDS > now:
            parent = _parent_in(run.trace)
            if parent is not None:
                return _Trace(self._tracer, run, parent, run.traced_at)
        if self._leaves_out is not None and self._leaves_out(1):
            return _Trace(self._tracer, run, _left_out(), now)
        last = run.trace if before is None else before.parent.trace
        known = [_span_context(each) for each in dict.fromkeys((run.trace, last))]
        links = [Link(each) for each in known if each.is_valid]
        span = self._tracer.start_span(
            f"take up {run.workflow}", context=_NOWHERE, attributes=_attributes(run), links=links
        )
        span.end()
        return _Trace(self._tracer, run, _Parent(otel.set_span_in_context(span, _NOWHERE)), now)


class _SendingSpan:
    __slots__ = ("_span",)

    def __init__(self, span: Span) -> None:
        self._span = span

    def name_run(self, id: str, trace: str) -> None:
        self._span.set_attribute("holdfast.run.id", id)
        started = _span_context(trace)
        if started.trace_flags.sampled:  # else there is no such span
            self._span.add_link(started)


class _Parent:
    """A span that somebody else has made, or that is not recorded."""

    __slots__ = ("context", "is_recorded", "trace")

    def __init__(self, context: Context) -> None:
        self.context = context
        found = otel.get_current_span(context).get_span_context()
        self.is_recorded = found.trace_flags.sampled
        self.trace = _written(found)

    def enter(self) -> None:
        attach(self.context)

    @property
    def carrier(self) -> Mapping[str, str]:
        traceparent, tracestate = _carrier(self.trace)
        return {"traceparent": traceparent, "tracestate": tracestate}

    @property
    def ids(self) -> Mapping[str, str]:
        return {}

    def end(self, outcome: Outcome) -> None:
        pass  # it is not ours


@lru_cache(maxsize=1024)
def _parent_in(trace: str) -> _Parent | None:
    """The span that is stored with a run. Runs that were started together have the same."""
    context = read_carrier(*_carrier(trace), context=_NOWHERE)
    is_valid = otel.get_current_span(context).get_span_context().is_valid
    return _Parent(context) if is_valid else None


@lru_cache(maxsize=1)
def _left_out() -> _Parent:
    return _Parent(read_carrier(_LEFT_OUT, "", context=_NOWHERE))


@lru_cache(maxsize=1024)
def _unsampled(trace: str) -> _Unsampled | None:
    parent = _parent_in(trace)
    return None if parent is None or parent.is_recorded else _Unsampled(parent)


class _Unsampled:
    """The trace of all runs that were started in one span that is not sampled. They have no spans."""

    is_recorded = False
    traced_at = LAST_INSTANT
    until = LAST_INSTANT

    def __init__(self, parent: _Parent) -> None:
        self.parent = parent

    def begin_attempt(self, task: TracedTask) -> _Parent:
        return self.parent

    def end_run(self, status: RunStatus, failure: Failure | None, at: Instant) -> None:
        pass


class _Trace:
    __slots__ = ("_run", "_tracer", "is_recorded", "parent", "traced_at", "until")

    def __init__(self, tracer: otel.Tracer, run: TracedRun, parent: _Parent, traced_at: Instant) -> None:
        self._tracer = tracer
        self._run = run
        self.parent = parent
        self.is_recorded = parent.is_recorded
        self.traced_at = traced_at
        self.until = Instant(traced_at + _WINDOW_MICROSECONDS)

    def begin_attempt(self, task: TracedTask) -> _AttemptSpan:
        attributes = _attributes(self._run)
        attributes["holdfast.task"] = task.name
        attributes["holdfast.task.id"] = task.id
        attributes["holdfast.attempt"] = task.attempt
        attributes["holdfast.queue"] = task.queue
        if task.worker:
            attributes["holdfast.worker"] = task.worker
        span = self._tracer.start_span(
            f"task {task.name}",
            context=self.parent.context,
            kind=SpanKind.CONSUMER,
            attributes=attributes,
            start_time=None if task.begun_at is None else task.begun_at * _MICROSECOND,
        )
        return _AttemptSpan(span)

    def end_run(self, status: RunStatus, failure: Failure | None, at: Instant) -> None:
        """A run that is older than its trace has begun in another one, so that its span is short here."""
        run = self._run
        begun = run.created_at if run.created_at >= self.traced_at else at
        attributes = _attributes(run)
        attributes["holdfast.status"] = status.value
        attributes["holdfast.run.seconds"] = (at - run.created_at) / 1_000_000
        links: Sequence[Link] = ()
        if run.trace and run.trace != self.parent.trace:
            first = _span_context(run.trace)
            links = [Link(first)] if first.is_valid else ()
        span = self._tracer.start_span(
            f"run {run.workflow}",
            context=self.parent.context,
            attributes=attributes,
            links=links,
            start_time=begun * _MICROSECOND,
        )
        if failure is not None and status is not RunStatus.CANCELLED:
            _fail(span, failure)
        span.end(max(at, begun) * _MICROSECOND)


class _AttemptSpan:
    __slots__ = ("_span",)

    def __init__(self, span: Span) -> None:
        self._span = span

    def enter(self) -> None:
        attach(otel.set_span_in_context(self._span, _NOWHERE))

    @property
    def trace(self) -> str:
        return _written(self._span.get_span_context())

    @property
    def carrier(self) -> Mapping[str, str]:
        traceparent, tracestate = _carrier(self.trace)
        return {"traceparent": traceparent, "tracestate": tracestate}

    @property
    def ids(self) -> Mapping[str, str]:
        found = self._span.get_span_context()
        return {"trace_id": f"{found.trace_id:032x}", "span_id": f"{found.span_id:016x}"}

    def end(self, outcome: Outcome) -> None:
        if isinstance(outcome, Failed):
            _fail(self._span, outcome.failure)
        elif isinstance(outcome, Cancelled):
            self._span.set_attribute("holdfast.status", "cancelled")
        self._span.end()


def _attributes(run: TracedRun) -> dict[str, str | int | float]:
    return {
        "holdfast.run.id": run.id,
        "holdfast.workflow": run.workflow,
        "holdfast.namespace": run.namespace,
        "holdfast.node": run.node,
    }


def _fail(span: Span, failure: Failure) -> None:
    """From the failure as it is stored, in which secrets are masked, and not from the exception."""
    kind = failure.type.removeprefix("builtins:").replace(":", ".")
    span.set_status(Status(StatusCode.ERROR, failure.summary))
    span.set_attribute("error.type", kind)
    event = {"exception.type": kind, "exception.message": failure.message}
    if failure.traceback:
        event["exception.stacktrace"] = failure.whole_traceback
    span.add_event("exception", event)


def _is_untraced() -> bool:
    return not otel.get_current_span().get_span_context().is_valid


def _carrier(trace: str) -> tuple[str, str]:
    traceparent, _, tracestate = trace.partition(" ")
    return traceparent, tracestate


def _span_context(trace: str) -> SpanContext:
    return otel.get_current_span(read_carrier(*_carrier(trace), context=_NOWHERE)).get_span_context()


def _written(found: SpanContext) -> str:
    if not found.is_valid:
        return ""
    traceparent = f"00-{found.trace_id:032x}-{found.span_id:016x}-{found.trace_flags:02x}"
    tracestate = found.trace_state.to_header() if found.trace_state else ""
    whole = f"{traceparent} {tracestate}"
    return whole if tracestate and len(whole) <= _LONGEST_TRACE else traceparent
