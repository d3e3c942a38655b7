"""What every executor promises, tried on the one that calls workers."""

from __future__ import annotations

import asyncio
import builtins
import sys
from collections.abc import AsyncIterator
from contextvars import ContextVar, copy_context
from typing import Any

import pytest
from tests.executors.http.http_bench import HttpBench, answers, hangs, says
from tests.executors.recorder import RUN, failure_of, value_of

from holdfast.core.values import Cancelled, Outcome, task_id
from holdfast.errors import NotOpen, UnknownTask
from holdfast.executors.http import worker_client
from holdfast.ports.executor import Attempt, Executor, ServiceCall

flavour: ContextVar[str] = ContextVar("flavour", default="plain")


@pytest.fixture
async def bench() -> AsyncIterator[HttpBench]:
    bench = HttpBench()
    yield bench
    await bench.close()
    assert bench.said_after_report == []


async def test_it_is_an_executor_and_takes_as_many_calls_as_it_is_told(bench: HttpBench) -> None:
    executor: Executor = bench.executor

    assert executor.capacity == 100
    assert executor.ends_surely


async def test_the_result_is_reported_with_who_has_made_it(bench: HttpBench) -> None:
    worker = await bench.add("w1", says("A"))

    attempt = bench.start()

    assert value_of(await bench.outcome_of(attempt)) == "A"
    assert (attempt.worker, attempt.worker_url) == ("w1", worker.url)


async def test_a_report_never_comes_before_start_is_over(bench: HttpBench) -> None:
    attempt = bench.start()

    assert bench.reports == []
    await bench.outcome_of(attempt)


async def test_a_call_that_cannot_be_made_up_is_a_failure_with_that_error(bench: HttpBench) -> None:
    def refuse(attempt: Attempt) -> ServiceCall:
        raise UnknownTask(attempt.name, ["extract"])

    bench.executor._calls = refuse
    attempt = bench.start()

    assert bench.reports == []
    assert failure_of(await bench.outcome_of(attempt)).type == "holdfast.errors:UnknownTask"


async def test_a_worker_is_told_what_to_do_and_for_whom(bench: HttpBench) -> None:
    worker = await bench.add("w1", says(1), services=("a/b c", "upper"))
    body = '{"input": "ä", "params": {"op": "x"}}'.encode()

    await bench.run("a/b c", body=body, name="sf/shout", id="order-1")

    (request,) = worker.requests
    assert request.line == "POST /exec/a%2Fb%20c HTTP/1.1"
    assert request.body == body
    told = {name: value for name, value in request.headers.items() if name.startswith(("holdfast", "idem"))}
    assert told == {
        "idempotency-key": task_id(RUN, 1),
        "holdfast-run": "order-1",
        "holdfast-task": "sf/shout",
        "holdfast-attempt": "3",
    }
    assert request.headers["content-type"] == "application/json"


async def test_names_that_no_header_can_carry_are_escaped(bench: HttpBench) -> None:
    worker = await bench.add("w1", says(1))

    await bench.run(name="größer\r\nX-Evil: 1", id="100% 🎉")

    (request,) = worker.requests
    assert request.headers["holdfast-task"] == "gr%C3%B6%C3%9Fer%0D%0AX-Evil:%201"
    assert request.headers["holdfast-run"] == "100%25%20%F0%9F%8E%89"
    assert "x-evil" not in request.headers


async def test_a_path_and_a_slash_in_the_address_of_a_worker_are_kept_and_not_doubled(
    bench: HttpBench,
) -> None:
    worker = await bench.add("w1", says(1), services=())
    record = worker.record._replace(url=f"{worker.url}/behind/", services=("upper",))
    bench.others.append(record)

    await bench.run()

    assert worker.requests[0].line == "POST /behind/exec/upper HTTP/1.1"


async def test_connections_are_used_again_and_closed_when_nobody_needs_them(
    bench: HttpBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_client, "KEEP_IDLE", 0.2)
    worker = await bench.add("w1", says(1))

    for _ in range(5):
        await bench.run()
    connections, still_open = worker.connections, worker.open_connections
    await worker.wait_until(lambda: worker.open_connections == 0)

    assert (connections, still_open) == (1, 1)


async def test_no_cookie_of_a_worker_is_kept(bench: HttpBench) -> None:
    worker = await bench.add("w1", answers("200 OK", b"{}", "Set-Cookie: a=b"))

    await bench.run()
    await bench.run()

    assert "cookie" not in worker.requests[1].headers


