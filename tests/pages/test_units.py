"""The unit tests of the pages, which vitest runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

UI: Final = Path(__file__).resolve().parents[2] / "ui"


def test_the_unit_tests_of_the_pages_pass():
    done = subprocess.run(
        [sys.executable, str(UI / "build.py"), "test"],
        check=False,
        capture_output=True,
        text=True,
        timeout=280,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
