"""What a process executor does when something it needs is not there, or is not what it was."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from tests.executors.processes.process_bench import ProcessBench, shell_bench
from tests.executors.recorder import failure_of, value_of

from holdfast.core.policies import DEFAULT_OPTIONS

OPTIONS = msgspec.structs.replace(DEFAULT_OPTIONS, heartbeat=dt.timedelta(seconds=0.2))
MISCHIEF = [
    'ln -s "$HOLDFAST_HEARTBEAT_FILE" "$HOLDFAST_HEARTBEAT_FILE"',
    'rm -rf "$FOLDER"; touch "$FOLDER"',
]


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[ProcessBench]:
    bench = shell_bench(tmp_path)
    yield bench
    await bench.executor.stop()


@pytest.mark.parametrize("mischief", MISCHIEF, ids=["loop", "file for a folder"])
async def test_a_heartbeat_file_that_cannot_be_looked_at_harms_no_other_task_and_its_own_is_reported(
    shell: ProcessBench, mischief: str
) -> None:
    folder = 'FOLDER=$(dirname "$HOLDFAST_HEARTBEAT_FILE")'
    odd = shell.start(f"{folder}; {mischief}; sleep 0.5; exit 1", options=OPTIONS)
    good = shell.start(
        'for i in 1 2 3 4 5 6 7 8 9 10; do echo $i > "$HOLDFAST_HEARTBEAT_FILE"; sleep 0.1; done',
        options=OPTIONS,
    )

    await shell.outcome_of(odd)
    value_of(await shell.outcome_of(good))

    assert len(shell.beats[good]) > 5


async def test_a_node_without_a_temporary_folder_fails_the_attempt_and_tries_again_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = shell_bench(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    try:
        failure = failure_of(await bench.run("true"))
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        value_of(await bench.run("true"))
    finally:
        await bench.executor.stop()

    assert failure.type == "builtins:FileNotFoundError"
