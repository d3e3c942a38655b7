"""Faults in what a run is started with, and in what operators do to it."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_TERMS = "engine/test_run_terms.py"
_ACTS = "engine/test_operators.py"

FAULTS = [
    Fault(
        "mail-starts-delayed-runs",
        "a run does not start before its time",
        [Query("sqlite:wake_runs").remove("AND (status = 'running' OR wake_at <= ?2)")],
        cases(_TERMS, "test_a_message_does_not_start_a_run_before_its_time[sqlite]"),
    ),
    Fault(
        "deadline-spared-by-a-late-answer",
        "a run that has not ended by its deadline fails, whatever it does then",
        [Code("authoring.code.program:CodeProgram._end").replace("isinstance(A, FailRun)", "False")],
        cases(_TERMS, "test_what_a_run_does_after_its_deadline_does_not_save_it[sqlite-late_answer]"),
    ),
    Fault(
        "overdue-runs-go-on",
        "a run that goes on after its deadline is ended",
        [Code("engine.tick:Tick.hear").remove("self.end(fact.resident, FailRun(A))")],
        cases(_TERMS, "test_a_run_that_goes_on_after_its_deadline_is_ended[sqlite]"),
    ),
    Fault(
        "any-run-for-an-id",
        "an id gives the same run only for the same workflow and input",
        [Code("client.client:Client._check_existing").replace("differs(A, B, C)", "False")],
        cases(_TERMS, "test_an_id_gives_the_same_run_only_for_the_same_workflow_and_input[sqlite]"),
    ),
    Fault(
        "priorities-forgotten",
        "runs of a higher priority are claimed first",
        [Code("stores.commit_script:_urgent_first").replace("not urgent", "True")],
        cases(_TERMS, "test_runs_of_a_higher_priority_are_claimed_first[sqlite]"),
    ),
    Fault(
        "terminated-runs-are-asked",
        "a run is terminated whatever its code does",
        [Code("engine.operator_acts:obey").remove("tick.end(A, B, is_forced=True)")],
        cases(_ACTS, "test_a_run_that_cannot_be_cancelled_is_terminated[sqlite]"),
    ),
    Fault(
        "children-of-terminated-runs-go-on",
        "attached children end with their parent",
        [Code("stores.commit_script:_end_and_release").replace("A.is_forced", "False")],
        cases(_ACTS, "test_a_terminated_run_ends_its_task_and_its_attached_children[sqlite]"),
    ),
    Fault(
        "paused-runs-go-on",
        "no task of a paused run begins",
        [Code("engine.deciding:Decider._advance_ready").replace("A.pause is not None", "False")],
        cases(_ACTS, "test_what_one_task_leads_to_waits_while_another_ends[sqlite]"),
    ),
    Fault(
        "backoffs-go-on",
        "a backoff is ended by hand",
        [Code("engine.operator_acts:obey").remove("_end_backoffs(A, B, C)")],
        cases(_ACTS, "test_a_backoff_is_ended_though_no_node_has_the_run[sqlite]"),
    ),
    Fault(
        "causes-with-their-numbers",
        "failures of one cause have one fingerprint",
        [Code("core.fingerprints:fingerprint").replace('_NUMBER.sub("#", A)', "A")],
        cases(_ACTS, "test_failures_of_one_cause_are_one_group_and_retried_together[sqlite]"),
    ),
    Fault(
        "pauses-read-before-they-are-done",
        "a pause survives the death of the node that is pausing",
        [
            Code("engine.operator_acts:obey").replace(
                "resident.pause_messages += (message.id,)", "tick.mark_read(resident, message.id)"
            )
        ],
        cases(_ACTS, "test_a_run_whose_node_dies_while_it_is_paused_is_paused_by_the_next[sqlite]"),
    ),
    Fault(
        "backoffs-end-in-runs-that-are-paused",
        "no task of a paused run begins",
        [Code("engine.attempt_recorder:dispatch_due").replace("attempt.resident.pause is not None", "False")],
        cases(
            _ACTS,
            "test_a_backoff_that_ends_while_another_task_runs_begins_nothing[sqlite-time]",
            "test_a_backoff_that_ends_while_another_task_runs_begins_nothing[sqlite-hand]",
        ),
    ),
]
