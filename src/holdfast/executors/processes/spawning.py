"""Starting one process, as the leader of its own process group.

posix_spawn returns only when the child has loaded its program. `os.posix_spawn` holds the GIL meanwhile, so
the whole node would stand still. libc's posix_spawn is therefore called through ctypes, which releases the
GIL, so that a slow program blocks no other thread. `prepare` does everything that can be done before that
call, because a thread that takes the GIL back afterwards may have to wait for it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final, NamedTuple

SHELL: Final = "/bin/sh"

_STDIN, _STDOUT, _STDERR = range(3)
_DEFAULT_SIGNALS: Final = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})
"""Every signal gets its default action in the child, whatever this process does with it."""
_BLOCKED_SIGNALS: Final = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
"""A terminal may send these to the node's group, which a new process is in for some microseconds. If one
stopped the process before its program is loaded, posix_spawn would wait for it without end."""


class EnvironmentBlock:
    """The environment variables that all processes of a node have in common.

    There may be a hundred of them, and encoding them for libc takes about as long as starting a process. So
    that is done once.
    """

    __slots__ = ("encoded", "variables")

    def __init__(self, variables: Mapping[bytes, bytes]) -> None:
        self.variables: Final = variables
        self.encoded: Any = None
        """A cache for `prepare`."""

    def without(self, names: Mapping[bytes, bytes]) -> EnvironmentBlock:
        if self.variables.keys().isdisjoint(names):
            return self
        return EnvironmentBlock({name: value for name, value in self.variables.items() if name not in names})


class SpawnRequest(NamedTuple):
    """A process that is to be started."""

    program: str
    arguments: tuple[str, ...]
    environment: EnvironmentBlock
    variables: dict[bytes, bytes]
    """The process's own. They replace variables of the environment that have the same names."""
    stdin: int | None = None
    """The descriptor that becomes its standard input; None for an empty one."""

    def check(self) -> None:
        """Raises ValueError for a command or variable that no process can have. The environment is not
        checked: it is that of a process, the node."""
        if "\0" in "".join((self.program, *self.arguments)):
            wrong = next(text for text in (self.program, *self.arguments) if "\0" in text)
            raise ValueError(f"a NUL character cannot be part of a command: {wrong!r}")
        variables = self.variables
        names = b"".join(variables)
        if b"=" in names or b"" in variables:
            wrong = next(name for name in variables if not name or b"=" in name)
            raise ValueError(f"{os.fsdecode(wrong)!r} cannot be the name of a variable of the environment")
        if b"\0" in names or b"\0" in b"".join(variables.values()):
            wrong = next(name for name, value in variables.items() if b"\0" in name + value)
            raise ValueError(f"the variable {os.fsdecode(wrong)!r} has a NUL character, which none can have")


Start = Callable[[], int | OSError]
"""Starts the process. Returns its pid, or the error if it could not be started."""
Prepare = Callable[[SpawnRequest, int, int], Start]
"""Takes a request and the descriptors that become standard output and standard error."""


def prepare(request: SpawnRequest, stdout: int, stderr: int) -> Start:
    """Do everything but start the process. Raises ValueError as `SpawnRequest.check` does, and OSError."""
    request.check()
    start = _prepare(request, stdout, stderr)

    def start_or_use_shell() -> int | OSError:
        result = start()
        if isinstance(result, OSError) and result.errno == errno.ENOEXEC and request.program != SHELL:
            # A script without a `#!` line. Every shell runs such a script itself, so it works here too.
            arguments = (SHELL, request.program, *request.arguments[1:])
            return _prepare(request._replace(program=SHELL, arguments=arguments), stdout, stderr)()
        return result

    return start_or_use_shell


# --- with Python's own function


def _prepare_by_python(request: SpawnRequest, stdout: int, stderr: int) -> Start:
    """Every other thread of the node waits while the process is started."""
    environment = {**request.environment.variables, **request.variables}
    file_actions = (
        (os.POSIX_SPAWN_OPEN, _STDIN, os.devnull, os.O_RDONLY, 0)
        if request.stdin is None
        else (os.POSIX_SPAWN_DUP2, request.stdin, _STDIN),
        (os.POSIX_SPAWN_DUP2, stdout, _STDOUT),
        (os.POSIX_SPAWN_DUP2, stderr, _STDERR),
    )

    def start() -> int | OSError:
        try:
            return os.posix_spawn(
                request.program,
                request.arguments,
                environment,
                file_actions=file_actions,
                setpgroup=0,
                setsigmask=_BLOCKED_SIGNALS,
                setsigdef=_DEFAULT_SIGNALS,
            )
        except OSError as error:
            return error

    return start


# --- with libc's function

