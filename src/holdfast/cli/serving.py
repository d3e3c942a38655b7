"""The node of `holdfast serve`: stores the schedules of its files, runs workflows, and reports on runs."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.authoring.catalog import default_catalog
from holdfast.authoring.kinds import as_data
from holdfast.cli.database import DatabaseOptions, new_holdfast
from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.exporting import start_exporting
from holdfast.cli.interrupts import Interrupts, close_in_order
from holdfast.cli.run_reports import Events, RunReports
from holdfast.cli.views.output import (
    json_text,
    moment_text,
    say,
    say_json,
    user_prints_to_stderr,
    write_answer,
)
from holdfast.cli.views.visible import visible
from holdfast.core.records import PUBLISHED_ORIGIN
from holdfast.errors import BadOption, ScheduleNotFound

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.authoring.catalog import WorkflowDefinition
    from holdfast.server.serving import ApiServer

_REPORT_EVERY = 2.0


class EventPrinter:
    """Prints what happens: lines on stderr for people, or JSON objects on stdout, one per line."""

    def __init__(self, *, as_json: bool, log_format: str = "text") -> None:
        """`log_format` is that of the lines on stderr."""
        self._as_json = as_json
        self._log_format = log_format

    def print(self, event: str, text: str, at: dt.datetime | None = None, **facts: Any) -> None:
        at = at or dt.datetime.now(dt.UTC)
        if self._as_json:
            write_answer(json_text({"event": event, "at": at, **facts}))
        elif self._log_format == "json":
            line = {
                "time": at,
                "level": "INFO",
                "logger": "holdfast",
                "message": visible(text),
                "event": event,
            }
            say_json(line | facts)
        else:
            say(f"{moment_text(at)} {text}")


class ApiAddress(NamedTuple):
    host: str
    port: int
    option: str | None
    """`--host` or `--port`, if the user gave one: then the node does not start without the API."""
    is_insecure: bool = False
    """Ask for no keys, whatever the address."""
    tls_cert: str | None = None
    tls_key: str | None = None


async def serve_until_interrupted(
    database: DatabaseOptions,
    workflows: Sequence[WorkflowDefinition],
    events: EventPrinter,
    address: ApiAddress | None,
    *,
    quiet: bool,
    until_idle: bool = False,
) -> None:
    """Returns after SIGTERM or Ctrl-C, when the node was drained, and with `until_idle` also when nothing is
    due here.

    Raises NodeStopped, and any error that prevents the start.
    """
    database, end_export = start_exporting(database)
    client = new_holdfast(database, engine=True)
    client.exit_when_stalled(ExitCode.STALLED)
    with user_prints_to_stderr(), contextlib.ExitStack() as stack:
        await client.open()  # hears what is printed before it goes to stderr
        reports = None if quiet else RunReports(client, events)
        interrupts = stack.enter_context(Interrupts(client.expect_stop))
        server: ApiServer | None = None

        async def close() -> None:
            if server is not None:
                await server.stop()  # answers the requests that it has, which takes an open client
            await client.close()

        try:
            if reports is not None:
                await reports.begin()
            # Before schedules: it may be refused, and then nothing must be changed.
            server = None if address is None else await _start_api(client, address, events)
            await put_schedules(client, workflows, events)
            names = list(dict.fromkeys(workflow.name for workflow in workflows))
            served = names or [f"task {name}" for name in default_catalog.task_names()]
            listed = ", ".join([*served, "published workflows"])
            how_long = "until nothing is due; " if until_idle else ""
            events.print("serving", f"serving {listed}; {how_long}Ctrl-C stops in order", workflows=names)
            await _work(client, server, interrupts, events, reports, until_idle=until_idle)
        finally:
            await close_in_order(close, interrupts, database.settings.drain_seconds)
            end_export()
        events.print("stopped", "stopped")


async def _work(
    client: Holdfast,
    server: ApiServer | None,
    interrupts: Interrupts,
    events: EventPrinter,
    reports: RunReports | None,
    *,
    until_idle: bool,
) -> None:
    """Returns when a signal arrives, the node was drained, or nothing is due any more and that is asked for.
    Raises NodeStopped."""
    parts: list[Coroutine[Any, Any, Any]] = [serve_until_drained(client, events), interrupts.next()]
    if server is not None:
        parts.append(server.wait_until_stopped())
    if reports is not None:
        parts.append(reports.go_on(_REPORT_EVERY))
    if until_idle:
        parts.append(_report_idle(client, reports, events))
    await wait_for_first(parts)


async def serve_until_drained(client: Holdfast, events: Events) -> None:
    """Says why, if it returns. Raises NodeStopped."""
    await client.serve()
    if client.drained_by is not None:
        who = f" by {client.drained_by}" if client.drained_by else ""
        text = f"the node of this process was drained{who}: other nodes go on with its runs"
        events.print("drained", text, by=client.drained_by)


async def wait_for_first(parts: Sequence[Coroutine[Any, Any, Any]]) -> None:
    """Runs all of them until one returns or raises, and cancels the others. Raises what that one raised."""
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _start_api(client: Holdfast, address: ApiAddress, events: EventPrinter) -> ApiServer | None:
    """None if the API cannot be served and the user did not ask for it."""
    host, port, option = address[:3]
    needs_key = not address.is_insecure and (bool(client.settings.oidc) or await client.keys.exist())
    try:
        server = _new_server(client, address, needs_key=needs_key)
    except ModuleNotFoundError as error:
        reason = f"{error.name} is not installed: pip install 'holdfast[server]'"
        if option is not None:
            given = host if option == "--host" else port
            raise BadOption(option, given, f"left out here: {reason}") from None
        events.print("http", f"no HTTP API: {reason}", url=None, problem=reason)
        return None
    try:
        port = await server.start(host, port, only_local=not needs_key and not address.is_insecure)
    except BadOption as error:
        if option is not None:
            raise BadOption(_option_of(error), error.value, error.expected) from None
        text = f"no HTTP API here: {error}; --port names another"
        events.print("http", text, url=None, problem=str(error))
        return None
    scheme = "http" if address.tls_cert is None else "https"
    url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/api"
    who = (
        " for holders of keys"
        if needs_key
        else " for everybody, without keys,"
        if address.is_insecure
        else ""
    )
    from holdfast.server.pages.app import are_built

    pages = f"pages at {url.removesuffix('api')} and " if are_built() else ""
    text = f"{pages}HTTP API{who} at {url}"
    events.print("http", text, url=url, needs_key=needs_key, problem=None)
    return server


def _new_server(client: Holdfast, address: ApiAddress, *, needs_key: bool) -> ApiServer:
    from holdfast.server.serving import ServingOptions

    proxies = client.settings.trusted_proxies
    options = ServingOptions(address.tls_cert, address.tls_key, proxies)
    return client.api_server(needs_key=needs_key, options=options)


def _option_of(error: BadOption) -> str:
    return "--" + error.option.replace("_", "-")


# --- schedules


async def put_schedules(client: Holdfast, workflows: Sequence[WorkflowDefinition], events: Events) -> None:
    """Makes the stored schedules those of the files.

    A schedule that is no longer in its file is deleted. The schedule has the name of its workflow, so it is
    found even if the file was moved.
    """
    data = [each for each in map(as_data, workflows) if each is not None]
    files, names = {each.origin for each in data}, {each.name for each in data}
    wanted = {each.name: (each, each.file_schedule) for each in data if each.file_schedule is not None}
    for known in await client.schedules.list():
        was_moved = known.origin not in ("", PUBLISHED_ORIGIN) and known.name in names
        is_of_a_file = known.origin in files or was_moved
        if is_of_a_file and known.name not in wanted:
            with contextlib.suppress(ScheduleNotFound):  # another node that starts now was faster
                await client.schedules.delete(known.name)
            text = f"schedule {known.name} is deleted: it is not in its file any more"
            events.print("schedule", text, schedule=known.name, status="deleted", next_at=None)
    for name, (workflow, schedule) in wanted.items():
        info = await client.schedules.put_plan(
            name, workflow, schedule.plan, schedule.input, origin=workflow.origin
        )
        state = "is paused" if info.is_paused else f"fires next at {moment_text(info.next_at)}"
        status = "paused" if info.is_paused else "on"
        events.print(
            "schedule", f"schedule {name} {state}", schedule=name, status=status, next_at=info.next_at
        )


# --- the end


async def _report_idle(client: Holdfast, reports: RunReports | None, events: Events) -> None:
    """Returns when nothing is due here. Raises NodeStopped."""
    next_at = await client.wait_until_idle()
    if client.drained_by is not None:
        await asyncio.Event().wait()  # `serve_until_drained` says so, and ends this
    if reports is not None:
        await reports.catch_up()
    when = "nothing is to come" if next_at is None else f"the next is due at {moment_text(next_at)}"
    events.print("idle", f"nothing is due; {when}", next_at=next_at)
