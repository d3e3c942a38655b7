"""Faults in what the engine promises: commit before effect, leases, slots, attempts, leaving memory."""

from __future__ import annotations

from tests.faults.fault import Edit, Fault, cases, simulations

_LOOKOUT = "engine/store_poller.py"
_ENGINE = "engine/engine.py"
_TICK = "engine/tick.py"
_ATTEMPTS = "engine/attempts.py"
_INTAKE = "engine/run_loader.py"
_DISPATCHER = "engine/dispatcher.py"
_COMMITTING = "engine/committing.py"
_COMMIT = "            receipt = await self._commit(tick)\n"

ORDER = [
    Fault(
        "dispatch-before-commit",
        "1: no task is started before it is recorded",
        [
            Edit(
                _ENGINE,
                _COMMIT,
                f"            self._dispatcher.keep_promises()\n            self._submit(tick)\n{_COMMIT}",
            )
        ],
        simulations(40),
    ),
    Fault(
        "answer-starts-before-commit",
        "1: who is told that a run has started can rely on it",
        [Edit(_ENGINE, _COMMIT, f"            self._starting.answer(Receipt())\n{_COMMIT}")],
        simulations(40),
    ),
    Fault(
        "tell-ends-before-commit",
        "1: who is told that a run has ended can rely on it",
        [Edit(_ENGINE, _COMMIT, f"            self._audience.ended(tick.commit.ended)\n{_COMMIT}")],
        simulations(80),
    ),
    Fault(
        "tell-ends-that-were-lost",
        "2: what a stale owner decided is told to nobody",
        [
            Edit(
                _ENGINE,
                "void = receipt.lost | receipt.existing.keys()",
                "void = receipt.existing.keys()",
            )
        ],
        simulations(200),
    ),
    Fault(
        "lost-answer-taken-for-lost-commit",
        "3: a commit that stands is not made again",
        [Edit(_COMMITTING, "await store.recover(commit) if is_in_doubt else None", "None")],
        simulations(80),
    ),
    Fault(
        "unavailable-taken-for-success",
        "1: without a commit nothing is done",
        [
            Edit(
                _COMMITTING,
                "            is_in_doubt = commit.is_retry = True\n            await outage.wait(error)\n",
                "            await outage.wait(error)\n            return Receipt()\n",
            )
        ],
        simulations(40),
    ),
    Fault(
        "full-disk-taken-for-success",
        "1: without a commit nothing is done",
        [
            Edit(
                _COMMITTING,
                "                on_full(error)\n            await outage.wait(error)\n",
                "                on_full(error)\n            await outage.wait(error)\n"
                "            return Receipt()\n",
            )
        ],
        simulations(200),
    ),
    Fault(
        "full-disk-refuses-nobody",
        "8: who cannot start a run is told so at once",
        [
            Edit(
                _COMMITTING,
                "                on_full(error)\n",
                "                pass\n",
            )
        ],
        [
            cases(
                "bad_world/test_full_disk.py",
                "test_a_full_disk_refuses_new_runs_and_holds_the_others_until_there_is_room",
            )
        ],
    ),
]

