"""A small language of workflows, as data: what a random program may do, whoever runs it.

A program is a tree of frozen Structs, so it travels as the input of a workflow and prints as JSON. Nothing
here knows asyncio or holdfast: `how` fields are hints for an interpreter that has several ways to do the
same thing, and a front end that has only one may pass over them.

Confluence. How a program ends, which tasks it begins, and the state it leaves must not depend on who is
faster, on where a crash comes, or on the seconds that a crash costs. These rules see to it, and each is in
the shape of the tree, so that no part of a program can be cut out and break one:

- Whatever runs beside something else is a *lane*. It has copies of the variables, keys of the state and
  signals of its own, and gives back one value. The value of several lanes is made of theirs by index, and
  where several fail, the first by index is raised.
- What is decided by time has a MARGIN between the earlier and the later: a race is won by who sleeps until
  the losers can do nothing but wait (`rules.patience`), and a timeout that is to fire is set for when all
  that can happen before it has happened. A crash costs 16 s, so some thirty in one run change nothing.
- `Hang` never ends by itself. It stands only where something will cancel it (`rules.is_well_formed`), and
  what is cancelled stands at a `Hang` by then.
- Messages from outside are those that the program asks for (`rules.script`), each at its time, in one order.
- What does depend on timing (who came first, dice, clocks, whether a signal is there) may be looked at and
  goes into the trace of the run. No result is made of it, but every task is given the trace so far and gives
  it back, so a replay that sees other things, or in another order, is found out.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

MARGIN = 600.0
"""Seconds between what must come earlier and what must come later. (More would make no proof stronger, and
every five seconds that a task hangs cost a commit that renews the lease.)"""
RETRYING = 5.0
"""Seconds. The longest that backing off between the attempts at one task takes."""
TASK_TIMEOUT = 60.0
"""Seconds. What a task that hangs is given."""

Value: TypeAlias = int | str
"""A number, or the name of a variable. One that was never set is 0."""


# --- errors -----------------------------------------------------------------------------------


class Refusal(Exception):
    """What an errand may raise; `Declined` is one."""


class Declined(Refusal):
    pass


class Overdrawn(Refusal):
    """Has arguments of its own, and a message made of them."""

    def __init__(self, account: int, by: int) -> None:
        super().__init__(account, by)
        self.account, self.by = account, by

    def __str__(self) -> str:
        return f"account {self.account} is overdrawn by {self.by}"


class Flaked(Exception):
    """A failure that goes away when it is tried again."""


ErrorName: TypeAlias = Literal["Declined", "Overdrawn", "ValueError", "KeyError", "OSError"]
Caught: TypeAlias = Literal[ErrorName, "Refusal", "LookupError", "TimeoutError", "Exception"]

ERRORS: tuple[ErrorName, ...] = ("Declined", "Overdrawn", "ValueError", "KeyError", "OSError")
CAUGHT: dict[Caught, type[Exception]] = {
    "Declined": Declined,
    "Overdrawn": Overdrawn,
    "ValueError": ValueError,
    "KeyError": KeyError,
    "OSError": OSError,
    "Refusal": Refusal,
    "LookupError": LookupError,
    "TimeoutError": TimeoutError,
    "Exception": Exception,
}


def make_error(name: ErrorName, value: int) -> Exception:
    match name:
        case "Overdrawn":
            return Overdrawn(value, value + 1)
        case "KeyError":
            return KeyError(f"key {value}")  # str() of it is the repr of its argument
        case "OSError":
            return OSError(2, f"no file {value}")  # has two arguments, and picks another class by the first
        case _:
            return CAUGHT[name](f"for {value}")


# --- statements -------------------------------------------------------------------------------


class Node(msgspec.Struct, frozen=True, tag_field="do", tag=str.lower, omit_defaults=True):
    pass


class Succeeds(Node, frozen=True):
    pass


class Fails(Node, frozen=True):
    """For good, after so many attempts; `at_once`: because its error is never tried again."""

    error: ErrorName
    attempts: int = 1
    at_once: bool = False


class Flakes(Node, frozen=True):
    """Fails a few times and then succeeds."""

    failures: int


class TimesOut(Node, frozen=True):
    """Hangs until it is cut off, by its timeout or for its silence."""

    silent: bool = False


Ends: TypeAlias = Succeeds | Fails | Flakes | TimesOut


class Call(Node, frozen=True):
    """Do a task: `work` is async, `toil` is a plain function, and cannot time out."""

    task: Literal["work", "toil"]
    value: Value
    ends: Ends = Succeeds()
    into: str | None = None


class FanOut(Node, frozen=True):
    """Ask for several tasks at once and wait for all."""

    how: Literal["gather", "gather_errors", "wait", "first_completed", "as_completed", "task_group"]
    calls: tuple[Call, ...]
    into: str | None = None


class Sleep(Node, frozen=True):
    seconds: float


class Hang(Node, frozen=True):
    """Wait for what never happens. `event` is nothing durable: something else must keep the run alive."""

    on: Literal["task", "sleep", "signal", "promise", "event"]


class Raise(Node, frozen=True):
    error: ErrorName
    value: Value


class Return(Node, frozen=True):
    """Leave the lane, or the program, from wherever this is."""

    value: Value


class Assign(Node, frozen=True):
    into: str
    value: Value
    plus: int


class Store(Node, frozen=True):
    key: str
    value: Value


class Load(Node, frozen=True):
    key: str
    into: str


class Forget(Node, frozen=True):
    key: str


class Observe(Node, frozen=True):
    """Look at something that is different in every run, but not in a replay of it."""

    what: Literal["now", "random", "uuid", "identity", "signals", "patched", "log"]


class Effect(Node, frozen=True):
    """A step with a side effect. It gives another number each time that it is really done, or fails."""

    error: ErrorName | None = None


class Receive(Node, frozen=True):
    """The next message of a signal. The messages are sent `late` seconds after the start."""

    signal: str
    late: float = 0.0
    patient: bool = True
    """Without a timeout of its own, which would not fire."""
    into: str | None = None


class Drain(Node, frozen=True):
    """So many messages of a signal, as they come in bunches."""

    signal: str
    count: int
    late: float = 0.0


class Await(Node, frozen=True):
    """A promise, which is settled `late` seconds after the start; its value is the number in its name."""

    promise: str
    rejected: ErrorName | None = None
    late: float = 0.0
    into: str | None = None


class Miss(Node, frozen=True):
    """Wait for a message that never comes, until the wait times out."""

    kind: Literal["signal", "promise"]


class If(Node, frozen=True):
    """Is the variable even?"""

    on: str
    then: Block
    otherwise: Block = ()


class Repeat(Node, frozen=True):
    times: int
    body: Block


class Handler(Node, frozen=True):
    error: Caught
    body: Block


class Try(Node, frozen=True):
    body: Block
    handlers: tuple[Handler, ...] = ()
    otherwise: Block = ()
    ending: Block = ()
    """What stands after `finally`: done on success, failure, return and cancellation."""


class Parallel(Node, frozen=True):
    """Run lanes beside each other until all are over. Raises what the first raised, or `collects` it."""

    how: Literal[
        "gather",
        "gather_errors",
        "wait",
        "first_completed",
        "first_exception",
        "as_completed",
        "task_group",
        "shield",
        "one_by_one",
        "relay",
        "lock",
        "semaphore",
        "condition",
        "barrier",
        "queue",
    ]
    lanes: tuple[Block, ...]
    collects: bool = False
    into: str | None = None


class Race(Node, frozen=True):
    """Run the winner beside losers that hang, cancel them when it is over, and let them clean up.

    A `hasty` winner does not wait for the losers to do what they can: they must hang from the first.
    """

    how: Literal["wait", "as_completed", "gather", "group_body", "group_child"]
    winner: Block
    losers: tuple[Block, ...]
    strays: int = 0
    """So many bare tasks that hang take part as well."""
    hasty: bool = False
    into: str | None = None


class Timeout(Node, frozen=True):
    """Run the body with a limit that does not cut it short; if it `fires`, it hangs at its end."""

    how: Literal["timeout", "wait_for", "wait"]
    body: Block
    fires: bool = True
    into: str | None = None


class Child(Node, frozen=True):
    """Start a child, and await it, leave it to itself, or cancel it, at once or when it can only hang.

    `twice`: a second child of the same name, which must be refused.
    """

    body: Block
    then: Literal["await", "leave", "cancel", "cancel_at_once"] = "await"
    detached: bool = False
    named: bool = False
    twice: bool = False
    into: str | None = None


Statement: TypeAlias = (
    Call
    | FanOut
    | Sleep
    | Hang
    | Raise
    | Return
    | Assign
    | Store
    | Load
    | Forget
    | Observe
    | Effect
    | Receive
    | Drain
    | Await
    | Miss
    | If
    | Repeat
    | Try
    | Parallel
    | Race
    | Timeout
    | Child
)
Block: TypeAlias = tuple[Statement, ...]


class Program(msgspec.Struct, frozen=True, omit_defaults=True):
    body: Block
    cancelled: bool = False
    """Someone cancels the run when it can only hang; it hangs at its end, if it gets there."""
