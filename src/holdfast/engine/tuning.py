"""The numbers an engine works by. The defaults suit one node on a small machine and a busy one."""

from __future__ import annotations

import datetime as dt

import msgspec


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    lease: dt.timedelta = dt.timedelta(seconds=15)
    """How long a node may be silent before others take its runs. Renewed at a third of it."""
    drain: dt.timedelta = dt.timedelta(seconds=10)
    """How long a stopping node lets tasks finish before it hands them back."""
    poll: dt.timedelta = dt.timedelta(seconds=20)
    """How often to look although nobody called: the safety net under notifications."""
    show_after: dt.timedelta = dt.timedelta(milliseconds=100)
    """A task that runs longer than this is shown as running. A shorter one costs no write for it."""
    idle_after: dt.timedelta = dt.timedelta(seconds=5)
    """A run that only waits leaves memory after this long."""
    log_every: dt.timedelta = dt.timedelta(milliseconds=250)
    """How long a line that a running task has said may wait to be written."""
    log_limit: int = 1_000_000
    """How many characters of what an attempt says are kept."""
    max_resident: int = 10_000
    """How many runs to hold in memory at most."""
    max_depth: int = 100
    """How many runs may be above a run in its family."""
    max_idle: int = 256
    """How many of them may only wait; beyond that, those that wait longest leave at once."""
    claim_batch: int = 500
    """How many runs to claim in one commit at most."""
    start_batch: int = 1000
    """How many runs to start in one commit at most."""
