"""`simulate`, as users have it."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest

from holdfast import Catalog, Run, context, task, task_context, workflow
from holdfast.errors import SimulationFailed
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

    with pytest.raises(SimulationFailed, match=r"the run ended with \d+, and undisturbed with 3"):
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


def test_a_workflow_that_fails_undisturbed_may_be_right_to(catalog: Catalog) -> None:
    class Refused(Exception):
        pass

    @task(catalog=catalog)
    async def refuse() -> None:
        raise Refused("no")

    @workflow(catalog=catalog)
    async def asks() -> None:
        await refuse()

    summary = simulate(asks, seeds=20, catalog=catalog)

    assert summary.seeds == 20


def test_a_check_that_fails_undisturbed_says_so(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def answers() -> int:
        return 42

    def check(run: SimulatedRun) -> None:
        assert run.result == 43

    with pytest.raises(SimulationFailed, match="it fails undisturbed: the check says no"):
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

    def check(run: SimulatedRun) -> None:
        assert "real I/O, which a simulation cannot repeat" in run.result

    simulate(calls, seeds=3, check=check, catalog=catalog)


def test_a_run_that_nobody_wakes_is_found_in_no_time(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def waits() -> None:
        await context().signal("never")

    with pytest.raises(SimulationFailed, match="waits in vain"):
        simulate(waits, seeds=1, catalog=catalog)
