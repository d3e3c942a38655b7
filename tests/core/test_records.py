"""A run as it begins: in somebody's hands, or in nobody's."""

from __future__ import annotations

from holdfast.core.records import new_run
from holdfast.core.values import Instant, Payload, RunKey, RunStatus

KEY = RunKey(bytes(16))
NOW = Instant(1_000_000)
INPUT = Payload(b"{}")


def test_a_run_that_nobody_owns_is_due_at_once_and_has_had_no_owner() -> None:
    run = new_run(KEY, "default", "id", "flow", "1", "flow@1", INPUT, NOW)

    assert (run.status, run.owner, run.epoch) == (RunStatus.PENDING, None, 0)
    assert (run.wake_at, run.created_at, run.started_at) == (NOW, NOW, None)


def test_a_run_that_begins_in_the_hands_of_a_node_is_its_first_owners_and_has_no_time_to_wake() -> None:
    run = new_run(KEY, "default", "id", "flow", "1", "flow@1", INPUT, NOW, owner="node")

    assert (run.status, run.owner, run.epoch) == (RunStatus.RUNNING, "node", 1)
    assert (run.wake_at, run.created_at, run.started_at) == (None, NOW, NOW)