_Storage = ctypes.c_uint64 * 64
"""Room for a structure of libc. All that are used here are smaller: a few hundred bytes, or a pointer."""
_SETPGROUP, _SETSIGDEF, _SETSIGMASK = 2, 4, 8
"""The numbers of Linux and macOS. Other systems have other numbers."""
_COMMANDS_CACHED = 16
"""Most tasks of a run have the same command, so encoded commands are cached."""
_POINTER = "Q" if ctypes.sizeof(ctypes.c_void_p) == 8 else "I"
_NULL_POINTER = array(_POINTER, [0])
_NULL_DEVICE = os.fsencode(os.devnull)


class _Libc:
    """posix_spawn and its helpers. Raises AttributeError or OSError where libc does not have them."""

    def __init__(self) -> None:
        self.posix_spawn = ctypes.CDLL(None).posix_spawn
        # These keep the GIL: a call takes less time than getting the GIL back.
        libc = ctypes.PyDLL(None)
        self._init_actions = libc.posix_spawn_file_actions_init
        self._destroy_actions = libc.posix_spawn_file_actions_destroy
        self._add_dup2 = libc.posix_spawn_file_actions_adddup2
        self._add_open = libc.posix_spawn_file_actions_addopen
        self._attributes = _Storage()
        flags = ctypes.c_short(_SETPGROUP | _SETSIGDEF | _SETSIGMASK)
        libc.posix_spawnattr_init(self._attributes)
        libc.posix_spawnattr_setflags(self._attributes, flags)
        libc.posix_spawnattr_setpgroup(self._attributes, 0)
        libc.posix_spawnattr_setsigdefault(self._attributes, _signal_set(libc, _DEFAULT_SIGNALS))
        libc.posix_spawnattr_setsigmask(self._attributes, _signal_set(libc, _BLOCKED_SIGNALS))

    def prepare(self, request: SpawnRequest, stdout: int, stderr: int) -> Start:
        program, argv = _encoded_command(request.program, request.arguments)
        environment = request.environment.without(request.variables)
        if environment.encoded is None:
            environment.encoded = _encoded_variables(environment.variables)
        environ = _PointerList(environment.encoded, _encoded_variables(request.variables))
        actions = _Storage()
        code = self._init_actions(actions)
        if request.stdin is None:
            code = code or self._add_open(actions, _STDIN, _NULL_DEVICE, os.O_RDONLY, 0)
        else:
            code = code or self._add_dup2(actions, request.stdin, _STDIN)
        code = code or self._add_dup2(actions, stdout, _STDOUT) or self._add_dup2(actions, stderr, _STDERR)
        if code:
            raise OSError(code, os.strerror(code))
        pid = ctypes.c_int()

        def start() -> int | OSError:
            code = self.posix_spawn(
                ctypes.byref(pid), program, actions, self._attributes, argv.address, environ.address
            )
            self._destroy_actions(actions)
            return OSError(code, os.strerror(code), request.program) if code else pid.value

        return start


def _signal_set(libc: Any, numbers: Sequence[signal.Signals]) -> Any:
    signals = _Storage()
    libc.sigemptyset(signals)
    for number in numbers:
        libc.sigaddset(signals, int(number))
    return signals


class _EncodedTexts:
    """Texts that each end in a NUL, in one block of memory, and the address of each."""

    __slots__ = ("addresses", "block")

    def __init__(self, texts: Sequence[bytes]) -> None:
        self.block = b"".join(texts)
        first = ctypes.c_void_p.from_buffer(ctypes.c_char_p(self.block)).value
        self.addresses = array(_POINTER, accumulate(map(len, texts), initial=first))
        self.addresses.pop()  # the end of the last text


class _PointerList:
    """Pointers to texts, and a null pointer at the end. It keeps the texts alive."""

    __slots__ = ("_parts", "_pointers")

    def __init__(self, *parts: _EncodedTexts) -> None:
        self._parts = parts
        self._pointers = _NULL_POINTER
        for part in reversed(parts):
            self._pointers = part.addresses + self._pointers

    @property
    def address(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self._pointers.buffer_info()[0])


@lru_cache(maxsize=_COMMANDS_CACHED)
def _encoded_command(program: str, arguments: tuple[str, ...]) -> tuple[bytes, _PointerList]:
    argv = _EncodedTexts([os.fsencode(each) + b"\0" for each in arguments])
    return os.fsencode(program), _PointerList(argv)


def _encoded_variables(variables: Mapping[bytes, bytes]) -> _EncodedTexts:
    return _EncodedTexts([b"%b=%b\0" % pair for pair in variables.items()])


# --- which of the two


def _load_libc() -> _Libc | None:
    if sys.platform not in ("linux", "darwin"):
        return None
    try:
        return _Libc()
    except (OSError, AttributeError):
        return None


_libc = _load_libc()
_prepare: Prepare = _prepare_by_python if _libc is None else _libc.prepare
