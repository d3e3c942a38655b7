"""Faults around alerts: what is told, how often, and how it is sent."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases
from tests.faults.query_edits import Query

_ALERTS = "alerts/test_alerts.py"
_TOLD = "test_a_failed_run_is_told_once_and_signed[sqlite]"

FAULTS = [
    Fault(
        "alert-ids-made-anew",
        "a failure is told once, also if the look is repeated",
        [Code("core.alerts:message_id").replace('"\\0".join(parts)', "str(id(parts))")],
        cases(
            "alerts/test_crashes.py",
            "test_each_failure_is_told_by_one_run_although_a_node_crashes_at_any_commit[sqlite-True]",
        ),
    ),
    Fault(
        "deliveries-cause-alerts",
        "a message that is not delivered causes no other",
        [Code("core.alerts:wants").remove("alert.workflow not in (ALERTS, WEBHOOK)")],
        cases(_ALERTS, "test_a_message_that_fails_causes_no_other"),
    ),
    Fault(
        "storm-told-one-by-one",
        "ten thousand failures are not ten thousand messages",
        [Code("core.alerts:share_out").replace("window.told < at_most", "True")],
        cases(_ALERTS, "test_a_storm_is_summed_up"),
    ),
    Fault(
        "told-from-before-the-rule",
        "what happened before the rule is not told",
        [
            Code("core.alerts:wants").remove("alert.at >= record.created_at"),
            Code("client.alert_work:place_now").replace(
                "return offset_text(Place(bounds.last, LAST_OF_ROW))", "return offset_text(Place(1, 0))"
            ),
        ],
        cases(
            _ALERTS,
            "test_what_happened_before_the_rule_is_not_told_and_what_happens_right_after_is[sqlite]",
        ),
    ),
    Fault(
        "signature-without-the-time",
        "a receiver can tell an old message that is sent again",
        [
            Code("core.webhooks:signed_headers").replace(
                "(id.encode(), seconds.encode(), body)", "(id.encode(), body)"
            )
        ],
        cases(_ALERTS, _TOLD),
    ),
    Fault(
        "watcher-goes-on-from-now",
        "nothing is missed when the run that looks is replaced",
        [Code("client.alert_work:hand_over").replace("(place, A)", "(WatchPlace(), A)")],
        cases(
            _ALERTS,
            "test_the_run_that_looks_is_replaced_after_a_while_and_deleted_and_nothing_is_missed",
        ),
    ),
    Fault(
        "nobody-looks-unsaid",
        "a rule says that no node is there to look",
        [Code("client.alerts:_problem").replace("lack is None", "True")],
        cases(_ALERTS, "test_a_rule_in_a_namespace_without_nodes_says_so[sqlite]"),
    ),
    Fault(
        "gap-unnoticed",
        "changes that were removed unread are told of",
        [Code("client.alert_work:_changes").replace("0 < place.row < page.bounds.first", "False")],
        cases(_ALERTS, "test_changes_that_were_removed_unread_are_told_of[sqlite]"),
    ),
    Fault(
        "rules-of-all-namespaces",
        "a namespace never sees another's rules",
        [Query("sqlite:list_alerts").replace("namespace = ?1 AND", "?1 IS NOT NULL AND")],
        cases(_ALERTS, "test_a_rule_is_read_changed_and_deleted[sqlite]"),
    ),
    Fault(
        "webhooks-to-any-address",
        "webhooks are posted to allowed addresses only",
        [Code("client.alerts:put").remove('await parts.gate.check("url", rule.url)')],
        cases(_ALERTS, "test_a_rule_that_cannot_be_is_refused[options0-allowed_addresses]"),
    ),
]
