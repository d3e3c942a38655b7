"""Commands: any program in any language, each attempt in a process of its own.

Text goes through the shell; a list of arguments goes to the program as it is. See `contract.py` for what
the process is told and how it answers, and `processes.py` for how it is started and ended.
"""

from __future__ import annotations

import errno
import os
import shlex
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Unpack, cast

from holdfast.core.failures import capture
from holdfast.core.values import NULL, Cancelled, Failed
from holdfast.errors import PayloadTooLarge, WrongType
from holdfast.executors.contract import output_in, variables_of
from holdfast.executors.output import OUTPUT_MARKER
from holdfast.executors.process_executor import Desk, Job, ProcessExecutor, ProcessOptions
from holdfast.executors.processes import Child, Order
from holdfast.ports.executor import Attempt, Beat, Log, ProcessBody, Report, ShellCommand

_SHELL = "/bin/sh"
_USUAL_PATH = b"/usr/local/bin:/usr/bin:/bin"
_MOST_PROGRAMS = 1000
_AT_ONCE = 16
"""How many processes are started in one turn of the loop: some milliseconds of it."""


class _Call(NamedTuple):
    program: str
    arguments: tuple[str, ...]


class ShellExecutor(ProcessExecutor):
    def __init__(
        self,
        bodies: Callable[[Attempt], ProcessBody],
        report: Report,
        beat: Beat,
        log: Log,
        **options: Unpack[ProcessOptions],
    ) -> None:
        super().__init__(bodies, report, beat, log, **options)
        self._due: deque[Job] = deque()
        """Begun, and in the next turn of the loop started, many at a time."""

    def begin(self, job: Job, desk: Desk) -> None:
        if not isinstance(job.body.work, ShellCommand):
            raise WrongType(
                f"task {job.attempt.name!r}", "it is no command, and this executor runs only those"
            )
        job.marker, job.when_gone = OUTPUT_MARKER, self._conclude
        self._due.append(job)
        if len(self._due) == 1:
            desk.loop.call_soon(self._start_due, desk, context=desk.variables)

    def end(self, job: Job, desk: Desk) -> None:
        child: Child | None = job.attempt.context
        if child is not None:
            desk.processes.end(child)
        elif job in self._due:
            self._due.remove(job)
            desk.loop.call_soon(self.settle, job, Cancelled(), context=desk.variables)

    async def stop(self) -> None:
        self._due.clear()
        await super().stop()

    def _start_due(self, desk: Desk) -> None:
        batch = [self._due.popleft() for _ in range(min(_AT_ONCE, len(self._due)))]
        if not batch:
            return  # they were cancelled since, or everything was stopped
        folders = _Folders()
        orders = {job: order for job in batch if (order := self._order_for(job, folders)) is not None}
        children = desk.processes.spawn_all(list(orders.values()))
        for (job, order), child in zip(orders.items(), children, strict=True):
            if isinstance(child, OSError) and child.errno == errno.ENOEXEC:
                # A script that does not say what runs it. Every shell runs it itself, so it works here too.
                arguments = (_SHELL, order.program, *order.arguments[1:])
                child = desk.processes.spawn_all([order._replace(program=_SHELL, arguments=arguments)])[0]
            if isinstance(child, Child):
                job.attempt.context = child
            else:
                self.settle(job, Failed(capture(child.with_traceback(None))))
        if self._due:
            desk.loop.call_soon(self._start_due, desk, context=desk.variables)

    def _order_for(self, job: Job, folders: _Folders) -> Order | None:
        """None if there can be none; the attempt has failed then."""
        command = cast("ShellCommand", job.body.work).command
        environment = dict(self._environment)
        try:
            for name, value in job.body.env.items():
                environment[os.fsencode(name)] = os.fsencode(value)
            environment |= variables_of(job.attempt, job.files)
            program, arguments = _call_for(command, job.body.workdir, folders, environment)
        except Exception as error:  # whatever it is, it is this attempt that cannot be started
            self.settle(job, Failed(capture(error.with_traceback(None))))
            return None
        return Order(program, arguments, environment, job)

    def _conclude(self, job: Job, status: int) -> None:
        child: Child = job.attempt.context
        job.attempt.context = None
        if self._desk is not None and self.is_due_again(job, child):
            self.begin(job, self._desk)
            return
        if status:
            self.settle(job, job.failed(status))
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


class _Folders:
    """What is known of folders while some processes are started, so that each is looked at once."""

    def __init__(self) -> None:
        try:
            self._here: str | None = os.getcwd()
        except FileNotFoundError:
            self._here = None  # it was removed under our feet
        self._checked: set[str] = set()

    def is_elsewhere(self, folder: str) -> bool:
        """Raises FileNotFoundError or NotADirectoryError if nobody can work there."""
        if folder == self._here:
            return False
        if folder not in self._checked:
            _check_folder(folder)
            self._checked.add(folder)
        return True


def _call_for(
    command: str | tuple[str, ...], workdir: str, folders: _Folders, environment: dict[bytes, bytes]
) -> _Call:
    """Raises FileNotFoundError, NotADirectoryError, PermissionError, saying what is not there."""
    is_elsewhere = folders.is_elsewhere(workdir)
    if isinstance(command, str):
        # On the first line, so that the shell's own complaints name the right one.
        script = f"cd -- {shlex.quote(workdir)} || exit 126; {command}" if is_elsewhere else command
        return _Call(_SHELL, (_SHELL, "-c", script))
    if not command or not command[0]:
        raise FileNotFoundError("the command is an empty list: its first item must be a program")
    program = _find(command[0], workdir, environment)
    if not is_elsewhere:
        return _Call(program, command)
    # posix_spawn cannot change the folder, so a shell does, and becomes the program at once.
    return _Call(_SHELL, (_SHELL, "-c", 'cd -- "$0" && exec "$@"', workdir, program, *command[1:]))


def _check_folder(folder: str) -> None:
    if not os.path.isdir(folder):
        if os.path.exists(folder):
            raise NotADirectoryError(f"the workdir {folder} is not a folder")
        raise FileNotFoundError(f"there is no folder {folder}, which is the workdir of the task")


_programs: dict[tuple[str, bytes], str] = {}
"""Where programs were found. Looked at again before it is believed, as one may be removed or installed."""


def _find(name: str, workdir: str, environment: dict[bytes, bytes]) -> str:
    if "/" in name:
        path = os.path.join(workdir, name)
        if not os.path.exists(path):
            raise FileNotFoundError(f"there is no program {name!r} in {workdir}")
        if not _is_program(path):
            raise PermissionError(f"{path} is not executable: chmod +x {name}")
        return path
    search = environment.get(b"PATH", _USUAL_PATH)
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
