"""A store as the port describes it, in plain dictionaries: short enough to be read as the specification.

It is written from the promises in `ports/store.py`, without regard to speed. A real store is compared with
it: if they differ, one of the two breaks a promise. An engine can run on it as well.

The model relies on what every caller of a store must ensure:

- a node, and the key of a run, belong to one namespace; ids of nodes and keys of runs are never reused;
- `held` or `created` names the run of every other row, and the parent of every run in `created`, which
  is not itself a child of the same commit; runs without a parent stand first;
- one commit ends or releases a run once, and settles a task and takes a message at most once.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Collection, Generator, Sequence, Set
from contextlib import contextmanager
from typing import Any

from msgspec.structs import asdict, replace
from tests.differential import acts, questions, schedules, views
from tests.differential.access import AccessModel
from tests.differential.alerts import AlertModel
from tests.differential.flows import FlowModel
from tests.differential.retention import RetentionModel
from tests.differential.run_views import RunViewModel
from tests.differential.sessions import SessionModel
from tests.differential.tables import (
    AWAKE,
    DefinitionRow,
    Lease,
    StreamRow,
    Tables,
    earlier,
    ended_attempt,
    insert,
    just_before,
    new_task,
    read_failure,
)
from tests.differential.workers import WorkerModel, write_queue

from holdfast.core.backlogs import BacklogRows, DueRuns, WaitingTasks
from holdfast.core.events import MessageId
from holdfast.core.history import task_outcome
from holdfast.core.questions import ClosedQuestion, QuestionRecord
from holdfast.core.records import (
    AttemptRecord,
    ChapterRecord,
    Definition,
    History,
    LogRecord,
    MessageKind,
    MessageRecord,
    PostedMessage,
    RunRecord,
    ScheduleRecord,
    TaskRecord,
    TaskSummary,
)
from holdfast.core.run_options import read_run_options
from holdfast.core.shared_inputs import SharedInput
from holdfast.core.situations import ServingNode
from holdfast.core.stream_items import StreamPage, StreamSummary
from holdfast.core.values import (
    NULL,
    Instant,
    NodeId,
    Payload,
    RunKey,
    RunStatus,
    TaskStatus,
    key_from_text,
    key_text,
)
from holdfast.core.waiting import WaitDescription, describe_wait
from holdfast.errors import VersionConflict
from holdfast.ports.commits import (
    ROWS_FOR_OTHERS,
    ROWS_OF_RUNS,
    Claimed,
    ClaimRequest,
    Commit,
    NewChapter,
    NewItems,
    NewMessage,
    Receipt,
    ReleasedRun,
)
from holdfast.ports.flows import DRAFT, PUBLISHED
from holdfast.ports.nodes import NextWork, Stall, StallRecord
from holdfast.ports.runs import (
    HISTORY_BYTES,
    MOST_COUNTED,
    Act,
    ActResult,
    FailureGroup,
    HistoryPage,
    HistoryPlace,
    ParkedRunCancellation,
    PostAnswer,
    QuestionFilter,
    Reopening,
    RunFilter,
    ShortHistories,
    SignalledRun,
    Stranded,
    UpdateAnswer,
)
from holdfast.ports.schedules import ScheduledRun, ScheduleFiring
from holdfast.ports.workflow_store import DELETED

_EPOCH = Instant(0)


class ModelStore(FlowModel, WorkerModel, RetentionModel, AccessModel, SessionModel, AlertModel, RunViewModel):
    def __init__(self, clock: Callable[[], Instant]) -> None:
        self.tables = Tables()
        self._clock = clock
        self._listeners: list[Callable[[], None]] = []
        self._ticks: dict[NodeId, int] = {}
        """The last commit of each node. The databases have other ways to know it."""

    async def open(self) -> None:
        """Does nothing: there is nothing to connect to."""

    async def close(self) -> None:
        self._listeners.clear()

    async def now(self) -> Instant:
        return self._clock()

    def listen(self, on_change: Callable[[], None], *topics: str) -> Callable[[], None]:
        def stop() -> None:
            if on_change in self._listeners:
                self._listeners.remove(on_change)

        self._listeners.append(on_change)
        return stop

    @contextmanager
    def transaction(self, *, tells: bool = False) -> Generator[Tables]:
        """Writes all or nothing. With `tells`, listeners are called, since an engine may have work to do."""
        before, self.tables = self.tables, self.tables.copy()
        try:
            yield self.tables
        except BaseException:
            self.tables = before
            raise
        if tells:
            for on_change in list(self._listeners):
                on_change()

    # --- the node

    async def commit(self, commit: Commit) -> Receipt:
        with self.transaction() as tables:
            _renew(tables, commit)
            lost = frozenset(
                held.run for held in commit.held if not _owns(tables, commit, held.run, held.epoch)
            )
            existing, orphans = _create(tables, commit, lost)
            refused = {run.parent for run in commit.created if run.key in existing}
            commit = _without(commit, lost | existing.keys() | orphans)
            _write(tables, commit)
            _end(tables, commit)
            for row in commit.chapters:
                tables.begin_chapter(row)
            for row in commit.released:
                # A run that asked for a child whose id is taken must wake up to learn that.
                _release(tables, row, commit.now if row.run in refused else row.wake_at)
            news = [_news(row.parent, row.parent_seq) for row in commit.ended if row.parent is not None]
            forced = sorted(row.run for row in commit.ended if row.is_forced)
            news += [message for run in forced for message in acts.news_for_children(tables, run)]
            tables.deliver(commit.namespace, [*commit.messages, *news], commit.now)
            questions.close_questions(tables, commit)
            for row in commit.woken:
                run = tables.run(commit.namespace, row.run)
                if run is not None and run.status is RunStatus.RUNNING:
                    tables.wake(row.run, commit.now)
            claimed, mail, left = _take_work(tables, commit)
        self._ticks[commit.node] = commit.tick
        return Receipt(lost, existing, claimed, mail, self.tables.nodes[commit.node].started_at, left)

    async def recover_commit(self, commit: Commit) -> Receipt | None:
        with self.transaction() as tables:
            lease = tables.nodes.get(commit.node)
            if lease is None or self._ticks[commit.node] != commit.tick:
                return None
            owned = tables.owned(commit.node)
            mail, left = _read_mail(tables, commit, {run.key: 0 for run in owned})
            lost = frozenset(
                held.run
                for held in commit.held
                if not _owns(tables, commit, held.run, held.epoch)
                and not _has_let_go(tables, commit, held.run, held.epoch)
            )
            existing = {
                run.key: known.key
                for run in commit.created
                if tables.run(commit.namespace, run.key) is None
                and (known := tables.named(commit.namespace, run.id)) is not None
            }
            if _is_missing(tables, commit, lost | existing.keys()):
                return None
            return Receipt(
                lost=lost,
                existing=existing,
                claimed=[Claimed(run, not tables.steps(run.key)) for run in owned],
                mail=mail,
                lease_since=lease.started_at,
                left=left,
            )

    def open_renewal(self, patience: dt.timedelta) -> None:
        """There is none: commits renew the lease."""

    async def renew_lease(self, node: NodeId, since: Instant, until: Instant) -> bool:
        with self.transaction() as tables:
            lease = tables.nodes.get(node)
            if lease is None or lease.started_at != since:
                return False
            tables.nodes[node] = lease._replace(until=max(lease.until, until))
            return True

    async def end_lease(self, namespace: str, node: NodeId, stall: Stall | None, now: Instant) -> None:
        with self.transaction(tells=True) as tables:
            tables.nodes.pop(node, None)
            run = None if stall is None else tables.run(namespace, stall.run)
            if stall is not None and run is not None:
                record = StallRecord(run.key, node, now, stall.task, stall.stack)
                tables.stalls.setdefault((run.key, node), record)
                if run.owner == node:
                    tables.change(run.key, setbacks=run.setbacks + 1)
            tables.free(node, now, setback=0)

    async def find_stalls(self, runs: Sequence[RunKey]) -> list[StallRecord]:
        return [stall for stall in self.tables.stalls.values() if stall.run in runs]

    async def next_due_time(self, namespace: str, runs: Sequence[RunKey]) -> Instant | None:
        found = [run for key in runs if (run := self.tables.run(namespace, key)) is not None]
        times = [run.wake_at for run in found if run.owner is None and run.wake_at is not None]
        return min(times, default=None)

    async def next_work(
        self,
        namespace: str,
        node: NodeId,
        claims: Sequence[str],
        workflows: Sequence[str] = (),
        serves: str | None = None,
        now: Instant = _EPOCH,
    ) -> NextWork:
        """Without peers: a node that knows of none works on everything itself."""
        tables = self.tables
        times = [wake_at for wake_at, _ in tables.claimable(namespace, claims)]
        leases = [
            lease.until
            for id, lease in tables.nodes.items()
            if lease.namespace == namespace and id != node and tables.owned(id)
        ]
        has_mail = any(run.wake_at is not None for run in tables.owned(node))
        due_at = schedules.schedule_at(tables, namespace, workflows)
        has_lost = any(owner == node for owner, _ in tables.lost_runs)
        first_due, first_lease = min(times, default=None), min(leases, default=None)
        return NextWork(first_due, first_lease, has_mail, due_at, None, has_lost)

    async def collect_lost_runs(self, node: NodeId) -> list[RunKey]:
        with self.transaction() as tables:
            lost = [at for at in tables.lost_runs if at[0] == node or at[0] not in tables.nodes]
            for at in lost:
                del tables.lost_runs[at]
            return [run for owner, run in lost if owner == node]

    async def due_schedules(
        self, namespace: str, workflows: Sequence[str], now: Instant, limit: int
    ) -> list[ScheduleRecord]:
        return schedules.due(self.tables, namespace, workflows, now)[:limit]

    async def fire_schedule(self, namespace: str, firing: ScheduleFiring) -> bool:
        with self.transaction(tells=True) as tables:
            return schedules.fire(tables, namespace, firing)

    async def tell_other_nodes(self) -> None:
        with self.transaction(tells=True):
            pass

    async def remove_node(self, namespace: str, node: NodeId) -> None:
        with self.transaction(tells=True) as tables:
            tables.nodes.pop(node, None)
            tables.free(node, self._clock(), setback=0)

    async def list_nodes(self, namespace: str) -> list[str]:
        return [node for node, lease in self.tables.nodes.items() if lease.namespace == namespace]

    async def expire_nodes(self, namespace: str, nodes: Sequence[str]) -> None:
        with self.transaction(tells=True) as tables:
            for node in map(NodeId, nodes):
                tables.nodes.pop(node, None)
                tables.free(node, self._clock(), setback=1)

    async def load_histories(self, namespace: str, runs: Sequence[RunKey]) -> list[History]:
        found = [run for key in runs if (run := self.tables.run(namespace, key)) is not None]
        return [self._history(run) for run in found]

    def _history(self, run: RunRecord) -> History:
        tables, chapter = self.tables, self.tables.chapter(run.key)
        children = [views.as_child(child) for child in tables.children(run.key)]
        return History(
            run,
            tables.steps(run.key)[chapter.first_position :],
            [task for task in tables.whole_tasks_of(run.key) if task.seq >= chapter.first_task],
            [it for it in tables.mail(run.key) if it.taken is None or it.taken >= chapter.first_taken],
            [child for child in children if child.seq >= chapter.first_child],
            chapter=chapter,
        )

    def _for_replay(self, history: History) -> History:
        tasks = self.tables.tasks_of(history.run.key)
        tasks = [task for task in tasks if task.seq >= history.chapter.first_task]
        settled = [task for task in tasks if task.status.is_final]
        return replace(
            history,
            tasks=[task for task in tasks if not task.status.is_final],
            messages=[it for it in history.messages if it.taken is not None or it.kind is MessageKind.CHILD],
            outcomes={task.seq: task_outcome(task) for task in settled},
        )

    async def load_short_histories(
        self, namespace: str, runs: Sequence[RunKey], rows: int, bytes: int = HISTORY_BYTES
    ) -> ShortHistories:
        found = ShortHistories([], [], [])
        room = rows
        for history in map(self._for_replay, await self.load_histories(namespace, list(dict.fromkeys(runs)))):
            size = len(history.steps) + len(history.messages) + len(history.children)
            tasks = max((task.seq + 1 for task in self.tables.tasks_of(history.run.key)), default=0)
            size += max(tasks - history.chapter.first_task, 0)
            if size > rows:
                found.long.append(History(history.run, [], [], [], [], chapter=history.chapter))
            elif size > room:
                found.left.append(history.run.key)
            else:
                room -= size
                found.loaded.append(history)
        return found

    async def load_history_page(
        self, namespace: str, run: RunKey, place: HistoryPlace, rows: int
    ) -> HistoryPage:
        """All of it on one page."""
        (whole,) = map(self._for_replay, await self.load_histories(namespace, [run]))
        return HistoryPage(
            whole.steps, whole.outcomes, whole.messages, whole.tasks, whole.children, is_last=True
        )

    async def register_definitions(
        self, namespace: str, definitions: Sequence[Definition], now: Instant
    ) -> None:
        with self.transaction() as tables:
            for new in definitions:
                at = (namespace, new.name, new.version)
                row = tables.workflows.get(at, DefinitionRow(new, now, now, PUBLISHED))
                if row.definition.hash != new.hash:
                    raise VersionConflict(new.name, new.version)
                told = row.definition._replace(origin=new.origin, input_schema=new.input_schema)
                is_late = row.seen_at is None or now - row.seen_at > 60_000_000
                if told != row.definition or is_late or row.status == DELETED:
                    status = PUBLISHED if row.status == DELETED else row.status
                    row = row._replace(definition=told, seen_at=now, status=status)
                tables.workflows[at] = row

    async def find_definitions(self, namespace: str, which: Sequence[tuple[str, str]]) -> list[Definition]:
        known = (self.tables.workflows.get((namespace, name, version)) for name, version in which)
        return [row.definition for row in known if row is not None and row.status != DRAFT]

    async def find_newest_definition(self, namespace: str, name: str) -> Definition | None:
        found = [
            (row.created_at, row.definition.version, row.definition)
            for (space, known, _), row in self.tables.workflows.items()
            if (space, known, row.status) == (namespace, name, PUBLISHED) and not row.definition.is_published
        ]
        return max(found)[2] if found else None

    async def drop_old_items(self, now: Instant, rows: int) -> int:
        with self.transaction() as tables:
            due = [at for at, row in tables.items.items() if row.drop_at is not None and row.drop_at <= now]
            last = {at for at in due if at[2] == max(it[2] for it in tables.items if it[:2] == at[:2])}
            for at in due:
                if at in last:
                    tables.items[at] = tables.items[at]._replace(first=at[2], items=b"[]", drop_at=None)
                else:
                    del tables.items[at]
            for run, name, end in due:
                rows_before = [at for at in tables.items if at[:2] == (run, name) and at[2] < end]
                for at in rows_before:
                    if tables.items[at].first == at[2]:
                        del tables.items[at]
            return len(due)

    # --- the client

    async def create_runs(self, namespace: str, runs: Sequence[RunRecord]) -> dict[RunKey, RunKey]:
        with self.transaction(tells=True) as tables:
            return tables.add_runs(namespace, runs)

    async def restart_runs(
        self, namespace: str, runs: Sequence[RunRecord], replaces: bool, by: str, now: Instant
    ) -> dict[RunKey, RunKey]:
        with self.transaction(tells=True) as tables:
            return acts.restart_runs(tables, namespace, runs, replaces, by, now)

    async def post_messages(
        self, namespace: str, messages: Sequence[NewMessage], now: Instant
    ) -> list[PostAnswer]:
        with self.transaction(tells=True) as tables:
            return tables.deliver(namespace, messages, now)

    async def find_answers(self, namespace: str, updates: Sequence[tuple[RunKey, str]]) -> list[UpdateAnswer]:
        tables = self.tables
        found = {(it.run, tables.uids[it.id]): it for it in tables.messages.values() if it.id in tables.uids}
        return [
            UpdateAnswer(*asked, tables.answers.get(found[asked].id), run.status.is_final)
            for asked in updates
            if asked in found and (run := tables.run(namespace, asked[0])) is not None
        ]

    async def signal_or_start(
        self, namespace: str, run: RunRecord, message: NewMessage, now: Instant
    ) -> SignalledRun:
        with self.transaction(tells=True) as tables:
            key = tables.add_runs(namespace, [run]).get(run.key, run.key)
            known = tables.runs[key].workflow
            if known != run.workflow:
                return SignalledRun(key, known, None)
            (result,) = tables.deliver(namespace, [replace(message, run=key)], now)
            return SignalledRun(key, known, result)

    async def find_run(self, namespace: str, id: str | RunKey) -> RunRecord | None:
        if not isinstance(id, str):
            return self.tables.run(namespace, id)
        return self.tables.named(namespace, id) or self.tables.run(namespace, key_from_text(id))

    async def find_keys(self, namespace: str, ids: Sequence[str]) -> dict[str, RunKey]:
        named = {id: self.tables.named(namespace, id) for id in ids}
        keys = {id: key_from_text(id) if run is None else run.key for id, run in named.items()}
        return {id: key for id, key in keys.items() if key is not None}

    async def find_runs(self, namespace: str, runs: Collection[RunKey]) -> list[RunRecord]:
        found = (self.tables.run(namespace, key) for key in sorted(runs))
        return [run for run in found if run is not None]

    async def ended_runs(self, namespace: str, runs: Sequence[RunKey]) -> list[RunRecord]:
        found = (self.tables.run(namespace, key) for key in runs)
        return [run for run in found if run is not None and run.status.is_final]

    async def list_runs(self, namespace: str, which: RunFilter) -> list[RunRecord]:
        found = [
            run
            for run in self.tables.runs.values()
            if run.namespace == namespace
            and (which.statuses is None or run.status in which.statuses)
            and which.workflow in (None, run.workflow)
            and (which.before is None or run.key < which.before)
            and (which.since is None or run.key >= which.since)
            and set(which.tags) <= set(read_run_options(run.options).tags)
            and which.fingerprint in (None, self.tables.fingerprints.get(run.key))
            and which.version in (None, run.version)
            and which.schedule in (None, run.schedule)
            and which.parent in (None, run.parent)
            and _ended_within(run, which)
            and _took_within(run, which)
            and (which.id_text is None or which.id_text in (run.id or key_text(run.key)))
            and (which.error_text is None or (run.failure and which.error_text in run.failure.message))
        ]
        return sorted(found, key=lambda run: run.key, reverse=True)[: which.limit]

    async def group_failures(self, namespace: str, since: RunKey, limit: int) -> list[FailureGroup]:
        groups: dict[str, list[RunKey]] = {}
        for run, fingerprint in sorted(self.tables.fingerprints.items()):
            if self.tables.run(namespace, run) is not None and run >= since:
                groups.setdefault(fingerprint, []).append(run)
        found = [FailureGroup(it, len(runs), runs[0], runs[-1]) for it, runs in groups.items()]
        return sorted(found, key=lambda group: (-group.runs, group.fingerprint))[:limit]

    async def list_tasks(
        self, namespace: str, run: RunKey, since: int = 0, limit: int | None = None
    ) -> list[TaskRecord]:
        tasks = self.tables.whole_tasks_of(run) if self.tables.run(namespace, run) else []
        return [task for task in tasks if task.seq >= since][:limit]

    async def list_chapters(self, namespace: str, run: RunKey, since: int, limit: int) -> list[ChapterRecord]:
        known = self.tables.run(namespace, run)
        if known is None:
            return []
        rows = [self.tables.chapters[at] for at in sorted(self.tables.chapters) if at[0] == run]
        if not rows:
            began_at = known.created_at if known.started_at is None else known.started_at
            rows = [NewChapter(run, 0, 0, 0, 0, 0, known.input, None, began_at)]
        ends = [*(row.first_position for row in rows[1:]), len(self.tables.steps(run))]
        return [
            ChapterRecord(row.number, row.input, row.began_at, row.first_position, end)
            for row, end in zip(rows, ends, strict=True)
            if row.number >= since
        ][:limit]

    async def list_attempts(
        self, namespace: str, run: RunKey, of: Sequence[int] | None = None
    ) -> list[AttemptRecord]:
        attempts = self.tables.attempts if self.tables.run(namespace, run) else {}
        wanted = sorted(at for at in attempts if at[0] == run and (of is None or at[1] in of))
        return [attempts[at] for at in wanted]

    async def list_task_summaries(
        self,
        namespace: str,
        run: RunKey,
        since: int,
        limit: int,
        name: str | None = None,
        statuses: Collection[TaskStatus] | None = None,
    ) -> list[TaskSummary]:
        tasks = [task for task in await self.list_tasks(namespace, run) if task.seq >= since]
        named = [task for task in tasks if name is None or task.name == name]
        return [views.glance(task) for task in named if statuses is None or task.status in statuses][:limit]

    async def read_logs(
        self, namespace: str, run: RunKey, after: int, task: str | None, limit: int
    ) -> list[LogRecord]:
        is_here = self.tables.run(namespace, run) is not None
        return views.logs(self.tables, run, after, task)[:limit] if is_here else []

    async def read_stream(
        self, namespace: str, run: RunKey, name: str, since: int, rows: int, bytes: int
    ) -> StreamPage:
        known = self.tables.run(namespace, run)
        return (
            StreamPage([], None)
            if known is None
            else views.stream(self.tables, known, name, since, rows, bytes)
        )

    async def list_streams(self, namespace: str, run: RunKey) -> list[StreamSummary]:
        return [] if self.tables.run(namespace, run) is None else views.streams(self.tables, run)

    async def list_scheduled_runs(
        self, namespace: str, names: Sequence[str], since: RunKey, before: RunKey | None, limit: int
    ) -> list[ScheduledRun]:
        return schedules.started_runs(self.tables, namespace, names, since, before, limit)

    async def list_schedules(self, namespace: str, name: str | None = None) -> list[ScheduleRecord]:
        return schedules.listed(self.tables, namespace, name)

    async def write_schedule(self, namespace: str, schedule: ScheduleRecord, decided_on: int | None) -> bool:
        with self.transaction(tells=True) as tables:
            return schedules.write(tables, namespace, schedule, decided_on)

    async def delete_schedule(self, namespace: str, name: str) -> bool:
        with self.transaction() as tables:
            return tables.schedules.pop((namespace, name), None) is not None

    async def read_state(self, namespace: str, run: RunKey) -> dict[str, Payload]:
        state = self.tables.state if self.tables.run(namespace, run) else {}
        return {key: value for (of, key), value in state.items() if of == run}

    async def reopen_runs(self, namespace: str, family: Sequence[Reopening]) -> bool:
        with self.transaction(tells=True) as tables:
            for each in family:
                run = tables.run(namespace, each.run)
                if run is None or not run.status.is_final or run.epoch != each.epoch:
                    return False
            for each in family:
                _reopen(tables, each)
                _forget_stalls(tables, each.run)
                if each.by is not None:
                    acts.record(tables, each.run, MessageKind.RETRY, each.by, each.now)
            return True

    async def unpark_runs(
        self, namespace: str, runs: Sequence[RunKey], now: Instant, by: str = "", moves_timers: bool = False
    ) -> list[RunKey]:
        with self.transaction(tells=True) as tables:
            found = [run for key in sorted(set(runs)) if (run := tables.run(namespace, key)) is not None]
            idle = [run for run in found if run.status in (RunStatus.PARKED, RunStatus.PAUSED)]
            if moves_timers:
                idle = [run for run in idle if run.status is RunStatus.PAUSED]
                runs = [run.key for run in idle]
            acts.let_queue_go(tables, runs, now)
            for key in runs if moves_timers else ():
                acts.move_timers(tables, key, now)
            for run in idle:
                status, wake_at = RunStatus.RUNNING, now
                if run.epoch == 0:
                    status = RunStatus.PENDING
                    wake_at = max(now, read_run_options(run.options).start_at or now)
                tables.change(run.key, status=status, failure=None, waiting=None, wake_at=wake_at, setbacks=0)
                _forget_stalls(tables, run.key)
                name = "timers wait" if moves_timers else ""
                acts.record(tables, run.key, MessageKind.RESUME, by or None, now, name)
            return [run.key for run in idle]

    async def act_on_runs(self, namespace: str, wanted: Sequence[Act], now: Instant) -> list[ActResult]:
        with self.transaction(tells=True) as tables:
            for node, lease in list(tables.nodes.items()):
                if lease.namespace == namespace and lease.until < now:
                    del tables.nodes[node]
                    tables.free(node, now, setback=1)
            return acts.act_on_runs(tables, namespace, wanted, now)

    async def count_questions(self, namespace: str, most: int) -> dict[str, int]:
        open_ones = questions.list_questions(self.tables, namespace, QuestionFilter(limit=most))
        return dict(Counter(each.workflow for each in open_ones))

    async def list_closed_questions(self, namespace: str, limit: int) -> list[ClosedQuestion]:
        return questions.list_closed(self.tables, namespace, limit)

    async def list_questions(self, namespace: str, which: QuestionFilter) -> list[QuestionRecord]:
        return questions.list_questions(self.tables, namespace, which)

    async def list_messages(
        self, namespace: str, run: RunKey, after: MessageId, limit: int
    ) -> list[PostedMessage]:
        mail = self.tables.mail(run) if self.tables.run(namespace, run) else []
        return [
            PostedMessage(
                it.id,
                it.kind,
                it.name,
                it.payload,
                it.taken,
                *self.tables.posted[it.id],
                self.tables.answers.get(it.id),
                it.comment,
                it.question,
            )
            for it in mail
            if it.id > after
        ][:limit]

    async def count_listed(self, namespace: str, which: RunFilter, most: int = MOST_COUNTED) -> int:
        return len(await self.list_runs(namespace, which._replace(limit=most)))

    async def cancel_parked_run(self, namespace: str, cancellation: ParkedRunCancellation) -> bool:
        run, epoch, failure, messages, now = cancellation
        with self.transaction(tells=True) as tables:
            found = tables.run(namespace, run)
            if found is None or (found.status, found.epoch) != (RunStatus.PARKED, epoch):
                return False
            tables.change(run, status=RunStatus.CANCELLED, failure=read_failure(failure), finished_at=now)
            tables.change(run, waiting=None, wake_at=None)
            tables.cancel_tasks(run, now)
            questions.close_all(tables, run, now)
            tables.clear_queue(run)
            news = [] if found.parent is None else [_news(found.parent, found.parent_seq)]
            tables.deliver(namespace, [*messages, *news], now)
            return True

    async def stranded_runs(self, namespace: str, now: Instant, progress: object = None) -> list[Stranded]:
        runs = sorted(self.tables.runs.values(), key=lambda run: run.key)
        return [
            Stranded(run.key, run.id, run.workflow, run.status, problem)
            for run in runs
            if run.namespace == namespace and (problem := views.problem(self.tables, run, now)) is not None
        ]

    async def list_serving_nodes(self, namespace: str) -> list[ServingNode]:
        """The nodes of this model do not say what they serve."""
        return [
            ServingNode(node, lease.until, None, None)
            for node, lease in self.tables.nodes.items()
            if lease.namespace == namespace
        ]

    async def list_due_claims(self, namespace: str) -> list[str]:
        return sorted({run.claim for run in self._claimable(namespace)})

    async def list_due_runs(
        self, namespace: str, claim: str, now: Instant, problem: str, limit: int
    ) -> list[Stranded]:
        due = [run for run in self._claimable(namespace) if run.claim == claim and (run.wake_at or 0) <= now]
        return [
            Stranded(run.key, run.id, run.workflow, run.status, problem)
            for run in sorted(due, key=lambda run: run.wake_at or 0)[:limit]
        ]

    async def read_backlog(self, namespace: str, now: Instant, most: int) -> BacklogRows:
        due: dict[tuple[str, str], list[Instant]] = {}
        for run in self._claimable(namespace):
            if run.wake_at is not None and run.wake_at <= now:
                due.setdefault((run.claim, run.workflow), []).append(run.wake_at)
        waiting: dict[str, list[Instant]] = {}
        for item in self.tables.queue.values():
            if item.namespace == namespace and item.ready_at <= now:
                waiting.setdefault(item.service, []).append(item.ready_at)
        return BacklogRows(
            [DueRuns(*at, len(times), min(times)) for at, times in due.items()],
            [WaitingTasks(service, len(times), min(times)) for service, times in waiting.items()],
        )

    def _claimable(self, namespace: str) -> list[RunRecord]:
        return [
            run
            for run in self.tables.runs.values()
            if run.namespace == namespace and run.owner is None and run.wake_at is not None
        ]


def _ended_within(run: RunRecord, which: RunFilter) -> bool:
    if which.ended_since is None and which.ended_before is None:
        return True
    at = run.finished_at
    if at is None:
        return False
    return (which.ended_since is None or at >= which.ended_since) and (
        which.ended_before is None or at < which.ended_before
    )


def _took_within(run: RunRecord, which: RunFilter) -> bool:
    if which.took_over is None and which.took_under is None:
        return True
    end = run.finished_at
    if end is None:
        return False
    took = dt.timedelta(microseconds=max(end - (run.started_at or end), 0))
    return (which.took_over is None or took >= which.took_over) and (
        which.took_under is None or took < which.took_under
    )


def _reopen(tables: Tables, reopening: Reopening) -> None:
    key, position = reopening.run, reopening.step.position
    wake_at = reopening.now if reopening.waiting is None else None
    epoch = tables.runs[key].epoch + 1
    tables.change(key, status=RunStatus.RUNNING, epoch=epoch, wake_at=wake_at)
    tables.fingerprints.pop(key, None)
    tables.set_wait(key, describe_wait([] if reopening.waiting is None else [reopening.waiting]))
    tables.change(key, output=None, failure=None, finished_at=None, setbacks=0)
    if reopening.options is not None:
        tables.change(key, options=reopening.options)
    insert(tables.journal, (key, position), reopening.step.step)
    for number in reopening.questions:
        questions.reopen(tables, key, number)
    for seq in reopening.tasks:
        tables.try_again(key, seq)
    tables.clear_queue(key)
    for message in reopening.messages:
        tables.take(key, message, None)
    for message in reopening.overtaken:
        tables.take(key, message, position)
    # Steps that no longer count set part of the state. The program sets it again.
    tables.state = {at: value for at, value in tables.state.items() if at[0] != key}


# --- fences


def _renew(tables: Tables, commit: Commit) -> None:
    known = tables.nodes.get(commit.node)
    if known is None:
        tables.nodes[commit.node] = Lease(commit.namespace, commit.lease_until, commit.now)
    elif commit.renews:
        tables.nodes[commit.node] = known._replace(until=max(known.until, commit.lease_until))


def _forget_stalls(tables: Tables, run: RunKey) -> None:
    for at in [each for each in tables.stalls if each[0] == run]:
        del tables.stalls[at]


def _owns(tables: Tables, commit: Commit, key: RunKey, epoch: int) -> bool:
    run = tables.run(commit.namespace, key)
    return run is not None and (run.owner, run.epoch) == (commit.node, epoch)


def _is_missing(tables: Tables, commit: Commit, unwritten: Collection[RunKey]) -> bool:
    """The stores look for one row of the commit. The calls that are drawn at random may have no such row,
    though the commit stands: they hold runs before they own them, and settle tasks that are not there."""
    for run in commit.created:
        if run.key not in unwritten and run.parent not in unwritten:
            return tables.run(commit.namespace, run.key) is None
    let_go = {run.run for run in (*commit.released, *commit.ended)}
    unsure = let_go.union(unwritten)
    for step in commit.steps:
        if step.run not in unsure:
            return (step.run, step.position) not in tables.journal
    for settled in commit.settled:
        if settled.run not in unsure:
            task = tables.tasks.get((settled.run, settled.seq))
            return task is None or not task.status.is_final
    held = [each for each in commit.held if each.run in let_go.difference(unwritten)]
    return bool(held) and _owns(tables, commit, held[0].run, held[0].epoch)


def _has_let_go(tables: Tables, commit: Commit, key: RunKey, epoch: int) -> bool:
    """Whether the node no longer owns this run because of this commit."""
    run = tables.run(commit.namespace, key)
    if run is None or run.epoch != epoch:
        return False
    is_released = any(row.run == key for row in commit.released)
    return is_released or (run.status.is_final and any(row.run == key for row in commit.ended))


def _create(
    tables: Tables, commit: Commit, lost: frozenset[RunKey]
) -> tuple[dict[RunKey, RunKey], set[RunKey]]:
    """Returns the runs that exist already, and those whose parent is missing, which are not added either."""
    founders = [run for run in commit.created if run.parent is None]
    existing = tables.add_runs(commit.namespace, founders, is_retry=commit.is_retry)
    children = [run for run in commit.created if run.parent is not None]
    wanted = [run for run in children if run.parent not in lost and run.parent not in existing]
    existing |= tables.add_runs(commit.namespace, wanted, is_retry=commit.is_retry)
    return existing, {run.key for run in children if run not in wanted}


def _without(commit: Commit, gone: Set[RunKey]) -> Commit:
    """The commit without the rows of these runs, which the node may not write. A message is its sender's."""
    rows: dict[str, list[Any]] = {
        name: [row for row in getattr(commit, name) if row.run not in gone] for name in ROWS_OF_RUNS
    }
    rows |= {
        name: [row for row in getattr(commit, name) if row.sender not in gone] for name in ROWS_FOR_OTHERS
    }
    return replace(commit, **rows)


