"""How often the garbage collector runs while there is a node in this process.

Python collects after every 700 new objects. A busy node makes that many for ten runs, nearly all of which are
gone without a collection. So while a node is open, the collector runs less often (`relax_gc`), unless the
program has set a limit of its own. And during a tick it does not run at all.

A collection runs the finalizers of any garbage, also of objects that have nothing to do with holdfast. In
the middle of a tick they would run on the event loop of some workflow. A large tick would also cause a
hundred collections that find everything in use; one at the end is enough.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable

_OFTEN = 2000
"""Python's own limits are at most this. A program that wants fewer collections has set another."""
_RELAXED = 20_000


class _GcState:
    is_on = False
    lock = threading.Lock()
    nodes = 0
    thresholds: tuple[int, ...] = ()
    """Before the first node was opened."""


def relax_gc() -> Callable[[], None]:
    """Have the garbage collector run less often, until the returned function is called. Of several callers,
    the first and the last matter."""
    state = _GcState
    with state.lock:
        state.nodes += 1
        if state.nodes == 1:
            state.thresholds = gc.get_threshold()
            if 0 < state.thresholds[0] <= _OFTEN:
                gc.set_threshold(_RELAXED, *state.thresholds[1:])

    def restore() -> None:
        with state.lock:
            state.nodes -= 1
            if state.nodes == 0 and gc.get_threshold()[0] == _RELAXED:
                gc.set_threshold(*state.thresholds)

    return restore


class GcPause:
    """Pauses the garbage collector for a block that does not await. Leaves it off if the caller had turned it
    off. (A class, because a tick has two such blocks, and a generator would take three times as long.)"""

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        if self._was_on:
            gc.disable()
            _GcState.is_on = True

    def __exit__(self, *_: object) -> None:
        if self._was_on:
            _GcState.is_on = False
            gc.enable()


def _resume_in_child() -> None:
    if _GcState.is_on:
        gc.enable()


if hasattr(os, "register_at_fork"):
    # A task on a thread may fork during a tick. The tick does not go on in the child, so nothing else would
    # turn the collector on again there.
    os.register_at_fork(after_in_child=_resume_in_child)
