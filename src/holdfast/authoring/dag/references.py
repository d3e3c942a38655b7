"""Reads references: how a DAG names a value that exists only in a run.

Long: `input.day`, `tasks.discover.output.files[0].name`, `tasks.publish.status`. Short: `discover.files`,
which is the output of the task `discover`. Inside a fan-out: `item.path`, `parallel_index`, `parallel_count`.
However it is written, a `Ref` has its whole path, so no other module has to know the short form.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final, NamedTuple

from holdfast.authoring.documents.references import NAME, Ref

RESERVED: Final = ("input", "tasks", "item", "parallel_index", "parallel_count")
"""What a reference may begin with besides the name of a task. So no task can have such a name."""

_MOST_STEPS: Final = 50
_STEP = re.compile(
    r"""\.(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:-+[A-Za-z0-9_]+)*)
    | \[(?P<index>[0-9]{1,9})\]
    | \[(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')\]""",
    re.VERBOSE,
)


class Written(NamedTuple):
    """A reference, with the offset of each step in the text that it was read from."""

    ref: Ref
    offsets: tuple[int, ...]
    """One for each step of `ref.path`. A step that the short form leaves out has the offset of the task."""
    end: int
    is_short: bool


class BadReference(Exception):
    """At an `offset` in the text. It never leaves this package: it becomes a problem of a DAG."""

    def __init__(self, offset: int, reason: str) -> None:
        self.offset, self.reason = offset, reason
        super().__init__(reason)


def parse_reference(text: str) -> Written:
    """Raises BadReference."""
    start = len(text) - len(text.lstrip())
    if not text.strip():
        raise BadReference(0, "a reference is missing, such as discover.files or input.day")
    written = read_reference(text, start)
    if text[written.end :].strip():
        raise BadReference(
            written.end,
            f"cannot read {text[written.end :].strip()[:20]!r} in a reference; it looks like "
            'discover.files[0], input.day or discover["a key"]',
        )
    return written


def read_reference(text: str, start: int) -> Written:
    """The longest reference that begins at `start`. Raises BadReference."""
    first = NAME.match(text, start)
    if first is None:
        raise BadReference(start, f"a reference begins with a name, not with {text[start : start + 1]!r}")
    steps: list[str | int] = [first[0]]
    offsets = [start]
    end = first.end()
    while (step := _STEP.match(text, end)) is not None:
        if len(steps) == _MOST_STEPS:
            raise BadReference(end, f"a reference has at most {_MOST_STEPS} steps")
        steps.append(int(step["index"]) if step["index"] is not None else _key(step))
        offsets.append(end + 1)
        end = step.end()
    return _resolve(steps, offsets, end)


def _key(step: re.Match[str]) -> str:
    return next(part for part in (step["name"], step["double"], step["single"]) if part is not None)


def _resolve(steps: list[str | int], offsets: list[int], end: int) -> Written:
    match steps:
        case ["input" | "item", *_]:
            pass
        case ["parallel_index" | "parallel_count" as number, _, *_]:
            raise BadReference(offsets[1], f"{number} is a number and has nothing inside")
        case ["parallel_index" | "parallel_count"]:
            pass
        case ["tasks"] | ["tasks", _]:
            name = steps[1] if len(steps) > 1 else "NAME"
            raise BadReference(offsets[-1], f"write tasks.{name}.output or tasks.{name}.status")
        case ["tasks", int(), *_]:
            raise BadReference(offsets[1], "after tasks comes the name of a task")
        case ["tasks", _, "status", _, *_]:
            raise BadReference(offsets[3], "a status is text and has nothing inside")
        case ["tasks", _, "output" | "status", *_]:
            pass
        case ["tasks", name, other, *_]:
            hint = get_close_matches(str(other), ["output", "status"], n=1)
            advice = f"tasks.{name}.{hint[0]}" if hint else f"tasks.{name}.output or tasks.{name}.status"
            raise BadReference(offsets[2], f"a task has an output and a status, no {other!r}; write {advice}")
        case _:
            whole = ("tasks", steps[0], "output", *steps[1:])
            all_offsets = (offsets[0], offsets[0], offsets[0], *offsets[1:])
            return Written(Ref(whole), all_offsets, end, is_short=True)
    return Written(Ref(tuple(steps)), tuple(offsets), end, is_short=False)
