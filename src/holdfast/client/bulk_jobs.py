"""Bulk jobs: the same act on all runs that match conditions, done in the background.

A job is a run of a workflow of holdfast's own (`authoring/code/bulk_workflow.py`). Any node of the namespace
does it, and another one goes on with it if that node dies. `hf.select(...)` does the same in this process.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypedDict, Unpack

import msgspec

from holdfast.client.bulk_work import BulkWork
from holdfast.client.operators import Timers, checked_sender, timers_wait
from holdfast.client.retention import check_prune
from holdfast.client.run import Run, RunInfo, RunsPage
from holdfast.client.run_filters import RunConditions, check_number, run_filter, workflow_name
from holdfast.core.bulk import (
    BULK,
    PROGRESS,
    STATES,
    BulkAct,
    BulkConditions,
    BulkPlace,
    BulkPlan,
    BulkProgress,
    Refusal,
)
from holdfast.core.names import check_keywords, is_storable
from holdfast.core.run_options import KEEP_DEADLINE, IdPolicy, NewDeadline, StartOptions, checked_deadline
from holdfast.core.values import Instant, Payload, RunKey, RunStatus, key_text, moment
from holdfast.errors import BadOption, JobNotFound, RunNotFound, TooManyRuns
from holdfast.ports.runs import RunStore
from holdfast.ports.workflows import Startable, Workflows

_SAMPLE: Final = 20
_LONGEST_TEXT: Final = 2_000
_MOST_RUNS: Final = 1_000_000
_STEPS_AT_ONCE: Final = 50
_MOST_REFUSALS: Final = 10_000


class BulkOptions(TypedDict, total=False):
    """How it is done."""

    reason: str
    """For `cancel` and `terminate`; with `pause` it is the note."""
    by: str
    timers: str
    """For `resume`: see `hf.resume`."""
    deadline: NewDeadline
    """For `retry`: see `hf.retry`."""
    all: bool
    """Needed if there are no conditions."""
    at_most: int | None
    """Do nothing if more runs match: as many as a dry run has found."""
    id: str | None
    """Makes the call idempotent: given again, it returns the same job."""


class BulkPreview(msgspec.Struct, frozen=True):
    """What a job would do."""

    act: str
    matched: int
    """How many runs match and are in a state in which it can be done."""
    is_exact: bool
    """False: there are at least so many."""
    sample: list[str]
    """The ids of some of them: the newest. None of `prune`."""


class BulkJob(msgspec.Struct, frozen=True):
    """A job, and how far it is."""

    id: str
    act: str
    status: RunStatus
    by: str
    conditions: dict[str, Any]
    created_at: dt.datetime
    finished_at: dt.datetime | None
    matched: int | None
    """How many runs there were to do it to when it began. None: it has not counted them yet."""
    is_exact: bool
    done: int
    failed: int
    """How many runs refused it: `hf.bulk.failures` has them."""
    skipped: int
    """How many were in another state when their turn came. They are among the failures, too."""
    rows: int
    """How many rows of the database were deleted, by `delete` and `prune`."""
    per_second: float | None
    """How many runs it has got through in a second. None: it has not begun."""
    ends_at: dt.datetime | None
    """When it will probably end. None: it has ended, or nobody can know."""
    problem: str
    """Why it failed, was cancelled or does not go on."""


class FailuresPage(msgspec.Struct, frozen=True):
    items: list[Refusal]
    next: str | None
    """Pass it as `after` for the next page. None: this is the last one so far."""


class JobRuns(Protocol):
    """What jobs need of a client."""

    async def key_of(self, run: Any) -> RunKey: ...

    async def describe(self, run: Any) -> RunInfo: ...

    async def page(
        self, *, limit: int, after: str | None, payloads: bool, **conditions: Unpack[RunConditions]
    ) -> RunsPage: ...

    async def cancel(self, run: Any, reason: str, *, by: str) -> None: ...


class BulkParts(NamedTuple):
    client: JobRuns
    store: RunStore
    workflows: Workflows
    work: BulkWork
    namespace: str
    now: Callable[[], Instant]
    check: Callable[[], None]
    """Raises WrongLoop."""
    submit: Callable[
        [Startable, Sequence[tuple[Payload, str | None]], StartOptions], Awaitable[list[Run[Any]]]
    ]


class BulkJobs:
    """`hf.bulk`."""

    def __init__(self, parts: BulkParts) -> None:
        self._parts = parts

    async def preview(
        self, act: str, *, all: bool = False, **conditions: Unpack[RunConditions]
    ) -> BulkPreview:
        """A dry run: how many runs match, and some of them. Raises BadOption."""
        plan = await self._plan(act, {"all": all}, conditions)
        return await self._preview(plan)

    async def start(
        self, act: str, options: BulkOptions | None = None, /, **conditions: Unpack[RunConditions]
    ) -> BulkJob:
        """Do it to all runs that match and that are there now: `cancel`, `terminate`, `pause`, `resume`,
        `retry`, `try_now` or `delete`. When this returns, the job is recorded; nodes do it.

        Raises BadOption, and TooManyRuns if more runs match than `at_most`.
        """
        given = options or BulkOptions()
        plan = await self._plan(act, given, conditions)
        return await self._start(plan, given)

    async def preview_prune(
        self,
        older_than: dt.timedelta,
        *,
        status: str | Sequence[str] | None = None,
        workflow: Any = None,
        limit: int | None = None,
    ) -> BulkPreview:
        """A dry run of `prune`: how many runs it would delete, children included."""
        return await self._preview(self._prune_plan(older_than, status, workflow, limit, ""))

    async def prune(
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
        plan = self._prune_plan(older_than, status, workflow, limit, by)
        return await self._start(plan, {"id": id})

    async def get(self, id: str) -> BulkJob:
        """Raises JobNotFound."""
        return await self._job(await self._find(id))

    async def list(self, *, limit: int = 100, after: str | None = None) -> JobsPage:
        """Jobs, newest first. `after` is `next` of the page before."""
        check_number("limit", limit, 1, 1_000)
        page = await self._parts.client.page(limit=limit, after=after, payloads=True, workflow=BULK)
        return JobsPage([await self._job(info) for info in page.items], page.next)

    async def failures(self, id: str, *, limit: int = 100, after: str | None = None) -> FailuresPage:
        """The runs to which it was not done, and why, in the order of the job. `after` is `next` of the page
        before. Raises JobNotFound."""
        check_number("limit", limit, 1, _MOST_REFUSALS)
        seq, skip = _read_place(after)
        key = await self._parts.client.key_of((await self._find(id)).key)
        found: list[Refusal] = []
        store, namespace = self._parts.store, self._parts.namespace
        while tasks := await store.list_tasks(namespace, key, seq, _STEPS_AT_ONCE):
            for task in tasks:
                for number, refusal in enumerate(_refusals(task.output)):
                    if task.seq == seq and number < skip:
                        continue
                    if len(found) == limit:
                        return FailuresPage(found, f"{task.seq}.{number}")
                    found.append(refusal)
            seq, skip = tasks[-1].seq + 1, 0
        return FailuresPage(found, None)

    async def cancel(self, id: str, reason: str = "", *, by: str = "") -> BulkJob:
        """Stop a job. The page of runs that it is at is finished; what is done stays done.

        Raises JobNotFound, and RunEnded if it has ended."""
        info = await self._find(id)
        await self._parts.client.cancel(info.key, reason, by=by)
        return await self.get(id)

    # --- plans

    async def _plan(self, act: str, options: BulkOptions, conditions: RunConditions) -> BulkPlan:
        self._parts.check()
        check_keywords("option", options, BulkOptions)
        check_act(act)
        run_filter(conditions, None, 1)
        stored = await self._stored(conditions)
        if stored == BulkConditions() and not options.get("all", False):
            raise BadOption("all", False, "true if it is to be done to all runs: there are no conditions")
        timers, deadline = options.get("timers", Timers.CATCH_UP), options.get("deadline", KEEP_DEADLINE)
        timers_wait(timers)
        changes_deadline = deadline != KEEP_DEADLINE
        due = checked_deadline(deadline, self._parts.now()) if changes_deadline else None
        return BulkPlan(
            act=BulkAct(act).value,
            conditions=stored,
            text=_checked_text(options.get("reason", "")),
            by=checked_sender(options.get("by", "")),
            timers=str(timers),
            changes_deadline=changes_deadline,
            deadline=None if due is None else moment(due),
        )

    async def _stored(self, conditions: RunConditions) -> BulkConditions:
        which = run_filter(conditions, None, 1)
        parent = conditions.get("parent")
        version = conditions.get("version")
        plain: Any = {name: value for name, value in conditions.items() if value is not None}
        plain |= {
            "status": None if which.statuses is None else tuple(each.value for each in which.statuses),
            "workflow": which.workflow,
            "tag": which.tags or None,
            "version": None if version is None else str(version),
            "parent": None if parent is None else key_text(await self._parts.client.key_of(parent)),
        }
        return BulkConditions(**plain)

    def _prune_plan(
        self,
        older_than: dt.timedelta,
        status: str | Sequence[str] | None,
        workflow: Any,
        limit: int | None,
        by: str,
    ) -> BulkPlan:
        self._parts.check()
        several = checked_statuses(older_than, status, limit)
        return BulkPlan(
            act=BulkAct.PRUNE.value,
            conditions=BulkConditions(
                status=None if status is None else tuple(str(each) for each in several),
                workflow=workflow_name(workflow),
            ),
            by=checked_sender(by),
            older_than=older_than.total_seconds(),
            limit=limit,
        )

    # --- jobs

    async def _preview(self, plan: BulkPlan) -> BulkPreview:
        parts, sample = self._parts, list[str]()
        counted = await parts.work.count(plan, BulkPlace())
        which = None if plan.act == BulkAct.PRUNE else parts.work.filter_of(plan, BulkPlace())
        if which is not None:
            page = await parts.store.page_runs(parts.namespace, which._replace(limit=_SAMPLE), False)
            sample = [run.id or key_text(run.key) for run in page.runs]
        return BulkPreview(plan.act, counted.matched, counted.is_exact, sample)

    async def _start(self, plan: BulkPlan, options: BulkOptions) -> BulkJob:
        at_most = options.get("at_most")
        if at_most is not None:
            check_number("at_most", at_most, 0, _MOST_RUNS)
            found = await self._parts.work.count(plan, BulkPlace(), at_most + 1)
            if found.matched > at_most:
                raise TooManyRuns(at_most)
        startable = self._parts.workflows.startable_own(BULK)
        start = StartOptions(id=options.get("id"), id_policy=IdPolicy.RETURN, by=plan.by)
        payload = startable.pack((plan,), {})
        [run] = await self._parts.submit(startable, [(payload, start.id)], start)
        return await self.get(key_text(run.key))

    async def _find(self, id: str) -> RunInfo:
        try:
            info = await self._parts.client.describe(id)
        except RunNotFound:
            raise JobNotFound(id, self._parts.namespace) from None
        if info.workflow != BULK:
            raise JobNotFound(id, self._parts.namespace)
        return info

    async def _job(self, info: RunInfo) -> BulkJob:
        parts = self._parts
        plan = msgspec.convert(info.input["plan"], BulkPlan)
        key = await parts.client.key_of(info.key)
        stored = (await parts.store.read_state(parts.namespace, key)).get(PROGRESS)
        known = None if stored is None else parts.workflows.decode(stored, BulkProgress, "the progress")
        progress = known or BulkProgress()
        rate, ends_at = _speed(info, progress, moment(parts.now()))
        return BulkJob(
            info.id,
            plan.act,
            info.status,
            plan.by,
            _shown(plan),
            info.created_at,
            info.finished_at,
            None if known is None else progress.matched,
            progress.is_exact,
            progress.done,
            progress.failed,
            progress.skipped,
            progress.rows,
            rate,
            ends_at,
            "" if info.failure is None else info.failure.summary,
        )


class JobsPage(msgspec.Struct, frozen=True):
    items: list[BulkJob]
    next: str | None
    """Pass it as `after` for the next page. None: this is the last one."""


def check_act(act: str) -> None:
    """Raises BadOption."""
    if act not in STATES or act == BulkAct.PRUNE:
        known = ", ".join(each for each in BulkAct if each != BulkAct.PRUNE)
        raise BadOption("act", act, f"one of {known}")


def checked_statuses(
    older_than: dt.timedelta, status: str | Sequence[str] | None, limit: int | None
) -> Sequence[str | None]:
    """What `prune` is given, with the states in a list. Raises BadOption."""
    several = [status] if status is None or isinstance(status, str) else status
    for each in several:
        check_prune(older_than, each, limit)
    return several


def _speed(
    info: RunInfo, progress: BulkProgress, now: dt.datetime
) -> tuple[float | None, dt.datetime | None]:
    """How many runs it does in a second, and when it will probably end."""
    handled = progress.done + progress.failed + progress.skipped
    if info.started_at is None or not handled:
        return None, None
    seconds = ((info.finished_at or now) - info.started_at).total_seconds()
    rate = round(handled / max(seconds, 0.001), 1)
    left = progress.matched - handled
    if info.status.is_final or not progress.is_exact or left < 0 or not rate:
        return rate, None
    return rate, now + dt.timedelta(seconds=left / rate)


def _shown(plan: BulkPlan) -> dict[str, Any]:
    """What was asked for, without what was left out."""
    shown: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(plan))
    conditions: dict[str, Any] = shown.get("conditions", {})
    more = {name: shown[name] for name in ("older_than", "limit") if name in shown}
    return conditions | more


def _refusals(output: Payload | None) -> Sequence[Refusal]:
    if output is None:
        return ()
    return msgspec.json.decode(output, type=_Refused).refused


class _Refused(msgspec.Struct):
    """The part of a `BulkPage` that is read here. The first step of a job has none."""

    refused: tuple[Refusal, ...] = ()


def _read_place(after: Any) -> tuple[int, int]:
    """The number of a step, and of a refusal in it."""
    if after is None:
        return 0, 0
    seq, dot, number = after.partition(".") if isinstance(after, str) else ("", "", "")
    if not dot or not seq.isdecimal() or not number.isdecimal() or len(after) > 20:
        raise BadOption("after", after, "`next` of a page")
    return int(seq), int(number)


def _checked_text(text: Any) -> str:
    if not isinstance(text, str) or len(text) > _LONGEST_TEXT or not is_storable(text):
        raise BadOption("reason", text, f"text of up to {_LONGEST_TEXT:,} characters")
    return text
