"""A node as a process of its own: `python -m tests.chaos.node URL LOG`. It serves until it is stopped.

Every execution of a task appends one line to LOG before it does anything else. So the file says what
was really done, whatever the database says.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import time
from pathlib import Path

from holdfast import Catalog, Holdfast, context, task, task_context, workflow

STEPS = 10
"""How many tasks a run of `ten_steps` has."""

catalog = Catalog()
"""Not the default catalog, so that the names below do not clash with other tests."""

_log_file: int | None = None


def keep_log(path: Path) -> None:
    """Log the executions of this process to this file."""
    global _log_file  # noqa: PLW0603  # tasks are functions of a module: there is no object to hold it
    # With O_APPEND, lines of several processes and threads never overwrite each other. A line that is
    # written survives the death of the process.
    _log_file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)


def _note() -> None:
    if _log_file is not None:
        me = task_context()
        os.write(_log_file, f"{me.task_id} {me.attempt} {os.getpid()}\n".encode())


@task(catalog=catalog)
async def step(run: int, number: int, seconds: float) -> int:
    _note()
    await asyncio.sleep(seconds)
    return run * 100 + number


@task(catalog=catalog)
def step_on_a_thread(run: int, number: int, seconds: float) -> int:
    _note()
    time.sleep(seconds)
    return run * 100 + number


@workflow(catalog=catalog)
async def ten_steps(run: int, longest: float) -> list[int]:
    """Ten tasks, in sequence, at once, and on threads. Each sleeps for up to `longest` seconds."""

    def pause() -> float:
        return context().random.uniform(0, longest)

    done = [await step(run, number, pause()) for number in range(4)]
    done += await asyncio.gather(*[step(run, number, pause()) for number in range(4, 7)])
    done += [await step_on_a_thread(run, number, pause()) for number in range(7, 9)]
    return [*done, await step(run, 9, pause())]


def result_of(run: int) -> list[int]:
    return [run * 100 + number for number in range(STEPS)]


@workflow(catalog=catalog)
async def one_step(run: int, seconds: float) -> int:
    return await step(run, 0, seconds)


@workflow(catalog=catalog)
async def one_step_on_a_thread(run: int, seconds: float) -> int:
    return await step_on_a_thread(run, 0, seconds)


@task(catalog=catalog)
async def stand_still(until: str) -> None:
    """Block the whole process until this file exists, like a frozen node, but only the first time."""
    _note()
    if task_context().attempt == 1:
        await asyncio.sleep(1)  # time for the test to give the node more to do
        Path(f"{until}: blocked").touch()
        while not Path(until).exists():
            time.sleep(0.02)  # noqa: ASYNC251  # that is the point


@workflow(catalog=catalog)
async def one_standstill(until: str) -> None:
    await stand_still(until)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("log", type=Path)
    parser.add_argument("--lease", type=float, default=0.4)
    parser.add_argument("--drain", type=float, default=10)
    parser.add_argument("--concurrency", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--max-resident", type=int, default=10_000)
    parser.add_argument("--answer", type=float, help="seconds after which Postgres is not waited for")
    return parser.parse_args()


async def _serve(asked: argparse.Namespace) -> None:
    main = asyncio.current_task()
    assert main is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, main.cancel)
    holdfast = Holdfast(
        asked.url,
        catalog=catalog,
        lease_seconds=asked.lease,
        drain_seconds=asked.drain,
        concurrency=asked.concurrency,
        threads=asked.threads,
        max_resident=asked.max_resident,
    )
    async with holdfast:
        logging.getLogger("tests.chaos.node").info("serving")
        await asyncio.Event().wait()


def main() -> None:
    asked = _arguments()
    logging.basicConfig(level="INFO", format="%(relativeCreated)d ms %(levelname)s %(name)s: %(message)s")
    keep_log(asked.log)
    if asked.answer is not None:
        from holdfast.stores.postgres.pipeline import PatientConnection

        PatientConnection.patience = asked.answer
    try:
        asyncio.run(_serve(asked))
    except asyncio.CancelledError:
        pass  # SIGTERM: the node has handed its runs back


if __name__ == "__main__":
    main()
