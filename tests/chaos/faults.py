"""Faults: what is done to a world. Each takes a while, and repairs what it broke. Faults may overlap.

A seed decides which fault comes when, and whom it strikes. What happens then depends on the machine.
"""

from __future__ import annotations

import random
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from typing import NamedTuple, TypeAlias

import psycopg
from tests.chaos.notebook import Died
from tests.chaos.operations import FREEZE, FREEZE_BRIEFLY, FREEZE_TASK
from tests.chaos.pooler import pooler
from tests.chaos.processes import running
from tests.chaos.standby import ServerPair
from tests.chaos.task_processes import Started, of_node, send, started_by_nodes
from tests.chaos.world import Place, World, notes_of

DRAIN_SECONDS = 2.0
_STOPPING_SECONDS = 30.0
"""How long a node may take to stop: it drains, and leaves a database that may be down."""
_STARTING_A_KEEPER = 10.0
"""Seconds. A busy node notices late that its keeper is gone."""
_LONGEST_LOCK = 12.0
"""Seconds. A node waits less for the lock of a SQLite file before it calls the database unavailable."""

Fault: TypeAlias = Callable[[World, random.Random], None]


# --- processes


def kill_a_node(world: World, dice: random.Random) -> None:
    _kill(world, [dice.choice(world.nodes)], "kill -9 of a node")


def kill_a_busy_node(world: World, dice: random.Random) -> None:
    """Kill the node whose task has run longest: the database shows that task as running by then."""
    started = [each for each in started_by_nodes(notes_of(world.folder)) if each.kind == "task"]
    oldest = sorted(started, key=lambda each: each.born)
    busy = [place for each in oldest for place in world.places if _pid(place) == each.parent]
    _kill(world, [busy[0] if busy else dice.choice(world.nodes)], "kill -9 of a node that runs processes")


def kill_a_client(world: World, dice: random.Random) -> None:
    _kill(world, [dice.choice(world.clients)], "kill -9 of a client")


def kill_all_nodes(world: World, dice: random.Random) -> None:
    _kill(world, world.nodes, "kill -9 of all nodes at once")


def kill_again_and_again(world: World, dice: random.Random) -> None:
    """Kills a process several times in a row, also while it starts, claims and replays."""
    place = dice.choice(world.places)
    for _ in range(dice.randint(3, 5)):
        _kill(world, [place], "kill -9 while it starts")
        world.sleep(dice.uniform(0.2, 1.5))


def _kill(world: World, places: list[Place], fault: str) -> None:
    started: list[Started] = []
    for place in places:
        with place.lock:
            since, whom = time.monotonic(), str(place)
            assert place.process is not None
            pid = place.process.pid
            started += world.kill(place)
            world.note(fault, whom, since, pid)
    world.see_that_all_is_gone(started)


def freeze(world: World, dice: random.Random) -> None:
    """Stop a process for longer than its lease, and let it go on."""
    # Twelve seconds exceed Postgres's limit for an idle transaction, and the wait for a SQLite file's lock.
    [seconds] = dice.choices([1.5 * world.lease, 2.5 * world.lease, 12.0], [3, 3, 1])
    _freeze(world, dice.choice(world.places), seconds, FREEZE)


def freeze_briefly(world: World, dice: random.Random) -> None:
    """Stop a process, but not for so long that it loses its lease by that."""
    seconds = world.lease * dice.uniform(0.1, 0.6)
    _freeze(world, dice.choice(world.places), seconds, FREEZE_BRIEFLY)


def _freeze(world: World, place: Place, seconds: float, fault: str) -> None:
    with place.lock:
        process = place.process
        if process is None or not process.is_running:
            return
        since = time.monotonic()
        process.send(signal.SIGSTOP)
        world.sleep(seconds)
        process.send(signal.SIGCONT)
        world.note(fault, place, since, process.pid)


def deploy(world: World, dice: random.Random) -> None:
    place = dice.choice(world.nodes)
    with place.lock:
        since, whom = time.monotonic(), str(place)
        world.replace(place, dice.uniform(0, 1.5), _STOPPING_SECONDS)
        world.note("deploy: the new node starts, then SIGTERM for the old", whom, since)


# --- what nodes have started


def kill_a_task(world: World, dice: random.Random) -> None:
    _kill_started(world, dice, "task", "kill -9 of a task's process")


