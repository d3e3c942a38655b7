"""What random flows have found, each as small as it can be told."""

from __future__ import annotations

from tests.authoring.flow.playing import Play, failure

APPROVAL = "{start: ok, nodes: {ok: {kind: approval}}}"


def test_an_answer_that_means_nothing_is_not_taken_again_in_a_retry() -> None:
    play = Play(APPROVAL)
    play.signal("ok", 7)
    assert "neither yes nor no" in play.failure

    play.retry()
    assert play.open == ["ok"]
    play.signal("ok", True)

    assert play.action == "approved"


def test_an_answer_that_came_early_and_means_nothing_is_taken_once_also_on_replay() -> None:
    play = Play(
        """
        start: work
        nodes: {work: {kind: executor, service: s}, ok: {kind: approval}}
        edges: [{from: work, to: ok}, {from: ok, action: error, to: work}]
        """
    )
    play.signal("ok", 7)
    play.end("work")
    assert play.open == ["work"]

    play.end("work", failure())

    assert play.open == ["ok"]
