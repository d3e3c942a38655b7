"""The world of a chaos run: a database, nodes, clients, and a supervisor that restarts dead processes.

Faults act on it from their own threads. Each process has a place, which outlives the process: the place has
the line to the database, and the next process in it gets a new name.
"""

from __future__ import annotations

import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.chaos.bad_line import BadLine, tcp_line
from tests.chaos.notebook import Died, Hurt, Left, Notebook
from tests.chaos.own_postgres import OwnServer
from tests.chaos.pooler import Pooler
from tests.chaos.processes import Process
from tests.chaos.small_disk import SmallDisk
from tests.chaos.standby import ServerPair
from tests.chaos.task_processes import NOTES, Started, left_in_the_end, left_of, of_node, send
from tests.chaos.worker import NO_ROOM

_TAIL = 3000
_CLEANING_UP = 15.0
"""Seconds that a keeper may take on a busy machine. Who is never cleaned up is found all the same, but not
who is cleaned up slowly."""
_STOPPED_IN_ORDER = (0, -signal.SIGTERM, NO_ROOM)
"""-SIGTERM: the signal came before the process handled it, and there was nothing to hand back."""


def notes_of(folder: Path) -> Path:
    """The file that tasks in processes of their own write to."""
    return folder / "processes.jsonl"


class Place:
    """Holds one process after the other."""

    def __init__(self, name: str, arguments: Callable[[str, str, int], list[str]], url: str, output: Path):
        self.name = name
        self.url = url
        self.line: BadLine | None = None
        self.lock = threading.RLock()
        """Held while a fault acts on the process, or while it is replaced."""
        self.process: Process | None = None
        self.generation = 0
        self._arguments = arguments
        self._output = output
        self.notes = notes_of(output)

    def start(self) -> Process:
        self.generation += 1
        name = f"{self.name}.{self.generation}"
        arguments = self._arguments(self.url, name, self.generation)
        variables = {NOTES: str(self.notes), "CHAOS_PYTHON": sys.executable}
        self.process = Process(arguments, self._output / f"{name}.txt", variables)
        return self.process

    def __str__(self) -> str:
        return f"{self.name}.{self.generation}"


