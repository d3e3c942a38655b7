"""Log records as JSON: one object a line, with the run and the task, whatever the message contains."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import logging
import signal
from typing import Any

import pytest
from tests.cli.processes import Project, read_until

from holdfast import Holdfast
from holdfast.cli.log_lines import _VisibleFormatter  # pyright: ignore[reportPrivateUsage]

SHOP = r"""
import logging

from holdfast import Retry, context, task, workflow

log = logging.getLogger("shop\x1b")


@task
async def charge() -> None:
    log.warning("charged\x1b[2J\n{\"level\": \"forged\"}\u2028\ud800")
    try:
        raise ValueError("broken\x9b")
    except ValueError:
        log.exception("it fails")


@workflow
async def order() -> str:
    await charge()
    context().logger.warning("ordered")
    log.error("finished")
    return "ok"
"""


async def start_order(url: str) -> None:
    async with Holdfast(url, engine=False) as hf:
        await hf.start("order", id="o1")


def objects(lines: list[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines if line.startswith("{")]


@pytest.mark.parametrize("by_setting", [False, True])
def test_log_records_are_json_lines_with_run_and_task(project: Project, by_setting: bool) -> None:
    project.write("shop.py", SHOP)
    if by_setting:
        project.write("holdfast.toml", 'log_format = "json"\n')
    option = [] if by_setting else ["--log-format", "json"]
    process = project.start("serve", "--no-http", "shop.py", *option)
    read_until(process.stderr, "serving order")

    asyncio.run(start_order(f"sqlite:///{project.folder}/.holdfast/holdfast.db"))
    lines = read_until(process.stderr, "finished")
    project.finish(process, signal.SIGTERM)

    assert all(line.startswith("{") for line in lines), lines
    told = [each for each in objects(lines) if each["logger"] == "holdfast"]
    assert [(each["event"], each["run"], each["level"]) for each in told] in ([("run", "o1", "INFO")], [])
    charged, failed, ordered, finished = [it for it in objects(lines) if it["logger"] != "holdfast"]
    at = dt.datetime.fromisoformat(charged.pop("time"))
    assert at.tzinfo is not None
    assert charged == {
        "level": "WARNING",
        "logger": "shop\\x1b",
        "message": 'charged\\x1b[2J\n{"level": "forged"}\\u2028\\ud800',
        "run": "o1",
        "task": "charge",
        "task_id": charged["task_id"],
        "attempt": 1,
    }
    assert failed["exception"].endswith("ValueError: broken\\u009b")
    assert (ordered["run"], finished["run"]) == ("o1", "o1")
    assert "task" not in finished
    assert not [line for line in lines if line.startswith('{"level": "forged"')]


def test_a_format_that_there_is_not_is_refused(project: Project) -> None:
    project.write("shop.py", SHOP)
    refused = project.run("serve", "--no-http", "shop.py", "--log-format", "xml")
    assert refused.returncode == 2
    assert "text or json" in refused.stderr


def test_dev_passes_the_format_on_to_the_process_that_serves(project: Project) -> None:
    project.write("shop.py", SHOP)
    process = project.start("dev", "--port", "0", "--log-format", "json", "shop.py")
    read_until(process.stderr, "order")

    asyncio.run(start_order(f"sqlite:///{project.folder}/.holdfast/holdfast.db"))
    lines = read_until(process.stderr, "finished")
    project.finish(process, signal.SIGTERM)

    assert [it["run"] for it in objects(lines) if it.get("message") == "finished"] == ["o1"]


def test_no_message_begins_a_line_that_looks_like_another() -> None:
    record = logging.makeLogRecord(
        {"levelname": "WARNING", "msg": "GET /runs/a\nERROR: forged\x1b has failed"}
    )

    formatted = _VisibleFormatter("%(levelname)s: %(message)s").format(record)

    assert formatted == "WARNING: GET /runs/a\n  ERROR: forged\\x1b has failed"
