"""Why a request is refused before anybody looks at what it asks for."""

from __future__ import annotations

import math


class Unauthorized(Exception):
    """The caller has not shown a key or a session, or not a valid one."""


class Forbidden(Exception):
    """The caller may not do that."""


class CsrfTokenMissing(Forbidden):
    """A change with a session came without its token. A page of somebody else may have sent it."""


class CsrfTokenWrong(Forbidden):
    """A change with a session came with another token than that of the session."""


class LoginRefused(Forbidden):
    """Somebody is who they say, but may not log in; or their login has gone wrong."""


class ProviderUnavailable(Exception):
    """The identity provider does not answer as it should."""


class TooManyAttempts(Exception):
    """Too many wrong keys came from the caller's address."""

    def __init__(self, retry_after: float) -> None:
        self.retry_after = max(1, math.ceil(retry_after))
        super().__init__(f"too many wrong keys; try again in {self.retry_after} s")
