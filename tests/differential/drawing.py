"""Calls of nodes and clients: mostly correct ones, now and then late ones.

Everything is drawn from what the model holds, so that most of it meets runs, tasks and messages that exist.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from typing import TypeVar

import msgspec
from tests.differential.questions import SETTLEMENTS
from tests.differential.tables import Tables

from holdfast.core.commands import NO_INPUT
from holdfast.core.events import MessageId
from holdfast.core.records import MessageKind, RunRecord, ScheduleRecord, new_run, published_target
from holdfast.core.run_options import RunTerms
from holdfast.core.values import NULL, Failure, Instant, NodeId, Payload, RunKey, RunStatus, TaskStatus
from holdfast.core.waiting import WaitKind, WaitReason, describe_wait
from holdfast.ports.commits import (
    AnsweredUpdate,
    ClaimRequest,
    ClosedQuestion,
    Commit,
    EndedAttempt,
    EndedRun,
    Held,
    MovedTask,
    NewBranch,
    NewChapter,
    NewItems,
    NewLog,
    NewMessage,
    NewQuestion,
    NewSharedInput,
    NewStep,
    NewTask,
    ProvedRun,
    QueuedTask,
    ReleasedRun,
    ReturnedMessage,
    SettledTask,
    ShownWait,
    StateChange,
    TakenMessage,
    UnaskedRun,
    UnqueuedTask,
    WokenRun,
)
from holdfast.ports.runs import ParkedRunCancellation, QuestionFilter, Reopening, RunFilter
from holdfast.ports.schedules import ScheduleFiring

T = TypeVar("T")

SECOND = 1_000_000
NOBODY = RunKey(b"\xff" * 15 + b"\x01")
"""A key that no run has."""

CLAIMS = ("order@1", "mail@1", "mail@2")
FAILURE = msgspec.json.encode(Failure(type="shop:Declined", message="no money", traceback="line 1"))
SCHEDULES = ("nightly", "Hourly", "a b")
WORKFLOWS = ("order", "mail")
SERVICES = ("resize", "crop", "größe")
_ENOUGH = 6
_KINDS = (
    MessageKind.SIGNAL,
    MessageKind.RESOLVED,
    MessageKind.REJECTED,
    MessageKind.CANCEL,
    MessageKind.UPDATE,
)
UIDS = ("one", "two", "three")
_ANSWERS = (b'{"value":1}', '{"value":"grüße"}'.encode(), b'{"failure":{"type":"x","message":"no"}}')
_CHILD, _OTHER_CHILD = WaitReason(WaitKind.CHILD, "a"), WaitReason(WaitKind.CHILD, "b")
_SIGNAL = WaitReason(WaitKind.SIGNAL, "go")
_TURN = WaitReason(WaitKind.TURN, "somebody")
_WAITS = ([_CHILD], [_SIGNAL], [_CHILD, _OTHER_CHILD, _SIGNAL], [])
_DETAILS = (
    NO_INPUT,
    NO_INPUT,
    Payload(b'{"title":"ok?","by":["ann"]}'),
    Payload(b'{"schema":{"type":"object","required":["n"]}}'),
)
_PAYLOADS = (NULL, Payload(b'{"n":1}'), Payload('"grüße 🎉"'.encode()), Payload(b'"\\u0000"'))
_INPUTS = (*_PAYLOADS, Payload(b'{"lone":"\\ud800","parallel_index":1,"parallel_count":3}'))
_LINES = (b'[[1750000000123456,"stdout","hello"]]', '[[1,"INFO","grüße \\u0000"],[2,"stderr",""]]'.encode())
_ITEMS = (b'[[1,"a"]]', '[[1,"grüße \\u0000"],[2,null],[3,{"x":1}]]'.encode())
STREAMS = ["tokens", "Progress", "ä"]


_RUN_OPTIONS = [
    b'{"on_parent_end":"terminate"}',
    b'{"tags":["red"]}',
    b'{"tags":["red","blue"],"note":"n"}',
    b'{"deadline":5}',
    b"[]",
]


class Dice:
    """Draws that shrink to the simplest case: False, the first, none, the smallest."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def chance(self, percent: int) -> bool:
        return self.number(0, 99) >= 100 - percent

    def pick(self, of: Sequence[T]) -> T:
        return of[self.number(0, len(of) - 1)]

    def number(self, least: int, most: int) -> int:
        return self._random.randint(least, most) if least < most else least

    def some(self, of: Sequence[T], most: int) -> list[T]:
        """Up to `most` different items; at least one, if there is one."""
        left = list(of)
        wanted = min(self.number(1, most), len(left))
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(wanted)]


