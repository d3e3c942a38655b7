"""`Holdfast`: the composition root. This is the only file that knows every part and how they fit together."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import logging
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random, SystemRandom
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from holdfast.authoring.catalog import Catalog, Definitions, default_catalog
from holdfast.authoring.code.context import current_log
from holdfast.authoring.kinds import Kinds, read_definition
from holdfast.client.client import Client
from holdfast.client.retention import Retention
from holdfast.client.run import Run
from holdfast.client.starting import StoreStarter
from holdfast.client.waiters import Waiters
from holdfast.core.codec import Codec
from holdfast.core.ids import KeyMaker
from holdfast.core.records import Definition, TaskRecord
from holdfast.core.secret_names import read_sources
from holdfast.core.values import RunKey, later, moment
from holdfast.engine.after_commits import AfterCommits
from holdfast.engine.audit_pruning import AuditPruner
from holdfast.engine.change_pruning import ChangePruner
from holdfast.engine.engine import Engine
from holdfast.engine.node_ids import is_surely_dead, new_node_id
from holdfast.engine.pruning import Pruner
from holdfast.engine.stop_signals import StopSignals
from holdfast.engine.stream_pruning import StreamPruner
from holdfast.engine.system_clock import SystemClock, set_by_database
from holdfast.engine.tuning import Tuning
from holdfast.errors import (
    BadOption,
    LoopStalled,
    NotOpen,
    OpenedBefore,
    Refused,
    StoreFull,
    StoreUnavailable,
    node_stopped,
)
from holdfast.executors.inline import InlineExecutor, attempt_of
from holdfast.executors.printing import start_hearing, stop_hearing
from holdfast.executors.task_logging import add_to_logs
from holdfast.executors.threads import ThreadExecutor
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Attempt, Beat, Executor, Log, Publish, Report
from holdfast.ports.nodes import EngineStore
from holdfast.ports.store import Store
from holdfast.ports.workers import WorkerRecord, WorkerStore
from holdfast.secret_sources import SecretSources
from holdfast.settings import Settings, is_server, own_environment, read_settings
from holdfast.stores.backups import backup_database
from holdfast.stores.open_store import store_for
from holdfast.stores.rewriting import RewriteReport, rewrite_payloads
from holdfast.stores.schema_status import migrate_database, read_schema_status
from holdfast.stores.seals import Seals, seals_for

if TYPE_CHECKING:
    from holdfast.server.access.logins import LoginOptions
    from holdfast.server.gateway import Gateway
    from holdfast.server.mounting import MountedApp
    from holdfast.server.serving import ApiServer, ServingOptions
    from holdfast.telemetry.prometheus import Metrics

__all__ = [
    "Holdfast",
    "RewriteReport",
    "backup_database",
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
        if self._engine is not None:
            self._engine.on_stall = self._end_process
        starter = self._engine or StoreStarter(
            parts.store, namespace=self.settings.namespace, now=parts.clock.now, new_key=parts.new_key
        )
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
        )

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
        """Work until this process gets SIGTERM or SIGINT (Ctrl-C), and return then.

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
        from importlib.metadata import version

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
        return make_app(
            tenants,
            max_payload_bytes=self.settings.max_payload_bytes,
            describe_visits=describe_visits,
            version=version("holdfast"),
            origins=self.settings.allowed_origins.replace(",", " ").split(),
            needs_key=needs_key,
            metrics=self._parts.metrics,
            overdue=dt.timedelta(seconds=self.settings.overdue_seconds),
            login=self._login_options(),
        )

    def _login_options(self) -> LoginOptions:
        from holdfast.client.sessions import SessionLimits
        from holdfast.server.access.logins import LoginOptions

        lasts, idle = self.settings.session_seconds, self.settings.session_idle_seconds
        limits = SessionLimits(dt.timedelta(seconds=lasts), dt.timedelta(seconds=idle))
        return LoginOptions(limits, self.settings.public_url.rstrip("/"))

    def _client_of(self, namespace: str) -> tuple[Client, Callable[[], Awaitable[None]]]:
        """A client of another namespace over the same store, without an engine and without code."""
        parts, settings = self._parts, self.settings
        waiters = Waiters(parts.store, namespace, lambda _: False)
        starter = StoreStarter(parts.store, namespace=namespace, now=parts.clock.now, new_key=parts.new_key)
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
        )
        client._bind_loop(asyncio.get_running_loop())
        return client, client._settle

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
        raise BadOption("url", "http", "that of a database, or: pip install 'holdfast[remote]'") from None

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
            workflows, seconds = new_definitions(known, catalog), known.retry_seconds
            super().__init__(address, workflows, namespace=namespace, engine=engine, retry_seconds=seconds)

    return RemoteHoldfast


def new_definitions(settings: Settings, catalog: Catalog) -> Definitions:
    codec = Codec(settings.max_payload_bytes, _values_log.warning)
    return Definitions(catalog, codec, Kinds(), settings.max_steps, settings.log_limit)


