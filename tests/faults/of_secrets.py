"""Faults in what secrets promise: values are for the tasks that name them, and are never stored or shown."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases

FAULTS = [
    Fault(
        "outcome-with-secret",
        "the result and the error of an attempt are masked",
        [Code("engine.secret_attempts:masked").replace("A.mask.outcome(B)", "B")],
        cases("engine/test_secrets.py", "test_whatever_a_task_does_with_a_secret_it_is_not_to_be_found"),
    ),
    Fault(
        "heartbeat-with-secret",
        "the details of a heartbeat are masked",
        [Code("engine.attempt_timers:beat").replace("A.mask.payload(B)", "B")],
        cases("engine/test_secrets.py", "test_whatever_a_task_does_with_a_secret_it_is_not_to_be_found"),
    ),
    Fault(
        "secret-in-two-lines",
        "a value that is cut in two by the longest line is masked",
        [Code("core.masking:MaskedLines.feed").replace("self._mask.joined_lines(A)", "list(A)")],
        cases(
            "core/test_masking.py",
            "test_a_value_that_is_cut_in_two_by_the_longest_line_is_masked_and_nothing_else_is_lost",
        ),
    ),
    Fault(
        "secret-on-the-terminal",
        "what a task prints is masked also where the node prints it",
        [Code("executors.printing:write").replace("self.below.write(shown)", "self.below.write(text)")],
        cases("engine/test_secrets.py", "test_whatever_a_task_does_with_a_secret_it_is_not_to_be_found"),
    ),
    Fault(
        "secrets-for-everybody",
        "only tasks that name a secret have it in their environment",
        [Code("secret_sources:without_secrets").replace("not A.startswith(B)", "True")],
        cases(
            "engine/test_secrets.py",
            "test_commands_and_functions_of_dags_get_their_secrets_and_no_others",
        ),
    ),
]
