"""The tests of tests/client/test_without_code.py, over HTTP."""

from tests.client import test_without_code as suite
from tests.client.test_without_code import *  # noqa: F403
from tests.remote.served import over_http

LEFT_OUT = {
    "test_what_an_older_release_registered_takes_arguments_by_name_and_the_node_checks_them": (
        "writes into the store"
    )
}

served = over_http(suite, globals(), LEFT_OUT)
