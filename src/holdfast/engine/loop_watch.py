"""Watches the event loop from another thread: whether it moves, and if not, what holds it up.

The watch asks the loop for an answer and looks a moment later whether it came. So nothing is added to what
the loop does, except one callback for each question.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import inspect
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, cast

from holdfast.core.records import RunRecord
from holdfast.core.values import RunKey, key_text
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Attempt

_FRAMES = 30
"""How many frames of a stack are shown at most: the innermost ones."""
_RUN_ONCE: CodeType = cast("Any", asyncio.BaseEventLoop)._run_once.__code__
_PACKAGE = str(Path(__file__).parents[1])

FindAttempt = Callable[["asyncio.Task[Any]"], Attempt | None]


class Activity:
    """The run whose code the event loop's thread is in now, in a replay or beyond."""

    __slots__ = ("is_unwatched", "run", "wake_watch")

    def __init__(self) -> None:
        self.run: RunRecord | None = None
        self.is_unwatched = False
        """Nobody looks at the loop now, because there was nothing to do."""
        self.wake_watch: Callable[[], None] = do_nothing

    def begin(self, run: RunRecord) -> None:
        self.run = run
        if self.is_unwatched:
            self.wake_watch()

    def end(self) -> None:
        self.run = None


def do_nothing() -> None:
    pass


class Holder(NamedTuple):
    """What holds up the event loop."""

    words: str
    run: RunKey | None = None
    task: str | None = None
    stack: str = ""


class LoopWatch:
    def __init__(
        self, clock: Clock, activity: Activity, find_attempt: FindAttempt, look_every: dt.timedelta
    ) -> None:
        """Called on the thread of the event loop that is to be watched."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._runner = None if isinstance(self._loop, asyncio.BaseEventLoop) else _code_of_runner()
        self._clock = clock
        self._activity = activity
        self._find_attempt = find_attempt
        self._longest_step = 2 * look_every // dt.timedelta(microseconds=1)
        self._is_answered = True
        self._looked_at: int | None = None
        self._silence = 0

    def look(self) -> int:
        """For how many microseconds the loop has not moved. Asks it again if it has.

        A look that comes late counts no more than two that are in time. If this thread too was kept from
        running (SIGSTOP, a machine that sleeps, C code that keeps the GIL), the loop gets the time to answer.
        A loop that waits for something to do is not held up: it answers as soon as its thread gets CPU time.
        """
        now = self._clock.elapsed()
        since = 0 if self._looked_at is None else now - self._looked_at
        self._looked_at = now
        if self._is_answered:
            self._silence = 0
            self._is_answered = False
            self.post(self._answer)
        elif not self._is_waiting():
            self._silence += min(since, self._longest_step)
        return self._silence

    def _is_waiting(self) -> bool:
        """Whether the event loop itself waits, not code that it has called."""
        frame = sys._current_frames().get(self._thread)  # pyright: ignore[reportPrivateUsage]
        if frame is None or frame.f_back is None:
            return False
        if self._runner is not None:
            return frame.f_code is self._runner
        return frame.f_back.f_code is _RUN_ONCE and frame.f_code.co_name == "select"

    def rest(self) -> None:
        """Nobody looks for a while."""
        self._looked_at = None

    def _answer(self) -> None:
        self._is_answered = True

    def post(self, callback: Callable[..., object], *args: Any) -> None:
        """Have the loop call it."""
        try:
            self._loop.call_soon_threadsafe(callback, *args)
        except RuntimeError:
            pass  # the loop is closed

    def holder(self) -> Holder:
        """What the loop's thread does at this moment."""
        stack = _stack_of(self._thread)
        run = self._activity.run
        if run is not None:
            return Holder(
                f"workflow {run.workflow!r} (run {run.id or key_text(run.key)})", run.key, None, stack
            )
        task = asyncio.current_task(self._loop)
        if task is None:
            return Holder("a callback that belongs to no run", stack=stack)
        attempt = self._find_attempt(task)
        if attempt is None:
            return Holder(f"asyncio task {task.get_name()!r}, which belongs to no run", stack=stack)
        words = f"task {attempt.name!r} of workflow {attempt.workflow!r} (run {attempt.run_id})"
        return Holder(words, attempt.run, attempt.name, stack)


def _code_of_runner() -> CodeType | None:
    """What has called the event loop that calls us. While a loop waits that is not written in Python, such as
    uvloop, this is what its thread is in."""
    frame, task = inspect.currentframe(), None
    while frame is not None:
        if frame.f_code.co_flags & inspect.CO_COROUTINE:
            task = frame
        frame = frame.f_back
    return None if task is None or task.f_back is None else task.f_back.f_code


def _stack_of(thread: int) -> str:
    """The frames of the user's code, with the one of ours that called it."""
    frame = sys._current_frames().get(thread)  # pyright: ignore[reportPrivateUsage]
    if frame is None:
        return ""
    frames = traceback.extract_stack(frame)
    ours = [number for number, each in enumerate(frames) if each.filename.startswith(_PACKAGE)]
    if ours and ours[-1] < len(frames) - 1:
        frames = frames[ours[-1] :]
    return "".join(traceback.format_list(frames[-_FRAMES:]))
