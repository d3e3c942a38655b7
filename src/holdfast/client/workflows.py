"""All workflows that the store knows: `hf.workflows`. It lists, reads, compares, publishes and deletes them.

Nodes and clients register the workflows that they have; a DAG or a flow may also be published as text, and is
then run by any node. A published version never changes, because runs are pinned to it. Each change is decided
on what was read before; the store refuses it if another client was faster, and it is decided again.
"""

from __future__ import annotations

import asyncio
import builtins
import datetime as dt
import difflib
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from holdfast.client.schedules import ScheduleInfo, Schedules
from holdfast.client.workflow_numbers import (
    NumberStore,
    WorkflowActivities,
    read_activity,
    read_statistics,
)
from holdfast.core.graphs import Graph, GraphLayout
from holdfast.core.input_schemas import UpdateSchema, read_schema, read_updates
from holdfast.core.names import check_not_ours, checked_name, checked_version, is_name
from holdfast.core.records import PUBLISHED_ORIGIN, Definition
from holdfast.core.values import Instant, RunStatus, moment
from holdfast.core.workflow_numbers import WorkflowStatistics
from holdfast.errors import (
    BadDocument,
    BadOption,
    NoGraph,
    Problem,
    ScheduleNotFound,
    ScheduleTaken,
    VersionConflict,
    WorkflowChanged,
    WorkflowInUse,
    WorkflowNotFound,
    WorkflowTaken,
    WrongType,
    show,
)
from holdfast.ports.flows import PUBLISHED, FlowVersion, definition_of
from holdfast.ports.runs import RunPage
from holdfast.ports.workflow_store import DELETED, StoredVersion, WorkflowVersionRow
from holdfast.ports.workflows import Workflows, WorkflowText

_KINDS: Final = ("code", "dag", "flow", "task")
_LARGEST_PAGE: Final = 1000
_MOST_VERSIONS: Final = 10_000
_MOST_RUNS_COUNTED: Final = 1000
_LONGEST_NAME: Final = 200
_TRIES: Final = 20
_OPEN: Final = [status for status in RunStatus if not status.is_final]


class WorkflowInfo(msgspec.Struct, frozen=True):
    name: str
    kind: str
    """`code`, `dag`, `flow`, or `task` for a task that was started by itself."""
    version: str
    """The newest: the published version with the highest number, or else the one that was registered last."""
    is_published: bool
    """Whether the newest version was published. Then any node can run it."""
    versions: int
    seen_at: dt.datetime
    """When a version was registered or published last, to the minute."""


class WorkflowVersionInfo(msgspec.Struct, frozen=True):
    name: str
    version: str
    kind: str
    hash: str
    """Of what it means. It serves as an ETag."""
    origin: str
    """Where it was found last: `module:name`, or a file. Empty if it was published."""
    is_published: bool
    created_at: dt.datetime
    seen_at: dt.datetime


class WorkflowUpdate(msgspec.Struct, frozen=True):
    """An update that runs of a workflow take."""

    name: str
    description: str
    """The first line of its handler's docstring."""
    parameters: list[str]
    """In the order of the arguments. The last may be like `*items`, for any number of them."""
    schema: dict[str, Any] | None
    """The JSON Schema of an object with a field for each parameter. None: not known."""


class WorkflowDetails(WorkflowVersionInfo, frozen=True):
    definition: str
    """The text of a DAG or a flow, or the source of code."""
    input_schema: dict[str, Any] | None
    """The JSON Schema of its input. None: not known."""
    updates: list[WorkflowUpdate] = []
    """Those that methods of a class workflow handle. Code may register more while it runs."""


class PublishedWorkflow(WorkflowVersionInfo, frozen=True):
    is_new: bool
    """False if the newest version means the same. Then it is this version."""
    schedule: ScheduleInfo | None
    """The one in the text."""


class WorkflowChange(msgspec.Struct, frozen=True):
    path: str
    """As `$.tasks.extract.retries`."""
    kind: str
    """`added`, `removed` or `changed`"""
    before: Any
    after: Any


class WorkflowDiff(msgspec.Struct, frozen=True):
    name: str
    before: str
    after: str
    changes: list[WorkflowChange]
    """Of a DAG or a flow. Empty for code."""
    text: str
    """A unified diff of the two definitions."""


