"""The spans of clients: around starts, signals and updates, if somebody traces them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)

from holdfast.core.records import RunRecord
from holdfast.core.run_options import RunTerms, read_run_options, trace_of, traced_options
from holdfast.core.values import Payload, key_text
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


def sending(
    tracing: ClientTracing | None,
    what: str,
    name: str,
    run: str,
    find: Callable[[], Awaitable[RunRecord | None]],
) -> AbstractAsyncContextManager[None]:
    """A message to a run. If its span is recorded, `find` is called, to link it to the span of the run."""
    return _UNTRACED if tracing is None else _sending(tracing, what, name, run, find)


@asynccontextmanager
async def _sending(
    tracing: ClientTracing, what: str, name: str, run: str, find: Callable[[], Awaitable[RunRecord | None]]
) -> AsyncGenerator[None]:
    with tracing.sending(what, [name], [run]) as span:
        record = None if span is None else await find()
        if span is not None and record is not None:
            trace = trace_of(read_run_options(record.options), record.key)
            span.name_run(record.id or key_text(record.key), trace)
        yield


def sending_many(
    tracing: ClientTracing | None, what: str, names: Iterable[str], runs: Sequence[str]
) -> AbstractContextManager[object]:
    """Messages to many runs, in one span. It has no links, since all of these runs would have to be read."""
    return _UNTRACED if tracing is None or not runs else tracing.sending(what, set(names), runs)
