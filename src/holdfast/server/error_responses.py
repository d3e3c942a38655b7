"""What becomes of errors: a status, and `{"error": text}`."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, Final, cast

import msgspec
from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec

from holdfast.errors import (
    FlowNotFound,
    HoldfastError,
    ItemLost,
    NodeStopped,
    NotOpen,
    NotPublished,
    NoWorker,
    PayloadTooLarge,
    Refused,
    RunEnded,
    RunNotFound,
    ScheduleNotFound,
    StoreFull,
    StoreUnavailable,
    VersionConflict,
)

_log = logging.getLogger("holdfast.server")

_STATUSES: Final[list[tuple[tuple[type[HoldfastError], ...], HTTPStatus]]] = [
    ((RunNotFound, FlowNotFound, ScheduleNotFound), HTTPStatus.NOT_FOUND),
    ((VersionConflict, ItemLost, RunEnded, NotPublished), HTTPStatus.CONFLICT),
    ((PayloadTooLarge,), HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    ((StoreUnavailable, StoreFull, NodeStopped, NotOpen), HTTPStatus.SERVICE_UNAVAILABLE),
    ((Refused,), HTTPStatus.BAD_REQUEST),
]
"""The first that fits counts. What is not here is an error of ours."""


class ErrorResponse(msgspec.Struct, frozen=True):
    error: str


class NotFound(Exception):
    """What was asked for is not there, and no error of holdfast has a name for it."""


_MEANINGS: Final = {
    400: "What was sent cannot be understood or is not allowed; nothing was changed.",
    404: "There is no such thing.",
    409: "It is not, or no longer, in a state for that; nothing was changed.",
    413: "What was sent is too large; nothing was changed.",
    500: "There is no worker, or the server has made a mistake, which its log tells of.",
    503: "The database does not answer or has no room. Try again.",
}


def may_answer(*statuses: int) -> dict[int, ResponseSpec]:
    """For the OpenAPI document: how a route may refuse, besides what every route may answer."""
    return {
        status: ResponseSpec(ErrorResponse, description=_MEANINGS[status], generate_examples=False)
        for status in sorted({400, 503, *statuses})
    }


def status_of(error: Exception) -> HTTPStatus:
    for kinds, status in _STATUSES:
        if isinstance(error, kinds):
            return status
    return HTTPStatus.NOT_FOUND if isinstance(error, NotFound) else HTTPStatus.INTERNAL_SERVER_ERROR


def refuse(request: Request[Any, Any, Any], error: Exception) -> Response[ErrorResponse]:
    """The answer to a request that has led to an error."""
    if isinstance(error, HTTPException):
        status, text = HTTPStatus(error.status_code), _words_of(error)
        headers = error.headers
    else:
        status, text, headers = status_of(error), str(error), None
    if isinstance(error, NoWorker):
        # What programs compare with that were written for another server.
        text = "no worker"
    elif status is HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("%s %s has failed", request.method, request.url.path, exc_info=error)
        text = "the server has made a mistake; its log tells more"
    elif status is HTTPStatus.SERVICE_UNAVAILABLE:
        _log.warning("%s %s was refused: %s", request.method, request.url.path, error)
    shown = text.encode(errors="backslashreplace").decode()
    return Response(ErrorResponse(shown), status_code=status, headers=headers, media_type=MediaType.JSON)


_ARGUMENTS: Final = {"before": "from", "after": "to"}
"""What litestar calls by the name of our argument, and those who ask by another."""

_WORDS: Final = {
    404: "there is no such route",
    405: "this route does not take that method",
    413: "the body is larger than this server takes",
}


def _words_of(error: HTTPException) -> str:
    """What litestar found wrong: with the route, or with what it read of the query."""
    if isinstance(error, ValidationException) and isinstance(error.extra, list):
        found = cast("list[dict[str, Any]]", error.extra)
        return "; ".join(_explain(each) for each in found).replace("`", "") or error.detail
    return _WORDS.get(error.status_code, error.detail)


def _explain(found: dict[str, Any]) -> str:
    name: str = found.get("key", "the request")
    if name == "data":
        return "the body: it is empty, and must be a JSON object"
    return f"{_ARGUMENTS.get(name, name)}: {found.get('message', 'it cannot be understood')}"


HANDLERS: Final = {HTTPException: refuse, Exception: refuse}
