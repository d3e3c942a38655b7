"""The tasks of a run, and what they have written."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Final

import msgspec
from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from holdfast.client.client import Client
from holdfast.client.run import TaskInfo
from holdfast.core.records import TaskRecord
from holdfast.core.values import TaskStatus, task_id
from holdfast.server.compat.dags.workflows import PageSize
from holdfast.server.compat.error_responses import may_answer
from holdfast.server.compat.wire import value_of
from holdfast.server.problems import NotFound

_LARGEST: Final = 2**31 - 1
_MOST_TASKS: Final = 10_000

Number = Annotated[int | None, QueryParameter(ge=0, le=_LARGEST)]


class TaskAnswer(msgspec.Struct, frozen=True):
    id: str
    number: int
    """From 0, in the order in which the run asked for its tasks."""
    name: str
    status: str
    """`pending`, `dispatched`, `running`, `success`, `failed` or `skipped`"""
    attempt: int
    parallel_index: int | None
    parallel_count: int | None
    input: Any
    output: Any
    error: str | None
    created_at: dt.datetime
    started_at: dt.datetime | None
    finished_at: dt.datetime | None


class LogAnswer(msgspec.Struct, frozen=True):
    logs: str
    """One line for each that was written."""


@get("/runs/{id:str}/tasks", name="compat.dags.tasks", responses=may_answer(404))
async def list_tasks(
    client: NamedDependency[Client],
    id: FromPath[str],
    limit: PageSize = 100,
    since: Annotated[int, QueryParameter(ge=0, le=_LARGEST, description="The number of the first.")] = 0,
) -> list[TaskAnswer]:
    """The tasks that the run has asked for so far."""
    run = await client.get(id)
    records = {each.seq: each for each in await client.list_tasks(run, since=since, limit=limit)}
    found = await client.tasks(run, since=since, limit=limit)
    return [_answer(each, records[each.seq]) for each in found if each.seq in records]


@get("/runs/{id:str}/tasks/{name:str}/logs", name="compat.dags.logs", responses=may_answer(404))
async def read_logs(
    client: NamedDependency[Client],
    id: FromPath[str],
    name: FromPath[str],
    parallel_index: Number = None,
    attempt: Number = None,
) -> LogAnswer:
    """What the tasks of that name have written."""
    run = await client.get(id)
    lines = await client.logs(run, name)
    if not lines and all(each.name != name for each in await client.tasks(run, limit=_MOST_TASKS)):
        raise NotFound(f"run {id!r} has no task {name!r}")
    texts = [
        f"{line.text}\n"
        for line in lines
        if parallel_index in (None, line.index) and attempt in (None, line.attempt)
    ]
    return LogAnswer("".join(texts))


ROUTES = [list_tasks, read_logs]


def status_of(task: TaskInfo) -> str:
    """That system has no cancelled tasks: one that had begun has failed, and any other is skipped."""
    if task.status is TaskStatus.CANCELLED:
        return "skipped" if task.started_at is None else "failed"
    return str(task.status)


def _answer(task: TaskInfo, record: TaskRecord) -> TaskAnswer:
    return TaskAnswer(
        id=task_id(record.run, task.seq),
        number=task.seq,
        name=task.name,
        status=status_of(task),
        attempt=task.attempt,
        parallel_index=task.index,
        parallel_count=task.count,
        input=value_of(record.input),
        output=value_of(record.output),
        error=task.problem,
        created_at=task.created_at,
        started_at=task.started_at,
        finished_at=task.finished_at,
    )
