"""The tests of tests/client/test_workflows.py, over HTTP."""

from tests.client import test_workflows as suite
from tests.client.test_workflows import *  # noqa: F403
from tests.remote.served import over_http

LEFT_OUT = {
    "test_a_flow_is_put_under_its_name_and_is_a_flow_like_any_other": "has drafts of flows",
    "test_the_versions_of_a_dag_are_not_those_of_a_flow": "has drafts of flows",
    "test_versions_are_compared": "registers code",
    "test_a_definition_without_updates_gets_them_when_it_is_registered_again": "registers code",
    "test_a_deleted_flow_can_be_put_again": "has drafts of flows",
    "test_runs_of_a_deleted_workflow_can_be_imported_again": "imports runs",
}

served = over_http(suite, globals(), LEFT_OUT)
