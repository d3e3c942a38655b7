"""Policies: when to retry, when to time out, when to give up. Pure functions of their arguments."""

from __future__ import annotations

import datetime as dt
from random import Random
from typing import Any, cast

import msgspec

from holdfast.core.names import checked_name
from holdfast.core.secret_names import checked_secrets
from holdfast.core.values import Failure
from holdfast.errors import BadOption

LOST_ATTEMPTS_ALLOWED = 10
"""How many attempts of a task may be lost with their node before the task fails."""

_LOSSES_BY_CHANCE = 3
"""With fewer losses than this the task is not suspected: its nodes may have been killed by deploys."""

SETBACKS_ALLOWED = 8
"""How many nodes in a row may fail to run a run before it stays parked."""

STALLS_ALLOWED = 2
"""How many nodes may stop because a run holds up their event loop. Then the run stays parked."""

_AFTER_FIRST_SETBACK = dt.timedelta(seconds=5)

LONGEST_DELAY = dt.timedelta(days=36_525)

_MAX_DELAY = dt.timedelta(minutes=5)


class Retry(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether to try a failed task again, and after how long.

    The delay after failed attempt n is `first_delay * factor ** (n - 1)`, at most `max_delay`. It varies
    at random by up to `jitter` of itself in either direction, so that a thousand tasks that failed
    together are not retried together. If `only_on` is given, other errors are not retried; errors in
    `never_on` never are. Both count subclasses too. A task that raises `DoNotRetry` is not retried either.
    """

    max_attempts: int = 1
    first_delay: dt.timedelta = dt.timedelta(seconds=1)
    factor: float = 2.0
    max_delay: dt.timedelta = _MAX_DELAY
    """If not given, it is at least `first_delay`."""
    jitter: float = 0.1
    never_on: tuple[Any, ...] = ()
    """Exception classes or their names (`ValueError`, `shop:PaymentDeclined`). Stored as names."""
    only_on: tuple[Any, ...] = ()
    """As `never_on`. If it is empty, all errors are retried."""

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
            # A user who asks for an hour and says no more does not mean five minutes.
            msgspec.structs.force_setattr(self, "max_delay", self.first_delay)
        for option in ("never_on", "only_on"):
            names = _error_names(f"Retry.{option}", getattr(self, option))
            # An empty tuple stays the same object: msgspec leaves out a default only if it is identical.
            msgspec.structs.force_setattr(self, option, names or ())
        make_plain(self)

    def delay_after(self, attempt: int, failure: Failure, dice: Random) -> dt.timedelta | None:
        """How long to wait after failed attempt number `attempt` (from 1); None to give up."""
        if attempt >= self.max_attempts or self._is_final(failure):
            return None
        # min() and the bounds on both numbers keep the power from overflowing a float.
        grown = self.first_delay.total_seconds() * self.factor ** min(attempt - 1, 64)
        seconds = min(grown, self.max_delay.total_seconds())
        return dt.timedelta(seconds=seconds * (1 + self.jitter * dice.uniform(-1, 1)))

    def _is_final(self, failure: Failure) -> bool:
        if failure.is_final or not (self.never_on or self.only_on):
            return failure.is_final
        kinds = {failure.type, *failure.bases, "builtins:Exception"}
        kinds |= {kind.rpartition(":")[2] for kind in kinds}
        return not kinds.isdisjoint(self.never_on) or bool(self.only_on and kinds.isdisjoint(self.only_on))


def _error_names(option: str, given: Any) -> tuple[str, ...]:
    """The names of one error or several, each given as a class or a name."""
    names: list[str] = []
    try:
        entries = iter((given,) if isinstance(given, (str, type)) else given)
    except Exception:
        raise BadOption(option, given, "an exception class, the name of one, or several") from None
    for entry in entries:
        kind = cast("type[object]", entry) if isinstance(entry, type) else None
        if kind is not None and issubclass(kind, BaseException):
            names.append(f"{kind.__module__}:{kind.__qualname__}")
        elif isinstance(entry, str) and entry:
            names.append(entry)
        else:
            raise BadOption(option, entry, "an exception class, or the name of one")
    return tuple(names)


def _is_whole(value: Any) -> bool:
    """Whether it is an int and small enough for the journal, whose integers have 64 bits."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_PLAIN = frozenset({dt.timedelta, str, float, int, bool})


def make_plain(options: msgspec.Struct) -> None:
    """Turn subclasses, such as numpy.float64 and pandas.Timedelta, into plain types. Options are recorded,
    and the journal can neither write nor read such subclasses."""
    for name in options.__struct_fields__:
        value: Any = getattr(options, name)
        # A plain value stays the same object: msgspec leaves out a default only if it is identical.
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
    """How long an attempt may run."""
    start_timeout: dt.timedelta | None = None
    """How long an attempt may wait for a free slot."""
    heartbeat: dt.timedelta | None = None
    """How long an attempt may go without a heartbeat."""
    queue: str = "default"
    priority: int = 0
    """Among tasks that wait for a slot of the same queue, the highest goes first."""
    service: str | None = None
    """Workers of this service take the task from the queue; no executor of a node runs it."""
    secrets: tuple[str, ...] = ()
    """The names of the secrets that an attempt gets. Their values are never recorded."""
    is_step: bool = False
    """The program has the function to call; no task is registered under the name."""

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
        if self.secrets:
            msgspec.structs.force_setattr(self, "secrets", checked_secrets("secrets", self.secrets))
            if self.service is not None:
                raise BadOption("secrets", self.secrets, "none: workers of a service have their own")
        make_plain(self)


DEFAULT_OPTIONS = TaskOptions()
STEP_OPTIONS = TaskOptions(is_step=True)


def wait_after_loss(lost: int, dice: Random) -> dt.timedelta | None:
    """How long to wait before retrying a task that was running when its node died; None: no wait.

    A task that kills its nodes takes the other running tasks with it each time. From the third loss on,
    each of them waits for a random time. So the innocent ones soon run apart from the culprit, and their
    losses are no longer counted up.
    """
    if lost < _LOSSES_BY_CHANCE:
        return None
    return min(dt.timedelta(seconds=2 ** min(lost, 10)), _MAX_DELAY) * dice.random()


def claim_limit(most: int, setbacks: int) -> int:
    """How many runs a node may claim together with a run that has had this many setbacks: a quarter of the
    number after each, down to one. So a run that kills its nodes is soon alone when it does so."""
    return max(1, most >> 2 * min(setbacks, SETBACKS_ALLOWED))


def wait_after_setback(setbacks: int) -> dt.timedelta | None:
    """How long to wait before any node tries a run again whose history does not fit this node's code.
    Another node may still have the code that began it. `setbacks` counts those before this one. None: the
    run stays parked."""
    return None if setbacks + 1 >= SETBACKS_ALLOWED else _AFTER_FIRST_SETBACK * 2**setbacks
