"""Faults in the views of runs: graphs, states, points, statistics."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_STORE = "stores/test_run_graphs.py"
_GRAPHS = "client/test_run_graphs.py"
_STATES = "client/test_past_states.py"

FAULTS = [
    Fault(
        "tasks-of-other-namespaces-summed-up",
        "every query names a namespace",
        [Query("sqlite:tally_tasks").remove("runs.namespace = ?1 AND")],
        cases(_STORE, "test_tasks_are_summed_up_by_name_and_state[sqlite]"),
    ),
    Fault(
        "ends-to-come-told",
        "a run is shown as it was",
        [
            Query("postgres:tally_tasks").replace(
                "WHEN $3 IS NULL OR tasks.finished_at <= $3 THEN tasks.status",
                "WHEN tasks.finished_at IS NOT NULL THEN tasks.status",
            )
        ],
        cases(_STORE, "test_tasks_are_summed_up_as_they_were[postgres]"),
    ),
    Fault(
        "unread-messages-told-as-heard",
        "what a run has not read has led to nothing",
        [Query("sqlite:list_heard_messages").remove("AND taken >= 0")],
        cases(_STORE, "test_the_messages_that_a_run_has_read_are_listed_without_what_they_say[sqlite]"),
    ),
    Fault(
        "what-was-heard-leads-on-for-ever",
        "what a run heard leads to what it asks for next, and to nothing after that",
        [Code("core.journal_graphs:StepWalk.add").replace("self._heard.clear()", "pass")],
        cases(_GRAPHS, "test_chains_side_by_side_stay_apart[sqlite]"),
    ),
    Fault(
        "retried-nodes-shown-as-failed",
        "a node is shown as its last task ended",
        [Code("core.run_graphs:last_of").replace("max(A, key=B)", "min(A, key=B)")],
        cases(_GRAPHS, "test_a_dag_says_what_was_skipped_failed_and_tried_again[sqlite]"),
    ),
    Fault(
        "state-of-now-shown-as-that-of-then",
        "a value of the state is shown only if it is certain that it was there",
        [Code("core.past_states:_has_digest").replace("digest is not None and A == digest", "True")],
        cases(_STATES, "test_a_value_that_was_changed_later_is_not_kept_unless_it_came_back[sqlite]"),
    ),
    Fault(
        "forged-replays-believed",
        "a replay that does not end with what is stored proves nothing",
        [
            Code("authoring.flow.past_states:_replay_state").replace(
                "then if have_same_values(A, B) else None", "then"
            )
        ],
        cases(_STATES, "test_a_replay_that_does_not_end_with_what_is_stored_is_not_believed[sqlite]"),
    ),
    Fault(
        "state-of-another-chapter-read",
        "a chapter keeps the state that it began with",
        [
            Query("sqlite:chapter_of_step").replace(
                "ORDER BY chapters.number DESC", "ORDER BY chapters.number"
            )
        ],
        cases("stores/test_past_states.py", "test_of_several_chapters_the_one_of_the_step_is_read[sqlite]"),
    ),
]
