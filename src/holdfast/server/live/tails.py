"""The tail: reads the changes of a namespace once, for all who are to be told of them.

Every change is written as bytes once, and every topic gets the bytes of a page in few pieces that its
subscribers share. So a change costs nearly the same for one subscriber and for a thousand.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from holdfast.client.watching import Watching
from holdfast.core.changes import Change, ChangeKind, offset_text
from holdfast.core.values import RunKey, RunStatus, key_text
from holdfast.errors import HoldfastError, StoreUnavailable
from holdfast.ports.changes import ChangePage
from holdfast.server.live import sse
from holdfast.server.live.subscriptions import LAGGED, Subscription
from holdfast.server.problems import problem_of

_RECENT: Final = 2_048
"""So many changes are kept in memory, for those who join."""
_SLICE: Final = 500
"""So many changes are told without a pause: others use the event loop, too."""
_PACE_SECONDS: Final = 0.05
"""How long to wait, after a slice of a long page, for subscribers that have much to write. Nobody holds up
the others for longer."""
_REST_SECONDS: Final = 0.0005
"""For each change that was read."""
_LONGEST_REST_SECONDS: Final = 0.1
_CHECK_AGAIN_SECONDS: Final = 1.0

AWAY: Final = "the database does not answer; this goes on when it is back"
_BACK: Final = "the database is back"

_HAS_RUN_STATUS: Final = frozenset({ChangeKind.RUN_CREATED, ChangeKind.RUN_STATUS})
_FINAL: Final = frozenset(status.value for status in RunStatus if status.is_final)

_log = logging.getLogger("holdfast.server")


class Wanted(NamedTuple):
    """Which changes of those that a tail reads."""

    run: RunKey | None = None
    workflow: str | None = None
    status: str | None = None
    """Only changes that give a run this status."""

    def includes(self, change: Change) -> bool:
        return (
            (self.run is None or key_text(self.run) == change.key)
            and self.workflow in (None, change.workflow)
            and (self.status is None or self.status == _run_status(change))
        )


class _Topic:
    """Those who are told the same."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.members: set[Subscription] = set()
        self.goal: str | None = None
        """The run has ended, and everything that has happened to it is told once the tail is here."""
        self.end = b""

    def put(self, events: Sequence[bytes]) -> None:
        for chunk in sse.chunks_of(events):
            self.members = {each for each in self.members if each.put(chunk)}

    def finish(self, last: bytes) -> None:
        for each in self.members:
            each.finish(last)
        self.members.clear()


class Observer(Protocol):
    """Hears of all changes that a tail reads."""

    def tell(self, changes: Sequence[Change]) -> None: ...

    def tell_away(self) -> None:
        """`Tail.is_away` has changed."""
        ...

    def finish(self, last: bytes) -> None: ...


