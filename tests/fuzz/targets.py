"""Every target by name: a hypothesis test, for the suite to try a little and for `make fuzz` to try long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.fuzz import (
    codec_target,
    dag_target,
    doors_target,
    failures_target,
    flow_target,
    journal_target,
)

_MODULES: Final = (codec_target, journal_target, failures_target, doors_target, dag_target, flow_target)


def _is_target(candidate: Any) -> bool:
    return getattr(candidate, "is_hypothesis_test", False)


TARGETS: Final[dict[str, Callable[[], None]]] = {
    name: candidate
    for module in _MODULES
    for name, candidate in vars(module).items()
    if _is_target(candidate) and candidate.__module__ == module.__name__
}
