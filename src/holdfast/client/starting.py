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
        """Runs that were started in the store. An engine that works on its own runs only works on these,
        too."""
        ...


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
        now = self._now()
        rows = [
            new_run(
                self._new_key(now),
                self._namespace,
                id,
                workflow,
                pinned.version,
                pinned.claim,
                input,
                now,
                terms=terms,
            )
            for input, id in runs
        ]
        answer: asyncio.Future[StartedRuns] = asyncio.get_running_loop().create_future()
        self._waiting.append((rows, answer))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write(), name="holdfast starter")
        return answer

    def take_up(self, runs: Iterable[RunKey]) -> None:
        """There is no engine: any node claims them."""

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
