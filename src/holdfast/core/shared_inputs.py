"""Fields that the inputs of several tasks have in common, such as the params of a foreach. They are stored
once, and the row of each task has only its own fields."""

from __future__ import annotations

from typing import Final

import msgspec

from holdfast.core.values import Payload

SHARED_FROM: Final = 1024
"""Bytes. Fewer are written with every task, which costs less than to look them up."""


class SharedInput(msgspec.Struct, frozen=True, gc=False):
    seq: int
    """The number of the first task that has it. It is stored under this number."""
    fields: Payload
    """A JSON object with at least one field."""


def whole_input(shared: SharedInput | None, own: Payload) -> Payload:
    """The input as the task gets it. `own` is a JSON object with at least one field."""
    return own if shared is None else join_fields(shared.fields, own)


def join_fields(shared: Payload, own: Payload) -> Payload:
    return Payload(shared[:-1] + b"," + own[1:])
