"""Workers that take their work from the queue."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import threading
import time
from typing import Any

import pytest
from tests.patience import PATIENCE, until
from tests.worker.small_server import RUN, Completed, SmallServer

from holdfast.worker import Call, Worker, pulling


def worker_of(server: SmallServer, **options: Any) -> Worker:
    options = {"heartbeat": dt.timedelta(seconds=0.1), "name": "w"} | options
    worker = Worker(server.base, mode="pull", **options)

    @worker.service
    def upper(text: str, times: int = 1) -> str:
        return text.upper() * times

    @worker.service("lower")
    async def make_lower(text: str) -> str:
        await asyncio.sleep(0)
        return text.lower()

    return worker


def refuse_once(server: SmallServer, end: str, status: str, body: bytes) -> None:
    """The next request whose path has this end."""
    server.refusals[end] = (status, body)
    original = server._answer

    async def once(*arguments: Any) -> None:
        await original(*arguments)
        if arguments[0].line.split()[1].endswith(end):
            server.refusals.clear()

    server._http.answer = once


async def test_a_worker_registers_and_does_what_is_in_the_queue(server: SmallServer) -> None:
    first, second = server.put("upper", "ab", times=2), server.put("lower", "AB")

    async with worker_of(server) as worker:
        registered = dict(server.workers)
        done = [await server.result_of(first), await server.result_of(second)]

    assert registered == {
        worker.id: {"ID": worker.id, "URL": "queue", "Services": ["upper", "lower"], "Type": "async"}
    }
    assert done == [
        Completed(first, "ABAB", "", f"{RUN}:1:1"),
        Completed(second, "ab", "", f"{RUN}:2:1"),
    ]


async def test_each_life_of_a_worker_has_an_id_of_its_own(server: SmallServer) -> None:
    first, second = worker_of(server), worker_of(server)

    assert first.id != second.id
    assert first.id.startswith("w-")


async def test_a_slash_at_the_end_of_the_base_does_no_harm(server: SmallServer) -> None:
    worker = Worker(server.base + "/", mode="pull")
    worker.service(str.upper)

    async with worker:
        assert worker.id in server.workers


async def test_services_know_for_whom_they_are_called(server: SmallServer) -> None:
    worker = worker_of(server)
    calls: list[Call] = []

    @worker.service
    def plain() -> None:
        calls.append(worker.call())

    @worker.service
    async def with_loop() -> None:
        await asyncio.to_thread(lambda: calls.append(Worker.call()))

    ids = [server.put("plain", attempt=3), server.put("with_loop")]
    async with worker:
        for id in ids:
            await server.result_of(id)

    assert sorted(calls) == [
        Call("plain", "order-1", "shout", 3, f"{RUN}:1"),
        Call("with_loop", "order-1", "shout", 1, f"{RUN}:2"),
    ]


class Odd(BaseException):
    pass


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("too large"), "ValueError: too large"),
        (KeyError("price"), "KeyError: 'price'"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (asyncio.CancelledError(), "CancelledError"),
        (StopIteration(1), "RuntimeError: coroutine raised StopIteration"),
        (Odd("x"), "Odd: x"),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
async def test_whatever_a_function_raises_is_told_and_the_worker_goes_on(
    server: SmallServer, error: BaseException, told: str, is_async: bool
) -> None:
    worker = worker_of(server)

    def fail() -> None:
        raise error

    async def fail_later() -> None:
        raise error

    worker.service("fail")(fail_later if is_async else fail)
    ids = [server.put("fail"), server.put("upper", "a")]
    async with worker:
        failed, went_on = [await server.result_of(id) for id in ids]

    if isinstance(error, StopIteration) and not is_async:
        told = "StopIteration: 1"
    assert (failed.result, failed.error) == (None, told)
    assert went_on.result == "A"


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_result_that_is_no_json_is_an_error_of_the_service(
    server: SmallServer, is_async: bool
) -> None:
    worker = worker_of(server)

    def connect() -> object:
        return object()

    async def connect_later() -> object:
        return object()

    worker.service("connect")(connect_later if is_async else connect)
    id = server.put("connect")
    async with worker:
        done = await server.result_of(id)

    assert "the result of service 'connect' cannot be stored" in done.error


async def test_arguments_that_do_not_fit_are_an_error_of_the_service(server: SmallServer) -> None:
    id = server.put("upper", 5)

    async with worker_of(server):
        done = await server.result_of(id)

    assert "service 'upper': text: expected str, got int" in done.error


async def test_as_many_functions_run_at_once_as_may(server: SmallServer) -> None:
    worker = worker_of(server, concurrency=3)
    running: list[int] = []
    most = 0
    lock = threading.Lock()
    three = threading.Barrier(3)

    @worker.service
    def work() -> None:
        nonlocal most
        with lock:
            running.append(1)
            most = max(most, len(running))
        three.wait(PATIENCE)
        with lock:
            running.pop()

    ids = [server.put("work") for _ in range(12)]
    async with worker:
        for id in ids:
            await server.result_of(id)

    assert most == 3


async def test_heartbeats_go_on_while_functions_run_and_tell_the_load(server: SmallServer) -> None:
    worker = worker_of(server)

    release = threading.Event()

    @worker.service
    def work() -> None:
        release.wait(PATIENCE)

    id = server.put("work")
    async with worker:
        await server.wait_until(lambda: [beat["Load"] for beat in server.heartbeats].count(1) >= 3)
        release.set()
        await server.result_of(id)
        await server.wait_for_load(0)

    assert all(beat["ID"] == worker.id and beat["URL"] == "queue" for beat in server.heartbeats)


async def test_an_idle_worker_asks_less_and_less_often(
    server: SmallServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def note(seconds: float, stopping: asyncio.Event) -> None:
        pauses.append(seconds)
        if len(pauses) == 6:
            await stopping.wait()

    monkeypatch.setattr(pulling, "sleep_unless_stopping", note)
    async with worker_of(server):
        await server.wait_until(lambda: server.polls == 6)

    for pause, longest in zip(pauses, [0.1, 0.2, 0.4, 0.8, 1, 1], strict=True):
        assert 0.75 * longest <= pause <= longest


async def test_a_backlog_is_taken_without_pauses(
    server: SmallServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def pause_until_the_end(seconds: float, stopping: asyncio.Event) -> None:
        await stopping.wait()

    monkeypatch.setattr(pulling, "sleep_unless_stopping", pause_until_the_end)
    ids = [server.put("lower", "A") for _ in range(100)]

    async with worker_of(server):
        for id in ids:
            await server.result_of(id)

    assert len(server.completed) == 100


async def test_where_there_is_much_to_do_several_polls_are_under_way_at_once(server: SmallServer) -> None:
    server.poll_takes = 0.1
    ids = [server.put("lower", "A") for _ in range(40)]

    async with worker_of(server, concurrency=8):
        for id in ids:
            await server.result_of(id)
        at_once = server.most_polls_at_once
        async with asyncio.timeout(PATIENCE):
            while server.most_polls_at_once != 1:  # as when there is nothing to do
                server.most_polls_at_once, polls = 0, server.polls
                await server.wait_until(lambda polls=polls: server.polls >= polls + 3)

    assert 2 <= at_once <= 8


# --- a server that is not there, or says no


async def test_registering_goes_on_until_the_server_is_there(
    server: SmallServer, caplog: pytest.LogCaptureFixture
) -> None:
    port = server.port
    await server.close()
    worker = worker_of(server)
    serving = asyncio.create_task(worker.serve())
    await until(lambda: caplog.records)
    await asyncio.sleep(0.5)  # it tries again, and does not say so again

    await server.open(port)
    await server.wait_until(lambda: worker.id in server.workers)
    worker.stop()
    await serving

    assert [record.message for record in caplog.records].count(
        f"the server at {server.base} does not answer: All connection attempts failed"
    ) == 1


async def test_a_result_is_told_when_the_server_is_back(server: SmallServer) -> None:
    worker = worker_of(server)
    release = threading.Event()

    @worker.service
    def work() -> str:
        release.wait(PATIENCE)
        return "kept"

    id = server.put("work")
    async with worker:
        await server.wait_until(lambda: len(server.given) == 1)
        port = server.port
        await server.close()
        release.set()
        await asyncio.sleep(0.4)
        await server.open(port)

        assert (await server.result_of(id)).result == "kept"


async def test_a_server_that_has_trouble_of_its_own_is_asked_again(server: SmallServer) -> None:
    id = server.put("upper", "a")
    server.refusals["/complete"] = ("503 Service Unavailable", b'{"error": "the database is away"}')

    async with worker_of(server):
        await server.wait_until(lambda: len(server.given) == 1)
        await asyncio.sleep(0.3)
        server.refusals.clear()

        assert (await server.result_of(id)).result == "A"


async def test_an_item_that_is_no_longer_ours_is_logged_and_left(
    server: SmallServer, caplog: pytest.LogCaptureFixture
) -> None:
    first = server.put("upper", "a")
    server.refusals["/complete"] = ("409 Conflict", b'{"error": "another worker has it"}')

    async with worker_of(server):
        await until(lambda: any("no longer ours" in text for text in caplog.messages))
        server.refusals.clear()
        second = server.put("upper", "b")
        await server.result_of(second)

    assert f"item {first} is no longer ours: 409 another worker has it" in caplog.messages
    assert [each.queue_id for each in server.completed] == [second]


async def test_a_result_that_the_server_refuses_becomes_an_error_of_the_service(server: SmallServer) -> None:
    id = server.put("upper", "a")
    refuse_once(server, "/complete", "413 Content Too Large", b'{"error": "too large"}')

    async with worker_of(server):
        done = await server.result_of(id)

    assert done.error == "the server has refused the result: 413 too large"


@pytest.mark.parametrize("status", ["404 Not Found", "408 Request Timeout", "429 Too Many Requests"])
async def test_a_result_that_is_not_taken_just_now_is_told_again(server: SmallServer, status: str) -> None:
    id = server.put("upper", "a")
    refuse_once(server, "/complete", status, b"not now")

    async with worker_of(server):
        done = await server.result_of(id)

    assert (done.result, done.error) == ("A", "")


async def test_what_the_server_gives_by_mistake_is_an_error_and_not_the_end(server: SmallServer) -> None:
    worker = worker_of(server)
    ids = [server.put("upper", "a"), server.put("upper", "b")]
    server.queue[0]["input_json"] = "{"
    original = server._reply

    def mistaken(path: str, message: dict[str, Any]) -> object:
        reply = original(path, message)
        if isinstance(reply, dict) and reply.get("id") == ids[1]:
            reply["service"] = "unheard of"
        return reply

    server._reply = mistaken  # type: ignore[method-assign]
    async with worker:
        unreadable, unknown = [await server.result_of(id) for id in ids]

    assert unreadable.error.startswith("the call: this is not JSON")
    assert unknown.error == "this worker has no service 'unheard of'"


async def test_a_server_that_has_forgotten_the_worker_is_told_again(server: SmallServer) -> None:
    async with worker_of(server) as worker:
        server.workers.clear()
        server.refusals["/heartbeat"] = ("404 Not Found", b'{"error": "no such worker"}')

        await server.wait_until(lambda: worker.id in server.workers)


async def test_a_worker_that_may_have_lost_an_item_goes_on_under_another_id(server: SmallServer) -> None:
    """Else its heartbeats would hold the item, which it does not know of, for as long as it lives."""
    worker = worker_of(server, concurrency=1)
    lost = server.put("upper", "lost")
    server.loses_poll_answers = 1

    async with worker:
        await server.wait_until(lambda: len(server.workers) == 2)
        beats = len(server.heartbeats)
        found = server.put("upper", "found")
        await server.result_of(found)
        await server.wait_until(lambda: len(server.heartbeats) > beats + 3)

    assert server.given == [(lost, worker.id), (found, f"{worker.id}-2")]
    assert {beat["ID"] for beat in server.heartbeats[beats + 1 :]} == {f"{worker.id}-2"}


async def test_what_was_taken_under_the_old_id_is_kept_alive_until_it_is_done(server: SmallServer) -> None:
    worker = worker_of(server, concurrency=2)
    release = threading.Event()

    @worker.service
    def work() -> None:
        release.wait(PATIENCE)

    under_way = server.put("work")
    async with worker:
        await server.wait_until(lambda: len(server.given) == 1)
        server.put("upper", "lost")
        server.loses_poll_answers = 1
        await server.wait_until(lambda: len(server.workers) == 2)
        server.heartbeats.clear()
        await server.wait_until(lambda: len(server.heartbeats) >= 4)
        both = {beat["ID"] for beat in server.heartbeats}
        release.set()
        await server.result_of(under_way)
        await server.wait_until(
            lambda: [beat["ID"] for beat in server.heartbeats[-4:]] == [f"{worker.id}-2"] * 4
        )

    assert both == {worker.id, f"{worker.id}-2"}


# --- stopping


async def test_a_worker_that_stops_finishes_what_it_has_and_takes_nothing_more(server: SmallServer) -> None:
    worker = worker_of(server, concurrency=1)

    @worker.service
    def work() -> str:
        time.sleep(0.3)
        return "done"

    first, second = server.put("work"), server.put("work")
    async with worker:
        await server.wait_until(lambda: len(server.given) == 1)

    assert [each.queue_id for each in server.completed] == [first]
    assert [item["id"] for item in server.queue] == [second]


async def test_an_item_that_comes_while_it_stops_is_done(server: SmallServer) -> None:
    worker = worker_of(server)
    original = server._answer

    async def slow_poll(*arguments: Any) -> None:
        if arguments[0].line.split()[1].endswith("/poll"):
            worker.stop()
            await asyncio.sleep(0.2)
        await original(*arguments)

    server._http.answer = slow_poll
    id = server.put("upper", "late")
    async with worker:
        assert (await server.result_of(id)).result == "LATE"


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_function_that_does_not_end_is_left_behind(
    server: SmallServer, caplog: pytest.LogCaptureFixture, is_async: bool
) -> None:
    caplog.set_level(logging.INFO)
    worker = worker_of(server, drain=dt.timedelta(seconds=0.3))
    release = threading.Event()
    ended: list[str] = []

    def hang() -> None:
        release.wait(10 * PATIENCE)

    async def hang_on_loop() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    worker.service("hang")(hang_on_loop if is_async else hang)
    server.put("hang")
    began = time.monotonic()
    async with worker:
        await server.wait_until(lambda: len(server.given) == 1)

    assert time.monotonic() - began < PATIENCE
    assert server.completed == []
    assert "tasks from the queue that are not done: 1" in caplog.messages
    assert ended == (["cancelled"] if is_async else [])
    release.set()
    await asyncio.sleep(0.05)


async def test_a_worker_stops_while_the_server_is_away(server: SmallServer) -> None:
    worker = worker_of(server)
    async with worker:
        await server.close()
        await asyncio.sleep(0.3)
        began = time.monotonic()

    assert time.monotonic() - began < PATIENCE


async def test_a_worker_reads_secrets_and_answers_without_their_values(
    server: SmallServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HOLDFAST_SECRET_STRIPE_KEY", "sk_live_51H8xQz")
    worker = worker_of(server)

    @worker.service
    def show(how: str) -> str:
        value = worker.secret("STRIPE_KEY")
        assert value == "sk_live_51H8xQz"
        if how == "raise":
            raise ValueError(f"bad key {value}")
        return f"key {value}"

    ids = [server.put("show", "return"), server.put("show", "raise")]
    async with worker:
        done = [await server.result_of(id) for id in ids]

    assert [(it.result, it.error) for it in done] == [
        ("key ***STRIPE_KEY***", ""),
        (None, "ValueError: bad key ***STRIPE_KEY***"),
    ]
    assert "bad key ***STRIPE_KEY***" in caplog.text
    assert "sk_live" not in caplog.text
