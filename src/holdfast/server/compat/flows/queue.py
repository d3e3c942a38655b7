"""The queue from which workers take tasks."""

from __future__ import annotations

from typing import Any, Final, cast

import msgspec
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody

from holdfast.client.client import Client
from holdfast.client.workers import queue_id
from holdfast.core.values import task_id
from holdfast.errors import BadOption
from holdfast.ports.workers import QueueItem
from holdfast.server.compat.error_responses import may_answer
from holdfast.server.compat.flows.answers import Acknowledged
from holdfast.server.compat.flows.node_runs import node_run_id
from holdfast.server.compat.wire import LenientBody, read_names, required, seconds, text_of


class Poll(msgspec.Struct, frozen=True):
    worker_id: str
    services: list[str] | str


class ItemAnswer(msgspec.Struct, frozen=True):
    id: str
    task_id: str
    node_key: str
    service: str
    input_json: str
    """`{"input", "params", "run_id"}` as a string of JSON. `run_id` is the id of the node run."""
    status: str
    worker_id: str
    created_at: int
    started_at: int
    timeout_at: int
    """When another worker may take the task, unless this one sends a heartbeat before."""
    traceparent: str | msgspec.UnsetType = msgspec.UNSET
    """The span in which the run was started, as the header of W3C. Left out if the run is not traced."""
    tracestate: str | msgspec.UnsetType = msgspec.UNSET


class CompletionRequest(msgspec.Struct, frozen=True):
    queue_id: str
    result: Any = None
    error: Any = None
    """Not empty: the task has failed."""
    run_id: str = ""
    log_path: str = ""


class RunUpdate(msgspec.Struct, frozen=True):
    run_id: str = ""
    queue_id: str = ""
    """One of the two."""
    status: str = ""


NO_TASK: Final = ResponseSpec(
    None, description="No task of these services waits for a worker.", generate_examples=False
)


@post(
    "/queue/poll",
    name="compat.queue.poll",
    dto=LenientBody[Poll],
    return_dto=None,
    status_code=200,
    responses={204: NO_TASK, **may_answer(413)},
)
async def poll(data: JSONBody[Poll], client: NamedDependency[Client]) -> Response[ItemAnswer]:
    """Take the task of these services that has waited longest; 204 if there is none."""
    services = read_names(data.services, "services")
    item = await client.workers.poll(required(data.worker_id, "worker_id"), services)
    if item is None:
        return Response(cast("ItemAnswer", None), status_code=204)
    return Response(_answer(item))


@post(
    "/queue/complete",
    name="compat.queue.complete",
    dto=LenientBody[CompletionRequest],
    return_dto=None,
    status_code=200,
    responses=may_answer(409, 413),
)
async def complete(data: JSONBody[CompletionRequest], client: NamedDependency[Client]) -> Acknowledged:
    """Report the result or the error of a task."""
    error = data.error if isinstance(data.error, str) else _error_text(data.error)
    await client.workers.complete(required(data.queue_id, "queue_id"), result=data.result, error=error)
    return Acknowledged()


@post(
    "/queue/update_run",
    name="compat.queue.update",
    dto=LenientBody[RunUpdate],
    return_dto=None,
    status_code=200,
    responses=may_answer(409, 413),
)
async def update_run(data: JSONBody[RunUpdate], client: NamedDependency[Client]) -> Acknowledged:
    """Say that the worker is still working on a task."""
    if not (data.queue_id or data.run_id):
        raise BadOption("run_id", "", "given")
    await client.workers.renew(data.queue_id or data.run_id)
    return Acknowledged()


ROUTES = [poll, complete, update_run]


def _error_text(error: Any) -> str:
    """An error that is not a string: null, or the error object of the worker's language."""
    return msgspec.json.encode(error).decode() if error else ""


class _RawWorkInput(msgspec.Struct):
    """The input of a flow's task, not decoded."""

    input: msgspec.Raw
    params: msgspec.Raw


_decode_work = msgspec.json.Decoder(_RawWorkInput).decode
_EMPTY = msgspec.Raw(b"{}")


def _answer(item: QueueItem) -> ItemAnswer:
    run_id = node_run_id(task_id(item.run, item.seq), item.attempt)
    try:
        work = _decode_work(item.input)
    except msgspec.ValidationError:  # not a flow: the whole payload is the input
        work = _RawWorkInput(msgspec.Raw(item.input), _EMPTY)
    traceparent, _, tracestate = item.trace.partition(" ")
    input = {"input": work.input, "params": work.params, "run_id": run_id}
    return ItemAnswer(
        id=queue_id(item),
        task_id=item.run_id,
        node_key=item.name.partition("/")[0],
        service=item.service,
        input_json=text_of(msgspec.json.encode(input)),
        status="claimed",
        worker_id=item.worker,
        created_at=seconds(item.created_at),
        started_at=seconds(item.taken_at),
        timeout_at=seconds(item.lease_until),
        traceparent=traceparent or msgspec.UNSET,
        tracestate=tracestate or msgspec.UNSET,
    )
