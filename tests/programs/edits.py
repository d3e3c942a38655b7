"""Many programs, each edited in the middle of its run. Processes share them out."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import time
from collections import Counter

from tests.programs.finding import EditFinding, examine_edit
from tests.programs.proving import Prover

_SHOW_EVERY = 5.0
_BATCH = 10


def edit_programs(seeds: range, jobs: int) -> int:
    """Returns how many failed."""
    outcomes: Counter[str] = Counter()
    failed: list[int] = []
    began = shown = time.monotonic()
    batches = [seeds[start : start + _BATCH] for start in range(0, len(seeds), _BATCH)]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for some_outcomes, findings in pool.imap_unordered(_edit_some, batches):
            outcomes += some_outcomes
            for finding in findings:
                failed.append(finding.seed)
                print(f"\n{finding}\n", flush=True)
            if time.monotonic() - shown > _SHOW_EVERY:
                shown = time.monotonic()
                print(f"{outcomes.total():,} of {len(seeds):,} edits, {len(failed)} failed", flush=True)
    told = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common())
    took = time.monotonic() - began
    print(f"{len(seeds):,} edits from {seeds.start} in {took:.0f} s: {told}; {len(failed)} findings")
    if failed:
        print(f"to see the first of them: python -m tests.programs --edits --seeds 1 --from {min(failed)}")
    return len(failed)


def _edit_some(seeds: range) -> tuple[Counter[str], list[EditFinding]]:
    logging.disable(logging.CRITICAL)
    return asyncio.run(_examine_edits(seeds))


async def _examine_edits(seeds: range) -> tuple[Counter[str], list[EditFinding]]:
    prover = Prover()
    findings: list[EditFinding] = []
    outcomes: Counter[str] = Counter()
    for seed in seeds:
        outcome, finding = await examine_edit(prover, seed, lambda: None)
        outcomes[outcome] += 1
        if finding is not None:
            findings.append(finding)
    return outcomes, findings
