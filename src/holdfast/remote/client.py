"""The calls of a client, over the HTTP API of a server.

`RemoteClient` comes before `Holdfast` among the bases of the class that users get, so whatever is defined
here and in the modules that it is made of replaces the local call. tests/remote/test_every_call.py goes
through all public calls: each is done over HTTP here, made of other calls, or refused by name.
"""

from __future__ import annotations

import asyncio
import builtins
import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from random import Random, SystemRandom
from typing import Any, Final, Literal, ParamSpec, TypeVar

import msgspec

from holdfast.client.batches import Call, packed
from holdfast.client.carried_trace import CarriedTrace
from holdfast.client.posting import new_uid
from holdfast.client.run import Run
from holdfast.client.signals import Signal, signal_letter
from holdfast.client.waiters import Ending
from holdfast.core.ids import KeyMaker
from holdfast.core.names import checked_address_name, checked_name
from holdfast.core.run_options import IdPolicy, StartOptions, StartTarget, root_and_options
from holdfast.core.values import Payload, RunKey, instant, key_from_text, key_text
from holdfast.errors import (
    BadOption,
    NotOverHttp,
    OpenedBefore,
    Refused,
    ServerFailed,
)
from holdfast.ports.tracing import TraceHeaders
from holdfast.ports.workflows import HasRun, Startable, Workflows
from holdfast.remote.access import RemoteAudit, RemoteKeys, RemoteSessions
from holdfast.remote.addressing import deadline_of, refused, refused_now, seconds_of, time_text
from holdfast.remote.alerts import RemoteAlerts
from holdfast.remote.bulk_jobs import RemoteBulkJobs
from holdfast.remote.connection import Address, Connection
from holdfast.remote.endings import RemoteWaiters, RunEnd, outcome_of
from holdfast.remote.nouns import RemoteBacklogs, RemoteFlows, RemoteRunOverviews, RemoteWorkers
from holdfast.remote.run_listing import RemoteRunListing
from holdfast.remote.schedules import RemoteSchedules
from holdfast.remote.workflows import RemoteWorkflowVersions

P = ParamSpec("P")
R = TypeVar("R")

_MOST_AT_ONCE: Final = 10_000
_MOST_BYTES: Final = 3 * 1024 * 1024
"""A request may be as large as the largest payload, and a megabyte."""
_LONGEST_WAIT: Final = 30.0
_NO_ENGINE: Final = "a server has the engine: `holdfast serve` starts one"


class _Started(msgspec.Struct, frozen=True):
    id: str
    key: str
    run: RunEnd | None = None


class _Caller(msgspec.Struct, frozen=True):
    name: str
    role: str
    namespace: str


class _Target(msgspec.Struct, frozen=True):
    """What is to be started: its name, and how its arguments and its result are written."""

    name: str
    version: str | int | None
    startable: Startable | None
    """None: this process does not have it."""


