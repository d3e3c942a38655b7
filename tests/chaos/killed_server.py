"""A server that is killed again and again while clients start runs, signal and update them over HTTP.

python -m tests.chaos.killed_server --url postgresql://localhost/shop --runs 400 --kills 10

Whoever gets no answer sends the same request again, with the same id. In the end everything that was answered
is there once, and whatever was sent more than once has happened once.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import httpx

SHOP = """
from holdfast import context, workflow


@workflow
async def counter(begin: int) -> list:
    total, notes = begin, []

    def add(number: int) -> int:
        nonlocal total
        total += number
        return total

    context().on_update("add", add)
    while (note := await context().signal("note")) != "end":
        notes.append(note)
    return [total, notes]
"""
_NOTES = 2
_UPDATES = 2
_AT_ONCE = 200
_SECONDS = 180.0


class Report(NamedTuple):
    requests: int
    repeated: int
    """How many of them were sent again."""
    kills: int
    problems: list[str]


class Server:
    def __init__(self, url: str, folder: Path) -> None:
        (folder / "shop.py").write_text(SHOP)
        self._url = url
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port = taken.getsockname()[1]

    def start(self) -> None:
        command = [sys.executable, "-m", "holdfast", "serve", "shop.py", "--quiet", "--port", str(self.port)]
        environment = {**os.environ, "HOLDFAST_LEASE_SECONDS": "2"}
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--db", self._url], cwd=self._folder, env=environment, stdout=log, stderr=log
            )

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


class Clients:
    """Send requests until they are answered."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self.requests = self.repeated = 0
        self.problems: list[str] = []

    async def ask(self, path: str, body: Any) -> Any:
        self.requests += 1
        while True:
            try:
                async with self._slots:
                    answer = await self._http.post(path, json=body)
                if answer.status_code < 300 and answer.status_code != 202:
                    return answer.json() if answer.content else None
                if answer.status_code not in (202, 503):
                    self.problems.append(f"{path}: {answer.status_code} {answer.text[:200]}")
                    return None
            except httpx.TransportError:
                pass  # the server was killed, or is not there yet
            self.repeated += 1
            await asyncio.sleep(0.05)

    async def live(self, number: int) -> None:
        """Start a run, send it signals and updates, all at once, and then let it end."""
        id = f"run-{number}"
        begin = {"workflow": "counter", "input": [number], "id": id, "tags": ["all"]}
        started = await self.ask("/runs", begin)
        signals = [
            self.ask(f"/runs/{id}/signals", {"name": "note", "value": each, "message_id": f"n{each}"})
            for each in range(_NOTES)
        ]
        updates = [
            self.ask(f"/runs/{id}/updates", {"name": "add", "args": [1], "message_id": f"u{each}", "wait": 5})
            for each in range(_UPDATES)
        ]
        *_, first, second = await asyncio.gather(*signals, *updates)
        again = await self.ask("/runs", begin)
        await self.ask(f"/runs/{id}/signals", {"name": "note", "value": "end", "message_id": "end"})
        if started != again:
            self.problems.append(f"{id} was started twice: {started} and {again}")
        if None not in (first, second):
            answers = sorted([first["answer"], second["answer"]])
            if answers != [number + 1, number + 2]:
                self.problems.append(f"{id}: its updates were answered with {answers}")


async def kill_server(url: str, folder: Path, *, runs: int, kills: int, seed: int) -> Report:
    server, dice = Server(url, folder), Random(seed)
    server.start()
    killed = 0
    base = f"http://127.0.0.1:{server.port}/api/v1"
    limits = httpx.Limits(max_connections=_AT_ONCE)
    try:
        async with (
            asyncio.timeout(_SECONDS),
            httpx.AsyncClient(base_url=base, trust_env=False, timeout=20, limits=limits) as http,
        ):
            clients = Clients(http)
            living = asyncio.gather(*(clients.live(number) for number in range(runs)))
            while killed < kills and not living.done():
                await asyncio.wait([living], timeout=dice.uniform(1.0, 3.0))
                server.kill()
                server.start()
                killed += 1
            await living
            problems = clients.problems + await _judge(http, runs)
    finally:
        server.kill()
    return Report(clients.requests, clients.repeated, killed, problems)


async def _judge(http: httpx.AsyncClient, runs: int) -> list[str]:
    """Compare what is in the store with what was sent."""
    problems: list[str] = []
    for number in range(runs):
        run = (await http.get(f"/runs/run-{number}", params={"wait": 30})).json()
        total, notes = run["output"] or [None, []]
        if run["status"] != "success" or total != number + _UPDATES:
            problems.append(f"run {number} is {run['status']} with {total}, not {number + _UPDATES}")
        if sorted(notes) != list(range(_NOTES)):
            problems.append(f"run {number} got the signals {notes}")
    found, after = 0, None
    while True:
        page = (
            await http.get(
                "/runs", params={"tag": "all", "limit": 1000, **({"after": after} if after else {})}
            )
        ).json()
        found += len(page["items"])
        after = page["next"]
        if after is None:
            break
    return problems if found == runs else [*problems, f"there are {found} runs, not {runs}"]


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.chaos.killed_server", description=__doc__)
    parser.add_argument("--url", help="of an empty database; default: a SQLite file")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        url = given.url or f"sqlite:///{name}/holdfast.db"
        report = asyncio.run(
            kill_server(url, Path(name), runs=given.runs, kills=given.kills, seed=given.seed)
        )
    print(report)
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
