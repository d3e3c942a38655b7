"""Alerts from the rule to the receiver, over real HTTP, on both databases."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.alerts.receiver import OK, receiving, signature_of
from tests.executors.http.http_bench import answers, breaks_off, hangs
from tests.patience import PATIENCE, until

from holdfast import (
    AddressRefused,
    AlertNotFound,
    BadOption,
    Catalog,
    Holdfast,
    RunEnded,
    RunStatus,
    context,
    with_options,
    workflow,
)
from holdfast.authoring.code import alert_workflows
from holdfast.core import alerts, webhooks
from holdfast.core.changes import Place, offset_text
from holdfast.core.values import Payload
from holdfast.errors import JournalCorrupt
from holdfast.executors.http import webhook_sender

catalog = Catalog()
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
RAW = "a secret of many letters"


@workflow(catalog=catalog)
async def failing(name: str) -> str:
    raise ValueError(f"no {name}")


@workflow(catalog=catalog)
async def other() -> str:
    raise KeyError("other")


@workflow(catalog=catalog)
async def parking() -> None:
    raise KeyboardInterrupt


@workflow(catalog=catalog)
async def asking() -> str:
    return await context().promise("approval", str)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "_FIRST_WAIT", 0.01)


@asynccontextmanager
async def node(url: str, **settings: Any) -> AsyncIterator[Holdfast]:
    async with Holdfast(url, catalog=catalog, **settings) as hf:
        yield hf


async def look(hf: Holdfast) -> None:
    """Do not wait for the next look."""
    await hf.signal("holdfast.alerts", "look", "")


async def fail(hf: Holdfast, id: str, flow: Any = failing, **options: Any) -> None:
    arguments = (id,) if flow is failing else ()
    run = await hf.start(with_options(flow, id=id, **options), *arguments)
    with pytest.raises(Exception, match=r"no |other"):
        await run.result()


async def test_a_failed_run_is_told_once_and_signed(store_url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOLDFAST_SECRET_HOOK", SECRET)
    async with receiving() as receiver, node(store_url, public_url="https://holdfast.example") as hf:
        await hf.alerts.put("ops", receiver.url, ["failed"], secret="HOOK")
        await fail(hf, "order-1", tags=["shop"])
        await look(hf)
        [event] = await receiver.wait_for(1)
        await look(hf)
        await until(lambda: deliveries_ended(hf, "ops"))
        [delivery] = await hf.alerts.deliveries("ops")

    [request] = receiver.requests
    assert request.line.startswith("POST /hook ")
    assert request.headers["content-type"] == "application/cloudevents+json"
    assert request.headers["webhook-id"] == event["id"]
    assert request.headers["webhook-signature"] == signature_of(request, SECRET)
    assert event["specversion"] == "1.0"
    assert (event["type"], event["subject"]) == ("dev.holdfast.run.failed", "order-1")
    assert event["source"] == "/namespaces/default"
    assert dt.datetime.fromisoformat(event["time"]).tzinfo is not None
    data = event["data"]
    assert data["error"] == {"type": "builtins:ValueError", "message": "no order-1"}
    assert (data["workflow"], data["status"], data["tags"]) == ("failing", "failed", ["shop"])
    assert data["link"].startswith("https://holdfast.example/api/v1/runs/")
    assert (delivery.status, delivery.subject, delivery.attempts) == (RunStatus.SUCCESS, "order-1", 1)


async def deliveries_ended(hf: Holdfast, name: str) -> bool:
    return all(it.status.is_final for it in await hf.alerts.deliveries(name))


async def test_a_receiver_that_is_away_gets_it_later_under_the_same_id(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOLDFAST_SECRET_HOOK", RAW)
    given = [breaks_off, answers("500 No", b"x" * 100_000), answers("429 No", b"", "Retry-After: 0")]
    async with receiving(*given, answers("200 OK", b"")) as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, ["failed"], secret="HOOK")
        await fail(hf, "order-1")
        await look(hf)
        events = await receiver.wait_for(4)
        await until(lambda: deliveries_ended(hf, "ops"))
        [delivery] = await hf.alerts.deliveries("ops")

    assert len({event["id"] for event in events}) == 1
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    assert all(
        request.headers["webhook-signature"] == signature_of(request, RAW) for request in receiver.requests
    )
    assert (delivery.status, delivery.attempts) == (RunStatus.SUCCESS, 4)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (answers("404 Not Found", b""), "it answered 404"),
        (answers("302 Found", b"", "Location: http://169.254.169.254/"), "redirects are not followed"),
    ],
)
async def test_an_answer_that_would_be_the_same_again_ends_it(sqlite_url: str, answer: Any, problem: str):
    async with receiving(answer) as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        await fail(hf, "order-1")
        await look(hf)
        await receiver.wait_for(1)
        await until(lambda: deliveries_ended(hf, "ops"))
        [delivery] = await hf.alerts.deliveries("ops")

    assert delivery.status is RunStatus.FAILED
    assert problem in delivery.problem
    assert len(receiver.requests) == 1


async def test_a_message_that_failed_can_be_retried(sqlite_url: str):
    async with receiving(answers("404 Not Found", b""), OK) as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        failed = await hf.alerts.test("ops")
        await hf.retry(failed.id)
        await receiver.wait_for(2)
        await until(lambda: deliveries_ended(hf, "ops"))
        [delivery] = await hf.alerts.deliveries("ops")

    assert failed.status is RunStatus.FAILED
    assert delivery.status is RunStatus.SUCCESS
    assert len({event["id"] for event in receiver.events}) == 1


async def test_a_message_that_fails_causes_no_other(sqlite_url: str):
    async with receiving(answers("404 Not Found", b"")) as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        await fail(hf, "order-1")
        await look(hf)
        await receiver.wait_for(1)
        await until(lambda: deliveries_ended(hf, "ops"))
        await look_through(hf)

        assert len(await hf.alerts.deliveries("ops")) == 1


async def test_a_receiver_that_does_not_answer_is_not_waited_for_long(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(webhook_sender, "_SECONDS", 0.5)
    async with receiving(hangs, drips, OK) as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        sent = await hf.alerts.test("ops")

    assert sent.status is RunStatus.SUCCESS
    assert sent.attempts >= 3
    assert len({event["id"] for event in receiver.events}) == 1


async def drips(request: Any, writer: Any) -> None:
    """An answer without end, byte by byte."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def test_a_node_with_rules_is_idle_and_knows_when_it_looks_next(sqlite_url: str):
    async with receiving() as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        due = await asyncio.wait_for(hf.wait_until_idle(), PATIENCE)

    assert due is not None
    assert due - dt.datetime.now(dt.UTC) < dt.timedelta(seconds=16)


