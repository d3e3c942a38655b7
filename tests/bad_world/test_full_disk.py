"""A disk that fills up under SQLite: whoever wants more is told, what runs is held, nothing is lost."""

from __future__ import annotations

from pathlib import Path

from tests.bad_world.full_disk import RUNS
from tests.chaos.evidence import Executions
from tests.chaos.node import STEPS
from tests.chaos.processes import running


def test_a_full_disk_refuses_new_runs_and_holds_the_others_until_there_is_room(tmp_path: Path) -> None:
    executions = Executions(tmp_path / "executions")
    file = tmp_path / "holdfast.db"
    arguments = ["-m", "tests.bad_world.full_disk", str(file), str(executions.path)]

    with running(arguments, tmp_path / "output") as program:
        assert program.wait(40) == 0, program.output

    lines = program.output.splitlines()
    refusals = [line for line in lines if line.startswith("refused: ")]
    assert len(refusals) == 3
    for line in refusals:
        assert f"SQLite file {file} has no room left" in line
        assert "free some space and try again" in line
    assert "holding everything and trying again" in program.output
    assert "ended while full: 0" in lines
    assert "the store answers again after" in program.output
    assert f"right results: {RUNS}" in lines
    assert "later: 500" in lines
    assert "refused runs that exist: 0" in lines
    assert "stranded: 0" in lines
    # Outcomes that could not be written were kept: nothing was done twice, and the refused not at all.
    assert set(executions.counts().values()) == {1}
    assert executions.counts().total() == RUNS * STEPS + 1
