"""The tests of tests/client/test_bulk_jobs.py, over HTTP."""

from tests.client import test_bulk_jobs as suite
from tests.client.test_bulk_jobs import *  # noqa: F403
from tests.remote.served import over_http

LEFT_OUT = {
    "test_cancellations_are_sent_once_although_a_page_is_done_again": "it counts what is in the store",
    "test_a_job_that_is_cancelled_stops_after_its_page": "it holds up the node",
    "test_a_job_survives_a_crash_at_each_commit": "it breaks the store",
    "test_nobody_publishes_a_workflow_under_a_name_of_holdfast": "hf.flows is not there over HTTP",
}

served = over_http(suite, globals(), LEFT_OUT)
