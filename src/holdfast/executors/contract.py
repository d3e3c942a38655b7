"""What a task in another process is told, and where it may answer: variables in, files out.

The same for every language; docs/reference/task-contract.md has it for users. `Scratch` keeps the files
of one node's attempts in one private folder. The file of an input is used again for the next attempt, as
making and removing one costs more than all the rest of starting a process.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from holdfast.core.values import Failed, Failure, Payload, task_id
from holdfast.errors import CommandFailed, PayloadTooLarge
from holdfast.executors.keeper import NODE_MARK
from holdfast.executors.output import LARGEST_OUTPUT, LARGEST_VARIABLE
from holdfast.executors.processes import ATTEMPT_MARK
from holdfast.ports.executor import Attempt

LARGEST_DETAILS: Final = 1024 * 1024

_OURS = (
    "INPUT",
    "INPUT_FILE",
    "OUTPUT_FILE",
    "RUN_ID",
    "TASK_ID",
    "TASK_NAME",
    "WORKFLOW",
    "NAMESPACE",
    "ATTEMPT",
    "PARALLEL_INDEX",
    "PARALLEL_COUNT",
    "IDEMPOTENCY_KEY",
    "HEARTBEAT_FILE",
    "HEARTBEAT_DETAILS",
)


class Files(NamedTuple):
    """Of one attempt. Only that of the input is there from the beginning."""

    input: bytes
    output: bytes
    heartbeat: bytes | None
    """None if nobody waits for a sign of life."""


class Scratch:
    """The folder is made with the first attempt, and readable by nobody else."""

    def __init__(self) -> None:
        self.folder = ""
        self._prefix = b""
        self._count = 0
        self._free: list[bytes] = []
        """Files of inputs whose attempts have ended."""

    def open(self) -> str:
        if not self.folder:
            self.folder = tempfile.mkdtemp(prefix="holdfast-")
            self._prefix = os.fsencode(self.folder)
        return self.folder

    @property
    def nobodys(self) -> bytes:
        """Where those may touch whom nobody looks after. One for all, so there is nothing to clear away."""
        return self._prefix + b"/heartbeat"

    def take(self, input: Payload, *, has_heartbeat: bool) -> Files:
        self._count += 1
        number = self._count
        prefix = self._prefix
        path = self._free.pop() if self._free else b"%s/%d.input" % (prefix, number)
        try:
            _overwrite(path, input)
        except FileNotFoundError:
            # Whoever tidies up temporary folders was here. Our name for it is still a good one.
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            _overwrite(path, input)
        heartbeat = b"%s/%d.heartbeat" % (prefix, number) if has_heartbeat else None
        return Files(path, b"%s/%d.output" % (prefix, number), heartbeat)

    def give_back(self, files: Files, *, has_output: bool = True) -> None:
        self._free.append(files.input)
        if has_output:
            _remove(files.output)
        if files.heartbeat is not None:
            _remove(files.heartbeat)

    def close(self) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def _remove(path: bytes) -> None:
    if not os.access(path, os.F_OK):  # most tasks write none, and to ask costs less than an exception
        return
    try:
        os.unlink(path)
    except OSError:
        shutil.rmtree(path, ignore_errors=True)  # a folder; what is left of it goes with ours


def _overwrite(path: bytes, content: bytes) -> None:
    # Without O_TRUNC: ext4 takes that for the replacement of something precious, and writes it to the disk.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        written, size = os.write(descriptor, content), len(content)
        while written < size:
            written += os.write(descriptor, content[written:])
        os.ftruncate(descriptor, size)
    finally:
        os.close(descriptor)


# --- in


class _Place(msgspec.Struct):
    """What a fan-out writes into the input of each of its tasks."""

    parallel_index: int | None = None
    parallel_count: int | None = None


_decode_place = msgspec.json.Decoder(_Place).decode


def inherited(environment: Mapping[str, str]) -> dict[bytes, bytes]:
    """The node's own environment, without what it may itself have got as somebody's task."""
    ours = {f"HOLDFAST_{name}" for name in _OURS} | {NODE_MARK, ATTEMPT_MARK}
    return {os.fsencode(name): os.fsencode(value) for name, value in environment.items() if name not in ours}


def variables_of(attempt: Attempt, files: Files, scratch: Scratch) -> dict[bytes, bytes]:
    """What the contract promises about an attempt."""
    key = task_id(attempt.run, attempt.seq).encode()
    variables = {
        b"HOLDFAST_INPUT_FILE": files.input,
        b"HOLDFAST_OUTPUT_FILE": files.output,
        b"HOLDFAST_HEARTBEAT_FILE": files.heartbeat or scratch.nobodys,
        b"HOLDFAST_RUN_ID": attempt.run_id.encode(),
        b"HOLDFAST_TASK_ID": key,
        b"HOLDFAST_IDEMPOTENCY_KEY": key,
        b"HOLDFAST_TASK_NAME": attempt.name.encode(),
        b"HOLDFAST_WORKFLOW": attempt.workflow.encode(),
        b"HOLDFAST_NAMESPACE": attempt.namespace.encode(),
        b"HOLDFAST_ATTEMPT": b"%d" % attempt.number,
    }
    details = attempt.heartbeat_details
    if details is not None and len(details) <= LARGEST_VARIABLE:
        variables[b"HOLDFAST_HEARTBEAT_DETAILS"] = details
    if attempt.input.find(b'"parallel_') >= 0:
        place = _place_of(attempt.input)
        if place.parallel_index is not None:
            variables[b"HOLDFAST_PARALLEL_INDEX"] = b"%d" % place.parallel_index
        if place.parallel_count is not None:
            variables[b"HOLDFAST_PARALLEL_COUNT"] = b"%d" % place.parallel_count
    if len(attempt.input) <= LARGEST_VARIABLE:
        variables[b"HOLDFAST_INPUT"] = attempt.input
    return variables


def _place_of(input: Payload) -> _Place:
    try:
        return _decode_place(input)
    except msgspec.ValidationError:
        return _Place()  # a user's own words by that name, which are no numbers


# --- out


def output_in(path: bytes) -> bytes | None:
    """What a task has written to its file; None if it wrote nothing. Raises PayloadTooLarge."""
    try:
        # Whatever the task has made of it: a pipe without a writer must not make us wait for one.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = file.read(LARGEST_OUTPUT + 1)
    if len(content) > LARGEST_OUTPUT:
        raise PayloadTooLarge("the output", os.stat(path).st_size, LARGEST_OUTPUT)
    return content if content.strip() else None


def failed_command(status: int, last_words: str) -> Failed:
    """`last_words` is the end of what it wrote to its standard error."""
    error = CommandFailed(status)
    return Failed(
        Failure(
            type=f"{CommandFailed.__module__}:{CommandFailed.__qualname__}",
            message=str(error),
            traceback=last_words,
            attributes={"exit_code": status},
        )
    )
