"""A program whose disk fills up and is freed again: `python -m tests.bad_world.full_disk FILE LOG`.

The disk is a limit on the size of files, which needs no rights and no disk of its own. It ends a
write in the middle just as a full disk does.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import sys
from pathlib import Path

from tests.chaos.node import catalog, keep_log, one_step, result_of, ten_steps
from tests.patience import PATIENCE

from holdfast import Holdfast, Run
from holdfast.errors import StoreFull

RUNS = 20


def _fill(file: Path) -> None:
    """Leave no room: no file may grow beyond what the log of the database has now."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (Path(f"{file}-wal").stat().st_size, most))


def _free() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


async def _start_while_full(hf: Holdfast, number: int) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            await hf.start(one_step, number, 0, id=f"refused-{number}")
    except StoreFull as error:
        print("refused:", error)


async def _count_ended(hf: Holdfast) -> int:
    return sum(run.status.is_final for run in await hf.list())


async def main(file: Path, log: Path) -> None:
    logging.basicConfig(level="INFO", format="%(name)s: %(message)s", stream=sys.stdout)
    keep_log(log)
    async with Holdfast(f"sqlite:///{file}", catalog=catalog) as hf:
        runs: list[Run[list[int]]] = await hf.start_many(ten_steps, [(run, 0.1) for run in range(RUNS)])
        await asyncio.sleep(0.25)
        _fill(file)
        for number in range(3):
            await _start_while_full(hf, number)
        ended = await _count_ended(hf)  # now that a commit was refused: one may have been on its way before
        await asyncio.sleep(1)
        print("ended while full:", await _count_ended(hf) - ended)
        _free()
        results = [await run.result() for run in runs]
        print("right results:", sum(result == result_of(run) for run, result in enumerate(results)))
        print("later:", await hf.run(one_step, 5, 0))
        print("refused runs that exist:", sum(run.id.startswith("refused") for run in await hf.list()))
        print("stranded:", len(await hf.doctor()))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
