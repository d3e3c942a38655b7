"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import sys

import pytest

pytest_plugins = "pytester"

TEST = """
    import asyncio
    from holdfast import task, workflow

    charged = []

    @task
    async def charge(amount: int) -> None:
        charged.append(amount)

    @workflow
    async def pay(amount: int) -> None:
        await charge(amount)
        await asyncio.sleep(3)

    def once(run):
        assert charged == [100]

    def test_it_ends(simulate):
        print(simulate(pay, 100, seeds=7))

    def test_it_charges_once(simulate):
        simulate(pay, 100, seeds=300, before=charged.clear, check=once)
"""


@pytest.fixture
def shop(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_shop=TEST)
    return pytester


def run(pytester: pytest.Pytester, *args: str) -> str:
    result = pytester.run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args, timeout=120)
    return result.stdout.str()


def test_the_fixture_runs_the_seeds_that_the_test_asks_for(shop: pytest.Pytester) -> None:
    output = run(shop, "-s", "-k", "ends")

    assert "7 seeds, " in output


def test_the_command_line_decides_how_many_seeds(shop: pytest.Pytester) -> None:
    assert "3 seeds, " in run(shop, "-s", "-k", "ends", "--simulation-seeds", "3")
    assert "1 seeds, " in run(shop, "-s", "-k", "ends", "--simulation-seed", "5")


def test_a_failure_says_how_to_see_it_again_and_that_shows_it_again(shop: pytest.Pytester) -> None:
    output = run(shop, "-k", "once")
    command = next(line for line in output.splitlines() if "--simulation-seed " in line)

    again = run(shop, *command.replace("'", "").split()[1:])

    assert "test_shop.py::test_it_charges_once" in command
    seed = command.split()[-1]
    assert f"seed {seed}" in again
    assert "1 failed" in again
