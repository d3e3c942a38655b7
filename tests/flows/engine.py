"""Random flows on a real engine: what their nodes call, and what whoever looks after a run sends to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from tests.flows.interpreter import Ending, Interpreter
from tests.flows.player import place_of
from tests.flows.services import CALLED, SERVICES, serve
from tests.flows.signals import Signals

from holdfast import Catalog, task, task_context, workflow
from holdfast.authoring.flow.loader import load_flow_text
from holdfast.authoring.flow.workflow import FlowWorkflow
from holdfast.client.client import Client
from holdfast.core.records import CURSOR, RunRecord, TaskRecord

RETRIES = 2


class FlowRun:
    """One run of one flow: it is attended to until it ends, and retried if it fails, twice at most."""

    def __init__(self, flow: dict[str, Any], params: dict[str, Any], signals: Signals) -> None:
        self.flow = flow
        self.params = params
        self.retried = 0
        self.interpreter = Interpreter(flow, params, signals, retries=RETRIES, waits_only=True)
        self._told: set[tuple[int, int]] = set()
        text = json.dumps(flow)
        self.workflow = FlowWorkflow(load_flow_text(text), text, Path("random.json"))

    @property
    def expected(self) -> Ending:
        return self.interpreter.endings[-1]

    def register(self, catalog: Catalog) -> None:
        catalog.add_workflow(self.workflow)
        for name in SERVICES:
            task(name=name, catalog=catalog)(self._function(name))
        for name in CALLED:
            _register_called(catalog, name, lambda: self.retried)

    def _function(self, service: str) -> Callable[..., Any]:
        async def stand_in(input: Any, params: dict[str, Any]) -> Any:
            return serve(service, input, params, attempt=task_context().attempt, retried=self.retried)

        return stand_in

    async def tell(self, client: Client, run: str) -> bool:
        """Send what it waits for, once it does. Whether anything was sent."""
        state = await read_state(client, run)
        place = self.retried, state.get(CURSOR, {}).get("steps", 0)
        if place in self._told or place not in self.interpreter.heard:
            return False
        self._told.add(place)
        for key, value in self.interpreter.heard[place]:
            if not key.startswith("$"):
                await client.signal(run, key, value)
        return True

    def problems(self, run: RunRecord, tasks: Sequence[TaskRecord], state: dict[str, Any]) -> list[str]:
        """How it has ended, and not as it should."""
        cursor = state[CURSOR]
        shared = {key: value for key, value in state.items() if key != CURSOR}
        rows = [row for row in tasks if place_of(row) is None]
        sights = self.workflow.see_visits(rows)
        visits = [(row.name, str(row.status), sight.action) for row, sight in zip(rows, sights, strict=True)]
        status = str(run.status)
        found = Ending(status, shared, visits, cursor["node"], cursor["action"], cursor["steps"])
        told = [
            f"{name} is {getattr(found, name)}, not {getattr(self.expected, name)}"
            for name in Ending._fields
            if getattr(found, name) != getattr(self.expected, name)
        ]
        if status == "success" and msgspec.json.decode(run.output or b"null") != self.expected.shared:
            told.append(f"it gave {run.output!r}, not {self.expected.shared}")
        return [f"{each}\n{json.dumps(self.flow)}\n{json.dumps(self.params)}" for each in told]


async def read_state(client: Client, run: str) -> dict[str, Any]:
    """What its nodes share, and where it is."""
    sight = await client.sights.run(run)
    return {key: msgspec.json.decode(payload) for key, payload in sight.state.items()}


def _register_called(catalog: Catalog, name: str, retried: Callable[[], int]) -> None:
    @task(name=f"{name} does it", catalog=catalog)
    async def do(given: dict[str, Any]) -> Any:
        return serve(name, given, {}, retried=retried())

    async def called(a: Any = "absent", b: Any = "absent", action: Any = "absent") -> Any:
        given = {"a": a, "b": b, "action": action}
        return await do({key: value for key, value in given.items() if value != "absent"})

    workflow(name=name, catalog=catalog)(called)
