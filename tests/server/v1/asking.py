"""How tests ask the server, and the workflows of its node."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from holdfast import Catalog, Holdfast, context, task, task_context, update, workflow
from holdfast.server.serving import ApiServer


def new_catalog() -> Catalog:
    catalog = Catalog()

    @task(catalog=catalog)
    async def double(number: int) -> int:
        return number * 2

    @task(catalog=catalog)
    async def break_down(why: str) -> None:
        raise ValueError(why)

    @task(catalog=catalog)
    async def dawdle() -> None:
        await asyncio.sleep(600)

    @workflow(catalog=catalog)
    async def slow() -> None:
        await dawdle()

    @workflow(catalog=catalog)
    async def doubled(number: int, times: int = 1) -> int:
        for _ in range(times):
            number = await double(number)
        return number

    @task(catalog=catalog)
    async def say(lines: list[str], width: int = 0) -> None:
        for line in lines:
            task_context().logger.info(line.ljust(width))

    @workflow(catalog=catalog)
    async def talking(lines: list[str], times: int = 1, width: int = 0) -> None:
        for _ in range(times):
            await say(lines, width)
        await context().signal("go")
        await say(["goodbye"])

    @workflow(catalog=catalog)
    async def publishing(count: int) -> None:
        for number in range(count):
            context().publish("numbers", number)
        await context().signal("go")
        context().publish("numbers", "last")

    @workflow(catalog=catalog)
    async def chaptered(more: int) -> int:
        await double(more)
        if more:
            context().continue_as(more - 1)
        return more

    @workflow(catalog=catalog)
    async def parent(count: int) -> None:
        for number in range(count):
            await context().start_child(doubled, number)

    @workflow(catalog=catalog)
    async def failing(why: str) -> None:
        await break_down(why)

    @workflow(catalog=catalog)
    async def asking(title: str) -> Any:
        return await context().ask(title, answer=bool, name="verdict")

    @workflow(catalog=catalog)
    async def waiting() -> Any:
        return await context().signal("go")

    @workflow(catalog=catalog)
    async def slow_to_answer() -> None:
        async def add(number: int) -> None:
            await context().signal("go")

        context().on_update("add", add)
        await context().signal("end")

    @workflow(catalog=catalog)
    async def counting(begin: int) -> int:
        total = begin

        def add(number: int) -> int:
            nonlocal total
            if number == 13:
                raise ValueError("13 is bad luck")
            total += number
            return total

        context().on_update("add", add)
        context().publish("progress", {"begin": begin})
        await context().signal("end")
        return total

    @workflow(catalog=catalog)
    class Tally:
        @update
        def add(self, number: int, *more: int) -> int:
            """Adds them up."""
            return sum(more, number)

        async def run(self) -> None:
            await context().signal("end")

    return catalog


class Asker:
    def __init__(self, hf: Holdfast, http: httpx.AsyncClient, server: ApiServer) -> None:
        self.hf = hf
        self.http = http
        self.server = server

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        code: int = 200,
        headers: dict[str, str] | None = None,
        **query: Any,
    ) -> Any:
        """What is answered, with this status."""
        more = {} if body is None else {"json": body}
        response = await self.http.request(method, path, params=query or None, headers=headers, **more)
        assert response.status_code == code, f"{response.status_code}: {response.text}"
        if code >= 400:
            assert response.headers["content-type"] == "application/problem+json"
            assert response.json()["status"] == code
        return response.json() if response.content else None

    async def get(self, path: str, *, code: int = 200, **query: Any) -> Any:
        return await self.ask("GET", path, code=code, **query)

    async def post(self, path: str, body: Any = None, *, code: int = 200, **query: Any) -> Any:
        return await self.ask("POST", path, body, code=code, **query)

    async def start(self, workflow: str, input: Any, **more: Any) -> str:
        return (await self.post("/runs", {"workflow": workflow, "input": input, **more}, code=201))["id"]
