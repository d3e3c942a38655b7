"""Inside a worker process: loads users' files and modules, and finds their functions.

A file is loaded under its own name, so that other files can import it and get the same module. The file's own
folder and the project's folder come first on `sys.path`, as if the file were run from there.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import time
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import msgspec

from holdfast.core.codec import Codec
from holdfast.core.signature import Signature
from holdfast.core.values import Payload
from holdfast.errors import WrongType

Stamp: TypeAlias = tuple[int, int]
"""The time of the last change of a file, in nanoseconds, and its size."""

_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_MOST_NAMES_SHOWN = 20

_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class LoadedFunction:
    """One function: turns an input into its arguments, and its result into an output."""

    def __init__(self, call: Callable[..., Any], name: str, where: str) -> None:
        self.call = call
        self._name = f"function {name!r} in {where}"
        self._signature = Signature.of(call, name=self._name)
        each = inspect.signature(call).parameters.values()
        self._takes = {it.name for it in each}
        self._needs = [it.name for it in each if it.default is it.empty and it.kind not in _OPTIONAL]
        self._rest = next((it.name for it in each if it.kind is it.VAR_KEYWORD), None)

    def bind(self, input: Payload) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments by name, converted to their type hints. Fields that the function does not take are
        dropped.

        Raises WrongType.
        """
        fields = self._fields_of(input)
        missing = [name for name in self._needs if name not in fields]
        if missing:
            raise WrongType(
                f"a call of {self._name}",
                f"its parameter {missing[0]!r} is not in the input, which has {_listed(fields)}",
            )
        known = {name: value for name, value in fields.items() if name in self._takes and name != self._rest}
        if self._rest is not None:
            others = {name: value for name, value in fields.items() if name not in known}
            known[self._rest] = msgspec.Raw(msgspec.json.encode(others))
        return self._signature.unpack(Payload(msgspec.json.encode(known)))

    def store(self, result: Any, codec: Codec) -> Payload:
        """Raises WrongType, CannotStore, PayloadTooLarge."""
        return self._signature.pack_result(result, codec)

    def _fields_of(self, input: Payload) -> dict[str, msgspec.Raw]:
        if input == b"null":
            return {}
        try:
            return _decode_fields(input)
        except msgspec.ValidationError:
            raise WrongType(
                f"the input of {self._name}", "it must be an object, with a field for each parameter"
            ) from None


_OPTIONAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _listed(names: dict[str, Any] | list[str]) -> str:
    shown = [repr(name) for name in list(names)[:_MOST_NAMES_SHOWN]]
    more = len(names) - len(shown)
    return (", ".join(shown) or "nothing") + (f" and {more} more" if more else "")


class FunctionLoader:
    """What this worker has loaded since it was started."""

    def __init__(self) -> None:
        self._functions: dict[tuple[str | None, str | None, str], LoadedFunction] = {}
        """By file, module and name."""
        self._modules: dict[tuple[str | None, str | None], ModuleType] = {}
        """By file and module name."""
        self._files: dict[str, ModuleType] = {}
        """By path."""
        self._reported: set[str] = set()
        """Names of modules that `new_sources` has seen."""
        self._last_modules: tuple[int, str] = (0, "")
        """How many modules there were at the last `new_sources`, and the newest of them."""
        self._call_began = 0

    def load(self, project: str, file: str | None, module: str | None) -> bool:
        """True if the module was not loaded before. Raises whatever its import raises."""
        self._call_began = time.time_ns()
        if (file, module) in self._modules:
            return False
        importlib.invalidate_caches()
        _put_first_on_path(project)
        try:
            loaded = self._load_file(project, file) if file else _import(project, module or "")
        except SystemExit as error:
            raise ImportError(
                f"{file or module} has ended the program ({error!r}) while it was imported"
            ) from error
        self._modules[file, module] = loaded
        return True

    def find(self, file: str | None, module: str | None, function: str) -> LoadedFunction:
        """A function of a module that was loaded. Raises AttributeError or TypeError if there is none."""
        found = self._functions.get((file, module, function))
        if found is None:
            where = file or module or ""
            loaded = self._modules[file, module]
            found = self._functions[file, module, function] = LoadedFunction(
                _function_in(loaded, function, where), function, where
            )
        return found

    def new_sources(self, project: str) -> tuple[dict[str, Stamp], bool]:
        """Files of the project that were imported since the last call of this method, and whether one of them
        was changed after the call began: then it is not certain which version was loaded."""
        sources: dict[str, Stamp] = {}
        is_stale = False
        modules = len(sys.modules), next(reversed(sys.modules))
        if modules == self._last_modules:  # the usual case: a loop over hundreds of modules takes time
            return sources, is_stale
        self._last_modules = modules
        for name, module in list(sys.modules.items()):
            if name in self._reported:
                continue
            self._reported.add(name)
            file = getattr(module, "__file__", None)
            if not isinstance(file, str) or not _is_source_of(project, file):
                continue
            stamp = stamp_of(file)
            if stamp is None:
                is_stale = True
            else:
                sources[file] = stamp
                is_stale |= stamp[0] > self._call_began
        return sources, is_stale

    def _load_file(self, project: str, file: str) -> ModuleType:
        path = os.path.realpath(os.path.join(project, file))
        loaded = self._files.get(path)  # its path may have been written in another way
        if loaded is not None:
            return loaded
        if not os.path.isfile(path):
            raise FileNotFoundError(f"there is no file {file} in {project}")
        _put_first_on_path(os.path.dirname(path))
        self._files[path] = module = _load(path)
        return module


def stamp_of(file: str) -> Stamp | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _put_first_on_path(folder: str) -> None:
    if folder in sys.path:
        sys.path.remove(folder)
    sys.path.insert(0, folder)


def _is_source_of(project: str, file: str) -> bool:
    return file.startswith(project.rstrip(os.sep) + os.sep) and not any(part in file for part in _INSTALLED)


def _load(path: str) -> ModuleType:
    name = Path(path).stem
    known = sys.modules.get(name)
    if known is not None and _is_same(getattr(known, "__file__", None), path):
        return known
    if known is None and "." not in name:
        spec = importlib.util.find_spec(name)
        if spec is not None and _is_same(spec.origin, path):
            return importlib.import_module(name)
    # The name belongs to another module, for example to one of the standard library that others need.
    name = f"holdfast_task_{name}"
    loader = SourceFileLoader(name, path)
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _is_same(file: str | None, path: str) -> bool:
    return file is not None and os.path.realpath(file) == path


def _import(project: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module exists, but imports one that does not
        raise ModuleNotFoundError(
            f"there is no module {error.name!r} in {project}, nor is one installed", name=error.name
        ) from None


def _function_in(module: ModuleType, name: str, where: str) -> Callable[..., Any]:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        has = [key for key, value in vars(module).items() if _is_function_of(module, value)]
        raise AttributeError(f"there is no function {name!r} in {where}; it has {_listed(has)}")
    if not callable(found):
        raise TypeError(f"{name!r} in {where} is no function, but {type(found).__name__}")
    return found


def _is_function_of(module: ModuleType, value: Any) -> bool:
    return inspect.isfunction(value) and value.__module__ == module.__name__
