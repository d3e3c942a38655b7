"""Whatever a program does, and wherever it stands, each of its open runs has a reason not to go on."""

from __future__ import annotations

import datetime as dt
from random import Random
from typing import Any

import pytest
from tests.programs import generate
from tests.programs.proving import Prover, _ManyCrashPoints, random_plan

from holdfast.client.explaining import Explainer
from holdfast.core.explanations import Explanation
from holdfast.ports.commits import Commit, Receipt
from holdfast.ports.runs import RunFilter

SEEDS = 50


async def test_every_open_run_of_a_random_program_has_a_reason_after_every_commit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explained: list[Explanation] = []
    commit_plainly = _ManyCrashPoints.commit

    async def commit_and_explain(self: Any, commit: Commit) -> Receipt:
        receipt = await commit_plainly(self, commit)
        explainer = Explainer(
            self._store,
            namespace=commit.namespace,
            now=lambda: commit.now,
            worker_ttl=dt.timedelta(seconds=15),
            is_alive=lambda _: None,
        )
        for record in await self._store.list_runs(commit.namespace, RunFilter()):
            found = await explainer.explain(record.key)
            assert found is not None
            assert found.reasons
            explained.append(found)
        return receipt

    monkeypatch.setattr(_ManyCrashPoints, "commit", commit_and_explain)
    prover = Prover()
    for seed in range(SEEDS):
        dice = Random(seed)
        proof = await prover.prove(generate(dice, 12), random_plan(dice, 12))

        assert not proof.problems, f"seed {seed}"
    kinds = {reason.kind.value for found in explained for reason in found.reasons}
    assert kinds >= {"node", "task", "timer", "signal", "child", "retry", "end", "cancel"}
    assert not [found for found in explained if "nothing will wake it" in found.summary]
