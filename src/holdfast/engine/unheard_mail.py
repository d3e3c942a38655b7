"""The messages in memory that no step of their runs has read yet: a node reads more only if it has room."""

from __future__ import annotations

from collections.abc import Set

from holdfast.core.events import MessageId
from holdfast.core.records import MessageRecord
from holdfast.core.values import RunKey


class UnheardMail:
    def __init__(self) -> None:
        self.bytes = 0
        """The size of their payloads."""
        self.newest: dict[RunKey, MessageId] = {}
        """The newest message of each run that was read from the store. Commits refer to it: what a run has in
        memory is not read again."""
        self.left: Set[RunKey] = frozenset()
        """Runs that have more of it in the store."""
        self._sizes: dict[RunKey, dict[MessageId, int]] = {}

    def add(self, message: MessageRecord) -> bool:
        """Returns False if the message was read before. Messages of a run come in order."""
        run, id, size = message.run, message.id, len(message.payload)
        if id <= self.newest.get(run, 0):
            return False
        self.newest[run] = id
        self._sizes.setdefault(run, {})[id] = size
        self.bytes += size
        return True

    def remove(self, run: RunKey, message: MessageId) -> None:
        """The run has read this message."""
        sizes = self._sizes.get(run)
        if sizes is not None:
            self.bytes -= sizes.pop(message, 0)
            if not sizes:
                del self._sizes[run]

    def forget(self, run: RunKey) -> None:
        """The run has left memory."""
        if self.newest.pop(run, None) is not None:
            self.bytes -= sum(self._sizes.pop(run, {}).values())

    def clear(self) -> None:
        self.bytes = 0
        self.left = frozenset()
        self.newest.clear()
        self._sizes.clear()
