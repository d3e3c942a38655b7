"""The node of `holdfast serve`: puts the schedules of its files, works, and tells of runs."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, assert_never

from holdfast.cli.interrupt import Interrupts, close_in_order
from holdfast.cli.opening import Place, new_holdfast
from holdfast.cli.output import between, moment_text, say, span_text, user_prints_to_stderr
from holdfast.cli.visible import one_line
from holdfast.core.values import RunStatus
from holdfast.errors import StoreError

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.cli.targets import Target
    from holdfast.client.run import RunInfo

_LOOK_EVERY = 2.0
_NEWEST = 200
"""Runs that are looked at. On a node that does more in two seconds the lines are a sample."""


async def work(place: Place, targets: Sequence[Target], *, quiet: bool) -> None:
    """Until SIGTERM or Ctrl-C. Raises NodeStopped, and whatever keeps it from beginning."""
    client = new_holdfast(place, engine=True)
    await client.open()
    with Interrupts() as interrupts, user_prints_to_stderr():
        try:
            await _put_schedules(client, targets)
            names = ", ".join(dict.fromkeys(target.workflow.name for target in targets))
            _say(f"serving {names}; Ctrl-C stops in order")
            await _work(client, interrupts, quiet=quiet)
        finally:
            await close_in_order(client, interrupts, place.settings.drain_seconds)
    _say("stopped")


async def _work(client: Holdfast, interrupts: Interrupts, *, quiet: bool) -> None:
    """Until a signal comes. Raises NodeStopped."""
    parts: list[asyncio.Future[Any]] = [
        asyncio.ensure_future(client.serve()),
        asyncio.ensure_future(interrupts.next()),
    ]
    if not quiet:
        parts.append(asyncio.ensure_future(_tell_of_runs(client)))
    try:
        done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()
    finally:
        for each in parts:
            each.cancel()
        await asyncio.gather(*parts, return_exceptions=True)


# --- schedules


async def _put_schedules(client: Holdfast, targets: Sequence[Target]) -> None:
    """What the files say counts: a schedule that is no longer in its file is deleted."""
    files = {target.workflow.origin for target in targets if target.dag is not None}
    wanted = {target.workflow.name: target for target in targets if target.dag and target.dag.schedule}
    for known in await client.schedules.list():
        if known.origin in files and known.name not in wanted:
            await client.schedules.delete(known.name)
            _say(f"schedule {known.name} is deleted: it is not in its file any more")
    for name, target in wanted.items():
        origin = target.workflow.origin
        info = await client.schedules.put_plan(
            name, target.workflow, target.dag.schedule, target.dag.schedule_input, origin=origin
        )
        if info.is_paused:
            _say(f"schedule {name} is paused")
        else:
            _say(f"schedule {name} fires next at {moment_text(info.next_at)}")


# --- runs


async def _tell_of_runs(client: Holdfast) -> None:
    """One line when a run begins and one when it ends."""
    shown: dict[str, RunStatus] = {}
    with contextlib.suppress(StoreError):
        shown = {info.key: info.status for info in await client.list(limit=_NEWEST)}
    while True:
        await asyncio.sleep(_LOOK_EVERY)
        with contextlib.suppress(StoreError):  # the node waits for it, and says so
            shown = await _tell_of_news(client, shown)


async def _tell_of_news(client: Holdfast, shown: dict[str, RunStatus]) -> dict[str, RunStatus]:
    newest = await client.list(limit=_NEWEST)
    for info in reversed(newest):
        before = shown.get(info.key)
        if before is not info.status:
            _tell(info, before)
    now = {info.key: info.status for info in newest}
    # One that is still under way when it has gone from the page is looked up by itself.
    older = [key for key, status in shown.items() if key not in now and not status.is_final]
    for key in older[:_NEWEST]:
        info = await client.describe(key)
        now[key] = info.status
        if info.status is not shown[key]:
            _tell(info, shown[key])
    return now


def _tell(info: RunInfo, before: RunStatus | None) -> None:
    if before is None and info.status.is_final:
        _say_of(info, info.created_at, "starts")
    match info.status:
        case RunStatus.PENDING | RunStatus.RUNNING:
            words = "starts" if before is None else "is running"
        case RunStatus.PARKED | RunStatus.PAUSED:
            words = f"is {info.status}"
        case RunStatus.SUCCESS | RunStatus.FAILED | RunStatus.CANCELLED:
            took = between(info.started_at, info.finished_at, dt.datetime.now(dt.UTC))
            words = f"{info.status}" + (f" after {span_text(took)}" if took is not None else "")
        case _:
            assert_never(info.status)
    why = f": {one_line(info.failure.message)}" if info.failure is not None else ""
    _say_of(info, info.finished_at or dt.datetime.now(dt.UTC), words + why)


def _say_of(info: RunInfo, at: dt.datetime, words: str) -> None:
    _say(f"run {info.id} of {info.workflow} {words}", at)


def _say(text: str, at: dt.datetime | None = None) -> None:
    say(f"{moment_text(at or dt.datetime.now(dt.UTC))} {text}")
