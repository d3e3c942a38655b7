"""Faults in what a picture of a run shows."""

from __future__ import annotations

from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_TESTS = "stores/test_run_views.py"

FAULTS = [
    *(
        Fault(
            f"tasks-of-all-names-{database}",
            "tasks are listed by name and state",
            [Query(f"{database}:list_task_summaries").replace("OR name = A", "OR name IS NOT NULL")],
            cases("stores/test_logs.py", f"test_glances_are_had_of_one_name_and_of_some_states[{database}]"),
        )
        for database in ("sqlite", "postgres")
    ),
    *(
        Fault(
            f"later-losses-shown-earlier-{database}",
            "the groups of an earlier time are as the run was then",
            [
                Query(f"{database}:task_groups").replace(
                    f"attempts.status = 'lost' AND attempts.finished_at <= {at}", "attempts.status = 'lost'"
                )
            ],
            cases(_TESTS, f"test_the_groups_of_an_earlier_time_are_as_the_run_was_then[{database}]"),
        )
        for database, at in (("sqlite", "?3"), ("postgres", "$3"))
    ),
    *(
        Fault(
            f"retried-attempts-not-busy-{database}",
            "every attempt counts among those that ran at once",
            [Query(f"{database}:task_spans").replace("asked.attempt > 1", "asked.attempt > 9")],
            cases(_TESTS, f"test_attempts_that_ran_at_once_are_counted_in_bins[{database}]"),
        )
        for database in ("sqlite", "postgres")
    ),
    *(
        Fault(
            f"skipped-tasks-shown-as-cancelled-{database}",
            "every state has a letter of its own",
            [Query(f"{database}:task_grain").replace("THEN 'k'", "THEN 'c'")],
            cases(_TESTS, f"test_every_state_has_a_letter_and_times_are_rounded_to_milliseconds[{database}]"),
        )
        for database in ("sqlite", "postgres")
    ),
    *(
        Fault(
            f"parked-runs-are-no-neighbours-{database}",
            "the neighbours of a run are those of its workflow, whatever their states",
            [Query(f"{database}:run_before").replace(parked, "")],
            cases(
                _TESTS,
                f"test_the_neighbours_of_a_run_are_those_of_its_workflow_whatever_their_states[{database}]",
            ),
        )
        for database, parked in (("sqlite", ", ('parked', 0)"), ("postgres", ", 'parked'"))
    ),
]
