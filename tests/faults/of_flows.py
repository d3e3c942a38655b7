"""Faults in flows: where a cursor goes, what it waits for, what a retry does again, what is replayed."""

from __future__ import annotations

from tests.faults.fault import Check, Edit, Fault, cases

_PROGRAM = "authoring/flow/program.py"
_BRANCHES = "authoring/flow/branches.py"
_WAITING = "authoring/flow/waiting.py"
_DESK = "authoring/flow/command_buffer.py"
_WORKFLOW = "authoring/flow/workflow.py"
_SQLITE_FLOWS = "stores/sqlite/sql/flows.sql"
_POSTGRES_FLOWS = "stores/postgres/sql/flows.sql"


def _played(name: str) -> list[Check]:
    return [cases("authoring/flow/test_program.py", name)]


WAYS = [
    Fault(
        "params-of-the-node-win",
        "params of a run win over those of its nodes",
        [
            Edit(
                _PROGRAM,
                "params = {**node.params, **frame.params}",
                "params = {**frame.params, **node.params}",
            )
        ],
        _played("test_params_of_a_node_are_under_those_of_the_run"),
    ),
    Fault(
        "default-edge-first",
        "the edge of an action is followed before the default one",
        [
            Edit(
                "authoring/flow/model.py",
                "return edges.get(action) or edges.get(DEFAULT)",
                "return edges.get(DEFAULT) or edges.get(action)",
            )
        ],
        _played("test_the_action_of_a_node_chooses_the_edge_and_default_is_for_all_others"),
    ),
    Fault(
        "own-action-before-error",
        "a wait in vain is dealt with by the edge for errors",
        [Edit(_PROGRAM, "(ERROR, own, DEFAULT)", "(own, ERROR, DEFAULT)")],
        _played("test_of_a_wait_in_vain_the_edge_for_errors_comes_first_then_that_of_its_own_action"),
    ),
    Fault(
        "inner-action-leads-outer-flow",
        "an action of a node is that of no flow around it",
        [
            Edit(
                _PROGRAM,
                "own = broken.action if depth == len(self._frames) - 1 else None",
                "own = broken.action",
            )
        ],
        _played("test_the_action_of_a_wait_in_vain_is_not_that_of_the_subflow_around_it"),
    ),
    Fault(
        "subflow-sees-the-state-around-it",
        "a subflow has a state of its own, which begins empty",
        [
            Edit(
                _PROGRAM,
                '        self._frames.append(_FlowFrame(flow, place.params, place.path + "/", row))\n',
                '        self._frames.append(_FlowFrame(flow, place.params, place.path + "/", row))\n'
                "        self._frames[-1].shared = self._frames[0].shared\n",
            )
        ],
        _played("test_a_subflow_has_a_state_of_its_own_which_is_what_its_node_gives"),
    ),
    Fault(
        "rows-of-subflows-left-open",
        "a run that has ended has no task that waits",
        [
            Edit(
                _PROGRAM,
                "            for frame in self._frames:\n                self._close_frame(frame, outcome)\n",
                "",
            )
        ],
        _played("test_a_retry_goes_back_into_the_subflow_that_failed"),
    ),
    Fault(
        "true-is-one",
        "true is not 1 in a condition",
        [
            Edit(
                "authoring/flow/conditions.py",
                "    if isinstance(value, bool):\n        return None\n",
                "",
            )
        ],
        [cases("authoring/flow/test_conditions.py", "test_it_is_not_true")],
    ),
    Fault(
        "second-edge-wins",
        "two edges for one action are refused",
        [
            Edit(
                "authoring/flow/checks.py",
                "        if before is not source.place:\n",
                "        if before is None:\n",
            )
        ],
        [cases("authoring/flow/test_wrong.py", "test_what_is_wrong_is_said_with_its_place_and_its_path")],
    ),
    Fault(
        "second-call-is-the-first-child",
        "a workflow that is called again is another run",
        [Edit(_WAITING, '(f"#{number}" if number > 1 else "")', '""')],
        _played("test_a_workflow_that_is_called_again_is_another_run_each_time"),
    ),
    Fault(
        "all-branches-call-one-service",
        "each branch of a parallel calls its own service",
        [
            Edit(
                _WORKFLOW,
                'service = given.service or getattr(node.does, "service", "")',
                'service = getattr(node.does, "service", "")',
            )
        ],
        [cases("authoring/flow/test_workflow.py", "test_a_call_is_of_the_service_of_its_node_or_branch")],
    ),
]

