"""Workers are called at allowed addresses only, whatever their names resolve to."""

from __future__ import annotations

import ssl
from collections.abc import Sequence

import httpx
import pytest
from tests.executors.http.http_bench import HttpBench, RawWorker, answers, says
from tests.server.test_serving import Recorder
from tests.server.test_tls import CERT, KEY

from holdfast.core.outbound import Outbound, read_outbound
from holdfast.core.values import Failed, Succeeded
from holdfast.errors import AddressRefused, BadOption
from holdfast.executors.http.outbound_gate import OutboundGate
from holdfast.executors.http.pinned_transport import PinnedTransport
from holdfast.server.serving import ApiServer, ServingOptions


class NameServer(OutboundGate):
    """Answers with the next of these each time that it is asked."""

    def __init__(self, *answers: Sequence[str], outbound: Outbound | None = None) -> None:
        super().__init__(outbound or Outbound())
        self.answers = list(answers)
        self.asked: list[str] = []

    async def _look_up(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.answers.pop(0)


async def called(bench: HttpBench, worker: RawWorker, host: str) -> object:
    worker.url = worker.url.replace("127.0.0.1", host)
    try:
        return await bench.run()
    finally:
        await bench.close()


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "[::ffff:127.0.0.1]", "localhost", "0"])
async def test_odd_spellings_of_this_machine_are_refused(host: str):
    gate = OutboundGate(Outbound())
    gate.loopback_conditions.append(lambda: False)
    bench = HttpBench(gate=gate)
    worker = await bench.add("w1", says("HI"))

    outcome = await called(bench, worker, host)

    assert isinstance(outcome, Failed)
    assert "allowed_addresses" in outcome.failure.message
    assert not worker.connections


async def test_a_name_that_resolves_to_this_machine_is_refused_though_this_machine_is_allowed():
    bench = HttpBench(gate=NameServer(["127.0.0.1"]))
    worker = await bench.add("w1", says("HI"))

    outcome = await called(bench, worker, "worker.example")

    assert isinstance(outcome, Failed)
    assert "'worker.example' is a loopback address" in outcome.failure.message
    assert not worker.connections


async def test_the_address_that_was_checked_is_the_one_connected_to():
    gate = NameServer(["127.0.0.1"], ["127.0.0.9"], outbound=read_outbound(["127.0.0.1"]))
    bench = HttpBench(gate=gate)
    worker = await bench.add("w1", says("HI"))

    outcome = await called(bench, worker, "worker.example")

    assert outcome == Succeeded(b'"HI"')
    assert gate.asked == ["worker.example"]
    assert worker.requests[0].headers["host"].startswith("worker.example:")


async def test_a_name_that_resolves_to_something_else_the_second_time_is_refused_then():
    gate = NameServer(["10.0.0.1"], ["127.0.0.1"], outbound=read_outbound(["10.0.0.0/8"]))
    await gate.check("url", "http://worker.example")  # as when it registers
    bench = HttpBench(gate=gate)
    worker = await bench.add("w1", says("HI"))

    outcome = await called(bench, worker, "worker.example")

    assert isinstance(outcome, Failed)
    assert not worker.connections


async def test_the_next_address_of_a_name_is_tried():
    gate = NameServer(["127.0.0.5", "127.0.0.1"], outbound=read_outbound(["127.0.0.0/8"]))
    bench = HttpBench(gate=gate)
    worker = await bench.add("w1", says("HI"))

    assert await called(bench, worker, "worker.example") == Succeeded(b'"HI"')


async def test_redirects_are_not_followed():
    bench = HttpBench()
    inside = await bench.add("inside", says("secret"), services=("other",))
    worker = await bench.add("w1", answers("302 Found", b"", f"Location: {inside.url}/exec/other"))

    outcome = await called(bench, worker, "127.0.0.1")

    assert isinstance(outcome, Failed)
    assert "302" in outcome.failure.message
    assert not inside.connections


async def test_a_check_refuses_what_a_call_would_refuse_and_lets_unknown_names_pass():
    gate = OutboundGate(Outbound())

    with pytest.raises(AddressRefused):
        await gate.check("url", "http://169.254.169.254/latest/meta-data")
    with pytest.raises(AddressRefused):
        await gate.check("url", "http://0x7f.1/")
    with pytest.raises(BadOption):
        await gate.check("url", "http://user:secret@a.example/")
    await gate.check("url", "http://does-not-exist.invalid/")
    await gate.check("url", "http://127.0.0.1:8080/")


async def test_tls_checks_the_name_and_not_the_address():
    app = Recorder()
    app.may_answer.set()
    server = ApiServer(app, ServingOptions(CERT, KEY))
    port = await server.start("127.0.0.1", 0)
    trusted = ssl.create_default_context(cafile=CERT)
    gate = NameServer(["127.0.0.1"], ["127.0.0.1"], outbound=read_outbound(["127.0.0.1"]))
    try:
        async with PinnedTransport(gate, trusted, 1) as right:
            answer = await right.handle_async_request(httpx.Request("GET", f"https://localhost:{port}/"))
            assert (await answer.aread()) == b"ok"
        async with PinnedTransport(gate, trusted, 1) as wrong:
            with pytest.raises(httpx.ConnectError, match="certificate"):
                await wrong.handle_async_request(httpx.Request("GET", f"https://other.example:{port}/"))
    finally:
        await server.stop()

    assert gate.asked == ["localhost", "other.example"]
