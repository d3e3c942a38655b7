"""`Worker`: serves functions to nodes that call it over HTTP (push), or takes their tasks from the queue
(pull)."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import secrets
import signal
import socket
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar, overload

from holdfast.core.codec import DEFAULT_LIMIT, Codec
from holdfast.core.names import checked_name, checked_span
from holdfast.errors import BadDefinition, BadOption, OpenedBefore
from holdfast.settings import worker_addresses
from holdfast.worker.calls import CallRunner, current_call
from holdfast.worker.secret_values import SecretValues
from holdfast.worker.services import Service

if TYPE_CHECKING:
    from holdfast.worker.server_link import ServerLink

_log = logging.getLogger("holdfast.worker")

Function = TypeVar("Function", bound=Callable[..., Any])
Mode = Literal["push", "pull"]


class CallSource(Protocol):
    """Where a worker gets its calls from: HTTP requests or the queue."""

    @property
    def drain_timeout(self) -> float:
        """Seconds that `run` may take to end, once the worker is told to stop."""
        ...

    async def register(self) -> None:
        """Tries until the server answers or the worker is told to stop. Raises Refused."""
        ...

    async def heartbeat(self) -> None: ...

    async def run(self) -> None:
        """Returns when the worker is told to stop and every call that it has accepted is done."""
        ...

    async def abort(self) -> None:
        """Cancel the calls that are not done."""
        ...


class Worker:
    """Serves functions as services until it is told to stop.

    Then it accepts no more calls, finishes those in progress and sends no more heartbeats, so that the server
    marks it as offline.
    """

    def __init__(
        self,
        base: str | None = None,
        *,
        mode: Mode = "pull",
        url: str | None = None,
        name: str | None = None,
        concurrency: int = 10,
        heartbeat: dt.timedelta = dt.timedelta(seconds=5),
        drain: dt.timedelta = dt.timedelta(seconds=10),
        limit: int = DEFAULT_LIMIT,
    ) -> None:
        """`base` is the address of the server's API; by default REGISTRY_URL or SCHEDULER_BASE. `url` is the
        address at which nodes call a worker in push mode; by default WORKER_URL. Each start of a worker gets
        a new id, which begins with `name`. `drain` bounds how long a worker that stops lets calls finish.
        `limit` bounds the input and the output of a call, in bytes. Raises BadOption."""
        addresses = worker_addresses()
        base = base or addresses.base
        if not base or not base.startswith(("http://", "https://")):
            raise BadOption("base", base, "the address of the server, such as http://localhost:8070/api")
        if mode not in ("push", "pull"):
            raise BadOption("mode", mode, "'push' or 'pull'")
        if concurrency < 1:
            raise BadOption("concurrency", concurrency, "1 or more")
        if checked_span("heartbeat", heartbeat) <= dt.timedelta(0):
            raise BadOption("heartbeat", heartbeat, "a timedelta longer than zero")
        self.mode: Mode = mode
        self.id = f"{checked_name('name', name or socket.gethostname())}-{secrets.token_hex(4)}"
        self.url = (url or addresses.url or "http://localhost:8080") if mode == "push" else "queue"
        """The address in push mode. Once the worker is registered, with the port that it has got."""
        self._base = base
        self._concurrency = concurrency
        self._heartbeat = heartbeat.total_seconds()
        self._drain = checked_span("drain", drain).total_seconds()
        self._limit = limit
        self._services: dict[str, Service] = {}
        self._secret_values = SecretValues()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._is_registered = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None

    call = staticmethod(current_call)

    def secret(self, name: str) -> str:
        """The value of a secret, from where the settings of this process say (`secrets`). From now on it is
        masked in what this worker answers. A command that is asked may take seconds. Raises SecretNotFound,
        BadSecret, SecretUnreadable."""
        return self._secret_values.read(name)

    @overload
    def service(self, function: Function, /) -> Function: ...
    @overload
    def service(self, name: str, /) -> Callable[[Function], Function]: ...
    def service(self, function: Any, /) -> Any:
        """`@worker.service`, or `@worker.service("name")`. The function is returned unchanged. Its first
        parameter gets the input, the others get the params of the same names. Raises BadDefinition,
        BadOption."""
        if isinstance(function, str):
            return partial(self._add, function)
        return self._add(getattr(function, "__name__", ""), function)

    def _add(self, name: str, function: Function) -> Function:
        name = checked_name("the name of a service", name)
        if name in self._services:
            raise BadDefinition(name, "this worker has a service of that name already")
        self._services[name] = Service(name, function)
        return function

    def run(self) -> None:
        """Serve until SIGTERM or Ctrl-C. A second signal cancels the calls in progress. Raises Refused if the
        server does not accept this worker."""
        try:
            asyncio.run(self._run())
        except (KeyboardInterrupt, asyncio.CancelledError):
            _log.warning("told to stop once more: calls in progress are cancelled")

    async def serve(self) -> None:
        """Like `run`, in the running event loop, until `stop`."""
        if self._loop is not None:
            raise OpenedBefore
        if not self._services:
            raise BadOption("services", [], "at least one: decorate a function with @worker.service")
        self._loop = asyncio.get_running_loop()
        try:
            from holdfast.worker.server_link import ServerLink
        except ModuleNotFoundError as error:
            raise _missing(error) from None
        link = ServerLink(self._base, self._stopping)
        try:
            source = self._call_source(link)
            try:
                await self._work(source)
            finally:
                await source.abort()
        finally:
            await link.close()

    def stop(self) -> None:
        """May be called from any thread. `serve` and `run` return when the calls in progress are done."""
        if self._loop is None:
            self._stopping.set()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stopping.set)

    async def __aenter__(self) -> Self:
        """Serve in the background. The worker is registered when this returns."""
        self._serving = asyncio.create_task(self.serve())
        registered = asyncio.create_task(self._is_registered.wait())
        await asyncio.wait([self._serving, registered], return_when=asyncio.FIRST_COMPLETED)
        registered.cancel()
        if self._serving.done():
            self._serving.result()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._serving is not None:
            await self._serving

    async def _run(self) -> None:
        task = asyncio.current_task()

        def on_signal() -> None:
            if self._stopping.is_set() and task is not None:
                task.cancel()
            self._stopping.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                asyncio.get_running_loop().add_signal_handler(number, on_signal)
            except (NotImplementedError, RuntimeError, ValueError):
                pass  # not the main thread, or Windows, where Ctrl-C only cancels this task
        await self.serve()

    def _call_source(self, link: ServerLink) -> CallSource:
        calls = CallRunner(Codec(self._limit), self._concurrency, self._secret_values)
        if self.mode == "pull":
            from holdfast.worker.pulling import QueuePoller

            return QueuePoller(
                self._services,
                calls,
                link,
                self._stopping,
                id=self.id,
                concurrency=self._concurrency,
                drain_timeout=self._drain,
            )
        try:
            from holdfast.worker.pushing import CallServer
        except ModuleNotFoundError as error:
            raise _missing(error) from None
        server = CallServer(
            self._services,
            calls,
            link,
            self._stopping,
            id=self.id,
            url=self.url,
            limit=self._limit,
            drain_timeout=self._drain,
        )
        self.url = server.url
        return server

    async def _work(self, source: CallSource) -> None:
        await source.register()
        self._is_registered.set()
        running = asyncio.create_task(source.run())
        beating = asyncio.create_task(self._beat(source))
        told_to_stop = asyncio.create_task(self._stopping.wait())
        try:
            first = asyncio.FIRST_COMPLETED
            done, _ = await asyncio.wait([running, beating, told_to_stop], return_when=first)
            if done == {told_to_stop}:
                done, _ = await asyncio.wait(
                    [running, beating], timeout=source.drain_timeout, return_when=first
                )
            for task in done:
                task.result()  # raises its error, unless it has ended in order
        finally:
            tasks = [running, beating, told_to_stop]
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _beat(self, source: CallSource) -> None:
        while True:
            await asyncio.sleep(self._heartbeat)
            await source.heartbeat()


def _missing(error: ModuleNotFoundError) -> ModuleNotFoundError:
    return ModuleNotFoundError(f"a worker needs {error.name}: pip install 'holdfast[server]'")
