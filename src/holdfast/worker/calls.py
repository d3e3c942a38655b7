"""Runs calls of services: plain functions on threads, async functions on the event loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextvars import ContextVar, copy_context
from typing import NamedTuple

from holdfast.core.codec import Codec
from holdfast.core.failures import capture
from holdfast.errors import OutsideContext
from holdfast.worker.secret_values import SecretValues
from holdfast.worker.services import Service, ServiceReply, ServiceRequest, error_reply

_log = logging.getLogger("holdfast.worker")


class Call(NamedTuple):
    """The run and the task that a service is called for."""

    service: str
    run: str
    """The id of the run."""
    task: str
    """The name of the task in the run; in a flow, the key of the node."""
    attempt: int
    """From 1."""
    idempotency_key: str
    """The same for every attempt at this task, and unique for ever. Pass it to a payment API, for one."""


_current: ContextVar[Call] = ContextVar("holdfast_worker_call")


def current_call() -> Call:
    """The call that is being answered. Raises OutsideContext where there is none."""
    call = _current.get(None)
    if call is None:
        raise OutsideContext(
            "Worker.call() is known only while a service is called: use it in a function that is a service, "
            "or in what that calls; a thread of your own sees it if started by asyncio.to_thread"
        )
    return call


class CallRunner:
    def __init__(self, codec: Codec, concurrency: int, secrets: SecretValues | None = None) -> None:
        self._codec = codec
        self._secrets = secrets or SecretValues()
        self._slots = asyncio.Semaphore(concurrency)
        self.load = 0
        """How many calls are in progress or wait for a slot."""

    async def perform(self, service: Service, request: ServiceRequest, call: Call) -> ServiceReply:
        """An error of the service becomes a reply. If a call is cancelled, an async function ends; a thread
        goes on, and keeps its slot until it is done."""
        self.load += 1
        try:
            await self._slots.acquire()
        except asyncio.CancelledError:
            self.load -= 1
            raise
        if service.is_async:
            try:
                return self._secrets.masked(await self._on_loop(service, request, call))
            finally:
                self._end()
        return self._secrets.masked(await self._on_thread(service, request, call))

    def _end(self) -> None:
        self.load -= 1
        self._slots.release()

    async def _on_loop(self, service: Service, request: ServiceRequest, call: Call) -> ServiceReply:
        token = _current.set(call)
        try:
            args, kwargs = service.bind(request)
            return ServiceReply(service.store(await service.function(*args, **kwargs), self._codec))
        except BaseException as error:
            task = asyncio.current_task()
            if isinstance(error, GeneratorExit) or (task is not None and task.cancelling()):
                raise
            return self._reply_to_error(service, error)
        finally:
            _current.reset(token)

    async def _on_thread(self, service: Service, request: ServiceRequest, call: Call) -> ServiceReply:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[ServiceReply] = loop.create_future()

        def end(reply: ServiceReply) -> None:
            self._end()
            if not answer.done():  # else the call was cancelled
                answer.set_result(reply)

        def work() -> None:
            _current.set(call)
            try:
                args, kwargs = service.bind(request)
                reply = ServiceReply(service.store(service.function(*args, **kwargs), self._codec))
            except BaseException as error:
                reply = self._reply_to_error(service, error)
            try:
                loop.call_soon_threadsafe(end, reply)
            except RuntimeError:
                if not loop.is_closed():  # else the worker has stopped, and this call was too slow for it
                    raise

        # A new thread for each call: starting one costs little beside a call over HTTP. A daemon thread,
        # because one that hangs would otherwise keep a worker that was told to stop from exiting.
        contextvars = copy_context()
        threading.Thread(target=contextvars.run, args=(work,), name=service.name, daemon=True).start()
        return await answer

    def _reply_to_error(self, service: Service, error: BaseException) -> ServiceReply:
        failure = capture(error)
        trace = self._secrets.masked_text(failure.whole_traceback)
        if trace == failure.whole_traceback:
            _log.warning("service %s has failed", service.name, exc_info=error)
        else:  # a handler would write the exception itself
            _log.warning("service %s has failed\n%s", service.name, trace)
        return error_reply(failure.summary or type(error).__qualname__)
