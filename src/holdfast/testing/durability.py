"""`assert_durable`: does a workflow survive a crash at every single commit?"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from holdfast.authoring.catalog import Catalog, default_catalog
from holdfast.client.run import Run
from holdfast.errors import NodeStopped, NotOpen, RunParked
from holdfast.testing.crash_points import Crash
from holdfast.testing.environment import Environment

Interact = Callable[[Run[Any]], Awaitable[None]]


class _RunEnding(NamedTuple):
    """How a run ended: with a value, or with an error."""

    value: Any
    error: str | None

    def __str__(self) -> str:
        return f"with {self.value!r}" if self.error is None else f"with {self.error}"


async def assert_durable(
    workflow: Any,
    *args: Any,
    during: Interact | None = None,
    new_database: Callable[[], str] | None = None,
    catalog: Catalog = default_catalog,
    patience: dt.timedelta = dt.timedelta(seconds=30),
    **kwargs: Any,
) -> Any:
    """Run a workflow again and again, crashing once at every commit in turn, and compare.

    Each time everything in memory is dropped, tasks in flight included, and a new node goes on with
    the same database: right before the commit, when nothing of it is written, and right after it,
    when nobody has heard of it. Every run must end as the run without crashes did, none may be parked on the
    way, and no task whose result was recorded may be begun again. Gives back the result, or raises what
    the run raised.

    `during` sends the signals and promises that the workflow waits for. `new_database` gives the URL
    of an empty database for each run; without it, SQLite files are used. `patience` is for how long of
    real time each run is waited for.
    """

    async def attempt(crash_at: int | None, crash_after: bool) -> tuple[_RunEnding, int, Exception | None]:
        url = None if new_database is None else new_database()
        async with Environment(
            url, catalog=catalog, crash_at=crash_at, crash_after=crash_after
        ) as environment:
            try:
                async with asyncio.timeout(patience.total_seconds()):
                    return await _attempt(environment, workflow, args, kwargs, during)
            except TimeoutError:
                raise AssertionError(await _explain_endless(environment, patience)) from None

    expected, commits, error = await attempt(None, False)
    for commit in range(1, commits + 1):
        for after in (False, True):
            where = f"a crash right {'after' if after else 'before'} commit {commit} of {commits}"
            ending, _, _ = await attempt(commit, after)
            assert ending == expected, f"{where} changed how the run ended: {ending}, and not {expected}"
    if error is not None:
        raise error
    return expected.value


async def _attempt(
    environment: Environment, workflow: Any, args: Any, kwargs: Any, during: Interact | None
) -> tuple[_RunEnding, int, Exception | None]:
    run = await _start(environment, workflow, args, kwargs)
    if during is not None:
        await during(run)
    error: Exception | None = None
    try:
        ending = _RunEnding(await run.result(), None)
    except RunParked as parked:
        # It waits for an operator, and there is none here: that is a finding.
        raise AssertionError(str(parked)) from None
    except NodeStopped:
        _check_node(environment)
        raise
    except Exception as failure:
        error = failure
        ending = _RunEnding(None, f"{type(failure).__qualname__}: {failure}")
    for parked in environment.crash_points.parked:
        raise AssertionError(f"a run could not go on after a crash, and was parked: {parked.message}")
    stranded = await environment.doctor()
    assert not environment.repeated, f"recorded tasks were done again: {environment.repeated}"
    assert not stranded, f"runs were left with no reason to wake: {stranded}"
    return ending, environment.crash_points.commits, error


async def _explain_endless(environment: Environment, patience: dt.timedelta) -> str:
    open_runs = [run for run in await environment.list() if not run.status.is_final]
    waits = "; ".join(f"run {run.id} waits for {run.waiting or 'a task that runs'}" for run in open_runs)
    return (
        f"it has not ended within {patience.total_seconds():g} s of real time: {waits or 'nothing is left'}"
    )


def _check_node(environment: Environment) -> None:
    failure = environment.engine.failure
    assert failure is None or isinstance(failure, Crash), (
        f"the node stopped by an error of its own: {failure!r}"
    )


async def _start(environment: Environment, workflow: Any, args: Any, kwargs: Any) -> Run[Any]:
    """A crash may come before the start is recorded. Its id makes it safe to ask again."""
    while True:
        try:
            return await environment.start(workflow, *args, id="durable", **kwargs)
        except NotOpen:
            _check_node(environment)
            await environment.wait_until_quiet()
