"""How to bring about, at one exact moment, what other systems met by accident."""

from __future__ import annotations

import asyncio
import datetime as dt
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from typing import Any

import psycopg

from holdfast.errors import StoreUnavailable
from holdfast.ports.commits import Commit, Receipt
from holdfast.testing import Environment
from holdfast.testing.crash_points import Crash

Moment = Callable[[Commit, Receipt], bool]


def crash_after(env: Environment, is_it: Moment, *, times: int = 1) -> None:
    """Let the node die right after a commit of that kind stands, before it hears of it. The first `times`."""
    commit_for_real = env.crash_points.commit
    left = times

    async def commit(commit: Commit) -> Receipt:
        nonlocal left
        receipt = await commit_for_real(commit)
        if left and is_it(commit, receipt):
            left -= 1
            raise Crash("at the moment that the test has chosen")
        return receipt

    env.crash_points.commit = commit  # type: ignore[method-assign]


def watch_commits(env: Environment) -> list[tuple[Commit, Receipt]]:
    """Everything that is committed from now on, with its receipt."""
    commit_for_real = env.crash_points.commit
    seen: list[tuple[Commit, Receipt]] = []

    async def commit(commit: Commit) -> Receipt:
        receipt = await commit_for_real(commit)
        seen.append((commit, receipt))
        return receipt

    env.crash_points.commit = commit  # type: ignore[method-assign]
    return seen


def lose_connection(
    env: Environment,
    method: str,
    *,
    times: int,
    is_done: bool = False,
    when: Callable[[], bool] = lambda: True,
) -> list[str]:
    """Let the database be away for `times` calls of a method of the store, from the moment `when` it is so.

    With `is_done` each call is carried out, and only its answer is lost. Gives back the calls that failed.
    """
    call_for_real = getattr(env.crash_points, method)
    failed: list[str] = []

    async def call(*args: Any) -> Any:
        if len(failed) >= times or not when():
            return await call_for_real(*args)
        failed.append(method)
        if is_done:
            await call_for_real(*args)
        raise StoreUnavailable("the database", "it has just been restarted")

    setattr(env.crash_points, method, call)
    return failed


@asynccontextmanager
async def passing_time(
    env: Environment, step: dt.timedelta = dt.timedelta(milliseconds=50)
) -> AsyncGenerator[None]:
    """Let time pass while a task hangs or the database is away: an Environment by itself holds it then."""

    async def pass_by() -> None:
        while True:
            await asyncio.sleep(0.002)
            env.clock.advance(step)

    passing = asyncio.create_task(pass_by())
    try:
        yield
    finally:
        passing.cancel()
        await asyncio.gather(passing, return_exceptions=True)


async def replace_node(env: Environment) -> None:
    """The node dies and another takes its place at once: the lease of the first has only just begun."""
    await env.engine.kill()
    env.crashes += 1
    env.engine = env._parts.engine(env._skipping)
    env.engine.start()
    env._skipping.refresh()


def change(url: str, statement: str) -> int:
    """Change rows behind the back of holdfast. How many there were."""
    if url.startswith("postgresql:"):
        with psycopg.connect(url, options="-c search_path=holdfast", autocommit=True) as connection:
            return connection.execute(statement.encode()).rowcount
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
        return connection.execute(statement).rowcount