# --- what the runs did


def _write(tables: Tables, commit: Commit) -> None:
    for row in commit.steps:
        insert(tables.journal, (row.run, row.position), row.step)
    for row in commit.tasks:
        insert(tables.tasks, (row.run, row.seq), new_task(row))
    for row in commit.shared_inputs:
        insert(tables.shared_inputs, (row.run, row.seq), SharedInput(row.seq, row.fields))
    for row in commit.branches:
        insert(tables.tasks, (row.run, row.seq), new_task(row, tables.shared_inputs[row.run, row.shares]))
    # Moved rows before settled ones: a task may start and end in the same tick.
    for row in {(row.run, row.seq): row for row in commit.moved}.values():
        tables.change_task(**asdict(row))
    for row in commit.settled:
        values = asdict(row) | {"failure": read_failure(row.failure), "due_at": None}
        if row.started_at is None:
            del values["started_at"]
        tables.change_task(**values)
    for row in commit.attempts:
        insert(tables.attempts, (row.run, row.seq, row.attempt), ended_attempt(row))
    write_queue(tables, commit)
    for row in commit.logs:
        tables.last_log += 1
        tables.logs[tables.last_log] = row
    for row in commit.published:
        _publish(tables, row, commit.drop_items_at)
    for (run, stream), added in Counter((row.run, row.stream) for row in commit.published).items():
        _trim(tables, run, stream, commit, looked_at=16 + 2 * added)
    for row in commit.state:
        if row.value is None:
            tables.state.pop((row.run, row.key), None)
        else:
            tables.state[row.run, row.key] = row.value
    for row in commit.taken:
        tables.take(row.run, row.message, row.position)
    for row in commit.answered:
        tables.answer(row.run, row.message, row.answer)
    for row in commit.returned:
        tables.take(row.run, row.message, None)
    questions.write_questions(tables, commit)
    for row in commit.proved:
        tables.change(row.run, setbacks=0)
    for row in commit.waits:
        tables.set_wait(row.run, WaitDescription(row.waiting, row.waiting_kind, row.waiting_name))


