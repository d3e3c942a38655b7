"""What a database brings: how to connect, how to migrate, and how to watch for what others change.

The transaction scripts see a `Transaction` and never learn which database is behind it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")

Row: TypeAlias = tuple[Any, ...]
TransactionScript: TypeAlias = "Callable[[Transaction], T]"
Ask: TypeAlias = "Callable[[Callable[[Any], Any]], Awaitable[Any]]"


class Transaction(Protocol):
    """Queries go by name; their text is the database's own. Parameters count in the order given.

    In a batch, `common` comes first, once, and the fields of each row after it.
    """

    def run(self, query: str, *params: Any) -> None: ...

    def rows(self, query: str, *params: Any) -> list[Row]: ...

    def many(self, query: str, rows: Sequence[Row], *common: Any) -> int:
        """Run the query for every row and say how many it changed. Without rows nothing is asked."""
        ...

    def many_returning(self, query: str, rows: Sequence[Row], *common: Any) -> list[Row]:
        """Like `many`, and all rows that came back, in no order unless the query is for one row."""
        ...

    def announce(self) -> None:
        """Wake whoever watches this database, once the transaction stands."""
        ...

    def script(self, text: str) -> None:
        """Run several statements without parameters, as in a migration."""
        ...


class Connection(Protocol):
    """Used by one thread at a time. Its methods raise StoreUnavailable and StoreFull."""

    @property
    def statements(self) -> int:
        """How many statements it has sent."""
        ...

    @property
    def is_broken(self) -> bool:
        """It will never work again: take a new one."""
        ...

    def write(self, script: TransactionScript[T]) -> T: ...

    def write_alone(self, script: TransactionScript[T]) -> T:
        """Like `write`, with no other connection in here at the same time."""
        ...

    def read(self, script: TransactionScript[T], *, snapshot: bool) -> T:
        """With `snapshot`, all queries of the script see the same state; else each sees the newest."""
        ...

    def close(self) -> None: ...


class Database(Protocol):
    @property
    def name(self) -> str:
        """For people. Holds no password."""
        ...

    def connect(self) -> Connection: ...

    def migrate(self, connection: Connection) -> None:
        """Bring the schema up to date. Raises SchemaTooNew."""
        ...

    def watch(self, changed: Callable[[], None], ask: Ask) -> Callable[[], None]:
        """Call `changed` on this event loop's thread when someone else may have changed something.

        `ask` puts a question to the connection that writes. Returns how to stop watching.
        """
        ...
