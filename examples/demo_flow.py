"""The order of `examples/flow`, killed while it works and again while it waits. `make demo` plays it too.

Nothing here is holdfast's own: it types the commands that a person would type, and counts what was done.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

RUN = "piano"
START = ["run", "order.yaml", "--also", "shop.py", "--id", RUN, "--input", '{"order": {"piano": 900}}']
RESUME = ["run", "--resume", RUN, "--also", "shop.py"]
_FLOW = Path(__file__).parent / "flow"
_PATIENCE = 60.0
_EXPECTED = {"price": 1, "stock": 1, "fraud": 2, "charge": 1, "ship": 1}
"""`fraud` is under way when the first process dies, and nobody can know how far it had come."""


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as name:
        folder = Path(name)
        for file in ("order.yaml", "shop.py"):
            shutil.copy(_FLOW / file, folder)
        return play(folder)


def play(folder: Path) -> int:
    say("\n  a flow, which decides, works, and waits for a person\n")
    say(f"  $ holdfast {' '.join(START[:-1])} '{START[-1]}'")
    kill(folder, START, is_checking, "works")
    say(f"  $ holdfast {' '.join(RESUME)}")
    kill(folder, RESUME, is_asking, "waits")
    say(f"  no process is left, and a person answers\n\n  $ holdfast approve {RUN} confirm")
    say(indented(holdfast(folder, "approve", RUN, "confirm")))
    say(f"  $ holdfast {' '.join(RESUME)}")
    say(indented(holdfast(folder, *RESUME, "--plain")))
    return judge(folder)


def is_checking(folder: Path) -> bool:
    """The warehouse has answered, and `fraud` is at work."""
    ended = [task["name"] for task in tasks_of(folder) if task["status"] == "success"]
    return "check/branch" in ended and "fraud" in done_in(folder)


def is_asking(folder: Path) -> bool:
    return any(task["name"] == "confirm" for task in tasks_of(folder))


def kill(folder: Path, words: list[str], is_there: Callable[[Path], bool], doing: str) -> None:
    """Start it, and kill it at that point."""
    process = subprocess.Popen(
        [*HOLDFAST, *words, "--plain"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    give_up_at = time.monotonic() + _PATIENCE
    while not is_there(folder) and process.poll() is None and time.monotonic() < give_up_at:
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    for task in tasks_of(folder):
        say(f"    {task['name']:<14}{task['status']}")
    say(f"    kill -9 {process.pid}: it is gone while it {doing}\n")


def judge(folder: Path) -> int:
    counted = Counter(done_in(folder))
    for name, times in counted.items():
        say(f"    {name:<14}done {'once' if times == 1 else f'{times} times: it was under way at the crash'}")
    say("")
    return int(counted != _EXPECTED)


def done_in(folder: Path) -> list[str]:
    """What the functions have written down."""
    file = folder / "done.txt"
    return file.read_text().split() if file.exists() else []


def tasks_of(folder: Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [*HOLDFAST, "runs", "show", RUN, "--json"], cwd=folder, capture_output=True, text=True, check=False
    )
    return json.loads(done.stdout)["tasks"] if done.returncode == 0 else []  # it may not have begun


HOLDFAST = [sys.executable, "-m", "holdfast"]


def holdfast(folder: Path, *words: str) -> str:
    done = subprocess.run([*HOLDFAST, *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"holdfast {' '.join(words)}: {done.stderr}")
    return done.stderr + done.stdout


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines()) + "\n"


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
