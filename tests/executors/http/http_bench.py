"""An HTTP executor on the test's own loop, and workers on loopback that answer as a test wants them to."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import msgspec
from tests.executors.recorder import RUN
from tests.patience import PATIENCE

from holdfast.core.log_lines import OURS, OutputLine
from holdfast.core.outbound import Outbound
from holdfast.core.policies import DEFAULT_OPTIONS
from holdfast.core.values import Failed, Instant, Outcome, Payload
from holdfast.executors.http.executor import HttpExecutor
from holdfast.executors.http.outbound_gate import OutboundGate
from holdfast.ports.executor import Attempt, ServiceCall
from holdfast.ports.workers import WorkerRecord

LIMIT = 1024 * 1024


class Request(NamedTuple):
    line: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


class RawWorker:
    """A worker that speaks to its caller byte by byte, so that it can say anything."""

    def __init__(self, id: str, answer: Answer, services: tuple[str, ...] = ("upper",)) -> None:
        self.id = id
        self.answer = answer
        self.services = services
        self.load = 0
        self.requests: list[Request] = []
        self.connections = 0
        self.changed = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.url = ""

    async def open(self, port: int = 0) -> RawWorker:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            for writer in self._writers:
                writer.transport.abort()
            await self.wait_until(lambda: not self._writers)
            await self._server.wait_closed()

    @property
    def record(self) -> WorkerRecord:
        return WorkerRecord(self.id, self.url, self.services, "http", self.load, Instant(0))

    @property
    def open_connections(self) -> int:
        return len(self._writers)

    async def wait_until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self.changed.clear()
                await self.changed.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                fields = (line.partition(": ") for line in head[1:-2])
                headers = {name.lower(): value for name, _, value in fields}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.requests.append(Request(head[0], headers, body))
                self.changed.set()
                answering = asyncio.ensure_future(self.answer(self.requests[-1], writer))
                hanging_up = asyncio.ensure_future(reader.read(1))
                await asyncio.wait([answering, hanging_up], return_when=asyncio.FIRST_COMPLETED)
                hung_up = hanging_up.done()
                for task in (answering, hanging_up):
                    task.cancel()
                await asyncio.gather(answering, hanging_up, return_exceptions=True)
                if hung_up or writer.is_closing():
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the caller has hung up
        finally:
            writer.close()
            self._writers.discard(writer)
            self.changed.set()


def answers(status: str, body: bytes, *more: str) -> Answer:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *more, "", ""])

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head.encode() + body)
        await writer.drain()

    return answer


def says(result: object) -> Answer:
    return answers("200 OK", msgspec.json.encode({"result": result, "error": ""}))


async def breaks_off(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def hangs(request: Request, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


class HttpBench:
    """Starts attempts and keeps what is said of them."""

    def __init__(
        self,
        *,
        call_timeout: float = 5,
        wait: float = 0,
        limit: int = LIMIT,
        gate: OutboundGate | None = None,
    ) -> None:
        self.workers: list[RawWorker] = []
        self.others: list[WorkerRecord] = []
        """That are in the registry, and not ours to close."""
        self.looks = 0
        self.look_takes = 0.0
        """Seconds."""
        self.trouble: Exception | None = None
        self.reports: list[tuple[Attempt, Outcome]] = []
        self.logs: list[tuple[Attempt, OutputLine]] = []
        self.on_report: Callable[[Attempt, Outcome], None] = lambda attempt, outcome: None
        self.said_after_report: list[object] = []
        self.changed = asyncio.Event()
        self.calls: dict[int, ServiceCall] = {}
        self.executor = HttpExecutor(
            self._call,
            self._live,
            self._report,
            self._beat,
            self._log,
            capacity=100,
            limit=limit,
            call_timeout=dt.timedelta(seconds=call_timeout),
            wait=dt.timedelta(seconds=wait),
            now=lambda: Instant(17),
            gate=gate or OutboundGate(Outbound()),
        )

    async def add(self, id: str, answer: Answer, **options: Any) -> RawWorker:
        worker = await RawWorker(id, answer, **options).open()
        self.workers.append(worker)
        return worker

    async def close(self) -> None:
        await self.executor.stop()
        for worker in self.workers:
            await worker.close()

    def start(self, service: str = "upper", *, name: str = "shout", id: str = "r", **options: Any) -> Attempt:
        body = options.pop("body", b'{"input": "a", "params": {}}')
        seq = len(self.calls) + 1
        self.calls[seq] = ServiceCall(service, body, **options)
        attempt = Attempt(RUN, id, "shop", "flow", "1", seq, name, Payload(b"{}"), DEFAULT_OPTIONS, 3)
        self.executor.start(attempt)
        return attempt

    async def outcome_of(self, attempt: Attempt) -> Outcome:
        """The one report of this attempt, once it is there."""
        async with asyncio.timeout(PATIENCE):
            while not (found := [outcome for one, outcome in self.reports if one is attempt]):
                self.changed.clear()
                await self.changed.wait()
        assert len(found) == 1
        return found[0]

    async def wait_for_reports(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.reports) < count:
                self.changed.clear()
                await self.changed.wait()

    async def run(self, service: str = "upper", **options: Any) -> Outcome:
        return await self.outcome_of(self.start(service, **options))

    def logged(self) -> list[str]:
        assert all((line.at, line.stream) == (17, OURS) for _, line in self.logs)
        return [line.text for _, line in self.logs]

    def _call(self, attempt: Attempt) -> ServiceCall:
        return self.calls[attempt.seq]

    async def _live(self) -> Sequence[WorkerRecord]:
        self.looks += 1
        await asyncio.sleep(self.look_takes)
        if self.trouble is not None:
            raise self.trouble
        return [*(worker.record for worker in self.workers), *self.others]

    def _report(self, attempt: Attempt, outcome: Outcome) -> None:
        self.reports.append((attempt, outcome))
        self.on_report(attempt, outcome)
        self.changed.set()

    def _beat(self, attempt: Attempt, details: Payload | None) -> None:
        self._note(attempt, details)

    def _log(self, attempt: Attempt, lines: Sequence[OutputLine]) -> None:
        self._note(attempt, lines)
        self.logs += [(attempt, line) for line in lines]

    def _note(self, attempt: Attempt, what: object) -> None:
        if any(one is attempt for one, _ in self.reports):
            self.said_after_report.append(what)


def message_of(outcome: Outcome, type: str = "WorkerFailed") -> str:
    assert isinstance(outcome, Failed), outcome
    assert outcome.failure.type == f"holdfast.errors:{type}"
    return outcome.failure.message
