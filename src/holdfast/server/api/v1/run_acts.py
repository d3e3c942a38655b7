"""What is done to a run: messages to it, and what operators do."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final

import msgspec
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, JSONBody

from holdfast.client.client import Client
from holdfast.client.operators import Timers
from holdfast.client.run import RunInfo
from holdfast.core.run_options import KEEP_DEADLINE, NewDeadline
from holdfast.core.values import Failure
from holdfast.errors import UpdateTimedOut
from holdfast.server.access.callers import Caller
from holdfast.server.access.recording import Record
from holdfast.server.api.v1.bodies import Body
from holdfast.server.api.v1.runs import LONGEST_WAIT, span
from holdfast.server.problems import BadRequest, may_answer


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Reason(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    reason: str = ""


class Note(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    note: str = ""


class Resumption(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    timers: Timers = Timers.CATCH_UP


class Retry(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    deadline: dt.datetime | float | msgspec.UnsetType | None = msgspec.UNSET
    """A new one, as a time or in seconds; null for none. Left out: the one that it has."""


class TryNow(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    task: str | int | None = None
    """Its name or its number. None: every task in a backoff."""


class NewSignal(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    value: Any = None
    message_id: str | None = None
    """The run gets the signal once, however often it is sent under this id."""


class NewUpdate(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    args: list[Any] = []
    message_id: str
    """An id that you make. Sent again under the same id, the update is not done again, and the answer is the
    same."""
    wait: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_WAIT)] = 30.0
    """For how many seconds to wait for the answer, at most."""


class UpdateAnswer(msgspec.Struct, frozen=True):
    message_id: str
    is_answered: bool
    """False: not yet. Ask again under the same id."""
    answer: Any = None


class NewAnswer(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    question: str | int
    """The name or the number of the question."""
    value: Any = None
    reject: str | None = None
    """Raise this in the run instead of answering."""
    failure: Failure | None = None
    """The same, as an exception of a class."""
    comment: str = ""
    ahead: bool = False
    """If the run has not asked yet, keep the answer until it does."""
    message_id: str | None = None
    """The run gets the answer once, however often it is sent under this id."""


class NewApproval(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    task: str
    """The name of a DAG's task, or the path of a flow's node."""
    value: Any = True
    """False: no."""
    comment: str = ""


_NO_REASON: Final = Reason()
_NO_NOTE: Final = Note()
_PLAIN_RESUMPTION: Final = Resumption()
_PLAIN_RETRY: Final = Retry()
_EVERY_TASK: Final = TryNow()


@post(
    "/runs/{id:str}/cancel",
    name="runs.cancel",
    dto=Body[Reason],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409),
)
async def cancel_run(
    id: FromPath[str],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    data: JSONBody[Reason] = _NO_REASON,
) -> RunInfo:
    """Ask a run to end. Its code may clean up."""
    return await _acted(client, id, record, data, lambda: client.cancel(id, data.reason, by=caller.name))


@post(
    "/runs/{id:str}/terminate",
    name="runs.terminate",
    dto=Body[Reason],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409),
)
async def terminate_run(
    id: FromPath[str],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    data: JSONBody[Reason] = _NO_REASON,
) -> RunInfo:
    """End a run without asking it: its code cannot clean up."""
    return await _acted(client, id, record, data, lambda: client.terminate(id, data.reason, by=caller.name))


@post(
    "/runs/{id:str}/pause",
    name="runs.pause",
    dto=Body[Note],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409),
)
async def pause_run(
    id: FromPath[str],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    data: JSONBody[Note] = _NO_NOTE,
) -> RunInfo:
    """Begin no task of the run until it is resumed."""
    return await _acted(client, id, record, data, lambda: client.pause(id, data.note, by=caller.name))


@post(
    "/runs/{id:str}/resume",
    name="runs.resume",
    dto=Body[Resumption],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409),
)
async def resume_run(
    id: FromPath[str],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    data: JSONBody[Resumption] = _PLAIN_RESUMPTION,
) -> RunInfo:
    """Let a paused or parked run go on."""
    return await _acted(
        client, id, record, data, lambda: client.resume(id, timers=data.timers, by=caller.name)
    )


@post(
    "/runs/{id:str}/retry",
    name="runs.retry",
    dto=Body[Retry],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409),
)
async def retry_run(
    id: FromPath[str],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    data: JSONBody[Retry] = _PLAIN_RETRY,
) -> RunInfo:
    """Reopen a run that failed or was cancelled. What is recorded stays; what failed is tried again."""
    return await _acted(
        client,
        id,
        record,
        data,
        lambda: client.retry(id, deadline=new_deadline(data.deadline), by=caller.name),
    )


@post(
    "/runs/{id:str}/try-now",
    name="runs.try_now",
    dto=Body[TryNow],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409),
)
async def try_now(
    id: FromPath[str],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    data: JSONBody[TryNow] = _EVERY_TASK,
) -> RunInfo:
    """End the backoff of a task, or of all tasks of the run."""
    return await _acted(client, id, record, data, lambda: client.try_now(id, data.task, by=caller.name))


@post(
    "/runs/{id:str}/signals",
    name="runs.signal",
    dto=Body[NewSignal],
    return_dto=None,
    status_code=204,
    responses=may_answer(404, 409, 413),
)
async def signal_run(
    id: FromPath[str],
    data: JSONBody[NewSignal],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
) -> None:
    """Send a signal."""
    record.after = {"signal": data.name}
    await client.signal(id, data.name, data.value, by=caller.name, message_id=data.message_id)


@post(
    "/runs/{id:str}/updates",
    name="runs.update",
    dto=Body[NewUpdate],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409, 413, 422)
    | {202: ResponseSpec(UpdateAnswer, description="Not answered yet.", generate_examples=False)},
)
async def update_run(
    id: FromPath[str],
    data: JSONBody[NewUpdate],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
) -> Response[UpdateAnswer]:
    """Send a message to the run, and answer with what its handler returned."""
    record.after = {"update": data.name, "message_id": data.message_id}
    try:
        answer = await client.update(
            id,
            data.name,
            *data.args,
            timeout=span("wait", data.wait),
            by=caller.name,
            message_id=data.message_id,
        )
    except UpdateTimedOut:
        return Response(UpdateAnswer(data.message_id, False), status_code=202)
    return Response(UpdateAnswer(data.message_id, True, answer), status_code=200)


@post(
    "/runs/{id:str}/answers",
    name="runs.answer",
    dto=Body[NewAnswer],
    return_dto=None,
    status_code=204,
    responses=may_answer(404, 409, 413),
)
async def answer_question(
    id: FromPath[str],
    data: JSONBody[NewAnswer],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
) -> None:
    """Answer what a run asks for, or refuse to."""
    error = data.reject if data.failure is None else data.failure
    record.after = {"question": data.question, "is_rejected": error is not None}
    if sum(each is not None for each in (data.value, data.reject, data.failure)) > 1:
        raise BadRequest("give one of value, reject and failure", "reject")
    if error is not None:
        await client.reject(
            id,
            data.question,
            error,
            by=caller.name,
            comment=data.comment,
            ahead=data.ahead,
            message_id=data.message_id,
        )
    else:
        await client.resolve(
            id,
            data.question,
            data.value,
            by=caller.name,
            comment=data.comment,
            ahead=data.ahead,
            message_id=data.message_id,
        )


@post(
    "/runs/{id:str}/approvals",
    name="runs.approve",
    dto=Body[NewApproval],
    return_dto=None,
    status_code=204,
    responses=may_answer(404, 409, 413),
)
async def approve_task(
    id: FromPath[str],
    data: JSONBody[NewApproval],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
) -> None:
    """Answer the approval that a task of a DAG or a node of a flow waits for."""
    record.after = {"task": data.task, "value": data.value}
    await client.approve(id, data.task, value=data.value, by=caller.name, comment=data.comment)


ROUTES = [
    cancel_run,
    terminate_run,
    pause_run,
    resume_run,
    retry_run,
    try_now,
    signal_run,
    update_run,
    answer_question,
    approve_task,
]


async def _acted(
    client: Client, id: str, record: Record, said: msgspec.Struct, act: Callable[[], Awaitable[None]]
) -> RunInfo:
    """The run after the act. The audit log has its status before and after, and what was said."""
    record.before = {"status": (await client.describe(id)).status}
    await act()
    after = await client.describe(id)
    record.after = {"status": after.status, **msgspec.to_builtins(said)}
    return after


def new_deadline(given: dt.datetime | float | msgspec.UnsetType | None) -> NewDeadline:
    if isinstance(given, msgspec.UnsetType):
        return KEEP_DEADLINE
    return given if given is None or isinstance(given, dt.datetime) else span("deadline", given)
