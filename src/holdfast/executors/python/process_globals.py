"""What a call may change in a worker process, beside its surroundings: put back before the next call."""

from __future__ import annotations

import gc
import importlib
import os
import resource
import signal
import socket
import sys
import time
import warnings
from _locale import LC_ALL, setlocale  # `locale` itself takes its time to load, and has nothing else for us
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TextIO, cast


class _Setting(NamedTuple):
    """Something that all calls of a worker share, since a process has it once."""

    read: Callable[[], Any]
    write: Callable[[Any], object]


class ProcessGlobals:
    """Put back after each call to what they were when modules were loaded last.

    All of them are read every time, some ten microseconds for all, since nothing tells of a change.
    """

    def __init__(self) -> None:
        self._stdin = sys.stdin
        self._before: list[Any] = []
        self._filters: list[Any] = []
        self._has_loop = False
        self.note()
        _lend_streams()

    def note(self) -> None:
        """What is set now is what calls are to find."""
        self._before = [setting.read() for setting in _SETTINGS]
        self._filters = list(warnings.filters)
        self._has_loop = _has_loop()

    def put_back(self) -> bool:
        """False if something cannot be, or not even be looked at."""
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._restore_input()
            _lend_streams()
            for setting, before in zip(_SETTINGS, self._before, strict=True):
                if setting.read() != before:
                    setting.write(before)
            # Also if nothing has changed: what was warned of in this call may be warned of in the next.
            warnings.resetwarnings()
            cast("list[Any]", warnings.filters).extend(self._filters)
            if not self._has_loop:
                _forget_loop()
        except Exception:  # of an object that the call has put there, or of a limit that can only be lowered
            return False
        return True

    def _restore_input(self) -> None:
        if self._stdin.closed:
            self._stdin = cast("TextIO", open(0, closefd=False))  # noqa: SIM115  # for as long as we live
        sys.stdin = self._stdin


def _lend_streams() -> None:
    """`sys.stdout = sys.__stdout__` is how programs put it back. The one that Python has made would hold back
    what is said until the worker ends."""
    for name in ("stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))


_signals: Any = importlib.import_module("_signal")
"""What is under `signal`, without its enums: those make a look at all handlers twenty times as slow."""
_HANDLED = [
    int(number) for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM}
]
"""SIGTERM is always ours between two calls."""


def _handlers() -> list[Any]:
    return [_signals.getsignal(number) for number in _HANDLED]


def _set_handlers(handlers: list[Any]) -> None:
    for number, now, handler in zip(_HANDLED, _handlers(), handlers, strict=True):
        if now is not handler:
            signal.signal(number, handler)


def _blocked_signals() -> set[int]:
    return _signals.pthread_sigmask(signal.SIG_BLOCK, ())


