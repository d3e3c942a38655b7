"""The workload `life` finds planted mistakes in updates, questions, chapters, ids and watching."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.simulation.life.answers import Inquire, Serve
from tests.simulation.life.book import Book, Planned
from tests.simulation.life.deeds import Change, Deed, Send, Start
from tests.simulation.life.observing import Observer
from tests.simulation.life.programs import Act, Listen, Script, Sleep, Work
from tests.simulation.life.questioning import AnswerQuestion, Update
from tests.simulation.life.scenario import Life, User
from tests.simulation.life.taking_ids import SignalOrStart, TakeId

from holdfast.client import updating
from holdfast.client.posting import new_uid
from holdfast.client.watching import Watching
from holdfast.core.changes import LAST_OF_ROW, Place
from holdfast.core.names import checked_name
from holdfast.engine import tick
from holdfast.engine.chapters import begin_chapter
from holdfast.ports.runs import PostResult
from holdfast.stores import answers, restarts, runs
from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.world import Violation


def life(script: Script, *deeds: tuple[float, Deed], observer: Observer | None = None) -> Life:
    book = Book({"run-0": Planned("run-0", script)}, [])
    book.observer = observer
    return Life([User(list(deeds))], book)


START = Start("run-0", {})


def updated() -> Life:
    return life(Script([Serve(3)]), (0.0, START), (1.0, Update("run-0", "sender", 3, 20)))


def asked() -> Life:
    question = AnswerQuestion("run-0", "question-0", 5, "ann", 30)
    return life(Script([Inquire("question-0", ("ann",)), Sleep(1, 8.0)]), (0.0, START), (1.0, question))


def in_chapters() -> Life:
    """The first chapter hears one of four signals."""
    later: list[list[Act]] = [[Listen("a", 1)], [Listen("a", 2)]]
    script = Script([Sleep(1, 8.0), Listen("a", 1)], later=later, leaves="a")
    return life(script, (0.0, START), (1.0, Send("run-0", "sender", "a", 4, 0.0)))


def signalled() -> Life:
    return life(Script([Listen("a", 3)]), (0.0, SignalOrStart("run-0", "sender", "a", 3)))


def replaced() -> Life:
    script = Script([Work(1, 10.0), Work(2, 10.0)])
    return life(script, (0.0, START), (5.0, TakeId("run-0", Script([Work(3)]), "replace")))


def watched() -> Life:
    acts = [(5.0, Change("run-0", what, 10)) for what in ("pause", "resume", "pause", "resume")]
    return life(Script([Sleep(1, 60.0)]), (0.0, START), *acts, observer=Observer([0.0] * 10))


SCENARIOS = (updated, asked, in_chapters, signalled, replaced, watched)


def forget_message_ids(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        updating,
        "checked_name",
        lambda what, name: new_uid() if what == "message_id" else checked_name(what, name),
    )


def answer_no_update(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(tick, "answer_update", lambda commit, resident, command: None)


def answer_questions_twice(patch: pytest.MonkeyPatch) -> None:
    def place(self: Any, message: Any, number: int) -> Any:
        self._numbered = {each: (*row[:2], None, False) for each, row in self._numbered.items()}
        return real(self, message, number)

    real = answers._Placer._place_numbered
    patch.setattr(answers._Placer, "_place_numbered", place)


def check_no_answers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(answers, "wrong_with", lambda details, payload: None)


def lose_signals_between_chapters(patch: pytest.MonkeyPatch) -> None:
    def begin(tick: Any, resident: Any, command: Any) -> None:
        begin_chapter(tick, resident, msgspec.structs.replace(command, unread=()))

    patch.setattr(tick, "begin_chapter", begin)


def start_without_the_signal(patch: pytest.MonkeyPatch) -> None:
    post = runs.post_messages

    def lose_first(tx: Any, namespace: str, messages: Any, now: Any) -> Any:
        return [PostResult.POSTED] if messages[0].by == "sender" else post(tx, namespace, messages, now)

    patch.setattr(runs, "post_messages", lose_first)


def let_replaced_runs_go_on(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(restarts, "_end", lambda tx, namespace, acts, locked, now: None)


def move_offsets(patch: pytest.MonkeyPatch, move: Callable[[Place], Place]) -> None:
    async def place_of(self: Watching, after: str) -> Place:
        place = await real(self, after)
        return move(place) if place.number != LAST_OF_ROW else place  # which is where it began

    real = Watching.place_of
    patch.setattr(Watching, "place_of", place_of)


def skip_changes(patch: pytest.MonkeyPatch) -> None:
    move_offsets(patch, lambda place: Place(place.row + 1, LAST_OF_ROW))


def tell_changes_again(patch: pytest.MonkeyPatch) -> None:
    move_offsets(patch, lambda place: Place(place.row, -1))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_nothing_is_wrong_without_a_mistake(scenario: Callable[[], Life]) -> None:
    Simulation(0, scenario(), plan=[], nodes=1).run()


@pytest.mark.parametrize(
    ("scenario", "plant", "told"),
    [
        (updated, forget_message_ids, "update 0 of sender to run-0 got"),
        (updated, answer_no_update, "and there is no answer"),
        (asked, answer_questions_twice, "question 0 of run-0 was answered twice"),
        (asked, check_no_answers, "ann has answered question-0 of run-0 with 'many'"),
        (in_chapters, lose_signals_between_chapters, "of signal 'a', and"),
        (signalled, start_without_the_signal, "was acknowledged, and it is there 0 times"),
        (replaced, let_replaced_runs_go_on, "a run that is replaced has ended"),
        (watched, skip_changes, "became"),
        (watched, tell_changes_again, "an observer was told of"),
    ],
)
def test_a_mistake_is_told_by_name(
    monkeypatch: pytest.MonkeyPatch,
    scenario: Callable[[], Life],
    plant: Callable[[pytest.MonkeyPatch], None],
    told: str,
) -> None:
    plant(monkeypatch)

    with pytest.raises(Violation) as violation:
        Simulation(0, scenario(), plan=[], nodes=1).run()

    assert told in str(violation.value)
