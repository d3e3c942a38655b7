"""Says that an answer was not taken, for workflows that are data: they have no code that could."""

from __future__ import annotations

import logging

_log = logging.getLogger("holdfast.workflow")


def warn_of_answer(run: str, name: str, why: str) -> None:
    _log.warning("run %s: an answer to %r was not taken: %s", run, name, why)
