"""Parents and children, for what an operator does to a whole family: ending one, opening it again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from holdfast.client.waiters import Waiters
from holdfast.core.history import cancellation, restore
from holdfast.core.journal import write_step
from holdfast.core.records import Definition, History, MessageKind, RunRecord
from holdfast.core.reopening import ReopeningPlan, goes_by_end_of, is_being_cancelled
from holdfast.core.values import Instant, Payload, RunKey, RunStatus, key_text
from holdfast.errors import HeardByParent, JournalCorrupt, NodeStopped, NotEnded, NotOpen, RunNotFound
from holdfast.ports.programs import Workflows
from holdfast.ports.store import IdleEnding, NewMessage, NewStep, Reopening, Store

_LOOK_SECONDS = 0.5
_AT_ONCE = 20
"""Runs whose whole past is in memory at once: it may be large."""
_PARENT_CANCELLED = Payload(b'"its parent was cancelled"')


class Families:
    def __init__(
        self,
        store: Store,
        workflows: Workflows,
        waiters: Waiters,
        *,
        namespace: str,
        now: Callable[[], Instant],
    ) -> None:
        self._store = store
        self._workflows = workflows
        self._waiters = waiters
        self._namespace = namespace
        self._now = now

    async def end_parked(self, run: RunKey, reason: str) -> bool:
        """Cancel a run that is parked, and with it its children, as it would itself. False if it is not."""
        failure = msgspec.json.encode(cancellation(reason))
        while True:
            record = await self._store.find(self._namespace, run)
            if record is None or record.status is not RunStatus.PARKED:
                return False
            for history in await self._store.load(self._namespace, [run]):
                messages = _cancel_children(history)
                ending = IdleEnding(run, record.epoch, failure, messages, self._now())
                if await self._store.end_idle(self._namespace, ending):
                    return True  # else it was tried again meanwhile, and may be parked once more

    async def reopen(self, run: RunKey) -> None:
        """Open an ended run again, and with it those of its children that ended before it or with it.

        Raises NotEnded, and HeardByParent for a child whose parent goes by how it ended.
        """
        while True:
            record = await self._store.find(self._namespace, run)
            if record is None:
                raise RunNotFound(key_text(run), self._namespace)
            if not record.status.is_undone:
                raise NotEnded(_name(record), record.status)
            await self._check_parent(record)
            family = await self._plan(record)
            if family and await self._store.reopen(self._namespace, family):
                return

    async def _plan(self, root: RunRecord) -> list[Reopening]:
        """What opens it again, and below it whatever it waits for. Nothing if one of them is just moving."""
        family: list[Reopening] = []
        generation: dict[RunKey, str | None] = {root.key: None}
        while generation:
            children: dict[RunKey, str | None] = {}
            keys = list(generation)
            for first in range(0, len(keys), _AT_ONCE):
                found = await self._store.load(self._namespace, keys[first : first + _AT_ONCE])
                definitions = await self._definitions_of([member.run for member in found])
                for member in found:
                    run, turn = member.run, generation[member.run.key]
                    definition = definitions.get((run.workflow, run.version))
                    plan = self._workflows.plan_reopening(definition, member)
                    if not run.status.is_undone or await self._wait_for_any(plan.open_children):
                        return []
                    family.append(self._reopening(member, plan, turn))
                    # A run that waits for its own turn has its children wait as well.
                    is_held = turn is not None or plan.holds_children
                    children |= dict.fromkeys(plan.children, f"its turn in {_name(run)}" if is_held else None)
            generation = children
        return family

    def _reopening(self, history: History, plan: ReopeningPlan, turn: str | None) -> Reopening:
        run, now = history.run, self._now()
        step = NewStep(run.key, len(history.steps), write_step(now, [plan.event], []))
        return Reopening(run.key, run.epoch, step, plan.tasks, plan.messages, now, plan.overtaken, turn)

    async def _definitions_of(self, runs: Sequence[RunRecord]) -> dict[tuple[str, str], Definition]:
        """By name and version."""
        which = sorted({(run.workflow, run.version) for run in runs})
        found = await self._store.definitions(self._namespace, which)
        return {(each.name, each.version): each for each in found}

    async def _check_parent(self, child: RunRecord) -> None:
        if child.parent is None or child.parent_seq is None:
            return
        for parent in await self._store.load(self._namespace, [child.parent]):
            if goes_by_end_of(parent, child.parent_seq):
                raise HeardByParent(_name(child), _name(parent.run))

    async def _wait_for_any(self, children: Sequence[RunKey]) -> bool:
        """Wait a while for a child that is being cancelled, if there is one; False if there is none.

        It would else end after its parent was opened again, and the parent would hear of that.
        """
        for history in await self._store.load(self._namespace, children) if children else ():
            if history.run.status.is_final:
                return True  # since the plan was made
            if is_being_cancelled(history):
                child = history.run.key
                if not await self.end_parked(child, "its parent ended"):
                    await self._wait_for(child)
                return True
        return False

    async def _wait_for(self, run: RunKey) -> None:
        """A while, since it may be parked and so never end."""
        try:
            await asyncio.wait_for(self._waiters.wait(run, None, lambda _: None), _LOOK_SECONDS)
        except (NotOpen, NodeStopped):
            raise
        except Exception:
            return  # it has failed, or was cancelled, or has not ended: whoever waits looks again


def _cancel_children(parent: History) -> list[NewMessage]:
    try:
        past = restore(parent)
    except JournalCorrupt:
        return []  # which may be why it was parked: its children go on by themselves
    return [
        NewMessage(child.key, MessageKind.CANCEL, "", _PARENT_CANCELLED)
        for seq, child in past.children.items()
        if child is not None and seq in past.attached
    ]


def _name(run: RunRecord) -> str:
    return run.id or key_text(run.key)
