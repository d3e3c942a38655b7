"""Inside a worker process: settings of the whole process that a call may change, restored before the next
call.

To replace the worker instead would cost more than a hundred times as much as a call (decision 17). A worker
is replaced only if a setting cannot be restored.
"""

from __future__ import annotations

import builtins
import gc
import importlib
import os
import resource
import signal
import socket
import sys
import time
import warnings
from _locale import LC_ALL, setlocale  # `locale` itself is slow to import
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TextIO, cast


class _Setting(NamedTuple):
    """Something that a process has only once, so that all calls of a worker share it."""

    read: Callable[[], Any]
    write: Callable[[Any], object]


class ProcessGlobals:
    """Restored after each call to what they were when the last module of a task was loaded.

    All settings are read after every call, because nothing reports a change. That takes some 60 microseconds.
    """

    def __init__(self) -> None:
        self._stdin = sys.stdin
        self._saved: list[Any] = []
        self._filters: list[Any] = []
        self._has_loop = False
        self.save()
        _replace_original_streams()

    def save(self) -> None:
        """Later calls find the settings as they are now."""
        self._saved = [setting.read() for setting in _SETTINGS]
        self._filters = list(warnings.filters)
        self._has_loop = _has_loop()

    def restore(self) -> bool:
        """False if a setting cannot be read or restored. Then the worker must be replaced."""
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._restore_input()
            _replace_original_streams()
            for setting, saved in zip(_SETTINGS, self._saved, strict=True):
                if setting.read() != saved:
                    setting.write(saved)
            # Also if nothing has changed: a warning that this call has shown may be shown again in the next.
            warnings.resetwarnings()
            cast("list[Any]", warnings.filters).extend(self._filters)
            if not self._has_loop:
                _forget_loop()
        except Exception:  # from an object that the call has set, or for a limit that can only be lowered
            return False
        return True

    def _restore_input(self) -> None:
        if self._stdin.closed:
            self._stdin = cast("TextIO", open(0, closefd=False))  # noqa: SIM115  # never closed
        sys.stdin = self._stdin


def _replace_original_streams() -> None:
    """Programs restore their output by `sys.stdout = sys.__stdout__`. Python's own stream there is not
    line-buffered, so its output would appear only when the worker exits."""
    for name in ("stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))


_signals: Any = importlib.import_module("_signal")
"""The module below `signal`, without its enums, which make reading all handlers twenty times as slow."""
_HANDLED = [
    int(number) for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM}
]
"""SIGTERM is set by the worker after each call."""


def _handlers() -> list[Any]:
    return [_signals.getsignal(number) for number in _HANDLED]


def _set_handlers(handlers: list[Any]) -> None:
    for number, now, handler in zip(_HANDLED, _handlers(), handlers, strict=True):
        if now is not handler:
            signal.signal(number, handler)


def _blocked_signals() -> set[int]:
    return _signals.pthread_sigmask(signal.SIG_BLOCK, ())


def _umask() -> int:
    """The umask can be read only by setting it."""
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
"""The limits that programs set for themselves."""


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
    """Settings of all loggers and of the root logger. Other loggers belong to the user's modules and live as
    long as those. But any logger may be disabled by a `logging.config` that does not name it."""

    disabled_level: int = 0
    level: int = 30
    is_disabled: bool = False
    handlers: tuple[Any, ...] = ()
    filters: tuple[Any, ...] = ()
    disabled_loggers: frozenset[str] = frozenset()
    logger_class: Any = None
    record_factory: Any = None
    """None for the usual one."""


_LOGGING_AS_LOADED = _Logging()


def _logging() -> _Logging:
    logging = sys.modules.get("logging")
    if logging is None:  # and it is not imported only for this
        return _LOGGING_AS_LOADED
    root = logging.root
    disabled: frozenset[str] = frozenset()
    if "logging.config" in sys.modules:
        loggers = root.manager.loggerDict.items()
        disabled = frozenset(name for name, logger in loggers if getattr(logger, "disabled", False))
    return _Logging(
        root.manager.disable,
        root.level,
        root.disabled,
        tuple(root.handlers),
        tuple(root.filters),
        disabled,
        _unless(logging.Logger, logging.getLoggerClass()),
        _unless(logging.LogRecord, logging.getLogRecordFactory()),
    )


