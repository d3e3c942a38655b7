"""Faults in what the store promises: fences, ids, inboxes, wake-ups, and what becomes of a lost answer."""

from __future__ import annotations

from tests.faults.fault import Edit, Fault, cases, simulations

_SCRIPT = "stores/commit_script.py"
_SQLITE_RUNS = "stores/sqlite/sql/runs.sql"
_POSTGRES_RUNS = "stores/postgres/sql/runs.sql"

FENCES = [
    Fault(
        "no-fence",
        "2: a stale owner changes nothing",
        [
            Edit(
                _SCRIPT,
                "    return frozenset(row[0] for row in lost)\n",
                "    return frozenset(row[0] for row in lost[:0])\n",
            )
        ],
        [
            cases(
                "stores/test_commit.py",
                "test_a_lost_run_changes_nothing_and_the_others_of_the_commit_go_through",
            )
        ],
    ),
    Fault(
        "fence-without-epoch",
        "2: a commit names the epoch",
        [Edit(_SQLITE_RUNS, "AND owner = ?2 AND epoch = ?4", "AND owner = ?2 AND ?4 >= 0")],
        [cases("stores/test_commit.py", "test_the_right_owner_with_another_epoch_is_fenced_out")],
    ),
    Fault(
        "fence-without-epoch-on-postgres",
        "2: a commit names the epoch",
        [Edit(_POSTGRES_RUNS, " OR runs.epoch IS DISTINCT FROM held.epoch", "")],
        [cases("stores/test_commit.py", "test_the_right_owner_with_another_epoch_is_fenced_out")],
    ),
    Fault(
        "fence-without-owner",
        "2: who was freed of a run no longer writes for it",
        [Edit(_SQLITE_RUNS, "AND owner = ?2 AND epoch = ?4", "AND ?2 IS NOT NULL AND epoch = ?4")],
        [
            cases("stores/test_commit.py", "test_a_run_that_was_lost_to_another_node_is_recovered_as_lost"),
            *simulations(200),
        ],
    ),
    Fault(
        "told-lost-and-written",
        "2: a stale owner changes nothing",
        [Edit(_SCRIPT, "    if lost or existing:\n", "    if existing:\n")],
        [
            cases(
                "stores/test_commit.py",
                "test_a_lost_run_changes_nothing_and_the_others_of_the_commit_go_through",
            )
        ],
    ),
    Fault(
        "children-of-lost-runs",
        "2: a stale owner starts no children",
        [
            Edit(
                _SCRIPT,
                "if run.parent not in lost and run.parent not in existing]",
                "if run.parent not in existing]",
            )
        ],
        [
            cases(
                "stores/test_stale_and_at_once.py",
                "test_children_that_a_stale_owner_asks_for_are_not_started",
            )
        ],
    ),
    Fault(
        "claim-without-new-epoch",
        "2: each owner has an epoch of its own",
        [
            Edit(
                _SQLITE_RUNS,
                "SET owner = ?2, epoch = epoch + 1, wake_at = NULL",
                "SET owner = ?2, epoch = epoch, wake_at = NULL",
            )
        ],
        [cases("stores/test_work.py", "test_a_claimed_run_is_owned_and_running_under_a_new_epoch")],
    ),
    Fault(
        "reopen-without-new-epoch",
        "6: nothing decided before a retry is written after it",
        [
            Edit(
                _SQLITE_RUNS,
                "owner = NULL, epoch = epoch + 1, wake_at = ?4",
                "owner = NULL, epoch = epoch, wake_at = ?4",
            )
        ],
        [cases("stores/test_client.py", "test_an_ended_run_is_opened_again_with_its_tasks_and_messages")],
    ),
    Fault(
        "live-nodes-reaped",
        "2: a lease holds until it has run out",
        [
            Edit(
                "stores/sqlite/sql/nodes.sql",
                "AND id <> ?2 AND lease_until < ?3\n",
                "AND id <> ?2 AND lease_until < ?3 + 20000000\n",
            )
        ],
        [cases("stores/test_work.py", "test_two_nodes_that_claim_at_once_share_the_runs"), *simulations(40)],
    ),
    Fault(
        "commits-do-not-renew",
        "2: a node that commits is alive",
        [Edit("stores/sqlite/sql/nodes.sql", ", lease_until = excluded.lease_until;", ";")],
        simulations(40),
    ),
    Fault(
        "reaper-waits-for-nobody",
        "2: of a late commit and a reaper one waits for the other",
        [
            Edit(
                "stores/postgres/sql/nodes.sql",
                "    WHERE namespace = $1 AND id <> $2 AND lease_until < $3\n    FOR UPDATE SKIP LOCKED\n",
                "    WHERE namespace = $1 AND id <> $2 AND lease_until < $3\n",
            )
        ],
        [cases("stores/test_postgres.py", "test_a_reaper_passes_over_a_node_in_the_middle_of_a_commit")],
    ),
    Fault(
        "two-claim-the-same",
        "2: at most one owner",
        [
            Edit(
                _POSTGRES_RUNS,
                "    LIMIT $3::int8\n    FOR UPDATE SKIP LOCKED\n) AS due;",
                "    LIMIT $3::int8\n) AS due;",
            )
        ],
        [cases("stores/test_work.py", "test_two_nodes_that_claim_at_once_share_the_runs[postgres]")],
    ),
]

