"""Who calls: a name, what they may do, and in which namespace."""

from __future__ import annotations

from typing import Any, Final

import msgspec

_STATE: Final = "holdfast_caller"


class Caller(msgspec.Struct, frozen=True):
    name: str
    """For the record of who did what. Empty: nobody has said."""
    role: str
    namespace: str
    key: str = ""
    """The id of the key that they showed. Empty: none, since the server asks for none."""


def set_caller(scope: Any, caller: Caller) -> None:
    scope.setdefault("state", {})[_STATE] = caller


def caller_of(scope: Any) -> Caller:
    return scope["state"][_STATE]
