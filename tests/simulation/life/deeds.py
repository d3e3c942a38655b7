"""What users do, one after the other, with pauses: start runs, write to them, stop them, look at them.

A deed that a crash of the client interrupts is done again by the next client, so each must stand that. What
it finds out goes into the book.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Protocol, TypeAlias

from tests.simulation.life.book import TROUBLE, Book, insist, seconds
from tests.simulation.life.programs import SIGNALS, Ask, Script, Work, draw_script, live, struggle
from tests.simulation.life.questioning import draw_answer, draw_update
from tests.simulation.life.taking_ids import draw_signal_or_start, draw_take_id

from holdfast import Run, with_options
from holdfast.client.client import Client
from holdfast.errors import (
    BadOption,
    DeadlineOver,
    HeardByParent,
    NeededByParent,
    NotEnded,
    NotParked,
    NotRunning,
    PromiseSettled,
    RunEnded,
    RunExists,
    RunNotFound,
    ScheduleNotFound,
)


class Deed(Protocol):
    async def do(self, client: Client, book: Book) -> None: ...


class Start:
    """Starts a run with all its options; also a second time, and then it must be the same run."""

    def __init__(self, id: str, options: dict[str, Any]) -> None:
        self._id = id
        self._options = options

    async def do(self, client: Client, book: Book) -> None:
        planned = book.planned[self._id]
        tags = self._options.get("tags", ())
        for tag in tags:
            if planned.id not in book.tags.setdefault(tag, []):
                book.tags[tag].append(planned.id)
        if "deadline" in self._options:
            planned.harms.append("deadline")
        try:
            run = await insist(lambda: _start(client, self._id, planned.script, self._options))
        except RunExists:
            book.claim(
                self._options.get("id_policy") == "refuse" or "other start" in planned.harms,
                f"the same start of {self._id} was refused",
            )
            return
        except BadOption as error:
            # It is told again after a long outage, and the instant is not in the future any more.
            book.claim("deadline" in str(error), f"{self._id}: {error}")
            return
        book.note_started(self._id, run.key)


async def _start(client: Client, id: str, script: Script | None, options: dict[str, Any]) -> Run[Any]:
    if script is None:
        return await client.start(with_options(struggle, id=id, **options), 7, 1)
    return await client.start(live.options(id=id, **options), script)


class StartOther:
    """Starts something else under an id that is taken. It is refused while the first run is there."""

    def __init__(self, id: str) -> None:
        self._id = id

    async def do(self, client: Client, book: Book) -> None:
        planned = book.planned[self._id]
        if not planned.keys:
            return  # nobody has it yet, and it is planned for another run
        planned.harms.append("other start")
        other = Script([Work(1_000_000)])
        try:
            run = await client.start(live, other, id=self._id)
        except (RunExists, *TROUBLE):
            return
        book.note_started(self._id, run.key)


class Send:
    """Sends numbers in order, each again until it is acknowledged."""

    def __init__(self, id: str, sender: str, name: str, times: int, pause: float) -> None:
        self._id, self._sender, self._name = id, sender, name
        self._times, self._pause = times, pause
        self._next = 0

    async def do(self, client: Client, book: Book) -> None:
        planned = book.planned[self._id]
        while self._next < self._times:
            number = self._next
            known = (self._sender, self._name, number)
            planned.tries[known] = planned.tries.get(known, 0) + 1
            try:
                run = await client.get(self._id)
                await run.signal(self._name, [self._sender, number], by=self._sender)
            except (RunNotFound, RunEnded):
                return
            except TROUBLE:
                await asyncio.sleep(1)
                continue
            planned.acknowledged.append((run.key, *known))
            self._next = number + 1  # a client that is being replaced may do the same deed
            await asyncio.sleep(self._pause)


class Settle:
    def __init__(self, id: str, promise: str, is_rejected: bool) -> None:
        self._id, self._promise, self._is_rejected = id, promise, is_rejected

    async def do(self, client: Client, book: Book) -> None:
        async def settle() -> None:
            if self._is_rejected:
                await client.reject(self._id, self._promise, "no", ahead=True)
            else:
                await client.resolve(self._id, self._promise, "yes", ahead=True)

        try:
            await insist(settle)
        except (RunNotFound, RunEnded, PromiseSettled):
            pass


class Change:
    """Cancels a run, terminates, pauses, resumes or retries it, ends its backoffs, or deletes it. If it is
    too early for that, waits a while."""

    _TOO_EARLY = (RunNotFound, NotEnded, NotParked)
    _REFUSED = (RunEnded, NotRunning, NeededByParent, HeardByParent)

    def __init__(self, id: str, what: str, patience: int) -> None:
        self._id, self._what, self._patience = id, what, patience

    async def do(self, client: Client, book: Book) -> None:
        book.planned[self._id].harms.append(self._what)
        while True:
            try:
                return await insist(lambda: self._change(client, book))
            except self._REFUSED:
                return
            except self._TOO_EARLY:
                if self._patience <= 0:
                    return
            self._patience -= 1
            await asyncio.sleep(2)

    async def _retry(self, client: Client, book: Book) -> None:
        try:
            await client.retry(self._id, by="ann")
        except DeadlineOver:
            book.planned[self._id].harms.append("deadline")
            await client.retry(self._id, deadline=seconds(61), by="ann")

    async def _change(self, client: Client, book: Book) -> None:
        match self._what:
            case "cancel":
                await client.cancel(self._id, "enough", by="ann")
            case "terminate":
                await client.terminate(self._id, "enough", by="ann")
            case "pause":
                await client.pause(self._id, "wait", by="ann")
            case "resume":
                await client.resume(self._id, by="ann")
            case "retry":
                await self._retry(client, book)
            case "try_now":
                await client.try_now(self._id, by="ann")
            case _:
                await client.delete(self._id)


class ChangeMany:
    """The same for all runs with a tag."""

    def __init__(self, tag: str, what: str) -> None:
        self._tag, self._what = tag, what

    async def do(self, client: Client, book: Book) -> None:
        for planned in book.planned.values():
            planned.harms.append(self._what)
        selection = client.select(tag=self._tag)
        match self._what:
            case "pause":
                await insist(lambda: selection.pause("wait", by="bob"))
            case "resume":
                await insist(lambda: selection.resume(by="bob"))
            case _:
                await insist(lambda: selection.cancel("enough", by="bob"))


class Prune:
    def __init__(self, age: float) -> None:
        self._age = age

    async def do(self, client: Client, book: Book) -> None:
        await insist(lambda: client.prune(seconds(self._age)))


class Look:
    """Lists the runs with a tag, and explains one. Every read must answer, whatever happens meanwhile."""

    def __init__(self, id: str, tag: str) -> None:
        self._id, self._tag = id, tag

    async def do(self, client: Client, book: Book) -> None:
        listed = await insist(lambda: client.list(tag=self._tag, limit=1000))
        unknown = [run.id for run in listed if (run.former_id or run.id) not in book.tags.get(self._tag, ())]
        book.claim(self._tag == "child" or not unknown, f"tag {self._tag} has {unknown}, which never got it")
        try:
            explained = await insist(lambda: client.explain(self._id))
        except RunNotFound:
            return
        book.claim(bool(explained.reasons), f"{self._id} is {explained.status}, and nothing explains it")


class Schedule:
    """Has a schedule start runs for a while."""

    def __init__(self, name: str, every: float, lasts: float, overlap: str) -> None:
        self._name, self._every, self._lasts, self._overlap = name, every, lasts, overlap

    async def do(self, client: Client, book: Book) -> None:
        script = {"acts": [{"type": "Work", "number": 7, "seconds": 2.0}]}
        await insist(
            lambda: client.schedules.put(
                self._name, live, every=seconds(self._every), input={"script": script}, overlap=self._overlap
            )
        )
        await asyncio.sleep(self._lasts / 2)
        try:
            await insist(lambda: client.schedules.pause(self._name))
            await asyncio.sleep(self._every)
            await insist(lambda: client.schedules.resume(self._name))
            await asyncio.sleep(self._lasts / 2)
            await insist(lambda: client.schedules.delete(self._name))
        except ScheduleNotFound:
            pass  # deleted by a call whose answer was lost, or by a client that died


# --- drawing

_Draw: TypeAlias = Callable[[Random, dict[str, Script | None]], Deed]
CHANGES = ("cancel", "terminate", "pause", "resume", "retry", "try_now", "delete")


def draw_start(dice: Random, id: str) -> Start:
    options: dict[str, Any] = {"tags": dice.sample(("red", "green", "blue"), dice.randint(0, 2))}
    if dice.random() < 0.3:
        options["delay"] = seconds(dice.choice((1, 10, 60)))
    if dice.random() < 0.3:
        options["deadline"] = seconds(dice.choice((2, 20, 200)) + 61)
    if dice.random() < 0.3:
        options["priority"] = dice.randint(1, 9)
    if dice.random() < 0.3:
        options["id_policy"] = "refuse"
    return Start(id, options)


def _draw_settle(dice: Random, ids: dict[str, Script | None]) -> Deed:
    id = dice.choice(list(ids))
    script = ids[id]
    names = [act.name for act in (script.all_acts() if script else ()) if isinstance(act, Ask)]
    return Settle(id, dice.choice([*names, "promise-none"]), is_rejected=dice.random() < 0.3)


def _draw_change(dice: Random, ids: dict[str, Script | None], among: Sequence[str]) -> Deed:
    return Change(dice.choice(list(ids)), dice.choice(among), dice.choice((0, 10, 30)))


DRAW: list[_Draw] = [
    lambda dice, ids: Send(
        dice.choice(list(ids)), f"sender-{dice.getrandbits(30)}", dice.choice(SIGNALS), dice.randint(1, 4),
        dice.choice((0.0, 3.0)),
    ),
    _draw_settle,
    lambda dice, ids: _draw_change(dice, ids, CHANGES),
    lambda dice, ids: _draw_change(dice, ids, CHANGES),
    lambda dice, ids: _draw_change(dice, ids, ("pause", "resume")),
    lambda dice, ids: _draw_change(dice, ids, ("retry", "try_now", "pause")),
    lambda dice, ids: ChangeMany(
        dice.choice(("red", "green", "child")), dice.choice(("pause", "resume", "cancel"))
    ),
    lambda dice, ids: Prune(dice.choice((0.0, 5.0, 60.0))),
    lambda dice, ids: Look(dice.choice(list(ids)), dice.choice(("red", "green", "blue", "child"))),
    lambda dice, ids: StartOther(dice.choice(list(ids))),
    lambda dice, ids: Schedule(
        f"schedule-{dice.getrandbits(30)}", dice.choice((10.0, 40.0)), dice.choice((30.0, 120.0)),
        dice.choice(("skip", "queue", "allow")),
    ),
    draw_update,
    draw_answer,
    draw_signal_or_start,
    draw_take_id,
]  # fmt: skip
"""All kinds of deeds, besides the starts. A deed is drawn for the runs that there will be."""


def draw_program(dice: Random) -> Script | None:
    return None if dice.random() < 0.15 else draw_script(dice)
