"""The keeper of a lease in a simulation: the real one, with turns that the world gives it instead of a
thread.

While the event loop of its process stands still (`Stall`), the keeper goes on. While the process stands still
(`Pause`), so does the keeper. While a write of the keeper waits for the disk (`SlowFsync`), the keeper stands
still and the event loop goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from holdfast.core.records import RunRecord
from holdfast.core.values import Instant, NodeId, key_text
from holdfast.engine.lease_keeper import LeaseKeeper
from holdfast.engine.loop_watch import Activity, Holder, LoopWatch, do_nothing
from holdfast.errors import StoreUnavailable
from holdfast.ports.nodes import Stall
from holdfast.testing.simulation.database import NAME, DatabaseConnection, StoreCall
from holdfast.testing.simulation.interruptible import InterruptibleCall
from holdfast.testing.simulation.slow_disk import DiskTurn
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
    def __init__(
        self,
        keeper: LeaseKeeper,
        activity: Activity,
        process: KeptProcess,
        world: World,
        renewal: SimulatedRenewal,
    ) -> None:
        self._keeper = keeper
        self._activity = activity
        self._process = process
        self._world = world
        self._renewal = renewal
        self._turns = 0
        """Counts planned turns. Only the last one that was planned is taken."""
        self._blocked: InterruptibleCall[float | None] | None = None
        """A turn that waits for the disk."""
        self._is_closed = False

    def start(self) -> None:
        self._activity.wake_watch = self.wake
        self.wake()

    def wake(self) -> None:
        self._activity.is_unwatched = False
        self._plan(1)

    def close(self) -> None:
        self._is_closed = True
        self._activity.is_unwatched = False
        self._activity.wake_watch = do_nothing
        self._keeper.close()

    async def wait_until_closed(self) -> None:
        pass

    def abandon(self) -> None:
        """The simulation is over: end a turn that still waits."""
        if self._blocked is not None:
            self._blocked.abandon()

    def _plan(self, delay: int) -> None:
        self._turns += 1
        turn = self._turns
        self._world.after(delay, lambda: self._take(turn))

    def _take(self, turn: int) -> None:
        process = self._process
        is_off = self._is_closed or not process.is_alive
        if turn != self._turns or self._blocked is not None or is_off:
            return
        if process.paused_until > self._world.now:
            self._plan(process.paused_until - self._world.now)
        elif self._renewal.may_block:
            self._blocked = InterruptibleCall(self._keeper.turn)
            self._renewal.wait = self._blocked.wait
            self._go_on(turn)
        else:
            self._end(turn, self._keeper.turn())

    def _go_on(self, turn: int) -> None:
        """Begin or continue a turn that may wait for the disk."""
        process, blocked = self._process, self._blocked
        if blocked is None or not process.is_alive:
            return
        waits = max(0, process.paused_until - self._world.now) or blocked.go_on()
        if waits is not None:
            self._world.after(waits, lambda: self._go_on(turn))
            return
        self._blocked = None
        if turn == self._turns:
            self._end(turn, blocked.result)
        else:
            self._plan(1)  # somebody woke the keeper meanwhile

    def _end(self, turn: int, delay: float | None) -> None:
        if delay is not None:
            self._plan(int(delay * SECOND))
        elif turn == self._turns:
            self._activity.is_unwatched = True


class SimulatedRenewal:
    """A `LeaseRenewal`. Its writes are done at once, unless the disk is slow."""

    wait: Callable[[int], None]
    """Blocks the caller for so many microseconds."""

    def __init__(self, connection: DatabaseConnection) -> None:
        self._connection = connection
        self._disk = connection.database.disk
        self._world = connection.database.world
        self.patience = 0
        """How many microseconds to wait for the right to write, and for an answer."""

    @property
    def may_block(self) -> bool:
        return self._disk.is_slow

    def renew(self, node: NodeId, since: Instant, until: Instant) -> bool:
        return self._perform("renew_lease", node, since, until)

    def end(self, namespace: str, node: NodeId, stall: Stall | None, now: Instant) -> None:
        self._perform("end_lease", namespace, node, stall, now)

    def close(self) -> None:
        pass

    def _perform(self, name: str, *args: Any) -> Any:
        call = StoreCall(self._connection.owner.name, name, args)
        turn = self._disk.plan(self._connection.owner.name, self.patience)
        if turn.takes == 0:
            return self._do(call, turn)
        done: list[Any] = []

        def arrive() -> None:
            try:
                done.append(self._do(call, turn))
            except Exception as error:
                done.append(error)

        self._world.after(turn.takes, arrive)
        self.wait(1 + min(turn.takes, self.patience))
        if not done:
            raise StoreUnavailable(NAME, f"no answer for {self.patience / SECOND:g} s")
        if isinstance(done[0], Exception):
            raise done[0]
        return done[0]

    def _do(self, call: StoreCall, turn: DiskTurn) -> Any:
        self._connection.check(is_write=True)
        if turn.is_locked:
            raise StoreUnavailable(NAME, "database is locked")
        return self._connection.database.perform(call, turn.waits)


class SimulatedWatch(LoopWatch):
    blamed: Callable[[], RunRecord | None]

    def holder(self) -> Holder:
        run = self.blamed()
        if run is None:
            return Holder("a callback that belongs to no run")
        return Holder(f"workflow {run.workflow!r} (run {key_text(run.key)})", run.key, None, "a stack")
