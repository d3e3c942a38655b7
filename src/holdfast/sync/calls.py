"""The calls of `holdfast.sync`. Generated from the async classes by tests/sync/generate.py: do not edit."""

from __future__ import annotations

import builtins
import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Any, Generic, ParamSpec, TypeVar, Unpack, cast, overload

from holdfast.app import Holdfast as AsyncHoldfast
from holdfast.client.alerts import AlertInfo, DeliveryInfo
from holdfast.client.alerts import Alerts as AsyncAlerts
from holdfast.client.archives import ArchiveSource, ImportOptions, ImportReport
from holdfast.client.audit import Audit as AsyncAudit
from holdfast.client.audit import AuditEntry, AuditInfo
from holdfast.client.backlogs import Backlog
from holdfast.client.batches import Call
from holdfast.client.bulk_jobs import BulkJob, BulkOptions, BulkPreview, FailuresPage, JobsPage
from holdfast.client.bulk_jobs import BulkJobs as AsyncBulkJobs
from holdfast.client.failures import FailureInfo
from holdfast.client.fleet import NodeDrain, NodeInfo, Queues, TakenItem
from holdfast.client.flows import FlowInfo, FlowVersionInfo
from holdfast.client.flows import Flows as AsyncFlows
from holdfast.client.keys import KeyInfo, NewKey
from holdfast.client.keys import Keys as AsyncKeys
from holdfast.client.logs import LogEntry, LogLine
from holdfast.client.operators import MessageInfo, Timers
from holdfast.client.questions import AnsweredQuestion, QuestionInfo
from holdfast.client.retention import PruneOptions, PruneReport
from holdfast.client.run import AttemptInfo, ChapterInfo, Cursor, RunInfo, RunsPage, TaskInfo
from holdfast.client.run import Run as AsyncRun
from holdfast.client.run_counts import RunCount
from holdfast.client.run_filters import RunConditions
from holdfast.client.run_points import RunPoints
from holdfast.client.run_reading import JournalPage
from holdfast.client.run_views import BusyLine, Grain, Neighbours, RunGroups
from holdfast.client.schedule_ticks import BackfillPreview, PlanPreview, ScheduleTicks
from holdfast.client.schedules import CatchUpPreview, OverdueSchedule, ScheduleInfo, UpcomingRun
from holdfast.client.schedules import Schedules as AsyncSchedules
from holdfast.client.selection import BulkReport
from holdfast.client.selection import RunSelection as AsyncRunSelection
from holdfast.client.signals import Signal
from holdfast.client.stats import NamespaceInfo, RunStats
from holdfast.client.streams import StreamInfo
from holdfast.client.workflow_numbers import WorkflowActivities
from holdfast.client.workflows import (
    DeletedWorkflow,
    PublishedWorkflow,
    WorkflowDetails,
    WorkflowDiff,
    WorkflowGraph,
    WorkflowInfo,
    WorkflowVersionInfo,
)
from holdfast.client.workflows import WorkflowVersions as AsyncWorkflowVersions
from holdfast.core.attention import Attention
from holdfast.core.changes import Change
from holdfast.core.explanations import Explanation
from holdfast.core.keys import Role
from holdfast.core.past_states import PastState
from holdfast.core.records import Definition, History
from holdfast.core.run_graphs import RunGraph
from holdfast.core.run_options import KEEP_DEADLINE, NewDeadline, StartTarget
from holdfast.core.timetable import Catchup, Plan
from holdfast.core.values import Failure, RunKey, RunStatus
from holdfast.core.workflow_numbers import WorkflowStatistics
from holdfast.errors import Problem
from holdfast.ports.runs import Stranded
from holdfast.ports.workflows import HasRun
from holdfast.sync.loop_thread import LoopThread

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def _known(run: Any) -> Any:
    """The handle that the async class knows. An id stays what it is."""
    return cast("Run[Any]", run).inner if isinstance(run, Run) else run


