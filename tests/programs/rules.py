"""What can be said of a program without running it: how long it takes, what it needs, if it makes sense."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec
from tests.programs.language import (
    MARGIN,
    RETRYING,
    TASK_TIMEOUT,
    Await,
    Block,
    Call,
    Child,
    Drain,
    ErrorName,
    FanOut,
    Hang,
    If,
    Miss,
    Parallel,
    Program,
    Race,
    Receive,
    Repeat,
    Sleep,
    Statement,
    Succeeds,
    Timeout,
    TimesOut,
    Try,
)

# --- time -------------------------------------------------------------------------------------


def longest(block: Block) -> float:
    """Seconds that the block takes at the most until it is over or hangs, if nothing crashes."""
    return sum(map(_longest, block))


def _longest(statement: Statement) -> float:
    match statement:
        case Call():
            return {Succeeds: 0.0, TimesOut: TASK_TIMEOUT}.get(type(statement.ends), RETRYING)
        case FanOut():
            return sum(map(_longest, statement.calls))
        case Sleep():
            return statement.seconds
        case Miss():
            return TASK_TIMEOUT
        case Receive() | Drain() | Await():
            return statement.late
        case If():
            return max(longest(statement.then), longest(statement.otherwise))
        case Repeat():
            return statement.times * longest(statement.body)
        case Try():
            handling = max((longest(each.body) for each in statement.handlers), default=0.0)
            parts = (statement.body, statement.otherwise, statement.ending)
            return handling + sum(map(longest, parts))
        case Parallel():
            return sum(map(longest, statement.lanes))
        case Race():
            cleaning_up = sum(map(longest, statement.losers))
            return longest(statement.winner) + patience(*statement.losers) + cleaning_up
        case Timeout():
            return patience(statement.body) + longest(statement.body)
        case Child(then="await"):
            return longest(statement.body)
        case Child(then="cancel"):
            return patience(statement.body)
        case _:
            return 0.0


def patience(*blocks: Block) -> float:
    """Seconds after which the blocks are certainly over, or hang."""
    return sum(map(longest, blocks)) + MARGIN


# --- what comes from outside ------------------------------------------------------------------


class Message(msgspec.Struct, frozen=True):
    """`at` seconds after the start. For a promise, `error` rejects it."""

    at: float
    kind: Literal["signal", "promise", "cancel"]
    name: str
    value: int = 0
    error: ErrorName | None = None


def script(program: Program) -> list[Message]:
    """All messages that the program needs, in the order in which they are to be sent."""
    signals: dict[str, list[float]] = {}
    promises: dict[str, Message] = {}
    for statement, times in _walk_counted(program.body, 1):
        match statement:
            case Receive():
                signals.setdefault(statement.signal, []).extend([statement.late] * times)
            case Drain():
                signals.setdefault(statement.signal, []).extend([statement.late] * times * statement.count)
            case Await():
                value = promised(statement.promise)
                message = Message(statement.late, "promise", statement.promise, value, statement.rejected)
                promises.setdefault(statement.promise, message)
            case _:
                pass
    messages = list(promises.values())
    for name, times in signals.items():
        at = min(times)  # all at once: the values must be in order
        messages += [Message(at, "signal", name, number) for number in range(len(times))]
    if program.cancelled:
        messages += [Message(patience(program.body), "cancel", "")] * 2  # twice is once
    return sorted(messages, key=lambda message: message.at)


def promised(name: str) -> int:
    return int(name[1:])


# --- walking ----------------------------------------------------------------------------------


def blocks_of(statement: Statement) -> tuple[Block, ...]:
    """The blocks directly inside a statement."""
    match statement:
        case If():
            return (statement.then, statement.otherwise)
        case Repeat() | Timeout() | Child():
            return (statement.body,)
        case Try():
            bodies = (each.body for each in statement.handlers)
            return (statement.body, *bodies, statement.otherwise, statement.ending)
        case Parallel():
            return statement.lanes
        case Race():
            return (statement.winner, *statement.losers)
        case _:
            return ()


def size_of(block: Block) -> int:
    """How many statements there are, on all levels."""
    return sum(1 + sum(map(size_of, blocks_of(each))) for each in block)


def _walk_counted(block: Block, times: int) -> Iterator[tuple[Statement, int]]:
    """Every statement of one run, with how often it may be done."""
    for statement in block:
        yield statement, times
        again = statement.times if isinstance(statement, Repeat) else 1
        for inner in blocks_of(statement):
            yield from _walk_counted(inner, times * again)


# --- what makes sense -------------------------------------------------------------------------

Region: TypeAlias = Literal["free", "held", "held by a timer"]
"""Whether something will cancel what hangs here, and whether a timer keeps the run alive until then."""
_BY_TIMER: Region = "held by a timer"


def is_well_formed(program: Program) -> bool:
    """Whether nothing hangs for ever, and children ask for no messages, which nobody would send them."""
    return _is_sound(program.body, "held" if program.cancelled else "free", in_child=False)


def _is_sound(block: Block, region: Region, *, in_child: bool) -> bool:
    return all(_fits(statement, region, in_child) for statement in block)


def _fits(statement: Statement, region: Region, in_child: bool) -> bool:
    if isinstance(statement, Hang):
        return region == _BY_TIMER or (region == "held" and statement.on != "event")
    if in_child and (isinstance(statement, (Receive, Drain, Await)) or _may_be_orphaned(statement)):
        return False
    if isinstance(statement, Race) and statement.hasty and not all(map(hangs_at_once, statement.losers)):
        return False
    regions = _regions(statement, region)
    inside = in_child or isinstance(statement, Child)
    return all(
        _is_sound(block, inner, in_child=inside)
        for block, inner in zip(blocks_of(statement), regions, strict=True)
    )


def _may_be_orphaned(statement: Statement) -> bool:
    """A detached child that its parent means to see to; but the parent may be a child that is cancelled."""
    return isinstance(statement, Child) and statement.detached and statement.then != "leave"


def _regions(statement: Statement, around: Region) -> tuple[Region, ...]:
    """The region of each block inside a statement."""
    blocks = blocks_of(statement)
    match statement:
        case Try():
            return (*(around for _ in blocks[1:]), "free")
        case Race():
            return (around, *(_BY_TIMER for _ in blocks[1:]))
        case Timeout():
            return (_BY_TIMER,)
        case Child():
            return (child_region(statement, around),)
        case _:
            return (around,) * len(blocks)


def child_region(child: Child, around: Region) -> Region:
    if child.then == "leave":
        return "free" if child.detached else "held"  # its parent's end cancels it
    return "held" if child.then != "await" or around != "free" else "free"


def hangs_at_once(block: Block) -> bool:
    match block[:1]:
        case (Hang(),):
            return True
        case (Try() as guarded,):
            return hangs_at_once(guarded.body)
        case _:
            return False
