"""Nobody spins: how many statements a process may send while the database is read-only."""

from __future__ import annotations

from typing import Final

from holdfast.testing.simulation.world import SECOND, World

_OF_NODES: Final = 40, 5
"""How many statements may come at once, those under way and the first tries after short waits, and how many
in each second."""
_OF_CLIENTS: Final = 400, 30
"""The same for a process that a client uses. It may read a lot, and tries each call again once a second."""


class _Spell:
    def __init__(self, since: int) -> None:
        self.since = since
        self.statements = 0


class StatementLimit:
    def __init__(self, world: World) -> None:
        self._world = world
        self._spells: dict[str, _Spell] = {}

    def count(self, process: str, *, is_read_only: bool, has_client: bool) -> None:
        """The process sends a statement."""
        if not is_read_only:
            self._spells.pop(process, None)
            return
        spell = self._spells.setdefault(process, _Spell(self._world.now))
        spell.statements += 1
        seconds = (self._world.now - spell.since) / SECOND
        at_first, a_second = _OF_CLIENTS if has_client else _OF_NODES
        if spell.statements > at_first + a_second * seconds:
            self._world.fail(
                f"nobody spins: {process} has sent {spell.statements} statements in {seconds:.1f} s to a "
                "database that is read-only"
            )
