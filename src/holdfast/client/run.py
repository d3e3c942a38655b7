"""The handle of a run (`Run`), and the descriptions of runs, tasks and attempts (`RunInfo`, …)."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from holdfast.client.operators import Timers
from holdfast.client.streams import StreamItem
from holdfast.client.waiters import Waiters
from holdfast.core.codec import decode_any
from holdfast.core.explaining import describe_claim
from holdfast.core.fingerprints import fingerprint
from holdfast.core.names import checked_span
from holdfast.core.records import AttemptRecord, ChapterRecord, RunRecord, TaskSummary
from holdfast.core.run_options import KEEP_DEADLINE, NewDeadline, read_run_options
from holdfast.core.values import (
    Failure,
    Instant,
    Payload,
    RunKey,
    RunStatus,
    TaskStatus,
    key_text,
    moment,
)
from holdfast.errors import WrongType
from holdfast.ports.flows import CURSOR
from holdfast.ports.workflows import Workflows


class RunInfo(msgspec.Struct, frozen=True):
    """A run as people and `--json` see it."""

    id: str
    key: str
    """The run's UUID. The same as `id`, unless the user gave an id."""
    namespace: str
    workflow: str
    version: str
    status: RunStatus
    input: Any
    output: Any
    failure: Failure | None
    """Why it failed, was cancelled or is parked."""
    waiting: str | None
    """What it waits for, in words."""
    created_at: dt.datetime
    started_at: dt.datetime | None
    finished_at: dt.datetime | None
    tags: tuple[str, ...] = ()
    note: str = ""
    priority: int = 0
    deadline: dt.datetime | None = None
    started_by: str = ""
    fingerprint: str | None = None
    """Of its failure: failures of one cause have the same."""
    former_id: str | None = None
    """The id that it had until a newer run took it (`id_policy`)."""
    previous: str | None = None
    """The key of the run that had the id before it."""
    chapter: int = 1
    """The number of its last chapter: more than 1 if it has gone on as a new one. `input` is of that one."""


class RunsPage(msgspec.Struct, frozen=True):
    """Some runs of a list, the newest first."""

    items: list[RunInfo]
    next: str | None
    """Pass it as `after` for the next page. None: this is the last one."""


class ChapterInfo(msgspec.Struct, frozen=True):
    """A chapter of a run: from `continue_as` to `continue_as`."""

    number: int
    """From 1."""
    input: Any
    began_at: dt.datetime
    ended_at: dt.datetime | None
    """When the next one began, or the run ended. None: the run is in this chapter."""
    steps: int
    """How long its history is."""


R = TypeVar("R")

_CLAIMED_WITHIN = 1_000_000
"""Microseconds. A node that has the workflow claims a due run at once."""


class RunCalls(Protocol):
    """The methods of a client that its handles call."""

    @property
    def waiters(self) -> Waiters: ...

    async def describe(self, run: Run[Any] | str) -> RunInfo: ...

    def stream(
        self, run: Run[Any] | str, name: str, *, after: int | None, type: Any, follow: bool
    ) -> AsyncIterator[StreamItem]: ...

    async def signal(
        self,
        run: Run[Any] | str,
        name: str,
        value: Any = None,
        *,
        by: str = "",
        message_id: str | None = None,
    ) -> None: ...

    async def update(
        self,
        run: Run[Any] | str,
        name: str,
        /,
        *args: Any,
        timeout: dt.timedelta | None,
        by: str,
        message_id: str | None,
        type: Any,
    ) -> Any: ...

    async def resolve(
        self,
        run: Run[Any] | str,
        name: str | int,
        value: Any = None,
        *,
        by: str = "",
        comment: str = "",
        ahead: bool = False,
    ) -> None: ...

    async def reject(
        self,
        run: Run[Any] | str,
        name: str | int,
        error: Exception | str,
        *,
        by: str = "",
        comment: str = "",
        ahead: bool = False,
    ) -> None: ...

    async def cancel(self, run: Run[Any] | str, reason: str = "", *, by: str = "") -> None: ...

    async def terminate(self, run: Run[Any] | str, reason: str = "", *, by: str = "") -> None: ...

    async def pause(self, run: Run[Any] | str, note: str = "", *, by: str = "") -> None: ...

    async def resume(self, run: Run[Any] | str, *, timers: str = Timers.CATCH_UP, by: str = "") -> None: ...

    async def retry(
        self, run: Run[Any] | str, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = ""
    ) -> None: ...


