"""`/metrics`, `/healthz` and `/readyz` as an application.

Whoever asks whether the server is well needs no key, and learns nothing else without one.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from litestar import Litestar, Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from holdfast.errors import StoreError
from holdfast.ports.telemetry import MetricsText
from holdfast.server.access.callers import Caller
from holdfast.server.access.rules import RULES, check_all_have_rules, check_rule
from holdfast.server.paths import METRICS
from holdfast.server.probes.gauges import StoreGauges
from holdfast.server.probes.remembering import Remembered
from holdfast.server.problems import HANDLERS, NotFound
from holdfast.server.tenants import Tenants

_SECONDS: Final = 1.0
_PATIENCE: Final = 5.0


class Readiness(msgspec.Struct, frozen=True, omit_defaults=True):
    is_ready: bool
    reasons: tuple[str, ...] = ()
    """What is wrong. Left out for those who show no key, if the server asks for keys."""


class Probes:
    """What the routes ask. It belongs to one event loop."""

    def __init__(self, tenants: Tenants, metrics: MetricsText | None, overdue: dt.timedelta) -> None:
        self._tenants = tenants
        self._metrics = metrics
        self._overdue = overdue
        self._gauges: dict[str, StoreGauges] = {}
        self._problems = Remembered(self._read_problems, _SECONDS, _PATIENCE)

    async def close(self) -> None:
        for each in (self._problems, *self._gauges.values()):
            await each.close()

    async def metrics_of(self, namespace: str) -> tuple[str, bytes]:
        """Their content type and text. What the node of this process counts is of its own namespace."""
        if self._metrics is None:
            raise NotFound("this server counts nothing; turn the setting metrics on")
        gauges = self._gauges.get(namespace)
        if gauges is None:
            gauges = self._gauges[namespace] = StoreGauges(self._tenants.of(namespace).client)
        is_own = namespace == self._tenants.own.client.namespace
        write = self._metrics.prepare(await gauges.get(), with_node=is_own)
        return self._metrics.content_type, await asyncio.to_thread(write)

    async def readiness(self, caller: Caller) -> Readiness:
        try:
            reasons = await self._problems.get()
        except TimeoutError:
            reasons = [f"the store has not answered for {_PATIENCE:.0f} s"]
        except StoreError as error:
            reasons = [f"the store does not answer: {error}"]
        may_read = caller.role in RULES["runs.list"].roles
        is_own = caller.namespace == self._tenants.own.client.namespace
        return Readiness(not reasons, tuple(reasons) if may_read and is_own else ())

    async def _read_problems(self) -> list[str]:
        client = self._tenants.own.client
        late = [each.problem for each in await client.schedules.overdue()]
        return [*await client.backlogs.problems(self._overdue), *late]


@get(METRICS, name="metrics", include_in_schema=False)
async def read_metrics(caller: NamedDependency[Caller], probes: NamedDependency[Probes]) -> Response[bytes]:
    kind, text = await probes.metrics_of(caller.namespace)
    return Response(text, media_type=kind)


@get("/healthz", include_in_schema=False)
async def read_health() -> dict[str, str]:
    """The process is there, and its event loop moves."""
    return {"status": "ok"}


@get("/readyz", include_in_schema=False)
async def read_readiness(
    caller: NamedDependency[Caller], probes: NamedDependency[Probes]
) -> Response[Readiness]:
    found = await probes.readiness(caller)
    return Response(found, status_code=200 if found.is_ready else 503)


NOUNS: Final[Mapping[str, Sequence[HTTPRouteHandler]]] = {"metrics": [read_metrics]}
_PUBLIC: Final = [read_health, read_readiness]
"""They have no rule."""


def make_probes_app(dependencies: Mapping[str, Any]) -> ASGIApp:
    check_all_have_rules(NOUNS)
    return Litestar(
        route_handlers=[*NOUNS["metrics"], *_PUBLIC],
        dependencies=dependencies,
        exception_handlers=HANDLERS,
        guards=[check_rule],
        openapi_config=None,
        logging_config=None,
    )
