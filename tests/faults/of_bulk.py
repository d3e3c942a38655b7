"""Faults in bulk jobs: what they do it to, how often, and what they may do."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases

_TESTS = "client/test_bulk_jobs.py"

FAULTS = [
    Fault(
        "runs-retried-twice-by-a-job",
        "a job that goes on after a crash does nothing to a run a second time",
        [
            Code("client.bulk_work:BulkWork.do_page").replace(
                "A.finished_at is None or A.finished_at <= B.at", "True"
            )
        ],
        cases(_TESTS, "test_a_job_survives_a_crash_at_each_commit[sqlite-retry-False]"),
    ),
    Fault(
        "jobs-reach-younger-runs",
        "a job is about the runs that were there when it was started",
        [Code("client.bulk_work:BulkWork.begin").replace("key_text(A.key)", "''")],
        cases(_TESTS, "test_runs_that_are_started_after_a_job_are_left_alone[sqlite]"),
    ),
    Fault(
        "pages-cut-by-cancellation",
        "a job that is cancelled finishes its page and counts it",
        [Code("authoring.code.bulk_workflow:_finished").replace("asyncio.shield(A)", "A")],
        cases(_TESTS, "test_a_job_that_is_cancelled_stops_after_its_page[sqlite]"),
    ),
    Fault(
        "jobs-without-conditions",
        "an act on all runs has to be asked for by name",
        [Code("client.bulk_jobs:BulkJobs._plan").replace("A.get('all', False)", "True")],
        cases(_TESTS, "test_a_job_without_conditions_needs_to_say_so[sqlite]"),
    ),
    Fault(
        "pruned-past-the-limit",
        "a job prunes no more runs than it may",
        [
            Code("client.bulk_work:BulkWork._prune_page").replace(
                "self._retention.prune_page(A, B, limit=C.left)", "self._retention.prune_page(A, B)"
            )
        ],
        cases(_TESTS, "test_old_runs_are_pruned_in_the_background[sqlite]"),
    ),
    Fault(
        "operators-delete-by-a-job",
        "a job may do what its caller may do to one run",
        [Code("server.api.v1.bulk:start_bulk").remove("check_role(A, B)")],
        cases("server/v1/test_bulk.py", "test_a_job_may_do_what_its_caller_may_do_to_one_run"),
    ),
]
