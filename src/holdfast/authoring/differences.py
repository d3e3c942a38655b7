"""What people are told if edited code no longer fits a run: both requests, and the edit as a diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from holdfast.core.records import Definition
from holdfast.core.values import Payload
from holdfast.errors import DeterminismError

_LONGEST_INPUT = 2_000
_MOST_LINES = 400


def describe_difference(
    error: DeterminismError,
    recorded_input: Payload | None,
    then: Definition | None,
    version: str,
    source: str,
    *,
    is_first_chapter: bool = True,
) -> str:
    """The whole difference. `then` is the code with which the run began; `version` and `source` are of the
    code that is here now. A later chapter may have begun with other code, which nobody has noted."""
    began = "as it began" if is_first_chapter else "as its first chapter began"
    recorded = recorded_input.decode(errors="replace") if recorded_input is not None else None
    lines = [
        f"recorded: {error.recorded}{_input_text(recorded)}",
        f"asked:    {error.requested}{_input_text(error.input)}",
    ]
    if error.place is not None:
        lines.append(f"in:       {error.place}")
    return "\n".join([*lines, "", *_source_lines(then, version, source, began)])


def _input_text(input: str | None) -> str:
    if input is None:
        return ""
    return f" {input if len(input) <= _LONGEST_INPUT else input[:_LONGEST_INPUT] + '…'}"


def _source_lines(then: Definition | None, version: str, source: str, began: str) -> Iterator[str]:
    if then is None or not then.source or not source:
        yield "The source with which the run began is not stored, so there is no diff."
        return
    old, new = then.source.splitlines(), source.splitlines()
    lines = list(difflib.unified_diff(old, new, f"{began} ({then.version})", f"now ({version})", lineterm=""))
    if not lines:
        yield "The workflow's own source is the same; what it calls, or what it was given, has changed."
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"… and {len(lines) - _MOST_LINES:,} lines more"
