"""Parents and children, for what an operator does to a whole family: ending one, opening it again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from holdfast.client.waiters import Waiters
from holdfast.core.history import cancellation, restore
from holdfast.core.journal import write_step
from holdfast.core.records import History, MessageKind, RunRecord
from holdfast.core.reopening import goes_by_end_of, is_being_cancelled, plan_reopening
from holdfast.core.values import Instant, Payload, RunKey, RunStatus, key_text
from holdfast.errors import HeardByParent, JournalCorrupt, NodeStopped, NotEnded, NotOpen, RunNotFound
from holdfast.ports.store import IdleEnding, NewMessage, NewStep, Reopening, Store

_LOOK_SECONDS = 0.5
_UNDONE = (RunStatus.FAILED, RunStatus.CANCELLED)
_PARENT_CANCELLED = Payload(b'"its parent was cancelled"')


class Families:
    def __init__(self, store: Store, waiters: Waiters, *, namespace: str, now: Callable[[], Instant]) -> None:
        self._store = store
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
            found = await self._store.load(self._namespace, [run])
            if not found:
                raise RunNotFound(key_text(run), self._namespace)
            record = found[0].run
            if record.status not in _UNDONE:
                raise NotEnded(_name(record), record.status)
            await self._check_parent(record)
            family = await self._plan(found[0])
            if family and await self._store.reopen(self._namespace, family):
                return

    async def _plan(self, history: History) -> list[Reopening]:
        """What opens it again, and below it whatever it waits for. Nothing if one of them is just moving."""
        now = self._now()
        family: list[Reopening] = []
        generation = [(history, "")]
        while generation:
            children: dict[RunKey, str] = {}
            for member, turn in generation:
                run = member.run
                if run.status not in _UNDONE:
                    return []  # another retry has opened it meanwhile
                is_code = await self._is_code(run)
                plan = plan_reopening(member, is_code=is_code)
                if await self._wait_for_any(plan.open_children):
                    return []
                step = NewStep(run.key, len(member.steps), write_step(now, [plan.event], []))
                family.append(
                    Reopening(
                        run.key, run.epoch, step, plan.tasks, plan.messages, now, plan.overtaken, turn or None
                    )
                )
                # How many children are under way at once is for a parent that is made of data to decide.
                turn_here = "" if is_code else f"its turn in {_name(run)}"
                children |= dict.fromkeys(plan.children, turn_here)
            found = await self._store.load(self._namespace, list(children)) if children else []
            generation = [(child, children[child.run.key]) for child in found]
        return family

    async def _is_code(self, run: RunRecord) -> bool:
        found = await self._store.definitions(self._namespace, [(run.workflow, run.version)])
        return all(definition.kind == "code" for definition in found)

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
