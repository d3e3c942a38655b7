"""Values as the client answers them, with only what a test is about spelt out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from holdfast.authoring.dag.loader import load_text
from holdfast.authoring.dag.outline import outline_dag
from holdfast.authoring.outline import WorkflowOutline
from holdfast.cli.database import DatabaseOptions
from holdfast.cli.views.progress import RunProgress, RunSnapshot
from holdfast.client.logs import LogLine
from holdfast.client.run import AttemptInfo, RunInfo, TaskInfo
from holdfast.core.values import Failure, RunStatus, TaskStatus
from holdfast.settings import Settings

NOON = dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)
DATABASE = DatabaseOptions(Settings(), ())


def after(seconds: float) -> dt.datetime:
    return NOON + dt.timedelta(seconds=seconds)


def dag(tasks: str) -> WorkflowOutline:
    text = f"name: test\ninput: {{n: int = 0}}\ntasks:\n{tasks}"
    return outline_dag(load_text(text, file=str(Path("test.yaml").absolute())))


def task(seq: int, name: str, status: str = "running", **facts: Any) -> TaskInfo:
    is_final = TaskStatus(status).is_final
    given: dict[str, Any] = {
        "index": None,
        "count": None,
        "attempt": 1,
        "lost": 0,
        "problem": None,
        "retry_at": None,
        "created_at": NOON,
        "started_at": None if status in ("pending", "dispatched", "skipped") else NOON,
        "finished_at": after(2) if is_final else None,
    }
    return TaskInfo(seq=seq, name=name, status=TaskStatus(status), **{**given, **facts})


def attempt(
    seq: int,
    number: int = 1,
    status: str = "failed",
    problem: str | None = "no luck",
    traceback: str | None = None,
) -> AttemptInfo:
    return AttemptInfo(seq, number, status, problem, traceback, "node", NOON, after(1))


def info(status: str = "running", **facts: Any) -> RunInfo:
    is_final = RunStatus(status).is_final
    given: dict[str, Any] = {
        "id": "order-42",
        "key": "0198c0de-0000-7000-8000-000000000000",
        "namespace": "default",
        "workflow": "test",
        "version": "1",
        "input": {},
        "output": None,
        "failure": Failure(type="x:Y", message="it broke") if status == "failed" else None,
        "waiting": None,
        "created_at": NOON,
        "started_at": NOON,
        "finished_at": after(5) if is_final else None,
    }
    return RunInfo(status=RunStatus(status), **{**given, **facts})


def said(name: str, text: str, *, index: int | None = None, attempt: int = 1, at: float = 0) -> LogLine:
    return LogLine(after(at), name, index, attempt, "stdout", text)


def snapshot(
    progress: RunProgress, status: str = "running", lines: Sequence[LogLine] = (), **facts: Any
) -> RunSnapshot:
    return RunSnapshot(info(status, **facts), progress, (), (), lines)
