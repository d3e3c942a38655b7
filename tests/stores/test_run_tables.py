"""What belongs to a run is carried whole: every table, every column, and never more than a page of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.stores.builders import SPACE, at, new_run, raw_connection, signal

from holdfast.core.archive_lines import NUMBERED
from holdfast.core.events import SignalReceived, TimerFired
from holdfast.core.journal import MessageHeard, read_step, shift_messages, write_step
from holdfast.core.values import Instant, Payload, RunStatus
from holdfast.ports.archives import ArrivingRun, RowValues, Standing
from holdfast.stores import SqlStore
from holdfast.stores.database import TablePage, Transaction
from holdfast.stores.postgres import table_texts as postgres_texts
from holdfast.stores.run_tables import MADE_OF_OTHERS, OF_NODES, RUN_TABLES, RunColumns
from holdfast.stores.sqlite import table_texts as sqlite_texts


async def test_every_table_with_a_run_column_is_carried(store: SqlStore) -> None:
    """A new table belongs into RUN_TABLES, or into MADE_OF_OTHERS if import makes its rows of others, or into
    OF_NODES."""

    def script(tx: Transaction) -> set[str]:
        if "SQLite" in store.name:
            tables = "SELECT name FROM sqlite_schema WHERE type = 'table'"
            text = f"SELECT t.name FROM ({tables}) AS t, pragma_table_info(t.name) AS c WHERE c.name = 'run'"
        else:
            text = "SELECT table_name FROM information_schema.columns WHERE column_name = 'run'"
            text += " AND table_schema = 'holdfast'"
        return {row[0] for row in raw_connection(tx).execute(text)}

    tables = await store._driver.write(script)

    assert tables == {table.name for table in RUN_TABLES} | MADE_OF_OTHERS | OF_NODES


async def test_both_databases_carry_the_same_columns_with_the_same_types(
    sqlite_url: str, postgres_url: str
) -> None:
    from holdfast.stores import store_for

    found: list[Any] = []
    for url in (sqlite_url, postgres_url):
        store = store_for(url)
        await store.open()
        found.append(await store.archive_columns())
        await store.close()

    assert found[0] == found[1]
    assert {kind: column for kind, column in NUMBERED.items() if found[0][kind][column] is int} == NUMBERED


async def test_the_order_of_each_table_is_the_rest_of_its_primary_key(store: SqlStore) -> None:
    """Otherwise a page would not go on where the last one ended."""

    def script(tx: Transaction) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for table in RUN_TABLES:
            if "SQLite" in store.name:
                text = (
                    "SELECT c.name FROM pragma_index_list(?1) AS i, pragma_index_info(i.name) AS c "
                    'WHERE i."unique" AND NOT i.partial UNION SELECT name FROM pragma_table_info(?1) WHERE pk'
                )
                rows = raw_connection(tx).execute(text, (table.name,))
            else:
                text = (
                    "SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid "
                    "AND attnum = ANY (indkey) "
                    f"WHERE indrelid = 'holdfast.{table.name}'::regclass AND indisprimary"
                )
                rows = raw_connection(tx).execute(text.encode())
            found[table.name] = {row[0] for row in rows}
        return found

    keys = await store._driver.write(script)

    assert {table.name: set(table.order) for table in RUN_TABLES} == {
        table: columns - {"run"} for table, columns in keys.items()
    }


async def test_pages_of_rows_go_through_an_index(store: SqlStore) -> None:
    def script(tx: Transaction) -> dict[str, str]:
        columns, plans = RunColumns(tx), {}
        for table in RUN_TABLES:
            order, where = columns.named(table.name, table.order), columns.named(table.name, ("run",))
            page = TablePage(table.name, columns.carried(table.name), where, order)
            if "SQLite" in store.name:
                text = "EXPLAIN QUERY PLAN " + sqlite_texts.page_text(page, is_first=False)
                rows = raw_connection(tx).execute(text, (None,) * (len(order) + 2))
                plans[table.name] = "\n".join(row[3] for row in rows)
            else:
                text = re.sub(r"\$\d+", "NULL", postgres_texts.page_text(page, is_first=False))
                text = text.replace("run = NULL::uuid", "run = '00000000-0000-7000-8000-000000000001'")
                values = ", ".join("'a'" if column.type == "text" else "1" for column in order)
                text = re.sub(r"> \(.*?\) ORDER", f"> ({values}) ORDER", text)
                rows = raw_connection(tx).execute(f"EXPLAIN {text}".encode())
                plans[table.name] = "\n".join(row[0] for row in rows)
        return plans

    for table, plan in (await store._driver.write(script)).items():
        assert not re.search(r"Seq Scan|^SCAN", plan, re.MULTILINE), f"{table}\n{plan}"
        if table not in ("state", "stalls"):  # Postgres sorts their keys in the order of a language
            assert not re.search(r"\bSort\b|TEMP B-TREE", plan), f"{table}\n{plan}"


def test_a_step_refers_to_messages_by_their_new_numbers() -> None:
    heard = [SignalReceived(7, "go", Payload(b"1")), SignalReceived(300, "go", Payload(b"2"))]
    data = write_step(Instant(5), heard, [])

    moved = shift_messages(data, 1000)

    assert read_step(0, moved).heard == (MessageHeard(1007), MessageHeard(1300))
    assert shift_messages(moved, -1000) == data
    timer = write_step(Instant(5), [TimerFired(1)], [])
    assert shift_messages(timer, 5) == timer


# --- one transaction


def arriving(number: int, rows: list[tuple[str, RowValues]], **values: Any) -> ArrivingRun:
    run = new_run(number, status=RunStatus.SUCCESS, wake_at=None, finished_at=at(1))
    row = {
        "key": run.key, "id": f"run-{number}", "workflow": "order", "version": "1", "claim": "order",
        "status": "success", "input": "null", "epoch": 1, "created_at": run.created_at, **values,
    }  # fmt: skip
    numbers = {
        kind: [row[column] for table, row in rows if table == kind] for kind, column in NUMBERED.items()
    }
    return ArrivingRun(run.key, row, lambda: iter(rows), numbers)


async def test_of_a_batch_that_fails_nothing_is_there(store: SqlStore) -> None:
    def broken() -> Iterator[tuple[str, RowValues]]:
        for position in range(2000):
            yield "journal", {"position": position, "step": b"step"}
        raise OSError("the file is gone")

    good = arriving(1, [("journal", {"position": 0, "step": b"step"})])
    bad = arriving(2, [])._replace(rows=broken)

    with pytest.raises(OSError, match="the file is gone"):
        await store.import_runs(SPACE, [good, bad], at(5))

    assert await store.compare_runs(SPACE, [good, bad]) == [Standing.NEW, Standing.NEW]
    assert await store.import_runs(SPACE, [good], at(5)) == [Standing.NEW]
    assert await store.compare_runs(SPACE, [good]) == [Standing.SAME]


async def test_numbers_that_runs_of_one_batch_have_in_common_are_given_once(store: SqlStore) -> None:
    def message(number: int) -> tuple[str, RowValues]:
        return "messages", {"id": number, "kind": "signal", "name": "go", "payload": "1"}

    heard = write_step(Instant(5), [SignalReceived(3, "go", Payload(b"1"))], [])
    runs = [
        arriving(number, [message(3), message(9), ("journal", {"position": 0, "step": heard})])
        for number in (1, 2, 3)
    ]

    await store.import_runs(SPACE, runs, at(5))

    steps = {run.run.key: run for run in await store.load_histories(SPACE, [run.key for run in runs])}
    ids = [[message.id for message in steps[run.key].messages] for run in runs]
    assert ids == [[3, 9], [10, 16], [17, 23]]
    for run, (first, _) in zip(runs, ids, strict=True):
        assert read_step(0, steps[run.key].steps[0]).heard == (MessageHeard(first),)
    assert await store.compare_runs(SPACE, runs) == [Standing.SAME] * 3
    live = new_run(50, owner=None)
    await store.create_runs(SPACE, [live])
    await store.post_messages(SPACE, [signal(50)], at(6))
    [history] = await store.load_histories(SPACE, [live.key])
    assert [message.id for message in history.messages] == [24]
