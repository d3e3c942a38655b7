"""A whole holdfast inside a test: a real store, a real engine, and a clock that skips waiting times.

    async with Environment() as env:
        run = await env.start(fulfil, order)
        await run.resolve("approval", True)
        assert await run.result() == ...      # the thirty days in between take a millisecond

Time stands still while the test runs. When the test waits for a result and nothing else can happen, the clock
skips to the next instant at which something is due. Tasks that run are waited for, unless they only wait
themselves (attempt_watch.py). If nothing is due, the run waits in vain, and `result` raises.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self, cast

import msgspec

from holdfast.authoring.catalog import Catalog, Definitions, default_catalog
from holdfast.authoring.kinds import Kinds
from holdfast.client.client import Client
from holdfast.client.update_answers import UpdateAnswers
from holdfast.client.waiters import Ending, Waiters, all_of
from holdfast.core.names import checked_span
from holdfast.core.records import RunRecord
from holdfast.core.run_options import PLAIN_TERMS, RunTerms
from holdfast.core.values import Instant, Payload, RunKey, RunStatus, key_text, microseconds, task_id
from holdfast.engine.engine import Engine, NodeWait
from holdfast.errors import RunParked, node_stopped
from holdfast.executors.context import task_context
from holdfast.parts import Parts, seals_of, tuning_of
from holdfast.ports.executor import Attempt, ProcessBody
from holdfast.ports.programs import Pinned
from holdfast.ports.runs import RunFilter, RunStore, StartedRuns, UpdateAnswer
from holdfast.ports.store import Store
from holdfast.settings import Settings
from holdfast.stores.open_store import store_for
from holdfast.testing.attempt_watch import SETTLED, AttemptWatch
from holdfast.testing.clock import ManualClock
from holdfast.testing.crash_points import Crash, CrashPoints
from holdfast.testing.empty_files import empty_file
from holdfast.testing.loop_waits import LoopWaits, is_own
from holdfast.testing.real_time import RealTime
from holdfast.testing.stuck_runs import explain_stuck

_NEVER = dt.timedelta(days=36_500)
_TURNS = 5
_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.02
"""Seconds between two looks at attempts that run."""
_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where Linux keeps files in memory. A test does not need the disk, which costs milliseconds a commit."""


