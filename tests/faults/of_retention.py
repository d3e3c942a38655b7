"""Faults in deleting runs: what is needed stays, and what goes leaves nothing."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

FAULTS = [
    *(
        Fault(
            f"child-of-a-live-parent-deleted-{database}",
            "a run that a live run needs is not deleted",
            [Query(f"{database}:bury_runs").replace(f"parent.key = runs.parent{end}", f"false{end}")],
            cases("stores/test_retention.py", f"test_a_child_stays_while_its_parent_is_there[{database}]"),
        )
        for database, end in (("sqlite", ")"), ("postgres", "))"))
    ),
    Fault(
        "tags-left-behind",
        "a deleted run leaves no row",
        [Code("stores.retention:_bury").remove('tx.many("delete_tags", A, B)')],
        cases("stores/test_retention.py", "test_a_deleted_run_leaves_no_row[sqlite]"),
    ),
    Fault(
        "young-runs-pruned",
        "only runs that ended long enough ago are pruned",
        [Code("stores.retention:SqlRetentionStore.find_ended_families").replace("A < B[C, D]", "True")],
        cases(
            "stores/test_retention.py",
            "test_only_runs_that_ended_before_are_found_and_the_walk_goes_on[sqlite]",
        ),
    ),
    Fault(
        "reopened-runs-deleted",
        "a run that was opened again since it was looked at is not deleted",
        [Query("sqlite:bury_runs").remove("AND finished_at = ?4")],
        cases("stores/test_retention.py", "test_a_run_that_was_opened_again_since_is_not_buried[sqlite]"),
    ),
    Fault(
        "large-runs-deleted-at-once",
        "a transaction that deletes is small",
        [Code("stores.retention:_plan").replace("A < 0 or B < 0", "False")],
        cases(
            "stores/test_retention.py",
            "test_the_rows_of_a_large_run_are_deleted_a_few_at_a_time[sqlite]",
        ),
    ),
    Fault(
        "detached-children-deleted",
        "a child that was started detached outlives its parent",
        [Query("sqlite:children_to_bury").remove("AND depth > 0")],
        cases(
            "stores/test_retention.py",
            "test_a_run_takes_its_ended_children_along_and_no_detached_one[sqlite]",
        ),
    ),
]