def _publish(tables: Tables, row: NewItems, drop_at: Instant | None) -> None:
    end, size = 0, 0
    for (run, stream, each), known in tables.items.items():
        if (run, stream) == (row.run, row.stream) and each > end:
            end, size = each, known.total_bytes
    new = StreamRow(end, size + row.size, row.seq, row.attempt, row.is_first, row.items, drop_at)
    insert(tables.items, (row.run, row.stream, end + row.count), new)


def _trim(tables: Tables, run: RunKey, stream: str, commit: Commit, *, looked_at: int) -> None:
    rows = sorted(at for at in tables.items if at[:2] == (run, stream))
    last = rows[-1]
    for number, at in enumerate(rows):
        is_old = at[2] <= last[2] - commit.stream_items
        is_large = tables.items[at].total_bytes <= tables.items[last].total_bytes - commit.stream_bytes
        if is_old or (is_large and number < looked_at):
            del tables.items[at]


def _end(tables: Tables, commit: Commit) -> None:
    for row in commit.ended:
        tables.change(
            row.run,
            status=row.status,
            output=row.output,
            failure=read_failure(row.failure),
            finished_at=row.finished_at,
            owner=None,
            wake_at=None,
            waiting=None,
        )
        if row.fingerprint is not None:
            tables.fingerprints[row.run] = row.fingerprint
        if row.status is RunStatus.CANCELLED:
            tables.cancel_tasks(row.run, row.finished_at)
            tables.clear_queue(row.run)


