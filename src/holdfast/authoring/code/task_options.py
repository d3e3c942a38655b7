"""The options that users give to tasks and steps."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TypedDict

import msgspec

from holdfast.core.policies import Retry, TaskOptions
from holdfast.errors import BadOption


class Options(TypedDict, total=False):
    """The options of a task, in `@task(...)`, in `some_task.options(...)` and in `context().step(...)`."""

    retry: Retry
    timeout: dt.timedelta | None
    start_timeout: dt.timedelta | None
    heartbeat: dt.timedelta | None
    queue: str
    priority: int
    secrets: Sequence[str]


def merge(options: TaskOptions, changes: Options) -> TaskOptions:
    """Raises BadOption."""
    known = Options.__annotations__
    unknown = set(changes) - set(known)
    if unknown:
        raise BadOption("option", ", ".join(sorted(unknown)), "one of " + ", ".join(known))
    return msgspec.structs.replace(options, **changes)
