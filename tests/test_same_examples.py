"""Property tests draw the same examples in every run, so that none fails by chance."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def drawn() -> list[tuple[int, str]]:
    seen: list[tuple[int, str]] = []

    @given(st.integers(), st.text())
    def collect(number: int, text: str) -> None:
        seen.append((number, text))

    collect()
    return seen


def test_the_examples_are_the_same_whatever_modules_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    if not settings.default.derandomize:
        pytest.skip("this run explores")
    first = drawn()
    file = tmp_path / "constants_of_another_worker.py"
    file.write_text("\n".join(f"a{n} = 1_{n:03}_567\nb{n} = 'constant {n}'" for n in range(200)))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, file.stem, module)

    assert drawn() == first
