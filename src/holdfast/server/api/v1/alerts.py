"""Rules for alerts."""

from __future__ import annotations

import contextlib

import msgspec
from litestar import delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from holdfast.client.alert_answers import AlertAnswer, alert_answer
from holdfast.client.alerts import DeliveryInfo
from holdfast.client.client import Client
from holdfast.core.alerts import AlertKind
from holdfast.errors import AlertNotFound
from holdfast.server.access.recording import Record
from holdfast.server.api.v1.bodies import Body
from holdfast.server.api.v1.paging import Limit, Page
from holdfast.server.api.v1.runs import span
from holdfast.server.problems import may_answer


class NewAlert(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    url: str
    on: list[AlertKind]
    workflow: str | None = None
    tags: list[str] = []
    late_after: float | None = None
    """In seconds. With `late`."""
    waiting_after: float | None = None
    """In seconds. With `waiting`."""
    secret: str | None = None
    """The name of the secret that messages are signed with, not the secret itself."""
    at_most: int = 60
    """How many messages of each kind in a minute. One more sums up the rest."""
    enabled: bool = True


@get("/alerts", name="alerts.list", responses=may_answer())
async def list_alerts(client: NamedDependency[Client]) -> Page[AlertAnswer]:
    """All rules for alerts, by name."""
    return Page([alert_answer(each) for each in await client.alerts.list()])


@get("/alerts/{name:str}", name="alerts.get", responses=may_answer(404))
async def get_alert(client: NamedDependency[Client], name: FromPath[str]) -> AlertAnswer:
    """One rule."""
    return alert_answer(await client.alerts.get(name))


@get("/alerts/{name:str}/deliveries", name="alerts.deliveries", responses=may_answer(404))
async def list_deliveries(
    client: NamedDependency[Client], name: FromPath[str], limit: Limit = 20
) -> Page[DeliveryInfo]:
    """The last messages of a rule, newest first, up to 100."""
    return Page(await client.alerts.deliveries(name, limit=min(limit, 100)))


@put(
    "/alerts/{name:str}",
    name="alerts.put",
    dto=Body[NewAlert],
    return_dto=None,
    responses=may_answer(404, 409, 413),
)
async def put_alert(
    name: FromPath[str],
    data: JSONBody[NewAlert],
    client: NamedDependency[Client],
    record: NamedDependency[Record],
) -> AlertAnswer:
    """Add a rule, or replace it: post a message to `url` when a run has `failed`, was `parked`, has not ended
    `late_after` its creation (`late`), or has a question that is open for `waiting_after` (`waiting`)."""
    with contextlib.suppress(AlertNotFound):
        record.before = alert_answer(await client.alerts.get(name))
    info = await client.alerts.put(
        name,
        data.url,
        [str(each) for each in data.on],
        workflow=data.workflow,
        tags=data.tags,
        late_after=span("late_after", data.late_after),
        waiting_after=span("waiting_after", data.waiting_after),
        secret=data.secret,
        at_most=data.at_most,
        enabled=data.enabled,
    )
    record.after = alert_answer(info)
    return record.after


@delete("/alerts/{name:str}", name="alerts.delete", status_code=204, responses=may_answer(404))
async def delete_alert(
    client: NamedDependency[Client], record: NamedDependency[Record], name: FromPath[str]
) -> None:
    """Delete a rule. Messages that have not been delivered yet are given up."""
    record.before = alert_answer(await client.alerts.delete(name))


@post("/alerts/{name:str}/test", name="alerts.test", status_code=200, responses=may_answer(404))
async def send_test(client: NamedDependency[Client], name: FromPath[str]) -> DeliveryInfo:
    """Send a message of the type `dev.holdfast.alerts.ping` now, and wait some seconds for its delivery."""
    return await client.alerts.test(name)


ROUTES = [list_alerts, get_alert, list_deliveries, put_alert, delete_alert, send_test]
