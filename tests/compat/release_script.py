"""Runs in a process of its own, with the code of some release: `python release_script.py URL REQUESTS`.

It uses only what 0.4.0 has too. A request is the name of a method of the client with its arguments. For each
it prints a line of JSON: the answer, or the error. The first line is the folder of the code.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import holdfast
from holdfast import Holdfast, context, task, workflow
from holdfast.errors import RunNotFound

PATIENCE = 60.0


@task
async def double(number: int) -> int:
    return 2 * number


@workflow
async def quick(number: int) -> int:
    return await double(number)


@workflow
async def listening(number: int) -> int:
    first = await double(number)
    context().state.set("first", first)
    return await double(first + await context().signal("go"))


@workflow
async def sleeping(seconds: float) -> float:
    await asyncio.sleep(seconds)
    return seconds


@workflow
async def family(children: int) -> int:
    prefix = context().run_id
    started = [context().start_child(listening, n, id=f"{prefix}-{n}") for n in range(children)]
    return sum(await asyncio.gather(*started))


async def answer(hf: Holdfast, request: Sequence[Any]) -> Any:
    match request:
        case "start", name, argument, id:
            return (await hf.start(name, argument, id=id)).id
        case "run", name, argument, id:
            return await hf.run(name, argument, id=id)
        case "result", id:
            return await asyncio.wait_for(hf.result(id), PATIENCE)
        case "list", filters:
            return sorted([run.id, str(run.status)] for run in await hf.list(**filters))
        case "wait_until", id, status:
            async with asyncio.timeout(PATIENCE):
                while (info := await hf.describe(id)).status != status:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            return info.failure.message if info.failure is not None else None
        case "wait_until_listening", id:
            async with asyncio.timeout(PATIENCE):
                while "first" not in await _state(hf, id):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            return None
        case "doctor":
            return [str(stranded) for stranded in await hf.doctor()]
        case method, *arguments:
            return await getattr(hf, method)(*arguments)
        case _:
            raise ValueError(request)


async def _state(hf: Holdfast, id: str) -> dict[str, Any]:
    try:
        return await hf.state(id)
    except RunNotFound:  # its parent has not started it yet
        return {}


async def main(url: str, requests: str) -> None:
    print(json.dumps(str(Path(holdfast.__file__).parent)))
    async with Holdfast(url) as hf:
        for request in json.loads(requests):
            try:
                print(json.dumps(await answer(hf, request)), flush=True)
            except Exception as error:
                print(json.dumps(f"{type(error).__name__}: {error}"), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
