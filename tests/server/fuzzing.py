"""`python -m tests.server.fuzzing`: requests that the OpenAPI documents allow, and others, without end.

python -m tests.server.fuzzing --minutes 10
python -m tests.server.fuzzing --minutes 10 --url postgresql://localhost/shop

Whatever is sent to any of the three faces, the answer is one that its document tells of, in form, headers and
status, and never a 500. The server asks for keys; requests come with that of an admin, or of a viewer, who is
refused most. Half of the ids that are sent are real ones, so that more is reached than doors that stay shut.

The check `ignored_auth` is not used: it sends wrong keys, and the server slows down who does.
`test_access.py` goes through every route without a key.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import threading
import time
from collections.abc import AsyncGenerator
from itertools import product
from random import Random, SystemRandom
from types import TracebackType
from typing import Any, Final, Self

import httpx
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    negative_data_rejection,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.schemas import APIOperation
from tests.server.conftest import Api, new_catalog
from tests.server.definitions import asking, calling, waiting

from holdfast import Holdfast
from holdfast.server.compat.wire import folded

MODES: Final = {"allowed": GenerationMode.POSITIVE, "refused": GenerationMode.NEGATIVE}
FACES: Final = {"v1": "/v1/openapi.json", "dags": "/dags/openapi.json", "flows": "/openapi.json"}
ROLES: Final = ("admin", "viewer")
_ENDLESS: Final = {"/api/v1/events", "/api/v1/pulse"}
"""Always answers with events. tests/server/v1/test_events.py and test_pulse.py read them."""
_NO_WORKER: Final = {"error": "no worker"}
_CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
_LONGEST_WAIT: Final = 0.05
_ETL: Final = """\
name: etl
tasks:
  ok: {approval: {message: Really?}}
  rest: {sleep: 0s, depends_on: [ok]}
"""


class LiveServer:
    """A server with something of everything in it, on a thread of its own: hypothesis does not await."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._is_up = threading.Event()
        self._failure: BaseException | None = None
        self.base = ""
        self.documents: dict[str, dict[str, Any]] = {}
        """By face."""
        self.keys: dict[str, str] = {}
        """By role."""
        self.known: dict[str, list[str]] = {}
        """Ids that there are, by the name of the field that takes them."""

    def __enter__(self) -> Self:
        self._thread.start()
        self._is_up.wait(30)
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(30)

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with _keyed_server(self._url) as (api, self.keys):
                self.base = str(api.http.base_url).removesuffix("/api/")
                self.documents = {face: await api.get(path) for face, path in FACES.items()}
                self.known = await _furnish(api)
                self._is_up.set()
                await self._end.wait()
        except BaseException as error:
            self._failure = error
        finally:
            self._is_up.set()


@contextlib.asynccontextmanager
async def _keyed_server(url: str) -> AsyncGenerator[tuple[Api, dict[str, str]]]:
    async with Holdfast(
        url, catalog=new_catalog(), max_payload_bytes=200_000, allowed_addresses=("localhost",)
    ) as hf:
        keys = {role: (await hf.keys.create(role, role)).text for role in ROLES}
        server = hf.api_server(needs_key=True)
        base = f"http://127.0.0.1:{await server.start('127.0.0.1', 0)}/api"
        admin = {"Authorization": f"Bearer {keys['admin']}"}
        try:
            async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=20, headers=admin) as http:
                yield Api(hf, http), keys
        finally:
            await server.stop()


async def _furnish(api: Api) -> dict[str, list[str]]:
    flows = [
        await api.publish("demo", calling("double")),
        await api.publish("far", asking("resize")),
        await api.publish("slow", waiting()),
    ]
    await api.post("/flows/version", {"flow_id": "demo", "definition_json": calling("break_down")})
    await api.post("/workers/register", {"id": "w1", "url": "http://localhost:1", "services": ["resize"]})
    tasks = [await api.start("demo", n=1), await api.start("far", n=1), await api.start("slow")]
    await api.start("far", n=2)
    await api.wait_for(tasks[0], "completed", "failed")
    item = await api.take("resize")
    runs = [run["id"] for task in tasks for run in await api.get("/tasks/runs", task_id=task)]
    versions = [f"{flow}@1" for flow in flows]
    await api.post("/workflows", {"yaml": _ETL})
    await api.post("/workflows", {"yaml": _ETL.replace("0s", "1s")})
    etl = (await api.post("/workflows/etl/runs", code=201))["id"]
    failed = await api.hf.start("failing", "so")
    plan = {"workflow": "etl", "every": 3600}
    (await api.http.put("/v1/schedules/hourly", json=plan)).raise_for_status()
    tasks += [etl, failed.id]
    return {
        "name": ["etl", "hourly", "verdict", "ok", "demo"],
        "workflow": ["etl", "doubled", "demo"],
        "text": [_ETL],
        "yaml": [_ETL],
        "before": ["1"],
        "after": ["2"],
        "version": ["1"],
        "question": ["ok"],
        "seq": ["0"],
        "flow_id": flows,
        "flow_version_id": versions,
        "id": [*tasks, *versions, "w1"],
        "task_id": tasks,
        "run_id": runs,
        "queue_id": [item["id"]],
        "worker_id": ["w1"],
        "service": ["resize"],
        "key": ["verdict"],
        "from": ["1"],
        "to": ["2"],
    }


