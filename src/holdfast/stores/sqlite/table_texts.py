"""The text of queries whose columns are those that a table has: pages of rows, inserts and updates."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.stores.database import Column, TablePage


def page_text(page: TablePage, *, is_first: bool) -> str:
    conditions = [f"{column.name} = ?" for column in page.where]
    if not is_first:
        conditions.append(f"({_names(page.order)}) > ({_marks(page.order)})")
    order = f"ORDER BY {_names(page.order)}" if page.order else ""
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {_names(page.columns)} FROM {page.table} {where} {order} LIMIT ?"


def insert_text(table: str, columns: Sequence[Column]) -> str:
    return f"INSERT INTO {table} ({_names(columns)}) VALUES ({_marks(columns)})"


def replace_text(table: str, key: Sequence[Column], column: Column) -> str:
    same = " AND ".join(f"{each.name} = ?" for each in key)
    return f"UPDATE {table} SET {column.name} = ? WHERE {same} AND {column.name} = ?"


def _names(columns: Sequence[Column]) -> str:
    return ", ".join(column.name for column in columns)


def _marks(columns: Sequence[Column]) -> str:
    return ", ".join("?" * len(columns))
