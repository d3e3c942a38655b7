"""Nobody spins: how many statements a process may send while the database is read-only."""

from __future__ import annotations

from typing import Final

from holdfast.testing.simulation.world import SECOND, World

_AT_FIRST: Final = 40
"""How many statements may come at once: those under way, and the first tries after short waits."""
_A_SECOND: Final = 5
_OF_CLIENTS: Final = 30
"""The same for a process that a client uses: each of its calls is tried again once a second."""


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
        if spell.statements > _AT_FIRST + (_OF_CLIENTS if has_client else _A_SECOND) * seconds:
            self._world.fail(
                f"nobody spins: {process} has sent {spell.statements} statements in {seconds:.1f} s to a "
                "database that is read-only"
            )
