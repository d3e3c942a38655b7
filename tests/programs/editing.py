"""Random edits of a program, as a developer might deploy them under a run that is half-way.

An edit keeps the messages that the program needs, so that the same client can serve both.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec.structs import replace
from tests.programs.generator import generate
from tests.programs.language import Block, Call, Program, Sleep, Statement, Store
from tests.programs.rules import blocks_of, is_well_formed, script
from tests.programs.shrinking import shrink, with_block

_TRIES = 50


def edit(program: Program, dice: Random) -> Program | None:
    """Another program that differs in one place. None if dice have not found one."""
    smaller = list(shrink(program))
    for _ in range(_TRIES):
        if smaller and dice.random() < 0.3:
            edited = dice.choice(smaller)
        else:
            edited = Program(_edit_block(program.body, dice), program.cancelled)
        if edited != program and is_well_formed(edited) and script(edited) == script(program):
            return edited
    return None


def _edit_block(block: Block, dice: Random) -> Block:
    """One edit in this block, or in a block inside it."""
    if not block:
        return _new(dice)
    place = dice.randrange(len(block))
    statement = block[place]
    inner = blocks_of(statement)
    if inner and dice.random() < 0.6:
        number = dice.randrange(len(inner))
        changed: Block = (with_block(statement, number, _edit_block(inner[number], dice)),)
        return (*block[:place], *changed, *block[place + 1 :])
    return dice.choice(_EDITS)(block, place, dice)


def _new(dice: Random) -> Block:
    return generate(dice, 1).body


def _insert(block: Block, place: int, dice: Random) -> Block:
    return (*block[:place], *_new(dice), *block[place:])


def _remove(block: Block, place: int, _: Random) -> Block:
    return (*block[:place], *block[place + 1 :])


def _repeat(block: Block, place: int, _: Random) -> Block:
    return (*block[: place + 1], *block[place:])


def _swap(block: Block, place: int, _: Random) -> Block:
    if place + 1 == len(block):
        return block
    return (*block[:place], block[place + 1], block[place], *block[place + 2 :])


def _replace(block: Block, place: int, dice: Random) -> Block:
    return (*block[:place], *_new(dice), *block[place + 1 :])


def _alter(block: Block, place: int, dice: Random) -> Block:
    """Other arguments for the same request."""
    return (*block[:place], _altered(block[place], dice), *block[place + 1 :])


def _altered(statement: Statement, dice: Random) -> Statement:
    match statement:
        case Call():
            return replace(statement, value=dice.randrange(100))
        case Store():
            return replace(statement, value=dice.randrange(100))
        case Sleep():
            return replace(statement, seconds=statement.seconds + 1)
        case _:
            return statement


_EDITS: tuple[Callable[[Block, int, Random], Any], ...] = (
    _insert,
    _remove,
    _repeat,
    _swap,
    _replace,
    _alter,
    _alter,
)
