"""Requests as bytes: HTTP clients are too polite to send some."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.patience import PATIENCE


class RawAnswer(NamedTuple):
    status: int
    head: str
    body: str


def request(method: str, path: str, *headers: str, body: bytes = b"") -> bytes:
    """With a length only if the headers do not say where the body ends."""
    lines = [f"{method} {path} HTTP/1.1", *headers]
    given = {line.partition(":")[0].lower() for line in headers}
    if "host" not in given:
        lines.append("Host: localhost")
    if body and not given & {"content-length", "transfer-encoding"}:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


async def exchange(base: str, *parts: bytes) -> Sequence[RawAnswer]:
    """What a server answers on one connection, until it closes the connection. Nothing, if it closes the
    connection before it has read everything."""
    address = urlsplit(base)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        for part in parts:
            writer.write(part)
        async with asyncio.timeout(PATIENCE):
            return _answers(await reader.read())
    except ConnectionResetError:
        return []
    finally:
        writer.close()


def _answers(data: bytes) -> Sequence[RawAnswer]:
    found: list[RawAnswer] = []
    while data:
        head, _, rest = data.partition(b"\r\n\r\n")
        text = head.decode("latin-1")
        lengths = [line for line in text.lower().split("\r\n") if line.startswith("content-length:")]
        length = int(lengths[0].partition(":")[2]) if lengths else len(rest)
        found.append(RawAnswer(int(text.split(" ")[1]), text, rest[:length].decode()))
        data = rest[length:]
    return found
