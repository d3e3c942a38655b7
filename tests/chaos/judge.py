"""Brings a chaos run to its end: `python -m tests.chaos.judge URL FOLDER SECONDS`.

When the faults are over, it finishes what the clients left undone: it closes mailboxes, settles promises,
cancels endless runs and mends failed ones. Then it waits for every run to end, and writes down what the
database has. It gives up after SECONDS: a run that has not ended by then is stranded.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import sys
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from tests.chaos.notebook import Invoked, Marked, Notebook, RunAtEnd, Settled, Ticked
from tests.chaos.observer import marked_attempts, stranded
from tests.chaos.workloads import CLOSE, EVERY, SCHEDULE, catalog

from holdfast import Holdfast, RunInfo
from holdfast.errors import Refused, StoreUnavailable

NAME = "judge"
_PAGE = 1000
_SECONDS_BETWEEN_LOOKS = 0.25


class Judge:
    def __init__(self, hf: Holdfast, notebook: Notebook, folder: Path) -> None:
        self._hf = hf
        self._notebook = notebook
        self._folder = folder
        self._asked: set[str] = set()
        self._count = 0

    async def all_runs(self) -> list[RunInfo]:
        runs: list[RunInfo] = []
        while page := await self._hf.list(limit=_PAGE, before=runs[-1].key if runs else None):
            runs += page
        return runs

    async def help_along(self, run: RunInfo) -> bool:
        """Do what this run waits for. True if the run will go on."""
        if run.status == "failed" and run.workflow.startswith("mended") and "/" not in run.id:
            Path(run.input["flag"]).touch()
            await self._tell("retry", run.id, None, self._hf.retry(run.id))
            return True
        if run.status.is_final or run.id in self._asked or "/" in run.id:
            return not run.status.is_final
        self._asked.add(run.id)
        match run.workflow:
            case "mailbox":
                await self._tell("signal", run.id, CLOSE, self._hf.signal(run.id, "mail", CLOSE))
            case "ballot":
                await self._tell(
                    "resolve", run.id, NAME, self._hf.resolve(run.id, "winner", NAME, ahead=True)
                )
            case "endless" | "idle":
                await self._tell("cancel", run.id, None, self._hf.cancel(run.id))
            case "errand":
                await self._tell("resolve", run.id, True, self._hf.resolve(run.id, "ask", True, ahead=True))
            case "mended" | "mended_family" | "mended_dag":
                Path(run.input["flag"]).touch()
            case _:
                pass  # the run goes on by itself
        return True

    async def stop_the_schedule(self) -> bool:
        """Pause the schedule once it has caught up. True if it was paused before: it starts no more runs."""
        found = await self._hf.schedules.get(SCHEDULE)
        if found.is_paused:
            return True
        if found.next_at is not None and found.next_at > dt.datetime.now(dt.UTC):
            await self._hf.schedules.pause(SCHEDULE)
            self._notebook.write(
                Ticked(
                    schedule=SCHEDULE,
                    every=int(EVERY.total_seconds()),
                    began_at=found.created_at.timestamp(),
                    next_at=found.next_at.timestamp(),
                    skipped=found.skipped,
                )
            )
        return False

    async def _tell(self, action: str, run: str, value: Any, call: Awaitable[None]) -> None:
        """Notes the call but no answer, so the checks treat it as a call that may have been done."""
        self._count += 1
        self._notebook.write(Invoked(client=NAME, number=self._count, action=action, run=run, value=value))
        try:
            await call
        except Refused:
            pass  # the run has ended meanwhile, or a client's vote has come after all


async def _settle(url: str, folder: Path, seconds: float) -> None:
    notebook = Notebook(folder / "judge.jsonl")
    began = time.monotonic()
    async with Holdfast(url, engine=False, catalog=catalog) as hf:
        judge = Judge(hf, notebook, folder)
        while True:
            try:
                has_stopped = await judge.stop_the_schedule()
                runs = await judge.all_runs()
                is_open = [await judge.help_along(run) for run in runs]
            except StoreUnavailable as error:
                # A frozen or dead process may still hold the lock of the file. It is gone soon.
                print(f"not now: {error}", flush=True)
                runs, is_open, has_stopped = [], [True], False
            is_settled = not any(is_open) and has_stopped
            if is_settled or time.monotonic() - began > seconds:
                break
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        took = time.monotonic() - began
        for run in runs:
            notebook.write(_at_end(run))
        notebook.write(Marked(attempts=await asyncio.to_thread(marked_attempts, url)))
        for found in await hf.doctor():
            notebook.write(stranded(found))
        notebook.write(Settled(seconds=took))


def _at_end(run: RunInfo) -> RunAtEnd:
    return RunAtEnd(
        run=run.id,
        key=run.key.replace("-", ""),
        workflow=run.workflow,
        status=run.status,
        input=run.input,
        output=run.output,
        failure=run.failure.type if run.failure else "",
        message=run.failure.message if run.failure else "",
    )


def main() -> None:
    url, folder, seconds = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
    asyncio.run(_settle(url, folder, seconds))


if __name__ == "__main__":
    main()
