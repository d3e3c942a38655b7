"""Calls of clients with rules for alerts."""

from __future__ import annotations

from tests.differential.deeds import HasStores
from tests.differential.drawing import Dice, Drawing

from holdfast.core.values import Payload

ALERT_DEEDS = ["put_alert", "put_alert", "delete_alert"]

_SPACES = ("default", "elsewhere")
_NAMES = ("ops", "Ops", "grüße")


class AlertDeeds:
    """A mixin for the machine, which has the stores."""

    def _put_alert(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, name, now = dice.pick(_SPACES), dice.pick(_NAMES), self.stores.clock.now
        rule = Payload(dice.pick([b'{"url":"http://a"}', b'{"url":"http://b"}']))
        self.stores.ask(f"put_alert {name} in {space}", lambda store: store.put_alert(space, name, rule, now))

    def _delete_alert(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, name = dice.pick(_SPACES), dice.pick(_NAMES)
        self.stores.ask(f"delete_alert {name} in {space}", lambda store: store.delete_alert(space, name))

    def look_at_alerts(self: HasStores, dice: Dice, drawing: Drawing) -> None:
        space, name = dice.pick(_SPACES), dice.pick((*_NAMES, None))
        self.stores.look(f"alerts {name} in {space}", lambda store: store.list_alerts(space, name))
