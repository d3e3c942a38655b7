"""Which cases wait for `make test-long`.

Every other case is in `make test`. The cases named here take seconds of CPU time. Most of them repeat a
shorter case of `make test` for more seeds, columns, places, versions or moments. Functions that explore are
in both: they do the same in every `make test`, and more in `make test-long`.

tests/test_tiers.py checks that each name still finds a test.
"""

from __future__ import annotations

from typing import Final

import pytest

LONG: Final[dict[str, tuple[str, ...]]] = {
    "alerts/test_crashes.py": (),
    "authoring/graphs/test_layout.py": ("test_a_thousand_graphs_have_boxes_and_labels_that_lie_on_nothing",),
    "bad_world/test_bad_days.py": ("test_a_database_that_is_read_only_for_a_while_is_waited_for",),
    "bad_world/test_full_postgres.py": (),
    "bad_world/test_restarts.py": ("test_runs_go_on_after_a_restart",),
    "chaos/test_chaos.py": ("test_what_everybody_saw_of_a_short_round_can_be",),
    "chaos/test_database_away.py": (),
    "chaos/test_failover.py": (),
    "chaos/test_half_open.py": (),
    "chaos/test_killed_server.py": (),
    "chaos/test_many_processes.py": (),
    "chaos/test_three_processes.py": (),
    "cli/test_alerts.py": (),
    "cli/test_asking.py": (
        "test_a_reader_that_leaves_is_no_error",
        "test_a_run_is_shown_with_its_tasks_and_the_attempts_that_did_not_succeed",
        "test_what_a_run_waits_for_is_shown",
    ),
    "cli/test_exit_codes.py": ("test_a_run_that_was_cancelled_or_paused_ends_start_with_a_code_of_its_own",),
    "cli/test_dev.py": (
        "test_what_cannot_be_served_is_refused",
        "test_code_that_kills_its_process_when_it_is_imported_is_not_taken",
        "test_when_nobody_reads_its_lines_any_more_it_stops_in_order",
        "test_after_a_bad_edit_the_old_code_goes_on_until_it_is_mended",
        "test_a_port_that_is_taken_is_refused_if_it_was_asked_for_and_else_the_next_one_is_used",
        "test_no_request_is_refused_while_code_is_loaded_again",
        "test_a_second_ctrl_c_ends_it_at_once",
        "test_when_the_terminal_is_closed_nothing_is_left_and_no_task_fails",
        "test_in_an_empty_folder_it_says_what_to_do_and_picks_up_what_is_written",
        "test_a_child_that_is_killed_is_started_again_and_goes_on",
        "test_what_a_person_reads",
        "test_in_a_terminal_it_has_colours_and_ctrl_c_is_for_the_supervisor",
        "test_a_bad_file_does_not_stop_the_others",
        "test_when_the_supervisor_goes_nothing_is_left",
        "test_edits_are_for_new_runs_and_a_run_under_way_ends_once",
    ),
    "cli/test_drained_node.py": (),
    "cli/test_exported_spans.py": (),
    "engine/test_sentry.py": (),
    "cli/test_until_idle.py": (
        "test_a_run_that_sleeps_or_asks_does_not_keep_it_and_the_next_time_is_told",
        "test_a_task_that_runs_keeps_it_and_a_signal_ends_it_all_the_same",
        "test_with_nothing_to_do_it_ends_at_once",
    ),
    "remote/test_killed_server.py": (),
    "remote/suite/test_explaining_over_http.py": (),
    "remote/suite/test_lone_tasks_over_http.py": (),
    "remote/suite/test_retry_over_http.py": (),
    "remote/suite/test_signalling_over_http.py": (),
    "remote/suite/test_starting_over_http.py": (),
    "remote/suite/test_without_code_over_http.py": (),
    "remote/suite/test_workflows_over_http.py": (),
    "server/test_probes.py": ("test_a_server_is_not_ready_while_its_database_is_down",),
    "server/hostile/test_namespaces.py": (
        "test_what_is_of_a_neighbour_is_as_if_it_were_not_there",
        "test_lists_with_conditions_and_places_of_a_neighbour_show_nothing_of_them",
    ),
    "server/v1/test_docs_page_in_browser.py": (),
    "server/v1/test_events.py": (
        "test_a_client_that_reads_nothing_is_given_up",
        "test_the_store_is_read_once_for_300_subscribers",
        "test_who_is_cut_off_and_comes_back_misses_nothing_and_hears_nothing_twice",
        "test_a_subscriber_that_does_not_read_is_let_go_and_the_others_hear_everything",
        "test_an_outage_of_the_database_is_told_and_waited_for",
        "test_quiet_streams_say_so_and_how_far_they_are",
    ),
    "cli/test_main.py": (
        "test_an_answer_that_there_is_no_room_for_is_not_a_run_that_failed",
        "test_a_command_works_without_the_streams_that_nobody_gave_it",
    ),
    "cli/test_questions.py": (
        "test_a_question_is_listed_answered_and_shown",
        "test_a_question_is_rejected_with_a_reason",
        "test_runs_show_tells_who_did_what",
        "test_a_question_that_yes_does_not_answer_says_that_it_needs_a_value",
    ),
    "cli/test_resume.py": (
        "test_a_signal_outside_a_terminal_detaches_in_order",
        "test_cancelled_elsewhere_it_ends_with_three",
        "test_another_run_of_the_workflow_leaves_a_killed_one_alone",
        "test_a_signal_after_the_end_of_the_run_does_not_change_what_it_ended_with",
        "test_nor_does_one_that_comes_when_python_is_nearly_gone",
    ),
    "cli/test_run.py": (
        "test_a_reader_that_leaves_ends_the_command_without_a_word_and_the_run_can_go_on",
        "test_a_dag_is_run_and_what_it_gives_is_all_there_is_on_stdout",
    ),
    "cli/test_schedules.py": (
        "test_a_schedule_is_put_looked_at_paused_resumed_and_deleted",
        "test_show_has_the_input_and_the_bounds",
        "test_serve_fires_the_schedule_of_a_file_and_a_backfill_and_a_trigger",
        "test_a_schedule_that_no_node_fires_says_so",
        "test_a_name_that_another_workflow_has_is_refused_also_for_a_file",
        "test_spans_are_shown_as_they_are_written",
        "test_what_is_done_is_told_in_json",
    ),
    "cli/test_serve.py": (
        "test_what_happens_can_be_had_as_json_lines",
        "test_quiet_says_nothing_of_runs",
        "test_a_file_with_tasks_only_is_served",
        "test_a_file_that_was_moved_still_says_what_its_schedule_is",
        "test_the_schedules_of_its_files_are_put_changed_and_deleted_with_them",
        "test_a_node_whose_lines_nobody_reads_any_more_stops_in_order",
    ),
    "cli/test_serve_http.py": (
        "test_without_targets_it_serves_published_flows_and_says_where_the_api_is",
        "test_an_address_that_was_asked_for_and_cannot_be_had_is_refused_and_nothing_is_changed",
        "test_without_the_extra_it_works_on_unless_the_api_was_asked_for",
        "test_it_speaks_https",
        "test_with_an_identity_provider_the_server_asks_who_one_is_also_without_keys",
        "test_an_address_for_other_machines_needs_a_key_or_a_word",
        "test_a_request_under_way_is_waited_for_and_whoever_insists_does_not_wait",
        "test_programs_are_told_where_it_is",
        "test_a_node_for_which_the_usual_port_is_taken_goes_on_without_and_says_so",
    ),
    "cli/test_store_away.py": (),
    "cli/test_updates.py": (
        "test_an_update_that_takes_too_long_says_how_to_ask_again",
        "test_an_update_that_is_not_answered_says_why",
    ),
    "cli/test_terminal.py": (
        "test_a_failure_is_shown_with_the_last_words_of_the_task_and_how_to_try_again",
        "test_after_ctrl_c_the_run_can_be_cancelled",
        "test_after_ctrl_c_the_run_can_be_left_and_taken_up_again",
        "test_the_view_fits_the_terminal_and_never_scrolls_while_the_run_goes_on",
        "test_the_view_shows_every_task_in_place_and_the_end_stays_on_the_screen",
        "test_what_a_run_waits_for_is_shown_with_the_command_to_type",
        "test_tables_keep_the_column_of_problems_however_narrow_the_terminal_is",
        "test_no_color_and_a_dumb_terminal_are_heeded",
        "test_a_run_killed_in_a_terminal_shows_what_was_lost_when_it_goes_on",
    ),
    "cli/test_visible.py": (
        "test_no_command_passes_it_on",
        "test_a_log_in_a_terminal_is_neither_obeyed_nor_taken_for_markup",
        "test_the_result_of_a_run_is_tame_in_a_terminal_and_whole_in_a_pipe",
        "test_what_a_stream_cannot_encode_is_escaped_and_json_says_the_same",
        "test_json_is_as_it_was_said",
    ),
    "client/test_large_archives.py": (),
    "compat/test_compat.py": (
        "test_todays_code_records_what_the_folder_of_its_version_has",
        "test_what_had_ended_is_left_as_it_is_while_the_rest_goes_on",
    ),
    "compat/test_previous_release.py": (),
    "authoring/flow/test_loading.py": ("test_a_flow_of_ten_thousand_nodes_is_loaded",),
    "client/test_lone_tasks.py": (
        "test_a_name_means_the_published_flow_if_there_is_one",
        "test_a_task_goes_on_with_edited_code_in_the_next_process",
    ),
    "dags/test_planted.py": (),
    "dags/test_real_commands.py": (
        "test_a_dag_of_everything_survives_a_crash_at_every_commit",
        "test_a_dag_that_fails_survives_a_crash_at_every_commit",
        "test_functions_in_workers_survive_a_crash_at_every_commit",
    ),
    "differential/test_engine.py": ("test_a_crash_at_a_commit_leaves_the_same_on_the_model_as_on_sqlite",),
    "engine/test_seals.py": (
        "test_a_rewrite_that_is_killed_goes_on",
        "test_a_sealed_run_survives_a_crash_at_every_commit",
    ),
    "engine/test_depth.py": (
        "test_a_crash_at_any_commit_changes_nothing_of_what_is_heard",
        "test_whatever_goes_wrong_a_family_that_grows_without_an_end_is_cancelled_or_fails",
    ),
    "engine/test_flow_runs.py": ("test_a_flow_of_all_kinds_ends_the_same_with_a_crash_at_every_commit",),
    "engine/test_residence.py": ("test_of_thousands_of_sleeping_runs_few_are_in_memory_and_all_finish",),
    "engine/test_signal_run.py": (
        "test_no_simulated_fault_doubles_a_signal",
        "test_a_crash_at_every_commit_doubles_no_signal",
    ),
    "engine/test_schedules.py": ("test_three_nodes_over_a_year_start_exactly_one_run_for_every_tick",),
    "executors/processes/test_processes_load.py": (),
    "executors/python/test_python_pool_hostile_functions.py": (),
    "faults/test_faults.py": (
        "test_a_command_that_hangs_is_ended_and_counts_as_caught",
        "test_a_fault_finds_its_place_and_leaves_sound_source",
        "test_a_planted_fault_is_caught_by_the_test_that_is_to_catch_it",
        "test_a_clumsy_edit_catches_nothing",
        "test_an_edit_that_breaks_no_promise_survives",
        "test_a_test_that_is_not_there_is_neither_passed_nor_failed",
    ),
    "flows/test_planted.py": (),
    "fuzz/test_targets.py": (),
    "other_systems/test_deadly_code.py": (),
    "other_systems/test_ownership.py": (
        "test_a_task_that_takes_many_leases_is_done_once_while_its_node_lives",
    ),
    "server/login/test_real_provider.py": (),
    "server/test_fuzz.py": (),
    "simulation/test_database_faults.py": (
        "test_and_who_relies_on_notifications_is_found",
        "test_fsyncs_that_take_longer_than_a_lease_lose_and_repeat_nothing",
    ),
    "simulation/test_life.py": ("test_a_broken_promise_is_told_by_name",),
    "simulation/test_simulate.py": (
        "test_a_workflow_that_stands_everything_gives_a_summary",
        "test_a_result_that_depends_on_what_went_wrong_is_found",
        "test_an_idempotency_key_makes_it_right",
        "test_a_double_charge_is_found_and_told_with_the_seed_and_the_fewest_faults",
        "test_what_the_workflow_waits_for_is_sent_meanwhile",
        "test_a_workflow_that_fails_without_faults_may_be_right_to",
        "test_code_that_asks_for_something_else_each_time_is_found_although_it_goes_on_in_the_end",
    ),
    "simulation/test_simulation.py": (
        "test_what_is_planted_is_found",
        "test_and_that_is_found_if_it_is_taken_for_one",
        "test_a_history_is_the_same_in_another_process",
        "test_a_renewal_that_came_too_late_is_no_reason_to_go_on",
    ),
    "simulation/test_workers.py": (),
    "soak/test_soak.py": (),
    "stores/test_changes.py": ("test_a_commit_of_many_changes_is_read_in_pages",),
    "stores/test_migrating.py": (
        "test_while_one_process_migrates_another_waits_and_says_so",
        "test_a_migration_that_waits_for_a_lock_holds_up_nobody_and_says_for_whom_it_waits",
    ),
    "stores/test_refusals.py": (
        "test_a_new_file_that_another_process_keeps_to_itself_is_given_up_after_a_while",
    ),
    "test_examples.py": (
        "test_the_demo_of_a_dag_kills_it_resumes_it_and_counts_what_was_done_again",
        "test_the_demo_of_a_flow_kills_it_at_work_and_while_it_waits_and_counts_what_was_done",
        "test_the_demo_keeps_its_database_if_asked_and_says_how_to_look_into_it",
    ),
    "testing/test_plugin.py": (),
    "programs/test_explaining.py": (
        "test_every_open_run_of_a_random_program_has_a_reason_after_every_commit",
    ),
    "engine/test_updates.py": (
        "test_handlers_that_sleep_and_run_at_the_same_time_survive_crashes",
        "test_a_killed_node_answers_later_and_a_killed_client_asks_again",
        "test_the_clock_of_a_test_stands_still_while_an_answer_is_on_its_way",
        "test_a_condition_is_looked_at_after_signals_and_may_time_out",
        "test_an_update_survives_a_crash_at_every_commit",
    ),
    "cli/test_init.py": ("test_killed_in_the_middle_it_goes_on_without_doing_anything_twice",),
    "authoring/flow/test_json.py": ("test_paths_below_a_long_key_cost_no_more_than_the_text",),
    "engine/test_fleet.py": ("test_a_node_that_joins_gets_its_share_of_what_waits_for_a_slot",),
    "executors/processes/test_scratch.py": ("test_what_a_task_leaves_is_removed_while_the_node_goes_on",),
    "engine/test_chapters.py": (
        "test_a_parent_awaits_a_child_of_several_chapters",
        "test_the_size_of_the_history_is_the_same_on_replay",
        "test_promises_that_are_the_same_are_settled_once_for_all_chapters",
        "test_ten_signals_are_heard_once_and_in_order_by_four_chapters",
        "test_an_update_that_a_chapter_has_not_answered_is_answered_by_the_next",
    ),
    "simulation/test_life_deeds.py": ("test_a_mistake_is_told_by_name",),
    "chaos/test_stalls.py": (
        "test_a_node_that_moves_still_stops_in_order",
        "test_a_signal_ends_a_node_whose_loop_spins_and_others_have_its_runs_at_once",
        "test_the_engine_in_a_process_of_ones_own_stops_and_says_why",
        "test_a_second_signal_ends_such_a_node_at_once",
    ),
    "chaos/test_frozen_node.py": (
        "test_a_node_that_wakes_up_does_not_begin_what_others_have_done",
        "test_a_node_that_is_frozen_for_less_than_its_lease_keeps_its_runs",
        "test_late_writes_of_a_frozen_node_change_nothing_and_it_goes_on_serving",
    ),
    "chaos/test_task_processes.py": (
        "test_a_killed_node_takes_its_processes_along_and_their_tasks_are_tried_again",
        "test_a_killed_process_is_a_failed_attempt_and_the_run_goes_on",
        "test_a_keeper_that_is_killed_is_replaced_and_the_next_one_knows_what_there_is",
    ),
    "engine/test_ctrl_c.py": ("test_the_node_stops_in_order_without_a_traceback",),
    "bad_world/test_full_disk.py": (
        "test_a_node_that_starts_on_a_full_disk_waits_for_room_and_says_what_is_wrong",
    ),
    "other_systems/test_slots.py": ("test_no_more_items_of_a_fan_out_run_at_once_than_its_concurrency",),
    "engine/test_attempts.py": ("test_retries_survive_a_crash_at_every_commit",),
    "authoring/code/test_asyncio.py": ("test_locks_semaphores_events_and_conditions_work",),
    "engine/test_bounded_work.py": ("test_a_step_of_more_bytes_than_a_statement_may_have_is_recorded",),
    "cli/test_backup.py": (
        "test_a_copy_made_while_a_node_works_is_whole_and_goes_on",
        "test_ctrl_c_leaves_nothing",
        "test_the_command_says_what_it_has_written_and_writes_over_nothing",
    ),
    "engine/test_cancellation.py": (
        "test_a_cancelled_run_cleans_up_with_tasks_and_timers_and_ends_cancelled",
    ),
    "authoring/code/test_context.py": ("test_tasks_and_children_are_asked_for_by_name_or_by_themselves",),
    "cli/test_bulk.py": ("test_a_job_is_cancelled_and_old_runs_are_pruned_in_the_background",),
    "authoring/code/test_exception_values.py": (
        "test_exceptions_are_kept_in_models_state_signals_and_results",
    ),
    "engine/test_children.py": (
        "test_a_child_gives_its_result_to_its_parent",
        "test_a_detached_child_can_be_awaited_like_any_other",
        "test_an_id_that_belongs_to_another_run_fails_the_child_in_its_parent",
    ),
    "cli/test_flow_commands.py": (
        "test_a_flow_is_published_in_versions_and_told_of",
        "test_a_run_that_was_started_is_taken_by_a_node_and_answered",
        "test_versions_are_compared",
        "test_nodes_and_queues_are_listed",
        "test_workers_are_listed_with_whether_they_are_there",
    ),
    "cli/test_flows.py": (
        "test_a_flow_that_was_left_is_taken_up_again_and_answered_node_by_node",
        "test_a_loop_is_one_row_and_few_lines_however_often_it_goes_round",
        "test_in_a_terminal_a_flow_is_drawn_in_place_with_what_it_asks_and_where_it_is",
        "test_runs_show_has_a_row_for_each_node_in_the_order_of_visits_and_tells_where_it_is",
    ),
    "authoring/code/test_unawaited.py": ("test_a_failure_that_the_code_has_looked_at_does_not",),
    "cli/test_graph.py": ("test_a_flow_is_a_list_of_where_its_actions_lead",),
    "authoring/dag/test_drawing.py": ("test_whoever_follows_the_rails_finds_every_dependency_and_no_other",),
    "authoring/dag/test_types.py": ("test_a_list_of_a_hundred_thousand_is_checked_in_no_time",),
    "cli/test_keys.py": (
        "test_the_audit_log_says_who_has_made_and_revoked_a_key",
        "test_a_key_of_all_namespaces_is_seen_only_if_it_is_asked_for",
        "test_another_namespace_has_keys_of_its_own",
    ),
    "engine/test_http_workers.py": ("test_a_worker_killed_in_the_middle_of_a_call_costs_nothing_but_time",),
    "cli/test_log_format.py": ("test_dev_passes_the_format_on_to_the_process_that_serves",),
    "cli/test_progress.py": ("test_whatever_the_portions_the_counts_are_those_of_the_tasks",),
    "engine/test_lone_tasks.py": ("test_so_does_one_that_is_tried_again_and_one_that_fails",),
    "authoring/flow/test_wrong.py": ("test_json_that_is_none_is_told_where_and_why",),
    "engine/test_operators.py": (
        "test_a_pause_survives_every_crash",
        "test_timers_that_wait_survive_every_crash",
    ),
    "engine/test_retried_ends.py": ("test_a_run_misses_its_new_deadline_as_it_missed_the_first",),
    "chaos/test_graceful_stop.py": (
        "test_a_stopped_script_hands_its_runs_to_the_next_without_waiting_for_the_lease",
    ),
    "engine/test_run_terms.py": ("test_children_may_have_options_too",),
    "chaos/test_pooler.py": ("test_runs_go_on_when_the_pooler_is_killed_and_started_again",),
    "engine/test_steps.py": (
        "test_a_crash_at_every_commit_repeats_no_recorded_step",
        "test_a_step_survives_kill_nine",
    ),
    "cli/test_server_option.py": (
        "test_both_say_the_same",
        "test_old_runs_are_counted_and_pruned_by_the_nodes_of_the_server",
        "test_what_is_done_on_the_server_is_done",
    ),
    "cli/test_archives.py": ("test_runs_go_to_a_file_and_into_another_database",),
    "stores/test_migrations.py": ("test_two_processes_may_open_a_new_database_and_write_to_it_at_once",),
    "docs/test_pages.py": (
        "test_what_a_page_adds_to_a_flow_is_in_the_file_and_takes_the_place_of_what_was_there",
    ),
    "cli/test_workflows.py": ("test_a_dag_is_put_in_versions_listed_compared_and_deleted",),
    "client/test_archives.py": ("test_runs_go_through_postgres_and_back_as_the_same_lines",),
    "other_systems/test_replay.py": ("test_branches_of_several_steps_each_survive_a_crash_at_every_commit",),
    "programs/test_programs.py": (
        "test_a_program_that_is_edited_under_a_run_goes_on_rightly_or_the_run_is_parked",
    ),
    "executors/processes/test_shell_logs.py": ("test_tasks_that_shout_leave_the_event_loop_its_turns",),
    "remote/test_archives.py": (
        "test_an_export_that_is_cut_short_is_no_archive",
        "test_an_archive_may_be_larger_than_other_bodies_and_its_limit_is_told",
    ),
    "remote/test_addresses.py": ("test_many_results_are_waited_for_with_few_requests",),
    "sync/test_sync.py": ("test_a_fork_is_refused_by_name_and_the_parent_goes_on",),
    "executors/python/test_python_pool.py": (
        "test_a_lot_of_output_is_all_heard_before_the_report",
        "test_idle_workers_beyond_a_few_are_ended_after_a_while",
    ),
    "executors/test_task_logging.py": (
        "test_threads_that_never_stop_talking_do_not_keep_the_loop_from_its_work",
    ),
    "core/test_codec.py": ("test_times_bytes_and_sets_come_back",),
    "fuzz/test_corrupt_rows.py": ("test_a_damaged_run_is_set_aside_and_all_others_end",),
    "worker/test_real_server.py": ("test_what_a_killed_worker_had_taken_is_done_by_another",),
    "testing/test_time_limits.py": (
        "test_a_thread_that_computes_is_not_timed_out",
        "test_timeouts_of_tasks_are_the_same_after_a_crash",
        "test_a_workflow_does_not_wait_longer_for_a_task_than_it_says",
        "test_a_task_that_outlives_its_timeout_does_not_hold_up_the_clock",
        "test_a_thread_that_does_nothing_is_timed_out_when_patience_is_over",
    ),
    "worker/test_worker.py": (
        "test_a_worker_that_was_killed_is_another_one_when_it_comes_back",
        "test_when_a_pushed_worker_is_killed_in_mid_call_another_one_does_it",
        "test_a_pushed_worker_ends_in_order",
        "test_a_signal_lets_it_finish_what_it_has",
    ),
    "typing/test_type_checkers.py": (),
    "pages/test_acting.py": (),
    "pages/test_axe.py": (),
    "pages/test_calling_updates.py": (),
    "pages/test_frame.py": (),
    "pages/test_hostile_text.py": (),
    "pages/test_staying.py": (),
    "pages/test_run.py": (),
    "pages/test_sessions.py": (),
    "core/test_plan_words.py": ("test_two_expressions_with_the_same_words_fire_at_the_same_times",),
    "engine/test_node_reports.py": ("test_a_node_that_stops_says_so_while_its_tasks_end",),
    "executors/processes/test_spawning.py": (
        "test_a_node_that_stops_does_not_wait_without_end_and_what_begins_then_is_killed",
    ),
    "authoring/code/test_steps.py": (
        "test_the_limits_of_a_step_hold_for_the_awaitable_that_it_returns",
        "test_functions_of_every_kind_survive_a_crash_at_every_commit",
    ),
    "cli/test_carried_trace.py": ("test_what_is_no_trace_is_ignored",),
    "cli/test_completion.py": ("test_bash_completes_commands_and_options",),
    "cli/test_start.py": (
        "test_a_run_without_logs_and_one_that_has_ended_are_not_answered_with_silence",
        "test_without_a_node_it_says_so_and_ctrl_c_does_not_hide_the_run",
        "test_a_start_with_a_mistake_is_refused",
    ),
    "docs/test_readme_example.py": ("test_the_command_finds_the_run_of_the_example_in_the_same_folder",),
    "remote/test_lost_answers.py": (
        "test_a_server_that_has_answered_once_is_waited_for_longer_than_at_the_beginning",
        "test_many_runs_are_started_once",
        "test_what_is_done_to_schedules_and_keys_is_done_once",
    ),
    "server/test_queue.py": ("test_a_worker_keeps_what_it_has_taken_for_as_long_as_it_says_that_it_lives",),
    "server/test_workers.py": ("test_a_worker_that_falls_silent_is_offline_and_is_not_allocated",),
    "server/v1/test_runs.py": ("test_a_number_is_no_time",),
    "testing/test_stuck_runs.py": (
        "test_time_in_which_the_event_loop_is_held_up_does_not_use_up_patience",
        "test_other_code_of_the_test_may_take_as_long_as_the_patience",
        "test_code_of_the_test_that_never_sends_anything_is_not_waited_for_longer",
        "test_a_task_of_the_test_that_sleeps_is_waited_for_whatever_the_patience",
    ),
    "worker/test_pulling.py": (
        "test_where_there_is_much_to_do_several_polls_are_under_way_at_once",
        "test_registering_goes_on_until_the_server_is_there",
        "test_a_result_that_is_not_taken_just_now_is_told_again",
        "test_a_function_that_does_not_end_is_left_behind",
    ),
    "bad_world/test_large_payloads.py": (),
}
"""By file: the functions that are long. An empty tuple means all of them."""