class RemoteClient(RemoteRunListing):
    def __init__(
        self,
        address: Address,
        workflows: Workflows,
        *,
        namespace: str | None,
        engine: bool | Literal["own"],
        retry_seconds: float,
        open_seconds: float,
        trace_headers: TraceHeaders | None = None,
    ) -> None:
        if engine == "own":
            raise NotOverHttp('engine="own"', _NO_ENGINE)
        self._workflows = workflows
        self._tracing = None  # the server makes the spans
        connection = self._connection = Connection(address, retry_seconds, open_seconds, trace_headers)
        self.namespace = namespace or ""
        """Of the key, once it is open."""
        self._remote_waiters = RemoteWaiters(connection, lambda: self.namespace)
        self._make_key = KeyMaker(Random(SystemRandom().getrandbits(128)))
        self.schedules = RemoteSchedules(connection, self._schedule_target, self._handle_of)
        self.alerts = RemoteAlerts(connection)
        self.flows = RemoteFlows()
        self.workflows = RemoteWorkflowVersions(connection, workflows)
        self.workers = RemoteWorkers(connection)
        self.keys = RemoteKeys(connection)
        self.audit = RemoteAudit(connection)
        self.sessions = RemoteSessions()
        self.bulk = RemoteBulkJobs(connection)
        self.run_overviews = RemoteRunOverviews()
        self.backlogs = RemoteBacklogs(connection)
        self._loop = None
        self._thread = 0
        self._was_opened = False

    async def open(self) -> None:
        """Ask the server who we are to it. Raises ServerUnavailable if it does not answer for long, and
        KeyRefused."""
        if self._was_opened:
            raise OpenedBefore
        self._was_opened = True
        self._connection.open()
        try:
            self.namespace = (await self._connection.ask("GET", "/me", _Caller)).namespace
        except BaseException:
            await self._connection.close()
            raise
        self._bind_loop(asyncio.get_running_loop())

    async def close(self) -> None:
        """Runs go on; only this object is closed. May be called again."""
        await self._remote_waiters.close()
        await self._connection.close()

    # --- starting

    async def start_with(
        self,
        workflow: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        id: str | None = None,
        version: str | int | None = None,
    ) -> Run[Any]:
        answer, target = await self._start(workflow, args, kwargs, id, version, wait=0)
        return self._run_of(answer, target)

    async def run(self, workflow: Any, /, *args: Any, id: str | None = None, **kwargs: Any) -> Any:
        """Start a run and wait for its result: in one request, if it ends soon."""
        answer, target = await self._start(workflow, args, kwargs, id, None, wait=_LONGEST_WAIT)
        if answer.run is None or not answer.run.is_final:
            return await self._run_of(answer, target).result()
        ending = Ending(answer.id, self._unpack(target))
        ending.settle(self._key(answer.key), outcome_of(answer.run))
        return await ending

    async def _start(
        self,
        workflow: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        id: str | None,
        version: str | int | None,
        *,
        wait: float,
    ) -> tuple[_Started, _Target]:
        target, options = self._target(workflow, id, version)
        options.check_policy([options.id])
        body = self._terms(target, options)
        body |= self._input(target, args, kwargs)
        body["id"] = options.id or self._new_id()
        answer = await self._connection.ask(
            "POST",
            "/runs",
            _Started,
            query={"wait": wait} if wait else None,
            body=body,
            by=options.by,
            wait=wait,
        )
        return answer, target

    async def start_many(
        self,
        workflow: StartTarget[..., R] | type[HasRun[..., R]] | str,
        inputs: Iterable[Any],
        *,
        ids: Sequence[str] | None = None,
    ) -> builtins.list[Run[R]]:
        calls = [Call(each if isinstance(each, tuple) else (each,)) for each in inputs]
        if ids is not None:
            names = [checked_address_name("id", id) for id in ids]
            if len(names) != len(calls):
                raise BadOption("ids", len(names), f"as many as there are inputs, {len(calls)}")
            calls = [call._replace(id=name) for call, name in zip(calls, names, strict=True)]
        return await self._start_all(workflow, calls, "ids=, one for each input", names_call=False)

    async def start_calls(
        self, workflow: StartTarget[..., R] | type[HasRun[..., R]] | str, calls: Sequence[Call]
    ) -> builtins.list[Run[R]]:
        return await self._start_all(workflow, calls, "with each call", names_call=True)

    async def _start_all(
        self, workflow: Any, calls: Sequence[Call], where: str, *, names_call: bool
    ) -> builtins.list[Run[Any]]:
        """In requests of 10,000 runs at most. Each of them starts all of its runs, or none."""
        target, options = self._target(workflow, None, None)
        if options.id is not None:
            raise BadOption("id", options.id, f"given {where}")
        runs: builtins.list[dict[str, Any]] = []
        for number, call in enumerate(calls):
            try:
                id = None if call.id is None else checked_address_name("id", call.id)
                runs.append({**self._input(target, call.args, dict(call.kwargs)), "id": id})
            except Refused as error:
                if names_call:
                    error.args = (f"call {number}: {error}",)
                raise
        options.check_policy([run["id"] for run in runs])
        for run in runs:
            run["id"] = run["id"] or self._new_id()
        terms = self._terms(target, options)
        started: builtins.list[Run[Any]] = []
        for some in _batches(runs):
            answers = await self._connection.ask(
                "POST", "/run-batches", list[_Started], body={**terms, "runs": some}, by=options.by
            )
            started += [self._run_of(answer, target) for answer in answers]
        return started

    async def signal_or_start(
        self, workflow: StartTarget[P, R], signal: Signal, /, *args: P.args, **kwargs: P.kwargs
    ) -> Run[R]:
        target, options = self._target(workflow, None, None)
        if options.id is None:
            raise BadOption("id", None, 'given: signal_or_start(order.options(id="order-5"), …)')
        if options.id_policy != IdPolicy.RETURN:
            raise BadOption("id_policy", options.id_policy, "left out: a run that goes on gets the signal")
        letter = signal_letter("", signal, self._workflows)
        body = self._terms(target, options)
        body |= self._input(target, args, kwargs)
        body["id"] = options.id
        body["signal"] = {
            "name": letter.name,
            "value": msgspec.Raw(letter.payload),
            "message_id": letter.uid or new_uid(),
        }
        answer = await self._connection.ask("POST", "/runs", _Started, body=body, by=letter.by or options.by)
        return self._run_of(answer, target)

    async def preview_input(self, workflow: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        target, _ = self._target(workflow, None, None)
        if target.startable is None:
            return kwargs if not args else [*args]
        return self._decode_plain(packed(target.startable, args, kwargs))

    def _join_trace(self, carried: CarriedTrace) -> None:
        self._connection.trace_headers = carried

    def _target(
        self, workflow: Any, id: str | None, version: str | int | None
    ) -> tuple[_Target, StartOptions]:
        """A workflow that is named by text is started as the server knows it."""
        self._check_loop()
        given, options = root_and_options(workflow, id, version)
        if options.task_options is not None:
            raise NotOverHttp("task.options(...)", "the options of a task are those in its code")
        if isinstance(given, str):
            return _Target(checked_name("workflow", given), options.version, None), options
        startable = self._workflows.startable(given, options.version)
        definition, claim = startable.definition, startable.pinned.claim
        is_pinned = claim == f"{definition.name}@{definition.version}"
        pinned = definition.version if is_pinned else options.version
        return _Target(definition.name, pinned, startable), options

    def _input(
        self, target: _Target, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> dict[str, msgspec.Raw]:
        """The fields of the request that have the arguments."""
        if target.startable is not None:
            return {"input": msgspec.Raw(packed(target.startable, args, kwargs))}
        what = f"the input of {target.name!r}"
        given = {"input": kwargs, "args": [*args]}
        return {
            name: msgspec.Raw(self._workflows.encode(value, what)) for name, value in given.items() if value
        }

    def _terms(self, target: _Target, options: StartOptions) -> dict[str, Any]:
        terms = {
            "workflow": target.name,
            "version": target.version,
            "tags": [*options.tags],
            "note": options.note,
            "priority": options.priority,
            "delay": seconds_of(options.delay),
            "start_at": time_text(options.start_at),
            "deadline": deadline_of(options.deadline),
        }
        found = {name: value for name, value in terms.items() if value not in (None, "", [])}
        return {**found, "id_policy": str(options.id_policy)}

    def _new_id(self) -> str:
        """The server may get a request twice. With an id, it starts the run once."""
        return key_text(self._make_key(instant(dt.datetime.now(dt.UTC))))

    def _run_of(self, answer: _Started, target: _Target) -> Run[Any]:
        return Run(self, self._key(answer.key), answer.id, self._unpack(target))

    def _unpack(self, target: _Target) -> Callable[[Payload], Any]:
        return self._decode_plain if target.startable is None else target.startable.unpack_result

    def _handle_of(self, id: str, key: str) -> Run[Any]:
        return Run(self, self._key(key), id, self._decode_plain)

    def _key(self, text: str) -> RunKey:
        key = key_from_text(text)
        if key is None:
            raise ServerFailed(self._connection.url, 200, f"{text!r} is not the key of a run")
        return key

    def _schedule_target(self, workflow: Any, version: str | int | None) -> tuple[str, str | int | None]:
        if isinstance(workflow, str):
            return workflow, version
        return self._workflows.startable(workflow, version).definition.name, version

    # --- the engine

    @property
    def drained_by(self) -> None:
        """There is no node here."""
        return None

    serve = refused("serve", _NO_ENGINE)
    wait_until_idle = refused("wait_until_idle", _NO_ENGINE)
    take_up = refused("take_up", _NO_ENGINE)
    expect_stop = refused_now("expect_stop", _NO_ENGINE)
    exit_when_stalled = refused_now("exit_when_stalled", _NO_ENGINE)
    api_server = refused_now("api_server", _NO_ENGINE)
    asgi_app = refused_now("asgi_app", _NO_ENGINE)


def _batches(runs: Sequence[dict[str, Any]]) -> Iterable[builtins.list[dict[str, Any]]]:
    some: builtins.list[dict[str, Any]] = []
    size = 0
    for run in runs:
        length = sum(len(bytes(run[name])) for name in ("input", "args") if name in run)
        if some and (len(some) == _MOST_AT_ONCE or size + length > _MOST_BYTES):
            yield some
            some, size = [], 0
        some.append(run)
        size += length + len(run["id"]) + 30
    if some:
        yield some
