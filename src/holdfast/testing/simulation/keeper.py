"""The keeper of a lease in a simulation: the real one, with turns that the world gives it instead of a
thread.

While the event loop of its process stands still (`Stall`), the keeper goes on. While the process stands still
(`Pause`), so does the keeper.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from holdfast.core.records import RunRecord
from holdfast.core.values import Instant, NodeId, key_text
from holdfast.engine.lease_keeper import LeaseKeeper
from holdfast.engine.loop_watch import Activity, Holder, LoopWatch, do_nothing
from holdfast.errors import StoreFull, StoreUnavailable
from holdfast.ports.nodes import Stall
from holdfast.testing.simulation.database import NAME, DatabaseConnection, StoreCall
from holdfast.testing.simulation.world import SECOND, World


class KeptProcess(Protocol):
    """The process whose lease is kept."""

    @property
    def is_alive(self) -> bool: ...

    @property
    def paused_until(self) -> int: ...

    @property
    def stalled_by(self) -> RunRecord | None:
        """The run that is to be blamed for the stall."""
        ...


class SimulatedKeeperRunner:
    def __init__(self, keeper: LeaseKeeper, activity: Activity, process: KeptProcess, world: World) -> None:
        self._keeper = keeper
        self._activity = activity
        self._process = process
        self._world = world
        self._turns = 0
        """Counts planned turns. Only the last one that was planned is taken."""

    def start(self) -> None:
        self._activity.wake_watch = self.wake
        self.wake()

    def wake(self) -> None:
        self._activity.is_unwatched = False
        self._plan(1)

    def close(self) -> None:
        self._turns += 1
        self._activity.is_unwatched = False
        self._activity.wake_watch = do_nothing
        self._keeper.close()

    async def wait_until_closed(self) -> None:
        pass

    def _plan(self, delay: int) -> None:
        self._turns += 1
        turn = self._turns
        self._world.after(delay, lambda: self._take(turn))

    def _take(self, turn: int) -> None:
        process = self._process
        if turn != self._turns or not process.is_alive:
            return
        if process.paused_until > self._world.now:
            self._plan(process.paused_until - self._world.now)
            return
        delay = self._keeper.turn()
        if delay is not None:
            self._plan(int(delay * SECOND))
        elif turn == self._turns:
            self._activity.is_unwatched = True


class SimulatedRenewal:
    """A `LeaseRenewal`: done at once, unless the database is away or full."""

    def __init__(self, connection: DatabaseConnection) -> None:
        self._connection = connection

    def renew(self, node: NodeId, since: Instant, until: Instant) -> bool:
        return self._perform("renew_lease", node, since, until)

    def end(self, namespace: str, node: NodeId, stall: Stall | None, now: Instant) -> None:
        self._perform("end_lease", namespace, node, stall, now)

    def close(self) -> None:
        pass

    def _perform(self, name: str, *args: Any) -> Any:
        connection = self._connection
        if connection.is_away:
            raise StoreUnavailable(NAME, "nobody answers")
        if connection.is_full:
            raise StoreFull(NAME, "the disk is full")
        return connection.database.perform(StoreCall(connection.owner.name, name, args))


class SimulatedWatch(LoopWatch):
    blamed: Callable[[], RunRecord | None]

    def holder(self) -> Holder:
        run = self.blamed()
        if run is None:
            return Holder("a callback that belongs to no run")
        return Holder(f"workflow {run.workflow!r} (run {key_text(run.key)})", run.key, None, "a stack")
