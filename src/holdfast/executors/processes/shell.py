"""Commands: any program in any language, each attempt in a process of its own.

Text goes through the shell; a list of arguments goes to the program as it is. See `contract.py` for what
the process is told and how it answers, and `processes.py` for how it is started and ended.
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
from holdfast.executors.processes.output import OUTPUT_MARKER
from holdfast.executors.processes.process_executor import LoopResources, ProcessAttempt, ProcessExecutor
from holdfast.executors.processes.spawn_requests import SpawnRequest
from holdfast.executors.processes.spawning import SHELL
from holdfast.ports.executor import ShellCommand

_USUAL_PATH = b"/usr/local/bin:/usr/bin:/bin"
_MOST_PROGRAMS = 1000


class _CommandLine(NamedTuple):
    program: str
    arguments: tuple[str, ...]


class ShellExecutor(ProcessExecutor):
    def begin(self, job: ProcessAttempt, desk: LoopResources) -> None:
        if not isinstance(job.body.work, ShellCommand):
            raise WrongType(
                f"task {job.attempt.name!r}", "it is no command, and this executor runs only those"
            )
        job.marker, job.when_gone = OUTPUT_MARKER, self._conclude
        variables = {os.fsencode(name): os.fsencode(value) for name, value in job.body.env.items()}
        variables |= variables_of(job.attempt, job.files)
        search = variables.get(b"PATH") or self._environment.variables.get(b"PATH", _USUAL_PATH)
        call = _call_for(job.body.work.command, job.body.workdir, search)
        job.attempt.context = desk.processes.spawn(SpawnRequest(*call, self._environment, variables), job)

    def end(self, job: ProcessAttempt, desk: LoopResources) -> None:
        child: Child | None = job.attempt.context
        if child is not None:
            desk.processes.end(child)

    def _conclude(self, job: ProcessAttempt, ending: int | Exception) -> None:
        child: Child = job.attempt.context
        job.attempt.context = None
        if self._desk is not None and self.is_due_again(job, child):
            try:
                self.begin(job, self._desk)
            except Exception as error:
                self.settle(job, Failed(capture(error.with_traceback(None))))
            return
        if ending:
            self.settle(job, job.failed(ending))
            return
        try:
            has_files = not job.files.are_untouched
            output = output_in(job.files.output) if has_files else None
            if output is None:
                output = job.marked_output()
            if output is None and has_files:
                job.files.check()
        except (OSError, PayloadTooLarge) as error:
            self.settle(job, Failed(capture(error.with_traceback(None))))
        else:
            self.settle(job, job.store(NULL if output is None else output), has_files=has_files)


# --- what to start


def _call_for(command: str | tuple[str, ...], workdir: str, search: bytes) -> _CommandLine:
    """Raises FileNotFoundError, NotADirectoryError, PermissionError, saying what is not there."""
    is_elsewhere = workdir != _here()
    if is_elsewhere:
        _check_folder(workdir)
    if isinstance(command, str):
        # On the first line, so that the shell's own complaints name the right one.
        script = f"cd -- {shlex.quote(workdir)} || exit 126; {command}" if is_elsewhere else command
        return _CommandLine(SHELL, (SHELL, "-c", script))
    if not command or not command[0]:
        raise FileNotFoundError("the command is an empty list: its first item must be a program")
    program = _find(command[0], workdir, search)
    if not is_elsewhere:
        return _CommandLine(program, command)
    # posix_spawn cannot change the folder, so a shell does, and becomes the program at once.
    return _CommandLine(SHELL, (SHELL, "-c", 'cd -- "$0" && exec "$@"', workdir, program, *command[1:]))


def _here() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None  # it was removed under our feet


def _check_folder(folder: str) -> None:
    if not os.path.isdir(folder):
        if os.path.exists(folder):
            raise NotADirectoryError(f"the workdir {folder} is not a folder")
        raise FileNotFoundError(f"there is no folder {folder}, which is the workdir of the task")


_programs: dict[tuple[str, bytes], str] = {}
"""Where programs were found. Looked at again before it is believed, as one may be removed or installed."""


def _find(name: str, workdir: str, search: bytes) -> str:
    if "/" in name:
        path = os.path.join(workdir, name)
        if not os.path.exists(path):
            raise FileNotFoundError(f"there is no program {name!r} in {workdir}")
        if not _is_program(path):
            raise PermissionError(f"{path} is not executable: chmod +x {name}")
        return path
    known = _programs.get((name, search))
    if known is not None and os.access(known, os.X_OK):
        return known
    for folder in os.fsdecode(search).split(os.pathsep):
        path = os.path.join(workdir, folder, name)
        if _is_program(path):
            if os.path.isabs(folder):
                if len(_programs) >= _MOST_PROGRAMS:
                    _programs.clear()
                _programs[name, search] = path
            return path
    raise FileNotFoundError(f"there is no program {name!r} on the PATH of the task, {os.fsdecode(search)}")


def _is_program(path: str) -> bool:
    return os.access(path, os.X_OK) and not os.path.isdir(path)
