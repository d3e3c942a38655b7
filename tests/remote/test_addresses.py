"""Which server is meant, and who one is to it: addresses, keys, namespaces, certificates."""

from __future__ import annotations

import asyncio
import datetime as dt
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.remote.conftest import Pair
from tests.server.test_tls import CERT, KEY
from tests.server.v1.asking import new_catalog
from tests.server.v1.test_access import keyed_server

import holdfast.sync
from holdfast import (
    Holdfast,
    KeyRefused,
    NotOverHttp,
    NotPermitted,
    RunNotFound,
    ServerFailed,
    ServerUnavailable,
)
from holdfast.errors import BadFile, BadOption, BadUrl, NotOpen, OpenedBefore
from holdfast.server.serving import ServingOptions


async def test_a_key_says_who_one_is_and_what_one_may_do(sqlite_url: str):
    async with keyed_server(sqlite_url, "shop") as server:
        async with Holdfast(server.base, key=server.keys["operator"]) as operator:
            assert operator.namespace == "shop"
            run = await operator.start("doubled", 2)
            assert await run.result() == 4
            assert (await run.describe()).started_by == "the operator"
            with pytest.raises(NotPermitted, match=r"admin may"):
                await operator.delete(run)
            with pytest.raises(NotPermitted, match="Holdfast-By"):
                await operator.cancel(run, by="ann")
        async with Holdfast(server.base, key=server.keys["viewer"]) as viewer:
            assert (await viewer.describe(run.id)).output == 4
            with pytest.raises(NotPermitted):
                await viewer.start("doubled", 2)


@pytest.mark.parametrize("key", [None, "hf_0000000000000000_" + "0" * 64])
async def test_without_a_good_key_opening_is_refused(sqlite_url: str, key: str | None):
    async with keyed_server(sqlite_url) as server:
        with pytest.raises(KeyRefused, match=r"refuses the key: (this server asks for a key|the key is not)"):
            await Holdfast(server.base, key=key).open()