async def test_proxies_of_the_environment_are_not_used(
    bench: HttpBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    await bench.add("w1", says("direct"))

    assert value_of(await bench.run()) == "direct"


async def test_variables_are_those_of_nobody(bench: HttpBench) -> None:
    await bench.add("w1", says(1))
    seen: list[str] = []
    bench.on_report = lambda attempt, outcome: seen.append(flavour.get())

    def start_with_a_flavour() -> Attempt:
        flavour.set("the caller's")
        return bench.start()

    await bench.run()
    await bench.outcome_of(copy_context().run(start_with_a_flavour))

    assert seen == ["plain", "plain"]


async def test_attempts_may_be_started_by_a_report(bench: HttpBench) -> None:
    await bench.add("w1", says(1))

    def go_on(attempt: Attempt, outcome: Outcome) -> None:
        if len(bench.reports) < 5:
            bench.start()

    bench.on_report = go_on
    bench.start()
    await bench.wait_for_reports(5)

    assert [value_of(outcome) for _, outcome in bench.reports] == [1] * 5


# --- cancel and stop


async def test_cancel_closes_the_connection_and_asks_nobody_else(bench: HttpBench) -> None:
    first, second = await bench.add("w1", hangs), await bench.add("w2", says(1))

    attempt = bench.start()
    await first.wait_until(lambda: len(first.requests) == 1)
    bench.executor.cancel(attempt)
    bench.executor.cancel(attempt)

    assert await bench.outcome_of(attempt) == Cancelled()
    await first.wait_until(lambda: first.open_connections == 0)
    assert second.requests == []


async def test_cancel_before_the_first_step_means_that_nobody_is_called(bench: HttpBench) -> None:
    worker = await bench.add("w1", says(1))

    attempt = bench.start()
    bench.executor.cancel(attempt)

    assert await bench.outcome_of(attempt) == Cancelled()
    assert worker.requests == []


async def test_cancel_while_it_waits_for_a_worker_does_not_disturb_others() -> None:
    bench = HttpBench(wait=20)
    impatient, patient = bench.start(), bench.start()
    await asyncio.sleep(0.05)

    bench.executor.cancel(impatient)

    assert await bench.outcome_of(impatient) == Cancelled()
    await bench.add("w1", says(1))
    assert value_of(await bench.outcome_of(patient)) == 1
    await bench.close()


async def test_cancel_while_the_registry_is_asked_does_not_disturb_others(bench: HttpBench) -> None:
    bench.look_takes = 0.2
    await bench.add("w1", says(1))
    hasty, other = bench.start(), bench.start()
    await asyncio.sleep(0.05)

    bench.executor.cancel(hasty)

    assert await bench.outcome_of(hasty) == Cancelled()
    assert value_of(await bench.outcome_of(other)) == 1
    assert bench.looks == 1


async def test_cancelling_what_has_been_reported_changes_nothing(bench: HttpBench) -> None:
    await bench.add("w1", says(1))
    attempt = bench.start()
    await bench.outcome_of(attempt)

    bench.executor.cancel(attempt)

    assert value_of(await bench.run()) == 1
    assert len(bench.reports) == 2


async def test_stop_closes_every_connection_and_reports_nothing(bench: HttpBench) -> None:
    worker = await bench.add("w1", hangs)
    for _ in range(10):
        bench.start()
    await worker.wait_until(lambda: len(worker.requests) == 10)

    await bench.executor.stop()

    await worker.wait_until(lambda: worker.open_connections == 0)
    assert bench.reports == []


async def test_a_stopped_executor_takes_nothing_more_and_can_be_stopped_again(bench: HttpBench) -> None:
    await bench.add("w1", says(1))
    await bench.run()

    await bench.executor.stop()
    await bench.executor.stop()

    with pytest.raises(NotOpen):
        bench.start()


async def test_an_executor_that_never_ran_anything_stops(bench: HttpBench) -> None:
    await bench.executor.stop()

    assert bench.reports == []


async def test_without_httpx_the_attempt_fails_and_says_what_to_install(
    bench: HttpBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without_httpx(name: str, *rest: Any) -> Any:
        if name == "httpx":
            raise ModuleNotFoundError("No module named 'httpx'", name="httpx")
        return real(name, *rest)

    monkeypatch.delitem(sys.modules, "holdfast.executors.http.worker_client")
    monkeypatch.setattr(builtins, "__import__", without_httpx)

    failure = failure_of(await bench.run())

    assert failure.message.endswith("httpx is needed: pip install 'holdfast[server]'")
