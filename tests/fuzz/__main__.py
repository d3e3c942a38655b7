"""`python -m tests.fuzz`: every target in turn, with new inputs each time, for as long as you like.

python -m tests.fuzz --minutes 5
python -m tests.fuzz --minutes 30 --target any_history_is_a_past_or_corrupt
python -m tests.fuzz --list

Inputs come from hypothesis, which also shrinks what fails to the least that does. Where atheris is
installed (`pip install atheris`; there is no wheel of it for every platform), half of the time goes to
it: it looks at which lines of holdfast an input reaches and goes on from those that reach new ones.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import subprocess
import sys
import time
import traceback
from random import SystemRandom
from typing import Final

from hypothesis import HealthCheck, Phase, seed, settings
from tests.fuzz.targets import TARGETS

_ROUND: Final = 100
"""Inputs for one target, before it is the next one's turn."""
_MEMORY: Final = 2 * 1024**3
"""Bytes beyond what the process has at the start: an input that blows up fails, and not the machine."""


def main() -> int:
    given = _arguments()
    if given.list:
        print("\n".join(sorted(TARGETS)))
        return 0
    names = [given.target] if given.target else sorted(TARGETS)
    seconds = given.minutes * 60
    has_atheris = importlib.util.find_spec("atheris") is not None and not given.no_atheris
    failed = _with_hypothesis(names, seconds / 2 if has_atheris else seconds)
    if has_atheris:
        failed |= _with_atheris([name for name in names if name not in failed], seconds / 2)
    print(f"\n{'failed: ' + ', '.join(sorted(failed)) if failed else 'nothing found'}")
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description="Feed holdfast with nonsense.")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--target", choices=sorted(TARGETS), help="only this one")
    parser.add_argument("--list", action="store_true", help="the targets")
    parser.add_argument("--no-atheris", action="store_true", help="hypothesis alone, also where atheris is")
    return parser.parse_args()


def _with_hypothesis(names: list[str], seconds: float) -> set[str]:
    """Rounds of every target in turn, until the time is up. Answers those that failed."""
    _limit_memory()
    end, failed, tried = time.monotonic() + seconds, set[str](), 0
    play = settings(
        max_examples=_ROUND,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.filter_too_much,
            HealthCheck.large_base_example,
        ],
    )
    targets = {name: play(TARGETS[name]) for name in names}
    while time.monotonic() < end and len(failed) < len(names):
        for name in names:
            if name in failed or time.monotonic() >= end:
                continue
            number = SystemRandom().getrandbits(64)
            try:
                seed(number)(targets[name])()
            except BaseException as found:
                if isinstance(found, KeyboardInterrupt):
                    raise
                failed.add(name)
                print(f"\n{name} (seed {number}):\n{''.join(traceback.format_exception(found))}")
            tried += _ROUND
            print(f"\r{tried:,} inputs, {len(failed)} targets failed ", end="", file=sys.stderr, flush=True)
    return failed


def _with_atheris(names: list[str], seconds: float) -> set[str]:
    """Each in a process of its own, because libFuzzer takes the process over and ends it."""
    failed: set[str] = set()
    for name in names:
        command = [sys.executable, "-m", "tests.fuzz.guided", name, str(max(1, int(seconds / len(names))))]
        if subprocess.run(command, check=False).returncode != 0:
            failed.add(name)
    return failed


def _limit_memory() -> None:
    with open("/proc/self/statm", encoding="ascii") as statm:
        now = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + _MEMORY, resource.RLIM_INFINITY))


if __name__ == "__main__":
    sys.exit(main())
