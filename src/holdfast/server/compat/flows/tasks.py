"""Runs. This API calls a run a task, whatever its workflow is."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, JSONBody, QueryParameter

from holdfast.client.client import Client
from holdfast.client.flows import parse_version_id, version_id, version_number
from holdfast.client.run import Cursor, cursor_in
from holdfast.client.workers import read_queue_id
from holdfast.core.names import checked_name
from holdfast.core.values import RunStatus, key_text
from holdfast.errors import BadOption, FlowNotFound, NotPublished
from holdfast.ports.flows import CURSOR, PUBLISHED
from holdfast.ports.runs import RunOverview, RunPage
from holdfast.server.compat.error_responses import may_answer
from holdfast.server.compat.flows.answers import Acknowledged, Made, PageNumber, PageSize
from holdfast.server.compat.flows.node_runs import DescribeVisits, NodeRun, describe, node_runs
from holdfast.server.compat.wire import (
    LenientBody,
    read_number,
    read_object,
    required,
    seconds,
    text_of,
)


class StartRequest(msgspec.Struct, frozen=True):
    flow_version_id: str = ""
    flow_id: str = ""
    """One of the two. With only a flow id: `version`, or the highest version that is published."""
    version: int | str = 0
    params_json: str | dict[str, Any] = ""
    request_id: str = ""
    """The id of the run. A second request with the same id starts no second run."""


class SignalRequest(msgspec.Struct, frozen=True):
    task_id: str
    key: str
    value: Any = None
    message_id: str = ""
    """What the caller calls this signal. The run gets it once, however often it is sent."""


class TaskAnswer(msgspec.Struct, frozen=True):
    """JSON is in strings. Times are seconds since 1970."""

    id: str
    flow_version_id: str
    flow_id: str
    flow_name: str
    flow_version: int
    """0 if the version is not a number; `flow_version_id` has it."""
    status: str
    params_json: str
    shared_json: str
    current_node_key: str
    last_action: str
    step_count: int
    created_at: int
    updated_at: int
    """When the run ended; else when it started; else when it was created."""


class TaskPage(msgspec.Struct, frozen=True):
    data: list[TaskAnswer]
    total: int
    """At most 100,000."""
    page: int
    size: int


class LogAnswer(msgspec.Struct, frozen=True):
    content: str


_UNDER_WAY: Final = (RunStatus.PENDING, RunStatus.RUNNING, RunStatus.PARKED, RunStatus.PAUSED)

PAGES: Final = {
    "pending": RunPage(statuses=[RunStatus.PENDING], is_queued=False, is_cancelling=False),
    "running": RunPage(statuses=_UNDER_WAY[1:], is_queued=False, is_cancelling=False),
    "waiting_queue": RunPage(statuses=_UNDER_WAY, is_queued=True, is_cancelling=False),
    "canceling": RunPage(statuses=_UNDER_WAY, is_cancelling=True),
    "completed": RunPage(statuses=[RunStatus.SUCCESS]),
    "failed": RunPage(statuses=[RunStatus.FAILED]),
    "canceled": RunPage(statuses=[RunStatus.CANCELLED]),
}
"""The runs of each status of this API. Every run has exactly one status."""


def status_of(overview: RunOverview) -> str:
    """The status of a run in this API."""
    return next(status for status, page in PAGES.items() if _has(overview, page))


def _has(overview: RunOverview, page: RunPage) -> bool:
    return (
        (page.statuses is None or overview.run.status in page.statuses)
        and page.is_queued in (None, overview.is_queued)
        and page.is_cancelling in (None, overview.is_cancelling)
    )


@post(
    "/tasks",
    name="compat.tasks.create",
    dto=LenientBody[StartRequest],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409, 413),
)
async def create_task(data: JSONBody[StartRequest], client: NamedDependency[Client]) -> Made:
    """Start a run of a published version of a flow."""
    params = read_object(data.params_json, "params_json")
    flow, number = await _version_to_run(data, client)
    run = await client.start_with(flow, (), params, id=data.request_id or None, version=str(number))
    return Made(run.id)


@get("/tasks", name="compat.tasks.list", responses=may_answer())
async def list_tasks(
    client: NamedDependency[Client],
    status: Annotated[str, QueryParameter(description="One of " + ", ".join(PAGES))] = "",
    flow_version_id: FromQuery[str] = "",
    flow_id: FromQuery[str] = "",
    page: PageNumber = 1,
    page_size: PageSize = 10,
) -> TaskPage:
    """A page of runs, newest first."""
    if status and status not in PAGES:
        raise BadOption("status", status, "one of " + ", ".join(PAGES))
    which = PAGES[status] if status else RunPage()
    if flow_id:
        which = which._replace(workflow=checked_name("flow_id", flow_id))
    if flow_version_id:
        workflow, version = parse_version_id(flow_version_id)
        if flow_id and flow_id != workflow:
            raise BadOption("flow_id", flow_id, f"that of flow_version_id, {workflow!r}, or left out")
        which = which._replace(workflow=workflow, version=version)
    found, total = await client.run_overviews.page(
        which._replace(limit=page_size, offset=(page - 1) * page_size)
    )
    names = await client.flows.names(overview.run.workflow for overview in found)
    return TaskPage([_task_answer(overview, names) for overview in found], total, page, page_size)


@get("/tasks/get", name="compat.tasks.get", responses=may_answer(404))
async def get_task(client: NamedDependency[Client], id: FromQuery[str]) -> TaskAnswer:
    overview = await client.run_overviews.run(id)
    return _task_answer(overview, await client.flows.names([overview.run.workflow]))


@post("/tasks/cancel", name="compat.tasks.cancel", status_code=200, responses=may_answer(404, 409))
async def cancel_task(client: NamedDependency[Client], id: FromQuery[str]) -> Acknowledged:
    """Ask a run to end."""
    await client.cancel(id)
    return Acknowledged()


@get("/tasks/runs", name="compat.tasks.runs", responses=may_answer(404))
async def list_node_runs(
    client: NamedDependency[Client], describe_visits: NamedDependency[DescribeVisits], task_id: FromQuery[str]
) -> list[NodeRun]:
    """Every attempt of every visit of a node."""
    overview = await client.run_overviews.run(task_id)
    tasks = await client.run_overviews.tasks(overview.run.key)
    attempts = await client.run_overviews.attempts(overview.run.key)
    visits = describe(describe_visits, await client.definition(key_text(overview.run.key)), tasks)
    return node_runs(_id_of(overview), tasks, attempts, visits)


@get("/tasks/logs", name="compat.tasks.logs", responses=may_answer(404))
async def read_log(client: NamedDependency[Client], run_id: FromQuery[str]) -> LogAnswer:
    """The log of an attempt, by the id of its node run."""
    which = read_queue_id("run_id", run_id)
    lines = await client.run_overviews.log(which.run, which.seq, which.lease)
    return LogAnswer("".join(f"{line}\n" for line in lines))


@post(
    "/tasks/signal",
    name="compat.tasks.signal",
    dto=LenientBody[SignalRequest],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409, 413),
)
async def signal_task(data: JSONBody[SignalRequest], client: NamedDependency[Client]) -> Acknowledged:
    """Write a value into the shared state of a run. A node that waits for it goes on."""
    run = required(data.task_id, "task_id")
    await client.signal(run, data.key, data.value, message_id=data.message_id or None)
    return Acknowledged()


ROUTES = [create_task, list_tasks, get_task, cancel_task, list_node_runs, read_log, signal_task]


async def _version_to_run(data: StartRequest, client: Client) -> tuple[str, int]:
    """Raises FlowNotFound, NotPublished, BadOption."""
    flow, number = data.flow_id, read_number(data.version, "version") or None
    if data.flow_version_id:
        flow, version = parse_version_id(data.flow_version_id)
        number = version_number(version)
        if not number:
            raise FlowNotFound(flow, client.namespace, version)
    found = await client.flows.get(required(flow, "flow_id"), number)
    if found.status != PUBLISHED:
        raise NotPublished(flow, found.number)
    return found.flow, found.number


# --- answers


def _task_answer(overview: RunOverview, names: dict[str, str]) -> TaskAnswer:
    run = overview.run
    cursor = cursor_in(overview.state) or Cursor()
    shared = {key: msgspec.Raw(value) for key, value in overview.state.items() if key != CURSOR}
    return TaskAnswer(
        id=_id_of(overview),
        flow_version_id=version_id(run.workflow, run.version),
        flow_id=run.workflow,
        flow_name=names.get(run.workflow, run.workflow),
        flow_version=version_number(run.version) or 0,
        status=status_of(overview),
        params_json=text_of(run.input),
        shared_json=text_of(msgspec.json.encode(shared)),
        current_node_key=cursor.node.partition("/")[0],
        last_action=cursor.action,
        step_count=cursor.steps,
        created_at=seconds(run.created_at),
        updated_at=seconds(run.finished_at or run.started_at or run.created_at),
    )


def _id_of(overview: RunOverview) -> str:
    return overview.run.id or key_text(overview.run.key)
