"""The model, SQLite and Postgres side by side. Every call goes to all of them, and all must answer alike.

After each call every table of both databases is read, and must hold what the model holds. A watcher of each
must have been told of the same.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import fields
from itertools import groupby
from typing import Any, TypeAlias, TypeVar

import apsw
import msgspec
import psycopg
from tests.differential.changes import Watcher
from tests.differential.databases import SqliteInMemory, SteeredClock, SteeredPostgres
from tests.differential.model import ModelStore
from tests.differential.tables import AlreadyThere, Tables

from holdfast.core.names import BURIED
from holdfast.core.values import Instant, RunKey
from holdfast.errors import CommitRefused, HoldfastError
from holdfast.ports.commits import Claimed, Commit, Receipt
from holdfast.ports.store import Store
from holdfast.stores.driver import Driver
from holdfast.stores.sql_store import SqlStore

T = TypeVar("T")

Call: TypeAlias = Callable[[Store], Coroutine[Any, Any, T]]

_NOTHING: Mapping[RunKey, Instant] = {}
_REFUSALS = (AlreadyThere, CommitRefused, apsw.ConstraintError, psycopg.errors.UniqueViolation)
"""The errors with which each of them reports that a row exists already."""


def run_inline(call: Coroutine[Any, Any, T]) -> T:
    """Run a call without an event loop. The stores have no threads, so a call never waits."""
    try:
        call.send(None)
    except StopIteration as done:
        return done.value
    call.close()
    raise AssertionError("a store without threads has waited for something")


class OpenPostgres:
    """Opened once for many examples, because opening takes longer than most examples."""

    def __init__(self, url: str) -> None:
        self.database = SteeredPostgres(url, SteeredClock(Instant(0)))
        self.store = SqlStore(Driver(self.database, threads=False))
        run_inline(self.store.open())

    def close(self) -> None:
        run_inline(self.store.close())


class SideBySide:
    """All stores, empty, with one clock."""

    def __init__(self, postgres: OpenPostgres, now: Instant) -> None:
        self.clock = postgres.database.clock
        self.clock.now = now
        self.model = ModelStore(self.clock)
        sqlite = SqliteInMemory(self.clock)
        self._stores = {"SQLite": SqlStore(Driver(sqlite, threads=False)), "Postgres": postgres.store}
        run_inline(self._stores["SQLite"].open())
        postgres.database.empty()
        self._databases = {"SQLite": sqlite, "Postgres": postgres.database}
        self._watchers: dict[tuple[str, str], Watcher] = {}
        self._calls: list[str] = []
        self._heard: set[str] = set()
        self._stops = [self._listen(name, store) for name, store in self._stores.items()]
        self._stops.append(self._listen("the model", self.model))

    @property
    def tables(self) -> Tables:
        return self.model.tables

    def close(self) -> None:
        for stop in self._stops:
            stop()
        run_inline(self._stores["SQLite"].close())

    def ask(
        self,
        what: str,
        call: Call[T],
        *,
        tells: bool | Callable[[T], bool] = False,
        due: Mapping[RunKey, Instant] = _NOTHING,
    ) -> T | None:
        """Make the call on every store, compare the outcomes, and return the answer; None if it was refused.

        `tells`: the listeners must have been called, if it says so of the answer. `due`: since when each
        claimable run is due.
        """
        self._calls.append(what)
        self._heard.clear()
        answer, error = self._compare_answers(call, due)
        self._compare_tables()
        if callable(tells):
            tells = answer is not None and tells(answer)
        assert not tells or error or len(self._heard) == 3, self._told(f"only {[*self._heard]} told of it")
        return answer

    def look(self, what: str, call: Call[Any]) -> None:
        """Make a call that changes nothing on every store."""
        self._calls.append(what)
        self._compare_answers(call, _NOTHING)
        self._calls.pop()

    def _compare_answers(self, call: Call[T], due: Mapping[RunKey, Instant]) -> tuple[T | None, str | None]:
        expected, error = _outcome(self.model, call)
        for name, store in self._stores.items():
            answer, its_error = _outcome(store, call)
            assert its_error == error, self._told(f"{name} says {its_error}, the model says {error}")
            difference = _difference(answer, expected, due)
            assert difference is None, self._told(f"{name} answers otherwise: {difference}")
        return expected, error

    def _listen(self, name: str, store: Store) -> Callable[[], None]:
        return store.listen(lambda: self._heard.add(name))

    def _compare_tables(self) -> None:
        for name, database in self._databases.items():
            tables = database.read_all()
            for table in fields(Tables):
                theirs, ours = getattr(tables, table.name), getattr(self.tables, table.name)
                if theirs != ours:
                    keys = [key for key in theirs.keys() | ours.keys() if theirs.get(key) != ours.get(key)]
                    rows = [f"{name} {theirs.get(key)}\n   model {ours.get(key)}" for key in keys]
                    raise AssertionError(self._told(f"{table.name} differ:\n" + "\n".join(rows)))
            self._compare_changes(name)

    def _compare_changes(self, name: str) -> None:
        for namespace in {run.namespace for run in self.tables.runs.values()} - {BURIED}:
            if (name, namespace) not in self._watchers:
                self._watchers[name, namespace] = Watcher(self._stores[name], namespace)
            watcher = self._watchers[name, namespace]
            run_inline(watcher.catch_up())
            differences = watcher.differences(self.tables) + run_inline(watcher.miscounts())
            assert not differences, self._told(f"{name} tells watchers otherwise:\n" + "\n".join(differences))

    def _told(self, problem: str) -> str:
        calls = "\n".join(f"{number}. {call}" for number, call in enumerate(self._calls, 1))
        text = f"{problem}\nafter these calls:\n{calls}"
        for key in self.tables.runs:
            text = text.replace(repr(key), f"#{int.from_bytes(key, 'big')}")
        return text


def _outcome(store: Store, call: Call[T]) -> tuple[T | None, str | None]:
    try:
        return run_inline(call(store)), None
    except _REFUSALS:
        return None, "already there"
    except HoldfastError as error:
        return None, type(error).__name__


def _difference(answer: Any, expected: Any, due: Mapping[RunKey, Instant]) -> str | None:
    if isinstance(answer, Receipt) and isinstance(expected, Receipt):
        answer, expected = _in_order(answer, due), _in_order(expected, due)
    return None if answer == expected else f"\n   {answer}\n   model {expected}"


def _in_order(receipt: Receipt, due: Mapping[RunKey, Instant]) -> Receipt:
    """Sorts claims that are due at the same instant by key: stores may take those in any order."""
    claimed: list[Claimed] = []
    for _, equals in groupby(receipt.claimed, lambda claim: due.get(claim.run.key)):
        claimed += sorted(equals, key=lambda claim: claim.run.key)
    return msgspec.structs.replace(receipt, claimed=claimed)


def short(commit: Commit) -> str:
    """The commit as a short text, without its default values."""
    defaults = msgspec.structs.asdict(Commit(commit.namespace, commit.node, 0, commit.now, commit.now))
    values = msgspec.structs.asdict(commit)
    told = [f"{name}={value}" for name, value in values.items() if value != defaults[name]]
    return f"{commit.node}: " + ", ".join(told)