class Run(Generic[R]):
    """A handle of a run. It is cheap, and `hf.get(id)` makes another one at any time."""

    __slots__ = ("_client", "_id", "_unpack_result", "key")

    def __init__(
        self, client: RunCalls, key: RunKey, id: str | None, unpack_result: Callable[[Payload], R]
    ) -> None:
        self._client = client
        self._unpack_result = unpack_result
        self.key = key
        self._id = id

    @property
    def id(self) -> str:
        return self._id or key_text(self.key)

    def result(self, timeout: dt.timedelta | None = None) -> Awaitable[R]:
        """Wait for the end. Raises RunFailed (and the original class), RunCancelled, or TimeoutError."""
        seconds = None if timeout is None else checked_span("timeout", timeout).total_seconds()
        ending = self._client.waiters.wait(self.key, self._id, self._unpack_result)
        return ending if seconds is None else asyncio.wait_for(ending, seconds)

    async def describe(self) -> RunInfo:
        return await self._client.describe(self)

    async def status(self) -> RunStatus:
        return (await self._client.describe(self)).status

    def stream(
        self, name: str, *, after: int | None = None, type: Any = Any, follow: bool = True
    ) -> AsyncIterator[StreamItem]:
        """The items that the run publishes to a stream, until the run has ended; see `hf.stream`."""
        return self._client.stream(self, name, after=after, type=type, follow=follow)

    async def signal(
        self, name: str, value: Any = None, *, by: str = "", message_id: str | None = None
    ) -> None:
        await self._client.signal(self, name, value, by=by, message_id=message_id)

    async def update(
        self,
        name: str,
        /,
        *args: Any,
        timeout: dt.timedelta | None = None,
        by: str = "",
        message_id: str | None = None,
        type: Any = Any,
    ) -> Any:
        return await self._client.update(
            self, name, *args, timeout=timeout, by=by, message_id=message_id, type=type
        )

    async def resolve(
        self, name: str | int, value: Any = None, *, by: str = "", comment: str = "", ahead: bool = False
    ) -> None:
        await self._client.resolve(self, name, value, by=by, comment=comment, ahead=ahead)

    async def reject(
        self,
        name: str | int,
        error: Exception | str,
        *,
        by: str = "",
        comment: str = "",
        ahead: bool = False,
    ) -> None:
        await self._client.reject(self, name, error, by=by, comment=comment, ahead=ahead)

    async def cancel(self, reason: str = "", *, by: str = "") -> None:
        await self._client.cancel(self, reason, by=by)

    async def terminate(self, reason: str = "", *, by: str = "") -> None:
        await self._client.terminate(self, reason, by=by)

    async def pause(self, note: str = "", *, by: str = "") -> None:
        await self._client.pause(self, note, by=by)

    async def resume(self, *, timers: str = Timers.CATCH_UP, by: str = "") -> None:
        await self._client.resume(self, timers=timers, by=by)

    async def retry(self, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = "") -> None:
        await self._client.retry(self, deadline=deadline, by=by)

    def __repr__(self) -> str:
        return f"<run {self.id!r}>"


class TaskInfo(msgspec.Struct, frozen=True):
    """A task of a run."""

    seq: int
    name: str
    index: int | None
    count: int | None
    """Its index in a fan-out and the size of the fan-out, if it is part of one. Flows record no size."""
    status: TaskStatus
    attempt: int
    lost: int
    """How many attempts were lost with their node."""
    problem: str | None
    """Why it failed."""
    retry_at: dt.datetime | None
    created_at: dt.datetime
    started_at: dt.datetime | None
    finished_at: dt.datetime | None
    progress: Any = None
    """The details of its last heartbeat, while it has not ended. They are some 100 ms old."""


def task_info(summary: TaskSummary) -> TaskInfo:
    return TaskInfo(
        summary.seq,
        summary.name,
        summary.index,
        summary.count,
        summary.status,
        summary.attempt,
        summary.lost,
        summary.problem,
        _moment(summary.due_at),
        moment(summary.created_at),
        _moment(summary.started_at),
        _moment(summary.finished_at),
        None if summary.progress is None else _plain(summary.progress),
    )


