"""The interface of a database: how to connect, how to migrate, and how to watch for changes by others.

The transaction scripts use a `Transaction` and do not depend on the database behind it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence, Set
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

T = TypeVar("T")

Row: TypeAlias = tuple[Any, ...]
TransactionScript: TypeAlias = "Callable[[Transaction], T]"
Topics: TypeAlias = "Set[str] | None"
"""What a change is about. None if that is unknown: then everybody is told."""
Ask: TypeAlias = "Callable[[Callable[[Any], Any]], Awaitable[Any]]"


class Column(NamedTuple):
    name: str
    type: str
    """As the database names it."""


class TablePage(NamedTuple):
    """A query for some rows of a table, in order. It is not among the named queries, because its columns are
    those that the table has."""

    table: str
    columns: tuple[Column, ...]
    where: tuple[Column, ...]
    """Each has a given value."""
    order: tuple[Column, ...] = ()
    """Text is compared by its bytes, so that every database has the same order."""


class Transaction(Protocol):
    """Runs queries by name. Each database has its own text for a query. Parameters are positional.

    In a batch, the parameters are `common`, followed by the fields of the row.
    """

    @property
    def waited(self) -> float:
        """How many seconds the transaction waited to begin, because another one kept everybody from writing.
        0 where transactions run side by side."""
        ...

    noted: list[Any]
    """What the transaction has done to runs so far; see `change_log`."""

    def run(self, query: str, *params: Any) -> None: ...

    def rows(self, query: str, *params: Any) -> list[Row]: ...

    def send(self, query: str, *params: Any) -> Callable[[], list[Row]]:
        """Run the query. The returned function gives its rows, and does not wait for an answer of its own if
        a later query has been answered before."""
        ...

    def many(self, query: str, rows: Sequence[Row], *common: Any) -> int:
        """Run the query for every row. Returns how many rows it changed. Without rows nothing is sent."""
        ...

    def many_returning(self, query: str, rows: Sequence[Row], *common: Any) -> list[Row]:
        """Like `many`, but returns the result rows. Their order is undefined unless `rows` has one row."""
        ...

    def send_many(self, query: str, rows: Sequence[Row], *common: Any) -> Callable[[], list[Row]]:
        """`many_returning`, sent as `send` does it."""
        ...

    def read_page(self, page: TablePage, where: Row, after: Row | None, limit: int) -> list[Row]:
        """Up to `limit` rows, those behind `after` in the order of the page."""
        ...

    def insert_rows(self, table: str, columns: Sequence[Column], rows: Sequence[Row]) -> None:
        """Also numbers that the database would make itself."""
        ...

    def replace_cells(self, table: str, key: Sequence[Column], column: Column, rows: Sequence[Row]) -> int:
        """Replace one column where it is as it was read. A row has the key, the old cell and the new one.
        Returns how many cells were replaced."""
        ...

    def announce(self, *topics: str) -> None:
        """Notify the listeners to these topics when the transaction has committed, also those in other
        processes."""
        ...

    def script(self, text: str) -> int:
        """Run several statements without parameters, as in a migration. Returns how many rows the last of
        them changed."""
        ...


class Changes(Protocol):
    """Those who want to know of changes."""

    def concern(self, topics: Topics) -> bool:
        """Whether anybody listens to one of these topics. May be called from any thread."""
        ...

    def tell(self, topics: Topics) -> None:
        """Call those who listen to one of these topics."""
        ...


class Connection(Protocol):
    """Used by one thread at a time. Its methods say what an error means:

    - StoreUnavailable: waiting may help. Whether a transaction was written is unknown. If `may_pass` is
      False, somebody has to change something first, such as the rights of a role.
    - StoreFull: waiting may help, and nothing was written.
    - CommitRefused: no waiting helps, because the row is at fault. Nothing was written.

    Other errors of a database are defects of ours, such as a wrong statement, and are raised as they are.
    """

    @property
    def statements(self) -> int:
        """How many statements it has sent."""
        ...

    @property
    def announced(self) -> Topics:
        """The topics that the last transaction has announced."""
        ...

    has_pauses: bool
    """Whether it releases the GIL every few rows of a long result. Listings do, to let commits pass."""

    @property
    def is_broken(self) -> bool:
        """The connection will never work again: open a new one."""
        ...

    def write(self, script: TransactionScript[T]) -> T: ...

    def write_alone(self, script: TransactionScript[T]) -> T:
        """Like `write`, but only one connection at a time runs a script in here. For migrations: waits for
        other processes, and logs that it does. It may run the script again, after a rollback."""
        ...

    def read(self, script: TransactionScript[T], *, snapshot: bool) -> T:
        """With `snapshot`, all queries of the script see the same state. Else each sees the newest state."""
        ...

    def close(self) -> None: ...


class Database(Protocol):
    @property
    def name(self) -> str:
        """A name for messages and logs. It contains no password."""
        ...

    @property
    def has_one_writer(self) -> bool:
        """Whether one transaction at a time can write, so that a second connection to write would only wait
        for the first."""
        ...

    def connect(self) -> Connection: ...

    def connect_to_renew(self, patience: float) -> Connection:
        """A connection for renewing leases. It waits for locks and answers for `patience` seconds."""
        ...

    def migrate(self, connection: Connection) -> None:
        """Bring the schema up to date. Raises SchemaTooNew, and StoreUnavailable if a migration fails."""
        ...

    def build_index(self, statement: str) -> None:
        """Run a `CREATE INDEX CONCURRENTLY` on a connection of its own, outside a transaction. Does nothing
        if the index exists. Replaces the index if an earlier build of it was interrupted."""
        ...

    def watch(self, changes: Changes, ask: Ask) -> Callable[[], None]:
        """Tell `changes` on this event loop's thread when another process may have changed something.

        `ask` runs a function on the connection that the engine writes with. Returns a function that stops
        watching.
        """
        ...
