"""Faults in the tools that users test with: time that passes, or not, while tasks run, and waits in vain."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases

FAULTS = [
    Fault(
        "limits-not-due",
        "limits of tasks are exceeded in a test as in production",
        [Code("engine.deciding:next_due_of_runs").remove("self._attempt_timers.next_limit()")],
        cases(
            "testing/test_time_limits.py",
            "test_a_task_that_sleeps_past_its_timeout_is_timed_out_at_once",
        ),
    ),
    Fault(
        "sleeps-of-tasks-passed",
        "a task that works is not timed out in a test because the clock skipped",
        [Code("testing.attempt_watch:may_pass").replace("end <= due", "False")],
        cases(
            "testing/test_time_limits.py",
            "test_the_sleep_of_a_task_and_timers_of_workflows_end_in_the_order_of_their_times",
        ),
    ),
    Fault(
        "computing-threads-passed",
        "a task that works is not timed out in a test because the clock skipped",
        [
            Code("testing.attempt_watch:_is_patience_over").replace(
                "max(self._moved_at, self._real.threads_moved_at)", "self._moved_at"
            )
        ],
        cases("testing/test_time_limits.py", "test_a_thread_that_computes_is_not_timed_out"),
    ),
    Fault(
        "clock-behind-heartbeats",
        "a task that sends heartbeats is not timed out in a test as silent",
        [Code("testing.environment:_pass_time").replace("A.options.heartbeat is not None", "False")],
        cases(
            "testing/test_time_limits.py",
            "test_a_task_that_sends_heartbeats_goes_on_until_its_timeout",
        ),
    ),
    Fault(
        "sleepers-forgotten",
        "a wait is not in vain while a task of the test will wake",
        [Code("testing.environment:_VainWait.is_over").replace("sleepers.get(task) is sleep", "False")],
        cases(
            "testing/test_stuck_runs.py",
            "test_a_task_of_the_test_that_sleeps_is_waited_for_whatever_the_patience",
        ),
    ),
    Fault(
        "held-up-loop-uses-up-patience",
        "a busy machine does not make a wait look vain",
        [Code("testing.real_time:RealTime.wait").replace("min(A, 2 * seconds)", "A")],
        cases(
            "testing/test_stuck_runs.py",
            "test_time_in_which_the_event_loop_is_held_up_does_not_use_up_patience",
        ),
    ),
    Fault(
        "threads-of-tests-forgotten",
        "a wait is not in vain while a thread of the test may act",
        [Code("testing.loop_waits:nobody_may_act").remove("_has_other_threads()")],
        cases(
            "testing/test_stuck_runs.py",
            "test_other_code_of_the_test_may_take_as_long_as_the_patience",
        ),
    ),
]
