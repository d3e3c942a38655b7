"""The supervisor of `holdfast dev`: it has the terminal and the listening socket, and runs no user code.

When a file changes, a new child loads everything. Only when it has succeeded is the old child told to stop,
and when that has ended, the new one is told to go. Requests that come meanwhile wait in the queue of the
socket. If the new child cannot load, its problems are printed, and the old one goes on.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from holdfast.cli.database import DatabaseOptions
from holdfast.cli.dev.child_process import ChildProcess
from holdfast.cli.dev.event_log import EventLog
from holdfast.cli.dev.hang_up import leave_terminal
from holdfast.cli.dev.messages import ChildOrder, ChildReport, EventReport, LoadedReport, ToldReport
from holdfast.cli.dev.source_files import MOST_FILES, Snapshot, take_snapshot
from holdfast.cli.exit_codes import ExitCode
from holdfast.cli.interrupts import Interrupts
from holdfast.cli.views.output import say

_LOOK_EVERY: Final = 0.3
_SETTLE_SECONDS: Final = 0.1
"""Files must not have changed for so long: editors and git write several at once."""
_LONGEST_SETTLING: Final = 3.0
_LONG_IMPORT: Final = 10.0
_STOP_SECONDS: Final = 3.0
"""How long a new child waits for the old one to end. Then both serve for a moment."""
_KILL_SECONDS: Final = 15.0
"""How long a child may take to stop in order."""
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 30.0
_STEADY_SECONDS: Final = 60.0
"""A child that has served for so long is not one that crashes at once."""
_MOST_NAMES: Final = 12


class DevOptions(NamedTuple):
    paths: Sequence[Path]
    database: DatabaseOptions
    db: str | None
    namespace: str | None
    listener: socket.socket
    note: str | None
    """Why the address is not the usual one."""
    log_format: str = "text"
    opens_pages: bool = False
    """In a browser, once the first child serves them."""


class Supervisor:
    def __init__(self, options: DevOptions, log: EventLog) -> None:
        self._options = options
        self._log = log
        self._listener: socket.socket | None = options.listener
        self._current: ChildProcess | None = None
        self._children: set[ChildProcess] = set()
        """All that have not ended."""
        self._watched: Sequence[str] = ()
        self._offset: str | None = None
        """Up to here, children have told what happened to runs."""
        self._is_cut_told = False
        self._told: set[str] = set()
        self._pause = _FIRST_PAUSE
        self._is_store_lost = False
        self._has_served = self._is_start_told = False
        self._unprinted: asyncio.Future[None] | None = None
        """Gets the error if something could not be printed."""

    async def run(self) -> int:
        """Returns the exit code, after Ctrl-C, SIGTERM, the end of the terminal, or a drain of the node."""
        hung_up = asyncio.Event()
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as `nohup` sets it
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, hung_up.set)
        with Interrupts() as interrupts:
            working = asyncio.ensure_future(self._work())
            unprinted = self._unprinted = asyncio.get_running_loop().create_future()
            waits = [asyncio.ensure_future(each) for each in (interrupts.next(), hung_up.wait())]
            try:
                await asyncio.wait([working, unprinted, *waits], return_when=asyncio.FIRST_COMPLETED)
                if hung_up.is_set():
                    leave_terminal()
                if unprinted.done():
                    unprinted.result()
                if working.done():
                    return working.result()
            finally:
                for each in (working, unprinted, *waits):
                    each.cancel()
                await asyncio.gather(working, *waits, return_exceptions=True)
                await self._stop_all(interrupts, is_hung_up=hung_up.is_set())
        self._log.print("stopped", "stopped")
        return ExitCode.SUCCESS

    async def _work(self) -> int:
        """Returns only if there is no point in going on."""
        seen = await self._look()
        while True:
            fresh = await self._load(seen)
            if fresh is not None:
                await self._switch_to(fresh)
            elif self._is_store_lost and not self._has_served:
                return ExitCode.REFUSED
            seen = await self._wait_for_news(seen)
            if self._current is not None and self._current.was_drained:
                return ExitCode.SUCCESS

    # --- loading

    async def _load(self, seen: Snapshot) -> ChildProcess | None:
        """A child that has loaded everything; None if it cannot, which is told."""
        options = self._options
        serves = self._current is not None and not self._current.has_ended
        needed = self._current.loaded.files if serves and self._current and self._current.loaded else []
        order = ChildOrder(
            paths=[str(path) for path in options.paths],
            db=options.db,
            namespace=options.namespace,
            log_format=options.log_format,
            socket=None if self._listener is None else self._listener.fileno(),
            needed=[file for file in needed if file in seen.files],
        )
        self._is_store_lost = False
        child = await ChildProcess.start(order, self._hear)
        self._children.add(child)
        told = asyncio.get_running_loop().call_later(_LONG_IMPORT, self._tell_long_import, child)
        changed = asyncio.ensure_future(self._wait_for_change(seen))
        ready = asyncio.ensure_future(child.wait_until(lambda it: bool(it.loaded or it.refused)))
        try:
            await asyncio.wait([changed, ready], return_when=asyncio.FIRST_COMPLETED)
        finally:
            told.cancel()
            changed.cancel()
            ready.cancel()
        if not (child.loaded or child.refused or child.has_ended):
            await self._end(child)  # the files have changed again: what it loads is of no use
            return None
        if child.loaded is None:
            await self._tell_refusal(child, serves=serves)
            return None
        self._tell_loaded(child.loaded)
        return child

    def _hear(self, report: ChildReport) -> None:
        match report:
            case EventReport():
                try:
                    self._log.pass_on(report)
                except OSError as error:  # nobody reads it any more, or the disk is full
                    if self._unprinted is not None and not self._unprinted.done():
                        self._unprinted.set_exception(error)
            case ToldReport():
                self._offset = report.offset
            case _:
                pass

    def _tell_long_import(self, child: ChildProcess) -> None:
        where = f": it is importing {child.importing}" if child.importing else ""
        self._log.print("loading", f"loading takes long{where}", "yellow", file=child.importing or None)

    async def _tell_refusal(self, child: ChildProcess, *, serves: bool) -> None:
        await child.wait_until_ended(_STOP_SECONDS)
        self._children.discard(child)
        problems = [f"the process that loads it {child.how_it_ended}"]
        if child.refused is not None:
            problems = child.refused.problems
            self._is_store_lost = child.refused.is_store
        for problem in problems:
            self._log.print("problem", problem, "red", problem=problem)
        if serves:
            then = "what was loaded before goes on"
        elif self._is_store_lost:
            then = "it takes a database" if not self._has_served else "the database is tried again"
        else:
            then = "nothing is served until a file changes"
        self._log.print("refused", f"not loaded: {then}", "yellow", is_serving=serves)

    def _tell_loaded(self, loaded: LoadedReport) -> None:
        """What was told when files were loaded before is not told again."""
        for problem in loaded.problems:
            if problem not in self._told:
                self._log.print("problem", problem, "red", problem=problem)
        for note in loaded.notes:
            if note not in self._told:
                self._log.print("note", note, "dim", note=note)
        self._told = {*loaded.problems, *loaded.notes}
        self._watched = loaded.watched

    # --- serving

    async def _switch_to(self, fresh: ChildProcess) -> None:
        old, self._current = self._current, fresh
        if old is not None and not old.has_ended:
            old.stop()
            if not await old.wait_until_ended(_STOP_SECONDS):
                asyncio.get_running_loop().call_later(_KILL_SECONDS, old.kill)
        self._children = {child for child in self._children if not child.has_ended}
        fresh.go(self._offset)
        if await fresh.wait_until(lambda it: it.serving is not None):
            self._tell_serving(fresh, is_first=not self._has_served)
            self._has_served = True

    def _tell_serving(self, child: ChildProcess, *, is_first: bool) -> None:
        loaded, options = child.loaded, self._options
        assert loaded is not None
        assert child.serving is not None
        if child.serving.problem is not None:
            self._close_listener(child.serving.problem)
        url = None if self._listener is None else f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        what = _listed("workflow", loaded.workflows) if loaded.workflows else _listed("task", loaded.tasks)
        facts: dict[str, Any] = {"url": url, "workflows": loaded.workflows, "tasks": loaded.tasks}
        if is_first:
            where = f"{url} (the API is at {url}/api/v1)" if url is not None else "no HTTP API"
            note = f"; {options.note}" if options.note else ""
            text = f"{where}{note}: {what or 'nothing to serve yet'}; Ctrl-C stops"
            self._log.print("serving", text, "bold", **facts)
            if url is not None and options.opens_pages:
                # It may start the browser, and wait for it.
                threading.Thread(target=webbrowser.open, args=(f"{url}/",), daemon=True).start()
        else:
            self._log.print("serving", f"loaded again: {what or 'nothing'}", "green", **facts)
        self._tell_hint(loaded, is_first=is_first)

    def _tell_hint(self, loaded: LoadedReport, *, is_first: bool) -> None:
        """What to do next: at first, and when there is a workflow for the first time."""
        if loaded.run_target is not None and not self._is_start_told:
            self._is_start_told = True
            hint = f"start a run with: {self._options.database.command('run', loaded.run_target)}"
        elif is_first and not loaded.tasks:
            hint = (
                "no workflow here yet: `holdfast init` writes an example, or write a file (YAML, JSON or "
                "Python), and it is picked up"
            )
        else:
            return
        self._log.print("hint", hint, "dim", hint=hint)

    def _close_listener(self, problem: str) -> None:
        """Nobody will answer: a request must be refused, and not wait for ever."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
            self._log.print("http", f"no HTTP API: {problem}", "yellow", url=None, problem=problem)

    # --- waiting

    async def _wait_for_news(self, seen: Snapshot) -> Snapshot:
        """Returns when files have changed, or a child that has ended is to be started again."""
        changed = asyncio.ensure_future(self._wait_for_change(seen))
        try:
            if self._current is None:
                # A database that is away may come back; a file with a mistake has to change.
                await asyncio.wait([changed], timeout=self._pause if self._is_store_lost else None)
                return self._tell_change(seen, changed.result()) if changed.done() else self._longer(seen)
            began = asyncio.get_running_loop().time()
            ended = asyncio.ensure_future(self._current.wait_until_ended())
            await asyncio.wait([changed, ended], return_when=asyncio.FIRST_COMPLETED)
            ended.cancel()
            if self._current.was_drained:
                return seen
            if changed.done():
                return self._tell_change(seen, changed.result())
            if asyncio.get_running_loop().time() - began > _STEADY_SECONDS:
                self._pause = _FIRST_PAUSE
            self._tell_crash(self._current)
            self._current = None
            await asyncio.wait([changed], timeout=self._pause)
            return self._tell_change(seen, changed.result()) if changed.done() else self._longer(seen)
        finally:
            changed.cancel()

    def _longer(self, seen: Snapshot) -> Snapshot:
        """The same files are loaded again. The pause before the next time is longer."""
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        return seen

    def _tell_crash(self, child: ChildProcess) -> None:
        for problem in child.refused.problems if child.refused is not None else ():
            self._log.print("problem", problem, "red", problem=problem)
        text = f"the process that serves {child.how_it_ended}; it is started again in {self._pause:g} s"
        self._log.print("crashed", text, "red", exit_code=child.exit_code, again_in=self._pause)

    def _tell_change(self, before: Snapshot, now: Snapshot) -> Snapshot:
        self._pause = _FIRST_PAUSE
        names = [_relative(name) for name in now.changed(before)]
        text = f"{', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''} changed"
        self._log.print("changed", text, "dim", files=names)
        return now

    async def _wait_for_change(self, seen: Snapshot) -> Snapshot:
        """The files as they are when they have changed, and then not for a moment."""
        loop = asyncio.get_running_loop()
        every = _LOOK_EVERY
        while True:
            await asyncio.sleep(every)
            began = loop.time()
            now = await self._look()
            every = max(_LOOK_EVERY, 5 * (loop.time() - began))  # a large tree must not keep a core busy
            if not now.changed(seen):
                continue
            deadline = loop.time() + _LONGEST_SETTLING
            while loop.time() < deadline:
                await asyncio.sleep(_SETTLE_SECONDS)
                before, now = now, await self._look()
                if not now.changed(before):
                    break
            if now.changed(seen):
                return now

    async def _look(self) -> Snapshot:
        snapshot = await asyncio.to_thread(take_snapshot, self._options.paths, self._watched)
        if snapshot.is_cut and not self._is_cut_told:
            self._is_cut_told = True
            text = f"only the first {MOST_FILES:,} files are looked at; name the folders that matter"
            self._log.print("note", text, "yellow", note=text)
        return snapshot

    # --- the end

    async def _end(self, child: ChildProcess) -> None:
        """A child that does not serve has nothing to hand back."""
        child.kill()
        await child.wait_until_ended()
        self._children.discard(child)

    async def _stop_all(self, interrupts: Interrupts, *, is_hung_up: bool) -> None:
        """A second signal ends everything at once."""
        living = [child for child in self._children if not child.has_ended]
        for child in living:
            child.stop(is_hung_up=is_hung_up)
        ends = asyncio.gather(*(child.wait_until_ended(_KILL_SECONDS) for child in living))
        again = asyncio.ensure_future(interrupts.next())
        await asyncio.wait([ends, again], return_when=asyncio.FIRST_COMPLETED, timeout=1)
        if not ends.done() and not again.done():
            say("stopping in order; Ctrl-C stops at once", "dim")
            await asyncio.wait([ends, again], return_when=asyncio.FIRST_COMPLETED)
        for child in living:
            child.kill()
        if again.done():
            interrupts.end_process(again.result())
        again.cancel()
        await ends


def _listed(noun: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    plural = "" if len(names) == 1 else "s"
    return f"{len(names)} {noun}{plural} ({', '.join(names[:_MOST_NAMES])}{more})"


def _relative(name: str) -> str:
    return name.removeprefix(f"{Path.cwd()}{os.sep}")