LEASES = [
    Fault(
        "lease-not-renewed",
        "2: a node that lives keeps its runs",
        [
            Edit(
                _ENGINE,
                "later(commit.now, self._tuning.lease / 3)\n",
                "later(commit.now, self._tuning.lease * 3)\n",
            )
        ],
        [
            cases(
                "other_systems/test_ownership.py",
                "test_a_task_that_takes_many_leases_is_done_once_while_its_node_lives",
            )
        ],
    ),
    Fault(
        "expired-lease-not-confirmed",
        "2: whose lease ran out asks before it acts",
        [
            Edit(_ENGINE, "            receipt = await self._confirm(receipt)\n", "            break\n"),
            Edit(
                _DISPATCHER,
                "may_start = self.is_open and self._has_lease(now)",
                "may_start = self.is_open",
            ),
        ],
        simulations(200),
    ),
    Fault(
        "slots-filled-on-an-expired-lease",
        "2: whose lease ran out asks before it acts",
        [
            Edit(
                _DISPATCHER,
                "        if not self.is_open or not self._has_lease(now):\n",
                "        if not self.is_open:\n",
            )
        ],
        [
            cases(
                "chaos/test_frozen_node.py",
                "test_a_node_that_wakes_up_does_not_begin_what_others_have_done",
            )
        ],
    ),
    Fault(
        "lease-believed-for-ever",
        "2: whose lease ran out asks before it acts",
        [Edit(_ENGINE, "        return now < self._lease_until\n", "        return now >= 0\n")],
        [
            cases(
                "chaos/test_frozen_node.py",
                "test_a_node_that_wakes_up_does_not_begin_what_others_have_done",
            )
        ],
    ),
    Fault(
        "lost-runs-kept",
        "2: who has lost a run drops it",
        [
            Edit(
                _ENGINE,
                "        self._residents.discard(receipt.lost, self._dispatcher)\n",
                "",
            )
        ],
        simulations(80),
    ),
    Fault(
        "claims-while-draining",
        "7: a node that leaves takes nothing up",
        [
            Edit(
                _ENGINE,
                "        if self._is_draining:\n            return\n        lookout = self._lookout\n",
                "        lookout = self._lookout\n        lookout.wants_claim |= self._is_draining\n",
            )
        ],
        [
            cases(
                "other_systems/test_ownership.py",
                "test_a_node_that_is_leaving_claims_nothing_that_others_gave_back",
            ),
            *simulations(80),
        ],
    ),
    Fault(
        "nothing-handed-back",
        "7: a node that stops hands its runs over with their tasks pending",
        [
            Edit(
                _TICK,
                "            self.attempts.move(attempt, TaskStatus.PENDING, None)\n",
                "",
            )
        ],
        [
            cases(
                "engine/test_drain.py",
                "test_a_long_task_is_handed_back_as_if_it_had_not_begun_and_done_by_the_next_node",
            )
        ],
    ),
    Fault(
        "no-poll-and-no-notification",
        "7: a lost notification costs a poll, and no more",
        [
            Edit(
                _LOOKOUT,
                "            self.next_look = later(now, self._poll)\n",
                "            self.next_look = later(now, self._poll * 100_000)\n",
            )
        ],
        [
            cases(
                "engine/test_losing_touch.py",
                "test_a_message_that_nobody_was_told_of_is_found_at_the_next_poll",
            )
        ],
    ),
    Fault(
        "mail-seen-and-not-fetched",
        "7: an unread message is a reason to wake",
        [
            Edit(
                _LOOKOUT,
                "        self.wants_mail = self.wants_mail or peek.has_mail\n",
                "",
            )
        ],
        [
            cases("authoring/code/test_messages.py", "test_signals_come_in_order_and_each_once"),
            *simulations(40),
        ],
    ),
    Fault(
        "combined-mail-out-of-order",
        "4: signals come in the order they were sent",
        [Edit(_COMMITTING, "for id in sorted(mail)]", "for id in sorted(mail, reverse=True)]")],
        [
            cases(
                "engine/test_losing_touch.py",
                "test_what_came_of_two_commits_in_a_row_is_in_order_and_without_what_the_second_has_lost",
            )
        ],
    ),
    Fault(
        "combined-claims-keep-what-was-lost",
        "2: who has lost a run drops it",
        [Edit(_COMMITTING, "if run not in second.lost]", "if run not in first.lost]")],
        [
            cases(
                "engine/test_losing_touch.py",
                "test_what_came_of_two_commits_in_a_row_is_in_order_and_without_what_the_second_has_lost",
            )
        ],
    ),
]

SLOTS = [
    Fault(
        "slots-freed-twice",
        "limits are counted from who holds a slot",
        [
            Edit(
                _DISPATCHER,
                "        attempt.lane = None\n        lane.free += 1\n",
                "        lane.free += 1\n",
            )
        ],
        [
            cases("other_systems/test_slots.py", "test_a_slot_comes_back_however_the_attempt_in_it_ended"),
            *simulations(80),
        ],
    ),
    Fault(
        "slots-never-freed",
        "limits are counted from who holds a slot",
        [
            Edit(
                _DISPATCHER,
                "        attempt.lane = None\n        lane.free += 1\n",
                "        attempt.lane = None\n",
            )
        ],
        [cases("engine/test_slots.py", "test_no_more_tasks_of_a_queue_run_at_once_than_it_allows")],
    ),
    Fault(
        "slots-freed-on-cancel",
        "a slot is held by what still runs",
        [
            Edit(
                _DISPATCHER,
                "            executor.cancel(attempt)\n",
                "            executor.cancel(attempt)\n            attempt.lane.free += 1\n",
            )
        ],
        [
            cases(
                "other_systems/test_slots.py",
                "test_a_slot_is_held_by_what_still_runs_though_nobody_waits_for_it_any_more",
            )
        ],
    ),
    Fault(
        "limits-ignored",
        "a queue runs no more than its limit",
        [
            Edit(
                _DISPATCHER,
                "        while lane.waiting and lane.free > 0 and lane.pool.free > 0:\n",
                "        while lane.waiting and lane.pool.free > 0:\n",
            )
        ],
        [cases("engine/test_slots.py", "test_no_more_tasks_of_a_queue_run_at_once_than_it_allows")],
    ),
]

