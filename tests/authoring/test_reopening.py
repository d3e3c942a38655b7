"""What a retry goes back to, and what it takes up again: plans from histories, without an engine."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from holdfast.authoring.kinds import reopening_plan
from holdfast.core.commands import (
    CancelChild,
    CancelRun,
    CancelTask,
    Command,
    FailRun,
    OpenTask,
    RecordTask,
    ScheduleTask,
    StartChild,
    StartTimer,
)
from holdfast.core.events import (
    CancelRequested,
    ChildEnded,
    Event,
    Reopened,
    SignalReceived,
    TaskEnded,
    TimerFired,
)
from holdfast.core.journal import write_step
from holdfast.core.records import ChildRecord, History, MessageKind, MessageRecord, TaskRecord, new_run
from holdfast.core.reopening import depends_on_end_of, is_being_cancelled
from holdfast.core.values import (
    NULL,
    Failed,
    Failure,
    Instant,
    RunKey,
    RunStatus,
    Succeeded,
    TaskStatus,
    task_id,
)
from holdfast.errors import JournalCorrupt

KEY = RunKey(bytes(15) + b"\x01")
NOW = Instant(1_000_000)
FAILURE = Failure(type="builtins:ValueError", message="no")
DONE = Succeeded(NULL)

Step = tuple[Sequence[Event], Sequence[Command]]


def child_key(seq: int) -> RunKey:
    return RunKey(bytes(15) + bytes([100 + seq]))


def asked(*seqs: int) -> list[Command]:
    return [ScheduleTask(seq, "work", NULL) for seq in seqs]


def started(*seqs: int, detached: bool = False) -> list[Command]:
    return [StartChild(seq, "child", None, None, NULL, detached) for seq in seqs]


def history(
    *steps: Step,
    status: RunStatus = RunStatus.FAILED,
    cause: int | None = None,
    tasks: dict[int, TaskStatus] | None = None,
    children: dict[int, RunStatus] | None = None,
    messages: Sequence[tuple[int, MessageKind, int | None]] = (),
) -> History:
    """A run with these steps. `cause`: the task that failed it. A message: its id, its kind, who read it."""
    failure = msgspec.structs.replace(FAILURE, task=None if cause is None else task_id(KEY, cause))
    run = msgspec.structs.replace(
        new_run(KEY, "default", None, "flow", "1", "flow", NULL, NOW), status=status, failure=failure
    )
    return History(
        run,
        [write_step(NOW, events, commands) for events, commands in steps],
        [
            TaskRecord(KEY, seq, "work", each, 1, 0, 0, NULL, None, None, None, None, NOW, None, None)
            for seq, each in (tasks or {}).items()
        ],
        [MessageRecord(id, KEY, kind, "go", NULL, taken) for id, kind, taken in messages],
        [ChildRecord(KEY, seq, child_key(seq), each, None, None) for seq, each in (children or {}).items()],
    )


# --- from where


def test_a_run_without_a_step_begins_anew() -> None:
    plan = reopening_plan("code", history())

    assert plan.event == Reopened(0, 0, 0, 0)


def test_it_goes_back_to_the_step_that_heard_of_the_task_that_failed_it() -> None:
    plan = reopening_plan(
        "code",
        history(
            ([], asked(0, 1)),
            ([TaskEnded(1, Failed(FAILURE))], asked(2)),
            ([TaskEnded(2, DONE)], [FailRun(FAILURE)]),
            cause=1,
            tasks={0: TaskStatus.CANCELLED, 1: TaskStatus.FAILED, 2: TaskStatus.SUCCESS},
        ),
    )

    assert plan.event.position == 1
    assert plan.tasks == [0, 1]


def test_a_failure_of_the_code_itself_goes_back_to_the_last_step() -> None:
    plan = reopening_plan(
        "code",
        history(([], asked(0)), ([TaskEnded(0, DONE)], [FailRun(FAILURE)]), tasks={0: TaskStatus.SUCCESS}),
    )

    assert plan.event.position == 1
    assert plan.tasks == []


@pytest.mark.parametrize(
    ("status", "end", "position"),
    [(RunStatus.CANCELLED, CancelRun("enough"), 1), (RunStatus.FAILED, FailRun(FAILURE), 2)],
)
def test_a_cancellation_is_what_it_goes_back_to_unless_the_code_has_survived_it(
    status: RunStatus, end: Command, position: int
) -> None:
    plan = reopening_plan(
        "code",
        history(
            ([], asked(0)),
            ([CancelRequested(7, "enough")], asked(1)),
            ([TaskEnded(1, DONE)], [end]),
            status=status,
            messages=[(7, MessageKind.CANCEL, 1)],
        ),
    )

    assert plan.event.position == position


def test_a_run_that_was_cancelled_while_it_was_parked_goes_on_behind_its_last_step() -> None:
    plan = reopening_plan(
        "code", history(([], asked(0)), ([TaskEnded(0, DONE)], asked(1)), status=RunStatus.CANCELLED)
    )

    assert plan.event.position == 2


# --- what is taken up again


def test_numbers_count_on_behind_everything_that_was_ever_asked_for() -> None:
    plan = reopening_plan(
        "code",
        history(
            ([], [*asked(0), RecordTask(1, "dice", DONE), StartTimer(0, NOW), *started(0, 1)]),
            ([TimerFired(0)], [FailRun(FAILURE)]),
            ([Reopened(0, 2, 1, 2)], [*asked(2), StartTimer(1, NOW), StartTimer(2, NOW)]),
            ([TaskEnded(2, DONE)], [FailRun(FAILURE)]),
        ),
    )

    assert plan.event == Reopened(3, 3, 3, 2)


def test_only_what_was_open_and_did_not_succeed_is_tried_again() -> None:
    plan = reopening_plan(
        "code",
        history(
            ([], [*asked(0, 1, 2, 3), *started(0, 1, 2, 3)]),
            (
                [TaskEnded(0, Failed(FAILURE)), ChildEnded(0, Failed(FAILURE))],
                [CancelTask(1), CancelChild(1)],
            ),
            ([], [FailRun(FAILURE)]),
            tasks={
                0: TaskStatus.FAILED,
                1: TaskStatus.CANCELLED,
                2: TaskStatus.CANCELLED,
                3: TaskStatus.SUCCESS,
            },
            children={
                0: RunStatus.FAILED,
                1: RunStatus.CANCELLED,
                2: RunStatus.FAILED,
                3: RunStatus.SUCCESS,
            },
        ),
    )

    assert plan.tasks == [2]
    assert plan.children == [child_key(2)]


def test_of_children_that_go_on_only_those_that_end_with_the_run_are_looked_at() -> None:
    plan = reopening_plan(
        "code",
        history(
            ([], [*started(0, 1, 2), *started(3, detached=True)]),
            ([ChildEnded(1, DONE)], []),
            ([], [FailRun(FAILURE)]),
            children={
                0: RunStatus.RUNNING,
                1: RunStatus.RUNNING,
                2: RunStatus.CANCELLED,
                3: RunStatus.RUNNING,
            },
        ),
    )

    assert plan.open_children == [child_key(0)]


def test_messages_that_were_read_from_there_on_are_read_again_and_no_others() -> None:
    plan = reopening_plan(
        "code",
        history(
            ([], asked(0)),
            ([SignalReceived(1, "go", NULL)], asked(1)),
            ([SignalReceived(2, "go", NULL)], [FailRun(FAILURE)]),
            messages=[
                (1, MessageKind.SIGNAL, 1),
                (2, MessageKind.SIGNAL, 2),
                (3, MessageKind.RESOLVED, 2),
                (4, MessageKind.CANCEL, 2),
                (5, MessageKind.CHILD, 2),
                (6, MessageKind.SIGNAL, None),
                (7, MessageKind.CANCEL, None),
            ],
        ),
    )

    assert plan.messages == [2, 3]
    assert plan.overtaken == [7]


# --- a program that is made of data


def test_a_program_of_data_goes_on_from_its_end_and_names_what_is_tried_again() -> None:
    plan = reopening_plan(
        "dag",
        history(
            ([], [*asked(0, 1, 2), *started(0, 1, 2), StartTimer(0, NOW)]),
            ([TaskEnded(1, Failed(FAILURE)), ChildEnded(1, Failed(FAILURE))], [OpenTask(3, "wait", NULL)]),
            ([TaskEnded(0, DONE), ChildEnded(0, DONE)], [FailRun(FAILURE)]),
            cause=1,
            tasks={
                0: TaskStatus.SUCCESS,
                1: TaskStatus.FAILED,
                2: TaskStatus.CANCELLED,
                3: TaskStatus.CANCELLED,
            },
            children={0: RunStatus.SUCCESS, 1: RunStatus.FAILED, 2: RunStatus.CANCELLED},
        ),
    )

    assert plan.event == Reopened(3, 4, 1, 3, (1, 2), (1, 2))
    assert plan.tasks == [1, 2]
    assert plan.children == [child_key(1), child_key(2)]
    assert plan.open_children == []


def test_a_program_of_data_keeps_what_it_has_read_and_takes_no_cancellation_from_before() -> None:
    plan = reopening_plan(
        "dag",
        history(
            ([], asked(0)),
            ([SignalReceived(1, "go", NULL)], [FailRun(FAILURE)]),
            messages=[
                (1, MessageKind.SIGNAL, 1),
                (2, MessageKind.SIGNAL, None),
                (3, MessageKind.CANCEL, 1),
                (4, MessageKind.CANCEL, None),
            ],
        ),
    )

    assert plan.messages == []
    assert plan.overtaken == [4]


def test_of_a_program_of_data_every_child_that_it_has_not_heard_to_succeed_is_waited_for() -> None:
    """One that a broken-off retry has opened may go on, or have succeeded since."""
    plan = reopening_plan(
        "dag",
        history(
            ([], started(0, 1, 2, 3, 4)),
            ([ChildEnded(seq, Failed(FAILURE)) for seq in (0, 1, 2)], []),
            ([ChildEnded(4, DONE)], [FailRun(FAILURE)]),
            children={
                0: RunStatus.RUNNING,
                1: RunStatus.SUCCESS,
                2: RunStatus.FAILED,
                3: RunStatus.SUCCESS,
                4: RunStatus.SUCCESS,
            },
        ),
    )

    assert plan.event.children_again == (0, 1, 2, 3)
    assert plan.children == [child_key(2)]
    assert plan.open_children == [child_key(0)]


def test_what_the_program_kept_itself_or_skipped_is_not_tried_again_by_anyone_else() -> None:
    plan = reopening_plan(
        "dag",
        history(
            ([], [OpenTask(0, "wait", NULL), RecordTask(1, "skipped", DONE), *asked(2)]),
            ([], [RecordTask(0, "wait", Failed(FAILURE), is_open=True), FailRun(FAILURE)]),
            tasks={0: TaskStatus.FAILED, 1: TaskStatus.FAILED, 2: TaskStatus.SKIPPED},
        ),
    )

    assert plan.tasks == []
    assert plan.event == Reopened(2, 3, 0, 0)


def test_a_program_of_data_is_opened_a_third_time_behind_all_that_came_before() -> None:
    plan = reopening_plan(
        "dag",
        history(
            ([], asked(0)),
            ([TaskEnded(0, Failed(FAILURE))], [FailRun(FAILURE)]),
            ([Reopened(2, 1, 0, 0, (0,))], []),
            ([TaskEnded(0, Failed(FAILURE))], [*asked(1), FailRun(FAILURE)]),
            tasks={0: TaskStatus.FAILED, 1: TaskStatus.CANCELLED},
        ),
    )

    assert plan.event == Reopened(4, 2, 0, 0, (0, 1))


@pytest.mark.parametrize("kind", ["code", "dag", "flow"])
def test_attempts_that_nobody_can_have_counted_are_not_counted_on(kind: str) -> None:
    damaged = history(([], asked(0)), ([], [FailRun(FAILURE)]), tasks={0: TaskStatus.FAILED})
    damaged.tasks[0] = msgspec.structs.replace(damaged.tasks[0], attempt=2**31 - 1)

    with pytest.raises(JournalCorrupt, match="attempts of task 0"):
        reopening_plan(kind, damaged)


# --- whether a run is being cancelled, and whether a parent goes by the end of its child


@pytest.mark.parametrize(
    ("status", "messages", "expected"),
    [
        (RunStatus.RUNNING, [], False),
        (RunStatus.RUNNING, [(1, MessageKind.SIGNAL, None)], False),
        (RunStatus.RUNNING, [(1, MessageKind.CANCEL, None)], True),
        (RunStatus.CANCELLED, [(1, MessageKind.CANCEL, None)], False),
        (RunStatus.RUNNING, [(1, MessageKind.CANCEL, 1)], True),
        (RunStatus.RUNNING, [(2, MessageKind.CANCEL, 1)], False),
    ],
)
def test_a_run_is_being_cancelled_while_a_request_is_unread_or_heard_and_still_counts(
    status: RunStatus, messages: list[tuple[int, MessageKind, int | None]], expected: bool
) -> None:
    asked_to_end = history(
        ([], asked(0)), ([CancelRequested(1, "enough")], asked(1)), status=status, messages=messages
    )

    assert is_being_cancelled(asked_to_end) is expected


def test_a_request_that_a_retry_has_struck_out_cancels_nothing_any_more() -> None:
    retried = history(
        ([], asked(0)),
        ([CancelRequested(1, "enough")], [CancelRun("enough")]),
        ([Reopened(1, 1, 0, 0)], []),
        status=RunStatus.RUNNING,
        messages=[(1, MessageKind.CANCEL, 1)],
    )

    assert is_being_cancelled(retried) is False


@pytest.mark.parametrize("heard_again", [False, True])
def test_a_request_from_before_a_run_of_data_was_opened_again_is_over_and_one_after_it_is_not(
    heard_again: bool,
) -> None:
    later: list[Step] = [([CancelRequested(2, "enough")], asked(1))] if heard_again else []
    retried = history(
        ([], asked(0)),
        ([CancelRequested(1, "enough")], [CancelRun("enough")]),
        ([Reopened(2, 1, 0, 0, (0,))], []),
        *later,
        status=RunStatus.RUNNING,
        messages=[(1, MessageKind.CANCEL, 1), (2, MessageKind.CANCEL, 3)],
    )

    assert is_being_cancelled(retried) is heard_again


@pytest.mark.parametrize(
    ("status", "seq", "expected"),
    [
        (RunStatus.RUNNING, 1, True),
        (RunStatus.PARKED, 1, True),
        (RunStatus.SUCCESS, 0, False),
        (RunStatus.FAILED, 0, True),
        (RunStatus.FAILED, 1, False),
        (RunStatus.CANCELLED, 0, True),
    ],
)
def test_a_parent_goes_by_the_end_of_a_child_that_it_has_heard_or_may_still_hear(
    status: RunStatus, seq: int, expected: bool
) -> None:
    parent = history(([], started(0, 1)), ([ChildEnded(0, DONE), TaskEnded(1, DONE)], []), status=status)

    assert depends_on_end_of(parent, seq) is expected
