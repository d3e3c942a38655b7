"""The cost of a claim does not grow with what is not claimed, and no batch reads a table whole."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable

import pytest
from tests.stores.builders import SPACE, at, key, new_run, new_schedule, raw_connection

from holdfast.core.values import RunStatus
from holdfast.stores import SqlStore, store_for
from holdfast.stores.database import Transaction
from holdfast.stores.named_queries import load_queries

# What every query may read, however many rows there are. A new query must be added to one of these.
INSERTS = {
    "insert_attempts", "insert_branches", "insert_change", "insert_chapters", "insert_flow",
    "insert_items", "insert_logs", "insert_lost_attempt", "insert_messages", "insert_runs",
    "insert_flow_as", "insert_schedule",
    "insert_shared_inputs", "insert_steps", "insert_tags", "insert_tasks",
    "insert_version", "insert_workflows", "note_lost_runs", "put_worker", "queue_tasks", "record_acts",
    "record_migration", "record_schema_change", "set_state",
    "insert_audit", "insert_key", "insert_questions", "insert_session",
    "count_minute", "put_alert",
}  # fmt: skip
NO_TABLE = {
    "columns_of", "find_schema_tables", "hold_numbers", "last_numbers", "list_migrations",
    "list_schema_changes", "make_schema_changes", "read_clock", "reserve_logs", "reserve_messages",
}  # fmt: skip
"""Or one with a row for each migration, table or sequence."""
NAMED = {
    "add_setback", "answer_updates", "answers_of", "attached_children", "attempts_of", "await_commit",
    "buried_sizes", "bury_runs",
    "cancel_open_tasks", "cancel_parked_run", "cancelling_of", "charge_stall", "children_of",
    "children_to_bury", "children_to_export",
    "claim_runs", "clear_attempts", "clear_journal", "clear_logs", "clear_messages",
    "clear_queue", "clear_shared_inputs", "clear_state", "clear_stream_items", "clear_tasks",
    "collect_mail", "count_open_children", "count_open_tasks", "delete_buried", "delete_node",
    "delete_schedule", "delete_state", "delete_tags", "delete_workflow", "due_of", "end_backoffs_in_queue",
    "answer_questions", "answers_ahead_of", "clear_questions", "close_questions", "close_questions_of",
    "end_item", "end_runs", "ended_runs", "families_of", "find_commit", "find_conflicts", "find_item",
    "find_keys", "find_lost", "find_run", "find_taken", "find_workflows", "first_wait", "flow_versions",
    "forget_stalls", "free_runs", "give_back_messages", "give_up_ids", "hear_worker", "heard_message_names",
    "heard_messages_of", "history_sizes", "hold_lease", "hold_queue", "leave_mail", "let_queue_go",
    "list_attempts", "list_streams", "lock_buried", "lock_queue", "lock_runs", "lock_to_bury",
    "messages_of", "move_backoffs", "move_queue", "move_tasks", "open_tasks_of", "open_updates",
    "outcomes_of", "owned_runs", "pause_runs", "pauses_of", "payloads_of",
    "prove_runs", "queued_of", "read_state", "release_runs", "renew_item", "renew_items_of",
    "renew_lease", "reopen_runs", "replace_draft", "reset_tasks", "runs_of", "sent_messages", "settle_tasks",
    "shared_inputs_of", "show_waits", "some_busy_tasks", "some_open_children",
    "some_open_tasks", "some_queue_items", "stalls_of", "start_task", "states_of", "steps_of",
    "stream_state", "take_item", "take_messages", "taken_logs", "taken_messages",
    "tasks_of", "terminate_runs", "trim_attempts",
    "trim_journal", "trim_logs", "trim_messages", "trim_shared_inputs", "trim_state",
    "trim_stream_items", "trim_streams", "trim_tasks", "unpark_runs", "unqueue_tasks",
    "unread_message_names", "unread_messages_of", "update_schedule", "wake_cancelled_runs",
    "wake_held_runs", "wake_runs", "wake_times_of", "wanted_task", "watched_runs", "watched_tasks",
    "begin_chapters", "chapter_starts", "clear_chapters", "count_steps", "keep_first_chapters",
    "trim_chapters", "newest_workflow", "workflow_version", "workflow_versions", "drop_items",
    "drop_empty_items", "empty_items",
    "first_and_last_steps", "last_questions_named", "list_questions_of", "open_questions_named",
    "questions_numbered", "reopen_questions", "some_open_questions", "trim_questions",
    "find_key", "note_key_used", "revoke_key", "listed_runs", "listed_sizes", "runs_that_match",
    "count_queued", "delete_alert", "groups_of", "end_session", "find_session", "note_session_used",
    "trim_sessions", "points_of", "child_groups", "question_groups", "task_groups",
    "task_spans", "tally_tasks", "task_grain", "count_children", "count_tasks",
    "time_of_questions", "task_times_of", "find_waiting_tasks", "write_node_report", "ask_drain",
}  # fmt: skip
"""The rows of the runs, tasks, nodes or workflows that the parameters name."""
PAGES = {
    "items_to_drop": "stream_items_to_drop",
    "list_audit": "audit_by_namespace",
    "list_audit_of": "audit_by_target",
    "remove_audit": "audit_by_namespace",
    "list_sessions": "sessions_by_namespace",
    "remove_sessions": "sessions_by_expiry",
    "count_all_runs": "runs_pkey",
    "count_all_cold_runs": "runs_cold_by_workflow",
    "count_all_ended_runs": "runs_ended_by_workflow",
    "count_all_runs_by_status": "runs_by_status",
    "count_cold_runs": "runs_cold_by_workflow",
    "count_ended_runs": "runs_ended_by_workflow",
    "count_runs": "runs_pkey",
    "count_runs_by_status": "runs_by_status",
    "count_due_runs": "runs_to_claim",
    "count_waiting": "queue_to_take",
    "due_runs": "runs_to_claim",
    "due_runs_of": "runs_to_claim",
    "due_services": "queue_to_take",
    "end_of_open_page": "runs_by_status",
    "list_messages": "messages_by_run",
    "list_heard_messages": "messages_by_run",
    "list_chapters": "chapters_pkey",
    "held_items": "queue_by_worker",
    "last_steps": "journal_pkey",
    "steps_up_to": "journal_pkey",
    "chapter_of_step": "chapters_pkey",
    "list_questions": "questions_open",
    "closed_questions": "questions_closed",
    "count_questions": "questions_open",
    "list_task_summaries": "tasks_pkey",
    "list_tasks": "tasks_pkey",
    "lock_due_item": "queue_to_take",
    "keys_of_children": "runs_by_parent",
    "page_of_buried": "runs_pkey",
    "page_of_cold_runs": "runs_cold_by_workflow",
    "page_of_ended_runs": "runs_ended_by_workflow",
    "page_of_ended_keys": "runs_ended_by_workflow",
    "page_of_messages": "messages_by_run",
    "page_of_outcomes": "tasks_pkey",
    "page_of_runs": "runs_pkey",
    "page_of_points": "runs_pkey",
    "nth_run": "runs_pkey",
    "first_run": "runs_pkey",
    "bins_of_points": "runs_pkey",
    "page_of_runs_by_status": "runs_by_status",
    "keys_by_fingerprint": "runs_by_fingerprint",
    "keys_of_scheduled_runs": "runs_by_schedule",
    "runs_of_schedules": "runs_by_schedule",
    "page_of_steps": "journal_pkey",
    "keys_of_tagged_runs": "run_tags_pkey",
    "keys_of_runs": "runs_pkey",
    "keys_by_status": "runs_by_status",
    "keys_of_ended_runs": "runs_ended_by_workflow",
    "keys_of_cold_runs": "runs_cold_by_workflow",
    "read_logs": "logs_by_run",
    "read_stream": "stream_items_by_offset",
    "recent_successes": "runs_pkey",
    "stranded_runs": "runs_by_status",
    "urgent_runs": "runs_urgent",
}
"""As many rows of an index as are asked for, in its order, without sorting them. Filters by version, queue
and cancellation are applied to these rows, so a page of such a filter may read the whole range."""
SORTS_LITTLE = {"bins_of_points", "count_due_runs", "count_questions", "due_services", "urgent_runs"}
"""They sort services, and the levels of priority, but no runs; or only the runs that they count."""
FEW = {
    "collect_lost_runs", "count_flows", "count_workers", "delete_expired_nodes", "delete_flow",
    "due_schedules", "find_flow", "fleet_nodes", "has_keys", "list_alerts", "list_flows", "list_keys",
    "list_nodes",
    "list_schedules", "list_workers", "list_workflows", "mark_workers_offline", "next_work",
    "serving_nodes", "worker_at",
}  # fmt: skip
"""All schedules, nodes, workers, flows, workflows, keys or lost runs, which are few; only named rows of
others."""
OWNED = {
    "count_all_owned_runs",
    "count_open_runs",
    "count_owned_runs",
    "keys_of_owned_runs",
    "page_of_owned_runs",
    "run_after",
    "run_before",
}
"""All runs that nodes have in memory."""
MINUTES = {"read_minutes"}
"""The rows of some slots, each of a minute."""
CHANGES = {"change_bounds", "oldest_changes", "read_changes", "remove_changes"}
"""The ends of the changes, or some rows from one end on."""
ALL_CHANGES = {"crowded_changes"}
"""All changes. Their number is limited, and a node asks once a minute."""
LOOSE = {
    "due_claims": "runs_to_claim",
    "ended_workflows": "runs_ended_by_workflow",
    "group_failures": "runs_by_fingerprint",
    "group_newest_failures": "runs_by_status",
    "queued_services": "queue_to_take",
    "run_namespaces": "runs_pkey",
}
"""One row of an index for each workflow, cause, service or namespace; of a cause, as many as asked for. Of
the newest failures, as many as are told to count."""

INDEX_ON_RUNS = {
    "collect_mail": "runs_by_owner",
    "free_runs": "runs_by_owner",
    "owned_runs": "runs_by_owner",
    "bury_runs": "runs_pkey",
    "child_groups": "runs_by_parent",
    "children_of": "runs_by_parent",
    "count_children": "runs_by_parent",
    "children_to_bury": "runs_by_parent",
    "children_to_export": "runs_by_parent",
    "families_of": "runs_by_parent",
    "count_open_children": "runs_by_parent",
    "some_busy_tasks": "runs_by_owner",
    "some_open_children": "runs_by_parent",
    "find_lost": "runs_pkey",
    "find_waiting_tasks": "runs_pkey",
    "lock_runs": "runs_pkey",
    "wake_runs": "runs_pkey",
    "wake_cancelled_runs": "runs_pkey",
    "end_runs": "runs_pkey",
    "release_runs": "runs_pkey",
    "claim_runs": "runs_pkey",
    "runs_of": "runs_pkey",
    "ended_runs": "runs_pkey",
    "groups_of": "runs_pkey",
    "points_of": "runs_pkey",
    "listed_runs": "runs_pkey",
    "listed_sizes": "runs_pkey",
    "runs_that_match": "runs_pkey",
    "reopen_runs": "runs_pkey",
    "find_taken": "runs_pkey",
    "find_run": "runs_pkey",
    "begin_chapters": "runs_pkey",
    "keep_first_chapters": "runs_pkey",
}
"""The index on runs that a query of named rows is to use."""
# These read all schedules or all nodes of a namespace, which are few; but of runs only those that they need.
FEW_OTHERS = {
    "list_schedules": {"runs_pkey"},
    "due_schedules": {"runs_pkey"},
    "next_work": {"runs_to_claim", "runs_by_owner", "runs_pkey"},
}
WHOLE_TABLE = re.compile(
    r"Seq Scan on |^SCAN (?!(\d+ )?CONSTANT ROW|\(subquery|json_each|wanted|found|family|last|candidates"
    r"|asked|seen|named|placed|counted)",
    re.MULTILINE,
)
WHOLE_NAMESPACE = re.compile(r"Index Cond: \(namespace = \$1\)$|\(namespace=\?\)$", re.MULTILINE)
SORTED = re.compile(r"\bSort\b|TEMP B-TREE")
SMALL = re.compile(
    r"\b(alerts|schedules|nodes|workers|flows|workflows|ranked|keys|lost_runs)(_pkey|_by_age|_by_namespace|_1)?\b"
)


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_every_query_says_what_it_may_read(database: str) -> None:
    stated = [
        INSERTS,
        NO_TABLE,
        NAMED,
        set(PAGES),
        FEW,
        OWNED,
        set(LOOSE),
        MINUTES,
        CHANGES,
        ALL_CHANGES,
    ]

    names = [name for each in stated for name in each]
    queries = load_queries(f"holdfast.stores.{database}").keys()
    assert len(names) == len(set(names))
    assert queries - set(names) == set(), "say above what these may read, however many rows there are"
    assert set(names) - queries == set(), "these are gone"


@pytest.fixture(params=["young", "analyzed"])
async def filled(request: pytest.FixtureRequest, store_url: str) -> AsyncIterator[SqlStore]:
    """A backlog of other workflows, with statistics and without, as in a table's first minutes."""
    due = [new_run(n, claim="other@1", wake_at=at(-100)) for n in range(3000)]
    waiting = [
        new_run(3000 + n, wake_at=None, waiting="signal", status=RunStatus.RUNNING) for n in range(3000)
    ]
    owned = [new_run(6000 + n, owner=f"node-{n % 10}", parent=due[n].key, parent_seq=0) for n in range(1000)]
    ended = [
        new_run(10_000 + n, status=RunStatus.SUCCESS, wake_at=None, finished_at=at(1), workflow=f"w{n % 5}")
        for n in range(3000)
    ]
    store = store_for(store_url)
    await store.open()
    await store.create_runs(SPACE, [*due, *waiting, *owned, *ended, new_run(9000)])
    for number in range(50):
        await store.write_schedule(
            SPACE, new_schedule(f"{number}", active=key(number), queued=(at(1),)), None
        )
    if request.param == "analyzed":
        await store._driver.write(lambda tx: raw_connection(tx).execute("ANALYZE"))
    yield store
    await store.close()


