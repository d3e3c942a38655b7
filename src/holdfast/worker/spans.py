"""The span of the task that a worker is called for, if the node traces it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext


def in_span_of(headers: Mapping[str, str]) -> AbstractContextManager[None]:
    """Makes the span of the node's attempt the current one, for what is started in the block. Does nothing
    where OpenTelemetry is not installed."""
    traceparent = headers.get("traceparent")
    if traceparent is None:
        return nullcontext()
    try:
        from holdfast.telemetry.remote_parent import entered
    except ModuleNotFoundError:
        return nullcontext()
    return entered(traceparent, headers.get("tracestate", ""))
