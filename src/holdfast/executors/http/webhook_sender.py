"""Posts one signed message to the receiver of a webhook.

Each message has a connection of its own, to an address that users may have this process connect to. The time
and the size of an answer are bounded, and nothing of the answer is kept but its status: whoever made the rule
should not read what an address answers.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Final

import httpx

from holdfast.core.codec import words_of
from holdfast.core.values import Instant
from holdfast.core.webhooks import Sent, read_answer, signed_headers
from holdfast.errors import AddressRefused, HoldfastError, SecretNotFound
from holdfast.executors.http.outbound_gate import OutboundGate
from holdfast.executors.http.pinned_transport import PinnedTransport
from holdfast.ports.secrets import SecretReader

_SECONDS: Final = 20.0
_LONGEST_ANSWER: Final = 64 * 1024


class WebhookSender:
    def __init__(self, gate: OutboundGate, secrets: SecretReader, now: Callable[[], Instant]) -> None:
        self._gate = gate
        self._secrets = secrets
        self._now = now
        self._security: ssl.SSLContext | None = None

    async def send(self, url: str, id: str, body: bytes, secret: str | None) -> Sent:
        try:
            value = None
            if secret is not None:
                value = (await asyncio.to_thread(self._secrets.read, [secret]))[secret]
            headers = signed_headers(id, self._now(), body, value) | {"User-Agent": "holdfast"}
            request = httpx.Request("POST", url, content=body, headers=headers)
            async with asyncio.timeout(_SECONDS):
                return await self._exchange(request)
        except TimeoutError:
            return Sent(problem=f"it did not answer within {_SECONDS:g} s")
        except (AddressRefused, httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError) as error:
            return Sent(problem=words_of(error), is_final=True)
        except httpx.ConnectError as error:
            return Sent(problem=f"it cannot be reached: {words_of(error)}")
        except (httpx.TransportError, OSError) as error:
            return Sent(problem=f"the connection broke: {words_of(error) or type(error).__name__}")
        except SecretNotFound as error:  # the message is sent again, so nobody has to retry its run
            return Sent(problem=error.problem)
        except HoldfastError as error:  # the secret cannot be read: somebody may mend that
            return Sent(problem=words_of(error))

    async def _exchange(self, request: httpx.Request) -> Sent:
        if self._security is None:
            self._security = ssl.create_default_context()
        transport = PinnedTransport(self._gate, self._security, 0)
        try:
            response = await transport.handle_async_request(request)
            try:
                size = 0
                async for piece in response.aiter_raw():
                    size += len(piece)
                    if size > _LONGEST_ANSWER:
                        break
            finally:
                await response.aclose()
            return read_answer(response.status_code, response.headers, self._now())
        finally:
            await transport.aclose()
