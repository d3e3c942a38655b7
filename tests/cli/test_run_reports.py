"""What `serve` and `dev` print of runs."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.v1.asking import new_catalog

from holdfast import Holdfast, RunCancelled
from holdfast.cli.serving import RunReports


class Printed:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def print(self, kind: str, text: str, *_: Any, **__: Any) -> None:
        self.lines.append(text)


async def test_a_run_that_is_deleted_between_two_looks_ends_nothing(sqlite_url: str):
    printed: Any = Printed()
    async with Holdfast(sqlite_url, catalog=new_catalog()) as hf:
        reports = RunReports(hf, printed)
        await reports.begin()
        gone = await hf.start("waiting", id="gone")
        await reports.look()
        await gone.terminate()
        with pytest.raises(RunCancelled):
            await gone.result()
        await hf.delete("gone")
        await hf.run("doubled", 1, id="next")

        await reports.look()

    assert [line.partition(" after")[0] for line in printed.lines] == [
        "run gone of waiting starts",
        "run next of doubled starts",
        "run next of doubled success",
    ]
