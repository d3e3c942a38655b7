"""A new user runs README's example and then looks at the run with the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.processes import COMMAND, environment
from tests.docs.pages import ROOT, blocks_of


def test_the_command_finds_the_run_of_the_example_in_the_same_folder(tmp_path: Path) -> None:
    [example] = [
        block
        for block in blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))
        if block.language == "python" and "asyncio.run(main())" in block.code
    ]
    (tmp_path / "shop.py").write_text(example.code, encoding="utf-8")

    ran = in_folder(tmp_path, sys.executable, "shop.py")
    listed = in_folder(tmp_path, *COMMAND, "runs", "list")
    shown = in_folder(tmp_path, *COMMAND, "runs", "show", "order-42")

    assert ran.stdout == example.shows, ran.stderr
    assert "order-42" in listed.stdout, listed.stderr
    assert "success" in shown.stdout, shown.stderr


def in_folder(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
