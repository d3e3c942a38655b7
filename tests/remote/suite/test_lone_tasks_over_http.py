"""The tests of tests/client/test_lone_tasks.py, over HTTP."""

from tests.client import test_lone_tasks as suite
from tests.client.test_lone_tasks import *  # noqa: F403
from tests.remote.served import over_http

LEFT_OUT = {
    "test_a_task_is_run_without_a_workflow": "asks the doctor",
    "test_a_name_means_the_published_flow_if_there_is_one": "has drafts of flows",
    "test_a_task_is_registered_when_it_is_first_started_and_may_then_be_edited": "looks into the store",
    "test_or_the_options_that_a_run_of_it_was_given_on_whichever_node_it_runs": "gives a task options",
}

served = over_http(suite, globals(), LEFT_OUT)
