"""Plants a fault in a copy of the source, and has commands import that copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.faults.fault import Fault
from tests.faults.source import PACKAGE, ROOT, Source

_NEEDED = ("src", "tests", "bench", "examples", "docs", "pyproject.toml", "README.md")
"""What the tests need, and the programs that they start."""


class WrongSource(Exception):
    """The commands would not import the copy."""


class Ground(NamedTuple):
    """The folder and the environment that commands run in."""

    folder: Path
    environment: dict[str, str]


@contextmanager
def checkout() -> Iterator[Path]:
    """A copy of the whole project, taken once: an edit made during the hunt must not look like a fault."""
    with tempfile.TemporaryDirectory(prefix="holdfast-checkout-", ignore_cleanup_errors=True) as folder:
        for name in _NEEDED:
            if (ROOT / name).is_dir():
                _copy(ROOT / name, Path(folder, name))
            else:
                shutil.copy(ROOT / name, folder)
        yield Path(folder)


@contextmanager
def planted(root: Path, fault: Fault | None) -> Iterator[Ground]:
    """`root`, where `holdfast` is a copy of its source with this fault. Raises Disarmed, WrongSource."""
    with tempfile.TemporaryDirectory(prefix="holdfast-fault-", ignore_cleanup_errors=True) as folder:
        package = Path(folder, "holdfast")
        _copy(root / PACKAGE, package)
        if fault is not None:
            source = Source(package)
            fault.plant(source)
            source.save()
        environment = {
            **os.environ,
            "PYTHONPATH": folder,
            "COLUMNS": "1000",  # pytest cuts the reason of a failure to the width of the page
            # Hypothesis would replay the examples that failed here in the next run of the tests.
            "HYPOTHESIS_STORAGE_DIRECTORY": str(Path(folder, "hypothesis")),
        }
        ground = Ground(root, environment)
        _check_source(ground, package)
        yield ground


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))


def _check_source(ground: Ground, package: Path) -> None:
    """The copy must be importable, and an editable install must not be imported in its place."""
    asked = subprocess.run(
        [sys.executable, "-c", "import holdfast; from holdfast import *; print(holdfast.__file__)"],
        env=ground.environment,
        cwd=ground.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode != 0:
        raise WrongSource(f"the copy cannot be imported:\n{asked.stderr}")
    found = Path(asked.stdout.strip())
    if found != package / "__init__.py":
        raise WrongSource(f"holdfast is imported from {found}, and not from the copy in {package}")
