"""What a task in another process is told and how it answers: environment variables in, files out.

The contract is the same for every language; docs/reference/task-contract.md describes it for users.
`scratch.py` makes the files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

import msgspec

from holdfast.core.values import Failed, Failure, Payload, task_id
from holdfast.errors import CommandFailed, PayloadTooLarge
from holdfast.executors.processes.children import ATTEMPT_MARK
from holdfast.executors.processes.keeper import NODE_MARK
from holdfast.executors.processes.limits import LARGEST_OUTPUT, LARGEST_VARIABLE
from holdfast.executors.processes.line_reader import OUTPUT_MARKER
from holdfast.executors.processes.scratch import AttemptFiles
from holdfast.ports.executor import Attempt

_NAMES = (
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


# --- in


class _FanOutPosition(msgspec.Struct):
    """What a fan-out adds to the input of each of its tasks."""

    parallel_index: int | None = None
    parallel_count: int | None = None


_decode_position = msgspec.json.Decoder(_FanOutPosition).decode


def inherited_environment(environment: Mapping[str, str]) -> dict[bytes, bytes]:
    """The node's own environment, without variables of this contract: the node may itself run as a task."""
    ours = {f"HOLDFAST_{name}" for name in _NAMES} | {NODE_MARK, ATTEMPT_MARK}
    return {os.fsencode(name): os.fsencode(value) for name, value in environment.items() if name not in ours}


def variables_of(attempt: Attempt, files: AttemptFiles) -> dict[bytes, bytes]:
    """The variables that the contract promises to a task."""
    key = task_id(attempt.run, attempt.seq).encode()
    variables = {
        b"HOLDFAST_INPUT_FILE": files.input,
        b"HOLDFAST_OUTPUT_FILE": files.output,
        b"HOLDFAST_HEARTBEAT_FILE": files.heartbeat,
        b"HOLDFAST_RUN_ID": attempt.run_id.encode(),
        b"HOLDFAST_TASK_ID": key,
        b"HOLDFAST_IDEMPOTENCY_KEY": key,
        b"HOLDFAST_TASK_NAME": attempt.name.encode(),
        b"HOLDFAST_WORKFLOW": attempt.workflow.encode(),
        b"HOLDFAST_NAMESPACE": attempt.namespace.encode(),
        b"HOLDFAST_ATTEMPT": b"%d" % attempt.number,
    }
    if attempt.secrets is not None:
        secrets = attempt.secrets.values
        variables |= {name.encode(): os.fsencode(value) for name, value in secrets.items()}
    if attempt.span is not None:
        # Also if one of them is empty: the node may itself have been started in a span.
        variables |= {name.upper().encode(): it.encode() for name, it in attempt.span.carrier.items()}
    details = attempt.heartbeat_details
    if details is not None and len(details) <= LARGEST_VARIABLE:
        variables[b"HOLDFAST_HEARTBEAT_DETAILS"] = details
    if attempt.own_input.find(b'"parallel_') >= 0:
        position = _position_in(attempt.own_input)
        if position.parallel_index is not None:
            variables[b"HOLDFAST_PARALLEL_INDEX"] = b"%d" % position.parallel_index
        if position.parallel_count is not None:
            variables[b"HOLDFAST_PARALLEL_COUNT"] = b"%d" % position.parallel_count
    input = attempt.input
    if len(input) <= LARGEST_VARIABLE:
        variables[b"HOLDFAST_INPUT"] = input
    return variables


def _position_in(input: Payload) -> _FanOutPosition:
    try:
        return _decode_position(input)
    except msgspec.ValidationError:
        return _FanOutPosition()  # the user has fields of these names, which are not numbers


# --- out


def output_in(path: bytes) -> bytes | None:
    """What a task has written to its output file; None if it wrote nothing.

    Raises PayloadTooLarge, and OSError if there is something that cannot be read: an output may be lost.
    """
    try:
        # Non-blocking: the task may have put a named pipe there, and opening one waits for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError) as error:
        if os.path.islink(path):
            raise type(error)(_unreadable(path, "is a link to nothing")) from None
        return None
    except OSError as error:
        raise type(error)(_unreadable(path, f"cannot be opened ({error.strerror})")) from None
    try:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(_unreadable(path, "is a folder"))
        if not stat.S_ISREG(found.st_mode):
            raise OSError(_unreadable(path, "is a pipe or a device"))
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(LARGEST_OUTPUT + 1)
    finally:
        os.close(descriptor)
    if len(content) > LARGEST_OUTPUT:
        raise PayloadTooLarge("the output", found.st_size, LARGEST_OUTPUT)
    return content if content.strip() else None


def _unreadable(path: bytes, problem: str) -> str:
    return (
        f"the output cannot be read: HOLDFAST_OUTPUT_FILE, {os.fsdecode(path)}, {problem}; write JSON to an "
        f"ordinary file of that name, or behind {OUTPUT_MARKER.decode()} on the last line of standard output"
    )


def failed_command(exit_code: int, stderr_tail: str) -> Failed:
    """`stderr_tail` is the end of what the command wrote to its standard error."""
    error = CommandFailed(exit_code)
    return Failed(
        Failure(
            type=f"{CommandFailed.__module__}:{CommandFailed.__qualname__}",
            message=str(error),
            traceback=stderr_tail,
            attributes={"exit_code": exit_code},
        )
    )
