"""A web application on threads, as Flask and Django are: requests start runs and wait for them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from typing import Any
from urllib.request import urlopen
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from tests.patience import PATIENCE, SOON

from holdfast import Catalog, task, workflow
from holdfast.sync import Holdfast

catalog = Catalog()


@task(catalog=catalog)
def price(item: str) -> int:
    return len(item)


@workflow(catalog=catalog)
async def order(item: str, count: int) -> int:
    return count * await price(item)


class ThreadingServer(ThreadingMixIn, WSGIServer):
    request_queue_size = 100
    daemon_threads = True


class SilentHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(app: Any) -> Iterator[str]:
    with make_server("127.0.0.1", 0, app, ThreadingServer, SilentHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_requests_on_many_threads_start_runs_and_wait_for_them(store_url: str) -> None:
    with (
        Holdfast(store_url, catalog=catalog),  # the node that works
        Holdfast(store_url, catalog=catalog, engine=False) as hf,
    ):

        def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
            count = int(environ["PATH_INFO"].strip("/"))
            run = hf.start(order.options(id=f"order-{count}"), "tea", count)
            answer = {"id": run.id, "total": run.result(SOON), "thread": threading.get_ident()}
            start_response("200 OK", [("Content-Type", "application/json")])
            return [json.dumps(answer).encode()]

        with served(app) as address, ThreadPoolExecutor(20) as pool:
            # Each order is asked for twice, and its id makes it one run.
            bodies = pool.map(lambda it: urlopen(f"{address}/{it % 30}", timeout=PATIENCE).read(), range(60))
            answers = [json.loads(body) for body in bodies]

        assert [(it["id"], it["total"]) for it in answers] == [
            (f"order-{n % 30}", 3 * (n % 30)) for n in range(60)
        ]
        assert len({it["thread"] for it in answers}) > 1
        assert len(hf.list(workflow=order, limit=100)) == 30
