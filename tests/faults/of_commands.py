"""Faults in what `serve` and `dev` promise: to end when nothing is due, and to go on when an edit is bad."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases

FAULTS = [
    Fault(
        "lost-readers-like-failed-runs",
        "a command whose output nobody reads any more ends with a code of its own",
        [Code("cli.command_group:CommandGroup.invoke").replace("raise A from None", "raise")],
        cases(
            "cli/test_exit_codes.py",
            "test_what_is_not_an_error_of_ours_has_a_code_of_its_own[BrokenPipeError-ExitCode-str]",
        ),
    ),
    Fault(
        "other-words-unknown",
        "a command of another system is answered with ours",
        [Code("cli.command_group:use_command_groups").remove("app.info.cls = A")],
        cases(
            "cli/test_suggestions.py",
            "test_a_command_of_another_system_is_answered_with_ours[ps-Did you mean `holdfast runs list`?]",
        ),
    ),
    Fault(
        "idle-with-work-in-the-store",
        "a node that is to do what is due asks the store before it ends",
        [Code("engine.idle_wait:until_idle").replace("due is None or due > A", "True")],
        cases("engine/test_idle_wait.py", "test_what_is_due_and_nobody_has_told_the_node_of_is_done"),
    ),
    Fault(
        "idle-with-work-in-memory",
        "a node that is to do what is due waits for its tasks",
        [
            Code("engine.idle_wait:_only_waits").replace("self._dispatcher.running", "False"),
            Code("engine.idle_wait:_only_waits").replace("resident.is_idle", "True"),
        ],
        cases("engine/test_idle_wait.py", "test_a_task_that_runs_is_waited_for_on_a_thread_too"),
    ),
    Fault(
        "idle-node-makes-sleepers-due",
        "a node that ends because nothing is due leaves nothing due",
        [Code("engine.engine:wait_until_idle").replace("self._decider.hands_back_waiting = True", "pass")],
        cases("engine/test_idle_wait.py", "test_a_run_that_sleeps_is_not_waited_for_and_its_time_is_told"),
    ),
    Fault(
        "old-child-stops-for-a-bad-edit",
        "if new code cannot be loaded, what was loaded before goes on",
        [Code("cli.dev.child:main").replace("loaded.broken.intersection(order.needed)", "False")],
        cases("cli/test_dev.py", "test_after_a_bad_edit_the_old_code_goes_on_until_it_is_mended"),
    ),
    Fault(
        "old-child-stops-before-the-new-one-is-ready",
        "the old child is told to stop when the new one has loaded everything, and not before",
        [
            Code("cli.dev.supervisor:_tell_refusal").insert_before(
                "await child.wait_until_ended(_STOP_SECONDS)", "self._current and self._current.kill()"
            )
        ],
        cases("cli/test_dev.py", "test_code_that_kills_its_process_when_it_is_imported_is_not_taken"),
    ),
    Fault(
        "orphaned-child",
        "a child whose supervisor was killed ends",
        [Code("cli.dev.child:_listen").replace("self._set(self.must_stop)", "time.sleep(60)")],
        cases("cli/test_dev.py", "test_when_the_supervisor_goes_nothing_is_left"),
    ),
    Fault(
        "names-look-like-messages",
        "a name with a line break in it does not look like a message of ours",
        [Code("cli.views.visible:message").replace('_LINE_START.sub("\\n  ", A)', "visible(text)")],
        cases(
            "cli/test_visible.py",
            "test_no_name_in_a_message_begins_a_line_that_looks_like_a_message_of_ours",
        ),
    ),
]
