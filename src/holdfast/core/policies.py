"""Policies: what to do about failure, slowness and silence. Pure functions of their arguments."""

from __future__ import annotations

import datetime as dt
from random import Random
from typing import Any, cast

import msgspec

from holdfast.core.names import checked_name
from holdfast.core.values import Failure
from holdfast.errors import BadOption

LOST_ATTEMPTS_ALLOWED = 10
"""How often a task may take its node down with it before it is called failed."""

_LOSSES_BY_CHANCE = 3
"""Fewer nodes than this may be killed in the middle of a task, by deploys say, and it looks like chance."""

SETBACKS_ALLOWED = 8
"""How many nodes in a row may come to nothing with a run before it is left alone."""

_AFTER_FIRST_SETBACK = dt.timedelta(seconds=5)

LONGEST_DELAY = dt.timedelta(days=36_525)


_MAX_DELAY = dt.timedelta(minutes=5)


class Retry(msgspec.Struct, frozen=True, omit_defaults=True):
    """When to try a failed task again, and after how long.

    Attempt n that failed waits `first_delay * factor ** (n - 1)`, at most `max_delay`, varied by
    up to `jitter` of itself in either direction, so that a thousand tasks that failed together do
    not come back together. Errors named in `never_on` are final at once.
    """

    max_attempts: int = 1
    first_delay: dt.timedelta = dt.timedelta(seconds=1)
    factor: float = 2.0
    max_delay: dt.timedelta = _MAX_DELAY
    """Unless it is given, it is `first_delay` if that is longer."""
    jitter: float = 0.1
    never_on: tuple[Any, ...] = ()
    """Exception classes, or their names (`ValueError`, `shop:PaymentDeclined`); kept as names."""

    def __post_init__(self) -> None:
        if not _is_whole(self.max_attempts) or self.max_attempts < 1:
            raise BadOption("Retry.max_attempts", self.max_attempts, "a whole number of 1 or more")
        for option in ("first_delay", "max_delay"):
            delay: Any = getattr(self, option)
            if not isinstance(delay, dt.timedelta) or not dt.timedelta(0) <= delay <= LONGEST_DELAY:
                raise BadOption(f"Retry.{option}", delay, "a timedelta between zero and a hundred years")
        if not _is_number(self.factor) or not 1 <= self.factor <= 1000:
            raise BadOption("Retry.factor", self.factor, "between 1 and 1000")
        if not _is_number(self.jitter) or not 0 <= self.jitter <= 1:
            raise BadOption("Retry.jitter", self.jitter, "between 0 and 1")
        if self.max_delay == _MAX_DELAY and self.first_delay > _MAX_DELAY:
            # Whoever asks for an hour and says no more does not mean five minutes.
            msgspec.structs.force_setattr(self, "max_delay", self.first_delay)
        msgspec.structs.force_setattr(self, "never_on", _error_names(self.never_on))
        make_plain(self)

    def delay_after(self, attempt: int, failure: Failure, dice: Random) -> dt.timedelta | None:
        """How long to wait after failed attempt number `attempt` (from 1); None to give up."""
        if attempt >= self.max_attempts or self._is_final(failure):
            return None
        # min() inside the power, and the bounds on both numbers, keep it from overflowing a float.
        grown = self.first_delay.total_seconds() * self.factor ** min(attempt - 1, 64)
        seconds = min(grown, self.max_delay.total_seconds())
        return dt.timedelta(seconds=seconds * (1 + self.jitter * dice.uniform(-1, 1)))

    def _is_final(self, failure: Failure) -> bool:
        name = failure.type.rpartition(":")[2]
        return any(entry in (failure.type, name) for entry in self.never_on)


