"""From rows back to a run: what is still open, and what has happened that nobody has heard."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from holdfast.core.commands import (
    CancelChild,
    CancelTask,
    CancelTimer,
    Command,
    OpenTask,
    RecordTask,
    ResumeTask,
    ScheduleTask,
    StartChild,
    StartTimer,
)
from holdfast.core.events import ChildEnded, Event, Reopened, SignalReceived, TaskEnded, TimerFired
from holdfast.core.history import (
    CHILD_EXISTS,
    TRIED_AGAIN,
    message_event,
    read_steps,
    restore,
    run_outcome,
)
from holdfast.core.journal import write_step
from holdfast.core.policies import TaskOptions
from holdfast.core.records import ChildRecord, History, MessageKind, MessageRecord, TaskRecord, new_run
from holdfast.core.values import (
    NULL,
    Cancelled,
    Failed,
    Failure,
    Instant,
    Payload,
    RunKey,
    RunStatus,
    Succeeded,
    TaskStatus,
)
from holdfast.errors import JournalCorrupt

KEY = RunKey(bytes(15) + b"\x01")
NOW = Instant(1_000_000)
LATER = Instant(2_000_000)
DONE = Succeeded(Payload(b'"done"'))

Step = tuple[Sequence[Event], Sequence[Command]]


def tasks(*seqs: int) -> list[Command]:
    return [ScheduleTask(seq, "work", NULL) for seq in seqs]


def timers(*seqs: int) -> list[Command]:
    return [StartTimer(seq, LATER) for seq in seqs]


def children(*seqs: int) -> list[Command]:
    return [StartChild(seq, "child", None, None, NULL) for seq in seqs]


def task_row(seq: int, status: TaskStatus = TaskStatus.SUCCESS) -> TaskRecord:
    return TaskRecord(
        KEY, seq, "work", status, 1, 0, 0, NULL, DONE.payload, None, None, None, NOW, None, None
    )


def child_row(seq: int, status: RunStatus = RunStatus.SUCCESS) -> ChildRecord:
    return ChildRecord(KEY, seq, RunKey(bytes(15) + bytes([100 + seq])), status, DONE.payload, None)


def history(*steps: Step, **rows: list[TaskRecord] | list[ChildRecord] | list[MessageRecord]) -> History:
    run = new_run(KEY, "default", None, "flow", "1", "flow", NULL, NOW, owner="node")
    written = [write_step(NOW, events, commands) for events, commands in steps]
    return msgspec.structs.replace(History(run, written, [], [], []), **rows)


def test_what_has_ended_fired_or_was_cancelled_is_not_open_any_more() -> None:
    past = restore(
        history(
            ([], [*tasks(0, 1, 2), *timers(0, 1, 2), *children(0, 1, 2)]),
            (
                [TaskEnded(0, DONE), TimerFired(0), ChildEnded(0, DONE)],
                [CancelTask(1), CancelTimer(1), CancelChild(1)],
            ),
            tasks=[task_row(0), task_row(1), task_row(2, TaskStatus.RUNNING)],
            children=[child_row(0), child_row(1), child_row(2, RunStatus.RUNNING)],
        )
    )

    assert past.position == 2
    assert list(past.tasks) == [2]
    assert past.timers == {2: LATER}
    assert list(past.children) == [2]
    assert past.unheard == []
    assert list(past.steps[1].events) == [TaskEnded(0, DONE), TimerFired(0), ChildEnded(0, DONE)]


def test_only_children_that_end_with_their_parent_are_attached() -> None:
    detached = StartChild(1, "child", None, None, NULL, detached=True)

    past = restore(history(([], [*children(0), detached]), children=[child_row(0), child_row(1)]))

    assert past.attached == {0}


def test_outcomes_that_nobody_has_heard_come_first_and_then_messages_in_their_order() -> None:
    past = restore(
        history(
            ([], [*tasks(0, 1), *children(0, 1)]),
            tasks=[task_row(0), task_row(1, TaskStatus.PENDING)],
            children=[child_row(0), child_row(1, RunStatus.RUNNING)],
            messages=[
                MessageRecord(1, KEY, MessageKind.SIGNAL, "old", NULL, 0),
                MessageRecord(2, KEY, MessageKind.SIGNAL, "new", NULL, None),
                MessageRecord(3, KEY, MessageKind.CHILD, "0", NULL, None),
            ],
        )
    )

    assert past.unheard == [TaskEnded(0, DONE), ChildEnded(0, DONE, 3), SignalReceived(2, "new", NULL)]


def test_a_child_whose_id_was_taken_has_failed() -> None:
    past = restore(history(([], children(0))))

    assert past.children == {0: None}
    assert past.unheard == [ChildEnded(0, Failed(CHILD_EXISTS))]


def test_steps_that_a_retry_has_struck_out_open_and_close_nothing() -> None:
    past = restore(
        history(
            ([], tasks(0)),
            ([TaskEnded(0, DONE)], tasks(1)),
            ([Reopened(1, 2, 0, 0)], []),
            tasks=[task_row(0, TaskStatus.PENDING), task_row(1)],
        )
    )

    assert (past.position, len(past.steps)) == (3, 2)
    assert list(past.tasks) == [0]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (TaskStatus.SUCCESS, DONE),
        (TaskStatus.CANCELLED, Cancelled()),
        (TaskStatus.SKIPPED, Cancelled()),
        (TaskStatus.FAILED, Failed(Failure("holdfast.errors:HoldfastError", "the failure was not recorded"))),
    ],
)
def test_the_outcome_of_a_local_side_effect_is_that_of_its_row(status: TaskStatus, outcome: object) -> None:
    past = restore(history(([], [RecordTask(0, "dice", DONE)]), tasks=[task_row(0, status)]))

    assert past.local == {0: outcome}


# --- tasks that the program keeps itself


def test_a_task_that_no_executor_has_is_not_open_and_its_outcome_is_known_once_it_is_recorded() -> None:
    opened = [OpenTask(0, "approval", NULL), OpenTask(1, "sleep", NULL)]

    past = restore(
        history(
            ([], opened),
            ([], [RecordTask(0, "approval", DONE, is_open=True)]),
            tasks=[task_row(0), task_row(1, TaskStatus.RUNNING)],
        )
    )

    assert past.tasks == {}
    assert past.local == {0: DONE}
    assert past.unheard == []
    assert [type(asked).__name__ for asked in past.steps[0].asked] == ["TaskOpened", "TaskOpened"]


# --- a run of data that was opened again


FAILED = Failed(Failure("shop:Declined", "no money"))


def reopened(position: int, tasks: tuple[int, ...] = (), children: tuple[int, ...] = ()) -> Reopened:
    return Reopened(position, 9, 9, 9, tasks, children)


def test_what_is_tried_again_is_held_back_and_its_first_end_is_replayed_as_the_failure_it_was() -> None:
    past = restore(
        history(
            ([], [*tasks(0, 1), *children(0, 1)]),
            ([TaskEnded(0, DONE), TaskEnded(1, FAILED), ChildEnded(0, DONE), ChildEnded(1, FAILED)], []),
            ([reopened(2, (1,), (1,))], []),
            tasks=[task_row(0), task_row(1, TaskStatus.PENDING)],
            children=[child_row(0), child_row(1, RunStatus.RUNNING)],
        )
    )

    again = Failed(TRIED_AGAIN)
    assert (past.position, len(past.steps)) == (3, 3)
    assert list(past.steps[1].events) == [
        TaskEnded(0, DONE),
        TaskEnded(1, again),
        ChildEnded(0, DONE),
        ChildEnded(1, again),
    ]
    assert list(past.steps[2].events) == [reopened(2, (1,), (1,))]
    assert (list(past.tasks), list(past.held_back), list(past.children)) == ([], [1], [1])
    assert past.held_back[1].record.status is TaskStatus.PENDING
    assert past.unheard == []


def test_a_task_that_is_tried_again_is_open_from_when_its_turn_has_come_with_the_options_it_had() -> None:
    options = TaskOptions(queue="slow", priority=3)

    past = restore(
        history(
            ([], [ScheduleTask(0, "work", NULL, options), *tasks(1)]),
            ([TaskEnded(0, FAILED), TaskEnded(1, FAILED)], []),
            ([reopened(2, (0, 1))], []),
            ([], [ResumeTask(0)]),
            tasks=[task_row(0, TaskStatus.PENDING), task_row(1, TaskStatus.PENDING)],
        )
    )

    assert (list(past.tasks), list(past.held_back)) == ([0], [1])
    assert past.tasks[0].options == options


def test_what_came_of_the_second_try_is_its_own_outcome_and_not_that_of_the_first() -> None:
    past = restore(
        history(
            ([], [*tasks(0), *children(0)]),
            ([TaskEnded(0, FAILED), ChildEnded(0, FAILED)], []),
            ([reopened(2, (0,), (0,))], []),
            ([], [ResumeTask(0)]),
            ([TaskEnded(0, DONE), ChildEnded(0, DONE)], []),
            tasks=[task_row(0)],
            children=[child_row(0)],
        )
    )

    assert list(past.steps[1].events) == [
        TaskEnded(0, Failed(TRIED_AGAIN)),
        ChildEnded(0, Failed(TRIED_AGAIN)),
    ]
    assert list(past.steps[4].events) == [TaskEnded(0, DONE), ChildEnded(0, DONE)]
    assert (past.tasks, past.held_back, past.children) == ({}, {}, {})


def test_a_task_that_failed_twice_was_tried_again_twice() -> None:
    past = restore(
        history(
            ([], tasks(0)),
            ([TaskEnded(0, FAILED)], []),
            ([reopened(2, (0,))], []),
            ([], [ResumeTask(0)]),
            ([TaskEnded(0, FAILED)], []),
            ([reopened(5, (0,))], []),
            ([], [ResumeTask(0)]),
            tasks=[task_row(0, TaskStatus.RUNNING)],
        )
    )

    again = [TaskEnded(0, Failed(TRIED_AGAIN))]
    assert [list(past.steps[1].events), list(past.steps[4].events)] == [again, again]
    assert (list(past.tasks), past.held_back) == ([0], {})


def test_a_task_that_was_cancelled_with_the_run_is_held_back_though_nobody_heard_of_its_end() -> None:
    past = restore(
        history(
            ([], [*tasks(0, 1), *children(0)]),
            ([], [CancelTask(1), CancelChild(0)]),
            ([reopened(2, (0, 1), (0,))], []),
            tasks=[task_row(0, TaskStatus.PENDING), task_row(1, TaskStatus.PENDING)],
            children=[child_row(0, RunStatus.RUNNING)],
        )
    )

    assert (past.tasks, sorted(past.held_back)) == ({}, [0, 1])
    assert list(past.children) == [0]
    assert past.attached == {0}


def test_the_second_end_that_nobody_has_heard_is_still_to_be_heard() -> None:
    past = restore(
        history(
            ([], [*tasks(0), *children(0)]),
            ([TaskEnded(0, FAILED), ChildEnded(0, FAILED)], []),
            ([reopened(2, (0,), (0,))], []),
            ([], [ResumeTask(0)]),
            tasks=[task_row(0)],
            children=[child_row(0)],
        )
    )

    assert past.unheard == [TaskEnded(0, DONE), ChildEnded(0, DONE)]


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.SUCCESS])
def test_a_child_that_was_heard_to_fail_has_failed_whatever_has_become_of_it_since(status: RunStatus) -> None:
    """A retry that was broken off has opened the child again, and its parent not."""
    past = restore(history(([], children(0)), ([ChildEnded(0, FAILED)], []), children=[child_row(0, status)]))

    assert list(past.steps[1].events) == [ChildEnded(0, Failed(TRIED_AGAIN))]
    assert past.children == {}


def test_a_child_that_failed_and_was_left_at_that_tells_its_own_failure() -> None:
    row = msgspec.structs.replace(child_row(0, RunStatus.FAILED), failure=FAILED.failure)

    past = restore(history(([], children(0)), ([ChildEnded(0, FAILED)], []), children=[row]))

    assert list(past.steps[1].events) == [ChildEnded(0, FAILED)]


def test_a_reopening_that_a_later_one_has_struck_out_tries_nothing_again() -> None:
    past = restore(
        history(
            ([], tasks(0)),
            ([TaskEnded(0, DONE)], []),
            ([reopened(2, (0,))], []),
            ([Reopened(2, 1, 0, 0)], []),
            tasks=[task_row(0)],
        )
    )

    assert list(past.steps[1].events) == [TaskEnded(0, DONE)]
    assert (past.tasks, past.held_back) == ({}, {})


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (history(([], tasks(0))), "refers to task 0, which is gone"),
        (history(([SignalReceived(9, "go", NULL)], [])), "refers to message 9, which is gone"),
        (
            history(([], tasks(0)), ([TaskEnded(0, DONE)], []), tasks=[task_row(0, TaskStatus.RUNNING)]),
            "its row is running",
        ),
        (msgspec.structs.replace(history(([], [])), damage="step 0 is missing"), "step 0 is missing"),
        (
            history(([], [OpenTask(0, "approval", NULL)]), ([reopened(1, (0,))], []), tasks=[task_row(0)]),
            "tries task 0 again, which was never asked for",
        ),
        (history(([reopened(0, (7,))], [])), "tries task 7 again, which was never asked for"),
        (
            history(([], tasks(0)), ([], [ResumeTask(0)]), tasks=[task_row(0)]),
            "resumes task 0, which is not held back",
        ),
    ],
)
def test_a_journal_that_does_not_fit_its_rows_is_not_restored(damaged: History, reason: str) -> None:
    with pytest.raises(JournalCorrupt, match=reason):
        restore(damaged)


def test_a_damaged_journal_is_not_read_for_a_retry() -> None:
    damaged = msgspec.structs.replace(history(([], [])), damage="step 1 is missing")

    with pytest.raises(JournalCorrupt, match="step 1 is missing"):
        read_steps(damaged)


def test_a_child_that_is_said_to_have_ended_and_has_not_is_damage() -> None:
    with pytest.raises(JournalCorrupt, match="its row is running"):
        run_outcome(RunStatus.RUNNING, None, None)


def test_a_message_of_a_kind_that_a_newer_version_has_is_not_guessed_at() -> None:
    with pytest.raises(JournalCorrupt, match="message 7 is of a kind that this version does not know"):
        message_event(MessageRecord(7, KEY, MessageKind.UNKNOWN, "", NULL, None))


HUGE = 2**31 - 1
NEVER = Instant(2**62)


@pytest.mark.parametrize(
    "damaged",
    [
        history(([], tasks(0)), tasks=[msgspec.structs.replace(task_row(0), attempt=HUGE)]),
        history(([], tasks(0)), tasks=[msgspec.structs.replace(task_row(0), attempt=0)]),
        history(([], tasks(0)), tasks=[msgspec.structs.replace(task_row(0), lost=HUGE)]),
        history(([], tasks(0)), tasks=[msgspec.structs.replace(task_row(0), forgiven=-1)]),
        history(([], tasks(0)), tasks=[msgspec.structs.replace(task_row(0), due_at=NEVER)]),
        history(([], [StartTimer(0, NEVER)])),
        history(([], [StartTimer(HUGE, LATER)])),
        history(([Reopened(1, 0, 0, 0)], [])),
        history(([], []), tasks=[task_row(0)]),
        history(([], []), children=[child_row(0)]),
    ],
)
def test_numbers_and_instants_that_nobody_has_given_are_damage(damaged: History) -> None:
    """To go on with them would write what the store refuses, in a commit for a thousand other runs."""
    with pytest.raises(JournalCorrupt):
        restore(damaged)


def test_a_step_at_an_instant_that_is_none_is_damage() -> None:
    run = history().run

    with pytest.raises(JournalCorrupt, match="instant"):
        restore(History(run, [write_step(NEVER, [], [])], [], [], []))
