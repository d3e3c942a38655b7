"""What pages are told: the changes of a quarter of a second together, so that they draw no more often, and of
more time where many pages are open, so that the engine beside them is no slower.

A pulse says what to load again, and no more. A page that comes back after a gap is told that there was a
gap, and nothing is read from the store for that page. All pages are sent the same bytes. A page that shows a
run is also sent the changes of the tasks of that run.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncGenerator, Sequence
from typing import Final

import msgspec

from holdfast.core.changes import Change, ChangeKind
from holdfast.core.values import RunKey, key_text
from holdfast.server.live import sse
from holdfast.server.live.subscriptions import LAGGED, Subscription, Turns
from holdfast.server.live.tails import AWAY, Tail, Wanted

_EVERY_SECONDS: Final = 0.25
_LONGEST_SECONDS: Final = 5.0
_PAGES_PER_SECOND: Final = 200
"""So many are told something, of all together: the more are open, the less often each of them is told."""
_SOON_SECONDS: Final = 0.03
"""After a quiet time, a change is told so soon: what is committed with it is told with it."""
_MOST_RUNS: Final = 100
_MOST_CHANGES: Final = 500


class ChangedRun(msgspec.Struct):
    """A run that was created, or that got another state."""

    key: str
    id: str
    workflow: str
    status: str
    """Its last one; `deleted` if it is gone."""
    waiting: str | None
    is_new: bool


class Pulse(msgspec.Struct):
    """What has happened since the pulse before."""

    at: dt.datetime
    created: int = 0
    succeeded: int = 0
    failed: int = 0
    cancelled: int = 0
    tasks: int = 0
    messages: int = 0
    runs: list[ChangedRun] = []
    """At most 100."""
    changes: list[Change] = []
    """Tasks, messages and acts of the run that was asked for, at most 500."""
    is_cut: bool = False
    """More has changed than is listed: load what you show again."""
    is_away: bool = False
    """The database does not answer. What is committed meanwhile is told when it is back."""


class _Gathered:
    """The changes since the last pulse."""

    def __init__(self) -> None:
        self.pulse = Pulse(_now())
        self._runs: dict[str, ChangedRun] = {}

    def add(self, change: Change) -> None:
        pulse = self.pulse
        if change.kind is ChangeKind.TASK:
            pulse.tasks += 1
        elif change.kind in (ChangeKind.MESSAGE, ChangeKind.ACT):
            pulse.messages += 1
        else:
            self._add_run(change)

    def _add_run(self, change: Change) -> None:
        pulse, kind = self.pulse, change.kind
        pulse.created += kind is ChangeKind.RUN_CREATED
        status = "deleted" if kind is ChangeKind.RUN_DELETED else change.status or ""
        if kind is ChangeKind.RUN_STATUS:
            pulse.succeeded += status == "success"
            pulse.failed += status == "failed"
            pulse.cancelled += status == "cancelled"
        known = self._runs.get(change.key)
        if known is not None:
            known.status, known.waiting = status, change.waiting
        elif len(self._runs) < _MOST_RUNS:
            is_new = kind is ChangeKind.RUN_CREATED
            found = ChangedRun(change.key, change.run, change.workflow, status, change.waiting, is_new)
            self._runs[change.key] = found
        else:
            pulse.is_cut = True

    def take(self) -> Pulse:
        pulse = self.pulse
        pulse.at, pulse.runs = _now(), [*self._runs.values()]
        self.pulse, self._runs = Pulse(pulse.at), {}
        return pulse


class Pulses:
    """Belongs to one event loop, and to one tail at a time."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._tail: Tail | None = None
        self._members: dict[str, set[Subscription]] = {}
        """By the key of the run that their pages show; empty for none."""
        self._gathered = _Gathered()
        self._of_runs: dict[str, list[Change]] = {}
        self._has_news = False
        self._timer: asyncio.TimerHandle | None = None
        self._told_at = 0.0

    async def chunks(
        self, tail: Tail, run: RunKey | None, after: str | None, *, is_packed: bool
    ) -> AsyncGenerator[list[sse.Chunk]]:
        """The first pulse comes at once. It is cut if the tail cannot tell what was behind `after`."""
        if not tail.is_running:  # it has failed since it had begun, and would never tell anything
            yield [sse.Chunk(LAGGED)]
            return
        subscription = Subscription(self._turns, is_packed=is_packed)
        topic = "" if run is None else key_text(run)
        tail.expect()
        self._watch(tail)
        members = self._members.setdefault(topic, set())
        members.add(subscription)
        try:
            yield [_first(tail, topic, after)]
            while (chunks := await subscription.next()) is not None:
                text = AWAY if tail.is_away else "nothing new"
                yield chunks or [sse.Chunk(sse.comment(text, tail.offset))]
        finally:
            subscription.close()
            members.discard(subscription)
            if not members and self._members.get(topic) is members:
                del self._members[topic]
            tail.leave(Wanted(), subscription)
            if not self._members:
                self._leave()

    def _watch(self, tail: Tail) -> None:
        if self._tail is not tail:
            self._leave()
            self._tail = tail
            tail.observer = self

    def _leave(self) -> None:
        if self._tail is not None and self._tail.observer is self:
            self._tail.observer = None
        self._tail = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._gathered, self._of_runs, self._has_news = _Gathered(), {}, False

    # --- what the tail tells

    def tell(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self._gathered.add(change)
            if change.key in self._members:
                of_run = self._of_runs.setdefault(change.key, [])
                if len(of_run) <= _MOST_CHANGES:
                    of_run.append(change)
        self._pulse_soon()

    def tell_away(self) -> None:
        self._pulse_soon()

    def _pulse_soon(self) -> None:
        self._has_news = True
        if self._timer is None:
            loop = asyncio.get_running_loop()
            at = max(loop.time() + _SOON_SECONDS, self._told_at + self._every_seconds())
            self._timer = loop.call_at(at, self._pulse)

    def _every_seconds(self) -> float:
        pages = sum(map(len, self._members.values()))
        return min(max(_EVERY_SECONDS, pages / _PAGES_PER_SECOND), _LONGEST_SECONDS)

    def finish(self, last: bytes) -> None:
        """The tail tells nothing more."""
        for members in self._members.values():
            for each in members:
                each.finish(last or LAGGED)
        self._leave()

    def _pulse(self) -> None:
        self._timer = None
        if self._tail is None or not self._has_news:
            return
        self._told_at = asyncio.get_running_loop().time()
        pulse, of_runs, offset = self._gathered.take(), self._of_runs, self._tail.offset
        pulse.is_away = self._tail.is_away
        self._of_runs, self._has_news = {}, False
        shared = sse.Chunk(sse.event("pulse", pulse, offset))
        for topic, members in [*self._members.items()]:
            changes = of_runs.get(topic)
            chunk = shared if changes is None else _with_changes(pulse, changes, offset)
            for each in [*members]:
                if not each.put(chunk):
                    members.discard(each)


def _first(tail: Tail, topic: str, after: str | None) -> sse.Chunk:
    gathered, changes = _Gathered(), list[Change]()
    if after is None or not tail.can_join(after):
        gathered.pulse.is_cut = True
    else:
        for change in tail.missed(after):
            gathered.add(change)
            if change.key == topic:
                changes.append(change)
    pulse = gathered.take()
    pulse.is_away = tail.is_away
    return _with_changes(pulse, changes, tail.offset)


def _with_changes(pulse: Pulse, changes: list[Change], offset: str) -> sse.Chunk:
    fuller = msgspec.structs.replace(
        pulse, changes=changes[:_MOST_CHANGES], is_cut=pulse.is_cut or len(changes) > _MOST_CHANGES
    )
    return sse.Chunk(sse.event("pulse", fuller, offset))


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
