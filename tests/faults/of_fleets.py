"""Faults in how nodes of one fleet are told of work, and in how they share it."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_TOPICS = "stores/test_topics.py"
_FLEET = "engine/test_fleet.py"
_TOLD = "7: whoever has something to do is told, and nobody else"
_SHARED = "the nodes of a fleet share the work"

_DRAINED = "a node that somebody drains ends in order, and others go on with its runs"
_ROWS = "stores/test_fleet.py"

FAULTS = [
    Fault(
        "drain-asked-and-not-told",
        _TOLD,
        [Code("stores.fleet:ask_drain").remove("A.announce(of_node(B))")],
        cases(_ROWS, "test_a_node_that_was_asked_to_end_reads_it_when_it_looks_for_work"),
    ),
    Fault(
        "drained-as-a-crash",
        "7: no run is stranded by a node that ends in order",
        [Code("engine.engine:_begin_drain").replace("self._end_in_order()", "self.kill()")],
        cases(
            "engine/test_drained_node.py",
            "test_a_task_under_way_finishes_and_the_other_runs_go_on_elsewhere",
        ),
    ),
    Fault(
        "nodes-of-other-namespaces-drained",
        "a namespace is closed to others",
        [Query("sqlite:ask_drain").replace("namespace = A AND id = B", "id = B")],
        cases(_ROWS, "test_only_a_node_of_the_namespace_that_is_there_can_be_asked_to_end"),
    ),
    Fault(
        "idle-nodes-lose-what-they-were-asked",
        _DRAINED,
        [Query("sqlite:delete_expired_nodes").replace("coalesce(drain_asked_at < A - 60000000, 1)", "1")],
        cases(_ROWS, "test_an_idle_node_keeps_its_row_until_it_has_read_that_it_is_to_end"),
    ),
    Fault(
        "everybody-told-of-a-message",
        _TOLD,
        [Code("stores.delivery:tell_nodes").replace("of_node(A)", "DUE")],
        cases(_FLEET, "test_a_signal_to_a_cold_run_wakes_the_node_that_had_it_and_no_other"),
    ),
    Fault(
        "nodes-that-are-gone-told-of-a-message",
        _TOLD,
        [
            Query("postgres:lock_runs").replace(
                "greatest(lease_until, seen_at + interval '1 minute') > A", "A IS NOT NULL"
            )
        ],
        cases(_TOPICS, "test_each_change_is_told_to_those_whom_it_concerns"),
    ),
    Fault(
        "nobody-looks-after-a-node-that-was-told",
        _TOLD,
        [Code("stores.delivery:tell_nodes").remove("A.announce(COLD)")],
        cases(_TOPICS, "test_each_change_is_told_to_those_whom_it_concerns"),
    ),
    Fault(
        "mail-hidden-by-a-lock-not-told",
        _TOLD,
        [Code("stores.delivery:_deliver").replace("{A.run for A in messages}", "{A.run for A in posted}")],
        cases(
            _TOPICS,
            "test_a_message_that_is_not_added_is_told_because_its_lock_may_have_hidden_the_mail_of_another",
        ),
    ),
    Fault(
        "full-nodes-keep-it-to-themselves",
        _TOLD,
        [Code("engine.store_poller:_pass_on_if_full").remove("await A.tell_other_nodes()")],
        cases(_FLEET, "test_a_node_without_room_passes_on_what_was_meant_for_it"),
    ),
    Fault(
        "failed-notifications-taken-for-failed-commits",
        "1: what a commit has recorded stands",
        [Code("stores.postgres.driver:_attempt").replace("A is None or B or C", "True")],
        cases(_TOPICS, "test_a_notification_that_fails_takes_nothing_back"),
    ),
    Fault(
        "claims-lock-the-share-of-others",
        _SHARED,
        [Query("postgres:due_runs").remove("/ count(*)")],
        cases("stores/test_work.py", "test_a_claim_locks_no_more_runs_than_it_takes[0-64-32]"),
    ),
    Fault(
        "claims-lock-more-than-may-be-together",
        _SHARED,
        [Query("postgres:due_runs").replace("least(max(setbacks), A)", "least(0, A)")],
        cases("stores/test_work.py", "test_a_claim_locks_no_more_runs_than_it_takes[1-36-8]"),
    ),
    Fault(
        "backlogs-before-everybody-else",
        _SHARED,
        [Code("stores.commit_script:_shared").replace("len(A) < 2", "True")],
        cases(
            "stores/test_work.py",
            "test_a_claim_whose_backlog_is_older_does_not_keep_another_waiting[sqlite]",
        ),
    ),
    Fault(
        "idle-nodes-forgotten",
        _SHARED,
        [Query("postgres:next_work").replace("seen_at < A - interval '30 seconds'", "seen_at > A")],
        cases("stores/test_work.py", "test_idle_nodes_know_of_each_other_while_they_look_for_work"),
    ),
    Fault(
        "batches-kept-by-one-node",
        _SHARED,
        [Code("engine.admission:share_of").replace("A < self._share_from", "True")],
        cases(_FLEET, "test_a_batch_that_is_started_on_one_node_is_spread_over_all"),
    ),
    Fault(
        "nothing-left-for-who-joins",
        _SHARED,
        [Code("engine.deciding:_leave_to_others").remove("A.release(...)")],
        cases(_FLEET, "test_a_node_that_joins_gets_its_share_of_what_waits_for_a_slot"),
    ),
    Fault(
        "idle-nodes-reaped",
        _SHARED,
        [
            Query("postgres:delete_expired_nodes").replace(
                "seen_at < A - interval '1 minute'", "A IS NOT NULL"
            )
        ],
        cases("stores/test_work.py", "test_idle_nodes_know_of_each_other_while_they_look_for_work"),
    ),
]
