"""A little of every target, the same in every run. `make fuzz` goes on from here, as long as you like."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any, NewType

import pytest
from hypothesis import HealthCheck, settings
from tests.fuzz.targets import TARGETS

from holdfast.core.codec import Codec
from holdfast.core.values import Payload

_EXAMPLES = 60
_MANY = 20_000
_LARGEST_GROWTH = 2_000
"""Blocks of memory, so not even one for every ten inputs. The interpreter's own caches need some."""


_SAME_EVERY_TIME = settings(
    max_examples=_EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.large_base_example,
    ],
)
_TARGETS = {name: _SAME_EVERY_TIME(target) for name, target in TARGETS.items()}


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_nothing_but_an_answer_or_a_refusal_comes_of_nonsense(name: str) -> None:
    _TARGETS[name]()


@pytest.mark.parametrize(
    "name",
    [
        "any_bytes_are_a_step_or_corrupt",
        "any_history_is_a_past_or_corrupt",
        "whatever_is_read_is_understood_or_refused",
    ],
)
def test_memory_does_not_grow_with_nonsense(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body, inputs = _with_inputs(_TARGETS[name], monkeypatch)

    def play(times: int) -> None:
        for number in range(times):
            body(**inputs[number % len(inputs)])

    assert _growth(play) < _LARGEST_GROWTH


def test_memory_does_not_grow_with_types_that_are_made_anew_each_time() -> None:
    """As in `context().signal("answer", Answer)`, where Answer is a class inside the workflow function."""
    codec = Codec()

    def play(times: int) -> None:
        for _ in range(times):
            codec.decode(Payload(b"1"), NewType("Answer", int), "an answer")

    assert _growth(play) < _LARGEST_GROWTH


def _growth(play: Callable[[int], None]) -> int:
    """In blocks of memory, which tells as much as bytes do and costs nothing to count."""
    play(_MANY // 4)  # caches fill, and the last of them is full after that
    gc.collect()
    before = sys.getallocatedblocks()
    play(_MANY)
    gc.collect()
    return sys.getallocatedblocks() - before


def _with_inputs(target: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[dict[str, Any]]]:
    """What the target does, and what to do it with: drawn beforehand and used again and again, so that
    what grows is the code under test and not hypothesis."""
    body = target.hypothesis.inner_test
    inputs: list[dict[str, Any]] = []
    monkeypatch.setattr(target.hypothesis, "inner_test", lambda **drawn: inputs.append(drawn))
    target()
    return body, inputs
