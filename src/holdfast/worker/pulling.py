"""Pull mode: polls the queue for tasks and reports their results.

A heartbeat renews the leases of all items that the server has given to the id of a worker. If the response to
a poll is lost, the worker does not know of the item in it, but its heartbeats would renew that lease for as
long as it lives. So after a poll whose response may be lost, the worker goes on under a new id. It stops the
heartbeats of the old id as soon as the items that it has taken under it are done.
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
    TRANSIENT_STATUSES,
    Backoff,
    NoReply,
    Registration,
    ServerLink,
    ServerReply,
    reconnect_backoff,
    sleep_unless_stopping,
)
from holdfast.worker.services import Service, ServiceReply, ServiceRequest, decode_request, error_reply
from holdfast.worker.spans import in_span_of

_log = logging.getLogger("holdfast.worker")


class PolledItem(msgspec.Struct):
    """A task that the server has given to this worker."""

    id: str
    service: str
    task_id: str = ""
    """The id of the run: the API calls a run a task."""
    node_key: str = ""
    input_json: str = "{}"
    traceparent: str = ""
    """The span in which the run was started. Empty if it is not traced."""
    tracestate: str = ""

    def call(self, request: ServiceRequest) -> Call:
        # Both ids name the run and the task. Then follows the number of the lease, or of the attempt.
        key, _, _ = self.id.rpartition(":")
        _, _, attempt = request.run_id.rpartition(":")
        number = int(attempt) if attempt.isdecimal() else 1
        return Call(self.service, self.task_id, self.node_key, number, key or self.id)


_decode_item = msgspec.json.Decoder(PolledItem).decode


class _Identity:
    """An id of this worker, and how many of its items and polls are not done."""

    __slots__ = ("held", "registration")

    def __init__(self, registration: Registration) -> None:
        self.registration = registration
        self.held = 0


class _TakenItem(NamedTuple):
    item: PolledItem
    identity: _Identity


class QueuePoller:
    def __init__(
        self,
        services: Mapping[str, Service],
        calls: CallRunner,
        link: ServerLink,
        stopping: asyncio.Event,
        *,
        id: str,
        concurrency: int,
        drain_timeout: float,
    ) -> None:
        self._services = services
        self._calls = calls
        self._link = link
        self._stopping = stopping
        self._id = id
        self._concurrency = concurrency
        self.drain_timeout = drain_timeout
        self._identities = 0
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
        width, idle, reconnect = 1, Backoff(0.1, 1), reconnect_backoff()
        while not self._stopping.is_set():
            free = self._concurrency - len(self._items)
            if free <= 0:
                await asyncio.wait(self._items, return_when=asyncio.FIRST_COMPLETED)
                continue
            # Not cancelled on stop: an item that the server gives meanwhile has to be done.
            found = await asyncio.gather(*(self._poll() for _ in range(min(width, free))))
            taken = [each for each in found if isinstance(each, _TakenItem)]
            for each in taken:
                self._begin(each)
            if any(isinstance(each, NoReply) for each in found):
                width = 1
                await sleep_unless_stopping(reconnect.next(), self._stopping)
                continue
            reconnect.reset()
            if len(taken) == len(found):
                width = min(width * 2, self._concurrency)
                idle.reset()
            elif not taken:
                width = 1
                await sleep_unless_stopping(idle.next(), self._stopping)
        if self._items:
            await asyncio.wait(self._items)

    async def abort(self) -> None:
        """The leases of the items expire, and then other workers take them."""
        if self._items:
            _log.warning("tasks from the queue that are not done: %d", len(self._items))
        for task in self._items:
            task.cancel()
        if self._items:
            await asyncio.wait(self._items)

    async def _poll(self) -> _TakenItem | NoReply | None:
        """None if the queue is empty."""
        identity = self._identity
        message = {"worker_id": identity.registration.id, "services": list(self._services)}
        identity.held += 1
        answer = await self._link.post("/queue/poll", message)
        if isinstance(answer, ServerReply) and answer.is_success and answer.status != 204:
            try:
                return _TakenItem(_decode_item(answer.body), identity)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                answer = NoReply(f"it has given us what we cannot read: {error}", may_have_acted=True)
                _log.error("the server's answer to a poll: %s", answer.reason)
        identity.held -= 1
        if isinstance(answer, NoReply):
            if answer.may_have_acted:
                await self._retire(identity)
            return answer
        if answer.is_success:
            return None
        _log.warning("the server does not let us poll: %s", answer.message)
        return NoReply(answer.message, may_have_acted=False)

    def _begin(self, taken: _TakenItem) -> None:
        task = asyncio.create_task(self._do(taken.item))
        self._items.add(task)

        def end(_: asyncio.Task[None]) -> None:
            self._items.discard(task)
            taken.identity.held -= 1

        task.add_done_callback(end)

    async def _do(self, item: PolledItem) -> None:
        run_id = ""
        service = self._services.get(item.service)
        if service is None:
            reply = error_reply(f"this worker has no service {item.service!r}")
        else:
            try:
                request = decode_request(item.input_json)
            except WrongType as error:
                reply = error_reply(str(error))
            else:
                run_id = request.run_id
                with in_span_of(item.traceparent, item.tracestate):
                    reply = await self._calls.perform(service, request, item.call(request))
        await self._complete(item, reply, run_id)

    async def _complete(self, item: PolledItem, reply: ServiceReply, run_id: str) -> None:
        """Tries until the server has received the result."""
        backoff, is_refused = reconnect_backoff(), False
        while True:
            message = {"queue_id": item.id, "run_id": run_id, **reply.as_message()}
            answer = await self._link.post("/queue/complete", message)
            if isinstance(answer, ServerReply):
                if answer.is_success:
                    return
                if answer.status == 409:
                    _log.warning("item %s is no longer ours: %s", item.id, answer.message)
                    return
                if answer.status in TRANSIENT_STATUSES:
                    await asyncio.sleep(backoff.next())
                    continue
                if is_refused:
                    _log.error(
                        "the server does not accept the result of item %s: %s", item.id, answer.message
                    )
                    return
                is_refused = True
                reply = error_reply(f"the server has refused the result: {answer.message}")
            else:
                await asyncio.sleep(backoff.next())

    async def _retire(self, identity: _Identity) -> None:
        if identity is not self._identity:
            return  # another poll at the same time has done this
        self._retired.append(identity)
        self._identity = self._next_identity()
        await self.register()

    def _next_identity(self) -> _Identity:
        self._identities += 1
        id = self._id if self._identities == 1 else f"{self._id}-{self._identities}"
        return _Identity(Registration(id, "queue", list(self._services), "async"))
