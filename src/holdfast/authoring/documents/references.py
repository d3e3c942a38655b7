"""References: how a document names a value that exists only in a run.

A DAG writes `discover.files[0]`, which is a `Ref`; a flow writes `$shared.order.items[0]`, which is a `Path`.
Both are followed in the same way. In a DAG a step that is not there is a mistake; in a flow its value is
null.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import msgspec

Steps: TypeAlias = tuple[str | int, ...]
"""Keys of objects, and indexes of lists."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-+[A-Za-z0-9_]+)*")


class Ref(msgspec.Struct, frozen=True, tag="ref"):
    """A path to a value of a DAG. However it was written, `path` is whole: ("input", "day"), ("tasks",
    "discover", "output", "files", 0), ("tasks", "publish", "status"), ("item", "name"),
    ("parallel_index",)."""

    path: Steps

    @property
    def task(self) -> str | None:
        """The task whose output or status it is."""
        return str(self.path[1]) if self.path[0] == "tasks" else None

    @property
    def is_status(self) -> bool:
        return self.path[0] == "tasks" and self.path[2] == "status"

    def __str__(self) -> str:
        return path_text(self.path)


class Path(msgspec.Struct, frozen=True, tag="path"):
    """A path to a value of a flow."""

    root: str
    """`params`, `shared` or `input`."""
    steps: Steps = ()

    def __str__(self) -> str:
        return f"${self.root}" + "".join(f"[{it}]" if isinstance(it, int) else f".{it}" for it in self.steps)


class Missing(LookupError):
    """A step of a path that leads nowhere; `number` counts the steps before it."""

    def __init__(self, number: int, reason: str) -> None:
        self.number = number
        super().__init__(reason)


def path_text(path: Sequence[str | int]) -> str:
    """A path as people write it in a DAG: `tasks.discover.output.files[0]`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif NAME.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


def follow(value: Any, steps: Sequence[str | int]) -> Any:
    """The value at the end of the path. Raises Missing, which says which step is not there."""
    found, number = _walk(value, steps)
    if number == len(steps):
        return found
    here, step = path_text(steps[: number + 1]), steps[number]
    reason = f"there is no {here}"
    if isinstance(step, int) and isinstance(found, list):
        reason += f": the list has {len(cast('list[Any]', found))}"
    elif isinstance(step, int) or not isinstance(found, dict):
        wanted = "an object" if isinstance(step, str) else "a list"
        reason += f": {path_text(steps[:number]) or 'it'} is not {wanted}"
    raise Missing(number, reason)


def find(value: Any, steps: Sequence[str | int]) -> Any:
    """The value at the end of the path; None if there is none."""
    found, number = _walk(value, steps)
    return found if number == len(steps) else None


def _walk(value: Any, steps: Sequence[str | int]) -> tuple[Any, int]:
    """The value that can be reached, and after how many steps."""
    for number, step in enumerate(steps):
        inside = _inside(value, step)
        if inside is _NOTHING:
            return value, number
        value = inside
    return value, len(steps)


_NOTHING: Any = object()


def _inside(value: Any, step: str | int) -> Any:
    if isinstance(step, str):
        return cast("dict[str, Any]", value).get(step, _NOTHING) if isinstance(value, dict) else _NOTHING
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return items[step] if step < len(items) else _NOTHING
