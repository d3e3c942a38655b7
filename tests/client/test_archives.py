"""Runs are exported to lines and imported again: whole, once, and only where that is right."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from tests.patience import SOON, until
from tests.stores.builders import raw_connection

from holdfast import (
    BadArchive,
    CannotImport,
    Catalog,
    Holdfast,
    ImportReport,
    Retry,
    RunFailed,
    RunStatus,
    context,
    task,
    task_context,
    workflow,
)
from holdfast.core.values import instant, later
from holdfast.errors import BadFile, BadOption, VersionConflict
from holdfast.stores.database import Transaction
from holdfast.stores.run_tables import RUN_TABLES

catalog = Catalog()
broken = {"is": True}


@task(catalog=catalog)
async def double(number: int) -> int:
    await task_context().publish("progress", number)
    print("doubling", number)
    if number == 3 and task_context().attempt == 1:
        raise OSError("the first attempt fails")
    return number * 2


@task(catalog=catalog)
async def fragile() -> str:
    if broken["is"]:
        raise ValueError("broken")
    return "repaired"


@workflow(catalog=catalog)
async def twice(number: int) -> int:
    context().state.set("number", number)
    context().state.set("Número", {"é": [1, None, 2.5]})
    print("hello")
    return await double.options(retry=Retry(max_attempts=2, first_delay=dt.timedelta(milliseconds=1)))(number)


@workflow(catalog=catalog)
async def parent(number: int) -> int:
    total = await context().start_child(twice, number)
    return total + await context().start_child(twice, 2, detached=True)


@workflow(catalog=catalog)
async def letters(count: int) -> list[str]:
    found = [await context().signal("letter", str) for _ in range(count)]
    return [*found, await fragile()]


@workflow(catalog=catalog)
async def waiting_parent() -> list[str]:
    return await context().start_child(letters, 1, id="inner")


def holdfast(url: str, **settings: Any) -> Holdfast:
    return Holdfast(url, catalog=catalog, **settings)


def client(url: str, **settings: Any) -> Holdfast:
    return holdfast(url, engine=False, **settings)


@pytest.fixture
def other_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/other.db"


@pytest.fixture(autouse=True)
def _broken() -> None:
    broken["is"] = True


async def lines_of(hf: Holdfast, *ids: str, **options: Any) -> list[str]:
    return [line async for line in hf.export_runs(*ids, **options)]


async def fill(hf: Holdfast) -> None:
    """Ended runs of all kinds."""
    await hf.run(parent.options(tags=["red", "blue"], note="a note"), 3, id="family")
    letter = await hf.start(letters, 2, id="letter")
    for text in ("a", "b"):
        await letter.signal("letter", text)
    with pytest.raises(RunFailed):
        await letter.result()
    for number in range(5):
        await hf.run(twice, number, id=f"twice-{number}")
    await until(lambda: everything_ended(hf))


async def everything_ended(hf: Holdfast) -> bool:
    return all(info.status.is_final for info in await hf.list())


async def tables_of(hf: Holdfast) -> dict[str, list[Any]]:
    """All rows of the tables of runs, as plain values."""
    store: Any = hf._parts.store

    def script(tx: Transaction) -> dict[str, list[Any]]:
        is_sqlite = "SQLite" in store.name
        found: dict[str, list[Any]] = {}
        for table in ("runs", "run_tags", *(each.name for each in RUN_TABLES)):
            columns = [row[0] for row in tx.rows("columns_of", table)]
            name = table if is_sqlite else f"holdfast.{table}"
            rows = raw_connection(tx).execute(f"SELECT {', '.join(columns)} FROM {name}")
            found[table] = sorted(
                repr({c: plain(v) for c, v in zip(columns, row, strict=True) if c != "last_owner"})
                for row in rows
            )
        return found

    return await store._driver.write(script)


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value.hex()
    if hasattr(value, "timestamp"):
        return round(value.timestamp() * 1_000_000)
    return value.hex if hasattr(value, "hex") and not isinstance(value, (float, str)) else value


async def copied(source: str, target: str, **options: Any) -> ImportReport:
    async with client(source) as hf, client(target) as copy:
        return await copy.import_runs(hf.export_runs(), **options)


async def test_the_copy_of_a_database_has_the_same_rows(sqlite_url: str, other_url: str) -> None:
    async with holdfast(sqlite_url) as hf:
        await fill(hf)

    report = await copied(sqlite_url, other_url)

    assert report == ImportReport(checked=9, runs=9)
    async with client(sqlite_url) as hf, client(other_url) as copy:
        tables = await tables_of(hf)
        assert await tables_of(copy) == tables
    for table in ("messages", "journal", "tasks", "attempts", "state", "logs", "stream_items", "run_tags"):
        assert tables[table], f"the test says nothing about {table}"


async def test_runs_go_through_postgres_and_back_as_the_same_lines(
    sqlite_url: str, postgres_url: str, other_url: str
) -> None:
    async with holdfast(sqlite_url) as hf:
        await fill(hf)

    await copied(sqlite_url, postgres_url)
    await copied(postgres_url, other_url)

    files: list[list[str]] = []
    for url in (sqlite_url, postgres_url, other_url):
        async with client(url) as hf:
            files.append(await lines_of(hf))
    assert files[0] == files[1] == files[2]
    async with client(sqlite_url) as hf, client(other_url) as copy:
        assert await tables_of(copy) == await tables_of(hf)


async def test_an_imported_run_is_looked_at_as_the_original(store_url: str, other_url: str) -> None:
    async with holdfast(other_url) as hf:
        await fill(hf)

    await copied(other_url, store_url)

    async with client(other_url) as hf, client(store_url) as copy:
        for id in ("family", "letter", "twice-3"):
            for read in (
                Holdfast.describe,
                Holdfast.tasks,
                Holdfast.attempts,
                Holdfast.messages,
                Holdfast.logs,
                Holdfast.state,
                Holdfast.streams,
                Holdfast.definition,
            ):
                assert await read(copy, id) == await read(hf, id), read
            theirs = (await hf.history(id), await copy.history(id))
            assert theirs[0].steps == theirs[1].steps
            assert theirs[0].children == theirs[1].children
        items = [item async for item in copy.stream("twice-3", "progress")]
        assert items == [item async for item in hf.stream("twice-3", "progress")]
        assert [info.id for info in await copy.list(tag="red")] == ["family"]


async def test_old_items_of_streams_are_kept_for_a_day_after_an_import(
    store_url: str, other_url: str
) -> None:
    async with holdfast(other_url, stream_kept_seconds=1) as hf:
        await hf.run(twice, 1, id="old")
        lines = await lines_of(hf)

    async with client(store_url) as copy:
        await copy.import_runs(lines)
        store: Any = copy._parts.store
        today = instant(dt.datetime.now(dt.UTC))

        assert await store.drop_old_items(later(today, dt.timedelta(hours=23)), 10) == 0
        assert [item.value async for item in copy.stream("old", "progress")] == [1]
        assert await store.drop_old_items(later(today, dt.timedelta(hours=25)), 10) == 1
        assert await copy.import_runs(lines) == ImportReport(checked=1, existing=1)


async def test_a_failed_run_is_retried_where_it_was_imported(store_url: str, other_url: str) -> None:
    async with holdfast(other_url) as hf:
        await fill(hf)
    await copied(other_url, store_url)
    broken["is"] = False

    async with holdfast(store_url) as copy:
        await copy.retry("letter")

        assert await (await copy.get("letter")).result() == ["a", "b", "repaired"]


# --- numbers


async def test_messages_and_logs_get_other_numbers_if_theirs_are_taken(
    store_url: str, other_url: str
) -> None:
    async with holdfast(store_url) as hf:
        await fill(hf)
        kept = await tables_of(hf)
    async with holdfast(other_url) as hf:
        letter = await hf.start(letters, 3, id="another")
        for text in ("x", "y", "z"):
            await letter.signal("letter", text)
        with pytest.raises(RunFailed):
            await letter.result()
        await hf.run(twice, 1, id="other-twice")
        lines = await lines_of(hf)
        messages = [message.value for message in await hf.messages("another")]
        logs = [line.text for line in await hf.logs("other-twice")]
    broken["is"] = False

    async with holdfast(store_url) as copy:
        first = await copy.import_runs(lines)
        again = await copy.import_runs(lines)

        assert (first.runs, again.runs, again.existing) == (2, 0, 2)
        assert [message.value for message in await copy.messages("another")] == messages
        assert [line.text for line in await copy.logs("other-twice")] == logs
        now = await tables_of(copy)
        assert all(set(kept[table]) <= set(now[table]) for table in kept)
        await copy.retry("another")  # a replay reads the messages that its journal refers to
        assert await (await copy.get("another")).result() == ["x", "y", "z", "repaired"]
        later = await copy.start(letters, 1, id="later")
        await later.signal("letter", "l")
        assert await later.result() == ["l", "repaired"]


# --- runs that have not ended


async def start_waiting(url: str) -> list[str]:
    """The lines of a family that waits in a child, and has read one of two letters."""
    async with holdfast(url) as hf:
        await hf.start(waiting_parent, id="outer")
        inner = await hf.start(letters, 2, id="alone")
        await inner.signal("letter", "first")
        await until(lambda: is_waiting(hf, "inner"))
        await until(lambda: is_waiting(hf, "alone"))
        return await lines_of(hf)


async def is_waiting(hf: Holdfast, id: str) -> bool:
    try:
        return (await hf.describe(id)).status is RunStatus.RUNNING
    except LookupError:
        return False


async def test_a_live_run_is_refused_by_name_unless_the_caller_says_so(
    store_url: str, other_url: str
) -> None:
    lines = await start_waiting(other_url)

    async with client(store_url) as copy:
        with pytest.raises(
            CannotImport, match=r"(?s)alone: it has not ended.*live=True \(--live\)"
        ) as refused:
            await copy.import_runs(lines)
        assert {id for id, _ in refused.value.runs} == {"outer", "inner", "alone"}
        assert set((await tables_of(copy))["runs"]) == set()
        would = await copy.import_runs(lines, live=True, dry_run=True)
        assert (would.runs, would.live) == (3, 3)
        assert await copy.list() == []


async def test_live_runs_go_on_where_they_were_imported(store_url: str, other_url: str) -> None:
    lines = await start_waiting(other_url)
    broken["is"] = False

    async with holdfast(store_url) as copy:
        report = await copy.import_runs(lines, live=True)
        await copy.signal("inner", "letter", "one")
        await copy.signal("alone", "letter", "second")

        assert report.live == 3
        assert await (await copy.get("outer")).result() == ["one", "repaired"]
        assert await (await copy.get("alone")).result() == ["first", "second", "repaired"]
        assert await copy.doctor() == []


async def test_importing_live_runs_twice_changes_nothing(store_url: str, other_url: str) -> None:
    lines = await start_waiting(other_url)

    async with client(store_url) as copy:
        await copy.import_runs(lines, live=True)
        before = await tables_of(copy)
        again = await copy.import_runs(lines, live=True)

        assert (again.runs, again.existing) == (0, 3)
        assert await tables_of(copy) == before


async def test_a_run_that_a_node_had_is_due_at_once(other_url: str, sqlite_url: str) -> None:
    """As after the death of its node: nothing in its row says what it waits for."""
    async with holdfast(other_url) as hf:
        run = await hf.start(letters, 1, id="owned")
        await until(lambda: is_waiting(hf, "owned"))
        lines = await lines_of(hf)
    [row] = [json.loads(line)["row"] for line in lines if json.loads(line)["kind"] == "run"]
    assert row["owner"] is not None
    broken["is"] = False

    async with holdfast(sqlite_url) as copy:
        await copy.import_runs(lines, live=True)
        await copy.signal(run.id, "letter", "here")

        assert await (await copy.get("owned")).result() == ["here", "repaired"]


async def test_only_ended_families_are_exported_if_asked_for(store_url: str) -> None:
    async with holdfast(store_url) as hf:
        await hf.run(twice, 1, id="over")
        await hf.start(waiting_parent, id="outer")
        await until(lambda: is_waiting(hf, "inner"))

        assert names(await lines_of(hf, ended=True)) == ["over"]
        assert names(await lines_of(hf)) == ["outer", "inner", "over"]
        assert names(await lines_of(hf, "outer", children=False)) == ["outer"]
        assert names(await lines_of(hf, workflow=letters)) == []
        assert names(await lines_of(hf, workflow=letters, children=False)) == ["inner"]
        with pytest.raises(BadOption, match="without conditions"):
            await lines_of(hf, "outer", ended=True)


async def test_a_live_parent_is_refused_without_the_children_it_waits_for(
    store_url: str, other_url: str
) -> None:
    async with holdfast(other_url) as hf:
        await hf.start(waiting_parent, id="outer")
        await until(lambda: is_waiting(hf, "inner"))
        alone = await lines_of(hf, "outer", children=False)
        both = await lines_of(hf, "outer", "inner", children=False)
        child = (await hf.describe("inner")).key
    broken["is"] = False

    async with holdfast(store_url) as copy:
        with pytest.raises(
            CannotImport, match=f"1 run cannot .*\n  outer: it may wait for its child {child}"
        ):
            await copy.import_runs(alone, live=True)
        assert await copy.list() == []

        assert (await copy.import_runs(both, live=True)).live == 2
        await copy.signal("inner", "letter", "here")
        assert await (await copy.get("outer")).result(timeout=SOON) == ["here", "repaired"]


async def test_the_flows_that_a_flow_may_call_are_exported_with_it(store_url: str, other_url: str) -> None:
    async with holdfast(other_url) as hf:
        await published(hf, "innermost", {"kind": "approval", "params": {"approval_key": "$shared.last"}})
        await published(hf, "inner", {"kind": "subflow", "workflow": "innermost"})
        await published(hf, "not called", {"kind": "subflow", "workflow": "innermost"})
        asking = {"kind": "approval", "params": {"approval_key": "$shared.first"}}
        await published(hf, "outer", asking, {"kind": "subflow", "workflow": "inner"})
        await hf.start("outer", id="r")
        await until(lambda: is_waiting(hf, "r"))
        lines = await lines_of(hf)
    kinds = [(found["kind"], found["row"].get("name")) for found in map(json.loads, lines) if "row" in found]
    flows = ["outer", "inner", "innermost"]
    assert sorted(name for kind, name in kinds if kind == "definition") == sorted(flows)

    async with holdfast(store_url) as copy:
        await copy.import_runs(lines, live=True)
        await copy.approve("r", "n0")
        await until(lambda: is_asked(copy, "r/n1/n0"))
        await copy.approve("r/n1/n0", "n0")
        await (await copy.get("r")).result(timeout=SOON)


async def published(hf: Holdfast, name: str, *nodes: dict[str, Any]) -> None:
    """A flow that goes through these nodes."""
    named = {f"n{number}": node for number, node in enumerate(nodes)}
    edges = [{"from": f"n{number}", "to": f"n{number + 1}"} for number in range(len(nodes) - 1)]
    await hf.flows.create(name)
    await hf.flows.publish(name, json.dumps({"start": "n0", "nodes": named, "edges": edges}))


async def is_asked(hf: Holdfast, run: str) -> bool:
    return any(question.run == run for question in await hf.questions())


def names(lines: list[str]) -> list[str]:
    found = [json.loads(line) for line in lines]
    return [each["row"]["id"] for each in found if each["kind"] == "run"]


# --- refusals


async def one_run(url: str) -> list[str]:
    async with holdfast(url) as hf:
        await hf.run(twice, 7, id="seven")
        return await lines_of(hf)


def changed(lines: list[str], which: str, **values: Any) -> list[str]:
    found = [(json.loads(line), line) for line in lines]
    return [json.dumps(each | values) + "\n" if each["kind"] == which else line for each, line in found]


def without(lines: list[str], kind: str) -> list[str]:
    return [line for line in lines if json.loads(line)["kind"] != kind]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda lines: lines[:-1], r"line \d+: the file is cut: it has no last line"),
        (lambda lines: lines[:-2], "the file is cut: run 'seven' has no end"),
        (lambda lines: lines[1:], "line 1: .*does not begin with a header"),
        (lambda lines: without(lines, "logs"), r"run 'seven' has \d+ lines of \d+"),
        (lambda lines: [line.replace("seven", "eight") for line in lines], "their checksum is another"),
        (lambda lines: changed(lines, "end of file", runs=2), "should have 2 runs, and has 1"),
        (lambda lines: changed(lines, "holdfast", format=99, version="9.9"), "format 99, of holdfast 9.9"),
        (lambda lines: [lines[0], "{oh\n", *lines[1:]], "line 2: it is not a JSON object"),
        (lambda lines: changed(lines, "state", kind="novelty"), "kind 'novelty' is unknown"),
        (lambda lines: changed(lines, "logs", row={"new": 1}), "column 'new' of logs is unknown here"),
        (lambda lines: changed(lines, "journal", row={"position": "x"}), "column 'position' has 'x'"),
        (lambda lines: changed(lines, "journal", row={"position": 1}), "column 'step' of journal is missing"),
        (lambda lines: [], "the file is empty"),
    ],
)
async def test_a_file_that_is_not_whole_is_refused_and_nothing_is_written(
    sqlite_url: str, other_url: str, damage: Any, problem: str
) -> None:
    lines = await one_run(other_url)

    async with client(sqlite_url) as copy:
        with pytest.raises(BadArchive, match=problem):
            await copy.import_runs(damage(lines))

        assert set((await tables_of(copy))["runs"]) == set()


async def test_a_file_is_refused_before_its_first_run_is_written(sqlite_url: str, other_url: str) -> None:
    async with holdfast(other_url) as hf:
        await fill(hf)
        lines = await lines_of(hf)

    async with client(sqlite_url) as copy:
        with pytest.raises(BadArchive):
            await copy.import_runs(lines[:-1])

        assert await copy.list() == []


async def test_runs_that_exist_with_other_content_are_refused_or_left_out(
    store_url: str, other_url: str
) -> None:
    lines = await one_run(other_url)
    async with holdfast(store_url) as copy:
        mine = await copy.start(twice, 1, id="seven")
        await mine.result()

        with pytest.raises(CannotImport, match="seven: another run here has its id"):
            await copy.import_runs(lines)
        report = await copy.import_runs(lines, skip_existing=True)

        assert (report.runs, report.skipped) == (0, 1)
        assert (await copy.describe("seven")).id == "seven"
        await copy.delete("seven")
        assert (await copy.import_runs(lines)).runs == 1
        assert (await copy.import_runs([*lines, *lines])).existing == 2  # files can be joined


async def test_a_run_that_has_gone_on_is_not_the_same(store_url: str, other_url: str) -> None:
    async with holdfast(store_url) as hf:
        await fill(hf)
        lines = await lines_of(hf)
        broken["is"] = False
        await hf.retry("letter")
        await (await hf.get("letter")).result()

        with pytest.raises(CannotImport, match="letter: it is here with other content") as refused:
            await hf.import_runs(lines)
        report = await hf.import_runs(lines, skip_existing=True)

        assert refused.value.count == 1
        assert (report.existing, report.skipped) == (8, 1)


async def test_a_run_of_another_namespace_is_refused(store_url: str) -> None:
    """Its rows belong to its key, in every namespace of a database."""
    lines = await one_run(store_url)

    async with client(store_url, namespace="copies") as copy:
        with pytest.raises(CannotImport, match="another namespace of this database"):
            await copy.import_runs(lines, skip_existing=True)


async def test_a_version_with_other_code_is_refused(store_url: str, other_url: str) -> None:
    lines = await one_run(other_url)
    [definition] = [json.loads(line)["row"] for line in lines if json.loads(line)["kind"] == "definition"]
    async with client(store_url) as copy:
        other = changed(lines, "definition", row=definition | {"hash": "another", "version": "1"})
        await copy.import_runs(other)

        with pytest.raises(VersionConflict, match="'twice' version '1'"):
            await copy.import_runs(changed(lines, "definition", row=definition | {"version": "1"}))


async def test_a_file_is_read_by_its_path(sqlite_url: str, other_url: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(await one_run(other_url)))
    seen: list[ImportReport] = []

    async with client(sqlite_url) as copy:
        report = await copy.import_runs(file, progress=seen.append)

        assert report == seen[-1] == ImportReport(checked=1, runs=1)
        assert seen[0] == ImportReport(checked=1), "nothing is imported while the file is checked"
        with pytest.raises(BadFile, match="no such file"):
            await copy.import_runs(str(tmp_path / "nope"))
        wrong: Any = 5
        with pytest.raises(BadOption, match="the path of a file, or lines"):
            await copy.import_runs(wrong)
