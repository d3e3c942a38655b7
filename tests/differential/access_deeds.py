"""Calls of administrators, and of servers that note what was done: mostly new ones, sometimes repeated."""

from __future__ import annotations

from tests.differential.deeds import HasStores
from tests.differential.drawing import SECOND, Dice, Drawing

from holdfast.core.names import ALL_NAMESPACES
from holdfast.core.values import Instant, Payload
from holdfast.ports.access import KeyRecord, NewAudit

ACCESS_DEEDS = ["add_key", "revoke_key", "use_key", "audit", "audit", "remove_audit"]

_SPACES = ("default", "elsewhere", ALL_NAMESPACES)
_KEYS = ("k1", "k2", "K1", "nobody")
_TARGETS = ("run-1", "Run-1", "grüße")
_ACTIONS = ("runs.cancel", "runs.retry", "keys.create")
_VALUES = (None, Payload(b"null"), Payload('{"n":"grüße \\u0000"}'.encode()))


class AccessDeeds:
    """A mixin for the machine, which has the stores."""

    def _add_key(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        now = self.stores.clock.now
        expires_at = dice.pick([None, Instant(now + 60 * SECOND)])
        space, id = dice.pick(_SPACES), dice.pick(_KEYS[:3])
        key = KeyRecord(id, space, dice.pick(["ci", "grüße"]), "viewer", "0a", now, "ann", expires_at)
        self.stores.ask(f"add_key {key}", lambda store: store.add_key(key))

    def _revoke_key(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, id, by, now = (
            dice.pick(_SPACES),
            dice.pick(_KEYS),
            dice.pick(["", "ann"]),
            self.stores.clock.now,
        )
        self.stores.ask(f"revoke {id} in {space}", lambda store: store.revoke_key(space, id, by, now))

    def _use_key(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        id, at = dice.pick(_KEYS), Instant(self.stores.clock.now - dice.pick([0, 9]) * SECOND)
        self.stores.ask(f"note_key_used {id} at {at}", lambda store: store.note_key_used(id, at))

    def _audit(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        known = [*self.stores.tables.audit.values()]
        space, at = dice.pick(_SPACES), Instant(self.stores.clock.now - dice.pick([0, 9]) * SECOND)
        rows = [
            NewAudit(
                at,
                dice.pick(["ann", "grüße"]),
                dice.pick([None, "k1"]),
                dice.pick(_ACTIONS),
                dice.pick(_TARGETS),
                dice.pick([None, "request-1"]),
                dice.pick(_VALUES),
                dice.pick(_VALUES),
                f"{self.stores.tables.last_audit + number}",
            )
            for number in range(1, dice.number(1, 3) + 1)
        ]
        if known and dice.chance(40):
            rows.insert(0, dice.pick(known)[1])  # a server that did not get the answer
        self.stores.ask(f"write_audit in {space} {rows}", lambda store: store.write_audit(space, rows))

    def _remove_audit(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, before = dice.pick(_SPACES), Instant(self.stores.clock.now - dice.pick([0, 9, 60]) * SECOND)
        rows = dice.pick([1, 2, 100])
        what = f"remove {rows} of the audit log of {space} before {before}"
        self.stores.ask(what, lambda store: store.remove_audit(space, before, rows))

    def look_at_access(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, id, look = dice.pick(_SPACES), dice.pick(_KEYS), self.stores.look
        look(f"keys in {space}", lambda store: store.list_keys(space))
        look("whether there are keys", lambda store: store.has_keys())
        look(f"key {id}", lambda store: store.find_key(id))
        before, limit = dice.pick([None, None, 2, 5]), dice.pick([100, 1, 2])
        target, action = dice.pick([None, *_TARGETS]), dice.pick([None, *_ACTIONS])
        look(
            f"the audit log of {space} before {before}, {limit} of {target} {action}",
            lambda store: store.list_audit(space, before, limit, target, action),
        )
