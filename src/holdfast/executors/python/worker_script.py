"""The script that a worker process runs: `python -P worker_script.py`.

It makes the node's own `holdfast` importable, wherever that is installed, even if the user's folder contains
something else of that name.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]


def _provide_package() -> None:
    name = _PACKAGE.name
    spec = importlib.util.spec_from_file_location(
        name, _PACKAGE / "__init__.py", submodule_search_locations=[str(_PACKAGE)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    # At the end of the path: for packages that holdfast needs and the user does not have.
    if str(_PACKAGE.parent) not in sys.path:
        sys.path.append(str(_PACKAGE.parent))


if __name__ == "__main__":
    _provide_package()
    from holdfast.executors.python.function_worker import main

    main()
