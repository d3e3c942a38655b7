"""Faults in what becomes of a database's bad days: each is waited for or named, and no node ends by it."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases

_PIPELINE = "1: what a commit has recorded stands, and only that"

_DAYS = "bad_world/test_bad_days.py"
_SIMULATED = "simulation/test_database_faults.py"

FAULTS = [
    Fault(
        "closed-connections-are-used",
        "a call after a restart of the server finds that its connection was closed, and opens another",
        [Code("stores.link:Link.do").replace("self._connection is not None and A", "False")],
        cases(
            "stores/test_postgres.py",
            "test_connections_that_were_closed_while_nobody_used_them_are_opened_again",
        ),
    ),
    Fault(
        "skipped-statements-taken-for-prepared",
        _PIPELINE,
        [Code("stores.postgres.pipeline:Pipeline._leave").replace("self._prepared.discard(A)", "A")],
        cases("stores/test_pipeline.py", "test_the_first_error_is_raised_and_the_rest_is_skipped[for none]"),
    ),
    Fault(
        "errors-of-a-pipeline-unread",
        _PIPELINE,
        [Code("stores.postgres.pipeline:Pipeline._read").replace("A.status not in _OK", "False")],
        cases("stores/test_pipeline.py", "test_the_first_error_is_raised_and_the_rest_is_skipped[for none]"),
    ),
    Fault(
        "errors-of-a-sync-unread",
        _PIPELINE,
        [Code("stores.postgres.pipeline:Pipeline.__exit__").replace("A is None and B is not None", "False")],
        cases("stores/test_pipeline.py", "test_an_error_at_the_sync_is_raised_and_the_connection_stays"),
    ),
    Fault(
        "interrupted-pipelines-kept",
        _PIPELINE,
        [Code("stores.postgres.pipeline:Pipeline._leave").remove("self._connection.close()")],
        cases(
            "stores/test_pipeline.py",
            "test_an_interrupted_answer_is_not_taken_for_that_to_the_next_statement",
        ),
    ),
    Fault(
        "stale-statements-kept",
        "no node ends because a table was changed",
        [Code("stores.postgres.driver:PostgresConnection._told").replace("A or is_stale(B)", "A")],
        cases(
            "stores/test_postgres.py",
            "test_statements_that_no_longer_fit_are_prepared_again_in_a_new_session[DEALLOCATE ALL]",
        ),
    ),
    Fault(
        "servers-waited-for-without-end",
        "2: a line that swallows everything is given up",
        [Code("stores.postgres.pipeline:Pipeline._wait").replace("patience * 1000", "patience * 60_000")],
        cases("stores/test_pipeline.py", "test_a_server_that_does_not_answer_is_given_up"),
    ),
    Fault(
        "large-messages-sent-without-reading",
        _PIPELINE,
        [Code("stores.postgres.pipeline:Pipeline._wait").replace("A if is_sending else 0", "0")],
        cases(
            "stores/test_pipeline.py",
            "test_a_message_larger_than_all_buffers_is_sent_while_answers_are_read",
        ),
    ),
    Fault(
        "tries-without-a-pause",
        "nobody spins while the database is away",
        [Code("engine.committing:StoreOutage.wait").remove("await self._clock.wait(...)")],
        cases(
            _SIMULATED,
            "test_a_database_that_is_read_only_for_a_while_is_waited_for_with_few_statements",
        ),
    ),
    Fault(
        "waiters-that-rely-on-notifications",
        "7: a lost notification costs a poll, and no more",
        [Code("client.waiters:_watch").replace("A.call_later(_POLL_SECONDS, B)", "A.call_later(1e9, B)")],
        cases(_SIMULATED, "test_without_notifications_everything_is_found_by_polling"),
    ),
    Fault(
        "read-only-is-a-defect",
        "no node ends by a failover",
        [
            Code("stores.postgres.failures:explain_failure").replace(
                "isinstance(A, errors.ReadOnlySqlTransaction)", "False"
            )
        ],
        cases(_DAYS, "test_a_database_that_is_read_only_for_a_while_is_waited_for"),
    ),
    Fault(
        "read-only-session-kept",
        "a node finds the new primary",
        [Code("stores.postgres.driver:PostgresConnection._told").remove("self._connection.close()")],
        cases(_DAYS, "test_a_database_that_is_read_only_for_a_while_is_waited_for"),
    ),
    Fault(
        "ids-of-transactions-trusted-after-a-failover",
        "1: what a failover has lost is written again",
        [Code("stores.commit_script:recover_commit").replace("_is_missing(...)", "False")],
        cases(
            "stores/test_postgres.py",
            "test_a_lost_commit_whose_transaction_id_another_has_got_is_not_taken_for_written",
        ),
    ),
    Fault(
        "lack-of-rights-is-a-defect",
        "no node ends because a right was taken away",
        [Code("stores.postgres.failures:_UNUSABLE").remove("errors.InsufficientPrivilege")],
        cases(_DAYS, "test_rights_that_are_taken_away_are_waited_for"),
    ),
    Fault(
        "lack-of-rights-waited-for-at-the-start",
        "what somebody must do is said at once",
        [
            Code("stores.postgres.failures:explain_failure").replace(
                "StoreUnavailable(A, B, may_pass=False)", "StoreUnavailable(A, B)"
            )
        ],
        cases(_DAYS, "test_a_role_without_rights_is_refused_at_once_and_named"),
    ),
    Fault(
        "commits-answered-before-the-disk",
        "1: what is committed survives a power cut",
        [
            Code("stores.postgres.driver:_SETTINGS").replace(
                "\"...'synchronous_commit') = 'off';...\"", "\"...'synchronous_commit') = 'gone';...\""
            )
        ],
        cases(_DAYS, "test_commits_are_on_the_disk_though_the_database_is_set_to_answer_before"),
    ),
    Fault(
        "limits-of-the-role-count",
        "limits of a role do not end our transactions",
        [
            Code("stores.postgres.driver:_SETTINGS").replace(
                "\"...SET statement_timeout = '20s';...\"", '"......"'
            )
        ],
        cases(_DAYS, "test_a_short_limit_for_statements_does_not_end_ours"),
    ),
    Fault(
        "shared-sessions-accepted",
        "a pooler that shares sessions is named",
        [Code("stores.postgres.driver:PostgresDatabase.connect").replace("A.is_pooled and B", "False")],
        cases(_DAYS, "test_a_pooler_that_shares_sessions_is_refused_at_once_and_named[transaction]"),
    ),
]
