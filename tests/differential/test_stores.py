"""SQLite and Postgres do what the model does, whatever is sent to them, in whatever order."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.differential.machine import StoreMachine
from tests.differential.side_by_side import OpenPostgres


@pytest.mark.timeout(3600)  # as long as it is told to look, and to find the shortest way to a difference
def test_no_sequence_of_calls_tells_a_store_from_the_model(
    open_postgres: OpenPostgres, examples: int
) -> None:
    class Machine(StoreMachine):
        def __init__(self) -> None:
            super().__init__(open_postgres)

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=50,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
