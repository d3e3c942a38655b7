"""The span to which belongs what a worker does for a task, if the node traces it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext


def in_span_of(traceparent: str, tracestate: str) -> AbstractContextManager[None]:
    """Makes the span that the node has named the current one, for what is started in the block. Does nothing
    where OpenTelemetry is not installed."""
    if not traceparent:
        return nullcontext()
    try:
        from holdfast.telemetry.remote_parent import entered
    except ModuleNotFoundError:
        return nullcontext()
    return entered(traceparent, tracestate)
