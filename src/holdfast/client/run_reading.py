"""What clients read of one run: its history, tasks, logs, streams and state, and what happens to it."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final, Unpack

import msgspec

from holdfast.client.logs import (
    LogEntry,
    LogLine,
    follow_logs,
    read_log_offset,
    read_log_page,
    read_logs,
)
from holdfast.client.run import (
    AttemptInfo,
    ChapterInfo,
    Cursor,
    Run,
    TaskInfo,
    attempt_info,
    chapter_infos,
    cursor_in,
    task_info,
)
from holdfast.client.run_changes import RunChanges
from holdfast.client.run_filters import RunConditions, check_number
from holdfast.client.streams import StreamInfo, StreamItem, StreamReading, checked_offset
from holdfast.client.waiters import Waiters
from holdfast.client.watching import Watching, change_filter
from holdfast.core.changes import Change, offset_text
from holdfast.core.journal_views import JournalStep, view_step
from holdfast.core.names import checked_name
from holdfast.core.past_states import PastState, StateEvidence, keys_after, with_replayed
from holdfast.core.records import Definition, History, RunRecord, TaskRecord
from holdfast.core.run_graphs import MOST_STEPS
from holdfast.core.sealed import is_sealed
from holdfast.core.stream_items import checked_stream
from holdfast.core.values import Payload, TaskStatus
from holdfast.errors import BadOption, RunNotFound
from holdfast.ports.changes import ChangeFilter
from holdfast.ports.flows import CURSOR

_MOST_TASKS: Final = 2**31 - 1
"""The largest task number that fits the column."""


_JOURNAL_BYTES: Final = 256 * 1024
"""As it is written. As people read it, with words for numbers, it is about four times as long."""
_VIEWED_AT_ONCE: Final = 50
_STATE_BYTES: Final = 8 * 1024 * 1024
"""Of the steps before a step, of those behind it, and of a history to replay."""


class JournalPage(msgspec.Struct, frozen=True):
    """Some steps of a run, in order."""

    items: list[JournalStep]
    next: int | None
    """Pass it as `after` for the next page. None: this is the last one for now."""


class RunReading(RunChanges):
    """The part of a client that reads what there is of a run."""

    @property
    @abstractmethod
    def waiters(self) -> Waiters: ...

    @abstractmethod
    async def _find(self, run: Run[Any] | str) -> RunRecord: ...

    async def history(self, run: Run[Any] | str) -> History:
        """Everything that the store has about a run. Of a run with several chapters: about the last one."""
        key = await self.key_of(run)
        found = await self._store.load_histories(self.namespace, [key])
        if not found:
            raise RunNotFound(str(run), self.namespace)
        return found[0]

    async def journal(
        self, run: Run[Any] | str, *, after: int | None = None, limit: int = 1000
    ) -> JournalPage:
        """The steps of a run, of all its chapters: what it was told, and what it asked for then. `after` is
        `next` of the page before. A page ends after about 1 MB."""
        check_number("limit", limit, 1, 10_000)
        if after is not None:
            check_number("after", after, 0, _MOST_TASKS - 1)
        record = await self._find(run)
        since = 0 if after is None else after + 1
        found = await self._store.read_steps(record.key, since, limit + 1, _JOURNAL_BYTES)
        steps: list[JournalStep] = []
        for position, step in found[:limit]:
            steps.append(view_step(position, step))
            if len(steps) % _VIEWED_AT_ONCE == 0:
                await asyncio.sleep(0)
        size = sum(len(step) for _, step in found)
        has_more = len(found) > limit or size >= _JOURNAL_BYTES
        return JournalPage(steps, steps[-1].position if steps and has_more else None)

    async def chapters(self, run: Run[Any] | str, *, since: int = 1, limit: int = 1000) -> list[ChapterInfo]:
        """The chapters of a run, from number `since` on. A run that never called `continue_as` has one."""
        check_number("since", since, 1, 2**31 - 1)
        check_number("limit", limit, 1, 10_000)
        record = await self._find(run)
        found = await self._store.list_chapters(self.namespace, record.key, since - 1, limit + 1)
        return chapter_infos(record, found, self._decode_plain)[:limit]

    async def tasks(
        self,
        run: Run[Any] | str,
        *,
        since: int = 0,
        limit: int = 10_000,
        name: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> list[TaskInfo]:
        """The run's tasks, in the order in which it asked for them, from number `since` on. With `name`, only
        tasks of that name; with `status`, only those in that state, or in one of these states."""
        _check_page(since, limit)
        which = checked_tasks(name, status)
        key = await self.key_of(run)
        found = await self._store.list_task_summaries(self.namespace, key, since, limit, *which)
        return [task_info(summary) for summary in found]

    async def attempts(self, run: Run[Any] | str, *, of: Sequence[int] | None = None) -> list[AttemptInfo]:
        """Attempts that did not succeed or that a worker made. `of` gives task numbers; None means all
        tasks."""
        found = await self._store.list_attempts(self.namespace, await self.key_of(run), of)
        return [attempt_info(record) for record in found]

    async def logs(self, run: Run[Any] | str, task: str | None = None) -> list[LogLine]:
        """What the code of the run and its tasks have written so far, in that order. With `task`, only what
        the tasks of that name have written."""
        lines = read_logs(self._store, self.namespace, await self.key_of(run), task)
        return [line async for _, line in lines]

    async def log_page(
        self, run: Run[Any] | str, *, after: str | None = None, task: str | None = None, limit: int = 1000
    ) -> list[LogEntry]:
        """As `logs`, no more than `limit` lines behind the offset `after`. Each has its offset."""
        check_number("limit", limit, 1, 10_000)
        place = read_log_offset(after)
        key = await self.key_of(run)
        return await read_log_page(self._store, self.namespace, key, task, place, limit)

    async def follow(self, run: Run[Any] | str, task: str | None = None) -> AsyncIterator[LogLine]:
        """As `logs`, and new lines as they come, until the run has ended."""
        async for line in follow_logs(self._store, self.namespace, await self.key_of(run), task):
            yield line

    def stream(
        self,
        run: Run[Any] | str,
        name: str,
        *,
        after: int | None = None,
        type: Any = Any,
        follow: bool = True,
    ) -> AsyncIterator[StreamItem]:
        """The items of a stream of the run, in order, and new ones as they come, until the run has ended.

        With `after`, only items behind that offset, and StreamGap is raised if some of them are gone; without
        it, all that are kept. `type` is what each value is converted to. With `follow=False`, only what there
        is now.
        """
        name, after = checked_stream(name), checked_offset(after)
        self._check_run(run)
        what, readers = f"an item of stream {name!r}", self.waiters.stream_readers
        unpack: Callable[[Payload], Any] = lambda it: self._workflows.decode(it, type, what)  # noqa: E731
        id = run if isinstance(run, str) else run.id
        reading = StreamReading(self._store, readers, self.namespace, id, name, follow, unpack)
        return reading.items(lambda: self.key_of(run), after)

    async def watch(
        self,
        run: Run[Any] | str | None = None,
        *,
        after: str | None = None,
        **conditions: Unpack[RunConditions],
    ) -> AsyncIterator[Change]:
        """What happens to a run, or to all runs that meet the conditions, as it is committed: each change
        once, in order.

        With `after`, everything behind that offset, and OffsetGone is raised if some of it is gone; without
        it, what happens from now on. It ends when the one run has ended; without a run, it does not end.
        """
        which = change_filter(conditions)
        if run is not None:
            if conditions:
                raise BadOption("conditions", ", ".join(conditions), "left out, since one run is watched")
            which = ChangeFilter(run=await self.key_of(run))
        watching = self.watching(which)
        if run is not None:
            watching.id = run if isinstance(run, str) else run.id
        async for change in watching.changes(after):
            yield change

    async def watch_offset(self) -> str:
        """The offset of now. What is read of runs after this call shows everything up to it, so a page takes
        the offset, reads, and watches after the offset: it misses nothing."""
        return offset_text(await self.watching(ChangeFilter()).now())

    def watching(self, which: ChangeFilter) -> Watching:
        """A reader of the changes that the filter lets through, for whoever shares one among many."""
        self._check_loop()
        return Watching(self._store, self.waiters.change_readers, self.namespace, which)

    async def streams(self, run: Run[Any] | str) -> list[StreamInfo]:
        """The streams to which the run has published, by name."""
        found = await self._store.list_streams(self.namespace, await self.key_of(run))
        return [StreamInfo(each.name, each.first, each.next) for each in found]

    async def state(self, run: Run[Any] | str) -> dict[str, Any]:
        """The durable key-value state of a run, as plain values. Of a flow it is the shared state."""
        payloads = await self._store.read_state(self.namespace, await self.key_of(run))
        return {key: self._decode_plain(payload) for key, payload in payloads.items() if key != CURSOR}

    async def state_at(self, run: Run[Any] | str, step: int) -> PastState:
        """The durable state of a run as it was after a step of its journal.

        The store keeps only the newest values. A value is shown if the journal proves that the key had it
        then, or if the replay of a flow does. Other keys are in `not_kept`, with the step that has changed
        them since. 5,000 steps are looked at before and behind that step; if there are more, `is_all` may be
        false."""
        check_number("step", step, 0, _MOST_TASKS)
        record = await self._find(run)
        found = await self._store.find_definitions(self.namespace, [(record.workflow, record.version)])
        flow = next((each for each in found if each.kind == "flow"), None)
        evidence = await self._store.read_state_evidence(
            self.namespace, record.key, step, MOST_STEPS, _STATE_BYTES, with_history=flow is not None
        )
        if step >= evidence.steps:
            known = f"0 to {evidence.steps - 1}" if evidence.steps else "none yet"
            raise BadOption("step", step, f"a step of the run's journal: {known}")
        # In a thread: thousands of steps and the replay would hold up the event loop.
        return await asyncio.to_thread(self._past_state, step, evidence, flow)

    def _past_state(self, step: int, evidence: StateEvidence, flow: Definition | None) -> PastState:
        began_with, ended_with = map(self._state_in, (evidence.began_with, evidence.ended_with))
        keys = keys_after(step, evidence, began_with, ended_with, can_remove=flow is None, hidden=CURSOR)
        if keys.not_kept and flow is not None and evidence.history is not None:
            replayed = self._workflows.replay_state(flow, evidence.history, step, ended_with)
            if replayed is not None:
                keys = with_replayed(keys, replayed)
        return PastState(
            step,
            {key: self._decode_plain(payload) for key, payload in keys.kept.items()},
            keys.not_kept,
            keys.changed,
            keys.removed,
            keys.is_all,
        )

    def _state_in(self, state: bytes | Mapping[str, Payload] | None) -> dict[str, Payload]:
        """Raises WrongType if it is sealed, and this process does not have the key."""
        if isinstance(state, bytes):
            self._check_open(state)
            raw = msgspec.json.decode(state, type=dict[str, msgspec.Raw])
            state = {key: Payload(bytes(value)) for key, value in raw.items()}
        found = {key: payload for key, payload in (state or {}).items() if key != CURSOR}
        for payload in found.values():
            self._check_open(payload)
        return found

    def _check_open(self, payload: bytes) -> None:
        if is_sealed(payload):
            self._decode_plain(Payload(payload))  # raises

    async def cursor(self, run: Run[Any] | str) -> Cursor | None:
        """Where a run of a flow is. None: it has not begun, or is no run of a flow."""
        payloads = await self._store.read_state(self.namespace, await self.key_of(run))
        return cursor_in(payloads)

    async def list_tasks(
        self, run: Run[Any] | str, *, since: int = 0, limit: int | None = None
    ) -> list[TaskRecord]:
        """The run's tasks with input and output, from number `since` on."""
        _check_page(since, limit)
        return await self._store.list_tasks(self.namespace, await self.key_of(run), since, limit)


def checked_tasks(name: Any, status: Any) -> tuple[str | None, tuple[TaskStatus, ...] | None]:
    """Raises BadOption."""
    known = None if name is None else checked_name("name", name)
    if status is None:
        return known, None
    several: Sequence[Any] = [status] if isinstance(status, str) else status
    try:
        found = tuple(dict.fromkeys(TaskStatus(each) for each in several))
    except (TypeError, ValueError):
        raise BadOption("status", status, "one or more of " + ", ".join(TaskStatus)) from None
    if not found:
        raise BadOption("status", status, "left out, or at least one state")
    return known, found


def _check_page(since: object, limit: object) -> None:
    check_number("since", since, 0, _MOST_TASKS)
    if limit is not None:
        check_number("limit", limit, 1, _MOST_TASKS)
