"""One round of chaos: a new database, nodes and clients on it, faults for a while, and then the checks.

A long run has many rounds, each with its own seed. So each history stays small enough to check, and a finding
can be tried again alone.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.bad_line import tcp_line
from tests.chaos.faults import DRAIN_SECONDS, draw, faults_for
from tests.chaos.history import Verdict, judge
from tests.chaos.notebook import Died, read_notebooks
from tests.chaos.observer import WATCHING
from tests.chaos.operations import Evidence, gather
from tests.chaos.own_postgres import own_server
from tests.chaos.pooler import find_pgbouncer, pooler
from tests.chaos.processes import Process, running
from tests.chaos.small_disk import small_disk
from tests.chaos.standby import server_pair
from tests.chaos.world import World, world

SETTLING_SECONDS = 60.0
"""Every run has to end within this time after the last fault."""
_GOING_HOME_SECONDS = 40.0
_LONGER_SECONDS = 60.0
"""How much longer a round may go on if too little has happened."""
_AT_ONCE = 3
_PAUSE = 0.05

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Shape:
    """What a round is made of, drawn from its seed."""

    nodes: int
    clients: int
    embedded: int
    """How many of the clients are nodes as well."""
    lease: float
    concurrency: int
    max_resident: int
    processes: int
    python_workers: int
    gap: float
    """Seconds between two faults, on average."""
    on_small_disk: bool
    has_standby: bool
    has_pooler: bool

    def __str__(self) -> str:
        disk = ", on a disk that can be full" if self.on_small_disk else ""
        disk += ", with a standby" if self.has_standby else ""
        disk += ", behind pgbouncer" if self.has_pooler else ""
        return (
            f"{self.nodes} nodes, {self.clients} clients ({self.embedded} with an engine of their own), "
            f"lease {self.lease} s, {self.concurrency} tasks at once, {self.processes} commands, "
            f"{self.python_workers} workers for functions, {self.max_resident} runs in memory, "
            f"a fault every {self.gap:.1f} s{disk}"
        )

    @property
    def settings(self) -> list[str]:
        return [
            f"lease_seconds={self.lease}",
            f"drain_seconds={DRAIN_SECONDS}",
            f"concurrency={self.concurrency}",
            f"max_resident={self.max_resident}",
            f"processes={self.processes}",
            f"python_workers={self.python_workers}",
            "kill_seconds=1",
            "threads=8",
            "open_seconds=120",
        ]


def shape_of(store: str, seed: int) -> Shape:
    dice = random.Random(f"shape/{store}/{seed}")
    return Shape(
        nodes=dice.randint(2, 4),
        clients=dice.randint(2, 3),
        embedded=dice.randint(0, 2),
        lease=dice.choice([1.0, 2.0, 2.0]),
        concurrency=dice.choice([4, 30, 1000]),
        max_resident=dice.choice([8, 40, 10_000]),
        processes=dice.choice([4, 10, 100]),
        python_workers=dice.choice([2, 4]),
        gap=dice.choice([0.7, 1.2, 2.5]),
        on_small_disk=store == "sqlite" and seed % 2 == 0,
        has_standby=store == "postgres" and seed % 2 == 0,
        has_pooler=store == "postgres" and seed % 2 == 1 and find_pgbouncer() is not None,
    )


@dataclass
class Round:
    store: str
    seed: int
    shape: Shape
    seconds: float
    folder: Path
    evidence: Evidence = field(default_factory=Evidence)
    verdicts: list[Verdict] = field(default_factory=list[Verdict])

    @property
    def is_good(self) -> bool:
        return not any(verdict.broken for verdict in self.verdicts)

    @property
    def faults(self) -> Counter[str]:
        return Counter(hurt.fault for hurt in self.evidence.hurts)


def run_round(
    store: str,
    seed: int,
    seconds: float,
    folder: Path,
    progress: Progress,
    *,
    is_enough: Callable[[Evidence], bool] = lambda _: True,
) -> Round:
    """Cause faults for `seconds`, then settle and judge. The notebooks stay in the folder.

    The round goes on for longer, up to a limit, until the notebooks have enough: on a busy machine little
    happens in a few seconds.
    """
    shape = shape_of(store, seed)
    round = Round(store, seed, shape, seconds, folder)
    with _database(store, shape, folder, seed) as made:
        observing = ["-m", "tests.chaos.observer", made.url, str(folder)]
        with running(observing, folder / "observer.txt") as observer:
            observer.wait_for_output(WATCHING)
            made.settle(shape.nodes, shape.clients, shape.settings, shape.embedded)
            _hurt(made, store, seed, shape, seconds, progress, is_enough)
            _bring_to_an_end(made, progress)
            assert observer.is_running, f"the observer ended:\n{observer.output}"
    progress("reading what everybody wrote down")
    round.evidence = gather(read_notebooks(folder))
    round.verdicts = judge(round.evidence)
    return round


@contextmanager
def _database(store: str, shape: Shape, folder: Path, seed: int) -> Generator[World]:
    with ExitStack() as stack:
        server = disk = address = bouncer = None
        if store == "postgres" and shape.has_standby:
            server = stack.enter_context(server_pair())
            address = stack.enter_context(tcp_line(server.folder, seed=seed))
            url = f"postgresql://postgres@127.0.0.1:{address.port}/postgres"
        elif store == "postgres":
            server = stack.enter_context(own_server())
            bouncer = stack.enter_context(pooler(server.folder, "session")) if shape.has_pooler else None
            url = server.url
        else:
            home = folder
            if shape.on_small_disk:
                disk = stack.enter_context(small_disk(folder))
                home = disk.folder
            url = f"sqlite:///{home}/holdfast.db"
        made = world(
            folder,
            url,
            seed=seed,
            lease=shape.lease,
            server=server,
            disk=disk,
            address=address,
            pooler=bouncer,
        )
        yield stack.enter_context(made)


def _hurt(
    made: World,
    store: str,
    seed: int,
    shape: Shape,
    seconds: float,
    progress: Progress,
    is_enough: Callable[[Evidence], bool],
) -> None:
    dice = random.Random(f"faults/{store}/{seed}")
    faults = faults_for(store, made)
    end = time.monotonic() + seconds
    latest = end + _LONGER_SECONDS
    next_at = time.monotonic() + dice.uniform(0, 2)  # sometimes before the database is set up
    done: list[Future[None]] = []
    with ThreadPoolExecutor(_AT_ONCE) as hurting:
        try:
            while (now := time.monotonic()) < latest:
                if now >= end:
                    if is_enough(gather(read_notebooks(made.folder))):
                        break
                    end = now + 1
                made.supervise()
                if now >= next_at and sum(not each.done() for each in done) < _AT_ONCE:
                    fault = draw(faults, dice)
                    done.append(hurting.submit(fault, made, random.Random(dice.getrandbits(64))))
                    progress(f"{end - now:4.0f} s left, fault {len(done)}: {fault.__name__}")
                    next_at = now + dice.expovariate(1 / shape.gap)
                time.sleep(_PAUSE)
        finally:
            made.is_over.set()
    for each in done:
        each.result()  # raises if a fault could not be done: that is a bug of this program


def _bring_to_an_end(made: World, progress: Progress) -> None:
    made.supervise()
    progress("no more faults; the clients go home")
    made.send_clients_home(_GOING_HOME_SECONDS)
    judging = ["-m", "tests.chaos.judge", made.url, str(made.folder), str(SETTLING_SECONDS)]
    with running(judging, made.folder / "judge.txt") as judge_process:
        progress("every run is to end now")
        _watch_over(made, judge_process)
    made.send_nodes_home(_GOING_HOME_SECONDS)
    made.look_for_leftovers()


def _watch_over(made: World, judging: Process) -> None:
    deadline = time.monotonic() + 2 * SETTLING_SECONDS
    while judging.is_running and time.monotonic() < deadline:
        made.supervise_nodes()
        time.sleep(_PAUSE)
    if judging.is_running or judging.wait() != 0:
        made.notebook.write(Died(whom="the judge", words=f"could not come to an end:\n{judging.output}"))
