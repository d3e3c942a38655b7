"""What a task has made of the file for its output: read, or a failure that says what is there instead."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.executors.processes.process_bench import ProcessBench, shell_bench
from tests.executors.recorder import failure_of, value_of

from holdfast.executors.processes.contract import output_in

BIND = "import os, socket; socket.socket(socket.AF_UNIX).bind(os.environ['FILE'])"


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[ProcessBench]:
    bench = shell_bench(tmp_path)
    yield bench
    await bench.executor.stop()


@pytest.mark.parametrize(
    ("make", "kind", "problem"),
    [
        ('mkdir "$FILE"', "IsADirectoryError", "is a folder"),
        ('echo 1 > "$FILE"; rm -f "$FILE"; mkdir "$FILE"', "IsADirectoryError", "is a folder"),
        ('mkfifo "$FILE"', "OSError", "is a pipe or a device"),
        ('ln -s /dev/zero "$FILE"', "OSError", "is a pipe or a device"),
        ('ln -s "$FILE" "$FILE"', "OSError", "cannot be opened (Too many levels of symbolic links)"),
        ('ln -s /nowhere "$FILE"', "FileNotFoundError", "is a link to nothing"),
        ('ln -s /dev/null/x "$FILE"', "NotADirectoryError", "is a link to nothing"),
        (
            f'"{sys.executable}" -c "{BIND}"',
            "OSError",
            "cannot be opened (No such device or address)",
        ),
    ],
    ids=["folder", "folder for a file", "pipe", "device", "loop", "dangling", "dangling in a file", "socket"],
)
async def test_an_output_file_that_is_none_is_a_failure_that_names_it_and_says_what_to_do(
    shell: ProcessBench, make: str, kind: str, problem: str
) -> None:
    attempt = shell.start(f'export FILE="$HOLDFAST_OUTPUT_FILE"; {make}; echo "$FILE"')

    failure = failure_of(await shell.outcome_of(attempt))

    [path] = shell.texts_of(attempt, "stdout")
    assert failure.type == f"builtins:{kind}"
    assert failure.message == (
        f"the output cannot be read: HOLDFAST_OUTPUT_FILE, {path}, {problem}; write JSON to an ordinary file "
        "of that name, or behind HOLDFAST_OUTPUT: on the last line of standard output"
    )


async def test_a_link_to_a_file_is_as_good_as_that_file(shell: ProcessBench, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("[1]")

    outcome = await shell.run(f'ln -s "{tmp_path}/elsewhere" "$HOLDFAST_OUTPUT_FILE"')

    assert value_of(outcome) == [1]


async def test_what_stands_in_the_files_place_is_gone_for_the_next_attempt(shell: ProcessBench) -> None:
    for make in ("mkdir", "mkfifo", "ln -s /nowhere"):
        failure_of(await shell.run(f'{make} "$HOLDFAST_OUTPUT_FILE"'))

        assert value_of(await shell.run('echo 1 > "$HOLDFAST_OUTPUT_FILE"')) == 1


@pytest.mark.parametrize("content", [b"", b" \n"])
def test_an_empty_file_is_no_output(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "output"
    path.write_bytes(content)

    assert output_in(os.fsencode(path)) is None


def test_a_file_that_is_not_there_is_no_output(tmp_path: Path) -> None:
    assert output_in(os.fsencode(tmp_path / "nothing")) is None
    assert output_in(os.fsencode(tmp_path / "no folder" / "nothing")) is None


def test_a_file_that_may_not_be_read_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = os.fsencode(tmp_path / "output")

    def refuse(*_given: object, **_options: object) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)  # the superuser, who runs tests in containers, may read anything

    with pytest.raises(
        PermissionError, match=r"HOLDFAST_OUTPUT_FILE, .*cannot be opened \(Permission denied\)"
    ):
        output_in(path)


def test_no_descriptor_is_left_open_whatever_is_there(tmp_path: Path) -> None:
    folder, file = os.fsencode(tmp_path), os.fsencode(tmp_path / "output")
    Path(os.fsdecode(file)).write_text("1")
    before = os.listdir("/proc/self/fd")

    for _ in range(3):
        assert output_in(file) == b"1"
        with pytest.raises(IsADirectoryError):
            output_in(folder)

    assert os.listdir("/proc/self/fd") == before