ATTEMPTS = [
    Fault(
        "late-results-count",
        "6: no late result changes a task that is settled",
        [
            Edit(
                _ENGINE,
                "        if attempt.stage is not Stage.CLOSED:\n",
                "        if attempt.resident is not None:\n",
            ),
            Edit(
                _ATTEMPTS,
                'or try again."""\n        if attempt.stage is Stage.CLOSED:\n',
                'or try again."""\n        if attempt.number < 0:\n',
            ),
            Edit(
                _ATTEMPTS,
                "        del resident.attempts[attempt.seq]\n        self.settle_row(",
                "        resident.attempts.pop(attempt.seq, None)\n        self.settle_row(",
            ),
        ],
        [
            cases(
                "other_systems/test_cancelling.py",
                "test_a_task_that_ends_well_after_its_run_was_cancelled_changes_nothing",
            ),
            *simulations(80),
        ],
    ),
    Fault(
        "settled-tasks-tried-again",
        "3: a recorded task is never done again",
        [
            Edit(
                _INTAKE,
                "            if not task.record.status.is_final:\n",
                "            if task.record.status is not TaskStatus.CANCELLED:\n",
            )
        ],
        [
            cases(
                "client/test_retry.py",
                "test_of_tasks_that_ran_together_only_those_that_did_not_succeed_are_done_again",
            )
        ],
    ),
    Fault(
        "lost-attempts-forgotten",
        "3: a task that kills its nodes is given up",
        [
            Edit(
                _INTAKE,
                "            self.lost.append(attempt)\n",
                "            self._scene.due.append(attempt)\n",
            )
        ],
        [cases("engine/test_attempts.py", "test_a_task_that_dies_with_its_node_too_often_is_lost")],
    ),
    Fault(
        "lost-attempts-not-resumed",
        "7: a task that died with its node is tried again",
        [Edit(_INTAKE, "            self.lost.append(attempt)\n", "            pass\n")],
        [cases("engine/test_attempts.py", "test_a_lost_attempt_does_not_count_against_the_retries")],
    ),
    Fault(
        "lost-attempts-count-as-failures",
        "a lost attempt is not the task's fault",
        [
            Edit(
                "engine/engine_context.py",
                "record.attempt - 1 - record.lost - record.forgiven",
                "record.attempt - 1 - record.forgiven",
            )
        ],
        [cases("engine/test_attempts.py", "test_a_lost_attempt_does_not_count_against_the_retries")],
    ),
    Fault(
        "one-attempt-too-many",
        "a task is tried as often as its policy says",
        [
            Edit(
                "core/policies.py",
                "        if attempt >= self.max_attempts",
                "        if attempt > self.max_attempts",
            )
        ],
        [cases("core/test_policies.py", "test_the_delay_after_a_failed_attempt")],
    ),
    Fault(
        "timed-out-work-goes-on",
        "a timeout really ends the work",
        [
            Edit(
                _ATTEMPTS,
                'self.end_work(attempt)\n        self._fail(attempt, failure, "timed_out", self._now)\n',
                'self._fail(attempt, failure, "timed_out", self._now)\n',
            )
        ],
        [cases("engine/test_attempts.py", "test_a_task_that_runs_too_long_is_ended_and_tried_again")],
    ),
    Fault(
        "new-key-for-every-attempt",
        "3: the idempotency key of a task is the same for every attempt",
        [
            Edit(
                "executors/context.py",
                'whoever charges cards."""\n        return self.task_id\n',
                'whoever charges cards."""\n        return f"{self.task_id}/{self.attempt}"\n',
            )
        ],
        [
            cases(
                "authoring/code/test_tasks.py",
                "test_a_task_has_an_id_that_is_its_idempotency_key_in_every_attempt",
            )
        ],
    ),
    Fault(
        "children-outlive-parents",
        "6: a run that ends takes its children with it",
        [
            Edit(
                _TICK,
                "        if resident.attached:\n",
                "        if resident.attached and resident.is_gone:\n",
            )
        ],
        [
            cases(
                "engine/test_children.py",
                "test_children_that_still_run_are_cancelled_when_their_parent_ends_but_not_detached_ones",
            )
        ],
    ),
    Fault(
        "cancelled-children-go-on",
        "a child that is cancelled ends",
        [
            Edit(
                _TICK,
                '                self._cancel_child(resident, command.seq, "its parent cancelled it")\n',
                "                resident.children.pop(command.seq, None)\n",
            )
        ],
        [cases("engine/test_children.py", "test_cancelling_a_handle_cancels_the_child")],
    ),
]

