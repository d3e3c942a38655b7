"""The code of earlier releases, out of the history of this repository, in processes of their own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

COMMITS = {"0.4.0": "4f38f30e87b0ec0e1d747997b1318e6e057df11b"}

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_SECONDS = 150


def code_of(release: str, folder: Path) -> Path:
    """The folder with the package of that release, written below `folder`."""
    commit = COMMITS[release]
    found = subprocess.run(
        ["git", "-C", str(_ROOT), "archive", commit, "src"], check=False, capture_output=True
    )
    assert found.returncode == 0, (
        f"the code of {release} (commit {commit}) is not in the history of {_ROOT}: "
        f"{found.stderr.decode().strip()}. Run these tests in a clone of the repository; "
        "`git fetch --unshallow` completes a shallow one"
    )
    with tarfile.open(fileobj=io.BytesIO(found.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def code_of_today() -> Path:
    return _ROOT / "src"


class Playing:
    """A process that sends requests to a database, with the code in a folder."""

    def __init__(self, code: Path, url: str, requests: Sequence[Sequence[Any]]) -> None:
        self._code = code
        self._process = subprocess.Popen(
            [sys.executable, str(_HERE / "release_script.py"), url, json.dumps(requests)],
            env={**os.environ, "PYTHONPATH": str(code)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def answers(self) -> list[Any]:
        out, errors = self._process.communicate(timeout=_SECONDS)
        assert self._process.returncode == 0, errors
        folder, *answers = [json.loads(line) for line in out.splitlines()]
        assert Path(folder) == self._code / "holdfast", "another release was run than the one that was meant"
        return answers


def play(code: Path, url: str, *requests: Sequence[Any]) -> list[Any]:
    return Playing(code, url, requests).answers()