def _release(tables: Tables, row: ReleasedRun, wake_at: Instant | None) -> None:
    run = tables.runs[row.run]
    is_parked = row.status is RunStatus.PARKED
    if is_parked and any(it.kind is MessageKind.CANCEL for it in tables.unread([row.run])):
        wake_at = earlier(
            just_before(run.created_at), wake_at
        )  # a node must take the run again, and cancel it
    is_held = row.status in (RunStatus.PARKED, RunStatus.PAUSED)
    heard_at = earlier(run.wake_at, wake_at) if row.status in AWAKE else None
    if row.status is RunStatus.PAUSED:
        acts.hold_queue(tables, row.run)
    tables.change(
        row.run,
        status=row.status,
        failure=read_failure(row.failure),
        owner=None,
        wake_at=wake_at if is_held else heard_at,
        setbacks=run.setbacks + 1 if is_parked else 0,
    )
    tables.set_wait(row.run, WaitDescription(row.waiting, row.waiting_kind, row.waiting_name))


def _news(parent: RunKey, seq: int | None) -> NewMessage:
    return NewMessage(parent, MessageKind.CHILD, str(seq), NULL)


def _take_work(
    tables: Tables, commit: Commit
) -> tuple[list[Claimed], list[MessageRecord], frozenset[RunKey]]:
    if commit.claim is None and not commit.collect:
        return [], [], frozenset()
    readers = {run: commit.read.get(run, 0) for run in tables.collect(commit.node)}
    claimed: list[Claimed] = []
    if commit.claim is not None:
        _reap(tables, commit)
        claimed = _claim(tables, commit, commit.claim)
        readers |= {claim.run.key: 0 for claim in claimed}
    return claimed, *_read_mail(tables, commit, readers)


