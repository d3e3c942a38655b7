"""`python -m tests.server.fuzzing`: requests that the OpenAPI document allows, and others, without end.

python -m tests.server.fuzzing --minutes 10
python -m tests.server.fuzzing --minutes 10 --url postgresql://localhost/shop

Whatever is sent, the answer is one that the document tells of, in form and status, and never a 500. Half of
the ids that are sent are real ones, so that more is reached than doors that stay shut.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import threading
import time
from random import Random, SystemRandom
from types import TracebackType
from typing import Any, Final, Self

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.schemas import APIOperation
from tests.server.conftest import Api, serving
from tests.server.definitions import asking, calling, waiting

from holdfast.server.compat.wire import folded

MODES: Final = {"allowed": GenerationMode.POSITIVE, "refused": GenerationMode.NEGATIVE}
_NO_WORKER: Final = {"error": "no worker"}
_CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


class LiveServer:
    """A server with something of everything in it, on a thread of its own: hypothesis does not await."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._is_up = threading.Event()
        self._failure: BaseException | None = None
        self.base = ""
        self.document: dict[str, Any] = {}
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
            async with serving(self._url, max_payload_bytes=200_000) as api:
                self.base = str(api.http.base_url).removesuffix("/api/")
                self.document = await api.get("/openapi.json")
                self.known = await _furnish(api)
                self._is_up.set()
                await self._end.wait()
        except BaseException as error:
            self._failure = error
        finally:
            self._is_up.set()


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
    return {
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


def fuzz(server: LiveServer, mode: str, *, examples: int, number: int, seconds: float) -> int:
    """Ask every route this often, or until the time is up; answers how often something was asked.

    Raises what schemathesis finds, with the least request that shows it.
    """
    schema = schemathesis.openapi.from_dict(server.document)
    end = time.monotonic() + seconds
    asked = 0
    for result in schema.get_all_operations():
        if time.monotonic() > end:
            break
        asked += _fuzz_operation(server, result.ok(), MODES[mode], examples, number)
    return asked


def _fuzz_operation(
    server: LiveServer, operation: APIOperation, mode: GenerationMode, examples: int, number: int
) -> int:
    session = requests.Session()
    session.trust_env = False
    asked = 0

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), dice=st.randoms(use_true_random=False))
    def ask(case: schemathesis.Case, dice: Random) -> None:
        nonlocal asked
        asked += 1
        _put_real_ids(case, server.known, dice)
        response = case.call(base_url=server.base, session=session, timeout=20)
        if response.status_code == 500 and response.json() == _NO_WORKER:
            return
        case.validate_response(response, checks=_CHECKS)

    with session:
        ask()
    return asked


def _put_real_ids(case: schemathesis.Case, known: dict[str, list[str]], dice: Random) -> None:
    by_name = {folded(name): ids for name, ids in known.items()}
    for part in (case.query, case.body):
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
            for mode in MODES:
                number = SystemRandom().getrandbits(64)
                print(f"\r{asked:,} requests; {mode}, seed {number}  ", end="", file=sys.stderr, flush=True)
                asked += fuzz(server, mode, examples=100, number=number, seconds=left)
    print(f"\n{asked:,} requests, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
