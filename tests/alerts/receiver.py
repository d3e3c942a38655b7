"""A receiver of webhooks on loopback, which answers as a test wants it to."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.executors.http.http_bench import Answer, RawWorker, Request, answers
from tests.patience import until

OK = answers("204 No Content", b"")


class Receiver:
    """Gives the answers one after the other, and the last one again and again."""

    def __init__(self, *given: Answer) -> None:
        self.given = list(given) or [OK]
        self.worker = RawWorker("receiver", self._answer)

    async def _answer(self, request: Request, writer: Any) -> None:
        answer = self.given.pop(0) if len(self.given) > 1 else self.given[0]
        await answer(request, writer)

    @property
    def url(self) -> str:
        return f"{self.worker.url}/hook"

    @property
    def requests(self) -> list[Request]:
        return self.worker.requests

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(it.body) for it in self.requests]

    async def wait_for(self, count: int) -> list[dict[str, Any]]:
        await until(lambda: len(self.requests) >= count)
        return self.events


@asynccontextmanager
async def receiving(*given: Answer) -> AsyncIterator[Receiver]:
    receiver = Receiver(*given)
    await receiver.worker.open()
    try:
        yield receiver
    finally:
        await receiver.worker.close()


def signature_of(request: Request, secret: str) -> str:
    """As the page https://www.standardwebhooks.com says, and not as the sender computes it."""
    key = base64.b64decode(secret.split("_", 1)[1]) if secret.startswith("whsec_") else secret.encode()
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.{request.body.decode()}"
    return "v1," + base64.b64encode(hmac.new(key, signed.encode(), hashlib.sha256).digest()).decode()
