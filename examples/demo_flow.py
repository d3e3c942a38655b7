"""The order of `examples/flow`, killed while it works and again while it waits. `make demo` plays it too.

It does not import holdfast: it runs the commands that a user would type, and counts what was done.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

RUN = "piano"
START = ["run", "order.yaml", "--also", "shop.py", "--id", RUN, "--input", '{"order": {"piano": 900}}']
RESUME = ["run", "--resume", RUN, "--also", "shop.py"]
UNDER_WAY = "fraud"
"""The task that is running when the first process dies. It runs again, because it has no recorded result."""
_FLOW = Path(__file__).parent / "flow"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as name:
        folder = Path(name)
        for file in ("order.yaml", "shop.py"):
            shutil.copy(_FLOW / file, folder)
        return play(folder)


def play(folder: Path) -> int:
    say("\n  a flow, which decides, works, and waits for a person\n")
    say(f"  $ holdfast {' '.join(START[:-1])} '{START[-1]}'")
    run_and_kill(folder, START, "check/branch[0] success", "works")
    say(f"  $ holdfast {' '.join(RESUME)}")
    run_and_kill(folder, RESUME, "confirm", "waits")
    say(f"  no process is left, and a person answers\n\n  $ holdfast approve {RUN} confirm")
    say(indented(holdfast(folder, "approve", RUN, "confirm")))
    say(f"  $ holdfast {' '.join(RESUME)}")
    say(indented(holdfast(folder, *RESUME, "--plain")))
    return judge(folder)


def run_and_kill(folder: Path, words: list[str], until: str, doing: str) -> None:
    """Start the run, and kill it when it prints `until`."""
    process = subprocess.Popen(
        [*HOLDFAST, *words, "--plain"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        say(f"    {line.rstrip()}")
        if f" {until} " in line:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    say(f"    kill -9 {process.pid}: it is gone while it {doing}\n")


def judge(folder: Path) -> int:
    counted = Counter((folder / "done.txt").read_text().split())
    for name, times in counted.items():
        say(f"    {name:<8}done {'once' if times == 1 else f'{times} times: it was under way at the crash'}")
    say("")
    again = [name for name, times in counted.items() if times > 1 and name != UNDER_WAY]
    return int(bool(again) or "ship" not in counted)


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
