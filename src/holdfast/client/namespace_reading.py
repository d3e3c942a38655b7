"""The namespace as a whole: its nodes and queues, what waits, what is wrong, and how many runs there are."""

from __future__ import annotations

import builtins
import datetime as dt
from collections.abc import Callable

from holdfast.client.attention import AttentionReader
from holdfast.client.backlogs import Backlog, Backlogs
from holdfast.client.explaining import Explainer
from holdfast.client.fleet import Fleet, NodeDrain, NodeInfo, Queues, TakenItem
from holdfast.client.run_points import RunPointListing
from holdfast.client.schedules import OverdueSchedule, Schedules
from holdfast.client.stats import NamespaceInfo, RunStats, Stats
from holdfast.core.attention import Attention
from holdfast.ports.runs import Stranded

_MOST_FOUND = 1_000


class NamespaceReading(RunPointListing):
    """The part of a client that reads what there is besides single runs. It also asks nodes to end."""

    schedules: Schedules
    backlogs: Backlogs
    _explainer: Explainer
    _fleet: Fleet
    _stats: Stats
    _attention: AttentionReader

    async def doctor(
        self, progress: Callable[[int], None] | None = None
    ) -> builtins.list[Stranded | OverdueSchedule]:
        """Unfinished runs that nothing will wake, or that are due and no node claims, as when no node has
        their workflow; and schedules that have been due for minutes and that no node fires.

        There should be none, and 1,000 runs at most are returned. The `problem` of each says what is wrong.
        It looks at every unfinished run; `progress` is called with their number so far, every few thousand.
        """
        self._check_loop()
        unserved = {found.run: found for found in await self._explainer.unserved_runs(_MOST_FOUND)}
        runs = await self._store.stranded_runs(self.namespace, self._now(), progress)
        others = [found for found in runs if found.run not in unserved]
        return [*[*unserved.values(), *others][:_MOST_FOUND], *await self.schedules.overdue()]

    async def nodes(self) -> builtins.list[NodeInfo]:
        """The nodes of the namespace: what each serves, how many runs it has, and whether it is there."""
        self._check_loop()
        return await self._fleet.nodes()

    async def drain_node(self, id: str, *, by: str = "") -> NodeDrain:
        """Ask a node to end as SIGTERM ends it: it takes no more runs, lets tasks under way finish for its
        `drain_seconds`, and hands back the rest, which other nodes go on with at once. This returns when it
        was asked. To ask again changes nothing.

        `holdfast serve`, `worker` and `dev` end then, with exit code 0. Whether a supervisor starts them
        again is its affair. Another program goes on as a client: what it starts then is recorded for other
        nodes. A node of a release before 0.5 does not hear of it. `by` says who asks.

        Raises NodeNotFound if no such node of the namespace is there.
        """
        self._check_loop()
        return await self._fleet.drain(id, by)

    async def queues(self) -> Queues:
        """What waits for workers or is with them, by service, and the tasks that nodes run themselves."""
        self._check_loop()
        return await self._fleet.queues()

    async def held_items(self) -> builtins.list[TakenItem]:
        """The tasks that workers have taken from the queue: 1,000 at most."""
        self._check_loop()
        return await self._fleet.held_items()

    async def backlog(self, workflow: str | None = None, service: str | None = None) -> Backlog:
        """How many runs are due that no node has taken, and how many tasks of the queue no worker, with how
        long the first of them have waited. `workflow` and `service` choose among them.

        Of each workflow and service 10,000 are counted at most, so this is cheap whatever has piled up.
        """
        self._check_loop()
        return await self.backlogs.read(workflow, service)

    async def attention(self) -> Attention:
        """Whether all is well, and what needs a person: failed runs by their cause, parked runs, questions,
        what is due and nobody takes. All in sentences, the worst first. It is at most a second old.

        It costs little, whatever has piled up. Runs that nothing will wake are found by `doctor` alone.
        """
        self._check_loop()
        return await self._attention.read()

    async def stats(
        self, last: dt.timedelta = dt.timedelta(hours=1), step: dt.timedelta | None = None
    ) -> RunStats:
        """How many runs are in each state, and how many were started and ended in the last hour, or in a time
        of up to eight days, in buckets of `step`. It costs the same however many runs there are.

        A run that is retried and ends again has ended twice. Runs that were deleted since are counted.
        """
        self._check_loop()
        return await self._stats.read(last, step)

    async def namespaces(self) -> builtins.list[NamespaceInfo]:
        """The namespaces of the database that have runs, and that of this client: 1,000 at most."""
        self._check_loop()
        return await self._stats.namespaces()

    async def own_namespace(self) -> NamespaceInfo:
        """The namespace of this client, as in `namespaces`."""
        self._check_loop()
        return await self._stats.own_namespace()
