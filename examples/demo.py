"""An order that survives `kill -9`. Run it with `make demo`, or from any folder: `python examples/demo.py`.

The first half is the program that a user would write: tasks, a workflow, and a function that starts a run and
waits for it. The second half plays the demo: it starts that program as a process, kills it half-way, starts
it again, and compares what the database says with what was really done.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from holdfast import Holdfast, TaskStatus, task, task_context, workflow
from holdfast.core.history import read_steps
from holdfast.core.journal import TaskAsked, TaskHeard, TimerAsked, TimerHeard
from holdfast.core.records import History

# --- the program

ORDER = "order-42"
LEASE_SECONDS = 1.0
"""How long until another process takes over from a dead one. The default is 15 s; here somebody is
watching."""


@task
async def check_stock(items: list[str]) -> None:
    await pretend("check_stock", 0.2)


@task
async def charge(cents: int) -> str:
    await pretend("charge", 0.3)
    return f"receipt for {cents / 100:.2f}"


@task
def pack(item: str, seconds: float) -> str:  # a plain function runs on a thread
    with noted(f"pack {item}"):
        time.sleep(seconds)
    return f"{item} in a box"


@task
async def ship(parcels: list[str]) -> str:
    await pretend("ship", 0.3)
    return f"{len(parcels)} parcels on their way"


@workflow
async def fulfil(items: list[str], cents: int) -> str:
    await check_stock(items)
    receipt = await charge(cents)
    parcels = await asyncio.gather(*[pack(item, 0.2 * 3**number) for number, item in enumerate(items)])
    await asyncio.sleep(0.5)  # until the carrier comes; it could be a day
    shipped = await ship(list(parcels))
    return f"{receipt}, {shipped}"


async def run_order(folder: Path) -> None:
    """Both processes call this. The id makes it one run, however often it is started."""
    async with Holdfast(f"sqlite:///{folder}/demo.db", lease_seconds=LEASE_SECONDS) as hf:
        result = await hf.run(fulfil, ["tea", "pot", "cup"], 4_200, id=ORDER)
        note("result", result)


# --- a file beside the database: what was really done


def note(what: str, name: str, **facts: Any) -> None:
    line = json.dumps({"at": time.time(), "what": what, "name": name, **facts}) + "\n"
    with open(os.environ["DEMO_LOG"], "a", encoding="utf-8") as file:
        file.write(line)


@contextmanager
def noted(name: str) -> Iterator[None]:
    now = task_context()
    note("began", name, attempt=now.attempt, key=now.idempotency_key)
    yield
    note("did", name, attempt=now.attempt, key=now.idempotency_key)


async def pretend(name: str, seconds: float) -> None:
    with noted(name):
        await asyncio.sleep(seconds)


# --- the demo


class Entry(NamedTuple):
    at: float
    what: str
    name: str
    attempt: int = 1
    key: str = ""


class Log:
    """Reads the file while it grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = 0
        self.entries: list[Entry] = []

    def news(self) -> list[Entry]:
        text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        lines = text[: text.rfind("\n") + 1].splitlines()
        fresh = [Entry(**json.loads(line)) for line in lines[self._seen :]]
        self._seen = len(lines)
        self.entries += fresh
        return fresh

    def names(self, what: str) -> list[str]:
        return [entry.name for entry in self.entries if entry.what == what]


