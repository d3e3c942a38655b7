"""python -m tests.programs --seeds 1000 --from 0 [--store postgres]: prove many programs, with progress."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from tests.chaos.own_postgres import own_server
from tests.programs.edits import edit_programs
from tests.programs.finding import Finding, NewDatabase, examine
from tests.programs.proving import Prover

_SHOW_EVERY = 5.0


@contextmanager
def _databases(store: str) -> Iterator[NewDatabase]:
    if store == "sqlite":
        yield lambda: None
        return
    with own_server() as server:

        def empty() -> str:
            with psycopg.connect(server.url, autocommit=True) as connection:
                connection.execute("DROP SCHEMA IF EXISTS holdfast CASCADE")
            return server.url

        yield empty


async def _examine_all(seeds: range, store: str, new_database: NewDatabase) -> list[Finding]:
    prover = Prover()
    findings: list[Finding] = []
    began = shown = time.monotonic()
    for done, seed in enumerate(seeds, 1):
        finding = await examine(prover, seed, new_database, store=store)
        if finding is not None:
            findings.append(finding)
            print(f"\n{finding}\n", flush=True)
        now = time.monotonic()
        if now - shown > _SHOW_EVERY:
            shown = now
            left = (now - began) / done * (len(seeds) - done)
            print(f"{done} of {len(seeds)} seeds, {len(findings)} failed, {left:.0f} s to go", flush=True)
    took = time.monotonic() - began
    failed = f", failed: {[each.seed for each in findings]}" if findings else ""
    print(
        f"{len(seeds)} seeds from {seeds.start} on {store} in {took:.0f} s: {len(findings)} findings{failed}"
    )
    return findings


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.programs", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many programs")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--edits", action="store_true", help="edit each program in the middle of its run")
    parser.add_argument("--logs", action="store_true", help="show what holdfast logs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes for --edits")
    arguments = parser.parse_args()
    if arguments.seeds < 1:
        parser.error("--seeds is 1 or more: none would find nothing")
    if arguments.edits and arguments.store != "sqlite":
        parser.error("--edits works on SQLite: what is compared is the same on both stores")
    if not arguments.logs:
        logging.disable(logging.CRITICAL)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    if arguments.edits:
        return 1 if edit_programs(seeds, arguments.jobs) else 0
    with _databases(arguments.store) as new_database:
        return 1 if asyncio.run(_examine_all(seeds, arguments.store, new_database)) else 0


if __name__ == "__main__":
    sys.exit(main())
