"""Faults in what streams promise: offsets without gaps or doubles, one owner, nothing twice."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

FAULTS = [
    Fault(
        "offsets-begin-anew",
        "the next owner goes on counting the items of a stream",
        [Query("sqlite:insert_items").replace("coalesce(next_offset, 0), coalesce", "0, coalesce")],
        cases("stores/test_streams.py", "test_items_are_numbered_in_the_order_of_writing"),
    ),
    Fault(
        "offsets-of-a-batch-overlap-on-postgres",
        "two rows of one commit have different offsets",
        [
            Query("postgres:insert_items").replace(
                "+ sum(new.count) OVER earlier - new.count", "+ 0 * sum(new.count) OVER earlier"
            )
        ],
        cases("stores/test_streams.py", "test_items_are_numbered_in_the_order_of_writing"),
    ),
    Fault(
        "stale-items",
        "2: what a stale owner publishes is not written",
        [
            Code("stores.commit_script:_without").replace(
                "msgspec.structs.replace(A, **B)",
                "msgspec.structs.replace(A, **{**B, 'published': A.published})",
            )
        ],
        cases(
            "stores/test_streams.py",
            "test_what_a_stale_owner_publishes_is_not_written_and_the_next_owner_goes_on_counting",
        ),
    ),
    Fault(
        "replay-publishes",
        "replay publishes nothing",
        [Code("authoring.code.program:publish").replace("self.is_live and A", "A")],
        cases(
            "engine/test_streams.py",
            "test_a_crash_at_every_commit_neither_loses_nor_repeats_what_a_workflow_publishes",
        ),
    ),
    Fault(
        "silent-gap",
        "a reader is told of items that were dropped",
        [Code("client.streams:items").replace("A.first > B and C", "False")],
        cases(
            "engine/test_streams.py",
            "test_a_slow_reader_gets_every_item_that_is_kept_and_is_told_of_a_gap",
        ),
    ),
    Fault(
        "last-items-unwritten",
        "what an attempt has published is recorded with its end",
        [Code("engine.attempt_recorder:retire").replace("self.write_items(A)", "pass")],
        cases("engine/test_streams.py", "test_items_come_in_order_while_the_run_goes_on_and_end_with_it"),
    ),
    Fault(
        "streams-are-not-trimmed",
        "a stream is bounded",
        [Code("stores.commit_script:_write_items").replace("tx.many('trim_streams', ...)", "None")],
        cases("stores/test_streams.py", "test_the_last_row_is_kept_however_large_it_is"),
    ),
    Fault(
        "last-items-are-deleted",
        "a stream whose items are all too old goes on counting",
        [
            Code("stores.nodes:SqlNodeStore.drop_old_items").replace(
                "[A for row in found if not B]", "[row[:3] for row in found]"
            )
        ],
        cases(
            "stores/test_streams.py",
            "test_old_items_are_dropped_in_bites_and_the_stream_goes_on_counting[sqlite]",
        ),
    ),
    Fault(
        "items-stay-for-ever",
        "items are dropped when they are as old as the setting says",
        [Code("engine.deciding:Decider._hear").remove("tick.commit.drop_items_at = A")],
        cases("engine/test_old_items.py", "test_items_are_dropped_when_they_are_too_old[sqlite]"),
    ),
    Fault(
        "announcements-find-nothing",
        "items reach the engine also after it took some before they were announced",
        [
            Code("executors.context:TaskContext._announce_items").replace(
                "A is not None and B and not C", "A and B and not C"
            )
        ],
        cases(
            "executors/test_publishing.py",
            "test_items_that_are_taken_before_they_are_announced_do_not_hide_later_ones",
        ),
    ),
]
