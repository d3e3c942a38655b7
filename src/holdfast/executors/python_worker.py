"""The script that a worker process runs: `python -P python_worker.py`.

It makes `holdfast` importable without running all of it. The package's own `__init__` brings stores, the
engine and the client along, and a worker that only calls plain functions would wait for them a quarter
of a second, each time it is started. It gets them when the user's own code asks for them.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGE = Path(__file__).resolve().parent.parent


class _Unopened(ModuleType):
    """The package before anyone wanted one of its own names; its modules can be imported all the same."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        object.__setattr__(self, "__class__", ModuleType)
        loader = self.__spec__ and self.__spec__.loader
        if loader is None:
            raise AttributeError(name)
        loader.exec_module(self)
        return getattr(self, name)


def _provide_package() -> None:
    name = _PACKAGE.name
    spec = importlib.util.spec_from_file_location(
        name, _PACKAGE / "__init__.py", submodule_search_locations=[str(_PACKAGE)]
    )
    assert spec is not None
    package = _Unopened(name)
    package.__spec__ = spec
    package.__path__ = [str(_PACKAGE)]
    package.__file__ = spec.origin
    package.__package__ = name
    package.__loader__ = spec.loader
    sys.modules[name] = package
    # Behind everything else: for what it needs and others do not have.
    if str(_PACKAGE.parent) not in sys.path:
        sys.path.append(str(_PACKAGE.parent))


if __name__ == "__main__":
    _provide_package()
    from holdfast.executors.python_calls import main

    main()
