"""A client of a chaos run: `python -m tests.chaos.customer URL FOLDER NAME SEED BEGAN`.

It has several hands. Each does one thing after the other until SIGTERM comes, and writes down what it
is about to ask for and what came of it. What cannot be known is written down as unknown, and never guessed.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import logging
import random
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.chaos import workloads
from tests.chaos.notebook import Answered, InDoubt, Invoked, Notebook, TurnedDown
from tests.chaos.worker import open_or_leave, settings_of
from tests.chaos.workloads import CLOSE, catalog, keep_notebook

from holdfast import Holdfast, RunCancelled, RunFailed
from holdfast.errors import NodeStopped, NotOpen, Refused, StoreFull, StoreUnavailable

HANDS = 4
_WINDOW = 3.0
"""For so many seconds all clients use the same ids of shared runs."""
_PATIENCE = 35.0


class Hand:
    """A part of the client that does one thing at a time."""

    def __init__(self, name: str, hf: Holdfast, notebook: Notebook, folder: Path, seed: str, began: float):
        self.name = name
        self._hf = hf
        self._notebook = notebook
        self._folder = folder
        self._dice = random.Random(seed)
        self._began = began
        self._number = 0

    async def work(self) -> None:
        while True:
            play = self._dice.choice(_PLAYS)
            await play(self)
            await asyncio.sleep(self._dice.expovariate(1 / 0.05))

    # --- a call and its outcome

    async def ask(self, action: str, run: str, value: Any, do: Callable[[], Awaitable[Any]]) -> Any:
        """Call, and write down what came of it. Returns the answer, or None if there was none."""
        self._number += 1
        number = self._number
        self._notebook.write(Invoked(client=self.name, number=number, action=action, run=run, value=value))
        try:
            async with asyncio.timeout(self._patience()):
                answer = await do()
        except (Refused, StoreFull) as error:
            self._notebook.write(TurnedDown(client=self.name, number=number, error=_text(error)))
            await asyncio.sleep(0.1 if isinstance(error, StoreFull) else 0)
        except (StoreUnavailable, NotOpen, NodeStopped, TimeoutError) as error:
            self._notebook.write(InDoubt(client=self.name, number=number, error=_text(error)))
            await asyncio.sleep(0.2)  # asking again at once is no use
        except asyncio.CancelledError:
            raise  # the process ends: the outcome stays unknown, so nothing is written down
        except Exception as error:
            self._notebook.write(InDoubt(client=self.name, number=number, error=f"unexpected {_text(error)}"))
            await asyncio.sleep(0.2)
        else:
            self._notebook.write(Answered(client=self.name, number=number, value=answer))
            return answer
        return None

    def _patience(self) -> float:
        """How long to wait for an answer. Now and then almost not at all: then the outcome is unknown."""
        return self._dice.uniform(0, 0.02) if self._dice.random() < 0.03 else _PATIENCE

    async def start(self, id: str, workflow: Any, *args: Any, **inputs: Any) -> bool:
        """Ask until it is certain that the run exists, but not for ever."""
        value = {"workflow": workflow.name, "arguments": [*args, *inputs.values()]}

        async def do() -> str:
            return (await self._hf.start(workflow, *args, id=id, **inputs)).key.hex()

        for _ in range(5):
            if await self.ask("start", id, value, do) is not None:
                return True
        return False

    async def look_at_result(self, id: str, seconds: float) -> Any:
        async def do() -> Any:
            run = await self._hf.get(id)
            try:
                return ["success", await run.result(timeout=dt.timedelta(seconds=seconds))]
            except RunFailed as error:
                return ["failed", error.type_name]
            except RunCancelled:
                return ["cancelled"]

        return await self.ask("result", id, None, do)

    async def look_at_status(self, id: str) -> None:
        async def do() -> Any:
            info = await self._hf.describe(id)
            return {
                "success": ["success", info.output],
                "failed": ["failed", info.failure.type if info.failure else ""],
                "cancelled": ["cancelled"],
            }.get(info.status, [])

        await self.ask("status", id, None, do)

    def _new_id(self, kind: str) -> str:
        return f"{kind}-{self.name}-{self._number}"

    def _window(self, back: int = 0) -> int:
        return max(0, int((time.monotonic() - self._began) / _WINDOW) - back)

    # --- what it plays

    async def run_alone(self) -> None:
        dice = self._dice
        kind, arguments = dice.choice(
            [
                (workloads.sequence, (dice.randint(1, 8), dice.choice([0.0, 0.02, 0.4]))),
                (workloads.sequence, (3, dice.choice([0.05, 1.5]))),
                (workloads.fan_out, (dice.randint(2, 12), dice.choice([0.0, 0.05, 0.6]))),
                (workloads.fan_out, (40, 0.02)),
                (workloads.family, (dice.randint(0, 2), 2)),
                (workloads.naps, ([dice.choice([0.05, 0.5, 1.5, 6.0]) for _ in range(2)],)),
                (workloads.fragile, (dice.randint(0, 3),)),
            ]
        )
        id = self._new_id(kind.name)
        if await self.start(id, kind, self.name, *arguments) and dice.random() < 0.7:
            await self.look_at_result(id, 25 if dice.random() < 0.2 else dice.uniform(0.1, 8))

    async def run_many(self) -> None:
        """Start a batch, which is one transaction: all of its runs exist, or none."""
        ids = [f"{self._new_id('batch')}.{number}" for number in range(self._dice.randint(2, 10))]
        inputs = [(f"{self.name}.{number}", 1, 0.01) for number in range(len(ids))]
        value = {"workflow": "sequence", "arguments": inputs, "ids": ids}

        async def do() -> list[str]:
            runs = await self._hf.start_many(workloads.sequence, inputs, ids=ids)
            return [run.key.hex() for run in runs]

        if await self.ask("start_many", ids[0], value, do) is not None:
            await self.look_at_result(self._dice.choice(ids), 3)

    async def meet(self) -> None:
        """Several clients start the same id with different arguments. The first one counts."""
        id = f"meeting-{self._window()}-{self._dice.randint(0, 2)}"
        if await self.start(id, workloads.sequence, self.name, 4, 0.1):
            await self.look_at_result(id, 3)

    async def write_letters(self) -> None:
        id = f"mailbox-{self._window()}"
        if not await self.start(id, workloads.mailbox, "shared"):
            return
        for _ in range(self._dice.randint(1, 6)):
            letter = f"{self.name}/{self._number + 1}"
            await self.ask("signal", id, letter, lambda letter=letter: self._hf.signal(id, "mail", letter))
        if self._dice.random() < 0.1:
            old = f"mailbox-{self._window(back=2)}"
            await self.ask("signal", old, CLOSE, lambda: self._hf.signal(old, "mail", CLOSE))
            await self.look_at_result(old, 2)

    async def vote(self) -> None:
        id = f"ballot-{self._window()}-{self._dice.randint(0, 3)}"
        if await self.start(id, workloads.ballot, "shared"):
            await asyncio.sleep(self._dice.uniform(0, 0.5))
            vote = f"{self.name}/{self._number + 1}"
            await self.ask("resolve", id, vote, lambda: self._hf.resolve(id, "winner", vote, ahead=True))
            await self.look_at_result(id, 2)

    async def hurry(self) -> None:
        id = f"deadline-{self._window()}-{self._dice.randint(0, 3)}"
        seconds = self._dice.uniform(0.1, 3)
        if await self.start(id, workloads.deadline, "shared", seconds):
            await asyncio.sleep(self._dice.uniform(0, seconds))
            answer = f"{self.name}/{self._number + 1}"
            await self.ask("resolve", id, answer, lambda: self._hf.resolve(id, "answer", answer, ahead=True))
            await self.look_at_result(id, 3)

    async def change_its_mind(self) -> None:
        id = self._new_id("endless")
        if await self.start(id, workloads.endless, self.name, self._dice.choice([0, 0, 1, 2])):
            await asyncio.sleep(self._dice.expovariate(1 / 0.7))
            await self.ask("cancel", id, None, lambda: self._hf.cancel(id, "changed my mind"))
            await self.look_at_result(id, 4)

    async def run_an_errand(self) -> None:
        dice = self._dice
        items = [dice.randint(0, 9) for _ in range(dice.randint(1, 4))]
        id = self._new_id("errand")
        [seconds] = dice.choices([0.0, 0.1, 0.5, 2.0], [4, 3, 3, 1])
        if not await self.start(id, workloads.errand, who=self.name, items=items, seconds=seconds):
            return
        await asyncio.sleep(dice.expovariate(1 / 0.5))
        # A promise may be resolved before the run waits for it. An approval is refused until it is asked for.
        if dice.random() < 0.5:
            await self.ask("resolve", id, True, lambda: self._hf.resolve(id, "ask", True, ahead=True))
        else:
            for _ in range(5):
                if await self.ask("approve", id, None, lambda: self._approve(id)):
                    break
                await asyncio.sleep(1)
        await self.look_at_result(id, dice.uniform(0.5, 8))

    async def _approve(self, id: str) -> bool:
        await self._hf.approve(id, "ask")
        return True

    async def come_to_grief(self) -> None:
        id = self._new_id("mishap")
        if await self.start(id, workloads.mishap, who=self.name):
            await self.look_at_result(id, self._dice.uniform(0.5, 6))

    async def lose_patience(self) -> None:
        id = self._new_id("idle")
        if await self.start(id, workloads.idle, who=self.name):
            await asyncio.sleep(self._dice.expovariate(1 / 3))
            await self.ask("cancel", id, None, lambda: self._hf.cancel(id, "lost patience"))
            await self.look_at_result(id, 5)

    async def mend(self) -> None:
        kind = self._dice.choice([workloads.mended, workloads.mended_family, workloads.mended_dag])
        id = self._new_id(kind.name)
        flag = self._folder / f"{id}.mended"
        if not await self.start(id, kind, who=self.name, flag=str(flag)):
            return
        for _ in range(3):
            seen = await self.look_at_result(id, 6)
            if seen is not None and seen[0] != "failed":
                return
            if seen is not None:
                if self._dice.random() < 0.8:
                    flag.touch()
                await self.ask("retry", id, None, lambda: self._hf.retry(id))

    async def look_around(self) -> None:
        kind = self._dice.choice(["mailbox-{}", "ballot-{}-1", "deadline-{}-2", "meeting-{}-0"])
        await self.look_at_status(kind.format(self._window(back=self._dice.randint(0, 3))))


_PLAYS = [
    Hand.run_alone,
    Hand.run_alone,
    Hand.run_alone,
    Hand.run_many,
    Hand.meet,
    Hand.write_letters,
    Hand.write_letters,
    Hand.vote,
    Hand.vote,
    Hand.hurry,
    Hand.change_its_mind,
    Hand.run_an_errand,
    Hand.run_an_errand,
    Hand.come_to_grief,
    Hand.lose_patience,
    Hand.lose_patience,
    Hand.mend,
    Hand.look_around,
]


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


async def _play(asked: argparse.Namespace) -> None:
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    notebook = Notebook(asked.folder / f"client-{asked.name}.jsonl")
    hf = Holdfast(asked.url, catalog=catalog, engine=asked.engine, **settings_of(asked.settings))
    await open_or_leave(hf)
    hands = [
        Hand(f"{asked.name}.{hand}", hf, notebook, asked.folder, f"{asked.seed}/{hand}", asked.began)
        for hand in range(HANDS)
    ]
    working = [asyncio.create_task(hand.work()) for hand in hands]
    stopping = asyncio.create_task(over.wait())
    try:
        await asyncio.wait([*working, stopping], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in (*working, stopping):
            each.cancel()
        ends = await asyncio.gather(*working, return_exceptions=True)
        await hf.close()
    for error in ends:
        if not isinstance(error, asyncio.CancelledError):
            raise AssertionError("a hand of the client failed") from error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("seed")
    parser.add_argument("began", type=float)
    parser.add_argument("--engine", action="store_true", help="do the work of a node as well")
    parser.add_argument("settings", nargs="*")
    asked = parser.parse_args()
    logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    keep_notebook(asked.folder)
    asyncio.run(_play(asked))


if __name__ == "__main__":
    main()
