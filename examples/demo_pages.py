"""The web pages, with a shop that is at work. `make demo` ends with it.

It runs the commands that a user would type: `holdfast serve` for the workflows of `examples/shop`, on a
database of its own, a program that starts runs over HTTP, and a worker. In a terminal it goes on until
Ctrl-C, so that the pages can be looked at; otherwise it looks at them itself, and ends.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

SHOP = Path(__file__).resolve().parent / "shop"
_PATIENCE = 60.0


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-", ignore_cleanup_errors=True) as name:
        return play(Path(name))


def play(folder: Path) -> int:
    say("\n  the pages: a shop at work, on a database of its own\n")
    say("  $ holdfast serve examples/shop/…")
    files = [
        str(SHOP / each) for each in ("shop.py", "merchants.py", "nightly_settlement.yaml", "onboarding.yaml")
    ]
    command = [
        sys.executable,
        "-m",
        "holdfast",
        "serve",
        *files,
        "--db",
        str(folder / "shop.db"),
        "--json",
        "-q",
    ]
    command += ["--port", os.environ.get("DEMO_PORT", "0")]
    shutil.copy(SHOP / "holdfast.toml", folder)
    with open(folder / "serve.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True)
    others: list[subprocess.Popen[bytes]] = []
    try:
        url = address_of(process, folder)
        say("  $ python examples/shop/fill.py")
        subprocess.run([sys.executable, str(SHOP / "fill.py"), url], check=True, timeout=_PATIENCE)
        with open(folder / "others.log", "w", encoding="utf-8") as log:
            for program, *options in (["fill.py", "--go-on"], ["mailer.py"]):
                command = [sys.executable, str(SHOP / program), url, *options]
                others.append(subprocess.Popen(command, cwd=folder, stdout=log, stderr=log))
        return show(url, process)
    finally:
        for each in [*others, process]:
            each.terminate()
            each.wait(timeout=_PATIENCE)


def address_of(process: subprocess.Popen[str], folder: Path) -> str:
    assert process.stdout is not None
    url = ""
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "http":
            url = str(event["url"]).removesuffix("/api")
        if event["event"] == "serving":
            return url
    raise SystemExit(f"holdfast serve has ended:\n{(folder / 'serve.log').read_text('utf-8')}")


def show(url: str, process: subprocess.Popen[str]) -> int:
    if not sys.stdout.isatty():
        return look(url)
    say(f"\n  open {url}/ in a browser. Things to try there:\n")
    say("    - the orders that failed, all for one reason, and how to retry them")
    say("    - approvals: somebody wants a refund")
    say("    - settlement-2026-03-16: a DAG that waits for you; cart-ann: send it an update")
    say("    - press ? for the keys, and Ctrl-K to find or do anything")
    say("\n  Ctrl-C ends it.\n")
    try:
        process.wait()
    except KeyboardInterrupt:
        say("")
    return 0


def look(url: str) -> int:
    """Where nobody can open a page: whether it is there, and what it would show."""
    begun = time.monotonic()
    while ask(f"{url}/api/v1/run-counts")["items"][3]["count"] < 1:
        if time.monotonic() - begun > _PATIENCE:
            raise SystemExit("nothing has failed in the shop, although something should")
        time.sleep(0.2)
    with urllib.request.urlopen(f"{url}/", timeout=10) as answer:
        is_page = b'<div id="app">' in answer.read()
    counts = {each["name"]: each["count"] for each in ask(f"{url}/api/v1/run-counts")["items"]}
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    say(f"\n  the pages were at {url}/ and had {told}.")
    say("  To see them, run `make demo` in a terminal, or serve what you have written: holdfast dev\n")
    return 0 if is_page else 1


def ask(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
