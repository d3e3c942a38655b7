"""A store that crashes its node at a chosen commit."""

from __future__ import annotations

from typing import Any

import msgspec

from holdfast.core.values import Failure, RunKey
from holdfast.core.waiting import WaitDescription
from holdfast.ports.commits import Commit, Receipt
from holdfast.ports.store import Store

_decode = msgspec.json.Decoder(Failure).decode


class Crash(BaseException):
    """Stands for the death of the process. A BaseException, so that no `except Exception` handles it."""


class CrashPoints:
    """Passes every call on to the store, counts commits, and crashes at commit number `at` (from 1).

    Without `after`, nothing of the commit is written. With `after`, all of it is written and the caller gets
    no answer.
    """

    def __init__(self, store: Store, *, at: int | None = None, after: bool = False) -> None:
        self._store = store
        self._at = at
        self._after = after
        self.commits = 0
        self.parked: list[Failure] = []
        """The reasons why runs were parked, one for each time."""
        self.waits: dict[RunKey, WaitDescription] = {}
        """What each run waited for that has left memory, or that only waits in it."""

    async def commit(self, commit: Commit) -> Receipt:
        self.commits += 1
        self.parked += [_decode(row.failure) for row in commit.released if row.failure is not None]
        for row in (*commit.released, *commit.waits):
            self.waits[row.run] = WaitDescription(row.waiting, row.waiting_kind, row.waiting_name)
        if self.commits != self._at:
            return await self._store.commit(commit)
        if self._after:
            await self._store.commit(commit)
        raise Crash(f"{'after' if self._after else 'before'} commit {self._at}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
