"""How clients start runs: what they need for it (`Starter`), and how it is done without an engine.

`StoreStarter` writes the runs to the store, in batches, for any node to claim.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from holdfast.core.records import RunRecord, new_run
from holdfast.core.run_options import PLAIN_TERMS, RunTerms
from holdfast.core.values import Instant, Payload, RunKey
from holdfast.ports.programs import Pinned
from holdfast.ports.runs import RunStore, StartedRuns, started_runs


class Starter(Protocol):
    """Starts runs: on the engine of this process, or in the store, for any node to claim."""

    def start_runs(
        self,
        workflow: str,
        pinned: Pinned,
        runs: Sequence[tuple[Payload, str | None]],
        terms: RunTerms = PLAIN_TERMS,
    ) -> asyncio.Future[StartedRuns]:
        """Start a run for each input and id, all on the same terms. The future has their keys once they are
        recorded."""
        ...

    def take_up(self, runs: Iterable[RunKey]) -> None:
        """Work on these runs too, if the engine of this process is limited to its own runs."""
        ...


class Restarter:
    """Starts runs that may take the ids of others. The store does it in one transaction, whatever nodes have
    those runs, and any node claims the new ones."""

    def __init__(
        self,
        store: RunStore,
        *,
        namespace: str,
        now: Callable[[], Instant],
        new_key: Callable[[Instant], RunKey],
    ) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._new_key = new_key

    async def restart_runs(
        self,
        workflow: str,
        pinned: Pinned,
        runs: Sequence[tuple[Payload, str | None]],
        terms: RunTerms,
        *,
        replaces: bool,
        by: str,
    ) -> StartedRuns:
        now = self._now()
        rows = _new_rows(self._namespace, workflow, pinned, runs, terms, now, self._new_key)
        existing = await self._store.restart_runs(self._namespace, rows, replaces, by, now)
        return started_runs([row.key for row in rows], existing)


def _new_rows(
    namespace: str,
    workflow: str,
    pinned: Pinned,
    runs: Sequence[tuple[Payload, str | None]],
    terms: RunTerms,
    now: Instant,
    new_key: Callable[[Instant], RunKey],
) -> list[RunRecord]:
    version, claim = pinned.version, pinned.claim
    return [
        new_run(new_key(now), namespace, id, workflow, version, claim, input, now, terms=terms)
        for input, id in runs
    ]


class StoreStarter:
    def __init__(
        self,
        store: RunStore,
        *,
        namespace: str,
        now: Callable[[], Instant],
        new_key: Callable[[Instant], RunKey],
    ) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._new_key = new_key
        self._waiting: list[tuple[list[RunRecord], asyncio.Future[StartedRuns]]] = []
        self._writer: asyncio.Task[None] | None = None

    def start_runs(
        self,
        workflow: str,
        pinned: Pinned,
        runs: Sequence[tuple[Payload, str | None]],
        terms: RunTerms = PLAIN_TERMS,
    ) -> asyncio.Future[StartedRuns]:
        rows = _new_rows(self._namespace, workflow, pinned, runs, terms, self._now(), self._new_key)
        answer: asyncio.Future[StartedRuns] = asyncio.get_running_loop().create_future()
        self._waiting.append((rows, answer))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write(), name="holdfast starter")
        return answer

    def take_up(self, runs: Iterable[RunKey]) -> None:
        pass  # there is no engine here

    async def _write(self) -> None:
        """Runs that were submitted while a batch was written become the next batch."""
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                existing = await self._store.create_runs(
                    self._namespace, [run for rows, _ in batch for run in rows]
                )
            except Exception as error:
                for _, answer in batch:
                    if not answer.done():
                        answer.set_exception(error)
            else:
                for rows, answer in batch:
                    if not answer.done():
                        answer.set_result(started_runs([row.key for row in rows], existing))