LONG_UNLESS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "chaos/test_stalls.py": (
        (
            "test_a_replay_that_takes_",
            "test_a_task_that_blocks_",
            "test_code_that_never_returns_",
            "test_whatever_the_store_is_busy_with_",
            "test_a_signal_ends_a_node_whose_loop_spins_",
        ),
        ("[sqlite-15]",),
    ),
    "authoring/dag/test_yaml.py": (("test_a_hostile_text_",), ("[k: 1", "[x: &x")),
    "authoring/flow/test_json.py": (("test_a_hostile_text_",), ('[{"k":1',)),
    "cli/test_exit_codes.py": (("test_what_a_command_ends_with",), ("[run bad", "[nope-", "[runs list-2]")),
    "cli/test_parked.py": (("test_what_is_unclear_",), ("words0-",)),
    "cli/test_run.py": (
        ("test_what_is_refused_",),
        ("words0-", "words3-", "words8-", "words20-", "words23-"),
    ),
    "cli/test_schedules.py": (("test_bad_words_",), ("words0", "words6-", "words9")),
    "cli/test_server_option.py": (("test_both_say_",), ("[runs list]", "[runs show bad]", "[explain ")),
    "cli/test_suggestions.py": (("test_a_command_of_another_system_",), ("[approvals-", "[xyzzy-")),
    "cli/test_updates.py": (("test_an_update_that_is_not_answered_",), ("words0-",)),
    "cli/test_asking.py": (
        ("test_",),
        (
            "test_what_a_run_waits_for_is_shown",
            "test_runs_are_listed_newest_first_",
            "test_a_run_is_shown_with_its_tasks_",
            "test_logs_are_told_with_time_",
        ),
    ),
    "client/test_bulk_jobs.py": (("test_a_job_survives_",), ("[sqlite-retry-",)),
    "engine/test_operators_of_files.py": (("test_timers_that_wait_",), ("[sqlite-dag]",)),
    "flows/test_on_engine.py": (("test_a_flow_on_an_engine_",), ("[0]",)),
    "stores/test_plans.py": (("test_",), ("test_every_query_goes_through_its_index[analyzed-",)),
    "chaos/test_graceful_stop.py": (("test_a_stopped_script_",), ("-15]",)),
    "chaos/test_kill_nine.py": (("test_nodes_killed_",), ("[4-sqlite]",)),
    "compat/test_compat.py": (
        ("test_runs_", "test_every_step_of_", "test_what_had_ended_"),
        ("0.4.0", "0.3.0-sqlite"),
    ),
    "core/test_cron_brute_force.py": (("test_cron_",), ("Europe/Berlin",)),
    "dags/test_dags.py": (("test_whatever_happens_in_whatever_order_",), ("[0]",)),
    "docs/test_pages.py": (
        ("test_the_code_of_a_page_",),
        ("README", "reference/client", "approvals"),
    ),
    "executors/python/test_python_pool_settings.py": (("test_",), ("test_what_a_call_sets_for_", "[os.")),
    "flows/test_flows.py": (("test_whatever_happens_in_whatever_order_",), ("[0]",)),
    "fuzz/test_corrupt_rows.py": (
        ("test_a_damaged_run_is_set_aside_and_all_others_end",),
        ("journal 0]", "runs 0]"),
    ),
    "fuzz/test_corrupt_schedules.py": (
        ("test_a_damaged_schedule_",),
        ("is b'not json'", "is 'not json'", "is 0"),
    ),
    "programs/test_programs.py": (("test_a_program_ends_on_",), ("[0]",)),
    "cli/test_flows.py": (
        ("test_",),
        ("test_a_flow_that_was_left_", "test_in_a_terminal_", "test_a_loop_", "test_runs_show_"),
    ),
    "cli/test_resume.py": (
        ("test_",),
        (
            "test_after_kill_nine_",
            "test_a_signal_outside_a_terminal_detaches_in_order[15-143]",
            "test_cancelled_elsewhere_",
            "test_a_failed_run_",
        ),
    ),
    "cli/test_init.py": (("test_the_files_are_part_of_what_is_released",), ("[wheel]",)),
    "cli/test_main.py": (("test_a_command_works_without_the_streams_",), ("[<&- >&- 2>&-]",)),
    "cli/test_serve.py": (("test_it_takes_runs_that_others_have_opened_",), ("[15]",)),
    "cli/test_terminal.py": (
        ("test_",),
        (
            "test_the_view_shows_",
            "test_a_failure_",
            "test_what_a_run_",
            "test_after_ctrl_c_the_run_can_be_left_and_taken_up_again[d]",
            "test_after_ctrl_c_the_run_can_be_cancelled",
            "[40-8]",
        ),
    ),
    "authoring/graphs/test_layout.py": (
        ("test_",),
        ("test_boxes_do_not_overlap_", "test_a_thousand_nodes_are_laid_out_within_a_second[cyclic]"),
    ),
    "server/login/test_oidc.py": (
        ("test_",),
        (
            "test_somebody_logs_in_",
            "test_an_id_token_that_is_not_right_",
            "test_a_login_of_another_browser_",
            "test_who_calls_themselves_by_",
        ),
    ),
    "executors/python/test_python_pool.py": (
        (
            "test_a_worker_is_replaced_",
            "test_a_source_that_",
            "test_a_file_may_have_",
            "test_an_exit_",
            "test_a_function_that_",
        ),
        ("test_a_worker_is_replaced_when_a_source_that_it_imported",),
    ),
    "executors/processes/test_keeper.py": (
        ("test_a_killed_node_", "test_a_keeper_that_", "test_the_keeper_survives_", "test_a_process_of_"),
        ("[a plain child]", "[a daemon]"),
    ),
    "executors/processes/test_shell_ending.py": (("test_",), ("[pidfd",)),
    "server/v1/test_sessions.py": (
        (
            "test_a_stream_ends_",
            "test_wrong_",
            "test_one_key_",
            "test_an_admin_",
            "test_a_session_of_",
            "test_a_page_of_",
        ),
        ("test_a_stream_ends_soon_after_its_session_or_key[sqlite",),
    ),
    "fuzz/test_public_calls.py": (
        ("test_a_client_call_", "test_what_a_workflow_"),
        ("[start", "[list", "[run.", "[schedule", "[state.", "[signal", "[promise"),
    ),
    "engine/test_http_workers.py": (
        ("test_",),
        ("[sqlite-hangs]", "test_where_all_workers_are_bad_the_run_fails_and_says_who_did_what[answers 500]"),
    ),
    "executors/http/test_http_failover.py": (
        ("test_",),
        ("test_a_worker_that_comes_back_in_time_", "test_the_registry_is_asked_once_"),
    ),
    "executors/http/test_http_answers.py": (
        ("test_what_is_no_answer_",),
        ("404 Not Found", "1s0]", "worker0]"),
    ),
    "stores/test_sqlite_watching.py": (("test_a_commit_is_heard_as_",), ("[0.15]",)),
    "cli/test_validate.py": (("test_problems_of_", "test_standard_input_"), ()),
    "cli/test_graph.py": (
        ("test_an_encoding_", "test_a_flow_is_drawn_", "test_the_name_of_", "test_mermaid_"),
        (),
    ),
}
"""By file: functions whose names begin so are long, except for cases with one of these texts in the id."""