MEMORY = [
    Fault(
        "released-with-an-attempt-running",
        "7: a run stays while only this node can finish its task",
        [
            Edit(
                "engine/resident.py",
                "if attempt.stage is not Stage.BACKING_OFF and attempt.stage is not Stage.REMOTE:\n",
                "if attempt.stage is Stage.CLOSED:\n",
            )
        ],
        [
            cases(
                "engine/test_residence.py",
                "test_a_run_with_a_task_in_flight_stays_in_memory_however_long_that_takes",
            )
        ],
    ),
    Fault(
        "timers-not-adopted",
        "7: a timer outlives its node",
        [Edit(_INTAKE, "            self._scene.start_timer(resident, seq, due)\n", "            pass\n")],
        [
            cases("engine/test_residence.py", "test_a_cold_run_is_rebuilt_with_everything_it_knew"),
            *simulations(40),
        ],
    ),
    Fault(
        "backoff-without-due-time",
        "7: a run in backoff wakes by itself",
        [
            Edit(
                "engine/resident.py",
                "for attempt in self.attempts.values() if attempt.due_at is not None]",
                "for attempt in self.attempts.values() if attempt.due_at == 0]",
            )
        ],
        [
            cases(
                "engine/test_residence.py",
                "test_a_run_whose_task_backs_off_for_long_leaves_memory_and_comes_back",
            )
        ],
    ),
    Fault(
        "unheard-events-dropped",
        "7: what happened while a run was nobody's is heard",
        [Edit(_INTAKE, "            resident.events.append(event)\n", "            pass\n")],
        [cases("engine/test_residence.py", "test_a_message_wakes_a_run_that_left_memory")],
    ),
    Fault(
        "messages-read-but-not-journaled",
        "5: what a program heard is in its journal",
        [
            Edit(
                _TICK,
                "        if resident.is_begun and not events and not commands:\n            return\n",
                "        if resident.is_begun and not commands:\n            hold(self.commit, resident)\n"
                "            self._take_messages(resident, events, resident.position)\n            return\n",
            )
        ],
        [
            cases(
                "engine/test_losing_touch.py",
                "test_a_message_that_asks_for_nothing_is_journaled_and_survives_a_crash",
            )
        ],
    ),
    Fault(
        "messages-journaled-but-not-read",
        "3: a message is heard once",
        [
            Edit(
                _TICK,
                "        if events:\n            self._take_messages(resident, events, position)\n",
                "",
            )
        ],
        [
            cases("authoring/code/test_messages.py", "test_signals_come_in_order_and_each_once"),
            *simulations(40),
        ],
    ),
    Fault(
        "parked-runs-tried-for-ever",
        "5: a run that cannot go on is parked, and tried again a few times only",
        [Edit("core/policies.py", "return None if setbacks + 1 >= SETBACKS_ALLOWED else ", "return ")],
        [
            cases(
                "other_systems/test_deploys.py",
                "test_a_run_that_fits_no_node_is_left_alone_after_a_while_and_can_be_resumed[sqlite]",
            )
        ],
    ),
    Fault(
        "parked-runs-never-tried-again",
        "5: a run of newer code that an older node has parked goes on by itself",
        [Edit(_TICK, "        if wait is not None:\n", "        if wait is None:\n")],
        [
            cases(
                "other_systems/test_deploys.py",
                "test_a_run_of_newer_code_that_a_node_with_older_code_took_goes_on_by_itself[sqlite]",
            )
        ],
    ),
    Fault(
        "harmless-runs-never-proved",
        "7: a run that only shared its node with a deadly one is not parked",
        [Edit(_TICK, "        if resident.record.setbacks:\n", "        if not resident.record.epoch:\n")],
        [
            cases(
                "other_systems/test_deadly_code.py",
                "test_a_run_that_is_taken_while_a_deadly_task_starts_does_not_share_the_blame",
            )
        ],
    ),
    Fault(
        "lease-renewed-before-it-is-asked-for-the-rest",
        "2: only who owns a run starts its tasks",
        [
            Edit(
                "engine/engine.py",
                "        if is_sure:\n            self._renewed(tick.commit)\n",
                "        self._renewed(tick.commit)\n",
            )
        ],
        [
            cases(
                "engine/test_close_calls.py",
                "test_a_slot_that_comes_free_while_it_is_asked_whose_the_runs_are_is_not_given_away[sqlite]",
            )
        ],
    ),
    Fault(
        "blame-for-whoever-comes-in",
        "7: a run that only shared its node with a deadly one is not parked",
        [
            Edit(
                _ENGINE,
                "if lookout.wants_claim and tick.attempts.is_risky:",
                "if lookout.wants_claim and self._is_draining:",
            )
        ],
        [
            cases(
                "other_systems/test_deadly_code.py",
                "test_a_commit_that_starts_what_a_node_has_died_with_takes_no_runs",
            )
        ],
    ),
    Fault(
        "bystanders-fail-with-the-deadly",
        "7: a task that only ran beside a deadly one is not failed",
        [Edit("core/policies.py", "if lost < _LOSSES_BY_CHANCE:", "if lost < 1_000_000:")],
        [
            cases(
                "other_systems/test_deadly_code.py",
                "test_tasks_that_run_beside_one_that_ends_the_process_are_not_failed_with_it",
            )
        ],
    ),
    Fault(
        "little-room-is-no-room",
        "7: what is due is taken where there is room",
        [Edit(_LOOKOUT, "                self._room.look_again()\n", "                pass\n")],
        [
            cases(
                "engine/test_room.py",
                "test_little_room_that_comes_free_is_used_also_if_no_more_does_for_hours",
            )
        ],
    ),
    Fault(
        "runs-parked-for-nothing",
        "5: a run that can go on is not parked, not even for a while",
        [
            Edit(
                "engine/run_loader.py",
                "            resident.program = self._scene.programs.program(history.run, past)\n",
                "            if past.position and history.run.epoch % 2 == 0 and history.run.setbacks < 7:\n"
                "                raise TooManySetbacks(1)\n"
                "            resident.program = self._scene.programs.program(history.run, past)\n",
            )
        ],
        simulations(60),
    ),
    Fault(
        "nothing-asked-after-the-lease-ran-out",
        "2: a node that was silent for too long asks whose its runs are",
        [
            Edit(
                _TICK,
                "        for resident in residents:\n            hold(self.commit, resident)\n",
                "        for resident in residents:\n            assert resident\n",
            )
        ],
        simulations(400),
    ),
    Fault(
        "deaf-during-a-trial",
        "7: a cancellation is carried out",
        [Edit(_TICK, "        if asked is not None:\n", "        if asked is None and not self.now:\n")],
        [
            cases(
                "other_systems/test_cancelling.py",
                "test_a_cancellation_that_comes_while_a_parked_run_is_tried_again_is_carried_out[sqlite]",
            )
        ],
    ),
    Fault(
        "spins-on-a-locked-row",
        "7: a node waits for what it cannot have",
        [Edit(_LOOKOUT, "        if found == 0:\n", "        if found < 0:\n")],
        [
            cases(
                "engine/test_room.py",
                "test_a_due_run_that_somebody_has_locked_does_not_make_the_node_spin",
            )
        ],
    ),
    Fault(
        "one-workflow-takes-all-room",
        "7: nobody's backlog keeps the runs of others from starting",
        [
            Edit(
                "engine/admission.py",
                "        if not self._is_shared:\n",
                "        if self._is_shared:\n",
            )
        ],
        [
            cases(
                "other_systems/test_slots.py",
                "test_runs_that_wait_for_slots_of_a_full_queue_leave_room_for_those_of_other_workflows[sqlite]",
            )
        ],
    ),
    Fault(
        "deadly-runs-tried-for-ever",
        "7: a run that kills its nodes is set aside",
        [
            Edit(
                "engine/run_loader.py", "history.run.setbacks >= SETBACKS_ALLOWED", "history.run.setbacks < 0"
            )
        ],
        [
            cases(
                "other_systems/test_deadly_code.py",
                "test_a_run_whose_code_ends_its_process_is_parked_after_a_number_of_nodes"
                "_and_all_others_end_well[sqlite]",
            )
        ],
    ),
    Fault(
        "failed-instead-of-parked",
        "5: code that does not fit is the operator's matter, not the end of the run",
        [
            Edit(
                _TICK,
                "        self._hand_back(resident)\n        hold(self.commit, resident)\n"
                "        failure = encode_failure(capture(error))\n",
                "        hold(self.commit, resident)\n"
                "        return self._end(resident, FailRun(capture(error)))\n"
                "        failure = encode_failure(capture(error))\n",
            )
        ],
        [
            cases(
                "authoring/code/test_versions.py",
                "test_edited_code_that_asks_for_something_else_parks_the_run_until_it_is_mended",
            )
        ],
    ),
]

FAULTS = [*ORDER, *LEASES, *SLOTS, *ATTEMPTS, *MEMORY]
