"""Reading histories for replay: no inputs of settled tasks, and never too many rows or bytes at once."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.records import History
from holdfast.core.values import Outcome, RunKey
from holdfast.errors import JournalCorrupt
from holdfast.ports.runs import HISTORY_BYTES, HistoryPage, HistoryPlace, ShortHistories
from holdfast.stores import records
from holdfast.stores.database import Row, Transaction
from holdfast.stores.shared_inputs import with_shared_inputs
from holdfast.stores.sql_role import SqlRole


class SqlHistoryStore(SqlRole):
    async def load_short_histories(
        self, namespace: str, runs: Sequence[RunKey], rows: int, bytes: int = HISTORY_BYTES
    ) -> ShortHistories:
        return await self._driver.read(
            lambda tx: _read_short(tx, namespace, runs, rows, bytes), snapshot=True
        )

    async def load_history_page(
        self, namespace: str, run: RunKey, place: HistoryPlace, rows: int
    ) -> HistoryPage:
        return await self._driver.read(lambda tx: _read_page(tx, namespace, run, place, rows), snapshot=True)


def _read_short(
    tx: Transaction, namespace: str, runs: Sequence[RunKey], rows: int, bytes: int
) -> ShortHistories:
    wanted: list[Row] = [(run,) for run in dict.fromkeys(runs)]
    there = {row[0]: row for row in tx.many_returning("runs_of", wanted, namespace)}
    found = {run: there[run] for (run,) in wanted if run in there}
    sizes = {run: size for run, *size in tx.many_returning("history_sizes", [(run,) for run in found], rows)}
    short: dict[RunKey, Row] = {}
    result = ShortHistories([], [], [])
    row_room, byte_room = rows, bytes
    for run, row in found.items():
        row_count, byte_count = sizes[run]
        if row_count > rows:
            result.long.append(records.run_record(row))
        elif row_count > row_room or (byte_count > byte_room and short):
            result.left.append(run)
        else:
            short[run] = row
            row_room -= row_count
            byte_room -= byte_count
    result.loaded.extend(_load(tx, short))
    return result


def _load(tx: Transaction, found: dict[RunKey, Row]) -> list[History]:
    keys: list[Row] = [(run,) for run in found]
    damage: dict[RunKey, str] = {}
    steps = records.steps_by_run(tx.many_returning("steps_of", keys), damage)
    outcomes: dict[RunKey, dict[int, Outcome]] = {run: {} for run in found}
    for run, *settled in tx.many_returning("outcomes_of", keys):
        outcomes[run][settled[0]] = records.outcome(*settled[1:])
    unsettled = with_shared_inputs(tx, tx.many_returning("open_tasks_of", keys))
    tasks = records.by_run(unsettled, 0, records.task_record, damage)
    mail = records.by_run(tx.many_returning("heard_messages_of", keys), 1, records.message_record, damage)
    children = records.by_run(tx.many_returning("children_of", keys), 0, records.child_record, damage)
    return [
        History(
            run=records.run_record(row),
            steps=steps.get(run, []),
            tasks=tasks.get(run, []),
            messages=mail.get(run, []),
            children=children.get(run, []),
            damage=damage.get(run),
            outcomes=outcomes[run],
        )
        for run, row in found.items()
    ]


def _read_page(tx: Transaction, namespace: str, run: RunKey, place: HistoryPlace, rows: int) -> HistoryPage:
    page = HistoryPage()
    try:
        steps = tx.rows("page_of_steps", run, place.step, rows)
        page.steps = [step for _, step in steps]
        for expected, (position, _) in enumerate(steps, place.step):
            if position != expected:
                raise JournalCorrupt(None, f"step {expected} of the journal is missing")
        settled = tx.rows("page_of_outcomes", run, place.task, rows)
        page.outcomes = {row[0]: records.outcome(*row[1:]) for row in settled}
        messages = tx.rows("page_of_messages", run, place.message, rows)
        page.messages = [records.message_record(row) for row in messages]
        if max(len(steps), len(settled), len(messages)) < rows:
            # Children after messages, or in the same snapshot. Otherwise a child could end between the two:
            # its message would be there, and its row would say that it runs.
            unsettled = with_shared_inputs(tx, tx.many_returning("open_tasks_of", [(run,)]))
            page.tasks = [records.task_record(row) for row in unsettled]
            page.children = [records.child_record(row) for row in tx.many_returning("children_of", [(run,)])]
            page.is_last = True
        page.next = HistoryPlace(
            place.step + len(steps),
            settled[-1][0] + 1 if settled else place.task,
            messages[-1][0] if messages else place.message,
        )
    except JournalCorrupt as error:
        page.damage, page.is_last = error.reason, True
    return page
