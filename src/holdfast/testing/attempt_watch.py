"""May the clock move on while attempts run?

Attempts are real: they compute, they talk to services, they sleep on the real event loop. The clock moves to
an instant D while attempts run if this holds for each of them:

1. No timer that the attempt has set (a sleep, a timeout) ends before D. Such a timer is waited for.
2. And the attempt has really run for as long as the clock would show, so that it would be the same in
   production. Or it is known to only wait: it sleeps until after D; or it waits for other code of this
   process, and there is none that could act; or nothing of it has moved for `patience`.

So an attempt that works is never timed out sooner than in production. What cannot be seen to move are
processes and workers: the clock never moves ahead of these.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from holdfast.core.values import Instant
from holdfast.engine.engine import NodeWait
from holdfast.engine.resident import LiveAttempt
from holdfast.executors.inline import InlineExecutor
from holdfast.executors.threads import ThreadExecutor
from holdfast.testing.loop_waits import LoopWaits
from holdfast.testing.real_time import RealTime

SETTLED = 0.25
"""Seconds in which nothing moves, where nothing is known that could. Then nothing will."""
_SECOND = 1_000_000


class _Age:
    """How long an attempt has run: in real time, and by the clock."""

    __slots__ = ("began", "began_by_clock")

    def __init__(self, began: float, now: Instant) -> None:
        self.began = began
        self.began_by_clock = now

    def felt(self, real: float, now: Instant) -> int:
        """What the clock would show if it had moved with the attempt. If the clock has moved further, that is
        how old the attempt is."""
        ran = int((real - self.began) * _SECOND)
        self.began_by_clock = Instant(max(self.began_by_clock, now - ran))
        return self.began_by_clock + ran


class AttemptWatch:
    def __init__(self, real: RealTime, patience: float, look: Callable[[], LoopWaits]) -> None:
        self._real = real
        self._patience = patience
        self._look = look
        self._ages: dict[LiveAttempt | None, _Age] = {}
        """Under None: how long another attempt has waited for the end of a cancelled one."""
        self._timers: dict[int, tuple[asyncio.TimerHandle, int]] = {}
        """The timers of attempts by their identity, and when each ends by the clock."""
        self._moves: dict[asyncio.Task[Any], Any] = {}
        self._moved_at = 0.0
        self._cancelled = 0
        self._cancelled_at = 0.0

    def may_pass(self, now: Instant, due: int, wait: NodeWait) -> bool:
        """Whether the clock, which shows `now`, may move to `due`."""
        waits = self._look()
        self._note(now, wait, waits)
        if wait.cancelled and self._real.now - self._cancelled_at < SETTLED:
            return False  # it has just been cancelled, and most end at once
        if any(end <= due for _, end in self._timers.values()):
            return False
        return all(
            age.felt(self._real.now, now) >= due or (attempt is not None and self._only_waits(attempt, waits))
            for attempt, age in self._ages.items()
        )

    def felt_by_all(self, now: Instant, wait: NodeWait) -> int:
        """What the clock may show at least: all attempts have really run so long."""
        self._note(now, wait, self._look())
        return min((age.felt(self._real.now, now) for age in self._ages.values()), default=now)

    def will_never_end(self, wait: NodeWait) -> bool:
        """Whether each attempt waits for other code of this process, and there is none that could act."""
        waits = self._look()
        return (
            self._has_settled
            and not wait.cancelled
            and waits.nobody_may_act()
            and not waits.timers_of_attempts()
            and all(waits.only_code_here_ends(attempt) for attempt in wait.running)
        )

    @property
    def _has_settled(self) -> bool:
        return self._real.now - self._moved_at >= SETTLED

    @property
    def _is_patience_over(self) -> bool:
        return self._real.now - max(self._moved_at, self._real.threads_moved_at) >= self._patience

    def _only_waits(self, attempt: LiveAttempt, waits: LoopWaits) -> bool:
        executor = attempt.slots.executor if attempt.slots is not None else None
        if isinstance(executor, ThreadExecutor):
            return self._is_patience_over
        if not isinstance(executor, InlineExecutor) or waits.timers_of_attempts() is None:
            return False
        if waits.only_sleeps(attempt) or self._is_patience_over:
            return True
        return self._has_settled and waits.only_code_here_ends(attempt) and waits.nobody_may_act()

    def _note(self, now: Instant, wait: NodeWait, waits: LoopWaits) -> None:
        running: list[LiveAttempt | None] = [*wait.running, *([None] if wait.is_end_awaited else [])]
        ages = {attempt: self._ages.get(attempt) or _Age(self._real.now, now) for attempt in running}
        moves = waits.moves()
        if moves != self._moves or ages.keys() != self._ages.keys():
            self._moved_at = self._real.now
        if wait.cancelled != self._cancelled:
            self._cancelled_at = self._real.now
        self._ages, self._moves, self._cancelled = ages, moves, wait.cancelled
        self._timers = {
            id(timer): self._timers.get(id(timer))
            or (timer, ages[attempt].felt(self._real.now, now) + int(waits.remaining(timer) * _SECOND))
            for timer, attempt in waits.timers_of_attempts() or ()
            if isinstance(attempt, LiveAttempt) and attempt in ages
        }
