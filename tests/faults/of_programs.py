"""Faults in replay: the same journal must give the same commands, and order decides every race."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Check, Fault, cases, simulations


def _edits(test: str) -> list[Check]:
    return cases("authoring/code/test_edits.py", test)


FAULTS = [
    Fault(
        "failures-nobody-awaits-are-lost",
        "nothing is silent: a failure that no code has looked at fails the run",
        [Code("authoring.code.program:_ending_command").replace("list(...)", "[]")],
        cases("authoring/code/test_unawaited.py", "test_a_failure_that_nobody_has_looked_at_fails_the_run"),
    ),
    Fault(
        "thrown-away-handles-unnoticed",
        "nothing is silent: a call without await is named",
        [Code("authoring.code.handles:place_if_dropped").replace("A > 3", "A > 0")],
        cases(
            "authoring/code/test_unawaited.py",
            "test_what_is_called_and_thrown_away_is_named_with_its_line",
        ),
    ),
    Fault(
        "errors-that-were-looked-at-fail-the-run",
        "an error that the code has dealt with is not the run's",
        [Code("authoring.code.handles:is_unheard").replace("handle._log_traceback", "True")],
        cases("authoring/code/test_unawaited.py", "test_a_failure_that_the_code_has_looked_at_does_not"),
    ),
    Fault(
        "waiting-run-left-to-the-garbage-collector",
        "sleeping runs take no memory",
        [Code("authoring.code.loop:dispose").replace("_forget_callbacks(awaited)", "pass")],
        cases(
            "authoring/code/test_leaving_memory.py",
            "test_a_waiting_run_that_leaves_memory_needs_no_garbage_collector",
        ),
    ),
    Fault(
        "task-numbers-stand-still-in-replay",
        "5: the counter advances in replay too",
        [
            Code("authoring.code.requests:_new_handle").replace(
                "self._next_task = A + 1", "self._next_task = A + (self._recorded is None)"
            )
        ],
        cases(
            "other_systems/test_replay.py",
            "test_branches_of_several_steps_each_survive_a_crash_at_every_commit",
        ),
    ),
    Fault(
        "timer-numbers-stand-still-in-replay",
        "5: the counter advances in replay too",
        [
            Code("authoring.code.requests:start_timer").replace(
                "self._next_timer += 1", "self._next_timer += self._recorded is None"
            )
        ],
        cases("authoring/code/test_asyncio.py", "test_gather_gives_results_in_order_of_its_arguments"),
    ),
    Fault(
        "child-numbers-stand-still-in-replay",
        "5: the counter advances in replay too",
        [
            Code("authoring.code.requests:Requests.start_child").replace(
                "self._next_child += 1", "self._next_child += self._recorded is None"
            )
        ],
        [
            *cases(
                "engine/test_children.py",
                "test_a_parent_of_many_children_is_told_of_those_that_ended_while_it_was_away",
            ),
            *simulations(40),
        ],
    ),
    Fault(
        "recorded-tasks-asked-for-again",
        "3: a recorded task is never done again",
        [
            Code("authoring.code.requests:schedule_recorded").insert_before(
                "return self._new_handle(A)",
                "self._commands.append(ScheduleTask(self._next_task, name, b'{}', TaskOptions(), digest))",
            )
        ],
        cases("testing/test_assert_durable.py", "test_it_gives_the_result_of_a_workflow_that_survives"),
    ),
    Fault(
        "another-name-overlooked",
        "5: a program that asks for something else is noticed",
        [Code("authoring.code.recorded_requests:_agree").replace("A.name == B.name", "True")],
        _edits("test_of_a_task_that_seems_renamed_it_is_said_how_it_keeps_its_name"),
    ),
    Fault(
        "other-arguments-overlooked",
        "5: a call does not get the result of another",
        [Code("core.journal:entry_of").replace("TaskAsked(A, B, C, D)", "TaskAsked(A, B, C)")],
        _edits("test_a_run_is_parked_with_the_difference[two calls in another order]"),
    ),
    Fault(
        "another-state-overlooked",
        "5: a program that asks for something else is noticed",
        [Code("authoring.code.recorded_requests:_agree").replace("A.key == B.key and C", "A.key == B.key")],
        _edits("test_a_run_is_parked_with_the_difference[another value of the state]"),
    ),
    Fault(
        "requests-not-made-overlooked",
        "5: a program that asks for less is noticed",
        [
            Code("authoring.code.program:_check_step_end").replace(
                "A is not None or B is not None", "A is not None"
            )
        ],
        _edits("test_a_run_is_parked_with_the_difference[the last task is gone]"),
    ),
    Fault(
        "timers-not-recorded-overlooked",
        "5: a program that asks for more is noticed",
        [
            Code("authoring.code.recorded_requests:unrecorded_timer").replace(
                "journal.TimerAsked(...)", "None"
            )
        ],
        _edits("test_a_run_is_parked_with_the_difference[a timeout around the call that a run is in]"),
    ),
    Fault(
        "waits-not-journaled",
        "5: a program that waits for another message is noticed",
        [Code("core.journal:write_step").remove("messages.append(...)")],
        _edits("test_a_run_is_parked_with_the_difference[another signal]"),
    ),
    Fault(
        "defaults-count",
        "5: a new parameter with a default is no other call",
        [
            Code("core.signature:Signature.__init__").replace(
                "_struct(..., omit_defaults=True)", "_struct(...)"
            )
        ],
        _edits("test_a_task_may_get_a_parameter_with_a_default_and_other_options"),
    ),
    Fault(
        "order-of-sets-counts",
        "5: the same call is the same in every process",
        [Code("core.codec:digest_of").replace("_encode_in_order(A)", "_encode(A)")],
        cases("core/test_codec.py", "test_a_digest_is_the_same_in_every_process_whatever_the_order_of_sets"),
    ),
    Fault(
        "tracebacks-count",
        "5: an exception in a call is the same exception on replay, wherever it was raised",
        [Code("core.codec:_digestible").replace("identity_of(A)", "capture_value(A)")],
        cases(
            "core/test_exception_values.py",
            "test_a_digest_does_not_depend_on_where_an_exception_was_raised",
        ),
    ),
    Fault(
        "stored-exceptions-stay-dicts",
        "an exception comes back as one, also where the hint says nothing",
        [Code("core.codec:_decode_untyped").replace("A < 0", "True")],
        cases("core/test_exception_values.py", "test_an_exception_comes_back_without_a_hint"),
    ),
    Fault(
        "stored-errors-of-tasks-lose-our-class",
        "the error of a failed task is a TaskError and of its own class, also as a value",
        [Code("core.failures:capture_value").replace('"task" if A else "run"', "None")],
        cases("authoring/code/test_exception_values.py", "test_what_gather_gives_is_passed_on_and_returned"),
    ),
    Fault(
        "unions-with-exceptions-take-any-class",
        "a value that does not fit its hint is refused",
        [Code("core.exception_hints:read_exception").replace("not isinstance(A, B)", "False")],
        cases("core/test_exception_values.py", "test_what_does_not_fit_is_refused"),
    ),
    Fault(
        "users-annotations-replaced-for-good",
        "the classes of users are left as they were",
        [Code("core.exception_hints:in_classes").remove("kind.__annotations__ = annotations")],
        cases("core/test_exception_values.py", "test_the_annotations_of_a_class_are_left_as_they_were"),
    ),
    Fault(
        "models-become-dicts-in-silence",
        "nothing is silent: a model that will come back as a dict is named",
        [Code("core.signature:Signature.pack_result").remove("self._untyped_result.check(...)")],
        cases("authoring/code/test_exception_values.py", "test_a_model_under_a_bare_hint_is_told"),
    ),
    Fault(
        "guards-never-removed",
        "5: code that takes the changed path without asking goes on",
        [
            Code("authoring.code.recorded_requests:_find_next").replace(
                "A is journal.ChildResumed or A is journal.PatchMarked", "A is journal.ChildResumed"
            )
        ],
        _edits("test_a_run_goes_on[a guard that is gone, for a run that took the changed path]"),
    ),
    Fault(
        "differences-not-told",
        "5: a parked run says what differs",
        [Code("engine.run_loader:_explain").remove("self._programs.explain(...)")],
        _edits("test_the_difference_has_both_requests_the_line_and_the_sources[sqlite]"),
    ),
    Fault(
        "differences-can-be-swallowed",
        "5: a program that asks for something else is noticed",
        [
            Code("authoring.code.program:CodeProgram._replay_events").replace(
                "self._determinism_error is not None", "self._determinism_error is not None and at < 0"
            )
        ],
        cases("authoring/code/test_versions.py", "test_user_code_cannot_swallow_a_determinism_error"),
    ),
    Fault(
        "replay-in-another-order",
        "4: what was journaled first has won",
        [Code("core.history:_Restorer._hear").replace("A.heard", "reversed(A.heard)")],
        cases(
            "other_systems/test_replay.py",
            "test_who_came_first_of_several_that_ended_in_one_step_is_the_same_after_a_crash",
        ),
    ),
    Fault(
        "replay-at-another-time",
        "5: time in a workflow comes from its journal",
        [Code("authoring.code.program:_replay_events").replace("self.at = at", "self.at = Instant(at + 1)")],
        cases("authoring/code/test_context.py", "test_time_dice_and_uuids_are_the_same_after_a_crash"),
    ),
    Fault(
        "dice-of-the-process",
        "5: chance in a workflow comes from its run",
        [Code("authoring.code.requests:Requests.random").replace("Random(...)", "Random()")],
        cases("authoring/code/test_context.py", "test_time_dice_and_uuids_are_the_same_after_a_crash"),
    ),
    Fault(
        "clock-of-the-process",
        "5: time in a workflow comes from its journal",
        [Code("authoring.code.requests:Requests.now").replace("moment(...)", "dt.datetime.now(dt.UTC)")],
        cases("authoring/code/test_context.py", "test_time_dice_and_uuids_are_the_same_after_a_crash"),
    ),
    Fault(
        "side-effects-of-older-runs-unknown",
        "a run that an older release began is replayed as it was recorded",
        [Code("authoring.code.requests:past_effect").replace("self._recorded is None or ...", "True")],
        cases(
            "authoring/code/test_steps.py",
            "test_a_side_effect_that_was_done_in_place_is_replayed_as_it_was_recorded",
        ),
    ),
    Fault(
        "steps-called-again-in-replay",
        "3: a recorded step is never done again",
        [
            Code("authoring.code.requests:Requests.step").insert_before(
                "self._ask(...)", "if self._recorded is not None: body.call(NO_INPUT)"
            )
        ],
        cases(
            "authoring/code/test_steps.py",
            "test_a_recorded_step_is_not_called_again_and_gives_what_it_gave",
        ),
    ),
    Fault(
        "steps-called-before-the-commit",
        "1: nothing is done before it is recorded",
        [
            Code("authoring.code.requests:Requests.step").insert_before(
                "self._ask(...)", "if self._recorded is None: body.call(NO_INPUT)"
            )
        ],
        cases("authoring/code/test_steps.py", "test_a_step_is_not_called_before_its_request_is_recorded"),
    ),
    Fault(
        "options-of-steps-dropped",
        "a step is retried and limited as its options say",
        [Code("authoring.code.task_options:merge").replace("msgspec.structs.replace(...)", "options")],
        cases("authoring/code/test_steps.py", "test_options_are_recorded_with_the_step"),
    ),
    Fault(
        "steps-and-tasks-alike-in-replay",
        "5: a step is not given the result of a task of its name",
        [Code("core.journal:entry_of").replace("A.is_step", "False")],
        _edits("test_a_run_is_parked_with_the_difference"),
    ),
    Fault(
        "steps-without-their-function",
        "a step calls the function that the code has given, and no other",
        [
            Code("engine.resident:new_attempt").replace(
                "A.step_body(seq)", "A.step_body(seq) if number == 1 else None"
            )
        ],
        cases(
            "engine/test_steps.py",
            "test_a_step_in_backoff_leaves_memory_and_is_tried_again_with_its_closure",
        ),
    ),
    Fault(
        "steps-run-the-task-of-their-name",
        "a step calls the function that the code has given, and no other",
        [Code("authoring.catalog:Definitions.body").replace("attempt.body is not None", "False")],
        cases("engine/test_steps.py", "test_a_step_named_like_a_task_does_not_run_the_task"),
    ),
    Fault(
        "steps-in-the-default-queue",
        "a step counts against the limit of a queue only if it names the queue",
        [Code("engine.dispatcher:_find_slots").replace("A.is_step and ...", "False")],
        cases(
            "engine/test_steps.py",
            "test_a_step_counts_against_the_limit_of_a_queue_only_if_it_names_the_queue",
        ),
    ),
    Fault(
        "steps-change-the-workflow",
        "5: nothing changes a run unseen by replay",
        [Code("authoring.code.context:_program").replace("current is not A", "False")],
        cases("authoring/code/test_steps.py", "test_the_context_of_the_workflow_is_refused_inside_a_step"),
    ),
    Fault(
        "second-cancel-interrupts-the-clean-up",
        "6: asking twice is asking once",
        [
            Code("authoring.code.program:_request_cancel").replace(
                "not self.cancel_requested", "not self._has_ended"
            )
        ],
        cases(
            "engine/test_cancellation.py",
            "test_asking_twice_is_asking_once_and_does_not_disturb_the_clean_up",
        ),
    ),
    Fault(
        "promises-change-their-mind",
        "6: a promise is settled once",
        [Code("authoring.code.context:Context").replace("same or A", "A")],
        cases(
            "authoring/code/test_questions.py",
            "test_an_answer_ahead_to_a_promise_that_keeps_its_value_is_refused[sqlite]",
        ),
    ),
    Fault(
        "struck-out-steps-replayed",
        "6: a retry is a new fact, and strikes out what it goes back over",
        [Code("core.history:steps_that_count").replace("A < B.position", "A <= B.position")],
        cases("client/test_retry.py", "test_a_retry_does_only_what_failed_and_under_the_same_key"),
    ),
    Fault(
        "numbers-used-again-after-a-retry",
        "3: a number stands for one task for ever",
        [Code("core.reopening:next_numbers").replace("max(tasks, A + 1)", "min(tasks, A)")],
        cases(
            "client/test_retry.py",
            "test_the_clean_up_of_the_failed_attempt_is_struck_out_and_done_anew_if_it_fails_again",
        ),
    ),
    Fault(
        "succeeded-tasks-retried",
        "3: a retry does only what failed",
        [
            Code("core.reopening:UNDONE_TASK").replace(
                "{TaskStatus.FAILED, TaskStatus.CANCELLED}",
                "{TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.SUCCESS}",
            )
        ],
        cases(
            "client/test_retry.py",
            "test_of_tasks_that_ran_together_only_those_that_did_not_succeed_are_done_again",
        ),
    ),
    Fault(
        "failures-of-lone-tasks-unnamed",
        "the failure of a run names the task that failed",
        [
            Code("authoring.code.task_program:_end").replace(
                "msgspec.structs.replace(failure, ...)", "failure"
            )
        ],
        cases(
            "authoring/code/test_task_program.py",
            "test_the_failure_of_the_task_is_that_of_the_run_and_names_the_task",
        ),
    ),
    Fault(
        "lone-tasks-asked-for-again-in-replay",
        "5: a task by itself is asked for once",
        [
            Code("authoring.code.task_program:advance").replace(
                "self._is_asked = True", "self._is_asked = bool(events)"
            )
        ],
        cases("engine/test_lone_tasks.py", "test_a_task_by_itself_survives_a_crash_at_every_commit"),
    ),
    Fault(
        "cancelled-lone-tasks-stay-unbegun",
        "a run that was cancelled before it began can be retried",
        [
            Code("authoring.code.task_program:advance").insert_before(
                "self._seq = A; return []", "self._is_asked = True"
            )
        ],
        cases(
            "authoring/code/test_task_program.py",
            "test_a_run_that_was_cancelled_before_it_began_asks_for_its_task_when_it_is_retried",
        ),
    ),
    Fault(
        "journals-of-other-tasks-accepted",
        "a journal that does not fit parks its run",
        [Code("authoring.code.task_program:replay").replace("compare(A, B, ...)", "B")],
        cases("authoring/code/test_task_program.py", "test_the_journal_of_another_program_is_refused"),
    ),
    Fault(
        "edited-tasks-conflict",
        "a task may be edited while runs of it wait",
        [
            Code("authoring.code.task_program:TaskWorkflow").replace(
                "A.encode()", "(source_of(task.function) or '').encode()"
            )
        ],
        cases(
            "client/test_lone_tasks.py",
            "test_a_task_is_registered_when_it_is_first_started_and_may_then_be_edited",
        ),
    ),
    Fault(
        "options-of-lone-tasks-forgotten",
        "the options that a run of a task was started with count on every node",
        [Code("authoring.code.task_program:TaskWorkflow.program").replace("given or A", "A")],
        cases(
            "client/test_lone_tasks.py",
            "test_or_the_options_that_a_run_of_it_was_given_on_whichever_node_it_runs",
        ),
    ),
    Fault(
        "lone-tasks-unclaimed",
        "every node that has a task takes runs of it",
        [Code("authoring.catalog:Definitions.claims").remove("*map(...)")],
        cases("client/test_lone_tasks.py", "test_a_task_is_started_by_its_name_for_another_process"),
    ),
    Fault(
        "tasks-hide-published-flows",
        "a name means the workflow, if there is one",
        [Code("client.client:_startable_by_name").replace("A is not None", "False")],
        cases("client/test_lone_tasks.py", "test_a_name_means_the_published_flow_if_there_is_one"),
    ),
    Fault(
        "version-of-tasks-given-away",
        "no workflow has the version of tasks",
        [
            Code("authoring.code.definitions:WorkflowDecorator").replace(
                "self._version == TASK_VERSION", "False"
            )
        ],
        cases(
            "client/test_lone_tasks.py",
            "test_a_workflow_cannot_have_the_version_of_tasks_nor_start_a_task_as_a_child",
        ),
    ),
    Fault(
        "unused-tasks-take-room",
        "a node whose only workflow is busy uses all its room",
        [Code("engine.admission:_refresh_claims").remove("is_task_claim(claim)")],
        cases(
            "engine/test_admission.py",
            "test_little_room_that_comes_free_is_used_also_if_no_more_does_for_hours",
        ),
    ),
]
