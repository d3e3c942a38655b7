"""Sessions of people who have logged in with a browser: the text of the cookie, and the token against forged
requests.

The text is `hfs_<id>_<secret>`, as that of a key is (core/keys.py), and only a hash of the secret is stored.

A page of somebody else can make a browser send the cookie, but can neither read it nor read our answers. So
each change must also carry a token that only our answers have. It is computed from the secret: it is good for
this one session, and nobody has to store it.
"""

from __future__ import annotations

import hmac
import re
from typing import Any, Final

from holdfast.core.keys import KeyParts

_SESSION: Final = re.compile(r"hfs_([0-9a-f]{16})_([0-9a-f]{64})")


def session_text(parts: KeyParts) -> str:
    return f"hfs_{parts.id}_{parts.secret}"


def read_session(text: Any) -> KeyParts | None:
    """The parts of a session; None if the text has another form."""
    found = _SESSION.fullmatch(text) if isinstance(text, str) else None
    return None if found is None else KeyParts(*found.groups())


def csrf_token(secret: str) -> str:
    """The token of the session with that secret. The secret cannot be computed from it."""
    return hmac.digest(secret.encode(), b"holdfast csrf token", "sha256").hex()


def is_csrf_token(secret: str, given: str) -> bool:
    """It takes the same time for every text."""
    return hmac.compare_digest(csrf_token(secret).encode(), given.encode(errors="replace"))
