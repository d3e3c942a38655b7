"""Planting a fault: in a copy of the source, which is then the one that is imported."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.faults.fault import PACKAGE, ROOT, Edit

_NEEDED = ("src", "tests", "bench", "examples", "docs", "pyproject.toml", "README.md")
"""By the tests that are to catch something, and by what they start themselves."""


class WrongSource(Exception):
    """The commands would not run against the copy."""


class Ground(NamedTuple):
    """Where commands run, and with which environment."""

    folder: Path
    environment: dict[str, str]


@contextmanager
def checkout() -> Iterator[Path]:
    """A copy of everything, taken once: who edits meanwhile does not plant faults of their own."""
    with tempfile.TemporaryDirectory(prefix="holdfast-checkout-", ignore_cleanup_errors=True) as folder:
        for name in _NEEDED:
            if (ROOT / name).is_dir():
                _copy(ROOT / name, Path(folder, name))
            else:
                shutil.copy(ROOT / name, folder)
        yield Path(folder)


@contextmanager
def planted(root: Path, edits: Sequence[Edit]) -> Iterator[Ground]:
    """`root`, where `holdfast` is a copy of its source with these edits. Raises Disarmed, WrongSource."""
    with tempfile.TemporaryDirectory(prefix="holdfast-fault-", ignore_cleanup_errors=True) as folder:
        package = Path(folder, "holdfast")
        _copy(root / PACKAGE, package)
        for edit in edits:
            edit.apply(package)
        environment = {
            **os.environ,
            "PYTHONPATH": folder,
            "COLUMNS": "1000",  # on a narrow page pytest leaves out what a test failed with
            # What a fault makes fail must not be tried again by whoever runs the tests on whole source.
            "HYPOTHESIS_STORAGE_DIRECTORY": str(Path(folder, "hypothesis")),
        }
        ground = Ground(root, environment)
        _check_source(ground, package)
        yield ground


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))


def _check_source(ground: Ground, package: Path) -> None:
    """An editable install must not win over the copy, and the copy must be sound Python."""
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
