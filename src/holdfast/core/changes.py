"""What happened to runs, as `hf.watch` tells it: one `Change` each, in the order in which it was committed.

A place is where a change stands in that order: its row, of which every transaction writes one, and its number
in the row. An offset is a place as text. Offsets are ordered as the changes are, also when compared as text.
"""

from __future__ import annotations

import datetime as dt
import re
from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from holdfast.errors import BadOption

LAST_OF_ROW: Final = 2**31 - 1
"""The number that stands for the end of a row, however many changes it has."""


class Place(NamedTuple):
    row: int
    number: int


class ChangeKind(StrEnum):
    RUN_CREATED = "run_created"
    RUN_STATUS = "run_status"
    RUN_DELETED = "run_deleted"
    TASK = "task"
    MESSAGE = "message"
    ACT = "act"


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that was committed. It has no payloads: read the run to see them."""

    offset: str
    """Pass it as `after` to go on behind this change. Later changes have greater offsets."""
    at: dt.datetime
    run: str
    """The id of the run."""
    key: str
    """The key of the run. A newer run may take its id (`id_policy`); its key stays."""
    workflow: str
    kind: ChangeKind
    status: str | None = None
    """The new status: of the run, or of the task if the kind is `task`."""
    waiting: str | None = None
    """What the run waits for from now on, if it waits."""
    seq: int | None = None
    """The number of the task."""
    task: str | None = None
    index: int | None = None
    """Of the task in its fan-out."""
    attempt: int | None = None
    """Nodes may not know yet of attempts that workers have lost, so the greatest one counts that was told."""
    what: str | None = None
    """The kind of the message, such as `signal`, or of the act of an operator, such as `pause`."""
    name: str | None = None
    """Of the signal or promise that the message is for."""
    by: str | None = None
    """Who sent the message or did the act, if they said so."""


def offset_text(place: Place) -> str:
    return f"{_ordered(place.row)}-{_ordered(place.number)}"


def _ordered(number: int) -> str:
    """Hexadecimal digits after a letter that counts them: so a longer number is greater as text."""
    digits = f"{number:x}"
    return chr(ord("a") + len(digits)) + digits


_OFFSET = re.compile(r"([b-q])([0-9a-f]{1,16})-([b-q])([0-9a-f]{1,16})", re.ASCII)


def read_offset(text: Any) -> Place:
    """Raises BadOption."""
    found = _OFFSET.fullmatch(text) if isinstance(text, str) else None
    if found is not None:
        place = Place(int(found[2], 16), int(found[4], 16))
        if place.row < 2**63 and offset_text(place) == text:
            return place
    raise BadOption("after", text, "the offset of a change, or of watch_offset()")
