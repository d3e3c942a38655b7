"""The spans of clients: around starts, signals and updates, if somebody traces them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from holdfast.core.run_options import RunTerms, traced_options
from holdfast.core.values import Payload
from holdfast.ports.tracing import ClientTracing

_UNTRACED = nullcontext()


def starting(
    tracing: ClientTracing | None,
    workflow: str,
    runs: Sequence[tuple[Payload, str | None]],
    terms: RunTerms,
) -> AbstractContextManager[RunTerms]:
    """Gives the terms of the new runs, which know the span in which they are started."""
    return nullcontext(terms) if tracing is None else _starting(tracing, workflow, runs, terms)


@contextmanager
def _starting(
    tracing: ClientTracing, workflow: str, runs: Sequence[tuple[Payload, str | None]], terms: RunTerms
) -> Generator[RunTerms]:
    with tracing.starting(workflow, [id for _, id in runs]) as (trace, share):
        yield terms._replace(options=traced_options(terms.options, trace, share=share))


def sending(tracing: ClientTracing | None, what: str, name: str, run: str) -> AbstractContextManager[None]:
    return _UNTRACED if tracing is None else tracing.sending(what, name, run)
