"""Faults in what a run is started with, and in what operators do to it."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_TERMS = "engine/test_run_terms.py"
_ACTS = "engine/test_operators.py"
_ENDS = "engine/test_retried_ends.py"
_IDS = "engine/test_taken_ids.py"

FAULTS = [
    Fault(
        "mail-starts-delayed-runs",
        "a run does not start before its time",
        [Query("sqlite:wake_runs").remove("AND (status = 'running' OR wake_at <= ?2)")],
        cases(_TERMS, "test_a_message_does_not_start_a_run_before_its_time[sqlite]"),
    ),
    Fault(
        "deadline-spared-by-a-late-answer",
        "a run that has not ended by its deadline fails, whatever it does then",
        [
            Code("authoring.code.program:CodeProgram._ending_command").replace(
                "isinstance(A, FailRun)", "False"
            )
        ],
        cases(_TERMS, "test_what_a_run_does_after_its_deadline_does_not_save_it[sqlite-late_answer]"),
    ),
    Fault(
        "overdue-runs-go-on",
        "a run that goes on after its deadline is ended",
        [Code("engine.tick:Tick.hear").remove("self.end(fact.resident, FailRun(A))")],
        cases(_TERMS, "test_a_run_that_goes_on_after_its_deadline_is_ended[sqlite]"),
    ),
    Fault(
        "any-run-for-an-id",
        "an id gives the same run only for the same workflow and input",
        [Code("client.client:Client._check_existing").replace("differs(A, B, C)", "False")],
        cases(_TERMS, "test_an_id_gives_the_same_run_only_for_the_same_workflow_and_input[sqlite]"),
    ),
    Fault(
        "priorities-forgotten",
        "runs of a higher priority are claimed first",
        [Code("stores.commit_script:_urgent_first").replace("not urgent", "True")],
        cases(_TERMS, "test_runs_of_a_higher_priority_are_claimed_first[sqlite]"),
    ),
    Fault(
        "options-of-a-child-hide-its-priority",
        "children inherit the priority of their parent",
        [
            Code("authoring.code.requests:Requests.start_child").replace(
                "options.terms(self.at, inherited=self.run.priority)", "options.terms(self.at)"
            )
        ],
        cases(_TERMS, "test_children_have_the_priority_of_their_parent_unless_they_name_one[sqlite]"),
    ),
    Fault(
        "terminated-runs-are-asked",
        "a run is terminated whatever its code does",
        [Code("engine.operator_acts:obey").remove("tick.end(A, B, is_forced=True)")],
        cases(_ACTS, "test_a_run_that_cannot_be_cancelled_is_terminated[sqlite]"),
    ),
    Fault(
        "children-of-terminated-runs-go-on",
        "attached children end with their parent",
        [Code("stores.commit_script:_end_and_release").replace("A.is_forced", "False")],
        cases(_ACTS, "test_a_terminated_run_ends_its_task_and_its_attached_children[sqlite]"),
    ),
    Fault(
        "paused-runs-go-on",
        "no task of a paused run begins",
        [Code("engine.deciding:Decider._advance_ready").replace("A.pause is not None", "False")],
        cases(_ACTS, "test_what_one_task_leads_to_waits_while_another_ends[sqlite]"),
    ),
    Fault(
        "backoffs-go-on",
        "a backoff is ended by hand",
        [Code("engine.operator_acts:obey").remove("_end_backoffs(A, B, C)")],
        cases(_ACTS, "test_a_backoff_is_ended_though_no_node_has_the_run[sqlite]"),
    ),
    Fault(
        "causes-with-their-numbers",
        "failures of one cause have one fingerprint",
        [Code("core.fingerprints:fingerprint").replace('_NUMBER.sub("#", A)', "A")],
        cases(_ACTS, "test_failures_of_one_cause_are_one_group_and_retried_together[sqlite]"),
    ),
    Fault(
        "pauses-read-before-they-are-done",
        "a pause survives the death of the node that is pausing",
        [
            Code("engine.operator_acts:obey").replace(
                "resident.pause_messages += (message.id,)", "tick.mark_read(resident, message.id)"
            )
        ],
        cases(_ACTS, "test_a_run_whose_node_dies_while_it_is_paused_is_paused_by_the_next[sqlite]"),
    ),
    Fault(
        "backoffs-end-in-runs-that-are-paused",
        "no task of a paused run begins",
        [Code("engine.attempt_recorder:dispatch_due").replace("attempt.resident.pause is not None", "False")],
        cases(
            _ACTS,
            "test_a_backoff_that_ends_while_another_task_runs_begins_nothing[sqlite-time]",
            "test_a_backoff_that_ends_while_another_task_runs_begins_nothing[sqlite-hand]",
        ),
    ),
    Fault(
        "replaced-runs-are-not-fenced",
        "what a node decides for a run that was replaced does not count",
        [
            Query("sqlite:terminate_runs").remove("owner = NULL,"),
            Query("sqlite:terminate_runs").remove(", epoch = epoch + 1"),
        ],
        cases(_IDS, "test_a_node_forgets_a_run_that_waits_when_it_is_replaced[sqlite]"),
    ),
    Fault(
        "nodes-keep-replaced-runs",
        "a node forgets a run that was replaced, and cancels its tasks",
        [Code("engine.deciding:Decider._check_lost").remove("hold(A, B)")],
        cases(_IDS, "test_a_run_is_replaced_while_a_node_runs_its_task[sqlite]"),
    ),
    Fault(
        "live-runs-are-restarted",
        "restart_ended leaves a run alone that has not ended",
        [Code("stores.restarts:restart_runs").replace("not RunStatus(A).is_final", "False")],
        cases(_IDS, "test_a_run_that_goes_on_keeps_its_id[sqlite]"),
    ),
    Fault(
        "races-for-an-id-are-lost",
        "two clients that take one id at the same time leave one run",
        [Code("stores.runs:SqlRunStore.restart_runs").replace("continue", "return {}")],
        cases(_IDS, "test_clients_that_replace_one_run_at_the_same_time_leave_one[postgres]"),
    ),
    Fault(
        "children-of-two-runs-meet",
        "children of a run that took an id have ids of their own",
        [Code("core.ids:name_for_children").replace("A if generation else id", "id")],
        cases(_IDS, "test_children_of_a_replaced_run_end_or_stay_and_the_new_run_has_its_own[sqlite]"),
    ),
    Fault(
        "code-forgets-its-id",
        "a run that has lost its id is retried as what it was",
        [Code("core.ids:id_at_start").replace("A or None", "None")],
        cases(_IDS, "test_a_run_that_has_lost_its_id_is_retried_as_what_it_was[sqlite]"),
    ),
    Fault(
        "timers-do-not-wait",
        "timers of a paused run wait, if the operator says so",
        [Code("core.history:_Restorer._move_timers").remove("timers.update(A)")],
        cases(_ACTS, "test_timers_wait_for_as_long_as_the_run_was_paused[sqlite]"),
    ),
    Fault(
        "backoffs-do-not-wait",
        "backoffs of a paused run wait, if the operator says so",
        [Code("stores.acts:_move_timers").remove('tx.many("move_backoffs", A)')],
        cases(_ACTS, "test_a_backoff_waits_for_as_long_as_the_run_was_paused[sqlite]"),
    ),
    Fault(
        "earlier-pauses-count-again",
        "timers wait for the last pause, not for those before",
        [Query("sqlite:pauses_of").replace("max(id)", "0 * max(id)")],
        cases(_ACTS, "test_timers_wait_again_for_each_pause[sqlite]"),
    ),
    Fault(
        "moved-timers-are-explained-early",
        "an explanation knows that timers were moved",
        [Code("core.open_requests:OpenRequests._add").remove("self._moved += A")],
        cases(_ACTS, "test_timers_wait_again_for_each_pause[sqlite]"),
    ),
    Fault(
        "children-are-asked-to-end",
        "children are terminated with their parent, if their parent has said so",
        [Code("engine.tick:Tick.cancel_open").replace("seq in A.terminated", "False")],
        cases(_ACTS, "test_children_are_terminated_when_their_parent_has_ended[sqlite]"),
    ),
    Fault(
        "replay-forgets-what-becomes-of-children",
        "after a crash, children are still terminated with their parent",
        [Code("core.history:_Restorer._open").remove("past.terminated.add(A)")],
        cases(_ACTS, "test_children_are_terminated_after_every_crash[sqlite]"),
    ),
    Fault(
        "children-of-terminated-runs-are-asked",
        "children are terminated with a parent that is terminated itself",
        [Code("stores.commit_script:news_for_children").replace("A.on_parent_end == B", "False")],
        cases(_ACTS, "test_children_are_terminated_with_a_terminated_parent[sqlite-False]"),
    ),
    Fault(
        "pauses-outlive-their-runs",
        "a pause that came too late does not pause the retried run",
        [Code("core.reopening:overtaken_messages").replace("A in _OVERTAKEN", "A is MessageKind.CANCEL")],
        cases(_ENDS, "test_a_pause_that_came_too_late_does_not_pause_the_retried_run[sqlite]"),
    ),
    Fault(
        "acts-are-heard-again",
        "a retried run is not terminated again by the same act",
        [
            Code("authoring.code.reopening:plan_reopening").replace(
                "A not in _NOT_AGAIN", "A not in (MessageKind.CANCEL, MessageKind.CHILD)"
            )
        ],
        cases(_ENDS, "test_a_run_that_its_node_has_terminated_goes_on_when_it_is_retried[sqlite]"),
    ),
    Fault(
        "deadlines-are-not-looked-at",
        "a run whose deadline has passed is not retried without a new one",
        [Code("client.families:Families._new_options").replace("A if B else None", "None")],
        cases(_ENDS, "test_a_run_whose_deadline_has_passed_is_not_retried_without_a_new_one[sqlite]"),
    ),
    Fault(
        "retried-runs-clean-up",
        "a run with a new deadline goes on before it was told of the old one",
        [Code("authoring.code.reopening:_reopening_position").remove("return told[0]")],
        cases(_ENDS, "test_a_new_deadline_counts_from_the_retry_on[sqlite-deadline0]"),
    ),
    Fault(
        "new-deadlines-are-grace",
        "a retried run whose steps are kept has the whole time until its new deadline",
        [Code("core.history:_Restorer._open_again").remove("self._past.is_overdue = False")],
        cases(_ENDS, "test_a_dag_ends_at_its_new_deadline[sqlite]"),
    ),
    Fault(
        "early-runs-begin-with-older-mail",
        "a run that is cancelled before its start does not begin, though its node reads older mail first",
        [Code("engine.early_ends:ends_before_start").replace("resident.key in A", "False")],
        cases(_TERMS, "test_a_run_that_is_cancelled_before_its_time_does_not_begin[sqlite-3-1000]"),
    ),
    Fault(
        "old-mail-leaves-no-room-for-a-cancellation",
        "a run that is cancelled before its start ends, however much mail is before the cancellation",
        [Code("engine.early_ends:_forget_mail").remove("residents.mail.remove(...)")],
        cases(_TERMS, "test_a_run_that_is_cancelled_before_its_time_does_not_begin[sqlite-3-1]"),
    ),
    Fault(
        "mail-of-forced-ends-waits-for-a-poll",
        "children hear at once that their parent was terminated",
        [Code("engine.tick:Tick.end").replace("A or is_forced", "A")],
        cases(_ACTS, "test_children_of_a_terminated_run_hear_of_it_without_a_poll"),
    ),
    Fault(
        "urgent-runs-by-chance",
        "no claim with urgent runs waits for ever for another that has some of the same priority",
        [Query("postgres:urgent_runs").remove(', oldest.wake_at, urgent.claim COLLATE "C"')],
        cases(
            "stores/test_work.py",
            "test_of_claims_with_urgent_runs_the_one_that_waited_longest_comes_first[postgres]",
        ),
    ),
    Fault(
        "retried-runs-begin-early",
        "a run that is retried before its start waits for its start",
        [Code("engine.early_ends:ends_before_start").insert_before("hold(...)", "return False")],
        cases(_TERMS, "test_a_run_that_is_retried_before_its_start_waits_for_it[sqlite-cancel]"),
    ),
    Fault(
        "retried-runs-have-begun",
        "a run that is retried and cancelled before its start does not begin",
        [Code("core.history:_only_reopens").replace("not A", "False")],
        cases(_TERMS, "test_a_run_that_is_retried_before_its_start_waits_for_it[sqlite-cancel]"),
    ),
]
