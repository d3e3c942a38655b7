"""A login that is under way: the browser is at the identity provider, and is to come back.

The browser keeps one cookie with 256 random bits. `state`, `nonce` and the verifier of PKCE are computed from
them, and from the time and the path that the cookie has, too. So all of them belong to this browser and to
this login, nothing of the cookie can be changed without changing them, and no process has to remember
anything: the browser may come back to another one.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from secrets import token_hex
from typing import Final, NamedTuple

from holdfast.core.public_urls import local_path

LASTS_SECONDS: Final = 600
"""How long somebody may take to log in at the provider."""
_COOKIE: Final = re.compile(r"([0-9a-f]{64})\.([0-9]{1,12})\.([A-Za-z0-9_-]*)")


class PendingLogin(NamedTuple):
    secret: str
    begun_at: int
    """In seconds since 1970."""
    next: str
    """Where to go on this server afterwards."""

    @property
    def state(self) -> str:
        return self._derived("state")

    @property
    def nonce(self) -> str:
        return self._derived("nonce")

    @property
    def verifier(self) -> str:
        """Of PKCE."""
        return self._derived("verifier")

    @property
    def challenge(self) -> str:
        """Of PKCE, for the method S256."""
        return _base64(hashlib.sha256(self.verifier.encode()).digest())

    @property
    def cookie(self) -> str:
        return f"{self.secret}.{self.begun_at}.{_base64(self.next.encode())}"

    def is_state(self, given: str) -> bool:
        return hmac.compare_digest(self.state.encode(), given.encode(errors="replace"))

    def _derived(self, purpose: str) -> str:
        text = f"holdfast {purpose} {self.begun_at} {self.next}"
        return hmac.digest(self.secret.encode(), text.encode(), "sha256").hex()


def begin_login(next: str | None, now: float) -> PendingLogin:
    return PendingLogin(token_hex(32), int(now), local_path(next))


def read_pending(cookie: str | None, now: float) -> PendingLogin | None:
    """None if there is none, or if it has taken too long."""
    found = _COOKIE.fullmatch(cookie or "")
    if found is None:
        return None
    try:
        next = base64.urlsafe_b64decode(found[3] + "=" * (-len(found[3]) % 4)).decode()
    except ValueError:
        return None
    pending = PendingLogin(found[1], int(found[2]), local_path(next))
    return pending if 0 <= now - pending.begun_at <= LASTS_SECONDS else None


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