async def plans_of(store: SqlStore, queries: Iterable[str]) -> dict[str, str]:
    explain = explain_sqlite if "SQLite" in store.name else explain_postgres
    return {query: await store._driver.write(explain(query)) for query in queries}


def uses(store: SqlStore, plan: str, index: str) -> bool:
    table, _, kind = index.rpartition("_")
    if "SQLite" in store.name and kind == "pkey":
        return f"{table} USING PRIMARY KEY" in plan
    return index in plan


async def test_every_query_goes_through_its_index(filled: SqlStore) -> None:
    plans = await plans_of(filled, [*NAMED, *PAGES])

    for query, plan in plans.items():
        assert not WHOLE_TABLE.search(plan), f"{query}\n{plan}"
        assert not WHOLE_NAMESPACE.search(plan), f"{query}\n{plan}"
    for query, index in (INDEX_ON_RUNS | PAGES).items():
        assert uses(filled, plans[query], index), f"{query}\n{plans[query]}"


async def test_no_query_reads_a_whole_namespace_in_a_new_database(store_url: str) -> None:
    """Its tables are small and have no statistics, so any index with the namespace seems good. A join would
    read all runs once for each row."""
    store = store_for(store_url)
    await store.open()
    await store.create_runs(SPACE, [new_run(n) for n in range(800)])
    plans = await plans_of(store, [*NAMED, *PAGES])
    await store.close()

    for query, plan in plans.items():
        assert not WHOLE_TABLE.search(plan), f"{query}\n{plan}"
        assert not WHOLE_NAMESPACE.search(plan), f"{query}\n{plan}"