class Stage:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = Log(folder / "done.jsonl")
        self._url = f"sqlite:///{folder}/demo.db"
        self._begun = time.time()

    def play(self) -> bool:
        say()
        say(f"  {bold('holdfast')}: an order that survives {bold('kill -9')}")
        say()
        with self._process("first") as first:
            self._watch(first, until=self._is_the_moment)
            first.send_signal(signal.SIGKILL)
            first.wait()
        say(f"  {red('⚡ kill -9')} {first.pid}  {dim('no goodbye: no finally block, no handing over')}")
        self._log.news()
        done_before = len(self._log.entries)
        before = asyncio.run(self._history())
        say()
        say(f"  in the database: {bold(ORDER)} is {before.run.status}")
        say("    " + "  ".join(_picture(name, is_done) for name, is_done in _tasks(before)))
        say()
        with self._process("second", f"(takes over when the lease of {LEASE_SECONDS:.0f} s is up)") as second:
            self._watch(second, until=lambda: second.poll() == 0)
        after = asyncio.run(self._history())
        return self._sum_up(before, after, self._log.entries[done_before:])

    @contextmanager
    def _process(self, which: str, remark: str = "") -> Iterator[subprocess.Popen[bytes]]:
        environment = {**os.environ, "DEMO_LOG": str(self._folder / "done.jsonl")}
        command = [sys.executable, __file__, "--process", str(self._folder)]
        process = subprocess.Popen(command, env=environment)
        say(f"  {blue('▶')} {which} process, {process.pid}  {dim(remark)}")
        try:
            yield process
        finally:
            process.kill()  # leave nothing behind, even after an error
            process.wait()

    def _watch(self, process: subprocess.Popen[bytes], until: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 20
        while True:
            # Before `until`, so that `until` also sees what a process did just before it ended.
            has_ended = process.poll() is not None
            is_over = until()
            for entry in self._log.news():
                self._tell(entry)
            if is_over:
                return
            if has_ended or time.monotonic() > deadline:
                raise SystemExit(f"the process ended too early or hangs (exit status {process.poll()})")
            time.sleep(0.01)

    def _is_the_moment(self) -> bool:
        """Whether two parcels are packed and the third is under way, with some time to record that."""
        did = [entry for entry in self._log.entries if entry.what == "did"]
        return len(did) == 4 and time.time() > did[-1].at + 0.3

    def _tell(self, entry: Entry) -> None:
        when = dim(f"{entry.at - self._begun:5.2f} s")
        if entry.what == "did":
            say(f"    {when}  {green('✓')} {entry.name}")
        elif entry.what == "began" and entry.attempt > 1:
            remark = dim(f"attempt {entry.attempt}, same idempotency key")
            say(f"    {when}  {yellow('↻')} {entry.name}  {remark}")
        elif entry.what == "result":
            say(f"    {when}  {bold(entry.name)}")

    async def _history(self) -> History:
        async with Holdfast(self._url, engine=False) as hf:
            return await hf.history(ORDER)

    def _sum_up(self, before: History, after: History, done_after: list[Entry]) -> bool:
        """Compare what was recorded with what was done, and print the result."""
        recorded = [name for name, is_done in _tasks(before) if is_done]
        in_flight = [name for name, is_done in _tasks(before) if not is_done]
        begun = [entry for entry in self._log.entries if entry.what == "began"]
        begun_after = [entry.name for entry in done_after if entry.what == "began"]
        new = [name for name in begun_after if name not in recorded + in_flight]
        repeated = [name for name in recorded if name in begun_after]
        keys = {entry.key for entry in begun if entry.name in in_flight}
        is_right = after.run.status == "success" and not repeated and len(keys) == len(in_flight)
        say()
        say(f"  {green('✓')} recorded before the crash  {', '.join(recorded)}")
        say(f"  {yellow('↻')} in flight, done again      {', '.join(in_flight)}")
        say(f"  {green('✓')} after the crash            {', '.join(new)}")
        say()
        self._show_journal(after)
        say()
        say(
            f"  {len(after.tasks)} tasks were begun {len(begun)} times; of the {len(recorded)} recorded "
            f"before the crash, {len(repeated)} were done again  {green('✓') if is_right else red('✗')}"
        )
        say(f"  {time.time() - self._begun:.1f} s in all, waiting for the lease included")
        return is_right

    def _show_journal(self, history: History) -> None:
        steps = read_steps(history)
        say(f"  the journal: {len(steps)} steps, {sum(map(len, history.steps))} bytes")
        names = [name for name, _ in _tasks(history)]
        for position, step in enumerate(steps):
            heard, asked = _words(step.heard, names), _words(step.asked, names)
            say(f"    {dim(f'{position:2}  heard')} {heard:20} {dim('asked for')} {asked}")


def _tasks(history: History) -> list[tuple[str, bool]]:
    """The tasks that the run asked for, in order, and whether their results are recorded."""
    found: list[tuple[str, bool]] = []
    for record in history.tasks:
        item = json.loads(record.input).get("item")
        found.append((f"{record.name} {item}" if item else record.name, record.status is TaskStatus.SUCCESS))
    return found


def _picture(name: str, is_done: bool) -> str:
    return f"{green('✓') if is_done else yellow('↻')} {name}"


def _words(entries: tuple[Any, ...], names: list[str]) -> str:
    def word(entry: Any) -> str:
        match entry:
            case TaskHeard() | TaskAsked():
                return names[entry.seq]
            case TimerHeard() | TimerAsked():
                return "timer"
            case _:
                return "the end"

    return ", ".join(map(word, entries)) or "-"


# --- colours, if stdout is a terminal

HAS_COLOURS = sys.stdout.isatty() and "NO_COLOR" not in os.environ


def painter(code: int) -> Callable[[str], str]:
    return lambda text: f"\x1b[{code}m{text}\x1b[0m" if HAS_COLOURS else text


bold, dim, red, green, yellow, blue = map(painter, (1, 2, 31, 32, 33, 34))


def say(line: str = "") -> None:
    print(line.rstrip(), flush=True)


LOOK = "SELECT seq, name, status, attempt, output FROM tasks"


@contextmanager
def work_folder(*, keep: bool) -> Iterator[Path]:
    if keep:
        folder = Path(tempfile.mkdtemp(prefix="holdfast-demo-"))
        yield folder
        say(f"\n  look around: sqlite3 {folder}/demo.db '{LOOK}'")
    else:
        with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as name:
            yield Path(name)
        say(dim("\n  all of it is removed again; with --keep (make demo ARGS=--keep) the database stays"))


def main() -> int:
    parser = argparse.ArgumentParser(description="An order that survives kill -9.")
    parser.add_argument("--keep", action="store_true", help="leave the database, to look at it")
    parser.add_argument("--process", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.process is not None:
        asyncio.run(run_order(given.process))
        return 0
    with work_folder(keep=given.keep) as folder:
        is_right = Stage(folder).play()
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
