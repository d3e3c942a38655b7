"""`make mutate`: change the source in small ways, and list the changes that no test notices.

python -m tests.mutation --minutes 25          a sample of all files; what was killed is not tried again
python -m tests.mutation --only core/policies  the files whose name begins so

For now over `core` and the tick: what decides. Not in CI, since a survivor needs a person who judges it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.mutation.arena import HANGING_SECONDS, HUNG, KILLED, SURVIVED, UNCOVERED, Arena, Trial
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.survivors import read_judgements, write_page

PACKAGE = Path(__file__).parents[2] / "src" / "holdfast"
PAGE = Path(__file__).parent / "survivors.md"
_TESTS = ("core", "engine", "authoring", "client", "testing", "compat", "fuzz", "other_systems", "stores")
_SHOW_EVERY = 10.0
_CONTROLS = 5
"""So many files, as they are, must pass what their mutants have to."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--minutes", type=float, default=25, help="stop after this long (default 25)")
    parser.add_argument("--only", default="", help="only files that begin with this, as in core/policies")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default 2)")
    parser.add_argument(
        "--state", type=Path, default=Path("build", "mutation"), help="where results are kept"
    )
    options = parser.parse_args()
    options.state.mkdir(parents=True, exist_ok=True)
    files = sorted(path.relative_to(PACKAGE).as_posix() for path in (PACKAGE / "core").glob("*.py"))
    files += ["engine/attempt_recorder.py", "engine/tick.py"]
    chosen = [file for file in files if file.startswith(options.only)]
    mutants = list(_spread([mutants_of(PACKAGE, file) for file in chosen]))
    results = Results(options.state / "results.jsonl")

    def play(arena: Arena) -> None:
        for nodeid in arena.coverage.failed:
            print(f"{nodeid} fails on the source as it is, and is left out")
        arena.check_control(mutants[:_CONTROLS])
        _try_all(arena, mutants, results, time.monotonic() + 60 * options.minutes, options.jobs)

    arena = Arena(PACKAGE, options.state, play)
    folders = [f"tests/{name}" for name in _TESTS if Path("tests", name).is_dir()]
    # Without a database server: it would be the parent's, and a fork could neither use nor leave it.
    print(f"{len(mutants)} mutants; running all tests once to see which goes through which line", flush=True)
    # Without the terminal: a hundred forks would write their dots into one another's lines.
    plugins = ["-p", "no:terminal", "-p", "no:cacheprovider"]
    chosen_tests = [f"--timeout={HANGING_SECONDS}", "-k", "not postgres", *folders]
    return pytest.main([*plugins, *chosen_tests], plugins=[arena]) or _tell(mutants, results)


def _spread(groups: Sequence[list[Mutant]]) -> Iterator[Mutant]:
    """In an order that is the same every time, and of which every beginning is a sample of all files."""
    dice = random.Random(0)
    for group in groups:
        dice.shuffle(group)
    longest = max(map(len, groups), default=0)
    places = [
        (place * longest / len(group), number)
        for number, group in enumerate(groups)
        for place in range(len(group))
    ]
    streams = [iter(group) for group in groups]
    for _, number in sorted(places):
        yield next(streams[number])


class Results:
    """What became of each mutant. Kept in a file that is only added to, so that one may stop at any time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.verdicts: dict[str, str] = dict(json.loads(line) for line in lines)

    def add(self, mutant: Mutant, verdict: str) -> None:
        self.verdicts[mutant.id] = verdict
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([mutant.id, verdict]) + "\n")


def _try_all(arena: Arena, mutants: Sequence[Mutant], results: Results, deadline: float, jobs: int) -> None:
    # Those that survived are tried again, and first: somebody may have written the test that was missing.
    left = [mutant for mutant in mutants if results.verdicts.get(mutant.id) not in (KILLED, HUNG)]
    left.sort(key=lambda mutant: mutant.id not in results.verdicts)
    waiting = iter(left)
    under_way: list[Trial] = []
    done = 0
    shown = time.monotonic()
    while True:
        while len(under_way) < jobs and time.monotonic() < deadline:
            mutant = next(waiting, None)
            if mutant is None:
                break
            trial = arena.begin(mutant)
            if trial is None:
                results.add(mutant, UNCOVERED)
                done += 1
            else:
                under_way.append(trial)
        if not under_way:
            return
        time.sleep(0.002)
        for trial in list(under_way):
            verdict = trial.verdict()
            if verdict is not None:
                under_way.remove(trial)
                results.add(trial.mutant, verdict)
                done += 1
                if verdict == SURVIVED:
                    print(
                        f"survived  {trial.mutant.file}:{trial.mutant.line}  {trial.mutant.change}",
                        flush=True,
                    )
        if time.monotonic() - shown > _SHOW_EVERY:
            shown = time.monotonic()
            print(f"{done} of {len(left)} tried, {max(0, deadline - shown):.0f} s left", flush=True)


def _tell(mutants: Sequence[Mutant], results: Results) -> int:
    tried = [mutant for mutant in mutants if mutant.id in results.verdicts]
    verdicts = Counter(results.verdicts[mutant.id] for mutant in tried)
    survivors = [mutant for mutant in tried if results.verdicts[mutant.id] in (SURVIVED, UNCOVERED)]
    unjudged = write_page(PAGE, verdicts, survivors, read_judgements(PAGE))
    by_file = Counter(mutant.file for mutant in tried)
    for file, group in itertools.groupby(sorted(survivors), key=lambda mutant: mutant.file):
        print(f"{file:24} {by_file[file]:5} tried {len(list(group)):4} survived")
    print(f"{dict(verdicts)}, {len(mutants) - len(tried)} not tried; {unjudged} to be judged, in {PAGE.name}")
    return 1 if unjudged else 0


if __name__ == "__main__":
    sys.exit(main())
