"""Every fault finds its place in the source, and the hunt says which faults are caught and which are not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.catalogue import FAULTS
from tests.faults.code_edits import Code, CodeEdit
from tests.faults.fault import Check, Fault, cases
from tests.faults.hunt import catch, control
from tests.faults.planting import checkout, planted
from tests.faults.running import CannotJudge, run
from tests.faults.source import PACKAGE, ROOT, Source

DELAY = Code("core.policies:Retry.delay_after")
ALLOWED = Code("core.policies:LOST_ATTEMPTS_ALLOWED")
QUICK = cases("core/test_policies.py", "test_the_delay_after_a_failed_attempt")


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    with checkout() as folder:
        yield folder


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_finds_its_place_and_leaves_sound_source(name: str) -> None:
    source = Source(ROOT / PACKAGE)

    FAULTS[name].plant(source)

    assert source.changed
    for file, text in source.changed.items():
        assert text != (ROOT / PACKAGE / file).read_text(encoding="utf-8")
        if file.endswith(".py"):
            ast.parse(text)


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


def test_a_planted_fault_is_caught_by_the_test_that_is_to_catch_it(root: Path) -> None:
    edit = DELAY.replace("A >= self.max_attempts", "A > self.max_attempts")

    green = control(root, [Fault("trivial", "none", [], QUICK)], lambda result: None)
    result = catch(root, Fault("trivial", "none", [edit], QUICK))

    assert [each.is_good for each in green] == [True], green
    assert result.is_good, result.why
    assert result.by.startswith("tests/core/test_policies.py::test_the_delay_after_a_failed_attempt[")


def test_an_edit_that_breaks_no_promise_survives(root: Path) -> None:
    edit = ALLOWED.replace("10", "5 + 5")

    result = catch(root, Fault("harmless", "none", [edit], QUICK))

    assert not result.is_good
    assert result.why.startswith("SURVIVED")


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (DELAY.replace("A >= self.max_attempts", "no_such_name"), "NameError"),
        (ALLOWED.replace("10", "no_such_name"), "cannot be imported"),
        (DELAY.replace("A >= self.no_such_name", "A"), "clumsy cannot be planted"),
    ],
)
def test_a_clumsy_edit_catches_nothing(root: Path, edit: CodeEdit, reason: str) -> None:
    result = catch(root, Fault("clumsy", "none", [edit], QUICK))

    assert not result.is_good
    assert reason in result.why


def test_a_test_that_is_not_there_is_neither_passed_nor_failed(root: Path) -> None:
    with planted(root, None) as ground, pytest.raises(CannotJudge, match="neither passed nor failed"):
        run(cases("core/test_policies.py", "test_of_yesterday")[0], ground)


def test_a_command_that_hangs_is_ended_and_counts_as_caught(root: Path) -> None:
    with planted(root, None) as ground:
        verdict = run(Check("http.server", ("--bind", "127.0.0.1", "0"), seconds=1.5), ground)

    assert verdict.is_caught
    assert verdict.why.startswith("hangs")
