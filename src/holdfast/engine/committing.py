"""Committing a tick, however long it takes.

If the database is away, the commit is tried again until the database is back. If the answer to a commit was
lost, the store is asked whether the commit stands. Nothing of a tick may be done before its commit stands.
Meanwhile running attempts go on, and attempts that earlier commits recorded start in slots that come free,
for as long as the lease is valid.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Callable

from holdfast.core.failures import capture
from holdfast.core.values import Instant, NodeId, RunKey, RunStatus, key_text, later
from holdfast.engine.attempt_recorder import encode_failure
from holdfast.engine.lease import NodeLease
from holdfast.engine.residents import Residents
from holdfast.engine.splitting import children_of, only_runs, runs_in
from holdfast.engine.start_queue import StartQueue
from holdfast.engine.tick import Tick
from holdfast.errors import CommitRefused, StoreFull, StoreUnavailable
from holdfast.ports.clock import Clock
from holdfast.ports.commits import Commit, Held, Receipt, ReleasedRun
from holdfast.ports.nodes import NodeStore

_log = logging.getLogger("holdfast.engine")

_FIRST_WAIT = dt.timedelta(milliseconds=50)
_LONGEST_WAIT = dt.timedelta(seconds=2)
_REPORT_EVERY = dt.timedelta(seconds=10)
_REPORT_NEWS_AFTER = dt.timedelta(seconds=1)
"""For an error that differs from the last: a server that was restarted may be read-only then."""

_WATCHED_FOR = dt.timedelta(seconds=30)
"""Watchers say every ten seconds that they are there."""


class Committer:
    def __init__(
        self,
        store: NodeStore,
        clock: Clock,
        lease: NodeLease,
        residents: Residents,
        starts: StartQueue,
        *,
        namespace: str,
        node: NodeId,
    ) -> None:
        self._store = store
        self._clock = clock
        self._lease = lease
        self._residents = residents
        self._starts = starts
        self._namespace = namespace
        self.node = node
        self.serves: str | None = None
        self._ticks = 0
        self._watched_until = Instant(0)

    def new_commit(self, now: Instant) -> Commit:
        lease = self._lease
        return Commit(
            self._namespace,
            self.node,
            self._next_tick(),
            now,
            lease.end_after(now),
            renews=lease.is_due(now),
            serves=self.serves,
            is_watched=now < self._watched_until,
            read=self._residents.mail.newest,
        )

    def note_watched(self) -> None:
        """Somebody watches. They say so again as long as they do."""
        self._watched_until = later(self._clock.now(), _WATCHED_FOR)

    async def commit(self, tick: Tick) -> Receipt:
        """Commit. If the lease may have run out meanwhile, ask which runs are still ours before it counts as
        renewed."""

        def refuse_starts(error: StoreFull) -> None:
            """Callers that want to start runs are refused at once. Rows of other runs are kept and
            retried."""
            refused = self._starts.refuse(error)
            tick.remove_runs(refused)
            self._residents.discard(refused)

        if self._lease.has_ended:
            # The keeper has given up the runs of this node, and is about to cancel this coroutine.
            await asyncio.Event().wait()
        is_checked = tick.holds_all
        try:
            receipt = await commit_with_retries(self._store, self._clock, tick.commit, refuse_starts)
        except CommitRefused as error:
            receipt = await self._commit_in_parts(tick, error)
            is_checked = False  # the lease may have ended between two parts
        self._clock.catch_up()
        # If another node had ended the lease, this commit has begun a new one. Other nodes may have claimed
        # runs that this commit does not hold. Until that is checked, the new lease must not count: a slot
        # that comes free would start an attempt at such a run.
        is_sure = self._lease.commit(tick.commit, receipt.lease_since, is_checked=is_checked)
        while not is_sure or not self._lease.is_valid(self._clock.now()):
            receipt = await self._confirm(receipt)
            is_sure = tick.is_answer_late = True
        return receipt

    async def _commit_in_parts(self, tick: Tick, error: CommitRefused) -> Receipt:
        """Commit the rows of each run, except of those that the database refuses."""
        whole = tick.commit
        receipt = await self._commit_runs(tick, runs_in(whole), error)
        rest = only_runs(whole, set(), self._next_tick())
        rest.claim, rest.collect = whole.claim, whole.collect
        last = await commit_with_retries(self._store, self._clock, rest, lambda _: None)
        return combine_receipts(receipt, last)

    async def _commit_runs(self, tick: Tick, runs: list[RunKey], error: CommitRefused) -> Receipt:
        """Commit the rows of these runs, which the database has refused together."""
        if not runs:
            raise error
        if len(runs) == 1:
            return await self._set_aside(tick, runs[0], error)
        receipt = Receipt()
        middle = len(runs) // 2
        for half in (runs[:middle], runs[middle:]):
            part = only_runs(tick.commit, set(half), self._next_tick())
            try:
                answer = await commit_with_retries(self._store, self._clock, part, lambda _: None)
            except CommitRefused as refusal:
                answer = await self._commit_runs(tick, half, refusal)
            receipt = combine_receipts(receipt, answer)
        return receipt

    async def _set_aside(self, tick: Tick, run: RunKey, error: CommitRefused) -> Receipt:
        """Park a run whose rows the database refuses. A run that cannot even be created is refused."""
        _log.error(
            "run %s cannot go on and is parked: %s",
            key_text(run),
            error,
            exc_info=error,
            extra={"run_id": key_text(run)},
        )
        whole = tick.commit
        parking = only_runs(whole, set(), self._next_tick())
        parking.created = [record for record in whole.created if record.key == run]
        parking.held = [held for held in whole.held if held.run == run]
        parking.released = [ReleasedRun(run, RunStatus.PARKED, encode_failure(capture(error)), None)]
        tick.remove_runs({run, *children_of(whole, run)})
        self._residents.discard([run])
        try:
            receipt = await commit_with_retries(self._store, self._clock, parking, lambda _: None)
        except CommitRefused as refusal:
            if not parking.created:
                raise
            self._starts.refuse_run(run, refusal)
            return Receipt()
        tick.commit.released += parking.released
        return receipt

    def _next_tick(self) -> int:
        self._ticks += 1
        return self._ticks

    async def _confirm(self, receipt: Receipt) -> Receipt:
        """Ask again which runs are ours, since the answer to a commit came after the lease had run out.

        Without this, the node would start tasks that another node has done and recorded long ago.
        """
        commit = self.new_commit(self._clock.now())
        commit.renews = True
        known = {each.key: each.epoch for each in self._residents if not each.is_gone}
        known |= {run.key: run.epoch for run, _ in receipt.claimed}
        commit.held = [
            Held(run, epoch)
            for run, epoch in known.items()
            if run not in receipt.lost and run not in receipt.existing
        ]
        again = await commit_with_retries(self._store, self._clock, commit, lambda _: None)
        self._lease.commit(commit, again.lease_since, is_checked=True)
        return combine_receipts(receipt, again)


async def commit_with_retries(
    store: NodeStore, clock: Clock, commit: Commit, on_full: Callable[[StoreFull], None]
) -> Receipt:
    """Commit, and try again for as long as it takes. `on_full` may take rows out of the commit."""
    outage = StoreOutage(clock)
    is_in_doubt = False
    while True:
        try:
            receipt = await store.recover_commit(commit) if is_in_doubt else None
            is_in_doubt = False
            if receipt is None:
                receipt = await store.commit(commit)
        except StoreFull as error:
            if not is_in_doubt:  # otherwise `recover_commit` has failed, and the commit may stand
                on_full(error)
            await outage.wait(error)
        except StoreUnavailable as error:
            is_in_doubt = commit.is_retry = True
            await outage.wait(error)
        else:
            outage.end()
            return receipt


def combine_receipts(first: Receipt, second: Receipt) -> Receipt:
    """The receipt of two commits in a row. Runs that the second has lost are not claimed any more."""
    claimed = {each.run.key: each for each in (*first.claimed, *second.claimed)}
    mail = {message.id: message for message in (*first.mail, *second.mail)}
    return Receipt(
        lost=first.lost | second.lost,
        existing=first.existing | second.existing,
        claimed=[each for run, each in claimed.items() if run not in second.lost],
        mail=[mail[id] for id in sorted(mail)],
        lease_since=second.lease_since,
        left=first.left | second.left,
    )


class StoreOutage:
    """Waits between tries, longer each time, and logs a warning now and then."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since: Instant | None = None
        self._reported: Instant | None = None
        self._reason = ""
        self._delay = _FIRST_WAIT

    async def wait(self, error: Exception) -> None:
        now = self._clock.now()
        self._since = self._since or now
        if self._reported is None or later(self._reported, self._report_after(error)) <= now:
            self._reported, self._reason = now, str(error)
            _log.warning("%s; holding everything and trying again", error)
        await self._clock.wait(asyncio.Event(), later(now, self._delay))
        self._delay = min(self._delay * 2, _LONGEST_WAIT)

    def _report_after(self, error: Exception) -> dt.timedelta:
        return _REPORT_EVERY if str(error) == self._reason else _REPORT_NEWS_AFTER

    def end(self) -> None:
        if self._since is not None:
            seconds = (self._clock.now() - self._since) / 1_000_000
            _log.warning("the store answers again after %.1f s; nothing was lost", seconds)
