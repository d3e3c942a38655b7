"""Who may do what: the one table. Each route has a name, and each name has a rule here.

A role may use a route if it is in the rule. A change is written into the audit log. What workers do all day
is not: the runs have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler

from holdfast.core.keys import Role
from holdfast.server.access.callers import Caller, caller_of
from holdfast.server.access.recording import begin_record
from holdfast.server.access.refusals import Forbidden

_READERS: Final = frozenset({Role.VIEWER, Role.OPERATOR, Role.ADMIN})
_OPERATORS: Final = frozenset({Role.OPERATOR, Role.ADMIN})
_ADMINS: Final = frozenset({Role.ADMIN})
_WORKERS: Final = frozenset({Role.WORKER, Role.ADMIN})
_ALL: Final = frozenset(Role)


class Rule(NamedTuple):
    roles: frozenset[Role]
    is_change: bool = False
    is_public: bool = False
    """Also for those who have neither a key nor a session. The gateway has their paths."""


_READ: Final = Rule(_READERS)
_OPERATE: Final = Rule(_OPERATORS, is_change=True)
_ADMINISTER: Final = Rule(_ADMINS, is_change=True)
_WORK: Final = Rule(_WORKERS)

RULES: Final[dict[str, Rule]] = {
    # --- /api/v1
    "me": Rule(_ALL),
    "runs.start": _OPERATE,
    "runs.start_many": _OPERATE,
    "runs.list": _READ,
    "runs.get": _READ,
    "runs.delete": _ADMINISTER,
    "runs.bulk": _OPERATE,
    "runs.prune": _ADMINISTER,
    "runs.explain": _READ,
    "runs.tasks": _READ,
    "runs.groups": _READ,
    "runs.busy": _READ,
    "runs.grain": _READ,
    "runs.neighbours": _READ,
    "runs.task": _READ,
    "runs.attempts": _READ,
    "runs.chapters": _READ,
    "runs.graph": _READ,
    "runs.messages": _READ,
    "runs.state": _READ,
    "runs.state_at": _READ,
    "runs.cursor": _READ,
    "runs.streams": _READ,
    "runs.stream": _READ,
    "runs.cancel": _OPERATE,
    "runs.terminate": _OPERATE,
    "runs.pause": _OPERATE,
    "runs.resume": _OPERATE,
    "runs.retry": _OPERATE,
    "runs.try_now": _OPERATE,
    "runs.signal": _OPERATE,
    "runs.update": _OPERATE,
    "runs.answer": _OPERATE,
    "runs.approve": _OPERATE,
    "runs.logs": _READ,
    "runs.ends": _READ,
    "runs.counts": _READ,
    "runs.points": _READ,
    "runs.journal": _READ,
    "runs.children": _READ,
    "archive.export": _READ,
    "archive.import": _ADMINISTER,
    "bulk.list": _READ,
    "bulk.get": _READ,
    "bulk.failures": _READ,
    "bulk.cancel": _OPERATE,
    "nodes.list": _READ,
    "nodes.drain": _ADMINISTER,
    "workers.list": _READ,
    "queues.list": _READ,
    "doctor.list": _READ,
    "stats.get": _READ,
    "attention.get": _READ,
    "namespaces.list": _READ,
    "events.stream": _READ,
    "events.offset": _READ,
    "events.pulse": _READ,
    "failures.list": _READ,
    "backlog.get": _READ,
    "questions.list": _READ,
    "questions.answered": _READ,
    "alerts.list": _READ,
    "alerts.get": _READ,
    "alerts.deliveries": _READ,
    "alerts.put": _ADMINISTER,
    "alerts.delete": _ADMINISTER,
    "alerts.test": _ADMINISTER,
    "schedules.list": _READ,
    "schedules.get": _READ,
    "schedules.put": _ADMINISTER,
    "schedules.delete": _ADMINISTER,
    "schedules.pause": _OPERATE,
    "schedules.resume": _OPERATE,
    "schedules.trigger": _OPERATE,
    "schedules.backfill": _OPERATE,
    "schedules.upcoming": _READ,
    "schedules.ticks": _READ,
    "schedules.preview": _READ,
    "schedules.outage": _READ,
    "workflows.list": _READ,
    "workflows.get": _READ,
    "workflows.versions": _READ,
    "workflows.diff": _READ,
    "workflows.input_schema": _READ,
    "workflows.graph": _READ,
    "workflows.activity": _READ,
    "workflows.statistics": _READ,
    "workflows.validate": _READ,
    "workflows.put": _ADMINISTER,
    "workflows.delete": _ADMINISTER,
    "keys.list": Rule(_ADMINS),
    "keys.create": _ADMINISTER,
    "keys.revoke": _ADMINISTER,
    "audit.list": Rule(_ADMINS),
    "session.create": Rule(_ALL, is_change=True, is_public=True),
    "session.get": Rule(_ALL),
    "session.delete": Rule(_ALL, is_change=True),
    "sessions.list": Rule(_ADMINS),
    "sessions.end": _ADMINISTER,
    "login.get": Rule(_ALL, is_public=True),
    "login.oidc": Rule(_ALL, is_public=True),
    "login.oidc_callback": Rule(_ALL, is_change=True, is_public=True),
    # --- as a scheduler of DAGs
    "compat.dags.workflows": _READ,
    "compat.dags.put": _ADMINISTER,
    "compat.dags.get": _READ,
    "compat.dags.delete": _ADMINISTER,
    "compat.dags.trigger": _OPERATE,
    "compat.dags.runs": _READ,
    "compat.dags.run": _READ,
    "compat.dags.cancel": _OPERATE,
    "compat.dags.retry": _OPERATE,
    "compat.dags.tasks": _READ,
    "compat.dags.logs": _READ,
    # --- for machines
    "metrics": _READ,
    # --- as a scheduler of flows
    "compat.flows.create": _ADMINISTER,
    "compat.flows.list": _READ,
    "compat.flows.add_version": _ADMINISTER,
    "compat.flows.versions": _READ,
    "compat.flows.get_version": _READ,
    "compat.flows.compare": _READ,
    "compat.tasks.create": _OPERATE,
    "compat.tasks.list": _READ,
    "compat.tasks.get": _READ,
    "compat.tasks.cancel": _OPERATE,
    "compat.tasks.runs": _READ,
    "compat.tasks.logs": _READ,
    "compat.tasks.signal": _OPERATE,
    "compat.workers.register": _WORK,
    "compat.workers.heartbeat": _WORK,
    "compat.workers.list": Rule(_ALL),
    "compat.workers.allocate": Rule(_ALL),
    "compat.queue.poll": _WORK,
    "compat.queue.complete": _WORK,
    "compat.queue.update": _WORK,
}


def check_all_have_rules(nouns: Mapping[str, Sequence[HTTPRouteHandler]]) -> None:
    """Raises LookupError."""
    names = {str(handler.name) for routes in nouns.values() for handler in routes}
    if missing := sorted(names - RULES.keys()):
        raise LookupError(f"no rule says who may use these routes: {', '.join(missing)}")


def check_role(caller: Caller, action: str) -> None:
    """Raises Forbidden if the rule of that action does not let the caller in."""
    roles = RULES[action].roles
    if caller.role not in roles:
        allowed = ", ".join(sorted(roles))
        raise Forbidden(f"the role {caller.role} may not do this ({action}); {allowed} may")


async def check_rule(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """A guard of each application. Raises Forbidden."""
    rule = RULES.get(handler.name or "")
    if rule is None:
        return  # a document
    caller = caller_of(connection.scope)
    if not rule.is_public:
        check_role(caller, handler.name or "")
    if rule.is_change:
        begin_record(connection.scope, handler.name or "")
