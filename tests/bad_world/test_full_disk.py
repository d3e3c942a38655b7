"""A disk that fills up under SQLite: whoever wants more is told, what runs is held, nothing is lost."""

from __future__ import annotations

from pathlib import Path

from tests.bad_world.full_disk import RUNS
from tests.chaos.evidence import Executions
from tests.chaos.node import STEPS
from tests.chaos.processes import running


def test_a_full_disk_refuses_new_runs_and_holds_the_others_until_there_is_room(tmp_path: Path) -> None:
    executions = Executions(tmp_path / "executions")
    file = tmp_path / "holdfast.db"
    arguments = ["-m", "tests.bad_world.full_disk", str(file), str(executions.path)]

    with running(arguments, tmp_path / "output") as program:
        assert program.wait(40) == 0, program.output

    lines = program.output.splitlines()
    refusals = [line for line in lines if line.startswith("refused: ")]
    assert len(refusals) == 3
    for line in refusals:
        assert f"SQLite file {file} has no room left" in line
        assert "free some space and try again" in line
    assert "holding everything and trying again" in program.output
    assert "ended while full: 0" in lines
    assert "the store answers again after" in program.output
    assert f"right results: {RUNS}" in lines
    assert "later: 500" in lines
    assert "refused runs that exist: 0" in lines
    assert "stranded: 0" in lines
    # Outcomes that could not be written were kept: nothing was done twice, and the refused not at all.
    assert set(executions.counts().values()) == {1}
    assert executions.counts().total() == RUNS * STEPS + 1


_OPENED_WHILE_FULL = """
import asyncio, logging, resource, sys
from holdfast import Catalog, Holdfast
from holdfast.errors import StoreFull

class Memory(logging.Handler):  # what is printed goes to a file, for which there is no room either
    said = []
    def emit(self, record):
        self.said.append(record.getMessage())

def leave_room(size):
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most if size is None else size, most))

async def main():
    logging.getLogger().addHandler(Memory())
    leave_room(0)
    asyncio.get_running_loop().call_later(3.0, leave_room, None)
    async with Holdfast(sys.argv[1], catalog=Catalog()) as hf:
        print("open:", await hf.list())
    leave_room(0)
    try:
        async with Holdfast(sys.argv[1], catalog=Catalog(), open_seconds=0.3):
            pass
    except StoreFull as error:
        leave_room(None)
        print("refused:", error)
    print("said:", Memory.said[0])

asyncio.run(main())
"""


def test_a_node_that_starts_on_a_full_disk_waits_for_room_and_says_what_is_wrong(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/holdfast.db"
    with running(["-c", _OPENED_WHILE_FULL, url], tmp_path / "output") as program:
        assert program.wait(40) == 0, program.output

    opened, refused, said = program.output.splitlines()
    assert opened == "open: []"
    assert "holdfast.db has no room left" in refused
    assert "has no room left" in said
    assert said.endswith("waiting for it")
