"""Faults in what the engine promises: commit before effect, leases, slots, attempts, leaving memory."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases, simulations
from tests.faults.query_edits import Query

ORDER = [
    Fault(
        "dispatch-before-commit",
        "1: no task is started before it is recorded",
        [
            Code("engine.engine:_tick").insert_before(
                "A = await B.commit(T)", "self._dispatcher.note_commit(); self._effects.dispatch(T)"
            )
        ],
        simulations(40),
    ),
    Fault(
        "answer-starts-before-commit",
        "1: who is told that a run has started can rely on it",
        [
            Code("engine.engine:_tick").insert_before(
                "A = await B.commit(T)",
                "from holdfast.ports.commits import Receipt; self._starts.answer(Receipt())",
            )
        ],
        simulations(40),
    ),
    Fault(
        "tell-ends-before-commit",
        "1: who is told that a run has ended can rely on it",
        [
            Code("engine.engine:_tick").insert_before(
                "A = await B.commit(T)", "self._observer.runs_ended(T.commit.ended)"
            )
        ],
        simulations(80),
    ),
    Fault(
        "tell-ends-that-were-lost",
        "2: what a stale owner decided is told to nobody",
        [Code("engine.effects:_announce_ends").replace("A.lost | B", "B")],
        cases(
            "other_systems/test_ownership.py",
            "test_what_a_node_decided_for_a_run_that_it_had_lost_is_told_to_nobody",
        ),
    ),
    Fault(
        "lost-answer-taken-for-lost-commit",
        "3: a commit that stands is not made again",
        [
            Code("engine.committing:commit_with_retries").replace(
                "await A.recover_commit(...) if ... else None", "None"
            )
        ],
        simulations(80),
    ),
    Fault(
        "unavailable-taken-for-success",
        "1: without a commit nothing is done",
        [
            Code("engine.committing:commit_with_retries").replace(
                "A = B.is_retry = True; await C.wait(E)", "await C.wait(E); return Receipt()"
            )
        ],
        simulations(40),
    ),
    Fault(
        "full-disk-taken-for-success",
        "1: without a commit nothing is done",
        [
            Code("engine.committing:commit_with_retries").insert_after(
                "if ...: on_full(E)\nawait A.wait(E)", "return Receipt()"
            )
        ],
        simulations(200),
    ),
    Fault(
        "full-disk-refuses-nobody",
        "8: who cannot start a run is told so at once",
        [Code("engine.committing:commit_with_retries").remove("on_full(...)")],
        cases(
            "bad_world/test_full_disk.py",
            "test_a_full_disk_refuses_new_runs_and_holds_the_others_until_there_is_room",
        ),
    ),
]

RETRIES = [
    Fault(
        "subclasses-do-not-count",
        "a retry policy names errors with their subclasses",
        [Code("core.policies:_is_final").replace("*failure.bases", "*()")],
        cases(
            "engine/test_attempts.py",
            "test_only_the_errors_of_only_on_are_retried_with_their_subclasses",
        ),
    ),
    Fault(
        "do-not-retry-ignored",
        "a task that says so is not tried again",
        [Code("core.failures:_says_final").replace("isinstance(A.__cause__, DoNotRetry)", "False")],
        cases("engine/test_attempts.py", "test_a_task_can_say_that_another_attempt_is_of_no_use"),
    ),
]

LEASES = [
    Fault(
        "lease-not-renewed",
        "2: a node that lives keeps its runs",
        [
            Code("engine.lease:renew_at").replace("self._third", "9 * self._third"),
            Code("engine.lease:commit_at").replace(
                "self._renewed_at + share", "self._renewed_at + 9 * share"
            ),
        ],
        cases(
            "other_systems/test_ownership.py",
            "test_a_task_that_takes_many_leases_is_done_once_while_its_node_lives",
        ),
    ),
    Fault(
        "expired-lease-not-confirmed",
        "2: whose lease ran out asks before it acts",
        [
            Code("engine.committing:Committer.commit").replace("A = await self._confirm(...)", "break"),
            Code("engine.dispatcher:dispatch").remove("self._lease.is_valid(...)"),
        ],
        simulations(200),
    ),
    Fault(
        "slots-filled-on-an-expired-lease",
        "2: whose lease ran out asks before it acts",
        [Code("engine.dispatcher:_fill").remove("not self._lease.is_valid(...)")],
        cases("chaos/test_frozen_node.py", "test_a_node_that_wakes_up_does_not_begin_what_others_have_done"),
    ),
    Fault(
        "lease-believed-for-ever",
        "2: whose lease ran out asks before it acts",
        [Code("engine.lease:is_valid").replace("A < self.until", "A >= 0")],
        cases("chaos/test_frozen_node.py", "test_a_node_that_wakes_up_does_not_begin_what_others_have_done"),
    ),
    Fault(
        "lost-runs-kept",
        "2: who has lost a run drops it",
        [Code("engine.effects:_drop_lost").remove("A.discard(B.lost)")],
        simulations(80),
    ),
    Fault(
        "claims-while-draining",
        "7: a node that leaves takes nothing up",
        [
            Code("engine.deciding:_request_work").replace(
                "if not self._dispatcher.is_open: return\nA = ...",
                "A = ...; A.wants_claim |= not self._dispatcher.is_open",
            )
        ],
        [
            *cases(
                "other_systems/test_ownership.py",
                "test_a_node_that_is_leaving_claims_nothing_that_others_gave_back",
            ),
            *simulations(80),
        ],
    ),
    Fault(
        "nothing-handed-back",
        "7: a node that stops hands its runs over with their tasks pending",
        [Code("engine.tick:_hand_back").remove("A.move(B, TaskStatus.PENDING, None)")],
        cases(
            "engine/test_drain.py",
            "test_a_long_task_is_handed_back_as_if_it_had_not_begun_and_done_by_the_next_node",
        ),
    ),
    Fault(
        "no-poll-and-no-notification",
        "7: a lost notification costs a poll, and no more",
        [
            Code("engine.store_poller:poll").replace(
                "A = ...; self.next_poll = later(A, self._poll_every)",
                "A = ...; self.next_poll = later(A, self._poll_every * 100_000)",
            )
        ],
        cases(
            "engine/test_lost_notifications.py",
            "test_a_message_that_nobody_was_told_of_is_found_at_the_next_poll",
        ),
    ),
    Fault(
        "mail-seen-and-not-fetched",
        "7: an unread message is a reason to wake",
        [Code("engine.store_poller:_note_work").remove("self.wants_mail = ...")],
        [
            *cases("authoring/code/test_messages.py", "test_signals_come_in_order_and_each_once"),
            *simulations(40),
        ],
    ),
    Fault(
        "combined-mail-out-of-order",
        "4: signals come in the order they were sent",
        [Code("engine.committing:combine_receipts").replace("sorted(A)", "sorted(A, reverse=True)")],
        cases(
            "engine/test_lost_notifications.py",
            "test_what_came_of_two_commits_in_a_row_is_in_order_and_without_what_the_second_has_lost",
        ),
    ),
    Fault(
        "combined-claims-keep-what-was-lost",
        "2: who has lost a run drops it",
        [Code("engine.committing:combine_receipts").replace("A not in second.lost", "A not in first.lost")],
        cases(
            "engine/test_lost_notifications.py",
            "test_what_came_of_two_commits_in_a_row_is_in_order_and_without_what_the_second_has_lost",
        ),
    ),
]

SLOTS = [
    Fault(
        "slots-freed-twice",
        "limits are counted from who holds a slot",
        [Code("engine.dispatcher:report").remove("A.slots = None")],
        [
            *cases("other_systems/test_slots.py", "test_a_slot_comes_back_however_the_attempt_in_it_ended"),
            *simulations(80),
        ],
    ),
    Fault(
        "slots-never-freed",
        "limits are counted from who holds a slot",
        [Code("engine.dispatcher:report").remove("slots.free += 1")],
        cases("engine/test_slots.py", "test_no_more_tasks_of_a_queue_run_at_once_than_it_allows"),
    ),
    Fault(
        "slots-freed-on-cancel",
        "a slot is held by what still runs",
        [Code("engine.dispatcher:cancel").insert_after("executor.cancel(F)", "F.slots.free += 1")],
        cases(
            "other_systems/test_slots.py",
            "test_a_slot_is_held_by_what_still_runs_though_nobody_waits_for_it_any_more",
        ),
    ),
    Fault(
        "limits-ignored",
        "a queue runs no more than its limit",
        [Code("engine.dispatcher:_fill").remove("slots.free > 0")],
        cases("engine/test_slots.py", "test_no_more_tasks_of_a_queue_run_at_once_than_it_allows"),
    ),
]

ATTEMPTS = [
    Fault(
        "late-results-count",
        "6: no late result changes a task that is settled",
        [
            Code("engine.dispatcher:report").replace("A.stage is Stage.CLOSED", "A.number < 0"),
            Code("engine.attempt_recorder:conclude").replace("A.stage is Stage.CLOSED", "A.number < 0"),
            Code("engine.attempt_recorder:_settle").replace("del A[B]", "A.pop(B, None)"),
        ],
        [
            *cases(
                "other_systems/test_cancelling.py",
                "test_a_task_that_ends_well_after_its_run_was_cancelled_changes_nothing",
            ),
            *simulations(80),
        ],
    ),
    Fault(
        "settled-tasks-tried-again",
        "3: a recorded task is never done again",
        [Query("sqlite:open_tasks_of").remove("'success',")],
        cases(
            "client/test_retry.py",
            "test_of_tasks_that_ran_together_only_those_that_did_not_succeed_are_done_again",
        ),
    ),
    Fault(
        "lost-attempts-forgotten",
        "3: a task that kills its nodes is given up",
        [Code("engine.run_loader:_resume_task").replace("AttemptLost", "AttemptDue")],
        cases("engine/test_attempts.py", "test_a_task_that_dies_with_its_node_too_often_is_lost"),
    ),
    Fault(
        "lost-attempts-not-resumed",
        "7: a task that died with its node is tried again",
        [Code("engine.run_loader:_resume_task").remove("self._inbox.post(AttemptLost(...))")],
        cases("engine/test_attempts.py", "test_a_lost_attempt_does_not_count_against_the_retries"),
    ),
    Fault(
        "lost-attempts-count-as-failures",
        "a lost attempt is not the task's fault",
        [Code("engine.resident:restore_attempt").replace("A - B.lost", "A")],
        cases("engine/test_attempts.py", "test_a_lost_attempt_does_not_count_against_the_retries"),
    ),
    Fault(
        "one-attempt-too-many",
        "a task is tried as often as its policy says",
        [Code("core.policies:Retry.delay_after").replace("A >= self.max_attempts", "A > self.max_attempts")],
        cases("core/test_policies.py", "test_the_delay_after_a_failed_attempt"),
    ),
    Fault(
        "timed-out-work-goes-on",
        "a timeout really ends the work",
        [Code("engine.attempt_recorder:time_out").remove("self.cancel_work(...)")],
        cases("engine/test_attempts.py", "test_a_task_that_runs_too_long_is_ended_and_tried_again"),
    ),
    Fault(
        "new-key-for-every-attempt",
        "3: the idempotency key of a task is the same for every attempt",
        [
            Code("executors.context:idempotency_key").replace(
                "self.task_id", 'f"{self.task_id}/{self.attempt}"'
            )
        ],
        cases(
            "authoring/code/test_tasks.py",
            "test_a_task_has_an_id_that_is_its_idempotency_key_in_every_attempt",
        ),
    ),
    Fault(
        "children-outlive-parents",
        "6: a run that ends takes its children with it",
        [Code("engine.tick:cancel_open").replace("A.attached and B is not None", "A.attached and A.is_gone")],
        cases(
            "engine/test_children.py",
            "test_children_that_still_run_are_cancelled_when_their_parent_ends_but_not_detached_ones",
        ),
    ),
    Fault(
        "cancelled-children-go-on",
        "a child that is cancelled ends",
        [
            Code("engine.tick:_apply").replace(
                "self._cancel_child(R, C.seq, ...)", "R.children.pop(C.seq, None)"
            )
        ],
        cases("engine/test_children.py", "test_cancelling_a_handle_cancels_the_child"),
    ),
    Fault(
        "awaitables-of-threads-cannot-be-cancelled",
        "what a plain function returned and the loop awaits is cancelled as any attempt is",
        [Code("executors.threads:_ThreadAttempt.cancel").replace("self.task is not None", "False")],
        cases(
            "executors/test_threads.py",
            "test_cancel_ends_an_attempt_wherever_it_is_between_thread_and_loop",
        ),
    ),
]

MEMORY = [
    Fault(
        "released-with-an-attempt-running",
        "7: a run stays while only this node can finish its task",
        [
            Code("engine.resident:is_idle").replace(
                "A.stage is not Stage.BACKING_OFF and A.stage is not Stage.REMOTE", "A.stage is Stage.CLOSED"
            )
        ],
        cases(
            "engine/test_residence.py",
            "test_a_run_with_a_task_in_flight_stays_in_memory_however_long_that_takes",
        ),
    ),
    Fault(
        "timers-not-adopted",
        "7: a timer outlives its node",
        [Code("engine.run_loader:_resume").remove("A.start_timer(...)")],
        [
            *cases("engine/test_residence.py", "test_a_cold_run_is_rebuilt_with_everything_it_knew"),
            *simulations(40),
        ],
    ),
    Fault(
        "backoff-without-due-time",
        "7: a run in backoff wakes by itself",
        [Code("engine.resident:next_due").replace("A.due_at is not None", "A.due_at == 0")],
        cases(
            "engine/test_residence.py",
            "test_a_run_whose_task_backs_off_for_long_leaves_memory_and_comes_back",
        ),
    ),
    Fault(
        "unheard-events-dropped",
        "7: what happened while a run was nobody's is heard",
        [Code("engine.run_loader:_resume").remove("A.events.append(...)")],
        cases("engine/test_loading.py", "test_a_child_that_ends_while_its_parent_is_loaded_is_heard_once"),
    ),
    Fault(
        "long-histories-loaded-at-each-wake",
        "what is expensive to rebuild stays in memory while there is room",
        [Code("engine.run_loader:_resume").replace("A.bytes", "0")],
        cases("engine/test_keeping.py", "test_what_was_loaded_is_as_large_as_before"),
    ),
    Fault(
        "idle-runs-kept-without-bound",
        "idle runs leave memory if there is no room for them",
        [Code("engine.residents:take_kept").replace("A > most_bytes", "A < 0")],
        cases(
            "engine/test_keeping.py",
            "test_if_there_is_no_room_for_all_those_leave_that_were_used_least_recently",
        ),
    ),
    Fault(
        "kept-runs-never-forgotten",
        "a run that goes on is used, and counted once",
        [Code("engine.residents:update_idle").remove("self._forget_kept(...)")],
        cases(
            "engine/test_keeping.py",
            "test_if_there_is_no_room_for_all_those_leave_that_were_used_least_recently",
        ),
    ),
    Fault(
        "waits-shown-for-ever",
        "7: what a run waits for is said while it waits, and not longer",
        [Code("engine.tick:Tick.advance").remove("self.commit.waits.append(...)")],
        cases(
            "engine/test_keeping.py",
            "test_a_run_with_a_long_history_stays_in_memory_and_says_what_it_waits_for",
        ),
    ),
    Fault(
        "long-histories-woken-by-a-deploy",
        "a node that stops hands back what waits as it is",
        [Code("engine.deciding:decide").replace("A or B.is_kept(C)", "A")],
        cases("engine/test_keeping.py", "test_a_node_that_stops_hands_them_back_without_waking_them"),
    ),
    Fault(
        "mail-dropped-while-a-run-is-loaded",
        "7: a message is heard, whatever the run is doing",
        [Code("engine.run_loader:RunLoader.receive").remove("A.mail[B] = C")],
        cases(
            "engine/test_loading.py",
            "test_mail_that_comes_while_a_run_is_loaded_is_heard_once_and_in_order",
        ),
    ),
    Fault(
        "lost-runs-loaded-to-the-end",
        "2: a node leaves a run alone that it has lost",
        [Code("engine.run_loader:_is_here").replace("A is B and not C", "A is not C")],
        cases(
            "engine/test_loading.py",
            "test_a_run_that_is_lost_while_it_is_loaded_is_left_alone",
        ),
    ),
    Fault(
        "replay-in-one-go",
        "nobody is held up by the history of another run",
        [Code("engine.run_loader:_replay_until").replace("A >= ends_at", "A > ends_at")],
        cases("engine/test_loading.py", "test_a_replay_lets_others_run_between_its_pieces"),
    ),
    Fault(
        "half-of-a-long-history-read",
        "5: a run is rebuilt from the whole of its journal",
        [Code("stores.histories:_read_page").replace("max(A, B, C)", "min(A, B, C)")],
        cases("stores/test_histories.py", "test_the_pages_of_a_history_are_the_whole_of_it[sqlite-1]"),
    ),
    Fault(
        "step-missing-between-two-pages",
        "5: a journal with a gap is not replayed",
        [Code("stores.histories:_read_page").replace("position != expected", "position < 0")],
        cases("stores/test_histories.py", "test_a_step_that_is_missing_is_damage_of_its_page[sqlite]"),
    ),
    Fault(
        "news-of-a-cancelled-child-left-unread",
        "7: a message that tells a run nothing new is read, also by a run that comes back into memory",
        [Code("engine.run_loader:_resume").remove("self._inbox.post(MessageStale(...))")],
        cases(
            "engine/test_races.py",
            "test_a_parent_that_left_memory_reads_of_the_end_of_a_child_that_it_had_cancelled[sqlite]",
        ),
    ),
    Fault(
        "messages-read-but-not-journaled",
        "5: what a program heard is in its journal",
        [
            Code("engine.tick:advance").replace(
                "if R.is_begun and not E and not C: return",
                "if R.is_begun and not C:"
                "    hold(self.commit, R); self._take_messages(R, E, R.position); return",
            )
        ],
        cases(
            "engine/test_lost_notifications.py",
            "test_a_message_that_asks_for_nothing_is_journaled_and_survives_a_crash",
        ),
    ),
    Fault(
        "messages-journaled-but-not-read",
        "3: a message is heard once",
        [Code("engine.tick:advance").remove("if A: self._take_messages(...)")],
        [
            *cases("authoring/code/test_messages.py", "test_signals_come_in_order_and_each_once"),
            *simulations(40),
        ],
    ),
    Fault(
        "parked-runs-tried-for-ever",
        "5: a run that cannot go on is parked, and tried again a few times only",
        [Code("core.policies:wait_after_setback").replace("None if ... else A", "A")],
        cases(
            "other_systems/test_deploys.py",
            "test_a_run_that_fits_no_node_is_left_alone_after_a_while_and_can_be_resumed[sqlite]",
        ),
    ),
    Fault(
        "parked-runs-never-tried-again",
        "5: a run of newer code that an older node has parked goes on by itself",
        [Code("engine.tick:park").replace("wait is not None", "wait is None")],
        cases(
            "other_systems/test_deploys.py",
            "test_a_run_of_newer_code_that_a_node_with_older_code_took_goes_on_by_itself[sqlite]",
        ),
    ),
    Fault(
        "harmless-runs-never-proved",
        "7: a run that only shared its node with a deadly one is not parked",
        [Code("engine.tick:advance").replace("A.setbacks", "not A.epoch")],
        cases(
            "other_systems/test_deadly_code.py",
            "test_a_run_that_is_taken_while_a_deadly_task_starts_does_not_share_the_blame",
        ),
    ),
    Fault(
        "lease-renewed-before-it-is-asked-for-the-rest",
        "2: only who owns a run starts its tasks",
        [Code("engine.lease:NodeLease.commit").replace("not is_checked", "is_checked and not since")],
        cases(
            "engine/test_event_order.py",
            "test_a_slot_that_comes_free_while_it_is_asked_whose_the_runs_are_is_not_given_away[sqlite]",
        ),
    ),
    Fault(
        "blame-for-whoever-comes-in",
        "7: a run that only shared its node with a deadly one is not parked",
        [Code("engine.deciding:_request_work").replace("A.recorder.is_risky", "False")],
        cases(
            "other_systems/test_deadly_code.py",
            "test_a_commit_that_starts_what_a_node_has_died_with_takes_no_runs",
        ),
    ),
    Fault(
        "runs-advanced-that-cannot-be-loaded",
        "5: a run that cannot go on is parked with the reason",
        [Code("engine.run_loader:_park").replace("A.program = _NoProgram(B)", "A.program = _NoProgram()")],
        cases(
            "engine/test_loading.py",
            "test_a_run_that_cannot_be_loaded_is_not_advanced_before_it_is_parked",
        ),
    ),
    Fault(
        "blame-for-whoever-is-claimed-meanwhile",
        "7: a run that only shared its node with a deadly one is not parked",
        [Code("engine.deciding:_request_work").replace("self._loader.is_risky", "False")],
        cases(
            "engine/test_loading.py",
            "test_nothing_is_claimed_while_a_run_is_loaded_that_a_node_has_died_with",
        ),
    ),
    Fault(
        "bystanders-fail-with-the-deadly",
        "7: a task that only ran beside a deadly one is not failed",
        [Code("core.policies:wait_after_loss").replace("_LOSSES_BY_CHANCE", "1_000_000")],
        cases(
            "other_systems/test_deadly_code.py",
            "test_tasks_that_run_beside_one_that_ends_the_process_are_not_failed_with_it",
        ),
    ),
    Fault(
        "little-room-is-no-room",
        "7: what is due is taken where there is room",
        [Code("engine.store_poller:poll").remove("A.relax()")],
        cases(
            "engine/test_admission.py",
            "test_little_room_that_comes_free_is_used_also_if_no_more_does_for_hours",
        ),
    ),
    Fault(
        "runs-parked-for-nothing",
        "5: a run that can go on is not parked, not even for a while",
        [
            Code("engine.run_loader:_replay").insert_before(
                "program = A",
                "if past.position and resident.epoch % 2 == 0 and resident.record.setbacks < 7:"
                " raise TooManySetbacks(1)",
            )
        ],
        simulations(60),
    ),
    Fault(
        "nothing-asked-after-the-lease-ran-out",
        "2: a node that was silent for too long asks whose its runs are",
        [Code("engine.tick:hold_all").replace("hold(C, R)", "assert R")],
        simulations(400),
    ),
    Fault(
        "deaf-during-a-trial",
        "7: a cancellation is carried out",
        [Code("engine.tick:park").replace("asked is not None", "asked is None and not self.now")],
        cases(
            "other_systems/test_cancelling.py",
            "test_a_cancellation_that_comes_while_a_parked_run_is_tried_again_is_carried_out[sqlite]",
        ),
    ),
    Fault(
        "polls-a-store-that-is-away",
        "nobody spins, whatever the news are",
        [Code("engine.store_poller:poll_by").replace("self._is_failing", "not self._clock")],
        cases(
            "engine/test_lost_notifications.py",
            "test_news_do_not_make_a_node_poll_a_store_that_is_away[sqlite]",
        ),
    ),
    Fault(
        "an-interrupt-in-a-replay-stops-the-node",
        "7: one run stops no other",
        [
            Code("engine.run_loader:RunLoader._replay_until").replace(
                "(Exception, KeyboardInterrupt)", "Exception"
            )
        ],
        cases("engine/test_hostile_code.py", "test_and_also_if_it_raises_that_while_it_is_replayed"),
    ),
    Fault(
        "spins-on-a-locked-row",
        "7: a node waits for what it cannot have",
        [Code("engine.store_poller:note_claim").replace("A == 0", "A < 0")],
        cases(
            "engine/test_admission.py", "test_a_due_run_that_somebody_has_locked_does_not_make_the_node_spin"
        ),
    ),
    Fault(
        "one-workflow-takes-all-room",
        "7: nobody's backlog keeps the runs of others from starting",
        [Code("engine.admission:_free_of_capacity").replace("not self._is_shared", "self._is_shared")],
        cases(
            "other_systems/test_slots.py",
            "test_runs_that_wait_for_slots_of_a_full_queue_leave_room_for_those_of_other_workflows[sqlite]",
        ),
    ),
    Fault(
        "deadly-runs-tried-for-ever",
        "7: a run that kills its nodes is set aside",
        [Code("engine.run_loader:_replay").replace("A.setbacks >= SETBACKS_ALLOWED", "A.setbacks < 0")],
        cases(
            "other_systems/test_deadly_code.py",
            "test_a_run_whose_code_ends_its_process_is_parked_after_a_number_of_nodes"
            "_and_all_others_end_well[sqlite]",
        ),
    ),
    Fault(
        "failed-instead-of-parked",
        "5: code that does not fit is the operator's matter, not the end of the run",
        [
            Code("engine.tick:park").replace(
                "self._hand_back(R); hold(C, R)", "hold(C, R); return self._end(R, FailRun(capture(error)))"
            )
        ],
        cases(
            "authoring/code/test_versions.py",
            "test_edited_code_that_asks_for_something_else_parks_the_run_until_it_is_mended",
        ),
    ),
]

WAITING_IN_LINE = [
    Fault(
        "timers-in-the-order-of-loading",
        "4: overdue timers fire in the order of their due times",
        [Code("engine.residents:start_timer").remove("self._ready.pop(A, None)")],
        cases(
            "engine/test_order.py",
            "test_overdue_timers_of_many_runs_fire_in_the_order_of_their_due_times",
        ),
    ),
    Fault(
        "children-in-the-order-of-keys",
        "4: children are heard in the order in which they ended",
        [
            Code("engine.run_loader:_deliver_mail").replace(
                "sorted(A, key=B)", "sorted(A, key=lambda run: run.key)"
            )
        ],
        cases(
            "engine/test_order.py",
            "test_overdue_sleeps_of_children_end_in_the_order_of_their_due_times",
        ),
    ),
    Fault(
        "retries-placed-first",
        "priority counts among all that wait for a slot",
        [
            Code("engine.attempt_recorder:dispatch_due").replace(
                "self.unplaced.append(A)", "self.to_dispatch.append(A); self.place(A)"
            )
        ],
        cases(
            "engine/test_order.py",
            "test_a_retry_takes_no_slot_from_a_new_task_of_higher_priority",
        ),
    ),
]

REFUSALS = [
    Fault(
        "one-bad-row-for-all",
        "7: a row that the database refuses harms its own run only",
        [
            Code("engine.committing:commit").replace(
                "await self._commit_in_parts(A, B)", "await self._confirm(B)"
            )
        ],
        cases(
            "engine/test_refused_commits.py",
            "test_a_row_that_the_database_refuses_parks_its_run_and_all_others_go_on[sqlite]",
        ),
    ),
    Fault(
        "refused-end-is-told",
        "1: who is told that a run has ended can rely on it",
        [Code("engine.committing:_set_aside").remove("tick.remove_runs(A)")],
        cases(
            "engine/test_refused_commits.py",
            "test_a_row_that_the_database_refuses_parks_its_run_and_all_others_go_on[sqlite]",
        ),
    ),
    Fault(
        "messages-parted-from-their-sender",
        "2: a step is atomic, with the messages that it sends",
        [Code("engine.splitting:only_runs").replace("is_kept(A.sender)", "True")],
        cases("engine/test_refused_commits.py", "test_children_and_messages_of_a_run_stay_with_it"),
    ),
    Fault(
        "parts-under-one-number",
        "3: after a lost answer, a part of a commit is not taken for another",
        [
            Code("engine.splitting:only_runs").insert_before(
                "starters = _starters(commit)", "tick = commit.tick"
            )
        ],
        cases("engine/test_refused_commits.py", "test_children_and_messages_of_a_run_stay_with_it"),
    ),
]

BOUNDS = [
    Fault(
        "mail-in-memory-is-not-counted",
        "a node reads no more mail than it has room for",
        [Code("engine.deciding:_request_work").replace("A - B.mail.bytes", "A")],
        cases(
            "engine/test_bounded_reads.py",
            "test_mail_waits_in_the_store_while_runs_have_not_read_theirs[sqlite]",
        ),
    ),
    Fault(
        "a-run-leaves-though-it-has-mail",
        "a run that has something to read is not idle",
        [Code("engine.residents:may_leave").replace("A not in self.mail.left", "True")],
        cases("engine/test_bounded_reads.py", "test_a_run_with_mail_in_the_store_stays_in_memory"),
    ),
    Fault(
        "known-news-of-a-child-is-stale",
        "7: a run hears how its child ended",
        [Code("engine.run_loader:_deliver_mail").replace("not _is_known(...)", "True")],
        cases("engine/test_bounded_reads.py", "test_news_of_a_child_that_came_with_the_history_is_kept"),
    ),
    Fault(
        "claims-ask-for-more-than-fits",
        "the store looks at no more runs than a node has room for",
        [Code("engine.effects:_plan_polls").remove("self._admission.note_inputs(...)")],
        cases(
            "engine/test_bounded_reads.py",
            "test_runs_with_large_inputs_are_claimed_in_several_commits[sqlite]",
        ),
    ),
    Fault(
        "claims-take-all-inputs",
        "a node claims no more than it has room for",
        [Code("engine.admission:__init__").replace("tuning.tick_bytes", "10**12")],
        cases(
            "engine/test_bounded_reads.py",
            "test_runs_with_large_inputs_are_claimed_in_several_commits[sqlite]",
        ),
    ),
    Fault(
        "rest-of-the-mail-waits-for-the-next-poll",
        "mail that a commit had no room for comes with the next one",
        [Code("engine.effects:_plan_polls").replace("A or bool(receipt.left)", "A")],
        cases(
            "engine/test_bounded_reads.py", "test_large_messages_are_read_and_taken_in_several_ticks[sqlite]"
        ),
    ),
    Fault(
        "results-without-bound",
        "7: no commit is too large for the store",
        [Code("engine.inbox:take").replace("is_over or budget.is_spent()", "is_over")],
        cases(
            "engine/test_bounded_work.py", "test_a_later_kind_of_fact_does_not_overtake_a_result_that_is_left"
        ),
    ),
    Fault(
        "starts-without-bound",
        "7: no commit is too large for the store",
        [Code("engine.start_queue:begin").replace("tick.commit.size += len(input)", "pass")],
        cases(
            "engine/test_bounded_work.py",
            "test_runs_with_large_inputs_are_started_with_several_commits[sqlite]",
        ),
    ),
    Fault(
        "collector-left-as-the-node-wanted-it",
        "a node leaves its process as it was",
        [Code("engine.gc_pause:relax_gc.restore").remove("gc.set_threshold(...)")],
        cases("engine/test_garbage.py", "test_a_node_has_the_collector_run_less_often_while_it_is_open"),
    ),
    Fault(
        "collector-of-the-program-changed",
        "what a program has set stays",
        [Code("engine.gc_pause:relax_gc").replace("0 < A <= B", "True")],
        cases(
            "engine/test_garbage.py",
            "test_a_program_that_has_set_its_collector_keeps_what_it_set[own0]",
        ),
    ),
    Fault(
        "steps-without-bound",
        "7: no commit is too large for the store",
        [Code("engine.deciding:_advance_ready").replace("budget.is_spent(before)", "False")],
        cases(
            "engine/test_bounded_work.py",
            "test_runs_are_advanced_in_several_ticks_if_they_ask_for_much[sqlite]",
        ),
    ),
    Fault(
        "budget-spent-at-once",
        "7: every tick gets on",
        [
            Code("engine.tick_budget:TickBudget.is_spent").remove(
                "if self._is_new:\n    self._is_new = False\n    return False"
            )
        ],
        cases(
            "engine/test_bounded_work.py",
            "test_a_budget_allows_a_first_piece_of_work_even_if_its_time_is_over",
        ),
    ),
    Fault(
        "large-results-hold-up-others",
        "7: no run keeps the results of others from being recorded",
        [Code("engine.tick_budget:charge").replace("spent > self._share", "False")],
        cases("engine/test_bounded_work.py", "test_a_run_with_much_to_record_leaves_room_for_others"),
    ),
    Fault(
        "timeout-overtakes-a-result",
        "4: an outcome that came first counts",
        [
            Code("engine.inbox:take").replace(
                "is_over = is_over or budget.is_spent()",
                "is_over = budget.is_spent() and kind is AttemptEnded",
            )
        ],
        cases(
            "engine/test_bounded_work.py",
            "test_a_later_kind_of_fact_does_not_overtake_a_result_that_is_left",
        ),
    ),
    Fault(
        "released-with-facts-left",
        "7: a run whose mail is not dealt with stays in memory",
        [Code("engine.residents:may_leave").replace("A not in self._ready", "True")],
        cases("engine/test_bounded_reads.py", "test_a_run_with_something_to_hear_stays_in_memory"),
    ),
    Fault(
        "mail-delivered-twice",
        "4: a message is heard once",
        [Code("engine.unheard_mail:add").replace("id <= A", "False")],
        cases("engine/test_bounded_reads.py", "test_unread_messages_in_memory_are_counted"),
    ),
    Fault(
        "no-room-for-results-is-no-reason",
        "7: results that wait to be recorded do not fill the memory",
        [Code("engine.dispatcher:_may_start_more").replace("A < B", "True")],
        cases(
            "engine/test_bounded_work.py",
            "test_no_task_starts_while_too_many_results_wait_to_be_recorded[sqlite]",
        ),
    ),
    Fault(
        "results-left-at-the-end",
        "3: a result that the node has is recorded before it stops",
        [
            Code("engine.engine:_run").replace("A and self._inbox.is_empty", "A"),
            Code("engine.deciding:decide").replace(
                "self._hear(tick, takes_all=A)", "self._hear(tick, takes_all=False)"
            ),
        ],
        cases(
            "engine/test_bounded_work.py",
            "test_a_node_that_stops_records_all_results_that_it_has[sqlite]",
        ),
    ),
    Fault(
        "impossible-commands-are-tried",
        "5: a program that asks for the impossible harms its own run only",
        [Code("engine.tick:advance").replace("check_commands(...)", "0")],
        cases(
            "engine/test_bounded_work.py",
            "test_a_program_that_asks_for_the_impossible_parks_its_run_alone"
            "[sqlite-a task that nobody holds back]",
            "test_a_step_that_is_too_large_parks_its_run_and_says_what_to_do[sqlite]",
        ),
    ),
    Fault(
        "stops-wait-for-workers",
        "a node that stops hands back what only waits for a worker, and does not wait for one",
        [Code("engine.dispatcher:Dispatcher.is_working").replace("sum(...)", "0")],
        cases(
            "engine/test_http_workers.py",
            "test_a_node_that_stops_does_not_wait_for_workers_that_have_not_come[sqlite]",
        ),
    ),
]

FAULTS = [*ORDER, *RETRIES, *LEASES, *SLOTS, *ATTEMPTS, *MEMORY, *WAITING_IN_LINE, *REFUSALS, *BOUNDS]
