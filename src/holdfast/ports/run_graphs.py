"""What views of a run show, summed up by the store: a run of 100,000 tasks is told in a few rows."""

from __future__ import annotations

from typing import Protocol

from holdfast.core.journal_graphs import HeardMessage
from holdfast.core.run_graphs import TaskTally
from holdfast.core.values import Instant, RunKey


class RunGraphStore(Protocol):
    async def tally_tasks(
        self, namespace: str, run: RunKey, at: Instant | None, most: int
    ) -> list[TaskTally]:
        """The tasks of the run by name and state, in the order in which it first asked for them, `most`
        rows at most. With `at`, as they were then: a task that had begun and not ended was running. What a
        retry has changed since is not known any more."""
        ...

    async def list_heard_messages(self, namespace: str, run: RunKey, limit: int) -> list[HeardMessage]:
        """The messages that the run has read, in order, without what they say."""
        ...