@pytest.mark.parametrize("status", [RunStatus.PENDING, RunStatus.SUCCESS])
@pytest.mark.parametrize("analyzed_at", [100, 800])
async def test_nobody_reads_a_whole_namespace_if_all_runs_are_alike(
    store_url: str, status: RunStatus, analyzed_at: int
) -> None:
    """The database makes statistics when it wants to. By these, the runs of one workflow and status are as
    many as those of the namespace."""
    store = store_for(store_url)
    await store.open()
    ended = at(1) if status.is_final else None
    for first in range(0, 800, 100):
        runs = [new_run(n, status=status, finished_at=ended) for n in range(first, first + 100)]
        await store.create_runs(SPACE, runs)
        if first + 100 == analyzed_at:
            await store._driver.write(lambda tx: raw_connection(tx).execute("ANALYZE"))
    ranges = {name: index for name, index in PAGES.items() if name.startswith(("count_all_", "keys_"))}
    plans = await plans_of(store, ranges)
    uses_index = {query: uses(store, plans[query], index) for query, index in ranges.items()}
    await store.close()

    for query, plan in plans.items():
        assert uses_index[query], f"{query}\n{plan}"
        assert not WHOLE_NAMESPACE.search(plan), f"{query}\n{plan}"


async def test_a_message_that_was_sent_before_is_found_by_its_id(filled: SqlStore) -> None:
    (plan,) = (await plans_of(filled, ["sent_messages"])).values()

    assert re.search(r"messages_once.*\n? *(Index Cond: )?\(+run ?=.*AND \(?uid ?=", plan), plan


