"""`python -m tests.soak`: hold half of the peak for an hour, and exit with 1 if anything grows.

python -m tests.soak --minutes 10 --store postgres
python -m tests.soak --minutes 60 --json soak.json       all samples, for a closer look
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.databases import Databases, postgres_server
from tests.soak.report import as_json, page
from tests.soak.soak import Plan, soak


def main() -> int:
    given = _arguments()
    with _database(given.store) as url:
        began = time.monotonic()
        soaked = asyncio.run(soak(url, Plan(given.minutes * 60, given.peak_seconds, given.every), _say))
    facts = {
        "store": given.store,
        "minutes": round((time.monotonic() - began) / 60, 1),
        "peak runs/s": round(soaked.peak),
        "runs": soaked.runs,
        "late starts": soaked.late,
        "stranded": soaked.stranded,
    }
    print(f"\n{page(soaked.sampler, soaked.verdicts, facts)}")
    if given.json is not None:
        given.json.write_text(json.dumps(as_json(soaked.sampler, soaked.verdicts, facts)))
    return 0 if soaked.is_sound else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.soak", description="Does anything grow with time?")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--every", type=float, default=10, help="seconds between samples")
    parser.add_argument("--peak-seconds", type=float, default=20, help="how long the peak is looked for")
    parser.add_argument("--json", type=Path, help="a file for all samples and verdicts")
    return parser.parse_args()


@contextmanager
def _database(store: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="holdfast-soak-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if store == "sqlite":
            with Databases(folder, None).fresh(1) as [url]:
                yield url
            return
        # Run by root, the server belongs to a user of its own, who must be able to get there.
        folder.chmod(0o755)
        with postgres_server(folder / "server") as server, Databases(folder, server).fresh(1) as [url]:
            yield url


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
