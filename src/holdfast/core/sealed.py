"""Payloads that are encrypted or compressed: how they look in a database, and what a process says that cannot
open one.

A sealed payload is JSON as well, because columns have that type:

    ⇥{"sealed":"k2","zip":1,"never":1e999,"data":"<base64>"}

It begins with a tab, which no payload of users does, since encoders write none. The number under `never` is
more than a decoder accepts. So a process without the key cannot take it for data, even where it does not ask.
`data` is the nonce and the ciphertext, or only what was compressed, if `sealed` is empty. Fields behind it
are not secret, and are there for queries.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.core.values import Payload
from holdfast.errors import JournalCorrupt

MARK: Final = b'\t{"sealed":"'

SEALED: Final = re.compile(
    rb'\t\{"sealed":"([A-Za-z0-9_.-]*)","zip":([01]),"never":1e999,"data":"([A-Za-z0-9+/=]*)"(.*)\}',
    re.DOTALL,
)
BROKEN: Final = b'\t{"sealed":"%b","never":1e999,"broken":true}'
"""Instead of a payload that does not open with the key of its id."""


def is_sealed(payload: bytes | None) -> bool:
    return payload is not None and payload.startswith(MARK)


def check_open(payload: bytes | None) -> None:
    """Raises JournalCorrupt if the payload is still sealed."""
    if payload is not None and payload.startswith(MARK):
        raise JournalCorrupt(None, why_sealed(payload), says_what_to_do=not _is_broken(payload))


def why_sealed(payload: bytes) -> str:
    key = payload[len(MARK) :].partition(b'"')[0].decode(errors="replace")
    if _is_broken(payload):
        return (
            f"a payload does not open with the key {key!r}: it was changed, or another key has that id here"
        )
    if key:
        return (
            f"a payload is encrypted with the key {key!r}, which is not known here; name it in the setting "
            "`encryption_keys`, and resume the run"
        )
    return "a payload is compressed, and here `compress_bytes` is 0; set it, and resume the run"


def _is_broken(payload: bytes) -> bool:
    return payload.endswith(b'"broken":true}')


def opened(payload: Payload) -> Payload:
    check_open(payload)
    return payload
