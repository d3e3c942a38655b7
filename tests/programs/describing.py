"""Programs as people read them: something close to Python."""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.language import (
    Assign,
    Await,
    Block,
    Call,
    Child,
    Drain,
    Effect,
    Fails,
    FanOut,
    Flakes,
    Forget,
    Hang,
    If,
    Load,
    Miss,
    Observe,
    Parallel,
    Program,
    Race,
    Raise,
    Receive,
    Repeat,
    Return,
    Sleep,
    Statement,
    Store,
    Timeout,
    TimesOut,
    Try,
)
from tests.programs.rules import patience, script


def describe(program: Program) -> str:
    """The program as pseudo-Python, and what is sent to it."""
    lines = ["async def program():", *_indented(program.body)]
    if program.cancelled:
        lines.append("    await forever")
    lines += [
        f"# after {message.at:g} s: {message.kind} {message.name} {message.error or message.value}".rstrip()
        for message in script(program)
    ]
    return "\n".join(lines)


def _indented(block: Block, instead: str = "pass") -> Iterator[str]:
    lines = [line for statement in block for line in _lines(statement)] or [instead]
    return (f"    {line}" for line in lines)


def _lines(statement: Statement) -> Iterator[str]:
    into = getattr(statement, "into", None)
    given = f"{into} = " if into is not None else ""
    match statement:
        case If():
            yield f"if {statement.on} % 2 == 0:"
            yield from _indented(statement.then)
            if statement.otherwise:
                yield "else:"
                yield from _indented(statement.otherwise)
        case Repeat():
            yield f"for _ in range({statement.times}):"
            yield from _indented(statement.body)
        case Try():
            yield from _try(statement)
        case Parallel():
            collects = ", errors are values" if statement.collects else ""
            yield f"{given}await lanes by {statement.how}{collects}:"
            for number, lane in enumerate(statement.lanes):
                yield f"  lane {number}:"
                yield from _indented(lane)
        case Race():
            yield from _race(statement, given)
        case Timeout():
            yield f"{given}await {statement.how} of {patience(statement.body):g} s:"
            yield from _indented(statement.body)
            if statement.fires:
                yield "    await forever"
        case Child():
            yield from _child(statement, given)
        case _:
            yield f"{given}{_simple(statement)}"


def _try(statement: Try) -> Iterator[str]:
    yield "try:"
    yield from _indented(statement.body)
    for handler in statement.handlers:
        yield f"except {handler.error}:"
        yield from _indented(handler.body)
    for word, block in (("else:", statement.otherwise), ("finally:", statement.ending)):
        if block:
            yield word
            yield from _indented(block)


def _race(statement: Race, given: str) -> Iterator[str]:
    yield f"{given}await race by {statement.how}:"
    yield "  winner:" if statement.hasty else f"  winner, after {patience(*statement.losers):g} s:"
    yield from _indented(statement.winner)
    for loser in statement.losers:
        yield "  loser:"
        yield from _indented(loser)
        yield "    await forever"
    for _ in range(statement.strays):
        yield "  loser: the task hang()"


def _child(statement: Child, given: str) -> Iterator[str]:
    traits = [
        *(["detached"] if statement.detached else []),
        *(["with an id"] if statement.named else []),
        *(["and another of the same id"] if statement.twice else []),
    ]
    what = " ".join(["child", *traits])
    match statement.then:
        case "await":
            yield f"{given}await {what}:"
        case "leave":
            yield f"start {what}:"
        case "cancel":
            yield f"{given}start {what}, and cancel it after {patience(statement.body):g} s:"
        case "cancel_at_once":
            yield f"start {what}, and cancel it at once:"
    yield from _indented(statement.body)
    if statement.then.startswith("cancel"):
        yield "    await forever"


def _call(call: Call) -> str:
    match call.ends:
        case Fails(error, attempts, at_once):
            how = f", raises {error} at once" if at_once else f", raises {error} in {attempts} attempts"
        case Flakes():
            how = f", fails {call.ends.failures} times"
        case TimesOut():
            how = ", is silent until it times out" if call.ends.silent else ", hangs until it times out"
        case _:
            how = ""
    return f"{call.task}({call.value}{how})"


def _simple(statement: Statement) -> str:
    match statement:
        case Call():
            return f"await {_call(statement)}"
        case FanOut():
            return f"await {statement.how}({', '.join(map(_call, statement.calls))})"
        case Sleep():
            return f"await sleep({statement.seconds:g})"
        case Hang():
            return f"await {statement.on} that never comes"
        case Raise():
            return f"raise {statement.error}({statement.value})"
        case Return():
            return f"return {statement.value}"
        case Assign():
            return f"{statement.value} + {statement.plus}"
        case Store():
            return f"state[{statement.key!r}] = {statement.value}"
        case Load():
            return f"state.get({statement.key!r})"
        case Forget():
            return f"del state[{statement.key!r}]"
        case Observe():
            return f"look at {statement.what}"
        case Effect():
            return f"side effect that raises {statement.error}" if statement.error else "side effect"
        case Receive():
            return f"await signal({statement.signal!r})" + ("" if statement.patient else " with a timeout")
        case Drain():
            return f"await {statement.count} of signal({statement.signal!r})"
        case Await():
            return f"await promise({statement.promise!r})"
        case Miss():
            return f"await {statement.kind} that never comes, with a timeout"
        case _:
            raise AssertionError(statement)
