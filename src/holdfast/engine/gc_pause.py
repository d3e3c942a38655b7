"""The garbage collector, which may come between the parts of a tick but not in the middle of one.

A collection runs the finalizers of whatever it finds, also of objects that have nothing to do with
holdfast, and in the middle of a tick it would run them on the loop of some workflow. It would also
come a hundred times in a large tick and find everything in use: once, at the end, is enough.
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
    """For what does not wait. Leaves a collector alone that somebody has switched off."""
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
    # A task on a thread may fork while a tick is under way, and the tick does not go on in the child.
    os.register_at_fork(after_in_child=_resume_in_child)
