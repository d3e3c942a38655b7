"""Faults around workers: the queue and its leases, what they report, calls over HTTP, and the API."""

from __future__ import annotations

from tests.faults.fault import Check, Edit, Fault, cases

_SCRIPTS = "stores/worker_scripts.py"
_SQLITE_QUEUE = "stores/sqlite/sql/queue.sql"
_POSTGRES_QUEUE = "stores/postgres/sql/queue.sql"
_ATTEMPTS = "engine/attempts.py"
_INTAKE = "engine/run_loader.py"
_CALLS = "executors/http/worker_client.py"
_TAKEN_OVER = "test_when_the_lease_runs_out_the_next_one_takes_the_item_and_the_first_is_refused"
_HEARTBEAT = "test_a_heartbeat_renews_all_that_its_worker_has_and_nothing_of_others"
_LOST = "test_attempts_that_workers_lost_are_counted_and_are_no_failures[sqlite-True]"


def _stored(name: str) -> list[Check]:
    return [cases("stores/test_queue.py", name)]


def _queued(name: str) -> list[Check]:
    return [cases("engine/test_queued_work.py", name)]


LEASES = [
    Fault(
        "late-completion-accepted",
        "who has lost its lease changes nothing",
        [
            Edit(
                _SQLITE_QUEUE,
                "AND lease = ?4 AND worker IS NOT NULL\nRETURNING attempt",
                "AND ?4 > 0 AND worker IS NOT NULL\nRETURNING attempt",
            )
        ],
        _stored(f"{_TAKEN_OVER}[sqlite]"),
    ),
    Fault(
        "late-completion-accepted-on-postgres",
        "who has lost its lease changes nothing",
        [
            Edit(
                _POSTGRES_QUEUE,
                "AND lease = $4::int8\n    AND worker IS NOT NULL\nRETURNING attempt",
                "AND $4::int8 > 0\n    AND worker IS NOT NULL\nRETURNING attempt",
            )
        ],
        _stored(f"{_TAKEN_OVER}[postgres]"),
    ),
    Fault(
        "held-item-handed-out",
        "one worker at a time has an item",
        [Edit(_SQLITE_QUEUE, "taken_at = ?6, ready_at = ?7", "taken_at = ?6, ready_at = min(ready_at, ?7)")],
        _stored("test_what_is_taken_is_not_given_to_another[sqlite]"),
    ),
    Fault(
        "item-not-locked",
        "two who ask at once never get the same item",
        [
            Edit(
                _POSTGRES_QUEUE,
                "ORDER BY ready_at\nLIMIT 1\nFOR UPDATE SKIP LOCKED",
                "ORDER BY ready_at\nLIMIT 1",
            )
        ],
        [
            cases(
                "stores/test_queue_at_once.py",
                "test_an_item_that_another_is_just_taking_is_passed_over",
                "test_two_who_ask_at_once_never_get_the_same_item",
            )
        ],
    ),
    Fault(
        "takeover-not-recorded",
        "an attempt that was lost can be seen, with who lost it",
        [
            Edit(
                _SCRIPTS,
                'tx.run("insert_lost_attempt", run, seq, attempt, item.taken_at, now, item.worker)\n',
                "pass\n",
            )
        ],
        _stored(f"{_TAKEN_OVER}[sqlite]"),
    ),
    Fault(
        "lost-for-ever",
        "what kills its workers is given up",
        [Edit(_SCRIPTS, "if lost > LOST_ATTEMPTS_ALLOWED:", "if lost < 0:")],
        _stored("test_what_is_lost_too_often_is_told_to_the_run_as_failed[sqlite]"),
    ),
    Fault(
        "heartbeat-renews-nothing",
        "a worker that lives keeps what it has",
        [
            Edit(
                _SCRIPTS,
                '                tx.run("renew_items_of", namespace, worker, lease_until)\n',
                "                pass\n",
            )
        ],
        [cases("stores/test_workers.py", f"{_HEARTBEAT}[sqlite]")],
    ),
    Fault(
        "heartbeat-renews-everything",
        "a worker keeps nothing of others",
        [
            Edit(
                _SQLITE_QUEUE,
                "SET ready_at = ?3 WHERE namespace = ?1 AND worker = ?2;",
                "SET ready_at = ?3 WHERE namespace = ?1 AND worker IS NOT NULL AND ?2 <> '';",
            )
        ],
        [cases("stores/test_workers.py", f"{_HEARTBEAT}[sqlite]")],
    ),
    Fault(
        "put-again-and-still-held",
        "who had an earlier attempt cannot complete the next",
        [Edit(_SQLITE_QUEUE, "    worker = NULL, taken_at = NULL, ready_at", "    ready_at")],
        _stored("test_what_is_put_again_is_taken_from_whoever_has_it[sqlite]"),
    ),
    Fault(
        "numbers-of-leases-used-again",
        "who has lost its lease changes nothing, also when the item was put again",
        [Edit(_SQLITE_QUEUE, "lease = max(lease, excluded.lease)", "lease = excluded.lease")],
        _stored("test_what_is_taken_out_and_put_again_in_one_commit_counts_its_leases_on[sqlite]"),
    ),
    Fault(
        "stale-owner-queues",
        "2: a stale owner writes nothing, not even into the queue",
        [Edit("ports/store.py", '    "queued",\n    "unqueued",\n', '    "unqueued",\n')],
        _stored("test_a_node_that_has_lost_a_run_puts_nothing_into_the_queue_and_takes_nothing_out[sqlite]"),
    ),
    Fault(
        "work-of-ended-runs-handed-out",
        "nobody works for a run that is over",
        [
            Edit(
                _SQLITE_QUEUE,
                "runs.status NOT IN ('success', 'failed', 'cancelled')",
                "runs.status <> ''",
            )
        ],
        _stored("test_an_item_whose_task_or_run_is_over_is_not_handed_out[sqlite]"),
    ),
    Fault(
        "cancelled-run-leaves-its-items",
        "a run that was cancelled has nothing in the queue",
        [Edit("stores/commit_script.py", '    tx.many("clear_queue", cancelled)\n', "")],
        _stored("test_a_run_that_ends_cancelled_loses_its_items_with_its_tasks[sqlite]"),
    ),
    Fault(
        "parked-run-leaves-its-items",
        "a parked run that is cancelled has nothing in the queue",
        [Edit("stores/sql_store.py", '            tx.many("clear_queue", [(run,)])\n', "")],
        _stored("test_a_parked_run_that_is_cancelled_loses_its_items[sqlite]"),
    ),
    Fault(
        "completion-untold",
        "7: the node of a run hears of a completion at once",
        [
            Edit(
                _SCRIPTS,
                "return await self._driver.write_and_tell(script)",
                "return await self._driver.write(script)",
            )
        ],
        _stored("test_a_node_that_listens_hears_of_a_completion[sqlite]"),
    ),
]

