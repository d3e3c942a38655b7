"""Faults in what keys and the audit log promise: who may not come in does not, and no row is lost."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_KEYS = "client/test_keys.py"
_AUDIT = "client/test_audit.py"
_STORES = "stores/test_access.py"
_SESSIONS = "server/v1/test_sessions.py"
_OIDC = "server/login/test_oidc.py"
_THROTTLE = "server/test_throttle.py"
_REPETITIONS = "server/hostile/test_repetitions.py"
_REQUESTS = "server/hostile/test_requests.py"

FAULTS = [
    Fault(
        "expired-keys-accepted",
        "a key is refused from the instant at which it expires",
        [Code("client.keys:_info").replace("record.expires_at is not None and A <= now", "False")],
        cases(_KEYS, "test_a_key_is_refused_from_the_instant_at_which_it_expires[sqlite]"),
    ),
    Fault(
        "revoked-keys-accepted",
        "a revoked key is refused",
        [Code("client.keys:_info").replace("record.revoked_at is not None", "False")],
        cases(_KEYS, "test_a_revoked_key_is_refused_at_once_here_and_soon_elsewhere[sqlite]"),
    ),
    Fault(
        "revoked-keys-remembered",
        "a key is refused at once by the process that has revoked it",
        [Code("client.keys:Keys.revoke").remove("self._known.pop(key, None)")],
        cases(_KEYS, "test_a_revoked_key_is_refused_at_once_here_and_soon_elsewhere[sqlite]"),
    ),
    Fault(
        "late-reads-of-keys-remembered",
        "a key that was read before it was revoked is not remembered",
        [Code("client.keys:Keys.revoke").remove("self._reading.pop(key, None)")],
        cases(_KEYS, "test_a_read_that_began_before_the_revocation_is_not_remembered[sqlite]"),
    ),
    Fault(
        "any-secret-fits",
        "only the secret of a key opens",
        [Code("core.keys:is_secret").replace("fits and hash is not None", "hash is not None")],
        cases(_KEYS, "test_a_right_key_is_accepted_and_no_other[sqlite]"),
    ),
    Fault(
        "unknown-keys-answered-sooner",
        "the time of an answer does not tell which keys there are",
        [Code("core.keys:is_secret").insert_before("fits = A", "if hash is None: return False")],
        cases("core/test_keys.py", "test_a_key_that_there_is_not_is_compared_as_any_other"),
    ),
    Fault(
        "keys-read-for-each-request",
        "a key is read every five seconds at most",
        [Code("client.keys:_READ_EVERY").replace("5", "0")],
        cases(_KEYS, "test_a_key_is_read_every_five_seconds_at_most[sqlite]"),
    ),
    Fault(
        "uses-of-keys-fail-requests",
        "a request does not fail because the use of its key cannot be noted",
        [
            Code("client.keys:Keys.check").replace(
                "self._note_use(A, B)", "await self._store.note_key_used(A.id, B)"
            )
        ],
        cases(_KEYS, "test_a_use_that_cannot_be_noted_fails_no_request[sqlite]"),
    ),
    Fault(
        "keys-of-others-revoked",
        "a key is revoked only in its own namespace",
        [Query("sqlite:revoke_key").replace("namespace = ?1", "?1 = ?1")],
        cases(_KEYS, "test_keys_of_another_namespace_are_neither_listed_nor_revoked[sqlite]"),
    ),
    Fault(
        "audit-rows-lost-in-a-group",
        "all rows of a group are written",
        [
            Code("stores.access:SqlAccessStore.write_audit").replace(
                "tx.many(A, rows, B)", "tx.many(A, rows[:9], B)"
            )
        ],
        cases(_AUDIT, "test_rows_that_come_while_one_is_written_become_one_group[sqlite]"),
    ),
    Fault(
        "audit-rows-of-cancelled-callers-lost",
        "a row of the audit log is written although its caller is cancelled",
        [Code("client.audit:Audit.record").replace("asyncio.shield(A)", "A")],
        cases(_AUDIT, "test_a_row_is_written_although_its_caller_is_cancelled[sqlite]"),
    ),
    Fault(
        "audit-rows-not-sent-again",
        "a row of the audit log whose answer is lost is sent again",
        [Code("client.audit:Audit._write").replace("twice(lambda: A)", "A")],
        cases(_AUDIT, "test_a_group_whose_answer_is_lost_is_written_once[sqlite]"),
    ),
    Fault(
        "audit-rows-doubled-on-postgres",
        "a row of the audit log that is sent again is written once",
        [
            Query("postgres:insert_audit").replace("known.uid = sent.uid", "false"),
            Query("postgres:insert_audit").remove("ON CONFLICT (uid) DO NOTHING"),
        ],
        cases(_STORES, "test_a_row_that_is_sent_again_is_written_once[postgres]"),
    ),
    *(
        Fault(
            f"audit-log-of-others-{what}",
            "a namespace neither sees nor removes the audit log of another",
            [Query(f"sqlite:{query}").replace("namespace = ?1", "?1 = ?1")],
            cases(_STORES, "test_another_namespace_is_neither_listed_nor_removed[sqlite]"),
        )
        for what, query in (
            ("seen", "list_audit"),
            ("seen-by-target", "list_audit_of"),
            ("removed", "remove_audit"),
        )
    ),
    Fault(
        "wrong-keys-not-slowed-down",
        "after some wrong keys, further ones wait",
        [Code("server.access.throttle:Throttle.failed").replace("A <= 0", "True")],
        cases(_THROTTLE, "test_further_ones_wait_twice_as_long_each_up_to_eight_seconds"),
    ),
    Fault(
        "all-addresses-slowed-down",
        "wrong keys from one address do not concern another",
        [Code("server.access.throttle:Throttle.failed").replace("network_of(address)", "''")],
        cases(_THROTTLE, "test_another_address_is_not_concerned"),
    ),
    Fault(
        "a-thousand-wrong-keys-wait",
        "an address keeps one connection waiting",
        [Code("server.access.throttle:Throttle.failed").replace("now < A", "False")],
        cases(_THROTTLE, "test_of_a_flood_one_at_a_time_is_kept_waiting"),
    ),
    Fault(
        "csrf-not-checked",
        "a change with a session needs the token of the session",
        [
            Code("server.access.identifying:Identifier._by_session").replace(
                "asked.method not in SAFE_METHODS", "False"
            )
        ],
        cases(_SESSIONS, "test_the_token_of_another_session_is_not_good"),
    ),
    Fault(
        "sessions-outlive-keys",
        "a session ends with its key",
        [Query("sqlite:find_session").replace("keys.revoked_at IS NULL", "1")],
        cases(_SESSIONS, "test_a_session_ends_with_its_key[sqlite]"),
    ),
    Fault(
        "any-secret-fits-a-session",
        "only the secret of a session opens it",
        [
            Code("client.sessions:Sessions.check").replace(
                "not is_secret(A, B) or record is None", "record is None"
            )
        ],
        cases("client/test_sessions.py", "test_only_the_secret_of_a_session_opens_it[sqlite]"),
    ),
    Fault(
        "idle-sessions-stay",
        "a session ends that was not used",
        [Code("client.sessions:Sessions._is_alive").replace("self._now() < A", "True")],
        cases(_SESSIONS, "test_a_session_ends_when_it_is_old_or_was_not_used"),
    ),
    Fault(
        "sessions-for-pages-of-others",
        "a page of another origin cannot use a session, also if it may ask",
        [Code("server.gateway:Gateway._session").replace("origin is not None and A", "False")],
        cases(_SESSIONS, "test_a_page_of_another_origin_cannot_use_a_session_and_cannot_log_in[*]"),
    ),
    Fault(
        "streams-outlive-keys",
        "a stream ends soon after its key",
        [Code("server.app:make_app").remove("tenants.streams.end_when_refused(A)")],
        cases(_SESSIONS, "test_a_stream_ends_soon_after_its_session_or_key[key]"),
    ),
    Fault(
        "nonce-not-checked",
        "an ID token is good for the login that it was made for alone",
        [Code("server.oidc.id_tokens:_check_claims").replace("not isinstance(nonce, str) or A", "False")],
        cases(_OIDC, "test_an_id_token_that_is_not_right_is_refused"),
    ),
    Fault(
        "state-not-checked",
        "a browser can end only the login that it has begun",
        [Code("server.oidc.app:_login").replace("not pending.is_state(A)", "False")],
        cases(_OIDC, "test_a_login_of_another_browser_is_refused"),
    ),
    Fault(
        "audience-not-checked",
        "an ID token for another client is refused",
        [Code("server.oidc.id_tokens:_check_claims").replace("expected.client_id not in audiences", "False")],
        cases(_OIDC, "test_an_id_token_that_is_not_right_is_refused"),
    ),
    Fault(
        "browsers-sent-elsewhere",
        "after a login, a browser is sent to a path of this server",
        [Code("core.public_urls:local_path").replace("path if A else B", "path or B")],
        cases(_OIDC, "test_a_browser_is_not_sent_elsewhere_afterwards"),
    ),
    Fault(
        "bodies-in-bytes-are-read",
        "a body in chunks of a few bytes does not stop the event loop",
        [Code("server.connections:_RequestReader.next_event").replace("A and B < C", "False")],
        cases(
            "server/hostile/test_chunks.py",
            "test_a_body_in_chunks_of_a_byte_is_not_read_to_its_end_without_a_key",
        ),
    ),
    Fault(
        "plain-pages-are-ours",
        "a page at the same host without HTTPS is not one of the server",
        [Code("server.gateway:Gateway._is_own").replace("not is_by_https", "True")],
        cases("server/v1/test_sessions.py", "test_cookies_are_for_https_alone_if_the_browser_speaks_it"),
    ),
    Fault(
        "callers-told-of-the-database",
        "callers are not told where the database is",
        [Code("server.problems:problem_of").replace("told_of(error)", "str(error)")],
        cases("server/hostile/test_databases.py", "test_nobody_is_told_where_the_database_is[unavailable]"),
    ),
    Fault(
        "addresses-of-others-believed",
        "nobody is known by an address that was not verified",
        [Code("core.oidc:_name").replace("None if '@' in A else B", "B")],
        cases(_OIDC, "test_who_calls_themselves_by_the_address_of_another_cannot_answer_for_them"),
    ),
    Fault(
        "roles-for-everybody",
        "who has no role by the claims cannot log in",
        [Code("core.oidc:identify").replace("next(A, None)", "next(A, Role.VIEWER)")],
        cases(_OIDC, "test_an_id_token_that_is_not_right_is_refused"),
    ),
    Fault(
        "logins-answered-again",
        "a session is given to whoever shows the key, and to nobody who repeats the request",
        [Code("server.repeated_requests:_key_of").replace("not caller_of(scope).role", "False")],
        cases(_REPETITIONS, "test_a_login_is_not_answered_again_to_whoever_guesses_its_key"),
    ),
    Fault(
        "other-requests-answered-as-repetitions",
        "a request is not answered as another that had the same Idempotency-Key",
        [Code("server.repeated_requests:_repeat").replace("not is_same", "False")],
        cases(_REPETITIONS, "test_another_body_under_the_same_key_is_refused"),
    ),
    Fault(
        "answers-of-neighbours-forgotten",
        "a caller with many requests does not make the server forget the answers of others",
        [
            Code("server.repeated_requests:RepeatedRequests._forget").replace(
                "max(A, key=B)", "next(iter(self._answers))"
            )
        ],
        cases(_REPETITIONS, "test_many_requests_of_a_neighbour_do_not_push_out_the_answers_of_others"),
    ),
    Fault(
        "graves-are-open",
        "nobody can choose the namespace of runs that are being deleted",
        [
            Code("server.access.identifying:_checked_namespace").replace(
                "name in (ALL_NAMESPACES, BURIED)", "name == ALL_NAMESPACES"
            )
        ],
        cases(
            "server/hostile/test_namespaces.py",
            "test_namespaces_that_nobody_may_have_cannot_be_chosen[(deleted runs)]",
        ),
    ),
    Fault(
        "last-of-two-headers-counts",
        "a header that decides who asks comes once, or the request is refused",
        [Code("server.gateway:_read_headers").replace("name in _ONCE", "False")],
        cases(_REQUESTS, "test_a_header_that_decides_who_asks_may_come_once"),
    ),
    Fault(
        "requests-with-two-ends-answered",
        "a request whose end a proxy may see elsewhere is refused",
        [Code("server.gateway:_read_headers").replace('b"content-length" in found and A', "False")],
        cases(_REQUESTS, "test_a_request_with_two_ends_is_refused_and_nothing_behind_it_is_read"),
    ),
    Fault(
        "answers-left-in-caches",
        "no answer of the API stays in a cache",
        [Code("server.gateway:_with_safe").replace("headers + A", "headers")],
        cases(_REQUESTS, "test_no_answer_is_kept_in_a_cache_or_taken_for_a_page[admin]"),
    ),
    Fault(
        "patterns-tried-whatever-they-take",
        "a regular expression of a definition cannot keep the server busy for ever",
        [
            Code("core.pattern_costs:_ways_to_repeat").replace("inner <= 1", "True"),
        ],
        cases(
            "server/hostile/test_patterns.py", "test_a_pattern_that_could_take_for_ever_is_not_tried[(a+)+$]"
        ),
    ),
    Fault(
        "bodies-by-the-byte",
        "a body that comes a byte at a time does not keep a connection for ever",
        [Code("server.connections:TimelyBody.__call__").replace("min(self._seconds, A)", "self._seconds")],
        cases("server/hostile/test_slow_bodies.py", "test_a_body_that_comes_a_byte_at_a_time_is_given_up"),
    ),
]
