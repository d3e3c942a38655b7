"""Rows that the database refuses: only the run that they belong to is set aside."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, Holdfast, RunStatus, task, workflow
from holdfast.authoring.code.program import CodeProgram
from holdfast.core.commands import Command, RecordTask
from holdfast.core.records import MessageKind, new_run
from holdfast.core.values import NULL, Instant, NodeId, Payload, RunKey, Succeeded
from holdfast.engine.splitting import children_of, only_runs, runs_in
from holdfast.errors import CommitRefused
from holdfast.ports.commits import ClaimRequest, Commit, EndedRun, Held, NewMessage, NewStep
from holdfast.ports.programs import Pinned

NOTHING = Payload(b"{}")


@pytest.fixture
def catalog() -> Catalog:
    catalog = Catalog()

    @task(catalog=catalog)
    async def echo(number: int) -> int:
        return number

    @workflow(catalog=catalog)
    async def simple(number: int) -> int:
        return await echo(number) + await echo(0)

    @workflow(catalog=catalog)
    async def guilty(number: int) -> int:
        return await echo(number)

    return catalog


@pytest.fixture
def _guilty_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program of `guilty` records task 0 again in its second step, which no check of the engine sees."""
    advance_for_real = CodeProgram.advance

    def advance(self: CodeProgram, at: Instant, events: Any) -> list[Command]:
        asked = advance_for_real(self, at, events)
        if self.run.workflow == "guilty" and events:
            asked = [RecordTask(0, "echo", Succeeded(NOTHING)), *asked]
        return asked

    monkeypatch.setattr(CodeProgram, "advance", advance)


@pytest.mark.usefixtures("_guilty_program")
async def test_a_row_that_the_database_refuses_parks_its_run_and_all_others_go_on(
    store_url: str, catalog: Catalog
) -> None:
    simple, guilty = catalog.workflow("simple"), catalog.workflow("guilty")
    async with Holdfast(store_url, catalog=catalog) as hf:
        starts = [hf.start(guilty if number % 7 == 3 else simple, number) for number in range(20)]
        runs = await asyncio.gather(*starts)
        answers = [asyncio.ensure_future(run.result()) for run in runs[3::7]]
        good = [run for number, run in enumerate(runs) if number % 7 != 3]
        results = await asyncio.wait_for(asyncio.gather(*[run.result() for run in good]), PATIENCE)

        assert results == [number for number in range(20) if number % 7 != 3]
        assert not any(answer.done() for answer in answers)
        for run in runs[3::7]:
            assert await run.status() is RunStatus.PARKED
            failure = (await run.describe()).failure
            assert failure is not None
            assert failure.type == "holdfast.errors:CommitRefused"
        assert await asyncio.wait_for(hf.run(simple, 5), PATIENCE) == 5
        assert await hf.doctor() == []


@pytest.mark.usefixtures("_guilty_program")
async def test_a_run_that_was_set_aside_goes_on_when_it_is_resumed_with_better_code(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(catalog.workflow("guilty"), 4)
        other = await hf.start(catalog.workflow("simple"), 1)
        await asyncio.wait_for(other.result(), PATIENCE)
        assert await run.status() is RunStatus.PARKED
        monkeypatch.undo()
        await hf.resume(run)

        assert await asyncio.wait_for(run.result(), PATIENCE) == 4


async def test_a_run_that_the_database_refuses_to_create_is_refused_alone(
    store_url: str, catalog: Catalog
) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        assert hf._engine is not None
        pinned = Pinned(catalog.workflow("simple").version, "simple")

        def start(id: str) -> asyncio.Future[list[RunKey]]:
            return hf._engine.start_runs("simple", pinned, [(Payload(b'{"number":1}'), id)])  # pyright: ignore[reportOptionalMemberAccess]

        first, bad, last = start("first"), start("\ud800"), start("last")
        await asyncio.gather(first, last)

        with pytest.raises(CommitRefused):
            await bad
        assert await asyncio.wait_for((await hf.get("last")).result(), PATIENCE) == 1


# --- how a commit is split


def key(number: int) -> RunKey:
    return RunKey(number.to_bytes(16, "big"))


def test_children_and_messages_of_a_run_stay_with_it() -> None:
    now = Instant(0)
    child = new_run(key(9), "", None, "w", "1", "w", NULL, now, parent=key(1), parent_seq=0)
    started = new_run(key(3), "", None, "w", "1", "w", NULL, now)
    commit = Commit("", NodeId("n"), 7, now, now)
    commit.created = [child, started]
    commit.held = [Held(key(1), 1), Held(key(2), 1)]
    commit.steps = [NewStep(key(number), 0, b"") for number in (1, 2, 3)]
    commit.ended = [EndedRun(key(9), RunStatus.FAILED, None, None, None, None, now)]
    commit.messages = [NewMessage(key(2), MessageKind.CANCEL, "", NULL, key(1))]
    commit.claim, commit.collect = ClaimRequest((), 1), True

    assert runs_in(commit) == [key(1), key(3), key(2)]
    assert children_of(commit, key(1)) == {key(9)}
    part, rest = only_runs(commit, {key(1)}, 8), only_runs(commit, {key(2), key(3)}, 9)
    assert (part.created, part.ended, part.messages) == ([child], commit.ended, commit.messages)
    assert (rest.created, rest.ended, rest.messages) == ([started], [], [])
    assert [row.run for row in part.steps + rest.steps] == [key(1), key(2), key(3)]
    assert (part.tick, rest.tick, part.claim, part.collect) == (8, 9, None, False)