def fuzz(
    server: LiveServer,
    face: str,
    mode: str,
    *,
    role: str = "admin",
    examples: int,
    number: int,
    seconds: float,
) -> int:
    """Ask every route of the face this often, or until the time is up; answers how often something was asked.

    Raises what schemathesis finds, with the least request that shows it.
    """
    schema = schemathesis.openapi.from_dict(server.documents[face])
    end = time.monotonic() + seconds
    asked = 0
    for result in schema.get_all_operations():
        if time.monotonic() > end:
            break
        operation = result.ok()
        if operation.path not in _ENDLESS:
            asked += _fuzz_operation(server, face, operation, mode, role, examples, number)
    return asked


def _fuzz_operation(
    server: LiveServer, face: str, operation: APIOperation, mode: str, role: str, examples: int, number: int
) -> int:
    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {server.keys[role]}"
    is_strict = face == "v1" and mode == "refused"
    asked = 0

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=MODES[mode]), dice=st.randoms(use_true_random=False))
    def ask(case: schemathesis.Case, dice: Random) -> None:
        nonlocal asked
        asked += 1
        # A real id may mend what is wrong with a request.
        is_wrong = is_strict and dice.random() < 0.5 and not _is_right_as_text(case)
        if not is_wrong:
            _put_real_ids(case, server.known, dice)
            _shorten_waits(case)
        _ask_for_no_events(case)
        response = case.call(base_url=server.base, session=session, timeout=90)
        if response.status_code == 500 and response.json() == _NO_WORKER:
            return
        # What is drawn may be larger than a body may be, and then it is refused for that.
        must_be_refused = is_wrong and response.status_code != 413
        more = [negative_data_rejection] if must_be_refused else []
        case.validate_response(response, checks=[*_CHECKS, *more])

    with session, contextlib.suppress(*([Unsatisfiable] if mode == "refused" else [])):
        ask()  # a route without a field that could be wrong refuses nothing
    return asked


def _is_right_as_text(case: schemathesis.Case) -> bool:
    """A query has only texts. So `false` for a parameter that is a text, which is wrong in JSON, is right."""
    parameters: list[Any] = case.operation.definition.raw.get("parameters", [])
    texts = {each["name"] for each in parameters if '"string"' in json.dumps(each.get("schema"))}
    return any(name in texts and not isinstance(value, str) for name, value in (case.query or {}).items())


def _ask_for_no_events(case: schemathesis.Case) -> None:
    """They end when the run does, which may be never. tests/server/v1/test_events.py reads them."""
    if isinstance(case.query, dict):
        case.query.pop("follow", None)
    for name in [name for name in case.headers or () if name.lower() == "accept"]:
        del case.headers[name]


def _shorten_waits(case: schemathesis.Case) -> None:
    for part in (case.query, case.body):
        if isinstance(part, dict) and isinstance(part.get("wait"), int | float):
            part["wait"] = min(part["wait"], _LONGEST_WAIT)


def _put_real_ids(case: schemathesis.Case, known: dict[str, list[str]], dice: Random) -> None:
    by_name = {folded(name): ids for name, ids in known.items()}
    for part in (case.path_parameters, case.query, case.body):
        if not isinstance(part, dict):
            continue
        for name in list(part):
            ids = by_name.get(folded(name))
            if ids and dice.random() < 0.5:
                part[name] = dice.choice(ids)


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m tests.server.fuzzing", description="Send the server nonsense."
    )
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--url", help="of a database that is empty, or else a SQLite file")
    given_arguments = parser.parse_args()
    end = time.monotonic() + given_arguments.minutes * 60
    asked = 0
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-fuzz-") as folder,
        LiveServer(given_arguments.url or f"sqlite:///{folder}/fuzz.db") as server,
    ):
        while (left := end - time.monotonic()) > 0:
            for face, role, mode in product(FACES, ROLES, MODES):
                number = SystemRandom().getrandbits(64)
                print(
                    f"\r{asked:,} requests; {face}, {role}, {mode}, seed {number}  ",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
                asked += fuzz(server, face, mode, role=role, examples=10, number=number, seconds=left)
    print(f"\n{asked:,} requests, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
