"""Faults in what signals promise: each arrives once, and a signal that starts its run starts one."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_IDS = "stores/test_message_ids.py"
_LOST = "test_a_message_whose_answer_is_lost_is_sent_again_and_not_doubled"

FAULTS = [
    Fault(
        "message-ids-not-looked-up",
        "a message that is sent again is not added again",
        [Code("stores.delivery:_refusal").replace("None if A is None else A.answer(message)", "None")],
        cases(
            _IDS, "test_a_message_that_is_sent_again_is_answered_as_before_and_writes_nothing[sqlite-inline]"
        ),
    ),
    Fault(
        "message-ids-not-stored",
        "a message that is sent again is not added again",
        [
            Code("stores.delivery:_deliver").replace(
                "(A, B, C, D, E, it.uid, F, G)", "(A, B, C, D, E, None, F, G)"
            )
        ],
        cases(
            _IDS, "test_a_message_that_is_sent_again_is_answered_as_before_and_writes_nothing[sqlite-inline]"
        ),
    ),
    Fault(
        "another-message-under-a-known-id",
        "an id stands for one message",
        [Code("stores.message_ids:answer").replace("before.says(_content_of(message))", "True")],
        cases(_IDS, "test_an_id_that_another_message_has_is_refused[sqlite-inline-value]"),
    ),
    Fault(
        "ids-of-one-group-not-compared",
        "the same message twice in one group is added once",
        [Code("stores.message_ids:SentMessages.add").replace("message.uid is not None", "False")],
        cases(_IDS, "test_the_same_message_twice_in_one_group_is_added_once[sqlite-inline]"),
    ),
    Fault(
        "known-ids-not-found-on-postgres",
        "of many that send one message at once, one adds it",
        [
            Query("postgres:sent_messages").replace(
                "uid = ANY ($2::text[])", "uid = ANY ($2::text[]) AND false"
            )
        ],
        cases(_IDS, "test_of_many_that_send_one_message_at_once_one_adds_it[postgres]"),
    ),
    Fault(
        "lost-answers-raised",
        "a message whose answer is lost is sent again",
        [Code("client.posting:twice").replace("not error.may_pass", "True")],
        cases("client/test_signalling.py", f"{_LOST}[sqlite-signal]"),
    ),
    Fault(
        "another-id-for-each-try",
        "a message whose answer is lost is sent again under its id",
        [
            Code("client.posting:MessagePoster._post").replace(
                "self._store.post_messages(A, messages, B)",
                "self._store.post_messages(A, [type(m)(m.run, m.kind, m.name, m.payload, uid=new_uid()) "
                "for m in messages], B)",
            )
        ],
        cases("client/test_signalling.py", f"{_LOST}[sqlite-signal]"),
    ),
    Fault(
        "start-by-signal-in-two-transactions",
        "a run that a signal starts has the signal in its inbox from the beginning",
        [
            Code("stores.runs:SqlRunStore.signal_or_start").insert_before(
                "return A", "await self.create_runs(namespace, [run])"
            )
        ],
        cases("client/test_signalling.py", "test_a_signal_and_its_run_are_written_together"),
    ),
    Fault(
        "signals-of-runs-without-ids",
        "a run that signals another does so once, whatever crashes",
        [
            Code("client.signals:PosterOfRuns.send_signal").replace(
                "Letter(A, B, name, payload, uid=uid)", "Letter(A, B, name, payload)"
            )
        ],
        cases("engine/test_signal_run.py", "test_a_crash_at_every_commit_doubles_no_signal[sqlite]"),
    ),
    Fault(
        "signals-of-runs-not-compared",
        "replay compares the signals that the code sends",
        [Code("authoring.code.context:signal_run").replace("digest_of(asked)", "None")],
        cases("engine/test_signal_run.py", "test_code_that_would_send_another_signal_on_replay_is_stopped"),
    ),
]
