"""Starting a process with the interpreter's lock let go.

To start a process is to wait until it has loaded its program, and `os.posix_spawn` waits with the lock in its
hand. So libc's own is called, through ctypes, which lets go of it. Whatever can be done before that is done
before: who comes back for the lock may have to wait for it.

Cannot be imported where there is no ctypes, or no such function.
"""

from __future__ import annotations

import ctypes
import os
import signal
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

from holdfast.executors.processes.spawn_requests import (
    BLOCKED_SIGNALS,
    DEFAULT_SIGNALS,
    STDERR,
    STDIN,
    STDOUT,
    SpawnRequest,
    Start,
)

_spawn = ctypes.CDLL(None).posix_spawn
_libc = ctypes.PyDLL(None)
"""Keeps the lock, for what takes less time than to get it back."""
_init, _destroy = _libc.posix_spawn_file_actions_init, _libc.posix_spawn_file_actions_destroy
_add_dup2, _add_open = _libc.posix_spawn_file_actions_adddup2, _libc.posix_spawn_file_actions_addopen
_Storage = ctypes.c_uint64 * 64
"""What libc keeps in it is smaller everywhere: a few hundred bytes, or a pointer."""
_SETPGROUP, _SETSIGDEF, _SETSIGMASK = 2, 4, 8
"""On Linux and macOS. Others have other numbers."""
_COMMANDS = 16
"""Of so many it is remembered how the system takes them: most tasks of a run are the same command."""
_POINTER = "Q" if ctypes.sizeof(ctypes.c_void_p) == 8 else "I"
_END = array(_POINTER, [0])
_EMPTY = os.fsencode(os.devnull)


def _signals(numbers: Sequence[signal.Signals]) -> Any:
    chosen = _Storage()
    _libc.sigemptyset(chosen)
    for number in numbers:
        _libc.sigaddset(chosen, int(number))
    return chosen


_attributes = _Storage()
_libc.posix_spawnattr_init(_attributes)
_libc.posix_spawnattr_setflags(_attributes, ctypes.c_short(_SETPGROUP | _SETSIGDEF | _SETSIGMASK))
_libc.posix_spawnattr_setpgroup(_attributes, 0)
_libc.posix_spawnattr_setsigdefault(_attributes, _signals(DEFAULT_SIGNALS))
_libc.posix_spawnattr_setsigmask(_attributes, _signals(BLOCKED_SIGNALS))


class _Texts:
    """One after the other, each with its NUL at the end, and a list of where each begins."""

    __slots__ = ("block", "places")

    def __init__(self, texts: Sequence[bytes]) -> None:
        self.block = b"".join(texts)
        first = ctypes.c_void_p.from_buffer(ctypes.c_char_p(self.block)).value
        self.places = array(_POINTER, accumulate(map(len, texts), initial=first))
        self.places.pop()  # where another would begin


class _List:
    """Of texts, with a null pointer at its end. It keeps what it points to."""

    __slots__ = ("_parts", "_places")

    def __init__(self, *parts: _Texts) -> None:
        self._parts = parts
        self._places = _END
        for part in reversed(parts):
            self._places = part.places + self._places

    @property
    def address(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self._places.buffer_info()[0])


@lru_cache(maxsize=_COMMANDS)
def _command(program: str, arguments: tuple[str, ...]) -> tuple[bytes, _List]:
    return os.fsencode(program), _List(_Texts([os.fsencode(each) + b"\0" for each in arguments]))


def _variables(variables: Mapping[bytes, bytes]) -> _Texts:
    return _Texts([b"%b=%b\0" % pair for pair in variables.items()])


def prepare(order: SpawnRequest, stdout: int, stderr: int) -> Start:
    program, argv = _command(order.program, order.arguments)
    environment = order.environment.without(order.variables)
    if environment.prepared is None:
        environment.prepared = _variables(environment.variables)
    environ = _List(environment.prepared, _variables(order.variables))
    actions = _Storage()
    code = _init(actions)
    if order.channel is None:
        code = code or _add_open(actions, STDIN, _EMPTY, os.O_RDONLY, 0)
    else:
        code = code or _add_dup2(actions, order.channel, STDIN)
    code = code or _add_dup2(actions, stdout, STDOUT) or _add_dup2(actions, stderr, STDERR)
    if code:
        raise OSError(code, os.strerror(code))
    pid = ctypes.c_int()

    def start() -> int | OSError:
        code = _spawn(ctypes.byref(pid), program, actions, _attributes, argv.address, environ.address)
        _destroy(actions)
        return OSError(code, os.strerror(code), order.program) if code else pid.value

    return start
