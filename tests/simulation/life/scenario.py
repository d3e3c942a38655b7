"""The scenario: a few users at once, readers of streams, and the one who finishes what the others began."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from random import Random

from tests.simulation.life.book import TROUBLE, Book, Planned, Reading, insist
from tests.simulation.life.deeds import DRAW, Deed, draw_program, draw_start
from tests.simulation.life.finishing import finish, read_all, statuses
from tests.simulation.life.observing import Observer
from tests.simulation.life.programs import Outside, Script, catalog
from tests.simulation.life.promises import Watch, problems

from holdfast.client.client import Client
from holdfast.core.values import key_text
from holdfast.errors import RunNotFound
from holdfast.testing.simulation.pull_worker import Services
from holdfast.testing.simulation.simulation import Simulation

_OBSERVED = 0.4
"""In what share of the simulations somebody watches all runs."""


class User:
    """Does one deed after the other. The next client goes on where the last one died."""

    def __init__(self, deeds: list[tuple[float, Deed]]) -> None:
        self._deeds = deeds
        self._done = 0
        self._client: Client | None = None

    async def act(self, client: Client, book: Book) -> None:
        self._client = client
        while self._done < len(self._deeds) and self._client is client:
            done, (pause, deed) = self._done, self._deeds[self._done]
            await asyncio.sleep(pause)
            await deed.do(client, book)
            self._done = max(self._done, done + 1)


class Life:
    is_client_spared = False
    most_faults = 30
    slots = (2, 4, 1000)
    longest_task = 20.0
    deadly = ()

    def __init__(self, users: list[User], book: Book) -> None:
        self.queues: dict[str, int] = {}
        self.services: Services = {}
        self.catalog = catalog
        self._users = users
        self._book = book
        self._client: Client | None = None
        self._is_done = False
        Outside.clear()

    def watch(self, simulation: Simulation) -> None:
        self._book.simulation = simulation
        self._watch = Watch(simulation)

    async def use(self, client: Client) -> None:
        """During a deploy there are two clients for a while. All is done when the newer one has done it: its
        users may still act when those of the other one have ended."""
        assert self._book.simulation is not None
        if self._is_done or not self._book.simulation.is_newest(client):
            return
        self._client = client
        observer = self._book.observer
        if observer is None:
            await self._act_and_read(client)
        else:
            await insist(lambda: observer.begin(client))
            async with asyncio.TaskGroup() as group:
                observing = group.create_task(observer.observe(client, TROUBLE))
                await self._act_and_read(client)
                await observer.catch_up(lambda: insist(lambda: statuses(client)))
                observing.cancel()
        if self._client is client:
            await read_all(client, self._book)
            self._is_done = self._client is client

    async def _act_and_read(self, client: Client) -> None:
        async with asyncio.TaskGroup() as group:
            for reading in self._book.readings:
                group.create_task(_read(reading, client, self._book))
            group.create_task(self._act_and_finish(client))
        await finish(client, self._book)  # a reader's last look comes after the end of its run

    async def _act_and_finish(self, client: Client) -> None:
        await asyncio.gather(*[user.act(client, self._book) for user in self._users])
        self._book.is_acting_over = True
        await finish(client, self._book)

    def is_done(self) -> bool:
        return self._is_done

    def has_more_to_say(self) -> bool:
        return True

    def problems(self, simulation: Simulation) -> Iterable[str]:
        return problems(self._book, self._watch, simulation)


async def _read(reading: Reading, client: Client, book: Book) -> None:
    """Reads on at the last offset, again and again, until the run has ended. During a deploy there are two
    clients for a while, and the newer one reads."""
    reading.client = client
    while not reading.is_over and reading.client is client:
        try:
            if reading.key is None:
                reading.key = (await client.get(reading.id)).key
            after = reading.items[-1].offset if reading.items else None
            room = reading.stops_after.pop() if reading.stops_after else 1_000_000
            async for item in client.stream(key_text(reading.key), reading.stream, after=after):
                if reading.client is not client:
                    return
                reading.items.append(item)
                room -= 1
                if room == 0:
                    break
            else:
                reading.is_over = reading.client is client
        except RunNotFound:
            reading.is_over = reading.key is not None or book.is_acting_over
        except TROUBLE:
            pass
        await asyncio.sleep(1)


def draw_life(seed: int) -> Life:
    dice = Random(f"{seed} life")
    scripts: dict[str, Script | None] = {}
    starts: list[Deed] = []
    for number in range(dice.randint(1, 4)):
        id, script = f"run-{number}", draw_program(dice)
        starts.append(draw_start(dice, id))
        scripts[id] = script
        scripts |= dict(script.ids(id)) if script else {}
    again = [dice.choice(starts) for _ in range(dice.randint(0, 2))]
    kinds = dice.sample(DRAW, dice.randint(2, len(DRAW)))
    deeds = [dice.choice(kinds)(dice, scripts) for _ in range(dice.randint(4, 24))]
    users = [User(_with_pauses(dice, starts))]
    others = [*deeds, *again]
    dice.shuffle(others)
    amount = dice.randint(1, 5)
    users += [User(_with_pauses(dice, others[number::amount])) for number in range(amount)]
    ids = list(scripts)
    readings = [
        Reading(dice.choice(ids), dice.choice(("poured", "said")), [dice.randint(1, 4) for _ in range(3)])
        for _ in range(dice.randint(0, 3))
    ]
    book = Book({id: Planned(id, script) for id, script in scripts.items()}, readings)
    if dice.random() < _OBSERVED:
        book.observer = Observer(dice.uniform(0, 60) for _ in range(dice.randint(0, 4)))
    return Life(users, book)


def _with_pauses(dice: Random, deeds: list[Deed]) -> list[tuple[float, Deed]]:
    return [(dice.choice((0.0, dice.uniform(0, 5), dice.uniform(0, 40))), deed) for deed in deeds]
