"""Keeps the lease of a node: renews it on a connection of its own while the event loop moves.

A busy node is not a dead one. The loop may be busy for a minute with a long replay, or with a blocking call
in a user's async task; commits, listings and messages may be slow. None of that is in the way of this thread.
What it does not tolerate is a loop that stands still for longer than `Tuning.stall`: code that never returns.
Then it charges the run that holds up the loop, so that the next node knows, and ends the lease, so that other
nodes go on at once with all the other runs.

`LeaseKeeper` decides; `KeeperThread` calls it. A simulation calls it without a thread.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

from holdfast.core.values import Instant, NodeId, microseconds
from holdfast.engine.lease import NodeLease
from holdfast.engine.loop_watch import Activity, LoopWatch, do_nothing
from holdfast.engine.tuning import Tuning
from holdfast.errors import LoopStalled
from holdfast.ports.clock import Clock
from holdfast.ports.nodes import LeaseRenewal, Stall

_log = logging.getLogger("holdfast.engine")

_SECOND = 1_000_000
_WARN_AFTER = (1 * _SECOND, 10 * _SECOND, 30 * _SECOND)
"""How long the loop has stood still when a warning is logged. After the last, when it has doubled."""
_LEAST_STALL_OF_A_STOP = 2 * _SECOND
"""A node that was asked to stop may stand still for this long at least, however short the drain time is."""
_TRIES_TO_END = 20
"""How often to try again to end the lease of a node that has given up. After that it runs out by itself."""
_IDLE_LOOKS = 4
"""How often to look for runs at a node that has just had one, before this thread sleeps until it is woken.
To wake it for each of many short runs would take longer than the runs."""
_JOIN_SECONDS = 5.0

OnStall = Callable[[LoopStalled], None]


class LeaseKeeper:
    """`turn` is called by one thread at a time, which is not that of the event loop."""

    def __init__(
        self,
        renewal: LeaseRenewal,
        lease: NodeLease,
        watch: LoopWatch,
        clock: Clock,
        tuning: Tuning,
        *,
        namespace: str,
        node: NodeId,
        has_runs: Callable[[], bool],
        on_stall: OnStall,
    ) -> None:
        """`on_stall` is called once the lease has ended because the event loop stands still."""
        self._renewal = renewal
        self._lease = lease
        self._watch = watch
        self._clock = clock
        self._namespace = namespace
        self._node = node
        self._has_runs = has_runs
        self._on_stall = on_stall
        self._stall = microseconds(tuning.stall)
        self._stall_of_a_stop = min(self._stall, max(microseconds(tuning.drain), _LEAST_STALL_OF_A_STOP))
        self._retry_after = microseconds(tuning.lease) // 15
        self._look_every = tuning.look_every.total_seconds()
        self._tried_at: Instant | None = None
        self._warn_at = _WARN_AFTER[0]
        self._idle_looks = _IDLE_LOOKS
        self._is_failing = False
        self._is_stop_expected = False
        self._silence_before_stop = self._stall
        """For how long the loop had not moved when the node was asked to stop, at most."""
        self._end: _EndOfLease | None = None
        self._told: LoopStalled | None = None
        """Why the node has given up, once that was told."""

    def expect_stop(self) -> None:
        """The node was asked to stop. If its loop stands still for as long as tasks may take to finish, it
        will not stop by itself. May be called from any thread, and by a signal handler."""
        self._is_stop_expected = True

    def turn(self) -> float | None:
        """Renew the lease if it is time to, and look at the loop. Returns after how many seconds to come
        again; None: not until there is something to do."""
        if self._lease.has_ended:
            return self._end_lease() if self._told is None else self._tell_again_of_stop(self._told)
        if not (self._has_runs() or self._is_stop_expected):
            self._watch.rest()
            self._idle_looks += 1
            return None if self._idle_looks > _IDLE_LOOKS else self._look_every
        self._idle_looks = 0
        silence = self._watch.look()
        if silence >= self._longest_silence(silence):
            self._give_up(silence)
            return self._end_lease()
        self._renew_if_due()
        self._warn(silence)
        return self._look_every

    def _longest_silence(self, silence: int) -> int:
        if not self._is_stop_expected:
            return self._stall
        self._silence_before_stop = min(silence, self._silence_before_stop)
        return min(self._stall, self._silence_before_stop + self._stall_of_a_stop)

    def close(self) -> None:
        self._renewal.close()

    # --- the lease

    def _renew_if_due(self) -> None:
        now = self._clock.now()
        due = self._lease.renew_at
        if due is None or now < due:
            return  # the first commit of the node begins the lease
        if self._tried_at is not None and 0 <= now - self._tried_at < self._retry_after:
            return
        self._tried_at = now
        since, until = self._lease.since, self._lease.end_after(now)
        try:
            is_ours = self._renewal.renew(self._node, since, until)
        except (
            Exception
        ) as error:  # whatever it is, the next try may succeed, and commits renew the lease too
            self._note_failure(error)
            return
        self._is_failing = False
        if is_ours:
            self._lease.renew(since, now, until)
        else:
            self._lease.lose(since)

    def _note_failure(self, error: Exception) -> None:
        due = self._lease.commit_at
        if not self._is_failing and due is not None and due <= self._clock.now():
            self._is_failing = True
            _log.warning("the lease of node %s cannot be renewed: %s; trying again", self._node, error)

    # --- the loop

    def _warn(self, silence: int) -> None:
        if silence == 0 and self._warn_at > _WARN_AFTER[0]:
            _log.warning("the event loop of node %s moves again", self._node)
            self._warn_at = _WARN_AFTER[0]
        if silence < self._warn_at:
            return
        self._warn_at = next((each for each in _WARN_AFTER if each > silence), 2 * silence)
        holder = self._watch.holder()
        _log.warning(
            "%s has held up the event loop of node %s for %.1f s, and everything else on this node waits; "
            "after %g s the node stops. What blocks belongs in a task that is a plain function: it gets a "
            "thread. The loop is here:\n%s",
            holder.words,
            self._node,
            silence / _SECOND,
            self._stall / _SECOND,
            holder.stack,
        )

    def _give_up(self, silence: int) -> None:
        holder = self._watch.holder()
        error = LoopStalled(silence / _SECOND, holder.words, holder.stack)
        stall = None
        if holder.run is not None and silence >= self._stall:
            stall = Stall(holder.run, holder.task, holder.stack)
        self._lease.end()
        self._end = _EndOfLease(error, stall, holder.stack, _TRIES_TO_END)

    def _end_lease(self) -> float | None:
        end = self._end
        if end is None:
            return None
        try:
            self._renewal.end(self._namespace, self._node, end.stall, self._clock.now())
        except Exception as error:
            if end.tries_left > 0:
                self._end = end._replace(tries_left=end.tries_left - 1)
                return self._look_every
            _log.warning(
                "node %s cannot hand back its runs (%s); others take them when its lease runs out",
                self._node,
                error,
            )
        # After that, because to tell it takes time that the loop leaves to nobody: the run must be charged
        # before the lease runs out.
        _log.critical("node %s stops: %s\n%s", self._node, end.error, end.stack)
        self._end, self._told = None, end.error
        self._is_stop_expected = False  # if it was, whoever is told sees to it
        self._on_stall(end.error)
        return None

    def _tell_again_of_stop(self, error: LoopStalled) -> float | None:
        """The process lives on after its node has given up. If it is asked to stop, and its loop still stands
        still, it will not stop by itself either."""
        if not self._is_stop_expected:
            return None
        silence = self._watch.look()
        if silence < self._longest_silence(silence):
            return self._look_every
        self._is_stop_expected = False
        self._on_stall(error)
        return None


class _EndOfLease(NamedTuple):
    """What is still to be done once the node has given up."""

    error: LoopStalled
    stall: Stall | None
    stack: str
    tries_left: int


class KeeperRunner(Protocol):
    """Gives the keeper its turns."""

    def start(self) -> None: ...

    def wake(self) -> None:
        """Give it a turn now. May be called from any thread, and by a signal handler."""
        ...

    def close(self) -> None:
        """Give it no more turns, and close it after the last. Does not wait for that."""
        ...

    async def wait_until_closed(self) -> None: ...


class KeeperThread:
    def __init__(self, keeper: LeaseKeeper, activity: Activity) -> None:
        self._keeper = keeper
        self._activity = activity
        # A SimpleQueue, and no Event: a signal handler may put something into it, whatever it has
        # interrupted.
        self._calls: queue.SimpleQueue[bool] = queue.SimpleQueue()
        # A daemon: it must not keep a process alive that forgets to close the node.
        self._thread = threading.Thread(target=self._run, name="holdfast-lease", daemon=True)

    def start(self) -> None:
        self._activity.wake_watch = self.wake
        self._thread.start()

    def wake(self) -> None:
        self._calls.put(True)

    def close(self) -> None:
        self._activity.is_unwatched = False
        self._activity.wake_watch = do_nothing
        self._calls.put(False)

    async def wait_until_closed(self) -> None:
        await asyncio.to_thread(self._thread.join, _JOIN_SECONDS)

    def _run(self) -> None:
        try:
            is_open = True
            while is_open:
                # Set before the turn looks for runs. So a run that comes after that look wakes this thread.
                self._activity.is_unwatched = True
                delay = self._keeper.turn()
                self._activity.is_unwatched = delay is None
                try:
                    is_open = self._calls.get(timeout=delay)
                except queue.Empty:
                    pass
        except Exception:
            _log.critical(
                "the lease is renewed by commits only, because its keeper has failed", exc_info=True
            )
        finally:
            self._keeper.close()