async def test_a_parked_run_is_told(store_url: str):
    async with receiving() as receiver, node(store_url) as hf:
        await hf.alerts.put("ops", receiver.url, ["failed", "parked"])
        run = await hf.start(with_options(parking, id="stuck"))
        await until(lambda: is_parked(run))
        await look(hf)
        [event] = await receiver.wait_for(1)

    assert (event["type"], event["subject"]) == ("dev.holdfast.run.parked", "stuck")
    assert event["data"]["status"] == "parked"
    assert "KeyboardInterrupt" in event["data"]["error"]["type"] + event["data"]["error"]["message"]


async def is_parked(run: Any) -> bool:
    return await run.status() is RunStatus.PARKED


async def test_an_address_that_is_allowed_no_longer_is_refused_when_it_is_sent(sqlite_url: str):
    async with receiving() as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        hf._parts.gate.loopback_conditions.append(lambda: False)
        sent = await hf.alerts.test("ops")

    assert sent.status is RunStatus.FAILED
    assert "allowed_addresses" in sent.problem
    assert not receiver.worker.connections


async def test_a_rule_that_cannot_be_read_does_not_silence_the_others(sqlite_url: str):
    async with receiving() as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        await hf._store.put_alert("default", "damaged", Payload(b"{}"), hf._now())
        await fail(hf, "order-1")
        await look(hf)
        await receiver.wait_for(1)
        with pytest.raises(JournalCorrupt, match="damaged"):
            await hf.alerts.list()