REPORTS = [
    Fault(
        "remote-work-lost-with-its-node",
        "what a worker has is not lost with the node that queued it",
        [
            Edit(
                _INTAKE,
                "        if task.options.service is not None:\n",
                "        if task.options.service == '':\n",
            )
        ],
        _queued(
            "test_what_a_worker_has_is_not_lost_with_the_node_that_put_it_into_the_queue[sqlite]",
        ),
    ),
    Fault(
        "report-not-marked-as-read",
        "a message is read once",
        [
            Edit(
                "engine/engine.py",
                "            tick.attempts.settle_remote(attempt, report)\n"
                "            tick.take_stale(attempt.resident, message)\n",
                "            tick.attempts.settle_remote(attempt, report)\n",
            )
        ],
        _queued(
            "test_what_is_said_of_a_task_that_nobody_waits_for_is_read_and_changes_nothing[sqlite]",
        ),
    ),
    Fault(
        "stale-report-not-marked-as-read",
        "a message is read once, also if it tells nothing new",
        [
            Edit(
                _INTAKE,
                "self.stale.append((resident, message.id))\n        else:\n            self.reports",
                "pass\n        else:\n            self.reports",
            )
        ],
        _queued(
            "test_what_is_said_of_a_task_that_nobody_waits_for_is_read_and_changes_nothing[sqlite]",
        ),
    ),
    Fault(
        "broken-off-and-still-queued",
        "a task that was cancelled is nobody's any more",
        [
            Edit(
                "engine/tick.py",
                "            if attempt.stage is Stage.REMOTE:\n"
                "                self.commit.unqueued.append(UnqueuedTask(resident.key, seq))\n",
                "",
            )
        ],
        _queued("test_a_branch_that_is_broken_off_is_nobodys_any_more[sqlite]"),
    ),
    Fault(
        "branches-all-in-one-queue",
        "each branch waits for a worker of its own service",
        [Edit("authoring/flow/branches.py", "service=self._services[branch]", "service=self._services[0]")],
        _queued("test_a_branch_that_is_broken_off_is_nobodys_any_more[sqlite]"),
    ),
    Fault(
        "attempt-of-a-report-ignored",
        "numbers of attempts are not used again",
        [Edit(_ATTEMPTS, "        attempt.number = report.attempt\n", "")],
        _queued(_LOST),
    ),
    Fault(
        "losses-of-workers-forgotten",
        "attempts that workers lost are counted",
        [Edit(_ATTEMPTS, "        attempt.lost += report.attempt - attempt.number\n", "")],
        _queued(_LOST),
    ),
    Fault(
        "queued-again-without-a-wait",
        "the wait between two attempts holds for workers that ask, too",
        [
            Edit(
                _ATTEMPTS,
                "self.queue(again, self._now if due is None else due)",
                "self.queue(again, self._now)",
            )
        ],
        _queued(_LOST),
    ),
    Fault(
        "queued-again-by-the-next-node",
        "a wait between two attempts outlives the node",
        [
            Edit(
                _INTAKE,
                "        if task.options.service is not None:\n",
                "        if task.options.service is not None and record.status is not TaskStatus.PENDING:\n",
            )
        ],
        _queued("test_the_wait_between_two_attempts_goes_on_though_the_node_has_died[sqlite]"),
    ),
    Fault(
        "reports-to-sleeping-runs-unheard",
        "7: a run that is woken by a worker hears what it said",
        [
            Edit(
                _INTAKE,
                "if message.kind is MessageKind.TASK and message.taken is None:",
                "if message.kind is MessageKind.TASK and message.taken is not None:",
            )
        ],
        _queued("test_a_run_whose_work_is_in_the_queue_leaves_memory_and_says_what_it_waits_for[sqlite]"),
    ),
    Fault(
        "retry-keeps-queued-work-here",
        "a retry puts work for workers into the queue",
        [
            Edit(
                _ATTEMPTS,
                "        if attempt.options.service is not None:\n"
                "            self.queue(attempt, self._now)\n            return\n",
                "",
            )
        ],
        _queued("test_a_retry_puts_the_work_into_the_queue_again[sqlite]"),
    ),
    Fault(
        "held-work-moved-when-its-run-leaves",
        "a task that a worker has is shown as running",
        [
            Edit(
                "engine/tick.py",
                "if attempt.stage is Stage.BACKING_OFF or attempt.stage is Stage.REMOTE:",
                "if attempt.stage is Stage.BACKING_OFF:",
            )
        ],
        _queued("test_a_run_whose_work_is_in_the_queue_leaves_memory_and_says_what_it_waits_for[sqlite]"),
    ),
]

