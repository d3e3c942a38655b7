"""What an operator does to a run together with its children: cancel a parked one, reopen an ended one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from holdfast.client.waiters import Waiters
from holdfast.core.alerts import ALERTS
from holdfast.core.bulk import BULK
from holdfast.core.history import cancellation, restore
from holdfast.core.journal import write_step
from holdfast.core.records import Definition, History, MessageKind, RunRecord
from holdfast.core.reopening import ReopeningPlan, depends_on_end_of, is_being_cancelled
from holdfast.core.run_options import (
    KEEP_DEADLINE,
    NewDeadline,
    checked_deadline,
    read_run_options,
    with_options_changed,
)
from holdfast.core.values import Instant, Payload, RunKey, RunStatus, key_text, moment
from holdfast.core.waiting import WaitKind, WaitReason
from holdfast.errors import (
    BadOption,
    DeadlineOver,
    HeardByParent,
    JournalCorrupt,
    NodeStopped,
    NotEnded,
    NotOpen,
    RunNotFound,
)
from holdfast.ports.commits import NewMessage, NewStep
from holdfast.ports.definitions import DefinitionStore
from holdfast.ports.runs import ParkedRunCancellation, Reopening, RunStore
from holdfast.ports.workflows import Workflows

_NEVER_RETRIED = {
    BULK: "a bulk job is not retried; start another",
    ALERTS: "the run that looks for alerts is started again when a rule is put",
}
_WAIT_SECONDS = 0.5
_BATCH = 20
"""How many histories are in memory at once. Each may be large."""
_PARENT_CANCELLED = Payload(b'"its parent was cancelled"')
_ENDED_WITH_PARENT = Payload(b'"terminated: its parent was cancelled"')


class Families:
    def __init__(
        self,
        store: RunStore,
        definitions: DefinitionStore,
        workflows: Workflows,
        waiters: Waiters,
        *,
        namespace: str,
        now: Callable[[], Instant],
    ) -> None:
        self._store = store
        self._definitions = definitions
        self._workflows = workflows
        self._waiters = waiters
        self._namespace = namespace
        self._now = now

    async def cancel_parked(self, run: RunKey, reason: str) -> bool:
        """Cancel a parked run and its children, as the run itself would do. False if it is not parked."""
        failure = msgspec.json.encode(cancellation(reason))
        while True:
            record = await self._store.find_run(self._namespace, run)
            if record is None or record.status is not RunStatus.PARKED:
                return False
            for history in await self._store.load_histories(self._namespace, [run]):
                messages = _cancel_children(history)
                changes = ParkedRunCancellation(run, record.epoch, failure, messages, self._now())
                if await self._store.cancel_parked_run(self._namespace, changes):
                    return True  # otherwise a node claimed it meanwhile; it may be parked again

    async def reopen(self, run: RunKey, by: str = "", deadline: NewDeadline = KEEP_DEADLINE) -> None:
        """Reopen an ended run, together with those of its children that must be tried again.

        Raises NotEnded, HeardByParent if its parent depends on how it ended, and DeadlineOver.
        """
        if deadline != KEEP_DEADLINE:
            checked_deadline(deadline, self._now())  # to refuse it before the run is looked for
        while True:
            record = await self._store.find_run(self._namespace, run)
            if record is None:
                raise RunNotFound(key_text(run), self._namespace)
            if record.workflow in _NEVER_RETRIED:
                raise BadOption("run", _name(record), f"a run of yours: {_NEVER_RETRIED[record.workflow]}")
            if not record.status.is_undone:
                raise NotEnded(_name(record), record.status)
            await self._check_parent(record)
            family = await self._plan(record, deadline)
            if family and await self._store.reopen_runs(
                self._namespace, [family[0]._replace(by=by), *family[1:]]
            ):
                return

    async def _plan(self, root: RunRecord, deadline: NewDeadline = KEEP_DEADLINE) -> list[Reopening]:
        """How to reopen the run and the children below it. Empty if one of them changed: try again."""
        family: list[Reopening] = []
        generation: dict[RunKey, WaitReason | None] = {root.key: None}
        while generation:
            children: dict[RunKey, WaitReason | None] = {}
            keys = list(generation)
            for first in range(0, len(keys), _BATCH):
                found = await self._store.load_histories(self._namespace, keys[first : first + _BATCH])
                definitions = await self._definitions_of([member.run for member in found])
                for member in found:
                    run, turn = member.run, generation[member.run.key]
                    definition = definitions.get((run.workflow, run.version))
                    plan = self._workflows.plan_reopening(definition, member)
                    if not run.status.is_undone or await self._wait_for_any(plan.open_children):
                        return []
                    options = self._new_options(run, deadline, is_asked=run.key == root.key)
                    family.append(self._reopening(member, plan, turn)._replace(options=options))
                    # The children of a run that is held back are held back too.
                    is_held = turn is not None or plan.holds_children
                    wait = WaitReason(WaitKind.TURN, _name(run)) if is_held else None
                    children |= dict.fromkeys(plan.children, wait)
            generation = children
        return family

    def _reopening(self, history: History, plan: ReopeningPlan, turn: WaitReason | None) -> Reopening:
        run, now = history.run, self._now()
        step = NewStep(run.key, history.next_position, write_step(now, [plan.event], []))
        return Reopening(
            run.key,
            run.epoch,
            step,
            plan.tasks,
            plan.messages,
            now,
            plan.overtaken,
            turn,
            questions=plan.questions,
        )

    def _new_options(self, run: RunRecord, deadline: NewDeadline, *, is_asked: bool) -> bytes | None:
        """A new deadline is for the run that is retried, and for those below it whose own has passed."""
        now, known = self._now(), read_run_options(run.options).deadline
        passed = known if known is not None and known <= now else None
        if deadline == KEEP_DEADLINE:
            if passed is not None:
                raise DeadlineOver(_name(run), moment(passed).isoformat(timespec="seconds"))
            return None
        new = checked_deadline(deadline, now)
        if new == known or not (is_asked or passed is not None):
            return None
        return with_options_changed(run.options, deadline=new)

    async def _definitions_of(self, runs: Sequence[RunRecord]) -> dict[tuple[str, str], Definition]:
        """By name and version."""
        which = sorted({(run.workflow, run.version) for run in runs})
        found = await self._definitions.find_definitions(self._namespace, which)
        return {(each.name, each.version): each for each in found}

    async def _check_parent(self, child: RunRecord) -> None:
        if child.parent is None or child.parent_seq is None:
            return
        for parent in await self._store.load_histories(self._namespace, [child.parent]):
            if depends_on_end_of(parent, child.parent_seq):
                raise HeardByParent(_name(child), _name(parent.run))

    async def _wait_for_any(self, children: Sequence[RunKey]) -> bool:
        """Wait a while for a child that is being cancelled. False if there is no such child.

        Otherwise the child would end after its parent was reopened, and the parent would hear of that end.
        """
        for history in await self._store.load_histories(self._namespace, children) if children else ():
            if history.run.status.is_final:
                return True  # it ended after the plan was made
            if is_being_cancelled(history):
                child = history.run.key
                if not await self.cancel_parked(child, "its parent ended"):
                    await self._wait_for(child)
                return True
        return False

    async def _wait_for(self, run: RunKey) -> None:
        """Has a timeout, because the run may get parked and never end."""
        try:
            await asyncio.wait_for(self._waiters.wait(run, None, lambda _: None), _WAIT_SECONDS)
        except (NotOpen, NodeStopped):
            raise
        except Exception:
            return  # it failed, was cancelled or has not ended: the caller reads it again


def _cancel_children(parent: History) -> list[NewMessage]:
    try:
        past = restore(parent)
    except JournalCorrupt:
        return []  # the children are unknown and go on
    return [
        NewMessage(child.key, MessageKind.TERMINATE, "", _ENDED_WITH_PARENT)
        if seq in past.terminated
        else NewMessage(child.key, MessageKind.CANCEL, "", _PARENT_CANCELLED)
        for seq, child in past.children.items()
        if child is not None and seq in past.attached
    ]


def _name(run: RunRecord) -> str:
    return run.id or key_text(run.key)
