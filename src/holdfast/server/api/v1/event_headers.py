"""The headers with which clients ask for events, and come back."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from litestar.params import HeaderParameter

from holdfast.server.live.responses import MEDIA_TYPE

LastEvent: TypeAlias = Annotated[
    str | None,
    HeaderParameter(
        name="Last-Event-ID",
        description="The id of the last event that the client has. It counts, not `after`.",
    ),
]
Accept: TypeAlias = Annotated[
    str, HeaderParameter(name="Accept", description="`text/event-stream` for events.")
]


def wants_events(accept: str) -> bool:
    return MEDIA_TYPE in accept.lower()