class Tail:
    def __init__(self, watching: Watching, on_empty: Callable[[Tail], None]) -> None:
        self._watching = watching
        self._on_empty = on_empty
        self.offset = ""
        """How far it has told everything. Offsets are ordered as text."""
        self._recent: deque[Change] = deque()
        self._recent_after = ""
        """All changes from here to `offset` are in `_recent`."""
        self._topics: dict[Wanted, _Topic] = {}
        self._of_runs: dict[str, _Topic] = {}
        """By the key of the run as text."""
        self._of_conditions: dict[tuple[str | None, str | None], _Topic] = {}
        """By workflow and status."""
        self._ending: set[_Topic] = set()
        """Those with a goal."""
        self._checks: set[asyncio.Task[None]] = set()
        self._expected = 0
        """How many have begun to read, and have not left."""
        self.is_away = False
        """The store does not answer."""
        self.observer: Observer | None = None
        loop = asyncio.get_running_loop()
        self._begun: asyncio.Future[None] = loop.create_future()
        self._reading = loop.create_task(self._read(), name="tell subscribers of changes")

    # --- subscribers

    @property
    def is_running(self) -> bool:
        return not self._reading.done()

    @property
    def is_empty(self) -> bool:
        return not self._topics and not self._expected

    async def wait_until_begun(self) -> None:
        """Raises what its first read raised."""
        await asyncio.shield(self._begun)

    def can_join(self, after: str) -> bool:
        """Whether somebody who was told everything up to there can be told the rest from here."""
        return self._recent_after <= after <= self.offset

    def missed(self, after: str) -> Iterator[Change]:
        """Everything behind `after`, from which one can join."""
        return (each for each in self._recent if each.offset > after) if after < self.offset else iter(())

    def join(self, wanted: Wanted, subscription: Subscription, after: str) -> None:
        """Tell it everything behind `after`, from which it can join. There is no await between the look at
        `offset` and the end of this: so nothing is missed, and nothing is told twice."""
        topic = self._topics.get(wanted)
        if topic is None:
            topic = self._add_topic(wanted)
        missed = (sse.event_of(each) for each in self.missed(after) if wanted.includes(each))
        subscription_fits = True
        for chunk in sse.chunks_of(missed):
            subscription_fits = subscription_fits and subscription.put(chunk)
        if subscription_fits:
            topic.members.add(subscription)
        if not topic.members:
            self._remove_topic(topic)

    def expect(self) -> None:
        """Somebody will join: so it is needed. `leave` takes that back."""
        self._expected += 1

    def leave(self, wanted: Wanted, subscription: Subscription) -> None:
        self._expected -= 1
        topic = self._topics.get(wanted)
        if topic is not None:
            topic.members.discard(subscription)
            if not topic.members:
                self._remove_topic(topic)
        if self.is_empty:
            self._on_empty(self)

    def _add_topic(self, wanted: Wanted) -> _Topic:
        topic = self._topics[wanted] = _Topic(wanted)
        if wanted.run is None:
            self._of_conditions[wanted.workflow, wanted.status] = topic
        else:
            self._of_runs[key_text(wanted.run)] = topic
            self._check(topic)  # the run may have ended before
        return topic

    def _remove_topic(self, topic: _Topic) -> None:
        wanted = topic.wanted
        if self._topics.get(wanted) is topic:
            del self._topics[wanted]
            if wanted.run is None:
                del self._of_conditions[wanted.workflow, wanted.status]
            else:
                del self._of_runs[key_text(wanted.run)]
            self._ending.discard(topic)

    # --- reading

    async def _read(self) -> None:
        try:
            place = await self._watching.now()
            self.offset = self._recent_after = offset_text(place)
            self._begun.set_result(None)
            async with contextlib.aclosing(self._watching.pages(place)) as pages:
                async for page in pages:
                    self._remark(is_away=page is None)
                    if page is not None:
                        await self._tell_page(page)
                        await _rest_after(page)
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if not self._begun.done():
            self._begun.set_exception(error)
            self._begun.exception()  # nobody may wait for it any more
            return
        _log.error("subscribers are told nothing more: %s", error, exc_info=error)
        self._finish(sse.event("error", problem_of(error)))

    async def stop(self) -> None:
        """Those who are left are let go."""
        self._reading.cancel()
        for each in self._checks:
            each.cancel()
        await asyncio.gather(self._reading, *self._checks, return_exceptions=True)
        if not self._begun.done():
            self._begun.cancel()
        self._finish(LAGGED)

    def _finish(self, last: bytes) -> None:
        if self.observer is not None:
            self.observer.finish(last)
        for topic in [*self._topics.values()]:
            topic.finish(last)
            self._remove_topic(topic)

    def _remark(self, *, is_away: bool) -> None:
        if is_away != self.is_away:
            self.is_away = is_away
            if self.observer is not None:
                self.observer.tell_away()
            for topic in self._topics.values():
                for each in topic.members:
                    each.remark(AWAY if is_away else _BACK)

    async def _tell_page(self, page: ChangePage) -> None:
        changes = page.changes
        for first in range(0, len(changes), _SLICE):
            self._tell(changes[first : first + _SLICE])
            if len(changes) > _SLICE:
                await self._pace()
        self.offset = offset_text(page.place)
        for topic in [*self._ending]:
            self._end_if_told(topic)

    async def _pace(self) -> None:
        """After an outage, for example, pages come faster than they can be written."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _PACE_SECONDS
        await asyncio.sleep(0)
        while loop.time() < end and any(  # noqa: ASYNC110
            each.is_crowded for topic in self._topics.values() for each in topic.members
        ):
            await asyncio.sleep(_PACE_SECONDS / 10)

    def _tell(self, changes: Sequence[Change]) -> None:
        """Without an await."""
        told: dict[_Topic, list[bytes]] = {}
        for change in changes:
            text: bytes | None = None
            for topic in self._topics_of(change):
                text = text or sse.event_of(change)
                told.setdefault(topic, []).append(text)
        for topic, events in told.items():
            topic.put(events)
        if self.observer is not None:
            self.observer.tell(changes)
        self._remember(changes)
        for change in changes:
            self._look_for_end(change)
        for topic in told:
            if not topic.members:
                self._remove_topic(topic)

    def _topics_of(self, change: Change) -> Iterator[_Topic]:
        of_run = self._of_runs.get(change.key)
        if of_run is not None:
            yield of_run
        if self._of_conditions:
            status = _run_status(change)
            for workflow in (None, change.workflow):
                for wanted in (None, status) if status is not None else (None,):
                    found = self._of_conditions.get((workflow, wanted))
                    if found is not None:
                        yield found

    def _remember(self, changes: Sequence[Change]) -> None:
        self._recent.extend(changes)
        while len(self._recent) > _RECENT:
            self._recent_after = self._recent.popleft().offset
        self.offset = changes[-1].offset

    # --- the end of a run

    def _look_for_end(self, change: Change) -> None:
        topic = self._of_runs.get(change.key)
        if topic is not None:
            if change.kind is ChangeKind.RUN_DELETED:
                topic.finish(_end_event(change.key, "deleted"))
            elif _run_status(change) in _FINAL:
                self._check(topic)

    def _check(self, topic: _Topic) -> None:
        checking = asyncio.get_running_loop().create_task(self._find_end(topic))
        self._checks.add(checking)
        checking.add_done_callback(self._checks.discard)

    async def _find_end(self, topic: _Topic) -> None:
        """A run that has ended may have been opened again since, and may have ended again: so its state is
        read, and everything that is there by then is told before the end."""
        run = topic.wanted.run
        while run is not None and self._topics.get(topic.wanted) is topic:
            try:
                state, place = await self._watching.end_of(run)
            except StoreUnavailable:  # the tail says so
                await asyncio.sleep(_CHECK_AGAIN_SECONDS)
                continue
            except HoldfastError as error:
                topic.finish(sse.event("error", problem_of(error)))
                self._remove_topic(topic)
                return
            if self._topics.get(topic.wanted) is not topic:
                return
            if state is None or state.status.is_final:
                topic.goal = offset_text(place)
                topic.end = _end_event(key_text(run), "deleted" if state is None else state.status)
                self._ending.add(topic)
                self._end_if_told(topic)
            else:
                topic.goal = None
                self._ending.discard(topic)
            return

    def _end_if_told(self, topic: _Topic) -> None:
        if topic.goal is not None and topic.goal <= self.offset and self._topics.get(topic.wanted) is topic:
            topic.finish(topic.end)
            self._remove_topic(topic)


async def _rest_after(page: ChangePage) -> None:
    """A read takes time from the engine of this process, and there may be a hundred commits in a second. So
    the changes of several are read together, if there are many and the tail is not behind."""
    if page.changes and page.place.row >= page.bounds.last:
        await asyncio.sleep(min(_LONGEST_REST_SECONDS, len(page.changes) * _REST_SECONDS))


def _run_status(change: Change) -> str | None:
    """The status that the change gives the run, if it does."""
    return change.status if change.kind in _HAS_RUN_STATUS else None


def _end_event(key: str, status: str) -> bytes:
    return sse.event("end", {"key": key, "status": status})