EXPLORING: Final[dict[str, tuple[str, ...]]] = {
    "differential/test_stores.py": (),
    "simulation/test_simulation.py": ("test_every_run_ends_well_whatever_goes_wrong",),
}
"""By file: the functions that do more in `make test-long`. Property tests do so as well."""

BOTH_STORES: Final = ("compat", "differential", "stores")
"""Folders whose cases on Postgres are in `make test`. The variants on Postgres in other folders are long."""


def mark(item: pytest.Item) -> None:
    file = item.path.relative_to(item.config.rootpath / "tests").as_posix()
    name = getattr(item, "originalname", item.name)
    if _is_long(item, file, name):
        item.add_marker("long")
    if file in EXPLORING and name in (EXPLORING[file] or (name,)):
        item.add_marker("explores")
    if item.get_closest_marker("long") is None and _is_quick(item):
        item.add_marker("quick")


def _is_long(item: pytest.Item, file: str, name: str) -> bool:
    if file in LONG and name in (LONG[file] or (name,)):
        return True
    if file in LONG_UNLESS:
        begin, texts = LONG_UNLESS[file]
        if name.startswith(begin) and not any(text in item.name for text in texts):
            return True
    return _is_on_postgres(item) and not file.startswith(BOTH_STORES)


def _is_quick(item: pytest.Item) -> bool:
    """Whether the case opens no database, or a SQLite database without a thread."""
    call = getattr(item, "callspec", None)
    if call is not None and "store" in call.params:
        return call.params["store"] == "sqlite-inline"
    return not {"store_url", "sqlite_url", "postgres_server"} & set(getattr(item, "fixturenames", ()))


def _is_on_postgres(item: pytest.Item) -> bool:
    """Whether the case is the Postgres variant of a test that runs on each store."""
    call = getattr(item, "callspec", None)
    return call is not None and any(value == "postgres" for value in call.params.values())
