"""Faults in what the store promises: fences, ids, inboxes, wake-ups, and what becomes of a lost answer."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases, simulations
from tests.faults.query_edits import Query

FENCES = [
    Fault(
        "no-fence",
        "2: a stale owner changes nothing",
        [
            Code("stores.commit_script:_find_lost").replace(
                "frozenset(... for A in B)", "frozenset(... for A in B[:0])"
            )
        ],
        cases(
            "stores/test_commit.py", "test_a_lost_run_changes_nothing_and_the_others_of_the_commit_go_through"
        ),
    ),
    Fault(
        "fence-without-epoch",
        "2: a commit names the epoch",
        [Query("sqlite:find_lost").replace("epoch = A", "A >= 0")],
        cases("stores/test_commit.py", "test_the_right_owner_with_another_epoch_is_fenced_out"),
    ),
    Fault(
        "fence-without-epoch-on-postgres",
        "2: a commit names the epoch",
        [Query("postgres:find_lost").remove("OR runs.epoch IS DISTINCT FROM held.epoch")],
        cases("stores/test_commit.py", "test_the_right_owner_with_another_epoch_is_fenced_out"),
    ),
    Fault(
        "fence-without-owner",
        "2: who was freed of a run no longer writes for it",
        [Query("sqlite:find_lost").replace("owner = A", "A IS NOT NULL")],
        [
            *cases("stores/test_commit.py", "test_a_run_that_was_lost_to_another_node_is_recovered_as_lost"),
            *simulations(200),
        ],
    ),
    Fault(
        "told-lost-and-written",
        "2: a stale owner changes nothing",
        [Code("stores.commit_script:write_commit").replace("lost or A", "A")],
        cases(
            "stores/test_commit.py", "test_a_lost_run_changes_nothing_and_the_others_of_the_commit_go_through"
        ),
    ),
    Fault(
        "children-of-lost-runs",
        "2: a stale owner starts no children",
        [Code("stores.commit_script:_create").remove("A.parent not in lost")],
        cases(
            "stores/test_concurrent_writes.py", "test_children_that_a_stale_owner_asks_for_are_not_started"
        ),
    ),
    Fault(
        "claim-without-new-epoch",
        "2: each owner has an epoch of its own",
        [Query("sqlite:claim_runs").replace("epoch = epoch + 1", "epoch = epoch")],
        cases("stores/test_work.py", "test_a_claimed_run_is_owned_and_running_under_a_new_epoch"),
    ),
    Fault(
        "mail-that-is-left-is-forgotten",
        "7: an unread message wakes its run",
        [Code("stores.mail:read_mail").remove("tx.many('leave_mail', ...)")],
        cases("stores/test_mail.py", "test_what_does_not_fit_comes_with_the_next_collection"),
    ),
    Fault(
        "mail-without-a-bound",
        "a node reads no more mail at once than it has room for",
        [Code("stores.bounded_reads:read_within").replace("expected > room", "False")],
        cases("stores/test_mail.py", "test_what_does_not_fit_comes_with_the_next_collection"),
    ),
    Fault(
        "mail-in-memory-is-read-again",
        "a message is read from the store once",
        [Code("stores.commit_script:_take_work").replace("commit.read.get(A, 0)", "0")],
        cases("stores/test_mail.py", "test_what_is_in_memory_is_not_read_again"),
    ),
    Fault(
        "a-claimed-run-lacks-its-old-mail",
        "7: an unread message is heard",
        [
            Code("stores.commit_script:_take_work").replace(
                "(claim.run.key, 0)", "(claim.run.key, commit.read.get(claim.run.key, 0))"
            )
        ],
        cases("stores/test_mail.py", "test_a_run_that_is_claimed_gets_all_its_mail"),
    ),
    Fault(
        "one-run-takes-the-room-of-all",
        "each run gets its share of the mail",
        [Code("stores.mail:read_mail").replace("A // len(readers)", "A")],
        cases("stores/test_mail.py", "test_each_run_gets_its_share_of_many_messages"),
    ),
    Fault(
        "small-mail-is-not-counted",
        "a node reads no more mail at once than it has room for",
        [Code("stores.mail:read_mail").replace("room <= 0", "False")],
        cases("stores/test_mail.py", "test_small_messages_are_counted_too"),
    ),
    Fault(
        "claims-without-a-bound-of-bytes",
        "a node claims no more at once than it has room for",
        [Code("stores.commit_script:_claim").replace("wanted.bytes", "10**12")],
        cases("stores/test_mail.py", "test_no_more_runs_are_claimed_than_there_is_room_for_their_inputs"),
    ),
    Fault(
        "unread-mail-makes-a-history-long",
        "a history counts as what is read of it",
        [
            Query("sqlite:history_sizes").replace(
                "run = ?2 AND (taken >= ?6 OR (taken IS NULL AND kind = 'child'))", "run = ?2"
            )
        ],
        cases("stores/test_histories.py", "test_messages_that_were_read_and_children_count_as_rows"),
    ),
    Fault(
        "small-mail-overtakes-large",
        "messages of a run are read in the order in which they were sent",
        [Code("stores.mail:read_mail").replace("run not in left", "True")],
        cases("stores/test_mail.py", "test_small_messages_do_not_wait_for_large_ones_of_other_runs"),
    ),
    Fault(
        "cancelled-runs-wait-behind-new-ones",
        "a cancelled family does not grow faster than it ends",
        [Query("postgres:wake_cancelled_runs").replace("created_at - interval A", "created_at")],
        cases(
            "stores/test_work.py",
            "test_who_is_asked_to_end_comes_before_all_that_was_created_at_the_same_time",
        ),
    ),
    Fault(
        "reopen-without-new-epoch",
        "6: nothing decided before a retry is written after it",
        [Query("sqlite:reopen_runs").replace("epoch = epoch + 1", "epoch = epoch")],
        cases("stores/test_client.py", "test_an_ended_run_is_opened_again_with_its_tasks_and_messages"),
    ),
    Fault(
        "live-nodes-reaped",
        "2: a lease holds until it has run out",
        [Query("sqlite:delete_expired_nodes").replace("lease_until < A", "lease_until < A + 20000000")],
        [*cases("stores/test_work.py", "test_two_nodes_that_claim_at_once_share_the_runs"), *simulations(40)],
    ),
    Fault(
        "commits-do-not-renew",
        "2: a node that commits is alive",
        [Query("sqlite:hold_lease").replace("max(lease_until, excluded.lease_until)", "lease_until")],
        simulations(40),
    ),
    Fault(
        "reaper-waits-for-nobody",
        "2: of a late commit and a reaper one waits for the other",
        [Query("postgres:delete_expired_nodes").remove("FOR UPDATE SKIP LOCKED")],
        cases("stores/test_postgres.py", "test_a_reaper_passes_over_a_node_in_the_middle_of_a_commit"),
    ),
    Fault(
        "two-claim-the-same",
        "2: at most one owner",
        [Query("postgres:due_runs").remove("FOR UPDATE SKIP LOCKED")],
        cases("stores/test_work.py", "test_two_nodes_that_claim_at_once_share_the_runs[postgres]"),
    ),
]

IDS_AND_INBOXES = [
    Fault(
        "ids-taken-twice",
        "a start is idempotent on its id",
        [Code("stores.commit_script:create_runs").replace("A != len(runs)", "A > len(runs)")],
        cases("stores/test_commit.py", "test_an_id_belongs_to_the_first_run_that_has_it"),
    ),
    Fault(
        "retried-start-refused",
        "a start that was recorded is answered as started",
        [Code("stores.commit_script:create_runs").replace("is_retry", "is_retry and not runs")],
        cases("stores/test_commit.py", "test_a_run_that_an_earlier_try_has_added_is_not_added_again"),
    ),
    Fault(
        "promises-settled-twice",
        "6: a promise is settled once",
        [
            Code("stores.answers:_keep").replace(
                "A in self._ahead", "A in self._ahead and not message.payload"
            )
        ],
        cases("stores/test_client.py", "test_each_message_is_answered_for_itself"),
    ),
    Fault(
        "promises-settled-twice-in-one-call",
        "6: a promise is settled once",
        [Code("stores.answers:_keep").replace("self._ahead[A] = 1", "pass")],
        [*cases("stores/test_client.py", "test_each_message_is_answered_for_itself"), *simulations(200)],
    ),
    Fault(
        "mail-for-the-dead",
        "6: nothing happens to a run that is over",
        [Code("stores.delivery:_refusal").replace("A in _FINAL", "False")],
        cases("stores/test_client.py", "test_each_message_is_answered_for_itself"),
    ),
    Fault(
        "mail-newest-first",
        "4: signals come in the order they were sent",
        [Code("stores.mail:read_mail").replace("sorted(A, key=B)", "sorted(A, key=B, reverse=True)")],
        [
            *cases("stores/test_work.py", "test_mail_of_an_owned_run_is_collected_once_by_its_owner"),
            *cases("authoring/code/test_messages.py", "test_signals_come_in_order_and_each_once"),
        ],
    ),
    Fault(
        "mail-newest-first-after-a-load",
        "4: signals come in the order they were sent",
        [Code("engine.loading:late_mail").replace("sorted(A)", "sorted(A, reverse=True)")],
        cases("authoring/code/test_messages.py", "test_signals_come_in_order_and_each_once"),
    ),
    Fault(
        "senders-do-not-wait",
        "4: messages are numbered in the order in which they can be seen",
        [Query("postgres:lock_runs").remove("FOR UPDATE")],
        cases(
            "stores/test_concurrent_writes.py",
            "test_of_two_who_settle_a_promise_in_the_same_instant_the_second_sees_the_first",
        ),
    ),
    Fault(
        "parents-hear-nothing",
        "7: the end of a child wakes its parent",
        [Code("stores.commit_script:_end_and_release").replace("A.parent is not None", "A.parent == A.run")],
        cases("stores/test_commit.py", "test_a_run_that_ends_wakes_its_parent_with_a_message"),
    ),
]

WAKING = [
    Fault(
        "only-the-later-wake-up",
        "7: mail that came while a run was released wakes it",
        [Query("sqlite:release_runs").replace("min(coalesce(A, wake_at), coalesce(wake_at, A))", "A")],
        cases("stores/test_work.py", "test_a_message_that_came_before_the_release_still_wakes_the_run"),
    ),
    Fault(
        "only-the-later-wake-up-on-postgres",
        "7: mail that came while a run was released wakes it",
        [Query("postgres:release_runs").replace("least(released.wake_at, runs.wake_at)", "released.wake_at")],
        cases("stores/test_work.py", "test_a_message_that_came_before_the_release_still_wakes_the_run"),
    ),
    Fault(
        "parked-runs-claimed",
        "5: a parked run waits for its operator",
        [Query("sqlite:wake_runs").replace("status IN ('pending', 'running')", "finished_at IS NULL")],
        cases("stores/test_work.py", "test_a_parked_run_is_not_taken_whatever_is_posted_to_it"),
    ),
    Fault(
        "old-wait-counts",
        "what a run waited for under an earlier epoch counts no more",
        [Query("sqlite:wake_runs").remove("AND waiting_epoch = epoch")],
        cases(
            "stores/test_rows_of_0_4_0.py",
            "test_a_run_that_0_4_0_has_had_since_does_not_wait_for_its_turn_any_more[sqlite]",
        ),
    ),
    Fault(
        "mail-wakes-before-the-turn",
        "a child that its parent holds back is not woken by mail",
        [
            Query("sqlite:wake_runs").remove(
                "AND (waiting_kind = 'turn' AND waiting_epoch = epoch) IS NOT TRUE"
            )
        ],
        cases(
            "stores/test_client.py",
            "test_mail_does_not_wake_a_run_that_waits_for_its_turn[sqlite]",
        ),
    ),
    Fault(
        "dead-nodes-keep-their-runs",
        "7: runs of a dead node are taken by others",
        [Code("stores.commit_script:_reap_and_find_due").remove('A.many("free_runs", ...)')],
        cases(
            "stores/test_work.py", "test_a_dead_nodes_runs_go_to_another_and_its_late_commit_is_fenced_out"
        ),
    ),
    Fault(
        "runs-of-the-dead-not-found-at-once",
        "7: runs of a dead node are taken by others",
        [
            Code("stores.commit_script:_reap_and_find_due").replace(
                "return due()", "return due() * (not expired)"
            )
        ],
        cases(
            "stores/test_work.py", "test_a_dead_nodes_runs_go_to_another_and_its_late_commit_is_fenced_out"
        ),
    ),
    Fault(
        "histories-read-however-large",
        "bounded work: histories are read within a number of bytes",
        [Code("stores.histories:_read_short").replace("A and short", "A and not short")],
        cases("stores/test_histories.py", "test_nor_more_bytes_but_at_least_one_history"),
    ),
    Fault(
        "sizes-of-histories-asked-for-in-vain",
        "fast: what does not fit is not looked at again and again",
        [Code("engine.run_loader:RunLoader._read_short").replace("2 * read", "100 * read")],
        cases("engine/test_loading.py", "test_large_histories_are_read_one_after_the_other[sqlite]"),
    ),
    Fault(
        "leaving-keeps-the-runs",
        "7: a node that stops hands its runs over at once",
        [Code("stores.nodes:remove_node").remove('A.many("free_runs", ...)')],
        cases("stores/test_work.py", "test_a_node_that_leaves_hands_its_runs_over_at_once"),
    ),
    Fault(
        "deaths-not-counted",
        "7: a run that kills its nodes is found out",
        [
            Code("stores.commit_script:_reap_and_find_due").replace(
                'A.many("free_runs", B, C, 1)', 'A.many("free_runs", B, C, 0)'
            )
        ],
        cases(
            "stores/test_work.py",
            "test_a_run_that_a_dead_node_had_has_had_a_setback_and_one_that_was_handed_back_has_not",
        ),
    ),
    Fault(
        "suspects-taken-with-everybody",
        "7: a run that kills its nodes does so alone in the end",
        [Code("stores.commit_script:_in_safe_company").replace("min(A, claim_limit(...))", "A")],
        cases(
            "stores/test_work.py",
            "test_runs_with_setbacks_are_taken_in_ever_smaller_company_and_do_not_hold_up_others",
        ),
    ),
    Fault(
        "idle-nodes-reap-each-other",
        "an idle node writes nothing",
        [Query("sqlite:next_work").remove("AND EXISTS (SELECT 1 FROM runs WHERE owner = nodes.id)")],
        cases("engine/test_admission.py", "test_nodes_with_nothing_to_do_leave_the_database_alone[sqlite]"),
    ),
    Fault(
        "an-answered-question-stays-open",
        "4: a question is answered once",
        [Code("stores.answers:place_answers").remove('A.many("answer_questions", ...)')],
        cases(
            "authoring/code/test_questions.py",
            "test_a_name_that_is_asked_for_again_is_a_new_question[sqlite]",
        ),
    ),
    Fault(
        "tasks-of-the-cancelled-stay-open",
        "6: a run that is over has no task under way",
        [Code("stores.runs:cancel_parked_run").remove("cancel_open_tasks(...)")],
        cases(
            "other_systems/test_cancelling.py",
            "test_a_cancelled_run_that_was_parked_leaves_no_task_and_no_child_open[sqlite]",
        ),
    ),
    Fault(
        "parked-run-cancelled-after-it-has-moved",
        "6: a cancelled family is the one that was looked at",
        [Query("sqlite:cancel_parked_run").replace("epoch = A", "A >= 0")],
        cases("stores/test_work.py", "test_a_parked_run_can_be_cancelled_and_tells_its_parent"),
    ),
    Fault(
        "silent-commits",
        "7: others hear of what a commit has for them",
        [Code("stores.commit_script:write_commit").remove("_announce(...)")],
        cases("stores/test_listen.py", "test_what_one_store_changes_is_heard_by_the_other[postgres]"),
    ),
    Fault(
        "silent-clients",
        "7: nodes hear of a run that a client adds",
        [Code("stores.runs:create_runs").remove("A.announce(DUE)")],
        cases("stores/test_listen.py", "test_what_one_store_changes_is_heard_by_the_other[postgres]"),
    ),
    Fault(
        "blind-doctor",
        "7: one query proves that nothing is stranded",
        [
            Query("sqlite:stranded_runs").replace(
                "WHEN waiting IS NULL THEN true", "WHEN waiting IS NULL THEN false"
            )
        ],
        cases(
            "stores/test_work.py",
            "test_every_reason_to_be_stranded_is_found_and_no_run_with_a_reason_to_wake",
        ),
    ),
]

RECOVERY = [
    Fault(
        "recover-without-mail",
        "7: mail that a commit collected is heard though its answer was lost",
        [Code("stores.commit_script:recover_commit").replace("read_mail(...)", "([], False)")],
        [
            *cases("stores/test_commit.py", "test_a_commit_whose_answer_was_lost_is_recovered_if_it_stands"),
            *simulations(200),
        ],
    ),
    Fault(
        "recover-without-lost-runs",
        "2: who lost a run is told, also by a late answer",
        [Code("stores.commit_script:recover_commit").replace("_were_lost(...)", "frozenset()")],
        cases("stores/test_commit.py", "test_a_run_that_was_lost_to_another_node_is_recovered_as_lost"),
    ),
    Fault(
        "recover-without-claims",
        "7: runs that a commit claimed are done though its answer was lost",
        [Code("stores.commit_script:recover_commit").replace("[Claimed(...) for A in B]", "[]")],
        cases("stores/test_commit.py", "test_a_commit_whose_answer_was_lost_is_recovered_if_it_stands"),
    ),
    Fault(
        "recover-any-commit",
        "3: a commit that never came is sent again",
        [Code("stores.commit_script:recover_commit").replace("status != 'committed'", "not status")],
        cases(
            "stores/test_concurrent_writes.py",
            "test_the_last_commit_of_a_node_is_recovered_and_not_one_that_was_not_written",
        ),
    ),
    Fault(
        "late-questions-take-mail-away",
        "7: nobody waits for a message that was taken away unread",
        [
            Code("stores.commit_script:recover_commit").replace(
                'tx.rows("owned_runs", A)', '(tx.rows("collect_mail", A), tx.rows("owned_runs", A))[1]'
            )
        ],
        cases("stores/test_commit.py", "test_a_question_for_a_commit_that_comes_late_takes_no_mail_away"),
    ),
    Fault(
        "recover-does-not-wait",
        "3: a commit that is still under way is waited for",
        [Query("postgres:await_commit").remove("FOR UPDATE")],
        cases("stores/test_postgres.py", "test_a_commit_whose_answer_was_lost_is_waited_for"),
    ),
    Fault(
        "commits-noticed-before-they-are-visible",
        "7: nobody waits for a wake-up that was lost, however slow the disk is",
        [
            Code("stores.sqlite.watching:read_header").replace(
                "os.pread(...)", "str(os.stat(f'{path}-wal')).encode()"
            )
        ],
        cases("stores/test_sqlite_watching.py", "test_a_commit_is_heard_as_soon_as_it_is_visible[0.6]"),
    ),
    Fault(
        "own-commits-taken-for-those-of-others",
        "fast: nobody polls because of a commit of one's own",
        [Code("stores.sqlite.watching:OwnCommits.end").replace("self._count += is_counted", "pass")],
        cases("stores/test_sqlite_watching.py", "test_only_commits_of_others_are_heard"),
    ),
    Fault(
        "commits-under-way-taken-for-those-of-others",
        "fast: nobody polls because of a commit of one's own",
        [Code("stores.sqlite.watching:OwnCommits.begin").replace("True", "False")],
        cases("stores/test_sqlite_watching.py", "test_only_commits_of_others_are_heard"),
    ),
    Fault(
        "transactions-that-change-nothing-are-counted",
        "7: nobody waits for a wake-up that was lost, because a commit was counted that is none",
        [
            Code("stores.sqlite.driver:SqliteConnection._commit").replace(
                "self._pages_written() != before", "True"
            )
        ],
        cases("stores/test_sqlite_watching.py", "test_only_commits_of_others_are_heard"),
    ),
    Fault(
        "commits-of-others-taken-for-own-ones",
        "7: nobody waits for a wake-up that was lost, however busy the process is",
        [
            Code("stores.sqlite.watching:watch").replace(
                "now.by_others != seen.by_others", "now.own == seen.own"
            )
        ],
        cases(
            "stores/test_sqlite_watching.py",
            "test_a_commit_of_another_process_among_many_of_its_own_is_heard",
        ),
    ),
    Fault(
        "relative-paths-follow-the-process",
        "2: one owner: a node renews its lease in the database in which it has it",
        [
            Code("stores.sqlite.driver:SqliteDatabase.__init__").replace(
                "os.path.abspath(path)", "os.path.relpath(path)"
            )
        ],
        cases("stores/test_sqlite.py", "test_a_relative_path_stays_where_it_was_when_the_store_was_made"),
    ),
    Fault(
        "watching-drops-the-locks-of-sqlite",
        "2: one writer at a time, also while commits are watched",
        [
            Code("stores.sqlite.watching:_descriptor_of").replace(
                "descriptor is not None and not os.fstat(descriptor).st_nlink", "descriptor is not None"
            )
        ],
        cases("stores/test_sqlite_watching.py", "test_watching_leaves_the_locks_of_sqlite_alone"),
    ),
    Fault(
        "commits-not-synced",
        "1: what is committed survives a power cut",
        [
            Code("stores.sqlite.driver:_SETTINGS").replace(
                '"... synchronous = FULL;..."', '"... synchronous = NORMAL;..."'
            )
        ],
        cases("stores/test_sqlite.py", "test_every_commit_is_synced_to_disk"),
    ),
    Fault(
        "journal-gap-accepted",
        "5: a journal with a step missing is not replayed",
        [Code("stores.records:steps_by_run").replace("A != len(B)", "A < len(B)")],
        cases("stores/test_concurrent_writes.py", "test_a_journal_with_a_step_missing_is_loaded_as_damaged"),
    ),
    Fault(
        "damage-overlooked",
        "5: a journal that cannot be read is not replayed",
        [
            Code("core.history:_Restorer.restore").replace(
                "A.damage is not None", "A.damage is not None and not A.steps"
            )
        ],
        cases("core/test_history.py", "test_a_journal_that_does_not_fit_its_rows_is_not_restored"),
    ),
    Fault(
        "damage-overlooked-by-a-retry",
        "5: a run whose journal cannot be read is not reopened",
        [
            Code("core.history:read_steps").replace(
                "A.damage is not None", "A.damage is not None and not A.steps"
            )
        ],
        cases("core/test_history.py", "test_a_damaged_journal_is_not_read_for_a_retry"),
    ),
]

LISTS = [
    Fault(
        "owned-runs-not-listed",
        "a list has every run that matches",
        [Code("stores.run_lists:_ranges").replace("RunStatus.RUNNING in A", "False")],
        cases("stores/test_run_lists.py", "test_a_list_has_the_newest_runs_that_match[sqlite-order]"),
    ),
    Fault(
        "few-successes-not-found",
        "a list has every run that matches",
        [Code("stores.run_lists:_recent_successes").replace("len(keys) >= newest", "True")],
        cases("stores/test_run_lists.py", "test_few_successful_runs_are_found_behind_many_others[sqlite]"),
    ),
    Fault(
        "empty-page-ends-the-list",
        "a list has every run that matches",
        [
            Code("stores.run_lists:_look").replace(
                "runs[A] if has_more else None", "keys[-1] if keys else None"
            )
        ],
        cases("stores/test_run_conditions.py", "test_a_page_looks_at_a_limited_number_of_runs[sqlite]"),
    ),
    Fault(
        "text-found-in-the-json-of-a-failure",
        "a list has no run that does not match",
        [Code("stores.run_conditions:_is_meant").replace("text is None or A", "True")],
        cases(
            "stores/test_run_conditions.py", "test_a_failure_is_found_by_its_class_and_its_message[sqlite]"
        ),
    ),
    Fault(
        "pattern-not-escaped",
        "text is looked for as it is written",
        [Code("stores.run_conditions:_pattern").replace("text.replace(A, B)", "text")],
        cases("stores/test_run_conditions.py", "test_text_is_looked_for_as_it_is_written[sqlite]"),
    ),
    Fault(
        "large-page-not-cut",
        "a page is limited in bytes",
        [Code("stores.run_overviews:read_listed").replace("room <= 0 and A", "False")],
        cases(
            "stores/test_run_conditions.py",
            "test_a_page_of_runs_that_the_database_compresses_is_cut_too[postgres]",
        ),
    ),
    Fault(
        "total-counts-one-range",
        "a total counts every run that matches",
        [Code("stores.run_lists:count_of_ranges").replace("total += A[0][0]", "total = A[0][0]")],
        cases(
            "stores/test_run_lists.py",
            "test_a_page_and_its_total_count_the_runs_that_match[sqlite-None-order]",
        ),
    ),
    *(
        Fault(
            f"keys-of-runs-before-the-time-{name}",
            "a list has no run that does not match",
            [Query(f"sqlite:{name}").replace("key >= coalesce(?3, x'')", "?3 IS ?3")],
            cases(
                "stores/test_run_lists.py", "test_runs_of_a_time_are_counted_by_state_and_workflow[sqlite-*]"
            ),
        )
        for name in ("keys_of_ended_runs", "count_all_runs_by_status")
    ),
    Fault(
        "doctor-reads-all-at-once",
        "no query holds up others for long",
        [Code("stores.runs:_examine").replace("A[0][0] if A else None", "None")],
        cases("stores/test_run_lists.py", "test_the_doctor_looks_at_all_open_runs_page_by_page[sqlite]"),
    ),
    Fault(
        "owned-runs-by-namespace",
        "no query reads a namespace whole",
        [Query("postgres:page_of_owned_runs").replace("owner IS NOT NULL OFFSET 0", "owner IS NOT NULL")],
        cases(
            "stores/test_plans.py",
            "test_of_all_owned_runs_and_of_all_workflows_only_the_index_is_read[young-postgres]",
        ),
    ),
    Fault(
        "messages-read-whole",
        "no query reads all messages",
        [
            Query("postgres:stranded_runs").replace(
                "taken IS NULL OFFSET 0) THEN true", "taken IS NULL) THEN true"
            )
        ],
        cases("stores/test_plans.py", "test_every_query_goes_through_its_index[young-postgres]"),
    ),
]

MIGRATIONS = [
    Fault(
        "additions-refused-by-older-releases",
        "a deploy can be taken back",
        [Code("stores.named_queries:needs").replace("int(A[1]) if A else B", "self.number")],
        cases("stores/test_migrating.py", "test_a_database_needs_only_what_0_4_0_knows[sqlite]"),
    ),
    Fault(
        "newer-schema-used-blindly",
        "8: a schema that this release cannot use is refused before anything is changed",
        [Code("stores.migrations:migrate").replace("A.needs > B", "A.needs > B + 1")],
        cases(
            "stores/test_migrating.py",
            "test_a_change_that_it_may_not_go_on_with_is_refused_and_nothing_is_changed[sqlite]",
        ),
    ),
    Fault(
        "migration-waits-in-the-way",
        "a migration that waits for a lock holds up nobody",
        [Code("stores.postgres.migrating:_LOCK_SECONDS").replace("2", "0")],
        cases(
            "stores/test_migrating.py",
            "test_a_migration_that_waits_for_a_lock_holds_up_nobody_and_says_for_whom_it_waits",
        ),
    ),
    Fault(
        "half-built-index-kept",
        "an index that was left half built is built again",
        [Code("stores.postgres.migrating:build_index").replace("if A: return", "if A is not None: return")],
        cases("stores/test_migrating.py", "test_an_index_that_was_left_half_built_is_built_again"),
    ),
    Fault(
        "batches-recorded-too-soon",
        "a back-fill goes on after a crash",
        [Code("stores.migrations:apply_batch").replace("not changed", "True")],
        cases(
            "stores/test_migrating.py",
            "test_a_back_fill_commits_batch_by_batch_and_goes_on_after_a_crash[sqlite]",
        ),
    ),
]

LIMITS = [
    Fault(
        "one-statement-for-all-payloads",
        "7: no commit is too large for the store",
        [Code("stores.postgres.arrays:split_by_size").replace("A <= most", "True")],
        cases(
            "engine/test_bounded_work.py",
            "test_a_step_of_many_large_inputs_is_sent_in_several_statements",
        ),
    ),
]

FAULTS = [*FENCES, *IDS_AND_INBOXES, *WAKING, *RECOVERY, *LISTS, *MIGRATIONS, *LIMITS]
