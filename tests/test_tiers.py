"""Every case is in `make test` or in `make test-long`, and each name in tests/tiers.py still finds one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.tiers import BOTH_STORES, EXPLORING, LONG, LONG_UNLESS

TESTS = Path(__file__).parent


@pytest.mark.parametrize("file", {**LONG, **EXPLORING, **LONG_UNLESS})
def test_every_function_that_is_named_is_there(file: str):
    text = (TESTS / file).read_text("utf-8")

    for name in (*LONG.get(file, ()), *EXPLORING.get(file, ())):
        assert re.search(rf"^(async )?def {name}\(", text, re.MULTILINE), f"{name} is gone"
    for begin in LONG_UNLESS.get(file, ((), ()))[0]:
        assert re.search(rf"^(async )?def {begin}", text, re.MULTILINE), f"no test begins with {begin}"


def test_every_folder_that_is_named_is_there():
    assert all((TESTS / folder).is_dir() for folder in BOTH_STORES)
