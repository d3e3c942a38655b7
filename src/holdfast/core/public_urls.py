"""Addresses that others see: that of the server, paths on it, and that of a database in messages."""

from __future__ import annotations

import re
from typing import Final

from holdfast.errors import BadOption

_EXPECTED: Final = "an address such as https://holdfast.example, without a query"
_HOST: Final = r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?"
_ADDRESS: Final = re.compile(rf"https?://{_HOST}(?:/[!$-;=@-~]*)?")
"""The path has no query and no fragment."""
_LONGEST_PATH: Final = 1_000
_LOCAL_PATH: Final = re.compile(r"/(?![/\\])[!-\[\]-~]*")
r"""Visible ASCII without a backslash. To a browser, `//host` and `/\host` are addresses of other servers."""


def checked_public_url(url: str, option: str = "public_url") -> str:
    """Empty: there is none. Raises BadOption."""
    if url and not _ADDRESS.fullmatch(url):
        raise BadOption(option, url, _EXPECTED)
    return url


def local_path(path: str | None) -> str:
    """A path on this server, to which a browser may be sent; `/` if the path leads elsewhere."""
    is_local = path is not None and len(path) <= _LONGEST_PATH and _LOCAL_PATH.fullmatch(path)
    return path if path is not None and is_local else "/"


def without_password(url: str) -> str:
    """The URL with its password masked, because it ends up in logs. Also works without a scheme."""
    scheme, separator, rest = url.rpartition("://")
    user, _, secret = rest.partition(":")
    if "@" in secret:
        rest = f"{user}:***@{secret.rpartition('@')[2]}"
    return re.sub(r"(?i)(password=)[^&\s]*", r"\1***", scheme + separator + rest)
