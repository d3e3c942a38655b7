"""Calls of services under way: plain functions on threads, async ones on the loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextvars import ContextVar, copy_context
from typing import NamedTuple

from holdfast.core.codec import Codec
from holdfast.core.failures import capture
from holdfast.errors import OutsideContext
from holdfast.worker.services import Service, ServiceReply, ServiceRequest, failed

_log = logging.getLogger("holdfast.worker")


class Call(NamedTuple):
    """On whose behalf a service is called."""

    service: str
    run: str
    """The id of the run."""
    task: str
    """Its name in the run: of a flow, the key of the node."""
    attempt: int
    """From 1."""
    idempotency_key: str
    """The same for every attempt at this task, and unique for ever: hand it to whoever charges cards."""


_current: ContextVar[Call] = ContextVar("holdfast_worker_call")


def current_call() -> Call:
    """The call that is being answered. Raises OutsideContext where none is."""
    call = _current.get(None)
    if call is None:
        raise OutsideContext(
            "Worker.call() is known only while a service is called: use it in a function that is a service, "
            "or in what that calls; a thread of your own sees it if started by asyncio.to_thread"
        )
    return call


class CallRunner:
    def __init__(self, codec: Codec, most: int) -> None:
        self._codec = codec
        self._slots = asyncio.Semaphore(most)
        self.load = 0
        """Calls that are under way or wait for a slot."""

    async def perform(self, service: Service, asked: ServiceRequest, call: Call) -> ServiceReply:
        """Whatever the service does, it is said. A cancelled call ends where the function is async; a thread
        goes on, and keeps its slot until it is done."""
        self.load += 1
        try:
            await self._slots.acquire()
        except asyncio.CancelledError:
            self.load -= 1
            raise
        if service.is_async:
            try:
                return await self._on_loop(service, asked, call)
            finally:
                self._end()
        return await self._on_thread(service, asked, call)

    def _end(self) -> None:
        self.load -= 1
        self._slots.release()

    async def _on_loop(self, service: Service, asked: ServiceRequest, call: Call) -> ServiceReply:
        token = _current.set(call)
        try:
            args, kwargs = service.bind(asked)
            return ServiceReply(service.store(await service.function(*args, **kwargs), self._codec))
        except BaseException as error:
            task = asyncio.current_task()
            if isinstance(error, GeneratorExit) or (task is not None and task.cancelling()):
                raise
            return _told(service, error)
        finally:
            _current.reset(token)

    async def _on_thread(self, service: Service, asked: ServiceRequest, call: Call) -> ServiceReply:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[ServiceReply] = loop.create_future()

        def end(said: ServiceReply) -> None:
            self._end()
            if not answer.done():  # else nobody waits for it any more
                answer.set_result(said)

        def work() -> None:
            _current.set(call)
            try:
                args, kwargs = service.bind(asked)
                said = ServiceReply(service.store(service.function(*args, **kwargs), self._codec))
            except BaseException as error:
                said = _told(service, error)
            try:
                loop.call_soon_threadsafe(end, said)
            except RuntimeError:
                if not loop.is_closed():  # else the worker has stopped, and waited long enough for this
                    raise

        # A thread for each: to start one costs little beside a call over HTTP. A daemon, as one that hangs
        # would else keep a worker that was told to stop from ending.
        variables = copy_context()
        threading.Thread(target=variables.run, args=(work,), name=service.name, daemon=True).start()
        return await answer


def _told(service: Service, error: BaseException) -> ServiceReply:
    _log.warning("service %s has failed", service.name, exc_info=error)
    return failed(capture(error).summary or type(error).__qualname__)
