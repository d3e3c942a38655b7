"""Faults in what is seen from outside: numbers that are wrong, and a server that says it is well."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases

_MEASURING = "engine/test_measuring.py"

FAULTS = [
    Fault(
        "unwritten-ends-counted",
        "an end that was not written, because the run was lost, is not counted",
        [Code("engine.measuring:_ended_tasks").replace("void and row.run in void", "False")],
        cases(_MEASURING, "test_what_was_decided_for_a_lost_run_is_not_counted"),
    ),
    Fault(
        "waits-for-slots-not-told",
        "the telemetry is told how long a task has waited for its slot",
        [Code("engine.measuring:Meter.committed").replace("attempt.ready_at = tick.now", "pass")],
        cases(_MEASURING, "test_runs_and_tasks_are_told_with_their_times[sqlite]"),
    ),
    Fault(
        "measured-without-need",
        "nothing is collected if nobody measures",
        [Code("engine.engine:Engine.__init__").replace("telemetry is not None", "True")],
        cases(_MEASURING, "test_without_a_telemetry_nothing_is_collected"),
    ),
]
