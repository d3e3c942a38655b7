"""Workers and backlogs over HTTP, and nouns that need the database itself."""

from __future__ import annotations

import builtins
import datetime as dt

import msgspec

from holdfast.client.backlogs import Backlog, Backlogs
from holdfast.client.flows import Flows
from holdfast.client.run_overviews import RunOverviews
from holdfast.client.workers import WorkerInfo, Workers
from holdfast.remote.addressing import Page, refused
from holdfast.remote.connection import Connection

_TTL = dt.timedelta(seconds=15)
_FOR_WORKERS = "workers speak with the server themselves: docs/how-to/workers.md"
_FOR_FLOWS = "hf.workflows has flows too: publish them with hf.workflows.put"
_FOR_FACES = "describe() and tasks() tell the same"
_FOR_PROBES = "backlog() tells what is due, and /readyz whether the server is well"


class _Worker(msgspec.Struct, frozen=True):
    worker: WorkerInfo


class RemoteWorkers(Workers):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def list(
        self, service: str | None = None, ttl: dt.timedelta | None = None
    ) -> builtins.list[WorkerInfo]:
        query = {"service": service, "seen_within": (ttl or _TTL).total_seconds()}
        found = await self._connection.ask("GET", "/workers", Page[_Worker], query=query)
        return [each.worker for each in found.items]

    register = refused("workers.register", _FOR_WORKERS)
    heartbeat = refused("workers.heartbeat", _FOR_WORKERS)
    allocate = refused("workers.allocate", _FOR_WORKERS)
    mark_offline = refused("workers.mark_offline", _FOR_WORKERS)
    poll = refused("workers.poll", _FOR_WORKERS)
    complete = refused("workers.complete", _FOR_WORKERS)
    renew = refused("workers.renew", _FOR_WORKERS)


class RemoteBacklogs(Backlogs):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def read(self, workflow: str | None = None, service: str | None = None) -> Backlog:
        query = {"workflow": workflow, "service": service}
        return await self._connection.ask("GET", "/backlog", Backlog, query=query)

    open_runs = refused("backlogs.open_runs", _FOR_PROBES)
    problems = refused("backlogs.problems", _FOR_PROBES)


class RemoteFlows(Flows):
    def __init__(self) -> None:
        pass

    create = refused("flows.create", _FOR_FLOWS)
    list = refused("flows.list", _FOR_FLOWS)
    describe = refused("flows.describe", _FOR_FLOWS)
    names = refused("flows.names", _FOR_FLOWS)
    publish = refused("flows.publish", _FOR_FLOWS)
    save_draft = refused("flows.save_draft", _FOR_FLOWS)
    versions = refused("flows.versions", _FOR_FLOWS)
    get = refused("flows.get", _FOR_FLOWS)
    compare = refused("flows.compare", _FOR_FLOWS)


class RemoteRunOverviews(RunOverviews):
    def __init__(self) -> None:
        pass

    page = refused("run_overviews.page", _FOR_FACES)
    run = refused("run_overviews.run", _FOR_FACES)
    tasks = refused("run_overviews.tasks", _FOR_FACES)
    attempts = refused("run_overviews.attempts", _FOR_FACES)
    log = refused("run_overviews.log", "logs() tells the same")
