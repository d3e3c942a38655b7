"""Deleting runs, as the port describes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from tests.differential.tables import Tables

from holdfast.core.ids import first_key_of
from holdfast.core.values import RunKey
from holdfast.ports.retention import (
    Burial,
    Clearance,
    EndedRange,
    Family,
    PageOfFamilies,
    RootSeen,
)

_OF_RUNS = (
    "journal",
    "tasks",
    "shared_inputs",
    "attempts",
    "state",
    "queue",
    "stalls",
    "items",
    "chapters",
    "questions",
)
"""The tables that have the key of the run first in their own keys."""


class RetentionModel:
    """Deletes a run and its ended children at once, and leaves nothing for `clear_buried`."""

    tables: Tables
    transaction: Callable[..., AbstractContextManager[Tables]]

    async def ended_workflows(self, namespace: str) -> list[str]:
        runs = [run for run in self.tables.runs.values() if run.namespace == namespace]
        return sorted({run.workflow for run in runs if run.finished_at is not None})

    async def find_ended_families(
        self, namespace: str, ranges: Sequence[EndedRange], limit: int
    ) -> PageOfFamilies:
        found: list[Family] = []
        places: list[EndedRange] = []
        rest: list[EndedRange] = []
        for each in ranges:
            seen = sorted(
                run.key
                for run in self.tables.runs.values()
                if (run.namespace, run.workflow, run.status) == (namespace, each.workflow, each.status)
                and each.after < run.key < first_key_of(each.before)
            )[:limit]
            families = await self.find_families(namespace, seen)
            found += [it for it in families if it.open is None and it.ended_at < each.before]
            places.append(each._replace(after=seen[-1]) if seen else each)
            rest += places[-1:] if len(seen) == limit else []
        return PageOfFamilies(found, rest, places)

    async def find_families(self, namespace: str, roots: Sequence[RunKey]) -> list[Family]:
        found = (_family(self.tables, namespace, root) for root in sorted(set(roots)))
        return [family for family in found if family is not None]

    async def bury_runs(self, namespace: str, roots: Sequence[RootSeen]) -> Burial:
        with self.transaction() as tables:
            asked = {root.run: root.ended_at for root in roots}
            families = [_family(tables, namespace, run) for run in asked]
            gone = [it.root for it in families if it is not None and it.ended_at == asked[it.root]]
            for root in gone:
                _delete(tables, root)
            return Burial(gone, [])

    async def clear_buried(self, rows: int, bytes: int) -> Clearance:
        return Clearance(0, 0, is_over=True)


def _family(tables: Tables, namespace: str, root: RunKey) -> Family | None:
    run = tables.run(namespace, root)
    if run is None or run.finished_at is None or tables.run(namespace, run.parent) is not None:
        return None
    family = [run]
    for member in family:
        family += [child for child in tables.children(member.key) if child.depth > 0]
    unfinished = [member.key for member in family if not member.status.is_final]
    return Family(root, run.finished_at, len(family), max(unfinished, default=None))


def _delete(tables: Tables, run: RunKey) -> None:
    children = [child for child in tables.children(run) if child.depth > 0 and child.status.is_final]
    del tables.runs[run]
    for rows in (tables.fingerprints, tables.waits):
        rows.pop(run, None)
    for name in _OF_RUNS:
        table: dict[Any, Any] = getattr(tables, name)
        for at in [at for at in table if at[0] == run]:
            del table[at]
    for message in tables.mail(run):
        del tables.messages[message.id]
        del tables.posted[message.id]
        tables.uids.pop(message.id, None)
        tables.answers.pop(message.id, None)
    for number in [number for number, row in tables.logs.items() if row.run == run]:
        del tables.logs[number]
    for child in children:
        _delete(tables, child.key)
