"""What it costs to open a large family again."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from holdfast import Catalog, Run, RunFailed, load_dag, task, workflow
from holdfast.testing import Environment


async def fail(env: Environment, catalog: Catalog, folder: Path, *, children: int) -> Run[Any]:
    """A run that has called so many children, all of which failed."""
    file = folder / "parent.yaml"
    file.write_text(f"name: parent\ntasks: {{call: {{workflow: child, parallel: {children}}}}}\n")
    run = await env.start(load_dag(file, catalog=catalog), id="parent")
    with pytest.raises(RunFailed, match="broken"):
        await run.result()
    return run


async def test_a_retry_asks_for_the_definitions_of_many_children_at_once(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = Catalog()
    is_broken = True
    asked = 0

    @workflow(catalog=catalog)
    async def child(**inputs: Any) -> None:
        if is_broken:
            raise ValueError("broken")

    async with Environment(store_url, catalog=catalog) as env:
        run = await fail(env, catalog, tmp_path, children=100)
        is_broken = False
        store = env._families._store
        definitions = store.find_definitions

        async def counted(namespace: str, which: Sequence[tuple[str, str]]) -> Any:
            nonlocal asked
            asked += 1
            return await definitions(namespace, which)

        monkeypatch.setattr(store, "find_definitions", counted)
        await run.retry()
        monkeypatch.undo()

        assert 0 < asked < 10
        assert len((await run.result())["call"]) == 100


async def test_a_retry_does_not_have_the_past_of_all_children_in_memory_at_once(
    sqlite_url: str, tmp_path: Path
) -> None:
    catalog = Catalog()
    children, size = 100, 300_000

    @task(catalog=catalog)
    async def big() -> str:
        return "x" * size

    @workflow(catalog=catalog)
    async def child(**inputs: Any) -> None:
        await big()
        raise ValueError("broken")

    async with Environment(sqlite_url, catalog=catalog) as env:
        run = await fail(env, catalog, tmp_path, children=children)
        await env.engine.stop()  # what it has in memory is another matter

        tracemalloc.start()
        await run.retry()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

        assert peak < children * size / 2
        await env.crash()
