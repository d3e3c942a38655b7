"""`holdfast db backup`: a copy of a file that nodes go on with."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from tests.cli.processes import Project

from holdfast import Catalog, Holdfast, context, task, workflow
from holdfast.app import backup_database

catalog = Catalog()
done: list[int] = []


@task(catalog=catalog)
async def note(number: int) -> int:
    done.append(number)
    return number


@workflow(catalog=catalog)
async def count(most: int) -> int:
    return sum([await note(number) for number in range(most)])


@workflow(catalog=catalog)
async def wait() -> str:
    await note(1000)
    return await context().signal("go", str)


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


async def test_a_copy_made_while_a_node_works_is_whole_and_goes_on(tmp_path: Path):
    source, copies = tmp_path / "shop.db", [tmp_path / f"copy-{number}.db" for number in range(5)]
    async with Holdfast(url_of(source), catalog=catalog, lease_seconds=1) as hf:
        waiting = await hf.start(wait, id="waiting")
        runs = [await hf.start(count, 60, id=f"run-{number}") for number in range(20)]
        for copy in copies:
            made = await asyncio.to_thread(backup_database, url_of(source), str(copy), lambda *_: None)
            assert (made.file, made.bytes) == (str(copy), copy.stat().st_size)
        await asyncio.gather(*(run.result() for run in runs))
        await waiting.signal("go", "there")
        assert await waiting.result() == "there"

    for copy in copies:
        before = len(done)
        async with Holdfast(url_of(copy), catalog=catalog) as hf:
            for number in range(20):
                assert await hf.result(f"run-{number}") == sum(range(60))
            await (await hf.get("waiting")).signal("go", "here")
            assert await hf.result("waiting") == "here"
        assert 1000 not in done[before:], "what was recorded before the copy is not done again"
    assert sorted(tmp_path.glob("*.part")) == []


def test_the_command_says_what_it_has_written_and_writes_over_nothing(project: Project):
    project.run("db", "migrate")
    copied = project.run("db", "backup", "a copy.db")
    as_json = project.run("db", "backup", "b.db", "--json")
    again = project.run("db", "backup", "b.db")
    nowhere = project.run("db", "backup", "no/folder.db")
    no_file = project.run("db", "backup", "c.db", "--db", "other.db")
    postgres = project.run("db", "backup", "c.db", "--db", "postgresql://me:secret@localhost:1/shop")

    assert (copied.returncode, "a copy.db is a copy of SQLite file" in copied.stderr) == (0, True)
    assert json.loads(as_json.stdout)["bytes"] == (project.folder / "b.db").stat().st_size
    assert (again.returncode, "nothing is written over" in again.stderr) == (2, True)
    assert (nowhere.returncode, "in a folder that there is" in nowhere.stderr) == (2, True)
    assert no_file.returncode != 0
    assert (postgres.returncode, "pg_dump" in postgres.stderr) == (2, True)
    assert "secret" not in postgres.stderr
    assert not (project.folder / "c.db").exists()


def test_a_damaged_file_gives_no_copy(project: Project):
    project.run("db", "migrate")
    source = project.folder / ".holdfast/holdfast.db"
    with source.open("r+b") as file:
        file.seek(4096 * 5)
        file.write(os.urandom(4096 * 10))

    refused = project.run("db", "backup", "copy.db")

    assert refused.returncode != 0
    assert "holdfast.db" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert list(project.folder.glob("copy.db*")) == []


def test_ctrl_c_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source = tmp_path / "shop.db"
    asyncio.run(_fill(source))

    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("holdfast.stores.sqlite.backing_up._EVERY", 0.0)
    with pytest.raises(KeyboardInterrupt):
        backup_database(url_of(source), str(tmp_path / "copy.db"), interrupt)
    assert list(tmp_path.glob("copy.db*")) == []


async def _fill(source: Path) -> None:
    async with Holdfast(url_of(source), catalog=catalog, max_payload_bytes=30_000_000) as hf:
        await hf.start("count", 0)
        for _ in range(3):
            await hf.signal(await hf.start(wait), "go", "x" * 20_000_000)
