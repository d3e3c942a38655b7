"""What the world sends to a run of a random flow, and when: a script for interpreter and player.

It goes by the steps of the run, not by a clock. When a run has come to a node where it waits for anything,
the script says what it hears there; whatever node that is, it hears all of it before the node ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Protocol

SHORT_MS = 1500
"""Nothing comes within a time limit as short as this."""
LONG_MS = 3_600_000
VALUES: Sequence[Any] = (
    True,
    "yes",
    "later",
    {"action": "left", "by": "ann"},
    {"action": False},
    False,
    "No",
    None,
    "",
    7,
    ["list"],
)


class Signals(Protocol):
    def at(self, retried: int, step: int) -> Sequence[tuple[str, Any]]: ...

    def cancels(self, retried: int, step: int) -> bool:
        """Whether it is cancelled then, when it has heard the signals."""
        ...


class DrawnSignals:
    """Signals for keys that the flow waits for, and for others that it only reads."""

    def __init__(self, seed: str, keys: Sequence[str], *, is_cancelled: bool = True) -> None:
        self._seed = seed
        self._keys = [*keys, "x", "$cursor"]
        self._is_cancelled = is_cancelled

    def at(self, retried: int, step: int) -> Sequence[tuple[str, Any]]:
        dice = Random(f"{self._seed} signals {retried} {step}")
        return [(dice.choice(self._keys), dice.choice(VALUES)) for _ in range(dice.choice((0, 0, 1, 2, 3)))]

    def cancels(self, retried: int, step: int) -> bool:
        return self._is_cancelled and Random(f"{self._seed} cancels {retried} {step}").random() < 0.04


def rescue(path: str) -> tuple[str, Any]:
    """What comes in the end for a wait without a time limit."""
    key, _, field = path.removeprefix("$shared.").partition(".")
    return key, {field: "approved"} if field else "approved"