def _umask() -> int:
    """It can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_LIMITS = (
    resource.RLIMIT_AS,
    resource.RLIMIT_CORE,
    resource.RLIMIT_CPU,
    resource.RLIMIT_DATA,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_STACK,
)
"""Those that programs set for themselves."""


def _limits() -> list[tuple[int, int]]:
    return [resource.getrlimit(limit) for limit in _LIMITS]


def _set_limits(limits: list[tuple[int, int]]) -> None:
    for limit, values in zip(_LIMITS, limits, strict=True):
        resource.setrlimit(limit, values)


def _set_path(path: list[str]) -> None:
    sys.path[:] = path


def _set_arguments(arguments: list[str]) -> None:
    sys.argv[:] = arguments


class _Logging(NamedTuple):
    """What is set for all loggers, or for the one that is above them. Others belong to the user's modules,
    and last as they do; but each may be silenced by a configuration that does not name it."""

    disabled_level: int = 0
    level: int = 30
    is_disabled: bool = False
    handlers: tuple[Any, ...] = ()
    filters: tuple[Any, ...] = ()
    disabled_loggers: frozenset[str] = frozenset()


_LOGGING_AS_LOADED = _Logging()


def _logging() -> _Logging:
    logging = sys.modules.get("logging")
    if logging is None:  # nor is it loaded for this
        return _LOGGING_AS_LOADED
    root = logging.root
    disabled: frozenset[str] = frozenset()
    if "logging.config" in sys.modules:
        loggers = root.manager.loggerDict.items()
        disabled = frozenset(name for name, logger in loggers if getattr(logger, "disabled", False))
    manager = root.manager
    return _Logging(
        manager.disable, root.level, root.disabled, tuple(root.handlers), tuple(root.filters), disabled
    )


def _set_logging(before: _Logging) -> None:
    import logging  # it is loaded already, or nothing could have changed

    root = logging.root
    logging.disable(before.disabled_level)
    root.setLevel(before.level)
    root.disabled = before.is_disabled
    root.handlers[:] = before.handlers
    root.filters[:] = before.filters
    for name, logger in root.manager.loggerDict.items():
        if isinstance(logger, logging.Logger):
            logger.disabled = name in before.disabled_loggers


def _set_showwarning(show: Any) -> None:
    logging = sys.modules.get("logging")
    if logging is not None:
        logging.captureWarnings(False)  # else it goes on to believe that it has replaced it
    warnings.showwarning = show


def _start_method() -> str | None:
    multiprocessing = sys.modules.get("multiprocessing")
    return None if multiprocessing is None else multiprocessing.get_start_method(allow_none=True)


def _set_start_method(method: str | None) -> None:
    sys.modules["multiprocessing"].set_start_method(method, force=True)


_GETS_NEW_LOOPS = sys.version_info < (3, 14)
"""Whether `asyncio.get_event_loop()` makes a loop in a process that never had one."""


def _has_loop() -> bool:
    """Whether a module has made a loop or a policy of its own while it was loaded. Python does not say
    whether there is a loop without making one."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not _GETS_NEW_LOOPS:
        return False
    policy = asyncio.get_event_loop_policy()
    is_own = type(policy) is not asyncio.DefaultEventLoopPolicy
    return is_own or getattr(getattr(policy, "_local", None), "_loop", None) is not None


def _forget_loop() -> None:
    """Else `asyncio.get_event_loop()` in the next call finds none, or one that is closed."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and _GETS_NEW_LOOPS:
        asyncio.set_event_loop_policy(None)


def _zone() -> tuple[object, ...]:
    return time.tzname, time.timezone, time.altzone


def _set_zone(_zone: object) -> None:
    time.tzset()  # it goes by TZ, which was put back before


def _set_gc(is_on: bool) -> None:
    if is_on:
        gc.enable()
    else:
        gc.disable()


def _set_thresholds(thresholds: tuple[int, int, int]) -> None:
    gc.set_threshold(*thresholds)


def _identity() -> tuple[object, ...]:
    return os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.getgroups()


def _keep_identity(_before: object) -> None:
    raise PermissionError("who has given up being somebody cannot be trusted to be so again")


def _processors() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def _set_processors(processors: set[int]) -> None:
    os.sched_setaffinity(0, processors)


_SETTINGS = (
    _Setting(lambda: list(sys.path), _set_path),
    _Setting(lambda: list(sys.argv), _set_arguments),
    _Setting(sys.gettrace, sys.settrace),
    _Setting(sys.getprofile, sys.setprofile),
    _Setting(sys.getrecursionlimit, sys.setrecursionlimit),
    _Setting(gc.isenabled, _set_gc),
    _Setting(gc.get_threshold, _set_thresholds),
    _Setting(sys.getswitchinterval, sys.setswitchinterval),
    _Setting(sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    _Setting(lambda: sys.excepthook, partial(setattr, sys, "excepthook")),
    _Setting(_processors, _set_processors),
    _Setting(_identity, _keep_identity),
    _Setting(socket.getdefaulttimeout, socket.setdefaulttimeout),
    _Setting(partial(setlocale, LC_ALL, None), partial(setlocale, LC_ALL)),
    _Setting(_zone, _set_zone),
    _Setting(_umask, os.umask),
    _Setting(partial(os.getpriority, os.PRIO_PROCESS, 0), partial(os.setpriority, os.PRIO_PROCESS, 0)),
    _Setting(_limits, _set_limits),
    _Setting(_handlers, _set_handlers),
    _Setting(_blocked_signals, partial(signal.pthread_sigmask, signal.SIG_SETMASK)),
    _Setting(lambda: warnings.showwarning, _set_showwarning),
    _Setting(_logging, _set_logging),
    _Setting(_start_method, _set_start_method),
)
"""In this order: handlers of signals before those that were blocked come through."""
