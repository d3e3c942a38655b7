"""The state that the nodes of a flow share: values by key, and when each was written last.

The order of writes is that of the journal, so it is the same on replay. A node that waits for a key asks
whether it was written since; whoever shows the state asks what was.
"""

from __future__ import annotations

from typing import Any, Final

RESERVED: Final = "$"
"""Keys that begin with it are ours."""


class Shared:
    __slots__ = ("_written", "changed", "values")

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self._written: dict[str, int] = {}
        self.changed: dict[str, None] = {}
        """Keys that were written and not yet shown, in order."""

    def write(self, key: str, value: Any, tick: int) -> None:
        """`tick` counts the writes of the whole run."""
        self.values[key] = value
        self._written[key] = tick
        self.changed[key] = None

    def written_since(self, key: str, tick: int) -> bool:
        return self._written.get(key, 0) > tick

    def show_all(self) -> None:
        """What was shown of it has been cleared."""
        self.changed = dict.fromkeys(self.values)
