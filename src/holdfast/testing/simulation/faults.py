"""Faults: what goes wrong in a simulation. The plan of faults is drawn from the seed beforehand.

A plan is a list of values, so a failure can be shown in a few lines, and shrunk by leaving out values
as long as it still fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

import msgspec

from holdfast.testing.simulation.world import SECOND


class _FaultBase(msgspec.Struct, frozen=True, tag=True):
    def __str__(self) -> str:
        fields = ", ".join(f"{name}={_shown(name, value)}" for name, value in self._shown_fields())
        return f"{type(self).__name__}({fields})"

    def _shown_fields(self) -> list[tuple[str, object]]:
        return [(name, getattr(self, name)) for name in self.__struct_fields__]


_TIMES = {"at", "lasts", "down", "delay", "by", "overlap"}


def _shown(name: str, value: object) -> str:
    return f"{value / SECOND:g}s" if name in _TIMES and isinstance(value, int) else repr(value)


# --- faults of one operation on the store


class _AtOperation(_FaultBase, frozen=True):
    """Strikes the `number`-th commit of a machine (from 1), or the `number`-th of its other operations."""

    machine: str
    number: int
    is_commit: bool


class Refuse(_AtOperation, frozen=True):
    """The database refuses the operation and does nothing."""


class LoseAnswer(_AtOperation, frozen=True):
    """The operation is done, but the caller gets an error instead of the answer."""


class Abandon(_AtOperation, frozen=True):
    """The caller gets a broken connection at once. The operation is done all the same, `delay` later."""

    delay: int


class Delay(_AtOperation, frozen=True):
    """The operation is done `delay` later."""

    delay: int


class DelayAnswer(_AtOperation, frozen=True):
    """The operation is done in time, and the answer comes `delay` later."""

    delay: int


class PauseAt(_AtOperation, frozen=True):
    """The process sends the operation and then stands still, as after SIGSTOP."""

    lasts: int


class RunOutOfDisk(_AtOperation, frozen=True):
    """The disk of the database has no room for this operation, if it is a write."""


class CrashBefore(_AtOperation, frozen=True):
    """The process dies before it sends the operation."""

    down: int


class CrashInFlight(_AtOperation, frozen=True):
    """The process sends the operation and dies. The operation is done `delay` later."""

    delay: int
    down: int


class CrashAfter(_AtOperation, frozen=True):
    """The operation is done, and the process dies before the answer arrives."""

    down: int


OperationFault: TypeAlias = (
    Refuse
    | LoseAnswer
    | Abandon
    | Delay
    | DelayAnswer
    | PauseAt
    | RunOutOfDisk
    | CrashBefore
    | CrashInFlight
    | CrashAfter
)

# --- faults at a time; `at` is in microseconds since the beginning


class MachineCrash(_FaultBase, frozen=True):
    machine: str
    at: int
    down: int


class Pause(_FaultBase, frozen=True):
    """The machine's processes stand still, as after SIGSTOP or on a laptop whose lid is closed."""

    machine: str
    at: int
    lasts: int


class Stall(_FaultBase, frozen=True):
    """The event loops of the machine's processes stand still, as in code that does not return. Other threads
    go on. With `is_blamed` a run of the process is charged with it, if it lasts too long; otherwise nobody
    knows why the loop stands still."""

    machine: str
    at: int
    lasts: int
    is_blamed: bool


class Jump(_FaultBase, frozen=True):
    """The machine's clock is set forward or back, and stays wrong until the faults are over."""

    machine: str
    at: int
    by: int


class Deploy(_FaultBase, frozen=True):
    """A new process starts. The old one is asked to stop `overlap` later; if that is below 0, earlier."""

    machine: str
    at: int
    overlap: int


class DatabaseOutage(_FaultBase, frozen=True):
    """The database answers no machine, or not this one. An operation that is under way is lost, or its
    answer is."""

    machine: str | None
    at: int
    lasts: int


class FullDisk(_FaultBase, frozen=True):
    at: int
    lasts: int


class Slowness(_FaultBase, frozen=True):
    """Every operation takes up to `delay` longer."""

    at: int
    lasts: int
    delay: int


class SlowFsync(_FaultBase, frozen=True):
    """A write is on the disk up to `delay` later. Nobody sees it before, and its answer comes after.

    With `has_one_writer` the writes of all processes wait for each other, as on SQLite. Without it only those
    of one lane of a process do, as on Postgres.
    """

    at: int
    lasts: int
    delay: int
    has_one_writer: bool


class ReadOnly(_FaultBase, frozen=True):
    """The database answers reads and refuses the writes of every machine, or of this one, as a server does
    that is not the primary any more."""

    machine: str | None
    at: int
    lasts: int


class Silence(_FaultBase, frozen=True):
    """The database notifies no process of changes."""

    at: int
    lasts: int


class LostNotifications(_FaultBase, frozen=True):
    """Each notification of a change is lost on its way to this machine, or to any, with this chance."""

    machine: str | None
    at: int
    lasts: int
    chance: float


