"""What may come of a call that is fed nonsense: an answer, or a refusal that says what is wrong."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Final

LONGEST_SECONDS: Final = 10.0
LONGEST_MESSAGE: Final = 20_000


class Hung(BaseException):
    """Not an Exception: what is under test must not catch it."""


@contextmanager
def refusing(*errors: type[Exception]) -> Generator[None]:
    """Lets these errors pass, if they say something and not too much, and stops what takes too long."""
    with in_time(), printable():
        try:
            yield
        except errors as error:
            _check_words(error)


@contextmanager
def printable(case: str = "it") -> Generator[None]:
    """Turns an error into one that can be printed: pytest stumbles over those that cannot."""
    escaped = ""
    try:
        yield
    except AssertionError:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[:0:-1]
        places = [f"{frame.name} in {frame.filename}:{frame.lineno}" for frame in frames]
        escaped = "\n  ".join([type(error).__name__, *places])
    # Raised out here, so that it does not carry the other one along.
    assert not escaped, f"{case} has let an error escape: {escaped}"


def _check_words(error: Exception) -> None:
    said = str(error)
    assert said, f"{type(error).__name__} says nothing"
    assert len(said) <= LONGEST_MESSAGE, f"{type(error).__name__} says {len(said):,} characters"
    said.encode()  # it goes to logs and databases


@contextmanager
def in_time() -> Generator[None]:
    def interrupt(signal_number: int, frame: FrameType | None) -> None:
        raise Hung(f"no answer after {LONGEST_SECONDS} s")

    handler = signal.signal(signal.SIGALRM, interrupt)
    timer = signal.setitimer(signal.ITIMER_REAL, LONGEST_SECONDS)
    try:
        yield
    finally:
        # pytest's own alarm goes on from where it was, which is near enough.
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, *timer)
