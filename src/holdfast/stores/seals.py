"""Encrypts and compresses payloads on their way into the database, and opens them on their way out.

AES-256-GCM with a random nonce for each payload. The id of the key stands beside the ciphertext, so that keys
can be changed one after the other. What is readable beside it, and whether it was compressed, is
authenticated, too.
"""

from __future__ import annotations

import binascii
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.core.sealed import BROKEN, MARK, SEALED
from holdfast.errors import BadOption

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE: Final = 12
_LARGEST: Final = 2**31
"""How many bytes a payload may have when it is decompressed. It was smaller when it was written."""

# The ends of inputs of tasks that lists of tasks read: see `records.place_of`.
_PLACE = re.compile(
    rb'"parallel_index": ?[0-9]{1,9}, ?"parallel_count": ?[0-9]{1,9}\}$|"index": ?[0-9]{1,9}\}$'
    rb'|"branch": ?[0-9]{1,9}, ?"service": ?"(?:[^"\\]|\\.)*"\}$'
)


class _Asked(msgspec.Struct):
    by: msgspec.Raw = msgspec.Raw()


class Seals:
    """The keys of this process. It writes with the first, or with none, and reads with all."""

    def __init__(self, keys: Mapping[str, bytes], *, compress_bytes: int = 0, plain: bool = False) -> None:
        """With `plain` it writes with none of the keys. Raises BadOption if the extra `encryption` is not
        installed."""
        self._ciphers = {id.encode(): _cipher(key) for id, key in keys.items()}
        self._writes_with = b"" if plain else next(iter(self._ciphers), b"")
        self._compress_bytes = compress_bytes

    def seal(self, payload: bytes, readable: bytes = b"") -> bytes:
        """`readable` are fields that stay readable, as `,"by":["ann"]`."""
        is_zipped = 0 < self._compress_bytes <= len(payload)
        data = payload
        if is_zipped:
            data = zlib.compress(payload)
            if len(data) >= len(payload):
                is_zipped, data = False, payload
        key = self._writes_with
        if not key and not is_zipped:
            return payload
        if key:
            nonce = os.urandom(_NONCE)
            data = nonce + self._ciphers[key].encrypt(nonce, data, _context(key, is_zipped, readable))
        encoded = binascii.b2a_base64(data, newline=False)
        return b'%b%b","zip":%d,"never":1e999,"data":"%b"%b}' % (MARK, key, is_zipped, encoded, readable)

    def open(self, payload: bytes) -> bytes:
        """The payload as it was. One that cannot be opened stays sealed, for others to say so: it must not
        keep them from reading other rows."""
        parts = SEALED.fullmatch(payload)
        if parts is None:
            return payload
        key, is_zipped, encoded, readable = parts[1], parts[2] == b"1", parts[3], parts[4]
        if key and key not in self._ciphers:
            return payload
        try:
            data = binascii.a2b_base64(encoded)
            if key:
                context = _context(key, is_zipped, readable)
                data = self._ciphers[key].decrypt(data[:_NONCE], data[_NONCE:], context)
            return _unzipped(data) if is_zipped else data
        except Exception:  # InvalidTag, if it was changed or another key has that id
            return BROKEN % key

    def is_as_wanted(self, payload: bytes) -> bool:
        """Whether a payload would be written with the same key now. Compression alone is no reason to write
        it again."""
        parts = SEALED.fullmatch(payload)
        return (b"" if parts is None else parts[1]) == self._writes_with

    def seal_input_of_task(self, payload: bytes) -> bytes:
        """With its place in a fan-out, which lists of tasks show."""
        place = _PLACE.search(payload, max(0, len(payload) - 300))
        return self.seal(payload, b"" if place is None else b"," + place[0][:-1])

    def seal_question(self, payload: bytes) -> bytes:
        """With those who may answer it, by whom questions are listed."""
        try:
            by = bytes(msgspec.json.decode(payload, type=_Asked).by)
        except msgspec.MsgspecError:
            by = b""
        return self.seal(payload, b',"by":' + by if by else b"")


def _context(key: bytes, is_zipped: bool, readable: bytes) -> bytes:
    return b"holdfast:1:%b:%d:%b" % (key, is_zipped, readable)


def _unzipped(data: bytes) -> bytes:
    unzip = zlib.decompressobj()
    found = unzip.decompress(data, _LARGEST)
    if unzip.unconsumed_tail or not unzip.eof:
        raise ValueError("cut, or too large")
    return found


def _cipher(key: bytes) -> AESGCM:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ModuleNotFoundError:
        raise BadOption("encryption_keys", "some", "empty, or: pip install 'holdfast[encryption]'") from None
    return AESGCM(key)


def read_key(id: str, text: str) -> bytes:
    """256 bits, as base64 or as hexadecimal digits. Raises BadOption, which does not quote the key."""
    for read in (binascii.unhexlify, _from_base64):
        try:
            key = read(text.strip())
        except (binascii.Error, ValueError):
            continue
        if len(key) == 32:
            return key
    raise BadOption(
        f"the encryption key {id!r}",
        "***",
        "32 bytes as base64 or hexadecimal digits: openssl rand -base64 32",
    )


def _from_base64(text: str) -> bytes:
    return binascii.a2b_base64(text, strict_mode=True)


def seals_for(keys: Mapping[str, str], compress_bytes: int, *, plain: bool = False) -> Seals | None:
    """None if nothing is to be sealed. Raises BadOption."""
    if not keys and not compress_bytes:
        return None
    read = {id: read_key(id, text) for id, text in keys.items()}
    return Seals(read, compress_bytes=compress_bytes, plain=plain)


__all__: Sequence[str] = ["Seals", "read_key", "seals_for"]
