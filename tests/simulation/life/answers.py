"""Acts that answer and ask: a run that serves updates, and one that asks people."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast import Context

if TYPE_CHECKING:
    from tests.simulation.life.programs import Here

UPDATE = "add"
ANSWERERS = ("ann", "bob")


class Serve(msgspec.Struct, frozen=True, tag=True):
    """Waits for so many updates, which a handler of the run answers meanwhile, and before."""

    times: int

    async def do(self, here: Here) -> Any:
        goal = len(_updated(here.context)) + self.times
        with here.waiting("update", UPDATE):
            await here.context.wait_until(lambda: len(_updated(here.context)) >= goal)
        return self.times

    def accepts(self, value: Any) -> bool:
        return value == self.times


class Inquire(msgspec.Struct, frozen=True, tag=True):
    """Asks a person for a number."""

    name: str
    by: Sequence[str] | None = None

    async def do(self, here: Here) -> Any:
        with here.waiting("promise", self.name):
            answer = await here.context.ask("How many?", name=self.name, answer=int, by=self.by, details=True)
            here.context.state.set(f"asked:{self.name}", [answer.value, answer.by])
        return [answer.value, answer.by]

    def accepts(self, value: Any) -> bool:
        number, by = value
        return isinstance(number, int) and (self.by is None or by in self.by)


def serve_updates(here: Here, work: Callable[[int, float], Awaitable[int]]) -> None:
    """Has a handler answer updates. It notes each in the state in the step that answers it."""

    async def add(sender: str, number: int) -> list[Any]:
        if number % 3 == 1:
            await work(number, 1.0)
        elif number % 3 == 2:
            with here.waiting("timer"):
                await asyncio.sleep(5)
        before = _updated(here.context)
        here.context.state.set("updated", [*before, [sender, number]])
        return [sender, number, len(before)]

    def check(sender: str, number: int) -> None:
        if is_refused(number):
            raise ValueError("no such number")

    here.context.on_update(UPDATE, add, validator=check)


def is_refused(number: int) -> bool:
    return number % 5 == 3


def _updated(here: Context) -> list[Any]:
    return here.state.get("updated", list[Any], [])