def _plain(payload: Payload) -> Any:
    """If it is not JSON, its text: a damaged row must not hide the other tasks of a list."""
    try:
        return decode_any(payload)
    except (ValueError, msgspec.MsgspecError):
        return payload.decode(errors="replace")


class AttemptInfo(msgspec.Struct, frozen=True):
    """An attempt that did not succeed, or that a remote worker made."""

    seq: int
    attempt: int
    status: str
    """`failed`, `timed_out`, `lost`, or (of a remote worker only) `success`"""
    problem: str | None
    traceback: str | None
    node: str
    started_at: dt.datetime | None
    finished_at: dt.datetime
    worker: str = ""
    """The worker that made it and its address; empty if the node made it."""


def attempt_info(record: AttemptRecord) -> AttemptInfo:
    return AttemptInfo(
        record.seq,
        record.attempt,
        record.status,
        None if record.failure is None else record.failure.summary,
        None if record.failure is None else record.failure.whole_traceback,
        record.node,
        _moment(record.started_at),
        moment(record.finished_at),
        f"{record.worker} {record.worker_url}" if record.worker_url else record.worker,
    )


class Cursor(msgspec.Struct, frozen=True):
    """The position of a run in its flow."""

    node: str = ""
    """The path of the current node, or of the one that it ended with; empty after success."""
    action: str = ""
    """The last action that was taken."""
    steps: int = 0
    """How many nodes it has visited."""


_decode_cursor = msgspec.json.Decoder(Cursor).decode


def cursor_in(state: Mapping[str, Payload]) -> Cursor | None:
    """The cursor in the stored state of a run. None if it is not a run of a flow, or has not begun."""
    payload = state.get(CURSOR)
    try:
        return None if payload is None else _decode_cursor(payload)
    except msgspec.DecodeError:
        return None  # written by a later version


def run_info(record: RunRecord, workflows: Workflows, now: Instant) -> RunInfo:
    def plain(payload: Payload | None) -> Any:
        """If it is not JSON, its text: a damaged row must not hide the other runs of a list."""
        if payload is None:
            return None
        try:
            return workflows.decode(payload, Any, "a stored value")
        except WrongType:
            return payload.decode(errors="replace")

    options = read_run_options(record.options)
    failed = record.failure if record.status is RunStatus.FAILED else None
    key = key_text(record.key)
    return RunInfo(
        id=record.id or key,
        key=key,
        namespace=record.namespace,
        workflow=record.workflow,
        version=record.version,
        status=record.status,
        input=plain(record.input),
        output=plain(record.output),
        failure=record.failure,
        waiting=_waiting(record, now),
        created_at=moment(record.created_at),
        started_at=_moment(record.started_at),
        finished_at=_moment(record.finished_at),
        tags=options.tags,
        note=options.note,
        priority=record.priority,
        deadline=_moment(options.deadline),
        started_by=options.by,
        fingerprint=None if failed is None else fingerprint(failed),
        former_id=options.former_id or None,
        previous=options.previous or None,
        chapter=record.chapter + 1,
    )


def chapter_infos(
    run: RunRecord, chapters: Sequence[ChapterRecord], decode: Callable[[Payload], Any]
) -> list[ChapterInfo]:
    """`chapters` follow each other, and the last of them is the last of the run."""
    ends = [*(each.began_at for each in chapters[1:]), run.finished_at]
    return [
        ChapterInfo(
            each.number + 1,
            decode(each.input),
            moment(each.began_at),
            _moment(ended_at),
            each.next_position - each.first_position,
        )
        for each, ended_at in zip(chapters, ends, strict=False)
    ]


def _waiting(record: RunRecord, now: Instant) -> str | None:
    """What its row says was written when it left memory. If it has been due since, that has come."""
    is_claimable = record.owner is None and record.status in (RunStatus.PENDING, RunStatus.RUNNING)
    if is_claimable and record.wake_at is not None and record.wake_at < now - _CLAIMED_WITHIN:
        return f"a node that has {describe_claim(record.claim)}"
    return record.waiting


def _moment(at: Instant | None) -> dt.datetime | None:
    return None if at is None else moment(at)