async def test_a_key_of_all_namespaces_chooses_one_and_others_may_not(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        async with Holdfast(server.base, key=server.keys["everywhere"], namespace="büro") as hf:
            assert hf.namespace == "büro"
            assert await hf.list() == []
        with pytest.raises(NotPermitted, match="namespace"):
            await Holdfast(server.base, key=server.keys["admin"], namespace="shop").open()


async def test_who_does_something_is_recorded(pair: Pair):
    await pair.remote.start("waiting", id="a")
    await pair.remote.signal("a", "go", by="Zoë")

    assert [each.by for each in await pair.local.messages("a")] == ["Zoë"]


async def test_the_url_and_the_key_are_settings(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.chdir(tmp_path)
    async with keyed_server(sqlite_url) as server:
        monkeypatch.setenv("HOLDFAST_URL", server.base)
        monkeypatch.setenv("HOLDFAST_KEY", server.keys["viewer"])
        async with Holdfast() as hf:
            assert await hf.list() == []


async def test_https_is_verified(sqlite_url: str):
    async with Holdfast(sqlite_url, catalog=new_catalog()) as local:
        server = local.api_server(options=ServingOptions(CERT, KEY))
        url = f"https://localhost:{await server.start('127.0.0.1', 0)}"
        async with Holdfast(url, ca_file=CERT) as remote:
            assert await remote.run("doubled", 2) == 4
        with pytest.raises(ServerUnavailable, match=r"certificate cannot be verified.*ca_file"):
            await Holdfast(url).open()
        await server.stop()
    with pytest.raises(BadFile, match="no such file"):
        await Holdfast(url, ca_file="nowhere.pem").open()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://", "names no host"),
        ("https://ann:secret@host", "give key= instead"),
        ("http://host:x", "Port"),
        ("http://host/?a=b", "query"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused(url: str, why: str):
    with pytest.raises(BadUrl, match=why) as raised:
        Holdfast(url)

    assert "secret" not in str(raised.value)


def test_a_key_that_cannot_be_one_is_refused_and_not_shown():
    with pytest.raises(BadOption, match="holdfast keys create") as raised:
        Holdfast("http://host", key="hf_1 \n")

    assert "hf_1" not in str(raised.value)
    assert "hf_1" not in repr(Holdfast("http://host", key="hf_1").settings)


@pytest.mark.parametrize("below", ["/", "/api/v1", "/api/v1/"])
async def test_the_address_of_the_api_is_as_good_as_that_of_the_server(pair: Pair, below: str):
    async with Holdfast(f"{pair.url}{below}") as hf:
        assert await hf.workflows.list(limit=1)


async def test_nobody_at_that_address_is_told_in_time():
    with pytest.raises(ServerUnavailable, match=r"^the server http://127\.0\.0\.1:1 does not answer: "):
        await Holdfast("http://127.0.0.1:1", retry_seconds=0.1).open()


async def test_the_wrong_scheme_is_suspected():
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begin = await reader.read(1)
        if begin == b"\x16":  # a handshake of TLS
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    address = "://127.0.0.1:" + str(server.sockets[0].getsockname()[1])
    with pytest.raises(ServerUnavailable, match=r"does it speak https:// and not http://\?"):
        await Holdfast(f"http{address}", open_seconds=0.1).open()
    with pytest.raises(ServerUnavailable, match=r"does it speak http:// and not https://\?"):
        await Holdfast(f"https{address}", open_seconds=0.1).open()
    server.close()


async def test_something_else_at_that_address_is_told():
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(ServerFailed, match="cannot be read"):
        await Holdfast(f"http://127.0.0.1:{port}").open()
    server.close()


async def test_it_is_opened_once_and_used_while_it_is_open(pair: Pair):
    hf = Holdfast(pair.url)
    with pytest.raises(NotOpen):
        await hf.list()
    await hf.open()
    with pytest.raises(OpenedBefore):
        await hf.open()
    run = await hf.start("waiting")
    waiting = asyncio.ensure_future(run.result())
    await asyncio.sleep(0.05)
    await hf.close()
    await hf.close()

    for call in (waiting, hf.list()):
        with pytest.raises(NotOpen):
            await call
    with pytest.raises(NotOpen):
        await run.result()


async def test_the_base_of_a_server_may_have_a_path_and_ids_may_be_anything(pair: Pair):
    for id in ("a/b", "...", ".a", "counts", "ä ?&#%2F", "x" * 400):
        run = await pair.remote.start("doubled", 2, id=id)
        assert (await pair.remote.get(id)).id == id
        assert await pair.remote.result(id) == 4
        assert run.id == id
    with pytest.raises(RunNotFound):
        await pair.remote.get("…")
    with pytest.raises(ServerFailed, match="404"):
        await Holdfast(f"{pair.url}/base/").open()


# --- holdfast.sync


async def test_the_same_without_await(pair: Pair):
    def use() -> list[Any]:
        with holdfast.sync.Holdfast(pair.url, catalog=pair.catalog) as hf:
            run = hf.start("counting", 1, id="a")
            answer = run.update("add", 4)
            run.signal("end")
            many = hf.start_many("doubled", range(20))
            items = [item.name for item in hf.streams("a")]
            failed = hf.start("failing", "oh")
            with pytest.raises(ValueError, match="oh"):
                failed.result()
            with pytest.raises(NotOverHttp):
                hf.prune(dt.timedelta(days=1))
            return [answer, run.result(), [each.result() for each in many], items, hf.select().count()]

    answer, result, doubled, items, count = await asyncio.to_thread(use)

    assert (answer, result, items, count) == (5, 5, ["progress"], 22)
    assert doubled == [*range(0, 40, 2)]


async def test_many_results_are_waited_for_with_few_requests(pair: Pair):
    runs = await pair.remote.start_many("waiting", [()] * 300)
    waiting = [asyncio.ensure_future(run.result()) for run in runs]
    await asyncio.sleep(0.1)
    asked = len(pair.remote.waiters._requests)  # pyright: ignore[reportAttributeAccessIssue]

    await pair.remote.signal_many([(run, holdfast.Signal("go", 1)) for run in runs])

    assert asked == 1
    assert await asyncio.gather(*waiting) == [1] * 300
    app: Any = pair.server._app
    remembered = [id for answers in app._app._answers.values() for id in answers]
    assert not [id for id in remembered if "/run-ends" in id[1]], "it changes nothing"
    assert len(remembered) == 301


def test_without_the_http_client_the_extra_is_named():
    code = (
        "import sys; sys.modules['httpx'] = None\n"
        "from holdfast import BadOption, Holdfast\n"
        "try:\n    Holdfast('https://holdfast.example')\n"
        "except BadOption as error:\n    print(error)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "httpx is not installed. For a server: pip install 'holdfast[remote]'" in done.stdout