class Drawing:
    def __init__(self, dice: Dice, tables: Tables, now: Instant, numbers: Iterator[int]) -> None:
        """`numbers` counts the runs, also the refused ones, because their keys are not used again."""
        self._dice = dice
        self._tables = tables
        self._now = now
        self._numbers = numbers
        self._instants = count(-1000)
        """Offsets that make the instants of one drawing differ."""

    # --- what both send

    def keys(self, most: int) -> list[RunKey]:
        return self._dice.some([*self._tables.runs, NOBODY], most)

    def key(self) -> RunKey:
        return self._dice.pick([*self._tables.runs, NOBODY])

    def idle(self) -> RunKey:
        """A parked or paused run, if there is one; now and then any run."""
        known = self._tables.runs.values()
        idle = [run.key for run in known if run.status in (RunStatus.PARKED, RunStatus.PAUSED)]
        return self._dice.pick(idle) if idle and self._dice.chance(80) else self.key()

    def new_run(
        self, namespace: str, *, owner: NodeId | None = None, parent: RunKey | None = None
    ) -> RunRecord:
        number = next(self._numbers)
        return new_run(
            RunKey(number.to_bytes(16, "big")),
            namespace,
            self._dice.pick([None, None, None, "a", "b", "c", "d", "e"]),
            self._dice.pick(WORKFLOWS),
            "1",
            self._dice.pick(CLAIMS),
            self._dice.pick(_PAYLOADS),
            self._now,
            owner=owner,
            parent=parent,
            parent_seq=None if parent is None else number,
            terms=RunTerms(
                start_at=Instant(self._now + SECOND) if self._dice.chance(10) else None,
                priority=self._dice.pick([0, 0, 0, 1, 9]),
                options=self._dice.pick([None, None, *_RUN_OPTIONS]),
            ),
        )

    def message(self, sender: RunKey | None = None) -> NewMessage:
        dice = self._dice
        kind, name, payload = dice.pick(_KINDS), dice.pick(["go", "paid"]), dice.pick(_PAYLOADS)
        if kind not in SETTLEMENTS:
            return NewMessage(self.key(), kind, name, payload, sender)
        return NewMessage(
            self.key(),
            kind,
            name,
            payload,
            sender,
            by=dice.pick([None, "ann", "bob"]),
            comment=dice.pick([None, "fine"]),
            question=dice.pick([None, None, None, 0, 1, 2]),
            is_ahead=dice.chance(40),
        )

    def posted_message(self) -> NewMessage:
        """A message of a client. Some were sent before, and some have an id that another message has."""
        message = self.message()
        uids = UIDS if message.kind is MessageKind.UPDATE else [None, *UIDS]
        return msgspec.structs.replace(message, uid=self._dice.pick(uids))

    # --- what a node sends

    def commit(self, node: NodeId, namespace: str, tick: int) -> Commit:
        dice = self._dice
        # The clock of a node may be behind.
        now = Instant(self._now - (3 * SECOND if dice.chance(5) else 0))
        lease = dice.pick([30, 5]) * SECOND
        commit = Commit(namespace, node, tick, now, Instant(now + lease), renews=dice.chance(70))
        self._create(commit)
        for run in self._held(commit):
            self._move(commit, run)
            if dice.chance(30):
                commit.created.append(self.new_run(namespace, parent=run))
        if dice.chance(60):
            runs = self.keys(4) if dice.chance(20) else None
            commit.claim = ClaimRequest(dice.some(CLAIMS, 3), dice.pick([100, 1, 2, 3]), runs)
        commit.collect = dice.chance(40)
        commit.mail_rows = dice.pick([10_000, 1, 2, 3])
        commit.stream_items = dice.pick([100_000, 4])
        commit.stream_bytes = dice.pick([1_000_000, 60])
        commit.drop_items_at = dice.pick([None, Instant(self._now + 1_000_000)])
        commit.read = {
            message.run: message.id for message in self._tables.messages.values() if dice.chance(20)
        }
        return commit

    def _create(self, commit: Commit) -> None:
        dice = self._dice
        for _ in range(self._wanted()):
            run = self.new_run(commit.namespace, owner=commit.node if dice.chance(75) else None)
            commit.created.append(run)
            if run.owner is not None:
                self._move(commit, run.key)
        for run in list(commit.created):
            if run.owner is not None and dice.chance(20):
                commit.created.append(self.new_run(commit.namespace, parent=run.key))

    def _wanted(self) -> int:
        """How many new runs: few if there are enough, so that more happens to each."""
        if not self._tables.runs:
            return 2
        return self._dice.pick([0, 0, 0, 1] if len(self._tables.runs) > _ENOUGH else [0, 0, 1, 2])

    def _held(self, commit: Commit) -> list[RunKey]:
        """Runs of the node, sometimes with a wrong epoch, and sometimes runs of others."""
        dice = self._dice
        owned = [run.key for run in self._tables.owned(commit.node)]
        mine = dice.some(owned, 4) if dice.chance(80) else []
        lost = [key for key in self.keys(2) if key not in mine] if dice.chance(20) else []
        for key in [*mine, *lost]:
            run = self._tables.runs.get(key)
            epoch = 1 if run is None else run.epoch
            commit.held.append(Held(key, epoch + dice.pick([-1, 1]) if dice.chance(8) else epoch))
        return [*mine, *lost]

    def _move(self, commit: Commit, run: RunKey) -> None:
        dice, tables = self._dice, self._tables
        position = len(tables.steps(run))
        if dice.chance(70):
            # Now and then a step that exists already. Only a faulty node would send it.
            at = 0 if dice.chance(3) else position
            commit.steps.append(NewStep(run, at, b"\x00\xff" + bytes([position])))
        self._move_tasks(commit, run)
        for _ in range(dice.pick([0, 0, 1, 3])):
            value = dice.pick([*_PAYLOADS, None])
            commit.state.append(StateChange(run, dice.pick(["x", "y"]), value))
        if dice.chance(50):
            own = [message.id for message in tables.mail(run)]
            known = own if own and dice.chance(80) else [*tables.messages, MessageId(10_000)]
            commit.taken += [TakenMessage(run, message, position) for message in dice.some(known, 2)]
            answers = dice.some(known, 2)
            commit.answered += [AnsweredUpdate(run, message, dice.pick(_ANSWERS)) for message in answers]
        self._ask(commit, run)
        for _ in range(dice.pick([0, 0, 0, 1, 2])):
            commit.messages.append(self.message(dice.pick([run, run, None])))
        if dice.chance(10):
            commit.woken.append(WokenRun(self.key(), run))
        if dice.chance(10):
            commit.proved.append(ProvedRun(run))
        if dice.chance(10):
            shown = dice.pick([None, "signal go"])
            commit.waits.append(ShownWait(run, shown, shown and WaitKind.SIGNAL, shown and "go"))
        if dice.chance(20):
            commit.ended.append(self._ended(run))
        elif dice.chance(30):
            commit.released.append(self._released(run))
            if dice.chance(40):
                self._begin_chapter(commit, run)

    def _begin_chapter(self, commit: Commit, run: RunKey) -> None:
        dice, tables = self._dice, self._tables
        known = tables.runs.get(run)
        tasks = {at[1] for at in tables.tasks if at[0] == run}
        tasks |= {row.seq for row in (*commit.tasks, *commit.branches) if row.run == run}
        position = len(tables.steps(run)) + sum(row.run == run for row in commit.steps)
        numbers = (position, len(tasks), dice.number(0, 3), dice.number(0, 2))
        state = dice.pick([None, b'{"x":1}'])
        chapter = 1 if known is None else known.chapter + 1
        commit.chapters.append(NewChapter(run, chapter, *numbers, dice.pick(_INPUTS), state, commit.now))
        own = [message.id for message in tables.mail(run)]
        commit.returned += [ReturnedMessage(run, message) for message in dice.some(own, 2)]

    def _move_tasks(self, commit: Commit, run: RunKey) -> None:
        dice, now = self._dice, self._now
        known = len(self._tables.tasks_of(run))
        added = dice.pick([0, 1, 2])
        for seq in range(known, known + added):
            status = dice.pick([TaskStatus.DISPATCHED, TaskStatus.PENDING])
            name = dice.pick(["charge", "charge", "ship"])
            if dice.chance(20):
                self._add_branch(commit, run, seq, name)
            else:
                commit.tasks.append(NewTask(run, seq, name, status, dice.pick(_INPUTS), now))
        if commit.tasks and added and dice.chance(3):
            commit.tasks.append(commit.tasks[-1])
        seqs = range(known + added + 1)
        for _ in range(dice.pick([0, 0, 1, 2])):
            commit.moved.append(self._moved(run, dice.pick(seqs)))
        for seq in dice.some(seqs, 2) if dice.chance(50) else ():
            status = dice.pick([TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.CANCELLED])
            output = dice.pick(_PAYLOADS) if status is TaskStatus.SUCCESS else None
            failure = FAILURE if status is TaskStatus.FAILED else None
            started_at = dice.pick([None, Instant(now - SECOND)])
            commit.settled.append(
                SettledTask(run, seq, status, dice.number(1, 3), output, failure, started_at, now)
            )
        if dice.chance(25):
            status, failure = dice.pick([("failed", FAILURE), ("lost", None)])
            seq, attempt = dice.pick(seqs), dice.number(1, 5)
            worker = dice.pick(["", "w1"])
            commit.attempts.append(
                EndedAttempt(run, seq, attempt, status, failure, None, now, commit.node, worker)
            )
        self._queue_tasks(commit, run, seqs)
        for _ in range(dice.pick([0, 0, 0, 1, 2])):
            commit.logs.append(NewLog(run, dice.pick(seqs), dice.number(1, 3), dice.pick(_LINES)))
        for _ in range(dice.pick([0, 0, 0, 1, 2, 3])):
            items = dice.pick(_ITEMS)
            seq, attempt = dice.pick([-1, *seqs]), dice.number(1, 3)
            count = len(msgspec.json.decode(items))
            row = NewItems(run, dice.pick(STREAMS), seq, attempt, dice.pick([0, 1]), count, len(items), items)
            commit.published.append(row)

    def _add_branch(self, commit: Commit, run: RunKey, seq: int, name: str) -> None:
        """A task that shares a part of its input with another one, or that others may share it with."""
        known = [first for of, first in self._tables.shared_inputs if of == run]
        shares = self._dice.pick([seq, *known])
        if shares == seq:
            commit.shared_inputs.append(
                NewSharedInput(run, seq, Payload(b'{"params":{"\\u0000":"\xc3\xbc"}}'))
            )
        own = Payload(b'{"parallel_index":%d,"parallel_count":9}' % seq)
        commit.branches.append(NewBranch(run, seq, name, TaskStatus.PENDING, own, self._now, shares))

    def _queue_tasks(self, commit: Commit, run: RunKey, seqs: Sequence[int]) -> None:
        """Each task gets its own instant: stores may choose between tasks that are due at the same one."""
        dice = self._dice
        for seq in dice.some(seqs, 2) if dice.chance(40) else ():
            ready_at = Instant(self._now + dice.pick([0, 0, SECOND, 5 * SECOND]) + next(self._instants))
            queued = QueuedTask(run, seq, dice.pick(SERVICES), dice.number(1, 3), ready_at, self._now)
            commit.queued.append(queued)
        if dice.chance(10):
            commit.unqueued += [UnqueuedTask(run, seq) for seq in dice.some(seqs, 2)]

    def _moved(self, run: RunKey, seq: int) -> MovedTask:
        dice, now = self._dice, self._now
        status = dice.pick([TaskStatus.RUNNING, TaskStatus.PENDING])
        heartbeat = dice.pick([None, Payload(b'{"at":3}')])
        due_at, started_at = dice.pick([None, Instant(now + SECOND)]), dice.pick([None, now])
        return MovedTask(
            run, seq, status, dice.number(1, 3), dice.pick([0, 1, 10]), heartbeat, due_at, started_at
        )

    def _ended(self, run: RunKey) -> EndedRun:
        dice = self._dice
        status = dice.pick([RunStatus.SUCCESS, RunStatus.FAILED, RunStatus.CANCELLED])
        output = dice.pick(_PAYLOADS) if status is RunStatus.SUCCESS else None
        failure = FAILURE if status is not RunStatus.SUCCESS else None
        record = self._tables.runs.get(run)
        parent, seq = (record.parent, record.parent_seq) if record is not None else (None, None)
        if dice.chance(10):
            parent, seq = self.key(), 0  # a parent that does not exist, or has no such child
        fingerprint = dice.pick(["0a", "0b"]) if status is RunStatus.FAILED else None
        is_forced = status is RunStatus.CANCELLED and dice.chance(30)
        return EndedRun(run, status, output, failure, parent, seq, self._now, fingerprint, is_forced)

    def _released(self, run: RunKey) -> ReleasedRun:
        dice = self._dice
        status = dice.pick([RunStatus.RUNNING] * 4 + [RunStatus.PARKED] * 3 + [RunStatus.PAUSED])
        failure = FAILURE if status is RunStatus.PARKED else None
        wake_at = dice.pick([None, None, Instant(self._now + SECOND), Instant(self._now + 60 * SECOND)])
        return ReleasedRun(run, status, failure, wake_at, *describe_wait(dice.pick(_WAITS)))

    # --- what is sent for schedules

    def schedule(self, name: str, revision: int) -> ScheduleRecord:
        dice, now = self._dice, self._now
        return ScheduleRecord(
            name=name,
            workflow=dice.pick([*WORKFLOWS, *WORKFLOWS, published_target("order")]),
            input=dice.pick(_PAYLOADS),
            plan=dice.pick([b"{}", '{"note":"grüße"}'.encode()]),
            origin=dice.pick(["", "etl.yaml"]),
            is_paused=dice.chance(20),
            revision=revision,
            cursor=Instant(now - dice.pick([0, SECOND])),
            queued=dice.pick([(), (), (now,), (Instant(now - SECOND), now)]),
            active=dice.pick([None, self.key(), self.key()]),
            next_at=dice.pick([None, now, Instant(now + 5 * SECOND)]),
            skipped=dice.pick([0, 7]),
            skip_note=dice.pick([None, "the tick was skipped"]),
            created_at=now,
            updated_at=now,
        )

    def revision_of(self, space: str, name: str) -> int | None:
        """The revision that a correct caller has seen; now and then a wrong one."""
        known = self._tables.schedules.get((space, name))
        revision = None if known is None else known.revision
        if self._dice.chance(15):
            return self._dice.pick([None, 1, (revision or 0) + 1])
        return revision

    def firing(self, space: str, name: str) -> ScheduleFiring:
        """A firing of one of a few ticks, so that some have been started before."""
        dice = self._dice
        decided_on = self.revision_of(space, name) or 1
        runs = [
            msgspec.structs.replace(self.new_run(space), id=f"{name}@{dice.number(1, 4)}", schedule=name)
            for _ in range(dice.pick([1, 0, 1, 2]))
        ]
        moved = self.schedule(name, decided_on + 1)
        if runs:
            moved = msgspec.structs.replace(moved, active=runs[-1].key)
        cancel = dice.pick([None, None, moved.active, self.key()])
        return ScheduleFiring(moved, decided_on, runs, cancel, self._now)

    # --- what an operator sends

    def parked_run_cancellation(self) -> ParkedRunCancellation:
        dice, run = self._dice, self.idle()
        found = self._tables.runs.get(run)
        epoch = (0 if found is None else found.epoch) + (1 if dice.chance(10) else 0)
        messages = [self.message(None) for _ in range(dice.pick([0, 0, 1, 2]))]
        return ParkedRunCancellation(run, epoch, FAILURE, messages, self._now)

    def _ask(self, commit: Commit, run: RunKey) -> None:
        dice, known = self._dice, [number for key, number in self._tables.questions if key == run]
        first = len(known)
        for number in range(first, first + dice.pick([0, 0, 1, 2])):
            name, details = dice.pick(["go", "paid"]), dice.pick(_DETAILS)
            commit.questions.append(NewQuestion(run, number, name, details, commit.now))
        for number in dice.some(known, 1) if known and dice.chance(30) else []:
            own = [it.id for it in self._tables.mail(run) if it.kind in SETTLEMENTS and it.question is None]
            message = dice.pick([None, *own])
            commit.closed.append(ClosedQuestion(run, number, message, commit.now))
        if dice.chance(3):
            commit.unasked.append(UnaskedRun(run, commit.now))

    def runs_wanted(self) -> RunFilter:
        """Usually by one or two conditions."""
        dice = self._dice
        some = [RunStatus.FAILED, RunStatus.SUCCESS, RunStatus.RUNNING]
        schedules = sorted({run.schedule for run in self._tables.runs.values() if run.schedule is not None})
        parents = sorted({run.parent for run in self._tables.runs.values() if run.parent is not None})
        return RunFilter(
            dice.pick([None, None, *((status,) for status in RunStatus), tuple(some)]),
            dice.pick([None, "order", "mail"]),
            dice.pick([None, self.key()]),
            dice.pick([100, 1, 2]),
            dice.pick([(), (), ("red",), ("blue", "red"), ("none",)]),
            dice.pick([None, None, "0a", "0c"]),
            dice.pick([None, None, self.key()]),
            dice.pick([None, None, None, "1", "2"]),
            dice.pick([None, None, None, *schedules]),
            dice.pick([None, None, None, self.key(), *parents]),
            dice.pick([None, None, None, self._now]),
            dice.pick([None, None, None, self._now]),
            None,
            dice.pick([None, None, None, "a", "%"]),
            dice.pick([None, None, None, "money", "line"]),
            dice.pick([None, None, None, dt.timedelta(0), dt.timedelta(seconds=2)]),
            dice.pick([None, None, None, dt.timedelta(seconds=5), dt.timedelta(microseconds=1)]),
        )

    def questions_wanted(self) -> QuestionFilter:
        dice = self._dice
        after = dice.pick([None, None, *((row.asked_at, *at) for at, row in self._tables.questions.items())])
        run = self.key() if dice.chance(30) else None
        return QuestionFilter(
            run, dice.pick([None, None, "w", "x"]), dice.pick([None, "ann"]), after, dice.pick([1, 3, 100])
        )

    def reopening(self) -> Reopening:
        dice, tables = self._dice, self._tables
        over = [run.key for run in tables.runs.values() if run.status.is_final]
        key = dice.pick(over) if over and dice.chance(90) else self.key()
        run = tables.runs.get(key)
        epoch = (0 if run is None else run.epoch) + (dice.pick([-1, 1]) if dice.chance(10) else 0)
        position = 0 if dice.chance(5) else len(tables.steps(key))
        mail = dice.some([*tables.messages], 4) if dice.chance(60) else []
        half = len(mail) // 2
        tasks = dice.some(range(len(tables.tasks_of(key)) + 1), 4) if dice.chance(70) else []
        step = NewStep(key, position, b"again")
        waiting = dice.pick([None, None, _TURN])
        options = dice.pick([None, None, b'{"deadline":1}'])
        open_again = dice.some(range(3), 2) if dice.chance(50) else []
        return Reopening(
            key,
            epoch,
            step,
            tasks,
            mail[:half],
            self._now,
            mail[half:],
            waiting,
            options=options,
            questions=open_again,
        )
