"""The server inside an application of another framework, or under another ASGI server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote

from litestar.types import Receive, Scope, Send

from holdfast.server.gateway import Gateway, refuse
from holdfast.server.paths import MOUNTED_AT, path_below


class MountedApp:
    """An ASGI application that may be made before the Holdfast object is open, and answers while it is.

    If the lifespan of an application reaches it, it calls `open` and in the end `close`. Most frameworks do
    not tell a mounted application of theirs.
    """

    def __init__(
        self,
        make_gateway: Callable[[], Gateway],
        open: Callable[[], Awaitable[bool]],
        close: Callable[[], Awaitable[None]],
    ) -> None:
        """`make_gateway` raises NotOpen. `open` says whether it has opened the object: nobody else had."""
        self._make_gateway = make_gateway
        self._open = open
        self._close = close
        self._gateway: Gateway | None = None

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind == "lifespan":
            await self._live(receive, send)
        elif kind == "websocket":
            await send({"type": "websocket.close", "code": 1000, "reason": "holdfast has no websockets"})
        else:
            await self._answer(below_mount(scope), receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._gateway is None:
            try:
                self._gateway = self._make_gateway()
            except Exception as error:
                await refuse(scope, send, error)
                return
        await self._gateway(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()  # lifespan.startup
        is_ours = await _report(send, "startup", self._open)
        await receive()  # lifespan.shutdown
        await _report(send, "shutdown", self._close if is_ours else self.close)

    async def close(self) -> None:
        """The object is about to close. Requests that come later are refused."""
        gateway, self._gateway = self._gateway, None
        if gateway is not None:
            gateway.end_streams()
            await gateway.close()


async def _report(send: Send, part: str, do: Callable[[], Awaitable[Any]]) -> Any:
    """Do a part of the lifespan, and say how it went."""
    report: Callable[[Any], Awaitable[None]] = send
    try:
        answer = await do()
    except Exception as error:
        await report({"type": f"lifespan.{part}.failed", "message": str(error)})
        raise
    await report({"type": f"lifespan.{part}.complete"})
    return answer


def below_mount(scope: Any) -> Any:
    """The scope as if the application were at the top: its own paths begin with `/`.

    Frameworks differ in whether they leave the path of the mount in `path`; all of them put it into
    `root_path`.
    """
    root: str = scope.get("root_path", "").rstrip("/")
    if not root:
        return scope
    inner: dict[str, Any] = {**scope, "path": path_below(scope), "root_path": "", MOUNTED_AT: root}
    raw: bytes | None = inner.get("raw_path")
    if raw is not None:
        inner["raw_path"] = raw.removeprefix(quote(root).encode())
    return inner
