"""A watcher that keeps the status of every run and task by what it is told, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tests.differential.tables import Tables

from holdfast.core.changes import Change, ChangeKind, Place
from holdfast.core.values import instant, key_text
from holdfast.ports.changes import ChangeFilter, Horizon
from holdfast.ports.stats import MINUTE
from holdfast.stores.sql_store import SqlStore


class Watcher:
    """Goes on from where it was, each time."""

    def __init__(self, store: SqlStore, namespace: str) -> None:
        self._store = store
        self._namespace = namespace
        self._place = Place(0, 0)
        self.runs: dict[str, tuple[str | None, str | None]] = {}
        """The status of each run, and what it waits for."""
        self.tasks: dict[tuple[str, int], tuple[str | None, str | None]] = {}
        """The name of each task, and its status. Not its attempt: the calls that are drawn at random let that
        go back, as no engine does, and the row keeps the greatest."""
        self._last = 0
        self.counted = Counter[str]()
        """How many runs were started, and how many have ended in each way."""

    async def catch_up(self) -> None:
        horizon: Horizon | None = None
        while True:
            page = await self._store.read_changes(self._namespace, self._place, ChangeFilter(), horizon)
            self.hear(page.changes)
            if page.place == self._place and page.bounds.horizon is None:
                return
            self._place, horizon = page.place, page.bounds.horizon

    def hear(self, changes: Iterable[Change]) -> None:
        for it in changes:
            self._last = max(self._last, instant(it.at))
            if it.kind is ChangeKind.RUN_DELETED:
                self.runs.pop(it.key, None)
                for task in [task for task in self.tasks if task[0] == it.key]:
                    del self.tasks[task]
            elif it.kind in (ChangeKind.RUN_CREATED, ChangeKind.RUN_STATUS):
                is_new = it.kind is ChangeKind.RUN_CREATED
                self.counted["started" if is_new else it.status or ""] += 1
                self.runs[it.key] = (it.status, it.waiting)
            elif it.kind is ChangeKind.TASK:
                assert it.seq is not None
                self.tasks[it.key, it.seq] = (it.task, it.status)

    async def miscounts(self) -> list[str]:
        """Where the minutes have other sums than this watcher was told."""
        rates = await self._store.read_rates(self._namespace, 0, self._last // MINUTE + 1, 1)
        sums = [sum(column) for column in zip(*(row[1:] for row in rates), strict=True)] or [0] * 4
        told = [self.counted[name] for name in ("started", "success", "failed", "cancelled")]
        return [] if sums == told else [f"the minutes have {sums}, told were {told}"]

    def differences(self, tables: Tables) -> list[str]:
        """Where the tables say something else than this watcher was told."""
        ids = {run.key: key_text(run.key) for run in tables.runs.values() if run.namespace == self._namespace}
        runs = {ids[run.key]: (run.status, run.waiting) for run in tables.runs.values() if run.key in ids}
        tasks = {
            (ids[task.run], task.seq): (task.name, task.status)
            for task in tables.tasks.values()
            if task.run in ids
        }
        return [
            f"{what}: told {told.get(what)}, is {there.get(what)}"
            for told, there in ((self.runs, runs), (self.tasks, tasks))
            for what in told.keys() | there.keys()
            if told.get(what) != there.get(what)
        ]