async def test_rules_choose_by_kind_workflow_and_tags(store_url: str):
    async with receiving() as receiver, node(store_url) as hf:
        await hf.alerts.put("flow", receiver.url, "failed", workflow=other)
        await hf.alerts.put("tagged", receiver.url, "failed", tags=["a", "b"])
        await hf.alerts.put("parked", receiver.url, "parked")
        await hf.alerts.put("off", receiver.url, "failed", enabled=False)
        await fail(hf, "r1")
        await fail(hf, "r2", tags=["b"])
        await fail(hf, "r3", tags=["b", "a", "c"])
        await fail(hf, "r4", other)
        await look(hf)
        await receiver.wait_for(2)
        told = sorted((it["data"]["rule"], it["subject"]) for it in receiver.events)

    assert told == [("flow", "r4"), ("tagged", "r3")]


async def test_a_storm_is_summed_up(sqlite_url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(alerts, "_MINUTE", 10**15)  # so long that none ends meanwhile
    async with receiving() as receiver, node(sqlite_url) as hf:
        work = hf.alerts._parts.work
        await hf.alerts.put("ops", receiver.url, "failed", at_most=3)
        await hf.start_many(failing, [f"run-{number}" for number in range(50)])
        await until(lambda: all_ended(hf, 50))
        await look(hf)
        await receiver.wait_for(3)
        real = work._now
        work._now = lambda: real() + 10**15  # after the minute
        await look(hf)
        events = await receiver.wait_for(4)
        await look(hf)
        await until(lambda: deliveries_ended(hf, "ops"))

    assert sorted(event["type"] for event in receiver.events) == [
        *["dev.holdfast.run.failed"] * 3,
        "dev.holdfast.runs.failed",
    ]
    [summary] = [event for event in events if event["type"] == "dev.holdfast.runs.failed"]
    assert (summary["data"]["count"], summary["data"]["told"], len(summary["data"]["first"])) == (47, 3, 10)


async def all_ended(hf: Holdfast, count: int) -> bool:
    return len(await hf.list(status="failed", workflow=failing, limit=1_000)) == count


async def test_what_happened_before_the_rule_is_not_told_and_what_happens_right_after_is(store_url: str):
    async with receiving() as receiver, node(store_url) as hf:
        await fail(hf, "before")
        await hf.alerts.put("ops", receiver.url, "failed")
        await fail(hf, "after")
        await look(hf)
        events = await receiver.wait_for(1)

    assert [event["subject"] for event in events] == ["after"]


async def test_when_no_rule_is_left_nothing_is_done_until_there_is_one(sqlite_url: str):
    async with receiving() as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        await hf.alerts.delete("ops")
        await look(hf)
        await until(lambda: waits_for_rules(hf))
        await fail(hf, "unseen")
        await hf.alerts.put("ops", receiver.url, "failed")
        await fail(hf, "seen")
        await look(hf)
        events = await receiver.wait_for(1)

    assert [event["subject"] for event in events] == ["seen"]


async def waits_for_rules(hf: Holdfast) -> bool:
    explained = await hf.explain("holdfast.alerts")
    return bool(explained.reasons) and "timer" not in {str(it.kind) for it in explained.reasons}


async def test_somebody_who_stops_the_run_that_looks_is_told_of_and_put_starts_it_again(sqlite_url: str):
    async with receiving() as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        await hf.cancel("holdfast.alerts")
        await until(lambda: is_cancelled(hf))
        stopped = await hf.alerts.get("ops")
        again = await hf.alerts.put("ops", receiver.url, "failed")
        await fail(hf, "order-1")
        await look(hf)
        await receiver.wait_for(1)

    assert "nobody looks" in stopped.problem
    assert again.created_at == stopped.created_at
    assert again.problem == ""


async def is_cancelled(hf: Holdfast) -> bool:
    return (await hf.describe("holdfast.alerts")).status is RunStatus.CANCELLED


async def test_a_rule_in_a_namespace_without_nodes_says_so(store_url: str):
    options: dict[str, Any] = {"namespace": "away", "catalog": catalog, "allowed_addresses": ("127.0.0.1",)}
    async with node(store_url), Holdfast(store_url, engine=False, **options) as hf:
        put = await hf.alerts.put("ops", "http://127.0.0.1:9/", "failed")
        disabled = await hf.alerts.put("off", "http://127.0.0.1:9/", "failed", enabled=False)
        async with Holdfast(store_url, **options):
            await until(lambda: is_served(hf))
        gone = await hf.alerts.get("ops")

    said = "no node is running, so nobody looks: start a node in namespace 'away'"
    assert (put.problem, disabled.problem, gone.problem) == (said, "", said)


async def is_served(hf: Holdfast) -> bool:
    return (await hf.alerts.get("ops")).problem == ""


async def test_changes_that_were_removed_unread_are_told_of(store_url: str):
    async with receiving() as receiver, node(store_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        await hf.pause("holdfast.alerts")
        await until(lambda: is_paused(hf))
        for number in range(5):
            await fail(hf, f"lost-{number}")
        far = hf._now() + 10**12
        while not (await hf._store.remove_changes(far, 0, 1)).is_over:
            pass
        await hf.resume("holdfast.alerts")
        await look(hf)
        [event] = await receiver.wait_for(1)
        await fail(hf, "seen")
        await look(hf)
        events = await receiver.wait_for(2)

    assert event["type"] == "dev.holdfast.alerts.gap"
    assert event["data"]["reason"].startswith("changes were removed before anybody looked")
    assert [it.get("subject") for it in events] == [None, "seen"]


async def test_a_place_in_another_database_is_told_of_with_that_cause(store_url: str):
    """As when the run that looks was imported, or the database was restored from a backup."""
    async with receiving() as receiver, node(store_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        place = alerts.WatchPlace(offset_text(Place(10**9, 0)), hf._now())
        looked = await hf.alerts._parts.work.look(place)
        [event] = await receiver.wait_for(1)

    assert event["type"] == "dev.holdfast.alerts.gap"
    assert event["data"]["reason"].startswith("this database has not come so far: it was restored")
    assert looked.place.offset < place.offset


async def is_paused(hf: Holdfast) -> bool:
    return (await hf.describe("holdfast.alerts")).status is RunStatus.PAUSED


async def test_late_runs_and_open_questions_are_told_once(store_url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("holdfast.client.alert_work._PAGE", 1)
    second = dt.timedelta(seconds=1)
    async with receiving() as receiver, node(store_url) as hf:
        await hf.start(with_options(asking, id="early"))
        await hf.alerts.put("late", receiver.url, "late", late_after=100 * second)
        await hf.alerts.put("asked", receiver.url, "waiting", waiting_after=50 * second)
        await hf.start(with_options(asking, id="slow"))
        done = await hf.start(with_options(asking, id="done"))
        await until(lambda: is_asking(hf, 3))
        await hf.resolve(done, "approval", "yes")
        await done.result()
        work = hf.alerts._parts.work
        real = work._now
        for seconds in (30, 60, 90, 120, 150):
            work._now = lambda seconds=seconds: real() + seconds * 1_000_000
            await look_through(hf)
        await receiver.wait_for(4)
        told = sorted((it["type"], it["subject"], it["data"].get("question")) for it in receiver.events)

    assert told == [
        ("dev.holdfast.run.late", "early", None),
        ("dev.holdfast.run.late", "slow", None),
        ("dev.holdfast.run.waiting", "early", "approval"),
        ("dev.holdfast.run.waiting", "slow", "approval"),
    ]


async def is_asking(hf: Holdfast, count: int) -> bool:
    return len(await hf.questions()) == count


async def looks(hf: Holdfast) -> int:
    return sum(it.status == "success" for it in await hf.tasks("holdfast.alerts"))


async def look_through(hf: Holdfast) -> None:
    """A whole look, from now on."""
    await until(lambda: looks(hf))
    before = await looks(hf)
    await look(hf)

    async def is_over() -> bool:
        return await looks(hf) > before

    await until(is_over)


async def test_a_test_says_what_became_of_it(sqlite_url: str):
    async with receiving() as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed", enabled=False)
        sent = await hf.alerts.test("ops")

    assert receiver.events[0]["type"] == "dev.holdfast.alerts.ping"
    assert (sent.status, sent.type) == (RunStatus.SUCCESS, "dev.holdfast.alerts.ping")


async def test_a_rule_is_read_changed_and_deleted(store_url: str):
    day = dt.timedelta(days=1)
    async with node(store_url) as hf, node(store_url, namespace="other") as elsewhere:
        made = await hf.alerts.put("ops", "http://127.0.0.1:9/x", ["late", "failed", "late"], late_after=day)
        changed = await hf.alerts.put("ops", "http://127.0.0.1:9/y", "parked", at_most=5)
        listed = await hf.alerts.list()
        others = await elsewhere.alerts.list()
        with pytest.raises(AlertNotFound):
            await elsewhere.alerts.delete("ops")
        deleted = await hf.alerts.delete("ops")
        with pytest.raises(AlertNotFound):
            await hf.alerts.get("ops")

    assert (made.on, made.late_after) == (("late", "failed"), day)
    assert (changed.on, changed.late_after, changed.at_most) == (("parked",), None, 5)
    assert changed.created_at == made.created_at
    assert listed == [deleted] == [changed]
    assert others == []


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"url": "http://10.0.0.1/x"}, "allowed_addresses"),
        ({"url": "http://user:password@127.0.0.1/"}, "url"),
        ({"url": "ftp://127.0.0.1/"}, "url"),
        ({"on": []}, "on"),
        ({"on": ["failed", "sad"]}, "on"),
        ({"on": "late"}, "late_after"),
        ({"late_after": dt.timedelta(hours=1)}, "late_after"),
        ({"on": "waiting", "waiting_after": dt.timedelta(0)}, "waiting_after"),
        ({"secret": "a b"}, "secret"),
        ({"at_most": 0}, "at_most"),
        ({"name": ""}, "name"),
        ({"tags": [""]}, "tag"),
    ],
)
async def test_a_rule_that_cannot_be_is_refused(sqlite_url: str, options: dict[str, Any], named: str):
    given = {"name": "ops", "url": "http://127.0.0.1/", "on": "failed", **options}
    async with node(sqlite_url) as hf:
        with pytest.raises((BadOption, AddressRefused), match=named):
            await hf.alerts.put(**given)
        assert await hf.alerts.list() == []


