"""Errors of our own API: one shape (RFC 9457), with a `code` that stays.

The code is the name of the error's class in small letters: `run_not_found` for RunNotFound.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final, cast

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, InternalServerException, ValidationException
from litestar.openapi.datastructures import ResponseSpec

from holdfast import errors
from holdfast.errors import BadDocument, BadOption, HoldfastError, code_of
from holdfast.server.access.refusals import Forbidden, ProviderUnavailable, TooManyAttempts, Unauthorized
from holdfast.server.connections import BodyTimedOut

_log = logging.getLogger("holdfast.server")

MEDIA_TYPE: Final = "application/problem+json"
_LONGEST_FACT: Final = 2_000


class Place(msgspec.Struct, frozen=True):
    """A mistake in a definition."""

    line: int
    """From 1. 0: the text as a whole."""
    column: int
    message: str
    path: str = ""
    """The path inside the document, if it is known: `$.tasks.extract.retries`."""


class ProblemAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, as in RFC 9457."""

    type: str
    title: str
    status: int
    code: str
    """Programs may rely on it."""
    detail: str
    field: str | None = None
    """The field of the body or of the query that is wrong."""
    hint: str | None = None
    """What to do."""
    places: list[Place] = []
    """All mistakes in a definition."""
    facts: dict[str, Any] = {}
    """The attributes that the error has in Python."""


class NotFound(Exception):
    """For things that have no error of their own in `holdfast.errors`."""


class Busy(Exception):
    """The server has as much of something as it takes. The text says what to do."""


class BadRequest(Exception):
    """The request itself is wrong, not what it means."""

    def __init__(self, detail: str, field: str | None = None) -> None:
        super().__init__(detail)
        self.field = field


class IdempotencyKeyReused(Exception):
    """Another request had that Idempotency-Key. Its answer is not for this one."""


