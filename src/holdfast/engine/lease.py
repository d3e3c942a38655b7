"""The lease of this node, as the node knows it: until when its runs are surely its own.

A keeper renews it from a thread of its own (lease_keeper.py). Where there is no keeper, commits renew it.
Both threads set the fields, one field at a time, and no order of that is wrong: at worst the node asks once
more which runs are its own.
"""

from __future__ import annotations

import datetime as dt

from holdfast.core.values import Instant, later, microseconds
from holdfast.ports.commits import Commit


class NodeLease:
    def __init__(self, length: dt.timedelta) -> None:
        self.length = length
        self._third, self._half = microseconds(length / 3), microseconds(length / 2)
        self.until = Instant(0)
        self.since = Instant(0)
        """Since when the node has had this lease without a break. The row of the node has the same instant,
        so a renewal shows whether another node has ended the lease meanwhile."""
        self.is_kept = False
        """A keeper renews the lease."""
        self.has_ended = False
        """The node has given up its lease and its runs for good."""
        self._renewed_at: Instant | None = None
        self._must_renew = False

    def end_after(self, now: Instant) -> Instant:
        """The end of a lease that begins now."""
        return later(now, self.length)

    @property
    def renew_at(self) -> Instant | None:
        """When the keeper should renew the lease."""
        return None if self._renewed_at is None else Instant(self._renewed_at + self._third)

    @property
    def commit_at(self) -> Instant | None:
        """When a commit should renew the lease, even if there is nothing else to write: if there is no
        keeper, or if the keeper cannot reach the store."""
        share = self._half if self.is_kept else self._third
        return None if self._renewed_at is None else Instant(self._renewed_at + share)

    def is_due(self, now: Instant) -> bool:
        """Whether the next commit must renew the lease."""
        due = self.commit_at
        return self._must_renew or not self.is_kept or due is None or due <= now

    def renew_with_commit(self) -> None:
        """The next commit must renew the lease, because it writes something else to the node's row."""
        self._must_renew = True

    def commit(self, commit: Commit, since: Instant, *, is_checked: bool) -> bool:
        """The commit stands. The store had the lease since then. False if the node must ask which runs are
        still its own, because another node has ended its lease; `is_checked`: this commit has asked."""
        if since != self.since:
            if not is_checked:
                return False
            self.since, self.until = since, Instant(0)
        if commit.renews:
            self._must_renew = False
            self.until = max(self.until, commit.lease_until)
            self._renewed_at = commit.now
        return True

    def renew(self, since: Instant, asked_at: Instant, until: Instant) -> None:
        """The keeper has renewed the lease that the node has had since then."""
        if since == self.since and not self.has_ended:
            self.until = until
            self._renewed_at = asked_at

    def lose(self, since: Instant) -> None:
        """The keeper found that another node has ended this lease."""
        if since == self.since:
            self.until = Instant(0)

    def end(self) -> None:
        self.has_ended = True
        self.until = Instant(0)

    def is_valid(self, now: Instant) -> bool:
        """False after this process stood still, or the store was away, for too long. Then the node may start
        no attempt before a commit has confirmed which runs are still its own."""
        return now < self.until and not self.has_ended
