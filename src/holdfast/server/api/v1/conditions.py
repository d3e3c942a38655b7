"""Conditions on the ETag of what is changed, so that nobody overwrites what they have not seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, TypeAlias

from litestar.params import HeaderParameter

IfMatch: TypeAlias = Annotated[
    str | None,
    HeaderParameter(name="If-Match", description="ETags of which it must have one, or * for any."),
]
IfNoneMatch: TypeAlias = Annotated[
    str | None, HeaderParameter(name="If-None-Match", description="ETags, or * for any.")
]


def etag_of(hash: str) -> str:
    return f'"{hash}"'


def _tags(header: str) -> Iterable[str]:
    return (tag.strip() for tag in header.split(","))


def has_etag(header: str, hash: str, *, is_weak: bool) -> bool:
    """Whether the ETag, or `*`, is in the header. An empty hash stands for no version."""
    if not hash:
        return False
    weak = f"W/{etag_of(hash)}"
    return any(tag in ("*", etag_of(hash)) or (is_weak and tag == weak) for tag in _tags(header))


def replaced(newest: str, if_match: str | None, if_none_match: str | None) -> str | None:
    """What `put` is to replace. If a condition is not met by `newest`, this is not `newest`, so `put` refuses
    it; unless an earlier request has published the same. None: there are no conditions."""
    if if_none_match is not None and has_etag(if_none_match, newest, is_weak=True):
        return ""
    if if_match is not None and not has_etag(if_match, newest, is_weak=False):
        return next(iter(_tags(if_match))).strip('"') or "*"
    return None if if_match is None and if_none_match is None else newest
