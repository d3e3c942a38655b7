"""W20: what tracing adds to W1. Rounds without and with it take turns, in one process."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased, Sampler, SamplingResult

from bench.samples import one_task
from bench.throughput import time_runs, warm_up
from bench.trial import Figures, Trial
from holdfast import Holdfast
from holdfast.telemetry.sampling import LimitedTraces

_ROUNDS = 8


class _Nowhere(SpanExporter):
    """Writes spans down as a collector gets them, and sends them to nobody."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        encode_spans(spans).SerializeToString()
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        pass


class _Switch(Sampler):
    """A provider is set once in a process, and its sampler with it."""

    now: Sampler = ALWAYS_OFF

    def should_sample(self, *args: Any, **kwargs: Any) -> SamplingResult:
        return self.now.should_sample(*args, **kwargs)

    def get_description(self) -> str:
        return "switch"


async def measure_tracing(trial: Trial) -> Figures:
    """CPU time with tracing, as a share of that without: where nothing is sampled, where as much is as
    in our commands by default, and where everything is."""
    switch = _Switch()
    provider = TracerProvider(sampler=switch, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(_Nowhere()))
    trace.set_tracer_provider(provider)
    count = trial.size(10_000, 500)
    taken: dict[str, list[float]] = {"off": [], "unsampled": [], "limited": [], "sampled": []}
    modes = list(taken)
    for _ in range(1 if trial.is_quick else _ROUNDS):
        modes.append(
            modes.pop(0)
        )  # what a round leaves behind for the next one is left to each of them in turn
        for mode in modes:
            switch.now = ParentBased(ALWAYS_ON if mode == "sampled" else ALWAYS_OFF)
            async with Holdfast(trial.url, tracing=mode != "off") as holdfast:
                await warm_up(holdfast)
                if mode == "limited":
                    switch.now = LimitedTraces()  # the runs before have used up none of it
                gc.collect()  # else a round pays for the garbage of the round before
                taken[mode].append((await time_runs(holdfast, one_task, range(count))).cpu_seconds)
    provider.shutdown()
    least = {mode: min(rounds) for mode, rounds in taken.items()}
    return {
        "runs": count,
        "cpu_seconds": least["off"],
        "unsampled_ratio": least["unsampled"] / least["off"],
        "limited_ratio": least["limited"] / least["off"],
        "sampled_ratio": least["sampled"] / least["off"],
    }
