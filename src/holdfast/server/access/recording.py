"""What a request has changed, for the audit log.

A handler may say more than the action and what the path names. The row is written when the answer is about to
be sent, so what was answered is in the log.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final
from urllib.parse import parse_qsl

from holdfast.client.audit import Audit, AuditEntry
from holdfast.server.access.callers import Caller

_STATE: Final = "holdfast_record"
_NAMES: Final = ("id", "name")
_LONGEST_TARGET: Final = 500


class Record:
    """Handlers fill it in."""

    def __init__(self, action: str, target: str) -> None:
        self.action = action
        self.target = target
        self.before: Any = None
        self.after: Any = None
        self._writing: asyncio.Task[None] | None = None

    def begin_writing(self, audit: Audit, caller: Caller) -> None:
        """For a handler that has done its work and waits for something else before it answers."""
        self._writing = asyncio.create_task(self._write(audit, caller), name="write the audit log")

    async def write(self, audit: Audit, caller: Caller) -> None:
        """Returns when the row is written. Raises StoreError."""
        await (self._write(audit, caller) if self._writing is None else self._writing)

    async def _write(self, audit: Audit, caller: Caller) -> None:
        entry = AuditEntry(
            action=self.action,
            target=(self.target or "-")[:_LONGEST_TARGET],
            by=caller.name,
            key=caller.key or None,
            before=self.before,
            after=self.after,
        )
        await audit.record(entry)


def begin_record(scope: Any, action: str) -> None:
    """Called for each request that is a change, before its handler."""
    named: dict[str, Any] = dict(parse_qsl(scope["query_string"].decode("latin-1"))[:20])
    named |= scope["path_params"]
    target = next((str(named[name]) for name in _NAMES if name in named), "")
    scope["state"][_STATE] = Record(action, target)


def record_of(scope: Any) -> Record | None:
    """None if the request changes nothing, or was refused before its handler was called."""
    return scope.get("state", {}).get(_STATE)
