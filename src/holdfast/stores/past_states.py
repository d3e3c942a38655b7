"""Reads what tells the state that a run had earlier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from holdfast.core.past_states import StateEvidence
from holdfast.core.records import FIRST_CHAPTER, History
from holdfast.core.values import RunKey
from holdfast.stores.database import Row, Transaction
from holdfast.stores.histories import load_within
from holdfast.stores.sql_role import SqlRole

_STEPS_AT_ONCE: Final = 200


class SqlPastStateStore(SqlRole):
    async def read_state_evidence(
        self, namespace: str, run: RunKey, step: int, rows: int, bytes: int, *, with_history: bool
    ) -> StateEvidence:
        def script(tx: Transaction) -> StateEvidence:
            [(steps,)] = tx.rows("count_steps", run)
            chapter = tx.rows("chapter_of_step", run, step)
            first, began_with, end, ended_with = chapter[0] if chapter else (0, None, None, None)
            if end is None:
                end, ended_with = steps, dict(tx.rows("read_state", namespace, run))

            def earlier(last: Row | None, limit: int) -> list[Row]:
                return tx.rows("steps_up_to", run, first, step if last is None else last[0] - 1, limit)

            def later(last: Row | None, limit: int) -> list[Row]:
                since = step + 1 if last is None else last[0] + 1
                # A step of the next chapter may be read, and is left out below.
                return tx.rows("page_of_steps", run, since, limit)

            before, after = _within(earlier, rows, bytes), _within(later, rows, bytes)
            history: History | None = None
            if with_history and not chapter:
                history = load_within(tx, namespace, run, FIRST_CHAPTER, rows, bytes)
            return StateEvidence(
                steps,
                (first, end),
                began_with,
                ended_with,
                [(at, data) for at, data in reversed(before)],
                [(at, data) for at, data in after if at < end],
                history,
            )

        return await self._driver.read(script, snapshot=True, may_be_long=True)


def _within(page: Callable[[Row | None, int], list[Row]], rows: int, bytes: int) -> list[Row]:
    found: list[Row] = []
    room = bytes
    while room > 0 and len(found) < rows:
        wanted = min(_STEPS_AT_ONCE, rows - len(found))
        some = page(found[-1] if found else None, wanted)
        found += some
        room -= sum(len(step) for _, step in some)
        if len(some) < wanted:
            break
    return found
