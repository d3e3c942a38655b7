"""What 0.4.0 has beyond `workflows` and `dags`: flows, and a queue that workers ask. FROZEN, like those."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.compat.workflows import catalog

from holdfast import load_flow, task
from holdfast.client.workers import queue_id
from holdfast.testing import Environment

FOLDER = Path(__file__).parent / "flows"
LARGE = {"total": 500, "parcels": [1, 2]}
PUBLISHED = (FOLDER / "refused.yaml").read_text()

THEN: dict[str, list[list[Any]]] = {
    "flow-at-its-desk": [["signal", "paid", 7], ["approve", "desk/confirm"], ["complete", "packing", 3]],
    "flow-asking": [["approve", "desk/confirm"], ["complete", "packing", 3]],
    "flow-in-the-queue": [["complete", "packing", 3]],
    "flow-failed": [["retry"]],
    "flow-cancelled": [
        ["retry"],
        ["signal", "paid", 8],
        ["approve", "desk/confirm"],
        ["complete", "packing", 3],
    ],
}
"""What each run needs from outside to come to its end. The others go on by themselves."""


@task(catalog=catalog)
async def count(number: int) -> int:
    return number + 1


@task(catalog=catalog)
async def refuse(number: int | None) -> None:
    raise ValueError(f"not {number}")


order, refused = (load_flow(FOLDER / f"{name}.yaml", catalog=catalog) for name in ("order", "refused"))


async def complete(env: Any, service: str, result: Any) -> None:
    """As a worker does that asks for this service."""
    item = await env.workers.poll("worker", [service])
    assert item is not None
    await env.workers.complete(queue_id(item), result=result)


async def play_flows(env: Environment, wait: Callable[[Environment, float], Awaitable[None]]) -> None:
    """One after the other, so that rows that are numbered for all runs have the same numbers each time."""

    async def start(flow: Any, id: str, **params: Any) -> None:
        await env.start(flow, id=id, **params)
        await wait(env, 10)

    made = await env.flows.create("refused flow")
    await env.flows.publish(made.id, PUBLISHED)
    await env.flows.save_draft(made.id, "{start: a, nodes: {a: {kind: approval}}}")
    await start(order, "flow-small", total=5)
    await start(order, "flow-finished", **LARGE)
    await env.signal("flow-finished", "paid", 7)
    await env.signal("flow-finished", "confirm", "yes")
    await wait(env, 0)
    await complete(env, "packing", 3)
    await wait(env, 0)
    await start(order, "flow-at-its-desk", **LARGE)
    await start(order, "flow-asking", **LARGE)
    await env.signal("flow-asking", "paid", 7)
    await wait(env, 0)
    await start(order, "flow-cancelled", **LARGE)
    await env.cancel("flow-cancelled", "not today")
    await start(refused, "flow-failed")
    await start(made.id, "flow-published")
    await start(order, "flow-in-the-queue", **LARGE)
    await env.signal("flow-in-the-queue", "paid", 7)
    await wait(env, 0)
    await env.approve("flow-in-the-queue", "desk/confirm", value=False)
    await wait(env, 60)
