"""How a program runs on asyncio alone: what to expect of everybody else.

`run_plain(program)` takes well under a millisecond: time is virtual, and tasks take none of it.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio import events
from collections.abc import Coroutine
from itertools import count
from typing import Any, NamedTuple, TypeVar

import msgspec
from tests.programs.interpreter import Interpreter, Reply, error_text
from tests.programs.language import (
    TASK_TIMEOUT,
    Call,
    ErrorName,
    Fails,
    Flakes,
    Program,
    Succeeds,
    TimesOut,
    make_error,
)
from tests.programs.rules import Message, script

T = TypeVar("T")


class Ending(msgspec.Struct, frozen=True):
    """How a run ended: `success` with a value, `failed` with an error, or `cancelled`."""

    status: str
    detail: Any = None


class Begun(NamedTuple):
    """A task that was begun."""

    task: str
    value: int
    attempts: int
    is_certain: bool
    """False: it hung, and may be cancelled before it was begun."""


class Expected(msgspec.Struct):
    """What a program does, by the path of each run in it; that of the first is empty."""

    endings: dict[str, Ending] = {}
    states: dict[str, dict[str, int]] = {}
    begun: dict[tuple[str, str], Begun] = {}
    """By the path of the run and the place in it."""
    loose: set[str] = set()
    """Runs that are cancelled before they can only hang, so that how far they get is not defined."""

    @property
    def ending(self) -> Ending:
        return self.endings[""]

    def is_loose(self, path: str) -> bool:
        """Whether it is a loose run, or belongs to one."""
        return any(path == loose or path.startswith(loose + "/") for loose in self.loose)


class RunExists(Exception):
    """Named as holdfast names it."""


def run_plain(program: Program) -> Expected:
    """Raises RuntimeError for a program that would wait for ever. May be called on a running loop."""
    loop = VirtualTimeLoop()
    world = _World(loop)
    try:
        _run_aside(loop, world.run_all(program))
    finally:
        loop.close()
    return world.expected


class VirtualTimeLoop(asyncio.BaseEventLoop):
    """asyncio's own loop, but for its clock: when nothing is ready, the next timer is."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = self
        self._clock_resolution = 1e-6
        self._now = 0.0

    def time(self) -> float:
        return self._now

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("the program waits for what will never happen")
        if timeout > 0:
            self._now = self._scheduled[0].when()  # pyright: ignore[reportAttributeAccessIssue]
        return []

    def _process_events(self, event_list: list[Any]) -> None:
        pass

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """A failure that nobody looked at is no mistake of the program."""