def _error_names(given: Any) -> tuple[str, ...]:
    """One error or several, each a class or a name, as names."""
    names: list[str] = []
    try:
        entries = iter((given,) if isinstance(given, (str, type)) else given)
    except Exception:
        raise BadOption("Retry.never_on", given, "an exception class, the name of one, or several") from None
    for entry in entries:
        kind = cast("type[object]", entry) if isinstance(entry, type) else None
        if kind is not None and issubclass(kind, BaseException):
            names.append(f"{kind.__module__}:{kind.__qualname__}")
        elif isinstance(entry, str) and entry:
            names.append(entry)
        else:
            raise BadOption("Retry.never_on", entry, "an exception class, or the name of one")
    return tuple(names)


def _is_whole(value: Any) -> bool:
    """Also bounded: what is recorded with a request must fit into 64 bits."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_PLAIN = frozenset({dt.timedelta, str, float, int})


def make_plain(options: msgspec.Struct) -> None:
    """Options are recorded, and a record knows plain types only: neither writes it the subclass that a
    numpy.float64 or a pandas.Timedelta is, nor could it be read again."""
    for name in options.__struct_fields__:
        value: Any = getattr(options, name)
        # What is plain stays the very object it is: a default is left out of the record by its identity.
        if type(value) in _PLAIN or not isinstance(value, (dt.timedelta, str, float, int)):
            continue
        plain: Any
        if isinstance(value, dt.timedelta):
            plain = dt.timedelta(value.days, value.seconds, value.microseconds)
        elif isinstance(value, str):
            plain = str.__str__(value)
        elif isinstance(value, float):
            plain = float.__float__(value)
        else:
            plain = int.__int__(value)
        msgspec.structs.force_setattr(options, name, plain)


NO_RETRY = Retry()


class TaskOptions(msgspec.Struct, frozen=True, omit_defaults=True):
    """How to run a task. Recorded with the request, so a later edit does not change a task under way."""

    retry: Retry = NO_RETRY
    timeout: dt.timedelta | None = None
    """The longest one attempt may run."""
    start_timeout: dt.timedelta | None = None
    """The longest one attempt may wait for a free slot."""
    heartbeat: dt.timedelta | None = None
    """The longest one attempt may be silent."""
    queue: str = "default"
    priority: int = 0
    """Higher goes first among the tasks that wait for a slot of one queue."""
    service: str | None = None
    """The workers of this service ask for it; no executor of a node runs it."""

    def __post_init__(self) -> None:
        retry: Any = self.retry
        if not isinstance(retry, Retry):
            raise BadOption("retry", retry, "a Retry")
        for name in ("timeout", "start_timeout", "heartbeat"):
            value: Any = getattr(self, name)
            if value is not None and not (isinstance(value, dt.timedelta) and value > dt.timedelta(0)):
                raise BadOption(name, value, "a timedelta longer than zero")
        checked_name("queue", self.queue)
        if not _is_whole(self.priority):
            raise BadOption("priority", self.priority, "a whole number")
        make_plain(self)


DEFAULT_OPTIONS = TaskOptions()


def wait_after_loss(lost: int, dice: Random) -> dt.timedelta | None:
    """How long to wait before a task is tried again that was running when its node died; None: not at all.

    A task that kills its nodes has company, which is lost with it each time. From the third time on each
    waits for as long as chance will have it, so that those it does not find running are not counted again.
    """
    if lost < _LOSSES_BY_CHANCE:
        return None
    return min(dt.timedelta(seconds=2 ** min(lost, 10)), _MAX_DELAY) * dice.random()


def at_once(most: int, setbacks: int) -> int:
    """How many runs to take together, of which one has had this many setbacks: a quarter after each, down
    to itself alone. Whatever kills its nodes soon does so in a company that has nobody else in it."""
    return max(1, most >> 2 * min(setbacks, SETBACKS_ALLOWED))


def wait_after_setback(setbacks: int) -> dt.timedelta | None:
    """How long until a run that does not fit the code of a node is tried again, by whichever node: there may
    be others with the code that began it. `setbacks` are those before this one. None to leave it alone."""
    return None if setbacks + 1 >= SETBACKS_ALLOWED else _AFTER_FIRST_SETBACK * 2**setbacks