def kill_a_worker(world: World, dice: random.Random) -> None:
    _kill_started(world, dice, "worker", "kill -9 of a worker that calls functions")


def _kill_started(world: World, dice: random.Random, kind: str, fault: str) -> None:
    """Kills several, because most are doing nothing at that moment."""
    for _ in range(dice.randint(1, 4)):
        victim = _pick(world, dice, kind)
        since = time.monotonic()
        if victim is not None and send(victim, signal.SIGKILL):
            world.note(fault, f"{kind} of process {victim.parent}", since, victim.pid)
        world.sleep(dice.uniform(0, 0.4))


def stop_a_task(world: World, dice: random.Random) -> None:
    """Stops a task's process, sometimes for longer than its heartbeat timeout."""
    victim = _pick(world, dice, "task")
    since = time.monotonic()
    if victim is None or not send(victim, signal.SIGSTOP):
        return
    world.sleep(dice.choice([0.3, 1.5, 4.0]))
    send(victim, signal.SIGCONT)
    world.note(FREEZE_TASK, f"task of process {victim.parent}", since, victim.pid)


def _pick(world: World, dice: random.Random, kind: str) -> Started | None:
    started = [each for each in started_by_nodes(notes_of(world.folder)) if each.kind == kind]
    return dice.choice(started) if started else None


def kill_a_keeper(world: World, dice: random.Random) -> None:
    """Kill a keeper, and wait until its node has a new one. Meanwhile the lock keeps other faults from
    killing the node: without a keeper nothing would clean up after it."""
    victim = _pick(world, dice, "keeper")
    places = [place for place in world.places if victim is not None and _pid(place) == victim.parent]
    for place in places:
        with place.lock:
            process, since = place.process, time.monotonic()
            if process is None or victim is None or process.pid != victim.parent:
                return  # the node was replaced meanwhile
            keepers = _keepers(place, process.pid)
            if not send(victim, signal.SIGKILL):
                return
            world.note("kill -9 of a keeper", f"keeper of {place}", since, victim.pid)
            while process.is_running and time.monotonic() < since + _STARTING_A_KEEPER:
                now = _keepers(place, process.pid)
                if len(now) >= len(keepers) and victim not in now:
                    return
                time.sleep(0.05)
            if not process.is_running:
                return
            words = f"had no keeper for {_STARTING_A_KEEPER} s"
            world.notebook.write(Died(whom=str(place), words=words))


def _pid(place: Place) -> int:
    return 0 if place.process is None else place.process.pid


def _keepers(place: Place, node: int) -> list[Started]:
    return [each for each in of_node(place.notes, node) if each.kind == "keeper"]


# --- Postgres


def stop_immediately(world: World, dice: random.Random) -> None:
    _take_away(world, "pg_ctl stop -m immediate", dice.choice([0.1, 1.0, 3.0]), "stop_at_once")


def kill_the_server(world: World, dice: random.Random) -> None:
    _take_away(world, "kill -9 of Postgres", dice.choice([0.0, 1.0]), "kill")


def _take_away(world: World, fault: str, seconds: float, how: str) -> None:
    assert world.server is not None
    with world.database:
        since = time.monotonic()
        getattr(world.server, how)()
        world.sleep(seconds)
        world.server.start()
        world.note(fault, "Postgres", since)


def restart_fast(world: World, dice: random.Random) -> None:
    assert world.server is not None
    with world.database:
        since = time.monotonic()
        world.server.restart_fast()
        world.note("pg_ctl restart -m fast", "Postgres", since)


