"""`holdfast dev` in a process of its own, with everything that it says as JSON."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.cli.processes import Project, eventually

from holdfast import Holdfast

SECONDS = 40.0


class Dev:
    def __init__(self, project: Project, process: subprocess.Popen[str]) -> None:
        self.project, self.process = project, process
        self.events: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self._read = 0
        self.seen_children: set[int] = set()
        self._is_deaf = threading.Event()
        self._threads = [
            threading.Thread(target=each, daemon=True) for each in (self._hear, self._hear_errors)
        ]
        for each in self._threads:
            each.start()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        rest = b""
        while not self._is_deaf.is_set():
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                data = os.read(self.process.stdout.fileno(), 65_536)
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                self.events += map(json.loads, lines)
        self.process.stdout.close()

    def stop_reading(self) -> None:
        self._is_deaf.set()
        self._threads[0].join(SECONDS)

    def _hear_errors(self) -> None:
        self.errors.extend(self.process.stderr or ())

    def next(self, event: str, is_so: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        """The next event of this kind. Those before it are passed over."""
        deadline = time.monotonic() + SECONDS
        while True:
            while self._read < len(self.events):
                found = self.events[self._read]
                self._read += 1
                if found["event"] == event and is_so(found):
                    return found
            assert time.monotonic() < deadline, (event, self.events, self.errors)
            assert self.process.poll() is None, (event, self.events, self.errors)
            time.sleep(0.02)

    def serving(self) -> dict[str, Any]:
        return self.next("serving")

    def ended(self, id: str) -> dict[str, Any]:
        return self.next("run", lambda it: it["run"] == id and it["status"] in ("success", "failed"))

    def texts(self, event: str, field: str) -> list[str]:
        return [each[field] for each in self.events if each["event"] == event]

    def children(self) -> list[int]:
        text = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        found = [int(each) for each in text.split()]
        self.seen_children.update(found)
        return found

    def start(self, workflow: str, id: str, **arguments: Any) -> None:
        """Starts a run that no node has yet."""
        self.use(lambda hf: hf.start(workflow, id=id, **arguments))

    def result(self, id: str) -> Any:
        async def wait(hf: Holdfast) -> Any:
            return await (await hf.get(id)).result()

        return self.use(wait)

    def use(self, use: Callable[[Holdfast], Any]) -> Any:
        return _use(self.project, use)

    def finish(self, number: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(number)
        code = self.process.wait(SECONDS)
        for each in self._threads:
            each.join(5)  # a child that was left behind may still have the pipe
        return code


def start_run(project: Project, workflow: str, id: str) -> None:
    _use(project, lambda hf: hf.start(workflow, id=id))


def _use(project: Project, use: Callable[[Holdfast], Any]) -> Any:
    async def open_and_use() -> Any:
        async with Holdfast(f"sqlite:///{project.folder}/.holdfast/holdfast.db", engine=False) as hf:
            return await use(hf)

    return asyncio.run(open_and_use())


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@contextmanager
def developing(project: Project, *words: str, **variables: str) -> Generator[Dev]:
    """Afterwards nothing of it is left, whatever the test has done to it."""
    port = () if "--port" in words else ("--port", "0")
    with project.start("dev", "--json", *port, *words, **variables) as process:
        dev = Dev(project, process)
        try:
            yield dev
        finally:
            if process.poll() is None:
                dev.children()
            process.kill()
            process.wait(SECONDS)
            try:
                eventually(lambda: not any(map(is_alive, dev.seen_children)), seconds=10)
            finally:
                for child in dev.seen_children:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