class WorkflowGraph(msgspec.Struct, frozen=True):
    name: str
    version: str
    graph: Graph
    """Its nodes and edges, and what they say."""
    layout: GraphLayout
    """Where they are, in pixels."""


class DeletedWorkflow(msgspec.Struct, frozen=True):
    name: str
    versions: int
    schedules: list[str]
    """Those that were deleted with it."""
    open_runs: int
    """How many of its runs have not ended, up to 1,000. They go on."""
    may_come_back: bool
    """Nodes or programs have brought versions of it, and register them again if they still have them."""


class WorkflowVersions:
    def __init__(
        self,
        store: NumberStore,
        workflows: Workflows,
        schedules: Schedules,
        *,
        namespace: str,
        now: Callable[[], Instant],
    ) -> None:
        self._store = store
        self._workflows = workflows
        self._schedules = schedules
        self._namespace = namespace
        self._now = now

    # --- reading

    async def list(
        self, *, kind: str | None = None, limit: int = 100, after: str = ""
    ) -> builtins.list[WorkflowInfo]:
        """Up to `limit` workflows in the order of their names, those after the name `after`."""
        if kind is not None and kind not in _KINDS:
            raise BadOption("kind", kind, f"one of {', '.join(_KINDS)}")
        if type(limit) is not int or not 1 <= limit <= _LARGEST_PAGE:
            raise BadOption("limit", limit, f"a whole number from 1 to {_LARGEST_PAGE:,}")
        after = "" if after == "" else checked_name("after", after)
        found = await self._store.list_workflows(self._namespace, kind, after, limit)
        return [WorkflowInfo(*each[:5], moment(each.seen_at)) for each in found]

    async def get(self, name: str, version: str | int | None = None) -> WorkflowDetails:
        """That version, or the newest. Raises WorkflowNotFound."""
        found = await self._find(name, version)
        schema = await asyncio.to_thread(self._schema_of, found.definition)
        return _details(found, schema, read_updates(found.definition.input_schema))

    async def versions(self, name: str) -> builtins.list[WorkflowVersionInfo]:
        """The newest first; drafts of flows are left out. Raises WorkflowNotFound."""
        rows = [row for row in await self._rows(name) if row.status == PUBLISHED]
        if not rows:
            raise WorkflowNotFound(name, self._namespace)
        return [_version_info(name, row) for row in rows]

    async def input_schema(self, name: str, version: str | int | None = None) -> dict[str, Any] | None:
        """The JSON Schema of the input, as runs have it. None: an older release has registered this version,
        or a type of its parameters cannot be described. Raises WorkflowNotFound."""
        found = await self._find(name, version)
        return await asyncio.to_thread(self._schema_of, found.definition)

    async def diff(self, name: str, before: str | int, after: str | int) -> WorkflowDiff:
        """What has changed between two versions. Raises WorkflowNotFound, BadDocument."""
        first = (await self._find(name, before)).definition
        second = (await self._find(name, after)).definition
        changes = await asyncio.to_thread(self._workflows.reader.compare, first, second)
        lines = difflib.unified_diff(
            first.source.splitlines(keepends=True),
            second.source.splitlines(keepends=True),
            f"{name} {first.version}",
            f"{name} {second.version}",
        )
        return WorkflowDiff(
            name,
            first.version,
            second.version,
            [WorkflowChange(each.path, each.kind, each.before, each.after) for each in changes],
            "".join(line if line.endswith("\n") else f"{line}\n" for line in lines),
        )

    async def graph(self, name: str, version: str | int | None = None) -> WorkflowGraph:
        """The graph of a DAG or a flow, and where its parts are drawn. Raises WorkflowNotFound, and NoGraph
        for code."""
        definition = (await self._find(name, version)).definition
        found = await asyncio.to_thread(self._workflows.reader.graph, definition)
        if found is None:
            raise NoGraph(name, definition.kind)
        return WorkflowGraph(name, definition.version, *found)

    async def statistics(self, name: str, *, last: dt.timedelta | None = None) -> WorkflowStatistics:
        """What the newest runs of a workflow say about it: how long they take, how many fail, by version and
        by task. 500 runs are looked at, and 20,000 of their tasks. With `last`, only runs that were created
        in the time up to now. Raises WorkflowNotFound."""
        found = await read_statistics(self._store, self._namespace, name, last, self._now())
        if not found.looked_at:
            await self._find(name, None)
        return found

    async def activity(
        self, *, last: dt.timedelta = dt.timedelta(hours=24), step: dt.timedelta | None = None
    ) -> WorkflowActivities:
        """What happened to the runs of each workflow that were created in the time up to now: how many have
        ended and failed, when, and the newest ones. 10,000 runs are looked at."""
        return await read_activity(self._store, self._namespace, last, step, self._now())

    # --- publishing

    async def validate(
        self, text: str, *, kind: str | None = None, name: str | None = None, file: str | None = None
    ) -> builtins.list[Problem]:
        """What `put` would refuse in this text, each with its place. Nothing is stored."""
        try:
            await self._read(text, kind, name, file)
        except BadDocument as bad:
            return bad.problems
        return []

    async def put(
        self,
        text: str,
        *,
        kind: str | None = None,
        name: str | None = None,
        file: str | None = None,
        renames: bool = True,
        replaces: str | None = None,
    ) -> PublishedWorkflow:
        """Publish the text of a DAG or a flow as the next version, which any node can run.

        A text that means the same as the newest version is that version. `kind` is `dag` or `flow`; without
        it, the text tells. `name` replaces the name in the text; without `renames`, a text that has another
        name is refused. `file` is where problems are. The schedule in a DAG is put, or deleted if the text
        has none any more.

        `replaces` is the hash that the newest version must have, or "" if there must be none. It is also
        good if the newest version has become what the text means: then an earlier call has done it.

        Raises BadDag and BadFlow with all problems, WorkflowTaken if the name belongs to a workflow of
        another kind, WorkflowChanged if the newest version is not the one that `replaces` names, and
        ScheduleTaken.
        """
        read = await self._read(text, kind, name, file)
        check_not_ours(read.name)
        if not renames and name is not None and read.own_name not in ("", name):
            raise BadOption("name", name, f"the name in the text, {show(read.own_name)}")
        if read.plan is not None:
            await self._check_schedule(read.name)
        for _ in range(_TRIES):
            rows = await self._rows(read.name)
            taken = next((row.kind for row in rows if row.status != DELETED and row.kind != read.kind), None)
            if taken is not None:
                raise WorkflowTaken(read.name, taken, read.kind)
            newest = next((row for row in rows if row.number is not None and row.status == PUBLISHED), None)
            _check_replaced(read, replaces, next((row.hash for row in rows if row.status == PUBLISHED), ""))
            if newest is not None and newest.hash == read.hash:
                return await self._published(read, newest, is_new=False)
            number = max((row.number for row in rows if row.number is not None), default=0) + 1
            new = FlowVersion(
                read.name, number, PUBLISHED, read.hash, text, self._now(), read.kind, read.input_schema
            )
            if await self._store.publish_version(self._namespace, new, read.description):
                row = WorkflowVersionRow(
                    str(number), read.kind, PUBLISHED, read.hash, "", number, new.created_at, new.created_at
                )
                return await self._published(read, row, is_new=True, version=new)
        raise VersionConflict(read.name, "next")

    async def delete(self, name: str, *, force: bool = False) -> DeletedWorkflow:
        """Delete all versions: nobody can start them by name any more, and they are not listed.

        Their text stays in the store: runs that have ended can be read and retried. Refused with
        WorkflowInUse while runs of it have not ended, or while schedules start it. With `force`, these
        schedules are deleted, and these runs go on to their end with the versions that they began with;
        nothing is parked or cancelled.

        What a node or a program still has is registered again when it starts, or starts a run of it. Raises
        WorkflowNotFound.
        """
        rows = [row for row in await self._rows(name) if row.status != DELETED]
        if not rows:
            raise WorkflowNotFound(name, self._namespace)
        known = [each for each in await self._schedules.list() if each.workflow.partition("@")[0] == name]
        others = [each.name for each in known if each.origin != PUBLISHED_ORIGIN]
        page = RunPage(statuses=_OPEN, workflow=name)
        open_runs = await self._store.count_runs(self._namespace, page, _MOST_RUNS_COUNTED)
        if (open_runs or others) and not force:
            raise WorkflowInUse(name, open_runs, others)
        for each in known:
            await self._delete_schedule(each.name)
        versions = await self._store.delete_workflow(self._namespace, name)
        brought = any(row.number is None for row in rows)
        return DeletedWorkflow(name, versions, [each.name for each in known], open_runs, brought)

    # --- parts

    async def _read(self, text: Any, kind: str | None, name: str | None, file: str | None) -> WorkflowText:
        if not isinstance(text, str):
            raise WrongType("text", f"expected text, got {type(text).__name__}")
        if kind not in (None, "dag", "flow"):
            raise BadOption("kind", kind, "dag or flow, or left out")
        if name is not None and (
            not is_name(name) or len(name) > _LONGEST_NAME or "@" in name or "/" in name
        ):
            expected = f"text of 1 to {_LONGEST_NAME} characters without '@', '/' and NUL"
            raise BadOption("name", name, expected)
        # In a thread, because parsing a long text would block the event loop.
        return await asyncio.to_thread(self._workflows.reader.read, text, kind=kind, name=name, file=file)

    async def _rows(self, name: str) -> builtins.list[WorkflowVersionRow]:
        if not is_name(name):
            return []
        return await self._store.list_workflow_versions(self._namespace, name, _MOST_VERSIONS)

    async def _find(self, name: str, version: str | int | None) -> StoredVersion:
        """Raises WorkflowNotFound."""
        wanted = None if version is None else checked_version(version)
        found = await self._store.find_version(self._namespace, name, wanted) if is_name(name) else None
        if found is None:
            raise WorkflowNotFound(name, self._namespace, wanted)
        return found

    def _schema_of(self, definition: Definition) -> dict[str, Any] | None:
        try:
            schema = read_schema(self._workflows.reader.input_schema(definition))
        except BadDocument:  # of a later release
            return None
        return None if schema is None else schema.schema

    async def _check_schedule(self, name: str) -> None:
        """Raises ScheduleTaken if the schedule of that name starts another workflow."""
        try:
            known = await self._schedules.get(name)
        except ScheduleNotFound:
            return
        if known.workflow.partition("@")[0] != name:
            raise ScheduleTaken(name, known.workflow.partition("@")[0], name)

    async def _published(
        self, read: WorkflowText, row: WorkflowVersionRow, *, is_new: bool, version: FlowVersion | None = None
    ) -> PublishedWorkflow:
        """Puts the schedule, too: also of a version that was there, in case that a crash came between."""
        schedule = None
        if read.plan is not None:
            if version is None:
                definition = (await self._find(read.name, row.version)).definition
            else:
                definition = definition_of(version)
            startable = await asyncio.to_thread(self._workflows.startable_as, definition)
            schedule = await self._schedules.put_plan(
                read.name, startable, read.plan, read.schedule_input, origin=PUBLISHED_ORIGIN
            )
        elif any(
            (each.name, each.origin) == (read.name, PUBLISHED_ORIGIN) for each in await self._schedules.list()
        ):
            await self._delete_schedule(read.name)
        return PublishedWorkflow(
            **msgspec.structs.asdict(_version_info(read.name, row)), is_new=is_new, schedule=schedule
        )

    async def _delete_schedule(self, name: str) -> None:
        try:
            await self._schedules.delete(name)
        except ScheduleNotFound:
            pass  # another client was faster


