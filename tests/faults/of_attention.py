"""Faults in what is said to need a person."""

from __future__ import annotations

from typing import Final

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases

_TESTS: Final = "client/test_attention.py"

FAULTS: Final = [
    Fault(
        "all-is-well-without-nodes",
        "without a node, no work goes on",
        [Code("core.attention:_items").replace("not signs.counts.nodes_alive", "False")],
        cases(_TESTS, "test_without_a_node_no_work_goes_on"),
    ),
    Fault(
        "old-failures-need-a-person",
        "only the failures of the last day are told",
        [Code("client.attention:_failed").replace("first_key_of(A)", "first_key_of(Instant(0))")],
        cases(_TESTS, "test_yesterdays_failures_are_forgotten"),
    ),
    Fault(
        "every-question-costs-a-read",
        "many who ask cost no more than one",
        [Code("client.attention:read").replace("self._kept is None or A", "True")],
        cases(_TESTS, "test_many_who_ask_cost_no_more_than_one"),
    ),
]
