"""The tests of the local client, over HTTP: their `Holdfast` is a remote one of a server inside the test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType, TracebackType
from typing import Any

import pytest

from holdfast import Holdfast
from holdfast.server.serving import ApiServer


class Served:
    """Takes the arguments of a local `Holdfast`, and is used in its place: opens that one and a server over
    it, and hands out a client of the server."""

    def __init__(self, url: str | None = None, **settings: Any) -> None:
        self._known = {"catalog": settings["catalog"]} if "catalog" in settings else {}
        self._local = Holdfast(url, **settings)
        self._server: ApiServer | None = None
        self._remote: Holdfast | None = None

    async def __aenter__(self) -> Holdfast:
        await self._local.open()
        self._server = self._local.api_server()
        port = await self._server.start("127.0.0.1", 0)
        self._remote = Holdfast(f"http://127.0.0.1:{port}", **self._known)
        await self._remote.open()
        return self._remote

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._remote is not None
        assert self._server is not None
        await self._remote.close()
        await self._server.stop()
        await self._local.close()


def over_http(suite: ModuleType, names: dict[str, Any], left_out: Mapping[str, str]) -> Callable[..., Any]:
    """A fixture for all tests of the module. `left_out` names the tests that need more than a client, each
    with the reason."""
    for name in left_out:
        del names[name]

    @pytest.fixture(autouse=True)
    def served(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(suite, "Holdfast", Served)

    return served
