"""Connections that swallow everything: a firewall that has forgotten them, a pooler that hangs."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

from tests.chaos.bad_line import tcp_line
from tests.chaos.node import catalog, one_step
from tests.chaos.own_postgres import own_server
from tests.chaos.processes import running
from tests.patience import PATIENCE, SOON

from holdfast import Holdfast
from holdfast.stores.postgres.pipeline import PatientConnection

ANSWER = ["--answer", "3"]
"""The nodes here wait as long as this for an answer, so that the tests need not wait as long as users do."""


async def test_a_node_whose_line_is_half_open_can_still_be_stopped(tmp_path: Path) -> None:
    """SIGTERM must end it, although nothing that it asks is answered."""
    with own_server() as server, tcp_line(server.folder, seed=1) as line:
        url = f"postgresql://postgres@127.0.0.1:{line.port}/postgres"
        node = ["-m", "tests.chaos.node", url, str(tmp_path / "log"), "--drain", "0.5", "--lease", "2"]
        node += ANSWER
        with running(node, tmp_path / "node") as process:
            process.wait_for_output("serving")
            await asyncio.sleep(1)
            line.stall()
            await asyncio.sleep(2)

            process.send(signal.SIGTERM)

            assert process.ends_within(PATIENCE), "still there after SIGTERM:\n" + process.output[-2000:]


async def test_a_node_whose_connections_are_half_open_makes_new_ones(tmp_path: Path) -> None:
    """The old connections swallow everything for ever, new ones would work: nothing ever makes one."""
    with own_server() as server, tcp_line(server.folder, seed=1) as line:
        url = f"postgresql://postgres@127.0.0.1:{line.port}/postgres"
        async with Holdfast(server.url, engine=False, catalog=catalog) as hf:
            node = ["-m", "tests.chaos.node", url, str(tmp_path / "log"), "--lease", "2", *ANSWER]
            with running(node, tmp_path / "node") as process:
                process.wait_for_output("serving")
                assert await (await hf.start(one_step, 1, 0)).result(timeout=SOON) == 100
                line.forget()

                run = await hf.start(one_step, 2, 0)

                assert await run.result(timeout=2 * SOON) == 200


def test_users_wait_for_an_answer_as_long_as_a_busy_database_may_need() -> None:
    assert PatientConnection.patience == 15
