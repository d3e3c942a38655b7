"""What a picture of one run shows."""

from __future__ import annotations

from typing import Protocol

from holdfast.core.run_views import GroupRows
from holdfast.core.values import Instant, RunKey


class RunViewStore(Protocol):
    async def read_groups(
        self, namespace: str, run: RunKey, at: Instant | None, names: int, rows: int
    ) -> GroupRows:
        """The tasks, children and questions of a run by name, in the order in which the names were first
        asked for. With `at`, as it was then. Of each kind no more than `names` names have a row, and one row
        named "" has the rest; no more than the first `rows` tasks are counted."""
        ...