class Environment(Client):
    """`url` is a database of your own. Without it, a SQLite file is used and removed afterwards.

    `patience` is how long, in real time, it waits for what it cannot see: for code of the test that may still
    send what a run waits for, and for a task that does nothing and may go on by itself.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        catalog: Catalog = default_catalog,
        seed: int = 0,
        crash_at: int | None = None,
        crash_after: bool = False,
        patience: dt.timedelta = dt.timedelta(seconds=10),
        **settings: Any,
    ) -> None:
        self._patience = checked_span("patience", patience).total_seconds()
        self._folder = tempfile.TemporaryDirectory(prefix="holdfast-", dir=_MEMORY) if url is None else None
        if self._folder is not None:
            file = Path(self._folder.name) / "test.db"
            file.write_bytes(empty_file())
            url = f"sqlite:///{file}"
        self.settings = Settings(url=cast("str", url), **settings)
        self.clock = ManualClock()
        self.crash_points = CrashPoints(
            store_for(self.settings.url, threads=False, seals=seals_of(self.settings)),
            at=crash_at,
            after=crash_after,
        )
        self.executions: list[str] = []
        """The ids of the tasks that were started, one for each start."""
        self.recorded: set[str] = set()
        """The ids of the tasks that had ended when a crash came."""
        self.repeated: list[str] = []
        """The ids of recorded tasks that were started again. There should be none."""
        self.crashes = 0
        self._keys = 0
        # Several namespaces may share the database, and a key must be unique in it.
        self._key_prefix = hashlib.sha256(self.settings.namespace.encode()).digest()[:8]
        self._catalog = catalog
        # And so must the id of a node, which is drawn from these dice.
        namespace = self.settings.namespace
        self._dice = Random(seed if namespace == Settings().namespace else f"{seed} {namespace}")
        self._helpers: list[asyncio.Task[None]] = []
        self._real = RealTime()
        self._attempts = AttemptWatch(self._real, self._patience, self._look)
        self._someone_waits = asyncio.Event()
        self._replaced = asyncio.Event()

    async def __aenter__(self) -> Self:
        store = cast("Store", self.crash_points)
        await store.open()
        self._keys = await self._last_key(store)
        self.clock.on_wait = self._someone_waits.set
        self._skipping = _SkippingWaiters(store, self.settings.namespace, self._has)
        self._skipping.on_wait = self._someone_waits.set
        self._answers = _SkippingAnswers(store, self.settings.namespace, self._skipping)
        self._skipping.answers = self._answers
        self._parts = Parts(
            self.settings,
            self._catalog,
            store=store,
            clock=self.clock,
            dice=self._dice,
            # No polling, and no draining on stop: both would only take time.
            tuning=msgspec.structs.replace(tuning_of(self.settings), poll=_NEVER, drain=dt.timedelta(0)),
        )
        self._parts.new_key = self._new_key
        self._parts.definitions = _WatchedDefinitions(self._catalog, self._parts.definitions.codec, self)
        self.engine: Engine = self._parts.engine(self._skipping)
        super().__init__(
            store,
            self._parts.definitions,
            self,
            self._skipping,
            namespace=self.settings.namespace,
            now=self.clock.now,
            new_key=self._new_key,
            # It does not poll, so its row does not say that it is there while it is idle.
            is_alive=lambda node: True if node == self.engine.node else None,
            tracing=self._parts.tracing,
        )
        self._bind_loop(asyncio.get_running_loop())
        try:
            await self.register_all()
        except BaseException:
            await self._let_go()
            raise
        self.engine.start()
        self._parts.start_hearing()
        self._helpers = [
            asyncio.create_task(helper, name=f"holdfast environment {id(self)}")
            for helper in (self._skip(), self._supervise())
        ]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for helper in self._helpers:
            helper.cancel()
        await asyncio.gather(*self._helpers, return_exceptions=True)
        await (self.engine.stop() if self.engine.failure is None else self.engine.kill())
        self._parts.stop_hearing()
        await self._waiters.close()
        await self._let_go()

    async def _let_go(self) -> None:
        await self._parts.store.close()
        if self._folder is not None:
            self._folder.cleanup()

    def start_runs(
        self,
        workflow: str,
        pinned: Pinned,
        runs: Sequence[tuple[Payload, str | None]],
        terms: RunTerms = PLAIN_TERMS,
    ) -> asyncio.Future[StartedRuns]:
        """Passes the runs to the engine that is alive now: a crash replaces it."""
        return self.engine.start_runs(workflow, pinned, runs, terms)

    def take_up(self, runs: Iterable[RunKey]) -> None:
        self.engine.take_up(runs)

    def _has(self, run: RunKey) -> bool:
        return self.engine.has(run)

    async def crash(self) -> None:
        """Drop everything in memory, running tasks included, and go on with a new node."""
        await self.engine.kill()
        self.crashes += 1
        for record in await self._store.list_runs(self.namespace, RunFilter(limit=10_000)):
            for task in await self._store.list_tasks(self.namespace, record.key):
                if task.status.is_final:
                    self.recorded.add(task_id(task.run, task.seq))
        self._keys = await self._last_key(self._store)
        self.clock.advance(self._parts.tuning.lease * 1.01)
        self.engine = self._parts.engine(self._waiters)
        self.engine.start()
        self._replaced.set()
        self._waiters.refresh()

    def note_execution(self, task: str) -> None:
        self.executions.append(task)
        if task in self.recorded:
            self.repeated.append(task)

    async def skip(self, by: dt.timedelta) -> None:
        """Let this much time pass. Stops at each instant at which something is due, until that is done."""
        end = self.clock.now() + microseconds(by)
        while True:
            await self._wait_until_time_may_pass(end)
            due = self.clock.next_due()
            if due is None or due > end:
                break
            self.clock.move_to(due)
        self.clock.advance(dt.timedelta(microseconds=end - self.clock.now()))
        await self._wait_until_time_may_pass(self.clock.now() + microseconds(_NEVER))

    async def _wait_until_time_may_pass(self, end: int) -> None:
        """Wait until nothing runs but attempts that may be passed on the way to `end`."""
        while True:
            await self._wait_until_idle()
            wait = self.engine.find_wait()
            if wait is not None and await self._may_pass(wait, min(end, wait.next_due or end)):
                return
            await self._real.wait(_LONGEST_PAUSE / 4, asyncio.Event())

    async def _may_pass(self, wait: NodeWait, due: int) -> bool:
        if self._is_quiet:
            return True
        if not self._attempts.may_pass(self.clock.now(), due, wait):
            return False
        # An attempt may be about to go on, by a timer or an answer that has come in this turn of the loop.
        await self._wait_until_idle()
        again = self.engine.find_wait()
        return again == wait and self._attempts.may_pass(self.clock.now(), due, wait)

    def _look(self) -> LoopWaits:
        """What the rest of the process waits for."""
        own = {f"holdfast environment {id(self)}", f"holdfast node {self.engine.node}", "holdfast waiters"}
        return LoopWaits(own)

    @property
    def _is_quiet(self) -> bool:
        return self.engine.is_quiet

    async def wait_until_quiet(self) -> None:
        """Wait until nothing runs and the engine has handled every event."""
        await self._wait_until(lambda: self._is_quiet)

    async def _wait_until_idle(self) -> None:
        """Wait until the engine has handled every event. Attempts may run."""
        await self._wait_until(lambda: self.engine.is_waiting)

    async def _wait_until(self, is_so: Callable[[], bool]) -> None:
        turns = 0
        while turns < _TURNS:
            failure = self.engine.failure
            if isinstance(failure, Exception):
                raise node_stopped(failure)  # a failed engine never becomes quiet
            is_still = is_so()
            turns = turns + 1 if is_still else 0
            await asyncio.sleep(0 if is_still else 0.0005)

    def _new_key(self, now: Instant) -> RunKey:
        """Counts, so that a run that is started again after a crash has the same key and the same dice."""
        self._keys += 1
        return RunKey(self._key_prefix + self._keys.to_bytes(8, "big"))

    async def _last_key(self, store: RunStore) -> int:
        """The highest number of a key in the database, which another environment may have used before.

        The number of runs may be lower, since a start that is refused uses up a key.
        """
        records = await store.list_runs(self.settings.namespace, RunFilter(limit=10_000))
        return max((int.from_bytes(record.key[8:], "big") for record in records), default=0)

    async def _skip(self) -> None:
        while True:
            await self._someone_waits.wait()
            self._someone_waits.clear()
            # The engine must handle what has just happened before the clock moves.
            await self._wait_until_idle()
            if self._skipping.count:
                await self._pass_time()

    async def _pass_time(self) -> None:
        """Move the clock as soon as it may move, or fail the waits that are in vain. Returns when the engine
        has something to do."""
        pause = _FIRST_PAUSE
        vain: _VainWait | None = None
        while self._skipping.count and not self._someone_waits.is_set():
            wait = self.engine.find_wait()
            if wait is None:
                self._someone_waits.set()  # the test has sent something in the last turn of the wait before
                return
            due = wait.next_due
            if due is None or due >= self.clock.now() + microseconds(_NEVER) // 2:
                vain = vain or await self._begin_vain_wait()
                if vain.is_over(wait, self._look()) and await self._is_nothing_in_store(wait):
                    await self._refuse(wait, vain)
            # While tasks begin and end all the time, there is no need to look at them.
            elif (pause > _FIRST_PAUSE or self._is_quiet) and await self._may_pass(wait, due):
                # A node that has crashed after a commit has told nobody of the answers in it.
                if await self._answers.are_there() or self.engine.find_wait() != wait:
                    self._someone_waits.set()
                else:
                    self.clock.move_to(min(self.clock.next_due() or due, due))
                return
            elif any(attempt.options.heartbeat is not None for attempt in wait.running):
                # Heartbeats count by the clock, so it has to move with the attempt.
                felt = self._attempts.felt_by_all(self.clock.now(), wait)
                self.clock.move_to(Instant(min(self.clock.next_due() or due, felt)))
            await self._real.wait(pause, self._someone_waits)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def _begin_vain_wait(self) -> _VainWait:
        await self._tell_of_parked()
        return _VainWait(self._real, self._attempts, self._patience, self._look())

    async def _is_nothing_in_store(self, wait: NodeWait) -> bool:
        """Whether the node finds nothing there. A notification may be late, above all on a busy machine."""
        commits = self.crash_points.commits
        self.engine.look_into_store()
        await self._wait_until_idle()
        self._skipping.refresh()
        return self.crash_points.commits == commits and self.engine.find_wait() == wait

    async def _refuse(self, wait: NodeWait, vain: _VainWait) -> None:
        """Fail the waits for runs that have not ended: nothing would ever end them."""
        if not vain.is_over(wait, self._look()):
            return  # what was about to go on has gone on meanwhile
        open_runs: list[RunRecord] = []
        for status in RunStatus:
            if not status.is_final:
                open_runs += await self._store.list_runs(self.namespace, RunFilter((status,), limit=10_000))
        awaited = self._skipping.awaited()
        for run in [run for run in open_runs if run.key in awaited]:
            error = explain_stuck(run, open_runs, self.crash_points.waits, wait.running, vain.seconds)
            self._skipping.refuse(run.key, error)

    async def _tell_of_parked(self) -> None:
        """Fails the waits for parked runs and for their parents: without an operator they would never end."""
        for record in await self._store.list_runs(
            self.namespace, RunFilter((RunStatus.PARKED,), limit=10_000)
        ):
            reason = record.failure.message if record.failure else "by an operator"
            error = RunParked(record.id or key_text(record.key), reason)
            waiting: RunRecord | None = record
            while waiting is not None:
                self._skipping.refuse(waiting.key, error)
                parent = waiting.parent
                waiting = None if parent is None else await self._store.find_run(self.namespace, parent)

    async def _supervise(self) -> None:
        """Starts a new node when a crash point was reached, as a supervisor of processes would."""
        while True:
            engine = self.engine
            await engine.wait_until_stopped()
            if isinstance(engine.failure, Crash):
                await self.crash()
            elif engine.failure is not None:
                return
            while self.engine is engine:  # the test called `crash`, which is about to replace the engine
                self._replaced.clear()
                await self._replaced.wait()


class _VainWait:
    """How long nothing has happened that could end the waits of the test."""

    def __init__(self, real: RealTime, attempts: AttemptWatch, patience: float, waits: LoopWaits) -> None:
        self._real = real
        self._attempts = attempts
        self._patience = patience
        self._since = real.now
        self._sleepers = waits.sleepers()

    @property
    def seconds(self) -> float:
        return round(self._real.now - self._since, 1)

    def is_over(self, wait: NodeWait, waits: LoopWaits) -> bool:
        """A task of the test that slept when the wait began may act when it wakes, however late that is."""
        if wait.running or wait.cancelled:
            return self.seconds >= SETTLED and self._attempts.will_never_end(wait)
        sleepers = waits.sleepers()
        if any(sleepers.get(task) is sleep for task, sleep in self._sleepers.items()):
            self._since = self._real.now
        passed = self._real.now - self._since
        return passed >= (min(SETTLED, self._patience) if waits.nobody_may_act() else self._patience)


class _SkippingWaiters(Waiters):
    """Counts the results that the test waits for. The clock skips only while there is one."""

    count = 0
    on_wait: Callable[[], None]

    def wait(self, run: RunKey, id: str | None, unpack: Callable[[Payload], Any]) -> Ending:
        def done(_: asyncio.Future[Any]) -> None:
            self.count -= 1

        future = super().wait(run, id, unpack)
        self.count += 1
        future.add_done_callback(done)
        self.on_wait()
        return future

    async def _watch(self) -> None:
        is_own.set(True)
        await super()._watch()

    def awaited(self) -> set[RunKey]:
        """The runs whose results somebody waits for."""
        return {run for run, first in self._waiting.items() if any(not it.done() for it in all_of(first))}

    def refuse(self, run: RunKey, error: Exception) -> None:
        """Fail every wait for this run with `error`."""
        for ending in all_of(self._waiting.pop(run, None)):
            if not ending.done():
                ending.set_exception(error)


class _SkippingAnswers(UpdateAnswers):
    def __init__(self, store: Store, namespace: str, waiters: _SkippingWaiters) -> None:
        super().__init__(store, namespace)
        self._waiters = waiters

    def wait(self, run: RunKey, message_id: str) -> asyncio.Future[UpdateAnswer | None]:
        def done(_: asyncio.Future[Any]) -> None:
            self._waiters.count -= 1

        future = super().wait(run, message_id)
        self._waiters.count += 1
        future.add_done_callback(done)
        self._waiters.on_wait()
        return future

    async def are_there(self) -> bool:
        """Whether some answers that the test waits for are in the store. The test has them then."""
        asked = self._still_wanted()
        if asked:
            self._settle(asked, await self._store.find_answers(self._namespace, asked))
        return len(self._still_wanted()) < len(asked)

    async def _watch(self) -> None:
        is_own.set(True)
        await super()._watch()


class _WatchedDefinitions(Definitions):
    """Notes every task that starts."""

    def __init__(self, catalog: Catalog, codec: Any, environment: Environment) -> None:
        settings = environment.settings
        super().__init__(catalog, codec, Kinds(), settings.max_steps, settings.log_limit)
        self._environment = environment

    def body(self, attempt: Attempt) -> Any:
        return _TrackedBody(super().body(attempt), self._environment)

    def process(self, attempt: Attempt) -> ProcessBody:
        self._environment.note_execution(task_id(attempt.run, attempt.seq))
        return super().process(attempt)


class _TrackedBody:
    def __init__(self, body: Any, environment: Environment) -> None:
        self._body = body
        self._environment = environment
        self.is_async = body.is_async

    def call(self, input: Payload) -> Any:
        self._environment.note_execution(task_context().task_id)
        return self._body.call(input)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._body, name)
