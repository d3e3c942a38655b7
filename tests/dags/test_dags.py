"""Random DAGs against an interpreter that knows nothing of how holdfast does it."""

from __future__ import annotations

import json
from random import Random

import pytest
from tests.dags.drawing import draw_dag
from tests.dags.interpreter import Interpreter
from tests.dags.player import Player
from tests.dags.rules import broken_rules

from holdfast.authoring.dag import values

DAGS = 400


@pytest.mark.parametrize("batch", range(4))
def test_whatever_happens_in_whatever_order_a_dag_ends_as_the_interpreter_says(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if batch % 2:  # its items share whatever they can
        monkeypatch.setattr(values, "SHARED_FROM", 3)
    retried = 0
    for seed in range(batch * DAGS // 4, (batch + 1) * DAGS // 4):
        dag = draw_dag(Random(f"{seed} dag"))
        player = Player(dag, Random(f"{seed} order"))

        player.play_on()

        expected = Interpreter(dag)
        check(player, expected, seed)
        if expected.status == "failed":
            retried += 1
            player.retry()
            player.play_on()
            check(player, Interpreter(dag, before=expected), seed)

    assert retried > 5


def check(player: Player, expected: Interpreter, seed: int) -> None:
    told = f"seed {seed}: {json.dumps(player.dag)}"
    wanted = {name: each.status for name, each in expected.ended.items()}
    assert player.states == wanted, told
    assert player.status == expected.status, told
    assert list(broken_rules(player.dag, player.play._history())) == [], told
    if expected.status == "success":
        assert player.play.output == expected.output, told
    else:
        assert "failed" in player.play.failure, told
