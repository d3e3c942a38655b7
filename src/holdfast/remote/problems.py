"""From the problem that a server answers with to the error that the local call would have raised.

The code of a problem is the name of the error's class in small letters, and its facts are the attributes.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any, Final

import msgspec

from holdfast import errors
from holdfast.core.failures import revive
from holdfast.core.values import Failure
from holdfast.errors import (
    BadDocument,
    HoldfastError,
    KeyRefused,
    NotPermitted,
    Problem,
    Refused,
    ServerFailed,
    ServerUnavailable,
    UpdateFailed,
)

_LONGEST_TEXT: Final = 300


class PlaceRead(msgspec.Struct, frozen=True):
    """A mistake in a definition."""

    line: int
    column: int
    message: str
    path: str = ""


class ProblemRead(msgspec.Struct, frozen=True):
    """RFC 9457, as far as this client needs it."""

    code: str
    detail: str
    places: list[PlaceRead] = []
    facts: dict[str, Any] = {}


_decode = msgspec.json.Decoder(ProblemRead).decode


def error_of(url: str, status: int, body: bytes) -> HoldfastError:
    """What to raise for an answer that is not a success."""
    try:
        problem = _decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        text = " ".join(body.decode(errors="replace").split())[:_LONGEST_TEXT]
        said = f"and said {text!r}" if text else "and said nothing else"
        return ServerFailed(url, status, f"this is not the answer of a holdfast server, {said}")
    return error_of_problem(url, status, problem)


def error_of_problem(url: str, status: int, problem: ProblemRead) -> HoldfastError:
    kind = _kinds().get(problem.code)
    if status == 503:
        return ServerUnavailable(url, problem.detail)
    if kind is not None and status < 500:
        return _revived(kind, problem)
    match status:
        case 401 | 429:
            return KeyRefused(url, problem.detail)
        case 403:
            return NotPermitted(url, problem.detail)
        case _ if status < 500:
            return Refused(problem.detail)
        case _:
            return ServerFailed(url, status, problem.detail)


def _revived(kind: type[HoldfastError], problem: ProblemRead) -> HoldfastError:
    """An instance that says the same, with the same attributes as far as JSON has carried them."""
    facts = problem.facts
    if kind is UpdateFailed and isinstance(facts.get("type_name"), str):
        failure = Failure(facts["type_name"], str(facts.get("message", "")), task=facts.get("task_id"))
        return revive(failure, UpdateFailed)
    error = kind.__new__(kind)
    error.args = (problem.detail,)
    vars(error).update(dict.fromkeys(_parameters(kind)) | facts)
    if isinstance(error, BadDocument):
        error.problems = [Problem("", *msgspec.structs.astuple(place)) for place in problem.places]
    return error


@cache
def _parameters(kind: type[HoldfastError]) -> tuple[str, ...]:
    """The attributes of most errors have the names of what they are made of."""
    named = [*inspect.signature(kind.__init__).parameters.values()][1:]
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(each.name for each in named if each.kind in kinds and not hasattr(kind, each.name))


@cache
def _kinds() -> dict[str, type[HoldfastError]]:
    return {
        re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(): kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, HoldfastError)
    }
