"""Every public call with one argument made hostile, by name, so that a failing case can be read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable
from typing import Any, Final

from tests.fuzz.household import catalog, echo, simple

from holdfast import Catalog, Holdfast, Retry, Run, context, task, task_context, workflow
from holdfast.testing import Environment

# --- the client --------------------------------------------------------------------------------------

ClientCall = Callable[[Environment, Run[Any], Any], Awaitable[Any]]
"""Takes a run that waits, and what is hostile."""

CLIENT_CALLS: Final[dict[str, ClientCall]] = {
    "start(it)": lambda env, run, it: env.start(it),
    "start(workflow, it)": lambda env, run, it: env.start(simple, it),
    "start(id=it)": lambda env, run, it: env.start(simple, 1, id=it),
    "start(version=it)": lambda env, run, it: env.start(simple, 1, version=it),
    "start(unknown=it)": lambda env, run, it: env.start(simple, 1, unknown=it),
    "start_many(it, [])": lambda env, run, it: env.start_many(it, []),
    "start_many(workflow, [it])": lambda env, run, it: env.start_many(simple, [it]),
    "start_many(ids=[it])": lambda env, run, it: env.start_many(simple, [1], ids=[it]),
    "run(it)": lambda env, run, it: env.run(it),
    "get(it)": lambda env, run, it: env.get(it),
    "describe(it)": lambda env, run, it: env.describe(it),
    "history(it)": lambda env, run, it: env.history(it),
    "state(it)": lambda env, run, it: env.state(it),
    "result(it)": lambda env, run, it: env.result(it),
    "resume(it)": lambda env, run, it: env.resume(it),
    "retry(it)": lambda env, run, it: env.retry(it),
    "cancel(it)": lambda env, run, it: env.cancel(it),
    "cancel(run, it)": lambda env, run, it: env.cancel("nobody", it),
    "signal(it)": lambda env, run, it: env.signal(it, "odd"),
    "signal(run, it)": lambda env, run, it: env.signal(run, it),
    "signal(run, name, it)": lambda env, run, it: env.signal(run, "odd", it),
    "resolve(run, it)": lambda env, run, it: env.resolve(run, it),
    "resolve(run, name, it)": lambda env, run, it: env.resolve(run, f"odd {id(it)}", it),
    "reject(run, it)": lambda env, run, it: env.reject(run, it, "no"),
    "reject(run, name, it)": lambda env, run, it: env.reject(run, f"bad {id(it)}", it),
    "list(status=it)": lambda env, run, it: env.list(status=it),
    "list(workflow=it)": lambda env, run, it: env.list(workflow=it),
    "list(limit=it)": lambda env, run, it: env.list(limit=it),
    "list(before=it)": lambda env, run, it: env.list(before=it),
    "list_tasks(it)": lambda env, run, it: env.list_tasks(it),
    "run.signal(it)": lambda env, run, it: run.signal(it),
    "run.resolve(it)": lambda env, run, it: run.resolve(it),
    "run.reject(it)": lambda env, run, it: run.reject(it, "no"),
}


async def _result_within(env: Environment, run: Run[Any], it: Any) -> None:
    """Of a run that has ended: there is nothing to wait for, whatever the timeout."""
    await (await env.get("done")).result(timeout=it)


CLIENT_CALLS["run.result(timeout=it)"] = _result_within

# --- definitions -------------------------------------------------------------------------------------


def _task_with(**options: Any) -> Any:
    async def function(value: int) -> int:
        return value

    return task(catalog=Catalog(), **options)(function)


def _workflow_with(**options: Any) -> Any:
    async def function(value: int) -> int:
        return value

    return workflow(catalog=Catalog(), **options)(function)


def _task_of(it: Any) -> Any:
    return task(catalog=Catalog())(it)


def _workflow_of(it: Any) -> Any:
    return workflow(catalog=Catalog())(it)


def _hinted(it: Any) -> Any:
    async def function(value: Any) -> int:
        return 1

    function.__annotations__["value"] = it
    return task(catalog=Catalog())(function)


def _defaulted(it: Any) -> Any:
    async def function(value: Any = it) -> int:
        return 1

    return task(catalog=Catalog())(function)


DEFINITION_CALLS: Final[dict[str, Callable[[Any], Any]]] = {
    "task(it)": _task_of,
    "task(name=it)": lambda it: _task_with(name=it),
    "task(retry=it)": lambda it: _task_with(retry=it),
    "task(timeout=it)": lambda it: _task_with(timeout=it),
    "task(start_timeout=it)": lambda it: _task_with(start_timeout=it),
    "task(heartbeat=it)": lambda it: _task_with(heartbeat=it),
    "task(queue=it)": lambda it: _task_with(queue=it),
    "task(priority=it)": lambda it: _task_with(priority=it),
    "task(unknown=it)": lambda it: _task_with(unknown=it),
    "task.options(timeout=it)": lambda it: echo.options(timeout=it),
    "task.options(retry=it)": lambda it: echo.options(retry=it),
    "a hint": _hinted,
    "a default": _defaulted,
    "workflow(it)": _workflow_of,
    "workflow(name=it)": lambda it: _workflow_with(name=it),
    "workflow(version=it)": lambda it: _workflow_with(version=it),
    "Retry(max_attempts=it)": lambda it: Retry(max_attempts=it),
    "Retry(first_delay=it)": lambda it: Retry(first_delay=it),
    "Retry(never_on=it)": lambda it: Retry(never_on=it),
    "Catalog.task(it)": catalog.task,
    "Catalog.workflow(it)": catalog.workflow,
    "Catalog.workflow(version=it)": lambda it: catalog.workflow("simple", it),
    "Holdfast(it)": lambda it: Holdfast(it) if it is not None else None,
    "Holdfast(namespace=it)": lambda it: Holdfast("sqlite:///x.db", namespace=it),
    "Holdfast(queues=it)": lambda it: Holdfast("sqlite:///x.db", queues=it),
    "Holdfast(lease_seconds=it)": lambda it: Holdfast("sqlite:///x.db", lease_seconds=it),
    "Holdfast(unknown=it)": lambda it: Holdfast("sqlite:///x.db", unknown=it),
    "context()": lambda it: context(),
    "task_context()": lambda it: task_context(),
}

# --- in a workflow -----------------------------------------------------------------------------------

SOON: Final = dt.timedelta(seconds=1)

WORKFLOW_CALLS: Final[dict[str, Callable[[Any], Any]]] = {
    "promise(it)": lambda it: context().promise(it, timeout=SOON),
    "promise(timeout=it)": lambda it: context().promise("never", timeout=it) if it is not None else None,
    "promise(name, it)": lambda it: context().promise("never", it, timeout=SOON),
    "signal(it)": lambda it: context().signal(it, timeout=SOON),
    "signal(timeout=it)": lambda it: context().signal("never", timeout=it) if it is not None else None,
    "has_signal(it)": lambda it: context().has_signal(it),
    "drain_signals(it)": lambda it: context().drain_signals(it),
    "schedule(it)": lambda it: context().schedule(it),
    "schedule(echo, it)": lambda it: context().schedule("echo", it),
    "schedule(unknown, value=it)": lambda it: context().schedule("unknown", value=it),
    "start_child(it)": lambda it: context().start_child(it),
    "start_child(simple, it)": lambda it: context().start_child(simple, it),
    "start_child(id=it)": lambda it: context().start_child(simple, 1, id=it),
    "start_child(version=it)": lambda it: context().start_child(simple, 1, version=it),
    "start_child(detached=it)": lambda it: context().start_child(simple, 1, detached=it),
    "patched(it)": lambda it: context().patched(it),
    "run(it)": lambda it: context().run(it, int),
    "run(name, it)": lambda it: context().run("odd", it),
    "run giving it": lambda it: context().run("odd", lambda: it),
    "state.set(it)": lambda it: context().state.set(it, 1),
    "state.set(key, it)": lambda it: context().state.set("odd", it),
    "state.get(it)": lambda it: context().state.get(it, int, 5),
    "state.delete(it)": lambda it: [context().state.delete(it)],
    "echo(it)": echo,
    "echo.options(timeout=it)": lambda it: echo.options(timeout=it)(1),
    "echo.options(priority=it)": lambda it: echo.options(priority=it)(1),
    "echo.options(queue=it)": lambda it: echo.options(queue=it)(1),
    "echo.options(retry=Retry(max_attempts=it))": lambda it: echo.options(retry=Retry(max_attempts=it))(1),
    "echo.options(retry=Retry(factor=it))": lambda it: echo.options(retry=Retry(factor=it))(1),
    "echo.options(retry=Retry(jitter=it))": lambda it: echo.options(retry=Retry(jitter=it))(1),
    "echo.options(retry=Retry(first_delay=it))": lambda it: echo.options(retry=Retry(first_delay=it))(1),
    "simple.options(id=it)": lambda it: simple.options(id=it)(1),
    "simple.options(detached=it)": lambda it: simple.options(detached=it)(1),
}
