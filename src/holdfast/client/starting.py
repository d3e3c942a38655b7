"""Starting runs without an engine: into the store, for any node to take. Many at once is one batch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from holdfast.core.values import Instant, Payload, RunKey, RunStatus
from holdfast.ports.programs import Pinned
from holdfast.ports.store import NewRun, Store


class StoreStarter:
    def __init__(
        self,
        store: Store,
        *,
        namespace: str,
        now: Callable[[], Instant],
        new_key: Callable[[Instant], RunKey],
    ) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._new_key = new_key
        self._waiting: list[tuple[NewRun, asyncio.Future[RunKey]]] = []
        self._writer: asyncio.Task[None] | None = None

    def submit(self, workflow: str, pinned: Pinned, input: Payload, id: str | None) -> asyncio.Future[RunKey]:
        now = self._now()
        run = NewRun(
            self._new_key(now),
            id,
            workflow,
            pinned.version,
            pinned.claim,
            RunStatus.PENDING,
            input,
            None,
            None,
            None,
            0,
            now,
            None,
            now,
            None,
        )
        answer: asyncio.Future[RunKey] = asyncio.get_running_loop().create_future()
        self._waiting.append((run, answer))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write(), name="holdfast starter")
        return answer

    async def _write(self) -> None:
        """Whatever has come together while the last batch was written goes out as the next."""
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                existing = await self._store.create(self._namespace, [run for run, _ in batch])
            except Exception as error:
                for _, answer in batch:
                    if not answer.done():
                        answer.set_exception(error)
            else:
                for run, answer in batch:
                    if not answer.done():
                        answer.set_result(existing.get(run.run, run.run))
