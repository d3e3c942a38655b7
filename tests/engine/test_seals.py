"""Encrypted and compressed payloads: what the tables have, what is read, and what happens without the key."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import subprocess
import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import msgspec
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.processes import Project

import holdfast
from holdfast import BadOption, Catalog, Holdfast, RunStatus, context, task_context
from holdfast.app import rewrite_database
from holdfast.core.sealed import MARK, check_open
from holdfast.errors import JournalCorrupt, SecretNotFound
from holdfast.settings import Settings
from holdfast.stores.database import Column, TablePage, Transaction
from holdfast.stores.named_queries import load_queries
from holdfast.stores.open_store import store_for
from holdfast.stores.rewriting import TABLES, RewriteReport
from holdfast.stores.sealing import PAYLOADS, READABLE
from holdfast.stores.seals import Seals, read_key
from holdfast.testing import Environment, assert_durable

KEYS = {"k1": bytes(range(32)), "k2": bytes(range(32, 64))}
SECRET = "the patient is ill"

catalog = Catalog()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for id, key in KEYS.items():
        monkeypatch.setenv(f"HOLDFAST_ENCRYPTION_KEY_{id}", base64.b64encode(key).decode())


# --- one payload


@given(st.binary(max_size=300), st.sampled_from([0, 1, 100]))
def test_a_payload_comes_back_as_it_was(payload: bytes, compress_bytes: int):
    seals = Seals(KEYS, compress_bytes=compress_bytes)

    sealed = seals.seal(payload)

    assert sealed.startswith(MARK)
    text = sealed.partition(b'"data":')[2]
    assert payload not in text or len(payload) < 8
    assert seals.open(sealed) == payload
    assert Seals({"k1": KEYS["k1"]}).open(sealed) == payload


def test_the_same_payload_is_sealed_in_another_way_each_time():
    seals = Seals(KEYS)

    assert seals.seal(b"1") != seals.seal(b"1")


def test_what_is_sealed_is_json_that_no_decoder_takes_for_data():
    sealed = Seals(KEYS).seal(b'{"a":1}')

    assert json.loads(sealed)["sealed"] == "k1"
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(sealed)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda it: it.replace(b'"k1"', b'"k3"'), "encrypted with the key 'k3', which is not known here"),
        (lambda it: it.replace(b'"k1"', b'"k2"'), "does not open with the key 'k2'"),
        (lambda it: it.replace(b'"zip":0', b'"zip":1'), "does not open with the key 'k1'"),
        (lambda it: it.replace(b'"by":["ann"]', b'"by":["bob"]'), "does not open with the key 'k1'"),
        (lambda it: it.replace(b'"data":"', b'"data":"AAAA'), "does not open with the key 'k1'"),
    ],
)
def test_what_was_changed_is_not_opened(change: Callable[[bytes], bytes], reason: str):
    seals = Seals(KEYS)
    sealed = seals.seal_question(b'{"title":"x","by":["ann"]}')
    assert check_open(seals.open(sealed)) is None

    with pytest.raises(JournalCorrupt, match=reason):
        check_open(seals.open(change(sealed)))


def test_compressed_payloads_are_read_without_a_key_and_small_ones_are_left_alone():
    seals = Seals({}, compress_bytes=100)
    large = b'"' + b"a" * 1000 + b'"'

    assert len(seals.seal(large)) < 150
    assert seals.open(seals.seal(large)) == large
    assert seals.seal(b"[1]") == b"[1]"
    with pytest.raises(JournalCorrupt, match="compressed, and here `compress_bytes` is 0"):
        check_open(seals.seal(large))


@pytest.mark.parametrize("text", ["", "short", "x" * 44, "00" * 31])
def test_a_key_that_is_none_is_refused_and_not_shown(text: str):
    with pytest.raises(BadOption, match=r"the encryption key 'k1' is '\*\*\*'"):
        read_key("k1", text)


def test_a_key_may_be_hexadecimal():
    assert read_key("k1", KEYS["k1"].hex()) == KEYS["k1"]


# --- all queries and all tables


@pytest.mark.parametrize(
    ("package", "pattern"),
    [
        ("holdfast.stores.sqlite", r"CAST\(\?(\d+) AS TEXT\)"),
        ("holdfast.stores.postgres", r"\$(\d+)::json\b"),
    ],
)
def test_every_parameter_that_is_json_is_sealed_or_said_to_be_readable(package: str, pattern: str):
    for name, text in load_queries(package).items():
        if name in ("insert_version", "replace_draft"):
            continue  # SQLite casts a number there
        found = {int(number) for number in re.findall(pattern, text)}
        known = set(PAYLOADS.get(name, ())) | READABLE.get(name, frozenset())
        if package.endswith("sqlite"):
            known -= {9, 10} if name == "insert_runs" else set()  # they are NULL
        assert found == known, name


# --- whole runs


@holdfast.task(catalog=catalog)
async def examine(what: str) -> str:
    task_context().publish("news", what)
    print(what)
    return f"{what}!"


@holdfast.task(catalog=catalog)
async def fail(what: str) -> str:
    task_context().heartbeat(what)
    raise RuntimeError(what)


@holdfast.workflow(catalog=catalog)
async def child(what: str) -> str:
    return what


@holdfast.workflow(catalog=catalog)
async def treat(what: str) -> list[Any]:
    found = [await examine(what), await child(what)]
    context().state.set("found", what)
    try:
        await fail(what)
    except RuntimeError as error:
        found.append(str(error))
    answer = await context().ask(what, answer=str, by=["ann"], name="next")
    return [*found, answer, await context().signal("more", str)]


async def run_through(hf: Any, id: str) -> Any:
    run = await hf.start(treat, SECRET, id=id)
    await run.signal("more", SECRET)
    async with asyncio.timeout(10):
        while not (asked := await hf.questions(run=run, by="ann")):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert asked[0].title == SECRET
    assert not await hf.questions(run=run, by="bob")
    await run.resolve("next", SECRET, by="ann")
    return await run.result()


RESULT = [f"{SECRET}!", SECRET, SECRET, SECRET, SECRET]


def everything_in(url: str) -> bytes:
    if url.startswith("sqlite"):
        file = Path(url.removeprefix("sqlite:///"))
        return b"".join(each.read_bytes() for each in file.parent.glob(f"{file.name}*"))
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'holdfast'")
        tables = [name for (name,) in found.fetchall()]
        rows = [connection.execute(f"SELECT t::text FROM holdfast.{name} t").fetchall() for name in tables]
    return repr(rows).encode()


async def test_nothing_of_users_is_readable_in_the_tables(store_url: str):
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k1"]) as hf:
        assert await run_through(hf, "r-1") == RESULT
        assert [line.text for line in await hf.logs("r-1")] == [SECRET]
        assert [item.value async for item in (await hf.get("r-1")).stream("news")] == [SECRET]

    rows = everything_in(store_url)
    assert b"r-1" in rows
    assert SECRET.encode() not in rows
    assert base64.b64encode(SECRET.encode())[:12] not in rows


async def test_without_encryption_it_is_all_there(store_url: str):
    """Else the test above would prove nothing."""
    async with Holdfast(store_url, catalog=catalog) as hf:
        await run_through(hf, "r-1")

    assert everything_in(store_url).count(SECRET.encode()) > 10


async def test_a_sealed_run_survives_a_crash_at_every_commit(new_database: Callable[[], str]):
    async def answer(run: holdfast.Run[Any]) -> None:
        await run.signal("more", SECRET)
        await run.resolve("next", SECRET, by="ann", ahead=True)

    result = await assert_durable(
        treat,
        SECRET,
        during=answer,
        new_database=new_database,
        catalog=catalog,
        settings={"encryption_keys": ("k1",), "compress_bytes": 10},
    )

    assert result == RESULT


async def test_a_node_without_the_key_parks_the_run_and_one_that_has_it_goes_on(store_url: str):
    async with Environment(store_url, catalog=catalog, encryption_keys=["k2"]) as env:
        await env.start(treat, SECRET, id="r-1")
        await env.wait_until_quiet()

    async with Environment(store_url, catalog=catalog, encryption_keys=["k1"]) as env:
        await env.start(child, SECRET, id="other")
        await env.signal("r-1", "more", "from here")
        assert await env.result("other") == SECRET
        await env.wait_until_quiet()
        info = await env.describe("r-1")
        assert info.status is RunStatus.PARKED
        assert "encrypted with the key 'k2', which is not known here" in info.failure.message
        assert "backup" not in info.failure.message, "nothing is damaged"

    async with Environment(store_url, catalog=catalog, encryption_keys=["k2", "k1"]) as env:
        await env.resume("r-1")
        await env.resolve("r-1", "next", "rest", by="ann", ahead=True)
        assert (await env.result("r-1"))[-2:] == ["rest", "from here"]
        assert await env.result("other") == SECRET


async def test_a_process_without_any_key_takes_nothing_sealed_for_data(store_url: str):
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k1"]) as hf:
        await run_through(hf, "r-1")

    async with Holdfast(store_url, catalog=catalog) as hf:
        with pytest.raises(holdfast.HoldfastError, match="encrypted with the key 'k1', which is not known"):
            await (await hf.get("r-1")).result()


async def test_plain_and_sealed_rows_live_side_by_side(store_url: str):
    async with Environment(store_url, catalog=catalog) as env:
        await env.start(treat, SECRET, id="r-1")
        await env.wait_until_quiet()

    async with Environment(store_url, catalog=catalog, encryption_keys=["k1"]) as env:
        await env.signal("r-1", "more", SECRET)
        await env.resolve("r-1", "next", SECRET, by="ann", ahead=True)
        assert await env.result("r-1") == RESULT


def change_outputs(url: str, key: bytes) -> None:
    replaced = """replace(CAST(output AS text), 'data":"', 'data":"AAAA')"""
    if url.startswith("sqlite"):
        with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as file:
            file.execute(f"UPDATE tasks SET output = {replaced} WHERE run = ?", (key,))
    else:
        with psycopg.connect(url) as connection:
            statement = f"UPDATE holdfast.tasks SET output = CAST({replaced} AS json) WHERE run = %s"
            connection.execute(statement.encode(), (uuid.UUID(bytes=key),))


async def test_a_sealed_payload_that_was_changed_parks_its_run_and_no_other(store_url: str):
    async with Environment(store_url, catalog=catalog, encryption_keys=["k1"]) as env:
        bad = await env.start(treat, SECRET, id="bad")
        await env.start(treat, SECRET, id="good")
        await env.wait_until_quiet()
    change_outputs(store_url, bad.key)

    async with Environment(store_url, catalog=catalog, encryption_keys=["k1"]) as env:
        for id in ("good", "bad"):
            await env.signal(id, "more", SECRET)
            await env.resolve(id, "next", SECRET, by="ann", ahead=True)
        assert await env.result("good") == RESULT
        info = await env.describe("bad")
        assert info.status is RunStatus.PARKED
        assert "does not open with the key 'k1'" in info.failure.message


def test_a_key_that_is_not_there_is_refused_by_name(sqlite_url: str):
    with pytest.raises(SecretNotFound, match="no encryption key 'k9' on this node"):
        Holdfast(sqlite_url, encryption_keys=["k9"])


# --- rewriting


async def rewrite(url: str, keys: list[str], **options: Any) -> RewriteReport:
    settings = Settings(url=url, encryption_keys=tuple(keys))
    return await rewrite_database(settings, lambda table, report: None, **options)


async def test_after_a_rewrite_the_old_key_is_not_needed(store_url: str):
    async with Holdfast(store_url, catalog=catalog) as hf:
        await run_through(hf, "plain")
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k1"]) as hf:
        await run_through(hf, "old")
        await hf.start(treat, SECRET, id="open")

    first = await rewrite(store_url, ["k2", "k1"])
    again = await rewrite(store_url, ["k2", "k1"])

    assert first.rewritten > 20
    assert first.unreadable == again.unreadable == again.rewritten == 0
    assert SECRET.encode() not in everything_in(store_url) or store_url.startswith("sqlite")
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k2"]) as hf:
        for id in ("plain", "old"):
            assert await (await hf.get(id)).result() == RESULT
            assert [line.text for line in await hf.logs(id)] == [SECRET]
        run = await hf.get("open")
        await run.signal("more", SECRET)
        await run.resolve("next", SECRET, by="ann", ahead=True)
        assert await run.result() == RESULT


async def test_a_rewrite_without_a_key_makes_everything_readable_again(store_url: str):
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k1"]) as hf:
        await run_through(hf, "old")

    report = await rewrite(store_url, ["k1"], plain=True)

    assert report.rewritten
    async with Holdfast(store_url, catalog=catalog) as hf:
        assert await (await hf.get("old")).result() == RESULT


async def test_what_cannot_be_opened_is_left_and_counted(store_url: str):
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k1"]) as hf:
        await run_through(hf, "old")

    report = await rewrite(store_url, ["k2"])

    assert report.rewritten == 0
    assert report.unreadable > 5
    assert "encrypted with the key 'k1', which is not known here" in report.reason


async def test_every_column_that_is_sealed_is_rewritten(store_url: str):
    """By the tables: those that a run has filled have no payload of the old key, nor a plain one."""
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k1"]) as hf:
        await run_through(hf, "old")
        await hf.alerts.put("ops", "http://127.0.0.1/hook", "failed")

    await rewrite(store_url, ["k2", "k1"])

    everything = everything_in(store_url) if store_url.startswith("postgres") else b""
    assert b'"sealed":"k1"' not in everything.replace(b'""', b'"')
    assert set(TABLES) == {
        *("runs", "tasks", "attempts", "shared_inputs", "state", "messages", "chapters", "questions"),
        *("schedules", "logs", "stream_items", "audit", "alerts"),
    }


class _Interrupted(Exception):
    pass


async def test_a_rewrite_that_was_interrupted_is_begun_again_and_does_the_rest(store_url: str):
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k1"]) as hf:
        for number in range(40):
            await (await hf.start(child, f"{number}", id=f"c-{number}")).result()
        await run_through(hf, "old")
    settings = Settings(url=store_url, encryption_keys=("k2", "k1"))
    first = RewriteReport()

    def stop_in_the_middle(table: str, report: RewriteReport) -> None:
        nonlocal first
        first = report
        if table == "tasks":
            raise _Interrupted

    with pytest.raises(_Interrupted):
        await rewrite_database(settings, stop_in_the_middle)
    second = await rewrite(store_url, ["k2", "k1"])

    assert first.rewritten >= 80
    assert 0 < second.rewritten < first.rewritten
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k2"]) as hf:
        assert await (await hf.get("old")).result() == RESULT
        assert [await (await hf.get(f"c-{number}")).result() for number in range(40)] == [
            str(number) for number in range(40)
        ]


async def test_a_rewrite_goes_beside_nodes_that_work(store_url: str):
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k1", "k2"]) as hf:
        runs = [await hf.start(treat, SECRET, id=f"r-{number}") for number in range(10)]
        rewriting = [asyncio.create_task(rewrite(store_url, ["k2", "k1"])) for _ in range(2)]
        for run in runs:
            await run.signal("more", SECRET)
            await run.resolve("next", SECRET, by="ann", ahead=True)
        for run in runs:
            assert await run.result() == RESULT
        assert not sum(report.unreadable for report in await asyncio.gather(*rewriting))
        for run in runs:
            assert await (await hf.get(run.id)).result() == RESULT


@holdfast.workflow(catalog=catalog)
async def failing(what: str) -> None:
    raise RuntimeError(what)


async def test_runs_are_found_by_the_text_of_their_sealed_errors(store_url: str):
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k1"]) as hf:
        for number, what in enumerate(("no room", "no money")):
            with pytest.raises(RuntimeError):
                await (await hf.start(failing, what, id=f"f-{number}")).result()

        found = await hf.list(error_contains="money", error_type="RuntimeError")

    assert [info.id for info in found] == ["f-1"]


async def test_an_export_stays_sealed_and_is_imported_where_the_key_is(store_url: str, tmp_path: Path):
    async with Holdfast(store_url, catalog=catalog, encryption_keys=["k1"]) as hf:
        await run_through(hf, "old")
        lines = [line async for line in hf.export_runs("old")]
    assert SECRET not in "".join(lines)

    async with Holdfast(f"sqlite:///{tmp_path}/other.db", catalog=catalog, encryption_keys=["k1"]) as hf:
        await hf.import_runs(lines)
        assert await (await hf.get("old")).result() == RESULT


async def test_a_process_without_the_key_refuses_to_answer_a_question_that_it_cannot_read(store_url: str):
    async with Environment(store_url, catalog=catalog, encryption_keys=["k1"]) as env:
        await env.start(treat, SECRET, id="r-1")
        await env.wait_until_quiet()

    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        [asked] = await hf.questions()
        assert "encrypted with the key 'k1', which is not known here" in asked.title
        with pytest.raises(holdfast.BadAnswer, match="encrypted with the key 'k1'"):
            await hf.resolve("r-1", "next", "x", by="ann")


async def test_the_place_of_a_task_in_its_fan_out_stays_readable(sqlite_url: str, tmp_path: Path):
    (tmp_path / "fan.yaml").write_text("name: fan\ntasks:\n  each: {parallel: 2, command: 'true'}\n")
    async with Holdfast(sqlite_url, catalog=catalog, encryption_keys=["k1"]) as hf:
        run = await hf.start(holdfast.load_dag(tmp_path / "fan.yaml", catalog=catalog))
        await run.result()

        assert [(task.index, task.count) for task in await hf.tasks(run)] == [(0, 2), (1, 2)]


async def test_a_rewrite_that_is_killed_goes_on(project: Project):
    """With the command, and SIGKILL in the middle."""
    project.write("many.py", MANY)
    url = f"sqlite:///{project.folder}/many.db"
    key = {f"HOLDFAST_ENCRYPTION_KEY_{id}": base64.b64encode(KEYS[id]).decode() for id in KEYS}
    old = {**key, "HOLDFAST_ENCRYPTION_KEYS": '["k1"]'}
    both = {**key, "HOLDFAST_ENCRYPTION_KEYS": '["k2", "k1"]'}
    new = {**key, "HOLDFAST_ENCRYPTION_KEYS": '["k2"]'}
    made = project.execute("run", "many.py:many", "--id", "m-1", "--db", url, **old)
    assert made.returncode == 0, made.stderr
    rounds = 0
    while True:
        killed = project.start("db", "rewrite", "--db", url, **both)
        try:
            killed.wait(0.5 + 0.1 * rounds)
        except subprocess.TimeoutExpired:
            killed.kill()
        else:
            break
        finally:
            killed.communicate()
        rounds += 1
        assert rounds < 100

    done = project.execute("runs", "show", "m-1", "--json", "--db", url, **new)

    assert killed.returncode == 0
    assert done.returncode == 0, done.stderr
    assert b'"sealed":"k1"' not in vacuumed(project.folder / "many.db")


MANY = """
from holdfast import task, workflow


