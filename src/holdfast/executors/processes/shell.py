"""Commands: any program in any language, each attempt in its own process.

A text is run by the shell. A list of arguments is run without a shell. See `contract.py` for what the process
is told and how it answers, and `children.py` for how it is started and ended.
"""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from holdfast.core.failures import capture
from holdfast.core.values import NULL, Failed
from holdfast.errors import PayloadTooLarge, WrongType
from holdfast.executors.processes.children import Child
from holdfast.executors.processes.contract import output_in, variables_of
from holdfast.executors.processes.line_reader import OUTPUT_MARKER
from holdfast.executors.processes.process_executor import LoopResources, ProcessAttempt, ProcessExecutor
from holdfast.executors.processes.spawning import SHELL, SpawnRequest
from holdfast.ports.executor import ShellCommand

_DEFAULT_PATH = b"/usr/local/bin:/usr/bin:/bin"
_MOST_PROGRAMS = 1000


class _CommandLine(NamedTuple):
    program: str
    arguments: tuple[str, ...]


class ShellExecutor(ProcessExecutor):
    def begin(self, process_attempt: ProcessAttempt, resources: LoopResources) -> None:
        attempt, body = process_attempt.attempt, process_attempt.body
        if not isinstance(body.work, ShellCommand):
            raise WrongType(f"task {attempt.name!r}", "it is no command, and this executor runs only those")
        process_attempt.marker, process_attempt.when_exited = OUTPUT_MARKER, self._conclude
        variables = {os.fsencode(name): os.fsencode(value) for name, value in body.env.items()}
        variables |= variables_of(attempt, process_attempt.files)
        search_path = variables.get(b"PATH") or self._environment.variables.get(b"PATH", _DEFAULT_PATH)
        command_line = _command_line(body.work.command, body.workdir, search_path)
        request = SpawnRequest(*command_line, self._environment, variables)
        attempt.context = resources.processes.spawn(request, process_attempt)

    def end(self, process_attempt: ProcessAttempt, resources: LoopResources) -> None:
        child: Child | None = process_attempt.attempt.context
        if child is not None:
            resources.processes.end(child)

    def _conclude(self, process_attempt: ProcessAttempt, ending: int | Exception) -> None:
        child: Child = process_attempt.attempt.context
        process_attempt.attempt.context = None
        if self._resources is not None and self.must_start_again(process_attempt, child):
            try:
                self.begin(process_attempt, self._resources)
            except Exception as error:
                self.settle(process_attempt, Failed(capture(error.with_traceback(None))))
            return
        if ending:
            self.settle(process_attempt, process_attempt.failed(ending))
            return
        files = process_attempt.files
        try:
            has_files = not files.are_untouched
            output = output_in(files.output) if has_files else None
            if output is None:
                output = process_attempt.marked_output()
            if output is None and has_files:
                files.check_folder()
        except (OSError, PayloadTooLarge) as error:
            self.settle(process_attempt, Failed(capture(error.with_traceback(None))))
        else:
            outcome = process_attempt.store(NULL if output is None else output)
            self.settle(process_attempt, outcome, has_files=has_files)


# --- what to start


def _command_line(command: str | tuple[str, ...], workdir: str, search_path: bytes) -> _CommandLine:
    """Raises FileNotFoundError, NotADirectoryError and PermissionError, which say what is missing."""
    is_elsewhere = workdir != _current_folder()
    if is_elsewhere:
        _check_workdir(workdir)
    if isinstance(command, str):
        # On the first line of the command, so that line numbers in the shell's own messages are right.
        script = f"cd -- {shlex.quote(workdir)} || exit 126; {command}" if is_elsewhere else command
        return _CommandLine(SHELL, (SHELL, "-c", script))
    if not command or not command[0]:
        raise FileNotFoundError("the command is an empty list: its first item must be a program")
    program = _find_program(command[0], workdir, search_path)
    if not is_elsewhere:
        return _CommandLine(program, command)
    # posix_spawn cannot change the folder. So a shell does, and then executes the program.
    return _CommandLine(SHELL, (SHELL, "-c", 'cd -- "$0" && exec "$@"', workdir, program, *command[1:]))


def _current_folder() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None  # it was removed


def _check_workdir(folder: str) -> None:
    if not os.path.isdir(folder):
        if os.path.exists(folder):
            raise NotADirectoryError(f"the workdir {folder} is not a folder")
        raise FileNotFoundError(f"there is no folder {folder}, which is the workdir of the task")


_programs: dict[tuple[str, bytes], str] = {}
"""Where programs were found, by name and search path. Each use checks that the program is still there."""


def _find_program(name: str, workdir: str, search_path: bytes) -> str:
    if "/" in name:
        path = os.path.join(workdir, name)
        if not os.path.exists(path):
            raise FileNotFoundError(f"there is no program {name!r} in {workdir}")
        if not _is_program(path):
            raise PermissionError(f"{path} is not executable: chmod +x {name}")
        return path
    known = _programs.get((name, search_path))
    if known is not None and os.access(known, os.X_OK):
        return known
    for folder in os.fsdecode(search_path).split(os.pathsep):
        path = os.path.join(workdir, folder, name)
        if _is_program(path):
            if os.path.isabs(folder):
                if len(_programs) >= _MOST_PROGRAMS:
                    _programs.clear()
                _programs[name, search_path] = path
            return path
    raise FileNotFoundError(
        f"there is no program {name!r} on the PATH of the task, {os.fsdecode(search_path)}"
    )


def _is_program(path: str) -> bool:
    return os.access(path, os.X_OK) and not os.path.isdir(path)