CALLS = [
    Fault(
        "error-of-a-service-failed-over",
        "a worker that says that the service has failed is believed",
        [
            Edit(
                _CALLS,
                'return Failed(capture(WorkerFailed(_text(said["error"]))))',
                'return NoAnswer(_text(said["error"]))',
            )
        ],
        [
            cases(
                "executors/test_http_answers.py",
                "test_a_worker_that_says_that_the_service_has_failed_is_believed_and_no_other_is_asked",
            )
        ],
    ),
    Fault(
        "answer-read-whole",
        "an answer without end takes no memory",
        [
            Edit(
                _CALLS,
                "            if len(body) > self._codec.limit:\n                return False\n"
                "        return True\n",
                "        return len(body) <= self._codec.limit\n",
            )
        ],
        [
            cases(
                "executors/test_http_answers.py",
                "test_an_answer_over_the_limit_is_not_read_any_further_and_nobody_else_is_asked",
            )
        ],
    ),
    Fault(
        "offline-workers-called",
        "workers that are offline are not called",
        [
            Edit(
                "executors/http/service_workers.py",
                "return worker.is_online and worker.type",
                "return worker.type",
            )
        ],
        [
            cases(
                "executors/test_http_failover.py",
                "test_workers_that_ask_by_themselves_or_are_offline_are_not_called",
            )
        ],
    ),
    Fault(
        "idempotency-key-without-the-run",
        "the idempotency key is of one task of one run",
        [Edit(_CALLS, "task_id(attempt.run, attempt.seq),", 'f"{attempt.name}:{attempt.seq}",')],
        [cases("executors/test_http.py", "test_a_worker_is_told_what_to_do_and_for_whom")],
    ),
    Fault(
        "broken-worker-asked-again",
        "a worker that gave no answer is left out for the rest of the attempt",
        [
            Edit(
                "executors/http/executor.py",
                "await self._workers.of(call.service, without=reasons)",
                "await self._workers.of(call.service)",
            )
        ],
        [
            cases(
                "executors/test_http_failover.py",
                "test_each_worker_is_asked_once_and_the_failure_names_them_all",
            )
        ],
    ),
]

API = [
    Fault(
        "keys-matched-by-case",
        "names in requests are matched without regard to case",
        [Edit("server/wire.py", 'name.replace("_", "").lower()', 'name.replace("_", "")')],
        [
            cases(
                "server/test_requests.py",
                "test_names_in_a_body_are_matched_without_regard_to_case_and_underscores",
            )
        ],
    ),
    Fault(
        "request-id-ignored",
        "a request that is sent again starts nothing new",
        [Edit("server/api/tasks.py", "id=data.request_id or None, ", "")],
        [cases("server/test_tasks.py", "test_a_request_that_is_sent_again_starts_nothing_new[sqlite]")],
    ),
    Fault(
        "gone-items-completed",
        "whoever completes what is not there is told",
        [
            Edit(
                "client/workers.py",
                "if answer is not CompletionResult.DONE:",
                "if answer is CompletionResult.LOST:",
            )
        ],
        [cases("client/test_workers.py", "test_what_is_no_longer_the_workers_is_refused_with_why")],
    ),
    Fault(
        "askers-allocated",
        "a worker that is allocated can be called",
        [Edit("client/workers.py", "if each.is_online and each.url != NO_URL]", "if each.is_online]")],
        [
            cases(
                "client/test_workers.py",
                "test_the_least_loaded_worker_that_is_online_and_can_be_called_is_allocated",
            )
        ],
    ),
]

FAULTS = [*LEASES, *REPORTS, *CALLS, *API]
