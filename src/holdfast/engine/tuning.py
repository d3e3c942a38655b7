"""The numbers that control an engine. The defaults suit a small machine as well as a busy one."""

from __future__ import annotations

import datetime as dt

import msgspec


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    lease: dt.timedelta = dt.timedelta(seconds=15)
    """How long a node may be silent before others take its runs. A node with runs renews it at a third."""
    stall: dt.timedelta = dt.timedelta(seconds=60)
    """How long the event loop may stand still before the node gives up its runs and stops."""
    look_every: dt.timedelta = dt.timedelta(milliseconds=250)
    """How often to look whether the event loop moves."""
    drain: dt.timedelta = dt.timedelta(seconds=10)
    """How long a stopping node lets tasks finish before it hands them back."""
    poll: dt.timedelta = dt.timedelta(seconds=20)
    """How often to poll the store without a notification, in case one was lost."""
    record_running_after: dt.timedelta = dt.timedelta(milliseconds=100)
    """A task that runs longer than this is recorded as running. A shorter task costs no such write."""
    idle_after: dt.timedelta = dt.timedelta(seconds=5)
    """An idle run leaves memory after this long."""
    deadline_grace: dt.timedelta = dt.timedelta(seconds=60)
    """How long a run may clean up after its deadline has passed. Then it is ended."""
    log_every: dt.timedelta = dt.timedelta(milliseconds=250)
    """How long a log line of a running task may wait to be written."""
    log_limit: int = 1_000_000
    """How many characters of the log of an attempt are kept."""
    stream_every: dt.timedelta = dt.timedelta(milliseconds=5)
    """How long an item of a stream may wait for others to be written with it."""
    stream_items: int = 100_000
    """How many items of a stream are kept."""
    stream_bytes: int = 64 * 1024 * 1024
    stream_kept: dt.timedelta = dt.timedelta(days=7)
    max_resident: int = 10_000
    """How many runs to hold in memory at most."""
    max_idle: int = 256
    """How many runs in memory may be idle. If there are more, the longest idle leave memory at once."""
    long_history: int = 32 * 1024
    """From so many bytes of history on, an idle run stays in memory while there is room. It would take more
    than some milliseconds to load it again."""
    idle_bytes: int = 64 * 1024 * 1024
    """How many bytes of history the runs may have together that stay in memory so. If they have more, those
    that were used least recently leave."""
    max_depth: int = 100
    """How many runs may be above a run: its parent, the parent of that, and so on."""
    max_history: int = 100_000
    """How many steps the history of a run may have, or of its chapter."""
    claim_batch: int = 500
    """How many runs to claim in one commit at most."""
    share_from: int = 32
    """A batch of so many runs or more is shared with the other nodes that serve the same workflows."""
    backlog: int = 100
    """How many tasks of a workflow may wait for a slot before the node leaves its further runs to others, if
    there are any."""
    page_rows: int = 1000
    """How many rows of histories to read at once. A longer history is read in pages."""
    piece: dt.timedelta = dt.timedelta(milliseconds=5)
    """How long to replay before others get a turn: the tick, tasks on the event loop, clients."""
    piece_steps: int = 100
    """After how many steps of a replay its piece may end."""
    start_batch: int = 1000
    """How many runs to start in one commit at most."""
    tick_bytes: int = 8 * 1024 * 1024
    """How many bytes of payloads each part of a tick takes: runs to start, results, steps, inputs of claimed
    runs, mail. What is left goes into the next tick. A payload is taken whole, so there may be a little
    more."""
    tick_time: dt.timedelta = dt.timedelta(milliseconds=100)
    """How long each of these parts may take."""
    unrecorded_bytes: int = 256 * 1024 * 1024
    """While results of so many bytes wait to be recorded, no task is started."""
    step_bytes: int = 2 * 1024**3
    """How many bytes of payloads a run may ask for in one step. A step is written whole."""
