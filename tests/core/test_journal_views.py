"""The journal as people read it."""

from __future__ import annotations

from typing import get_args

from holdfast.core.commands import CompleteRun, ScheduleTask, StartTimer
from holdfast.core.events import TimerFired
from holdfast.core.journal import Heard, MessageAsked, Requested, write_step
from holdfast.core.journal_views import KINDS, view_step
from holdfast.core.values import Instant, Payload, moment


def test_every_kind_of_entry_has_a_name() -> None:
    assert set(KINDS) == {*get_args(Heard), *get_args(Requested), MessageAsked}


def test_a_step_that_cannot_be_read_says_why() -> None:
    step = view_step(7, b"\xff")

    assert (step.position, step.at, step.events, step.requests) == (7, None, [], [])
    assert step.problem


def test_a_step_has_its_events_and_requests() -> None:
    at = Instant(1_700_000_000_000_000)
    data = write_step(
        at,
        [TimerFired(2)],
        [
            ScheduleTask(0, "charge", Payload(b"[1]")),
            StartTimer(3, Instant(at + 1)),
            CompleteRun(Payload(b"1")),
        ],
    )

    step = view_step(0, data)

    assert (step.at, step.events) == (moment(at), [{"kind": "timer_fired", "seq": 2}])
    assert step.requests == [
        {"kind": "schedule_task", "seq": 0, "name": "charge"},
        {"kind": "start_timer", "seq": 3, "due": moment(Instant(at + 1))},
        {"kind": "end_run", "status": "success"},
    ]
