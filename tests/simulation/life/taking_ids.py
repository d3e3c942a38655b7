"""Deeds that start runs in other ways: with a signal, or under an id that another run has."""

from __future__ import annotations

import asyncio
from random import Random

from tests.simulation.life.book import TROUBLE, Book, insist
from tests.simulation.life.programs import SIGNALS, Script, draw_script, live

from holdfast import Signal
from holdfast.client.client import Client
from holdfast.errors import RunEnded, RunExists, RunNotFound


class SignalOrStart:
    """Sends numbers in order, as `Send` does. The first starts the run, if there is none."""

    def __init__(self, id: str, sender: str, name: str, times: int) -> None:
        self._id, self._sender, self._name, self._times = id, sender, name, times
        self._next = 0

    async def do(self, client: Client, book: Book) -> None:
        planned = book.planned[self._id]
        if planned.script is None:
            return  # a task by itself takes no signals
        while self._next < self._times:
            number = self._next
            known = (self._sender, self._name, number)
            planned.tries[known] = planned.tries.get(known, 0) + 1
            signal = Signal(self._name, [self._sender, number], by=self._sender)
            try:
                run = await client.signal_or_start(live.options(id=self._id), signal, planned.script)
            except (RunEnded, RunExists):
                return
            except TROUBLE:
                await asyncio.sleep(1)
                continue
            book.note_started(self._id, run.key)
            planned.acknowledged.append((run.key, *known))
            self._next = number + 1


class TakeId:
    """Starts another run under an id that is taken. With `restart_ended` the run that has the id keeps it if
    it has not ended; with `replace` it is ended for that."""

    def __init__(self, id: str, script: Script, policy: str) -> None:
        self._id, self._script, self._policy = id, script, policy

    async def do(self, client: Client, book: Book) -> None:
        planned = book.planned[self._id]
        try:
            before = (await insist(lambda: client.get(self._id))).key
        except RunNotFound:
            return  # nobody has it yet, and it is planned for another run
        planned.harms += ["other start"] + (["terminate"] if self._policy == "replace" else [])
        options = live.options(id=self._id, id_policy=self._policy, by="ann")
        try:
            run = await insist(lambda: client.start(options, self._script))
        except RunExists:
            book.claim(self._policy != "replace", f"{self._id} was not replaced")
            return
        book.note_started(self._id, run.key)
        book.claim(self._policy != "replace" or run.key != before, f"{self._id} was not replaced")


def draw_signal_or_start(dice: Random, ids: dict[str, Script | None]) -> SignalOrStart:
    roots = [id for id in ids if "." not in id]
    sender = f"sender-{dice.getrandbits(30)}"
    return SignalOrStart(dice.choice(roots), sender, dice.choice(SIGNALS), dice.randint(1, 4))


def draw_take_id(dice: Random, ids: dict[str, Script | None]) -> TakeId:
    script = draw_script(dice, depth=0)
    return TakeId(dice.choice(list(ids)), script, dice.choice(("restart_ended", "replace")))
