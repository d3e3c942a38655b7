"""All that `holdfast runs show` tells of one run."""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

import msgspec

from holdfast.cli.finding import find_run
from holdfast.cli.opening import Place
from holdfast.cli.output import (
    COLOURS,
    between,
    json_text,
    moment_text,
    one_line,
    print_line,
    span_text,
    stdout,
    task_label,
)
from holdfast.cli.tables import print_table
from holdfast.client.client import Client
from holdfast.client.run import AttemptInfo, RunInfo, TaskInfo
from holdfast.core.values import RunStatus

_MOST_ROWS = 200
"""For people; --json has all of them."""
_PAGE = 10_000


class Portrait(NamedTuple):
    info: RunInfo
    tasks: list[TaskInfo]
    attempts: list[AttemptInfo]
    state: dict[str, Any]

    def facts(self) -> dict[str, Any]:
        more = {"state": self.state, "tasks": self.tasks, "attempts": self.attempts}
        return {**msgspec.structs.asdict(self.info), **more}


async def read_portrait(client: Client, run: str) -> Portrait:
    info = await find_run(client, run)
    tasks: list[TaskInfo] = []
    while True:
        page = await client.tasks(info.id, since=tasks[-1].seq + 1 if tasks else 0, limit=_PAGE)
        tasks += page
        if len(page) < _PAGE:
            return Portrait(info, tasks, await client.attempts(info.id), await client.state(info.id))


def print_portrait(portrait: Portrait, place: Place) -> None:
    info, tasks, attempts, state = portrait
    _print_facts(info, state)
    if tasks:
        print_line("")
        header = ["TASK", "STATUS", "ATTEMPT", "STARTED", "TOOK", "PROBLEM"]
        print_table(header, [_task_row(task) for task in tasks[:_MOST_ROWS]], state=1)
        _tell_rest(len(tasks))
    if attempts:
        print_line("")
        labels = {task.seq: task_label(task.name, task.index) for task in tasks}
        header = ["ATTEMPT OF", "STATUS", "NUMBER", "ENDED", "NODE", "PROBLEM"]
        print_table(header, [_attempt_row(each, labels) for each in attempts[:_MOST_ROWS]], state=1)
        _tell_rest(len(attempts))
    for line in _next_steps(info, place):
        print_line(line)


def _tell_rest(count: int) -> None:
    if count > _MOST_ROWS:
        print_line(f"and {count - _MOST_ROWS:,} more; --json has all of them")


def _print_facts(info: RunInfo, state: dict[str, Any]) -> None:
    took = between(info.started_at, info.finished_at, dt.datetime.now(dt.UTC))
    facts = {
        "run": info.id,
        "key": info.key if info.key != info.id else "",
        "workflow": f"{info.workflow} {info.version}",
        "status": info.status.value,
        "waits for": one_line(info.waiting or ""),
        "created": moment_text(info.created_at),
        "started": moment_text(info.started_at) if info.started_at is not None else "",
        "finished": moment_text(info.finished_at) if info.finished_at is not None else "",
        "took": "" if took is None else span_text(took),
        "input": one_line(json_text(info.input), 1000),
        "state": one_line(json_text(state), 1000) if state else "",
        "output": one_line(json_text(info.output), 1000) if info.output is not None else "",
        "problem": one_line(info.failure.summary, 2000) if info.failure is not None else "",
    }
    console = stdout()
    for name, value in facts.items():
        if value:
            style = COLOURS.get(value, "") if name == "status" else "red" if name == "problem" else ""
            console.print(f"{name:<10}", style="bold", end="", markup=False)
            console.print(value, style=style or None, markup=False)


def _task_row(task: TaskInfo) -> list[str]:
    took = between(task.started_at, task.finished_at, dt.datetime.now(dt.UTC))
    retry = f"again at {moment_text(task.retry_at)}" if task.retry_at is not None else ""
    return [
        task_label(task.name, task.index),
        task.status.value,
        str(task.attempt) + (f" ({task.lost} lost)" if task.lost else ""),
        moment_text(task.started_at),
        "-" if took is None else span_text(took),
        one_line(task.problem or retry),
    ]


def _attempt_row(attempt: AttemptInfo, labels: dict[int, str]) -> list[str]:
    return [
        labels.get(attempt.seq, f"task {attempt.seq}"),
        attempt.status,
        str(attempt.attempt),
        moment_text(attempt.finished_at),
        attempt.node,
        one_line(attempt.problem or ""),
    ]


def _next_steps(info: RunInfo, place: Place) -> list[str]:
    match info.status:
        case RunStatus.FAILED | RunStatus.CANCELLED:
            return ["", f"try again what failed: {place.command('run', '--retry', info.id)}"]
        case RunStatus.PARKED | RunStatus.PAUSED:
            return ["", f"when that is mended: {place.command('run', '--resume', info.id)}"]
        case _:
            return []
