"""What a store has about the state that a run had earlier."""

from __future__ import annotations

from typing import Protocol

from holdfast.core.past_states import StateEvidence
from holdfast.core.values import RunKey


class PastStateStore(Protocol):
    async def read_state_evidence(
        self, namespace: str, run: RunKey, step: int, rows: int, bytes: int, *, with_history: bool
    ) -> StateEvidence:
        """What is known of the state of a run after a step of its journal, in one snapshot: no more than so
        many steps before and behind it, and about so many bytes of each. With `with_history`, also the whole
        history for replay, if it has no more than so many rows and bytes."""
        ...
