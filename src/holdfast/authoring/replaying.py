"""Replay of DAGs and flows: compares the commands of a step with those in the journal.

A run is pinned to one edition of its definition. So a difference is a bug in this or another version of
holdfast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdfast.core.commands import Command
from holdfast.core.history import Past
from holdfast.core.journal import BranchAsked, MessageAsked, Requested, TaskAsked, entry_of
from holdfast.errors import DeterminismError

_BUG = "this is a bug of holdfast: please report it, go back to the version that ran before"


def compare(step: int, commands: list[Command], asked: Sequence[Requested | MessageAsked]) -> None:
    """Raises DeterminismError if the step asks for something else than is recorded."""
    requested = [_identity(entry_of(command)) for command in commands]
    recorded = [_identity(each) for each in asked]
    for position, (new, old) in enumerate(zip(requested, recorded, strict=False)):
        if new != old:
            raise DeterminismError(step, position, _words(old), _words(new), hint=_BUG)
    if len(requested) != len(recorded):
        counts = f"{len(recorded)} requests", str(len(requested))
        raise DeterminismError(step, min(len(requested), len(recorded)), *counts, hint=_BUG)


def shares_in(past: Past) -> set[int]:
    """The tasks that a shared part of inputs was stored with, by number."""
    return {asked.shares for step in past.steps for asked in step.asked if isinstance(asked, BranchAsked)}


def _identity(asked: Requested | MessageAsked) -> tuple[str, Any, Any]:
    # How the input of a task is stored makes no difference.
    kind = TaskAsked if isinstance(asked, TaskAsked) else type(asked)
    return kind.__name__, getattr(asked, "seq", None), getattr(asked, "name", None)


def _words(identity: tuple[str, Any, Any]) -> str:
    kind, seq, name = identity
    return f"{kind} {seq} {name!r}" if name is not None else f"{kind} {seq}"
