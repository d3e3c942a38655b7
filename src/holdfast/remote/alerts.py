"""Rules for alerts over HTTP."""

from __future__ import annotations

import builtins
import datetime as dt
from collections.abc import Sequence
from typing import Any

from holdfast.client.alert_answers import AlertAnswer, read_alert_answer
from holdfast.client.alerts import AlertInfo, Alerts, DeliveryInfo
from holdfast.client.run_filters import check_number, workflow_name
from holdfast.core.names import checked_name
from holdfast.remote.addressing import Page, seconds_of
from holdfast.remote.connection import Connection, path_of


class RemoteAlerts(Alerts):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(
        self,
        name: str,
        url: str,
        on: str | Sequence[str],
        *,
        workflow: Any = None,
        tags: str | Sequence[str] = (),
        late_after: dt.timedelta | None = None,
        waiting_after: dt.timedelta | None = None,
        secret: str | None = None,
        at_most: int = 60,
        enabled: bool = True,
    ) -> AlertInfo:
        body = {
            "url": url,
            "on": [on] if isinstance(on, str) else [*on],
            "workflow": workflow_name(workflow),
            "tags": [tags] if isinstance(tags, str) else [*tags],
            "late_after": seconds_of(late_after),
            "waiting_after": seconds_of(waiting_after),
            "secret": secret,
            "at_most": at_most,
            "enabled": enabled,
        }
        return read_alert_answer(await self._connection.ask("PUT", _path(name), AlertAnswer, body=body))

    async def get(self, name: str) -> AlertInfo:
        return read_alert_answer(await self._connection.ask("GET", _path(name), AlertAnswer))

    async def list(self) -> builtins.list[AlertInfo]:
        page = await self._connection.ask("GET", "/alerts", Page[AlertAnswer])
        return [read_alert_answer(each) for each in page.items]

    async def delete(self, name: str) -> AlertInfo:
        info = await self.get(name)
        await self._connection.ask("DELETE", _path(name))
        return info

    async def test(self, name: str) -> DeliveryInfo:
        return await self._connection.ask("POST", f"{_path(name)}/test", DeliveryInfo)

    async def deliveries(self, name: str, *, limit: int = 20) -> builtins.list[DeliveryInfo]:
        check_number("limit", limit, 1, 100)
        path = f"{_path(name)}/deliveries"
        return (await self._connection.ask("GET", path, Page[DeliveryInfo], query={"limit": limit})).items


def _path(name: str) -> str:
    return path_of("alerts", checked_name("name", name))