def tuning_of(settings: Settings) -> Tuning:
    return Tuning(
        lease=settings.lease,
        stall=settings.stall,
        drain=settings.drain,
        max_resident=settings.max_resident,
        idle_bytes=settings.idle_bytes,
        max_depth=settings.max_depth,
        max_history=settings.max_history,
        log_limit=settings.log_limit,
        stream_items=settings.stream_items,
        stream_bytes=settings.stream_bytes,
        stream_kept=dt.timedelta(seconds=settings.stream_kept_seconds),
        step_bytes=settings.max_step_bytes,
    )


def new_metrics() -> Metrics:
    """Raises BadOption if the extra is not installed."""
    try:
        from holdfast.telemetry.prometheus import Metrics
    except ModuleNotFoundError as error:
        if error.name != "prometheus_client":
            raise
        raise BadOption("metrics", True, "false, or: pip install 'holdfast[metrics]'") from None
    return Metrics()


def _encryption_keys(settings: Settings) -> SecretSources:
    return SecretSources(
        read_sources("encryption_sources", settings.encryption_sources),
        own_environment(),
        command_seconds=settings.secret_command_seconds,
        what="encryption key",
        setting="encryption_sources",
    )


def seals_of(settings: Settings) -> Seals | None:
    """Raises BadOption, SecretNotFound, SecretUnreadable."""
    keys = _encryption_keys(settings).read(settings.encryption_keys)
    return seals_for(keys, settings.compress_bytes)


async def rewrite_database(
    settings: Settings, progress: Callable[[str, RewriteReport], None], *, plain: bool = False
) -> RewriteReport:
    """Encrypt all payloads with the first key, or with none. Raises as `seals_of` does."""
    keys = _encryption_keys(settings).read(settings.encryption_keys)
    seals = seals_for(keys, settings.compress_bytes, plain=plain)
    if seals is None:
        raise BadOption("encryption_keys", settings.encryption_keys, "the ids of the keys")
    store = store_for(settings.url)
    await store.open()
    try:
        return await rewrite_payloads(store, seals, progress)
    finally:
        await store.close()


class Parts:
    """Everything that a Holdfast consists of. A test may pass its own store or clock."""

    def __init__(
        self,
        settings: Settings,
        catalog: Catalog,
        *,
        store: Store | None = None,
        clock: Clock | None = None,
        dice: Random | None = None,
        tuning: Tuning | None = None,
    ) -> None:
        self.settings = settings
        self.definitions = new_definitions(settings, catalog)
        if store is None and settings.url == Settings().url:
            Path(".holdfast").mkdir(exist_ok=True)
        self._is_own_store = store is None
        self.store: Store
        self._engine_store: EngineStore
        if store is None:
            self.store = opened = store_for(settings.url, seals=seals_of(settings))
            self._engine_store = opened.for_engine()
        else:
            self.store = self._engine_store = store
        self.clock = clock or SystemClock()
        self.dice = dice or Random(SystemRandom().getrandbits(128))
        self.new_key: Callable[..., RunKey] = KeyMaker(self.dice)
        self.tuning = tuning or tuning_of(settings)
        self.metrics = new_metrics() if settings.metrics else None
        self.secrets = SecretSources(
            settings.secret_sources,
            own_environment(),
            command_seconds=settings.secret_command_seconds,
            cached_seconds=settings.secret_cached_seconds,
        )

    def start_hearing(self) -> None:
        """From now on, what tasks and workflows of this process print is in their logs, too."""
        if self.settings.capture_output:
            start_hearing()

    def stop_hearing(self) -> None:
        if self.settings.capture_output:
            stop_hearing()

    async def open_store(self) -> None:
        await self.store.open()
        await set_by_database(self.clock, self.store.now)

    async def expire_dead_nodes(self) -> None:
        """End the leases of nodes on this machine whose process has ended, so that nobody waits for them."""
        nodes = await self.store.list_nodes(self.settings.namespace)
        if dead := [node for node in nodes if is_surely_dead(node)]:
            await self.store.expire_nodes(self.settings.namespace, dead)

    async def when_the_store_answers(self, do: Callable[[], Awaitable[None]]) -> None:
        """Call `do`, again and again for a while if the database does not answer or is full."""
        deadline = asyncio.get_running_loop().time() + self.settings.open_seconds
        while True:
            try:
                await do()
                return
            except (StoreUnavailable, StoreFull) as error:
                may_pass = isinstance(error, StoreFull) or error.may_pass
                if not may_pass or asyncio.get_running_loop().time() >= deadline:
                    raise
                _log.warning("%s; waiting for it", error)
                await asyncio.sleep(min(1.0, self.settings.open_seconds / 10))

    def engine(self, waiters: Waiters, *, own_runs_only: bool = False) -> Engine:
        add_to_logs(current_log)
        return Engine(
            self._engine_store,
            self.clock,
            self.definitions,
            self._executors,
            namespace=self.settings.namespace,
            node=new_node_id(self.dice),
            new_key=self.new_key,
            dice=self.dice,
            observer=waiters,
            queue_limits=self.settings.queues,
            tuning=self.tuning,
            own_runs_only=own_runs_only,
            pruner=None if own_runs_only else self._pruner(),
            after_commits=self._after_commits() if self._is_own_store else [],
            telemetry=self.metrics,
            secrets=self.secrets,
            find_attempt=attempt_of,
        )

    def _pruner(self) -> Pruner:
        """It uses the lanes of clients, so that it holds up no commit."""
        deleter = Retention(self.store, namespace=self.settings.namespace, now=self.clock.now)
        return Pruner(deleter, self.settings.retention_rules, self.clock, self.dice)

    def _after_commits(self) -> list[AfterCommits]:
        pruners: list[AfterCommits] = [self._change_pruner(), self._stream_pruner()]
        if self.settings.audit_kept_seconds:
            kept_for = dt.timedelta(seconds=self.settings.audit_kept_seconds)
            pruners.append(AuditPruner(self.store, self.dice, self.settings.namespace, kept_for))
        return pruners

    def _stream_pruner(self) -> StreamPruner:
        kept_for = dt.timedelta(seconds=self.settings.stream_kept_seconds)
        return StreamPruner(self.store, self.dice, kept_for)

    def _change_pruner(self) -> ChangePruner:
        """On the lanes of clients, too."""
        kept_for = dt.timedelta(seconds=self.settings.watch_kept_seconds)
        return ChangePruner(self.store, self.dice, kept_for, self.settings.watch_bytes)

    def _executors(self, report: Report, beat: Beat, log: Log, publish: Publish) -> _ExecutorRoutes:
        environment = _encryption_keys(self.settings).without_secrets(own_environment())
        environment = self.secrets.without_secrets(environment)
        return _ExecutorRoutes(
            self.definitions, self.settings, self.store, self.clock, environment, report, beat, log, publish
        )


