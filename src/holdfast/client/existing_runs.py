"""Starting a run whose id is taken: whether the run that has it is the one that was asked for."""

from __future__ import annotations

from typing import Any

import msgspec

from holdfast.core.records import RunRecord
from holdfast.core.values import Payload
from holdfast.errors import show

_NOTHING = object()


def differs(known: RunRecord, workflow: str, input: Payload) -> bool:
    """Whether the run is one of another workflow or has another input."""
    return known.workflow != workflow or (known.input != input and _read(known.input) != _read(input))


def difference(known: RunRecord, workflow: str, input: Payload) -> str:
    """What differs, in words. Empty if nothing does."""
    if known.workflow != workflow:
        return f"it is a run of {known.workflow!r}, not of {workflow!r}"
    then, now = _read(known.input), _read(input)
    for name in dict.fromkeys((*now, *then)):
        was, asked = then.get(name, _NOTHING), now.get(name, _NOTHING)
        if was != asked:
            return f"it has {_argument(name, was)}, not {_argument(name, asked)}"
    return ""


def _argument(name: str, value: Any) -> str:
    return f"no {name}" if value is _NOTHING else f"{name}={show(value)}"


def _read(input: Payload) -> dict[str, Any]:
    """The arguments, by name."""
    try:
        return msgspec.json.decode(input, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {"input": input}
