"""The calls of the store that a simulated process may make, by name."""

from __future__ import annotations

WRITES = frozenset(
    {
        "commit",
        "recover_commit",
        "renew_lease",
        "end_lease",
        "remove_node",
        "tell_other_nodes",
        "expire_nodes",
        "register_definitions",
        "create_runs",
        "post_messages",
        "reopen_runs",
        "unpark_runs",
        "act_on_runs",
        "cancel_parked_run",
        "fire_schedule",
        "write_schedule",
        "delete_schedule",
        "create_flow",
        "write_flow_version",
        "register_worker",
        "record_heartbeat",
        "mark_workers_offline",
        "poll_queue",
        "complete_item",
        "renew_item",
        "bury_runs",
        "clear_buried",
        "remove_changes",
        "tell_watched",
    }
)
READS = frozenset(
    {
        "now",
        "next_work",
        "next_due_time",
        "load_histories",
        "load_short_histories",
        "load_history_page",
        "find_run",
        "find_keys",
        "find_runs",
        "count_listed",
        "group_failures",
        "list_messages",
        "find_answers",
        "ended_runs",
        "list_runs",
        "list_tasks",
        "list_attempts",
        "list_task_summaries",
        "read_logs",
        "read_stream",
        "list_streams",
        "read_state",
        "find_definitions",
        "list_nodes",
        "find_stalls",
        "due_schedules",
        "list_schedules",
        "stranded_runs",
        "read_situation",
        "last_steps",
        "list_serving_nodes",
        "list_due_claims",
        "list_due_runs",
        "find_flow",
        "list_flows",
        "list_flow_versions",
        "find_flow_version",
        "find_published_definition",
        "list_run_overviews",
        "find_run_overview",
        "count_runs",
        "list_workers",
        "ended_workflows",
        "find_ended_families",
        "find_families",
        "change_bounds",
        "read_changes",
    }
)
NOTIFIES_ITS_OWN_PROCESS = WRITES - {
    "commit",
    "recover_commit",
    "renew_lease",
    "end_lease",
    "tell_other_nodes",
    "register_definitions",
    "delete_schedule",
}
"""After these, if they announce something, the listeners of the process itself are called too, as the port
promises. Most writes of flows and workers announce nothing."""

WRITES_OF_ENGINES = frozenset(
    {"commit", "recover_commit", "remove_node", "fire_schedule", "tell_other_nodes"}
)
