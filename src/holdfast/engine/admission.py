"""Admission: how many runs to have in memory, and of which workflows.

Runs that wait for a slot stay in memory, and a workflow may have any number of those. So of what the others
leave it takes three quarters at most, and nobody's backlog keeps another's runs from starting. (Of 10,000 the
first that is stuck takes 7,500, the next 1,875; it takes a dozen of them to leave no room at all.)
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.records import ANY_NODE
from holdfast.core.values import RunKey
from holdfast.engine.residents import Residents
from holdfast.engine.run_scope import RunScope
from holdfast.engine.tuning import Tuning
from holdfast.ports.programs import Programs
from holdfast.ports.store import ClaimRequest


class Admission:
    def __init__(
        self, residents: Residents, programs: Programs, tuning: Tuning, scope: RunScope | None
    ) -> None:
        self._scope = scope
        """What the node is for; None: for all that it can run."""
        self._residents = residents
        self._programs = programs
        self._capacity = tuning.max_resident
        self._batch = tuning.claim_batch
        self._max_idle = tuning.max_idle
        self._is_full = False
        """Runs were left unclaimed because the node had no room for them."""
        self._saturated: set[str] = set()
        """The claims that have their share. They take no more until a tenth of it is free, or for a while."""
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
        """How many may only wait. When all room is taken they make place for those with something to do."""
        return 0 if self._is_full else min(self._max_idle, self._capacity // 4)

    def admits(self, claim: str) -> bool:
        """Whether one more run of that workflow may begin here. If not, the run is left to be claimed."""
        free = self._capacity - len(self._residents)
        if not self._saturated and self._residents.count(claim) + 4 <= 3 * free:
            return True  # as nearly always, and asked for every run that is started
        if free <= 0:
            self._is_full = True
            return False
        if self._free_for(claim) <= 0:
            self._saturated.add(claim)
        return claim not in self._saturated

    def runs_wanted(self) -> list[RunKey] | None:
        """The runs to take, if not any will do."""
        return None if self._scope is None else self._scope.absent_from(self._residents)

    def claims(self) -> Sequence[str]:
        """What this node would take more of."""
        known = self._refresh_claims()
        self._saturated.update(claim for claim in known if self._free_for(claim) <= 0)
        return [claim for claim in known if claim not in self._saturated] if self._saturated else known

    def claim_request(self) -> ClaimRequest:
        runs = self.runs_wanted()
        if runs is not None:
            return ClaimRequest((), min(self.free, self._batch), runs)
        claims = self.claims()
        smallest = min(map(self._free_for, claims), default=self.free)
        return ClaimRequest(claims, min(smallest, self.free, self._batch))

    def is_full_after(self, claimed: int) -> bool:
        """After a claim that found as many as it asked for: is there no room for more once they are in?"""
        self._is_full = self._is_full or self.free <= claimed
        return self._is_full

    def try_reopen(self) -> bool:
        """Whether there is room again where there was none, and so much that it is worth a claim."""
        self._refresh_claims()
        is_freed = self._is_full and self.free > self._capacity // 10
        freed = {each for each in self._saturated if 10 * self._free_for(each) > self._residents.count(each)}
        self._is_full = self._is_full and not is_freed
        self._saturated -= freed
        return is_freed or bool(freed)

    def relax(self) -> None:
        """Now and then: what is stuck may leave less than that free, for hours, and somebody waits for it."""
        self._refresh_claims()
        self._is_full = self._is_full and self.free <= 0
        self._saturated = {claim for claim in self._saturated if self._free_for(claim) <= 0}

    def _refresh_claims(self) -> Sequence[str]:
        claims = self._programs.claims()
        # Every node serves this claim, but most never have a run of it.
        has_published = self._residents.count(ANY_NODE) > 0
        self._is_shared = len(claims) > (1 if has_published or ANY_NODE not in claims else 2)
        return claims

    def _free_for(self, claim: str) -> int:
        """How many more it may take until it has three times of what is left for all. One that has none
        gets one of whatever there is."""
        if not self._is_shared:
            return self.free
        count = self._residents.count(claim)
        return max((3 * self.free - count) // 4, min(1, self.free) if count == 0 else 0)
