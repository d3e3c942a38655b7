"""Reads what says why a run does not go on, for `hf.explain`. For `hf.doctor`: the runs no node can claim.

It reads little, however large the run is: ten rows of each kind with counts, and the last 5,000 steps of the
journal. What is open was usually asked for lately.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from holdfast.core.explaining import (
    Surroundings,
    describe_claim,
    describe_lack,
    explain,
    slot_waits,
)
from holdfast.core.explanation_parts import Ending, FailedTask, explanation_parts, run_facts
from holdfast.core.explanations import Explanation
from holdfast.core.open_requests import OpenRequests
from holdfast.core.policies import DEFAULT_OPTIONS
from holdfast.core.records import MessageKind, RunRecord
from holdfast.core.run_views import median
from holdfast.core.situations import BusyTask, ServingNode, Situation, nodes_for
from holdfast.core.values import LAST_INSTANT, Instant, RunKey, RunStatus, key_text, later
from holdfast.ports.clients import ClientStore
from holdfast.ports.runs import RunFilter, Stranded

_MOST_ROWS: Final = 10
_MOST_STEPS: Final = 5_000
_STEPS_AT_ONCE: Final = 500
_MOST_COUNTED: Final = 100_000
_MOST_ACTS: Final = 1_000
_USUAL_RUNS: Final = 20
_FEWEST_USUAL: Final = 5
_STEPS_OF_HOLDERS: Final = 500
"""Of each run that may hold a slot, to learn the queue of its tasks."""


class Explainer:
    def __init__(
        self,
        store: ClientStore,
        *,
        namespace: str,
        now: Callable[[], Instant],
        worker_ttl: dt.timedelta,
        is_alive: Callable[[str], bool | None],
    ) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._worker_ttl = worker_ttl
        self._is_alive = is_alive

    async def explain(self, run: RunKey) -> Explanation | None:
        """None if there is no such run."""
        found = await self._store.read_situation(self._namespace, run, _MOST_ROWS, _MOST_STEPS)
        if found is None:
            return None
        situation = msgspec.structs.replace(found, nodes=self._living(found.nodes))
        requests = OpenRequests()
        steps = situation.steps
        for first in range(0, len(steps), _STEPS_AT_ONCE):
            requests.add(steps[first : first + _STEPS_AT_ONCE])
            await asyncio.sleep(0)
        around = Surroundings(
            self._now(),
            await self._services() if situation.queue else (),
            await self._holders(situation, requests) if situation.busy else {},
            await self._problems(situation),
        )
        explanation = explain(situation, requests, around)
        notes: tuple[str, ...] = ()
        if steps and steps[-1][0] > situation.first_position:
            notes = (f"only the last {len(steps):,} steps of its journal were looked at",)
        counts = await self._store.count_parts(situation.run, around.now, _MOST_COUNTED)
        ending = await self._ending(situation.run) if situation.run.status.is_final else Ending()
        parts = explanation_parts(explanation, situation, counts, ending, around)
        facts = run_facts(situation.run, counts)
        return msgspec.structs.replace(explanation, notes=notes, parts=parts, facts=facts)

    async def _ending(self, run: RunRecord) -> Ending:
        match run.status:
            case RunStatus.SUCCESS:
                return Ending(usual=await self._usual(run))
            case RunStatus.FAILED:
                return Ending(task=await self._failed_task(run))
            case _:
                acts = await self._store.list_messages(self._namespace, run.key, 0, _MOST_ACTS, True)
                ends = [it for it in acts if it.kind in (MessageKind.CANCEL, MessageKind.TERMINATE)]
                return Ending(by=ends[-1].by or "", asked_at=ends[-1].at) if ends else Ending()

    async def _usual(self, run: RunRecord) -> int | None:
        """How long the runs of the workflow before it took. None if there are few."""
        which = RunFilter((RunStatus.SUCCESS,), run.workflow, run.key, _USUAL_RUNS)
        page = await self._store.page_runs(self._namespace, which, False)
        took = [
            it.finished_at - it.started_at
            for it in page.runs
            if it.finished_at is not None and it.started_at is not None
        ]
        return median([sorted(took)]) if len(took) >= _FEWEST_USUAL else None

    async def _failed_task(self, run: RunRecord) -> FailedTask | None:
        """The task that its failure came from."""
        of, _, number = (run.failure.task or "" if run.failure is not None else "").rpartition(":")
        if of != key_text(run.key) or not number.isdecimal():
            return None
        seq = int(number)
        found = await self._store.list_task_summaries(self._namespace, run.key, seq, 1)
        return FailedTask(seq, found[0].name, found[0].attempt) if found and found[0].seq == seq else None

    async def unserved_runs(self, most: int) -> list[Stranded]:
        """Runs that are due, and whose workflow no node has. Empty if a node does not say what it has."""
        now = self._now()
        nodes = self._living(await self._store.list_serving_nodes(self._namespace))
        found: list[Stranded] = []
        for claim in await self._store.list_due_claims(self._namespace):
            known = nodes_for(claim, nodes, now)
            if known.is_unserved and len(found) < most:
                lack = describe_lack(claim, known, any(node.may_live(now) for node in nodes))
                problem = f"it is due, and {lack}; start a node that has {describe_claim(claim)}"
                found += await self._store.list_due_runs(
                    self._namespace, claim, now, problem, most - len(found)
                )
        return found

    async def lacks_of(self, claims: Sequence[str]) -> dict[str, str]:
        """Why no node can take runs of these claims, in words, for those of which that is sure."""
        now = self._now()
        nodes = self._living(await self._store.list_serving_nodes(self._namespace))
        is_any_there = any(node.may_live(now) for node in nodes)
        found = {claim: nodes_for(claim, nodes, now) for claim in claims}
        return {
            claim: describe_lack(claim, known, is_any_there)
            for claim, known in found.items()
            if known.is_unserved
        }

    def _living(self, nodes: Sequence[ServingNode]) -> list[ServingNode]:
        """Without those that are dead. Those that are surely there count, whatever their row says."""
        known = {node.id: self._is_alive(node.id) for node in nodes}
        return [
            node._replace(lease_until=LAST_INSTANT) if known[node.id] else node
            for node in nodes
            if known[node.id] is not False
        ]

    async def _services(self) -> frozenset[str]:
        since = later(self._now(), -self._worker_ttl)
        workers = await self._store.list_workers(self._namespace, since)
        return frozenset(service for worker in workers for service in worker.services)

    async def _problems(self, situation: Situation) -> dict[int, str]:
        """How the last attempts at tasks ended that are tried again."""
        tried = [task.seq for task in situation.tasks if task.attempt > 1]
        if not tried:
            return {}
        attempts = await self._store.list_attempts(self._namespace, situation.run.key, tried)
        return {
            attempt.seq: "its node died" if attempt.failure is None else attempt.failure.summary
            for attempt in sorted(attempts, key=lambda it: it.attempt)
        }

    async def _holders(self, situation: Situation, requests: OpenRequests) -> dict[int, list[BusyTask]]:
        """The tasks in the slots that tasks of the run wait for. A queue's name is in the journals only."""
        waiting = list(slot_waits(situation))
        runs = list({task.run for task in situation.busy} - {situation.run.key})
        known = {situation.run.key: requests}
        for run, steps in (await self._store.last_steps(runs, _STEPS_OF_HOLDERS) if waiting else {}).items():
            known[run] = OpenRequests()
            known[run].add(steps)
            await asyncio.sleep(0)

        def queue_of(run: RunKey, seq: int) -> str:
            options = known[run].options_of(seq) if run in known else None
            return (options or DEFAULT_OPTIONS).queue

        return {
            task.seq: [
                busy
                for busy in situation.busy
                if queue_of(busy.run, busy.seq) == queue_of(situation.run.key, task.seq)
            ]
            for task in waiting
        }
