"""Faults in what is seen from outside: numbers that are wrong, and a server that says it is well."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_MEASURING = "engine/test_measuring.py"
_PROBES = "server/test_probes.py"
_BACKLOGS = "client/test_backlogs.py"

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
    Fault(
        "control-characters-in-json-logs",
        "no text of a log record controls the terminal of whoever reads a field of it",
        [
            Code("cli.log_lines:_JsonFormatter.format").replace(
                "visible(record.getMessage())", "record.getMessage()"
            )
        ],
        cases("cli/test_log_format.py", "test_log_records_are_json_lines_with_run_and_task[False]"),
    ),
    Fault(
        "labels-without-end",
        "two hundred workflows have a label of their own, and the others share one",
        [Code("telemetry.prometheus:MOST_NAMES").replace("200", "1_000_000")],
        cases(_PROBES, "test_names_beyond_two_hundred_are_one"),
    ),
    Fault(
        "counts-shown-to-all",
        "what a node counts is shown in its own namespace only",
        [Code("server.probes.app:Probes.metrics_of").replace("is_own = A", "is_own = True")],
        cases(_PROBES, "test_metrics_show_what_waits_in_the_store[sqlite]"),
    ),
    Fault(
        "reasons-shown-to-all",
        "who shows no key is not told why a server is not ready",
        [Code("server.probes.app:Probes.readiness").replace("may_read and is_own", "True")],
        cases(_PROBES, "test_without_a_key_a_server_does_not_say_why_it_is_not_ready"),
    ),
    Fault(
        "each-probe-asks-the-store",
        "many who ask whether a server is ready cost the store no more than one",
        [Code("server.probes.remembering:Remembered.get").replace("task is None or A", "True")],
        cases(_PROBES, "test_a_hundred_probes_ask_the_store_once"),
    ),
    Fault(
        "overdue-runs-are-well",
        "a server is not ready while a run is overdue",
        [Code("client.backlogs:Backlogs.problems").replace("_age(now, [row]) > A", "False")],
        cases(_BACKLOGS, "test_what_is_late_is_told_with_the_reason[sqlite]"),
    ),
    Fault(
        "sleeping-runs-in-the-backlog",
        "a run that is not due yet is not counted",
        [Query("sqlite:count_due_runs").replace("wake_at <= A", "wake_at IS NOT NULL AND A > 0")],
        cases(_BACKLOGS, "test_due_runs_that_nobody_has_are_counted_by_workflow[sqlite]"),
    ),
]
