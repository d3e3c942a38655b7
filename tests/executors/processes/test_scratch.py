"""The folders of attempts are used again: what a task makes of its own harms nobody else."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import PATIENCE

from holdfast.core.values import Payload
from holdfast.executors.processes.scratch import AttemptFiles, ScratchFolder

MANY = 20_000
"""AttemptFiles that take a while to remove."""


@pytest.fixture
def scratch() -> Iterator[ScratchFolder]:
    scratch = ScratchFolder()
    scratch.open()
    yield scratch
    scratch.close()


def end(scratch: ScratchFolder, files: AttemptFiles) -> None:
    scratch.release(files, has_files=not files.are_untouched)


@pytest.mark.parametrize(
    "change",
    [
        'ln -sf "$PRECIOUS" "$INPUT"',
        'ln -f "$PRECIOUS" "$INPUT"',
        'rm "$INPUT"; mkdir "$INPUT"',
        'rm "$INPUT"; mkfifo "$INPUT"',
    ],
    ids=["link", "hard link", "folder", "pipe"],
)
def test_what_a_task_puts_in_the_place_of_its_input_is_not_written_to(
    scratch: ScratchFolder, change: str
) -> None:
    precious = Path(scratch.folder) / "precious"
    precious.write_text("precious")
    first = scratch.acquire(Payload(b"one"))
    variables = {**os.environ, "INPUT": os.fsdecode(first.input), "PRECIOUS": str(precious)}
    subprocess.run(["sh", "-c", change], env=variables, check=True)
    end(scratch, first)

    second = scratch.acquire(Payload(b"two"))

    assert Path(os.fsdecode(second.input)).read_bytes() == b"two"
    assert precious.read_text() == "precious"


@pytest.mark.parametrize("place", [b".", b"unpacked"], ids=["beside the input", "in a folder"])
def test_what_a_task_leaves_is_removed_while_the_node_goes_on(scratch: ScratchFolder, place: bytes) -> None:
    files = scratch.acquire(Payload(b"one"))
    folder = Path(os.fsdecode(files.folder), os.fsdecode(place))
    folder.mkdir(exist_ok=True)
    for number in range(MANY):
        (folder / str(number)).touch()

    end(scratch, files)
    is_there = folder.exists()
    again = scratch.acquire(Payload(b"two"))

    assert is_there
    assert again.folder != files.folder
    deadline = time.monotonic() + PATIENCE
    while os.path.lexists(files.folder):
        assert time.monotonic() < deadline, "it is not removed"
        time.sleep(0.01)
    assert Path(os.fsdecode(again.input)).read_bytes() == b"two"


def test_a_folder_that_was_tidied_away_is_made_again_for_nobody_else_to_read(scratch: ScratchFolder) -> None:
    mask = os.umask(0o022)
    try:
        end(scratch, scratch.acquire(Payload(b"one")))
        shutil.rmtree(scratch.folder)

        files = scratch.acquire(Payload(b"two"))
    finally:
        os.umask(mask)

    assert Path(os.fsdecode(files.input)).read_bytes() == b"two"
    assert [stat.S_IMODE(os.stat(path).st_mode) for path in (scratch.folder, files.folder)] == [0o700] * 2
