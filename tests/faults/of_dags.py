"""Faults in what came with DAGs: schedules, what tasks say, programs of data, and dead neighbours."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_SECOND = "test_who_comes_second_starts_nothing_cancels_nothing_and_moves_nothing"
_QUEUED = "test_a_tick_in_the_queue_is_due_when_the_run_before_it_has_ended_and_not_before"

SCHEDULES = [
    Fault(
        "schedules-follow-no-version",
        "a schedule that was told no version follows the newest",
        [Code("engine.schedule_firing:workflows").replace("list(dict.fromkeys(A))", "A[: len(claims)]")],
        cases("engine/test_schedule_versions.py", "test_a_schedule_follows_the_version_that_is_deployed"),
    ),
    Fault(
        "told-version-forgotten",
        "a schedule that was told a version starts no other",
        [Code("engine.schedule_firing:ScheduleFirer._pin").replace("A.pin(B, version)", "A.pin(B, None)")],
        cases(
            "engine/test_schedule_versions.py",
            "test_a_schedule_that_was_told_a_version_stays_with_it_until_it_is_put_without",
        ),
    ),
    Fault(
        "schedule-taken-over",
        "a schedule belongs to one workflow",
        [Code("client.schedules:put_plan").remove("raise ScheduleTaken(A, B, C)")],
        cases(
            "engine/test_schedule_versions.py",
            "test_a_name_that_another_workflow_has_is_refused_and_changes_nothing",
        ),
    ),
    Fault(
        "overdue-schedules-are-silent",
        "a schedule that no node can start says so",
        [Code("client.schedules:_problem").replace("later(A, _OVERDUE) > B", "A")],
        cases(
            "engine/test_schedule_versions.py",
            "test_a_schedule_that_no_node_can_start_says_so_until_one_can",
        ),
    ),
    Fault(
        "fire-without-revision",
        "a tick starts at most one run, however many nodes look",
        [Query("sqlite:update_schedule").replace("AND revision = A", "AND A > 0")],
        cases("stores/test_schedules.py", _SECOND),
    ),
    Fault(
        "fire-without-revision-on-postgres",
        "a tick starts at most one run, however many nodes look",
        [Query("postgres:update_schedule").replace("AND revision = A", "AND A > 0")],
        cases("stores/test_schedules.py", f"{_SECOND}[postgres]"),
    ),
    Fault(
        "late-firing-leaves-its-runs",
        "a firing happens whole or not at all",
        [Code("stores.schedules:fire_schedule").replace("raise RowChanged", "return False")],
        cases("stores/test_schedules.py", _SECOND),
    ),
    Fault(
        "wrong-run-taken-for-the-active-one",
        "a tick whose run exists waits for that run",
        [Code("stores.schedules:fire_schedule").replace("A = existing[A]", "A = next(iter(existing))")],
        cases(
            "stores/test_schedules.py",
            "test_a_tick_whose_run_exists_starts_no_second_one_and_the_first_is_the_active_one",
        ),
    ),
    Fault(
        "oldest-ticks-for-the-newest",
        "of each schedule the newest runs are listed",
        [Query("sqlite:runs_of_schedules").replace("ORDER BY key DESC", "ORDER BY key")],
        cases(
            "stores/test_schedules.py",
            "test_of_each_schedule_the_newest_runs_in_a_range_of_keys_are_listed",
        ),
    ),
    Fault(
        "ticks-beyond-the-range-on-postgres",
        "of each schedule the newest runs in a range are listed",
        [Query("postgres:runs_of_schedules").replace("AND key >= A", "AND key <> A")],
        cases(
            "stores/test_schedules.py",
            "test_of_each_schedule_the_newest_runs_in_a_range_of_keys_are_listed[postgres]",
        ),
    ),
    Fault(
        "silent-firing",
        "7: other nodes hear of the runs of a schedule",
        [Code("stores.schedules:fire_schedule").remove("A.announce(DUE)")],
        cases(
            "stores/test_schedules.py", "test_whoever_waits_hears_of_a_changed_plan_and_of_a_firing[postgres]"
        ),
    ),
    Fault(
        "paused-schedules-fire",
        "a paused schedule starts nothing",
        [Query("sqlite:due_schedules").remove("AND NOT is_paused")],
        cases("stores/test_schedules.py", "test_a_paused_schedule_is_never_due"),
    ),
    Fault(
        "paused-schedules-wake-nodes",
        "an idle node is near silent",
        [Query("sqlite:next_work").remove("AND NOT is_paused")],
        cases("stores/test_schedules.py", "test_a_paused_schedule_is_never_due"),
    ),
    Fault(
        "queued-ticks-forgotten",
        "7: a tick that waited begins when the run before it has ended",
        [Query("sqlite:next_work").replace("THEN cursor ELSE next_at END", "THEN next_at ELSE next_at END")],
        cases("stores/test_schedules.py", _QUEUED),
    ),
    Fault(
        "queued-ticks-do-not-wait",
        "a queue is one run after the other",
        [Query("sqlite:due_schedules").replace("(queued <> '[]' AND NOT is_active)", "(queued <> '[]')")],
        cases("stores/test_schedules.py", _QUEUED),
    ),
    Fault(
        "cursor-stands-still",
        "every tick is dealt with once",
        [Code("engine.schedule_firing:_moved").replace("decision.state.cursor", "schedule.cursor")],
        cases("differential/test_engine.py", "test_a_day_on_the_model_ends_as_it_should"),
    ),
    Fault(
        "runs-named-for-the-moment",
        "a tick starts at most one run, also if it was started by hand",
        [Code("engine.schedule_firing:_new_run").replace("run_id(A, tick)", "run_id(A, now)")],
        cases(
            "engine/test_schedules.py",
            "test_an_hour_that_nobody_sees_costs_at_most_the_ticks_that_catch_up_says",
        ),
    ),
]

LOGS = [
    Fault(
        "lost-runs-talk-on",
        "2: a stale owner writes nothing, not even what it heard",
        [Code("ports.commits:ROWS_OF_RUNS").remove('"logs"')],
        cases("stores/test_logs.py", "test_what_a_stale_owner_has_heard_is_not_written"),
    ),
    Fault(
        "tail-forgotten",
        "the last lines of a task that says too much are kept",
        [Code("core.log_lines:LimitedLog.take").remove("A += self._tail")],
        cases(
            "engine/test_log_buffer.py",
            "test_of_one_who_says_too_much_the_first_and_the_last_lines_are_kept_and_the_cut_is_announced",
        ),
    ),
    Fault(
        "cut-without-a-word",
        "a cut is announced",
        [Code("core.log_lines:LimitedLog.take").replace("if self._cut: ...", "if self._cut < 0: ...")],
        cases(
            "engine/test_task_logs.py",
            "test_a_task_that_says_too_much_is_cut_in_the_middle_and_its_last_lines_are_kept[sqlite]",
        ),
    ),
    Fault(
        "lines-after-the-end",
        "lines are written with the outcome of their attempt",
        [
            Code("engine.attempt_recorder:retire").replace(
                "self.write_log(F, is_over=True)", "self.write_log(F, is_over=False) if F.failures else None"
            )
        ],
        cases(
            "engine/test_task_logs.py",
            "test_lines_are_written_in_the_commit_that_records_how_their_attempt_ended[sqlite]",
        ),
    ),
    Fault(
        "last-words-dropped",
        "what an attempt says while it is ended is kept",
        [Code("engine.log_buffer:LogBuffer.log").replace("A.resident.is_gone", "A.stage.value == 'closed'")],
        cases("engine/test_log_buffer.py", "test_last_words_of_an_attempt_that_was_given_up_are_written"),
    ),
    Fault(
        "reported-before-it-has-spoken",
        "what was said last is heard before the end",
        [Code("executors.context:TaskContext.end").remove("A.flush()")],
        cases("executors/test_task_logging.py", "test_what_was_said_last_is_heard_before_the_report"),
    ),
    Fault(
        "half-a-line-lost",
        "what a task prints last needs no end of line",
        [Code("executors.context:TaskContext.end").replace("self._printed.close()", "()")],
        cases(
            "engine/test_printed_output.py",
            "test_pieces_are_joined_to_lines_and_the_last_one_needs_no_end",
        ),
    ),
    Fault(
        "logged-and-printed",
        "what a handler of logging prints is in the log once",
        [Code("executors.task_logging:current_sink").replace("None if A else B", "B")],
        cases("engine/test_printed_output.py", "test_what_a_handler_of_logging_prints_is_not_there_twice"),
    ),
    Fault(
        "deaf-after-the-first-close",
        "a node hears what is printed until it closes",
        [Code("executors.printing:stop_hearing").remove("if _Hearing.nodes: ...")],
        cases("engine/test_printed_output.py", "test_two_nodes_hear_until_the_last_one_has_closed"),
    ),
    Fault(
        "somebody-elses-stream-replaced",
        "a stream that somebody has put in place stays",
        [Code("executors.printing:stop_hearing").replace("getattr(sys, name) is stream", "True")],
        cases(
            "engine/test_printed_output.py",
            "test_a_stream_that_somebody_has_put_in_place_meanwhile_stays",
        ),
    ),
    Fault(
        "lines-again-in-replay",
        "a line of workflow code is written once",
        [Code("authoring.code.context:current_log").remove("program.is_live")],
        cases(
            "engine/test_printed_output.py",
            "test_what_workflow_code_prints_and_logs_is_there_once_and_in_order[sqlite]",
        ),
    ),
    Fault(
        "second-ctrl-c-waits",
        "a second Ctrl-C ends a node that closes",
        [Code("engine.stop_signals:heard").replace("_end_process(128 + number)", "return")],
        cases("engine/test_ctrl_c.py", "test_a_second_ctrl_c_ends_the_process_at_once"),
    ),
]

DATA = [
    Fault(
        "tasks-tried-again-not-journaled",
        "5: a run of data that was opened again replays as it went",
        [Code("core.journal:_heard").replace("A.tasks_again", "()")],
        cases("core/test_journal.py", "test_an_event_is_read_as_what_was_heard"),
    ),
    Fault(
        "second-try-replayed-as-the-first",
        "5: what came of a second try is its own",
        [
            Code("core.history:_Restorer._event").replace(
                "self._tasks_again.get(A, -1) > position", "A in self._tasks_again"
            )
        ],
        cases(
            "core/test_history.py",
            "test_what_came_of_the_second_try_is_its_own_outcome_and_not_that_of_the_first",
        ),
    ),
    Fault(
        "failed-children-left-behind",
        "a retry of a DAG tries the workflows again that it called",
        [Code("core.reopening:plan_for_data").replace("[... for A in again if A.status.is_undone]", "[]")],
        cases(
            "authoring/test_reopening.py",
            "test_a_program_of_data_goes_on_from_its_end_and_names_what_is_tried_again",
        ),
    ),
    Fault(
        "retried-all-at-once",
        "a retry keeps to the concurrency of its tasks",
        [Code("core.history:_open_again").replace("self._held_tasks", "self._open_tasks")],
        cases(
            "core/test_history.py",
            "test_what_is_tried_again_is_held_back_and_its_first_end_is_replayed_as_the_failure_it_was",
        ),
    ),
    Fault(
        "failures-of-children-not-journaled",
        "5: a child that failed has failed, also if it was opened again",
        [Code("core.journal:_heard").replace("ChildHeard(S, not A)", "ChildHeard(S, S < 0 and A)")],
        cases(
            "core/test_history.py",
            "test_a_child_that_was_heard_to_fail_has_failed_whatever_has_become_of_it_since",
        ),
    ),
    Fault(
        "opened-tasks-given-to-executors",
        "what a DAG waits for itself nobody else does",
        [
            Code("engine.tick:_apply").replace(
                "self._open(R, C)", "self._schedule(R, ScheduleTask(C.seq, C.name, C.input))"
            )
        ],
        cases("engine/test_dag_runs.py", "test_a_cancelled_run_can_be_opened_again_and_goes_on[sqlite]"),
    ),
    Fault(
        "newest-edition-for-everybody",
        "a run goes on with the edition that it began with",
        [
            Code("authoring.catalog:Catalog.recorded_workflow").replace(
                "self.editions.get(...)", "versions.get(None)"
            )
        ],
        cases(
            "engine/test_dag_runs.py",
            "test_a_run_goes_on_with_the_edition_of_the_file_that_it_began_with[sqlite]",
        ),
    ),
]

NEIGHBOURS = [
    Fault(
        "buried-without-a-setback",
        "7: a run that kills its nodes is found out",
        [
            Code("stores.nodes:expire_nodes").replace(
                'A.many("free_runs", B, C, 1)', 'A.many("free_runs", B, C, 0)'
            )
        ],
        cases(
            "stores/test_nodes.py", "test_a_run_that_a_buried_node_had_has_had_a_setback_and_others_have_not"
        ),
    ),
    Fault(
        "buried-and-still-listed",
        "a node that is buried is gone",
        [Code("stores.nodes:expire_nodes").remove('for A in B: C.run("delete_node", ...)')],
        cases(
            "stores/test_nodes.py", "test_the_runs_of_a_buried_node_are_taken_at_once_and_it_is_fenced_out"
        ),
    ),
    Fault(
        "strangers-buried",
        "2: a node that may be alive keeps its runs",
        [
            Code("engine.node_ids:is_surely_dead").remove("not A[2]"),
            Code("engine.node_ids:is_surely_dead").remove("A[2] != _pid_scope()"),
        ],
        cases("engine/test_node_ids.py", "test_of_processes_elsewhere_nothing_is_known"),
    ),
    Fault(
        "nobody-buried",
        "a process that was killed on this machine is not waited for",
        [Code("app:_begin").remove("await A.expire_dead_nodes()")],
        cases(
            "engine/test_node_ids.py",
            "test_the_run_of_a_killed_process_is_taken_at_once_and_not_after_its_lease[sqlite]",
        ),
    ),
]

FAMILIES = [
    Fault(
        "all-children-at-once-again",
        "a retry keeps to the concurrency of tasks that call workflows",
        [Code("client.families:_plan").replace("A is not None or B.holds_children", "False")],
        cases(
            "engine/test_family_retries.py",
            "test_a_retry_lets_no_more_children_go_on_at_once_than_the_task_allows[sqlite]",
        ),
    ),
    Fault(
        "half-a-family-opened",
        "a retry opens a run with its children or not at all",
        [Code("stores.runs:_reopen").remove("raise RowChanged")],
        cases("stores/test_client.py", "test_a_family_is_opened_again_as_a_whole_or_not_at_all[sqlite]"),
    ),
    Fault(
        "woken-by-a-stranger",
        "2: whoever has lost its lease wakes nobody",
        [Code("stores.commit_script:_without").replace("ROWS_FOR_OTHERS", '("messages",)')],
        cases(
            "stores/test_client.py",
            "test_a_run_is_woken_by_a_parent_that_has_its_lease_and_by_no_other[sqlite]",
        ),
    ),
    Fault(
        "early-end-unheard",
        "a child that ends before its turn holds up nobody",
        [Code("authoring.dag.program:_hear").remove("self._end_early(...)")],
        cases(
            "engine/test_family_retries.py",
            "test_a_child_that_is_cancelled_before_its_turn_fails_its_task_and_holds_up_nobody[sqlite]",
        ),
    ),
    Fault(
        "beside-its-last-attempt",
        "an attempt waits for the end of the one before it, though its run was cancelled in between",
        [Code("engine.dispatcher:cancel").replace("A.ends_surely", "False")],
        cases(
            "engine/test_dag_runs.py",
            "test_a_task_of_a_cancelled_run_that_is_opened_again_waits_until_its_last_attempt_has_ended",
        ),
    ),
]

FAULTS = [*SCHEDULES, *LOGS, *DATA, *NEIGHBOURS, *FAMILIES]