def _run_aside(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a loop to its end, also on another loop that is running."""
    outer = events._get_running_loop()
    swap: Any = getattr(asyncio.tasks, "_swap_current_task", None) if sys.version_info >= (3, 14) else None
    outer_task = swap(outer, None) if swap and outer else None
    events._set_running_loop(None)
    try:
        return loop.run_until_complete(coroutine)
    finally:
        events._set_running_loop(outer)
        if swap and outer:
            swap(outer, outer_task)


class _World:
    """All runs of one program, and what they leave."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.expected = Expected()
        self.names: set[str] = set()
        self.numbers = count()
        self.tasks: list[asyncio.Task[Any]] = []

    async def run_all(self, program: Program) -> None:
        first = self.start(program, "")
        client = self.loop.create_task(self._send(first, script(program)))
        for task in self.tasks:  # it grows while it is walked
            await asyncio.wait([task])
        await client
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"the interpreter has left something behind: {left}"

    def start(self, program: Program, path: str) -> _Run:
        run = _Run(self, path)
        run.task = self.loop.create_task(run.main(program))
        self.tasks.append(run.task)
        return run

    async def _send(self, run: _Run, messages: list[Message]) -> None:
        for message in messages:
            if message.at > self.loop.time():
                await asyncio.sleep(message.at - self.loop.time())
            if run.task.done():
                break
            self._deliver(run, message)

    def _deliver(self, run: _Run, message: Message) -> None:
        match message.kind:
            case "signal":
                run.queue(message.name).put_nowait(message.value)
            case "promise" if message.error is not None:
                run.settled(message.name).set_exception(make_error(message.error, message.value))
            case "promise":
                run.settled(message.name).set_result(message.value)
            case "cancel" if not run.task.cancelling():
                run.task.cancel()
            case "cancel":
                pass  # it is cleaning up, and nothing is to interrupt it


class _Handle(asyncio.Future[Any]):
    """Of a child. Cancelling it cancels the child, without waiting for its end."""

    child: asyncio.Task[Any]

    def cancel(self, msg: Any | None = None) -> bool:
        if not self.done():
            self.child.cancel()
        return super().cancel(msg)

    def settle(self, child: asyncio.Task[Any]) -> None:
        error = None if child.cancelled() else child.exception()
        if self.done():
            return
        if error is None:
            self.set_result(child.result())
        else:
            self.set_exception(error)


class _Run:
    """Implements `Durable`."""

    task: asyncio.Task[Any]

    def __init__(self, world: _World, path: str) -> None:
        self._world = world
        self._path = path
        self._queues: dict[str, asyncio.Queue[int]] = {}
        self._promises: dict[str, asyncio.Future[int]] = {}
        self._attached: list[_Handle] = []
        self._state = world.expected.states[path] = {}

    async def main(self, program: Program) -> int:
        endings = self._world.expected.endings
        try:
            value = await Interpreter(self).run(program)
            endings[self._path] = Ending("success", value)
            return value
        except asyncio.CancelledError:
            endings[self._path] = Ending("cancelled")
            raise
        except Exception as error:
            endings[self._path] = Ending("failed", error_text(error))
            raise
        finally:
            for handle in self._attached:
                handle.cancel()

    # --- tasks

    def _begin(self, place: str, begun: Begun) -> None:
        self._world.expected.begun[self._path, place] = begun

    def call(self, call: Call, place: str, value: int, trace: int) -> asyncio.Future[Reply]:
        return self._world.loop.create_task(self._do(call, place, value, trace))

    async def _do(self, call: Call, place: str, value: int, trace: int) -> Reply:
        match call.ends:
            case Succeeds():
                attempts = 1
            case Fails(_, attempts, at_once):
                attempts = 1 if at_once else attempts
            case Flakes(failures):
                attempts = failures + 1
            case TimesOut():
                attempts = 1
        self._begin(place, Begun(call.task, value, attempts, is_certain=True))
        await asyncio.sleep(attempts - 1)
        if isinstance(call.ends, Fails):
            raise make_error(call.ends.error, value)
        if isinstance(call.ends, TimesOut):
            await asyncio.sleep(TASK_TIMEOUT)
            raise TimeoutError
        return Reply(done(value), trace)

    def hang(self, place: str) -> asyncio.Future[Any]:
        self._begin(place, Begun("hang", 0, 1, is_certain=False))
        return self._world.loop.create_task(asyncio.Event().wait())

    def child(
        self, program: Program, place: str, *, name: str | None, detached: bool, loose: bool
    ) -> asyncio.Future[Any]:
        handle = _Handle(loop=self._world.loop)
        if name is not None:
            name = f"{self._path}:{name}"
            if name in self._world.names:
                handle.set_exception(RunExists(name))
                return handle
            self._world.names.add(name)
        path = f"{self._path}/{place}"
        if loose:
            self._world.expected.loose.add(path)
        handle.child = self._world.start(program, path).task
        handle.child.add_done_callback(handle.settle)
        if not detached:
            self._attached.append(handle)
        return handle

    # --- messages

    def queue(self, name: str) -> asyncio.Queue[int]:
        return self._queues.setdefault(name, asyncio.Queue())

    def settled(self, name: str) -> asyncio.Future[int]:
        if name not in self._promises:
            self._promises[name] = self._world.loop.create_future()
        return self._promises[name]

    def signal(self, name: str, timeout: float | None) -> asyncio.Future[int]:
        return self._world.loop.create_task(self._next(name, timeout))

    async def _next(self, name: str, timeout: float | None) -> int:
        async with asyncio.timeout(timeout):
            return await self.queue(name).get()

    def promise(self, name: str, timeout: float | None) -> asyncio.Future[int]:
        return self._world.loop.create_task(self._promised(name, timeout))

    async def _promised(self, name: str, timeout: float | None) -> int:
        async with asyncio.timeout(timeout):
            return await asyncio.shield(self.settled(name))

    def drain(self, name: str) -> list[int]:
        queue = self.queue(name)
        return [queue.get_nowait() for _ in range(queue.qsize())]

    # --- time and memory

    async def effect(self, place: str, error: ErrorName | None) -> int:
        number = next(self._world.numbers)
        if error is not None:
            raise make_error(error, number_of(place))
        return number

    def observe(self, what: str, place: str) -> object:
        return what

    def get_state(self, key: str) -> int | None:
        return self._state.get(key)

    def set_state(self, key: str, value: int | None) -> None:
        if value is None:
            self._state.pop(key, None)
        else:
            self._state[key] = value


def done(value: int) -> int:
    """What a task makes of what it is given."""
    return (value * 7 + 3) % 1000


def number_of(place: str) -> int:
    """Something to put into a message, the same everywhere."""
    return len(place)
