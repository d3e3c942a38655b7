"""Faults around workers: the queue and its leases, what they report, calls over HTTP, and the API."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Check, Fault, cases
from tests.faults.query_edits import Query

_TAKEN_OVER = "test_when_the_lease_runs_out_the_next_one_takes_the_item_and_the_first_is_refused"
_HEARTBEAT = "test_a_heartbeat_renews_all_that_its_worker_has_and_nothing_of_others"
_LOST = "test_attempts_that_workers_lost_are_counted_and_are_no_failures[sqlite-True]"


def _stored(name: str) -> list[Check]:
    return cases("stores/test_queue.py", name)


def _queued(name: str) -> list[Check]:
    return cases("engine/test_queued_work.py", name)


LEASES = [
    Fault(
        "late-completion-accepted",
        "who has lost its lease changes nothing",
        [Query("sqlite:end_item").replace("lease = A", "A > 0")],
        _stored(f"{_TAKEN_OVER}[sqlite]"),
    ),
    Fault(
        "late-completion-accepted-on-postgres",
        "who has lost its lease changes nothing",
        [Query("postgres:end_item").replace("lease = A", "A > 0")],
        _stored(f"{_TAKEN_OVER}[postgres]"),
    ),
    Fault(
        "held-item-handed-out",
        "one worker at a time has an item",
        [Query("sqlite:take_item").replace("ready_at = A", "ready_at = min(ready_at, A)")],
        _stored("test_what_is_taken_is_not_given_to_another[sqlite]"),
    ),
    Fault(
        "item-not-locked",
        "two who ask at once never get the same item",
        [Query("postgres:lock_due_item").remove("FOR UPDATE SKIP LOCKED")],
        cases(
            "stores/test_concurrent_queue.py",
            "test_an_item_that_another_is_just_taking_is_passed_over",
            "test_two_who_ask_at_once_never_get_the_same_item",
        ),
    ),
    Fault(
        "takeover-not-recorded",
        "an attempt that was lost can be seen, with who lost it",
        [Code("stores.workers:_take").remove('A.run("insert_lost_attempt", ...)')],
        _stored(f"{_TAKEN_OVER}[sqlite]"),
    ),
    Fault(
        "lost-for-ever",
        "what kills its workers is given up",
        [Code("stores.workers:_take").replace("A > LOST_ATTEMPTS_ALLOWED", "A < 0")],
        _stored("test_what_is_lost_too_often_is_told_to_the_run_as_failed[sqlite]"),
    ),
    Fault(
        "heartbeat-renews-nothing",
        "a worker that lives keeps what it has",
        [Code("stores.workers:record_heartbeat").remove('A.run("renew_items_of", ...)')],
        cases("stores/test_workers.py", f"{_HEARTBEAT}[sqlite]"),
    ),
    Fault(
        "heartbeat-renews-everything",
        "a worker keeps nothing of others",
        [Query("sqlite:renew_items_of").replace("worker = A", "worker IS NOT NULL AND A <> ''")],
        cases("stores/test_workers.py", f"{_HEARTBEAT}[sqlite]"),
    ),
    Fault(
        "put-again-and-still-held",
        "who had an earlier attempt cannot complete the next",
        [Query("sqlite:queue_tasks").remove("worker = NULL, taken_at = NULL,")],
        _stored("test_what_is_put_again_is_taken_from_whoever_has_it[sqlite]"),
    ),
    Fault(
        "numbers-of-leases-used-again",
        "who has lost its lease changes nothing, also when the item was put again",
        [Query("sqlite:queue_tasks").replace("max(lease, excluded.lease)", "excluded.lease")],
        _stored("test_what_is_taken_out_and_put_again_in_one_commit_counts_its_leases_on[sqlite]"),
    ),
    Fault(
        "stale-owner-queues",
        "2: a stale owner writes nothing, not even into the queue",
        [Code("ports.commits:ROWS_OF_RUNS").remove('"queued"')],
        _stored("test_a_node_that_has_lost_a_run_puts_nothing_into_the_queue_and_takes_nothing_out[sqlite]"),
    ),
    Fault(
        "work-of-ended-runs-handed-out",
        "nobody works for a run that is over",
        [
            Query("sqlite:wanted_task").replace(
                "runs.status NOT IN ('success', 'failed', 'cancelled')", "runs.status <> ''"
            )
        ],
        _stored("test_an_item_whose_task_or_run_is_over_is_not_handed_out[sqlite]"),
    ),
    Fault(
        "cancelled-run-leaves-its-items",
        "a run that was cancelled has nothing in the queue",
        [Code("stores.commit_script:_write_queue").remove('A.many("clear_queue", ...)')],
        _stored("test_a_run_that_ends_cancelled_loses_its_items_with_its_tasks[sqlite]"),
    ),
    Fault(
        "parked-run-leaves-its-items",
        "a parked run that is cancelled has nothing in the queue",
        [Code("stores.runs:cancel_parked_run").remove('A.many("clear_queue", ...)')],
        _stored("test_a_parked_run_that_is_cancelled_loses_its_items[sqlite]"),
    ),
    Fault(
        "completion-untold",
        "7: the node of a run hears of a completion at once",
        [Code("stores.workers:complete_item").replace("A.write_and_tell", "A.write")],
        _stored("test_a_node_that_listens_hears_of_a_completion[sqlite]"),
    ),
]

REPORTS = [
    Fault(
        "remote-work-lost-with-its-node",
        "what a worker has is not lost with the node that queued it",
        [Code("engine.run_loader:_resume_task").replace("A.service is not None", "A.service == ''")],
        _queued("test_what_a_worker_has_is_not_lost_with_the_node_that_put_it_into_the_queue[sqlite]"),
    ),
    Fault(
        "report-not-marked-as-read",
        "a message is read once",
        [
            Code("engine.tick:hear").replace(
                "A.conclude_remote(...); B.mark_read(...)", "A.conclude_remote(...)"
            )
        ],
        _queued("test_what_is_said_of_a_task_that_nobody_waits_for_is_read_and_changes_nothing[sqlite]"),
    ),
    Fault(
        "stale-report-not-marked-as-read",
        "a message is read once, also if it tells nothing new",
        [Code("engine.run_loader:_receive_report").remove("self._inbox.post(MessageStale(...))")],
        _queued("test_what_is_said_of_a_task_that_nobody_waits_for_is_read_and_changes_nothing[sqlite]"),
    ),
    Fault(
        "broken-off-and-still-queued",
        "a task that was cancelled is nobody's any more",
        [Code("engine.tick:_cancel_task").remove("if A.stage is Stage.REMOTE: ...")],
        _queued("test_a_branch_that_is_broken_off_is_nobodys_any_more[sqlite]"),
    ),
    Fault(
        "branches-all-in-one-queue",
        "each branch waits for a worker of its own service",
        [Code("authoring.flow.branches:_options").replace("self._services[A]", "self._services[0]")],
        _queued("test_a_branch_that_is_broken_off_is_nobodys_any_more[sqlite]"),
    ),
    Fault(
        "attempt-of-a-report-ignored",
        "numbers of attempts are not used again",
        [Code("engine.attempt_recorder:conclude_remote").remove("A.number = ...")],
        _queued(_LOST),
    ),
    Fault(
        "losses-of-workers-forgotten",
        "attempts that workers lost are counted",
        [Code("engine.attempt_recorder:conclude_remote").remove("A.lost += ...")],
        _queued(_LOST),
    ),
    Fault(
        "queued-again-without-a-wait",
        "the wait between two attempts holds for workers that ask, too",
        [
            Code("engine.attempt_recorder:_try_again").replace(
                "self.offer_to_workers(A, B if ... else C)", "self.offer_to_workers(A, B)"
            )
        ],
        _queued(_LOST),
    ),
    Fault(
        "queued-again-by-the-next-node",
        "a wait between two attempts outlives the node",
        [
            Code("engine.run_loader:_resume_task").replace(
                "A.service is not None", "A.service is not None and record.status is not TaskStatus.PENDING"
            )
        ],
        _queued("test_the_wait_between_two_attempts_goes_on_though_the_node_has_died[sqlite]"),
    ),
    Fault(
        "reports-to-sleeping-runs-unheard",
        "7: a run that is woken by a worker hears what it said",
        [Code("engine.run_loader:_replay_some").remove("late += loading.late_mail()")],
        _queued("test_a_run_whose_work_is_in_the_queue_leaves_memory_and_says_what_it_waits_for[sqlite]"),
    ),
    Fault(
        "retry-keeps-queued-work-here",
        "a retry puts work for workers into the queue",
        [Code("engine.attempt_recorder:dispatch_due").remove("if A.service is not None: ...")],
        _queued("test_a_retry_puts_the_work_into_the_queue_again[sqlite]"),
    ),
    Fault(
        "held-work-moved-when-its-run-leaves",
        "a task that a worker has is shown as running",
        [Code("engine.tick:_hand_back").remove("A.stage is Stage.REMOTE")],
        _queued("test_a_run_whose_work_is_in_the_queue_leaves_memory_and_says_what_it_waits_for[sqlite]"),
    ),
]

CALLS = [
    Fault(
        "error-of-a-service-failed-over",
        "a worker that says that the service has failed is believed",
        [
            Code("executors.http.worker_client:_interpret").replace(
                "Failed(capture(WorkerFailed(A)))", "NoAnswer(A)"
            )
        ],
        cases(
            "executors/http/test_http_answers.py",
            "test_a_worker_that_says_that_the_service_has_failed_is_believed_and_no_other_is_asked",
        ),
    ),
    Fault(
        "answer-read-whole",
        "an answer without end takes no memory",
        [
            Code("executors.http.worker_client:_read").remove("if A: return False"),
            Code("executors.http.worker_client:_read").replace(
                "return True", "return len(body) <= self._codec.limit"
            ),
        ],
        cases(
            "executors/http/test_http_answers.py",
            "test_an_answer_over_the_limit_is_not_read_any_further_and_nobody_else_is_asked",
        ),
    ),
    Fault(
        "offline-workers-called",
        "workers that are offline are not called",
        [Code("executors.http.service_workers:_can_be_called").remove("A.is_online")],
        cases(
            "executors/http/test_http_failover.py",
            "test_workers_that_ask_by_themselves_or_are_offline_are_not_called",
        ),
    ),
    Fault(
        "idempotency-key-without-the-run",
        "the idempotency key is of one task of one run",
        [
            Code("executors.http.worker_client:_headers").replace(
                "task_id(A.run, A.seq)", 'f"{attempt.name}:{attempt.seq}"'
            )
        ],
        cases("executors/http/test_http.py", "test_a_worker_is_told_what_to_do_and_for_whom"),
    ),
    Fault(
        "broken-worker-asked-again",
        "a worker that gave no answer is left out for the rest of the attempt",
        [Code("executors.http.executor:_perform").replace("A.online(B, exclude=...)", "A.online(B)")],
        cases(
            "executors/http/test_http_failover.py",
            "test_each_worker_is_asked_once_and_the_failure_names_them_all",
        ),
    ),
]

API = [
    Fault(
        "keys-matched-by-case",
        "names in requests are matched without regard to case",
        [Code("server.compat.wire:folded").replace("A.lower()", "A")],
        cases(
            "server/test_requests.py",
            "test_names_in_a_body_are_matched_without_regard_to_case_and_underscores",
        ),
    ),
    Fault(
        "request-id-ignored",
        "a request that is sent again starts nothing new",
        [Code("server.compat.flows.tasks:create_task").remove("data.request_id or None")],
        cases("server/test_tasks.py", "test_a_request_that_is_sent_again_starts_nothing_new[sqlite]"),
    ),
    Fault(
        "gone-items-completed",
        "whoever completes what is not there is told",
        [
            Code("client.workers:complete").replace(
                "A is not CompletionResult.DONE", "A is CompletionResult.LOST"
            )
        ],
        cases("client/test_workers.py", "test_what_is_no_longer_the_workers_is_refused_with_why"),
    ),
    Fault(
        "askers-allocated",
        "a worker that is allocated can be called",
        [Code("client.workers:allocate").remove("A.url != NO_URL")],
        cases(
            "client/test_workers.py",
            "test_the_least_loaded_worker_that_is_online_and_can_be_called_is_allocated",
        ),
    ),
]

FLEETS_SEEN = [
    Fault(
        "items-due-count-those-of-workers",
        "an operator sees what waits for a worker",
        [Query("sqlite:count_queued").replace("ready_at <= ?2 LIMIT ?3", "ready_at >= 0 OR ?2 LIMIT ?3")],
        cases("stores/test_fleet.py", "test_a_queue_says_what_waits_since_when_and_who_has_what[sqlite]"),
    ),
    Fault(
        "a-bound-taken-for-a-count",
        "a number that is not exact says so",
        [Code("client.fleet:Fleet.queues").replace("row.items < COUNTED_TO", "True")],
        cases("stores/test_fleet.py", "test_what_is_many_is_counted_up_to_a_bound[sqlite]"),
    ),
]

ADDRESSES = [
    Fault(
        "mapped-addresses-taken-as-written",
        "an address is checked as what is connected to",
        [Code("core.outbound:_plain").replace("return address.ipv4_mapped", "return address")],
        cases("core/test_outbound.py", "test_networks_addresses_and_names_can_be_allowed"),
    ),
    Fault(
        "names-of-this-machine-believed",
        "a name that resolves to this machine is not allowed as this machine is",
        [
            Code("core.outbound:refusal").replace(
                "loopback and A.is_loopback and (host == B or C is not None)", "loopback and A.is_loopback"
            )
        ],
        cases(
            "executors/http/test_outbound_gate.py",
            "test_a_name_that_resolves_to_this_machine_is_refused_though_this_machine_is_allowed",
        ),
    ),
    Fault(
        "name-resolved-again",
        "what is connected to is the address that was checked",
        [Code("executors.http.pinned_transport:connect_tcp").replace("str(addresses[-1])", "host")],
        cases(
            "executors/http/test_outbound_gate.py",
            "test_the_address_that_was_checked_is_the_one_connected_to",
        ),
    ),
    Fault(
        "keys-and-loopback",
        "a server that asks for keys lets nobody connect to its own machine",
        [Code("app:_gateway").replace("A.is_local and not needs_key", "A.is_local")],
        cases(
            "server/test_workers.py",
            "test_a_server_that_asks_for_keys_takes_workers_of_this_machine_only_if_told_so",
        ),
    ),
]

FAULTS = [*LEASES, *REPORTS, *CALLS, *API, *FLEETS_SEEN, *ADDRESSES]
