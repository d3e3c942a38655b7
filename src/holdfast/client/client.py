"""The use cases: everything that users can do with runs. The HTTP API and the CLI are thin layers over it.

A client needs a store and a catalog. It works the same without an engine in its process; with one, starting
runs is faster.
"""

from __future__ import annotations

import asyncio
import builtins
import datetime as dt
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from types import UnionType
from typing import Any, ParamSpec, TypeVar, Unpack, overload

import msgspec

from holdfast.client.alerts import new_alerts
from holdfast.client.archives import Archives, ArchiveSource, ImportOptions, ImportReport
from holdfast.client.attention import AttentionReader
from holdfast.client.audit import Audit
from holdfast.client.backlogs import Backlogs
from holdfast.client.batches import RunBatches, packed
from holdfast.client.bulk_acts import BulkActs
from holdfast.client.bulk_jobs import BulkJobs, BulkParts
from holdfast.client.bulk_work import BulkWork
from holdfast.client.existing_runs import difference, differs
from holdfast.client.explaining import Explainer
from holdfast.client.families import Families
from holdfast.client.fleet import Fleet
from holdfast.client.flows import Flows, version_number
from holdfast.client.keys import Keys
from holdfast.client.namespace_reading import NamespaceReading
from holdfast.client.operators import Operators
from holdfast.client.posting import MessagePoster
from holdfast.client.retention import PruneOptions, PruneReport, Retention
from holdfast.client.run import (
    Run,
    RunInfo,
    run_info,
)
from holdfast.client.run_filters import RunConditions
from holdfast.client.run_overviews import RunOverviews
from holdfast.client.schedules import Schedules
from holdfast.client.sessions import Sessions
from holdfast.client.signals import PosterOfRuns
from holdfast.client.starting import Restarter, Starter
from holdfast.client.stats import Stats
from holdfast.client.traced_calls import starting
from holdfast.client.waiters import Waiters
from holdfast.client.workers import Workers
from holdfast.client.workflows import WorkflowVersions
from holdfast.core.bulk import BULK
from holdfast.core.explanations import Explanation
from holdfast.core.names import check_keywords, is_name
from holdfast.core.records import Definition, RunRecord
from holdfast.core.run_options import (
    PLAIN_TERMS,
    TAKES_IDS,
    IdPolicy,
    RunTerms,
    StartOptions,
    StartTarget,
    root_and_options,
)
from holdfast.core.values import Instant, Payload, RunKey, key_text
from holdfast.errors import (
    BadDocument,
    BadOption,
    ForbiddenInWorkflow,
    NotPublished,
    RunExists,
    RunNotFound,
    UnknownWorkflow,
    WrongLoop,
    WrongType,
    show,
)
from holdfast.ports.alerts import Webhooks
from holdfast.ports.clients import ClientStore
from holdfast.ports.outbound import AddressGate
from holdfast.ports.runs import StartedRuns
from holdfast.ports.tracing import ClientTracing
from holdfast.ports.workflows import HasRun, Startable, Workflows

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Client(NamespaceReading, RunBatches):
    def __init__(
        self,
        store: ClientStore,
        workflows: Workflows,
        starter: Starter,
        waiters: Waiters,
        *,
        namespace: str,
        now: Callable[[], Instant],
        new_key: Callable[[Instant], RunKey],
        worker_ttl: dt.timedelta = dt.timedelta(seconds=15),
        queue_lease: dt.timedelta = dt.timedelta(seconds=60),
        is_alive: Callable[[str], bool | None] = lambda _: None,
        tracing: ClientTracing | None = None,
        gate: AddressGate | None = None,
        webhooks: Webhooks | None = None,
    ) -> None:
        """`is_alive` says whether a node is there; None: it cannot know. `gate` says where users may have
        nodes connect. `webhooks` is what a node sends alerts with."""
        self._tracing = tracing
        self._store = store
        self._workflows = workflows
        self._starter = starter
        self._restarter = Restarter(store, namespace=namespace, now=now, new_key=new_key)
        self._waiters = waiters
        self._poster = MessagePoster(store, namespace=namespace, now=now)
        workflows.send_with(PosterOfRuns(self._poster, namespace))
        self._new_key = new_key
        self._operators = Operators(store, namespace=namespace, now=now)
        self._families = Families(store, store, workflows, waiters, namespace=namespace, now=now)
        self._retention = Retention(store, namespace=namespace, now=now)
        self._bulk_acts = BulkActs(
            store,
            self._poster,
            self._operators,
            self._families,
            self._retention,
            workflows.encode,
            namespace=namespace,
        )
        work = BulkWork(store, self._bulk_acts, self._retention, namespace=namespace)
        workflows.do_own_with(BULK, work)
        self.bulk = BulkJobs(
            BulkParts(self, store, workflows, work, namespace, now, self._check_loop, self._submit_with)
        )
        self._explainer = Explainer(
            store, namespace=namespace, now=now, worker_ttl=worker_ttl, is_alive=is_alive
        )
        delete, check, lacks = self._retention.delete_many, self._check_loop, self._explainer.lacks_of
        self.alerts = new_alerts(
            self, store, workflows, self._submit_with, gate, webhooks, delete, namespace, now, check, lacks
        )
        self._archives = Archives(store, namespace=namespace, now=now, calls=self._calls_of)
        self.schedules = Schedules(store, self._startable, self._submit, namespace=namespace, now=now)
        self.flows = Flows(store, workflows.flow_reader, namespace=namespace, now=now)
        self.workflows = WorkflowVersions(store, workflows, self.schedules, namespace=namespace, now=now)
        self.workers = Workers(
            store,
            namespace=namespace,
            now=now,
            ttl=worker_ttl,
            queue_lease=queue_lease,
            encode=workflows.encode,
            gate=gate,
        )
        self.keys = Keys(store, namespace=namespace, now=now)
        self.sessions = Sessions(store, namespace=namespace, now=now)
        self.audit = Audit(store, namespace=namespace, now=now)
        self.run_overviews = RunOverviews(store, namespace=namespace)
        self._fleet = Fleet(store, namespace=namespace, now=now, is_alive=is_alive)
        self.backlogs = Backlogs(store, self._explainer, namespace=namespace, now=now)
        self._stats = Stats(store, namespace=namespace, now=now)
        self._attention = AttentionReader(
            store,
            self._explainer,
            self._fleet,
            self.schedules,
            self._stats,
            namespace=namespace,
            now=now,
            worker_ttl=worker_ttl,
        )
        self._now = now
        self._registered: set[tuple[str, str]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self.namespace = namespace

    def _bind_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Allow calls on this event loop only."""
        self._loop = loop
        self._thread = threading.get_ident()

    async def _settle(self) -> None:
        """Write what waits to be written, and answer nobody any more. For whoever closes the store."""
        await self._poster.close()
        await self.keys.close()
        await self.sessions.close()
        await self.audit.close()
        await self._waiters.close()

    def _check_loop(self) -> None:
        if self._loop is None or asyncio.get_running_loop() is self._loop:
            return
        if threading.get_ident() != self._thread or not self._loop.is_running():
            raise WrongLoop
        # Our loop is running in this thread, and another loop runs inside it: that of a workflow.
        raise ForbiddenInWorkflow(
            "calling holdfast itself (use context().start_child to start a run, and signal_run to signal one)"
        )

    # --- starting

    @overload
    async def start(self, workflow: StartTarget[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Run[R]: ...
    @overload
    async def start(
        self,
        workflow: StartTarget[..., R],
        /,
        *args: Any,
        id: str | None,
        version: str | int | None = None,
        **kwargs: Any,
    ) -> Run[R]: ...
    @overload
    async def start(
        self, workflow: StartTarget[..., R], /, *args: Any, version: str | int | None, **kwargs: Any
    ) -> Run[R]: ...
    @overload
    async def start(
        self,
        workflow: type[HasRun[..., R]],
        /,
        *args: Any,
        id: str | None = None,
        version: str | int | None = None,
        **kwargs: Any,
    ) -> Run[R]: ...
    @overload
    async def start(
        self,
        workflow: str,
        /,
        *args: Any,
        id: str | None = None,
        version: str | int | None = None,
        **kwargs: Any,
    ) -> Run[Any]: ...
    async def start(
        self,
        workflow: Any,
        /,
        *args: Any,
        id: str | None = None,
        version: str | int | None = None,
        **kwargs: Any,
    ) -> Run[Any]:
        """Start a run. When this returns, the run is recorded, and will be finished even after a crash.

        `id` makes the call idempotent: if a run with that id exists, you get that one. Type checkers compare
        the arguments with the parameters of the workflow, but not in a call with `id` or `version`: for both,
        write `hf.start(order.options(id=…), 5)`.
        """
        return await self.start_with(workflow, args, kwargs, id=id, version=version)

    async def start_with(
        self,
        workflow: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        id: str | None = None,
        version: str | int | None = None,
    ) -> Run[Any]:
        """`start` for arguments of any name, even `id` and `version`."""
        target, options = root_and_options(workflow, id, version)
        startable = await self._startable(target, options.version)
        options.check_policy([options.id])
        runs = [(packed(startable, args, kwargs), options.id)]
        [run] = await self._submit_with(startable, runs, options)
        return run

    async def preview_input(self, workflow: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The input that a run with these arguments would have, as plain values. Raises WrongType."""
        startable = await self._startable(workflow, None)
        return self._decode_plain(startable.pack(args, kwargs))

    @overload
    async def run(self, workflow: StartTarget[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    async def run(self, workflow: StartTarget[..., R], /, *args: Any, id: str | None, **kwargs: Any) -> R: ...
    @overload
    async def run(
        self, workflow: type[HasRun[..., R]], /, *args: Any, id: str | None = None, **kwargs: Any
    ) -> R: ...
    @overload
    async def run(self, workflow: str, /, *args: Any, id: str | None = None, **kwargs: Any) -> Any: ...
    async def run(self, workflow: Any, /, *args: Any, id: str | None = None, **kwargs: Any) -> Any:
        """Start a run and wait for its result."""
        run = await self.start(workflow, *args, id=id, **kwargs)
        return await run.result()

    async def _startable(self, workflow: Any, version: str | int | None) -> Startable:
        """The workflow, from this process or a published flow; or else the task. Registers it."""
        self._check_loop()
        try:
            startable = self._workflows.startable(workflow, version)
        except UnknownWorkflow:
            found = await self._startable_by_name(workflow, version)
            if found is None:
                raise
            startable = found
        for name in startable.calls:
            called = await self._find_published(name, None)
            if called is not None:
                self._workflows.learn_published(called)
        definition = startable.definition
        if (definition.name, definition.version) not in self._registered:
            await self._store.register_definitions(self.namespace, [definition], self._now())
            self._registered.add((definition.name, definition.version))
        return startable

    def _calls_of(self, published: Definition) -> Sequence[str]:
        try:
            return self._workflows.startable_as(published).calls
        except BadDocument:  # of a later version: what it calls is not known here
            return ()

    async def _startable_by_name(self, workflow: Any, version: str | int | None) -> Startable | None:
        """A published flow, the task of that name, or what another process has. Raises NotPublished."""
        published = await self._find_published(workflow, version)
        if published is not None:
            return self._workflows.startable_as(published)
        await self._refuse_unpublished(workflow, version)
        if not isinstance(workflow, str):
            return None
        task = self._workflows.startable_task(workflow) if version is None else None
        return task or await self._startable_elsewhere(workflow, version)

    async def _startable_elsewhere(self, name: str, version: str | int | None) -> Startable | None:
        """A workflow that only other processes have."""
        if version is None:
            known = await self._store.find_newest_definition(self.namespace, name)
        else:
            found = await self._store.find_version(self.namespace, name, str(version))
            known = None if found is None else found.definition
        if known is None:
            return None
        self._registered.add((known.name, known.version))
        return self._workflows.startable_elsewhere(known)

    async def _refuse_unpublished(self, workflow: Any, version: str | int | None) -> None:
        """Raises NotPublished if it is a flow without a published version."""
        if isinstance(workflow, str) and await self._store.find_flow(self.namespace, workflow) is not None:
            raise NotPublished(workflow, version)

    async def _find_published(self, workflow: Any, version: str | int | None) -> Definition | None:
        number = None if version is None else version_number(str(version))
        if not isinstance(workflow, str) or (version is not None and number is None):
            return None
        found = await self._store.find_published_definition(self.namespace, workflow, number)
        if found is not None:
            self._registered.add((found.name, found.version))
        return found

    async def _submit_with(
        self, startable: Startable, runs: Sequence[tuple[Payload, str | None]], options: StartOptions
    ) -> builtins.list[Run[Any]]:
        """Start a run for each packed input and id, as the options say."""
        name, policy = startable.definition.name, options.id_policy
        with starting(self._tracing, name, runs, options.terms(self._now())) as terms:
            if not runs or policy not in TAKES_IDS:
                return await self._submit(startable, runs, terms, policy)
            replaces = policy == IdPolicy.REPLACE
            started = await self._restarter.restart_runs(
                name, startable.pinned, runs, terms, replaces=replaces, by=options.by
            )
        self._starter.take_up(started.keys)
        await self._check_existing(name, runs, started, policy)
        return self._handles(startable, runs, started)

    async def _submit(
        self,
        startable: Startable,
        runs: Sequence[tuple[Payload, str | None]],
        terms: RunTerms = PLAIN_TERMS,
        policy: str | None = None,
    ) -> builtins.list[Run[Any]]:
        """Start a run for each packed input and id. `policy` says what to do about ids that are taken; None:
        return the runs that have them."""
        if not runs:
            return []
        name = startable.definition.name
        started = await self._starter.start_runs(name, startable.pinned, runs, terms)
        if started.existing and policy is not None:
            await self._check_existing(name, runs, started, policy)
        return self._handles(startable, runs, started)

    def _handles(
        self, startable: Startable, runs: Sequence[tuple[Payload, str | None]], started: StartedRuns
    ) -> builtins.list[Run[Any]]:
        unpack = startable.unpack_result
        return [Run(self, key, id, unpack) for key, (_, id) in zip(started.keys, runs, strict=True)]

    async def _check_existing(
        self,
        workflow: str,
        runs: Sequence[tuple[Payload, str | None]],
        started: StartedRuns,
        policy: str,
    ) -> None:
        """Raises RunExists if a run that has one of the ids is not the one that was asked for."""
        found = {run.key: run for run in await self._store.find_runs(self.namespace, started.existing)}
        for run in [run for run in found.values() if run.chapter]:
            for first in await self._store.list_chapters(self.namespace, run.key, 0, 1):
                found[run.key] = msgspec.structs.replace(run, input=first.input)  # it was started with this
        for key, (input, id) in zip(started.keys, runs, strict=True):
            known = found.get(key)
            if known is not None and (policy == IdPolicy.REFUSE or differs(known, workflow, input)):
                raise RunExists(id or "", key_text(key), difference(known, workflow, input))

    async def register_all(self) -> None:
        """Register every workflow of this process in the store. Raises VersionConflict."""
        definitions = self._workflows.stored()
        await self._store.register_definitions(self.namespace, definitions, self._now())
        self._registered.update((each.name, each.version) for each in definitions)

    # --- reading

    async def get(self, id: str) -> Run[Any]:
        """The run with that id. Raises RunNotFound."""
        return Run(self, await self.key_of(id), id, self._decode_plain)

    async def describe(self, run: Run[Any] | str) -> RunInfo:
        return run_info(await self._find(run), self._workflows, self._now())

    async def explain(self, run: Run[Any] | str) -> Explanation:
        """Why the run does not go on: everything that it waits for, since when, what would move it, and what
        is wrong. It is computed from what is open in the store. Of an ended run: how and when it ended."""
        found = await self._explainer.explain(await self.key_of(run))
        if found is None:
            raise RunNotFound(run if isinstance(run, str) else run.id, self.namespace)
        return found

    async def definition(self, run: Run[Any] | str) -> Definition | None:
        """The definition that the run is pinned to, with its origin, so that the definition can be loaded
        again. None if the store does not have that version."""
        record = await self._find(run)
        found = await self._store.find_definitions(self.namespace, [(record.workflow, record.version)])
        return found[0] if found else None

    @overload
    async def result(self, run: Run[R]) -> R: ...
    @overload
    async def result(self, run: str) -> Any: ...
    @overload
    async def result(self, run: str, type: type[T]) -> T: ...
    @overload
    async def result(self, run: str, type: UnionType) -> Any: ...
    async def result(self, run: Run[Any] | str, type: Any = Any) -> Any:
        """Wait for a run to end and return its result. Raises the error that it failed with.

        `type` is for a run given by its id. A handle from `start` knows the type of its result.
        """
        if isinstance(run, Run):
            return await run.result()
        key = await self.key_of(run)
        what = f"the result of run {show(run)}"
        return await Run(self, key, run, lambda payload: self._workflows.decode(payload, type, what)).result()

    # --- deleting

    async def delete(self, run: Run[Any] | str) -> PruneReport:
        """Delete a run that has ended, with everything that the store has about it and with its children. Its
        id may be given to another run then.

        Children that were started detached stay. Raises NotEnded if the run or one of its children has not
        ended, and NeededByParent if the run is itself a child: it goes with its parent.
        """
        return await self._retention.delete(await self._find(run))

    async def prune(self, older_than: dt.timedelta, **options: Unpack[PruneOptions]) -> PruneReport:
        """Delete runs that ended longer ago than `older_than`, each with its children, as `delete` does. Runs
        that cannot be deleted are kept.

        `status` and `workflow` choose among them, and no more than `limit` are deleted, not counting
        children. A dry run (`dry_run=True`) only counts. `progress` is called now and then. Nodes go on with
        their work meanwhile. If this is interrupted, the next call finishes what it has begun.
        """
        self._check_loop()
        check_keywords("option", options, PruneOptions)
        return await self._retention.prune_older(older_than, options)

    # --- exporting and importing

    async def export_runs(
        self, *ids: str, children: bool = True, ended: bool = False, **conditions: Unpack[RunConditions]
    ) -> AsyncIterator[str]:
        """The runs of these ids, or all that match the conditions, as lines that `import_runs` reads.

        A run comes with its children and theirs, all as they are at one instant. So conditions choose among
        runs that have no parent, unless `children=False`. With `ended=True`, runs are left out that have not
        ended, or that have a child that has not.
        """
        if ids and (ended or conditions):
            raise BadOption("ids", ids, "given without conditions: they name the runs")
        which = await self._filter(conditions, None, 1)  # refuses bad conditions before the first line
        keys = [await self.key_of(id) for id in ids]
        async for line in self._archives.export_lines(keys, which, children=children, ended=ended):
            yield line

    async def import_runs(self, source: ArchiveSource, **options: Unpack[ImportOptions]) -> ImportReport:
        """Import runs from a file that was exported, or from its lines, with everything that belongs to them.

        The whole file is checked first; if a run cannot be imported, none is. Runs that are here already and
        are the same are left as they are; others with the same key or id are refused, or left out with
        `skip_existing=True`. A run that has not ended is refused unless `live=True`: then it goes on here.
        A dry run (`dry_run=True`) only checks. `progress` is called now and then.

        Raises BadArchive, CannotImport and VersionConflict.
        """
        self._check_loop()
        check_keywords("option", options, ImportOptions)
        return await self._archives.import_runs(source, options)

    # --- for handles

    def _handle(self, key: RunKey, id: str, unpack: Callable[[Payload], Any]) -> Run[Any]:
        return Run(self, key, id, unpack)

    async def key_of(self, run: Run[Any] | str) -> RunKey:
        self._check_loop()
        return run.key if isinstance(run, Run) else (await self._find(run)).key

    def _check_run(self, run: Run[Any] | str) -> None:
        self._check_loop()
        if not isinstance(run, (Run, str)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongType("a run", f"expected a handle or the id of a run, got {show(run)}")
        if isinstance(run, str) and not is_name(run):
            raise RunNotFound(run, self.namespace)  # no run can have such an id

    async def _find(self, run: Run[Any] | str) -> RunRecord:
        self._check_run(run)
        record = await self._store.find_run(self.namespace, run.key if isinstance(run, Run) else run)
        if record is None:
            raise RunNotFound(run.id if isinstance(run, Run) else run, self.namespace)
        return record

    @property
    def waiters(self) -> Waiters:
        self._check_loop()
        return self._waiters

    def _decode_plain(self, payload: Payload) -> Any:
        return self._workflows.decode(payload, Any, "a stored value")
