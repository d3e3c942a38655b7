"""How workflow code sends signals to other runs: what a node gives to the programs of its runs."""

from __future__ import annotations

from typing import Protocol

from holdfast.core.values import Payload


class SignalSender(Protocol):
    async def send_signal(self, run: str, name: str, payload: Payload, uid: str) -> None:
        """Send a signal to the run of that id. A signal of the same `uid` that was sent before is not sent
        again.

        Raises RunNotFound, RunEnded and MessageIdTaken.
        """
        ...