class _ExecutorRoutes:
    """Which executor runs an attempt: the event loop, threads, processes, or workers over HTTP."""

    def __init__(
        self,
        definitions: Definitions,
        settings: Settings,
        store: WorkerStore,
        clock: Clock,
        environment: Mapping[str, str],
        report: Report,
        beat: Beat,
        log: Log,
        publish: Publish,
    ) -> None:
        self._store = store
        self._definitions = definitions
        self._find_task = definitions.catalog.find_task
        body, codec = definitions.body, definitions.codec
        self._inline = InlineExecutor(body, report, beat, codec, settings.concurrency, log, publish)
        self._threads = ThreadExecutor(body, report, beat, codec, settings.threads, log, publish)
        self._settings, self._clock, self._environment = settings, clock, environment
        self._report, self._beat, self._log = report, beat, log
        self._others: dict[str, Executor] = {}
        """Executors that are made when the first attempt needs them, by kind."""

    def route(self, attempt: Attempt) -> Executor:
        # An attempt at an unknown task goes to the inline executor, which reports that as its failure.
        found: Any = attempt.body
        if found is not None:
            return self._inline if found.is_async else self._threads
        workflow = self._definitions.find_edition(attempt.workflow, attempt.version)
        if workflow is None:
            found = self._find_task(attempt.name)
        else:
            kind = workflow.executor_of(attempt)
            if kind != "function":
                return self._http_executor() if kind == "http" else self._process_executor(kind)
            with contextlib.suppress(Refused):
                found = workflow.body(attempt, self._definitions).task
        return self._inline if found is None or found.is_async else self._threads

    def _http_executor(self) -> Executor:
        """Made when the first attempt needs it."""
        known = self._others.get("http")
        if known is not None:
            return known
        from holdfast.executors.http.executor import HttpExecutor

        settings = self._settings
        made = self._others["http"] = HttpExecutor(
            self._definitions.service_call,
            self._live_workers,
            self._report,
            self._beat,
            self._log,
            capacity=settings.concurrency,
            limit=settings.max_payload_bytes,
            call_timeout=dt.timedelta(seconds=settings.worker_call_seconds),
            wait=dt.timedelta(seconds=settings.worker_wait_seconds),
            now=self._clock.now,
        )
        return made

    async def _live_workers(self) -> list[WorkerRecord]:
        since = later(self._clock.now(), -dt.timedelta(seconds=self._settings.worker_ttl_seconds))
        return await self._store.list_workers(self._settings.namespace, since)

    def _process_executor(self, kind: str) -> Executor:
        """Made when the first attempt needs it: most nodes that run code never do."""
        known = self._others.get(kind)
        if known is not None:
            return known
        from holdfast.executors.processes.shell import ShellExecutor
        from holdfast.executors.python.pool import PythonExecutor

        settings = self._settings
        workers = settings.python_workers or max(4, os.cpu_count() or 1)
        capacity = workers if kind == "python" else settings.processes
        make = PythonExecutor if kind == "python" else ShellExecutor
        made = self._others[kind] = make(
            self._definitions.process,
            self._report,
            self._beat,
            self._log,
            capacity=capacity,
            kill_after=settings.kill_after,
            environment=self._environment,
            now=self._clock.now,
        )
        return made

    async def stop(self) -> None:
        for executor in (self._inline, self._threads, *self._others.values()):
            await executor.stop()
