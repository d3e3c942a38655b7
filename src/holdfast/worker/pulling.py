"""A worker that asks: takes tasks from the queue and tells what came of them.

The server takes a heartbeat as word for everything that it has given to the id of a worker. So an item whose
answer got lost on the way, which this worker does not know of, would be held in its name for as long as it
lives. Therefore a worker that may have lost one goes on under another id, and falls silent under the old one
as soon as what it has taken with it is done.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from holdfast.errors import WrongType
from holdfast.worker.calls import Call, CallRunner
from holdfast.worker.server_link import (
    MAY_PASS,
    Away,
    Backoff,
    Registration,
    Reply,
    ServerLink,
    until_server_is_back,
    wait_at_most,
)
from holdfast.worker.services import Service, ServiceReply, ServiceRequest, failed, read_asked

_log = logging.getLogger("holdfast.worker")


class Item(msgspec.Struct):
    """A task that the server has given us."""

    id: str
    service: str
    task_id: str = ""
    """Of the run, in the words of the API."""
    node_key: str = ""
    input_json: str = "{}"

    def call(self, asked: ServiceRequest) -> Call:
        # Both end in a number, of the lease and of the attempt; before that stand the run and the task in it.
        key, _, _ = self.id.rpartition(":")
        _, _, attempt = asked.run_id.rpartition(":")
        number = int(attempt) if attempt.isdecimal() else 1
        return Call(self.service, self.task_id, self.node_key, number, key or self.id)


_decode_item = msgspec.json.Decoder(Item).decode


class _Identity:
    """An id that the server knows, and how many items were given to it, or asked for, that are not done."""

    __slots__ = ("held", "registration")

    def __init__(self, registration: Registration) -> None:
        self.registration = registration
        self.held = 0


class _Taken(NamedTuple):
    item: Item
    identity: _Identity


class Puller:
    def __init__(
        self,
        services: Mapping[str, Service],
        calls: CallRunner,
        link: ServerLink,
        stopping: asyncio.Event,
        *,
        id: str,
        most: int,
        patience: float,
    ) -> None:
        self._services = services
        self._calls = calls
        self._link = link
        self._stopping = stopping
        self._id = id
        self._most = most
        self.patience = patience
        self._lives = 0
        self._identity = self._next_identity()
        self._retired: list[_Identity] = []
        self._items: set[asyncio.Task[None]] = set()

    async def register(self) -> None:
        await self._link.register(self._identity.registration)

    async def heartbeat(self) -> None:
        self._retired = [each for each in self._retired if each.held]
        for each in (self._identity, *self._retired):
            await self._link.heartbeat(each.registration, self._calls.load)

    async def run(self) -> None:
        width, idle, away = 1, Backoff(0.1, 1), until_server_is_back()
        while not self._stopping.is_set():
            free = self._most - len(self._items)
            if free <= 0:
                await asyncio.wait(self._items, return_when=asyncio.FIRST_COMPLETED)
                continue
            # Never cut off: what the server gives while we stop is ours to do.
            found = await asyncio.gather(*(self._poll() for _ in range(min(width, free))))
            taken = [each for each in found if isinstance(each, _Taken)]
            for each in taken:
                self._begin(each)
            if any(isinstance(each, Away) for each in found):
                width = 1
                await wait_at_most(away.next(), self._stopping)
                continue
            away.reset()
            if len(taken) == len(found):
                width = min(width * 2, self._most)
                idle.reset()
            elif not taken:
                width = 1
                await wait_at_most(idle.next(), self._stopping)
        if self._items:
            await asyncio.wait(self._items)

    async def cut(self) -> None:
        """Leases of what is left run out, and then others take it."""
        if self._items:
            _log.warning("tasks from the queue that are left undone: %d", len(self._items))
        for task in self._items:
            task.cancel()
        if self._items:
            await asyncio.wait(self._items)

    async def _poll(self) -> _Taken | Away | None:
        """None if there is nothing to do."""
        identity = self._identity
        message = {"worker_id": identity.registration.id, "services": list(self._services)}
        identity.held += 1
        answer = await self._link.post("/queue/poll", message)
        if isinstance(answer, Reply) and answer.is_yes and answer.status != 204:
            try:
                return _Taken(_decode_item(answer.body), identity)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                answer = Away(f"it has given us what we cannot read: {error}", may_have_heard=True)
                _log.error("the server's answer to a poll: %s", answer.reason)
        identity.held -= 1
        if isinstance(answer, Away):
            if answer.may_have_heard:
                await self._retire(identity)
            return answer
        if answer.is_yes:
            return None
        _log.warning("the server does not let us poll: %s", answer.words)
        return Away(answer.words, may_have_heard=False)

    def _begin(self, taken: _Taken) -> None:
        task = asyncio.create_task(self._do(taken.item))
        self._items.add(task)

        def end(_: asyncio.Task[None]) -> None:
            self._items.discard(task)
            taken.identity.held -= 1

        task.add_done_callback(end)

    async def _do(self, item: Item) -> None:
        run_id = ""
        service = self._services.get(item.service)
        if service is None:
            said = failed(f"this worker has no service {item.service!r}")
        else:
            try:
                asked = read_asked(item.input_json)
            except WrongType as error:
                said = failed(str(error))
            else:
                run_id = asked.run_id
                said = await self._calls.perform(service, asked, item.call(asked))
        await self._complete(item, said, run_id)

    async def _complete(self, item: Item, said: ServiceReply, run_id: str) -> None:
        """Until the server has heard it."""
        backoff, is_refused = until_server_is_back(), False
        while True:
            message = {"queue_id": item.id, "run_id": run_id, **said.as_message()}
            answer = await self._link.post("/queue/complete", message)
            if isinstance(answer, Reply):
                if answer.is_yes:
                    return
                if answer.status == 409:
                    _log.warning("item %s is no longer ours: %s", item.id, answer.words)
                    return
                if answer.status in MAY_PASS:
                    await asyncio.sleep(backoff.next())
                    continue
                if is_refused:
                    _log.error("the server takes no word on item %s: %s", item.id, answer.words)
                    return
                is_refused = True
                said = failed(f"the server has refused the result: {answer.words}")
            else:
                await asyncio.sleep(backoff.next())

    async def _retire(self, identity: _Identity) -> None:
        if identity is not self._identity:
            return  # another poll of the same time has done it
        self._retired.append(identity)
        self._identity = self._next_identity()
        await self.register()

    def _next_identity(self) -> _Identity:
        self._lives += 1
        id = self._id if self._lives == 1 else f"{self._id}-{self._lives}"
        return _Identity(Registration(id, "queue", list(self._services), "async"))
