"""The text of queries whose columns are those that a table has: pages of rows, and inserts."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.stores.database import Column, TablePage


def page_text(page: TablePage, *, is_first: bool) -> str:
    numbers = iter(range(1, len(page.where) + len(page.order) + 2))
    conditions = [f"{column.name} = ${next(numbers)}::{column.type}" for column in page.where]
    if not is_first:
        values = ", ".join(f"${next(numbers)}::{column.type}" for column in page.order)
        conditions.append(f"({_ordered(page.order)}) > ({values})")
    order = f"ORDER BY {_ordered(page.order)}" if page.order else ""
    return (
        f"SELECT {_names(page.columns)} FROM holdfast.{page.table} WHERE {' AND '.join(conditions)} "
        f"{order} LIMIT ${next(numbers)}::int8"
    )


def insert_text(table: str, columns: Sequence[Column]) -> str:
    values = ", ".join(f"${number}::{column.type}[]" for number, column in enumerate(columns, 1))
    return (
        f"INSERT INTO holdfast.{table} ({_names(columns)}) OVERRIDING SYSTEM VALUE "
        f"SELECT * FROM unnest({values})"
    )


def _names(columns: Sequence[Column]) -> str:
    return ", ".join(column.name for column in columns)


def _ordered(columns: Sequence[Column]) -> str:
    return ", ".join(
        f'{column.name} COLLATE "C"' if column.type == "text" else column.name for column in columns
    )
