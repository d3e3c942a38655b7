"""Programs rely on the codes of problems, so the list is recorded: none changes unnoticed."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from tests.docs.pages import ROOT

from holdfast import errors
from holdfast.server import problems
from holdfast.server.access import refusals

CODES: Final = {
    400: "address_refused bad_answer bad_archive bad_dag bad_definition bad_document bad_file bad_flow "
    "bad_option bad_request bad_url cannot_store commit_refused family_too_deep outside_context refused "
    "secret_not_declared stream_overflow unknown_setting wrong_type",
    401: "unauthorized",
    403: "csrf_token_missing csrf_token_wrong forbidden login_refused may_not_answer",
    404: "alert_not_found flow_not_found job_not_found key_not_found no_graph node_not_found not_found "
    "run_not_found schedule_not_found unknown_task unknown_workflow workflow_not_found",
    405: "method_not_allowed",
    408: "body_timed_out",
    409: "cannot_import deadline_over heard_by_parent item_lost message_id_taken needed_by_parent not_asked "
    "not_ended not_parked not_published not_running promise_closed promise_settled run_ended run_exists "
    "schedule_taken too_many_runs unknown_promise update_refused update_unanswered "
    "version_conflict workflow_in_use workflow_taken",
    410: "offset_gone stream_gap",
    412: "schedule_changed workflow_changed",
    413: "payload_too_large",
    422: "idempotency_key_reused update_failed",
    429: "too_many_attempts",
    500: "internal_error",
    503: "busy loop_stalled node_stopped not_open provider_unavailable stopping store_full store_unavailable",
}
"""Add what is new. A code that is taken away or renamed, or gets another status, breaks programs."""


def codes() -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, errors.HoldfastError):
            status = problems.status_of(kind.__new__(kind))
            if status != 500:
                found[status].add(problems.code_of(kind))
    for status, code in problems.CODES.items():
        if status != 415:  # no route looks at the type of a body
            found[status].add(code)
    for kind in refusals.Forbidden.__subclasses__():
        found[403].add(problems.code_of(kind))
    found[422].add(problems.problem_of(problems.IdempotencyKeyReused()).code)
    found[503].add(problems.problem_of(refusals.ProviderUnavailable()).code)
    found[500].add(problems.problem_of(RuntimeError()).code)
    found[503].add(problems.STOPPING.code)
    return found


def test_the_codes_are_those_that_were_recorded():
    assert codes() == {status: set(recorded.split()) for status, recorded in CODES.items()}


def test_the_page_has_all_codes():
    page = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")

    rows = re.findall(r"^\| (\d{3}) \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE)

    shown = {int(status): set(re.findall(r"`(\w+)`", shown)) for status, shown in rows}
    assert shown == codes()
