"""The error that a server answers with is raised again: of the same class, with the same words and facts."""

from __future__ import annotations

from typing import Final

import msgspec
import pytest
from tests.server.v1.test_problem_codes import CODES

from holdfast import errors
from holdfast.core.failures import revive
from holdfast.core.values import Failure
from holdfast.errors import HoldfastError, KeyRefused, NotPermitted, Refused, ServerFailed, ServerUnavailable
from holdfast.remote.problems import error_of
from holdfast.server.problems import code_of, problem_of

URL: Final = "https://holdfast.example"
NO_CLASS: Final = {
    "bad_request": Refused,
    "not_found": Refused,
    "idempotency_key_reused": Refused,
    "method_not_allowed": Refused,
    "body_timed_out": Refused,
    "unauthorized": KeyRefused,
    "too_many_attempts": KeyRefused,
    "forbidden": NotPermitted,
    "csrf_token_missing": NotPermitted,
    "csrf_token_wrong": NotPermitted,
    "login_refused": NotPermitted,
    "internal_error": ServerFailed,
}
KINDS: Final = {
    code_of(kind): kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, HoldfastError)
}


def answered(error: Exception) -> HoldfastError:
    problem = problem_of(error)
    return error_of(URL, problem.status, msgspec.json.encode(problem))


@pytest.mark.parametrize(
    ("status", "code"), [(status, code) for status, codes in CODES.items() for code in codes.split()]
)
def test_every_code_has_its_error(status: int, code: str):
    body = msgspec.json.encode({"code": code, "detail": "what went wrong", "status": status})

    error = error_of(URL, status, body)

    expected = ServerUnavailable if status == 503 else KINDS.get(code) or NO_CLASS[code]
    assert type(error) is expected
    assert "what went wrong" in str(error)


@pytest.mark.parametrize(
    "error",
    [
        errors.RunNotFound("order-5", "shop"),
        errors.UnknownWorkflow("order", None, ["other"]),
        errors.BadOption("limit", 0, "1 or more"),
        errors.RunExists("order-5", "key", "it has amount=5, not amount=6"),
        errors.NotRunning("order-5", "success", "paused"),
        errors.StreamGap("order-5", "numbers", 3, 7),
        errors.MayNotAnswer("order-5", "verdict", "eve", ["ann"]),
        errors.UnknownPromise("order-5", "verdict", ["other"]),
        errors.UpdateRefused("too late", "order-5", "add"),
        errors.PayloadTooLarge("an argument", 5, 4),
    ],
)
def test_it_says_the_same_and_has_the_same_attributes(error: HoldfastError):
    found = answered(error)

    assert (type(found), str(found)) == (type(error), str(error))
    known = msgspec.json.decode(msgspec.json.encode(vars(error)))
    assert {name: vars(found)[name] for name in known} == known


def test_all_mistakes_in_a_definition_come_back():
    problems = [errors.Problem("", 2, 5, "no task 'extrct'", "$.tasks"), errors.Problem("", 9, 1, "no name")]

    found = answered(errors.BadDag(problems))

    assert isinstance(found, errors.BadDag)
    assert found.problems == problems


def test_what_the_handler_of_an_update_raised_keeps_its_class():
    found = answered(revive(Failure("builtins:KeyError", "'price'"), errors.UpdateFailed))

    assert isinstance(found, errors.UpdateFailed)
    assert isinstance(found, KeyError)


@pytest.mark.parametrize("body", [b"", b"<html>Bad Gateway</html>", b'{"error": 5}', b"\xff", b"[" * 5000])
def test_what_is_no_answer_of_ours_is_shown(body: bytes):
    found = error_of(URL, 404, body)

    assert type(found) is ServerFailed
    assert "not the answer of a holdfast server" in str(found)
