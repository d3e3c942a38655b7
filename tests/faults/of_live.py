"""Faults in what subscribers over HTTP are promised: everything once, however they come and go."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases

_EVENTS = "server/v1/test_events.py"

FAULTS = [
    Fault(
        "gap-at-joining",
        "who joins is told what the tail has told since the offset",
        [Code("server.live.tails:Tail.missed").replace("after < self.offset", "False")],
        cases(_EVENTS, "test_a_subscriber_joins_at_every_place_without_gap_or_repetition[sqlite]"),
    ),
    Fault(
        "repetition-at-joining",
        "who joins is not told again what it has",
        [Code("server.live.tails:Tail.missed").replace("each.offset > after", "True")],
        cases(_EVENTS, "test_a_subscriber_joins_at_every_place_without_gap_or_repetition[sqlite]"),
    ),
    Fault(
        "gap-before-the-recent-changes",
        "who joins has read the store as far as the changes that are in memory",
        [Code("server.live.tails:Tail.can_join").replace("self._recent_after <= after <= A", "after <= A")],
        cases(_EVENTS, "test_a_subscriber_joins_at_every_place_without_gap_or_repetition[sqlite]"),
    ),
    Fault(
        "repetition-ahead-of-the-tail",
        "what the tail has still to tell is not told before",
        [Code("server.live.hub:Feed._catch_up").replace("each.offset <= reached", "True")],
        cases(_EVENTS, "test_a_subscriber_that_reads_further_than_the_tail_hears_nothing_twice[sqlite]"),
    ),
    Fault(
        "queues-without-bound",
        "a subscriber that does not keep up is let go",
        [
            Code("server.live.subscriptions:Subscription.put").replace(
                "A > MOST_EVENTS or B > MOST_BYTES", "False"
            )
        ],
        cases(_EVENTS, "test_a_subscriber_that_does_not_read_is_let_go_and_the_others_hear_everything"),
    ),
    Fault(
        "all-subscribers-write-at-once",
        "a thousand subscribers do not take the event loop for themselves",
        [Code("server.live.subscriptions:Turns._next").replace("max(A, B)", "10**9")],
        cases("server/test_live_turns.py", "test_of_many_subscribers_few_write_at_a_time_and_all_in_the_end"),
    ),
    Fault(
        "a-reader-for-each-subscriber",
        "the store is read once for all subscribers",
        [Code("server.live.hub:Hub._tail_of").replace("tail is None or not tail.is_running", "True")],
        cases(_EVENTS, "test_the_store_is_read_once_for_300_subscribers[sqlite]"),
    ),
    Fault(
        "readers-without-subscribers",
        "the store is not read for nobody",
        [Code("server.live.hub:Hub._stop_if_empty").replace("tail.is_empty or A", "False")],
        cases(_EVENTS, "test_a_client_that_goes_is_forgotten_and_the_reader_stops_after_the_last"),
    ),
    Fault(
        "clients-that-read-nothing-are-kept",
        "a client that reads nothing is given up",
        [Code("server.live.responses:_Writing._giving_up").replace("now >= since + A", "False")],
        cases(_EVENTS, "test_a_client_that_reads_nothing_is_given_up"),
    ),
    Fault(
        "packed-streams-with-wrong-sums",
        "events that are compressed once are a whole stream for each client",
        [Code("server.live.packing:_sum_of_both").replace("low - 1", "low")],
        cases("server/test_live_packing.py", "test_any_chunks_in_a_row_are_one_stream"),
    ),
    Fault(
        "exports-cut-short-look-whole",
        "an export that is cut short does not end as one that is whole",
        [
            Code("server.live.responses:_Writing._write_all").replace(
                "self._is_broken = self.media_type == LINES", "pass"
            )
        ],
        cases("remote/test_archives.py", "test_an_export_that_is_cut_short_is_no_archive"),
    ),
    Fault(
        "streams-outlive-the-stop",
        "a server that stops ends all streams at once",
        [Code("server.gateway:Gateway.end_streams").replace("self._tenants.streams.end()", "None")],
        cases(_EVENTS, "test_a_server_that_stops_ends_all_streams_at_once"),
    ),
    Fault(
        "ended-runs-are-waited-for",
        "the stream of a run that had ended before ends",
        [Code("server.live.tails:Tail._add_topic").remove("self._check(topic)")],
        cases(_EVENTS, "test_one_run_is_told_to_its_end_also_if_it_had_ended_before[sqlite]"),
    ),
]
