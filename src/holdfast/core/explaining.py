"""Why a run does not go on, in words. The words are made here and nowhere else.

An explanation is computed from what is open in the store, so it is never older than the moment of asking.
Pure: the rows, the time and the workers that are there are arguments.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

import msgspec

from holdfast.core.explanations import Explanation, Reason, ReasonKind
from holdfast.core.json_schemas import find_mismatch
from holdfast.core.open_requests import OpenRequests
from holdfast.core.policies import DEFAULT_OPTIONS
from holdfast.core.questions import QuestionDetails, read_details
from holdfast.core.records import ANY_NODE, MessageKind, RunRecord, is_task_claim
from holdfast.core.run_options import read_run_options
from holdfast.core.situations import (
    BusyTask,
    ClaimNodes,
    OpenTaskRow,
    QueueRow,
    Situation,
    UnreadMessages,
    nodes_for,
)
from holdfast.core.values import Instant, RunStatus, TaskStatus, key_text, moment
from holdfast.core.waiting import WaitKind, WaitReason, describe_wait

_LONG_DUE = 10_000_000
"""Microseconds. A node that has room claims a due run at once."""
_SHOWN = 10
"""How many tasks, timers and children are named."""
_HOLDERS_SHOWN = 3


class Surroundings(msgspec.Struct, frozen=True):
    """What is known besides the rows of the run."""

    now: Instant
    services: Collection[str] = ()
    """Services that have a worker."""
    holders: Mapping[int, Sequence[BusyTask]] = {}
    """By the number of a task that waits for a slot: the tasks that hold the slots of its queue."""
    problems: Mapping[int, str] = {}
    """How the last attempt at a task ended, by the number of the task."""


def explain(situation: Situation, requests: OpenRequests, around: Surroundings) -> Explanation:
    run = situation.run
    if run.status.is_final:
        reasons = [_ended(run, around.now)]
    else:
        found = list(_Explainer(situation, requests, around).reasons())
        reasons = [reason for reason in found if reason.problem] + [it for it in found if not it.problem]
    return Explanation(_id(run), run.workflow, run.version, run.status, tuple(reasons))


def describe_claim(claim: str) -> str:
    """What a node must have to claim such a run: `workflow 'order'`, `version '2' of workflow 'order'`."""
    if claim == ANY_NODE:
        return "published workflows"
    name, _, version = claim.partition("@")
    if is_task_claim(claim):
        return f"task {name!r}"
    return f"version {version!r} of workflow {name!r}" if version else f"workflow {name!r}"


def describe_lack(claim: str, nodes: ClaimNodes, is_any_there: bool) -> str:
    """What is wrong if no node can claim such a run."""
    if not is_any_there:
        return "no node is running"
    lack = f"no node has {describe_claim(claim)}"
    versions = [it.partition("@")[2] for it in nodes.others if "@" in it and not is_task_claim(it)]
    return f"{lack}; nodes have {', '.join(map(repr, versions))}" if versions else lack


def _ended(run: RunRecord, now: Instant) -> Reason:
    since, advice = _moment(run.finished_at), ""
    deadline = read_run_options(run.options).deadline
    retry = f"holdfast runs retry {quote(_id(run))}"
    if deadline is not None and deadline <= now:
        retry += " --deadline 1h"  # without a new one, the retry is refused
    match run.status:
        case RunStatus.SUCCESS:
            what = "it ended with success"
        case RunStatus.FAILED:
            what = f"it failed: {run.failure.summary}" if run.failure is not None else "it failed"
            advice = f"to try again what failed: {retry}"
        case _:
            reason = run.failure.message if run.failure is not None else ""
            what = f"it was cancelled: {reason}" if reason else "it was cancelled"
            advice = f"to open it again: {retry}"
    return Reason(ReasonKind.END, "", what, since, advice=advice)


class _Explainer:
    def __init__(self, situation: Situation, requests: OpenRequests, around: Surroundings) -> None:
        self._situation, self._requests, self._around = situation, requests, around
        self._run, self._now = situation.run, around.now
        self._id = quote(_id(situation.run))  # as a word of a command
        self._nodes = nodes_for(self._run.claim, situation.nodes, self._now)
        self._is_any_there = any(node.may_live(self._now) for node in situation.nodes)

    @property
    def _is_due(self) -> bool:
        wake_at = self._run.wake_at
        return self._run.owner is None and wake_at is not None and wake_at <= self._now

    @property
    def _has_not_begun(self) -> bool:
        """A node may have had it: one that was retried before its start waits for its start again."""
        return self._run.started_at is None or self._run.status is RunStatus.PENDING

    def reasons(self) -> Iterator[Reason]:
        found = [
            *self._state(),
            *self._messages(),
            *self._tasks(),
            *self._timers(),
            *self._questions(),
            *self._requests_for_messages(),
            *self._children(),
            *self._deadline(),
        ]
        yield from found
        if not found:
            advice = (
                "this should not happen: cancel the run and start it again; to know more: holdfast doctor"
            )
            yield Reason(ReasonKind.NODE, "", "it waits", problem="nothing will wake it", advice=advice)

    # --- the run itself

    def _state(self) -> Iterator[Reason]:
        run = self._run
        if run.status is RunStatus.PARKED:
            yield self._parked()
        elif run.status is RunStatus.PAUSED:
            _, _, paused = (run.waiting or "").partition("; ")  # by whom, and why
            problem = "it goes on only when it is resumed"
            advice = f"holdfast runs resume {self._id}"
            yield Reason(ReasonKind.PAUSED, "", f"it is {paused or 'paused'}", problem=problem, advice=advice)
        elif run.owner is not None:
            yield self._on_node(run.owner)
        elif self._situation.first_wait is not None and self._situation.first_wait[0] == WaitKind.TURN:
            name = self._situation.first_wait[1]
            yield Reason(ReasonKind.TURN, name, f"it waits for its turn in {name}, which was retried")
        elif self._has_not_begun and run.wake_at is not None and not self._is_due:
            what = f"it is to be started at {_time(run.wake_at)}"
            yield Reason(ReasonKind.START, "", what, moment(run.created_at), moment(run.wake_at))
            yield from self._lack_of_nodes("it will not be started then")
        elif self._is_due:
            yield self._due()
        else:
            yield from self._lack_of_nodes("it will not go on, whatever comes")

    def _parked(self) -> Reason:
        run = self._run
        problem = run.failure.summary if run.failure is not None else "its code does not fit it"
        then = "then" if run.wake_at is None else "and nodes try it again by themselves; at once"
        advice = f"mend that, {then}: holdfast runs resume {self._id}"
        return Reason(
            ReasonKind.PARKED,
            run.workflow,
            "it is parked",
            _moment(self._requests.at),
            _moment(run.wake_at),
            problem,
            advice,
        )

    def _on_node(self, owner: str) -> Reason:
        for node in self._situation.nodes:
            if node.id == owner and node.lease_until > self._now:
                what = f"it is on node {owner}"
                return Reason(ReasonKind.NODE, owner, what, _moment(self._requests.at))
        problem = "that node is gone, or has not renewed its lease"
        lack = describe_lack(self._run.claim, self._nodes, self._is_any_there)
        advice = (
            f"{lack}: start a node that has it"
            if self._nodes.is_unserved
            else "another node takes it over within a minute"
        )
        return Reason(ReasonKind.NODE, owner, f"it was on node {owner}", None, None, problem, advice)

    def _due(self) -> Reason:
        run = self._run
        since = run.wake_at or self._now
        problem = advice = ""
        what = f"it waits for a node that has {describe_claim(run.claim)}"
        if self._nodes.is_unserved:
            problem = describe_lack(run.claim, self._nodes, self._is_any_there)
            advice = f"start a node that has {describe_claim(run.claim)}: holdfast serve FILE"
        elif self._now - since > _LONG_DUE:
            problem = f"it has been due since {_time(since)}, and no node has taken it"
            advice = (
                f"{', '.join(self._nodes.serving[:_HOLDERS_SHOWN])} should: full, stuck, or gone?"
                if self._nodes.serving
                else f"start a node that has {describe_claim(run.claim)}: holdfast serve FILE"
            )
        # A cancellation sets the time back, to go before all others.
        return Reason(ReasonKind.NODE, "", what, moment(max(since, run.created_at)), None, problem, advice)

    def _lack_of_nodes(self, what: str) -> Iterator[Reason]:
        """If no node could go on with the run, whenever it is due."""
        if self._nodes.is_unserved:
            problem = describe_lack(self._run.claim, self._nodes, self._is_any_there)
            advice = f"start a node that has {describe_claim(self._run.claim)}: holdfast serve FILE"
            yield Reason(ReasonKind.NODE, "", what, problem=problem, advice=advice)

    # --- what has come

    def _messages(self) -> Iterator[Reason]:
        for unread in self._situation.unread:
            yield self._unread(unread)
        for update in self._situation.updates:
            times = f" {update.times:,} times" if update.times > 1 else ""
            what = f"it is answering update {update.name!r}{times}"
            yield Reason(ReasonKind.UPDATE, update.name, what, _moment(update.posted_at))
        cancelled_in = self._situation.cancelled_in
        if cancelled_in is not None and cancelled_in > self._requests.reopened_in:
            yield Reason(ReasonKind.CANCEL, "", "it was asked to end, and is cleaning up")

    def _unread(self, unread: UnreadMessages) -> Reason:
        since = _moment(unread.posted_at)
        if unread.kind is MessageKind.CANCEL:
            return Reason(ReasonKind.CANCEL, "", f"it was asked to end, {self._reader()}", since)
        match unread.kind:
            case MessageKind.SIGNAL:
                came = f"signal {unread.name!r} has arrived"
            case MessageKind.UPDATE:
                came = f"update {unread.name!r} has arrived"
            case MessageKind.RESOLVED | MessageKind.REJECTED:
                came = f"promise {unread.name!r} has been {unread.kind.value}"
            case MessageKind.CHILD:
                came = "a child has ended"
            case MessageKind.TASK:
                came = "a worker has ended a task"
            case MessageKind.PAUSE if self._run.owner is not None:
                what = "it is to be paused, and is when the tasks that run have ended"
                return Reason(ReasonKind.MESSAGE, unread.name, what, since)
            case _:
                came = "a message has arrived"
        times = f" {unread.times:,} times" if unread.times > 1 else ""
        return Reason(ReasonKind.MESSAGE, unread.name, f"{came}{times}, {self._reader()}", since)

    def _reader(self) -> str:
        run = self._run
        if run.status in (RunStatus.PARKED, RunStatus.PAUSED):
            return "and is read when the run is resumed"
        if run.owner is not None:
            return f"and is to be read by node {run.owner}"
        if run.started_at is None and not self._is_due:
            return "and is read when the run is started"
        return f"and waits for a node that has {describe_claim(run.claim)}"

    # --- tasks

    def _tasks(self) -> Iterator[Reason]:
        queued = {row.seq: row for row in self._situation.queue}
        shown = self._situation.tasks[:_SHOWN]
        for task in shown:
            if task.seq in queued:
                yield self._at_worker(task, queued[task.seq])
            elif task.seq in self._requests.opened:
                if not self._is_answered(task):  # what has come is told instead
                    yield self._open_wait(task)
            elif task.due_at is not None and task.due_at > self._now:
                yield self._backoff(task)
            elif task.status is TaskStatus.PENDING and self._run.owner is not None:
                yield self._slot(task)
            else:
                yield self._under_way(task)
        counts = self._situation.task_counts
        left = sum(counts.values()) - len(shown)
        if left > 0:
            totals: dict[str, int] = {}
            for (status, waits), count in counts.items():
                state = "in backoff" if waits else status
                totals[state] = totals.get(state, 0) + count
            states = ", ".join(f"{count:,} {state}" for state, count in sorted(totals.items()))
            what = f"{left:,} more tasks are open (in all {states})"
            yield Reason(ReasonKind.TASK, "", what)

    def _attempt(self, task: OpenTaskRow) -> str:
        options = self._requests.options_of(task.seq)
        number = task.attempt - task.lost - task.forgiven
        return f"attempt {number} of {options.retry.max_attempts}" if options else f"attempt {number}"

    def _backoff(self, task: OpenTaskRow) -> Reason:
        due = task.due_at or self._now
        what = f"task {task.name!r} is tried again at {_time(due)}, {self._attempt(task)}"
        problem = self._around.problems.get(task.seq, "")
        if problem:
            problem = f"the last attempt: {problem}"
        return Reason(ReasonKind.RETRY, task.name, what, moment(task.created_at), moment(due), problem)

    def _slot(self, task: OpenTaskRow) -> Reason:
        options = self._requests.options_of(task.seq) or DEFAULT_OPTIONS
        queue = f"queue {options.queue!r} on " if options.queue != DEFAULT_OPTIONS.queue else ""
        what = f"task {task.name!r} waits for a slot of {queue}node {self._run.owner}"
        holders = self._around.holders.get(task.seq, ())
        if holders:
            named = [
                f"{it.name} of run {it.run_id or key_text(it.run)}"
                + (f" since {_time(it.started_at)}" if it.started_at is not None else "")
                for it in holders[:_HOLDERS_SHOWN]
            ]
            more = len(holders) - len(named)
            what += f", held by {', '.join(named)}" + (f" and {more} more" if more else "")
        advice = "it goes on when one of these ends; or raise the limit, or start another node"
        # After a backoff it waits since that was over.
        since = max(task.created_at, task.due_at or task.created_at)
        return Reason(ReasonKind.SLOT, options.queue, what, moment(since), advice=advice)

    def _at_worker(self, task: OpenTaskRow, item: QueueRow) -> Reason:
        service = f"a worker of service {item.service!r}"
        if item.worker is not None:
            what = f"worker {item.worker} has task {task.name!r}"
            problem = "" if item.ready_at > self._now else "the worker has not renewed its lease"
            advice = f"{service} that is there takes it next" if problem else ""
            since = _moment(item.taken_at)
            return Reason(
                ReasonKind.SERVICE, item.service, what, since, moment(item.ready_at), problem, advice
            )
        if item.ready_at > self._now:
            return self._backoff(task._replace(due_at=item.ready_at))
        what = f"task {task.name!r} waits for {service}"
        problem = advice = ""
        if item.service not in self._around.services:
            problem = f"no worker serves {item.service!r}"
            advice = "start one; to see those that are there: holdfast workers"
        return Reason(ReasonKind.SERVICE, item.service, what, moment(item.created_at), None, problem, advice)

    def _is_answered(self, task: OpenTaskRow) -> bool:
        """Whether it has asked a question whose answer is there, and was not read yet."""
        number = _read_map(task).get("question")
        if not isinstance(number, int) or any(it.number == number for it in self._situation.questions):
            return False
        return any(it.kind in _ANSWERS[WaitKind.PROMISE] for it in self._situation.unread)

    def _open_wait(self, task: OpenTaskRow) -> Reason:
        """A task that no executor runs."""
        asked = _read_map(task)
        since = moment(task.created_at)
        details = self._details_of(asked.get("question"))
        by = f" --by {quote(details.by[0])}" if details.by else ""
        if details.schema is not None and find_mismatch(details.schema, True) is not None:
            by = f" --value JSON{by}"  # yes is no answer to it
        if isinstance(asked.get("promise"), str):
            message = details.title or asked.get("message")
            what = f"{task.name} waits for approval" + (f": {message}" if message else "")
            advice = f"holdfast approve {self._id} {quote(task.name)}{by}"
            return Reason(ReasonKind.APPROVAL, task.name, what, since, advice=advice)
        name = asked.get("signal")
        if isinstance(asked.get("question"), int):
            what = f"{task.name} waits for approval" + (f": {details.title}" if details.title else "")
            advice = f"holdfast approve {self._id} {quote(task.name)}{by}"
            shown = name if isinstance(name, str) else task.name
            return Reason(ReasonKind.APPROVAL, shown, what, since, advice=advice)
        if isinstance(name, str):
            if self._situation.first_wait == (WaitKind.APPROVAL, name):
                advice = f"holdfast approve {self._id} {quote(task.name)}"
                return Reason(
                    ReasonKind.APPROVAL, name, f"{task.name} waits for approval", since, advice=advice
                )
            advice = f"holdfast signal {self._id} {quote(name)} JSON"
            return Reason(
                ReasonKind.SIGNAL, name, f"{task.name} waits for signal {name!r}", since, advice=advice
            )
        if isinstance(heard := asked.get("wait_for_signal"), str):
            what = f"{task.name} waits for signal {heard!r}"
            advice = f"holdfast signal {self._id} {quote(heard)} JSON"
            return Reason(ReasonKind.SIGNAL, heard, what, since, advice=advice)
        what = f"{task.name} waits: for a signal, a time or another run"
        return Reason(ReasonKind.TASK, task.name, what, since)

    def _details_of(self, number: Any) -> QuestionDetails:
        for question in self._situation.questions:
            if question.number == number:
                return read_details(question.details)
        return QuestionDetails()

    def _under_way(self, task: OpenTaskRow) -> Reason:
        run, since = self._run, _moment(task.started_at) or moment(task.created_at)
        if run.owner is None:
            what = f"task {task.name!r} is to be run when a node takes the run"
            return Reason(ReasonKind.TASK, task.name, what, moment(task.created_at))
        options = self._requests.options_of(task.seq)
        until = None if options is None or options.timeout is None else since + options.timeout
        what = f"task {task.name!r} runs on node {run.owner}, {self._attempt(task)}"
        return Reason(ReasonKind.TASK, task.name, what, since, until)

    # --- what the code has asked for

    def _timers(self) -> Iterator[Reason]:
        timers = sorted(self._requests.timers.values())
        for due, since in timers[:_SHOWN]:
            what = f"it waits until {_time(due)}"
            yield Reason(ReasonKind.TIMER, _time(due), what, moment(since), moment(due))
        if len(timers) > _SHOWN:
            what = f"{len(timers) - _SHOWN:,} more timers are set, for later"
            yield Reason(ReasonKind.TIMER, "", what)

    def _questions(self) -> Iterator[Reason]:
        """Those that no task shows."""
        shown = {_read_map(task).get("question") for task in self._situation.tasks}
        questions = [it for it in self._situation.questions if it.number not in shown]
        for number, name, details, at in (it[3:] for it in questions[:_SHOWN]):
            read = read_details(details)
            what = f"it has asked for promise {name!r}, which has not come"
            if read.title:
                what = f"it asks{' ' + ' or '.join(read.by) if read.by else ''}: {read.title}"
            by = f" --by {quote(read.by[0])}" if read.by else ""
            advice = f"holdfast resolve {self._id} '#{number}' JSON{by}"
            yield Reason(ReasonKind.PROMISE, name, what, moment(at), advice=advice)
        if len(questions) > _SHOWN:
            yield Reason(ReasonKind.PROMISE, "", "more questions are open: holdfast questions shows them")

    def _requests_for_messages(self) -> Iterator[Reason]:
        """While the run has no owner, its row says what it waits for. Otherwise only the journal does, and it
        does not say whether the code has given up waiting."""
        asked = sorted(set(self._unanswered()))
        for kind, name in asked:
            yield self._wait(kind, name, self._requests.messages.get((kind, name)))
        if self._run.owner is None and not asked and self._situation.first_wait is not None:
            # The journals of DAGs, flows and older releases do not have it.
            kind, name = self._situation.first_wait
            known = {task.name for task in self._situation.tasks} | {it.name for it in self._situation.unread}
            for task in self._situation.tasks:
                asked_for = _read_map(task)
                known |= {str(asked_for.get("signal")), str(asked_for.get("wait_for_signal"))}
            known |= {question.name for question in self._situation.questions}
            if kind in _OF_PEOPLE and name not in known:
                yield self._wait(WaitKind(kind), name, None)

    def _unanswered(self) -> Iterator[tuple[WaitKind, str]]:
        arrived = {(it.kind, it.name) for it in self._situation.unread}
        heard = self._situation.heard
        questions = {question.name for question in self._situation.questions}
        for (kind, name), times in self._requests.asked.items():
            answers = _ANSWERS.get(kind, ())
            if kind is WaitKind.PROMISE and name in questions:
                continue
            if any((answer, name) in arrived for answer in answers):
                continue
            if self._run.owner is None and self._run.waiting is not None:
                is_open = (describe_wait([WaitReason(kind, name)]).words or "") in self._run.waiting
            else:
                is_open = times > sum(heard.get((answer, name), 0) for answer in answers)
            if is_open:
                yield kind, name

    def _wait(self, kind: WaitKind, name: str, since: Instant | None) -> Reason:
        verb = f"holdfast signal {self._id} {quote(name)} JSON"
        if kind is WaitKind.PROMISE:
            verb = f"hf.resolve({_id(self._run)!r}, {name!r}, value), or hf.reject"
        if kind is WaitKind.UPDATE:
            what = f"it waits for an update, such as {name!r}"
            return Reason(
                ReasonKind.UPDATE, name, what, advice=f"holdfast update {self._id} {quote(name)} JSON"
            )
        what = f"it has asked for {kind.value} {name!r}, which has not come"
        return Reason(ReasonKind(kind.value), name, what, _moment(since), advice=verb)

    # --- others

    def _children(self) -> Iterator[Reason]:
        shown = self._situation.children[:_SHOWN]
        for child in shown:
            what = f"child {child.id} of workflow {child.workflow!r} is {child.status.value}"
            problem = f"the child is {child.status.value}" if child.status in _STOPPED else ""
            advice = f"holdfast explain {quote(child.id)}"
            since = moment(child.created_at)
            yield Reason(ReasonKind.CHILD, child.id, what, since, None, problem, advice)
        left = self._situation.child_count - len(shown)
        if left > 0:
            yield Reason(ReasonKind.CHILD, "", f"{left:,} more children have not ended")

    def _deadline(self) -> Iterator[Reason]:
        deadline = read_run_options(self._run.options).deadline
        if deadline is None:
            return
        problem = ""
        if deadline <= self._now:
            problem = "it has passed" + ("; the run cleans up" if self._requests.is_overdue else "")
        elif 10 * (deadline - self._now) < deadline - self._run.created_at:
            problem = "it is near"
        elif self._run.status is RunStatus.PARKED:
            problem = "the run is parked, and may not end before it"
        what = f"its deadline is {_time(deadline)}"
        yield Reason(ReasonKind.DEADLINE, "", what, moment(self._run.created_at), moment(deadline), problem)


_ANSWERS: Mapping[WaitKind, tuple[MessageKind, ...]] = {
    WaitKind.SIGNAL: (MessageKind.SIGNAL,),
    WaitKind.PROMISE: (MessageKind.RESOLVED, MessageKind.REJECTED),
}
_OF_PEOPLE = (WaitKind.SIGNAL, WaitKind.PROMISE, WaitKind.APPROVAL, WaitKind.UPDATE)
_STOPPED = (RunStatus.PARKED, RunStatus.PAUSED)


def slot_waits(situation: Situation) -> Iterable[OpenTaskRow]:
    """The tasks that are named, and that may wait for a slot."""
    return [it for it in situation.tasks[:_SHOWN] if it.status is TaskStatus.PENDING and it.due_at is None]


def _read_map(task: OpenTaskRow) -> dict[str, Any]:
    """The input of the task; empty if it cannot be read."""
    try:
        return {} if task.input is None else msgspec.json.decode(task.input, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def _id(run: RunRecord) -> str:
    return run.id or key_text(run.key)


def _moment(at: Instant | None) -> dt.datetime | None:
    return None if at is None else moment(at)


def _time(at: Instant) -> str:
    return moment(at).isoformat(timespec="seconds")
