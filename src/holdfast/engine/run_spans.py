"""The spans of a node: one for each attempt, and one for each run that ends.

A run can last for months, over many nodes, and a span cannot. So no span of ours is open while a run waits.
The span in which a run was started is stored with the run, and attempts become children of that span. After
an hour (`RunTrace.until`) the node begins another trace, which links to the first one.

A span begins only when the commit stands that records its attempt, so replay makes none.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable

import msgspec

from holdfast.core.run_options import (
    RunTerms,
    is_in_share,
    read_run_options,
    trace_of,
    traced_options,
    unsampled,
)
from holdfast.core.values import Failed, Failure, Instant, Outcome, RunKey, task_id
from holdfast.engine.resident import LiveAttempt, Resident
from holdfast.ports.commits import EndedRun
from holdfast.ports.tracing import AttemptSpan, NodeTracing, RunTrace, TracedRun, TracedTask

_log = logging.getLogger("holdfast.engine")

_decode_failure = msgspec.json.Decoder(Failure).decode


class RunSpans:
    def __init__(self, tracing: NodeTracing, node: str) -> None:
        self._tracing = tracing
        self.node = node
        self._has_failed = False
        self._last: tuple[bytes | None, float, RunTrace | None] = (None, 1.0, None)
        """Options of a run, and the share and the trace that `_unsampled` has read in them."""

    def begin(self, attempt: LiveAttempt, now: Instant) -> None:
        """The attempt is recorded, and is about to start."""
        trace = attempt.resident.trace
        try:
            if trace is None or trace.is_recorded:
                trace = self._trace_of(attempt.resident, now)
            attempt.span = self._new_span(trace, attempt) if trace.is_recorded else trace.parent
        except Exception as error:
            self._go_on_without(error)

    def _new_span(self, trace: RunTrace, attempt: LiveAttempt) -> AttemptSpan:
        task = TracedTask(
            attempt.name,
            task_id(attempt.run, attempt.seq),
            attempt.number,
            attempt.options.queue,
            attempt.worker,
            attempt.started_at if attempt.worker else None,
        )
        return trace.begin_attempt(task)

    def end(self, attempt: LiveAttempt, outcome: Outcome) -> None:
        """The attempt has ended. If it was cancelled because of a timeout, that is its failure."""
        span, failure = attempt.span, attempt.pending_failure
        try:
            if span is not None:
                span.end(outcome if failure is None else Failed(failure))
        except Exception as error:
            self._go_on_without(error)

    def note_reports(
        self, reported: Iterable[tuple[LiveAttempt, Outcome]], void: Collection[RunKey], now: Instant
    ) -> None:
        """Workers have made these attempts, which they took from the queue."""
        for attempt, outcome in reported:
            if attempt.run not in void:
                self.begin(attempt, now)
                self.end(attempt, outcome)

    def note_ends(
        self, ended: Iterable[EndedRun], gone: Iterable[Resident], void: Collection[RunKey], now: Instant
    ) -> None:
        """These runs have ended, except those of `void`. `gone` are the runs that have left memory."""
        residents = {it.key: it for it in gone if it.trace is None or it.trace.is_recorded}
        if not residents:
            return
        for row in ended:
            resident = residents.get(row.run)
            if resident is None or row.run in void:
                continue
            try:
                self._note_end(row, resident, now)
            except Exception as error:
                self._go_on_without(error)

    def _note_end(self, row: EndedRun, resident: Resident, now: Instant) -> None:
        trace = self._trace_of(resident, now)
        if trace.is_recorded:
            failure = None if row.failure is None else _decode_failure(row.failure)
            trace.end_run(row.status, failure, row.finished_at)

    def _trace_of(self, resident: Resident, now: Instant) -> RunTrace:
        trace = resident.trace
        if trace is None:
            options = resident.record.options
            if options is not None:  # most runs that are traced are not sampled, so this is the short way
                trace = resident.trace = self._unsampled(options, resident.key)
        if trace is None or trace.until <= now:
            trace = resident.trace = self._tracing.follow(_traced(resident, self.node), now, trace)
        return trace

    def _unsampled(self, options: bytes, run: RunKey) -> RunTrace | None:
        """The trace of a run that is not sampled: the span in which it was started is not, or the run is not
        in the share that is. None: it is sampled."""
        last, share, trace = self._last
        if options != last:  # runs that were started together have the same
            known = read_run_options(options)
            share = known.trace_share
            trace = self._tracing.unsampled(known.trace if share == 1.0 else unsampled(known.trace))
            self._last = options, share, trace
        return None if share != 1.0 and is_in_share(share, run) else trace

    def _go_on_without(self, error: Exception) -> None:
        """A sampler or an exporter of the program has failed. Nothing waits for spans, so it is said once."""
        if not self._has_failed:
            self._has_failed = True
            _log.warning("a span could not be made, and others may be missing", exc_info=error)


def child_terms(resident: Resident, terms: RunTerms | None) -> RunTerms:
    """The terms of a new child: it belongs to the trace of its parent."""
    terms = terms or RunTerms(priority=resident.record.priority)
    trace = resident.trace
    if trace is not None:
        since = trace.traced_at if trace.is_recorded else None
        return terms._replace(options=traced_options(terms.options, trace.parent.trace, since))
    if resident.record.options is None:
        return terms
    run = _traced(resident, "")
    return terms._replace(options=traced_options(terms.options, run.trace, run.traced_at))


def _traced(resident: Resident, node: str) -> TracedRun:
    record = resident.record
    options = read_run_options(record.options)
    return TracedRun(
        resident.run_id,
        record.namespace,
        record.workflow,
        record.created_at,
        trace_of(options, resident.key),
        record.created_at if options.traced_at is None else options.traced_at,
        node,
    )
