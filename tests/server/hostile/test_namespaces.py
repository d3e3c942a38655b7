"""Somebody who has every right in one namespace, and the ids, keys and places in lists of another."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from tests.patience import until
from tests.server.v1.asking import Asker, new_catalog
from tests.server.v1.test_access import all_routes, keyed_server

from holdfast import Holdfast
from holdfast.core.names import ALL_NAMESPACES, BURIED
from holdfast.core.values import key_text

DAG: Final = "name: their-dag\ntasks:\n  only:\n    command: echo hello\n"
NOBODYS: Final = "01a1ee0e-0000-7000-8000-000000000000"
"""Nothing has this id or key."""
BODIES: Final[dict[str, Any]] = {
    "runs.signal": {"name": "go"},
    "runs.update": {"name": "add", "arguments": [1]},
    "runs.answer": {"value": True},
    "runs.approve": {"approved": True},
    "workflows.put": {"text": DAG},
    "schedules.put": {"workflow": "doubled", "every": 3600, "input": {"number": 1}},
}
MAKES_ITS_OWN: Final = frozenset({"workflows.put", "schedules.put"})
"""What they make under a name of the neighbour is theirs."""


async def fill(hf: Holdfast, asker: Asker) -> list[str]:
    """One of everything. Returns what it is called."""
    runs = [
        await hf.start("waiting", id="their-run"),
        await hf.start("asking", "Do it?", id="their-question"),
    ]
    runs.append(await hf.start("failing", "a reason", id="their-failure"))
    with pytest.raises(ValueError, match="a reason"):
        await runs[-1].result()
    await asker.ask("PUT", "/workflows/their-dag", {"text": DAG})
    await asker.ask("PUT", "/schedules/their-plan", BODIES["schedules.put"])
    job = await asker.post("/bulk", {"act": "pause", "tag": ["nothing"], "id": "their-job"}, code=202)
    key = await hf.keys.create("their viewer", "viewer")
    await hf.workers.register("their-worker", "", ["their-service"])
    await until(lambda: _is_quiet(hf))
    named = [
        *(each.id for each in runs),
        *(key_text(each.key) for each in runs),
        job["job"]["id"],
        key.info.id,
    ]
    return [*named, "their-dag", "their-plan", "their-worker"]


async def _is_quiet(hf: Holdfast) -> bool:
    """Nothing more happens by itself."""
    return len(await hf.questions()) == 1 and (await hf.bulk.get("their-job")).status == "success"


def path_to(path: str, id: str) -> str:
    path = re.sub(r"\{[^}]*:int\}", "0", path)
    path = re.sub(r"\{[^}]*\}", id, path, count=1)
    return re.sub(r"\{[^}]*\}", "verdict", path)


async def answer(asker: Asker, method: str, path: str, body: Any) -> tuple[int, str]:
    async with asker.http.stream(method, path, json=body) as response:
        has_end = not response.headers.get("content-type", "").startswith("text/event-stream")
        return response.status_code, (await response.aread()).decode() if has_end else ""


async def test_what_is_of_a_neighbour_is_as_if_it_were_not_there(store_url: str):
    async with (
        keyed_server(store_url) as server,
        Holdfast(store_url, namespace="neighbour", catalog=new_catalog()) as other,
    ):
        theirs = (await other.keys.create("their admin", "admin")).text
        async with server.as_(theirs) as neighbour, server.as_("admin") as asker:
            names = await fill(other, neighbour)
            asker.http.base_url = server.base
            before = await everything(neighbour)
            differing: list[Any] = []
            for method, path, route in all_routes():
                if "{" not in path or route in MAKES_ITS_OWN:
                    continue
                body = BODIES.get(route, None if method == "GET" else {})
                nothing = await answer(asker, method, path_to(path, NOBODYS), body)
                assert nothing[0] < 500, nothing
                for name in names:
                    status, text = await answer(asker, method, path_to(path, name), body)
                    if (status, text.replace(name, NOBODYS)) != nothing:
                        differing.append((method, path, name, status, text, nothing))
            assert differing == []
            assert await everything(neighbour) == before


CHANGES_BY_ITSELF: Final = {"waiting", "used_at", "started_at", "next_at"}


async def everything(asker: Asker) -> Any:
    lists = ["/runs", "/schedules", "/workflows", "/keys", "/questions", "/bulk", "/runs/their-run/messages"]
    return [
        {name: value for name, value in item.items() if name not in CHANGES_BY_ITSELF}
        for path in lists
        for item in (await asker.get(path))["items"]
    ]


async def test_lists_with_conditions_and_places_of_a_neighbour_show_nothing_of_them(store_url: str):
    async with (
        keyed_server(store_url) as server,
        Holdfast(store_url, namespace="neighbour", catalog=new_catalog()) as other,
    ):
        theirs = (await other.keys.create("their admin", "admin")).text
        async with server.as_(theirs) as neighbour, server.as_("admin") as asker:
            names = await fill(other, neighbour)
            places = [(await neighbour.get("/runs", limit=1))["next"], await other.watch_offset()]
            asker.http.base_url = server.base
            lists = [path for method, path, name in all_routes() if method == "GET" and "{" not in path]
            lists = [path for path in lists if not path.startswith("/login") and path != "/api/v1/events"]
            for path in lists:
                for condition in (
                    "id",
                    "run",
                    "parent",
                    "after",
                    "target",
                    "schedule",
                    "workflow",
                    "service",
                ):
                    for value in [
                        *names[:2],
                        *names[3:5],
                        "their-plan",
                        "their-dag",
                        "their-service",
                        *places,
                    ]:
                        response = await asker.http.get(path, params={condition: value})
                        said = response.text.replace(value, "")
                        assert not re.search("their|neighbour", said), (path, condition, value, said)
                        assert response.status_code < 500 or path.endswith("/allocate")


@pytest.mark.parametrize("name", [ALL_NAMESPACES, BURIED])
async def test_namespaces_that_nobody_may_have_cannot_be_chosen(sqlite_url: str, name: str):
    async with (
        keyed_server(sqlite_url) as server,
        server.as_("everywhere", **{"Holdfast-Namespace": name}) as asker,
    ):
        assert (await asker.get("/runs", code=400))["field"] == "the header Holdfast-Namespace"
