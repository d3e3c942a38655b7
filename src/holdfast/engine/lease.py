"""The lease of this node, as the node knows it: until when its runs are surely its own."""

from __future__ import annotations

import datetime as dt

from holdfast.core.values import Instant, later
from holdfast.ports.commits import Commit


class NodeLease:
    def __init__(self, length: dt.timedelta) -> None:
        self._length = length
        self.until = Instant(0)
        self.renew_at: Instant | None = None
        """When a commit should renew the lease, even if there is nothing else to write."""

    def end_after(self, now: Instant) -> Instant:
        """The end of a lease that begins now."""
        return later(now, self._length)

    def renew(self, commit: Commit) -> None:
        """The commit stands, and with it the lease that it asked for."""
        self.renew_at = later(commit.now, self._length / 3)
        self.until = commit.lease_until

    def is_valid(self, now: Instant) -> bool:
        """False after this process stood still, or the store was away, for too long. Then the node may start
        no attempt before a commit has confirmed which runs are still its own."""
        return now < self.until