WAITS = [
    Fault(
        "an-old-answer-is-enough",
        "an approval that is visited again needs a new answer",
        [Edit(_PROGRAM, "since = self._satisfied.get(place.path, 0)", "since = 0")],
        _played("test_an_approval_that_is_visited_again_needs_a_new_answer"),
    ),
    Fault(
        "no-is-no-answer",
        "an approval can be rejected",
        [Edit(_WAITING, "(value is False and not self._is_approval)", "value is False")],
        _played("test_an_approval_is_approved_or_rejected_by_what_people_say"),
    ),
    Fault(
        "signal-with-the-end-dropped",
        "no signal is lost, not even one that comes with a failure",
        [
            Edit(
                _PROGRAM,
                "        if key.startswith(RESERVED):\n",
                "        if key.startswith(RESERVED) or self._ending is not None:\n",
            )
        ],
        _played("test_a_signal_that_comes_with_the_failure_of_a_run_is_there_when_it_is_tried_again"),
    ),
    Fault(
        "waits-look-inside-alone",
        "a wait inside a subflow hears signals to the run",
        [Edit(_WAITING, "for shared in self._place.around:", "for shared in self._place.around[:1]:")],
        _played("test_a_subflow_has_a_state_of_its_own_which_is_what_its_node_gives"),
    ),
    Fault(
        "timer-outlives-its-wait",
        "a wait that had its event is not given up",
        [Edit(_WAITING, "        self._stop_timer()\n        if self._row", "        if self._row")],
        _played("test_a_wait_that_had_its_event_in_time_is_not_given_up_later"),
    ),
]

FANS = [
    Fault(
        "ignored-errors-dropped",
        "where a branch failed there is null, so that results keep their places",
        [
            Edit(
                _BRANCHES,
                "        self._finish(VisitDone(self._results), self._results)\n",
                "        good = [it for at, it in enumerate(self._results) if at not in self._failures]\n"
                "        self._finish(VisitDone(good), good)\n",
            )
        ],
        _played("test_ignored_errors_are_null_in_the_results"),
    ),
    Fault(
        "fail-fast-leaves-branches-running",
        "to fail fast ends the other branches",
        [Edit(_BRANCHES, "        cancel_tasks(self._desk, list(self._tasks))\n", "")],
        _played("test_to_fail_fast_ends_the_other_branches"),
    ),
    Fault(
        "collected-results-not-written",
        "what branches have given is kept, though others failed",
        [Edit(_PROGRAM, "            self._keep(frame, broken.results)\n", "            pass\n")],
        _played("test_collected_errors_are_told_all_at_once_when_every_branch_has_ended"),
    ),
    Fault(
        "retry-redoes-good-branches",
        "1: what succeeded is not done again",
        [
            Edit(
                _BRANCHES,
                "again = sorted({*self._failures, *self._tasks.values(), *self._waiting})",
                "again = list(range(len(self._inputs)))",
            )
        ],
        _played("test_a_retry_tries_only_the_branches_again_that_did_not_succeed"),
    ),
]

