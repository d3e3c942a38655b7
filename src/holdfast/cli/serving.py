"""The node of `holdfast serve`: puts the schedules of its files, works, and tells of runs."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

from holdfast.cli.commands.serve import DEFAULT_HOST, DEFAULT_PORT
from holdfast.cli.database_options import DatabaseOptions, new_holdfast
from holdfast.cli.interrupt import Interrupts, close_in_order
from holdfast.cli.views.output import (
    between,
    json_text,
    moment_text,
    say,
    span_text,
    user_prints_to_stderr,
    write_answer,
)
from holdfast.cli.views.visible import one_line
from holdfast.core.values import RunStatus
from holdfast.errors import BadOption, ScheduleNotFound, StoreError

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.cli.targets import Target
    from holdfast.client.run import RunInfo
    from holdfast.server.serving import ApiServer

_LOOK_EVERY = 2.0
_NEWEST = 200
"""Runs that are looked at. On a node that does more in two seconds the lines are a sample."""


class Teller:
    """Tells what happens: people on stderr, a line each; or programs, one JSON object a line on stdout."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def tell(self, event: str, words: str, at: dt.datetime | None = None, **facts: Any) -> None:
        at = at or dt.datetime.now(dt.UTC)
        if self._as_json:
            write_answer(json_text({"event": event, "at": at, **facts}))
        else:
            say(f"{moment_text(at)} {words}")


class Address(NamedTuple):
    """Where the HTTP API is served; what is None was not asked for."""

    host: str | None
    port: int | None

    @property
    def is_asked_for(self) -> bool:
        return self.host is not None or self.port is not None


async def work(
    place: DatabaseOptions, targets: Sequence[Target], teller: Teller, address: Address | None, *, quiet: bool
) -> None:
    """Until SIGTERM or Ctrl-C. Raises NodeStopped, and whatever keeps it from beginning."""
    client = new_holdfast(place, engine=True)
    await client.open()
    with Interrupts() as interrupts, user_prints_to_stderr():
        server: ApiServer | None = None
        try:
            # First, since it may be refused, and then nothing is to be changed.
            server = None if address is None else await _serve_http(client, address, teller)
            await _put_schedules(client, targets, teller)
            names = list(dict.fromkeys(target.workflow.name for target in targets))
            words = ", ".join([*names, "published flows"])
            teller.tell("serving", f"serving {words}; Ctrl-C stops in order", workflows=names)
            await _work(client, server, interrupts, teller, quiet=quiet)
        finally:
            closing = client if server is None else _Both(server, client)
            await close_in_order(closing, interrupts, place.settings.drain_seconds)
        teller.tell("stopped", "stopped")


class _Both(NamedTuple):
    """Closed one after the other: what is being asked by then is still answered."""

    server: ApiServer
    client: Holdfast

    async def close(self) -> None:
        await self.server.stop()
        await self.client.close()


async def _work(
    client: Holdfast, server: ApiServer | None, interrupts: Interrupts, teller: Teller, *, quiet: bool
) -> None:
    """Until a signal comes. Raises NodeStopped."""
    parts: list[asyncio.Future[Any]] = [
        asyncio.ensure_future(client.serve()),
        asyncio.ensure_future(interrupts.next()),
    ]
    if server is not None:
        parts.append(asyncio.ensure_future(server.wait_until_stopped()))
    if not quiet:
        parts.append(asyncio.ensure_future(_tell_of_runs(client, teller)))
    try:
        done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()
    finally:
        for each in parts:
            each.cancel()
        await asyncio.gather(*parts, return_exceptions=True)


