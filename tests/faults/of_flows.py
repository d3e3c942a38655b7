"""Faults in flows: where a cursor goes, what it waits for, what a retry does again, what is replayed."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Check, Fault, cases
from tests.faults.query_edits import Query


def _played(name: str) -> list[Check]:
    return cases("authoring/flow/test_program.py", name)


WAYS = [
    Fault(
        "params-of-the-node-win",
        "params of a run win over those of its nodes",
        [
            Code("authoring.flow.program:_enter").replace(
                "{**node.params, **frame.params}", "{**frame.params, **node.params}"
            )
        ],
        _played("test_params_of_a_node_are_under_those_of_the_run"),
    ),
    Fault(
        "default-edge-first",
        "the edge of an action is followed before the default one",
        [Code("authoring.flow.model:next_of").replace("A or E.get(DEFAULT)", "E.get(DEFAULT) or A")],
        _played("test_the_action_of_a_node_chooses_the_edge_and_default_is_for_all_others"),
    ),
    Fault(
        "own-action-before-error",
        "a wait in vain is dealt with by the edge for errors",
        [Code("authoring.flow.program:_fail").replace("(ERROR, A, DEFAULT)", "(A, ERROR, DEFAULT)")],
        _played("test_of_a_wait_in_vain_the_edge_for_errors_comes_first_then_that_of_its_own_action"),
    ),
    Fault(
        "inner-action-leads-outer-flow",
        "an action of a node is that of no flow around it",
        [Code("authoring.flow.program:_fail").replace("A.action if ... else None", "A.action")],
        _played("test_the_action_of_a_wait_in_vain_is_not_that_of_the_subflow_around_it"),
    ),
    Fault(
        "subflow-sees-the-state-around-it",
        "a subflow has a state of its own, which begins empty",
        [
            Code("authoring.flow.program:_descend").insert_after(
                "self._frames.append(...)", "self._frames[-1].shared = self._frames[0].shared"
            )
        ],
        _played("test_a_subflow_has_a_state_of_its_own_which_is_what_its_node_gives"),
    ),
    Fault(
        "rows-of-subflows-left-open",
        "a run that has ended has no task that waits",
        [Code("authoring.flow.program:_close").remove("for A in self._frames: self._close_frame(...)")],
        _played("test_a_retry_goes_back_into_the_subflow_that_failed"),
    ),
    Fault(
        "true-is-one",
        "true is not 1 in a condition",
        [Code("authoring.documents.comparison:number_in").remove("if isinstance(A, bool): return None")],
        cases("authoring/flow/test_conditions.py", "test_it_is_not_true"),
    ),
    Fault(
        "second-edge-wins",
        "two edges for one action are refused",
        [Code("authoring.flow.checks:_check_edges").replace("A is not B.position", "A is None")],
        cases("authoring/flow/test_wrong.py", "test_what_is_wrong_is_said_with_its_place_and_its_path"),
    ),
    Fault(
        "second-call-is-the-first-child",
        "a workflow that is called again is another run",
        [Code("authoring.flow.waiting:Calling.begin").replace('... if A > 1 else ""', '""')],
        _played("test_a_workflow_that_is_called_again_is_another_run_each_time"),
    ),
    Fault(
        "all-branches-call-one-service",
        "each branch of a parallel calls its own service",
        [Code("authoring.flow.workflow:service_call").remove("given.service")],
        cases("authoring/flow/test_workflow.py", "test_a_call_is_of_the_service_of_its_node_or_branch"),
    ),
]

ROUND = [
    Fault(
        "flow-takes-one-long-step",
        "a step is bounded: choices that go round do not hold up the node",
        [Code("authoring.flow.program:_enter").remove("self._visits += 1")],
        _played("test_a_circle_of_choices_takes_many_steps_and_not_one_long_one"),
    ),
    Fault(
        "flow-takes-one-large-step",
        "a commit is bounded: choices that go round do not fill the memory",
        [Code("authoring.flow.program:_has_paused").replace("self._buffer.bytes >= A", "False")],
        _played("test_a_circle_that_records_large_values_takes_more_steps"),
    ),
    Fault(
        "flow-pauses-elsewhere-on-replay",
        "5: replay pauses where the journal says",
        [Code("authoring.flow.program:_has_paused").replace("self._buffer.recorded is None", "True")],
        _played("test_where_an_earlier_version_did_not_pause_replay_does_not_either"),
    ),
]

WAITS = [
    Fault(
        "an-old-answer-is-enough",
        "an approval that is visited again needs a new answer",
        [Code("authoring.flow.program:_visit_of").replace("self._satisfied.get(...)", "0")],
        _played("test_an_approval_that_is_visited_again_needs_a_new_answer"),
    ),
    Fault(
        "no-is-no-answer",
        "an approval can be rejected",
        [Code("authoring.flow.waiting:_is_nothing").remove("not self._is_approval")],
        _played("test_an_approval_is_approved_or_rejected_by_what_people_say"),
    ),
    Fault(
        "signal-with-the-end-dropped",
        "no signal is lost, not even one that comes with a failure",
        [
            Code("authoring.flow.program:_receive").replace(
                "A.startswith(RESERVED)", "A.startswith(RESERVED) or self._ending is not None"
            )
        ],
        _played("test_a_signal_that_comes_with_the_failure_of_a_run_is_there_when_it_is_tried_again"),
    ),
    Fault(
        "waits-look-inside-alone",
        "a wait inside a subflow hears signals to the run",
        [Code("authoring.flow.waiting:Awaiting._find").replace("A.around", "A.around[:1]")],
        _played("test_a_subflow_has_a_state_of_its_own_which_is_what_its_node_gives"),
    ),
    Fault(
        "timer-outlives-its-wait",
        "a wait that had its event is not given up",
        [Code("authoring.flow.waiting:Awaiting._look").remove("self._stop_timer()")],
        _played("test_a_wait_that_had_its_event_in_time_is_not_given_up_later"),
    ),
]

FANS = [
    Fault(
        "ignored-errors-dropped",
        "where a branch failed there is null, so that results keep their places",
        [
            Code("authoring.flow.branches:_conclude").replace(
                "self._finish(D(R), R)",
                "good = [it for at, it in enumerate(R) if at not in self._failures]; "
                "self._finish(D(good), good)",
            )
        ],
        _played("test_ignored_errors_are_null_in_the_results"),
    ),
    Fault(
        "fail-fast-leaves-branches-running",
        "to fail fast ends the other branches",
        [Code("authoring.flow.branches:_break_off").remove("cancel_tasks(...)")],
        _played("test_to_fail_fast_ends_the_other_branches"),
    ),
    Fault(
        "collected-results-not-written",
        "what branches have given is kept, though others failed",
        [Code("authoring.flow.program:_fail").remove("self._keep(A, B.results)")],
        _played("test_collected_errors_are_told_all_at_once_when_every_branch_has_ended"),
    ),
    Fault(
        "retry-redoes-good-branches",
        "1: what succeeded is not done again",
        [
            Code("authoring.flow.branches:go_again").replace(
                "sorted({*self._failures, ...})", "list(range(len(self._inputs)))"
            )
        ],
        _played("test_a_retry_tries_only_the_branches_again_that_did_not_succeed"),
    ),
]

REPLAYED = [
    Fault(
        "retry-redoes-what-was-dealt-with",
        "a retry goes on from the node that the run ended with",
        [Code("authoring.kinds:reopening_plan").replace("kind == 'dag'", "kind != 'code'")],
        _played(
            "test_a_retry_tries_the_failed_task_again_under_its_old_number_and_nothing_that_was_dealt_with"
        ),
    ),
    Fault(
        "state-not-shown-after-a-retry",
        "the state of a run can be seen, also after a retry",
        [Code("authoring.flow.program:_reopen").remove("A.show_all()")],
        cases("engine/test_flow_runs.py", "test_a_retry_of_a_failed_flow_goes_on_from_its_last_node[sqlite]"),
    ),
    Fault(
        "step-limit-asked-on-replay",
        "5: a limit that was lowered changes nothing that has happened",
        [Code("authoring.flow.program:_may_not_go_on").replace("A if L else B", "A or (not L and B)")],
        _played("test_a_limit_that_was_lowered_does_not_stop_what_has_gone_further_already"),
    ),
    Fault(
        "payload-limit-asked-on-replay",
        "5: what was accepted stays accepted",
        [Code("authoring.flow.command_buffer:encode").replace("A if ... else _WITHOUT_LIMIT", "A")],
        _played("test_what_was_decided_with_another_limit_stays_decided"),
    ),
    Fault(
        "refusal-asked-on-replay",
        "5: what was refused stays refused",
        [Code("authoring.flow.visits:Visit.go").replace("A.refused.get(...)", "None")],
        _played("test_a_workflow_that_is_not_known_fails_the_node_and_a_retry_calls_it"),
    ),
    Fault(
        "result-judged-anew-on-replay",
        "5: what was too large stays so",
        [
            Code("authoring.flow.command_buffer:record").replace(
                "self.recorded.get(A, B)", "self.recorded.get(-1, B)"
            )
        ],
        _played("test_what_was_too_large_stays_so_under_a_higher_limit"),
    ),
]

PUBLISHED = [
    Fault(
        "published-version-changed",
        "a version that was published is never changed",
        [Query("sqlite:replace_draft").remove("AND status = 'draft'")],
        cases("stores/test_flows.py", "test_a_published_version_is_never_changed[sqlite]"),
    ),
    Fault(
        "published-version-changed-on-postgres",
        "a version that was published is never changed",
        [Query("postgres:replace_draft").remove("AND status = 'draft'")],
        cases("stores/test_flows.py", "test_a_published_version_is_never_changed[postgres]"),
    ),
    Fault(
        "draft-overwritten-unseen",
        "a draft is replaced by whoever has seen it as it is",
        [Query("sqlite:replace_draft").replace("AND hash = A", "AND A <> ''")],
        cases("stores/test_flows.py", "test_a_draft_is_replaced_by_whoever_has_seen_it_as_it_is[sqlite]"),
    ),
    Fault(
        "ten-before-nine",
        "the newest version has the highest number",
        [Query("sqlite:flow_versions").replace("ORDER BY number DESC", "ORDER BY version DESC")],
        cases("stores/test_flows.py", "test_versions_are_listed_by_number_the_highest_first[sqlite]"),
    ),
    Fault(
        "drafts-can-be-run",
        "a draft cannot be run",
        [Code("stores.definitions:find_published_definition").remove("A.status == PUBLISHED")],
        cases(
            "engine/test_flow_runs.py", "test_a_draft_cannot_be_started_under_its_name_or_its_number[sqlite]"
        ),
    ),
    Fault(
        "started-without-its-functions",
        "a run is left to a node that has what it needs",
        [Code("authoring.flow.workflow:FlowWorkflow.program").remove("for A in self.functions(): ...")],
        cases(
            "engine/test_flow_runs.py",
            "test_a_node_that_lacks_a_function_leaves_the_run_to_one_that_has_it[sqlite]",
        ),
    ),
    Fault(
        "refused-start-ends-the-node",
        "a run that this node cannot begin harms no other",
        [Code("engine.start_queue:_begin").replace("Refused", "StoreFull")],
        cases(
            "engine/test_flow_runs.py",
            "test_a_node_that_lacks_a_function_leaves_the_run_to_one_that_has_it[sqlite]",
        ),
    ),
]


def _shared(name: str) -> list[Check]:
    return cases("engine/test_shared_inputs.py", f"{name}[sqlite]")


SHARED = [
    Fault(
        "params-stored-with-every-branch",
        "what all branches have in common is stored once",
        [Code("authoring.flow.branches:_share").replace("len(A) >= SHARED_FROM", "False")],
        _shared("test_the_params_of_a_foreach_are_stored_once"),
    ),
    Fault(
        "dag-inputs-stored-with-every-item",
        "what all items have in common is stored once",
        [Code("authoring.dag.values:_common_of").replace("A >= SHARED_FROM", "False")],
        _shared("test_the_inputs_of_a_dags_foreach_are_stored_once"),
    ),
    Fault(
        "params-stored-again-after-each-replay",
        "what all branches have in common is stored once",
        [Code("authoring.flow.program:replay").remove("self._buffer.shared_then = shares_in(past)")],
        _shared("test_a_foreach_that_an_earlier_version_began_goes_on"),
    ),
    Fault(
        "params-lost-in-a-crash",
        "a task gets its whole input, also on another node",
        [Code("engine.resident:restore_attempt").replace("record.shared", "None")],
        cases("engine/test_shared_inputs.py", "test_a_foreach_goes_on_after_a_crash_at_every_commit[sqlite]"),
    ),
    Fault(
        "workers-get-a-part-of-the-input",
        "a task gets its whole input, also from the queue",
        [Code("stores.workers:_take").replace("read_whole_input(tx, run, A, B)", "A")],
        _shared("test_branches_that_are_started_after_a_crash_use_what_is_stored"),
    ),
    Fault(
        "older-versions-run-a-part-of-the-input",
        "a version that does not know shared inputs parks the run",
        [Code("core.journal:entry_of").replace("A.shared is not None", "False")],
        _shared("test_branches_that_are_started_after_a_crash_use_what_is_stored"),
    ),
]

FAULTS = [*WAYS, *ROUND, *WAITS, *FANS, *REPLAYED, *PUBLISHED, *SHARED]