def _read_mail(
    tables: Tables, commit: Commit, readers: dict[RunKey, MessageId]
) -> tuple[list[MessageRecord], frozenset[RunKey]]:
    """The oldest unread messages of each run. What is left wakes the run again."""
    share = max(1, commit.mail_rows // max(1, len(readers)))
    unread = {
        run: [message for message in tables.unread([run]) if message.id > known]
        for run, known in readers.items()
    }
    left = frozenset(run for run, messages in unread.items() if len(messages) > share)
    for run in left:
        tables.change(run, wake_at=commit.now)
    mail = [message for messages in unread.values() for message in messages[:share]]
    return sorted(mail, key=lambda message: message.id), left


def _reap(tables: Tables, commit: Commit) -> None:
    for node, lease in list(tables.nodes.items()):
        if lease.namespace == commit.namespace and lease.until < commit.now and node != commit.node:
            del tables.nodes[node]
            tables.free(node, commit.now, setback=1)


def _claim(tables: Tables, commit: Commit, wanted: ClaimRequest) -> list[Claimed]:
    claimable = tables.claimable(commit.namespace, wanted.claims, wanted.runs)
    due = [run for wake_at, run in claimable if wake_at <= commit.now]
    if wanted.runs is None:
        urgent = [run for run in due if run.priority > 0]
        groups: dict[tuple[str, int], list[RunRecord]] = {}
        for run in urgent:  # the oldest first
            groups.setdefault((run.claim, run.priority), []).append(run)
        first_of = sorted(groups, key=lambda of: (-of[1], groups[of][0].wake_at or 0, of[0]))
        urgent = [run for of in first_of for run in groups[of]]
        due = [*urgent, *(run for run in _shared(due, wanted.limit) if run.priority == 0)]
    company: list[RunRecord] = []
    for run in due[: wanted.limit]:
        together = [*company, run]
        # The more setbacks a run has had, the fewer runs are taken together with it.
        if len(together) <= min(max(1, wanted.limit // 4**each.setbacks) for each in together):
            company = together
    return [tables.claim(commit.node, run, commit.now) for run in company]


def _shared(due: list[RunRecord], limit: int) -> list[RunRecord]:
    """Each claim gets the same share of the limit, and the limit is lower if a first run has setbacks."""
    claims = {run.claim for run in due}
    lines = [[run for run in due if run.claim == claim] for claim in claims]
    if len(lines) < 2:
        return due
    limit = min(max(1, limit // 4 ** line[0].setbacks) for line in lines)
    chosen = [run.key for line in lines for run in line[: max(1, limit // len(lines))]]
    return [run for run in due if run.key in chosen]
