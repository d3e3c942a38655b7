"""The span of an attempt, in a process that the node has started for the Python functions of its tasks.

The node knows these by their names only (`IN_SPAN`, `IN_EXPORTED_SPAN`): it is another process that imports
them.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from opentelemetry import trace as otel

from holdfast.telemetry.remote_parent import entered

IN_SPAN: Final = "holdfast.telemetry.other_processes:in_span"
IN_EXPORTED_SPAN: Final = "holdfast.telemetry.other_processes:in_exported_span"
_FLUSH_MILLISECONDS: Final = 2_000
"""How long the end of a call waits for the exporter that the code of the task has set up."""


@contextmanager
def in_span(traceparent: str, tracestate: str) -> Generator[None]:
    """The span is the current one. At the end, what was recorded is sent: the process may be ended any time
    after that."""
    try:
        with entered(traceparent, tracestate):
            yield
    finally:
        flush = getattr(otel.get_tracer_provider(), "force_flush", None)  # the API alone has none
        if flush is not None:
            flush(_FLUSH_MILLISECONDS)


@contextmanager
def in_exported_span(traceparent: str, tracestate: str) -> Generator[None]:
    """As `in_span`. Spans are exported as the node exports its own, if the program sets up nothing else."""
    from holdfast.telemetry.exporting import export_at_flush

    export_at_flush()
    with in_span(traceparent, tracestate):
        yield