IDS_AND_INBOXES = [
    Fault(
        "ids-taken-twice",
        "a start is idempotent on its id",
        [Edit(_SCRIPT, "_rows(runs)) == len(runs):", "_rows(runs)) <= len(runs):")],
        [cases("stores/test_commit.py", "test_an_id_belongs_to_the_first_run_that_has_it")],
    ),
    Fault(
        "retried-start-refused",
        "a start that was recorded is answered as started",
        [Edit(_SCRIPT, "    if is_retry:\n", "    if is_retry and not runs:\n")],
        [cases("stores/test_commit.py", "test_a_run_that_an_earlier_try_has_added_is_not_added_again")],
    ),
    Fault(
        "promises-settled-twice",
        "6: a promise is settled once",
        [
            Edit(
                _SCRIPT,
                "        elif promise in settled:\n",
                "        elif promise in settled and not statuses:\n",
            )
        ],
        [cases("stores/test_client.py", "test_each_message_is_answered_for_itself")],
    ),
    Fault(
        "promises-settled-twice-in-one-call",
        "6: a promise is settled once",
        [
            Edit(
                _SCRIPT,
                "                settled.add(promise)\n",
                "                settled.discard(promise)\n",
            )
        ],
        [cases("stores/test_client.py", "test_each_message_is_answered_for_itself"), *simulations(200)],
    ),
    Fault(
        "mail-for-the-dead",
        "6: nothing happens to a run that is over",
        [
            Edit(
                _SCRIPT,
                "        elif status in _FINAL:\n",
                "        elif status in _FINAL and promise:\n",
            )
        ],
        [cases("stores/test_client.py", "test_each_message_is_answered_for_itself")],
    ),
    Fault(
        "mail-newest-first",
        "4: signals come in the order they were sent",
        [
            Edit(
                _SCRIPT,
                'sorted(tx.many_returning("unread_messages_of", readers))',
                'sorted(tx.many_returning("unread_messages_of", readers), reverse=True)',
            )
        ],
        [
            cases("stores/test_work.py", "test_mail_of_an_owned_run_is_collected_once_by_its_owner"),
            cases("authoring/code/test_messages.py", "test_signals_come_in_order_and_each_once"),
        ],
    ),
    Fault(
        "mail-newest-first-after-a-load",
        "4: signals come in the order they were sent",
        [
            Edit(
                "stores/sqlite/sql/messages.sql",
                "FROM messages WHERE run = ?1 ORDER BY id;",
                "FROM messages WHERE run = ?1 ORDER BY id DESC;",
            )
        ],
        [
            cases("stores/test_client.py", "test_many_runs_are_loaded_in_the_order_asked_for"),
            cases("authoring/code/test_messages.py", "test_signals_come_in_order_and_each_once"),
        ],
    ),
    Fault(
        "senders-do-not-wait",
        "4: messages are numbered in the order in which they can be seen",
        [Edit(_POSTGRES_RUNS, "ORDER BY key\nFOR UPDATE;", "ORDER BY key;")],
        [
            cases(
                "stores/test_stale_and_at_once.py",
                "test_of_two_who_settle_a_promise_in_the_same_instant_the_second_sees_the_first",
            )
        ],
    ),
    Fault(
        "parents-hear-nothing",
        "7: the end of a child wakes its parent",
        [
            Edit(
                _SCRIPT,
                "        for run in commit.ended\n        if run.parent is not None\n",
                "        for run in commit.ended\n        if run.parent == run.run\n",
            )
        ],
        [cases("stores/test_commit.py", "test_a_run_that_ends_wakes_its_parent_with_a_message")],
    ),
]

