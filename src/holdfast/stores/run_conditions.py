"""Conditions on runs that no index answers: they are checked on runs that were found by others.

Text is looked for by the database first. It sees a failure as JSON, in which names of fields and tracebacks
stand too, so what it finds is looked at again here.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from holdfast.core.values import Failure, RunKey, RunStatus, key_text
from holdfast.ports.runs import RunFilter
from holdfast.stores import records
from holdfast.stores.database import Transaction

HAVE_FAILURES: Final = (RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.PARKED, RunStatus.PAUSED)
"""Runs in other states have none."""

_AT_ONCE: Final = 500


def has_conditions(which: RunFilter) -> bool:
    return any(value not in (None, ()) for value in _parameters(which))


def first_that_match(
    tx: Transaction, namespace: str, which: RunFilter, runs: Sequence[RunKey], limit: int
) -> tuple[list[RunKey], int]:
    """The first of these runs that meet all conditions, and how many runs were looked at for that. `before`,
    `since` and `limit` of the filter do not count."""
    found: list[RunKey] = []
    common = _parameters(which)
    for first in range(0, len(runs), _AT_ONCE):
        some = runs[first : first + _AT_ONCE]
        match = {
            key for key, id, failure in tx.rows("runs_that_match", namespace, *common, hex_of(some))
            if _is_meant(which, key, id, failure)
        }  # fmt: skip
        for place, run in enumerate(some, first + 1):
            if run in match:
                found.append(run)
                if len(found) == limit:
                    return found, place
    return found, len(runs)


def hex_of(runs: Sequence[RunKey]) -> list[str]:
    """Keys as a parameter of one query: a query for each would take longer."""
    return [key.hex() for key in runs]


def _parameters(which: RunFilter) -> tuple[Any, ...]:
    """In the order of the query's parameters."""
    return (
        None if which.statuses is None else [status.value for status in which.statuses],
        which.workflow,
        which.version,
        which.schedule,
        which.parent,
        which.fingerprint,
        which.ended_since,
        which.ended_before,
        None if which.id_text is None else _pattern(which.id_text),
        None if which.error_type is None else _pattern(_in_json(which.error_type)),
        None if which.error_text is None else _pattern(_in_json(which.error_text)),
        list(which.tags) or None,
        _microseconds(which.took_over),
        _microseconds(which.took_under),
    )


def _microseconds(span: dt.timedelta | None) -> int | None:
    return None if span is None else span // dt.timedelta(microseconds=1)


def _pattern(text: str) -> str:
    """For LIKE with ESCAPE: the text, anywhere."""
    for special in ("\\", "%", "_"):
        text = text.replace(special, f"\\{special}")
    return f"%{text}%"


def _in_json(text: str) -> str:
    return msgspec.json.encode(text).decode()[1:-1]


def _is_meant(which: RunFilter, key: RunKey, id: str | None, failure: Any) -> bool:
    if which.id_text is not None and not _contains(id or key_text(key), which.id_text):
        return False
    if which.error_type is None and which.error_text is None:
        return True
    chain = _chain(records.read_failure(failure))
    if which.error_type is not None and not any(_is_of_type(each, which.error_type) for each in chain):
        return False
    text = which.error_text
    return text is None or any(_contains(each.message, text) for each in chain)


def _chain(failure: Failure | None) -> list[Failure]:
    """The failure and its causes."""
    chain: list[Failure] = []
    while failure is not None:
        chain.append(failure)
        failure = failure.cause
    return chain


def _is_of_type(failure: Failure, name: str) -> bool:
    qualified = failure.type.rpartition(":")[2]
    return name in (failure.type, qualified, qualified.rpartition(".")[2])


def _contains(whole: str, text: str) -> bool:
    """As LIKE compares: bytes.lower() changes letters of ASCII only."""
    return text.encode().lower() in whole.encode().lower()
