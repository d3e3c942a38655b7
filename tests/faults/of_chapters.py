"""Faults in what chapters promise: nothing is lost or used twice when a run goes on as a new one."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Check, Fault, cases
from tests.faults.query_edits import Query


def _chapters(test: str) -> list[Check]:
    return cases("engine/test_chapters.py", test)


FAULTS = [
    Fault(
        "unread-signals-end-with-their-chapter",
        "a signal is heard once, by this chapter or by the next",
        [Code("stores.commit_script:_write_rows").replace("_rows(commit.returned)", "[]")],
        _chapters("test_ten_signals_are_heard_once_and_in_order_by_four_chapters[sqlite]"),
    ),
    Fault(
        "signals-nobody-looked-at-are-lost",
        "a signal is heard once, by this chapter or by the next",
        [Code("authoring.code.inbox:unread").replace("[*A, *self.unseen, *B, *C, *D]", "[*A, *B, *C, *D]")],
        _chapters("test_a_signal_that_a_chapter_has_taken_and_not_looked_at_is_for_the_next_one[sqlite]"),
    ),
    Fault(
        "unanswered-updates-end-with-their-chapter",
        "an update is answered, by the chapter that has heard it or by the next",
        [
            Code("authoring.code.inbox:unread").replace(
                "[*A, *B, *self.unanswered, *C, *D]", "[*A, *B, *C, *D]"
            )
        ],
        _chapters("test_an_update_that_a_chapter_has_not_answered_is_answered_by_the_next[sqlite]"),
    ),
    Fault(
        "code-beside-the-workflow-goes-on",
        "what comes after the end of a chapter is for the next one",
        [Code("authoring.code.program:note_chapter_end").replace("self._loop.end_code()", "pass")],
        _chapters("test_a_signal_to_a_task_in_the_background_is_not_lost_with_it[sqlite]"),
    ),
    Fault(
        "code-beside-the-workflow-hears-the-rest-of-the-step",
        "an update is handled once, also if its handler could go on in the step that ends the chapter",
        [Code("authoring.code.loop:end_code").remove("self._is_over = True")],
        _chapters(
            "test_a_handler_whose_timer_fires_in_the_step_that_ends_the_chapter_begins_anew_in_the_next"
            "[sqlite]"
        ),
    ),
    Fault(
        "late-cancellation-lost",
        "what comes after the end of a chapter is for the next one",
        [Code("authoring.code.program:_hear").replace("self.inbox.late.append(event.message)", "pass")],
        _chapters("test_a_cancellation_in_the_step_that_ends_a_chapter_is_heard_by_the_next[sqlite]"),
    ),
    Fault(
        "numbers-begin-anew-with-a-chapter",
        "3: a number stands for one task for ever",
        [Code("authoring.code.program:begin_chapter").replace("chapter.first_task", "0")],
        _chapters("test_the_chapters_of_a_run_are_one_run[sqlite]"),
    ),
    Fault(
        "state-ends-with-its-chapter",
        "the state of a run stays",
        [Code("authoring.code.program:begin_chapter").replace("chapter.state is not None", "False")],
        _chapters("test_the_chapters_of_a_run_are_one_run[sqlite]"),
    ),
    Fault(
        "state-of-a-chapter-not-written-after-a-retry",
        "the state of a run stays",
        [Code("authoring.code.program:_write_state").replace("self.state or {}", "{}")],
        _chapters("test_a_chapter_that_failed_at_once_is_retried_with_its_state[sqlite]"),
    ),
    Fault(
        "chapters-roll-the-same-dice",
        "each chapter has its own random numbers",
        [Code("authoring.code.requests:_seed").replace("A if chapter else B", "B")],
        _chapters("test_the_chapters_of_a_run_are_one_run[sqlite]"),
    ),
    Fault(
        "earlier-chapters-replayed",
        "only the last chapter is replayed",
        [Query("sqlite:steps_of").replace("position >= ?2", "position >= 0 * ?2")],
        _chapters("test_the_chapters_of_a_run_are_one_run[sqlite]"),
    ),
    Fault(
        "children-of-earlier-chapters-loaded",
        "only the last chapter is replayed",
        [Query("sqlite:children_of").replace("parent_seq >= ?2", "parent_seq >= 0 * ?2")],
        _chapters("test_what_is_open_ends_with_its_chapter[sqlite]"),
    ),
    Fault(
        "swallowed-chapters-unnoticed",
        "nothing is silent: a run that was to go on does not end by mistake",
        [Code("authoring.code.program:_ending_command").replace("self.asked_for_chapter", "False")],
        _chapters("test_code_that_swallows_the_end_of_its_chapter_fails_by_name"),
    ),
    Fault(
        "first-input-lost",
        "the input of every chapter is kept",
        [Code("stores.commit_script:_begin_chapters").replace("row.number == 1", "False")],
        _chapters("test_the_chapters_of_a_run_are_one_run[sqlite]"),
    ),
    Fault(
        "histories-without-a-limit",
        "a history that is too long fails by name",
        [Code("engine.chapters:is_reached").replace("A < self._most", "True")],
        _chapters("test_a_history_that_is_too_long_fails_the_run_by_name[sqlite]"),
    ),
]