WAKING = [
    Fault(
        "only-the-later-wake-up",
        "7: mail that came while a run was released wakes it",
        [Edit(_SQLITE_RUNS, "THEN min(coalesce(?5, wake_at), coalesce(wake_at, ?5))\n", "THEN ?5\n")],
        [cases("stores/test_work.py", "test_a_message_that_came_before_the_release_still_wakes_the_run")],
    ),
    Fault(
        "only-the-later-wake-up-on-postgres",
        "7: mail that came while a run was released wakes it",
        [Edit(_POSTGRES_RUNS, "THEN least(released.wake_at, runs.wake_at)\n", "THEN released.wake_at\n")],
        [cases("stores/test_work.py", "test_a_message_that_came_before_the_release_still_wakes_the_run")],
    ),
    Fault(
        "parked-runs-claimed",
        "5: a parked run waits for its operator",
        [
            Edit(
                _SQLITE_RUNS,
                "WHERE namespace = ?1 AND key = ?3 AND status IN ('pending', 'running')\n",
                "WHERE namespace = ?1 AND key = ?3 AND finished_at IS NULL\n",
            )
        ],
        [cases("stores/test_work.py", "test_a_parked_run_is_not_taken_whatever_is_posted_to_it")],
    ),
    Fault(
        "dead-nodes-keep-their-runs",
        "7: runs of a dead node are taken by others",
        [Edit(_SCRIPT, '        tx.many("free_runs", expired, commit.now, 1)\n', "")],
        [
            cases(
                "stores/test_work.py",
                "test_a_dead_nodes_runs_go_to_another_and_its_late_commit_is_fenced_out",
            )
        ],
    ),
    Fault(
        "leaving-keeps-the-runs",
        "7: a node that stops hands its runs over at once",
        [Edit("stores/sql_store.py", '            tx.many("free_runs", [(node,)], now, 0)\n', "")],
        [cases("stores/test_work.py", "test_a_node_that_leaves_hands_its_runs_over_at_once")],
    ),
    Fault(
        "deaths-not-counted",
        "7: a run that kills its nodes is found out",
        [Edit(_SCRIPT, '"free_runs", expired, commit.now, 1)', '"free_runs", expired, commit.now, 0)')],
        [
            cases(
                "stores/test_work.py",
                "test_a_run_that_a_dead_node_had_has_had_a_setback_and_one_that_was_handed_back_has_not",
            )
        ],
    ),
    Fault(
        "suspects-taken-with-everybody",
        "7: a run that kills its nodes does so alone in the end",
        [Edit(_SCRIPT, "allowed = min(most, at_once(limit, row[3]))", "allowed = most")],
        [
            cases(
                "stores/test_work.py",
                "test_runs_with_setbacks_are_taken_in_ever_smaller_company_and_do_not_hold_up_others",
            )
        ],
    ),
    Fault(
        "idle-nodes-reap-each-other",
        "an idle node writes nothing",
        [Edit("stores/sqlite/sql/nodes.sql", " AND EXISTS (SELECT 1 FROM runs WHERE owner = nodes.id)", "")],
        [cases("engine/test_room.py", "test_nodes_with_nothing_to_do_leave_the_database_alone[sqlite]")],
    ),
    Fault(
        "tasks-of-the-cancelled-stay-open",
        "6: a run that is over has no task under way",
        [Edit("stores/sql_store.py", '            tx.many("cancel_open_tasks", [(run, now)])\n', "")],
        [
            cases(
                "other_systems/test_cancelling.py",
                "test_a_cancelled_run_that_was_parked_leaves_no_task_and_no_child_open[sqlite]",
            )
        ],
    ),
    Fault(
        "parked-run-cancelled-after-it-has-moved",
        "6: a cancelled family is the one that was looked at",
        [Edit(_SQLITE_RUNS, "AND epoch = ?5 AND status = 'parked'", "AND ?5 >= 0 AND status = 'parked'")],
        [cases("stores/test_work.py", "test_a_parked_run_can_be_cancelled_and_tells_its_parent")],
    ),
    Fault(
        "silent-commits",
        "7: others hear of what a commit has for them",
        [Edit(_SCRIPT, "    if _concerns_others(commit):\n", "    if commit.is_retry:\n")],
        [cases("stores/test_listen.py", "test_what_one_store_changes_is_heard_by_the_other[postgres]")],
    ),
    Fault(
        "silent-clients",
        "7: nodes hear of a run that a client adds",
        [
            Edit(
                "stores/sql_store.py",
                "            tx.announce()\n            return create_runs(tx, namespace, runs)\n",
                "            return create_runs(tx, namespace, runs)\n",
            )
        ],
        [cases("stores/test_listen.py", "test_what_one_store_changes_is_heard_by_the_other[postgres]")],
    ),
    Fault(
        "blind-doctor",
        "7: one query proves that nothing is stranded",
        [
            Edit(
                _SQLITE_RUNS,
                "    WHEN waiting IS NULL THEN true\n",
                "    WHEN waiting IS NULL THEN false\n",
            )
        ],
        [
            cases(
                "stores/test_work.py",
                "test_every_reason_to_be_stranded_is_found_and_no_run_with_a_reason_to_wake",
            )
        ],
    ),
]

