"""The workload `life` finds what is planted: each of its promises can be broken, and is then told by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.simulation.life import draw_life
from tests.simulation.life.book import Book, Planned
from tests.simulation.life.deeds import Change, Deed, Start
from tests.simulation.life.programs import Script, Struggle, Together, Work
from tests.simulation.life.scenario import Life, User

from holdfast.client import explaining
from holdfast.core.explanations import Reason, ReasonKind
from holdfast.core.records import MessageKind
from holdfast.engine.attempt_recorder import AttemptRecorder
from holdfast.engine.residents import Residents
from holdfast.stores import retention
from holdfast.testing.simulation.faults import Fault, MachineCrash
from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.world import SECOND, Violation


def leave_tasks_of_deleted_runs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(retention, "_TABLES", [table for table in retention._TABLES if table != "tasks"])


def begin_backoffs_while_pausing(patch: pytest.MonkeyPatch) -> None:
    def dispatch_due(self: AttemptRecorder, attempt: Any) -> None:
        attempt.resident.pause, pause = None, attempt.resident.pause
        real(self, attempt)
        attempt.resident.pause = pause

    real = AttemptRecorder.dispatch_due
    patch.setattr(AttemptRecorder, "dispatch_due", dispatch_due)


def explain_with_a_reason_that_is_not_so(patch: pytest.MonkeyPatch) -> None:
    real = explaining.explain

    def explain(*args: Any) -> Any:
        found = real(*args)
        wrong = Reason(ReasonKind.PAUSED, "", "it is paused")
        return type(found)(found.run, found.workflow, found.version, found.status, (*found.reasons, wrong))

    patch.setattr(explaining, "explain", explain)


def explain_nothing_that_people_can_do(patch: pytest.MonkeyPatch) -> None:
    real = explaining.explain

    def explain(*args: Any) -> Any:
        found = real(*args)
        kept = tuple(each for each in found.reasons if each.kind is not ReasonKind.SIGNAL)
        return type(found)(found.run, found.workflow, found.version, found.status, kept)

    patch.setattr(explaining, "explain", explain)


def lose_items(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(AttemptRecorder, "write_items", lambda self, attempt: attempt.published.take())


def forget_deadlines(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Residents, "set_deadline", lambda self, resident, is_overdue=False: None)


@pytest.mark.parametrize(
    ("seed", "plant", "told"),
    [
        (2, leave_tasks_of_deleted_runs, "rows of deleted runs are left in tasks"),
        (0, explain_with_a_reason_that_is_not_so, "explain says that it is paused, and that is not so"),
        (8, explain_nothing_that_people_can_do, "explain does not say so"),
        (0, forget_deadlines, "after its deadline"),
        (0, lose_items, "has 0 items in a stream"),
    ],
)
def test_a_broken_promise_is_told_by_name(
    monkeypatch: pytest.MonkeyPatch, seed: int, plant: Callable[[pytest.MonkeyPatch], None], told: str
) -> None:
    plant(monkeypatch)

    with pytest.raises(Violation) as violation:
        Simulation(seed, draw_life(seed)).run()

    assert told in str(violation.value)


def pausing() -> Life:
    """A run is asked to pause while one of its tasks runs and another is in its backoff."""
    script = Script([Together([Struggle(1, failures=1)], [Work(2, seconds=60.0)])])
    deeds: list[tuple[float, Deed]] = [(0.0, Start("run-0", {})), (5.0, Change("run-0", "pause", 30))]
    return Life([User(deeds)], Book({"run-0": Planned("run-0", script)}, []))


def test_a_task_that_begins_while_its_run_is_being_paused_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    begin_backoffs_while_pausing(monkeypatch)

    with pytest.raises(Violation, match="no task begins while its run is paused: struggle"):
        Simulation(0, pausing(), plan=[], nodes=1).run()


def test_a_run_is_paused_though_its_node_dies_meanwhile() -> None:
    crashes: list[Fault] = [MachineCrash("node-1", at * SECOND, SECOND) for at in (15, 40)]
    simulation = Simulation(0, pausing(), plan=crashes, span=90 * SECOND, nodes=1)

    simulation.run()

    [history] = simulation.safety.histories()
    assert [message.kind for message in history.messages] == [MessageKind.PAUSE, MessageKind.RESUME]
    assert simulation.struck.total() == 2


def test_a_script_accepts_only_what_it_must_have_done() -> None:
    script = Script([Work(1), Work(2)])

    assert script.accepts([1, 2])
    assert not script.accepts([2, 1])
    assert not script.accepts([1])
