"""What today's code makes of a recording: what it reads, what it replays, and where it takes it."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from tests.compat.dags import forget_earlier_editions
from tests.compat.flows import complete
from tests.compat.workflows import World, catalog
from tests.patience import PATIENCE

from holdfast import Holdfast, RunInfo
from holdfast.authoring.catalog import Definitions
from holdfast.core.events import Reopened
from holdfast.core.history import Past, read_steps, restore
from holdfast.core.journal import (
    MessageAsked,
    QuestionAsked,
    QuestionClosed,
    StateAsked,
    TaskAsked,
    TaskRecorded,
    read_options,
    read_step,
    write_step,
)
from holdfast.core.pieces import finish
from holdfast.core.policies import TaskOptions
from holdfast.core.records import History
from holdfast.core.values import Instant
from holdfast.ports.programs import StepOwner
from holdfast.testing import Environment

LIMITS = {"narrow": 1}
"""Of the queue of tasks that hold on, so that others wait behind them."""

_MOST = 10_000


async def read(url: str) -> dict[str, Any]:
    """All runs by id, as their users see them and as their journals tell them, in plain values."""
    found: dict[str, Any] = {}
    async with Holdfast(url, engine=False, catalog=catalog) as hf:
        for info in await hf.list(limit=_MOST):
            history = await hf.history(info.key)
            await _learn(hf, history)
            found[info.id] = {
                "info": _plain(info),
                "state": await hf.state(info.key),
                "journal": [_plain(step) for step in read_steps(history)],
                "tasks": [_plain(task) for task in history.tasks],
                "messages": [_plain(message) for message in history.messages],
                "children": [_plain(child) for child in history.children],
                "logs": [_plain(line) for line in await hf.logs(info.key)],
            }
            if info.status.is_final:
                found[info.id]["result"] = await _result(hf, info)
    return dict(sorted(found.items()))


async def read_schedules(url: str) -> list[Any]:
    async with Holdfast(url, engine=False, catalog=catalog) as hf:
        schedules = [_plain(schedule) for schedule in await hf.schedules.list()]
    for each in schedules:
        each.pop("hash", None)  # of what else is there; older versions do not know it
    return schedules


async def _learn(hf: Holdfast, history: History) -> None:
    """An edition of a DAG that only the database has, as a node would that takes a run of it."""
    definitions, run = hf._parts.definitions, history.run
    if definitions.lacks(run):
        for known in await hf._store.find_definitions(run.namespace, [(run.workflow, run.version)]):
            definitions.learn(known)


async def _result(hf: Holdfast, info: RunInfo) -> str:
    """Through the type that the workflow promises, where it has come to one."""
    expected = hf._parts.definitions.workflow(info.workflow, info.version).signature.unpack_result
    try:
        plain = await hf.result(info.id)
    except Exception as error:
        # The classes of `type(error)`: a user's `except` must go on to find what it found.
        kinds = [kind.__name__ for kind in type(error).__mro__ if issubclass(kind, Exception)]
        return f"{' '.join(kinds)}: {error}"
    history = await hf.history(info.key)
    assert history.run.output is not None
    typed = expected(history.run.output)
    return repr(plain) if isinstance(typed, (dict, list)) else repr(typed)


async def replay(url: str) -> dict[str, int]:
    """From every point of every journal, have the code take the next step, and compare it with what it took.

    How many steps there were to each run. Raises AssertionError, and whatever a program protests with.
    """
    replayed: dict[str, int] = {}
    async with Holdfast(url, engine=False, catalog=catalog) as hf:
        definitions = hf._parts.definitions
        for info in await hf.list(limit=_MOST):
            history = await hf.history(info.key)
            await _learn(hf, history)
            past = restore(history)
            if not info.status.is_final:
                finish(definitions.replay(history.run, restore(history), 1)).dispose()
            for number in range(len(past.steps)):
                _take_again(definitions, history, past, number)
            replayed[info.id] = len(past.steps)
    return dict(sorted(replayed.items()))


def _take_again(definitions: Definitions, history: History, past: Past, number: int) -> None:
    step = past.steps[number]
    if any(isinstance(event, Reopened) for event in step.events):
        return  # written by whoever opened the run again, and not by its code
    before = msgspec.structs.replace(restore(history), steps=past.steps[:number])
    program = finish(definitions.replay(history.run, before, 1))
    if isinstance(program, StepOwner) and any(isinstance(asked, TaskRecorded) for asked in step.asked):
        program.dispose()
        return  # code did side effects in place then; today it asks for a step
    commands = program.advance(step.at, step.events)
    program.dispose()
    again = read_step(number, write_step(step.at, step.events, commands)).requests()
    # A run that was opened again states what is in its state each time that it is loaded.
    earlier = past.steps[:number]
    was_reopened = any(isinstance(event, Reopened) for each in earlier for event in each.events)
    compared = [
        [entry for entry in entries if not (was_reopened and isinstance(entry, StateAsked))]
        for entries in (again if step.is_exact else _as_old_steps_tell_it(again), step.asked)
    ]
    assert compared[0] == compared[1], f"step {number} of {history.run.id}"


def _as_old_steps_tell_it(asked: list[Any]) -> list[Any]:
    """Without messages and questions, digests of inputs and ids of children, which came later."""
    return [
        msgspec.structs.replace(
            entry, **{name: None for name in ("id", "digest") if name in entry.__struct_fields__}
        )
        for entry in asked
        if not isinstance(entry, (MessageAsked, QuestionAsked, QuestionClosed))
    ]


async def go_on(url: str, recorded_until: int, then: dict[str, list[list[Any]]]) -> dict[str, Any]:
    """Let every run come to its end, and do on the way what it waits for. How each of them ended."""
    env = Environment(url, catalog=catalog, queues=LIMITS)
    env.clock.move_to(Instant(recorded_until))
    World.is_open = True
    forget_earlier_editions()
    try:
        async with env:
            for id, acts in then.items():
                for act, *arguments in acts:
                    if act == "complete":
                        await complete(env, *arguments)
                    else:
                        await getattr(env, act)(id, *arguments)
                    # The node that had the run is dead, and only that node was told. Others look later.
                    env.engine._poller.poll_now()
                    await env.wait_until_quiet()
            open_runs = [info for info in await env.list(limit=_MOST) if not info.status.is_final]
            ends = [env.result(info.id) for info in open_runs]
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*ends, return_exceptions=True)
            assert await env.doctor() == []
            assert env.repeated == []
            return {info.id: _end(info) for info in sorted(await env.list(limit=_MOST), key=lambda it: it.id)}
    finally:
        World.is_open = False


def is_as_it_was(found: Any, then: Any) -> bool:
    """Whether all that there was then is the same today. What a later version has added says nothing."""
    if isinstance(found, dict) and isinstance(then, dict):
        added = [value for name, value in found.items() if name not in (*then, *_COMPUTED)]
        return not any(added) and all(
            name in found and is_as_it_was(found[name], value) for name, value in then.items()
        )
    if isinstance(found, list) and isinstance(then, list):
        return len(found) == len(then) and all(map(is_as_it_was, found, then))
    return found == then


_COMPUTED = {"fingerprint", "chapter"}
"""Facts that follow from others, which earlier versions knew as well: before chapters, a run was one."""


def _end(info: RunInfo) -> dict[str, Any]:
    failure = None if info.failure is None else f"{info.failure.type}: {info.failure.message}"
    return _plain({"status": info.status, "output": info.output, "failure": failure})


def _plain(value: Any) -> Any:
    """As JSON would bring it back, with the name of each structure and all of its fields, defaults too."""
    return msgspec.json.decode(msgspec.json.encode(_shown(value)))


def _shown(value: Any) -> Any:
    match value:
        case TaskAsked() if not isinstance(value.options, TaskOptions):
            return _shown(msgspec.structs.replace(value, options=read_options(value)))
        case msgspec.Struct():
            kind = type(value).__name__
            return {"is": kind} | {name: _shown(getattr(value, name)) for name in value.__struct_fields__}
        case bytes():
            return _readable(value)
        case dict():
            return {str(key): _shown(each) for key, each in value.items()}
        case list() | tuple() | set():
            return [_shown(each) for each in value]
        case _:
            return value


def _readable(value: bytes) -> str:
    """A payload is JSON and shown as that; a key of a run is not, and is shown in hexadecimal digits."""
    try:
        msgspec.json.decode(value)
    except msgspec.DecodeError:
        return value.hex()
    return value.decode()
