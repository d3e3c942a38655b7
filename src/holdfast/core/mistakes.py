"""Collects all mistakes in an input, so that users hear of them in one error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from holdfast.errors import BadOption

T = TypeVar("T")


class Mistakes:
    def __init__(self) -> None:
        self._found: list[BadOption] = []

    def add(self, option: str, value: object, expected: str) -> None:
        self._found.append(BadOption(option, value, expected))

    def read(self, make: Callable[..., T], *args: Any, **kwargs: Any) -> T | None:
        """The result of the call; None if it raises BadOption, which is kept for later."""
        try:
            return make(*args, **kwargs)
        except BadOption as error:
            self._found += all_of(error)
            return None

    def raise_if_any(self) -> None:
        """Raises BadOption for the first mistake, with the others attached."""
        if self._found:
            first, *others = self._found
            raise BadOption(first.option, first.value, first.expected, others)


def all_of(error: BadOption) -> list[BadOption]:
    """The mistakes as separate errors."""
    if not error.others:
        return [error]
    return [BadOption(error.option, error.value, error.expected), *error.others]
