"""Programs as workflows of holdfast: `register(catalog)` gives the workflow, whose input is the program.

    workflow = register(catalog)
    run = await hf.start(workflow, generate(dice, 20))

Children are programs as well; `path` says whose child a run is, and is empty for the first. Where holdfast
has several ways to ask for the same thing (a task by name or by itself, a workflow as a function or as a
class), the place in the program decides which is taken.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from tests.programs.interpreter import Interpreter, Reply
from tests.programs.language import (
    TASK_TIMEOUT,
    Call,
    Ends,
    ErrorName,
    Fails,
    Flaked,
    Flakes,
    Program,
    TimesOut,
    make_error,
)
from tests.programs.plain import done, number_of

from holdfast import Catalog, Context, Retry, context, task, task_context, workflow

_numbers = count()
"""What side effects give: another number each time."""


class Hanging:
    """How many attempts hang right now: whoever waits for quiet must not wait for them."""

    def __init__(self) -> None:
        self.count = 0

    async def hang(self) -> None:
        self.count += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.count -= 1


hanging = Hanging()


class Beginning(NamedTuple):
    """An attempt at a task was begun."""

    path: str
    place: str
    task: str
    value: int
    id: str
    attempt: int


def _ignore(_: Beginning) -> None:
    pass


class _Made(NamedTuple):
    """What is in a catalog."""

    tasks: dict[str, Any]
    workflows: list[Any]


def register(
    catalog: Catalog,
    on_begin: Callable[[Beginning], None] = _ignore,
    failures: Counter[str] | None = None,
    edits: Mapping[Program, Program] | None = None,
) -> Any:
    """Put the workflow and its tasks into a catalog. `on_begin` hears of every attempt, on any thread.

    `edits` stand for edited code: a run of such a program runs the other one from when it is next replayed.

    `failures` is where flaky tasks remember how often they have failed, by their id. So all nodes must be in
    one process; and where ids come again, as in several environments, whoever counts attempts clears it.
    """
    edits = {} if edits is None else edits
    made = _Made(_register_tasks(catalog, on_begin, Counter() if failures is None else failures), [])

    @workflow(name="program", catalog=catalog)
    async def run_program(program: Program, path: str = "") -> int:
        return await Interpreter(_Run(made, context(), path)).run(edits.get(program, program))

    @workflow(name="program as a class", version=1, catalog=catalog)
    class ProgramAsClass:
        async def run(self, ctx: Context, program: Program, path: str) -> int:
            return await Interpreter(_Run(made, ctx, path)).run(program)

    made.workflows.extend([run_program, ProgramAsClass])
    return run_program


def _register_tasks(
    catalog: Catalog, on_begin: Callable[[Beginning], None], failures: Counter[str]
) -> dict[str, Any]:
    def begin(path: str, place: str, value: int) -> None:
        now = task_context()
        on_begin(Beginning(path, place, now.name, value, now.idempotency_key, now.attempt))

    @task(name="work", catalog=catalog)
    async def work(path: str, place: str, value: int, ends: Ends, trace: int) -> Reply:
        begin(path, place, value)
        if isinstance(ends, TimesOut):
            await hanging.hang()
        return _end(ends, failures, value, trace)

    @task(name="toil", catalog=catalog)
    def toil(path: str, place: str, value: int, ends: Ends, trace: int) -> Reply:
        begin(path, place, value)
        return _end(ends, failures, value, trace)

    @task(name="hang", catalog=catalog)
    async def hang(path: str, place: str) -> None:
        begin(path, place, 0)
        await hanging.hang()

    return {"work": work, "toil": toil, "hang": hang}


def _end(ends: Ends, failures: Counter[str], value: int, trace: int) -> Reply:
    id = task_context().idempotency_key
    match ends:
        case Fails():
            raise make_error(ends.error, value)
        case Flakes() if failures[id] < ends.failures:
            failures[id] += 1
            raise Flaked(f"failure {failures[id]}")
        case _:
            return Reply(done(value), trace)


def _options(call: Call) -> dict[str, Any]:
    match call.ends:
        case Fails():
            never = (type(make_error(call.ends.error, 0)),) if call.ends.at_once else ()
            return {"retry": Retry(max_attempts=call.ends.attempts, never_on=never)}
        case Flakes():
            return {"retry": Retry(max_attempts=call.ends.failures + 1)}
        case TimesOut():
            limit = dt.timedelta(seconds=TASK_TIMEOUT)
            return {"heartbeat": limit} if call.ends.silent else {"timeout": limit}
        case _:
            return {}


class _Run:
    """Implements `Durable`, inside a workflow."""

    def __init__(self, made: _Made, ctx: Context, path: str) -> None:
        self._made = made
        self._ctx = ctx
        self._path = path
        self._latest = ctx.now()

    # --- tasks

    def call(self, call: Call, place: str, value: int, trace: int) -> asyncio.Future[Reply]:
        options = _options(call)
        arguments: Any = {
            "path": self._path,
            "place": place,
            "value": value,
            "ends": call.ends,
            "trace": trace,
        }
        if options:
            return self._made.tasks[call.task].options(**options)(**arguments)
        if _parity(place):
            return self._ctx.schedule(call.task, **arguments)
        return self._made.tasks[call.task](**arguments)

    def hang(self, place: str) -> asyncio.Future[Any]:
        return self._made.tasks["hang"](self._path, place)

    def child(
        self, program: Program, place: str, *, name: str | None, detached: bool, loose: bool
    ) -> asyncio.Future[Any]:
        id = None if name is None else f"{self._ctx.run_id}:{name}"
        path = f"{self._path}/{place}"
        kind = self._made.workflows[_parity(place)]
        if len(place) % 3:
            return kind.options(id=id, detached=detached)(program, path)
        return self._ctx.start_child(kind.name, program, path, id=id, detached=detached)

    # --- messages

    def signal(self, name: str, timeout: float | None) -> asyncio.Future[int]:
        return self._ctx.signal(name, int, timeout=_span(timeout))

    def promise(self, name: str, timeout: float | None) -> asyncio.Future[int]:
        return self._ctx.promise(name, int, timeout=_span(timeout), same=True)

    def drain(self, name: str) -> list[int]:
        return self._ctx.drain_signals(name, int)

    # --- time and memory

    async def effect(self, place: str, error: ErrorName | None) -> int:
        if _parity(place):
            return await self._ctx.run(place, _affect, place, error)
        return await self._ctx.step(place, partial(_affect_later, place, error))

    def observe(self, what: str, place: str) -> object:
        ctx = self._ctx
        match what:
            case "now":
                before, self._latest = self._latest, ctx.now()
                assert self._latest >= before, "time went back"
                return self._latest
            case "random":
                return ctx.random.random()
            case "uuid":
                return ctx.uuid4()
            case "signals":
                return [ctx.has_signal(f"s{number}") for number in range(10)]
            case "patched":
                return ctx.patched(place)
            case "log":
                return ctx.logger.debug("%s was here", place)
            case _:
                return (
                    ctx.run_id,
                    ctx.namespace,
                    ctx.workflow,
                    ctx.version,
                    ctx.cancel_requested,
                    ctx.input["path"],
                    ctx.state.keys(),
                )

    def get_state(self, key: str) -> int | None:
        return self._ctx.state.get(key, int)

    def set_state(self, key: str, value: int | None) -> None:
        if value is None:
            self._ctx.state.delete(key)
        else:
            self._ctx.state.set(key, value)


def _affect(place: str, error: ErrorName | None) -> int:
    if error is not None:
        raise make_error(error, number_of(place))
    return next(_numbers)


async def _affect_later(place: str, error: ErrorName | None) -> int:
    await asyncio.sleep(0)
    return _affect(place, error)


def _parity(place: str) -> int:
    return int(place[-1]) % 2


def _span(seconds: float | None) -> dt.timedelta | None:
    return None if seconds is None else dt.timedelta(seconds=seconds)
