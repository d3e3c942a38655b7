"""The child of `holdfast dev`: loads everything, says so, and serves when it is told to.

It ends when it is told to stop, and when the pipe from its supervisor is closed: then the supervisor is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import msgspec

from holdfast.authoring.catalog import default_catalog
from holdfast.cli.database import DatabaseOptions, find_database, new_holdfast, run_async
from holdfast.cli.dev.hang_up import leave_terminal
from holdfast.cli.dev.loading import Loaded, load_everything
from holdfast.cli.dev.messages import (
    GO,
    HANG_UP,
    ChildOrder,
    ChildReport,
    DrainedReport,
    EventReport,
    ImportReport,
    LoadedReport,
    RefusedReport,
    ServingReport,
    ToldReport,
)
from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.exporting import start_exporting
from holdfast.cli.log_lines import log_to_stderr, use_log_format
from holdfast.cli.run_reports import RunReports
from holdfast.cli.serving import put_schedules, serve_until_drained, wait_for_first
from holdfast.errors import HoldfastError, StoreError

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.server.serving import ApiServer

LONGEST_DRAIN: Final = 1.0
"""Seconds that tasks under way get to finish when code has changed. The others begin again."""
_REQUEST_SECONDS: Final = 0.5
"""How long requests under way may hold up a stop."""
_REPORT_EVERY: Final = 0.3
_ORPHAN_SECONDS: Final = 5.0
"""How long a child may take to end in order when its supervisor is gone."""


def main() -> None:
    control, reports = _take_over_streams()
    log_to_stderr()
    lines = _lines(control)
    first = next(lines, None)
    if first is None:
        return  # the supervisor was gone before it said anything
    order = msgspec.json.decode(first, type=ChildOrder)
    use_log_format(order.log_format)
    link = SupervisorLink(lines, reports)
    if order.socket is not None:
        os.set_inheritable(order.socket, False)  # not for the processes of tasks
    sys.dont_write_bytecode = True  # Python takes two edits in one second for one if the size is the same
    loaded = load_everything([Path(path) for path in order.paths], lambda file: link.send(ImportReport(file)))
    if loaded.broken.intersection(order.needed):
        link.send(RefusedReport(_problems(loaded)))
        return
    try:
        run_async(_live(order, loaded, link))
    except HoldfastError as error:
        link.send(RefusedReport([str(error)], isinstance(error, StoreError)))
        sys.exit(ExitCode.REFUSED)
    # Everything is handed back. Tasks on threads cannot be ended otherwise, and begin again elsewhere.
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(ExitCode.SUCCESS)


def _take_over_streams() -> tuple[int, IO[bytes]]:
    """The two pipes. After this, user code reads nothing from stdin, and prints to stderr."""
    control, reports = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return control, os.fdopen(reports, "wb")


def _lines(pipe: int) -> Iterator[bytes]:
    """Without a buffered reader: at its end Python cannot close one that another thread reads from."""
    rest = b""
    while data := os.read(pipe, 65_536):
        *lines, rest = (rest + data).split(b"\n")
        yield from lines


class SupervisorLink:
    def __init__(self, lines: Iterator[bytes], reports: IO[bytes]) -> None:
        self._lines, self._reports = lines, reports
        self._loop: asyncio.AbstractEventLoop | None = None
        self.may_go = asyncio.Event()
        self.must_stop = asyncio.Event()
        self.after: str | None = None
        """From where on it tells what happens to runs. None: from now on."""
        threading.Thread(target=self._listen, name="holdfast dev supervisor", daemon=True).start()

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """From now on the event loop hears a stop. Before, it ends the process: nothing is to clean up."""
        self._loop = loop

    def send(self, report: ChildReport) -> None:
        with contextlib.suppress(OSError):  # the supervisor is gone, and the other pipe says so
            self._reports.write(msgspec.json.encode(report) + b"\n")
            self._reports.flush()

    def print(self, event: str, text: str, at: dt.datetime | None = None, **facts: Any) -> None:
        self.send(EventReport(event, text, at or dt.datetime.now(dt.UTC), facts))

    def _listen(self) -> None:
        """On a thread of its own, since user code may hold up the event loop."""
        for line in self._lines:
            if line == HANG_UP:
                leave_terminal()
            order, _, after = line.partition(b" ")
            if order == GO:
                self.after = after.decode() or None
            self._set(self.may_go if order == GO else self.must_stop)
        self._set(self.must_stop)
        time.sleep(_ORPHAN_SECONDS)
        os._exit(ExitCode.FAILED)

    def _set(self, event: asyncio.Event) -> None:
        if self._loop is None:
            os._exit(ExitCode.SUCCESS)
        with contextlib.suppress(RuntimeError):  # the loop is closed: the process ends already
            self._loop.call_soon_threadsafe(event.set)


async def _live(order: ChildOrder, loaded: Loaded, link: SupervisorLink) -> None:
    database = _with_short_drain(find_database(order.db, order.namespace))
    async with new_holdfast(database, engine=False, makes_file=True) as client:
        await client.register_all()  # may be refused, and then the other child has to go on
    link.attach(asyncio.get_running_loop())
    link.send(_report(loaded))
    if await _is_first(link.may_go, link.must_stop):
        await _serve(order, database, loaded, link)


def _with_short_drain(database: DatabaseOptions) -> DatabaseOptions:
    drain = min(database.settings.drain_seconds, LONGEST_DRAIN)
    return database._replace(settings=msgspec.structs.replace(database.settings, drain_seconds=drain))


def _report(loaded: Loaded) -> LoadedReport:
    names = list(dict.fromkeys(each.name for each in loaded.workflows))
    return LoadedReport(
        workflows=names,
        tasks=sorted(default_catalog.task_names()),
        files=loaded.files,
        watched=loaded.more_files(),
        problems=_problems(loaded),
        notes=[_relative(note) for note in loaded.notes],
        run_target=_relative(loaded.targets[names[0]]) if names else None,
    )


def _problems(loaded: Loaded) -> list[str]:
    return [_relative(str(problem)) for problem in dict.fromkeys(loaded.problems)]


def _relative(text: str) -> str:
    """Paths are shown as seen from this folder."""
    return text.removeprefix(f"{Path.cwd()}{os.sep}")


async def _is_first(one: asyncio.Event, other: asyncio.Event) -> bool:
    waits = [asyncio.ensure_future(each.wait()) for each in (one, other)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
    return one.is_set() and not other.is_set()


async def _serve(order: ChildOrder, database: DatabaseOptions, loaded: Loaded, link: SupervisorLink) -> None:
    database, end_export = start_exporting(database)
    client = new_holdfast(database, engine=True)
    client.exit_when_stalled(ExitCode.STALLED)
    await client.open()
    server: ApiServer | None = None
    reports = RunReports(client, link, lambda offset: link.send(ToldReport(offset)))
    try:
        await reports.begin(link.after)
        server, problem = await _start_api(client, order.socket)
        await put_schedules(client, loaded.workflows, link)
        link.send(ServingReport(problem))
        parts = [serve_until_drained(client, link), link.must_stop.wait(), reports.go_on(_REPORT_EVERY)]
        await wait_for_first(parts if server is None else [*parts, server.wait_until_stopped()])
        await reports.catch_up()
        if client.drained_by is not None:
            link.send(DrainedReport())
    finally:
        if server is not None:
            stopping = asyncio.ensure_future(server.stop())
            await asyncio.wait([stopping], timeout=_REQUEST_SECONDS)
        await client.close()
        end_export()


async def _start_api(client: Holdfast, descriptor: int | None) -> tuple[ApiServer | None, str | None]:
    """The server, or why there is none."""
    if descriptor is None:
        return None, None
    try:
        server = client.api_server()
    except ModuleNotFoundError as error:
        return None, f"{error.name} is not installed: pip install 'holdfast[server]'"
    await server.start_on(socket.socket(fileno=descriptor))
    return server, None


if __name__ == "__main__":
    main()
