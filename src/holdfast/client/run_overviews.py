"""Runs as the HTTP API shows them: `hf.run_overviews`.

Pages of runs with a total, their tasks and attempts, and the log of an attempt.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

import msgspec

from holdfast.core.names import is_name
from holdfast.core.records import AttemptRecord, TaskRecord
from holdfast.core.values import RunKey, task_id
from holdfast.errors import BadOption, JournalCorrupt, RunNotFound
from holdfast.ports.runs import RunOverview, RunPage, RunStore

MOST_COUNTED: Final = 100_000
"""The largest total that is reported. No page begins later: a page reads all runs before it."""

_LARGEST_PAGE = 1000
_RECORDS_PER_READ = 1000

_decode_lines = msgspec.json.Decoder(list[tuple[int, str, str]]).decode


class RunOverviews:
    def __init__(self, store: RunStore, *, namespace: str) -> None:
        self._store = store
        self._namespace = namespace

    async def page(self, page: RunPage) -> tuple[list[RunOverview], int]:
        """The runs of the page, newest first, and the total, up to `MOST_COUNTED`."""
        if not 1 <= page.limit <= _LARGEST_PAGE:
            raise BadOption("size", page.limit, f"a whole number from 1 to {_LARGEST_PAGE:,}")
        if not 0 <= page.offset < MOST_COUNTED:
            number = page.offset // page.limit + 1
            raise BadOption("page", number, f"one that begins among the first {MOST_COUNTED:,} runs")
        found = await self._store.list_run_overviews(self._namespace, page)
        return found, await self._store.count_runs(self._namespace, page, MOST_COUNTED)

    async def run(self, id: str) -> RunOverview:
        """The run with that id or key. Raises RunNotFound."""
        record = await self._store.find_run(self._namespace, id) if is_name(id) else None
        overview = (
            None if record is None else await self._store.find_run_overview(self._namespace, record.key)
        )
        if overview is None:
            raise RunNotFound(id, self._namespace)
        return overview

    async def tasks(self, run: RunKey) -> list[TaskRecord]:
        return await self._store.list_tasks(self._namespace, run)

    async def attempts(self, run: RunKey) -> list[AttemptRecord]:
        """Attempts that did not succeed or that a worker made. The rows of the tasks have all others."""
        return await self._store.list_attempts(self._namespace, run)

    async def log(self, run: RunKey, seq: int, attempt: int) -> list[str]:
        """The log lines of an attempt. Raises RunNotFound if there is no such task."""
        found = await self._store.list_tasks(self._namespace, run, seq, 1)
        if not found or found[0].seq != seq:
            raise RunNotFound(task_id(run, seq), self._namespace)
        return [line async for line in self._lines(run, found[0], attempt)]

    async def _lines(self, run: RunKey, task: TaskRecord, attempt: int) -> AsyncIterator[str]:
        """Does not read the lines of other tasks, which may be many."""
        after = 0
        while True:
            page = await self._store.read_logs(self._namespace, run, after, task.name, _RECORDS_PER_READ)
            for record in page:
                after = record.number
                if (record.seq, record.attempt) != (task.seq, attempt):
                    continue
                try:
                    lines = _decode_lines(record.lines)
                except msgspec.MsgspecError as error:
                    raise JournalCorrupt(None, f"the log of task {task.name!r} ({error})") from None
                for _, _, text in lines:
                    yield text
            if len(page) < _RECORDS_PER_READ:
                return
