"""Random flows against an interpreter that knows nothing of how holdfast does it."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from tests.flows.drawing import awaited_keys, draw_flow, draw_params
from tests.flows.interpreter import Ending, Interpreter
from tests.flows.player import Player
from tests.flows.rules import broken_rules
from tests.flows.signals import DrawnSignals

from holdfast.authoring.flow import branches, program

FLOWS = 200
RETRIES = 2
MOST_STEPS = 12


@pytest.mark.parametrize("batch", range(4))
def test_whatever_happens_in_whatever_order_a_flow_ends_as_the_interpreter_says(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if batch % 2:  # its branches share whatever they can
        monkeypatch.setattr(branches, "SHARED_FROM", 3)
    if batch > 1:  # hardly a step visits two nodes
        monkeypatch.setattr(program, "_MOST_VISITS", 1)
    statuses: Counter[str] = Counter()
    for seed in range(batch * FLOWS // 4, (batch + 1) * FLOWS // 4):
        problem, endings = first_problem(seed)
        statuses.update(ending.status for ending in endings)

        assert problem is None, f"seed {seed}: {problem}"

    assert all(statuses[each] > 2 for each in ("success", "failed", "cancelled")), statuses


def test_random_flows_have_nodes_of_every_kind_that_are_visited_more_than_once_and_deep_inside() -> None:
    kinds: Counter[str] = Counter()
    deepest = loops = 0
    for seed in range(200):
        flow = draw_flow(Random(f"{seed} flow"))
        kinds.update(node["kind"] for node in flow["nodes"].values())
        visits = Counter(path for path, _, _ in interpret(seed).endings[-1].visits)
        deepest = max(deepest, 0, *(path.count("/") for path in visits))
        loops += max(visits.values()) > 2

    assert len(kinds) == 8
    assert deepest == 2
    assert loops > 5


def interpret(seed: int) -> Interpreter:
    flow, params, signals = drawn(seed)
    return Interpreter(flow, params, signals, retries=RETRIES, max_steps=MOST_STEPS)


def drawn(seed: int) -> tuple[dict[str, object], dict[str, object], DrawnSignals]:
    flow = draw_flow(Random(f"{seed} flow"))
    return flow, draw_params(Random(f"{seed} params")), DrawnSignals(str(seed), awaited_keys(flow))


def first_problem(seed: int) -> tuple[str | None, list[Ending]]:
    """What the program of a flow does otherwise than the interpreter, and how it should have ended."""
    flow, params, signals = drawn(seed)
    expected = interpret(seed)
    try:
        player = Player(flow, params, signals, Random(f"{seed} order"), max_steps=MOST_STEPS)
        for number, ending in enumerate(expected.endings):
            if number:
                player.retry()
            player.play_on()
            if player.ending != ending:
                return f"retry {number}: {difference(player.ending, ending)}\n{json.dumps(flow)}", []
    except (AssertionError, ValueError) as error:
        return f"it could not be played: {error!r}\n{json.dumps(flow)}", []
    broken = next(broken_rules(flow, player.play.history(), expected.entered), None)
    return broken, expected.endings


def difference(found: Ending, wanted: Ending) -> str:
    return "; ".join(
        f"{name} is {getattr(found, name)}, not {getattr(wanted, name)}"
        for name in Ending._fields
        if getattr(found, name) != getattr(wanted, name)
    )
