"""A server, a worker and the command line on one SQLite file, under load.

python -m tests.chaos.three_processes --seconds 300

None of them may ever say that the database is locked, and every run that was started ends.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import httpx
from tests.chaos.killed_server import Server

_LOCKED = re.compile(rb"locked|busy", re.IGNORECASE)
_COMMANDS = (("runs", "list"), ("runs", "failures"), ("doctor",), ("workflows", "list"), ("keys", "list"))
_CLIENTS = 20


class Report(NamedTuple):
    runs: int
    commands: int
    problems: list[str]


async def work_together(folder: Path, seconds: float) -> Report:
    url = f"sqlite:///{folder}/holdfast.db"
    server = Server(url, folder)
    server.start()
    await _until_up(server.port)
    worker = await _command(folder, url, "worker", "shop.py", "--quiet", log="worker.log")
    end = time.monotonic() + seconds
    base = f"http://127.0.0.1:{server.port}/api/v1"
    problems: list[str] = []
    try:
        # The server closes a connection that nobody uses for five seconds. A client that sends something at
        # that moment gets an error, and these do not send it again.
        limits = httpx.Limits(keepalive_expiry=2)
        async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=60, limits=limits) as http:
            counts = await asyncio.gather(
                *(_live(http, each, end, problems) for each in range(_CLIENTS)),
                _give_commands(folder, url, end, problems),
            )
    finally:
        worker.terminate()
        await worker.wait()
        server.kill()
    for log in folder.glob("*.log"):
        problems += [
            f"{log.name}: {line!r}" for line in log.read_bytes().splitlines() if _LOCKED.search(line)
        ]
    return Report(sum(counts[:-1]), counts[-1], problems)


async def _live(http: httpx.AsyncClient, client: int, end: float, problems: list[str]) -> int:
    """Start a run, update and signal it, and wait for its end: again and again."""
    count = 0
    while time.monotonic() < end:
        id = f"{client}-{count}"
        await http.post("/runs", json={"workflow": "counter", "input": [1], "id": id})
        update = {"name": "add", "args": [1], "message_id": "u"}
        await http.post(f"/runs/{id}/updates", json=update)
        await http.post(f"/runs/{id}/signals", json={"name": "note", "value": "end"})
        run = (await http.get(f"/runs/{id}", params={"wait": 60})).json()
        if run.get("output") != [2, []]:
            problems.append(f"run {id}: {run}")
        count += 1
    return count


async def _give_commands(folder: Path, url: str, end: float, problems: list[str]) -> int:
    count = 0
    while time.monotonic() < end:
        words = _COMMANDS[count % len(_COMMANDS)]
        process = await _command(folder, url, *words, "--json", log="commands.log")
        if await process.wait() not in (0, 1):
            problems.append(f"{' '.join(words)} ended with {process.returncode}")
        count += 1
    return count


async def _command(folder: Path, url: str, *words: str, log: str) -> asyncio.subprocess.Process:
    with (folder / log).open("ab") as said:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "holdfast", *words, "--db", url), cwd=folder, stdout=said, stderr=said
        )


async def _until_up(port: int) -> None:
    async with asyncio.timeout(60), httpx.AsyncClient(trust_env=False) as http:
        while True:
            try:
                await http.get(f"http://127.0.0.1:{port}/api/v1/me")
                return
            except httpx.TransportError:
                await asyncio.sleep(0.1)


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.chaos.three_processes", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        report = asyncio.run(work_together(Path(name), given.seconds))
    print(report)
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
