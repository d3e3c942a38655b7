"""One seed from beginning to end: make its program, run it in all ways, and explain what went wrong."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from tests.programs.describing import describe
from tests.programs.editing import edit
from tests.programs.generator import generate
from tests.programs.language import Program
from tests.programs.proving import UNDISTURBED, EditProof, Plan, Prover, random_plan
from tests.programs.shrinking import shrink

SIZES = (8, 16, 24, 40)
DISTURBED = 2
"""How often each program is run with crashes."""

NewDatabase = Callable[[], str | None]
"""Gives the URL of an empty database each time; None: a SQLite file in memory."""


class Finding(NamedTuple):
    seed: int
    program: Program
    plan: Plan
    problems: list[str]
    store: str

    def __str__(self) -> str:
        store = "" if self.store == "sqlite" else f" --store {self.store}"
        problems = "\n".join(f"  - {problem}" for problem in self.problems[:10])
        return (
            f"seed {self.seed}, {self.plan}, on {self.store}:\n{problems}\n\n{describe(self.program)}\n\n"
            f"repeat it with: python -m tests.programs --from {self.seed} --seeds 1{store}"
        )


def program_of(seed: int) -> Program:
    return generate(Random(seed), SIZES[seed % len(SIZES)])


async def examine(
    prover: Prover, seed: int, new_database: NewDatabase, *, store: str = "sqlite", seconds: float = 20.0
) -> Finding | None:
    """Run the program of a seed, without crashes and with them; spend some seconds on what is found."""
    program = program_of(seed)
    proof = await prover.prove(program, UNDISTURBED, new_database())
    plan = UNDISTURBED
    dice = Random(seed)
    for _ in range(DISTURBED):
        if proof.problems:
            break
        plan = random_plan(dice, proof.commits)
        proof = proof._replace(problems=(await prover.prove(program, plan, new_database())).problems)
    if not proof.problems:
        return None
    return await _minimise(prover, Finding(seed, program, plan, proof.problems, store), new_database, seconds)


class EditFinding(NamedTuple):
    seed: int
    program: Program
    edited: Program
    plan: Plan
    proof: EditProof

    def __str__(self) -> str:
        problems = "\n".join(f"  - {problem}" for problem in self.proof.problems[:10])
        diff = difflib.unified_diff(
            describe(self.program).splitlines(),
            describe(self.edited).splitlines(),
            "before",
            "after",
            lineterm="",
        )
        return (
            f"seed {self.seed}, {self.plan}, edited: {self.proof.outcome}\n{problems}\n\n"
            f"{describe(self.program)}\n\n" + "\n".join(diff) + "\n\n"
            f"repeat it with: python -m tests.programs --edits --from {self.seed} --seeds 1"
        )


async def examine_edit(
    prover: Prover, seed: int, new_database: NewDatabase
) -> tuple[str, EditFinding | None]:
    """Edit the program of a seed in the middle of its run. Returns how that ended, and what is wrong."""
    program, dice = program_of(seed), Random(f"{seed} edit")
    # A parked run that is asked to cancel is cancelled, as neither of both programs would be.
    edited = None if program.cancelled else edit(program, dice)
    if edited is None:
        return "no edit", None
    commits = (await prover.prove(program, UNDISTURBED, new_database())).commits
    plan = Plan({dice.randint(1, max(1, commits - 1)): dice.random() < 0.5})
    proof = await prover.prove_edit(program, edited, plan, new_database())
    if proof.outcome in ("neither", "stuck") or proof.problems:
        return proof.outcome, EditFinding(seed, program, edited, plan, proof)
    return proof.outcome, None


async def _minimise(prover: Prover, finding: Finding, new_database: NewDatabase, seconds: float) -> Finding:
    """The smallest program that can be found in time, and that still has a problem with some plan."""
    dice = Random(finding.seed)
    end = time.monotonic() + seconds
    while True:
        for smaller in shrink(finding.program):
            for plan in _plans(finding.plan, dice):
                if time.monotonic() > end:
                    return finding
                problems = (await prover.prove(smaller, plan, new_database())).problems
                if problems:
                    finding = finding._replace(program=smaller, plan=plan, problems=problems)
                    break
            else:
                continue
            break
        else:
            return finding


def _plans(plan: Plan, dice: Random) -> list[Plan]:
    """A smaller program takes fewer commits, so what hit the larger one may miss it."""
    if not plan.crashes:
        return [plan]
    return [plan, *[random_plan(dice, max(plan.crashes)) for _ in range(2)]]
