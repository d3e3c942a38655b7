"""`assert_durable`: does a workflow survive a crash at every commit?"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from holdfast.authoring.catalog import Catalog, default_catalog
from holdfast.client.run import Run
from holdfast.core.codec import comparable
from holdfast.errors import NodeStopped, NotOpen, RunParked, RunStuck
from holdfast.testing.crash_points import Crash
from holdfast.testing.environment import Environment

Interact = Callable[[Run[Any]], Awaitable[None]]


class _RunEnding(NamedTuple):
    """How a run ended: with a value, or with an error."""

    value: Any
    error: str | None

    def is_same(self, other: _RunEnding) -> bool:
        if self == other:
            return True
        return self.error == other.error and comparable(self.value) == comparable(other.value)

    def __str__(self) -> str:
        return f"with {self.value!r}" if self.error is None else f"with {self.error}"


async def assert_durable(
    workflow: Any,
    *args: Any,
    during: Interact | None = None,
    new_database: Callable[[], str] | None = None,
    catalog: Catalog = default_catalog,
    patience: dt.timedelta = dt.timedelta(seconds=30),
    settings: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> Any:
    """Run a workflow once without a crash, then twice for each of its commits, and compare how it ends.

    One of the two runs crashes right before the commit, when none of it is written. The other crashes right
    after it, when it is written and the node does not know yet. A crash drops everything in memory, running
    tasks included, and a new node goes on with the same database. Every run must end as the run without a
    crash did. No run may be parked, and no task with a recorded result may start again. Returns the result,
    or raises what the run raised, or RunStuck if the run waits for what nobody sends.

    `during` sends the signals and promises that the workflow waits for. `new_database` returns the URL
    of an empty database for each run; without it, each run gets a SQLite file. `patience` is how long
    each run may take in real time. `settings` are those of the nodes.
    """

    async def attempt(crash_at: int | None, crash_after: bool) -> tuple[_RunEnding, int, Exception | None]:
        url = None if new_database is None else new_database()
        async with Environment(
            url, catalog=catalog, crash_at=crash_at, crash_after=crash_after, **(settings or {})
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
            assert ending.is_same(expected), (
                f"{where} changed how the run ended: {ending}, and not {expected}"
            )
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
        # A parked run waits for an operator. There is none here, so the check fails.
        raise AssertionError(str(parked)) from None
    except RunStuck:
        raise  # not how the run ended: it waits for what `during` does not send
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
    """Starts the run, again if a crash came before the start was recorded. The fixed id makes that safe."""
    while True:
        try:
            return await environment.start(workflow, *args, id="durable", **kwargs)
        except NotOpen:
            _check_node(environment)
            await asyncio.sleep(0.001)  # not until nothing runs: time stands still meanwhile
