"""The text of queries whose columns are those that a table has: pages of rows, inserts and updates."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.stores.database import Column, TablePage


def page_text(page: TablePage, *, is_first: bool) -> str:
    # A page of a whole table is in the order of its index, whatever the order of text in this database is.
    ordered = _ordered if page.where else _names
    numbers = iter(range(1, len(page.where) + len(page.order) + 2))
    conditions = [f"{column.name} = ${next(numbers)}::{column.type}" for column in page.where]
    if not is_first:
        values = ", ".join(f"${next(numbers)}::{column.type}" for column in page.order)
        conditions.append(f"({ordered(page.order)}) > ({values})")
    order = f"ORDER BY {ordered(page.order)}" if page.order else ""
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return (
        f"SELECT {_names(page.columns)} FROM holdfast.{page.table} {where} "
        f"{order} LIMIT ${next(numbers)}::int8"
    )


def insert_text(table: str, columns: Sequence[Column]) -> str:
    values = ", ".join(f"${number}::{column.type}[]" for number, column in enumerate(columns, 1))
    return (
        f"INSERT INTO holdfast.{table} ({_names(columns)}) OVERRIDING SYSTEM VALUE "
        f"SELECT * FROM unnest({values})"
    )


def replace_text(table: str, key: Sequence[Column], column: Column) -> str:
    types = [*(each.type for each in key), "text", column.type]
    values = ", ".join(f"${number}::{type}[]" for number, type in enumerate(types, 1))
    same = " AND ".join(f"old.{each.name} = new.k{number}" for number, each in enumerate(key))
    names = ", ".join([*(f"k{number}" for number in range(len(key))), "was", "cell"])
    return (
        f"UPDATE holdfast.{table} AS old SET {column.name} = new.cell FROM unnest({values}) AS new ({names}) "
        f"WHERE {same} AND old.{column.name}::text = new.was"
    )


def _names(columns: Sequence[Column]) -> str:
    return ", ".join(column.name for column in columns)


def _ordered(columns: Sequence[Column]) -> str:
    return ", ".join(
        f'{column.name} COLLATE "C"' if column.type == "text" else column.name for column in columns
    )
