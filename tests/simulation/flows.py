"""Random flows as a scenario. Each must end as a plain interpreter computes, whatever goes wrong.

Functions of the nodes do their tasks, and workers that take them from the queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import msgspec
from tests.flows.drawing import Manner, awaited_keys, draw_flow, draw_params
from tests.flows.engine import RETRIES, FlowRun, register
from tests.flows.rules import broken_rules
from tests.flows.services import SERVICES, serve
from tests.flows.signals import DrawnSignals
from tests.simulation.dags import was_lost
from tests.simulation.jobs import insist

from holdfast import Catalog
from holdfast.client.client import Client
from holdfast.errors import NotEnded
from holdfast.ports.workers import QueueItem
from holdfast.testing.simulation.simulation import Simulation

MANNER = Manner(exec_types=("local_func", "queue", "queue"), is_bounded=True, is_patient=True, most_nodes=10)
_LOOK_EVERY = 5.0


class FlowScenario:
    """A few flows. The client sends what each waits for, and retries it if it fails."""

    is_client_spared = True
    """A signal that a client sends again after a fault would count twice."""
    most_faults = 12
    """So few that together they take less than an hour: so long may a wait last that is answered."""
    slots = (2, 1000)
    longest_task = 5.0
    deadly = ()

    def __init__(self, runs: list[FlowRun]) -> None:
        self.queues: dict[str, int] = {}
        self.catalog = Catalog()
        self._runs = {run.id: run for run in runs}
        self.services = {name: self._service(name) for name in SERVICES}
        self._states: dict[str, dict[str, Any]] = {}
        """The final state of each flow, by id."""
        register(self.catalog, runs)

    def _service(self, name: str) -> Callable[[QueueItem], Any]:
        def do(item: QueueItem) -> Any:
            given = msgspec.json.decode(item.input)
            retried = self._runs[item.run_id].retried
            return serve(name, given["input"], given["params"], attempt=item.attempt, retried=retried)

        return do

    async def use(self, client: Client) -> None:
        await asyncio.gather(*[self._look_after(client, run) for run in self._runs.values()])

    async def _look_after(self, client: Client, made: FlowRun) -> None:
        run = await insist(lambda: client.start(made.workflow, id=made.id, **made.params))
        while True:
            status = str(await run.status())
            if status == "success" or (status == "failed" and made.retried == RETRIES):
                break
            if status == "failed":
                made.retried += 1
                try:
                    await client.retry(run)
                except NotEnded:
                    pass  # the request before this one was done after all
            elif not await made.tell(client):
                await asyncio.sleep(_LOOK_EVERY)
        self._states[made.id] = await made.read_state(client)

    def is_done(self) -> bool:
        return len(self._states) == len(self._runs)

    def has_more_to_say(self) -> bool:
        return not self.is_done()

    def problems(self, simulation: Simulation) -> Iterable[str]:
        histories = {history.run.id: history for history in simulation.safety.histories()}
        if was_lost(histories.values()):
            return  # ten nodes or workers died over one task: the interpreter does not know that failure
        for id, made in self._runs.items():
            found = histories[id]
            yield from made.problems(found.run, found.tasks, self._states[id])
            yield from broken_rules(made.flow, found, made.interpreter.entered)


def draw_flow_scenario(seed: int) -> FlowScenario:
    return FlowScenario([_draw(f"{seed}-{number}") for number in range(Random(f"{seed} runs").randint(1, 4))])


def _draw(seed: str) -> FlowRun:
    flow = draw_flow(Random(f"{seed} flow"), MANNER, name=f"flow-{seed}")
    signals = DrawnSignals(seed, awaited_keys(flow), is_cancelled=False)
    return FlowRun(f"run-{seed}", flow, draw_params(Random(f"{seed} params")), signals)