async def test_a_row_of_the_audit_log_that_was_sent_before_is_found_by_its_id(filled: SqlStore) -> None:
    (plan,) = (await plans_of(filled, ["insert_audit"])).values()

    assert re.search(r"audit_once.*\n? *(Index Cond: )?\(+uid ?=", plan), plan


async def test_counts_without_conditions_read_nothing_but_the_index(filled: SqlStore) -> None:
    counts = [name for name in PAGES if name.startswith(("count_all_", "keys_of_ended", "keys_by_status"))]
    for query, plan in (await plans_of(filled, counts)).items():
        assert re.search("COVERING INDEX|Index Only Scan|runs USING PRIMARY KEY", plan), f"{query}\n{plan}"


async def test_no_page_sorts_more_than_it_returns(filled: SqlStore) -> None:
    for query, plan in (await plans_of(filled, PAGES.keys() - SORTS_LITTLE)).items():
        assert not SORTED.search(plan), f"{query}\n{plan}"


async def test_queries_that_read_a_whole_table_read_a_small_one(filled: SqlStore) -> None:
    for query, plan in (await plans_of(filled, FEW)).items():
        lines = plan.splitlines()
        for number, line in enumerate(lines):
            if WHOLE_TABLE.search(line) or WHOLE_NAMESPACE.search(line):
                assert SMALL.search(f"{lines[number - 1]}\n{line}"), f"{query}\n{plan}"