RECOVERY = [
    Fault(
        "recover-without-mail",
        "7: mail that a commit collected is heard though its answer was lost",
        [Edit(_SCRIPT, "        mail=[message_record(row) for row in mail],\n", "        mail=[],\n")],
        [
            cases("stores/test_commit.py", "test_a_commit_whose_answer_was_lost_is_recovered_if_it_stands"),
            *simulations(200),
        ],
    ),
    Fault(
        "recover-without-lost-runs",
        "2: who lost a run is told, also by a late answer",
        [Edit(_SCRIPT, "        lost=_were_lost(tx, commit),\n", "        lost=frozenset(),\n")],
        [cases("stores/test_commit.py", "test_a_run_that_was_lost_to_another_node_is_recovered_as_lost")],
    ),
    Fault(
        "recover-without-claims",
        "7: runs that a commit claimed are done though its answer was lost",
        [
            Edit(
                _SCRIPT,
                "claimed=[Claimed(run_record(row[:-1]), bool(row[-1])) for row in owned],",
                "claimed=[],",
            )
        ],
        [cases("stores/test_commit.py", "test_a_commit_whose_answer_was_lost_is_recovered_if_it_stands")],
    ),
    Fault(
        "recover-any-commit",
        "3: a commit that never came is sent again",
        [Edit(_SCRIPT, "!= [(commit.tick,)]:", "== []:")],
        [
            cases(
                "stores/test_stale_and_at_once.py",
                "test_only_the_last_commit_of_a_node_is_recovered_and_not_one_before_or_after_it",
            )
        ],
    ),
    Fault(
        "recover-does-not-wait",
        "3: a commit that is still under way is waited for",
        [
            Edit(
                "stores/postgres/sql/nodes.sql",
                "SELECT tick FROM holdfast.nodes WHERE id = $1::text FOR UPDATE;",
                "SELECT tick FROM holdfast.nodes WHERE id = $1::text;",
            )
        ],
        [cases("stores/test_postgres.py", "test_a_commit_whose_answer_was_lost_is_waited_for")],
    ),
    Fault(
        "commits-not-synced",
        "1: what is committed survives a power cut",
        [Edit("stores/sqlite/driver.py", "PRAGMA synchronous = FULL;", "PRAGMA synchronous = NORMAL;")],
        [cases("stores/test_sqlite.py", "test_every_commit_is_synced_to_disk")],
    ),
    Fault(
        "journal-gap-accepted",
        "5: a journal with a step missing is not replayed",
        [
            Edit(
                "stores/records.py",
                "        if position != len(steps):\n",
                "        if position < len(steps):\n",
            )
        ],
        [
            cases(
                "stores/test_stale_and_at_once.py",
                "test_a_journal_with_a_step_missing_is_loaded_as_damaged",
            )
        ],
    ),
    Fault(
        "damage-overlooked",
        "5: a journal that cannot be read is not replayed",
        [
            Edit(
                "core/history.py",
                "    if history.damage is not None:\n",
                "    if history.damage is not None and not history.steps:\n",
            )
        ],
        [cases("core/test_history.py", "test_a_journal_that_does_not_fit_its_rows_is_not_restored")],
    ),
]

FAULTS = [*FENCES, *IDS_AND_INBOXES, *WAKING, *RECOVERY]