class World:
    def __init__(
        self,
        folder: Path,
        url: str,
        *,
        seed: int,
        lease: float,
        server: OwnServer | ServerPair | None,
        disk: SmallDisk | None,
        address: BadLine | None,
        pooler: Pooler | None,
    ):
        self.folder = folder
        self.url = url
        """The URL of the database itself, without a bad line."""
        self.lease = lease
        self.server = server
        self.disk = disk
        self.pooler = pooler
        """Between the lines and the server, if there is one."""
        self._address = address
        """The line that `url` leads through, if the server may be replaced. Nothing bad happens to it."""
        self.settings: list[str] = []
        self.database = threading.Lock()
        """Held by the fault that acts on the database."""
        self.notebook = Notebook(folder / "world.jsonl")
        self.nodes: list[Place] = []
        self.clients: list[Place] = []
        self.began = time.monotonic()
        self.is_over = threading.Event()
        """Set when faults must end: a fault that sleeps wakes up and finishes."""
        self._seed = seed
        self._stack = ExitStack()
        self._leaving: list[Process] = []

    @property
    def places(self) -> list[Place]:
        return [*self.nodes, *self.clients]

    @property
    def lines(self) -> list[BadLine]:
        """All that lead to the server."""
        lines = [self._address, *(place.line for place in self.places)]
        return [line for line in lines if line is not None]

    def settle(self, nodes: int, clients: int, settings: list[str], embedded: int) -> None:
        """Start so many of each. The first `embedded` clients have their own engine."""
        folder = str(self.folder)
        self.settings = settings

        def node(url: str, name: str, generation: int) -> list[str]:
            return ["-m", "tests.chaos.worker", url, folder, *settings]

        for number in range(nodes):
            self.nodes.append(self._place(f"node-{number}", node))
        for number in range(clients):
            engine = ["--engine"] if number < embedded else []

            def client(url: str, name: str, generation: int, engine: list[str] = engine) -> list[str]:
                known = [url, folder, name, f"{self._seed}/{name}", str(self.began)]
                return ["-m", "tests.chaos.customer", *engine, *known, *settings]

            self.clients.append(self._place(f"client-{number}", client))
        for place in self.places:
            place.start()

    def _place(self, name: str, arguments: Callable[[str, str, int], list[str]]) -> Place:
        place = Place(name, arguments, self.url, self.folder)
        if self.server is not None:
            server = self.server.folder if self.pooler is None else self.pooler.folder
            line = tcp_line(server, seed=random.Random(f"{self._seed}/{name}").getrandbits(32))
            place.line = self._stack.enter_context(line)
            place.url = f"postgresql://postgres@127.0.0.1:{place.line.port}/postgres"
        return place

    # --- the supervisor

    def supervise(self) -> None:
        """Restart dead processes. Writes down those that died by themselves."""
        self._look_after(self.places)

    def supervise_nodes(self) -> None:
        """The same, after the clients have stopped."""
        self._look_after(self.nodes)

    def _look_after(self, places: list[Place]) -> None:
        for place in places:
            if not place.lock.acquire(blocking=False):
                continue  # a fault acts on it now
            try:
                process = place.process
                if process is not None and not process.is_running:
                    self._note_death(str(place), process)
                    place.start()
            finally:
                place.lock.release()

    def _note_death(self, whom: str, process: Process) -> None:
        if process.wait() == NO_ROOM:
            self.note("refused to begin on a full disk", whom, time.monotonic())
            return
        words = f"ended by itself with {process.wait()}; its last words:\n{process.output[-_TAIL:]}"
        self.notebook.write(Died(whom=whom, words=words))

    def kill(self, place: Place) -> list[Started]:
        """Kill the process and restart it at once. Returns what it had started, which must end soon."""
        assert place.process is not None
        started = of_node(place.notes, place.process.pid)
        place.process.kill()
        place.start()
        return started

    def see_that_all_is_gone(self, started: list[Started]) -> None:
        for left in left_of(notes_of(self.folder), started, _CLEANING_UP):
            self.notebook.write(Left(words=f"was there {_CLEANING_UP} s after its node was killed: {left}"))

    def replace(self, place: Place, overlap: float, patience: float) -> None:
        """A deploy: start the new process, and then ask the old one to stop."""
        old, whom = place.process, str(place)
        assert old is not None
        self._leaving.append(old)
        place.start()
        self.sleep(overlap)
        old.send(signal.SIGTERM)
        self._see_out(whom, old, patience)

    def _see_out(self, whom: str, process: Process, patience: float) -> None:
        if not process.ends_within(patience):
            self.notebook.write(Died(whom=whom, words=f"did not stop within {patience} s of SIGTERM"))
            process.kill()
        elif process.wait() not in _STOPPED_IN_ORDER:
            words = f"was asked to stop and ended with {process.wait()}:\n{process.output[-_TAIL:]}"
            self.notebook.write(Died(whom=whom, words=words))

    def sleep(self, seconds: float) -> None:
        """Sleep, but no longer than until `is_over` is set."""
        self.is_over.wait(seconds)

    def note(self, fault: str, whom: object, since: float, process: int = 0) -> None:
        self.notebook.write(
            Hurt(at=since, fault=fault, whom=str(whom), process=process, until=time.monotonic())
        )

    # --- the end

    def send_clients_home(self, patience: float) -> None:
        self._send_home(self.clients, patience)

    def send_nodes_home(self, patience: float) -> None:
        self._send_home(self.nodes, patience)

    def _send_home(self, places: list[Place], patience: float) -> None:
        processes = [(str(place), place.process) for place in places if place.process is not None]
        for _, process in processes:
            if process.is_running:
                process.send(signal.SIGTERM)
        for whom, process in processes:
            self._see_out(whom, process, patience)

    def look_for_leftovers(self) -> None:
        """Write down processes that outlive their nodes. Called after all nodes have stopped."""
        for left in left_in_the_end(notes_of(self.folder), _CLEANING_UP):
            self.notebook.write(Left(words=f"was there when all nodes were gone: {left}"))
            send(left, signal.SIGKILL)

    def close(self) -> None:
        """Kill every process that is left, by its id, however the run went."""
        for process in [*self._leaving, *(place.process for place in self.places)]:
            if process is not None and process.is_running:
                process.kill()
        self._stack.close()
        self.notebook.close()


@contextmanager
def world(folder: Path, url: str, **parts: Any) -> Generator[World]:
    """The arguments are those of `World`."""
    made = World(folder, url, **parts)
    try:
        yield made
    finally:
        made.close()
