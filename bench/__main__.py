"""`python -m bench`: prints a JSON line for each measurement, and a table on stderr at the end.

python -m bench --only W1,W3 --store sqlite --repeat 3
python -m bench --prototype ../prototype.py --repeat 5      compare with a prototype, in turns
python -m bench --only W13 --rows 10000000                  lists beside ten million runs
python -m bench --quick                                     small sizes: does everything work?
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.databases import Databases, postgres_server, postgres_version
from bench.machine import ROOT, describe_commit, describe_machine
from bench.targets import STORES, judge, table
from bench.trial import Figures, Workload
from bench.workloads import WORKLOADS, named
from bench.yardstick import COMPARED, ratio, run_prototype, why_not

_LONGEST_SECONDS = 3600


class Session:
    """All measurements of one call, on one machine and one commit."""

    def __init__(self, given: argparse.Namespace, folder: Path, databases: dict[str, Databases]) -> None:
        self._given = given
        self._folder = folder
        self._databases = databases
        self._labels: dict[str, Any] = {}
        self.measured: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)

    def label(self, **labels: Any) -> None:
        """Print these with every measurement."""
        self._labels |= labels

    def run(self) -> None:
        for repeat in range(1, self._given.repeat + 1):
            yardstick = self._measure_prototype(repeat) if self._given.prototype else {}
            for workload, store in self._plan():
                figures = self._measure(workload, store, repeat)
                theirs = yardstick.get((store, workload.name))
                if theirs is not None:
                    self.measured[store, workload.name, "ratio"].append(ratio(workload.name, figures, theirs))

    def _plan(self) -> Iterator[tuple[Workload, str]]:
        for workload in self._given.only:
            for store in self._databases:
                yield workload, store

    def _measure(self, workload: Workload, store: str, repeat: int) -> Figures:
        size = ", small" if self._given.quick else ""
        say(f"{workload.name} on {store} ({repeat} of {self._given.repeat}{size}): {workload.title}")
        options = [f"--{name}" for name in ("quick", "profile") if getattr(self._given, name)]
        if self._given.rows is not None:
            options += ["--rows", str(self._given.rows)]
        with self._databases[store].fresh(workload.databases) as urls:
            done = subprocess.run(
                [sys.executable, "-m", "bench.worker", workload.name, *urls, *options],
                check=False,  # the error is already on stderr
                cwd=ROOT,
                stdout=subprocess.PIPE,
                text=True,
                timeout=_LONGEST_SECONDS,
            )
        if done.returncode != 0:
            raise SystemExit(f"{workload.name} on {store} ended with exit code {done.returncode}; see above")
        line: dict[str, Any] = json.loads(done.stdout)
        self._print({"system": "holdfast", "workload": workload.name, "store": store, **line}, repeat)
        for name, value in line["figures"].items():
            self.measured[store, workload.name, name].append(value)
        return line["figures"]

    def _measure_prototype(self, repeat: int) -> dict[tuple[str, str], Figures]:
        say(f"the prototype ({repeat} of {self._given.repeat})")
        with tempfile.TemporaryDirectory(dir=self._folder) as home:
            lines = run_prototype(self._given.prototype, Path(home), _LONGEST_SECONDS)
        for line in lines:
            self._print(line, repeat)
        return {(line["store"], line["workload"]): line["figures"] for line in lines}

    def _print(self, line: dict[str, Any], repeat: int) -> None:
        labels = {"repeat": repeat, "quick": self._given.quick, **self._labels}
        print(json.dumps({**line, **labels}), flush=True)

    def print_ratios(self) -> None:
        for (store, workload, figure), values in self.measured.items():
            if figure == "ratio":
                line = {"system": "holdfast / prototype", "workload": workload, "store": store}
                figures = {"ratio": round(statistics.median(values), 3)}
                print(
                    json.dumps({**line, "figures": figures, "repeats": len(values), **self._labels}),
                    flush=True,
                )


def main() -> None:
    given = _arguments()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench", dir=given.folder)))
        databases: dict[str, Databases] = {}
        version = None
        if "sqlite" in given.store:
            databases["sqlite"] = Databases(folder, None)
        if "postgres" in given.store:
            server = stack.enter_context(postgres_server(folder / "postgres"))
            databases["postgres"] = Databases(folder, server)
            version = postgres_version(server)
        session = Session(given, folder, databases)
        session.label(machine=describe_machine(folder, version), commit=describe_commit())
        session.run()
    session.print_ratios()
    verdicts = judge(session.measured)
    say("\n" + table(verdicts))
    if given.quick:
        say("\nSizes were small (--quick), so the targets are no more than a hint.")
    if given.check and any(verdict.is_met is False for verdict in verdicts):
        sys.exit(1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", type=_workloads, default=None, help="as in W1,W3; W2 means W2 and W2b")
    parser.add_argument(
        "--store", type=_stores, default=list(STORES), help="sqlite or postgres; both, if not given"
    )
    parser.add_argument("--repeat", type=int, default=1, help="how often; the median counts")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a target is missed")
    parser.add_argument(
        "--profile", action="store_true", help="say on stderr where the event loop spent its time"
    )
    parser.add_argument("--rows", type=int, help="the rows of W13: 1,000,000 if not given")
    parser.add_argument("--prototype", type=Path, help="a script to compare with")
    parser.add_argument("--folder", type=Path, help="where to put the databases: on the disk to be measured")
    given = parser.parse_args()
    if given.prototype is not None:
        given.prototype = given.prototype.resolve()
        if (reason := why_not(given.prototype)) is not None:
            parser.error(reason)
    if given.only is None:
        given.only = [WORKLOADS[name] for name in COMPARED] if given.prototype else list(WORKLOADS.values())
    if given.repeat < 1:
        parser.error("--repeat must be 1 or more")
    return given


def _workloads(text: str) -> list[Workload]:
    chosen: list[Workload] = []
    for prefix in text.split(","):
        found = named(prefix.strip())
        if not found:
            raise argparse.ArgumentTypeError(f"no workload {prefix!r}; there are {', '.join(WORKLOADS)}")
        chosen += [workload for workload in found if workload not in chosen]
    return chosen


def _stores(text: str) -> list[str]:
    chosen = [store.strip() for store in text.split(",")]
    unknown = [store for store in chosen if store not in STORES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no store {unknown[0]!r}; there are {', '.join(STORES)}")
    return chosen


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