def end_backends(world: World, dice: random.Random) -> None:
    """End connections one after the other, as an administrator might."""
    since = time.monotonic()
    sql = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'holdfast%%' ORDER BY md5(pid || %s) LIMIT 2
    """
    # A commit whose backend is ended while it waits for the standby is visible before the standby has it. If
    # the primary were lost at that moment, what everybody has seen would be gone: no fault of ours.
    with world.database if isinstance(world.server, ServerPair) else nullcontext():
        for _ in range(5):
            try:
                with psycopg.connect(world.url, connect_timeout=2) as connection:
                    connection.execute(sql, [str(dice.random())])
            except psycopg.OperationalError:
                pass  # the database is down now, by another fault
            world.sleep(dice.uniform(0.05, 0.5))
    world.note("pg_terminate_backend", "Postgres", since)


def make_read_only(world: World, dice: random.Random) -> None:
    """The server refuses writes for a while and then takes them again, as in a failover that comes to
    nothing."""
    with world.database:
        since = time.monotonic()
        _set(world, "SET default_transaction_read_only = on", _END_SESSIONS)
        world.sleep(dice.choice([0.5, 2.0, 5.0]))
        # Sessions that began meanwhile stay read-only, if nobody ends them.
        _set(world, "RESET default_transaction_read_only", *dice.choice([(), (_END_SESSIONS,)]))
        world.note("primary read-only, and back", "Postgres", since)


_END_SESSIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'holdfast%'"
)


def _set(world: World, setting: str, *statements: str) -> None:
    options = "-c default_transaction_read_only=off"
    with psycopg.connect(world.url, autocommit=True, options=options, connect_timeout=10) as connection:
        for statement in (f"ALTER SYSTEM {setting}", "SELECT pg_reload_conf()", *statements):
            connection.execute(statement.encode())


def fail_over(world: World, dice: random.Random) -> None:
    """The primary is lost for good. The standby is promoted, and the address leads to it from then on."""
    pair = world.server
    assert isinstance(pair, ServerPair)
    with world.database:
        since = time.monotonic()
        pair.catch_up()
        pair.promote()
        world.sleep(dice.choice([0.0, 0.0, 2.0]))
        for line in world.lines:
            line.lead_to(pair.folder)
        world.note("primary lost, and its standby promoted", "Postgres", since)
        pair.add_standby()


# --- pgbouncer


def kill_the_pooler(world: World, dice: random.Random) -> None:
    assert world.pooler is not None
    with world.database:
        since = time.monotonic()
        world.pooler.kill()
        world.sleep(dice.choice([0.0, 1.0, 3.0]))
        world.pooler.start()
        world.note("kill -9 of pgbouncer", "Postgres", since)


def try_a_pooler_that_shares_sessions(world: World, dice: random.Random) -> None:
    """A node behind a pgbouncer with `pool_mode = transaction` must not begin to work. It says why."""
    assert world.server is not None
    with world.database, pooler(world.server.folder, "transaction") as shared:
        since = time.monotonic()
        url = f"postgresql://postgres@/postgres?host={shared.folder}"
        number = len(list(world.folder.glob("shared-*.txt")))
        arguments = ["-m", "tests.chaos.worker", url, str(world.folder), *world.settings]
        with running(arguments, world.folder / f"shared-{number}.txt") as node:
            has_ended = node.ends_within(_STOPPING_SECONDS)
            if not has_ended or "a pooler gives each transaction another session" not in node.output:
                words = f"was not refused behind a pooler that shares sessions:\n{node.output[-3000:]}"
                world.notebook.write(Died(whom="a node", words=words))
        world.note("a node behind pgbouncer with pool_mode = transaction", "nobody", since)


# --- the line to Postgres
#
# A line belongs to a place. What is done to it strikes every process that is in the place meanwhile, so it is
# noted under the name of the place.


def cut_line(world: World, dice: random.Random) -> None:
    place = dice.choice(world.places)
    assert place.line is not None
    since = time.monotonic()
    for _ in range(dice.randint(1, 6)):
        place.line.cut()
        world.sleep(dice.uniform(0.05, 0.4))
    world.note("connections cut", place.name, since)


def lose_answers(world: World, dice: random.Random) -> None:
    """Commits are done, and their answers are lost."""
    place = dice.choice(world.places)
    assert place.line is not None
    since = time.monotonic()
    place.line.is_bad = True
    world.sleep(dice.uniform(1, 4))
    place.line.is_bad = False
    world.note("answers to commits lost", place.name, since)


def hold_up(world: World, dice: random.Random) -> None:
    """Hold everything up for a while. Then all of it arrives, or none of it ever does."""
    places = dice.sample(world.places, dice.randint(1, 2))
    lines = [place.line for place in places if place.line is not None]
    is_cut = dice.random() < 0.5
    since = time.monotonic()
    for line in lines:
        line.stall()
    world.sleep(dice.choice([0.5, 2.5, 5.0, 12.0]))
    for line in lines:
        if is_cut:
            line.cut()
        line.flow()
    for place in places:
        world.note(f"line held up, then {'cut' if is_cut else 'everything arrives'}", place.name, since)


def delay_answers(world: World, dice: random.Random) -> None:
    """Commits are done, and their answers arrive seconds later, perhaps after the lease has run out."""
    places = dice.sample(world.places, dice.randint(1, 2))
    since = time.monotonic()
    for place in places:
        assert place.line is not None
        place.line.stall_after_commit()
    world.sleep(dice.choice([1.0, 3.5, 6.0]))
    for place in places:
        assert place.line is not None
        place.line.flow()
        world.note("answers to commits late", place.name, since)


def leave_half_open(world: World, dice: random.Random) -> None:
    """Existing connections swallow everything, and new ones work. At the end the old ones are cut."""
    place = dice.choice(world.places)
    assert place.line is not None
    since = time.monotonic()
    place.line.forget()
    world.sleep(dice.choice([1.0, 4.0, 6.0]))
    place.line.cut()
    world.note("connections half-open", place.name, since)


def slow_down(world: World, dice: random.Random) -> None:
    places = dice.sample(world.places, 2)
    since = time.monotonic()
    for place in places:
        assert place.line is not None
        place.line.seconds_late = dice.choice([0.01, 0.05, 0.2])
    world.sleep(dice.uniform(1, 4))
    for place in places:
        assert place.line is not None
        place.line.seconds_late = 0
        world.note("line slow", place.name, since)


# --- SQLite


def fill_disk(world: World, dice: random.Random) -> None:
    disk = world.disk
    if disk is None:
        return
    with world.database:
        since = time.monotonic()

        def processes() -> list[int]:
            return [place.process.pid for place in world.places if place.process is not None]

        disk.fill(processes(), disk.folder / "holdfast.db-wal")
        world.sleep(dice.choice([0.3, 1.5, 4.0]))
        disk.free(processes())
        world.note("disk full", "SQLite", since)


def hold_lock(world: World, dice: random.Random) -> None:
    """Another program holds the write lock of the file for a while."""
    seconds = dice.choice([0.5, 2.0, _LONGEST_LOCK])
    path = world.url.removeprefix("sqlite:///")
    since = time.monotonic()
    # This process has the file open nowhere else, so closing it drops no other lock.
    with world.database, closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return  # the file is locked, or the disk is full
        world.sleep(seconds)
        connection.execute("ROLLBACK")
    world.note("lock of the file held by another program", "SQLite", since)


class Weighed(NamedTuple):
    fault: Fault
    weight: int


_EVERYWHERE = [
    Weighed(kill_a_node, 3),
    Weighed(kill_a_busy_node, 5),
    Weighed(kill_a_client, 3),
    Weighed(kill_all_nodes, 1),
    Weighed(kill_again_and_again, 2),
    Weighed(freeze, 4),
    Weighed(freeze_briefly, 2),
    Weighed(deploy, 3),
    Weighed(kill_a_task, 4),
    Weighed(kill_a_worker, 3),
    Weighed(stop_a_task, 3),
    Weighed(kill_a_keeper, 2),
]
_FAULTS = {
    "postgres": [
        *_EVERYWHERE,
        Weighed(stop_immediately, 2),
        Weighed(kill_the_server, 1),
        Weighed(restart_fast, 1),
        Weighed(end_backends, 2),
        Weighed(make_read_only, 3),
        Weighed(cut_line, 3),
        Weighed(lose_answers, 4),
        Weighed(hold_up, 3),
        Weighed(delay_answers, 6),
        Weighed(leave_half_open, 3),
        Weighed(slow_down, 2),
    ],
    "sqlite": [*_EVERYWHERE, Weighed(hold_lock, 3)],
}


_OF_STANDBYS = [Weighed(fail_over, 5)]
_OF_POOLERS = [Weighed(kill_the_pooler, 3), Weighed(try_a_pooler_that_shares_sessions, 1)]


def faults_for(store: str, world: World) -> list[Weighed]:
    """The faults that can be done to this world."""
    return [
        *_FAULTS[store],
        *([Weighed(fill_disk, 4)] if world.disk is not None else []),
        *(_OF_STANDBYS if isinstance(world.server, ServerPair) else []),
        *(_OF_POOLERS if world.pooler is not None else []),
    ]


def draw(faults: list[Weighed], dice: random.Random) -> Fault:
    [chosen] = dice.choices(faults, [each.weight for each in faults])
    return chosen.fault
