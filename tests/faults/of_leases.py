"""Faults in what keeps a lease, and in what becomes of a node whose event loop stands still."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_KEEPER = "engine/test_lease_keeper.py"
_STORE = "stores/test_leases.py"
_ALIVE = "2: a lease is lost only by a node that is dead"
_STALLED = "7: code that never returns costs two nodes and not more"

FAULTS = [
    Fault(
        "leases-of-stalled-nodes-renewed-for-ever",
        _STALLED,
        [Code("engine.lease_keeper:LeaseKeeper.turn").replace("silence >= A", "silence < 0")],
        cases(_KEEPER, "test_after_stall_seconds_the_run_is_charged_and_the_lease_ends"),
    ),
    Fault(
        "loop-blamed-for-a-stopped-process",
        _ALIVE,
        [Code("engine.loop_watch:look").replace("min(since, A)", "since")],
        cases(_KEEPER, "test_a_process_that_stood_still_as_a_whole_is_not_blamed_on_its_loop"),
    ),
    Fault(
        "idle-loop-blamed-for-a-busy-machine",
        _ALIVE,
        [Code("engine.loop_watch:look").replace("not self._is_waiting()", "True")],
        cases(
            _KEEPER,
            "test_a_loop_that_waits_for_something_to_do_is_not_held_up[asyncio]",
            "test_a_loop_that_waits_for_something_to_do_is_not_held_up[uvloop]",
        ),
    ),
    Fault(
        "blocking-select-taken-for-an-idle-loop",
        _STALLED,
        [Code("engine.loop_watch:_is_waiting").replace("frame.f_back.f_code is _RUN_ONCE", "True")],
        cases(_KEEPER, "test_a_loop_whose_code_waits_for_a_descriptor_is_held_up[asyncio]"),
    ),
    Fault(
        "keeper-woken-by-every-run",
        "fast: a short run wakes no other thread",
        [Code("engine.lease_keeper:LeaseKeeper.turn").replace("self._idle_looks > _IDLE_LOOKS", "True")],
        cases(_KEEPER, "test_a_node_that_has_just_had_runs_is_looked_at_for_a_while"),
    ),
    Fault(
        "keeper-that-waits-for-the-loop",
        _ALIVE,
        [
            Code("engine.lease_keeper:LeaseKeeper.turn").replace(
                "self._renew_if_due()", "silence or self._renew_if_due()"
            )
        ],
        cases(_KEEPER, "test_it_is_renewed_while_the_loop_is_busy_for_many_leases"),
    ),
    Fault(
        "nobody-is-charged-with-a-stall",
        _STALLED,
        [Code("engine.lease_keeper:LeaseKeeper._give_up").replace("silence >= A", "silence < 0")],
        cases(_KEEPER, "test_after_stall_seconds_the_run_is_charged_and_the_lease_ends"),
    ),
    Fault(
        "charged-for-a-stop-in-time",
        "6: a run is charged only if it held up its node for as long as the setting says",
        [Code("engine.lease_keeper:LeaseKeeper._give_up").remove("silence >= A")],
        cases(_KEEPER, "test_who_was_asked_to_stop_gets_the_drain_time_only"),
    ),
    Fault(
        "older-leases-renewed",
        "2: who has lost a lease does not act on a renewal of it",
        [Code("engine.lease:NodeLease.renew").remove("since == self.since")],
        cases(_KEEPER, "test_a_renewal_of_an_earlier_lease_does_not_count_for_the_new_one"),
    ),
    Fault(
        "leases-renewed-after-they-were-lost",
        "2: who has lost a lease does not act on a renewal of it",
        [Query("sqlite:renew_lease").remove("AND started_at = ?2")],
        cases(_STORE, "test_a_commit_tells_since_when_the_lease_has_lasted"),
    ),
    Fault(
        "leases-renewed-after-they-were-lost-on-postgres",
        "2: who has lost a lease does not act on a renewal of it",
        [Query("postgres:renew_lease").replace("started_at = A", "A IS NOT NULL")],
        cases(_STORE, "test_a_commit_tells_since_when_the_lease_has_lasted"),
    ),
    Fault(
        "leases-shortened-by-late-commits",
        _ALIVE,
        [
            Query("sqlite:hold_lease").replace(
                "max(lease_until, excluded.lease_until)", "excluded.lease_until"
            )
        ],
        cases(_STORE, "test_a_commit_that_was_decided_before_a_renewal_does_not_shorten_the_lease"),
    ),
    Fault(
        "leases-shortened-by-late-renewals",
        _ALIVE,
        [Query("sqlite:renew_lease").replace("max(lease_until, ?3)", "?3")],
        cases(_STORE, "test_a_renewal_that_comes_after_a_newer_one_does_not_shorten_the_lease[sqlite]"),
    ),
    Fault(
        "leases-shortened-by-late-renewals-on-postgres",
        _ALIVE,
        [Query("postgres:renew_lease").replace("greatest(lease_until, A)", "A")],
        cases(_STORE, "test_a_renewal_that_comes_after_a_newer_one_does_not_shorten_the_lease"),
    ),
    Fault(
        "commits-that-hold-up-the-renewal",
        _ALIVE,
        [Query("postgres:hold_lease").replace("FOR KEY SHARE", "FOR UPDATE")],
        cases(_STORE, "test_on_postgres_a_lease_is_renewed_in_the_middle_of_a_commit"),
    ),
    Fault(
        "reaped-while-nobody-could-write",
        _ALIVE,
        [Code("stores.commit_script:_reap_and_find_due").replace("tx.waited > A", "tx.waited < 0")],
        cases(_STORE, "test_on_sqlite_who_waited_long_for_the_right_to_write_reaps_nobody"),
    ),
    Fault(
        "deaf-to-signals-after-a-stall",
        "SIGTERM ends a process, whatever its event loop does",
        [Code("engine.lease_keeper:LeaseKeeper._tell_again_of_stop").replace("not A._is_stop_expected", "A")],
        cases(
            "engine/test_lease_keeper.py",
            "test_a_process_whose_node_has_given_up_is_ended_when_it_is_asked_to_stop",
        ),
    ),
    Fault(
        "drain-time-from-before-the-signal",
        "a node that is asked to stop gets the time to do so",
        [
            Code("engine.lease_keeper:LeaseKeeper._longest_silence").replace(
                "self._silence_before_stop + self._stall_of_a_stop", "self._stall_of_a_stop"
            )
        ],
        cases("engine/test_lease_keeper.py", "test_the_drain_time_begins_when_the_node_is_asked_to_stop"),
    ),
    Fault(
        "stalls-without-a-setback",
        _STALLED,
        [Code("stores.lease_renewal:end_lease").remove("tx.run('add_setback', ...)")],
        cases(_STORE, "test_a_lease_that_a_node_ends_frees_its_runs_and_only_the_charged_one_has_a_setback"),
    ),
    Fault(
        "stalls-of-a-paused-node-forgotten",
        _STALLED,
        [Query("sqlite:charge_stall").replace("AND key = A", "AND key = A AND owner = ?3")],
        cases(_STORE, "test_a_run_that_was_lost_while_its_node_was_paused_has_stalled_it_all_the_same"),
    ),
    Fault(
        "stalls-kept-after-a-resume",
        "6: who resumes a run gives it another chance",
        [Code("stores.acts:unpark_runs").remove("tx.many('forget_stalls', A)")],
        cases(_STORE, "test_a_run_that_is_resumed_has_stalled_nobody"),
    ),
    Fault(
        "stalled-twice-and-taken-again",
        _STALLED,
        [Code("engine.run_loader:_replay").replace("len(A.stalls) >= B", "len(A.stalls) > 9")],
        cases(
            "chaos/test_stalls.py",
            "test_code_that_never_returns_costs_a_fleet_two_nodes_and_not_more[sqlite-workflow]",
        ),
    ),
    Fault(
        "signals-that-wait-for-the-loop",
        "7: a node can be stopped, whatever its loop does",
        [Code("app:Holdfast.expect_stop").remove("self._engine.expect_stop()")],
        cases(
            "chaos/test_stalls.py",
            "test_a_signal_ends_a_node_whose_loop_spins_and_others_have_its_runs_at_once[sqlite-15]",
        ),
    ),
]
