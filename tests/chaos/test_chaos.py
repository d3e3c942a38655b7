"""A short round of chaos on each store; `make chaos` for a long one. And does it find what it looks for?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.chaos.__main__ import plan
from tests.chaos.history import Verdict
from tests.chaos.notebook import ShownAttempt
from tests.chaos.operations import Evidence
from tests.chaos.report import report_of
from tests.chaos.rounds import Round, run_round, shape_of

_SECONDS = 8.0


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_what_everybody_saw_of_a_short_round_can_be(store: str, tmp_path: Path) -> None:
    shown: list[str] = []

    done = run_round(store, 70, _SECONDS, tmp_path, shown.append, is_enough=_is_enough)

    report = report_of([done], "python -m tests.chaos", 20)
    assert done.is_good, report
    assert _is_enough(done.evidence), report
    assert len(shown) > 5


def _is_enough(seen: Evidence) -> bool:
    """Some faults, some runs, and some tasks in processes of their own that the database had as begun."""
    begun = (ShownAttempt(began.task, began.attempt, began.node) for began in seen.begun if began.node)
    return len(seen.hurts) >= 3 and len(seen.runs) >= 20 and any(each in seen.shown for each in begun)


def test_a_report_says_what_was_broken_with_the_lines_that_show_it(tmp_path: Path) -> None:
    verdicts = [
        Verdict("a result never changes", 12, ["run 7 changed\n      line 1"]),
        Verdict("good", 3, []),
    ]
    rounds = [Round("sqlite", 8, shape_of("sqlite", 8), 30, tmp_path, verdicts=verdicts)]

    report = report_of(rounds, "python -m tests.chaos --seed 8", 40)

    assert "PROMISES WERE BROKEN" in report
    assert "python -m tests.chaos --seed 8" in report
    assert re.search(r"BROKEN +12 cases +a result never changes: 1 times not", report)
    assert re.search(r"held +3 cases +good", report)
    assert "run 7 changed\n      line 1" in report


@pytest.mark.parametrize(("minutes", "store"), [(0.1, "both"), (3, "both"), (10, "sqlite"), (240, "both")])
def test_a_plan_keeps_to_the_time_and_to_rounds_that_can_be_judged(minutes: float, store: str) -> None:
    planned = plan(minutes, store, seed=5)

    assert sum(seconds + 12 for _, _, seconds in planned) <= max(minutes * 60, 34) + 1
    assert {kind for kind, _, _ in planned} == ({"postgres", "sqlite"} if store == "both" else {store})
    assert all(5 <= seconds <= 90 for _, _, seconds in planned)
    assert len(set(planned)) == len(planned)


def test_the_same_seed_gives_the_same_world() -> None:
    assert shape_of("postgres", 3) == shape_of("postgres", 3)
    assert len({shape_of("postgres", seed) for seed in range(20)}) > 5
