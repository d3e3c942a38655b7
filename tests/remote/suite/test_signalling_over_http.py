"""The tests of tests/client/test_signalling.py, over HTTP."""

from tests.client import test_signalling as suite
from tests.client.test_signalling import *  # noqa: F403
from tests.remote.served import over_http

LEFT_OUT = {}

served = over_http(suite, globals(), LEFT_OUT)
