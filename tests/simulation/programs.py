"""Random programs as a scenario. Each must end as it does in plain asyncio, whatever goes wrong."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import msgspec
from tests.programs import Ending, Program, describe, generate, register, run_plain, script
from tests.programs.proving import differences, send

from holdfast import Catalog, Run
from holdfast.client.client import Client
from holdfast.core.records import RunRecord
from holdfast.errors import RunEnded
from holdfast.testing.simulation.pull_worker import Services
from holdfast.testing.simulation.simulation import Simulation

_LOOK_EVERY = 3600.0
_LOST = "TaskLost"

# Shared by all scenarios, which run one after the other: building it takes longer than many simulations.
_catalog = Catalog()
_failures: Counter[str] = Counter()
_workflow = register(_catalog, failures=_failures)


class ProgramScenario:
    """One program. Its client gets no faults: a signal that is sent twice would make another program."""

    is_client_spared = True
    most_faults = 8
    """So few that together they take less than ten minutes, the margin that the rules of `language` leave."""
    slots = (1000,)
    """A task that waits for another task must not take the slot that the other one needs."""
    longest_task = 1.0
    deadly = ()

    def __init__(self, program: Program) -> None:
        self.queues: dict[str, int] = {}
        self.services: Services = {}
        self.catalog = _catalog
        self._program = program
        _failures.clear()
        self._expected = run_plain(program)
        self._is_done = self._has_sent_all = False

    async def use(self, client: Client) -> None:
        run = await client.start(_workflow, self._program, id="first")
        await self._send_all(run)
        # Seldom: the run may take weeks, and `result()` would ask every two seconds.
        while not (await run.status()).is_final:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_EVERY)
        self._is_done = True

    async def _send_all(self, run: Run[Any]) -> None:
        at = 0.0
        for message in script(self._program):
            await asyncio.sleep(message.at - at)
            at = message.at
            try:
                await send(run, message)
            except RunEnded:
                break
        self._has_sent_all = True

    def is_done(self) -> bool:
        return self._is_done

    def has_more_to_say(self) -> bool:
        return not self._has_sent_all

    def problems(self, simulation: Simulation) -> Iterable[str]:
        records = [history.run for history in simulation.safety.histories()]
        found = {_path_of(record): _ending_of(record) for record in records}
        if any(_LOST in str(ending.detail) for ending in found.values()):
            return  # ten nodes died over one task: asyncio does not know that failure
        expected = self._expected
        for problem in differences("run", "ended", expected, expected.endings, found):
            yield f"{problem}\n{describe(self._program)}"


def _path_of(record: RunRecord) -> str:
    return msgspec.json.decode(record.input)["path"]


def _ending_of(record: RunRecord) -> Ending:
    failure = record.failure
    if record.status == "success":
        return Ending("success", msgspec.json.decode(record.output or b"null"))
    if record.status == "failed" and failure is not None:
        name = failure.type.rpartition(":")[2]
        is_timeout = name in ("TimeoutError", "TaskTimedOut")
        return Ending("failed", "TimeoutError" if is_timeout else f"{name}: {failure.message}")
    return Ending(str(record.status))


def draw_program(seed: int) -> ProgramScenario:
    dice = Random(f"{seed} program")
    return ProgramScenario(generate(dice, dice.randint(3, 15)))
