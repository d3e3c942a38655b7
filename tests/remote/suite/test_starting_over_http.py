"""The tests of tests/client/test_starting.py, over HTTP."""

from tests.client import test_starting as suite
from tests.client.test_starting import *  # noqa: F403
from tests.remote.served import over_http

LEFT_OUT = {
    "test_a_client_without_an_engine_starts_what_another_process_does": "opens two local ones",
    "test_a_holdfast_that_is_not_open_says_so": "opens none",
}

served = over_http(suite, globals(), LEFT_OUT)