async def test_of_all_owned_runs_and_of_all_workflows_only_the_index_is_read(filled: SqlStore) -> None:
    plans = await plans_of(filled, OWNED | LOOSE.keys())

    for query, plan in plans.items():
        index = LOOSE.get(query, "runs_by_owner")
        assert uses(filled, plan, index), f"{query}\n{plan}"
        assert not WHOLE_TABLE.search(plan), f"{query}\n{plan}"


async def test_the_runs_beside_a_run_are_found_by_their_keys(filled: SqlStore) -> None:
    for query, plan in (await plans_of(filled, ["run_after", "run_before"])).items():
        for index in ("runs_ended_by_workflow", "runs_cold_by_workflow"):
            way = rf"{index}\b.*\n? *(Index Cond: )?\(+namespace ?=.*AND \(?key ?[<>]"
            assert re.search(way, plan), f"{query}\n{plan}"


async def test_minutes_are_read_by_their_slots(filled: SqlStore) -> None:
    (plan,) = (await plans_of(filled, MINUTES)).values()

    assert uses(filled, plan, "run_minutes_pkey"), plan
    assert re.search(r"namespace ?=.*AND \(?slot ?>.*AND \(?slot ?<", plan), plan


async def test_changes_are_read_from_one_end_by_their_number(filled: SqlStore) -> None:
    for query, plan in (await plans_of(filled, CHANGES)).items():
        # SQLite says SCAN of a table that it reads in the order of its key, up to the limit.
        assert re.search("changes_pkey|INTEGER PRIMARY KEY|^S(EARCH|CAN) changes$", plan, re.MULTILINE), plan
        assert "Seq Scan" not in plan, f"{query}\n{plan}"
        # read_changes sorts the few rows that it returns.
        assert query == "read_changes" or not SORTED.search(plan), f"{query}\n{plan}"


async def test_a_look_at_schedules_reads_no_run_but_the_last_of_each(filled: SqlStore) -> None:
    is_sqlite = "SQLite" in filled.name
    explain = explain_sqlite if is_sqlite else explain_postgres

    plans = {query: await filled._driver.write(explain(query)) for query in FEW_OTHERS}

    whole_table = re.compile(r"Seq Scan on (runs|journal|tasks)|^SCAN (runs|journal|tasks)", re.MULTILINE)
    whole_namespace = re.compile(
        r"runs(_pkey)?\b.*\n? *(Index Cond: )?\(+namespace ?= ?(\$1|\?)\)$", re.MULTILINE
    )
    for query, indexes in FEW_OTHERS.items():
        plan = plans[query]
        assert not whole_table.search(plan), f"{query}\n{plan}"
        assert not whole_namespace.search(plan), f"{query}\n{plan}"
        for index in indexes:
            used = "runs USING PRIMARY KEY" if is_sqlite and index == "runs_pkey" else index
            assert used in plan, f"{query}\n{plan}"


