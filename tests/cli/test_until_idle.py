"""`holdfast serve --until-idle` and `holdfast worker`: do what is due, and end."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import signal
import subprocess
from typing import Any

from tests.cli.processes import Project, eventually, json_lines, read_until

from holdfast import Holdfast

JOB = "name: job\ntasks:\n  work: {command: 'echo done'}\n"
SHOP = """
import asyncio
from holdfast import context, task, workflow


@task
def count(number: int) -> int:
    return number + 1


@workflow
async def buy(number: int) -> int:
    return await count(number)


@workflow
async def nap() -> None:
    await asyncio.sleep(3600)


@workflow
async def ask() -> None:
    await context().signal("yes")
"""


def start(project: Project, workflow: str, *inputs: dict[str, Any]) -> list[str]:
    """Runs that no node has taken yet. Some node must have had the workflow before."""

    async def start_all() -> list[str]:
        async with Holdfast(f"sqlite:///{project.folder}/.holdfast/holdfast.db", engine=False) as hf:
            return [(await hf.start(workflow, **each)).id for each in inputs]

    return asyncio.run(start_all())


def work_off(project: Project, *words: str) -> list[dict[str, Any]]:
    done = project.run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json_lines(done.stdout)


def statuses(project: Project) -> set[str]:
    return {run["status"] for run in project.ask("runs", "list", "--limit", "1000")}


def test_with_nothing_to_do_it_ends_at_once(project: Project):
    project.write("job.yaml", JOB)

    done = project.execute("serve", "job.yaml", "--no-http", "--until-idle")

    assert (done.returncode, done.stdout) == (0, "")
    said = [line.split(" ", 1)[1] for line in done.stderr.splitlines()]
    assert said == [
        "serving job, published workflows; until nothing is due; Ctrl-C stops in order",
        "nothing is due; nothing is to come",
        "stopped",
    ]


def test_a_backlog_is_worked_off_and_reported(project: Project):
    project.write("shop.py", SHOP)
    work_off(project, "worker", "shop.py", "--until-idle")
    ids = start(project, "buy", *[{"number": number} for number in range(50)])

    events = work_off(project, "worker", "shop.py", "--until-idle")

    assert statuses(project) == {"success"}
    ended = [event["run"] for event in events if event["event"] == "run" and event["status"] == "success"]
    assert sorted(ended) == sorted(ids)
    assert [event["event"] for event in events][-2:] == ["idle", "stopped"]
    assert events[-2]["next_at"] is None


def test_a_run_that_sleeps_or_asks_does_not_keep_it_and_the_next_time_is_told(project: Project):
    project.write("shop.py", SHOP)
    work_off(project, "worker", "shop.py", "--until-idle")
    start(project, "ask", {})
    asking = work_off(project, "worker", "shop.py", "--until-idle")
    start(project, "nap", {})

    once = work_off(project, "worker", "shop.py", "--until-idle")
    again = work_off(project, "worker", "shop.py", "--until-idle")

    assert asking[-2]["next_at"] is None
    due = dt.datetime.fromisoformat(once[-2]["next_at"]) - dt.datetime.now(dt.UTC)
    assert dt.timedelta(minutes=58) < due < dt.timedelta(hours=1)
    assert again[-2]["next_at"] == once[-2]["next_at"]
    assert statuses(project) == {"running"}


def test_the_next_tick_of_a_schedule_is_told(project: Project):
    project.write("job.yaml", JOB + "schedule: {cron: '0 0 1 1 *'}\n")

    events = work_off(project, "serve", "job.yaml", "--no-http", "--until-idle")

    assert [event["event"] for event in events] == ["schedule", "serving", "idle", "stopped"]
    assert events[2]["next_at"] == events[0]["next_at"]
    assert events[2]["next_at"].endswith("-01-01T01:00:00+01:00")


def test_a_task_that_runs_keeps_it_and_a_signal_ends_it_all_the_same(project: Project):
    project.write("job.yaml", JOB.replace("echo done", "sleep 60"))
    work_off(project, "worker", "job.yaml", "--until-idle")
    start(project, "job", {})
    process = project.start("serve", "job.yaml", "--port", "0", "--until-idle", HOLDFAST_DRAIN_SECONDS="0.1")
    lines = read_until(process.stderr, "serving job")
    eventually(lambda: project.last_run()["status"] == "running")
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.5)

    code, _, told = project.finish(process, signal.SIGTERM)

    assert code == 0
    assert "nothing is to come" not in "".join(lines) + told
    assert told.endswith("stopped\n")


def test_a_worker_must_be_told_what_to_serve_and_has_no_api(project: Project):
    assert project.run("worker").returncode == 2
    assert project.run("worker", "nothing.py").returncode == 2
    assert project.run("worker", "job.yaml", "--port", "0").returncode == 2
    project.write("job.yaml", JOB)

    events = work_off(project, "worker", "job.yaml", "--until-idle")

    assert [event["event"] for event in events] == ["serving", "idle", "stopped"]
