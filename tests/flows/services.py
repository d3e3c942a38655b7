"""What the work of random flows does: a pure function of its name, its input, and how often it was tried.

The name says it all, so that one table serves the interpreter, the player, registered tasks and workers.
"""

from __future__ import annotations

from typing import Any

STEADY = ("add", "make", "list", "word", "echo")
"""These always succeed."""
BROKEN = "break"
MOODY = "moody"
"""Fails for some inputs, and always for the same."""
MENDED = {"mended": 1, "mended_twice": 2, "called_mended": 1}
"""Fail until the run was retried that often."""
LATE = "late"
ATTEMPTS_OF_LATE = 3
"""It succeeds with this one."""
COUNT = "count"
CALLED = ("called", "called_mended")
"""Workflows that flows call, which do no more than a service does. The second is one of `MENDED`."""
SERVICES = (*STEADY, BROKEN, MOODY, "mended", "mended_twice", LATE, COUNT)

_ACTIONS = ("left", "right", "elsewhere", "")


class Refused(Exception):
    """The service says no."""


def serve(
    service: str,
    input: Any,
    params: dict[str, Any],
    *,
    attempt: int = 1,
    retried: int = 0,
) -> Any:
    """`attempt` counts from 1, anew after each retry of the run. Raises Refused."""
    weight = weigh(input) + weigh(params)
    fails = (
        service == BROKEN
        or (service == MOODY and weight % 3 == 0)
        or retried < MENDED.get(service, 0)
        or (service == LATE and attempt < ATTEMPTS_OF_LATE)
    )
    if fails:
        raise Refused(f"{service} does not like {weight}")
    match service:
        case "echo":
            return input if isinstance(input, str | int | bool | None) else weigh(input) % 100
        case "count":
            return (input if isinstance(input, int) else 0) + 1
        case "list":
            return [weight % (number + 2) for number in range(weight % 5)]
        case "word":
            return _ACTIONS[weight % 4]
        case "make" | "called" | "called_mended":
            action = _ACTIONS[weight % 4]
            items = [number + weight % 7 for number in range(weight % 4)]
            return {"n": weight % 100, "items": items, "action": action, "deep": {"action": action}}
        case _:
            return weight % 100


def weigh(value: Any) -> int:
    """A number that depends on all of a value."""
    match value:
        case None:
            return 1
        case bool() | int():
            return int(value) + 2
        case str():
            return len(value)
        case list():
            return sum((place + 2) * weigh(each) for place, each in enumerate(value)) % 1009
        case dict():
            return sum(weigh(key) * weigh(value[key]) for key in sorted(value)) % 1013
        case _:
            raise TypeError(value)
