"""Pausing the garbage collector during a tick.

A collection runs the finalizers of any garbage, also of objects that have nothing to do with holdfast. In
the middle of a tick they would run on the event loop of some workflow. A large tick would also cause a
hundred collections that find everything in use; one at the end is enough.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from contextlib import contextmanager


class _GcState:
    is_on = False


@contextmanager
def gc_paused() -> Generator[None]:
    """Pauses the garbage collector for a block that does not await. Leaves it off if the caller had turned it
    off."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    _GcState.is_on = True
    try:
        yield
    finally:
        _GcState.is_on = False
        gc.enable()


def _resume_in_child() -> None:
    if _GcState.is_on:
        gc.enable()


if hasattr(os, "register_at_fork"):
    # A task on a thread may fork during a tick. The tick does not go on in the child, so nothing else would
    # turn the collector on again there.
    os.register_at_fork(after_in_child=_resume_in_child)
