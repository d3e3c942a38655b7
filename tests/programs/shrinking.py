"""Smaller programs, for finding the smallest that still fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace
from tests.programs.language import (
    Block,
    Call,
    Child,
    Drain,
    FanOut,
    If,
    Parallel,
    Program,
    Race,
    Receive,
    Repeat,
    Return,
    Statement,
    Succeeds,
    Timeout,
    Try,
)
from tests.programs.rules import blocks_of, is_well_formed


def shrink(program: Program) -> Iterator[Program]:
    """Programs that are a little smaller or simpler than this one, the smallest first. All can be run."""
    smaller = [Program(body, program.cancelled) for body in _smaller_blocks(program.body)]
    if program.cancelled:
        smaller.insert(0, Program(program.body))
    return filter(is_well_formed, smaller)


def _smaller_blocks(block: Block) -> Iterator[Block]:
    for half in (block[: len(block) // 2], block[len(block) // 2 :]):
        if half and len(block) > 2:
            yield half
    for place in range(len(block)):
        yield (*block[:place], *block[place + 1 :])
    for place, statement in enumerate(block):
        for instead in _instead(statement):
            yield (*block[:place], *instead, *block[place + 1 :])


def _instead(statement: Statement) -> Iterator[Block]:
    """What may stand in the place of a statement."""
    if not isinstance(statement, Return):
        yield from blocks_of(statement)
    for simpler in _simpler(statement):
        yield (simpler,)
    for number, block in enumerate(blocks_of(statement)):
        for smaller in _smaller_blocks(block):
            yield (with_block(statement, number, smaller),)


def _simpler(statement: Statement) -> Iterator[Statement]:
    match statement:
        case Parallel():
            yield from _fewer(statement, "lanes", at_least=1)
            yield from _plainer(statement, how="gather", collects=False)
        case Race():
            yield from _fewer(statement, "losers", at_least=0 if statement.strays else 1)
            yield from _plainer(statement, how="wait", strays=0 if statement.losers else 1, hasty=False)
        case FanOut():
            yield from statement.calls
            yield from _fewer(statement, "calls", at_least=1)
            yield from _plainer(statement, how="gather")
        case Try():
            yield from _fewer(statement, "handlers", at_least=0)
            yield from _plainer(statement, otherwise=(), ending=())
        case Timeout():
            yield from _plainer(statement, how="timeout", fires=False)
        case Child():
            yield from _plainer(statement, twice=False, named=False, detached=False)
        case Call():
            yield from _plainer(statement, ends=Succeeds(), task="work")
        case If():
            yield from _plainer(statement, otherwise=())
        case Repeat():
            yield from _plainer(statement, times=1)
        case Drain():
            yield Receive(statement.signal, statement.late)
        case _:
            pass
    if getattr(statement, "into", None) is not None and hasattr(statement, "how"):
        yield from _plainer(statement, into=None)


def _fewer(statement: Any, field: str, *, at_least: int) -> Iterator[Statement]:
    parts = getattr(statement, field)
    if len(parts) > at_least:
        for place in range(len(parts)):
            yield replace(statement, **{field: (*parts[:place], *parts[place + 1 :])})


def _plainer(statement: Any, **plain: Any) -> Iterator[Statement]:
    for field, value in plain.items():
        if getattr(statement, field) != value:
            yield replace(statement, **{field: value})


def with_block(statement: Any, number: int, block: Block) -> Statement:
    """The statement with another block in the place of one that `blocks_of` gives."""
    match statement:
        case If():
            return replace(statement, **{("then", "otherwise")[number]: block})
        case Parallel():
            lanes = statement.lanes
            return replace(statement, lanes=(*lanes[:number], block, *lanes[number + 1 :]))
        case Race() if number:
            losers = statement.losers
            return replace(statement, losers=(*losers[: number - 1], block, *losers[number:]))
        case Race():
            return replace(statement, winner=block)
        case Try() if 0 < number <= len(statement.handlers):
            handlers = list(statement.handlers)
            handlers[number - 1] = replace(handlers[number - 1], body=block)
            return replace(statement, handlers=tuple(handlers))
        case Try():
            field = "body" if number == 0 else ("otherwise", "ending")[number - len(statement.handlers) - 1]
            return replace(statement, **{field: block})
        case _:
            return replace(statement, body=block)
