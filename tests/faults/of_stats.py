"""Faults in counting what happens in each minute."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_TESTS = "stores/test_stats.py"

FAULTS = [
    *(
        Fault(
            f"old-minutes-added-to-new-ones-{database}",
            "a slot that has an older minute begins anew",
            [
                Query(f"{database}:count_minute").replace(
                    f"CASE WHEN {known}minute = excluded.minute THEN {known}started ELSE 0 END",
                    f"{known}started",
                )
            ],
            cases(_TESTS, f"test_a_slot_is_used_again_after_a_week[{database}]"),
        )
        for database, known in (("sqlite", ""), ("postgres", "known."))
    ),
    Fault(
        "minutes-of-late-clocks-win",
        "a clock that is days behind takes no slot",
        [Query("sqlite:count_minute").remove("WHERE excluded.minute >= minute")],
        cases(_TESTS, "test_a_slot_is_used_again_after_a_week[sqlite]"),
    ),
    Fault(
        "ends-not-counted",
        "a run that ends is counted in the minute of its end",
        [Code("stores.change_log:_counts").replace("A != STATUS", "True")],
        cases(_TESTS, "test_what_a_commit_starts_and_ends_is_counted_in_its_minute[sqlite]"),
    ),
    Fault(
        "slots-that-begin-again-left-out",
        "minutes are found on both sides of the first slot",
        [Code("stores.stats:_slots").replace("[(A, B + C), (B, D)]", "[(A, B + C)]")],
        cases(_TESTS, "test_minutes_are_read_in_buckets_also_where_the_slots_begin_again[sqlite]"),
    ),
    Fault(
        "namespaces-of-others-shown",
        "a key of one namespace sees that one only",
        [Code("server.api.v1.stats:list_namespaces").replace("A.all_namespaces", "True")],
        cases("server/v1/test_stats.py", "test_a_key_of_one_namespace_sees_that_one_only"),
    ),
]
