"""What counts as an answer of a service, and what only as trouble with one worker."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator

import pytest
from tests.executors.http.http_bench import (
    LIMIT,
    Answer,
    HttpBench,
    Request,
    answers,
    breaks_off,
    hangs,
    message_of,
    says,
)
from tests.executors.recorder import value_of
from tests.patience import PATIENCE

from holdfast.core.values import Succeeded


@pytest.fixture
async def bench() -> AsyncIterator[HttpBench]:
    bench = HttpBench(call_timeout=1)
    yield bench
    await bench.close()


@pytest.mark.parametrize(
    ("body", "result"),
    [
        (b'{"result": {"a": [1, 2.5, null]}, "error": ""}', {"a": [1, 2.5, None]}),
        (b'{"result": "x", "error": null}', "x"),
        (b'{"result": 1, "took": "3ms"}', 1),
        (b'{"error": ""}', None),
        (b'{"Result": 7, "Error": ""}', 7),
    ],
)
async def test_an_object_without_an_error_is_a_result(bench: HttpBench, body: bytes, result: object) -> None:
    await bench.add("w1", answers("200 OK", body))

    outcome = await bench.run()

    assert value_of(outcome) == result


async def test_any_status_of_success_will_do(bench: HttpBench) -> None:
    await bench.add("w1", answers("201 Created", b'{"result": 1}'))

    assert value_of(await bench.run()) == 1


async def test_what_is_stored_is_plain_json(bench: HttpBench) -> None:
    await bench.add("w1", answers("200 OK", b'{"result":\n {"a" :  "\\u00e4"} }'))

    assert await bench.run() == Succeeded('{"a":"ä"}'.encode())  # type: ignore[arg-type]


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "500 Internal Server Error"])
async def test_a_worker_that_says_that_the_service_has_failed_is_believed_and_no_other_is_asked(
    bench: HttpBench, status: str
) -> None:
    await bench.add("w1", answers(status, '{"result": null, "error": "ValueError: zu groß"}'.encode()))
    other = await bench.add("w2", says(1))

    outcome = await bench.run()

    assert message_of(outcome) == "ValueError: zu groß"
    assert other.requests == []
    assert bench.logged() == []


async def test_an_error_that_is_not_text_is_shown_as_json(bench: HttpBench) -> None:
    await bench.add("w1", answers("200 OK", b'{"error": {"code": 7}}'))

    assert message_of(await bench.run()) == '{"code":7}'


async def trickles(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def breaks_off_half_way(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"result": 1')
    await writer.drain()
    writer.close()


async def babbles(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"\x00\xff\xfe not HTTP at all\r\n\r\n")
    await writer.drain()


async def sends_headers_without_end(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-More: " + b"x" * 10_000 + b"\r\n")
        await writer.drain()


async def hangs_up(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.close()


DEEP = b'{"result": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"

TROUBLE: list[tuple[Answer, str]] = [
    (answers("500 Internal Server Error", b"oops"), "it answered 500 Internal Server Error ('oops')"),
    (answers("500 Internal Server Error", b'{"result": 1}'), "it answered 500 Internal Server Error ("),
    (answers("404 Not Found", b""), "it answered 404 Not Found"),
    (answers("302 Found", b"", "Location: http://127.0.0.1:1/"), "it answered 302 Found"),
    (answers("200 OK", b"<html>"), "it answered 200 OK, that is no answer of a worker: JSON is malformed"),
    (answers("200 OK", b"[1]"), "no answer of a worker: Expected `object`, got `array`"),
    (answers("200 OK", b""), "no answer of a worker: Input data was truncated"),
    (answers("200 OK", b'{"result": "\xff"}'), "no answer of a worker"),
    (answers("200 OK", DEEP), "no answer of a worker"),
    (answers("200 OK", b"\x1f\x8b\x08", "Content-Encoding: gzip"), "no answer of a worker"),
    (breaks_off, "the connection broke: "),
    (breaks_off_half_way, "the connection broke: peer closed connection without sending complete message"),
    (babbles, "the connection broke: illegal status line"),
    (sends_headers_without_end, "the connection broke: "),
    (hangs_up, "the connection broke: Server disconnected without sending a response"),
    (hangs, "it did not answer within 1s"),
    (trickles, "it did not answer within 1s"),
]


@pytest.mark.parametrize(
    ("trouble", "reason"), TROUBLE, ids=lambda it: it[:60] if isinstance(it, str) else ""
)
async def test_what_is_no_answer_is_logged_and_the_next_worker_is_asked(
    bench: HttpBench, trouble: Answer, reason: str
) -> None:
    first = await bench.add("w1", trouble)
    await bench.add("w2", says("from w2"))

    attempt = bench.start()

    assert value_of(await bench.outcome_of(attempt)) == "from w2"
    assert attempt.worker == "w2"
    (line,) = bench.logged()
    assert line.startswith(f"worker w1 ({first.url}): ")
    assert reason in line
    assert len(first.requests) == 1


# --- too much


class Flood:
    """An answer of 50 MB, of which it counts what it could get rid of."""

    SIZE = 50 * 1024 * 1024

    def __init__(self, *, is_announced: bool) -> None:
        self.sent = 0
        length = f"Content-Length: {self.SIZE}" if is_announced else "Connection: close"
        self._head = f"HTTP/1.1 200 OK\r\n{length}\r\n\r\n".encode()

    async def __call__(self, request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(self._head + b'{"result": "')
        piece = b"x" * 65536
        while self.sent < self.SIZE:
            writer.write(piece)
            await writer.drain()
            self.sent += len(piece)


@pytest.mark.parametrize("is_announced", [True, False])
async def test_an_answer_over_the_limit_is_not_read_any_further_and_nobody_else_is_asked(
    bench: HttpBench, is_announced: bool
) -> None:
    flood = Flood(is_announced=is_announced)
    worker = await bench.add("w1", flood)
    other = await bench.add("w2", says(1))
    tracemalloc.start()

    outcome = await bench.run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert f"over the limit of {LIMIT:,}" in message_of(outcome, "PayloadTooLarge")
    assert other.requests == []
    assert peak < 6 * LIMIT
    await worker.wait_until(lambda: worker.open_connections == 0)
    assert flood.sent < flood.SIZE


async def test_an_answer_of_just_the_limit_is_taken(bench: HttpBench) -> None:
    body = b'{"result": "' + b"x" * (LIMIT - 14) + b'"}'
    await bench.add("w1", answers("200 OK", body))

    assert len(body) == LIMIT
    assert len(value_of(await bench.run())) == LIMIT - 14


async def test_a_result_that_takes_more_room_as_we_write_it_is_held_to_the_limit(bench: HttpBench) -> None:
    numbers = b",".join([b"1e9"] * (LIMIT // 8))
    await bench.add("w1", answers("200 OK", b'{"result": [' + numbers + b"]}"))

    assert f"over the limit of {LIMIT:,}" in message_of(await bench.run(), "PayloadTooLarge")


async def test_slow_workers_do_not_hold_up_others() -> None:
    bench = HttpBench(call_timeout=10 * PATIENCE)
    await bench.add("w1", hangs, services=("slow",))
    await bench.add("w2", says(1))
    for _ in range(20):
        bench.start("slow")

    outcome = await bench.run()

    assert value_of(outcome) == 1
    assert len(bench.reports) == 1
    await bench.close()
