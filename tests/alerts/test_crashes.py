"""What is told, and how often, if nodes die."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.alerts.receiver import OK, receiving
from tests.executors.http.http_bench import hangs
from tests.patience import until
from tests.testing.databases import new_database

from holdfast import Catalog, Holdfast, workflow
from holdfast.core.alerts import WEBHOOK
from holdfast.core.webhooks import Sent
from holdfast.ports.alerts import Webhooks
from holdfast.testing import Environment

__all__ = ["new_database"]

catalog = Catalog()
LOOK = dt.timedelta(seconds=16)


@workflow(catalog=catalog)
async def failing(name: str) -> str:
    raise ValueError(name)


class Recorder:
    """Fails the first time that it is asked to send a message."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def send(self, url: str, id: str, body: bytes, secret: str | None) -> Sent:
        self.sent.append(id)
        return Sent(500, "it answered 500") if self.sent.count(id) == 1 else Sent(204)


@pytest.mark.parametrize("after", [False, True])
async def test_each_failure_is_told_by_one_run_although_a_node_crashes_at_any_commit(
    new_database: Callable[[], str], after: bool
):
    commit, has_crashed = 0, True
    while has_crashed:
        recorder = Recorder()
        async with Environment(new_database(), catalog=catalog, crash_after=after) as env:
            env.alerts._parts.work._webhooks = Webhooks(recorder)
            await env.alerts.put("ops", "http://127.0.0.1/", "failed")
            for name in ("a", "b", "c"):
                await env.start(failing, name, id=name)
            await env.wait_until_quiet()
            env.crash_points._at = env.crash_points.commits + commit  # none is number 0
            env.clock.advance(LOOK)
            for _ in range(4):
                await env.wait_until_quiet()
                env.clock.advance(LOOK)
            await env.wait_until_quiet()
            told = await env.list(workflow=WEBHOOK)
            subjects = [run.input["delivery"]["event"]["subject"] for run in told]
            has_crashed = env.crashes > 0 or commit == 0
            commit += 1

        assert sorted(subjects) == ["a", "b", "c"]
        assert {run.status.value for run in told} == {"success"}
        assert len(set(recorder.sent)) == 3
    assert commit > 8


NODE = """
import asyncio, sys
from holdfast import Holdfast, workflow

@workflow
async def failing(name: str) -> str:
    raise ValueError(name)

async def main():
    async with Holdfast(sys.argv[1]) as hf:
        print("ready", flush=True)
        await hf.serve()

asyncio.run(main())
"""


def start_node(url: str, folder: Path) -> subprocess.Popen[bytes]:
    file = folder / "node.py"
    file.write_text(NODE)
    process = subprocess.Popen([sys.executable, str(file), url], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


async def test_a_message_whose_node_is_killed_while_it_is_sent_arrives_under_the_same_id(
    sqlite_url: str, tmp_path: Path
):
    async with receiving(hangs, OK) as receiver, Holdfast(sqlite_url, engine=False) as hf:
        first = start_node(sqlite_url, tmp_path)
        try:
            await hf.alerts.put("ops", receiver.url, "failed")
            await hf.start("failing", "x", id="order-1")
            await until(lambda: has_failed(hf))
            await hf.signal("holdfast.alerts", "look", "")
            await receiver.wait_for(1)
        finally:
            first.kill()
            first.communicate()
        second = start_node(sqlite_url, tmp_path)
        try:
            events = await receiver.wait_for(2)
            await until(lambda: is_delivered(hf))
        finally:
            second.terminate()
            second.communicate()

    assert [event["subject"] for event in events] == ["order-1", "order-1"]
    assert len({event["id"] for event in events}) == 1


async def has_failed(hf: Holdfast) -> bool:
    return (await hf.describe("order-1")).status.value == "failed"


async def is_delivered(hf: Holdfast) -> bool:
    return [it.status.value for it in await hf.alerts.deliveries("ops")] == ["success"]