class Run(Generic[R]):
    def __init__(self, inner: AsyncRun[R], thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    @property
    def id(self) -> str:
        return self.inner.id

    @property
    def key(self) -> RunKey:
        return self.inner.key

    def __repr__(self) -> str:
        return repr(self.inner)

    def result(self, timeout: dt.timedelta | None = None) -> R:
        """Wait for the end. Raises RunFailed (and the original class), RunCancelled, or TimeoutError."""
        return self._thread.call(lambda: self.inner.result(timeout))

    def describe(self) -> RunInfo:
        return self._thread.call(self.inner.describe)

    def status(self) -> RunStatus:
        return self._thread.call(self.inner.status)

    def signal(self, name: str, value: Any = None, *, by: str = "", message_id: str | None = None) -> None:
        return self._thread.call(lambda: self.inner.signal(name, value, by=by, message_id=message_id))

    def update(
        self,
        name: str,
        /,
        *args: Any,
        timeout: dt.timedelta | None = None,
        by: str = "",
        message_id: str | None = None,
        type: Any = Any,
    ) -> Any:
        return self._thread.call(
            lambda: self.inner.update(name, *args, timeout=timeout, by=by, message_id=message_id, type=type)
        )

    def resolve(
        self, name: str | int, value: Any = None, *, by: str = "", comment: str = "", ahead: bool = False
    ) -> None:
        return self._thread.call(lambda: self.inner.resolve(name, value, by=by, comment=comment, ahead=ahead))

    def reject(
        self, name: str | int, error: Exception | str, *, by: str = "", comment: str = "", ahead: bool = False
    ) -> None:
        return self._thread.call(lambda: self.inner.reject(name, error, by=by, comment=comment, ahead=ahead))

    def cancel(self, reason: str = "", *, by: str = "") -> None:
        return self._thread.call(lambda: self.inner.cancel(reason, by=by))

    def terminate(self, reason: str = "", *, by: str = "") -> None:
        return self._thread.call(lambda: self.inner.terminate(reason, by=by))

    def pause(self, note: str = "", *, by: str = "") -> None:
        return self._thread.call(lambda: self.inner.pause(note, by=by))

    def resume(self, *, timers: str = Timers.CATCH_UP, by: str = "") -> None:
        return self._thread.call(lambda: self.inner.resume(timers=timers, by=by))

    def retry(self, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = "") -> None:
        return self._thread.call(lambda: self.inner.retry(deadline=deadline, by=by))


class Schedules:
    def __init__(self, inner: AsyncSchedules, thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    def put(
        self,
        name: str,
        workflow: Any,
        *,
        cron: str | None = None,
        every: dt.timedelta | None = None,
        timezone: str = "UTC",
        input: Mapping[str, Any] | None = None,
        version: str | int | None = None,
        jitter: dt.timedelta | None = None,
        start: dt.datetime | None = None,
        end: dt.datetime | None = None,
        overlap: str = "skip",
        catchup: str | Mapping[str, int] | Catchup = "last",
    ) -> ScheduleInfo:
        """Add a schedule, or change the one with that name. It fires for ticks from now on.

        In strings of `input`, `{tick}` and `{date}` stand for the tick. Without `version`, it follows the
        newest version of the workflow. Raises BadOption, UnknownWorkflow, ScheduleTaken if the name belongs
        to a schedule of another workflow, and WrongType if the workflow does not accept that input.
        """
        return self._thread.call(
            lambda: self.inner.put(
                name,
                workflow,
                cron=cron,
                every=every,
                timezone=timezone,
                input=input,
                version=version,
                jitter=jitter,
                start=start,
                end=end,
                overlap=overlap,
                catchup=catchup,
            )
        )

    def put_plan(
        self,
        name: str,
        workflow: Any,
        plan: Plan,
        input: Mapping[str, Any],
        *,
        version: str | int | None = None,
        origin: str = "",
        replaces: str | None = None,
    ) -> ScheduleInfo:
        """Like `put`. If the plan is unchanged, the schedule still catches up on missed ticks.

        `replaces` is the hash of the schedule that it is to replace; empty: there is to be none. Raises
        ScheduleChanged if there is another one, unless it is already as it is to be.
        """
        return self._thread.call(
            lambda: self.inner.put_plan(
                name, workflow, plan, input, version=version, origin=origin, replaces=replaces
            )
        )

    def get(self, name: str) -> ScheduleInfo:
        """Raises ScheduleNotFound."""
        return self._thread.call(lambda: self.inner.get(name))

    def list(self) -> builtins.list[ScheduleInfo]:
        """All schedules that this version can read. For another, `get` raises the reason."""
        return self._thread.call(self.inner.list)

    def overdue(self) -> builtins.list[OverdueSchedule]:
        """The schedules that have long been due and that no node has fired. `Client.doctor` has them too."""
        return self._thread.call(self.inner.overdue)

    def delete(self, name: str) -> None:
        """Runs that the schedule has started go on. Raises ScheduleNotFound."""
        return self._thread.call(lambda: self.inner.delete(name))

    def pause(self, name: str) -> ScheduleInfo:
        """Start no runs until `resume`. There is no catching up on ticks in between."""
        return self._thread.call(lambda: self.inner.pause(name))

    def resume(self, name: str) -> ScheduleInfo:
        return self._thread.call(lambda: self.inner.resume(name))

    def trigger(self, name: str) -> Run[Any]:
        """Start a run now. Plan and overlap are not applied to it and do not count it."""
        return Run(self._thread.call(lambda: self.inner.trigger(name)), self._thread)

    def backfill(
        self, name: str, begin: dt.datetime, end: dt.datetime, *, limit: int = 1000
    ) -> builtins.list[Run[Any]]:
        """Start a run for every tick t with begin <= t < end. For a tick that already has a run, you get that
        run. Raises BadOption if there are more than `limit` ticks, or a hundred years."""
        return [
            Run(run, self._thread)
            for run in self._thread.call(lambda: self.inner.backfill(name, begin, end, limit=limit))
        ]

    def preview_backfill(
        self, name: str, begin: dt.datetime, end: dt.datetime, *, limit: int = 1000
    ) -> BackfillPreview:
        """What `backfill` would do: how many runs it would start, and how many ticks have one already."""
        return self._thread.call(lambda: self.inner.preview_backfill(name, begin, end, limit=limit))

    def ticks(
        self, begin: dt.datetime | None = None, end: dt.datetime | None = None, name: str | None = None
    ) -> ScheduleTicks:
        """What became of each tick between `begin` and `end`, and which come: of all schedules, up to 200, or
        of one. Without times: twelve hours before and after now.

        Of each schedule there are 200 past ticks at most, the newest, and the next 200. A tick without a run
        was skipped, or its run was deleted since. Ticks of an earlier plan that started no run are not known.
        """
        return self._thread.call(lambda: self.inner.ticks(begin, end, name))

    def preview(self, name: str, count: int = 10) -> builtins.list[UpcomingRun]:
        """The next runs that it would start if it is not paused; fewer if there are fewer in 400 years."""
        return self._thread.call(lambda: self.inner.preview(name, count))

    def preview_plan(self, plan: Plan, *, name: str = "", count: int = 10) -> PlanPreview:
        """When a schedule with this plan would fire next, in the next 400 years. Nothing is stored. Jitter
        depends on the name."""
        return self._thread.call(lambda: self.inner.preview_plan(plan, name=name, count=count))

    def preview_outage(self, name: str, begin: dt.datetime, end: dt.datetime) -> CatchUpPreview:
        """What the schedule would do at `end` if no node was up since `begin`, ten years before at most."""
        return self._thread.call(lambda: self.inner.preview_outage(name, begin, end))


class Alerts:
    def __init__(self, inner: AsyncAlerts, thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    def put(
        self,
        name: str,
        url: str,
        on: str | Sequence[str],
        *,
        workflow: Any = None,
        tags: str | Sequence[str] = (),
        late_after: dt.timedelta | None = None,
        waiting_after: dt.timedelta | None = None,
        secret: str | None = None,
        at_most: int = 60,
        enabled: bool = True,
    ) -> AlertInfo:
        """Add a rule, or replace it: post a message to `url` when a run has `failed`, was `parked`, has not
        ended `late_after` its creation (`late`), or has a question that is open for `waiting_after`
        (`waiting`). What happened before is not told.

        `workflow` and `tags` say which runs. `secret` is the name of the secret that messages are signed
        with. Of each kind, `at_most` so many messages are sent in a minute; one more sums up the rest.

        Raises BadOption, and AddressRefused if nodes may not connect there.
        """
        return self._thread.call(
            lambda: self.inner.put(
                name,
                url,
                on,
                workflow=workflow,
                tags=tags,
                late_after=late_after,
                waiting_after=waiting_after,
                secret=secret,
                at_most=at_most,
                enabled=enabled,
            )
        )

    def get(self, name: str) -> AlertInfo:
        """Raises AlertNotFound."""
        return self._thread.call(lambda: self.inner.get(name))

    def list(self) -> builtins.list[AlertInfo]:
        """All rules, by name."""
        return self._thread.call(self.inner.list)

    def delete(self, name: str) -> AlertInfo:
        """What it was. Messages that have not been delivered yet are given up. Raises AlertNotFound."""
        return self._thread.call(lambda: self.inner.delete(name))

    def test(self, name: str) -> DeliveryInfo:
        """Send a message of the type `dev.holdfast.alerts.ping` now, and wait some seconds for what becomes
        of it. Raises AlertNotFound."""
        return self._thread.call(lambda: self.inner.test(name))

    def deliveries(self, name: str, *, limit: int = 20) -> builtins.list[DeliveryInfo]:
        """The last messages of a rule, newest first. Raises AlertNotFound."""
        return self._thread.call(lambda: self.inner.deliveries(name, limit=limit))


class Flows:
    def __init__(self, inner: AsyncFlows, thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    def create(self, name: str, description: str = "") -> FlowInfo:
        """Add a flow without versions. Raises BadOption."""
        return self._thread.call(lambda: self.inner.create(name, description))

    def list(self, page: int = 1, size: int = 10) -> tuple[builtins.list[FlowInfo], int]:
        """A page of flows, newest first, and the total. Pages count from 1."""
        return self._thread.call(lambda: self.inner.list(page, size))

    def describe(self, flow: str) -> FlowInfo:
        """Raises FlowNotFound."""
        return self._thread.call(lambda: self.inner.describe(flow))

    def names(self, ids: Iterable[str]) -> dict[str, str]:
        """The names of the flows among these workflow ids, by id."""
        return self._thread.call(lambda: self.inner.names(ids))

    def publish(
        self,
        flow: str,
        definition: str | Mapping[str, Any] | None = None,
        version: int | None = None,
        *,
        is_json: bool | None = None,
    ) -> FlowVersionInfo:
        """Publish a version, so that it can be run, under the number `version` or the next free one.

        Publishing the same definition again returns the published version. Without a definition, this
        publishes the draft of that number. Raises BadFlow, FlowNotFound, and VersionConflict if the number is
        published with another definition.
        """
        return self._thread.call(lambda: self.inner.publish(flow, definition, version, is_json=is_json))

    def save_draft(
        self,
        flow: str,
        definition: str | Mapping[str, Any],
        version: int | None = None,
        *,
        is_json: bool | None = None,
    ) -> FlowVersionInfo:
        """Store a version that cannot be run yet. It replaces the draft of that number, if there is one.

        The definition is checked when it is published. Raises FlowNotFound, and VersionConflict if that
        number is published with another definition.
        """
        return self._thread.call(lambda: self.inner.save_draft(flow, definition, version, is_json=is_json))

    def versions(self, flow: str) -> builtins.list[FlowVersionInfo]:
        """All versions, the highest number first. Raises FlowNotFound."""
        return self._thread.call(lambda: self.inner.versions(flow))

    def get(self, flow: str, version: int | None = None) -> FlowVersionInfo:
        """That version, or the highest published one. Raises FlowNotFound, NotPublished."""
        return self._thread.call(lambda: self.inner.get(flow, version))

    def compare(self, flow: str, before: int, after: int) -> builtins.list[Any]:
        """The differences between two versions, each with `path`, `kind`, `before` and `after`."""
        return self._thread.call(lambda: self.inner.compare(flow, before, after))


class Keys:
    def __init__(self, inner: AsyncKeys, thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    def create(
        self,
        name: str,
        role: Role | str,
        *,
        expires: dt.timedelta | dt.datetime | None = None,
        all_namespaces: bool = False,
        by: str = "",
    ) -> NewKey:
        """Make a key of this namespace, or of all. `expires` says after how long or when it is refused.

        Several keys may have one name. Raises BadOption.
        """
        return self._thread.call(
            lambda: self.inner.create(name, role, expires=expires, all_namespaces=all_namespaces, by=by)
        )

    def list(self, *, all_namespaces: bool = False) -> builtins.list[KeyInfo]:
        """The keys of this namespace, newest first, also those that have expired or are revoked. With
        `all_namespaces`, those that are good for all namespaces too."""
        return self._thread.call(lambda: self.inner.list(all_namespaces=all_namespaces))

    def exist(self) -> bool:
        """Whether there is a key in any namespace, and be it one that has expired or is revoked. Then a
        server asks for keys, unless it is told not to."""
        return self._thread.call(self.inner.exist)

    def revoke(self, id: str, *, all_namespaces: bool = False, by: str = "") -> KeyInfo:
        """Refuse the key from now on. If it was revoked before, nothing changes.

        A key that is good for all namespaces is revoked with `all_namespaces`. Raises KeyNotFound.
        """
        return self._thread.call(lambda: self.inner.revoke(id, all_namespaces=all_namespaces, by=by))

    def check(self, text: str) -> KeyInfo | None:
        """The key with that text, of any namespace. None if there is no such key, or if it has expired or is
        revoked. Raises StoreError if the store has to be asked and does not answer."""
        return self._thread.call(lambda: self.inner.check(text))

    def is_active(self, id: str) -> bool:
        """Whether the key has neither expired nor was revoked, as the store has it now. Raises StoreError."""
        return self._thread.call(lambda: self.inner.is_active(id))


class Audit:
    def __init__(self, inner: AsyncAudit, thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    def record(self, entry: AuditEntry) -> None:
        """Add a row. Returns when it is written. It is written also if the caller is cancelled meanwhile,
        because what it tells of has been done.

        Raises BadOption and CannotStore, and StoreError if it could not be written; this is logged, too.
        """
        return self._thread.call(lambda: self.inner.record(entry))

    def list(
        self,
        *,
        limit: int = 100,
        after: int | None = None,
        target: str | None = None,
        action: str | None = None,
    ) -> builtins.list[AuditInfo]:
        """Rows of this namespace, newest first. `after` is the number of the last row of the previous page.

        A target or an action must be the same as in the row. Raises BadOption.
        """
        return self._thread.call(
            lambda: self.inner.list(limit=limit, after=after, target=target, action=action)
        )


class WorkflowVersions:
    def __init__(self, inner: AsyncWorkflowVersions, thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    def list(
        self, *, kind: str | None = None, limit: int = 100, after: str = ""
    ) -> builtins.list[WorkflowInfo]:
        """Up to `limit` workflows in the order of their names, those after the name `after`."""
        return self._thread.call(lambda: self.inner.list(kind=kind, limit=limit, after=after))

    def get(self, name: str, version: str | int | None = None) -> WorkflowDetails:
        """That version, or the newest. Raises WorkflowNotFound."""
        return self._thread.call(lambda: self.inner.get(name, version))

    def versions(self, name: str) -> builtins.list[WorkflowVersionInfo]:
        """The newest first; drafts of flows are left out. Raises WorkflowNotFound."""
        return self._thread.call(lambda: self.inner.versions(name))

    def input_schema(self, name: str, version: str | int | None = None) -> dict[str, Any] | None:
        """The JSON Schema of the input, as runs have it. None: an older release has registered this version,
        or a type of its parameters cannot be described. Raises WorkflowNotFound."""
        return self._thread.call(lambda: self.inner.input_schema(name, version))

    def diff(self, name: str, before: str | int, after: str | int) -> WorkflowDiff:
        """What has changed between two versions. Raises WorkflowNotFound, BadDocument."""
        return self._thread.call(lambda: self.inner.diff(name, before, after))

    def graph(self, name: str, version: str | int | None = None) -> WorkflowGraph:
        """The graph of a DAG or a flow, and where its parts are drawn. Raises WorkflowNotFound, and NoGraph
        for code."""
        return self._thread.call(lambda: self.inner.graph(name, version))

    def statistics(self, name: str, *, last: dt.timedelta | None = None) -> WorkflowStatistics:
        """What the newest runs of a workflow say about it: how long they take, how many fail, by version and
        by task. 500 runs are looked at, and 20,000 of their tasks. With `last`, only runs that were created
        in the time up to now. Raises WorkflowNotFound."""
        return self._thread.call(lambda: self.inner.statistics(name, last=last))

    def activity(
        self, *, last: dt.timedelta = dt.timedelta(hours=24), step: dt.timedelta | None = None
    ) -> WorkflowActivities:
        """What happened to the runs of each workflow that were created in the time up to now: how many have
        ended and failed, when, and the newest ones. 10,000 runs are looked at."""
        return self._thread.call(lambda: self.inner.activity(last=last, step=step))

    def validate(
        self, text: str, *, kind: str | None = None, name: str | None = None, file: str | None = None
    ) -> builtins.list[Problem]:
        """What `put` would refuse in this text, each with its place. Nothing is stored."""
        return self._thread.call(lambda: self.inner.validate(text, kind=kind, name=name, file=file))

    def put(
        self,
        text: str,
        *,
        kind: str | None = None,
        name: str | None = None,
        file: str | None = None,
        renames: bool = True,
        replaces: str | None = None,
    ) -> PublishedWorkflow:
        """Publish the text of a DAG or a flow as the next version, which any node can run.

        A text that means the same as the newest version is that version. `kind` is `dag` or `flow`; without
        it, the text tells. `name` replaces the name in the text; without `renames`, a text that has another
        name is refused. `file` is where problems are. The schedule in a DAG is put, or deleted if the text
        has none any more.

        `replaces` is the hash that the newest version must have, or "" if there must be none. It is also
        good if the newest version has become what the text means: then an earlier call has done it.

        Raises BadDag and BadFlow with all problems, WorkflowTaken if the name belongs to a workflow of
        another kind, WorkflowChanged if the newest version is not the one that `replaces` names, and
        ScheduleTaken.
        """
        return self._thread.call(
            lambda: self.inner.put(text, kind=kind, name=name, file=file, renames=renames, replaces=replaces)
        )

    def delete(self, name: str, *, force: bool = False) -> DeletedWorkflow:
        """Delete all versions: nobody can start them by name any more, and they are not listed.

        Their text stays in the store: runs that have ended can be read and retried. Refused with
        WorkflowInUse while runs of it have not ended, or while schedules start it. With `force`, these
        schedules are deleted, and these runs go on to their end with the versions that they began with;
        nothing is parked or cancelled.

        What a node or a program still has is registered again when it starts, or starts a run of it. Raises
        WorkflowNotFound.
        """
        return self._thread.call(lambda: self.inner.delete(name, force=force))


class BulkJobs:
    def __init__(self, inner: AsyncBulkJobs, thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    def preview(self, act: str, *, all: bool = False, **conditions: Unpack[RunConditions]) -> BulkPreview:
        """A dry run: how many runs match, and some of them. Raises BadOption."""
        return self._thread.call(lambda: self.inner.preview(act, all=all, **conditions))

    def start(
        self, act: str, options: BulkOptions | None = None, /, **conditions: Unpack[RunConditions]
    ) -> BulkJob:
        """Do it to all runs that match and that are there now: `cancel`, `terminate`, `pause`, `resume`,
        `retry`, `try_now` or `delete`. When this returns, the job is recorded; nodes do it.

        Raises BadOption, and TooManyRuns if more runs match than `at_most`.
        """
        return self._thread.call(lambda: self.inner.start(act, options, **conditions))

    def preview_prune(
        self,
        older_than: dt.timedelta,
        *,
        status: str | Sequence[str] | None = None,
        workflow: Any = None,
        limit: int | None = None,
    ) -> BulkPreview:
        """A dry run of `prune`: how many runs it would delete, children included."""
        return self._thread.call(
            lambda: self.inner.preview_prune(older_than, status=status, workflow=workflow, limit=limit)
        )

    def prune(
        self,
        older_than: dt.timedelta,
        *,
        status: str | Sequence[str] | None = None,
        workflow: Any = None,
        limit: int | None = None,
        by: str = "",
        id: str | None = None,
    ) -> BulkJob:
        """Delete runs that ended longer ago than that, as `hf.prune` does, in the background."""
        return self._thread.call(
            lambda: self.inner.prune(older_than, status=status, workflow=workflow, limit=limit, by=by, id=id)
        )

    def get(self, id: str) -> BulkJob:
        """Raises JobNotFound."""
        return self._thread.call(lambda: self.inner.get(id))

    def list(self, *, limit: int = 100, after: str | None = None) -> JobsPage:
        """Jobs, newest first. `after` is `next` of the page before."""
        return self._thread.call(lambda: self.inner.list(limit=limit, after=after))

    def failures(self, id: str, *, limit: int = 100, after: str | None = None) -> FailuresPage:
        """The runs to which it was not done, and why, in the order of the job. `after` is `next` of the page
        before. Raises JobNotFound."""
        return self._thread.call(lambda: self.inner.failures(id, limit=limit, after=after))

    def cancel(self, id: str, reason: str = "", *, by: str = "") -> BulkJob:
        """Stop a job. The page of runs that it is at is finished; what is done stays done.

        Raises JobNotFound, and RunEnded if it has ended."""
        return self._thread.call(lambda: self.inner.cancel(id, reason, by=by))


class RunSelection:
    def __init__(self, inner: AsyncRunSelection, thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    def count(self) -> int:
        return self._thread.call(self.inner.count)

    def cancel(self, reason: str = "", *, by: str = "") -> BulkReport:
        """Ask the runs that have not ended to end."""
        return self._thread.call(lambda: self.inner.cancel(reason, by=by))

    def retry(self, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = "") -> BulkReport:
        """Reopen the runs that failed or were cancelled. Those whose deadline has passed need a new one."""
        return self._thread.call(lambda: self.inner.retry(deadline=deadline, by=by))

    def terminate(self, reason: str = "", *, by: str = "") -> BulkReport:
        """End the runs that have not ended, without asking them."""
        return self._thread.call(lambda: self.inner.terminate(reason, by=by))

    def pause(self, note: str = "", *, by: str = "") -> BulkReport:
        return self._thread.call(lambda: self.inner.pause(note, by=by))

    def try_now(self, *, by: str = "") -> BulkReport:
        """End the backoffs of all tasks of the runs."""
        return self._thread.call(lambda: self.inner.try_now(by=by))

    def resume(self, *, timers: str = Timers.CATCH_UP, by: str = "") -> BulkReport:
        """Let the runs go on that are paused or parked. With `timers="wait"`, only those that are paused: see
        `hf.resume`."""
        return self._thread.call(lambda: self.inner.resume(timers=timers, by=by))

    def delete(self) -> BulkReport:
        """Delete the runs that have ended, each with its children."""
        return self._thread.call(self.inner.delete)


class ClientCalls:
    def __init__(self, inner: AsyncHoldfast, thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    @property
    def schedules(self) -> Schedules:
        return Schedules(self.inner.schedules, self._thread)

    @property
    def alerts(self) -> Alerts:
        return Alerts(self.inner.alerts, self._thread)

    @property
    def flows(self) -> Flows:
        return Flows(self.inner.flows, self._thread)

    @property
    def keys(self) -> Keys:
        return Keys(self.inner.keys, self._thread)

    @property
    def audit(self) -> Audit:
        return Audit(self.inner.audit, self._thread)

    @property
    def workflows(self) -> WorkflowVersions:
        return WorkflowVersions(self.inner.workflows, self._thread)

    @property
    def bulk(self) -> BulkJobs:
        return BulkJobs(self.inner.bulk, self._thread)

    def select(self, **conditions: Unpack[RunConditions]) -> RunSelection:
        """Many runs at once: count them, then cancel, terminate, pause, resume, retry or delete
        them or end their backoffs."""

        async def select() -> AsyncRunSelection:
            return self.inner.select(**conditions)

        return RunSelection(self._thread.call(select), self._thread)

    def signal(
        self,
        run: Run[Any] | str,
        name: str,
        value: Any = None,
        *,
        by: str = "",
        message_id: str | None = None,
    ) -> None:
        """Send a message. The run receives it with `context().signal(name)`: in order, and once.

        `message_id` is what you call this signal: the run gets it once, however often you send it under that
        id. Raises MessageIdTaken if the run has another message of that id. `by`, here and below, says who
        does it; `messages` tells it.
        """
        return self._thread.call(
            lambda: self.inner.signal(_known(run), name, value, by=by, message_id=message_id)
        )

    def signal_many(self, signals: Iterable[tuple[Run[Any] | str, Signal]]) -> None:
        """Send many signals, each to its run, in a few transactions: `[(run, Signal("paid", 5)), …]`.

        Raises SignalsRefused if some runs are not there or have ended. It names all of them; the other
        signals were sent. If a value cannot be stored, nothing is sent. If the store does not answer, some
        may have been sent: with message ids, send all of them again.
        """
        return self._thread.call(
            lambda: self.inner.signal_many([(_known(run), rest) for run, rest in signals])
        )

    def signal_or_start(
        self, workflow: StartTarget[P, R], signal: Signal, /, *args: P.args, **kwargs: P.kwargs
    ) -> Run[R]:
        """Send a signal to the run of an id. If there is none, start it, with the signal in its inbox:
        `hf.signal_or_start(order.options(id="order-5"), Signal("item", 1), customer)`.

        Both happen in one transaction: of many clients that call this at once, one starts the run, and the
        run gets the signals of all. Returns the run. Arguments and options are used only for a new run.
        Raises RunEnded if the run has ended, and RunExists if it is a run of another workflow.
        """
        return Run(
            self._thread.call(lambda: self.inner.signal_or_start(workflow, signal, *args, **kwargs)),
            self._thread,
        )

    def update(
        self,
        run: Run[Any] | str,
        name: str,
        /,
        *args: Any,
        timeout: dt.timedelta | None = None,
        by: str = "",
        message_id: str | None = None,
        type: Any = Any,
    ) -> Any:
        """Send a message, and return its answer: what the handler (`context().on_update`) returned, once.

        A call with the same `message_id` gets the same answer. Raises what the handler raised, UpdateRefused,
        UpdateTimedOut, RunEnded, and UpdateUnanswered if the run ends before it has answered."""
        return self._thread.call(
            lambda: self.inner.update(
                _known(run), name, *args, timeout=timeout, by=by, message_id=message_id, type=type
            )
        )

    def resolve(
        self,
        run: Run[Any] | str,
        name: str | int,
        value: Any = None,
        *,
        by: str = "",
        comment: str = "",
        ahead: bool = False,
        message_id: str | None = None,
    ) -> None:
        """Answer what the run asks for with `context().promise(name)` or `context().ask(...)`.

        `name` is the name, or the number of a question in `questions()`. If the run has asked for the name
        several times, the oldest open question is answered. Raises UnknownPromise if the run does not ask for
        it; with `ahead=True` the value is then kept until it does. Raises PromiseSettled, PromiseClosed, and
        MayNotAnswer or BadAnswer if the question is for others or for another type of answer.

        `message_id` is what you call this answer: it is given once, however often you send it under that id.
        """
        return self._thread.call(
            lambda: self.inner.resolve(
                _known(run), name, value, by=by, comment=comment, ahead=ahead, message_id=message_id
            )
        )

    def approve(
        self, run: Run[Any] | str, task: str, *, value: Any = True, by: str = "", comment: str = ""
    ) -> None:
        """Answer an approval: yes, or no with `value=False`. Raises NotAsked if the run is not waiting for
        it.

        `task` is the name of a DAG's task, or the path of a flow's node, as in `checkout/confirm`.
        """
        return self._thread.call(
            lambda: self.inner.approve(_known(run), task, value=value, by=by, comment=comment)
        )

    def reject(
        self,
        run: Run[Any] | str,
        name: str | int,
        error: Exception | Failure | str,
        *,
        by: str = "",
        comment: str = "",
        ahead: bool = False,
        message_id: str | None = None,
    ) -> None:
        """Make `context().promise(name)` or `context().ask(...)` raise. Otherwise as `resolve`."""
        return self._thread.call(
            lambda: self.inner.reject(
                _known(run), name, error, by=by, comment=comment, ahead=ahead, message_id=message_id
            )
        )

    def questions(
        self,
        *,
        run: Run[Any] | str | None = None,
        workflow: StartTarget[..., Any] | type | str | None = None,
        by: str | None = None,
        limit: int = 100,
        after: QuestionInfo | None = None,
    ) -> builtins.list[QuestionInfo]:
        """What runs ask for and nobody has answered, the oldest first: all, or those of a run, of a workflow,
        or that `by` may answer. For the next page, pass the last one as `after`."""
        return self._thread.call(
            lambda: self.inner.questions(run=_known(run), workflow=workflow, by=by, limit=limit, after=after)
        )

    def answered_questions(self, limit: int = 100) -> builtins.list[AnsweredQuestion]:
        """What was asked and is closed: with its answer and who gave it, or given up. The newest first."""
        return self._thread.call(lambda: self.inner.answered_questions(limit))

    def cancel(self, run: Run[Any] | str, reason: str = "", *, by: str = "") -> None:
        """Cancel a run. Its code gets CancelledError and may clean up; then the run is cancelled.

        A second call has no effect. A parked run cannot clean up and is cancelled at once.
        """
        return self._thread.call(lambda: self.inner.cancel(_known(run), reason, by=by))

    def resume(self, run: Run[Any] | str, *, timers: str = Timers.CATCH_UP, by: str = "") -> None:
        """Let a paused run go on, or a parked one, once its problem is fixed.

        With `timers="catch_up"`, timers that came due meanwhile fire at once. With `timers="wait"`, timers
        and backoffs of a paused run are due later by as long as it was paused. Deadlines stay as they are.
        """
        return self._thread.call(lambda: self.inner.resume(_known(run), timers=timers, by=by))

    def pause(self, run: Run[Any] | str, note: str = "", *, by: str = "") -> None:
        """Pause a run until it is resumed: no task of it begins, and its timers do not fire. Tasks that run
        may end. Raises NotRunning if it is paused or parked, or has ended."""
        return self._thread.call(lambda: self.inner.pause(_known(run), note, by=by))

    def terminate(self, run: Run[Any] | str, reason: str = "", *, by: str = "") -> None:
        """End a run without asking it: its code cannot clean up. Children that would be cancelled with it are
        asked to end. Raises NotRunning if it has ended."""
        return self._thread.call(lambda: self.inner.terminate(_known(run), reason, by=by))

    def try_now(self, run: Run[Any] | str, task: str | int | None = None, *, by: str = "") -> None:
        """End the backoff of a task, given by its name or number, or of all tasks of the run."""
        return self._thread.call(lambda: self.inner.try_now(_known(run), task, by=by))

    def messages(
        self, run: Run[Any] | str, *, acts_only: bool = False, after: int = 0, limit: int = 1000
    ) -> builtins.list[MessageInfo]:
        """The signals, answers and cancellations that the run got, and what operators did to it: who, what
        and when. The oldest come first; for the next page, pass the `id` of the last one as `after`. With
        `acts_only`, only answers, cancellations and what operators did."""
        return self._thread.call(
            lambda: self.inner.messages(_known(run), acts_only=acts_only, after=after, limit=limit)
        )

    def resume_all(self, workflow: StartTarget[..., Any] | type | str | None = None) -> int:
        """Let all parked runs go on, or those of one workflow, once their problem is fixed. Returns their
        number."""
        return self._thread.call(lambda: self.inner.resume_all(workflow))

    def retry(self, run: Run[Any] | str, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = "") -> None:
        """Reopen a run that failed or was cancelled.

        Recorded results stay. The tasks that failed are tried again, and the run goes on. If children are
        still being cancelled because the run ended, this waits for them; they go on as well.

        A run whose deadline has passed needs a new `deadline`, or None to have none any more: otherwise this
        raises DeadlineOver. Children whose own deadline has passed get the same one.
        """
        return self._thread.call(lambda: self.inner.retry(_known(run), deadline=deadline, by=by))

    def history(self, run: Run[Any] | str) -> History:
        """Everything that the store has about a run. Of a run with several chapters: about the last one."""
        return self._thread.call(lambda: self.inner.history(_known(run)))

    def journal(self, run: Run[Any] | str, *, after: int | None = None, limit: int = 1000) -> JournalPage:
        """The steps of a run, of all its chapters: what it was told, and what it asked for then. `after` is
        `next` of the page before. A page ends after about 1 MB."""
        return self._thread.call(lambda: self.inner.journal(_known(run), after=after, limit=limit))

    def chapters(
        self, run: Run[Any] | str, *, since: int = 1, limit: int = 1000
    ) -> builtins.list[ChapterInfo]:
        """The chapters of a run, from number `since` on. A run that never called `continue_as` has one."""
        return self._thread.call(lambda: self.inner.chapters(_known(run), since=since, limit=limit))

    def tasks(
        self,
        run: Run[Any] | str,
        *,
        since: int = 0,
        limit: int = 10000,
        name: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> builtins.list[TaskInfo]:
        """The run's tasks, in the order in which it asked for them, from number `since` on. With `name`, only
        tasks of that name; with `status`, only those in that state, or in one of these states."""
        return self._thread.call(
            lambda: self.inner.tasks(_known(run), since=since, limit=limit, name=name, status=status)
        )

    def attempts(self, run: Run[Any] | str, *, of: Sequence[int] | None = None) -> builtins.list[AttemptInfo]:
        """Attempts that did not succeed or that a worker made. `of` gives task numbers; None means all
        tasks."""
        return self._thread.call(lambda: self.inner.attempts(_known(run), of=of))

    def logs(self, run: Run[Any] | str, task: str | None = None) -> builtins.list[LogLine]:
        """What the code of the run and its tasks have written so far, in that order. With `task`, only what
        the tasks of that name have written."""
        return self._thread.call(lambda: self.inner.logs(_known(run), task))

    def log_page(
        self, run: Run[Any] | str, *, after: str | None = None, task: str | None = None, limit: int = 1000
    ) -> builtins.list[LogEntry]:
        """As `logs`, no more than `limit` lines behind the offset `after`. Each has its offset."""
        return self._thread.call(
            lambda: self.inner.log_page(_known(run), after=after, task=task, limit=limit)
        )

    def follow(self, run: Run[Any] | str, task: str | None = None) -> Iterator[LogLine]:
        """As `logs`, and new lines as they come, until the run has ended."""
        return self._thread.iterate(lambda: self.inner.follow(_known(run), task))

    def watch(
        self,
        run: Run[Any] | str | None = None,
        *,
        after: str | None = None,
        **conditions: Unpack[RunConditions],
    ) -> Iterator[Change]:
        """What happens to a run, or to all runs that meet the conditions, as it is committed: each change
        once, in order.

        With `after`, everything behind that offset, and OffsetGone is raised if some of it is gone; without
        it, what happens from now on. It ends when the one run has ended; without a run, it does not end.
        """
        return self._thread.iterate(lambda: self.inner.watch(_known(run), after=after, **conditions))

    def watch_offset(self) -> str:
        """The offset of now. What is read of runs after this call shows everything up to it, so a page takes
        the offset, reads, and watches after the offset: it misses nothing."""
        return self._thread.call(self.inner.watch_offset)

    def streams(self, run: Run[Any] | str) -> builtins.list[StreamInfo]:
        """The streams to which the run has published, by name."""
        return self._thread.call(lambda: self.inner.streams(_known(run)))

    def state(self, run: Run[Any] | str) -> dict[str, Any]:
        """The durable key-value state of a run, as plain values. Of a flow it is the shared state."""
        return self._thread.call(lambda: self.inner.state(_known(run)))

    def state_at(self, run: Run[Any] | str, step: int) -> PastState:
        """The durable state of a run as it was after a step of its journal.

        The store keeps only the newest values. A value is shown if the journal proves that the key had it
        then, or if the replay of a flow does. Other keys are in `not_kept`, with the step that has changed
        them since. 5,000 steps are looked at before and behind that step; if there are more, `is_all` may be
        false."""
        return self._thread.call(lambda: self.inner.state_at(_known(run), step))

    def cursor(self, run: Run[Any] | str) -> Cursor | None:
        """Where a run of a flow is. None: it has not begun, or is no run of a flow."""
        return self._thread.call(lambda: self.inner.cursor(_known(run)))

    def task_groups(self, run: Run[Any] | str, *, at: dt.datetime | None = None) -> RunGroups:
        """The tasks of a run by name, in the order in which it first asked for them: how many there are, in
        which states, and how long they took. With `at`, as it was then. At most 200 names have a group of
        their own."""
        return self._thread.call(lambda: self.inner.task_groups(_known(run), at=at))

    def busy_line(self, run: Run[Any] | str, name: str | None = None, *, bins: int = 200) -> BusyLine:
        """How many tasks of that name ran at once, or how many of all, in equal bins from the first beginning
        to the last end. Only the first 250,000 tasks are looked at."""
        return self._thread.call(lambda: self.inner.busy_line(_known(run), name, bins=bins))

    def grain(self, run: Run[Any] | str, name: str) -> Grain:
        """The tasks of one name, in order, each in brief: how long it took, its state, and how often it was
        tried. At most the first 100,000."""
        return self._thread.call(lambda: self.inner.grain(_known(run), name))

    def neighbours(self, run: Run[Any] | str) -> Neighbours:
        """The ids of the runs of the same workflow that were created before and after this one."""
        return self._thread.call(lambda: self.inner.neighbours(_known(run)))

    def graph(self, run: Run[Any] | str, *, at: dt.datetime | None = None) -> RunGraph:
        """The graph of a run, with what became of each node, and where it is drawn. With `at`, as it was
        then.

        A DAG or a flow has the graph of its version. That of code is made of what it asked for: tasks,
        children, questions, signals and timers. Up to 5,000 steps are read for it, and 200 nodes are shown.
        """
        return self._thread.call(lambda: self.inner.graph(_known(run), at=at))

    def list(
        self, *, limit: int = 100, before: Run[Any] | str | None = None, **conditions: Unpack[RunConditions]
    ) -> builtins.list[RunInfo]:
        """Runs, newest first. `before` is the last run of the previous page."""
        return self._thread.call(lambda: self.inner.list(limit=limit, before=_known(before), **conditions))

    def page(
        self,
        *,
        limit: int = 100,
        after: str | None = None,
        payloads: bool = True,
        **conditions: Unpack[RunConditions],
    ) -> RunsPage:
        """A page of runs, newest first. `after` is `next` of the page before.

        It takes a limited time: if few runs meet conditions such as `error_contains`, it stops after looking
        at 10,000 runs, and if they are large, after 8 MB. So a page may have fewer runs than `limit`, or
        none, although there are more. With `payloads=False`, `input` and `output` are left out.
        """
        return self._thread.call(
            lambda: self.inner.page(limit=limit, after=after, payloads=payloads, **conditions)
        )

    def counts(self, by: str = "status", **conditions: Unpack[RunConditions]) -> builtins.list[RunCount]:
        """How many runs meet the conditions, by `status` or by `workflow`.

        It takes a limited time: if they are chosen by nothing but states, a workflow and the time of their
        creation, 100,000 are counted; otherwise the newest 10,000 are looked at. A count that is not exact
        says so: there are at least so many.
        """
        return self._thread.call(lambda: self.inner.counts(by, **conditions))

    def failures(
        self, *, created_after: dt.datetime | None = None, limit: int = 100
    ) -> builtins.list[FailureInfo]:
        """Failed runs, grouped by cause. The most frequent causes come first."""
        return self._thread.call(lambda: self.inner.failures(created_after=created_after, limit=limit))

    def points(self, *, limit: int = 5000, **conditions: Unpack[RunConditions]) -> RunPoints:
        """The newest runs that meet the conditions, each with no more than when it was created, how long it
        took, its state and its workflow: 5,000 at most.

        If there are more, up to 50,000 runs are counted by when and how long as well, in `bins`. If they
        are chosen by more than the time of their creation, these are 10,000 at most.
        """
        return self._thread.call(lambda: self.inner.points(limit=limit, **conditions))

    def doctor(
        self, progress: Callable[[int], None] | None = None
    ) -> builtins.list[Stranded | OverdueSchedule]:
        """Unfinished runs that nothing will wake, or that are due and no node claims, as when no node has
        their workflow; and schedules that have been due for minutes and that no node fires.

        There should be none, and 1,000 runs at most are returned. The `problem` of each says what is wrong.
        It looks at every unfinished run; `progress` is called with their number so far, every few thousand.
        """
        return self._thread.call(lambda: self.inner.doctor(progress))

    def nodes(self) -> builtins.list[NodeInfo]:
        """The nodes of the namespace: what each serves, how many runs it has, and whether it is there."""
        return self._thread.call(self.inner.nodes)

    def drain_node(self, id: str, *, by: str = "") -> NodeDrain:
        """Ask a node to end as SIGTERM ends it: it takes no more runs, lets tasks under way finish for its
        `drain_seconds`, and hands back the rest, which other nodes go on with at once. This returns when it
        was asked. To ask again changes nothing.

        `holdfast serve`, `worker` and `dev` end then, with exit code 0. Whether a supervisor starts them
        again is its affair. Another program goes on as a client: what it starts then is recorded for other
        nodes. A node of a release before 0.5 does not hear of it. `by` says who asks.

        Raises NodeNotFound if no such node of the namespace is there.
        """
        return self._thread.call(lambda: self.inner.drain_node(id, by=by))

    def queues(self) -> Queues:
        """What waits for workers or is with them, by service, and the tasks that nodes run themselves."""
        return self._thread.call(self.inner.queues)

    def held_items(self) -> builtins.list[TakenItem]:
        """The tasks that workers have taken from the queue: 1,000 at most."""
        return self._thread.call(self.inner.held_items)

    def backlog(self, workflow: str | None = None, service: str | None = None) -> Backlog:
        """How many runs are due that no node has taken, and how many tasks of the queue no worker, with how
        long the first of them have waited. `workflow` and `service` choose among them.

        Of each workflow and service 10,000 are counted at most, so this is cheap whatever has piled up.
        """
        return self._thread.call(lambda: self.inner.backlog(workflow, service))

    def attention(self) -> Attention:
        """Whether all is well, and what needs a person: failed runs by their cause, parked runs, questions,
        what is due and nobody takes. All in sentences, the worst first. It is at most a second old.

        It costs little, whatever has piled up. Runs that nothing will wake are found by `doctor` alone.
        """
        return self._thread.call(self.inner.attention)

    def stats(self, last: dt.timedelta = dt.timedelta(hours=1), step: dt.timedelta | None = None) -> RunStats:
        """How many runs are in each state, and how many were started and ended in the last hour, or in a time
        of up to eight days, in buckets of `step`. It costs the same however many runs there are.

        A run that is retried and ends again has ended twice. Runs that were deleted since are counted.
        """
        return self._thread.call(lambda: self.inner.stats(last, step))

    def namespaces(self) -> builtins.list[NamespaceInfo]:
        """The namespaces of the database that have runs, and that of this client: 1,000 at most."""
        return self._thread.call(self.inner.namespaces)

    def own_namespace(self) -> NamespaceInfo:
        """The namespace of this client, as in `namespaces`."""
        return self._thread.call(self.inner.own_namespace)

    def start_many(
        self,
        workflow: StartTarget[..., R] | type[HasRun[..., R]] | str,
        inputs: Iterable[Any],
        *,
        ids: Sequence[str] | None = None,
    ) -> builtins.list[Run[R]]:
        """Start a run for each input, all in one batch. An input is a tuple of arguments, or a single one."""
        return [
            Run(run, self._thread)
            for run in self._thread.call(lambda: self.inner.start_many(_known(workflow), inputs, ids=ids))
        ]

    def start_calls(
        self, workflow: StartTarget[..., R] | type[HasRun[..., R]] | str, calls: Sequence[Call]
    ) -> builtins.list[Run[R]]:
        """As `start_many`, for arguments that are given by name. Some of the runs may have ids.

        An error says which of the calls it is about.
        """
        return [
            Run(run, self._thread)
            for run in self._thread.call(lambda: self.inner.start_calls(_known(workflow), calls))
        ]

    @overload
    def start(self, workflow: StartTarget[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Run[R]: ...

    @overload
    def start(
        self,
        workflow: StartTarget[..., R],
        /,
        *args: Any,
        id: str | None,
        version: str | int | None = None,
        **kwargs: Any,
    ) -> Run[R]: ...

    @overload
    def start(
        self, workflow: StartTarget[..., R], /, *args: Any, version: str | int | None, **kwargs: Any
    ) -> Run[R]: ...

    @overload
    def start(
        self,
        workflow: type[HasRun[..., R]],
        /,
        *args: Any,
        id: str | None = None,
        version: str | int | None = None,
        **kwargs: Any,
    ) -> Run[R]: ...

    @overload
    def start(
        self,
        workflow: str,
        /,
        *args: Any,
        id: str | None = None,
        version: str | int | None = None,
        **kwargs: Any,
    ) -> Run[Any]: ...

    def start(
        self,
        workflow: Any,
        /,
        *args: Any,
        id: str | None = None,
        version: str | int | None = None,
        **kwargs: Any,
    ) -> Run[Any]:
        """Start a run. When this returns, the run is recorded, and will be finished even after a crash.

        `id` makes the call idempotent: if a run with that id exists, you get that one. Type checkers compare
        the arguments with the parameters of the workflow, but not in a call with `id` or `version`: for both,
        write `hf.start(order.options(id=…), 5)`.
        """
        return Run(
            self._thread.call(lambda: self.inner.start(workflow, *args, id=id, version=version, **kwargs)),
            self._thread,
        )

    def start_with(
        self,
        workflow: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        id: str | None = None,
        version: str | int | None = None,
    ) -> Run[Any]:
        """`start` for arguments of any name, even `id` and `version`."""
        return Run(
            self._thread.call(lambda: self.inner.start_with(workflow, args, kwargs, id=id, version=version)),
            self._thread,
        )

    @overload
    def run(self, workflow: StartTarget[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R: ...

    @overload
    def run(self, workflow: StartTarget[..., R], /, *args: Any, id: str | None, **kwargs: Any) -> R: ...

    @overload
    def run(
        self, workflow: type[HasRun[..., R]], /, *args: Any, id: str | None = None, **kwargs: Any
    ) -> R: ...

    @overload
    def run(self, workflow: str, /, *args: Any, id: str | None = None, **kwargs: Any) -> Any: ...

    def run(self, workflow: Any, /, *args: Any, id: str | None = None, **kwargs: Any) -> Any:
        """Start a run and wait for its result."""
        return self._thread.call(lambda: self.inner.run(workflow, *args, id=id, **kwargs))

    def register_all(self) -> None:
        """Register every workflow of this process in the store. Raises VersionConflict."""
        return self._thread.call(self.inner.register_all)

    def get(self, id: str) -> Run[Any]:
        """The run with that id. Raises RunNotFound."""
        return Run(self._thread.call(lambda: self.inner.get(id)), self._thread)

    def describe(self, run: Run[Any] | str) -> RunInfo:
        return self._thread.call(lambda: self.inner.describe(_known(run)))

    def explain(self, run: Run[Any] | str) -> Explanation:
        """Why the run does not go on: everything that it waits for, since when, what would move it, and what
        is wrong. It is computed from what is open in the store. Of an ended run: how and when it ended."""
        return self._thread.call(lambda: self.inner.explain(_known(run)))

    def definition(self, run: Run[Any] | str) -> Definition | None:
        """The definition that the run is pinned to, with its origin, so that the definition can be loaded
        again. None if the store does not have that version."""
        return self._thread.call(lambda: self.inner.definition(_known(run)))

    @overload
    def result(self, run: Run[R]) -> R: ...

    @overload
    def result(self, run: str) -> Any: ...

    @overload
    def result(self, run: str, type: type[T]) -> T: ...

    @overload
    def result(self, run: str, type: UnionType) -> Any: ...

    def result(self, run: Run[Any] | str, type: Any = Any) -> Any:
        """Wait for a run to end and return its result. Raises the error that it failed with.

        `type` is for a run given by its id. A handle from `start` knows the type of its result.
        """
        return self._thread.call(lambda: self.inner.result(_known(run), type))

    def delete(self, run: Run[Any] | str) -> PruneReport:
        """Delete a run that has ended, with everything that the store has about it and with its children. Its
        id may be given to another run then.

        Children that were started detached stay. Raises NotEnded if the run or one of its children has not
        ended, and NeededByParent if the run is itself a child: it goes with its parent.
        """
        return self._thread.call(lambda: self.inner.delete(_known(run)))

    def prune(self, older_than: dt.timedelta, **options: Unpack[PruneOptions]) -> PruneReport:
        """Delete runs that ended longer ago than `older_than`, each with its children, as `delete` does. Runs
        that cannot be deleted are kept.

        `status` and `workflow` choose among them, and no more than `limit` are deleted, not counting
        children. A dry run (`dry_run=True`) only counts. `progress` is called now and then. Nodes go on with
        their work meanwhile. If this is interrupted, the next call finishes what it has begun.
        """
        return self._thread.call(lambda: self.inner.prune(older_than, **options))

    def export_runs(
        self, *ids: str, children: bool = True, ended: bool = False, **conditions: Unpack[RunConditions]
    ) -> Iterator[str]:
        """The runs of these ids, or all that match the conditions, as lines that `import_runs` reads.

        A run comes with its children and theirs, all as they are at one instant. So conditions choose among
        runs that have no parent, unless `children=False`. With `ended=True`, runs are left out that have not
        ended, or that have a child that has not.
        """
        return self._thread.iterate(
            lambda: self.inner.export_runs(*ids, children=children, ended=ended, **conditions)
        )

    def import_runs(self, source: ArchiveSource, **options: Unpack[ImportOptions]) -> ImportReport:
        """Import runs from a file that was exported, or from its lines, with everything that belongs to them.

        The whole file is checked first; if a run cannot be imported, none is. Runs that are here already and
        are the same are left as they are; others with the same key or id are refused, or left out with
        `skip_existing=True`. A run that has not ended is refused unless `live=True`: then it goes on here.
        A dry run (`dry_run=True`) only checks. `progress` is called now and then.

        Raises BadArchive, CannotImport and VersionConflict.
        """
        return self._thread.call(lambda: self.inner.import_runs(source, **options))

    def wait_until_idle(self) -> dt.datetime | None:
        """Wait until everything is done that is due on this node: runs that it can take, due timers and
        schedules, and tasks under way. Returns when the next thing is due, or None if nothing will be by
        itself.

        A run that waits for a time, a message, a worker or a person is not waited for. Neither is one that
        another node has, but the end of that node's lease counts as the next thing: its runs are due if it
        dies.

        Raises NodeStopped if the engine fails."""
        return self._thread.call(self.inner.wait_until_idle)

    def take_up(self, run: Run[Any] | str) -> None:
        """Work on this run and its children too, if the engine is limited to its own runs
        (`engine="own"`)."""
        return self._thread.call(lambda: self.inner.take_up(_known(run)))
