"""Memory does not grow with the number of runs, nor with the length of a history."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

from tests.client.test_archives import client
from tests.stores.builders import SPACE, at, key, new_run

from holdfast import Holdfast
from holdfast.core.events import SignalReceived
from holdfast.core.journal import write_step
from holdfast.core.values import Payload, RunStatus
from holdfast.stores.database import Transaction
from holdfast.stores.run_tables import RunColumns

RUNS = 1_000
STEPS = 20_000
ROOM = 12 * 1024 * 1024
"""Bytes. The file is larger, and as objects its rows would be ten times as large."""


async def fill(hf: Holdfast) -> None:
    """Many short runs, and a long one that has read as many messages as it has steps."""
    store: Any = hf._parts.store
    ended: dict[str, Any] = {"status": RunStatus.SUCCESS, "wake_at": None, "finished_at": at(1)}
    for first in range(0, RUNS, 500):
        await store.create_runs(SPACE, [new_run(number, **ended) for number in range(first, first + 500)])

    def write(tx: Transaction) -> None:
        columns = RunColumns(tx)
        for first in range(1, STEPS + 1, 1000):
            numbers = range(first, first + 1000)
            columns.insert(
                tx,
                "messages",
                [
                    {"id": it, "run": key(0), "kind": "signal", "name": "go", "payload": f'"{it:0500}"'}
                    for it in numbers
                ],
            )
            steps = [write_step(at(it), [SignalReceived(it, "go", Payload(b""))], []) for it in numbers]
            columns.insert(
                tx,
                "journal",
                [
                    {"run": key(0), "position": it - 1, "step": step}
                    for it, step in zip(numbers, steps, strict=True)
                ],
            )

    await store._driver.write(write)


async def test_many_runs_and_a_long_one_pass_through_little_memory(sqlite_url: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    copy_url = f"sqlite:///{tmp_path}/other.db"
    async with client(sqlite_url, namespace=SPACE) as hf, client(copy_url, namespace=SPACE) as copy:
        await fill(hf)
        tracemalloc.start()
        try:
            with file.open("w") as lines:
                async for line in hf.export_runs():
                    lines.write(line)
            exporting = tracemalloc.get_traced_memory()[1]
            tracemalloc.reset_peak()
            report = await copy.import_runs(file)
            importing = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

        assert report.runs == RUNS
        assert file.stat().st_size > ROOM
        assert max(exporting, importing) < ROOM, (exporting, importing, file.stat().st_size)
