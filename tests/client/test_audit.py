"""The audit log: rows are written in groups, and none is lost."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import AuditEntry, AuditInfo, BadOption, CannotStore, Catalog, Holdfast, workflow
from holdfast.client.audit import Audit
from holdfast.core.values import Instant
from holdfast.errors import CommitRefused, StoreUnavailable
from holdfast.ports.access import NewAudit
from holdfast.stores import SqlStore, store_for


class Books:
    """A store that notes the groups. A transaction takes until the test lets it end."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store
        self.groups: list[int] = []
        self.may_end = asyncio.Event()
        self.lost = 0
        """How many answers are lost, although the rows are written."""
        self.error: Exception | None = None
        self.refused = ""
        """The target of a row that is refused."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def write_audit(self, namespace: str, rows: Sequence[NewAudit]) -> None:
        self.groups.append(len(rows))
        await self.may_end.wait()
        if self.error is not None:
            raise self.error
        if any(row.target == self.refused for row in rows):
            raise CommitRefused("the store", "a row that it does not take")
        await self._store.write_audit(namespace, rows)
        if self.lost:
            self.lost -= 1
            raise StoreUnavailable("the store", "the connection broke after COMMIT")


@pytest.fixture
async def books(store_url: str) -> AsyncIterator[Books]:
    store = store_for(store_url)
    await store.open()
    yield Books(store)
    await store.close()


@pytest.fixture
def audit(books: Books) -> Audit:
    store: Any = books
    return Audit(store, namespace="default", now=lambda: Instant(1_000_000))


def entry(target: str = "run-1", **more: Any) -> AuditEntry:
    return AuditEntry(action="runs.cancel", target=target, by="ann", **more)


async def written(audit: Audit) -> list[str]:
    """The targets of all rows, in the order in which they were written."""
    return [each.target for each in reversed(await audit.list(limit=1000))]


async def test_a_row_is_there_when_the_call_returns(books: Books, audit: Audit) -> None:
    books.may_end.set()

    await audit.record(entry(key="0a", request="r-7", before={"status": "running"}, after={"status": "ü"}))

    [row] = await audit.list()
    assert (row.by, row.key, row.action, row.target) == ("ann", "0a", "runs.cancel", "run-1")
    assert (row.request, row.before, row.after) == ("r-7", {"status": "running"}, {"status": "ü"})
    assert row.at.isoformat() == "1970-01-01T00:00:01+00:00"


async def test_rows_that_come_while_one_is_written_become_one_group(books: Books, audit: Audit) -> None:
    recording = [asyncio.create_task(audit.record(entry(f"{number}"))) for number in range(200)]
    await asyncio.sleep(0)
    books.may_end.set()
    await asyncio.gather(*recording)

    assert sum(books.groups) == 200
    assert len(books.groups) <= 2
    assert await written(audit) == [f"{number}" for number in range(200)]


async def test_a_group_whose_answer_is_lost_is_written_once(books: Books, audit: Audit) -> None:
    books.may_end.set()
    books.lost = 1

    await asyncio.gather(*(audit.record(entry(f"{number}")) for number in range(50)))

    assert sorted(await written(audit)) == sorted(f"{number}" for number in range(50))


async def test_a_row_is_written_although_its_caller_is_cancelled(books: Books, audit: Audit) -> None:
    recording = [asyncio.create_task(audit.record(entry(f"{number}"))) for number in range(5)]
    await asyncio.sleep(0)
    for task in (recording[0], recording[3]):
        task.cancel()
    books.may_end.set()
    await asyncio.gather(*recording, return_exceptions=True)
    await audit.close()

    assert recording[3].cancelled()
    assert await written(audit) == ["0", "1", "2", "3", "4"]


async def test_a_row_that_is_refused_does_not_hurt_its_neighbours(
    books: Books, audit: Audit, caplog: pytest.LogCaptureFixture
) -> None:
    books.may_end.set()
    books.refused = "13"
    calls = [audit.record(entry(f"{number}")) for number in range(40)]

    results = await asyncio.gather(*calls, return_exceptions=True)

    assert [n for n, result in enumerate(results) if result is not None] == [13]
    assert await written(audit) == [f"{n}" for n in range(40) if n != 13]
    assert "the audit log lacks that 'ann' did runs.cancel to '13'" in caplog.text


async def test_a_row_that_could_not_be_written_is_told_and_logged(
    books: Books, audit: Audit, caplog: pytest.LogCaptureFixture
) -> None:
    books.may_end.set()
    books.error = StoreUnavailable("the store", "it is away")

    with pytest.raises(StoreUnavailable):
        await audit.record(entry())

    assert "the audit log lacks that 'ann' did runs.cancel to 'run-1': " in caplog.text


async def test_a_large_value_is_left_out_and_the_row_is_written(books: Books, audit: Audit) -> None:
    books.may_end.set()

    await audit.record(entry(before="x" * 16_382, after="x" * 16_383))

    [row] = await audit.list()
    assert row.before == "x" * 16_382
    assert row.after["left_out"]["bytes"] == 16_385
    assert len(row.after["left_out"]["sha256"]) == 64


async def test_what_cannot_be_written_is_refused(books: Books, audit: Audit) -> None:
    books.may_end.set()
    for wrong in (
        {"action": ""},
        {"action": "x" * 101},
        {"target": ""},
        {"target": "nul\x00"},
        {"by": None},
        {"key": ""},
        {"request": "x" * 501},
    ):
        with pytest.raises(BadOption):
            await audit.record(AuditEntry(**({"action": "a", "target": "b"} | wrong)))
    with pytest.raises(CannotStore):
        await audit.record(entry(before=object()))
    assert await written(audit) == []


async def test_pages_follow_each_other_also_while_rows_are_added(books: Books, audit: Audit) -> None:
    books.may_end.set()
    for number in range(5):
        await audit.record(entry(f"{number}"))

    first = await audit.list(limit=2)
    await audit.record(entry("late"))
    second = await audit.list(limit=2, after=first[-1].number)
    third = await audit.list(limit=2, after=second[-1].number)

    assert [each.target for each in [*first, *second, *third]] == ["4", "3", "2", "1", "0"]


async def test_rows_are_chosen_by_target_and_action(books: Books, audit: Audit) -> None:
    books.may_end.set()
    await audit.record(entry("run-1"))
    await audit.record(AuditEntry(action="runs.retry", target="run-1"))
    await audit.record(entry("run-2"))

    assert [each.action for each in await audit.list(target="run-1")] == ["runs.retry", "runs.cancel"]
    assert [each.target for each in await audit.list(action="runs.cancel")] == ["run-2", "run-1"]
    assert await audit.list(action="runs.retry", target="run-2") == []
    for wrong in ({"limit": 0}, {"limit": 1001}, {"after": -1}, {"target": ""}, {"action": 7}):
        with pytest.raises(BadOption):
            await audit.list(**wrong)


async def test_closing_writes_what_waits(store_url: str) -> None:
    async with Holdfast(store_url, engine=False) as hf:
        tasks = [asyncio.create_task(hf.audit.record(entry(f"{number}"))) for number in range(20)]
        await asyncio.sleep(0)

    await asyncio.gather(*tasks)
    async with Holdfast(store_url, engine=False, namespace="theirs") as theirs:
        assert await theirs.audit.list() == []
    async with Holdfast(store_url, engine=False) as hf:
        assert len(await hf.audit.list()) == 20


WRITER = """
import asyncio, sys

