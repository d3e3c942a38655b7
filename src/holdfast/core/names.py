"""Checks of names and lengths of time that users give. Every store must be able to keep them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, Final

from holdfast.errors import BadOption

LONGEST_NAME: Final = 500

BURIED: Final = "(deleted runs)"
"""The namespace of runs that are being deleted. Nobody else may have it. It is stored in rows and must never
change."""

ALL_NAMESPACES: Final = "*"
"""Stands for the namespace of keys that are good for all. Nobody may have it. It is stored in rows and must
never change."""

OWN_NAMES: Final = "holdfast."
"""Names of workflows and tasks that begin with this are for holdfast itself."""

_SPAN = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h|d))+")
_PART_OF_SPAN = re.compile(r"([0-9.]+)(ms|[smhd])")
_UNITS: Final = {
    "ms": dt.timedelta(milliseconds=1),
    "s": dt.timedelta(seconds=1),
    "m": dt.timedelta(minutes=1),
    "h": dt.timedelta(hours=1),
    "d": dt.timedelta(days=1),
}
_LONGEST_SPAN: Final = dt.timedelta(days=365_250)
SPAN_EXAMPLES: Final = "a length of time, such as 30d, 12h or 1h30m"


_NO_PARTS_OF_PATHS: Final = (".", "..")


def checked_name(what: str, name: Any, longest: int = LONGEST_NAME) -> str:
    """The name as plain text. Raises BadOption if some store could not keep it.

    Checked as early as possible. Later, a bad name would fail a commit for a thousand runs.
    """
    if not is_name(name) or len(name) > longest:
        raise BadOption(what, name, f"text of 1 to {longest} characters that UTF-8 can carry, without NUL")
    return str.__str__(name)  # a subclass may hash or compare in its own way


def checked_address_name(what: str, name: Any, longest: int = LONGEST_NAME) -> str:
    """A name, as above, of something that has an address in the API and among the pages."""
    plain = checked_name(what, name, longest)
    if plain in _NO_PARTS_OF_PATHS:
        raise BadOption(what, plain, "another: in an address it means the folder, or the one above")
    return plain


def check_not_ours(name: str) -> None:
    """Raises BadOption for the name of a workflow that is for holdfast itself."""
    if name.startswith(OWN_NAMES):
        raise BadOption("name", name, f"another: those that begin with {OWN_NAMES!r} are for holdfast itself")


def checked_version(version: Any) -> str:
    """A version as text. Users write 2 as well as "2". Raises BadOption."""
    if not isinstance(version, (str, int)):
        raise BadOption("version", version, "a name or a number")
    try:
        return checked_name(
            "version", str.__str__(version) if isinstance(version, str) else int.__repr__(version)
        )
    except ValueError:  # empty, or a number of ten thousand digits
        raise BadOption("version", version, "a name or a number") from None


def is_name(name: Any) -> bool:
    return isinstance(name, str) and 1 <= len(name) <= LONGEST_NAME and is_storable(name)


def checked_span(what: str, span: Any) -> dt.timedelta:
    """A length of time. Numbers are refused: 30 could mean seconds or milliseconds."""
    if not isinstance(span, dt.timedelta):
        raise BadOption(what, span, "a timedelta, such as timedelta(seconds=30)")
    return span


def written_span(span: dt.timedelta) -> str:
    """The length of time as files and options have it: 2s, 0.5s, 1h30m, 2d."""
    whole, parts = span // dt.timedelta(seconds=1), ""
    for unit, seconds in (("d", 86_400), ("h", 3600), ("m", 60)):
        count, whole = divmod(whole, seconds)
        parts += f"{count}{unit}" if count else ""
    rest = whole + span.microseconds / 1_000_000
    return f"{parts}{rest:g}s" if rest or not parts else parts


def read_span(text: str) -> dt.timedelta | None:
    """The length of time that `written_span` writes; None if it is none, or one of more than a thousand
    years."""
    if not _SPAN.fullmatch(text):
        return None
    try:
        parts = [float(number) * _UNITS[unit] for number, unit in _PART_OF_SPAN.findall(text)]
        span = sum(parts, dt.timedelta(0))
    except OverflowError:
        return None
    return span if span <= _LONGEST_SPAN else None


def is_storable(text: str) -> bool:
    """Whether every store can keep the text."""
    if text.isprintable():
        return True  # the quick way: neither NUL nor half a surrogate pair is printable
    try:
        return b"\x00" not in text.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return False


def check_keywords(what: str, given: Mapping[str, Any], known: type) -> None:
    """Raises BadOption for names that the TypedDict `known` does not have. Python checks them only where they
    are parameters, and a condition that is misspelt would mean every run."""
    names = known.__annotations__
    if unknown := given.keys() - names.keys():
        raise BadOption(what, ", ".join(sorted(unknown)), "one of " + ", ".join(names))
