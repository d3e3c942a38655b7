"""Rules of alerts in the store, and what the code of holdfast's own runs needs to look and to tell."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from holdfast.core.alerts import Delivery, Look, WatchPlace
from holdfast.core.values import Instant, Payload
from holdfast.core.webhooks import Sent


class AlertRow(NamedTuple):
    name: str
    rule: Payload
    """An `AlertRule` as JSON."""
    created_at: Instant
    changed_at: Instant


class AlertStore(Protocol):
    """The methods that a client needs for rules."""

    async def put_alert(self, namespace: str, name: str, rule: Payload, now: Instant) -> AlertRow:
        """Add a rule, or replace it: then it keeps the time when it was made."""
        ...

    async def list_alerts(self, namespace: str, name: str | None = None) -> list[AlertRow]:
        """All rules by name, or the one of this name."""
        ...

    async def delete_alert(self, namespace: str, name: str) -> AlertRow | None:
        """What it was; None if there is none."""
        ...


class AlertWorker(Protocol):
    """Each call may be repeated after a crash. What it has started already is then not started again."""

    async def look(self, place: WatchPlace) -> Look:
        """Start a run for each message about what happened behind the place."""
        ...

    async def hand_over(self, place: WatchPlace) -> None:
        """Replace the run that looks by a new one, which goes on from the place."""
        ...

    async def forget(self, key: str) -> None:
        """Delete a run that was replaced."""
        ...

    async def send(self, delivery: Delivery, *, is_last: bool) -> Sent:
        """Try once to deliver a message. Raises DeliveryFailed if it need not be tried again, or it was the
        last attempt: so the task fails, and whoever retries the run tries it again."""
        ...


class WebhookSender(Protocol):
    async def send(self, url: str, id: str, body: bytes, secret: str | None) -> Sent:
        """Post the body, signed with the secret of that name. Never raises."""
        ...


class Webhooks(NamedTuple):
    """What a node sends messages with."""

    sender: WebhookSender
    public_url: str = ""
    """Of the server, for links."""
