"""Secrets for services: `worker.secret("STRIPE_KEY")`, from where the settings of this process say.

A worker does not know which tasks use a secret. So from the first read on, its value is masked in all that
this worker answers.
"""

from __future__ import annotations

from holdfast.core.masking import Mask
from holdfast.core.secret_names import checked_secrets
from holdfast.secret_sources import SecretSources
from holdfast.settings import own_environment, read_settings
from holdfast.worker.services import ServiceReply


class SecretValues:
    def __init__(self) -> None:
        self._sources: SecretSources | None = None
        self._masks: dict[tuple[str, str], Mask] = {}
        """By name and value, since a value may change while the worker runs."""

    def read(self, name: str) -> str:
        """Raises BadOption, SecretNotFound, BadSecret, SecretUnreadable."""
        [name] = checked_secrets("the name of a secret", (name,))
        if self._sources is None:
            settings = read_settings({})
            self._sources = SecretSources(
                settings.secret_sources,
                own_environment(),
                command_seconds=settings.secret_command_seconds,
                cached_seconds=settings.secret_cached_seconds,
            )
        value = self._sources.read((name,))[name]
        if (name, value) not in self._masks:
            self._masks[name, value] = Mask({name: value})
        return value

    def masked(self, reply: ServiceReply) -> ServiceReply:
        for mask in list(self._masks.values()):
            reply = ServiceReply(mask.payload(reply.result), mask.text(reply.error))
        return reply

    def masked_text(self, text: str) -> str:
        for mask in list(self._masks.values()):
            text = mask.text(text)
        return text
