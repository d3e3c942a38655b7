"""What there is of a run: why it waits, tasks, attempts, chapters, logs, streams, messages, state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from holdfast.client.client import Client
from holdfast.client.logs import LogEntry, read_log_offset
from holdfast.client.operators import MessageInfo
from holdfast.client.run import AttemptInfo, ChapterInfo, Cursor, RunInfo, TaskInfo
from holdfast.client.streams import StreamInfo, StreamItem
from holdfast.core.explanations import Explanation, ExplanationPart, RunFacts
from holdfast.core.journal_views import JournalStep
from holdfast.core.past_states import PastState
from holdfast.core.values import Failure, TaskStatus
from holdfast.server.api.v1.event_headers import Accept, LastEvent, wants_events
from holdfast.server.api.v1.paging import Limit, Page
from holdfast.server.api.v1.run_conditions import After, Payloads
from holdfast.server.live.following import log_events, stream_events
from holdfast.server.live.responses import OpenStreams, StreamOperation
from holdfast.server.problems import BadRequest, NotFound, may_answer

LARGEST = 2**31 - 1

Seq: TypeAlias = Annotated[
    int | None, QueryParameter(ge=0, le=LARGEST, description="`next` of the page before.")
]
Offset: TypeAlias = Annotated[
    int | None, QueryParameter(ge=0, le=2**62 - 1, description="`next` of the page before.")
]


class ExplanationAnswer(msgspec.Struct, frozen=True):
    summary: str
    """One line: the first problem, or else what it waits for."""
    explanation: Explanation
    parts: tuple[ExplanationPart, ...]
    """One or a few sentences, with what they name. As in the explanation."""
    facts: RunFacts | None


class CursorAnswer(msgspec.Struct, frozen=True):
    cursor: Cursor | None
    """None: it has not begun, or is no run of a flow."""


class TaskDetails(msgspec.Struct, frozen=True):
    task: TaskInfo
    input: Any
    output: Any
    failure: Failure | None
    attempts: list[AttemptInfo]
    """Those that did not succeed, or that a remote worker made."""


@get("/runs/{id:str}/explanation", name="runs.explain", responses=may_answer(404))
async def explain_run(client: NamedDependency[Client], id: FromPath[str]) -> ExplanationAnswer:
    """Why the run does not go on: what it waits for, since when, what would move it, what is wrong."""
    found = await client.explain(id)
    return ExplanationAnswer(found.summary, found, found.parts, found.facts)


@get("/runs/{id:str}/tasks", name="runs.tasks", responses=may_answer(404))
async def list_tasks(
    client: NamedDependency[Client],
    id: FromPath[str],
    name: Annotated[str | None, QueryParameter(description="Only tasks of this name.")] = None,
    status: Annotated[
        Sequence[TaskStatus], QueryParameter(description="One of these states.", max_items=20)
    ] = (),
    after: Annotated[
        int | None,
        QueryParameter(ge=0, le=LARGEST, description="The number of a task: only those after it."),
    ] = None,
    limit: Limit = 100,
) -> Page[TaskInfo]:
    """The tasks of a run in the order in which it asked for them, without their inputs and outputs."""
    if after == LARGEST:
        return Page([])
    since = 0 if after is None else after + 1
    found = await client.tasks(id, since=since, limit=limit, name=name, status=status or None)
    return Page(found, str(found[-1].seq) if len(found) == limit else None)


@get("/runs/{id:str}/tasks/{seq:int}", name="runs.task", responses=may_answer(404))
async def get_task(client: NamedDependency[Client], id: FromPath[str], seq: FromPath[int]) -> TaskDetails:
    """One task by its number, with its input, its output and its attempts."""
    run = await client.get(id)
    found = await client.tasks(run, since=seq, limit=1) if 0 <= seq <= LARGEST else []
    if not found or found[0].seq != seq:
        raise NotFound(f"run {id!r} has no task {seq}")
    [record] = await client.list_tasks(run, since=seq, limit=1)
    return TaskDetails(
        found[0],
        stored_json(record.input),
        None if record.output is None else stored_json(record.output),
        record.failure,
        await client.attempts(run, of=[seq]),
    )


@get("/runs/{id:str}/attempts", name="runs.attempts", responses=may_answer(404))
async def list_attempts(
    client: NamedDependency[Client],
    id: FromPath[str],
    task: Annotated[
        list[int], QueryParameter(min_items=1, max_items=1000, description="The numbers of tasks.")
    ],
) -> Page[AttemptInfo]:
    """The attempts at some tasks that did not succeed, or that remote workers made."""
    of = [each for each in task if 0 <= each <= LARGEST]
    return Page(await client.attempts(id, of=of))


@get("/runs/{id:str}/chapters", name="runs.chapters", responses=may_answer(404))
async def list_chapters(
    client: NamedDependency[Client], id: FromPath[str], after: Seq = None, limit: Limit = 100
) -> Page[ChapterInfo]:
    """The chapters of a run: from `continue_as` to `continue_as`."""
    since = 1 if after is None else min(after + 1, LARGEST)
    found = await client.chapters(id, since=since, limit=limit)
    return Page(found, str(found[-1].number) if len(found) == limit else None)


@get("/runs/{id:str}/journal", name="runs.journal", responses=may_answer(404))
async def read_journal(
    client: NamedDependency[Client], id: FromPath[str], after: Seq = None, limit: Limit = 100
) -> Page[JournalStep]:
    """The steps of a run, of all its chapters: what it was told, and what it asked for then. The oldest come
    first. A page ends after about 1 MB."""
    if after == LARGEST:
        return Page([])
    found = await client.journal(id, after=after, limit=limit)
    return Page(found.items, None if found.next is None else str(found.next))


@get("/runs/{id:str}/children", name="runs.children", responses=may_answer(404))
async def list_children(
    client: NamedDependency[Client],
    id: FromPath[str],
    after: After = None,
    limit: Limit = 100,
    payloads: Payloads = False,
) -> Page[RunInfo]:
    """The children of a run, newest first."""
    found = await client.page(parent=id, limit=limit, after=after, payloads=payloads)
    return Page(found.items, found.next)


@get("/runs/{id:str}/messages", name="runs.messages", responses=may_answer(404))
async def list_messages(
    client: NamedDependency[Client],
    id: FromPath[str],
    acts_only: Annotated[bool, QueryParameter(description="Only answers, and what operators did.")] = False,
    after: Offset = None,
    limit: Limit = 100,
) -> Page[MessageInfo]:
    """What the run was sent, and what operators did to it: who, what and when. The oldest come first."""
    found = await client.messages(id, acts_only=acts_only, after=after or 0, limit=limit)
    return Page(found, str(found[-1].id) if len(found) == limit else None)


@get("/runs/{id:str}/state", name="runs.state", responses=may_answer(404))
async def read_state(client: NamedDependency[Client], id: FromPath[str]) -> dict[str, Any]:
    """The durable state of a run. Of a flow it is the shared state."""
    return await client.state(id)


@get("/runs/{id:str}/state/{step:int}", name="runs.state_at", responses=may_answer(404))
async def read_state_at(client: NamedDependency[Client], id: FromPath[str], step: FromPath[int]) -> PastState:
    """The durable state of a run as it was after a step of its journal.

    The store keeps only the newest values. A value is shown if the journal proves that the key had it then,
    or if the replay of a flow does. Other keys are in `not_kept`, with the step that has changed them since.
    5,000 steps are looked at before and behind that step; if there are more, `is_all` may be false.
    """
    return await client.state_at(id, step)


@get("/runs/{id:str}/cursor", name="runs.cursor", responses=may_answer(404))
async def read_cursor(client: NamedDependency[Client], id: FromPath[str]) -> CursorAnswer:
    """Where a run of a flow is."""
    return CursorAnswer(await client.cursor(id))


@get("/runs/{id:str}/streams", name="runs.streams", responses=may_answer(404))
async def list_streams(client: NamedDependency[Client], id: FromPath[str]) -> Page[StreamInfo]:
    """The streams to which the run has published, by name."""
    return Page(await client.streams(id))


@get(
    "/runs/{id:str}/logs",
    name="runs.logs",
    responses=may_answer(404),
    operation_class=StreamOperation,
)
async def read_logs(
    client: NamedDependency[Client],
    streams: NamedDependency[OpenStreams],
    id: FromPath[str],
    accept: Accept = "",
    last_event: LastEvent = None,
    task: Annotated[str | None, QueryParameter(description="Only what tasks of this name wrote.")] = None,
    follow: Annotated[bool, QueryParameter(description="As events, until the run has ended.")] = False,
    after: Annotated[str | None, QueryParameter(description="`next` of the page before.")] = None,
    limit: Limit = 100,
) -> Response[Page[LogEntry]]:
    """Lines that the code of the run and its tasks have written, in that order, from the one behind the
    offset `after` on. With `Accept: text/event-stream`, or `follow=true`: as events until it has ended."""
    if follow or wants_events(accept):
        streams.check_room()
        after = last_event or after
        read_log_offset(after)
        return streams.respond(log_events(client, await client.get(id), task, after))
    found = await client.log_page(id, after=after, task=task, limit=limit)
    return Response(Page(found, found[-1].offset if found else after))


@get(
    "/runs/{id:str}/streams/{name:str}",
    name="runs.stream",
    responses=may_answer(404, 410),
    operation_class=StreamOperation,
)
async def read_stream(
    client: NamedDependency[Client],
    streams: NamedDependency[OpenStreams],
    id: FromPath[str],
    name: FromPath[str],
    accept: Accept = "",
    last_event: LastEvent = None,
    after: Offset = None,
    limit: Limit = 100,
) -> Response[Page[StreamItem]]:
    """Items of a stream, from the one behind the offset `after` on. With `Accept: text/event-stream`: as
    events, and new ones as they come, until the run has ended."""
    if wants_events(accept):
        streams.check_room()
        begin = after if last_event is None else _number_of(last_event)
        async for _ in client.stream(id, name, after=begin, follow=False):
            break  # the run is there, and no item behind the offset is gone
        return streams.respond(stream_events(client, await client.get(id), name, begin))
    items: list[StreamItem] = []
    async for item in client.stream(id, name, after=after, follow=False):
        items.append(item)
        if len(items) == limit:
            break
    return Response(Page(items, str(items[-1].offset) if items else None if after is None else str(after)))


def _number_of(last_event: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", last_event, re.ASCII):
        raise BadRequest(
            f"the header Last-Event-ID is {last_event!r}: not the id of an item", "Last-Event-ID"
        )
    return int(last_event)


ROUTES = [
    explain_run,
    list_tasks,
    get_task,
    list_attempts,
    list_chapters,
    read_journal,
    list_children,
    list_messages,
    read_state,
    read_state_at,
    read_cursor,
    read_logs,
    list_streams,
    read_stream,
]


def stored_json(payload: bytes) -> Any:
    """JSON as it is stored. If it is damaged, its text."""
    try:
        msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return payload.decode(errors="replace")
    return msgspec.Raw(payload)
