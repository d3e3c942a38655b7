"""Who calls: a name, what they may do, and in which namespace."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from holdfast.client.sessions import SessionInfo

_STATE: Final = "holdfast_caller"
_SESSION: Final = "holdfast_session"


class Caller(msgspec.Struct, frozen=True):
    name: str
    """For the record of who did what. Empty: nobody has said."""
    role: str
    namespace: str
    key: str = ""
    """The id of the key that they showed. Empty: none, since the server asks for none, or there is a session
    that was made without one."""
    session: str = ""
    """The id of their session. Empty: there is none."""
    all_namespaces: bool = False
    """They may choose any namespace, with the header Holdfast-Namespace."""


class ActiveSession(msgspec.Struct, frozen=True):
    info: SessionInfo
    csrf_token: str


def set_caller(scope: Any, caller: Caller, session: ActiveSession | None = None) -> None:
    state = scope.setdefault("state", {})
    state[_STATE], state[_SESSION] = caller, session


def caller_of(scope: Any) -> Caller:
    return scope["state"][_STATE]


def session_of(scope: Any) -> ActiveSession | None:
    """The session by which the caller is known; None if it is not by one."""
    return scope["state"][_SESSION]
