"""`Holdfast`: the composition root. This is the only file that knows every part and how they fit together."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from holdfast.authoring.catalog import Catalog, default_catalog
from holdfast.authoring.kinds import read_definition
from holdfast.client.carried_trace import CarriedTrace, read_trace
from holdfast.client.client import Client
from holdfast.client.run import Run
from holdfast.client.starting import StoreStarter
from holdfast.client.waiters import Waiters
from holdfast.core.records import Definition, TaskRecord
from holdfast.core.values import RunKey, moment
from holdfast.engine.node_ids import is_surely_dead, new_node_id
from holdfast.engine.stop_signals import StopSignals
from holdfast.errors import (
    BadOption,
    LoopStalled,
    NotOpen,
    OpenedBefore,
    node_stopped,
)
from holdfast.parts import Parts, encryption_keys, export_spans, new_definitions, new_tracing
from holdfast.settings import Settings, is_server, read_oidc_secret, read_settings
from holdfast.stores.backups import backup_database
from holdfast.stores.open_store import store_for
from holdfast.stores.rewriting import RewriteReport, rewrite_payloads
from holdfast.stores.schema_status import migrate_database, read_schema_status
from holdfast.stores.seals import seals_for

if TYPE_CHECKING:
    from holdfast.server.access.logins import LoginOptions
    from holdfast.server.gateway import Gateway
    from holdfast.server.mounting import MountedApp
    from holdfast.server.serving import ApiServer, ServingOptions

__all__ = [
    "Holdfast",
    "RewriteReport",
    "backup_database",
    "export_spans",
    "migrate_database",
    "read_schema_status",
    "rewrite_database",
]

_log = logging.getLogger("holdfast")
_values_log = logging.getLogger("holdfast.workflow")


class Holdfast(Client):
    """Durable workflows over one database.

        async with Holdfast("sqlite:///shop.db") as hf:
            run = await hf.start(fulfil, order, id="order-42")
            receipt = await run.result()

    With `engine=False` it starts runs, reads them and waits for them, and other processes do the work. With
    `engine="own"` it works only on runs that it has started or that were passed to `take_up`, and on their
    children. Other runs and schedules are left to other processes.

    `Holdfast("https://holdfast.example", key="hf_…")` has the same calls, and no engine: the server does
    the work.
    """

    def __new__(cls, url: str | None = None, **settings: Any) -> Self:
        """Of a server, an object of a subclass, as pathlib.Path makes one for each system."""
        if cls is Holdfast and is_server(read_settings({}).url if url is None else url):
            return super().__new__(cast("type[Self]", _remote_class()))
        return super().__new__(cls)

    def __init__(
        self,
        url: str | None = None,
        *,
        namespace: str | None = None,
        engine: bool | Literal["own"] = True,
        catalog: Catalog = default_catalog,
        **settings: Any,
    ) -> None:
        if engine not in (True, False, "own"):
            raise BadOption("engine", engine, 'True, False or "own"')
        self.settings = read_settings({"url": url, "namespace": namespace, **settings})
        self._was_opened = self._is_open = False
        self._mounted: list[MountedApp] = []
        self._stop_signals = StopSignals()
        self._closing: asyncio.Task[None] | None = None
        parts = self._parts = Parts(self.settings, catalog)
        waiters = Waiters(parts.store, self.settings.namespace, self._is_local)
        self._engine = parts.engine(waiters, own_runs_only=engine == "own") if engine else None
        self._exit_code: int | None = None
        """With which the process is ended if its event loop stands still; None: only the engine ends."""
        self._drained_by: str | None = None
        if self._engine is not None:
            self._engine.on_stall = self._end_process
            self._engine.on_drain = self._go_on_as_client
        starter = self._engine or self._store_starter(self.settings.namespace)
        super().__init__(
            parts.store,
            parts.definitions,
            starter,
            waiters,
            namespace=self.settings.namespace,
            now=parts.clock.now,
            new_key=parts.new_key,
            worker_ttl=dt.timedelta(seconds=self.settings.worker_ttl_seconds),
            queue_lease=dt.timedelta(seconds=self.settings.queue_lease_seconds),
            is_alive=self._is_alive,
            tracing=parts.tracing,
            gate=parts.gate,
            webhooks=parts.webhooks,
        )

    def _join_trace(self, carried: CarriedTrace) -> None:
        self._tracing = carried

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def open(self) -> None:
        """Connect, bring the schema up to date, register this process's workflows, and start the engine.

        If the database does not answer or is full, waits for it, up to the setting `open_seconds`. Raises
        StoreUnavailable, StoreFull, SchemaTooNew or VersionConflict.
        """
        if self._was_opened:
            raise OpenedBefore
        self._was_opened = True
        try:
            await self._parts.when_the_store_answers(self._begin)
            if self._engine is not None:
                self._engine.start(new_node_id(self._parts.dice))
                self._parts.start_hearing()
        except BaseException:
            await self._parts.store.close()
            raise
        self._is_open = True
        self._bind_loop(asyncio.get_running_loop())

    async def _begin(self) -> None:
        """Everything that opening does in the store. It may be done again."""
        await self._parts.open_store()
        if self._engine is not None:
            await self._parts.expire_dead_nodes()
            await self.register_all()

    async def close(self) -> None:
        """Stop in order: let tasks finish, hand back the rest, close the database. May be called again.

        If the caller is cancelled, closing goes on to its end, and a second call waits for that.
        """
        if not self._is_open:
            return
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(), name="holdfast close")
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        for mounted in self._mounted:
            await mounted.close()
        if self._engine is not None:
            await self._engine.stop()
            self._parts.stop_hearing()
        await self._settle()
        await self._parts.store.close()
        self._stop_signals.put_back()

    async def serve(self) -> None:
        """Work until this process gets SIGTERM or SIGINT (Ctrl-C), and return then. Also returns when its
        node was drained: see `drained_by`.

        Closing lets tasks finish. A second Ctrl-C does not wait for that: it ends the process at once, with
        exit code 130. A handler of your own for SIGINT stays in place.

        Raises NodeStopped if the engine fails, and LoopStalled if it has given up because the event loop
        stood still."""
        self._check_loop()
        if not self._is_open or self._closing is not None:
            raise NotOpen
        if self._engine is None:
            raise BadOption("engine", False, "True in a process that is to work")
        asked = asyncio.Event()
        working = [asyncio.ensure_future(it) for it in (self._engine.wait_until_stopped(), asked.wait())]
        try:
            with self._stop_signals.heard(asked.set, self.expect_stop):
                await asyncio.wait(working, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in working:
                each.cancel()
        if isinstance(self._engine.failure, Exception):
            raise node_stopped(self._engine.failure)

    @property
    def drained_by(self) -> str | None:
        """Who has drained the node of this object with `drain_node`; empty if they did not say. None: nobody
        has. From then on this object is a client, without a node."""
        return self._drained_by

    async def wait_until_idle(self) -> dt.datetime | None:
        """Wait until everything is done that is due on this node: runs that it can take, due timers and
        schedules, and tasks under way. Returns when the next thing is due, or None if nothing will be by
        itself.

        A run that waits for a time, a message, a worker or a person is not waited for. Neither is one that
        another node has, but the end of that node's lease counts as the next thing: its runs are due if it
        dies.

        Raises NodeStopped if the engine fails."""
        self._check_loop()
        if not self._is_open or self._closing is not None:
            raise NotOpen
        if self._engine is None:
            raise BadOption("engine", False, "True in a process that is to work")
        due = await self._engine.wait_until_idle()
        if isinstance(self._engine.failure, Exception):
            raise node_stopped(self._engine.failure)
        return None if due is None else moment(due)

    def expect_stop(self, exit_code: int) -> None:
        """The process was told to stop, and the event loop was asked to see to it. If the loop stands still
        for longer than `drain_seconds`, its runs are given to other nodes and the process is ended. A signal
        handler may call this."""
        if self._engine is not None:
            self._exit_code = exit_code
            self._engine.expect_stop()

    def exit_when_stalled(self, exit_code: int) -> None:
        """End this process if its event loop stands still for longer than `stall_seconds`, as `holdfast
        serve` does. Otherwise only the engine stops, and the loop goes on if it can."""
        if self._exit_code is None:
            self._exit_code = exit_code

    def _end_process(self, error: LoopStalled) -> None:
        """Called on the thread that watches the event loop. Nothing here may wait for another thread."""
        if self._exit_code is not None:
            os.write(2, f"holdfast ends this process: {error}\n".encode())
            os._exit(self._exit_code)

    async def take_up(self, run: Run[Any] | str) -> None:
        """Work on this run and its children too, if the engine is limited to its own runs
        (`engine="own"`)."""
        key = await self.key_of(run)
        if self._engine is not None:
            self._engine.take_up([key])

    def api_server(self, *, needs_key: bool = False, options: ServingOptions | None = None) -> ApiServer:
        """The HTTP API over this object. Start it once the object is open, as `holdfast serve` does.

        With `needs_key`, everybody has to show a key (`hf.keys`), and may do what its role allows. Without,
        who shows none may do everything: so only local clients should reach it.

        Raises ModuleNotFoundError if the extra `server` is not installed.
        """
        from holdfast.server.serving import ApiServer

        return ApiServer(self._gateway(needs_key), options)

    def asgi_app(self, *, needs_key: bool = True) -> MountedApp:
        """The HTTP API as an application to mount in one of Starlette, FastAPI or Django, or to pass to an
        ASGI server. It answers while this object is open, on the event loop on which it was opened.

        Without `needs_key`, who shows no key may do everything: the surrounding application has to decide who
        gets that far.

        Raises ModuleNotFoundError if the extra `server` is not installed.
        """
        from holdfast.server.mounting import MountedApp

        mounted = MountedApp(lambda: self._gateway(needs_key), self._open_once, self.close)
        self._mounted.append(mounted)
        return mounted

    async def _open_once(self) -> bool:
        """Whether it was this call that opened the object."""
        if self._was_opened:
            return False
        await self.open()
        return True

    def _gateway(self, needs_key: bool) -> Gateway:
        """Raises NotOpen."""
        from holdfast.parts import version_of_package
        from holdfast.server.app import make_app
        from holdfast.server.compat.flows.node_runs import VisitDescription, describe_nothing
        from holdfast.server.tenants import Tenants

        self._check_loop()
        if not self._is_open or self._closing is not None:
            raise NotOpen

        definitions = self._parts.definitions

        def describe_visits(
            definition: Definition, tasks: Sequence[TaskRecord]
        ) -> Sequence[VisitDescription]:
            known = definitions.find_edition(definition.name, definition.version)
            workflow = known or read_definition(definition)
            if workflow is None:
                return describe_nothing(definition, tasks)
            return [VisitDescription(*visit) for visit in workflow.describe_visits(tasks)]

        tenants = Tenants(self, self._client_of, self.settings.worker_refresh_seconds)
        gateway = make_app(
            tenants,
            max_payload_bytes=self.settings.max_payload_bytes,
            describe_visits=describe_visits,
            version=version_of_package(),
            origins=self.settings.allowed_origins.replace(",", " ").split(),
            needs_key=needs_key,
            metrics=self._parts.metrics,
            trace_headers=self._parts.tracing,
            overdue=dt.timedelta(seconds=self.settings.overdue_seconds),
            login=self._login_options(),
        )
        # Others than users of this machine may name addresses to connect to.
        self._parts.gate.loopback_conditions.append(lambda: gateway.is_local and not needs_key)
        return gateway

    def _login_options(self) -> LoginOptions:
        from holdfast.client.sessions import SessionLimits
        from holdfast.server.access.logins import LoginOptions

        lasts, idle = self.settings.session_seconds, self.settings.session_idle_seconds
        limits = SessionLimits(dt.timedelta(seconds=lasts), dt.timedelta(seconds=idle))
        oidc = self.settings.oidc_options
        secret = "" if oidc is None else read_oidc_secret(oidc)
        return LoginOptions(limits, self.settings.public_url.rstrip("/"), oidc, secret)

    def _client_of(self, namespace: str) -> tuple[Client, Callable[[], Awaitable[None]]]:
        """A client of another namespace over the same store, without an engine and without code."""
        parts, settings = self._parts, self.settings
        waiters = Waiters(parts.store, namespace, lambda _: False)
        starter = self._store_starter(namespace)
        client = Client(
            parts.store,
            parts.definitions.without_code(),
            starter,
            waiters,
            namespace=namespace,
            now=parts.clock.now,
            new_key=parts.new_key,
            worker_ttl=dt.timedelta(seconds=settings.worker_ttl_seconds),
            queue_lease=dt.timedelta(seconds=settings.queue_lease_seconds),
            is_alive=self._is_alive,
            tracing=parts.tracing,
            gate=parts.gate,
        )
        client._bind_loop(asyncio.get_running_loop())
        return client, client._settle

    def _store_starter(self, namespace: str) -> StoreStarter:
        parts = self._parts
        return StoreStarter(parts.store, namespace=namespace, now=parts.clock.now, new_key=parts.new_key)

    def _go_on_as_client(self, by: str) -> None:
        """The node is drained. What is started from now on is recorded for other nodes."""
        self._drained_by = by
        self._starter = self._store_starter(self.namespace)

    def _is_alive(self, node: str) -> bool | None:
        is_own = self._engine is not None and self._engine.node == node and self._engine.failure is None
        return True if is_own else False if is_surely_dead(node) else None

    def _is_local(self, run: RunKey) -> bool:
        return self._engine is not None and self._engine.has(run)


@cache
def _remote_class() -> type[Holdfast]:
    """Made when somebody needs it: importing an HTTP client takes long. Raises BadOption."""
    try:
        from holdfast.remote.client import RemoteClient
        from holdfast.remote.connection import Address
    except ModuleNotFoundError as error:
        if error.name != "httpx":
            raise
        expected = "that of a database: httpx is not installed. For a server: pip install 'holdfast[remote]'"
        raise BadOption("url", "https://…", expected) from None

    class RemoteHoldfast(RemoteClient, Holdfast):
        """A `Holdfast` whose calls are requests to a server."""

        def __init__(
            self,
            url: str | None = None,
            *,
            namespace: str | None = None,
            engine: bool | Literal["own"] = True,
            catalog: Catalog = default_catalog,
            **settings: Any,
        ) -> None:
            known = self.settings = read_settings({"url": url, "namespace": namespace, **settings})
            if namespace is None and known.namespace != Settings().namespace:
                namespace = known.namespace
            address = Address(known.url, key=known.key, namespace=namespace, ca_file=known.ca_file)
            super().__init__(
                address,
                new_definitions(known, catalog),
                namespace=namespace,
                engine=engine,
                retry_seconds=known.retry_seconds,
                open_seconds=known.open_seconds,
                trace_headers=new_tracing(known),
            )

    return RemoteHoldfast


def join_trace(holdfast: Holdfast, environment: Mapping[str, str]) -> None:
    """For a command that is one call: what it starts belongs to the trace of whoever has called it, if the
    environment names one."""
    carried = read_trace(environment)
    if carried is not None:
        holdfast._join_trace(carried)  # pyright: ignore[reportPrivateUsage]


async def rewrite_database(
    settings: Settings, progress: Callable[[str, RewriteReport], None], *, plain: bool = False
) -> RewriteReport:
    """Encrypt all payloads with the first key, or with none. Raises as `seals_of` does."""
    keys = encryption_keys(settings).read(settings.encryption_keys)
    seals = seals_for(keys, settings.compress_bytes, plain=plain)
    if seals is None:
        raise BadOption("encryption_keys", settings.encryption_keys, "the ids of the keys")
    store = store_for(settings.url)
    await store.open()
    try:
        return await rewrite_payloads(store, seals, progress)
    finally:
        await store.close()
