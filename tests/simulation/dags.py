"""Random DAGs as a scenario. Each must end as a plain interpreter computes, whatever goes wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from tests.dags.drawing import NAMES, draw_dag
from tests.dags.interpreter import Broken, Interpreter, work
from tests.simulation.jobs import insist

from holdfast import Catalog, Run, task, task_context, workflow
from holdfast.authoring.dag.loader import load_text
from holdfast.authoring.dag.workflow import DagWorkflow
from holdfast.client.client import Client
from holdfast.core.records import History
from holdfast.errors import NotEnded, PromiseSettled, RunEnded
from holdfast.testing.simulation.pull_worker import Services
from holdfast.testing.simulation.simulation import Simulation

_LOOK_EVERY = 600.0
_ABSENT = "absent"


class DagScenario:
    """One DAG, whose tasks are functions of this process. If it fails, it is mended and retried once."""

    is_client_spared = True
    """A signal that a client sends again after a fault would count twice."""
    most_faults = 12
    slots = (2, 1000)
    longest_task = 5.0
    deadly = ()

    def __init__(self, dag: dict[str, Any]) -> None:
        self.queues: dict[str, int] = {}
        self.services: Services = {}
        self.catalog = Catalog()
        self._dag = dag
        self._is_mended = False
        self._is_done = False
        text = json.dumps(dag)
        self._workflow = DagWorkflow(load_text(text), text, Path("random.yaml"))
        self.catalog.add_workflow(self._workflow)
        self._register()

    def _register(self) -> None:
        async def stand_in(
            plan: dict[str, Any],
            base: int,
            a: Any = _ABSENT,
            b: Any = _ABSENT,
            c: Any = _ABSENT,
            item: Any = _ABSENT,
            parallel_index: int = 0,
            parallel_count: int = 1,
        ) -> Any:
            if task_context().attempt <= plan.get("fails_at_first", 0):
                raise Broken("at first")
            given = _there(base=base, a=a, b=b, c=c, item=item)
            return work(plan, given, parallel_index, is_retried=self._is_mended)

        async def called(
            plan: dict[str, Any], base: int, a: Any = _ABSENT, b: Any = _ABSENT, c: Any = _ABSENT
        ) -> Any:
            return await called_work(plan, _there(base=base, a=a, b=b, c=c))

        @task(catalog=self.catalog)
        async def called_work(plan: dict[str, Any], given: dict[str, Any]) -> Any:
            # A workflow does not know its place in a fan-out. But the place is the last part of its id,
            # before "#" and the number of the round if it began after a retry.
            last = task_context().run_id.rpartition("/")[2].partition("#")[0]
            return work(plan, given, int(last) if last.isdecimal() else 0, is_retried=self._is_mended)

        for name in NAMES:
            task(name=name, catalog=self.catalog)(stand_in)
        workflow(catalog=self.catalog)(called)

    async def use(self, client: Client) -> None:
        run = await insist(lambda: client.start(self._workflow, id="first"))
        await self._answer(run, promise="")
        if await self._await_end(run) == "failed":
            self._is_mended = True
            try:
                await insist(lambda: client.retry(run))
            except NotEnded:
                pass  # the request before this one was done after all
            await self._answer(run, promise="#2")
            await self._await_end(run)
        self._is_done = True

    async def _answer(self, run: Run[Any], promise: str) -> None:
        """Send everything that the run may ever wait for, before it waits."""
        for name, each in self._dag["tasks"].items():
            try:
                if "wait_for_signal" in each and not promise:
                    await run.signal(f"for_{name}", f"signal for {name}")
                elif "approval" in each:
                    await run.resolve(name + promise, True, ahead=True)
            except (RunEnded, PromiseSettled):
                pass  # the run took another path

    async def _await_end(self, run: Run[Any]) -> str:
        while not (status := await run.status()).is_final:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_EVERY)
        return str(status)

    def is_done(self) -> bool:
        return self._is_done

    def has_more_to_say(self) -> bool:
        return not self._is_done

    def problems(self, simulation: Simulation) -> Iterable[str]:
        histories = {history.run.id: history for history in simulation.safety.histories()}
        expected = Interpreter(self._dag)
        if self._is_mended:
            expected = Interpreter(self._dag, before=expected)
        found = histories["first"]
        if was_lost(histories.values()):
            return  # ten nodes died over one task: the interpreter does not know that failure
        told = f"\n{json.dumps(self._dag)}"
        if found.run.status != expected.status:
            yield f"the run is {found.run.status}, not {expected.status}: {found.run.failure}{told}"
        elif found.run.status == "success":
            output = msgspec.json.decode(found.run.output or b"null")
            if output != expected.output:
                yield f"the run gave {output}, not {expected.output}{told}"
        states = _states(found)
        wanted = {name: each.status for name, each in expected.ended.items()}
        if states != {name: status for name, status in wanted.items() if name in states}:
            yield f"the tasks are {states}, not {wanted}{told}"


def _there(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value != _ABSENT}


def _states(history: History) -> dict[str, str]:
    """The state of each task: failed if one of its items failed."""
    last: dict[tuple[str, Any], str] = {}
    for record in history.tasks:
        given = msgspec.json.decode(record.input)
        last[record.name, given.get("parallel_index")] = str(record.status)
    found: dict[str, str] = {}
    for (name, index), status in last.items():
        if index is None and any(other == name and place is not None for other, place in last):
            continue  # from before the retry, when it had nothing to fan out over
        if found.get(name) != "failed":
            found[name] = status
    return found


def was_lost(histories: Iterable[History]) -> bool:
    failures = [each.failure for history in histories for each in history.tasks]
    return any(failure is not None and failure.type.endswith("TaskLost") for failure in failures)


def draw_dag_scenario(seed: int) -> DagScenario:
    return DagScenario(draw_dag(Random(f"{seed} dag")))
