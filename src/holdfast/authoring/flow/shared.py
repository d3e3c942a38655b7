"""The state that the nodes of a flow share: values by key, and when each was written last.

Writes happen in the order of the journal, so replay repeats them. A node that waits for a key asks whether
the key was written since; the program shows the keys that changed.
"""

from __future__ import annotations

from typing import Any, Final

RESERVED: Final = "$"
"""Keys that begin with this are reserved."""


class Shared:
    __slots__ = ("_written", "changed", "values")

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self._written: dict[str, int] = {}
        self.changed: dict[str, None] = {}
        """Keys that were written and are not shown yet, in order."""

    def write(self, key: str, value: Any, tick: int) -> None:
        """`tick` counts the writes of the whole run."""
        self.values[key] = value
        self._written[key] = tick
        self.changed[key] = None

    def written_since(self, key: str, tick: int) -> bool:
        return self._written.get(key, 0) > tick

    def show_all(self) -> None:
        """Show all keys again: what was shown has been cleared."""
        self.changed = dict.fromkeys(self.values)
