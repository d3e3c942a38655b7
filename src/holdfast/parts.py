"""The parts of which a `Holdfast` consists, made from its settings."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any

from holdfast.authoring.catalog import Catalog, Definitions
from holdfast.authoring.code.context import current_log
from holdfast.authoring.kinds import Kinds
from holdfast.client.retention import Retention
from holdfast.client.waiters import Waiters
from holdfast.core.codec import Codec
from holdfast.core.ids import KeyMaker
from holdfast.core.secret_names import read_sources
from holdfast.core.values import Instant, RunKey, later
from holdfast.core.webhooks import Sent
from holdfast.engine.after_commits import AfterCommits
from holdfast.engine.audit_pruning import AuditPruner
from holdfast.engine.change_pruning import ChangePruner
from holdfast.engine.engine import Engine
from holdfast.engine.node_ids import is_surely_dead, new_node_id
from holdfast.engine.node_reports import NodeReporter
from holdfast.engine.pruning import Pruner
from holdfast.engine.stream_pruning import StreamPruner
from holdfast.engine.system_clock import SystemClock, set_by_database
from holdfast.engine.tuning import Tuning
from holdfast.errors import (
    BadOption,
    Refused,
    StoreFull,
    StoreUnavailable,
)
from holdfast.executors.http.outbound_gate import OutboundGate
from holdfast.executors.inline import InlineExecutor, attempt_of
from holdfast.executors.printing import start_hearing, stop_hearing
from holdfast.executors.task_logging import add_to_logs
from holdfast.executors.threads import ThreadExecutor
from holdfast.ports.alerts import Webhooks, WebhookSender
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Attempt, Beat, Executor, Log, Publish, Report
from holdfast.ports.nodes import EngineStore
from holdfast.ports.store import Store
from holdfast.ports.workers import WorkerRecord, WorkerStore
from holdfast.secret_sources import SecretSources
from holdfast.settings import OIDC_SECRET, Settings, names_sampler, own_environment
from holdfast.stores.open_store import store_for
from holdfast.stores.seals import Seals, seals_for

if TYPE_CHECKING:
    from holdfast.telemetry.prometheus import Metrics
    from holdfast.telemetry.tracing import OpenTelemetry


_log = logging.getLogger("holdfast")
_values_log = logging.getLogger("holdfast.workflow")
_NO_TRACING = "false, or: pip install 'holdfast[tracing]'"


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


def new_tracing(settings: Settings) -> OpenTelemetry | None:
    """Raises BadOption if the extra is not installed."""
    if not settings.tracing:
        return None
    try:
        from holdfast.telemetry.other_processes import IN_EXPORTED_SPAN, IN_SPAN
        from holdfast.telemetry.tracing import OpenTelemetry
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "opentelemetry":
            raise
        raise BadOption("tracing", True, _NO_TRACING) from None
    return OpenTelemetry(version_of_package(), IN_EXPORTED_SPAN if _exports.is_on else IN_SPAN)


class _Exports:
    is_on = False
    """This process sends its spans to a collector, as its setting `tracing` says."""


_exports = _Exports()


def export_spans(settings: Settings) -> Callable[[], None]:
    """For a process that is all ours: sets up the export of its spans, before a `Holdfast` is made. Call what
    it returns at the end, on a thread: it sends the last ones. Raises BadOption if the extra is not
    installed."""
    if not settings.tracing:
        return lambda: None
    try:
        from holdfast.telemetry.exporting import export_in_background
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "opentelemetry":
            raise
        raise BadOption("tracing", True, _NO_TRACING) from None
    end = export_in_background(is_limited=not names_sampler())
    _exports.is_on = True
    return end


def encryption_keys(settings: Settings) -> SecretSources:
    return SecretSources(
        read_sources("encryption_sources", settings.encryption_sources),
        own_environment(),
        command_seconds=settings.secret_command_seconds,
        what="encryption key",
        setting="encryption_sources",
    )


def seals_of(settings: Settings) -> Seals | None:
    """Raises BadOption, SecretNotFound, SecretUnreadable."""
    keys = encryption_keys(settings).read(settings.encryption_keys)
    return seals_for(keys, settings.compress_bytes)


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
        self.tracing = new_tracing(settings)
        self.gate = OutboundGate(settings.outbound)
        self.secrets = SecretSources(
            settings.secret_sources,
            own_environment(),
            command_seconds=settings.secret_command_seconds,
            cached_seconds=settings.secret_cached_seconds,
        )
        sender = _WebhookSender(self.gate, self.secrets, self.clock.now)
        self.webhooks = Webhooks(sender, settings.public_url.rstrip("/"))

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
        after_commits = self._after_commits() if self._is_own_store else []
        reporter = NodeReporter(self.store, self.dice, version_of_package())
        engine = Engine(
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
            after_commits=[*after_commits, reporter] if self._is_own_store else [],
            telemetry=self.metrics,
            tracing=self.tracing,
            secrets=self.secrets,
            find_attempt=attempt_of,
        )
        reporter.describe = engine.describe
        return engine

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
        environment = encryption_keys(self.settings).without_secrets(own_environment())
        environment = self.secrets.without_secrets(environment)
        environment.pop(OIDC_SECRET, None)
        return _ExecutorRoutes(
            self.definitions,
            self.settings,
            self.store,
            self.clock,
            self.gate,
            environment,
            report,
            beat,
            log,
            publish,
            "" if self.tracing is None else self.tracing.in_span,
        )


class _WebhookSender:
    """The HTTP client is imported when the first webhook is sent. That takes long, and few nodes do."""

    def __init__(self, gate: OutboundGate, secrets: SecretSources, now: Callable[[], Instant]) -> None:
        self._parts = gate, secrets, now
        self._sender: WebhookSender | None = None

    async def send(self, url: str, id: str, body: bytes, secret: str | None) -> Sent:
        if self._sender is None:
            try:
                from holdfast.executors.http.webhook_sender import WebhookSender
            except ModuleNotFoundError as error:
                return Sent(problem=f"{error.name} is needed on this node: pip install 'holdfast[server]'")
            self._sender = WebhookSender(*self._parts)
        return await self._sender.send(url, id, body, secret)


class _ExecutorRoutes:
    """Which executor runs an attempt: the event loop, threads, processes, or workers over HTTP."""

    def __init__(
        self,
        definitions: Definitions,
        settings: Settings,
        store: WorkerStore,
        clock: Clock,
        gate: OutboundGate,
        environment: Mapping[str, str],
        report: Report,
        beat: Beat,
        log: Log,
        publish: Publish,
        in_span: str,
    ) -> None:
        self._store = store
        self._in_span = in_span
        self._definitions = definitions
        self._find_task = definitions.catalog.find_task
        body, codec = definitions.body, definitions.codec
        self._inline = InlineExecutor(body, report, beat, codec, settings.concurrency, log, publish)
        self._threads = ThreadExecutor(body, report, beat, codec, settings.threads, log, publish)
        self._settings, self._clock, self._environment = settings, clock, environment
        self._gate = gate
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
            gate=self._gate,
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
            in_span=self._in_span,
        )
        return made

    async def stop(self) -> None:
        for executor in (self._inline, self._threads, *self._others.values()):
            await executor.stop()


def version_of_package() -> str:
    """`0` if it is not installed, but run from its source."""
    try:
        return version("holdfast")
    except PackageNotFoundError:
        return "0"
