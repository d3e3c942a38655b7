"""The hunt: first all checks on the source as it is, then each fault alone, two faults at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.faults.fault import Check, Fault
from tests.faults.planting import WrongSource, planted
from tests.faults.running import LONGEST_TEST, CannotJudge, run, seconds_of_tests
from tests.faults.source import Disarmed

AT_ONCE = 2
_TESTS_AT_ONCE = 600
"""Seconds. The control runs all its tests in one process."""


class Result(NamedTuple):
    name: str
    is_good: bool
    """The fault was caught; for the control, the check passed."""
    by: str
    """The test that caught it."""
    why: str
    """What that test said, or what went wrong."""
    seconds: float
    tests: Mapping[str, float] = {}
    """For the control: how long its slower tests took."""


def control(root: Path, faults: Iterable[Fault], tell: Callable[[Result], None]) -> list[Result]:
    """Runs the checks of these faults on source without a fault. A check that fails there proves nothing."""
    checks = list(dict.fromkeys(check for fault in faults for check in fault.checks))
    nodes = dict.fromkeys(node for check in checks if check.is_pytest for node in check.arguments)
    others = [check for check in checks if not check.is_pytest]
    if nodes:
        others.insert(0, Check("pytest", tuple(nodes), _TESTS_AT_ONCE))

    def try_one(check: Check) -> Result:
        label = f"{len(nodes)} tests" if check.is_pytest else str(check)
        began = time.monotonic()
        try:
            with planted(root, None) as ground:
                verdict = run(check, ground)
        except (CannotJudge, WrongSource) as error:
            return Result(label, False, "", str(error), time.monotonic() - began)
        tests = seconds_of_tests(verdict.output)
        return Result(label, not verdict.is_caught, verdict.by, verdict.why, verdict.seconds, tests)

    return _two_at_a_time(try_one, others, tell)


def hunt(
    root: Path, faults: Sequence[Fault], green: Iterable[Result], tell: Callable[[Result], None]
) -> list[Result]:
    """A test that takes much longer than in the control counts as hanging."""
    tests = {test: seconds for result in green for test, seconds in result.tests.items()}
    return _two_at_a_time(lambda fault: catch(root, fault, tests), faults, tell)


def longest_for(check: Check, tests: Mapping[str, float]) -> float:
    """Seconds after which a test of this check hangs: generous, since another fault is tried beside it."""
    names = [node.partition("[")[0] for node in check.arguments]
    return min(LONGEST_TEST, 10 + 5 * max(tests.get(name, 0.5) for name in names))


def catch(root: Path, fault: Fault, tests: Mapping[str, float] | None = None) -> Result:
    """Plants the fault and runs its checks in order, until one fails."""
    began = time.monotonic()

    def result(is_good: bool, by: str, why: str) -> Result:
        return Result(fault.name, is_good, by, why, time.monotonic() - began)

    try:
        with planted(root, fault) as ground:
            for check in fault.checks:
                longest = LONGEST_TEST if tests is None else longest_for(check, tests)
                verdict = run(check, ground, longest)
                if verdict.is_caught:
                    return result(True, verdict.by, verdict.why)
    except (Disarmed, WrongSource, CannotJudge) as error:
        return result(False, "", str(error))
    return result(False, "", "SURVIVED: passed " + "; ".join(map(str, fault.checks)))


def _two_at_a_time(
    job: Callable[..., Result], items: Sequence[Check] | Sequence[Fault], tell: Callable[[Result], None]
) -> list[Result]:
    """Returns the results in the order of the items, and reports each when it is done."""

    def work(item: Check | Fault) -> Result:
        result = job(item)
        tell(result)
        return result

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, items))