from holdfast import AuditEntry, Holdfast


async def note(hf, worker):
    for number in range(1_000_000):
        target = f"{worker}-{number}"
        await hf.audit.record(AuditEntry(action="runs.cancel", target=target))
        print(target, flush=True)


async def main():
    async with Holdfast(sys.argv[1], engine=False) as hf:
        await asyncio.gather(*(note(hf, worker) for worker in range(20)))


asyncio.run(main())
"""


def test_what_was_answered_is_there_after_the_process_was_killed(store_url: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, store_url], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        answered = [writer.stdout.readline().strip() for _ in range(300)]
        writer.kill()
        answered += [line.strip() for line in writer.stdout if line.endswith("\n")]

    async def read() -> list[str]:
        found: list[AuditInfo] = []
        async with Holdfast(store_url, engine=False) as hf:
            while page := await hf.audit.list(limit=1000, after=found[-1].number if found else None):
                found += page
        return [row.target for row in found]

    stored = asyncio.run(read())
    assert set(answered) <= set(stored)
    assert len(stored) == len(set(stored))


async def test_nodes_remove_old_rows_of_their_own_namespace(store_url: str) -> None:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def nothing() -> None: ...

    async with Holdfast(store_url, catalog=catalog, namespace="long") as keeper:
        await keeper.audit.record(entry())
        await keeper.run(nothing)
        async with Holdfast(store_url, catalog=catalog, namespace="short", audit_kept_seconds=0.2) as hf:
            await hf.audit.record(entry())
            async with asyncio.timeout(PATIENCE):
                while await hf.audit.list():
                    await hf.run(nothing)
                    await asyncio.sleep(0.1)

        assert len(await keeper.audit.list()) == 1
