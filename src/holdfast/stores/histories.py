"""Reading histories for replay: no inputs of settled tasks, and never too many rows or bytes at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from holdfast.core.records import FIRST_CHAPTER, ChapterStart, History, RunRecord
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
    chapters = read_chapters(tx, found.values())
    first: list[Row] = [
        (run, it.first_position, it.first_task, it.first_child, it.first_taken)
        for run, it in chapters.items()
    ]
    sizes = {run: size for run, *size in tx.many_returning("history_sizes", first, rows)}
    short: dict[RunKey, Row] = {}
    result = ShortHistories([], [], [])
    row_room, byte_room = rows, bytes
    for run, row in found.items():
        row_count, byte_count = sizes[run]
        if row_count > rows:
            result.long.append(History(records.run_record(row), [], [], [], [], None, {}, chapters[run]))
        elif row_count > row_room or (byte_count > byte_room and short):
            result.left.append(run)
        else:
            short[run] = row
            row_room -= row_count
            byte_room -= byte_count
    result.loaded.extend(_load(tx, short, chapters))
    return result


def load_within(
    tx: Transaction, namespace: str, run: RunKey, chapter: ChapterStart, rows: int, bytes: int
) -> History | None:
    """The history of a chapter for replay. None if it has more rows or more bytes."""
    there = {row[0]: row for row in tx.many_returning("runs_of", [(run,)], namespace)}
    first = (run, chapter.first_position, chapter.first_task, chapter.first_child, chapter.first_taken)
    sizes = [size for _, *size in tx.many_returning("history_sizes", [first], rows)]
    if not there or not sizes or sizes[0][0] > rows or sizes[0][1] > bytes:
        return None
    return _load(tx, there, {run: chapter})[0]


def read_chapters(tx: Transaction, runs: Collection[Row]) -> dict[RunKey, ChapterStart]:
    """Where the last chapters of these runs begin."""
    chapters: dict[RunKey, ChapterStart] = {row[0]: FIRST_CHAPTER for row in runs}
    several: list[Row] = [(row[0], row[_CHAPTER]) for row in runs if row[_CHAPTER]]
    if several:  # hardly any run has more than one
        for run, *start in tx.many_returning("chapter_starts", several):
            chapters[run] = ChapterStart(*start)
    return chapters


_CHAPTER = RunRecord.__struct_fields__.index("chapter")


class FirstRows(NamedTuple):
    """The parameters of queries that read the last chapters of runs: which rows are the first."""

    steps: list[Row]
    tasks: list[Row]
    children: list[Row]
    messages: list[Row]


def first_rows(chapters: Mapping[RunKey, ChapterStart]) -> FirstRows:
    starts = chapters.items()
    return FirstRows(
        [(run, chapter.first_position) for run, chapter in starts],
        [(run, chapter.first_task) for run, chapter in starts],
        [(run, chapter.first_child) for run, chapter in starts],
        [(run, chapter.first_taken) for run, chapter in starts],
    )


def _load(
    tx: Transaction, found: dict[RunKey, Row], chapters: Mapping[RunKey, ChapterStart]
) -> list[History]:
    first = first_rows({run: chapters[run] for run in found})
    damage: dict[RunKey, str] = {}
    steps = records.steps_by_run(tx.many_returning("steps_of", first.steps), chapters, damage)
    outcomes: dict[RunKey, dict[int, Outcome]] = {run: {} for run in found}
    for run, *settled in tx.many_returning("outcomes_of", first.tasks):
        try:
            outcomes[run][settled[0]] = records.outcome(*settled[1:])
        except JournalCorrupt as error:
            damage.setdefault(run, error.reason)
    unsettled = with_shared_inputs(tx, tx.many_returning("open_tasks_of", first.tasks))
    tasks = records.by_run(unsettled, 0, records.task_record, damage)
    heard = tx.many_returning("heard_messages_of", first.messages)
    mail = records.by_run(heard, 1, records.message_record, damage)
    children = records.by_run(
        tx.many_returning("children_of", first.children), 0, records.child_record, damage
    )
    return [
        History(
            run=records.run_record(row),
            steps=steps.get(run, []),
            tasks=tasks.get(run, []),
            messages=mail.get(run, []),
            children=children.get(run, []),
            damage=damage.get(run),
            outcomes=outcomes[run],
            chapter=chapters[run],
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
        chapter = place.chapter
        messages = tx.rows("page_of_messages", run, place.message, rows, chapter.first_taken)
        page.messages = [records.message_record(row) for row in messages]
        if max(len(steps), len(settled), len(messages)) < rows:
            # Children after messages, or in the same snapshot. Otherwise a child could end between the two:
            # its message would be there, and its row would say that it runs.
            unsettled = with_shared_inputs(
                tx, tx.many_returning("open_tasks_of", [(run, chapter.first_task)])
            )
            page.tasks = [records.task_record(row) for row in unsettled]
            started = tx.many_returning("children_of", [(run, chapter.first_child)])
            page.children = [records.child_record(row) for row in started]
            page.is_last = True
        page.next = HistoryPlace(
            place.step + len(steps),
            settled[-1][0] + 1 if settled else place.task,
            messages[-1][0] if messages else place.message,
            chapter,
        )
    except JournalCorrupt as error:
        page.damage, page.is_last = error.reason, True
    return page