async def test_a_secret_that_is_missing_is_waited_for(sqlite_url: str, tmp_path: Any):
    async with receiving() as receiver, node(sqlite_url, secrets=(f"file:{tmp_path}",)) as hf:
        await hf.alerts.put("ops", receiver.url, "failed", secret="HOOK")
        await fail(hf, "order-1")
        await look(hf)
        await until(lambda: has_problem(hf))
        [delivery] = await hf.alerts.deliveries("ops")
        assert not receiver.requests
        (tmp_path / "HOOK").write_text(RAW)
        await receiver.wait_for(1)

    assert receiver.requests[0].headers["webhook-signature"] == signature_of(receiver.requests[0], RAW)
    assert delivery.problem.startswith("there is no secret 'HOOK' on this node")
    assert delivery.problem.endswith("where it is; the message is sent again, for about a day")


async def has_problem(hf: Holdfast) -> bool:
    return any("HOOK" in it.problem for it in await hf.alerts.deliveries("ops"))


async def test_the_run_that_looks_is_replaced_after_a_while_and_deleted_and_nothing_is_missed(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(alert_workflows, "_STEPS_OF_A_CHAPTER", 2)
    monkeypatch.setattr(alert_workflows, "_CHAPTERS", 3)
    async with receiving() as receiver, node(sqlite_url) as hf:
        await hf.alerts.put("ops", receiver.url, "failed")
        first = (await hf.describe("holdfast.alerts")).key
        number = 0
        while (await hf.describe("holdfast.alerts")).key == first:
            await fail(hf, f"r{number}")
            with contextlib.suppress(RunEnded):  # it is just being replaced
                await look(hf)
            number += 1
        await until(lambda: is_gone(hf, first))
        await look(hf)
        events = await receiver.wait_for(number)
        watchers = await hf.list(workflow="holdfast.alerts")

    assert sorted(event["subject"] for event in events) == sorted(f"r{each}" for each in range(number))
    assert len(watchers) == 1


async def is_gone(hf: Holdfast, key: str) -> bool:
    return key not in {run.key for run in await hf.list(workflow="holdfast.alerts")}


async def test_runs_of_alerts_are_not_exported_with_all_others(sqlite_url: str):
    async with node(sqlite_url) as hf:
        await hf.alerts.put("ops", "http://127.0.0.1:1/hook", "failed")
        await fail(hf, "a")

        everything = [line async for line in hf.export_runs()]
        named = [line async for line in hf.export_runs(workflow=alerts.ALERTS)]

    assert [line for line in everything if alerts.ALERTS in line] == []
    assert any('"a"' in line for line in everything)
    assert any(alerts.ALERTS in line for line in named)
