"""Runs: start one or many, list them, read one, delete it."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from litestar import delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from holdfast.client.batches import Call
from holdfast.client.client import Client
from holdfast.client.failures import FailureInfo
from holdfast.client.retention import PruneReport
from holdfast.client.run import Run, RunInfo
from holdfast.client.run_counts import RunCount
from holdfast.client.signals import Signal
from holdfast.core.run_options import IdPolicy, StartKeywords, with_options
from holdfast.core.values import key_text
from holdfast.errors import RunCancelled, RunFailed
from holdfast.server.access.callers import Caller
from holdfast.server.access.recording import Record
from holdfast.server.api.v1.bodies import Body
from holdfast.server.api.v1.paging import Limit, Page
from holdfast.server.api.v1.run_conditions import CONDITIONS, After, Conditions, Payloads
from holdfast.server.problems import BadRequest, may_answer

MOST_RUNS = 10_000
LONGEST_WAIT = 60.0

Arguments: TypeAlias = dict[str, Any] | list[Any]

Wait: TypeAlias = Annotated[
    float,
    QueryParameter(
        ge=0, le=LONGEST_WAIT, description="For how many seconds to wait for the end of the run, at most."
    ),
]


class _Terms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    workflow: str
    version: str | int | None = None
    """Without it, the newest one."""
    id_policy: IdPolicy = IdPolicy.RETURN
    """What to do if the id is taken."""
    tags: list[str] = []
    note: str = ""
    priority: int | None = None
    """0 to 9; runs with a higher one are taken first."""
    delay: float | None = None
    """In seconds. The run begins after that."""
    start_at: dt.datetime | None = None
    deadline: dt.datetime | float | None = None
    """A time, or seconds from the start: if the run has not ended by then, it fails."""


class FirstSignal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    value: Any = None
    message_id: str | None = None
    """The run gets the signal once, however often it is sent under this id."""


class NewRun(_Terms, frozen=True, kw_only=True, forbid_unknown_fields=True):
    input: Arguments = {}
    """The arguments by name, or in order."""
    args: list[Any] = []
    """Arguments in order, if the input has others by name."""
    id: str | None = None
    """Makes the request idempotent: sent again, it answers with the same run."""
    signal: FirstSignal | None = None
    """Send this to the run that has the id; if there is none, start it, with the signal in its inbox."""


class RunInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    input: Arguments = {}
    args: list[Any] = []
    id: str | None = None


class NewRuns(_Terms, frozen=True, kw_only=True, forbid_unknown_fields=True):
    runs: Annotated[list[RunInput], msgspec.Meta(min_length=1, max_length=MOST_RUNS)]


class StartedRun(msgspec.Struct, frozen=True):
    id: str
    key: str
    """The UUID of the run. It never changes, and no other run ever has it."""


class StartedAndAwaited(StartedRun, frozen=True):
    run: RunInfo | None = None
    """The run as it is now, if `wait` was given."""


@post("/runs", name="runs.start", dto=Body[NewRun], return_dto=None, responses=may_answer(404, 409, 413))
async def start_run(
    data: JSONBody[NewRun],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    wait: Wait = 0,
) -> StartedAndAwaited:
    """Start a run. When this is answered, the run is recorded, and will be finished even after a crash.

    With `wait`, the answer comes when the run has ended, or after so many seconds.
    """
    target = with_options(data.workflow, **_options(data, caller) | StartKeywords(id=data.id))
    args, kwargs = _arguments(data)
    if data.signal is None:
        run = await client.start_with(target, args, kwargs)
    else:
        signal = Signal(data.signal.name, data.signal.value, data.signal.message_id, caller.name)
        run = await client.signal_or_start(target, signal, *args, **kwargs)
    begun = started(run)
    record.target, record.after = begun.id, {"workflow": data.workflow, "key": begun.key}
    if not wait:
        return StartedAndAwaited(begun.id, begun.key)
    record.begin_writing(client.audit, caller)
    return StartedAndAwaited(begun.id, begun.key, await wait_for_end(client, run, wait))


@post(
    "/run-batches",
    name="runs.start_many",
    dto=Body[NewRuns],
    return_dto=None,
    responses=may_answer(404, 409, 413),
)
async def start_runs(
    data: JSONBody[NewRuns],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
) -> list[StartedRun]:
    """Start up to 10,000 runs of one workflow, all or none. The answers are in the order of the runs."""
    target = with_options(data.workflow, **_options(data, caller))
    calls = [Call(*_arguments(each), each.id) for each in data.runs]
    begun = [started(run) for run in await client.start_calls(target, calls)]
    record.target, record.after = data.workflow, {"runs": len(begun), "first": begun[0].key}
    return begun


@get("/runs", name="runs.list", dependencies=CONDITIONS, responses=may_answer(404))
async def list_runs(
    client: NamedDependency[Client],
    conditions: Conditions,
    after: After = None,
    limit: Limit = 100,
    payloads: Payloads = False,
) -> Page[RunInfo]:
    """A page of runs, newest first.

    It takes a limited time. So a page may have fewer runs than `limit`, or none, although there are more.
    Then it has a `next`.
    """
    found = await client.page(limit=limit, after=after, payloads=payloads, **conditions)
    return Page(found.items, found.next)


@get("/run-counts", name="runs.counts", dependencies=CONDITIONS, responses=may_answer(404))
async def count_runs(
    client: NamedDependency[Client],
    conditions: Conditions,
    by: FromQuery[Literal["status", "workflow"]] = "status",
) -> Page[RunCount]:
    """How many runs there are, by state or by workflow.

    If they are chosen by nothing but states, a workflow and the time of their creation, 100,000 are counted;
    otherwise 10,000 are looked at, the newest. If there are more, `is_exact` is false: there are at least so
    many.
    """
    return Page(await client.counts(by, **conditions))


@get("/runs/{id:str}", name="runs.get", responses=may_answer(404))
async def get_run(client: NamedDependency[Client], id: FromPath[str], wait: Wait = 0) -> RunInfo:
    """One run, by its id or key. With `wait`, once it has ended, or after so many seconds."""
    if not wait:
        return await client.describe(id)
    return await wait_for_end(client, await client.get(id), wait)


@delete("/runs/{id:str}", name="runs.delete", status_code=200, responses=may_answer(404, 409))
async def delete_run(client: NamedDependency[Client], id: FromPath[str]) -> PruneReport:
    """Delete a run that has ended, with all that the store has about it and with its children."""
    return await client.delete(id)


@get("/failures", name="failures.list", responses=may_answer())
async def list_failures(
    client: NamedDependency[Client], created_after: FromQuery[dt.datetime | None] = None, limit: Limit = 100
) -> Page[FailureInfo]:
    """Failed runs, grouped by cause. The most frequent causes come first."""
    return Page(await client.failures(created_after=created_after, limit=limit))


ROUTES = [start_run, start_runs, list_runs, count_runs, get_run, delete_run, list_failures]


async def wait_for_end(client: Client, run: Run[Any], seconds: float) -> RunInfo:
    """The run as it is when it has ended, or after so many seconds."""
    ending = client.waiters.wait(run.key, None, lambda _: None)
    try:
        await asyncio.wait_for(ending, seconds)
    except (TimeoutError, RunFailed, RunCancelled):
        pass  # the answer says how it ended, or that it has not
    return await client.describe(run)


def _options(data: _Terms, caller: Caller) -> StartKeywords:
    options = StartKeywords(
        version=data.version,
        id_policy=data.id_policy,
        tags=data.tags,
        note=data.note,
        priority=data.priority,
        delay=span("delay", data.delay),
        start_at=data.start_at,
        by=caller.name,
    )
    deadline = data.deadline
    options["deadline"] = deadline if isinstance(deadline, dt.datetime) else span("deadline", deadline)
    return options


def span(field: str, seconds: float | None) -> dt.timedelta | None:
    try:
        return None if seconds is None else dt.timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        raise BadRequest(f"{field} is {seconds}: too long", field) from None


def _arguments(given: NewRun | RunInput) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(given.input, dict):
        return tuple(given.args), given.input
    if given.args:
        raise BadRequest("give the arguments in order once, in input or in args", "args")
    return tuple(given.input), {}


def started(run: Run[Any]) -> StartedRun:
    return StartedRun(run.id, key_text(run.key))
