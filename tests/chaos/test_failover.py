"""A primary that is lost for good while runs are under way, and a standby that takes over."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.chaos.bad_line import BadLine, tcp_line
from tests.chaos.evidence import Executions, repeated
from tests.chaos.node import catalog, result_of, ten_steps
from tests.chaos.processes import node_arguments, running, wait_until
from tests.chaos.standby import ServerPair, server_pair
from tests.patience import SOON

from holdfast import Holdfast

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
