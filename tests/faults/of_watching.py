"""Faults in what watchers are promised: everything that was committed, once, in order, and nothing else."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

FAULTS = [
    Fault(
        "late-changes-are-skipped",
        "a reader waits for transactions that have an earlier place",
        [Code("stores.changes:_bounds").replace("A <= B", "True")],
        cases("stores/test_changes.py", "test_a_reader_waits_for_a_transaction_that_has_an_earlier_place"),
    ),
    Fault(
        "horizon-of-the-snapshot",
        "the next transaction id counts, not that after the last that has ended",
        [
            Query("postgres:change_bounds").replace(
                "ended + ((age('3'::xid)::int8 + 3 - ended) % 4294967296 + 4294967296) % 4294967296", "ended"
            )
        ],
        cases("stores/test_changes.py", "test_a_reader_waits_for_the_youngest_transaction_too"),
    ),
    Fault(
        "changes-of-stale-owners",
        "2: what a stale owner writes is not told",
        [
            Code("stores.commit_script:_without").replace(
                "msgspec.structs.replace(A, **B)",
                "msgspec.structs.replace(A, **{**B, 'settled': A.settled})",
            )
        ],
        cases("stores/test_changes.py", "test_what_a_stale_owner_writes_is_not_told"),
    ),
    Fault(
        "changes-of-a-rollback",
        "a transaction that is rolled back tells nothing",
        [Code("stores.change_log:recorded").replace("tx.noted.clear()", "pass")],
        cases("stores/test_changes.py", "test_a_transaction_that_is_rolled_back_tells_nothing"),
    ),
    Fault(
        "changes-after-a-hole",
        "only a beginning of the changes is removed",
        [Code("stores.changes:_last_to_remove").replace("break", "continue")],
        cases("stores/test_changes.py", "test_old_changes_are_removed_from_the_beginning_and_one_stays"),
    ),
    Fault(
        "silent-removal",
        "a watcher that comes back too late is told so",
        [
            Code("client.watching:place_of").replace("bounds.first > place.row", "False"),
            Code("client.watching:pages").replace("page.bounds.first > place.row", "False"),
        ],
        cases("engine/test_watching.py", "test_who_comes_back_too_late_is_told_so"),
    ),
    Fault(
        "endless-news",
        "a log tells of some runs, and goes on from now if there are more",
        [Code("client.run_news:_news").replace("end = Place(A, LAST_OF_ROW)", "pass")],
        cases("cli/test_run_reports.py", "test_of_very_many_runs_a_sample_is_told_and_that_there_are_more"),
    ),
    Fault(
        "restless-news",
        "a log beside an engine does not make nodes announce their commits",
        [Code("client.watching:_read").replace("not self.is_in_background", "True")],
        cases("cli/test_run_reports.py", "test_while_nothing_happens_the_store_is_not_asked"),
    ),
    Fault(
        "news-of-old-runs",
        "the deletion of old runs is no news",
        [Code("cli.run_reports:_is_new").replace("A >= B", "True")],
        cases("cli/test_run_reports.py", "test_the_deletion_of_runs_that_were_told_or_are_old_is_no_news"),
    ),
    Fault(
        "first-end-is-the-last",
        "a run that has ended is told whole",
        [Code("client.watching:_has_ended").replace("not self.goal.is_reached(page.place)", "False")],
        cases(
            "engine/test_watching.py",
            "test_a_run_that_has_ended_is_told_whole_after_many_pages_of_others",
        ),
    ),
    Fault(
        "changes-are-kept-for-ever",
        "nodes remove old changes",
        [Code("engine.change_pruning:look").replace("range(_BITES)", "()")],
        cases("engine/test_watching.py", "test_old_changes_are_removed_by_a_node_at_work"),
    ),
]
