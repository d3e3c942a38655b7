"""The spans that this process has made, with the real SDK of OpenTelemetry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, ParentBased, Sampler, SamplingResult

_exporter = InMemorySpanExporter()


class _Switch(Sampler):
    """A provider is set once in a process, and its sampler with it."""

    now: Sampler = ParentBased(ALWAYS_ON)

    def should_sample(self, *args: Any, **kwargs: Any) -> SamplingResult:
        return self.now.should_sample(*args, **kwargs)

    def get_description(self) -> str:
        return "switch"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.now, name)


_sampler = _Switch()


def user_tracer() -> trace.Tracer:
    """As the code of a user has one."""
    return trace.get_tracer("user")


class Spans:
    def sample_with(self, sampler: Sampler) -> None:
        """For every `Holdfast` that is made from now on in this test."""
        _sampler.now = sampler

    @property
    def all(self) -> list[ReadableSpan]:
        return list(_exporter.get_finished_spans())

    @property
    def names(self) -> list[str]:
        return sorted(span.name for span in self.all)

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all if span.name == name]

    def only(self, name: str) -> ReadableSpan:
        [span] = self.named(name)
        return span

    def parent_of(self, span: ReadableSpan) -> str | None:
        """The name of its parent; None if it is a root."""
        if span.parent is None:
            return None
        [name] = [it.name for it in self.all if id_of(it) == (span.parent.trace_id, span.parent.span_id)]
        return name

    def linked_from(self, span: ReadableSpan) -> list[str]:
        ids = [(link.context.trace_id, link.context.span_id) for link in span.links]
        return [it.name for it in self.all if id_of(it) in ids]

    def traces(self) -> set[int]:
        return {trace_of(span) for span in self.all}


def id_of(span: ReadableSpan) -> tuple[int, int]:
    assert span.context is not None
    return span.context.trace_id, span.context.span_id


def trace_of(span: ReadableSpan) -> int:
    return id_of(span)[0]


@pytest.fixture
def spans() -> Iterator[Spans]:
    if not isinstance(trace.get_tracer_provider(), TracerProvider):  # it can be set once in a process
        provider = TracerProvider(_sampler)
        provider.add_span_processor(SimpleSpanProcessor(_exporter))
        trace.set_tracer_provider(provider)
    _exporter.clear()
    yield Spans()
    _sampler.now = _Switch.now
    _exporter.clear()