# How each finds the rows of the queue: the index, and the columns that are looked up in it.
WAYS_INTO_THE_QUEUE = {
    "due_services": ("queue_to_take", "namespace", "service"),
    "lock_due_item": ("queue_to_take", "namespace", "service", "ready_at"),
    "count_queued": ("queue_to_take", "namespace", "service"),
    "count_waiting": ("queue_to_take", "namespace", "service", "ready_at"),
    "renew_items_of": ("queue_by_worker", "namespace", "worker"),
    "take_item": ("queue_pkey", "run", "seq"),
    "end_item": ("queue_pkey", "run", "seq"),
    "find_item": ("queue_pkey", "run", "seq"),
    "renew_item": ("queue_pkey", "run", "seq"),
    "unqueue_tasks": ("queue_pkey", "run"),
    "clear_queue": ("queue_pkey", "run"),
    "queued_of": ("queue_pkey", "run"),
    "page_of_runs": ("queue_pkey", "run"),
    "count_runs": ("queue_pkey", "run"),
}


async def test_nobody_reads_a_backlog_to_find_one_item(filled: SqlStore) -> None:
    """The queue is empty here, as it is again and again; what is planned then must do for a million too."""
    is_sqlite = "SQLite" in filled.name
    explain = explain_sqlite if is_sqlite else explain_postgres

    plans = {query: await filled._driver.write(explain(query)) for query in WAYS_INTO_THE_QUEUE}

    for query, (index, *columns) in WAYS_INTO_THE_QUEUE.items():
        name = "queue USING PRIMARY KEY" if is_sqlite and index == "queue_pkey" else index
        looked_up = r"[^()]*\)? AND \(?".join(rf"{column} ?[<=]" for column in columns)
        way = rf"{name}\b.*?\n? *(Index Cond: )?\(+{looked_up}"
        assert re.search(way, plans[query]), f"{query}\n{plans[query]}"
        assert not re.search(r"Seq Scan on queue|^SCAN queue", plans[query], re.MULTILINE), plans[query]
    assert not re.search("Sort|TEMP B-TREE", plans["lock_due_item"])


async def test_of_a_stream_only_the_rows_that_are_read_or_dropped_are_looked_up(filled: SqlStore) -> None:
    plans = await plans_of(filled, ["trim_streams", "read_stream"])

    for query in ("trim_streams", "read_stream"):
        way = r"stream_items_by_offset.*\n? *(Index Cond: )?\(+run ?=.*AND \(?next_offset ?[<>]"
        assert re.search(way, plans[query]), f"{query}\n{plans[query]}"
    task = r"tasks(_pkey| USING PRIMARY KEY).*\n? *(Index Cond: )?\(+run ?=.*AND \(?seq ?="
    assert re.search(task, plans["read_stream"]), plans["read_stream"]


def explain_sqlite(query: str) -> Callable[[Transaction], str]:
    def script(tx: Transaction) -> str:
        text = load_queries("holdfast.stores.sqlite")[query]
        count = max((int(number) for number in re.findall(r"\?(\d+)", text)), default=0)
        rows = raw_connection(tx).execute(f"EXPLAIN QUERY PLAN {text}", (None,) * count)
        return "\n".join(row[3] for row in rows)

    return script


def explain_postgres(query: str) -> Callable[[Transaction], str]:
    def script(tx: Transaction) -> str:
        text = load_queries("holdfast.stores.postgres")[query]
        casts = {int(number): cast for number, cast in re.findall(r"\$(\d+)::(\w+(?:\[\])?)", text)}
        types = f"({', '.join(casts[number] for number in sorted(casts))})" if casts else ""
        nulls = f"({', '.join('NULL' for _ in casts)})" if casts else ""
        execute = raw_connection(tx).execute
        execute(f"PREPARE explained {types} AS {text}".encode(), prepare=False)
        rows = execute(f"EXPLAIN EXECUTE explained {nulls}".encode(), prepare=False).fetchall()
        execute(b"DEALLOCATE explained", prepare=False)
        return "\n".join(row[0] for row in rows)

    return script
