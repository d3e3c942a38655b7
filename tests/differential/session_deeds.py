"""Calls of servers: who logs in, who logs out, and whose session is used."""

from __future__ import annotations

from tests.differential.deeds import HasStores
from tests.differential.drawing import SECOND, Dice, Drawing

from holdfast.core.names import ALL_NAMESPACES
from holdfast.core.values import Instant
from holdfast.ports.sessions import SessionRecord

SESSION_DEEDS = ["add_session", "add_session", "end_session", "use_session"]

_SPACES = ("default", "elsewhere", ALL_NAMESPACES)
_IDS = ("s1", "s2", "S1", "s3")
_KEYS = (None, "k1", "K1", "nobody")


class SessionDeeds:
    """A mixin for the machine, which has the stores."""

    def _add_session(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        now, key = self.stores.clock.now, dice.pick(_KEYS)
        session = SessionRecord(
            dice.pick(_IDS),
            dice.pick(_SPACES),
            dice.pick(["ann", "grüße"]),
            "viewer",
            "0a",
            key,
            key or dice.pick(["https://id.example ann", "https://id.example Ann"]),
            now,
            Instant(now + dice.pick([1, 60]) * SECOND),
            now,
        )
        most = dice.pick([1, 2, 20])
        self.stores.ask(f"add_session {session} {most}", lambda store: store.add_session(session, most))

    def _end_session(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, id = dice.pick(_SPACES), dice.pick(_IDS)
        self.stores.ask(f"end_session {id} in {space}", lambda store: store.end_session(space, id))

    def _use_session(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        id, at = dice.pick(_IDS), Instant(self.stores.clock.now - dice.pick([0, 9]) * SECOND)
        self.stores.ask(f"note_session_used {id} at {at}", lambda store: store.note_session_used(id, at))

    def look_at_sessions(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, id, look = dice.pick(_SPACES), dice.pick(_IDS), self.stores.look
        now, limit = Instant(self.stores.clock.now + dice.pick([0, 2]) * SECOND), dice.pick([100, 1])
        look(f"session {id} at {now}", lambda store: store.find_session(id, now))
        look(f"sessions in {space} at {now}", lambda store: store.list_sessions(space, now, limit))