def _check_replaced(read: WorkflowText, replaces: str | None, newest: str) -> None:
    """Raises WorkflowChanged."""
    if replaces is None or replaces == newest:
        return
    if not replaces or newest != read.hash:
        raise WorkflowChanged(read.name, replaces, newest)


def _version_info(name: str, row: WorkflowVersionRow) -> WorkflowVersionInfo:
    return WorkflowVersionInfo(
        name,
        row.version,
        row.kind,
        row.hash,
        row.origin,
        row.number is not None,
        moment(row.created_at),
        moment(row.seen_at),
    )


def _details(
    found: StoredVersion, schema: dict[str, Any] | None, updates: Mapping[str, UpdateSchema]
) -> WorkflowDetails:
    definition = found.definition
    return WorkflowDetails(
        definition.name,
        definition.version,
        definition.kind,
        definition.hash,
        definition.origin,
        definition.is_published,
        moment(found.created_at),
        moment(found.seen_at),
        definition.source,
        schema,
        [_update(name, each) for name, each in sorted(updates.items())],
    )


def _update(name: str, update: UpdateSchema) -> WorkflowUpdate:
    known = update.arguments
    parameters, schema = ([], None) if known is None else (known.parameter_titles(), known.schema)
    return WorkflowUpdate(name, update.description, parameters, schema)