@task
async def make(number: int) -> str:
    return "x" * 2000


@workflow
async def many() -> int:
    for first in range(0, 3000, 500):
        handles = [make(number) for number in range(first, first + 500)]
        for handle in handles:
            await handle
    return 3000
"""


def vacuumed(file: Path) -> bytes:
    """Without what is left of old rows in pages that are free."""
    copy = file.with_suffix(".copy")
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute(f"VACUUM INTO '{copy}'")
    return copy.read_bytes()


async def test_a_cell_that_has_changed_since_it_was_read_is_not_replaced(store_url: str):
    async with Holdfast(store_url, catalog=catalog) as hf:
        await (await hf.start(child, "a", id="c-1")).result()
    store = store_for(store_url)
    await store.open()

    def replace(tx: Transaction) -> list[int]:
        found = {name: Column(name, type) for name, type in tx.rows("columns_of", "runs")}
        key, output = (found["namespace"], found["key"]), found["output"]
        [row] = tx.read_page(TablePage("runs", (*key, output), (), key), (), None, 10)
        *place, cell = row
        other = '"other"' if isinstance(cell, str) else b'"other"'
        return [
            tx.replace_cells("runs", key, output, [(*place, other, other)]),
            tx.replace_cells("runs", key, output, [(*place, cell, other)]),
        ]

    assert await store.write_script(replace) == [0, 1]
    await store.close()
