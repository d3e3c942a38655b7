"""Errors that are copied or pickled, as process pools do: they arrive as they were."""

from __future__ import annotations

import copy
import pickle  # noqa: TID251  # as process pools do

import pytest

from holdfast import errors
from holdfast.core.failures import capture, revive
from holdfast.errors import BadDag, BadOption, HoldfastError, Problem, RunCancelled, RunFailed, RunNotFound

SOME: list[HoldfastError] = [
    RunNotFound("order-1", "default"),
    RunCancelled("order-1", "not today"),
    BadOption("limit", 0, "more"),
    BadDag([Problem("etl.yaml", 1, 2, "no task")]),
    errors.NodeStopped(ValueError("why")),
]


@pytest.mark.parametrize("error", SOME, ids=lambda error: type(error).__name__)
def test_an_error_of_ours_survives(error: HoldfastError):
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # our own, made here
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again).keys() == vars(error).keys()


def test_a_revived_error_of_a_user_survives_and_can_be_caught_as_both():
    revived = revive(capture(KeyError("price")), RunFailed)

    again = pickle.loads(pickle.dumps(revived))  # our own, made here

    assert isinstance(again, KeyError)
    assert isinstance(again, RunFailed)
    assert str(again) == str(revived)


def test_a_failure_tells_what_caused_it():
    try:
        try:
            raise KeyError("inner")
        except KeyError as error:
            raise ValueError("outer") from error
    except ValueError as error:
        failure = capture(error)

    inner, _, outer = failure.whole_traceback.partition("And because of that:")
    assert "KeyError: 'inner'" in inner
    assert "ValueError: outer" in outer
