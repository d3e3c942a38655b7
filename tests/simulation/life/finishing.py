"""The last user: ends every run by doing what `explain` says, and then reads all that is there.

So a run that is not over and whose reasons do not move it is found here. Nothing else tells this user what
the runs wait for, but for updates: a run notes itself that it waits for one.
"""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from tests.simulation.life.answers import UPDATE
from tests.simulation.life.book import Book, insist, seconds
from tests.simulation.life.explained import false_reasons
from tests.simulation.life.questioning import answer

from holdfast.client.client import Client
from holdfast.client.run import RunInfo
from holdfast.core.explanations import Explanation, ReasonKind
from holdfast.core.values import RunKey
from holdfast.errors import (
    NotParked,
    PromiseSettled,
    RunEnded,
    RunNotFound,
    UpdateFailed,
    UpdateRefused,
    UpdateTimedOut,
    UpdateUnanswered,
)

_LOOK_EVERY = 20.0
_FOR_EVER = seconds(10 * 365 * 24 * 3600)


async def finish(client: Client, book: Book) -> None:
    """Returns when every run has ended."""
    while True:
        runs = await insist(lambda: client.list(limit=1000))
        unfinished = [run for run in runs if not run.status.is_final]
        if not unfinished:
            return
        for run in unfinished:
            await _move(client, book, run)
        await asyncio.sleep(_LOOK_EVERY)


async def _move(client: Client, book: Book, run: RunInfo) -> None:
    assert book.simulation is not None
    safety = book.simulation.safety
    before = safety.history(_key(run))
    began = book.simulation.world.now
    try:
        explanation = await insist(lambda: client.explain(run.id))
    except RunNotFound:
        return
    is_at_rest = book.simulation.faults_ended_at is not None and safety.history(_key(run)) == before
    if is_at_rest and before is not None:
        for problem in false_reasons(explanation, before, book.simulation, began):
            book.claim(False, f"{run.id} is {before.run.status}: {problem}")
    book.claim(bool(explanation.reasons), f"{run.id} is {explanation.status}, and nothing explains it")
    try:
        await _do_as_told(client, book, explanation)
    except (RunNotFound, RunEnded, NotParked, PromiseSettled):
        pass  # it has moved meanwhile


async def _do_as_told(client: Client, book: Book, explanation: Explanation) -> None:
    id = explanation.run
    for reason in explanation.reasons:
        match reason.kind:
            case ReasonKind.PAUSED | ReasonKind.PARKED:
                await insist(lambda: client.resume(id))
            case ReasonKind.SIGNAL:
                await insist(lambda name=reason.name: client.signal(id, name, ["finisher", 0]))
            case ReasonKind.PROMISE if reason.name.startswith("question-"):
                for question in await insist(lambda: client.questions(run=id)):
                    if question.name == reason.name:
                        await answer(client, book, question, 0, "ann")
            case ReasonKind.PROMISE:
                await insist(lambda name=reason.name: client.resolve(id, name, "yes", ahead=True))
            case _:
                pass  # it goes on by itself
    # Of a run that is in memory, nothing in the database says that its code waits for an update.
    state = await insist(lambda: client.state(id))
    if any(key.startswith("wait:update:") for key in state):
        await _update(client, id)


async def _update(client: Client, id: str) -> None:
    sender = f"finisher-{uuid.uuid4()}"
    try:
        await insist(lambda: client.update(id, UPDATE, sender, 0, timeout=seconds(5), message_id=sender))
    except (UpdateTimedOut, UpdateRefused, UpdateUnanswered, UpdateFailed):
        pass  # it has moved meanwhile


async def read_all(client: Client, book: Book) -> None:
    """What there is about each run, as clients see it, at the end."""
    book.final.clear()
    for tag in ("red", "green", "blue", "child"):
        listed = await insist(lambda tag=tag: client.list(tag=tag, limit=1000))
        book.listed[tag] = [run.id for run in listed]
    for run in await insist(lambda: client.list(limit=1000)):
        id = run.key
        found: dict[str, Any] = {"info": run}
        found["state"] = await insist(lambda id=id: client.state(id))
        found["messages"] = await insist(lambda id=id: client.messages(id))
        found["streams"] = {
            stream.name: await _items(client, id, stream.name)
            for stream in await insist(lambda id=id: client.streams(id))
        }
        book.final[_key(run)] = found
    # What a deletion has left that was interrupted is deleted by the next one.
    await insist(lambda: client.prune(_FOR_EVER))


async def statuses(client: Client) -> dict[str, str]:
    return {run.key: str(run.status) for run in await client.list(limit=1000)}


async def _items(client: Client, id: str, stream: str) -> list[Any]:
    async def read() -> list[Any]:
        return [item async for item in client.stream(id, stream, follow=False)]

    return await insist(read)


def _key(run: RunInfo) -> RunKey:
    return RunKey(uuid.UUID(run.key).bytes)
