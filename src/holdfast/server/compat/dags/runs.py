"""Runs, in the five states of that system."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Final

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from holdfast.client.client import Client
from holdfast.core.names import checked_name
from holdfast.core.records import RunRecord
from holdfast.core.run_options import with_options
from holdfast.core.values import RunStatus, key_text, moment
from holdfast.errors import BadOption
from holdfast.ports.runs import RunPage
from holdfast.server.access.callers import Caller
from holdfast.server.access.recording import Record
from holdfast.server.compat.dags.workflows import PageSize
from holdfast.server.compat.error_responses import may_answer
from holdfast.server.compat.wire import LenientBody, read_object, value_of

STATUSES: Final = {
    "pending": [RunStatus.PENDING],
    "running": [RunStatus.RUNNING, RunStatus.PAUSED, RunStatus.PARKED],
    "success": [RunStatus.SUCCESS],
    "failed": [RunStatus.FAILED],
    "cancelled": [RunStatus.CANCELLED],
}
"""The states of this API, and ours. Every run has exactly one."""
_NAMES: Final = {ours: theirs for theirs, all_ours in STATUSES.items() for ours in all_ours}


class Trigger(msgspec.Struct, frozen=True):
    input: dict[str, Any] | str = ""
    """The arguments by name, or a text of JSON with them."""
    id: str = ""
    """The id of the run. A second request with the same id starts no second run."""


class Cancellation(msgspec.Struct, frozen=True):
    reason: str = ""


class RunAnswer(msgspec.Struct, frozen=True):
    id: str
    workflow: str
    version: str
    status: str
    """`pending`, `running`, `success`, `failed` or `cancelled`"""
    input: Any
    output: Any
    error: str | None
    created_at: dt.datetime
    started_at: dt.datetime | None
    finished_at: dt.datetime | None


_NO_INPUT: Final = Trigger()
_NO_REASON: Final = Cancellation()


@post(
    "/workflows/{name:str}/runs",
    name="compat.dags.trigger",
    dto=LenientBody[Trigger],
    return_dto=None,
    status_code=201,
    responses=may_answer(404, 409, 413),
)
async def trigger_run(
    name: FromPath[str],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    data: JSONBody[Trigger] = _NO_INPUT,
) -> RunAnswer:
    """Start a run of the newest version."""
    target = with_options(name, id=data.id or None, by=caller.name)
    run = await client.start_with(target, (), read_object(data.input, "input"))
    record.target, record.after = run.id, {"workflow": name, "key": key_text(run.key)}
    return await _answer(client, key_text(run.key))


@get("/runs", name="compat.dags.runs", responses=may_answer())
async def list_runs(
    client: NamedDependency[Client],
    workflow: FromQuery[str] = "",
    status: Annotated[str, QueryParameter(description="One of " + ", ".join(STATUSES))] = "",
    limit: PageSize = 100,
    offset: Annotated[int, QueryParameter(ge=0, lt=100_000)] = 0,
) -> list[RunAnswer]:
    """Runs, newest first."""
    if status and status not in STATUSES:
        raise BadOption("status", status, "one of " + ", ".join(STATUSES))
    page = RunPage(
        statuses=STATUSES[status] if status else None,
        workflow=checked_name("workflow", workflow) if workflow else None,
        limit=limit,
        offset=offset,
    )
    found, _ = await client.run_overviews.page(page)
    return [_answer_of(overview.run) for overview in found]


@get("/runs/{id:str}", name="compat.dags.run", responses=may_answer(404))
async def get_run(client: NamedDependency[Client], id: FromPath[str]) -> RunAnswer:
    return await _answer(client, id)


@post(
    "/runs/{id:str}/cancel",
    name="compat.dags.cancel",
    dto=LenientBody[Cancellation],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409),
)
async def cancel_run(
    id: FromPath[str],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    data: JSONBody[Cancellation] = _NO_REASON,
) -> RunAnswer:
    """Ask a run to end."""
    await client.cancel(id, data.reason, by=caller.name)
    return await _answer(client, id)


@post("/runs/{id:str}/retry", name="compat.dags.retry", status_code=200, responses=may_answer(404, 409))
async def retry_run(
    client: NamedDependency[Client], caller: NamedDependency[Caller], id: FromPath[str]
) -> RunAnswer:
    """Try the failed tasks of a run again that failed or was cancelled. What succeeded is not done again."""
    await client.retry(id, by=caller.name)
    return await _answer(client, id)


ROUTES = [trigger_run, list_runs, get_run, cancel_run, retry_run]


async def _answer(client: Client, id: str) -> RunAnswer:
    return _answer_of((await client.run_overviews.run(id)).run)


def _answer_of(run: RunRecord) -> RunAnswer:
    return RunAnswer(
        id=run.id or key_text(run.key),
        workflow=run.workflow,
        version=run.version,
        status=_NAMES[run.status],
        input=value_of(run.input),
        output=value_of(run.output),
        error=None if run.failure is None else run.failure.summary,
        created_at=moment(run.created_at),
        started_at=None if run.started_at is None else moment(run.started_at),
        finished_at=None if run.finished_at is None else moment(run.finished_at),
    )
