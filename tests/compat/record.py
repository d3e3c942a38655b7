"""Record what this version writes: `python -m tests.compat.record`, once for every version.

It plays a fixed set of runs, some to their end and some to where a node dies, and writes a folder named
after the version in pyproject.toml: the database as text, of each kind, and what to expect of it. A folder
of a version that is released is never written again: later code must be able to go on with it.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import psycopg
from tests.chaos.own_postgres import own_server
from tests.compat import flows, playing
from tests.compat.dumps import DATABASES, dump, load
from tests.compat.flows import play_flows
from tests.compat.playing import leave_dag_under_way, play_dags, put_schedules
from tests.compat.reading import LIMITS, go_on, read, read_schedules
from tests.compat.workflows import ORDER, OfAClass, World, catalog

from holdfast import with_options
from holdfast.client.posting import Letter
from holdfast.client.starting import StoreStarter
from holdfast.core.records import MessageKind
from holdfast.core.values import Instant
from holdfast.testing import Environment

HERE = Path(__file__).parent
EXPECTED = "expected.json"

THEN: dict[str, list[list[Any]]] = {
    "finished-family-detached": [["signal", "go", "late"]],
    "waiting-class": [["signal", "go"]],
    "waiting-approving": [["reject", "payment", "no funds"]],
    "waiting-family-child": [["signal", "go", 1], ["signal", "go", 2]],
    "waiting-family-detached": [["cancel", "not needed"]],
    "waiting-cancelled": [["signal", "clean"]],
    "waiting-reopened": [["signal", "go", "again"]],
    "failed-once": [["retry"], ["signal", "go", "at last"]],
    "parked": [["resume"]],
    "waiting-continuing": [["signal", "end"]],
    "under-way-resident": [["signal", "go", 3]],
    **playing.THEN,
    **flows.THEN,
}
"""What each run needs from outside to come to its end. The others go on by themselves."""


class Recording(NamedTuple):
    text: str
    recorded_until: int


def version() -> str:
    project = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text())
    return project["project"]["version"]


# --- playing


async def play(url: str) -> Recording:
    """Bring about every state that a run can be in, and take down what is in the database then."""
    async with Environment(url, catalog=catalog, seed=1, queues=LIMITS) as env:
        await put_schedules(env, _settle)
        await _play_to_the_end(env)
        await play_dags(env, _pass)
        await play_flows(env, _pass)
        await _play_half_way(env)
        await _play_chapters(env)
        await _leave_under_way(env)
        await _post_to_nobody(env)
        return Recording(dump(url, version()), env.clock.now())


async def _settle(env: Environment, running: int = 0) -> None:
    """Until all that happened is dealt with, but for as many tasks that hold on."""
    turns = 0
    while turns < 10:
        is_busy = env.engine._is_ticking or env.engine._inbox.wake_event.is_set()
        is_settled = not is_busy and env.engine._dispatcher.running <= running
        turns = turns + 1 if is_settled else 0
        await asyncio.sleep(0 if is_settled else 0.001)


async def _pass(env: Environment, seconds: float, running: int = 0) -> None:
    """Let time pass, from one thing that is due to the next: never later than anything was due."""
    end = Instant(env.clock.now() + round(seconds * 1_000_000))
    await _settle(env, running)
    while (due := env.clock.next_due()) is not None and due <= end:
        env.clock.move_to(due)
        await _settle(env, running)
    env.clock.move_to(end)
    await _settle(env, running)


async def _play_to_the_end(env: Environment) -> None:
    await env.start("steps", 1, 2, id="taken")
    await env.start("failing", id="finished-failing")
    await env.start(OfAClass, ORDER, id="finished-class")
    await env.start("listening", "finished", id="finished-listening")
    await env.start("approving", id="finished-approving")
    await env.start("family", "finished-family", id="finished-family")
    await env.start("cleaning_up", id="finished-cancelled")
    late = with_options("approving", id="finished-too-late", deadline=dt.timedelta(seconds=60))
    await env.start(late)
    await env.start("reopened", id="finished-reopened")
    await _settle(env)
    await env.retry("finished-reopened")
    await env.signal("finished-class", "go")
    await env.resolve("finished-approving", "approval", "granted")
    await env.reject("finished-approving", "payment", "no funds", ahead=True)
    await env.cancel("finished-cancelled", "enough")
    await env.signal("finished-cancelled", "clean")
    await env.signal("finished-reopened", "go", "again")
    for id in ("finished-listening", "finished-family-child"):
        for number in (1, 2, 3):
            await env.signal(id, "go", number)
    await _pass(env, 120)
    await env.start("racing", id="finished-racing")
    await _pass(env, 20, running=1)
    await _pass(env, 60)


async def _play_half_way(env: Environment) -> None:
    await env.start("listening", "unread", id="waiting-listening")
    await env.start("sleeping", 30, id="waiting-sleeping")
    await env.start(OfAClass, ORDER, id="waiting-class")
    await env.start("approving", id="waiting-approving")
    await env.start("approving", id="waiting-for-both")
    await env.start("family", "waiting-family", id="waiting-family")
    await env.start("cleaning_up", id="waiting-cancelled")
    await env.start("reopened", id="waiting-reopened")
    await env.start("reopened", id="failed-once")
    await env.start("mistaken", id="parked")
    await _settle(env)
    await env.resolve("waiting-approving", "approval", "granted")
    await env.cancel("waiting-cancelled", "half way")
    await env.retry("waiting-reopened")
    await _pass(env, 60)
    World.is_mistaken = True
    await env.signal("parked", "other")
    await _settle(env)
    World.is_mistaken = False


async def _play_chapters(env: Environment) -> None:
    await env.start("continuing", [], id="finished-continuing")
    await env.start("continuing", [], id="waiting-continuing")
    for id in ("finished-continuing", "waiting-continuing"):
        await _settle(env)
        await _greet(env, id, "ann")
        await env.signal(id, "go", message_id="go-on")
        await _settle(env)
        await _greet(env, id, "bob")
    await env.signal("finished-continuing", "end")
    await env.pause("waiting-continuing", "lunch", by="ann")
    await _pass(env, 1)
    await env.resume("waiting-continuing", timers="wait", by="ann")
    await _settle(env)


async def _greet(env: Environment, id: str, name: str) -> None:
    """Without a wait for the answer, for which the environment would skip time."""
    payload = env._workflows.encode([name], "an update")
    await env._poster.post(Letter(id, MessageKind.UPDATE, "greet", payload, uid=f"greet-{name}"))
    await _settle(env)


async def _leave_under_way(env: Environment) -> None:
    """The node dies with tasks that run, that wait for a slot, and that wait to be tried again."""
    await env.start("holding", 1, id="under-way-1")
    await env.start("holding", 2, id="under-way-2")
    await env.start("listening", "resident", id="under-way-resident")
    await leave_dag_under_way(env)
    await _pass(env, 1, running=2)
    await env.engine.kill()


async def _post_to_nobody(env: Environment) -> None:
    """No node is there to hear of this."""
    starter = StoreStarter(env._store, namespace=env.namespace, now=env.clock.now, new_key=env._new_key)
    startable = env._workflows.startable("steps", None)
    await starter.start_runs("steps", startable.pinned, [(startable.pack((5, 6), {}), "pending")])
    await env.signal("waiting-listening", "go", "unread")
    await env.signal("parked", "go")
    await env.cancel("waiting-for-both", "unread")


# --- writing it down


async def expectations(url: str, recording: Recording) -> bytes:
    """What this version makes of its own recording, loaded into an empty database."""
    load(url, recording.text)
    found = {
        "recorded_until": recording.recorded_until,
        "then": THEN,
        "runs": await read(url),
        "schedules": await read_schedules(url),
        "ends": await go_on(url, recording.recorded_until, THEN),
    }
    return entry_a_line(found)


def entry_a_line(expected: dict[str, Any]) -> bytes:
    """JSON with one line for each run, schedule and so on."""
    parts: list[str] = []
    for name, value in expected.items():
        match value:
            case dict():
                lines = [f"{_json(key)}:{_json(entry)}" for key, entry in value.items()]
                text = "{\n" + ",\n".join(lines) + "\n}"
            case list():
                text = "[\n" + ",\n".join(map(_json, value)) + "\n]"
            case _:
                text = _json(value)
        parts.append(f"{_json(name)}:{text}")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def record(new_database: Callable[[str], str]) -> dict[str, bytes]:
    """The files of a recording by name. `new_database` gives the URL of an empty one of that kind."""
    files: dict[str, bytes] = {}
    for kind in DATABASES:
        recording = asyncio.run(play(new_database(kind)))
        expected = asyncio.run(expectations(new_database(kind), recording))
        if files.setdefault(EXPECTED, expected) != expected:
            raise AssertionError("the recording on SQLite and the one on Postgres are not of the same runs")
        files[f"{kind}.sql"] = recording.text.encode()
    return files


def main() -> None:
    argparse.ArgumentParser(prog="python -m tests.compat.record", description=__doc__).parse_args()
    numbers = iter(range(1000))
    with own_server() as server, tempfile.TemporaryDirectory() as folder:

        def new_database(kind: str) -> str:
            number = next(numbers)
            if kind == "sqlite":
                return f"sqlite:///{folder}/{number}.db"
            with psycopg.connect(server.url, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE recording_{number}".encode())
            return server.url.replace("/postgres?", f"/recording_{number}?")

        files = record(new_database)
    target = HERE / version()
    target.mkdir(exist_ok=True)
    for name, content in files.items():
        (target / name).write_bytes(content)
        print(f"{target.name}/{name}: {len(content):,} bytes")


if __name__ == "__main__":
    main()