_NOT_FOUND: Final = (
    errors.RunNotFound,
    errors.JobNotFound,
    errors.FlowNotFound,
    errors.ScheduleNotFound,
    errors.AlertNotFound,
    errors.UnknownWorkflow,
    errors.UnknownTask,
    errors.KeyNotFound,
    errors.NodeNotFound,
    errors.NoGraph,
)
_CONFLICT: Final = (
    errors.VersionConflict,
    errors.ItemLost,
    errors.RunEnded,
    errors.RunExists,
    errors.TooManyRuns,
    errors.MessageIdTaken,
    errors.NotPublished,
    errors.ScheduleTaken,
    errors.WorkflowTaken,
    errors.WorkflowInUse,
    errors.NotEnded,
    errors.NeededByParent,
    errors.HeardByParent,
    errors.DeadlineOver,
    errors.CannotImport,
    errors.NotAsked,
    errors.NotParked,
    errors.NotRunning,
    errors.PromiseSettled,
    errors.PromiseClosed,
    errors.UnknownPromise,
    errors.UpdateRefused,
    errors.UpdateUnanswered,
)
_STATUSES: Final[list[tuple[tuple[type[Exception], ...], HTTPStatus]]] = [
    ((Unauthorized,), HTTPStatus.UNAUTHORIZED),
    ((TooManyAttempts,), HTTPStatus.TOO_MANY_REQUESTS),
    ((Forbidden, errors.MayNotAnswer), HTTPStatus.FORBIDDEN),
    ((NotFound, *_NOT_FOUND), HTTPStatus.NOT_FOUND),
    (_CONFLICT, HTTPStatus.CONFLICT),
    ((errors.WorkflowChanged, errors.ScheduleChanged), HTTPStatus.PRECONDITION_FAILED),
    ((errors.OffsetGone, errors.StreamGap), HTTPStatus.GONE),
    ((BodyTimedOut,), HTTPStatus.REQUEST_TIMEOUT),
    ((errors.PayloadTooLarge,), HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    ((errors.UpdateFailed, IdempotencyKeyReused), HTTPStatus.UNPROCESSABLE_ENTITY),
    (
        (
            Busy,
            ProviderUnavailable,
            errors.StoreUnavailable,
            errors.StoreFull,
            errors.NodeStopped,
            errors.NotOpen,
        ),
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    ((BadRequest, errors.Refused, errors.CommitRefused), HTTPStatus.BAD_REQUEST),
]
"""The first match counts. An error without a match is an internal error."""

_NAMED_BY_CLASS: Final = (
    errors.StoreError,
    errors.NodeStopped,
    errors.NotOpen,
    Forbidden,
    ProviderUnavailable,
    IdempotencyKeyReused,
)
"""Their codes are not those of their statuses."""
_MEANINGS: Final = {
    400: "The request cannot be understood or is not allowed; nothing was changed.",
    401: "There is no key and no session, or it is not valid.",
    403: "The caller may not do this.",
    404: "There is no such thing.",
    408: "The body did not come in time.",
    409: "Its state does not allow this; nothing was changed.",
    410: "What was asked for is gone.",
    412: "It has changed meanwhile; nothing was changed.",
    413: "The request is too large; nothing was changed.",
    422: "The handler of the update failed.",
    429: "Too many requests with wrong keys.",
    503: "The database does not answer or is full, or the server is stopping. Try again.",
}
CODES: Final = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "body_timed_out",
    413: "payload_too_large",
    415: "bad_request",
    429: "too_many_attempts",
    503: "busy",
}
_TEXTS: Final = {
    404: "there is no such route",
    405: "this route does not take that method",
    413: "the body is larger than this server takes",
}
_HINTS: Final = {
    401: "Send the header Authorization: Bearer <key>; `holdfast keys create` makes one.",
    413: "Keep large data in a file or an object store, and send its address.",
    503: "Try again in a moment.",
}


def may_answer(*statuses: int) -> dict[int, ResponseSpec]:
    """The problems that a route may answer with, for the OpenAPI document. Every route may answer some."""
    return {
        status: ResponseSpec(
            ProblemAnswer, description=_MEANINGS[status], generate_examples=False, media_type=MEDIA_TYPE
        )
        for status in sorted({400, 401, 403, 429, 503, *statuses})
    }


def status_of(error: Exception) -> HTTPStatus:
    for kinds, status in _STATUSES:
        if isinstance(error, kinds):
            return status
    return HTTPStatus.INTERNAL_SERVER_ERROR


def _problem(status: HTTPStatus, code: str, detail: str, **more: Any) -> ProblemAnswer:
    shown = detail.encode(errors="backslashreplace").decode()
    return ProblemAnswer(
        type=f"urn:holdfast:problem:{code}",
        title=status.phrase,
        status=int(status),
        code=code,
        detail=shown,
        hint=_HINTS.get(int(status)),
        **more,
    )


def problem_of(error: Exception) -> ProblemAnswer:
    if isinstance(error, HTTPException):
        return _of_litestar(error)
    status = status_of(error)
    known = error if isinstance(error, HoldfastError) and status < 500 else None
    if status is HTTPStatus.INTERNAL_SERVER_ERROR:
        return _problem(status, "internal_error", "the server has failed; its log has the error")
    code = CODES.get(status, "") if known is None else code_of(_public_class(known))
    if isinstance(error, _NAMED_BY_CLASS):
        code = code_of(type(error))
    return _problem(
        status,
        code or "bad_request",
        told_of(error),
        field=_field_of(error),
        places=list(_places_of(error)),
        facts={} if known is None else _facts_of(known),
    )


def told_of(error: Exception) -> str:
    """The text of an error for callers. Some of them have no key, and where the database is and what it says
    is for the log alone."""
    match error:
        case errors.StoreUnavailable():
            return "the database does not answer; the log of the server says why"
        case errors.StoreFull():
            return "the database has no room left, and nothing was written; the log of the server says more"
        case errors.CommitRefused():
            return str(error).replace(error.store, "the database", 1)
        case _:
            return str(error)


STOPPING: Final = _problem(HTTPStatus.SERVICE_UNAVAILABLE, "stopping", "the server is stopping")


def _public_class(error: HoldfastError) -> type[HoldfastError]:
    """Ours, if the class was made for an error of the user's as well."""
    return next(
        kind
        for kind in type(error).__mro__
        if issubclass(kind, HoldfastError) and kind.__module__ == errors.__name__
    )


def _field_of(error: Exception) -> str | None:
    match error:
        case BadOption():
            return error.option
        case BadRequest():
            return error.field
        case _:
            return None


def _places_of(error: Exception) -> Iterable[Place]:
    if isinstance(error, BadDocument):
        for problem in error.problems:
            yield place_of(problem)


def place_of(problem: errors.Problem) -> Place:
    return Place(problem.line, problem.column, problem.message, problem.path)


_NOT_TOLD: Final = frozenset({"store"})
"""Where the database is."""


def _facts_of(error: HoldfastError) -> dict[str, Any]:
    """What of the error's attributes JSON can carry and is short."""
    return {
        name: plain
        for name, value in vars(error).items()
        if not (name.startswith("_") or name in _NOT_TOLD) and (plain := _plain(value)) is not _LEFT_OUT
    }


def _plain(value: Any) -> Any:
    try:
        plain = msgspec.to_builtins(value)
        return plain if len(msgspec.json.encode(plain)) <= _LONGEST_FACT else _LEFT_OUT
    except Exception:  # a value of the user's: the text says what can be said of it
        return _LEFT_OUT


_LEFT_OUT: Final = object()
"""JSON cannot carry it, or it is long."""


# --- what Litestar finds wrong with a route, a query or a body


def _of_litestar(error: HTTPException) -> ProblemAnswer:
    status = HTTPStatus(error.status_code)
    if status >= 500:
        return _problem(status, "internal_error", "the server has failed; its log has the error")
    code = CODES.get(status, "bad_request")
    if not isinstance(error, ValidationException) or not isinstance(error.extra, list):
        return _problem(status, code, _TEXTS.get(status, error.detail))
    found = cast("list[dict[str, Any]]", error.extra)
    text = "; ".join(_explain(each) for each in found).replace("`", "") or error.detail
    return _problem(status, code, text, field=_key_of(found[0]) if found else None)


def _key_of(found: dict[str, Any]) -> str | None:
    key = found.get("key")
    return None if key == "data" else key


def _explain(found: dict[str, Any]) -> str:
    name: str = found.get("key", "")
    if name == "data":
        return "the body is empty, and must be a JSON object"
    message: str = found.get("message", "it cannot be understood")
    return f"{name}: {message}" if name else message


def has_left(error: Exception) -> bool:
    """Whether the client has gone away in the middle of the body. Litestar takes that for an internal error,
    and everybody could fill the log with it."""
    return isinstance(error, InternalServerException) and error.detail == "client disconnected prematurely"


def answer_problem(request: Request[Any, Any, Any], error: Exception) -> Response[ProblemAnswer]:
    """The response to a request that raised the error."""
    problem = problem_of(error)
    if has_left(error):
        pass  # in the middle of the body, so nobody hears the answer
    elif problem.status >= 500 and problem.status != HTTPStatus.SERVICE_UNAVAILABLE:
        _log.error("%s %s has failed", request.method, request.url.path, exc_info=error)
    elif problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        _log.warning("%s %s was refused: %s", request.method, request.url.path, error)
    headers = error.headers if isinstance(error, HTTPException) else None
    return Response(problem, status_code=problem.status, headers=headers, media_type=MEDIA_TYPE)


HANDLERS: Final = {HTTPException: answer_problem, Exception: answer_problem}
