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
from holdfast.core.records import RunRecord, TaskRecord
from holdfast.ports.flows import CURSOR

RETRIES = 2
_NO_LIMIT = 10_000
"""Steps that a flow may take by default: more than those that are drawn for an engine do."""


class FlowRun:
    """One run of one flow: it is attended to until it ends, and retried if it fails, twice at most."""

    def __init__(self, id: str, flow: dict[str, Any], params: dict[str, Any], signals: Signals) -> None:
        self.id = id
        self.flow = flow
        self.params = params
        self.retried = 0
        self.interpreter = Interpreter(
            flow, params, signals, retries=RETRIES, max_steps=_NO_LIMIT, waits_only=True
        )
        self._told: set[tuple[int, int]] = set()
        text = json.dumps(flow)
        self.workflow = FlowWorkflow(load_flow_text(text), text, Path("random.json"))

    @property
    def expected(self) -> Ending:
        return self.interpreter.endings[-1]

    async def tell(self, client: Client) -> bool:
        """Send what it waits for, once it does. Whether anything was sent."""
        state = await self.read_state(client)
        place = self.retried, state.get(CURSOR, {}).get("steps", 0)
        if place in self._told or place not in self.interpreter.heard:
            return False
        self._told.add(place)
        for key, value in self.interpreter.heard[place]:
            if not key.startswith("$"):
                await client.signal(self.id, key, value)
        return True

    async def read_state(self, client: Client) -> dict[str, Any]:
        """What its nodes share, and where it is."""
        overview = await client.run_overviews.run(self.id)
        return {key: msgspec.json.decode(payload) for key, payload in overview.state.items()}

    def problems(self, run: RunRecord, tasks: Sequence[TaskRecord], state: dict[str, Any]) -> list[str]:
        """How it has ended, and not as it should."""
        cursor = state[CURSOR]
        shared = {key: value for key, value in state.items() if key != CURSOR}
        rows = [row for row in tasks if place_of(row) is None]
        descriptions = self.workflow.describe_visits(rows)
        visits = [
            (row.name, str(row.status), description.action)
            for row, description in zip(rows, descriptions, strict=True)
        ]
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


def register(catalog: Catalog, runs: Sequence[FlowRun]) -> None:
    """What runs of flows need, by the ids that they are started with."""
    by_id = {run.id: run for run in runs}

    def retried() -> int:
        # The id of a child begins with that of the run around it.
        return by_id[task_context().run_id.partition("/")[0]].retried

    for run in runs:
        catalog.add_workflow(run.workflow)
    for name in SERVICES:
        _register_service(catalog, name, retried)
    for name in CALLED:
        _register_called(catalog, name, retried)


def _register_service(catalog: Catalog, name: str, retried: Callable[[], int]) -> None:
    @task(name=name, catalog=catalog)
    async def do(input: Any, params: dict[str, Any]) -> Any:
        return serve(name, input, params, attempt=task_context().attempt, retried=retried())


def _register_called(catalog: Catalog, name: str, retried: Callable[[], int]) -> None:
    @task(name=f"{name} does it", catalog=catalog)
    async def do(given: dict[str, Any]) -> Any:
        return serve(name, given, {}, retried=retried())

    async def called(a: Any = "absent", b: Any = "absent", action: Any = "absent") -> Any:
        given = {"a": a, "b": b, "action": action}
        return await do({key: value for key, value in given.items() if value != "absent"})

    workflow(name=name, catalog=catalog)(called)
