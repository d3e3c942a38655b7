"""Replay of programs that are made of data: what is asked for now is held against what the journal has.

A run is pinned to one edition of its definition, so a difference is a fault of ours, or of another version.
"""

from __future__ import annotations

from typing import Any

from holdfast.core.commands import Command
from holdfast.core.journal import Requested, asked_of
from holdfast.errors import DeterminismError


def compare(step: int, commands: list[Command], asked: list[Requested]) -> None:
    """Raises DeterminismError if a step asks for something else than it did."""
    now = [_identity(asked_of(command)) for command in commands]
    then = [_identity(each) for each in asked]
    for position, (ours, theirs) in enumerate(zip(now, then, strict=False)):
        if ours != theirs:
            raise DeterminismError("step", step, _words(theirs), f"{_words(ours)} (request {position})")
    if len(now) != len(then):
        raise DeterminismError("step", step, f"{len(then)} requests", f"{len(now)}")


def _identity(asked: Requested) -> tuple[str, Any, Any]:
    return type(asked).__name__, getattr(asked, "seq", None), getattr(asked, "name", None)


def _words(identity: tuple[str, Any, Any]) -> str:
    kind, seq, name = identity
    return f"{kind} {seq} {name!r}" if name is not None else f"{kind} {seq}"
