"""A fact is the same new and replayed, and rows that contradict the journal are refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from holdfast.core.commands import Command, RecordTask, ScheduleTask, StartChild
from holdfast.core.events import (
    CancelRequested,
    ChildEnded,
    Event,
    MessageId,
    PromiseAnswered,
    SignalReceived,
    TaskEnded,
)
from holdfast.core.history import cancellation, message_event, restore, run_outcome
from holdfast.core.journal import write_step
from holdfast.core.policies import TaskOptions
from holdfast.core.records import ChildRecord, History, MessageKind, MessageRecord, TaskRecord, new_run
from holdfast.core.values import (
    NULL,
    Cancelled,
    Failed,
    Failure,
    Instant,
    Outcome,
    Payload,
    RunKey,
    RunStatus,
    Succeeded,
    TaskStatus,
)
from holdfast.errors import JournalCorrupt

NOW = Instant(1_000_000)
KEY, CHILD = RunKey(b"r" * 16), RunKey(b"c" * 16)
BROKEN = Failure(type="builtins:ValueError", message="broken")
DONE = Succeeded(Payload(b'"done"'))
ASK = ScheduleTask(0, "charge", NULL, TaskOptions())


def step(*commands: Command, heard: tuple[Event, ...] = ()) -> bytes:
    return write_step(NOW, heard, commands)


def task(status: TaskStatus, failure: Failure | None = None) -> TaskRecord:
    output = DONE.payload if status is TaskStatus.SUCCESS else None
    return TaskRecord(KEY, 0, "charge", status, 1, 0, 0, NULL, output, failure, None, None, NOW, None, None)


def child(status: RunStatus) -> ChildRecord:
    return ChildRecord(KEY, 0, CHILD, status, DONE.payload, BROKEN)


def message(kind: MessageKind, *, name: str = "", payload: bytes = NULL) -> MessageRecord:
    return MessageRecord(MessageId(4), KEY, kind, name, Payload(payload), None)


def history(*steps: bytes, **rows: Any) -> History:
    run = new_run(KEY, "default", None, "order", "1", "order@1", NULL, NOW)
    return msgspec.structs.replace(History(run, list(steps), [], [], []), **rows)


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        (task(TaskStatus.SUCCESS), DONE),
        (task(TaskStatus.FAILED, BROKEN), Failed(BROKEN)),
        (task(TaskStatus.CANCELLED), Cancelled()),
        (task(TaskStatus.SKIPPED), Cancelled()),
    ],
)
def test_a_task_that_ended_is_heard_as_it_ended(row: TaskRecord, outcome: Outcome) -> None:
    unheard = restore(history(step(ASK), tasks=[row]))
    replayed = restore(history(step(ASK), step(heard=(TaskEnded(0, outcome),)), tasks=[row]))

    assert unheard.unheard == [TaskEnded(0, outcome)]
    assert replayed.steps[1].events == (TaskEnded(0, outcome),)
    assert (replayed.tasks, replayed.unheard) == ({}, [])


def test_a_failure_that_was_not_recorded_is_a_failure_all_the_same() -> None:
    (ended,) = restore(history(step(ASK), tasks=[task(TaskStatus.FAILED)])).unheard

    assert isinstance(ended, TaskEnded)
    assert isinstance(ended.outcome, Failed)
    assert ended.outcome.failure.message == "the failure was not recorded"


@pytest.mark.parametrize(
    ("row", "event"),
    [
        (message(MessageKind.SIGNAL, name="go"), SignalReceived(MessageId(4), "go", NULL)),
        (message(MessageKind.RESOLVED, name="p"), PromiseAnswered(MessageId(4), "p", Succeeded(NULL))),
        (
            message(MessageKind.REJECTED, name="p", payload=msgspec.json.encode(BROKEN)),
            PromiseAnswered(MessageId(4), "p", Failed(BROKEN)),
        ),
        (message(MessageKind.CANCEL, payload=b'"enough"'), CancelRequested(MessageId(4), "enough")),
        (message(MessageKind.CANCEL, payload=b"not JSON"), CancelRequested(MessageId(4), "not JSON")),
    ],
)
def test_a_message_is_the_same_event_unread_and_replayed(row: MessageRecord, event: Event) -> None:
    taken = msgspec.structs.replace(row, taken=1)

    unread = restore(history(step(), messages=[row]))
    replayed = restore(history(step(), step(heard=(event,)), messages=[taken]))

    assert unread.unheard == [event]
    assert replayed.steps[1].events == (event,)
    assert replayed.unheard == []


def test_the_news_of_a_child_is_no_event_by_itself() -> None:
    with pytest.raises(JournalCorrupt, match="message 4 is about a child"):
        message_event(message(MessageKind.CHILD, name="0"))


@pytest.mark.parametrize(
    ("status", "failure", "outcome"),
    [
        (RunStatus.SUCCESS, None, Succeeded(NULL)),
        (RunStatus.FAILED, BROKEN, Failed(BROKEN)),
        (RunStatus.CANCELLED, cancellation("enough"), Cancelled("enough")),
        (RunStatus.CANCELLED, None, Cancelled("")),
    ],
)
def test_how_a_run_ended_stands_in_its_row(
    status: RunStatus, failure: Failure | None, outcome: Outcome
) -> None:
    assert run_outcome(status, None, failure) == outcome


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (history(step(RecordTask(3, "now", DONE))), "it refers to task 3, which is gone"),
        (
            history(step(heard=(SignalReceived(MessageId(7), "go", NULL),))),
            "it refers to message 7, which is gone",
        ),
        (
            history(step(ASK), step(heard=(TaskEnded(0, DONE),)), tasks=[task(TaskStatus.PENDING)]),
            "task 0 ended, says the journal, but its row is pending",
        ),
        (
            history(
                step(StartChild(0, "refund", None, "x", NULL)),
                step(heard=(ChildEnded(0, DONE),)),
                children=[child(RunStatus.RUNNING)],
            ),
            "a child ended, says the journal, but its row is running",
        ),
        (history(messages=[message(MessageKind.UNKNOWN)]), "message 4 is of a kind that this version"),
        (history(messages=[message(MessageKind.CHILD, name="²")]), "message 4 names child '²'"),
        (history(damage="step 2 of the journal is missing"), "step 2 of the journal is missing"),
        (history(b"\xc1"), "step 0"),
    ],
)
def test_a_history_that_contradicts_itself_is_refused_with_what_is_wrong(
    damaged: History, reason: str
) -> None:
    with pytest.raises(JournalCorrupt, match=reason):
        restore(damaged)
