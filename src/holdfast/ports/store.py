"""The store: all roles in one protocol, for the composition root and for implementations.

All other code is typed to the role that it uses. The roles are in `nodes`, `runs`, `schedules`,
`definitions`, `flows`, `workers`, `retention`, `archives`, `access` and `store_life`. `EngineStore` in
`nodes` unites the roles that an engine uses, and `ClientStore` in `clients` those that a client uses.

Every method is atomic: all of its changes are written or none, also when the process dies in the middle.
A store does not decide what a run does next. It decides what only a transaction can decide:

- whether a node still owns a run, by owner and epoch;
- whether a worker still holds its item, by the number of its lease;
- whether an id is taken, a promise settled, a run ended, a schedule or a draft changed since it was read;
- which due runs a node gets, and how few at once if they have had setbacks (`policies.claim_limit`);
- which item of the queue a worker gets, and when an item was lost too often;
- whether a message wakes its run: a run that is parked, paused or held back by its parent is not woken.
"""

from __future__ import annotations

from typing import Protocol

from holdfast.ports.clients import ClientStore
from holdfast.ports.nodes import EngineStore


class Store(EngineStore, ClientStore, Protocol):
    """The union of all roles."""
