"""The span of whoever has sent a request, or has started this process, as the current one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from opentelemetry.context import Context, attach, detach, get_current
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_propagator = TraceContextTextMapPropagator()


def read_carrier(traceparent: str, tracestate: str, context: Context | None = None) -> Context:
    """The context with the span that the headers name as its current one. Without such, as it was."""
    headers = {"traceparent": traceparent, "tracestate": tracestate}
    return _propagator.extract(headers, get_current() if context is None else context)


@contextmanager
def entered(traceparent: str, tracestate: str) -> Generator[None]:
    """A header that says nothing is ignored."""
    token = attach(read_carrier(traceparent, tracestate))
    try:
        yield
    finally:
        detach(token)
