"""Faults in what secrets and encryption promise: who must not read a value does not find it anywhere."""

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
    Fault(
        "ciphertext-is-data",
        "a process without the key parks a run, and does not go on with the encrypted text",
        [Code("core.sealed:check_open").replace("A is not None and B", "False")],
        cases(
            "engine/test_seals.py",
            "test_a_node_without_the_key_parks_the_run_and_one_that_has_it_goes_on",
        ),
    ),
    Fault(
        "state-in-plain-text",
        "every parameter that is a payload is encrypted",
        [Code("stores.sealing:_sealed_row").replace("cell is not None", "cell is not None and place != 3")],
        cases("engine/test_seals.py", "test_nothing_of_users_is_readable_in_the_tables"),
    ),
    Fault(
        "rewrite-without-end",
        "a rewrite passes over what has the right key",
        [Code("stores.rewriting:_rewritten").replace("A is None or B", "A is None")],
        cases("engine/test_seals.py", "test_after_a_rewrite_the_old_key_is_not_needed"),
    ),
    Fault(
        "secrets-in-json-in-json",
        "a secret is masked also in JSON that is a string of JSON",
        [Code("core.masking:_forms_of_text").replace("yield from _escaped(once)", "pass")],
        cases("core/test_masking.py", "test_a_value_is_found_in_its_usual_forms"),
    ),
    Fault(
        "the-server-s-secret-for-tasks",
        "tasks do not get the secret by which an identity provider knows the server",
        [Code("parts:Parts._executors").remove("environment.pop(OIDC_SECRET, None)")],
        cases("engine/test_secrets.py", "test_commands_get_nothing_that_is_for_the_server_alone"),
    ),
]
