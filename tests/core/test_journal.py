"""What is written is what is read: every event and every command, by its entry in the journal."""

from __future__ import annotations

import msgspec
import pytest

from holdfast.core import commands as c
from holdfast.core import events as e
from holdfast.core import journal as j
from holdfast.core.policies import Retry, TaskOptions
from holdfast.core.values import NULL, Cancelled, Failed, Failure, Instant, RunStatus, Succeeded
from holdfast.errors import JournalCorrupt

NOW = Instant(1_700_000_000_000_000)
DONE = Succeeded(NULL)
FAILURE = Failure(type="builtins:ValueError", message="no")
OPTIONS = TaskOptions(retry=Retry(max_attempts=3), queue="slow", priority=2)


@pytest.mark.parametrize(
    ("event", "heard"),
    [
        (e.TaskEnded(1, DONE), j.TaskHeard(1)),
        (e.TimerFired(2), j.TimerHeard(2)),
        (e.ChildEnded(3, DONE, 9), j.ChildHeard(3)),
        (e.ChildEnded(3, Failed(FAILURE), 9), j.ChildHeard(3, has_failed=True)),
        (e.ChildEnded(3, Cancelled("enough"), 9), j.ChildHeard(3, has_failed=True)),
        (e.SignalReceived(4, "go", NULL), j.MessageHeard(4)),
        (e.PromiseAnswered(5, "paid", DONE), j.MessageHeard(5)),
        (e.CancelRequested(6, "enough"), j.MessageHeard(6)),
        (e.Reopened(1, 2, 3, 4), j.ReopenedHeard(1, 2, 3, 4)),
        (e.Reopened(1, 2, 3, 4, (5, 6), (7,)), j.ReopenedHeard(1, 2, 3, 4, (5, 6), (7,))),
    ],
)
def test_an_event_is_read_as_what_was_heard(event: e.Event, heard: j.Heard) -> None:
    step = j.read_step(0, j.write_step(NOW, [event], []))

    assert (step.at, step.heard, step.asked) == (NOW, (heard,), ())


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        (c.ScheduleTask(1, "work", NULL), j.TaskAsked(1, "work")),
        (c.ScheduleTask(1, "work", NULL, OPTIONS), j.TaskAsked(1, "work", OPTIONS)),
        (c.OpenTask(2, "approval", NULL), j.TaskOpened(2, "approval")),
        (c.RecordTask(2, "dice", DONE), j.TaskRecorded(2, "dice")),
        (c.RecordTask(2, "approval", DONE, is_open=True), j.TaskRecorded(2, "approval")),
        (c.ResumeTask(2), j.TaskResumed(2)),
        (c.MarkUndone((1, 2), (3,)), j.UndoneMarked((1, 2), (3,))),
        (c.ResumeChild(2), j.ChildResumed(2)),
        (c.CancelTask(3), j.TaskCancelAsked(3)),
        (c.StartTimer(4, NOW), j.TimerAsked(4, NOW)),
        (c.CancelTimer(5), j.TimerCancelAsked(5)),
        (c.StartChild(6, "child", None, None, NULL), j.ChildAsked(6, "child")),
        (c.StartChild(6, "child", None, None, NULL, detached=True), j.ChildAsked(6, "child", True)),
        (c.CancelChild(7), j.ChildCancelAsked(7)),
        (c.SetState("key", NULL), j.StateAsked("key")),
        (c.MarkPatch("change"), j.PatchMarked("change")),
        (c.CompleteRun(NULL), j.EndAsked(RunStatus.SUCCESS)),
        (c.FailRun(FAILURE), j.EndAsked(RunStatus.FAILED)),
        (c.CancelRun("enough"), j.EndAsked(RunStatus.CANCELLED)),
    ],
)
def test_a_command_is_read_as_what_was_asked_for(command: c.Command, asked: j.Requested) -> None:
    step = j.read_step(0, j.write_step(NOW, [], [command]))

    assert (step.at, step.heard, [_with_options(each) for each in step.asked]) == (NOW, (), [asked])


def test_the_order_within_a_step_is_kept() -> None:
    events = [e.TaskEnded(seq, DONE) for seq in (3, 1, 2)]
    commands = [c.ScheduleTask(seq, "work", NULL) for seq in (9, 7, 8)]

    step = j.read_step(0, j.write_step(NOW, events, commands))

    assert step.heard == (j.TaskHeard(3), j.TaskHeard(1), j.TaskHeard(2))
    assert [_with_options(each) for each in step.asked] == [
        j.TaskAsked(9, "work"),
        j.TaskAsked(7, "work"),
        j.TaskAsked(8, "work"),
    ]


def test_options_that_cannot_be_read_are_named() -> None:
    step = j.read_step(0, j.write_step(NOW, [], [c.ScheduleTask(4, "work", NULL)]))
    (asked,) = step.asked
    assert isinstance(asked, j.TaskAsked)

    with pytest.raises(JournalCorrupt, match="the options of task 4"):
        j.read_options(msgspec.structs.replace(asked, options={"priority": "high"}))


def _with_options(asked: j.Requested) -> j.Requested:
    """What was read, with its options decoded."""
    if not isinstance(asked, j.TaskAsked):
        return asked
    return msgspec.structs.replace(asked, options=j.read_options(asked))


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x93\x01\x90\x91\x92\xa1?\x01", b"\x92\x01\x90"])
def test_a_step_that_cannot_be_read_is_named(data: bytes) -> None:
    with pytest.raises(JournalCorrupt, match="step 7"):
        j.read_step(7, data)


@pytest.mark.parametrize(
    ("written", "heard"),
    [(["r", 1, 2, 3, 4], j.ReopenedHeard(1, 2, 3, 4)), (["c", 5], j.ChildHeard(5))],
)
def test_what_a_version_before_wrote_says_nothing_of_what_came_later(
    written: list[object], heard: j.Heard
) -> None:
    """New fields stand at the end of an entry, and 0.2.0 did not write them."""
    step = j.read_step(0, msgspec.msgpack.encode([NOW, [written], []]))

    assert step.heard == (heard,)


def test_every_kind_of_entry_has_a_tag_of_its_own() -> None:
    kinds = j._Entry.__subclasses__()

    tags = [kind.__struct_config__.tag for kind in kinds]

    assert len(set(tags)) == len(tags) == 25
    assert None not in tags
