"""Transaction scripts for runs as clients use them: to start, to send messages to, to list, to reopen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import msgspec

from holdfast.core.events import MessageId
from holdfast.core.questions import ClosedQuestion, QuestionRecord
from holdfast.core.records import (
    DONE_BY_STORE,
    AttemptRecord,
    ChapterRecord,
    History,
    LogRecord,
    MessageKind,
    PostedMessage,
    RunRecord,
    TaskRecord,
    TaskSummary,
)
from holdfast.core.stream_items import StreamPage, StreamSummary
from holdfast.core.values import (
    FIRST_INSTANT,
    LAST_INSTANT,
    NULL,
    Instant,
    Payload,
    RunKey,
    RunStatus,
    TaskStatus,
    key_from_text,
)
from holdfast.core.waiting import NO_WAIT, describe_wait
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import (
    MOST_COUNTED,
    MOST_OF_A_CAUSE,
    Act,
    ActResult,
    FailureGroup,
    GroupedRuns,
    ListedRuns,
    ParkedRunCancellation,
    PostAnswer,
    QuestionFilter,
    Reopening,
    RunFilter,
    RunOverview,
    RunPage,
    SignalledRun,
    Stranded,
    UpdateAnswer,
)
from holdfast.ports.store_life import DUE, ENDED
from holdfast.stores import records
from holdfast.stores.acts import act_on_runs, unpark_runs
from holdfast.stores.change_log import ACT, STATUS, TASK, note
from holdfast.stores.commit_script import cancel_open_tasks, create_runs
from holdfast.stores.database import Row, Transaction, TransactionScript
from holdfast.stores.delivery import deliver, lock_runs, post_messages
from holdfast.stores.gil_pauses import in_slices
from holdfast.stores.histories import first_rows, read_chapters
from holdfast.stores.restarts import restart_runs
from holdfast.stores.run_conditions import hex_of
from holdfast.stores.run_lists import (
    count_matching_runs,
    count_of_ranges,
    list_keys,
    read_page,
)
from holdfast.stores.run_overviews import read_listed, read_overviews
from holdfast.stores.shared_inputs import with_whole_inputs
from holdfast.stores.sql_role import RowChanged, SqlRole

_LONG_DUE = 10 * 60 * 1_000_000
"""In microseconds. A live node claims due runs at once, and also polls every 20 s."""

_FIRST_KEY = RunKey(bytes(16))
_EXAMINED_AT_ONCE = 5_000
_MOST_STRANDED = 1_000
_COUNTED_AT_ONCE = 10_000
_NEWEST_FAILURES = 10_000


class SqlRunStore(SqlRole):
    async def load_histories(self, namespace: str, runs: Sequence[RunKey]) -> list[History]:
        def script(tx: Transaction) -> list[History]:
            wanted: list[Row] = [(run,) for run in dict.fromkeys(runs)]
            found = {row[0]: row for row in tx.many_returning("runs_of", wanted, namespace)}
            chapters = read_chapters(tx, found.values())
            first = first_rows(chapters)
            damage: dict[RunKey, str] = {}
            steps = records.steps_by_run(tx.many_returning("steps_of", first.steps), chapters, damage)
            asked = with_whole_inputs(tx, tx.many_returning("tasks_of", first.tasks))
            tasks = records.by_run(asked, 0, records.task_record, damage)
            posted = tx.many_returning("messages_of", first.messages)
            mail = records.by_run(posted, 1, records.message_record, damage)
            started = tx.many_returning("children_of", first.children)
            children = records.by_run(started, 0, records.child_record, damage)
            return [
                History(
                    run=records.run_record(found[run]),
                    steps=steps.get(run, []),
                    tasks=tasks.get(run, []),
                    messages=mail.get(run, []),
                    children=children.get(run, []),
                    damage=damage.get(run),
                    chapter=chapters[run],
                )
                for run in runs
                if run in found
            ]

        return await self._driver.read(script, snapshot=True, may_be_long=True)

    async def ended_runs(self, namespace: str, runs: Sequence[RunKey]) -> list[RunRecord]:
        keys: list[Row] = [(run,) for run in runs]
        rows = await self._driver.read(lambda tx: tx.many_returning("ended_runs", keys, namespace))
        return [records.run_record(row) for row in rows]

    async def create_runs(self, namespace: str, runs: Sequence[RunRecord]) -> dict[RunKey, RunKey]:
        def script(tx: Transaction) -> dict[RunKey, RunKey]:
            tx.announce(DUE)
            return create_runs(tx, namespace, runs)

        return await self._driver.write_and_tell(script)

    async def restart_runs(
        self, namespace: str, runs: Sequence[RunRecord], replaces: bool, by: str, now: Instant
    ) -> dict[RunKey, RunKey]:
        def script(tx: Transaction) -> dict[RunKey, RunKey]:
            return restart_runs(tx, namespace, runs, replaces=replaces, by=by, now=now)

        while True:
            try:
                return await self._driver.write_and_tell(script)
            except RowChanged:
                continue  # another transaction was faster, and has committed

    async def post_messages(
        self, namespace: str, messages: Sequence[NewMessage], now: Instant
    ) -> list[PostAnswer]:
        return await self._driver.write_and_tell(lambda tx: post_messages(tx, namespace, messages, now))

    async def signal_or_start(
        self, namespace: str, run: RunRecord, message: NewMessage, now: Instant
    ) -> SignalledRun:
        return await self._driver.write_and_tell(
            lambda tx: _signal_or_start(tx, namespace, run, message, now)
        )

    async def find_answers(self, namespace: str, updates: Sequence[tuple[RunKey, str]]) -> list[UpdateAnswer]:
        rows = await self._driver.read(lambda tx: tx.many_returning("answers_of", updates, namespace))
        return [
            UpdateAnswer(run, uid, answer, records.run_status(status).is_final)
            for run, uid, answer, status in rows
        ]

    async def find_run(self, namespace: str, id: str | RunKey) -> RunRecord | None:
        named = (id, key_from_text(id)) if isinstance(id, str) else (None, id)
        rows = await self._driver.fetch("find_run", namespace, *named)
        return records.run_record(rows[0]) if rows else None

    async def find_runs(self, namespace: str, runs: Collection[RunKey]) -> list[RunRecord]:
        keys: list[Row] = [(run,) for run in sorted(runs)]
        rows = await self._driver.read(lambda tx: tx.many_returning("runs_of", keys, namespace))
        return [records.run_record(row) for row in rows]

    async def find_keys(self, namespace: str, ids: Sequence[str]) -> dict[str, RunKey]:
        asked: list[Row] = [(id, key_from_text(id)) for id in dict.fromkeys(ids)]
        rows = await self._driver.read(lambda tx: tx.many_returning("find_keys", asked, namespace))
        return {id: key for id, key in rows if key is not None}

    async def list_runs(self, namespace: str, which: RunFilter) -> list[RunRecord]:
        found: list[RunRecord] = []
        left = which
        while left.limit > 0:
            page = await self.page_runs(namespace, left)
            found += page.runs
            if page.next is None:
                break
            left = left._replace(before=page.next, limit=which.limit - len(found))
        return found

    async def page_runs(self, namespace: str, which: RunFilter, payloads: bool = True) -> ListedRuns:
        return await self._driver.read(
            lambda tx: read_listed(tx, namespace, which, payloads=payloads), snapshot=True, may_be_long=True
        )

    async def count_listed(self, namespace: str, which: RunFilter, most: int = MOST_COUNTED) -> int:
        if which.is_of_ranges:
            return await self._driver.read(
                lambda tx: count_of_ranges(tx, namespace, which, most), may_be_long=True
            )
        total = 0
        while total < most:
            # Each page is a transaction of its own, so that other queries are answered in between.
            some = which._replace(limit=min(_COUNTED_AT_ONCE, most - total))
            page = await self._driver.read(
                lambda tx, some=some: list_keys(tx, namespace, some), may_be_long=True
            )
            total += len(page.keys)
            if page.next is None:
                break
            which = which._replace(before=page.next)
        return total

    async def group_listed(self, namespace: str, which: RunFilter) -> GroupedRuns:
        def script(tx: Transaction) -> GroupedRuns:
            keys, end = list_keys(tx, namespace, which)
            rows = tx.rows("groups_of", namespace, hex_of(keys))
            counts = {(records.run_status(status), workflow): count for status, workflow, count in rows}
            return GroupedRuns(counts, end)

        return await self._driver.read(script, snapshot=True, may_be_long=True)

    async def group_failures(self, namespace: str, since: RunKey, limit: int) -> list[FailureGroup]:
        def script(tx: Transaction) -> list[FailureGroup]:
            # Few runs may have failed lately, for few of the causes that are known, or many for the same few.
            # The first read takes as long as there are runs, and the second as there are causes.
            rows = tx.rows("group_newest_failures", namespace, since, limit, _NEWEST_FAILURES)
            if rows and rows[0][-1] < _NEWEST_FAILURES:
                return [FailureGroup(*row[:-1]) for row in rows]
            rows = rows and tx.rows("group_failures", namespace, since, limit, MOST_OF_A_CAUSE)
            return [FailureGroup(*row) for row in rows]

        return await self._driver.read(script, snapshot=True, may_be_long=True)

    async def list_tasks(
        self, namespace: str, run: RunKey, since: int = 0, limit: int | None = None
    ) -> list[TaskRecord]:
        def script(tx: Transaction) -> list[TaskRecord]:
            rows = with_whole_inputs(tx, tx.rows("list_tasks", namespace, run, since, limit))
            return [records.task_record(row) for some in in_slices(rows) for row in some]

        return await self._driver.read(script, may_be_long=True)

    async def list_chapters(self, namespace: str, run: RunKey, since: int, limit: int) -> list[ChapterRecord]:
        def script(tx: Transaction) -> list[ChapterRecord]:
            rows = tx.rows("list_chapters", namespace, run, since, limit)
            ((steps,),) = tx.rows("count_steps", run)
            if rows or since > 0:
                return [ChapterRecord(*row[:4], next_position=row[4] or steps) for row in rows]
            found = map(records.run_record, tx.rows("find_run", namespace, None, run))
            return [ChapterRecord(0, it.input, it.started_at or it.created_at, 0, steps) for it in found]

        return await self._driver.read(script, snapshot=True, may_be_long=True)

    async def list_attempts(
        self, namespace: str, run: RunKey, of: Sequence[int] | None = None
    ) -> list[AttemptRecord]:
        def script(tx: Transaction) -> list[AttemptRecord]:
            if of is None:
                rows = tx.rows("list_attempts", namespace, run)
            else:
                tasks: list[Row] = [(seq,) for seq in sorted(set(of))]
                rows = tx.many_returning("attempts_of", tasks, namespace, run)
            return [records.attempt_record(row) for row in rows]

        return await self._driver.read(script, may_be_long=True)

    async def list_task_summaries(
        self,
        namespace: str,
        run: RunKey,
        since: int,
        limit: int,
        name: str | None = None,
        statuses: Collection[TaskStatus] | None = None,
    ) -> list[TaskSummary]:
        wanted = None if statuses is None else [status.value for status in statuses]

        def script(tx: Transaction) -> list[TaskSummary]:
            rows = tx.rows("list_task_summaries", namespace, run, since, limit, name, wanted)
            return [records.task_summary(row) for some in in_slices(rows) for row in some]

        return await self._driver.read(script, may_be_long=True)

    async def read_logs(
        self, namespace: str, run: RunKey, after: int, task: str | None, limit: int
    ) -> list[LogRecord]:
        rows = await self._driver.fetch("read_logs", namespace, run, after, task, limit, may_be_long=True)
        return [records.log_record(row) for row in rows]

    async def read_stream(
        self, namespace: str, run: RunKey, name: str, since: int, rows: int, bytes: int
    ) -> StreamPage:
        def script(tx: Transaction) -> StreamPage:
            # Before the items: the last of them are written together with the end of the run.
            state = tx.send("stream_state", namespace, run, name)
            found = tx.rows("read_stream", run, name, since, rows, bytes)
            for status, next_offset in state():
                read = list(map(records.stream_record, found))
                return StreamPage(read, records.run_status(status), next_offset)
            return StreamPage([], None)

        return await self._driver.read(script)

    async def list_streams(self, namespace: str, run: RunKey) -> list[StreamSummary]:
        return [StreamSummary(*row) for row in await self._driver.fetch("list_streams", namespace, run)]

    async def list_questions(self, namespace: str, which: QuestionFilter) -> list[QuestionRecord]:
        at, run, number = which.after or (FIRST_INSTANT, _FIRST_KEY, -1)
        if which.run is None:
            page = (namespace, at, run, number, which.workflow, which.by, which.limit)
            rows = await self._driver.fetch("list_questions", *page, may_be_long=True)
        else:
            page = (namespace, which.run, number, which.by, which.limit)
            rows = await self._driver.fetch("list_questions_of", *page, may_be_long=True)
        return [QuestionRecord(*row) for row in rows]

    async def count_questions(self, namespace: str, most: int) -> dict[str, int]:
        return dict(
            await self._driver.fetch("count_questions", namespace, most, FIRST_INSTANT, may_be_long=True)
        )

    async def list_closed_questions(self, namespace: str, limit: int) -> list[ClosedQuestion]:
        rows = await self._driver.fetch("closed_questions", namespace, limit, LAST_INSTANT, may_be_long=True)
        return [ClosedQuestion(*row) for row in rows]

    async def read_state(self, namespace: str, run: RunKey) -> dict[str, Payload]:
        return dict(await self._driver.fetch("read_state", namespace, run))

    async def reopen_runs(self, namespace: str, family: Sequence[Reopening]) -> bool:
        try:
            return await self._driver.write_and_tell(lambda tx: _reopen(tx, namespace, family))
        except RowChanged:
            return False

    async def unpark_runs(
        self, namespace: str, runs: Sequence[RunKey], now: Instant, by: str = "", moves_timers: bool = False
    ) -> list[RunKey]:
        def script(tx: Transaction) -> list[RunKey]:
            tx.announce(DUE)
            return unpark_runs(tx, namespace, runs, now, by, moves_timers=moves_timers)

        return await self._driver.write_and_tell(script)

    async def act_on_runs(self, namespace: str, acts: Sequence[Act], now: Instant) -> list[ActResult]:
        return await self._driver.write_and_tell(lambda tx: act_on_runs(tx, namespace, acts, now))

    async def list_messages(
        self, namespace: str, run: RunKey, after: MessageId, limit: int, acts_only: bool = False
    ) -> list[PostedMessage]:
        rows = await self._driver.fetch(
            "list_messages", namespace, run, after, limit, int(acts_only), may_be_long=True
        )
        return [records.posted_message(row) for row in rows]

    async def cancel_parked_run(self, namespace: str, cancellation: ParkedRunCancellation) -> bool:
        run, epoch, failure, messages, now = cancellation

        def script(tx: Transaction) -> bool:
            # Before the lock on the run, because a worker that ends an item locks the item first.
            tx.many("clear_queue", [(run,)])
            found = [records.run_record(row) for row in tx.many_returning("runs_of", [(run,)], namespace)]
            parents = [(each.parent, each.parent_seq) for each in found if each.parent is not None]
            news = [NewMessage(parent, MessageKind.CHILD, str(seq), NULL) for parent, seq in parents]
            runs = {run, *(message.run for message in (*messages, *news))}
            locked = lock_runs(tx, namespace, runs, now)
            if not tx.rows("cancel_parked_run", namespace, run, now, failure, epoch):
                raise RowChanged
            cancel_open_tasks(tx, namespace, [(run, now)], now)
            tx.many("close_questions_of", [(run, now)])
            note(tx, namespace, now, STATUS, [(run, RunStatus.CANCELLED, None)])
            del locked[run]  # it has ended, and receives no more messages
            deliver(tx, namespace, [*messages, *news], locked, now)
            tx.announce(ENDED)
            return True

        try:
            return await self._driver.write_and_tell(script)
        except RowChanged:
            return False

    async def stranded_runs(
        self, namespace: str, now: Instant, progress: Callable[[int], None] | None = None
    ) -> list[Stranded]:
        found: list[Row] = []
        looked_at = 0
        for status in (RunStatus.PENDING, RunStatus.RUNNING):
            after: RunKey | None = _FIRST_KEY
            # Each page is a transaction of its own, so that other queries are answered in between.
            while after is not None and len(found) < _MOST_STRANDED:
                rows, after = await self._driver.read(
                    _examine(namespace, now, status, after), snapshot=True, may_be_long=True
                )
                found += rows
                looked_at += _EXAMINED_AT_ONCE
                if progress is not None and after is not None:
                    progress(looked_at)
        return [
            Stranded(key, id, workflow, records.run_status(status), problem)
            for key, id, workflow, status, problem in sorted(found)[:_MOST_STRANDED]
        ]

    async def list_run_overviews(self, namespace: str, page: RunPage) -> list[RunOverview]:
        def script(tx: Transaction) -> list[RunOverview]:
            return read_overviews(tx, namespace, read_page(tx, namespace, page))

        return await self._driver.read(script, snapshot=True, may_be_long=True)

    async def count_runs(self, namespace: str, page: RunPage, most: int) -> int:
        return await self._driver.read(
            lambda tx: count_matching_runs(tx, namespace, page, most), may_be_long=True
        )

    async def find_run_overview(self, namespace: str, run: RunKey) -> RunOverview | None:
        found = await self._driver.read(lambda tx: read_overviews(tx, namespace, [run]), snapshot=True)
        return found[0] if found else None


def _signal_or_start(
    tx: Transaction, namespace: str, run: RunRecord, message: NewMessage, now: Instant
) -> SignalledRun:
    existing = create_runs(tx, namespace, [run], is_retry=True)
    key = existing.get(run.key, run.key)
    if key == run.key:
        tx.announce(DUE)
    else:
        found = [records.run_record(row) for row in tx.many_returning("runs_of", [(key,)], namespace)]
        if found and found[0].workflow != run.workflow:
            return SignalledRun(key, found[0].workflow, None)
    (result,) = post_messages(tx, namespace, [msgspec.structs.replace(message, run=key)], now)
    return SignalledRun(key, run.workflow, result)


def _examine(
    namespace: str, now: Instant, status: RunStatus, after: RunKey
) -> TransactionScript[tuple[list[Row], RunKey | None]]:
    """The stranded runs of a page, and where the next page begins: None after the last."""

    def script(tx: Transaction) -> tuple[list[Row], RunKey | None]:
        last = tx.rows("end_of_open_page", namespace, status, after, _EXAMINED_AT_ONCE)
        until = last[0][0] if last else None
        return tx.rows("stranded_runs", namespace, now - _LONG_DUE, status, after, until), until

    return script


def _reopen(tx: Transaction, namespace: str, family: Sequence[Reopening]) -> bool:
    tx.many("clear_queue", [(each.run,) for each in family])
    lock_runs(tx, namespace, [each.run for each in family], family[0].now)
    opened: list[Row] = [
        (each.run, each.epoch, each.now, *NO_WAIT, each.options)
        if each.waiting is None
        else (each.run, each.epoch, None, *describe_wait([each.waiting]), each.options)
        for each in family
    ]
    if len(tx.many_returning("reopen_runs", opened, namespace)) != len(family):
        raise RowChanged
    tx.many("insert_steps", [msgspec.structs.astuple(each.step) for each in family])
    tx.many("reopen_questions", [(each.run, number) for each in family for number in each.questions])
    reset = tx.many_returning("reset_tasks", [(each.run, seq) for each in family for seq in each.tasks])
    tx.many("give_back_messages", [(each.run, message) for each in family for message in each.messages])
    overtaken = [(each.run, it, each.step.position) for each in family for it in each.overtaken]
    tx.many("take_messages", overtaken)
    # Outcomes that are dropped may have led to some of the state. The program sets the state again.
    tx.many("clear_state", [(each.run,) for each in family])
    tx.many("forget_stalls", [(each.run,) for each in family])
    acts = [(each.run, MessageKind.RETRY, "", NULL, each.by) for each in family if each.by is not None]
    tx.many("record_acts", acts, family[0].now, DONE_BY_STORE)
    _note_reopening(tx, namespace, family, reset)
    tx.announce(DUE)
    return True


def _note_reopening(tx: Transaction, namespace: str, family: Sequence[Reopening], reset: list[Row]) -> None:
    now = family[0].now
    by = [(each.run, MessageKind.RETRY, each.by or None) for each in family if each.by is not None]
    note(tx, namespace, now, ACT, by)
    waits = [None if each.waiting is None else describe_wait([each.waiting])[0] for each in family]
    statuses = [(each.run, RunStatus.RUNNING, wait) for each, wait in zip(family, waits, strict=True)]
    note(tx, namespace, now, STATUS, statuses)
    tasks = [(run, seq, TaskStatus.PENDING, attempt) for run, seq, attempt in sorted(reset)]
    note(tx, namespace, now, TASK, tasks)
