"""Faults in showing many runs at once."""

from __future__ import annotations

from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_POINTS = "stores/test_run_points.py"

FAULTS = [
    *(
        Fault(
            f"points-of-other-namespaces-{database}",
            "every query names a namespace",
            [Query(f"{database}:page_of_points").replace(f"namespace = {first}", f"{first} IS NOT NULL")],
            cases(_POINTS, f"test_points_are_the_newest_runs_that_match[{database}]"),
        )
        for database, first in (("sqlite", "?1"), ("postgres", "$1::text"))
    ),
    Fault(
        "open-runs-counted-as-quick-ones",
        "a run that has not ended has no row of its own among those that took some time",
        [Query("sqlite:bins_of_points").replace("THEN 63", "THEN 0")],
        cases(_POINTS, "test_more_runs_than_a_page_are_counted_in_bins[sqlite]"),
    ),
    Fault(
        "times-of-tasks-of-other-namespaces",
        "every query names a namespace",
        [Query("sqlite:task_times_of").remove("runs.namespace = ?1 AND")],
        cases(_POINTS, "test_the_times_of_tasks_are_read_for_some_runs[sqlite]"),
    ),
]
