"""Chaos with real processes: `python -m tests.chaos [--minutes 3] [--store both] [--seed n] [--report file]`.

Nodes and clients work on a real Postgres and on a SQLite file while processes are killed and frozen,
the database is stopped, its connections are cut and its disk is full. Then it is checked whether what
everybody saw can be, if holdfast keeps its promises. Ends with 1 if it cannot.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.pooler import NOT_INSTALLED, find_pgbouncer
from tests.chaos.report import report_of
from tests.chaos.rounds import Round, run_round

_LONGEST_ROUND = 60.0
_OVERHEAD = 12.0
"""Seconds that a round takes besides its faults: to start a database, to settle and to check."""
_SHORTEST_ROUND = 5.0


class Screen:
    """Shows progress: in a terminal one line that changes, in a pipe one line after the other."""

    def __init__(self) -> None:
        self._is_live = sys.stdout.isatty()
        self._began = time.monotonic()

    def show(self, text: str) -> None:
        text = f"[{time.monotonic() - self._began:6.1f} s] {text}"
        if self._is_live:
            width = shutil.get_terminal_size().columns - 1
            print("\r" + text[:width].ljust(width), end="", flush=True)
        else:
            print(text, flush=True)

    def end(self) -> None:
        if self._is_live:
            print()


def plan(minutes: float, store: str, seed: int) -> list[tuple[str, int, float]]:
    """The rounds: which store, which seed, and for how many seconds faults happen.

    A round can be repeated alone, with its own seed.
    """
    stores = ["postgres", "sqlite"] if store == "both" else [store]
    seconds = minutes * 60
    # All stores take turns, so often that no round is too long. There are at least two turns if their
    # rounds are long enough, because on SQLite only every other round has a disk that can be full.
    turns = max(1, round(seconds / len(stores) / (_LONGEST_ROUND + _OVERHEAD)))
    if turns == 1 and seconds / len(stores) > 2 * (_SHORTEST_ROUND + _OVERHEAD):
        turns = 2
    each = max(_SHORTEST_ROUND, seconds / len(stores) / turns - _OVERHEAD)
    return [(store, seed + turn, each) for turn in range(turns) for store in stores]


def run(minutes: float, store: str, seed: int, screen: Screen) -> list[Round]:
    rounds: list[Round] = []
    planned = plan(minutes, store, seed)
    for number, (kind, own_seed, seconds) in enumerate(planned, 1):
        title = f"round {number} of {len(planned)}, {kind}"
        # The folder is removed only if nothing was found. Otherwise it is the evidence.
        folder = Path(tempfile.mkdtemp(prefix="holdfast-chaos-"))
        done = run_round(
            kind, own_seed, seconds, folder, lambda text, title=title: screen.show(f"{title}: {text}")
        )
        rounds.append(done)
        if done.is_good:
            shutil.rmtree(folder, ignore_errors=True)
        broken = [verdict.promise for verdict in done.verdicts if verdict.broken]
        screen.show(f"{title}: {'not so: ' + '; '.join(broken) if broken else 'everything held'}")
    return rounds


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--store", choices=["postgres", "sqlite", "both"], default="both")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--report", type=Path, help="write the report to this file as well")
    asked = parser.parse_args()
    command = f"python -m tests.chaos --minutes {asked.minutes:g} --store {asked.store} --seed {asked.seed}"
    # SIGTERM acts like Ctrl-C, so that all started processes are ended on the way out.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if find_pgbouncer() is None:
        print(NOT_INSTALLED)
    screen = Screen()
    began = time.monotonic()
    rounds = run(asked.minutes, asked.store, asked.seed, screen)
    screen.end()
    report = report_of(rounds, command, time.monotonic() - began)
    print("\n" + report)
    if asked.report is not None:
        asked.report.write_text(report)
    return 0 if all(done.is_good for done in rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
