"""Prints the OpenAPI document of our own API, from which the types of the pages are generated."""

from __future__ import annotations

import asyncio
import sys

import httpx

from holdfast.server.api.v1.app import make_v1_app
from holdfast.server.app import DEPENDENCIES
from holdfast.server.paths import V1


async def main() -> None:
    app = make_v1_app(DEPENDENCIES, max_body_bytes=1, version="0")
    transport = httpx.ASGITransport(app=app)  # pyright: ignore[reportArgumentType]
    async with httpx.AsyncClient(transport=transport, base_url="http://pages") as http:
        answer = await http.get(f"{V1}/openapi.json")
        answer.raise_for_status()
        sys.stdout.buffer.write(answer.content)


if __name__ == "__main__":
    asyncio.run(main())
