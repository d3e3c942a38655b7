"""Committing, come what may: a database that goes away is waited for, a lost answer is looked up.

Until a tick is committed nothing of it may be acted upon, so the node stands still meanwhile, but
for the tasks that run already.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Callable

from holdfast.core.values import Instant, later
from holdfast.errors import StoreFull, StoreUnavailable
from holdfast.ports.clock import Clock
from holdfast.ports.store import Commit, Receipt, Store

_log = logging.getLogger("holdfast.engine")

_FIRST_WAIT = dt.timedelta(milliseconds=50)
_LONGEST_WAIT = dt.timedelta(seconds=2)
_REPORT_EVERY = dt.timedelta(seconds=10)


async def commit_with_retries(
    store: Store, clock: Clock, commit: Commit, on_full: Callable[[StoreFull], None]
) -> Receipt:
    """Commit, and try again for as long as it takes. `on_full` may take rows out that need not be kept."""
    outage = StoreOutage(clock)
    is_in_doubt = False
    while True:
        try:
            receipt = await store.recover(commit) if is_in_doubt else None
            is_in_doubt = False
            if receipt is None:
                receipt = await store.commit(commit)
        except StoreFull as error:
            if not is_in_doubt:  # else it was the question, and the commit may stand
                on_full(error)
            await outage.wait(error)
        except StoreUnavailable as error:
            is_in_doubt = commit.is_retry = True
            await outage.wait(error)
        else:
            outage.end()
            return receipt


def combine_receipts(first: Receipt, second: Receipt) -> Receipt:
    """What came of two commits in a row. What the second has lost, the first no longer has."""
    claimed = {each.run.key: each for each in (*first.claimed, *second.claimed)}
    mail = {message.id: message for message in (*first.mail, *second.mail)}
    return Receipt(
        lost=first.lost | second.lost,
        existing=first.existing,
        claimed=[each for run, each in claimed.items() if run not in second.lost],
        mail=[mail[id] for id in sorted(mail)],
    )


class StoreOutage:
    """Waits longer each time, and tells about it now and then."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since: Instant | None = None
        self._reported: Instant | None = None
        self._delay = _FIRST_WAIT

    async def wait(self, error: Exception) -> None:
        now = self._clock.now()
        self._since = self._since or now
        if self._reported is None or later(self._reported, _REPORT_EVERY) <= now:
            self._reported = now
            _log.warning("%s; holding everything and trying again", error)
        await self._clock.wait(asyncio.Event(), later(now, self._delay))
        self._delay = min(self._delay * 2, _LONGEST_WAIT)

    def end(self) -> None:
        if self._since is not None:
            seconds = (self._clock.now() - self._since) / 1_000_000
            _log.warning("the store answers again after %.1f s; nothing was lost", seconds)