async def _serve_http(client: Holdfast, address: Address, teller: Teller) -> ApiServer | None:
    """None if that is not possible and nobody has asked for it in so many words."""
    try:
        server = client.api_server()
    except ModuleNotFoundError as error:
        reason = f"{error.name} is not installed: pip install 'holdfast[server]'"
        if address.is_asked_for:
            option, value = ("--host", address.host) if address.port is None else ("--port", address.port)
            raise BadOption(option, value, f"left out here: {reason}") from None
        teller.tell("http", f"no HTTP API: {reason}", url=None, problem=reason)
        return None
    host = DEFAULT_HOST if address.host is None else address.host
    try:
        port = await server.start(host, DEFAULT_PORT if address.port is None else address.port)
    except BadOption as error:
        if address.is_asked_for:
            raise BadOption(f"--{error.option}", error.value, error.expected) from None
        words = f"no HTTP API here: {error}; --port names another"
        teller.tell("http", words, url=None, problem=str(error))
        return None
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}/api"
    teller.tell("http", f"HTTP API at {url}", url=url, problem=None)
    return server


# --- schedules


async def _put_schedules(client: Holdfast, targets: Sequence[Target], teller: Teller) -> None:
    """What the files say counts: a schedule that is no longer in its file is deleted, also if the file was
    moved meanwhile. It is its DAG that a schedule belongs to, and that is known by its name."""
    files = {target.workflow.origin for target in targets if target.dag is not None}
    dags = {target.workflow.name for target in targets if target.dag is not None}
    wanted = {target.workflow.name: target for target in targets if target.dag and target.dag.schedule}
    for known in await client.schedules.list():
        is_of_a_file = known.origin in files or (known.origin and known.name in dags)
        if is_of_a_file and known.name not in wanted:
            with contextlib.suppress(ScheduleNotFound):  # another node, which begins as well, was quicker
                await client.schedules.delete(known.name)
            words = f"schedule {known.name} is deleted: it is not in its file any more"
            teller.tell("schedule", words, schedule=known.name, status="deleted", next_at=None)
    for name, target in wanted.items():
        origin = target.workflow.origin
        info = await client.schedules.put_plan(
            name, target.workflow, target.dag.schedule, target.dag.schedule_input, origin=origin
        )
        words = "is paused" if info.is_paused else f"fires next at {moment_text(info.next_at)}"
        status = "paused" if info.is_paused else "on"
        teller.tell(
            "schedule", f"schedule {name} {words}", schedule=name, status=status, next_at=info.next_at
        )


# --- runs


async def _tell_of_runs(client: Holdfast, teller: Teller) -> None:
    """One line when a run begins and one when it ends."""
    shown: dict[str, RunStatus] = {}
    with contextlib.suppress(StoreError):
        shown = {info.key: info.status for info in await client.list(limit=_NEWEST)}
    while True:
        await asyncio.sleep(_LOOK_EVERY)
        with contextlib.suppress(StoreError):  # the node waits for it, and says so
            shown = await _tell_of_news(client, teller, shown)


async def _tell_of_news(
    client: Holdfast, teller: Teller, shown: dict[str, RunStatus]
) -> dict[str, RunStatus]:
    newest = await client.list(limit=_NEWEST)
    for info in reversed(newest):
        before = shown.get(info.key)
        if before is not info.status:
            _tell(teller, info, before)
    now = {info.key: info.status for info in newest}
    # One that is still under way when it has gone from the page is looked up by itself.
    older = [key for key, status in shown.items() if key not in now and not status.is_final]
    for key in older[:_NEWEST]:
        info = await client.describe(key)
        now[key] = info.status
        if info.status is not shown[key]:
            _tell(teller, info, shown[key])
    return now


def _tell(teller: Teller, info: RunInfo, before: RunStatus | None) -> None:
    if before is None and info.status.is_final:
        _tell_of(teller, info, info.created_at, "starts", RunStatus.PENDING)
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
    at = info.finished_at or dt.datetime.now(dt.UTC)
    _tell_of(teller, info, at, words + why, info.status)


def _tell_of(teller: Teller, info: RunInfo, at: dt.datetime, words: str, status: RunStatus) -> None:
    problem = info.failure.summary if info.failure is not None and status is info.status else None
    facts = {"run": info.id, "key": info.key, "workflow": info.workflow, "status": status, "problem": problem}
    teller.tell("run", f"run {info.id} of {info.workflow} {words}", at, **facts)
