"""What a transaction does to runs and tasks, noted while it runs and written as one row of `changes`.

The row is written last. So its number comes after those of all transactions whose rows this one has seen or
waited for, and the order of the numbers is an order in which it could all have happened. The body has each
run once, and then sections of small tuples that name the run by its number in the body. It is written with
every commit, so a row of a commit costs one tuple.

How many runs were started and ended is added to the rows of the minute and of the hour, before that. Another
transaction may have locked these rows, and the number comes after all waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from holdfast.core.records import ACTS, MessageKind
from holdfast.core.values import Instant, RunKey, RunStatus
from holdfast.ports.commits import Commit, NewMessage
from holdfast.ports.stats import KEPT_HOURS, KEPT_MINUTES, MINUTE
from holdfast.stores.database import Row, Transaction, TransactionScript

T = TypeVar("T")

CREATED: Final = 0
"""(run, status, waiting)"""
STATUS: Final = 1
"""(run, status, waiting)"""
DELETED: Final = 2
"""(run, id, workflow, tags)"""
TASK: Final = 3
"""(run, seq, status, attempt)"""
MESSAGE: Final = 4
"""(run, kind, name, by)"""
ACT: Final = 5
"""(run, kind, by)"""

_HOW = (RunStatus.SUCCESS, RunStatus.FAILED, RunStatus.CANCELLED)
_ENDED = frozenset(_HOW)
_UNTOLD = frozenset({MessageKind.CHILD, MessageKind.TASK})
"""Between runs and nodes. What they lead to is told."""


class Numbers(dict[RunKey, int]):
    """The runs of a body, numbered in the order in which they are first asked for."""

    def __missing__(self, run: RunKey) -> int:
        number = self[run] = len(self)
        return number


Section: TypeAlias = Callable[[Numbers], list[Row]]


class Noted(NamedTuple):
    namespace: str
    at: Instant
    code: int
    rows: Section
    counts: Sequence[int] = ()
    """How many runs were started, and how many succeeded, failed and were cancelled. Empty: none."""


_encode = msgspec.msgpack.Encoder().encode


def note(tx: Transaction, namespace: str, at: Instant, code: int, rows: Sequence[Row]) -> None:
    """The first field of each row is the run."""
    if rows:
        section: Section = lambda numbers: [(numbers[run], *rest) for run, *rest in rows]  # noqa: E731
        tx.noted.append(Noted(namespace, at, code, section, _counts(code, rows)))


def _counts(code: int, rows: Sequence[Row]) -> Sequence[int]:
    if code == CREATED:
        return len(rows), 0, 0, 0
    if code != STATUS:
        return ()
    ended = [row[1] for row in rows if row[1] in _ENDED]
    return (0, *map(ended.count, _HOW)) if ended else ()


def note_tasks(tx: Transaction, commit: Commit) -> None:
    """The most frequent changes, without a step in between."""

    def rows(numbers: Numbers) -> list[Row]:
        found: list[Row] = [(numbers[it.run], it.seq, it.status, 1) for it in commit.tasks]
        if commit.branches:
            found += [(numbers[it.run], it.seq, it.status, 1) for it in commit.branches]
        if commit.moved:
            found += [(numbers[it.run], it.seq, it.status, it.attempt) for it in commit.moved]
        found += [(numbers[it.run], it.seq, it.status, it.attempt) for it in commit.settled]
        return found

    if commit.tasks or commit.settled or commit.moved or commit.branches:
        tx.noted.append(Noted(commit.namespace, commit.now, TASK, rows))


def note_messages(tx: Transaction, namespace: str, at: Instant, posted: Iterable[NewMessage]) -> None:
    told = [it for it in posted if it.kind not in _UNTOLD]
    if told:
        note(
            tx,
            namespace,
            at,
            MESSAGE,
            [(it.run, it.kind, it.name, it.by) for it in told if it.kind not in ACTS],
        )
        note(tx, namespace, at, ACT, [(it.run, it.kind, it.by) for it in told if it.kind in ACTS])


def recorded(script: TransactionScript[T], *announced: str) -> TransactionScript[T]:
    """The script, with a row for what it notes. Then these topics are announced."""

    def run(tx: Transaction) -> T:
        tx.noted.clear()  # of a try before, which was rolled back
        result = script(tx)
        if tx.noted:
            _write(tx)
            tx.announce(*announced)
        return result

    return run


def _write(tx: Transaction) -> None:
    noted = list(tx.noted)
    tx.noted.clear()
    namespaces = sorted({each.namespace for each in noted})
    for namespace in namespaces:
        counted = [each for each in noted if each.counts and each.namespace == namespace]
        if counted:
            minute = counted[-1].at // MINUTE
            counts = map(sum, zip(*(each.counts for each in counted), strict=True))
            hour = minute // 60
            slots = minute % KEPT_MINUTES, minute, KEPT_MINUTES + hour % KEPT_HOURS, hour
            tx.run("count_minute", namespace, *slots, *counts)
    for namespace in namespaces:
        mine = [each for each in noted if each.namespace == namespace]
        body = body_of(mine)
        tx.run("insert_change", namespace, mine[-1].at, len(body), body)


def body_of(noted: Iterable[Noted]) -> bytes:
    numbers = Numbers()
    sections = [(each.code, each.rows(numbers)) for each in noted]
    return _encode((list(numbers), sections))
