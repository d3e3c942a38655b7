"""Cookies: that of a session, that of a login that is under way, and why a login was refused.

Where the browser speaks HTTPS, they are `Secure`, and their names begin with `__Host-`: then a browser takes
them only from this very host, and no neighbour (another subdomain, or the same host without HTTPS) can put
one in their place. They are `SameSite=Lax`, not `Strict`: the browser comes back from an identity provider by
a link of another site, and has to send them.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from litestar.datastructures import Cookie

SESSION: Final = "holdfast_session"
LOGIN: Final = "holdfast_login"
REFUSED: Final = "holdfast_refused"
"""Why a login was refused, for the page that says it. In the address, anybody could write it with a link."""
_HOST: Final = "__Host-"


def cookie_name(name: str, *, is_secure: bool) -> str:
    return _HOST + name if is_secure else name


def read_cookie(header: str | None, name: str, *, is_secure: bool) -> str | None:
    """The value of our cookie in the header; None if it is not there."""
    wanted = cookie_name(name, is_secure=is_secure)
    for part in (header or "").split(";"):
        found, _, value = part.strip().partition("=")
        if found == wanted:
            return value
    return None


def new_cookie(
    name: str, value: str, lasts: dt.timedelta, *, is_secure: bool, is_readable: bool = False
) -> Cookie:
    """`is_readable`: scripts of our pages may read it."""
    return Cookie(
        key=cookie_name(name, is_secure=is_secure),
        value=value,
        path="/",
        max_age=max(0, int(lasts.total_seconds())),
        secure=is_secure,
        httponly=not is_readable,
        samesite="lax",
    )


def no_cookie(name: str, *, is_secure: bool) -> Cookie:
    """Makes the browser forget it."""
    return new_cookie(name, "", dt.timedelta(0), is_secure=is_secure)


def is_https(scope: Any, public_url: str) -> bool:
    """Whether the browser speaks HTTPS. Behind a proxy, the scheme is that of the proxy's header, if the
    proxy is trusted."""
    return scope["scheme"] == "https" or public_url.startswith("https:")
