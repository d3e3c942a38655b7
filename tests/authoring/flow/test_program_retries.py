"""Flows that are tried again, under another limit too, and that are given what cannot be kept.

However it ends, a run has to end or go on as a run: what is too large or has no name is a failure of a node.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.authoring.flow.playing import Play, failure, json

from holdfast.core.events import TaskEnded
from holdfast.core.values import Outcome, Succeeded
from holdfast.core.waiting import describe_wait

LARGE = "x" * 600
"""Two of these are more than `LIMIT`."""
LIMIT = 1000


# --- what was too large

TWO = """
    start: a
    nodes:
      a: {kind: executor, service: s, post: {output_key: x}}
      b: {kind: executor, service: s, post: {output_key: y}}
    edges: [{from: a, to: b}]
"""


def test_a_run_whose_state_is_too_large_a_result_fails_again_when_it_is_tried_again():
    play = Play(TWO, limit=LIMIT)
    play.end("a", LARGE)
    play.end("b", LARGE)
    first = play.failure

    play.retry()

    assert first.startswith("the state of the run, its result, takes")
    assert play.failure == first


def test_a_run_whose_state_was_too_large_a_result_ends_well_under_a_higher_limit():
    play = Play(TWO, limit=LIMIT)
    play.end("a", LARGE)
    play.end("b", LARGE)

    play.limit *= 2
    play.retry()

    assert play.output == {"x": LARGE, "y": LARGE}
    assert len(play.rows) == 2


def test_a_subflow_whose_state_was_too_large_is_visited_again_from_its_start():
    play = Play(
        """
        start: sf
        nodes:
          sf:
            kind: subflow
            post: {output_key: inner}
            subflow:
              start: a
              nodes:
                a: {kind: executor, service: s, post: {output_key: x}}
                b: {kind: executor, service: s, post: {output_key: y}}
              edges: [{from: a, to: b}]
        """,
        limit=LIMIT,
    )
    play.end("sf/a", LARGE)
    play.end("sf/b", LARGE)
    assert play.failure.startswith("node 'sf' failed: the result of node 'sf' takes")

    play.retry()
    assert play.open == ["sf", "sf/a"]
    play.end("sf/a", 1)
    play.end("sf/b", 2)

    assert play.output == {"inner": {"x": 1, "y": 2}}


FOREACH = """
    start: each
    nodes: {each: {kind: foreach, service: s, prep: {input_key: $params.items}, post: {output_key: all}}}
"""


def test_items_whose_results_together_are_too_large_fail_again_and_are_not_done_again():
    play = Play(FOREACH, {"items": [1, 2]}, limit=LIMIT)
    play.end("each/item", LARGE, 0)
    play.end("each/item", LARGE, 1)
    first = play.failure

    play.retry()

    assert first.startswith("node 'each' failed: the result of node 'each' takes")
    assert play.failure == first
    assert [row.name for row in play.rows.values()] == ["each", "each/item", "each/item", "each"]


def test_items_whose_results_together_were_too_large_are_kept_under_a_higher_limit():
    play = Play(FOREACH, {"items": [1, 2]}, limit=LIMIT)
    play.end("each/item", LARGE, 0)
    play.end("each/item", LARGE, 1)

    play.limit *= 2
    play.retry()

    assert play.output == {"all": [LARGE, LARGE]}


# --- limits that were lowered

ASK = "{start: ok, nodes: {ok: {kind: approval, prep: {input_key: $params.text}}}}"


def test_an_approval_that_was_asked_for_under_a_higher_limit_can_be_answered():
    play = Play(ASK, {"text": LARGE})

    play.limit = 100
    play.signal("ok", "yes")

    assert play.output == {"ok": "yes"}
    assert play.states == {"ok": "success"}


def test_a_workflow_that_was_called_under_a_higher_limit_can_be_tried_again():
    play = Play(
        """
        start: call
        nodes:
          call: {kind: subflow, workflow: etl, prep: {input_map: {text: $params.text}}, post: {output_key: n}}
        """,
        {"text": LARGE},
        etl=True,
    )
    play.end_child("play/call", failure())

    play.limit = 100
    play.retry()
    assert describe_wait(play.program.waits()).words == "child play/call"
    play.end_child("play/call", 5)

    assert play.output == {"n": 5}


# --- what ended together


def end_together(play: Play, *outcomes: Outcome) -> None:
    """All branches in one step, in this order."""
    branches = [row.seq for row in play.rows.values() if row.name == "both/branch"]
    play._advance([TaskEnded(seq, it) for seq, it in zip(branches, outcomes, strict=True)])
    for seq, outcome in zip(branches, outcomes, strict=True):
        play._settle(seq, outcome)  # the engine cancels nothing that has ended


@pytest.mark.parametrize("is_first", [False, True])
def test_a_branch_that_succeeded_together_with_a_failure_is_not_done_again(is_first: bool):
    play = Play(
        """
        start: both
        nodes:
          both:
            kind: parallel
            parallel_services: [a, b]
            parallel_mode: concurrent
            failure_strategy: fail_fast
            post: {output_key: all}
        """
    )
    outcomes = [Succeeded(json("kept")), failure()]
    end_together(play, *(outcomes if is_first else reversed(outcomes)))
    assert play.failure.startswith("node 'both' failed: 1 of 2 failed")

    play.retry()
    [again] = [task for task in play.open if task != "both"]
    play.end("both/branch", "again", int(is_first))

    assert again == f"both/branch[{int(is_first)}]"
    assert play.output == {"all": ["kept", "again"] if is_first else ["again", "kept"]}


# --- what a run is given


@pytest.mark.parametrize("service", ["", "a\0b", "a\nb", "..", "x" * 201, 5])
def test_services_in_params_that_cannot_be_kept_fail_the_node_before_any_is_called(service: object):
    text = "{start: p, nodes: {p: {kind: parallel, parallel_mode: concurrent}}}"

    play = Play(text, {"services": ["good", service]})

    assert play.failure.startswith(
        "node 'p' failed: params.services of node 'p': expected a list of services"
    )
    assert play.states == {"p": "failed"}


@pytest.mark.parametrize(("key", "shown"), [("order", {"signal": "order"}), ("order.approved", {})])
def test_an_approval_shows_how_it_is_answered_unless_that_takes_more_than_a_yes(
    key: str, shown: dict[str, Any]
):
    play = Play(f"{{start: ok, nodes: {{ok: {{kind: approval, params: {{approval_key: $shared.{key}}}}}}}}}")

    assert play.input_of("ok") == {"input": None, "question": 0, **shown}


def test_an_approval_inside_a_key_is_answered_by_writing_the_whole_key():
    play = Play("{start: ok, nodes: {ok: {kind: approval, params: {approval_key: $shared.order.approved}}}}")

    play.signal("order", {"id": 7})
    assert play.open == ["ok"]
    play.signal("order", {"id": 7, "approved": True})

    assert play.output == {"order": {"id": 7, "approved": True}}
    assert play.action == "approved"
