"""What the real SDK of Sentry makes of our log records: one event for what has failed, and nothing secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import asyncio, datetime as dt, json
import sentry_sdk
from sentry_sdk.transport import Transport

from holdfast import DoNotRetry, Holdfast, Retry, TaskError, task, task_context, workflow

events = []

class Collecting(Transport):
    def capture_envelope(self, envelope):
        event = envelope.get_event()
        if event is not None:
            events.append(event)

sentry_sdk.init(dsn="http://key@127.0.0.1:9/1", transport=Collecting, max_breadcrumbs=10)


class CardDeclined(Exception):
    pass


@task(retry=Retry(max_attempts=3, first_delay=dt.timedelta(milliseconds=1)))
async def charge(order: dict) -> None:
    number = order["number"]
    raise CardDeclined(f"order {number}")


@task(secrets=["BANK"])
async def pay() -> None:
    key = task_context().secret("BANK")
    raise DoNotRetry(f"no {key}")


@workflow
async def order(order: dict) -> None:
    await charge(order)


async def main():
    async with Holdfast("sqlite:///s.db") as hf:
        for number in (1, 2):
            run = await hf.start(order, {"number": number, "payload": "PAYLOAD-77"}, id=f"o{number}")
            await asyncio.gather(run.result(), return_exceptions=True)
        run = await hf.start(pay, id="p")
        await asyncio.gather(run.result(), return_exceptions=True)

asyncio.run(main())
sentry_sdk.flush()
open("events.json", "w").write(json.dumps(events, default=str))
"""


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder = tmp_path_factory.mktemp("sentry")
    (folder / "program.py").write_text(PROGRAM)
    variables = {**os.environ, "HOLDFAST_SECRET_BANK": "swordfish-77"}
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert Path(folder / "events.json").exists(), done.stderr
    return json.loads((folder / "events.json").read_text())


def test_each_final_failure_is_one_event_and_retries_are_none(events: list[Any]) -> None:
    found = [event["exception"]["values"][-1]["type"] for event in events]

    assert found == ["CardDeclined", "CardDeclined", "DoNotRetry"]
    assert {event["level"] for event in events} == {"error"}
    crumbs = [
        it["message"] for it in events[0]["breadcrumbs"]["values"] if it["category"] == "holdfast.failures"
    ]
    assert crumbs == ["task charge is tried again: CardDeclined: order 1"] * 2


def test_events_group_by_the_exception_and_the_code_of_the_user(events: list[Any]) -> None:
    first, second, _ = events
    for event in (first, second):
        [error] = event["exception"]["values"]
        assert [frame["function"] for frame in error["stacktrace"]["frames"]] == ["charge"]
        assert event["logentry"]["message"] == "task %s has failed: %s"
    assert first["logger"] == second["logger"] == "holdfast.failures"


def test_events_say_which_run_it_was(events: list[Any]) -> None:
    extra = events[1]["extra"]

    assert (extra["run_id"], extra["workflow"], extra["task"], extra["attempt"]) == (
        "o2",
        "order",
        "charge",
        3,
    )


def test_events_have_no_secrets_and_no_payloads_of_our_frames(events: list[Any]) -> None:
    whole = json.dumps(events[2])
    assert "***BANK***" in whole
    assert "swordfish" not in json.dumps(events)
    variables = [
        frame.get("vars", {})
        for it in events[0]["exception"]["values"]
        for frame in it["stacktrace"]["frames"]
    ]
    assert [sorted(it) for it in variables] == [["number", "order"]], "only those of the user's own function"
