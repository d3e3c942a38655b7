"""The program of a task that is started by itself, without an engine. After each event it is replayed."""

from __future__ import annotations

import pytest
from tests.authoring import playing
from tests.authoring.playing import KEY, failure

from holdfast.authoring.code.task_program import TaskProgram
from holdfast.core.commands import FailRun
from holdfast.core.history import Past
from holdfast.core.policies import Retry, TaskOptions
from holdfast.core.values import Cancelled, Instant, task_id
from holdfast.errors import DeterminismError


class Play(playing.Play):
    kind = "task"

    def make(self, past: Past) -> TaskProgram:
        program = TaskProgram(self.run, TaskOptions(retry=Retry(max_attempts=3)))
        for _ in program.replay(past, 1):
            pass
        return program

    def retry(self) -> None:
        super().retry()
        self.held.clear()  # a retry lets the task go on at once


def test_the_run_and_its_task_have_the_same_input_and_the_same_output() -> None:
    play = Play({"order": 42}, {})

    assert play.input_of("play") == {"order": 42}
    play.end("play", "paid")

    assert play.output == "paid"


def test_the_failure_of_the_task_is_that_of_the_run_and_names_the_task() -> None:
    play = Play({}, {})

    play.end("play", failure("no money"))

    [end] = play.ends
    assert isinstance(end, FailRun)
    assert (end.failure.message, end.failure.task) == ("no money", task_id(KEY, 0))


def test_a_task_that_was_cancelled_fails_its_run() -> None:
    play = Play({}, {})

    play.end("play", Cancelled())

    assert play.failure == "task 'play' was cancelled"


def test_a_retry_tries_the_same_task_again_as_often_as_one_likes() -> None:
    play = Play({}, {})
    for _ in range(3):
        play.end("play", failure())
        play.retry()
        assert play.open == ["play"]

    play.end("play", "paid")

    assert play.output == "paid"
    assert list(play.rows) == [0]


def test_a_run_that_was_cancelled_is_retried_with_the_same_task() -> None:
    play = Play({}, {})
    play.cancel()
    assert play.is_cancelled
    assert play.states == {"play": "cancelled"}

    play.retry()
    play.end("play", "paid")

    assert play.output == "paid"
    assert list(play.rows) == [0]


class Unbegun(Play):
    """A cancellation came before any node took the run."""

    def _advance(self, events: list[playing.Event]) -> None:
        if self.steps:
            super()._advance(events)
        else:
            message = self._post(playing.MessageKind.CANCEL, "", playing.json("stop"))
            super()._advance([playing.CancelRequested(message, "stop")])


def test_a_run_that_was_cancelled_before_it_began_asks_for_its_task_when_it_is_retried() -> None:
    play = Unbegun({}, {})
    assert play.is_cancelled
    assert not play.rows

    play.retry()
    assert play.open == ["play"]
    play.end("play", "paid")

    assert play.output == "paid"


def test_signals_and_answers_change_nothing() -> None:
    play = Play({}, {})

    play.signal("go")
    play.answer("approval", True)
    assert play.open == ["play"]
    play.end("play", "paid")

    assert play.output == "paid"


def test_what_came_first_decides_how_the_run_ends() -> None:
    play = Play({}, {})
    ended = playing.TaskEnded(0, playing.Succeeded(playing.json("paid")))
    cancelled = playing.CancelRequested(1, "stop")

    [first] = play.make(Past()).advance(Instant(0), [ended, cancelled])
    [second] = play.make(Past()).advance(Instant(0), [cancelled, ended])

    assert isinstance(first, playing.CompleteRun)
    assert isinstance(second, playing.CancelRun)


def test_the_journal_of_another_program_is_refused() -> None:
    play = Play({}, {})
    play.run = playing.new_run(
        KEY, "default", "play", "other", "task", "other@task", playing.json({}), Instant(0)
    )

    with pytest.raises(DeterminismError, match=r"'play'.*'other'"):
        play._born()
