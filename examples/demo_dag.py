"""The example of `holdfast init`, killed with `kill -9` half-way and resumed. `make demo` plays it too.

It does not import holdfast: it runs the commands that a user would type, and counts what was done.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

RUN = "tonight"
_PATIENCE = 60.0


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as name:
        return play(Path(name))


def play(folder: Path) -> int:
    say("\n  the same as a YAML file: shell commands and plain functions, and no code of a workflow\n")
    say("  $ holdfast init && holdfast graph etl.yaml")
    holdfast(folder, "init", "--force")
    say(indented(holdfast(folder, "graph", "etl.yaml")))
    say(f"  $ holdfast run etl.yaml --id {RUN}")
    done_before = run_and_kill(folder)
    say(f"  $ holdfast run --resume {RUN}")
    resume(folder)
    return judge(folder, done_before)


def run_and_kill(folder: Path) -> dict[str, Any]:
    """Start the run, kill it half-way, and return the tasks that were recorded by then."""
    process = subprocess.Popen(
        [*HOLDFAST, "run", "etl.yaml", "--id", RUN, "--plain"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    begun = time.monotonic()
    finished = 0
    for line in process.stderr:
        say(f"    {line.rstrip()}")
        finished += " success" in line and line[:2] == "20"
        if finished >= 5 or time.monotonic() - begun > _PATIENCE:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    say(f"    kill -9 {process.pid}: it is gone, and so are the processes of its tasks\n")
    return tasks_of(folder)


def resume(folder: Path) -> None:
    process = subprocess.Popen(
        [*HOLDFAST, "run", "--resume", RUN, "--plain"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        say(f"    {line.rstrip()}")
    if process.wait() != 0:
        raise SystemExit(f"the run ended with {process.returncode}")
    say("")


def judge(folder: Path, before: dict[str, Any]) -> int:
    after = tasks_of(folder)
    recorded = [name for name, task in before.items() if task["status"] == "success"]
    again = [name for name in recorded if after[name]["started_at"] != before[name]["started_at"]]
    lost = sum(task["lost"] for task in after.values())
    say(f"  {len(recorded)} tasks were recorded before the crash, {len(again)} of them were done again;")
    failed = sum(task["attempt"] > 1 and task["status"] != "success" for task in before.values())
    say(f"  {lost} were under way, and were tried once more" + (";" if failed else "\n"))
    if failed:
        say(f"  {failed} had failed on purpose, and had the next attempt that was due\n")
    return int(bool(again) or not recorded)


def tasks_of(folder: Path) -> dict[str, Any]:
    facts = json.loads(holdfast(folder, "runs", "show", RUN, "--json"))
    return {f"{task['name']}[{task['index']}]": task for task in facts["tasks"]}


HOLDFAST = [sys.executable, "-m", "holdfast"]


def holdfast(folder: Path, *words: str) -> str:
    done = subprocess.run([*HOLDFAST, *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"holdfast {' '.join(words)}: {done.stderr}")
    return done.stdout if "--json" in words else done.stderr + done.stdout


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines()) + "\n"


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
