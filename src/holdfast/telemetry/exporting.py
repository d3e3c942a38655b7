"""Sends spans to a collector, for our own commands: OTLP over HTTP, as the variables OTEL_… say.

If the program, or a module that it has loaded, has set up a provider of its own, that one is used.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from opentelemetry import trace as otel
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import Sampler

from holdfast.telemetry.sampling import LimitedTraces

_SERVICE: Final = "holdfast"
_MOST_UNSENT: Final = 2_048
"""As many as a BatchSpanProcessor keeps. Older ones are dropped."""
_FLUSH_SECONDS: Final = 2.0
"""How long the end of a call waits for a collector that does not answer."""


def export_in_background(*, is_limited: bool) -> Callable[[], None]:
    """On a thread, a batch at a time. What it returns sends the last ones, which may take seconds. With
    `is_limited`, our own sampler keeps so many new traces in a second."""
    sampler = LimitedTraces() if is_limited else None
    provider = _set_up(BatchSpanProcessor(OTLPSpanExporter()), sampler)
    return (lambda: None) if provider is None else provider.shutdown


def export_at_flush() -> None:
    """Only when somebody flushes. A process that calls functions of users must have no other threads."""
    if _is_free():
        _set_up(_Unsent())


def _set_up(processor: SpanProcessor, sampler: Sampler | None = None) -> TracerProvider | None:
    """Without a sampler, it is as OTEL_TRACES_SAMPLER says."""
    if not _is_free():
        return None
    resource = Resource.create()
    if str(resource.attributes.get(SERVICE_NAME, "")).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: _SERVICE}))
    # Not at exit: the process may have ended its threads by then, or must not wait.
    provider = TracerProvider(sampler, resource, shutdown_on_exit=False)
    provider.add_span_processor(processor)
    otel.set_tracer_provider(provider)
    return provider


def _is_free() -> bool:
    return isinstance(otel.get_tracer_provider(), otel.ProxyTracerProvider)


class _Unsent(SpanProcessor):
    def __init__(self) -> None:
        self._exporter = OTLPSpanExporter(timeout=_FLUSH_SECONDS)
        self._spans: deque[ReadableSpan] = deque(maxlen=_MOST_UNSENT)

    def on_end(self, span: ReadableSpan) -> None:
        if span.context is not None and span.context.trace_flags.sampled:
            self._spans.append(span)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        if self._spans:
            spans = [*self._spans]
            self._spans.clear()
            self._exporter.export(spans)
        return True
