"""`python -m tests.fuzz.guided TARGET SECONDS`: one target, guided by what of holdfast an input reaches.

Needs atheris. Only Python code is watched, so that targets whose work is done in C gain little.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from typing import Any


def main() -> None:
    name, seconds = sys.argv[1:]
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["holdfast"]):
        targets = importlib.import_module("tests.fuzz.targets")
    with tempfile.TemporaryDirectory(prefix="holdfast-fuzz-") as folder:
        options = [f"-max_total_time={seconds}", "-max_len=4096", "-len_control=0", "-rss_limit_mb=2048"]
        options += ["-timeout=20", f"-artifact_prefix={folder}/", "-print_final_stats=1", "-verbosity=0"]
        atheris.Setup([sys.argv[0], *options], targets.TARGETS[name].hypothesis.fuzz_one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
