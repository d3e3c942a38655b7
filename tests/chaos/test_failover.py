"""A primary that is lost for good while runs are under way, and a standby that takes over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from pathlib import Path

import pytest
from tests.chaos.bad_line import BadLine, tcp_line
from tests.chaos.evidence import Executions, repeated
from tests.chaos.node import catalog, result_of, ten_steps
from tests.chaos.processes import node_arguments, running, wait_until
from tests.chaos.standby import ServerPair, server_pair
from tests.patience import SOON
from tests.stores.builders import Node, step

from holdfast import Holdfast
from holdfast.errors import StoreUnavailable
from holdfast.stores import store_for

_RUNS = 20


@pytest.fixture
def pair() -> Iterator[ServerPair]:
    with server_pair() as pair:
        yield pair


@pytest.fixture
def line(pair: ServerPair) -> Iterator[BadLine]:
    """The address that follows the primary."""
    with tcp_line(pair.folder, seed=1) as line:
        yield line


async def test_what_was_answered_survives_the_loss_of_the_primary(
    pair: ServerPair, line: BadLine, tmp_path: Path
) -> None:
    url = f"postgresql://postgres@127.0.0.1:{line.port}/postgres"
    executions = Executions(tmp_path / "executions")
    with running(node_arguments(url, executions.path, lease=5), tmp_path / "node") as node:
        async with Holdfast(url, engine=False, catalog=catalog) as hf:
            runs = await hf.start_many(ten_steps, [(run, 0.1) for run in range(_RUNS)])
            results = asyncio.gather(*[run.result(timeout=SOON) for run in runs])
            await asyncio.to_thread(
                wait_until, lambda: executions.counts().total() > 3 * _RUNS, "tasks that are executed"
            )

            await asyncio.to_thread(pair.promote)
            line.lead_to(pair.folder)

            assert await results == [result_of(run) for run in range(_RUNS)]
            assert await hf.doctor() == []
        assert node.is_running

    # The node was there all the time and forgot nothing. What was not answered it has written again.
    assert repeated(executions.counts()) == []


async def test_a_commit_that_a_failover_has_lost_is_not_taken_for_written(
    pair: ServerPair, line: BadLine
) -> None:
    url = f"postgresql://postgres@127.0.0.1:{line.port}/postgres"
    store, others = store_for(url), store_for(url)
    await store.open()
    await others.open()
    node, other = Node(store, lease=1000), Node(others, "other", lease=1000)
    await node.start(1)
    pair.leave_standby_behind()
    lost = node.prepare(held=node.held(1), steps=[step(1, 1)])
    committing = asyncio.create_task(store.commit(lost))
    await asyncio.to_thread(wait_until, pair.has_waiting_commit, "the commit to wait for the standby")

    await asyncio.to_thread(pair.promote)
    line.lead_to(pair.folder)
    with pytest.raises(StoreUnavailable):
        await committing
    ids: list[str | None] = []
    while lost.transaction not in ids:  # the new primary gives the id of the lost transaction to another one
        commit = other.prepare()
        await _try(others.commit(commit))
        ids.append(commit.transaction)
        assert len(ids) < 50

    assert await store.recover_commit(lost) is None
    await store.commit(lost)
    assert await store.recover_commit(lost) is not None
    await store.close()
    await others.close()


async def _try(call: Awaitable[object]) -> bool:
    try:
        await call
    except StoreUnavailable:
        return False
    return True