class LateResults(_FaultBase, frozen=True):
    """The outcome of a task is reported up to `delay` later."""

    at: int
    lasts: int
    delay: int


class DoubledResults(_FaultBase, frozen=True):
    """The outcome of a task is reported twice."""

    at: int
    lasts: int


Condition: TypeAlias = (
    DatabaseOutage
    | FullDisk
    | Slowness
    | SlowFsync
    | ReadOnly
    | Silence
    | LostNotifications
    | LateResults
    | DoubledResults
)
"""What holds for a while."""
TimedFault: TypeAlias = MachineCrash | Pause | Stall | Jump | Deploy | Condition
Fault: TypeAlias = OperationFault | TimedFault
FaultPlan: TypeAlias = Sequence[Fault]


# --- drawing a plan


def draw_plan(dice: Random, machines: Sequence[str], span: int, most: int) -> list[Fault]:
    """Faults for the first `span` microseconds, some of them long enough for a lease to run out.

    Each plan has a few kinds of faults only. With all kinds at once they hide each other: an outage
    interrupts the ten crashes in a row that would have made a run go wrong.
    """
    kinds = dice.sample(_KINDS, dice.randint(1, 4))
    amount = dice.randint(1, most)
    return [dice.choice(kinds)(dice, dice.choice(machines), span) for _ in range(amount)]


def _about(dice: Random, longest: int) -> int:
    """A duration below `longest`. Very short ones are as likely as long ones."""
    return int(longest ** dice.uniform(0.5, 1.0)) if dice.random() < 0.5 else dice.randrange(longest)


def _operation(dice: Random) -> tuple[int, bool]:
    """Which operation to strike: mostly a commit, as commits matter most, and mostly an early one."""
    longest = dice.choice((4, 12, 40, 150))
    return dice.randint(1, longest), dice.random() < 0.7


def _when(dice: Random, span: int) -> int:
    return dice.randrange(span) if dice.random() < 0.5 else _about(dice, span)


_LEASE = 15 * SECOND
_LONG = 60 * SECOND

_Draw: TypeAlias = Callable[[Random, str, int], Fault]

_KINDS: list[_Draw] = [
    lambda dice, machine, span: Refuse(machine, *_operation(dice)),
    lambda dice, machine, span: LoseAnswer(machine, *_operation(dice)),
    lambda dice, machine, span: Abandon(machine, *_operation(dice), _about(dice, 3 * _LEASE)),
    lambda dice, machine, span: Delay(machine, *_operation(dice), _about(dice, 4 * _LEASE)),
    lambda dice, machine, span: DelayAnswer(machine, *_operation(dice), _about(dice, 4 * _LEASE)),
    lambda dice, machine, span: PauseAt(machine, *_operation(dice), _about(dice, 4 * _LEASE)),
    lambda dice, machine, span: RunOutOfDisk(machine, *_operation(dice)),
    lambda dice, machine, span: CrashBefore(machine, *_operation(dice), _about(dice, 3 * _LEASE)),
    lambda dice, machine, span: CrashInFlight(
        machine, *_operation(dice), _about(dice, 2 * _LEASE), _about(dice, 3 * _LEASE)
    ),
    lambda dice, machine, span: CrashAfter(machine, *_operation(dice), _about(dice, 3 * _LEASE)),
    lambda dice, machine, span: MachineCrash(machine, _when(dice, span), _about(dice, 3 * _LEASE)),
    lambda dice, machine, span: Pause(machine, _when(dice, span), _about(dice, 4 * _LEASE)),
    lambda dice, machine, span: Stall(
        machine, _when(dice, span), _about(dice, 2 * _LONG), dice.random() < 0.5
    ),
    lambda dice, machine, span: Jump(
        machine, _when(dice, span), _about(dice, 4 * _LEASE) * dice.choice((1, -1))
    ),
    lambda dice, machine, span: Deploy(
        machine, _when(dice, span), _about(dice, _LEASE) * dice.choice((1, -1))
    ),
    lambda dice, machine, span: DatabaseOutage(
        dice.choice((machine, None)), _when(dice, span), _about(dice, _LONG)
    ),
    lambda dice, machine, span: FullDisk(_when(dice, span), _about(dice, _LONG)),
    lambda dice, machine, span: Slowness(_when(dice, span), _about(dice, span), _about(dice, _LONG // 4)),
    lambda dice, machine, span: SlowFsync(
        _when(dice, span), _about(dice, span), _about(dice, 3 * _LEASE), dice.random() < 0.5
    ),
    lambda dice, machine, span: ReadOnly(
        dice.choice((machine, None, None)), _when(dice, span), _about(dice, _LONG)
    ),
    lambda dice, machine, span: Silence(_when(dice, span), _about(dice, span)),
    lambda dice, machine, span: LostNotifications(
        dice.choice((machine, None)), _when(dice, span), _about(dice, span), dice.choice((0.3, 0.7, 1.0))
    ),
    lambda dice, machine, span: LateResults(_when(dice, span), _about(dice, span), _about(dice, _LONG // 2)),
    lambda dice, machine, span: DoubledResults(_when(dice, span), _about(dice, span)),
]
