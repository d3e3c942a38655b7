"""The one interpreter of programs: plain asyncio, with the few durable things behind the protocol `Durable`.

`plain` has an implementation that knows nothing of holdfast, and `durable` one that runs inside a workflow.
So whatever the two disagree about is the doing of what is behind the protocol, or of the event loop.

A run keeps a *trace*: a checksum of all that its lanes saw, in the order in which they saw it. Every task is
handed the trace and gives it back with its result. In a replay, what comes back is the trace of the first
time; if it is another than that of the replay, the run ends with `Diverged`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, TypeAlias
from zlib import crc32

from tests.programs.lanes import Interruption, Lanes, finish, run_lanes, run_race, wait_for_handles
from tests.programs.language import (
    CAUGHT,
    MARGIN,
    TASK_TIMEOUT,
    Assign,
    Await,
    Block,
    Call,
    Child,
    Drain,
    Effect,
    ErrorName,
    FanOut,
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
    Try,
    Value,
    make_error,
)
from tests.programs.rules import patience

AGES = 1e10
"""Seconds. Some three hundred years."""


class Reply(NamedTuple):
    """What a task gives back: its value, and the trace it was given."""

    value: int
    trace: int


class Durable(Protocol):
    """What a run asks of whoever runs it. A `place` is unique in a run, and the same every time."""

    def call(self, call: Call, place: str, value: int, trace: int) -> asyncio.Future[Reply]: ...
    def hang(self, place: str) -> asyncio.Future[Any]:
        """A task that never ends."""
        ...

    def child(
        self, program: Program, place: str, *, name: str | None, detached: bool, loose: bool
    ) -> asyncio.Future[Any]:
        """`loose`: how far it gets before it is cancelled is not defined."""
        ...

    def signal(self, name: str, timeout: float | None) -> asyncio.Future[int]: ...
    def promise(self, name: str, timeout: float | None) -> asyncio.Future[int]: ...
    def drain(self, name: str) -> list[int]: ...
    def effect(self, place: str, error: ErrorName | None) -> Awaitable[int]: ...
    def observe(self, what: str, place: str) -> object: ...
    def get_state(self, key: str) -> int | None: ...
    def set_state(self, key: str, value: int | None) -> None:
        """None deletes it."""
        ...


class Diverged(Exception):
    """A replay saw something else than the run did."""


class Returned(NamedTuple):
    value: int


Flow: TypeAlias = Returned | None
"""Whether a block was left by a Return."""


class Lane:
    """One strand of a run: its variables, and a checksum of every value that it came by."""

    __slots__ = ("name", "steps", "total", "variables")

    def __init__(self, name: str, variables: dict[str, int]) -> None:
        self.name = name
        self.variables = variables
        self.steps = 0
        self.total = 0

    def place(self) -> str:
        """The name of the next thing that this lane does."""
        self.steps += 1
        return f"{self.name}#{self.steps}"

    def value(self, value: Value) -> int:
        return value if isinstance(value, int) else self.variables.get(value, 0)

    def take(self, value: Any, into: str | None = None) -> None:
        self.total = fold(self.total, value)
        if into is not None:
            self.variables[into] = self.total % 1000


def fold(total: int, value: Any) -> int:
    return crc32(repr(value).encode(), total)


def error_text(error: BaseException) -> str:
    """A failure as it is compared: the class and what it says."""
    if isinstance(error, TimeoutError):
        return "TimeoutError"  # holdfast says which task, and has a class of its own for it
    return f"{type(error).__name__}: {error}"


def error_value(error: BaseException) -> Any:
    """A failure as a value: also what it was made of."""
    return error_text(error) if isinstance(error, TimeoutError) else (error_text(error), error.args)


class Interpreter:
    """Runs one program once."""

    def __init__(self, durable: Durable) -> None:
        self._durable = durable
        self._diverged: list[str] = []
        self._spare: dict[str, list[int]] = {}
        """Messages that came in a bunch with others that were wanted."""
        self.trace = 0

    async def run(self, program: Program) -> int:
        lane = Lane("", {})
        try:
            flow = await self.execute(program.body, lane)
            if flow is None and program.cancelled:
                await asyncio.sleep(AGES)
        finally:
            if self._diverged:
                raise Diverged(", ".join(self._diverged))
        return lane.total if flow is None else flow.value

    def note(self, *seen: object) -> None:
        """Something that may be otherwise in another run, but not in a replay of this one."""
        self.trace = fold(self.trace, seen)

    async def execute(self, block: Block, lane: Lane) -> Flow:
        for statement in block:
            flow = await _ACTIONS[type(statement)](self, statement, lane)
            if flow is not None:
                return flow
        return None

    # --- lanes

    async def in_lane(self, block: Block, lane: Lane) -> int:
        flow = await self.execute(block, lane)
        value = lane.total if flow is None else flow.value
        self.note(lane.name, value)
        return value

    async def lose(self, block: Block, lane: Lane) -> None:
        """A lane that does not end by itself."""
        interruption = Interruption()
        try:
            await self.in_lane(block, lane)
        except Exception as error:
            if interruption:
                raise
            self.note(lane.name, error_text(error))
        await asyncio.sleep(AGES)

    def _lanes(self, blocks: Sequence[Block], parent: Lane) -> list[Lane]:
        place = parent.place()
        return [Lane(f"{place}.{number}", dict(parent.variables)) for number in range(len(blocks))]

    async def _parallel(self, it: Parallel, lane: Lane) -> None:
        inner = self._lanes(it.lanes, lane)
        lanes = Lanes(lambda number: self.in_lane(it.lanes[number], inner[number]), len(inner), self.note)
        was_interrupted = await run_lanes(it.how, lanes)
        if was_interrupted or not it.collects:
            raise_first(lanes.begun)
        if was_interrupted:
            raise asyncio.CancelledError
        lane.take([outcome(future) for future in lanes.begun], it.into)

    async def _race(self, it: Race, lane: Lane) -> None:
        winning, *losing = self._lanes((it.winner, *it.losers), lane)

        async def win() -> int:
            await asyncio.sleep(0 if it.hasty else patience(*it.losers))
            return await self.in_lane(it.winner, winning)

        losers = [asyncio.create_task(self.lose(*each)) for each in zip(it.losers, losing, strict=True)]
        strays = [self._durable.hang(lane.place()) for _ in range(it.strays)]
        winner, was_interrupted = await run_race(it.how, win, [*losers, *strays], self.note)
        raise_first([winner, *losers] if was_interrupted else [winner])
        if was_interrupted:
            raise asyncio.CancelledError
        lane.take([outcome(future) for future in (winner, *losers)], it.into)

    async def _timeout(self, it: Timeout, lane: Lane) -> None:
        [inner] = self._lanes((it.body,), lane)
        limit = patience(it.body)

        async def body() -> int:
            value = await self.in_lane(it.body, inner)
            if it.fires:
                await asyncio.sleep(AGES)
            return value

        match it.how:
            case "timeout":
                async with asyncio.timeout(limit):
                    value = await body()
            case "wait_for":
                value = await asyncio.wait_for(body(), limit)
            case "wait":
                value = await self._wait_with_limit(asyncio.create_task(body()), limit)
        lane.take(value, it.into)

    async def _wait_with_limit(self, task: asyncio.Task[int], limit: float) -> int:
        try:
            done, pending = await asyncio.wait([task], timeout=limit)
            self.note(len(done), len(pending))
        finally:
            await finish([task], cancel=True)
            raise_first([task])
        if task.cancelled():
            raise TimeoutError
        return task.result()

    # --- tasks and children

    def _ask(self, call: Call, lane: Lane) -> asyncio.Future[Reply]:
        """A task. What comes back with its value is the trace as it was before this."""
        return self._durable.call(call, lane.place(), lane.value(call.value), self.trace)

    def _hear(self, handle: asyncio.Future[Reply], trace: int, place: str) -> Any:
        """The outcome of a task; and was the trace the same when it was asked for?"""
        if handle.exception() is None and handle.result().trace != trace:
            self._diverged.append(f"{place}: trace {trace} was {handle.result().trace}")
        return outcome(handle)

    async def _call(self, it: Call, lane: Lane) -> None:
        trace = self.trace
        handle = self._ask(it, lane)
        try:
            reply = await handle
        finally:
            self.note(lane.name, self._durable.observe("now", lane.name))
        self._hear(handle, trace, lane.name)
        lane.take(reply.value, it.into)

    async def _fan_out(self, it: FanOut, lane: Lane) -> None:
        trace = self.trace
        handles = [self._ask(call, lane) for call in it.calls]
        interruption = Interruption()
        with suppress(asyncio.CancelledError, Exception):  # what a task raised, its handle has
            await wait_for_handles(it.how, handles, self.note)
        await finish(handles, cancel=bool(interruption))
        if interruption:
            raise asyncio.CancelledError
        lane.take([self._hear(handle, trace, lane.name) for handle in handles], it.into)

    async def _hang(self, it: Hang, lane: Lane) -> None:
        match it.on:
            case "task":
                await self._durable.hang(lane.place())
            case "sleep":
                await asyncio.sleep(AGES)
            case "signal":
                await self._durable.signal("never", None)
            case "promise":
                await self._durable.promise("never", None)
            case "event":
                await asyncio.Event().wait()

    async def _child(self, it: Child, lane: Lane) -> None:
        place = lane.place()
        name = place if it.named else None
        is_loose = it.then == "cancel_at_once" or (it.then == "leave" and not it.detached)
        is_cancelled = it.then in ("cancel", "cancel_at_once")
        handle = self._durable.child(
            Program(it.body, is_cancelled), place, name=name, detached=it.detached, loose=is_loose
        )
        if it.twice:
            await self._start_again(it, name, lane)
        match it.then:
            case "await":
                lane.take(await handle, it.into)
            case "cancel":
                await asyncio.sleep(patience(it.body))
                handle.cancel()
                raise_first([handle])
                lane.take(outcome(handle), it.into)
            case "cancel_at_once":
                handle.cancel()
            case "leave":
                # Otherwise the run would fail if the child fails before the run ends, which is not defined.
                handle.add_done_callback(_look_at)

    async def _start_again(self, it: Child, name: str | None, lane: Lane) -> None:
        second = self._durable.child(Program(it.body), lane.place(), name=name, detached=True, loose=True)
        try:
            lane.take(await second)
        except Exception as error:
            lane.take(type(error).__name__)

    # --- messages, time and memory

    async def _receive(self, it: Receive, lane: Lane) -> None:
        spare = self._spare.get(it.signal)
        limit = None if it.patient else it.late + MARGIN
        value = spare.pop(0) if spare else await self._durable.signal(it.signal, limit)
        self.note(lane.name, value)
        lane.take(value, it.into)

    async def _drain(self, it: Drain, lane: Lane) -> None:
        spare = self._spare.setdefault(it.signal, [])
        while len(spare) < it.count:
            bunch = self._durable.drain(it.signal)
            self.note(lane.name, bunch)
            spare += bunch or [await self._durable.signal(it.signal, None)]
        lane.take(spare[: it.count])
        del spare[: it.count]

    async def _await(self, it: Await, lane: Lane) -> None:
        value = await self._durable.promise(it.promise, None)
        self.note(lane.name, value)
        lane.take(value, it.into)

    async def _miss(self, it: Miss, lane: Lane) -> None:
        ask = self._durable.signal if it.kind == "signal" else self._durable.promise
        await ask("never", TASK_TIMEOUT)

    async def _sleep(self, it: Sleep, lane: Lane) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await asyncio.sleep(it.seconds)
        lane.take(loop.time() - began >= it.seconds - 0.000_002)  # instants are in microseconds
        self.note(lane.name, loop.time())

    async def _observe(self, it: Observe, lane: Lane) -> None:
        self.note(it.what, self._durable.observe(it.what, lane.place()))

    async def _effect(self, it: Effect, lane: Lane) -> None:
        self.note(await self._durable.effect(lane.place(), it.error))

    async def _store(self, it: Store, lane: Lane) -> None:
        self._durable.set_state(f"{lane.name}:{it.key}", lane.value(it.value))

    async def _load(self, it: Load, lane: Lane) -> None:
        lane.take(self._durable.get_state(f"{lane.name}:{it.key}"), it.into)

    async def _forget(self, it: Forget, lane: Lane) -> None:
        self._durable.set_state(f"{lane.name}:{it.key}", None)

    async def _assign(self, it: Assign, lane: Lane) -> None:
        lane.variables[it.into] = (lane.value(it.value) + it.plus) % 1000

    # --- control

    async def _raise(self, it: Raise, lane: Lane) -> None:
        raise make_error(it.error, lane.value(it.value))

    async def _return(self, it: Return, lane: Lane) -> Flow:
        return Returned(lane.value(it.value))

    async def _if(self, it: If, lane: Lane) -> Flow:
        return await self.execute(it.then if lane.value(it.on) % 2 == 0 else it.otherwise, lane)

    async def _repeat(self, it: Repeat, lane: Lane) -> Flow:
        flow = None
        for _ in range(it.times):
            flow = flow or await self.execute(it.body, lane)
        return flow

    async def _try(self, it: Try, lane: Lane) -> Flow:
        """What was cancelled and then failed in cleaning up is not caught: it would never end."""
        interruption = Interruption()
        try:
            try:
                flow = await self.execute(it.body, lane)
            except Exception as error:
                handler = next((each for each in it.handlers if isinstance(error, CAUGHT[each.error])), None)
                if handler is None or interruption:
                    raise
                lane.take(error_value(error))
                flow = await self.execute(handler.body, lane)
            else:
                flow = flow or await self.execute(it.otherwise, lane)
        finally:
            last = await self.execute(it.ending, lane)
        return flow or last


def outcome(future: asyncio.Future[Any]) -> Any:
    """How a lane or a task ended, as a value."""
    if future.cancelled():
        return "cancelled"
    error = future.exception()
    if error is not None:
        return error_value(error)
    value = future.result()
    return value.value if isinstance(value, Reply) else value


def raise_first(futures: Iterable[asyncio.Future[Any]]) -> None:
    """Raise the failure of the first of them that failed; being cancelled is none."""
    for future in futures:
        error = None if future.cancelled() else future.exception()
        if error is not None:
            raise error


_I = Interpreter
_ACTIONS: dict[type[Statement], Callable[[Interpreter, Any, Lane], Awaitable[Flow]]] = {
    Call: _I._call,
    FanOut: _I._fan_out,
    Sleep: _I._sleep,
    Hang: _I._hang,
    Raise: _I._raise,
    Return: _I._return,
    Assign: _I._assign,
    Store: _I._store,
    Load: _I._load,
    Forget: _I._forget,
    Observe: _I._observe,
    Effect: _I._effect,
    Receive: _I._receive,
    Drain: _I._drain,
    Await: _I._await,
    Miss: _I._miss,
    If: _I._if,
    Repeat: _I._repeat,
    Try: _I._try,
    Parallel: _I._parallel,
    Race: _I._race,
    Timeout: _I._timeout,
    Child: _I._child,
}


def _look_at(child: asyncio.Future[Any]) -> None:
    if not child.cancelled():
        child.exception()
