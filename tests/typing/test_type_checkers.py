"""What type checkers say about the calls that users write. Both run over one file of right and wrong uses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
USES = Path(__file__).with_name("uses.py")
WRONG = re.compile(r"# WRONG (\S+) (\S+)$")

Reports = set[tuple[int, str]]
"""Line numbers, each with the rule that is broken there."""


def expected(checker: int) -> Reports:
    lines = enumerate(USES.read_text(encoding="utf-8").splitlines(), 1)
    found = [(number, match[checker]) for number, line in lines if (match := WRONG.search(line))]
    return {(number, rule) for number, rule in found if rule != "-"}


def run_checker(*command: str) -> str:
    # mypy finds the package on this path: the tests may run against a checkout that is not installed.
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    line = [sys.executable, "-m", *command, str(USES)]
    done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr  # 0: nothing is wrong; 2: it could not check
    return done.stdout


def test_pyright_reports_each_wrong_use_and_no_other() -> None:
    told: dict[str, Any] = json.loads(run_checker("basedpyright", "--outputjson"))
    errors = [each for each in told["generalDiagnostics"] if each["severity"] == "error"]
    first = {each["range"]["start"]["line"] + 1: each["rule"] for each in reversed(errors)}

    assert set(first.items()) == expected(1)


def test_mypy_reports_each_wrong_use_and_no_other(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    options = ("--strict", "--follow-imports=silent", "--output=json", "--config-file=")

    lines = run_checker("mypy", *options, f"--cache-dir={tmp_path}").splitlines()

    errors = [each for each in map(json.loads, lines) if each["severity"] == "error"]
    assert {(each["line"], each["code"]) for each in errors} == expected(2)
