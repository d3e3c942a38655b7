"""The faults are armed, and the hunt can tell a fault that is caught from one that is not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.catalogue import FAULTS
from tests.faults.fault import PACKAGE, ROOT, Check, Disarmed, Edit, Fault, cases
from tests.faults.hunt import catch, control
from tests.faults.planting import checkout, planted
from tests.faults.running import CannotJudge, run

POLICIES = "core/policies.py"
QUICK = cases("core/test_policies.py", "test_the_delay_after_a_failed_attempt")


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    with checkout() as folder:
        yield folder


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_armed_and_leaves_sound_source(name: str, tmp_path: Path) -> None:
    for edit in FAULTS[name].edits:
        copy = tmp_path / edit.file
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes((ROOT / PACKAGE / edit.file).read_bytes())

        edit.apply(tmp_path)

        if copy.suffix == ".py":
            ast.parse(copy.read_text(encoding="utf-8"))


def test_every_test_that_is_to_catch_something_exists() -> None:
    nodes = {
        node
        for fault in FAULTS.values()
        for check in fault.checks
        if check.is_pytest
        for node in check.arguments
    }

    for node in nodes:
        file, _, name = node.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"def {name.partition('[')[0]}\(", text), f"{node} is gone"


def test_a_fault_whose_text_has_moved_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    source = tmp_path / "part.py"
    source.write_text("twice\ntwice\n")

    with pytest.raises(Disarmed, match=r"0 times in part\.py"):
        Edit("part.py", "never", "now").apply(tmp_path)
    with pytest.raises(Disarmed, match=r"2 times in part\.py"):
        Edit("part.py", "twice", "once").apply(tmp_path)

    assert source.read_text() == "twice\ntwice\n"


def test_a_planted_fault_is_caught_by_the_test_that_is_to_catch_it(root: Path) -> None:
    edit = Edit(POLICIES, "if attempt >= self.max_attempts", "if attempt > self.max_attempts")

    green = control(root, [Fault("trivial", "none", [], [QUICK])], lambda result: None)
    result = catch(root, Fault("trivial", "none", [edit], [QUICK]))

    assert [each.is_good for each in green] == [True], green
    assert result.is_good, result.why
    assert result.by.startswith("tests/core/test_policies.py::test_the_delay_after_a_failed_attempt[")


def test_an_edit_that_breaks_no_promise_survives(root: Path) -> None:
    edit = Edit(POLICIES, "LOST_ATTEMPTS_ALLOWED = 10", "LOST_ATTEMPTS_ALLOWED = 5 + 5")

    result = catch(root, Fault("harmless", "none", [edit], [QUICK]))

    assert not result.is_good
    assert result.why.startswith("SURVIVED")


@pytest.mark.parametrize(
    ("new", "reason"),
    [("if attempt >= self.max_attempts or no_such_name", "NameError"), ("if", "cannot be imported")],
)
def test_a_clumsy_edit_catches_nothing(root: Path, new: str, reason: str) -> None:
    edit = Edit(POLICIES, "if attempt >= self.max_attempts", new)

    result = catch(root, Fault("clumsy", "none", [edit], [QUICK]))

    assert not result.is_good
    assert reason in result.why


def test_a_test_that_is_not_there_is_neither_passed_nor_failed(root: Path) -> None:
    with planted(root, []) as ground, pytest.raises(CannotJudge, match="neither passed nor failed"):
        run(cases("core/test_policies.py", "test_of_yesterday"), ground)


def test_a_command_that_hangs_is_ended_and_counts_as_caught(root: Path) -> None:
    with planted(root, []) as ground:
        verdict = run(Check("http.server", ("--bind", "127.0.0.1", "0"), seconds=1.5), ground)

    assert verdict.is_caught
    assert verdict.why.startswith("hangs")
