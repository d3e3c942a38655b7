"""What a client reads of one run, over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, Unpack

import msgspec

from holdfast.client.client import Client
from holdfast.client.logs import LogEntry, LogLine, read_log_offset
from holdfast.client.run import AttemptInfo, ChapterInfo, Cursor, Run, RunInfo, TaskInfo
from holdfast.client.run_filters import RunConditions, check_number
from holdfast.client.run_reading import JournalPage, checked_tasks
from holdfast.client.streams import StreamInfo, StreamItem, checked_offset
from holdfast.client.watching import change_filter
from holdfast.core.changes import Change
from holdfast.core.explanations import Explanation
from holdfast.core.journal_views import JournalStep
from holdfast.core.past_states import PastState
from holdfast.core.records import TaskRecord
from holdfast.core.stream_items import checked_stream
from holdfast.core.values import NULL, Failure, Payload, RunKey, TaskStatus, instant, key_from_text
from holdfast.errors import BadOption, ServerFailed
from holdfast.remote.addressing import PAGE, Page, all_pages, name_of, refused, refused_now, run_path
from holdfast.remote.connection import Connection
from holdfast.remote.endings import RemoteWaiters
from holdfast.remote.event_stream import EventStream

_TASKS_AT_ONCE: Final = 200
_AT_ONCE: Final = 20
_LARGEST: Final = 2**31 - 1


class _Explained(msgspec.Struct, frozen=True):
    explanation: Explanation


class _Offset(msgspec.Struct, frozen=True):
    offset: str


class _RawItem(StreamItem, frozen=True):
    value: msgspec.Raw  # pyright: ignore[reportIncompatibleVariableOverride, reportGeneralTypeIssues]


class _Cursor(msgspec.Struct, frozen=True):
    cursor: Cursor | None


class _TaskDetails(msgspec.Struct, frozen=True):
    task: TaskInfo
    input: msgspec.Raw
    output: msgspec.Raw
    failure: Failure | None


class RemoteRunReading(Client):
    _connection: Connection
    _remote_waiters: RemoteWaiters

    @property
    def waiters(self) -> RemoteWaiters:
        self._check_loop()
        return self._remote_waiters

    async def key_of(self, run: Run[Any] | str) -> RunKey:
        self._check_run(run)
        if isinstance(run, Run):
            return run.key
        key = key_from_text((await self.describe(run)).key)
        if key is None:
            raise ServerFailed(self._connection.url, 200, "the key of the run is not one")
        return key

    async def describe(self, run: Run[Any] | str) -> RunInfo:
        self._check_run(run)
        return await self._connection.ask("GET", run_path(run), RunInfo)

    async def get(self, id: str) -> Run[Any]:
        return Run(self, await self.key_of(id), id, self._decode_plain)

    async def explain(self, run: Run[Any] | str) -> Explanation:
        self._check_run(run)
        return (await self._connection.ask("GET", run_path(run, "explanation"), _Explained)).explanation

    async def journal(
        self, run: Run[Any] | str, *, after: int | None = None, limit: int = 1000
    ) -> JournalPage:
        self._check_run(run)
        check_number("limit", limit, 1, 10_000)
        query = {"after": after, "limit": min(limit, PAGE)}
        page = await self._connection.ask("GET", run_path(run, "journal"), Page[JournalStep], query=query)
        return JournalPage(page.items, None if page.next is None else int(page.next))

    async def chapters(self, run: Run[Any] | str, *, since: int = 1, limit: int = 1000) -> list[ChapterInfo]:
        self._check_run(run)
        check_number("since", since, 1, _LARGEST)
        check_number("limit", limit, 1, 10_000)
        query = {} if since == 1 else {"after": since - 1}
        return await all_pages(self._connection, run_path(run, "chapters"), ChapterInfo, query, limit)

    async def tasks(
        self,
        run: Run[Any] | str,
        *,
        since: int = 0,
        limit: int = 10_000,
        name: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> list[TaskInfo]:
        self._check_run(run)
        check_number("since", since, 0, _LARGEST)
        check_number("limit", limit, 1, _LARGEST)
        known, states = checked_tasks(name, status)
        query: dict[str, Any] = {"name": known, "status": [*(states or ())]}
        if since > 0:
            query["after"] = since - 1
        return await all_pages(self._connection, run_path(run, "tasks"), TaskInfo, query, limit)

    async def attempts(self, run: Run[Any] | str, *, of: Sequence[int] | None = None) -> list[AttemptInfo]:
        self._check_run(run)
        numbers = [task.seq for task in await self.tasks(run, limit=_LARGEST)] if of is None else [*of]
        found: list[AttemptInfo] = []
        for first in range(0, len(numbers), _TASKS_AT_ONCE):
            query = {"task": [str(each) for each in numbers[first : first + _TASKS_AT_ONCE]]}
            path = run_path(run, "attempts")
            found += (await self._connection.ask("GET", path, Page[AttemptInfo], query=query)).items
        return found

    async def state(self, run: Run[Any] | str) -> dict[str, Any]:
        self._check_run(run)
        return await self._connection.ask("GET", run_path(run, "state"), dict[str, Any])

    async def state_at(self, run: Run[Any] | str, step: int) -> PastState:
        self._check_run(run)
        check_number("step", step, 0, _LARGEST)
        return await self._connection.ask("GET", run_path(run, "state", step), PastState)

    async def streams(self, run: Run[Any] | str) -> list[StreamInfo]:
        self._check_run(run)
        return (await self._connection.ask("GET", run_path(run, "streams"), Page[StreamInfo])).items

    async def cursor(self, run: Run[Any] | str) -> Cursor | None:
        self._check_run(run)
        return (await self._connection.ask("GET", run_path(run, "cursor"), _Cursor)).cursor

    async def list_tasks(
        self, run: Run[Any] | str, *, since: int = 0, limit: int | None = None
    ) -> list[TaskRecord]:
        """A request for each task. What is not to be had over HTTP has its default."""
        key = await self.key_of(run)
        tasks = await self.tasks(run, since=since, limit=_LARGEST if limit is None else limit)
        found: list[_TaskDetails] = []
        for first in range(0, len(tasks), _AT_ONCE):
            some = tasks[first : first + _AT_ONCE]
            found += await asyncio.gather(
                *[self._connection.ask("GET", run_path(run, "tasks", it.seq), _TaskDetails) for it in some]
            )
        return [_record_of(key, each) for each in found]

    # --- logs

    async def logs(self, run: Run[Any] | str, task: str | None = None) -> list[LogLine]:
        lines: list[LogLine] = []
        after: str | None = None
        while page := await self.log_page(run, after=after, task=task):
            lines += [_line(entry) for entry in page]
            after = page[-1].offset
        return lines

    async def log_page(
        self, run: Run[Any] | str, *, after: str | None = None, task: str | None = None, limit: int = 1000
    ) -> list[LogEntry]:
        self._check_run(run)
        check_number("limit", limit, 1, 10_000)
        read_log_offset(after)
        query = {"after": after, "task": task, "limit": min(limit, PAGE)}
        return (await self._connection.ask("GET", run_path(run, "logs"), Page[LogEntry], query=query)).items

    async def follow(self, run: Run[Any] | str, task: str | None = None) -> AsyncIterator[LogLine]:
        self._check_run(run)
        stream = self._events(run_path(run, "logs"), {"task": task, "follow": True}, None)
        async with contextlib.aclosing(stream.events()) as events:
            async for event in events:
                yield _line(self._connection.read(event.data, LogEntry))

    # --- streams and changes

    def stream(
        self,
        run: Run[Any] | str,
        name: str,
        *,
        after: int | None = None,
        type: Any = Any,
        follow: bool = True,
    ) -> AsyncIterator[StreamItem]:
        name, after = checked_stream(name), checked_offset(after)
        self._check_run(run)
        path = run_path(run, "streams", name)
        return self._followed(path, name, after, type) if follow else self._items(path, name, after, type)

    async def _followed(
        self, path: str, name: str, after: int | None, type: Any
    ) -> AsyncIterator[StreamItem]:
        query = {} if after is None else {"after": after}
        async with contextlib.aclosing(self._events(path, query, None).events()) as events:
            async for event in events:
                yield self._item(self._connection.read(event.data, _RawItem), name, type)

    async def _items(self, path: str, name: str, after: int | None, type: Any) -> AsyncIterator[StreamItem]:
        while True:
            query = {"after": after, "limit": PAGE}
            page = await self._connection.ask("GET", path, Page[_RawItem], query=query)
            for raw in page.items:
                yield self._item(raw, name, type)
            if not page.items:
                return
            after = page.items[-1].offset

    def _item(self, raw: _RawItem, name: str, type: Any) -> StreamItem:
        value = self._workflows.decode(Payload(bytes(raw.value)), type, f"an item of stream {name!r}")
        return StreamItem(raw.offset, value, raw.task, raw.attempt, raw.at, raw.is_first, raw.seq)

    async def watch(
        self,
        run: Run[Any] | str | None = None,
        *,
        after: str | None = None,
        **conditions: Unpack[RunConditions],
    ) -> AsyncIterator[Change]:
        which = change_filter(conditions)
        query: dict[str, Any] = {"workflow": which.workflow, "status": which.status, "tag": which.tag}
        for name in ("created_after", "created_before"):
            if (at := conditions.get(name)) is not None:
                query[name] = at.isoformat()
        if run is not None:
            if conditions:
                raise BadOption("conditions", ", ".join(conditions), "left out, since one run is watched")
            self._check_run(run)
            query = {"run": name_of(run)}
        begin = await self.watch_offset() if after is None else after
        async with contextlib.aclosing(self._events("/events", query, begin).events()) as events:
            async for event in events:
                yield self._connection.read(event.data, Change)

    async def watch_offset(self) -> str:
        self._check_loop()
        return (await self._connection.ask("GET", "/events/offset", _Offset)).offset

    def _events(self, path: str, query: dict[str, Any], after: str | None) -> EventStream:
        self._check_loop()
        return EventStream(self._connection, path, query, after)

    # --- what only the database has

    history = refused("history", "read journal() and tasks(), or run this where the database is")
    watching = refused_now("watching", "watch() tells the same")


def _record_of(run: RunKey, found: _TaskDetails) -> TaskRecord:
    task, output = found.task, Payload(bytes(found.output))
    return TaskRecord(
        run,
        task.seq,
        task.name,
        task.status,
        task.attempt,
        task.lost,
        0,
        Payload(bytes(found.input)),
        output if output != NULL or task.status is TaskStatus.SUCCESS else None,
        found.failure,
        None,
        None if task.retry_at is None else instant(task.retry_at),
        instant(task.created_at),
        None if task.started_at is None else instant(task.started_at),
        None if task.finished_at is None else instant(task.finished_at),
    )


def _line(entry: LogEntry) -> LogLine:
    return LogLine(entry.at, entry.task, entry.index, entry.attempt, entry.stream, entry.text)
