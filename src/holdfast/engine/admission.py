"""Admission: how many runs to have in memory, and of which workflows.

Runs that wait for a slot stay in memory, and a workflow may have any number of them. So a workflow may take
three quarters of the room that the others leave, and its backlog does not keep other runs from starting.
(Of 10,000 places the first workflow that is stuck takes 7,500 and the next 1,875. It takes a dozen to leave
no room at all.)

Nodes that serve the same workflows share the work. They know of each other by their leases. A backlog stays
in the store, where a node that joins finds it: a node with peers takes no more runs of a workflow while many
of its tasks wait for a slot, and leaves most of a large batch that is started on it to the others.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from holdfast.core.records import ANY_NODE, is_task_claim
from holdfast.core.values import RunKey
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.resident import Resident
from holdfast.engine.residents import Residents
from holdfast.engine.run_scope import RunScope
from holdfast.engine.tuning import Tuning
from holdfast.ports.commits import Claimed, ClaimRequest
from holdfast.ports.programs import Programs

_LONGEST_LIST = 4_000
"""In bytes. The row of the node has the list, and every commit sends it."""


class Admission:
    def __init__(
        self,
        residents: Residents,
        programs: Programs,
        dispatcher: Dispatcher,
        tuning: Tuning,
        scope: RunScope,
    ) -> None:
        self._scope = scope
        self._residents = residents
        self._programs = programs
        self._dispatcher = dispatcher
        self._share_from = tuning.share_from
        self._backlog = tuning.backlog
        self.peers = 1
        """How many nodes share the work, with this one."""
        self._capacity = tuning.max_resident
        self._batch = self._fitting = tuning.claim_batch
        self._claim_bytes = tuning.tick_bytes
        self._max_idle = tuning.max_idle
        self._is_full = False
        """Runs were left unclaimed because the node had no room for them."""
        self._saturated: set[str] = set()
        """Claims that have their share. They take no more until a tenth of it is free, or until `relax`."""
        self._is_shared = True
        """This node has more than one workflow."""

    @property
    def is_limiting(self) -> bool:
        """Whether this node leaves some runs to other nodes, or for later."""
        return self._is_full or bool(self._saturated)

    @property
    def free(self) -> int:
        return self._capacity - len(self._residents)

    @property
    def max_idle(self) -> int:
        """How many runs may be idle. When the node is full, none: they make room for runs with work to do."""
        return 0 if self._is_full else min(self._max_idle, self._capacity // 4)

    @property
    def serves(self) -> str | None:
        """Which workflows this node serves: its claims as JSON, or a hash if there are very many. None if it
        works on its own runs only."""
        if self._scope.is_limited:
            return None
        claims = msgspec.json.encode(sorted(self._programs.claims()))
        return claims.decode() if len(claims) <= _LONGEST_LIST else f"{zlib.crc32(claims):08x}"

    def share_of(self, batch: int) -> int:
        """How many runs of a batch that is started here may begin here. The rest is for the other nodes."""
        return batch if self.peers == 1 or batch < self._share_from else -(-batch // self.peers)

    def is_backlogged(self, claim: str) -> bool:
        """Whether further runs of this claim should be left to the other nodes."""
        return self.peers > 1 and self._dispatcher.waiting_of[claim] >= self._backlog

    def surplus(self) -> Iterable[Resident]:
        """Runs that wait for a slot behind as many others as a node should have, since it has peers."""
        if self.peers == 1:
            return
        waiting: Counter[str] = Counter()
        for resident in self._residents:
            claim = resident.record.claim
            if self.is_backlogged(claim) and resident.only_waits_for_slots:
                waiting[claim] += len(resident.attempts)
                if waiting[claim] > self._backlog:
                    yield resident

    def admits(self, claim: str) -> bool:
        """Whether one more run of that workflow may begin here. If not, the run is left to be claimed."""
        free = self._capacity - len(self._residents)
        if self.is_backlogged(claim):
            self._saturated.add(claim)
            return False
        if not self._saturated and self._residents.count(claim) + 4 <= 3 * free:
            return True  # the quick way, which nearly every start takes
        if free <= 0:
            self._is_full = True
            return False
        if self._free_for(claim) <= 0:
            self._saturated.add(claim)
        return claim not in self._saturated

    def runs_wanted(self) -> list[RunKey] | None:
        """The runs to claim. None if the node works on all runs."""
        return self._scope.absent_from(self._residents)

    def claims(self) -> Sequence[str]:
        """The claims that this node would take more runs of."""
        known = self._refresh_claims()
        self._saturated.update(claim for claim in known if self._free_for(claim) <= 0)
        return [claim for claim in known if claim not in self._saturated] if self._saturated else known

    def all_claims(self) -> Sequence[str]:
        """Also those that it has no room for now."""
        return self._programs.claims()

    @property
    def has_room_for_mail(self) -> bool:
        """Whether a commit would collect messages. If not, runs have to read what is in memory first."""
        return self._residents.mail.bytes < self._claim_bytes

    def claim_request(self) -> ClaimRequest:
        runs = self.runs_wanted()
        if runs is not None:
            return ClaimRequest((), min(self.free, self._fitting), runs, self._claim_bytes)
        claims = self.claims()
        smallest = min(map(self._free_for, claims), default=self.free)
        batch = -(-self._fitting // self.peers)
        return ClaimRequest(claims, min(smallest, self.free, batch), bytes=self._claim_bytes)

    def note_inputs(self, claimed: Sequence[Claimed]) -> None:
        """Ask for about as many runs as fit, by the size of these. Otherwise the store would look at hundreds
        of runs each time to give a few, and SQLite reads the whole input of each run that it looks at."""
        size = sum(len(run.input) for run, _ in claimed)
        if 2 * size > self._claim_bytes:
            self._fitting = min(self._batch, max(1, 2 * len(claimed) * self._claim_bytes // size))
        else:
            self._fitting = self._batch

    def is_full_after(self, claimed: int) -> bool:
        """Whether the node has no room left after it has claimed so many runs, as many as it asked for."""
        self._is_full = self._is_full or self.free <= claimed
        return self._is_full

    def try_reopen(self) -> bool:
        """Take runs again where there was no room, if there is enough by now. Returns whether there is."""
        self._refresh_claims()
        is_freed = self._is_full and self.free > self._capacity // 10
        freed = {each for each in self._saturated if 10 * self._free_for(each) > self._residents.count(each)}
        self._is_full = self._is_full and not is_freed
        self._saturated -= freed
        return is_freed or bool(freed)

    def relax(self) -> None:
        """Take runs again wherever there is any room. Called now and then: stuck runs may keep the rest of it
        for hours."""
        self._refresh_claims()
        self._is_full = self._is_full and self.free <= 0
        self._saturated = {claim for claim in self._saturated if self._free_for(claim) <= 0}

    def _refresh_claims(self) -> Sequence[str]:
        claims = self._programs.claims()
        # Every node serves published flows, and each task may be started by itself. But most nodes never have
        # such runs, and their only workflow may take all the room.
        count = self._residents.count
        used = [claim for claim in claims if count(claim) or not (claim == ANY_NODE or is_task_claim(claim))]
        self._is_shared = len(used) > 1
        return claims

    def _free_for(self, claim: str) -> int:
        """How many more runs a claim may have: until it has three times the room that is left for all. A
        claim without runs gets one, if there is any room."""
        if self.peers > 1:
            room = self._backlog - self._dispatcher.waiting_of[claim]
            return max(0, min(room, self._free_of_capacity(claim)))
        return self._free_of_capacity(claim)

    def _free_of_capacity(self, claim: str) -> int:
        if not self._is_shared:
            return self.free
        count = self._residents.count(claim)
        return max((3 * self.free - count) // 4, min(1, self.free) if count == 0 else 0)
