"""Rules for alerts over HTTP, and from a client elsewhere."""

from __future__ import annotations

import datetime as dt

from tests.alerts.receiver import receiving
from tests.remote.conftest import serving
from tests.server.v1.asking import Asker

from holdfast import RunStatus


async def test_a_rule_is_put_read_tested_and_deleted(api: Asker):
    async with receiving() as receiver:
        rule = {"url": receiver.url, "on": ["failed", "late"], "late_after": 3600.0, "at_most": 5}
        put = await api.ask("PUT", "/alerts/ops", rule)
        tested = await api.post("/alerts/ops/test")

    assert {name: put[name] for name in rule} == rule
    assert (put["name"], put["enabled"], put["problem"]) == ("ops", True, "")
    assert (tested["status"], tested["type"]) == ("success", "dev.holdfast.alerts.ping")
    assert await api.get("/alerts/ops") == put
    assert (await api.get("/alerts"))["items"] == [put]
    assert (await api.get("/alerts/ops/deliveries"))["items"] == [tested]
    await api.ask("DELETE", "/alerts/ops", code=204)
    assert (await api.get("/alerts/ops", code=404))["code"] == "alert_not_found"


async def test_what_is_wrong_with_a_rule_is_said(api: Asker):
    refused = await api.ask("PUT", "/alerts/ops", {"url": "http://10.0.0.1/", "on": ["failed"]}, code=400)
    bad = await api.ask("PUT", "/alerts/ops", {"url": "http://127.0.0.1/", "on": ["late"]}, code=400)
    unknown = await api.ask("PUT", "/alerts/ops", {"url": "http://127.0.0.1/", "on": ["sad"]}, code=400)

    assert refused["code"] == "address_refused"
    assert (bad["code"], bad["field"]) == ("bad_option", "late_after")
    assert unknown["status"] == 400
    assert (await api.get("/alerts"))["items"] == []


async def test_a_client_elsewhere_has_the_same_calls(sqlite_url: str):
    hour = dt.timedelta(hours=1)
    async with receiving() as receiver, serving(sqlite_url) as pair:
        put = await pair.remote.alerts.put("ops", receiver.url, "late", late_after=hour, tags="shop")
        tested = await pair.remote.alerts.test("ops")
        told = await pair.remote.alerts.deliveries("ops")
        listed = await pair.remote.alerts.list()
        local = await pair.local.alerts.list()
        deleted = await pair.remote.alerts.delete("ops")
        left = await pair.local.alerts.list()

    assert listed == local == [put] == [deleted]
    assert left == []
    assert (put.late_after, put.tags) == (hour, ("shop",))
    assert told == [tested]
    assert tested.status is RunStatus.SUCCESS
