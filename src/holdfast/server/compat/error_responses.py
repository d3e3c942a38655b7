"""From an error to a response: the status that our own API has for it, and `{"error": text}`."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, Final, cast

import msgspec
from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec

from holdfast.errors import NoWorker
from holdfast.server.problems import has_left, status_of, told_of

_log = logging.getLogger("holdfast.server")


class ErrorResponse(msgspec.Struct, frozen=True):
    error: str


_MEANINGS: Final = {
    400: "The request cannot be understood or is not allowed; nothing was changed.",
    401: "There is no key, or it is not valid.",
    403: "The key may not do this.",
    404: "There is no such thing.",
    409: "Its state does not allow this; nothing was changed.",
    413: "The request is too large; nothing was changed.",
    500: "There is no worker, or the server has failed; its log has the error.",
    429: "Too many wrong keys.",
    503: "The database does not answer or is full. Try again.",
}


def may_answer(*statuses: int) -> dict[int, ResponseSpec]:
    """The error responses of a route, for the OpenAPI document. Every route may answer some."""
    return {
        status: ResponseSpec(ErrorResponse, description=_MEANINGS[status], generate_examples=False)
        for status in sorted({400, 401, 403, 429, 503, *statuses})
    }


def error_response(request: Request[Any, Any, Any], error: Exception) -> Response[ErrorResponse]:
    """The response to a request that raised the error."""
    if isinstance(error, HTTPException):
        status, text = HTTPStatus(error.status_code), _text_of(error)
        headers = error.headers
    else:
        status, text, headers = status_of(error), told_of(error), None
    if isinstance(error, NoWorker):
        # Clients that were written for another server compare with this text.
        text = "no worker"
    elif status is HTTPStatus.INTERNAL_SERVER_ERROR:
        if not has_left(error):
            _log.error("%s %s has failed", request.method, request.url.path, exc_info=error)
        text = "the server has failed; its log has the error"
    elif status is HTTPStatus.SERVICE_UNAVAILABLE:
        _log.warning("%s %s was refused: %s", request.method, request.url.path, error)
    shown = text.encode(errors="backslashreplace").decode()
    return Response(ErrorResponse(shown), status_code=status, headers=headers, media_type=MediaType.JSON)


_ARGUMENTS: Final = {"before": "from", "after": "to"}
"""Litestar's name for our argument, and the name that callers use."""

_TEXTS: Final = {
    404: "there is no such route",
    405: "this route does not take that method",
    413: "the body is larger than this server takes",
}


def _text_of(error: HTTPException) -> str:
    """What Litestar found wrong with the route or with the query."""
    if isinstance(error, ValidationException) and isinstance(error.extra, list):
        found = cast("list[dict[str, Any]]", error.extra)
        return "; ".join(_explain(each) for each in found).replace("`", "") or error.detail
    return _TEXTS.get(error.status_code, error.detail)


def _explain(found: dict[str, Any]) -> str:
    name: str = found.get("key", "the request")
    if name == "data":
        return "the body: it is empty, and must be a JSON object"
    return f"{_ARGUMENTS.get(name, name)}: {found.get('message', 'it cannot be understood')}"


HANDLERS: Final = {HTTPException: error_response, Exception: error_response}
