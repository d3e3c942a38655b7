"""HTTPS, and addresses that the server does not serve without keys."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.server.test_serving import Recorder

from holdfast.errors import BadOption
from holdfast.server.serving import ApiServer, ServingOptions

# Self-signed, for localhost, and for these tests only.
FOLDER = Path(__file__).parent / "tls"
CERT, KEY = str(FOLDER / "cert.pem"), str(FOLDER / "key.pem")


async def test_a_server_speaks_https():
    app = Recorder()
    app.may_answer.set()
    server = ApiServer(app, ServingOptions(CERT, KEY))
    port = await server.start("127.0.0.1", 0)
    trusted = ssl.create_default_context(cafile=CERT)
    async with httpx.AsyncClient(trust_env=False, verify=trusted) as client:
        assert (await client.get(f"https://localhost:{port}/")).text == "ok"
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get(f"http://localhost:{port}/")
    await server.stop()


@pytest.mark.parametrize(
    ("cert", "key"), [(CERT, None), (None, KEY), ("nowhere.pem", KEY), (KEY, CERT), (CERT, "nowhere.pem")]
)
async def test_files_that_are_no_certificate_and_key_are_refused(cert: Any, key: Any):
    with pytest.raises(BadOption, match="tls_cert"):
        await ApiServer(Recorder(), ServingOptions(cert, key)).start("127.0.0.1", 0)


async def test_an_address_for_other_machines_is_refused_if_it_has_to_be_a_local_one():
    with pytest.raises(BadOption, match="holdfast keys create"):
        await ApiServer(Recorder()).start("0.0.0.0", 0, only_local=True)


async def test_headers_of_proxies_are_believed_only_if_the_proxy_is_trusted():
    seen: list[Any] = []

    class Seeing(Recorder):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            seen.append((scope["client"][0], scope["scheme"]))
            await super().__call__(scope, receive, send)

    for proxies in ("", "127.0.0.1", "10.0.0.0/8"):
        app = Seeing()
        app.may_answer.set()
        server = ApiServer(app, ServingOptions(trusted_proxies=proxies))
        port = await server.start("127.0.0.1", 0)
        async with httpx.AsyncClient(trust_env=False) as client:
            headers = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
            await client.get(f"http://127.0.0.1:{port}/", headers=headers)
        await server.stop()

    assert seen == [("127.0.0.1", "http"), ("203.0.113.9", "https"), ("127.0.0.1", "http")]
