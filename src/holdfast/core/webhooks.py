"""Webhooks: the signature of a message, and what the answer to it means.

The signature is that of Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over the id, the
time and the body.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

import msgspec

from holdfast.core.values import Instant, moment
from holdfast.errors import BadOption

MEDIA_TYPE: Final = "application/cloudevents+json"
_PREFIX: Final = "whsec_"
_AGAIN: Final = frozenset({408, 425, 429})
_LONGEST_WAIT: Final = 3_600.0
"""Seconds."""
_FIRST_WAIT: Final = 5.0
MOST_ATTEMPTS: Final = 30
"""With pauses that grow threefold from five seconds to an hour, that is about a day."""


class Sent(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one attempt to deliver a webhook."""

    status: int = 0
    """Of the answer; 0 if there was none."""
    problem: str = ""
    """Empty: it is delivered, or nobody wants it any more."""
    is_final: bool = False
    """Another attempt would have the same problem."""
    retry_after: float = 0.0
    """Seconds that the receiver has asked for."""
    note: str = ""


def signing_key(secret: str) -> bytes:
    """Raises BadOption."""
    if not secret.startswith(_PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        raise BadOption("the secret", "***", f"base64 after {_PREFIX}") from None


def signed_headers(id: str, at: Instant, body: bytes, secret: str | None) -> dict[str, str]:
    """Without a secret, there is no signature. Raises BadOption."""
    seconds = str(int(moment(at).timestamp()))
    headers = {"Content-Type": MEDIA_TYPE, "webhook-id": id, "webhook-timestamp": seconds}
    if secret is not None:
        content = b".".join((id.encode(), seconds.encode(), body))
        digest = hmac.new(signing_key(secret), content, hashlib.sha256).digest()
        headers["webhook-signature"] = f"v1,{base64.b64encode(digest).decode()}"
    return headers


def read_answer(status: int, headers: Mapping[str, str], now: Instant) -> Sent:
    if 200 <= status < 300:
        return Sent(status)
    if 300 <= status < 400:
        return Sent(status, f"it answered {status}, and redirects are not followed", is_final=True)
    is_final = 400 <= status < 500 and status not in _AGAIN
    after = _seconds_of(headers.get("retry-after", "").strip(), now)
    return Sent(status, f"it answered {status}", is_final, min(max(after, 0.0), _LONGEST_WAIT))


def _seconds_of(text: str, now: Instant) -> float:
    """Of the header Retry-After: seconds, or a date."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        return (parsedate_to_datetime(text) - moment(now)).total_seconds()
    except (ValueError, TypeError):  # there is none, or it cannot be understood
        return 0.0


def pause_after(attempt: int, sent: Sent, chance: float) -> float:
    """How many seconds to wait after failed attempt number `attempt`, from 1. `chance` is from 0 to 1."""
    pause = min(_FIRST_WAIT * 3.0 ** min(attempt - 1, 10), _LONGEST_WAIT)
    return max(pause * (0.9 + 0.2 * chance), sent.retry_after)
