"""Faults in what questions promise: each answer is for one question, of those who may answer, and fits it."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_QUESTIONS = "authoring/code/test_questions.py"
_CHAPTERS = "authoring/code/test_questions_of_chapters.py"
_DOCUMENTS = "engine/test_questions_of_documents.py"

FAULTS = [
    Fault(
        "given-up-for-answered",
        "an answer is told with its question",
        [
            Query("sqlite:closed_questions").replace(
                "answers.question = questions.number", "answers.question < 0"
            )
        ],
        cases(
            "client/test_answered_questions.py",
            "test_answers_are_listed_with_who_gave_them_the_newest_first[sqlite]",
        ),
    ),
    Fault(
        "typed-promises-take-anything",
        "a value that does not fit the type of a promise is refused, and the run still waits",
        [Code("core.questions:type_details").replace("schema_of(type)", "None")],
        cases(
            "authoring/code/test_messages.py", "test_a_promise_refuses_a_value_of_another_type[int-many-3]"
        ),
    ),
    Fault(
        "late-answers-are-taken",
        "a closed question takes no answer",
        [Code("stores.answers:_place_numbered").replace("closed_at is not None", "False")],
        cases(_QUESTIONS, "test_a_late_answer_does_not_answer_the_next_question_of_its_name[sqlite]"),
    ),
    Fault(
        "an-answer-goes-to-another-question",
        "a late answer never goes to the next question of its name",
        [
            Code("authoring.code.open_questions:take").replace(
                "self._open.pop(answer.question, None)",
                "self._open.popitem()[1] if self._open else None",
            )
        ],
        cases(_CHAPTERS, "test_an_answer_that_nobody_looked_at_is_for_the_next_chapter[sqlite]"),
    ),
    Fault(
        "anybody-may-answer",
        "only those answer who may",
        [Code("stores.answers:_answer").replace("may_answer(...)", "True")],
        cases(_QUESTIONS, "test_who_may_answer_and_with_what_is_checked_before_it_is_written[sqlite]"),
    ),
    Fault(
        "any-answer-fits",
        "an answer is of the type that was asked for",
        [Code("stores.answers:_answer").replace("why is not None", "False")],
        cases(_QUESTIONS, "test_who_may_answer_and_with_what_is_checked_before_it_is_written[sqlite]"),
    ),
    Fault(
        "answers-ahead-are-lost",
        "an answer that comes ahead is kept until the run asks",
        [Code("authoring.code.open_questions:keep").replace("self._ahead.setdefault(...)", "None")],
        cases(_QUESTIONS, "test_an_answer_ahead_is_kept_once_until_it_is_asked_for[sqlite]"),
    ),
    Fault(
        "answers-ahead-of-anybody",
        "only those answer who may, also ahead of the question",
        [Code("core.questions:unfit").replace("not may_answer(...)", "False")],
        cases(_DOCUMENTS, "test_an_answer_ahead_that_does_not_fit_is_dropped_and_told[dag-sqlite]"),
    ),
    Fault(
        "dropped-answers-untold",
        "nothing is silent: an answer that was not taken is told",
        [Code("authoring.dag.waits:_fits").remove("self._dropped(...)")],
        cases(_DOCUMENTS, "test_an_answer_ahead_that_does_not_fit_is_dropped_and_told[dag-sqlite]"),
    ),
    Fault(
        "signals-answer-for-people",
        "only those answer who may, and a signal does not say who sends it",
        [Code("authoring.flow.waiting:shared_changed").replace("not self._is_for_some", "True")],
        cases(_DOCUMENTS, "test_a_signal_does_not_answer_an_approval_that_names_people[sqlite-False]"),
    ),
    Fault(
        "questions-outlive-their-run",
        "a run that is over asks nothing",
        [Code("engine.tick:end").remove("close_questions(...)")],
        cases(_QUESTIONS, "test_questions_are_closed_when_their_run_is_terminated[sqlite]"),
    ),
    Fault(
        "questions-end-with-their-chapter",
        "an open question goes on over chapters",
        [Code("authoring.code.open_questions:begin_chapter").replace("{A: B for C in D}", "{}")],
        cases(_CHAPTERS, "test_an_open_question_goes_on_under_its_number_and_in_new_words[sqlite]"),
    ),
    Fault(
        "answers-of-another-chapter-not-checked",
        "only an answer that fits is taken",
        [Code("authoring.code.open_questions:ask_anew").replace("number not in self._taken_up", "True")],
        cases(
            "engine/test_chapters.py",
            "test_an_answer_that_does_not_fit_what_the_new_chapter_asks_is_not_taken[sqlite]",
        ),
    ),
    Fault(
        "numbers-of-questions-used-twice",
        "each question of a run has its own number",
        [Code("authoring.code.open_questions:begin_chapter").replace("questions.next", "0")],
        cases(_CHAPTERS, "test_an_answer_that_the_code_has_got_does_not_come_again[sqlite]"),
    ),
    Fault(
        "answers-come-again",
        "an answer that the code has got does not come again",
        [Code("authoring.code.inbox:_note_look").replace("self.done()", "False")],
        cases(_CHAPTERS, "test_an_answer_that_the_code_has_got_does_not_come_again[sqlite]"),
    ),
    Fault(
        "cancelled-questions-go-on",
        "a question that the code has cancelled is closed with its chapter",
        [Code("authoring.code.inbox:cancelled_questions").replace("task.cancelling()", "False")],
        cases(_CHAPTERS, "test_an_answer_that_nobody_looked_at_is_for_the_next_chapter[sqlite]"),
    ),
    Fault(
        "old-words-of-a-question",
        "a chapter that takes up a question asks in its own words",
        [
            Query("sqlite:insert_questions").replace(
                "details = excluded.details", "details = questions.details"
            )
        ],
        cases(_CHAPTERS, "test_an_open_question_goes_on_under_its_number_and_in_new_words[sqlite]"),
    ),
]
