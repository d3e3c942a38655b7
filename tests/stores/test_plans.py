"""The cost of a claim does not grow with what is not claimed, and no batch reads a table whole."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable

import pytest
from tests.stores.builders import SPACE, at, key, new_run, new_schedule, raw_connection

from holdfast.core.values import RunStatus
from holdfast.stores import SqlStore, store_for
from holdfast.stores.database import Transaction
from holdfast.stores.named_queries import load_queries

# Every query that a node asks on its way, with the index it is to use on runs.
INDEX_ON_RUNS = {
    "due_runs": "runs_to_claim",
    "collect_mail": "runs_by_owner",
    "free_runs": "runs_by_owner",
    "owned_runs": "runs_by_owner",
    "children_of": "runs_by_parent",
    "list_runs_by_status": "runs_by_status",
    "find_lost": "runs_pkey",
    "lock_runs": "runs_pkey",
    "wake_runs": "runs_pkey",
    "wake_cancelled_runs": "runs_pkey",
    "end_runs": "runs_pkey",
    "release_runs": "runs_pkey",
    "claim_runs": "runs_pkey",
    "runs_of": "runs_pkey",
    "ended_runs": "runs_pkey",
    "list_runs": "runs_pkey",
}
OTHERS = [
    "settle_tasks",
    "move_tasks",
    "tasks_of",
    "list_tasks",
    "steps_of",
    "settled_promises",
    "take_messages",
    "unread_messages_of",
    "messages_of",
    "attempts_of",
    "due_of",
    "wake_times_of",
    "wake_held_runs",
    "list_attempts",
    "read_state",
    "find_run",
    "list_task_summaries",
    "read_logs",
    "find_workflows",
    "find_conflicts",
    "update_schedule",
    "delete_schedule",
    "start_task",
    "wanted_task",
    "lock_due_item",
    "take_item",
    "end_item",
    "find_item",
    "renew_item",
    "renew_items_of",
    "unqueue_tasks",
    "clear_queue",
    "hear_worker",
    "flow_versions",
    "replace_draft",
    "states_of",
    "queued_of",
    "cancelling_of",
    "page_of_runs_by_status",
]
# These read all schedules or all nodes of a namespace, which are few; but of runs only those that they need.
FEW_OTHERS = {
    "list_schedules": {"runs_pkey"},
    "due_schedules": {"runs_pkey"},
    "next_work": {"runs_to_claim", "runs_by_owner", "runs_pkey"},
}


@pytest.fixture(params=["young", "analyzed"])
async def filled(request: pytest.FixtureRequest, store_url: str) -> AsyncIterator[SqlStore]:
    """A backlog of other workflows, with statistics and without, as in a table's first minutes."""
    due = [new_run(n, claim="other@1", wake_at=at(-100)) for n in range(3000)]
    waiting = [
        new_run(3000 + n, wake_at=None, waiting="signal", status=RunStatus.RUNNING) for n in range(3000)
    ]
    owned = [new_run(6000 + n, owner=f"node-{n % 10}", parent=due[n].key, parent_seq=0) for n in range(1000)]
    store = store_for(store_url)
    await store.open()
    await store.create_runs(SPACE, [*due, *waiting, *owned, new_run(9000)])
    for number in range(50):
        await store.write_schedule(
            SPACE, new_schedule(f"{number}", active=key(number), queued=(at(1),)), None
        )
    if request.param == "analyzed":
        await store._driver.write(lambda tx: tx.script("ANALYZE"))
    yield store
    await store.close()


async def test_every_query_of_a_node_goes_through_its_index(filled: SqlStore) -> None:
    is_sqlite = "SQLite" in filled.name
    explain = explain_sqlite if is_sqlite else explain_postgres

    plans = {query: await filled._driver.write(explain(query)) for query in [*INDEX_ON_RUNS, *OTHERS]}

    whole_table = re.compile(r"Seq Scan on |^SCAN (?!CONSTANT ROW)", re.MULTILINE)
    whole_namespace = re.compile(r"\(namespace ?= ?(\$1|\?)\)$", re.MULTILINE)
    for query, plan in plans.items():
        assert not whole_table.search(plan), f"{query}\n{plan}"
        assert not whole_namespace.search(plan), f"{query}\n{plan}"
    for query, index in INDEX_ON_RUNS.items():
        used = "PRIMARY KEY" if is_sqlite and index == "runs_pkey" else index
        assert used in plans[query], f"{query}\n{plans[query]}"


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


def explain_sqlite(query: str) -> Callable[[Transaction], str]:
    def script(tx: Transaction) -> str:
        text = load_queries("holdfast.stores.sqlite")[query]
        count = max(int(number) for number in re.findall(r"\?(\d+)", text))
        rows = raw_connection(tx).execute(f"EXPLAIN QUERY PLAN {text}", (None,) * count)
        return "\n".join(row[3] for row in rows)

    return script


def explain_postgres(query: str) -> Callable[[Transaction], str]:
    def script(tx: Transaction) -> str:
        text = load_queries("holdfast.stores.postgres")[query]
        casts = {int(number): cast for number, cast in re.findall(r"\$(\d+)::(\w+(?:\[\])?)", text)}
        types = ", ".join(casts[number] for number in sorted(casts))
        nulls = ", ".join("NULL" for _ in casts)
        execute = raw_connection(tx).execute
        execute(f"PREPARE explained ({types}) AS {text}".encode(), prepare=False)
        rows = execute(f"EXPLAIN EXECUTE explained ({nulls})".encode(), prepare=False).fetchall()
        execute(b"DEALLOCATE explained", prepare=False)
        return "\n".join(row[0] for row in rows)

    return script
