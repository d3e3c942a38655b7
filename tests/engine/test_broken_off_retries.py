"""A retry opens the children first and then their parent. Whoever does it may die in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast import Catalog, RunFailed, RunStatus, context, load_dag, workflow
from holdfast.testing import Environment

DAG = """\
name: parent
tasks:
  call: {workflow: child}
  after: {depends_on: call, command: echo after}
"""


@pytest.mark.parametrize("is_quick", [True, False], ids=["it has ended since", "it goes on"])
async def test_a_dag_whose_child_was_opened_again_without_it_can_be_retried(
    store_url: str, tmp_path: Path, is_quick: bool
) -> None:
    catalog = Catalog()
    is_broken = True

    @workflow(catalog=catalog)
    async def child() -> str:
        if is_broken:
            raise ValueError("broken")
        if not is_quick:
            await context().signal("go")
        return "mended"

    file = tmp_path / "parent.yaml"
    file.write_text(DAG)
    dag = load_dag(file, catalog=catalog)
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(dag, id="parent")
        with pytest.raises(RunFailed, match="broken"):
            await run.result()
        is_broken = False
        await env._families.reopen(await env.key_of("parent/call"), with_parent=True)
        await env.wait_until_quiet()

        await env.crash()
        await run.retry()
        await env.wait_until_quiet()
        if not is_quick:
            await env.signal("parent/call", "go")

        assert await run.result() == {"after": None}
        assert [(task.name, task.status) for task in await env.list_tasks(run)][-1] == ("after", "success")
        assert (await env.describe("parent/call")).status is RunStatus.SUCCESS
        assert await env.doctor() == []
