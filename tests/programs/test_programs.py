"""holdfast runs random programs exactly as plain asyncio would, however often it crashes."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from tests.programs import Program, describe, generate, run_plain, script, shrink
from tests.programs.finding import examine, examine_edit
from tests.programs.language import (
    Block,
    Call,
    Child,
    Fails,
    Hang,
    Parallel,
    Race,
    Receive,
    Statement,
    Store,
    Try,
)
from tests.programs.proving import UNDISTURBED, Plan, Prover
from tests.programs.rules import blocks_of, is_well_formed, size_of
from tests.testing.databases import empty_postgres

SEEDS_ON_SQLITE = 40
SEEDS_ON_POSTGRES = 6
EDITS = 20
_AT_ONCE = 10


@pytest.fixture(scope="module")
def prover() -> Prover:
    return Prover()


# --- the proof


@pytest.mark.parametrize("first", range(0, SEEDS_ON_SQLITE, _AT_ONCE))
async def test_a_program_ends_on_sqlite_as_on_asyncio_with_and_without_crashes(
    first: int, prover: Prover
) -> None:
    for seed in range(first, first + _AT_ONCE):
        finding = await examine(prover, seed, lambda: None)

        assert finding is None, str(finding)


async def test_a_program_ends_on_postgres_as_on_asyncio_with_and_without_crashes(
    prover: Prover, postgres_url: str
) -> None:
    def empty() -> str:
        empty_postgres(postgres_url)
        return postgres_url

    for seed in range(1000, 1000 + SEEDS_ON_POSTGRES):
        finding = await examine(prover, seed, empty, store="postgres")

        assert finding is None, str(finding)


@pytest.mark.parametrize("first", range(0, EDITS, _AT_ONCE))
async def test_a_program_that_is_edited_under_a_run_goes_on_rightly_or_the_run_is_parked(
    first: int, prover: Prover
) -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(first, first + _AT_ONCE):
        outcome, finding = await examine_edit(prover, seed, lambda: None)
        outcomes[outcome] += 1

        assert finding is None, str(finding)
    assert outcomes["parked"]
    assert outcomes["as the new code"]


# --- the tools of the proof


def _statements(block: Block) -> list[Statement]:
    inner = [each for statement in block for part in blocks_of(statement) for each in _statements(part)]
    return [*block, *inner]


def test_every_statement_of_the_language_is_generated_and_every_way_of_doing_it() -> None:
    found: Counter[Any] = Counter()

    for seed in range(400):
        for statement in _statements(generate(Random(seed), 30).body):
            found.update([type(statement), (type(statement), getattr(statement, "how", None))])

    assert set(get_args(Statement)) <= set(found)
    for kind in get_args(Statement):
        for field in msgspec.structs.fields(kind):
            if field.name == "how":
                assert {(kind, how) for how in get_args(field.type)} <= set(found)


def test_the_same_dice_give_the_same_program_and_it_survives_json() -> None:
    for seed in range(100):
        program = generate(Random(seed), 20)

        assert generate(Random(seed), 20) == program
        assert msgspec.json.decode(msgspec.json.encode(program), type=Program) == program
        assert is_well_formed(program)


def test_a_program_ends_on_asyncio_in_the_same_way_every_time_and_in_no_time() -> None:
    programs = [generate(Random(seed), 20) for seed in range(200)]
    began = time.process_time()

    once = [run_plain(program) for program in programs]

    assert time.process_time() - began < 1.0
    assert [run_plain(program) for program in programs] == once
    assert {"success", "failed", "cancelled"} == {expected.ending.status for expected in once}


async def test_a_program_can_be_run_on_asyncio_from_inside_a_running_loop() -> None:
    expected = run_plain(Program((Call("work", 1),)))

    assert expected.ending.status == "success"
    assert asyncio.current_task() is not None


def test_what_a_program_is_shrunk_to_is_smaller_or_plainer_and_can_still_be_run() -> None:
    for seed in range(15):
        program = generate(Random(seed), 12)
        for smaller in shrink(program):
            assert size_of(smaller.body) <= size_of(program.body)
            assert smaller != program
            run_plain(smaller)


def test_a_program_is_described_with_all_that_is_sent_to_it() -> None:
    program = Program((Try((Receive("s1", into="a"),), ending=(Call("work", "a", Fails("Declined")),)),))

    assert describe(program).splitlines() == [
        "async def program():",
        "    try:",
        "        a = await signal('s1')",
        "    finally:",
        "        await work(a, raises Declined in 1 attempts)",
        "# after 0 s: signal s1 0",
    ]
    assert [message.name for message in script(program)] == ["s1"]


def test_a_program_that_hangs_where_nobody_cancels_it_is_not_well_formed() -> None:
    hangs: Block = (Hang("task"),)

    assert not is_well_formed(Program(hangs))
    assert is_well_formed(Program(hangs, cancelled=True))
    assert is_well_formed(Program((Race("wait", (), (hangs,)),)))
    assert not is_well_formed(Program((Race("wait", hangs, ()),)))
    assert not is_well_formed(Program((Race("wait", (), ((Try((), ending=hangs),),)),)))


# --- the proof can fail


class _Liar(Prover):
    """Expects another program than the one that is run."""

    def __init__(self, other: Program) -> None:
        super().__init__()
        self._other = other

    def expect(self, program: Program) -> Any:
        return super().expect(self._other)


@pytest.mark.parametrize(
    ("ran", "expected", "complaint"),
    [
        (Program((Call("work", 1),)), Program((Call("work", 2),)), "ended Ending(status='success'"),
        (Program((Store("x", 1),)), Program((Store("x", 2),)), "left the state"),
        (Program((Call("work", 1), Call("work", 1))), Program((Call("work", 1),)), "should not have been"),
        (Program(()), Program((Child(()),)), "run '/#1' ended None"),
        (
            Program((Call("work", 1, Fails("Declined", 3)),)),
            Program((Call("work", 1, Fails("Declined", 2)),)),
            "attempted 3 times",
        ),
    ],
)
async def test_what_a_run_does_otherwise_than_expected_is_said(
    ran: Program, expected: Program, complaint: str
) -> None:
    proof = await _Liar(expected).prove(ran, UNDISTURBED)

    assert any(complaint in problem for problem in proof.problems), proof.problems


async def test_crashes_come_at_the_commits_that_were_planned(prover: Prover) -> None:
    program = Program((Parallel("gather", ((Call("work", 1),), (Call("toil", 2),))),))

    proof = await prover.prove(program, Plan({1: False, 2: True, 4: False}))

    assert proof.problems == []
    assert proof.crashes == 3
