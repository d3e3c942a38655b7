"""The prototype: a script outside this repository that shows how fast the bare idea is on this machine.

The script gets a folder to work in from PROTO_HOME. It prints a JSON line for each workload, with `store`,
`workload`, and `per_s` or `p50_ms`. It uses asyncpg, which is not a dependency of holdfast.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.trial import Figures

_FIGURE = {
    "W1": "runs_per_s",
    "W2": "tasks_per_s",
    "W2b": "tasks_per_s",
    "W3": "tasks_per_s",
    "W4": "p50_ms",
}
COMPARED = tuple(_FIGURE)


def why_not(script: Path) -> str | None:
    """Why the script cannot be run; None if it can."""
    if not script.is_file():
        return f"there is no file {script}"
    if importlib.util.find_spec("asyncpg") is None:
        return "the prototype needs asyncpg, which is not a dependency of holdfast: pip install asyncpg"
    return None


def run_prototype(script: Path, home: Path, timeout: float) -> list[dict[str, Any]]:
    """A line for each store and workload that we compare."""
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PROTO_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=timeout,
    )
    lines: list[dict[str, Any]] = []
    for text in done.stdout.splitlines():
        line = json.loads(text)
        name = line["workload"].split()[0]
        if name not in _FIGURE:
            continue
        if "per_s" in line:
            figures: Figures = {"seconds": line["seconds"], _FIGURE[name]: line["per_s"]}
        else:
            figures = {"p50_ms": line["p50_ms"], "p99_ms": line["p99_ms"]}
        lines.append({"system": "prototype", "workload": name, "store": line["store"], "figures": figures})
    return lines


def ratio(workload: str, ours: Figures, theirs: Figures) -> float:
    """Our speed divided by the prototype's. 1 means equally fast, for rates and for latencies."""
    figure = _FIGURE[workload]
    if figure.endswith("_ms"):
        return theirs[figure] / ours[figure]
    return ours[figure] / theirs[figure]
