"""Keys of people and programs that use the server: their roles, their text, and how a secret is checked.

A key is written `hf_<id>_<secret>`. The id finds the key in the store. The secret has 256 random bits, which
nobody can guess, so a plain SHA-256 of it is stored: a salt or a slow hash would add nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from enum import StrEnum
from typing import Any, Final, NamedTuple

from holdfast.errors import BadOption

_KEY: Final = re.compile(r"hf_([0-9a-f]{16})_([0-9a-f]{64})")
ID_BYTES: Final = 8
SECRET_BYTES: Final = 32
"""How many random bytes each part has. It is written as hexadecimal digits."""


class Role(StrEnum):
    """What the owner of a key may do. Roles are stored in rows and must never change."""

    VIEWER = "viewer"
    """Reads."""
    OPERATOR = "operator"
    """Also starts, signals, answers, stops and retries."""
    ADMIN = "admin"
    """Everything."""
    WORKER = "worker"
    """Takes tasks and reports on them, and nothing else."""


class KeyParts(NamedTuple):
    id: str
    secret: str


def key_of(parts: KeyParts) -> str:
    """The text of the key."""
    return f"hf_{parts.id}_{parts.secret}"


def read_key(text: Any) -> KeyParts | None:
    """The parts of a key; None if the text has another form than a key."""
    found = _KEY.fullmatch(text) if isinstance(text, str) else None
    return None if found is None else KeyParts(*found.groups())


def hash_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


_NO_HASH: Final = hash_of("")


def is_secret(secret: str, hash: str | None) -> bool:
    """Whether it is the secret with that hash; False for None. It takes the same time for every secret, and
    for None too, so that nobody learns from it which keys there are."""
    fits = hmac.compare_digest(hash_of(secret).encode(), (_NO_HASH if hash is None else hash).encode())
    return fits and hash is not None


def checked_role(role: Any) -> Role:
    """Raises BadOption."""
    try:
        return Role(role)
    except ValueError:
        raise BadOption("role", role, "one of " + ", ".join(Role)) from None
