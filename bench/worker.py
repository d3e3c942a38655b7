"""`python -m bench.worker`: measures one workload and prints its figures as JSON on stdout.

Each workload has its own process, so that it does not inherit another's memory, garbage or warm caches.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import pstats
import sys
from typing import Any

from bench.databases import how_durable
from bench.trial import Figures, Trial
from bench.workloads import WORKLOADS

_SHOWN_FUNCTIONS = 45


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.worker", description=__doc__)
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("urls", nargs="+", help="empty databases")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rows", type=int)
    parser.add_argument(
        "--profile", action="store_true", help="where the event loop's thread spends its time"
    )
    given = parser.parse_args()

    print(json.dumps(_on_fastest_loop(_measure(given))))


async def _measure(given: argparse.Namespace) -> dict[str, Any]:
    durability = await how_durable(given.urls[0])
    trial = Trial(given.urls, given.quick, given.rows)
    measure = WORKLOADS[given.workload].measure
    if given.profile:
        with cProfile.Profile() as profile:
            figures = await measure(trial)
        for order in ("tottime", "cumulative"):
            pstats.Stats(profile, stream=sys.stderr).sort_stats(order).print_stats(_SHOWN_FUNCTIONS)
    else:
        figures = await measure(trial)
    return {"durability": durability, "loop": _loop_name(), "figures": _rounded(figures)}


def _on_fastest_loop(main: Any) -> Any:
    try:
        import uvloop
    except ImportError:  # not available on this platform; the output names the loop
        return asyncio.run(main)
    return uvloop.run(main)


def _loop_name() -> str:
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]


def _rounded(figures: Figures) -> Figures:
    """Rounded to four digits; whole numbers stay whole."""
    return {
        name: round(value) if value >= 1000 or value == int(value) else float(f"{value:.4g}")
        for name, value in figures.items()
    }


if __name__ == "__main__":
    main()
