"""The tests of tests/client/test_explaining.py, over HTTP."""

from tests.client import test_explaining as suite
from tests.client.test_explaining import *  # noqa: F403
from tests.remote.served import over_http

LEFT_OUT = {
    "test_without_any_node_that_is_the_problem": "asks the doctor",
}

served = over_http(suite, globals(), LEFT_OUT)
