"""`simulate`, as users have it."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
from typing import Any

import pytest

from holdfast import Catalog, Run, context, task, task_context, workflow
from holdfast.errors import BadOption, SimulationFailed
from holdfast.testing import SimulatedRun, simulate

SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def test_a_workflow_that_stands_everything_gives_a_summary(catalog: Catalog) -> None:
    @task(catalog=catalog)
    def add(a: int, b: int) -> int:
        return a + b

    @workflow(catalog=catalog)
    async def sums(up_to: int) -> int:
        total = 0
        for number in range(up_to):
            total = await add(total, number)
        return total

    summary = simulate(sums, 5, seeds=40, catalog=catalog)

    assert summary.seeds == 40
    assert summary.faults > 40
    assert summary.tasks == 200 + summary.repeated
    assert "nothing wrong" in str(summary)


def test_a_double_charge_is_found_and_told_with_the_seed_and_the_fewest_faults(catalog: Catalog) -> None:
    charged: list[int] = []

    @task(catalog=catalog)
    async def charge(amount: int) -> None:
        charged.append(amount)

    @workflow(catalog=catalog)
    async def pay(amount: int) -> None:
        await charge(amount)
        await asyncio.sleep(3)

    def check(run: SimulatedRun) -> None:
        assert charged == [100], f"charged {len(charged)} times"

    def pay_in(seeds: int | list[int]) -> None:
        simulate(pay, 100, seeds=seeds, before=charged.clear, check=check, catalog=catalog)

    with pytest.raises(SimulationFailed) as found:
        pay_in(200)
    with pytest.raises(SimulationFailed) as again:
        pay_in([found.value.seed])

    assert "charged 2 times" in found.value.problem
    assert 1 <= len(found.value.schedule) <= 2
    assert any("starts charge 0 #2" in line for line in found.value.trace)
    assert str(again.value) == str(found.value)


def test_an_idempotency_key_makes_it_right(catalog: Catalog) -> None:
    charged: dict[str, int] = {}

    @task(catalog=catalog)
    async def charge(amount: int) -> None:
        charged[task_context().idempotency_key] = amount

    @workflow(catalog=catalog)
    async def pay(amount: int) -> None:
        await charge(amount)
        await asyncio.sleep(3)

    def check(run: SimulatedRun) -> None:
        assert sum(charged.values()) == 100

    simulate(pay, 100, seeds=100, before=charged.clear, check=check, catalog=catalog)


def test_a_result_that_depends_on_what_went_wrong_is_found(catalog: Catalog) -> None:
    memory: list[str] = []

    @task(catalog=catalog)
    async def remember() -> int:
        memory.append("again")
        return len(memory)

    @workflow(catalog=catalog)
    async def counts() -> int:
        return await remember() + await remember()

    with pytest.raises(SimulationFailed, match=r"the run ended with \d+, and without faults with 3"):
        simulate(counts, seeds=500, before=memory.clear, catalog=catalog)


def test_what_the_workflow_waits_for_is_sent_meanwhile(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def waits() -> list[int]:
        return [await context().signal("number", int) for _ in range(3)]

    async def send(run: Run[list[int]]) -> None:
        for number in range(3):
            await run.signal("number", number)
            await asyncio.sleep(4)

    def check(run: SimulatedRun) -> None:
        assert run.result == [0, 1, 2]

    simulate(waits, seeds=40, during=send, check=check, catalog=catalog)


def test_a_workflow_that_fails_without_faults_may_be_right_to(catalog: Catalog) -> None:
    class Refused(Exception):
        pass

    @task(catalog=catalog)
    async def refuse() -> None:
        raise Refused("no")

    @workflow(catalog=catalog)
    async def asks() -> None:
        await refuse()

    def refused(run: SimulatedRun) -> bool:
        return str(run.error).endswith("Refused: no")

    with pytest.raises(SimulationFailed, match="if that is as it should be, say so with a check"):
        simulate(asks, seeds=20, catalog=catalog)
    summary = simulate(asks, seeds=20, check=refused, catalog=catalog)

    assert summary.seeds == 20


def test_a_check_that_fails_without_faults_says_so(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def answers() -> int:
        return 42

    def check(run: SimulatedRun) -> None:
        assert run.result == 43

    with pytest.raises(SimulationFailed, match="it fails without faults: the check says no"):
        simulate(answers, seeds=20, check=check, catalog=catalog)


def test_real_input_and_output_is_refused_with_what_to_do(catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def dial() -> None:
        await asyncio.open_connection("localhost", 80)

    @workflow(catalog=catalog)
    async def calls() -> str:
        try:
            await dial()
        except Exception as error:
            return str(error)
        return "connected"

    with pytest.raises(SimulationFailed, match="is real I/O, which a simulation cannot repeat"):
        simulate(calls, seeds=3, catalog=catalog)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[("seeds", it) for it in (0, -1, [], "5", ["a"], [1.5], True, None)],
        *[("check", it) for it in (5, asyncio.sleep)],
        *[("before", it) for it in (5, asyncio.sleep)],
    ],
)
def test_what_would_test_nothing_is_refused(catalog: Catalog, option: str, value: Any) -> None:
    @workflow(catalog=catalog)
    async def fine() -> None: ...

    with pytest.raises(BadOption, match=option):
        simulate(fine, catalog=catalog, **{option: value})


@pytest.mark.parametrize("is_raised", [False, True])
def test_a_helper_or_a_check_that_fails_is_a_failure(catalog: Catalog, is_raised: bool) -> None:
    @workflow(catalog=catalog)
    async def fine() -> str:
        return await context().signal("go", str)

    async def help_and_fail(run: Run[str]) -> None:
        await run.signal("go", "on")
        assert not is_raised, "the helper has seen something"

    with pytest.raises(SimulationFailed, match="the helper has seen" if is_raised else "it returned False"):
        simulate(fine, seeds=3, during=help_and_fail, check=lambda run: is_raised, catalog=catalog)


def test_code_that_asks_for_something_else_each_time_is_found_although_it_goes_on_in_the_end(
    catalog: Catalog,
) -> None:
    turns = itertools.count()

    for name in ("heads", "tails"):

        async def toss() -> None: ...

        task(catalog=catalog, name=name)(toss)

    @workflow(catalog=catalog)
    async def fickle() -> None:
        for _ in range(3):
            await context().schedule(("heads", "tails")[next(turns) % 2])

    with pytest.raises(SimulationFailed, match="promise 5, same journal, same commands"):
        simulate(fickle, seeds=50, catalog=catalog)


def test_a_run_that_nobody_wakes_is_found_in_no_time(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def waits() -> None:
        await context().signal("never")

    with pytest.raises(SimulationFailed, match="waits in vain"):
        simulate(waits, seeds=1, catalog=catalog)
