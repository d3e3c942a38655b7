"""As much of the server as workers speak to, on loopback: a registry and a queue, in memory."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from tests.executors.http.http_bench import RawWorker, Request, answers, breaks_off
from tests.patience import PATIENCE

RUN = "01890a5d-ac96-774b-bcce-b302099a8057"


class Completed(NamedTuple):
    queue_id: str
    result: Any
    error: str
    run_id: str


class SmallServer:
    def __init__(self) -> None:
        self._http = RawWorker("server", self._answer)
        self.workers: dict[str, dict[str, Any]] = {}
        """By id, as they have registered."""
        self.heartbeats: list[dict[str, Any]] = []
        self.queue: deque[dict[str, Any]] = deque()
        self.given: list[tuple[str, str]] = []
        """Ids of items, and of the workers that got them."""
        self.polls = 0
        self.poll_takes = 0.0
        """Seconds."""
        self.most_polls_at_once = 0
        self._polls_under_way = 0
        self.completed: list[Completed] = []
        self.refusals: dict[str, tuple[str, bytes]] = {}
        """By the end of a path: what is answered instead."""
        self.loses_poll_answers = 0
        self.changed = asyncio.Event()

    async def open(self, port: int = 0) -> SmallServer:
        await self._http.open(port)
        return self

    async def close(self) -> None:
        await self._http.close()

    @property
    def base(self) -> str:
        return f"{self._http.url}/api"

    @property
    def port(self) -> int:
        return int(self._http.url.rpartition(":")[2])

    def put(self, service: str, input: object = None, attempt: int = 1, **params: object) -> str:
        """Answers the id of the item."""
        seq = len(self.queue) + len(self.given) + 1
        asked = {"input": input, "params": params, "run_id": f"{RUN}:{seq}:{attempt}"}
        item = {
            "id": f"{RUN}:{seq}:7",
            "task_id": "order-1",
            "node_key": "shout",
            "service": service,
            "input_json": msgspec.json.encode(asked).decode(),
            "status": "claimed",
            "created_at": 1,
        }
        self.queue.append(item)
        return item["id"]

    async def wait_until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self.changed.clear()
                await self.changed.wait()

    async def wait_for_load(self, load: int) -> None:
        """Until the last heartbeat has told of it."""
        await self.wait_until(lambda: bool(self.heartbeats) and self.heartbeats[-1]["Load"] == load)

    async def result_of(self, id: str) -> Completed:
        await self.wait_until(lambda: any(each.queue_id == id for each in self.completed))
        (found,) = [each for each in self.completed if each.queue_id == id]
        return found

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        path = request.line.split()[1]
        message = msgspec.json.decode(request.body)
        for end, (status, body) in self.refusals.items():
            if path.endswith(end):
                await answers(status, body)(request, writer)
                return
        if path.endswith("/poll") and self.poll_takes:
            self._polls_under_way += 1
            self.most_polls_at_once = max(self.most_polls_at_once, self._polls_under_way)
            await asyncio.sleep(self.poll_takes)
            self._polls_under_way -= 1
        reply = self._reply(path.removeprefix("/api"), message)
        self.changed.set()
        if path.endswith("/poll") and reply and self.loses_poll_answers:
            self.loses_poll_answers -= 1
            await breaks_off(request, writer)
        elif reply is None:
            await answers("204 No Content", b"")(request, writer)
        else:
            await answers("200 OK", msgspec.json.encode(reply))(request, writer)

    def _reply(self, path: str, message: dict[str, Any]) -> object:
        match path:
            case "/workers/register":
                self.workers[message["ID"]] = message
            case "/workers/heartbeat":
                self.heartbeats.append(message)
            case "/queue/poll":
                self.polls += 1
                for item in self.queue:
                    if item["service"] in message["services"]:
                        self.queue.remove(item)
                        self.given.append((item["id"], message["worker_id"]))
                        return item
                return None
            case "/queue/complete":
                self.completed.append(Completed(**message))
            case _:
                raise AssertionError(path)
        return {"ok": "1"}
