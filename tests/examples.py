"""How many examples a property test draws.

In `make test` each draws the same ones every time; in `make test-long` it draws others, and more of them.
tests/conftest.py has the profiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import settings

_Test = TypeVar("_Test", bound=Callable[..., object])


def examples(count: int) -> Callable[[_Test], _Test]:
    """Draw `count` examples if the profile has 100, and proportionally more if it has more."""
    default = settings.default
    assert default is not None
    return settings(max_examples=count * default.max_examples // 100)
