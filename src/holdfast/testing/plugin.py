"""The pytest plugin: the fixture `simulate`. Options of the command line choose the seeds.

def test_an_order_is_paid_once(simulate):
    simulate(pay, order, seeds=100, check=paid_once)

pytest --simulation-seeds 10000        more seeds, for example every night
pytest --simulation-seed 4711          the same history again
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from typing import Any

import pytest

from holdfast.errors import SimulationFailed


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("holdfast", "simulations of holdfast workflows")
    group.addoption(
        "--simulation-seeds", type=_count, metavar="N", help="run N seeds, whatever the test asks for"
    )
    group.addoption("--simulation-seed", type=int, metavar="K", help="run this seed alone")


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


@pytest.fixture
def simulate(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`holdfast.testing.simulate`. Seeds from the command line take precedence over the test's own."""
    # Imported here: every pytest of an environment with holdfast loads this plugin, used or not.
    from holdfast.testing.simulation import simulate

    one: int | None = request.config.getoption("--simulation-seed")
    many: int | None = request.config.getoption("--simulation-seeds")

    def with_seeds(workflow: Any, *args: Any, seeds: int | Iterable[int] = 100, **kwargs: Any) -> Any:
        wanted = [one] if one is not None else many if many is not None else seeds
        return simulate(workflow, *args, seeds=wanted, **kwargs)

    return with_seeds


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    error = call.excinfo.value if call.excinfo is not None else None
    if isinstance(error, SimulationFailed):
        # A node id is relative to the root of the project, a path on the command line to the current folder.
        path = os.path.relpath(item.path, item.config.invocation_params.dir)
        test = "::".join([path, *item.nodeid.split("::")[1:]])
        report.sections.append(("the same history again", f"pytest '{test}' --simulation-seed {error.seed}"))
    return report