REPLAYED = [
    Fault(
        "retry-redoes-what-was-dealt-with",
        "a retry goes on from the node that the run ended with",
        [
            Edit(
                "core/reopening.py",
                '_undone_in_flow(steps) if kind == "flow" else _undone_in_dag(steps, records)',
                "_undone_in_dag(steps, records)",
            )
        ],
        _played(
            "test_a_retry_tries_the_failed_task_again_under_its_old_number_and_nothing_that_was_dealt_with"
        ),
    ),
    Fault(
        "state-not-shown-after-a-retry",
        "the state of a run can be seen, also after a retry",
        [Edit(_PROGRAM, "        self._frames[0].shared.show_all()\n", "")],
        [
            cases(
                "engine/test_flow_runs.py",
                "test_a_retry_of_a_failed_flow_goes_on_from_its_last_node[sqlite]",
            )
        ],
    ),
    Fault(
        "step-limit-asked-on-replay",
        "5: a limit that was lowered changes nothing that has happened",
        [
            Edit(
                _PROGRAM,
                "must_stop = self._steps >= self._limit if is_live else self._steps == self._stops_at",
                "must_stop = self._steps >= self._limit or (not is_live and self._steps == self._stops_at)",
            )
        ],
        _played("test_a_limit_that_was_lowered_does_not_stop_what_has_gone_further_already"),
    ),
    Fault(
        "payload-limit-asked-on-replay",
        "5: what was accepted stays accepted",
        [
            Edit(
                _DESK,
                "codec = self._codec if self.recorded is None else _WITHOUT_LIMIT",
                "codec = self._codec",
            )
        ],
        _played("test_what_was_decided_with_another_limit_stays_decided"),
    ),
    Fault(
        "refusal-asked-on-replay",
        "5: what was refused stays refused",
        [
            Edit(
                "authoring/flow/visits.py",
                "refused = self._desk.refused.get(self._desk.next_task)",
                "refused = None",
            )
        ],
        _played("test_a_workflow_that_is_not_known_fails_the_node_and_a_retry_calls_it"),
    ),
    Fault(
        "result-judged-anew-on-replay",
        "5: what was too large stays so",
        [
            Edit(
                _DESK,
                "            outcome = self.recorded.get(seq, outcome)\n",
                "            outcome = self.recorded.get(-1, outcome)\n",
            )
        ],
        _played("test_what_was_too_large_stays_so_under_a_higher_limit"),
    ),
]

PUBLISHED = [
    Fault(
        "published-version-changed",
        "a version that was published is never changed",
        [Edit(_SQLITE_FLOWS, "AND status = 'draft' AND hash = ?8", "AND hash = ?8")],
        [cases("stores/test_flows.py", "test_a_published_version_is_never_changed[sqlite]")],
    ),
    Fault(
        "published-version-changed-on-postgres",
        "a version that was published is never changed",
        [Edit(_POSTGRES_FLOWS, "AND kind = 'flow' AND status = 'draft'\n", "AND kind = 'flow'\n")],
        [cases("stores/test_flows.py", "test_a_published_version_is_never_changed[postgres]")],
    ),
    Fault(
        "draft-overwritten-unseen",
        "a draft is replaced by whoever has seen it as it is",
        [Edit(_SQLITE_FLOWS, "AND status = 'draft' AND hash = ?8", "AND status = 'draft' AND ?8 <> ''")],
        [cases("stores/test_flows.py", "test_a_draft_is_replaced_by_whoever_has_seen_it_as_it_is[sqlite]")],
    ),
    Fault(
        "ten-before-nine",
        "the newest version has the highest number",
        [Edit(_SQLITE_FLOWS, "ORDER BY length(version) DESC, version DESC", "ORDER BY version DESC")],
        [cases("stores/test_flows.py", "test_versions_are_listed_by_number_the_highest_first[sqlite]")],
    ),
    Fault(
        "drafts-can-be-run",
        "a draft cannot be run",
        [
            Edit(
                "client/client.py",
                "if found is None or found.status != PUBLISHED:",
                "if found is None:",
            )
        ],
        [
            cases(
                "engine/test_flow_runs.py",
                "test_a_draft_cannot_be_started_under_its_name_or_its_number[sqlite]",
            )
        ],
    ),
    Fault(
        "started-without-its-functions",
        "a run is left to a node that has what it needs",
        [
            Edit(
                _WORKFLOW,
                "        for name in self.functions():\n            definitions.catalog.task(name)\n",
                "",
            )
        ],
        [
            cases(
                "engine/test_flow_runs.py",
                "test_a_node_that_lacks_a_function_leaves_the_run_to_one_that_has_it[sqlite]",
            )
        ],
    ),
    Fault(
        "refused-start-ends-the-node",
        "a run that this node cannot begin harms no other",
        [Edit("engine/starting.py", "            except Refused:", "            except StoreFull:")],
        [
            cases(
                "engine/test_flow_runs.py",
                "test_a_node_that_lacks_a_function_leaves_the_run_to_one_that_has_it[sqlite]",
            )
        ],
    ),
]

FAULTS = [*WAYS, *WAITS, *FANS, *REPLAYED, *PUBLISHED]
