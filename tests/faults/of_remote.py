"""Faults in what clients over HTTP are promised: each change once, and every answer in the end."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases

_LOST = "remote/test_lost_answers.py"
_ENDS = "server/v1/test_run_ends.py"
_EVENTS = "remote/test_events.py"
_REPEATED = "server/v1/test_repeated_requests.py"

FAULTS = [
    Fault(
        "runs-without-an-id-are-started-twice",
        "a start that is sent again starts nothing",
        [
            Code("remote.client:RemoteClient._start").replace("options.id or self._new_id()", "options.id"),
            Code("remote.connection:Connection.request").replace('method != "GET" and A', "False"),
        ],
        cases(_LOST, "test_a_run_is_started_once"),
    ),
    Fault(
        "repeated-acts-are-done-twice",
        "a change that is sent again is not done again",
        [Code("server.repeated_requests:RepeatedRequests.__call__").replace("answer is None", "True")],
        cases(_LOST, "test_a_run_that_fails_again_is_retried_once"),
    ),
    Fault(
        "answers-for-others",
        "nobody gets the answer to a request of another namespace",
        [Code("server.repeated_requests:_who_asks").replace("caller.namespace", '""')],
        cases(_REPEATED, "test_without_a_key_or_in_another_namespace_it_is_another_request"),
    ),
    Fault(
        "failures-are-remembered",
        "a request that has failed may be sent again",
        [Code("server.repeated_requests:_Collected.answer").replace("status >= 500 or A", "False")],
        cases(_REPEATED, "test_what_has_failed_may_be_sent_again"),
    ),
    Fault(
        "ends-of-other-runs-are-waited-for",
        "the first run that ends is answered, and not the last",
        [Code("server.api.v1.run_ends:_wait_for_first").replace("first.set()", "None")],
        cases(_ENDS, "test_it_waits_for_the_first[sqlite]"),
    ),
    Fault(
        "events-begin-anew-after-a-broken-connection",
        "events go on behind the last one that was read",
        [Code("remote.event_stream:EventStream._parse").replace("id or self._last", "self._last")],
        cases(_EVENTS, "test_a_stream_is_read_once_and_its_values_have_their_type"),
    ),
    Fault(
        "signals-to-a-run-overtake-each-other",
        "a run hears the signals of one call in their order",
        [
            Code("remote.run_changes:RemoteRunChanges.signal_many").replace(
                "of_run.setdefault(name_of(run), [])", "of_run.setdefault(str(place), [])"
            )
        ],
        cases(_LOST, "test_signals_of_one_call_reach_a_run_in_their_order"),
    ),
    Fault(
        "waiters-that-are-forgotten",
        "whoever waits for a result hears of an error",
        [Code("remote.endings:RemoteWaiters._ask").replace("self._refuse(runs, error)", "None")],
        cases(_EVENTS, "test_a_server_that_goes_away_for_good_ends_the_events_with_an_error"),
    ),
    Fault(
        "namespaces-of-keys-are-overruled",
        "the key says in which namespace one is",
        [Code("remote.client:RemoteClient.open").replace("self.namespace = A", "self.namespace = ''")],
        cases("remote/test_addresses.py", "test_a_key_says_who_one_is_and_what_one_may_do"),
    ),
]
