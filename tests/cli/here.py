"""Gives a command in this process: what it says and ends with, without what it costs to start Python.

Whatever a process would have to itself is put back afterwards: folder, environment, streams, logging, context
variables (such as the chosen server), handlers of signals, modules of the project, and the catalog of
workflows.
"""

from __future__ import annotations

import contextlib
import contextvars
import importlib
import io
import logging
import os
import signal
import sys
import time
import traceback
from collections.abc import Generator, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, cast

from holdfast.authoring.catalog import default_catalog
from holdfast.cli import interrupts
from holdfast.cli.main import main
from holdfast.cli.views import output

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_here(
    words: tuple[str, ...], folder: Path, variables: Mapping[str, str], input: bytes = b""
) -> CompletedProcess[str]:
    encoding = variables.get("PYTHONIOENCODING", "utf-8")
    said, told = io.BytesIO(), io.BytesIO()
    with (
        _in_folder(folder),
        _with_environment(variables),
        _with_modules_of(folder),
        _with_signals_and_logging(),
        _with_streams(io.BytesIO(input), said, told, encoding),
    ):
        code = contextvars.copy_context().run(_call, ["holdfast", *words])
    return CompletedProcess(words, code, said.getvalue().decode(), told.getvalue().decode())


def _call(arguments: list[str]) -> int:
    before, sys.argv = sys.argv, arguments
    _forget_streams()
    try:
        main()
    except SystemExit as end:
        return cast("int | None", end.code) or 0
    except Exception:  # as Python ends a process that raises
        traceback.print_exc()
        return 1
    finally:
        sys.argv = before
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        _forget_streams()
    return 0


def _forget_streams() -> None:
    for remembered in (output.stdout, output.stderr, interrupts.find_terminal):
        remembered.cache_clear()


@contextlib.contextmanager
def _in_folder(folder: Path) -> Generator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def _with_environment(variables: Mapping[str, str]) -> Generator[None]:
    before = dict(os.environ)
    _set_environment(variables)
    try:
        yield
    finally:
        _set_environment(before)


def _set_environment(variables: Mapping[str, str]) -> None:
    for name in set(os.environ) - set(variables):
        del os.environ[name]
    os.environ.update(variables)
    time.tzset()


@contextlib.contextmanager
def _with_modules_of(folder: Path) -> Generator[None]:
    """What lies under the folder is imported anew each time, and forgotten; what is ours stays as it is."""
    path, catalog = list(sys.path), [_copied(part) for part in _catalog_parts()]
    for part in _catalog_parts():
        part.clear()  # a file may name its workflow as one of the tests does
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = path
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if file is not None and Path(file).is_relative_to(folder.parent):
                del sys.modules[name]
        for part, content in zip(_catalog_parts(), catalog, strict=True):
            part.clear()
            part.update(content)


def _catalog_parts() -> list[dict[Any, Any]]:
    parts: list[dict[Any, Any]] = [
        default_catalog.editions,
        default_catalog._tasks,  # pyright: ignore[reportPrivateUsage]
        default_catalog._workflows,  # pyright: ignore[reportPrivateUsage]
    ]
    return parts


def _copied(part: dict[Any, Any]) -> dict[Any, Any]:
    return {key: dict(it) if isinstance(it, dict) else it for key, it in part.items()}


@contextlib.contextmanager
def _with_signals_and_logging() -> Generator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    before = {each: signal.getsignal(each) for each in _SIGNALS}
    root.handlers[:] = []
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _with_streams(input: io.BytesIO, said: io.BytesIO, told: io.BytesIO, encoding: str) -> Generator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(input, "utf-8")
    sys.stdout = io.TextIOWrapper(said, encoding, newline="\n")
    sys.stderr = io.TextIOWrapper(
        told, encoding, errors="backslashreplace", newline="\n", line_buffering=True
    )
    try:
        yield
    finally:
        ours = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout, sys.stderr = before
        for stream in ours:
            stream.detach()
