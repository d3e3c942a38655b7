"""Faults in what updates promise: one answer, one handling, and no trace of what was refused."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

FAULTS = [
    Fault(
        "answer-is-lost",
        "the answer is written in the commit of the step that gives it",
        [Code("engine.tick:_apply").replace("answer_update(...)", "None")],
        cases("engine/test_updates.py", "test_an_update_is_answered_with_what_its_handler_returns"),
    ),
    Fault(
        "last-answer-stands",
        "the first answer to an update stands",
        [Query("sqlite:answer_updates").replace(" AND answer IS NULL", "")],
        cases("stores/test_updates.py", "test_the_first_answer_stands"),
    ),
    Fault(
        "update-is-sent-twice",
        "an update with the same message id is handled once",
        [Code("stores.delivery:_refusal").replace("sent.answer(A)", "None")],
        cases("stores/test_updates.py", "test_a_message_that_is_sent_again_is_not_added_again"),
    ),
    Fault(
        "stale-answers",
        "2: what a stale owner answers is not written",
        [
            Code("stores.commit_script:_without").replace(
                "msgspec.structs.replace(A, **B)",
                "msgspec.structs.replace(A, **{**B, 'answered': A.answered})",
            )
        ],
        cases("stores/test_updates.py", "test_a_stale_owner_answers_nothing"),
    ),
    Fault(
        "refused-update-is-recorded",
        "the journal does not hear of a refused update",
        [Code("engine.tick:advance").replace("without_refused(A, B)", "A")],
        cases("engine/test_updates.py", "test_a_refused_update_is_not_in_the_journal"),
    ),
    Fault(
        "validator-is-replayed",
        "replay does not ask the validator of an update that was taken",
        [Code("authoring.code.answering:_receive_update").replace("self._recorded is not None", "False")],
        cases("engine/test_updates.py", "test_replay_takes_an_update_that_its_validator_would_now_refuse"),
    ),
    Fault(
        "validator-may-ask",
        "a validator only looks at the run",
        [Code("authoring.code.answering:_look").replace("Onlooker(self, A)", "self")],
        cases("engine/test_updates.py", "test_a_validator_may_only_look"),
    ),
    Fault(
        "handler-not-registered-yet",
        "an update to a run that has not begun finds the handlers that the run registers",
        [Code("authoring.code.answering:_receive_update").replace("self._loop.drain(A)", "None")],
        cases("engine/test_updates.py", "test_an_update_to_a_run_that_has_not_begun_waits_for_its_handler"),
    ),
    Fault(
        "all-conditions-at-once",
        "a condition still holds where the code goes on",
        [
            Code("authoring.code.answering:_meet_condition").replace(
                "condition.met.set_result(None)\nreturn True", "condition.met.set_result(None)"
            ),
            Code("authoring.code.answering:_meet_condition").replace(
                "return False", "return self._loop.ready_count > 0"
            ),
        ],
        cases("engine/test_updates.py", "test_a_condition_holds_where_the_code_goes_on"),
    ),
    Fault(
        "unanswered-waits-for-ever",
        "an update that is unanswered when the run ends says so",
        [Code("client.update_answers:_settle").replace("A.has_ended", "False")],
        cases("engine/test_updates.py", "test_an_update_that_is_unanswered_when_the_run_ends_says_so"),
    ),
]