def _unless(usual: Any, current: Any) -> Any:
    return None if current is usual else current


def _set_logging(saved: _Logging) -> None:
    import logging  # already imported, or nothing could have changed

    root = logging.root
    logging.disable(saved.disabled_level)
    root.setLevel(saved.level)
    root.disabled = saved.is_disabled
    root.handlers[:] = saved.handlers
    root.filters[:] = saved.filters
    for name, logger in root.manager.loggerDict.items():
        if isinstance(logger, logging.Logger):
            logger.disabled = name in saved.disabled_loggers
    logging.setLoggerClass(saved.logger_class or logging.Logger)
    logging.setLogRecordFactory(saved.record_factory or logging.LogRecord)


def _set_showwarning(show: Any) -> None:
    logging = sys.modules.get("logging")
    if logging is not None:
        logging.captureWarnings(False)  # else logging still believes that it has replaced showwarning
    warnings.showwarning = show


def _start_method() -> str | None:
    multiprocessing = sys.modules.get("multiprocessing")
    return None if multiprocessing is None else multiprocessing.get_start_method(allow_none=True)


def _set_start_method(method: str | None) -> None:
    sys.modules["multiprocessing"].set_start_method(method, force=True)


_GETS_NEW_LOOPS = sys.version_info < (3, 14)
"""Whether `asyncio.get_event_loop()` creates a loop in a process that never had one."""


def _has_loop() -> bool:
    """Whether a module has set a loop or a policy while it was loaded. Python has no public way to ask
    whether there is a loop without creating one."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or not _GETS_NEW_LOOPS:
        return False
    policy = asyncio.get_event_loop_policy()
    is_own = type(policy) is not asyncio.DefaultEventLoopPolicy
    return is_own or getattr(getattr(policy, "_local", None), "_loop", None) is not None


def _forget_loop() -> None:
    """Otherwise `asyncio.get_event_loop()` in the next call finds no loop, or a closed one."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and _GETS_NEW_LOOPS:
        asyncio.set_event_loop_policy(None)


def _zone() -> tuple[object, ...]:
    return time.tzname, time.timezone, time.altzone


def _set_zone(_zone: object) -> None:
    time.tzset()  # it uses TZ, which is restored by now


def _set_gc(is_on: bool) -> None:
    if is_on:
        gc.enable()
    else:
        gc.disable()


def _set_thresholds(thresholds: tuple[int, int, int]) -> None:
    gc.set_threshold(*thresholds)


def _identity() -> tuple[object, ...]:
    return os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.getgroups()


def _refuse_identity(_saved: object) -> None:
    raise PermissionError("a process that has changed its user is replaced, even if it can change back")


def _processors() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def _set_processors(processors: set[int]) -> None:
    os.sched_setaffinity(0, processors)


def _builtins() -> dict[str, Any]:
    return dict(vars(builtins))


def _set_builtins(saved: dict[str, Any]) -> None:
    for name in vars(builtins).keys() - saved.keys():
        delattr(builtins, name)
    for name, value in saved.items():
        setattr(builtins, name, value)


def _temporary_folder() -> str | None:
    """What `tempfile` has chosen, or was told; None if it has not chosen yet."""
    tempfile = sys.modules.get("tempfile")
    return None if tempfile is None else tempfile.tempdir


def _set_temporary_folder(folder: str | None) -> None:
    tempfile: Any = sys.modules["tempfile"]
    tempfile.tempdir = folder


_OOM_SCORE = "/proc/self/oom_score_adj"


def _oom_score() -> bytes:
    """How readily Linux kills this process when memory runs out. Empty on other systems."""
    try:
        with open(_OOM_SCORE, "rb", buffering=0) as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _set_oom_score(score: bytes) -> None:
    with open(_OOM_SCORE, "wb", buffering=0) as file:
        file.write(score)


_SETTINGS = (
    _Setting(_builtins, _set_builtins),
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
    _Setting(_identity, _refuse_identity),
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
    _Setting(_temporary_folder, _set_temporary_folder),
    _Setting(_oom_score, _set_oom_score),
)
"""In this order: built-in functions first, which the others call; and signal handlers before signals are
unblocked, because pending signals are delivered then."""
