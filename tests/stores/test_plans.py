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
    "glance_at_tasks",
    "read_logs",
    "find_workflows",
    "find_conflicts",
    "update_schedule",
    "delete_schedule",
]
# These read all schedules or all nodes of a namespace, which are few; but of runs only those that they need.
FEW_OTHERS = {
    "list_schedules": {"runs_pkey"},
    "due_schedules": {"runs_pkey"},
    "peek": {"runs_to_claim", "runs_by_owner", "runs_pkey"},
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
    await store.create(SPACE, [*due, *waiting, *owned, new_run(9000)])
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
