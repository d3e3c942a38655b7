"""Archives whose lines somebody has made up, with checksums that fit. What they do stays in the namespace."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from holdfast import BadArchive, CannotImport, Catalog, Holdfast, context, workflow
from holdfast.core.values import key_text

catalog = Catalog()
_Line: TypeAlias = dict[str, Any]


@workflow(catalog=catalog)
async def letter() -> str:
    print("waiting")
    return await context().signal("letter", str)


@workflow(catalog=catalog)
async def reader() -> str:
    return await context().start_child(letter, id="inner")


def holdfast(url: str, **settings: Any) -> Holdfast:
    return Holdfast(url, catalog=catalog, **settings)


async def lines_of(hf: Holdfast, id: str) -> list[_Line]:
    return [json.loads(line) async for line in hf.export_runs(id)]


def forged(lines: list[_Line], change: Callable[[_Line], object], *, id: str = "forged") -> list[str]:
    """The lines of one run, under a new key and changed."""
    written: list[str] = []
    key, digest, count = str(uuid.uuid4()), hashlib.sha256(), 0
    for line in lines:
        if line["kind"] == "run":
            line = line | {"run": key, "root": key, "row": line["row"] | {"key": key, "id": id}}
        change(line)
        if line["kind"] == "end":
            line = line | {"run": key, "sha256": digest.hexdigest()}
        text = json.dumps(line) + "\n"
        if line["kind"] == "run" or count:
            digest.update(text.encode())
            count += 1
        written.append(text)
    return written


def setting(kind: str, column: str, value: Any) -> Callable[[_Line], object]:
    def change(line: _Line) -> None:
        if line["kind"] == kind:
            assert column in line["row"]
            line["row"][column] = value

    return change


async def ended_letter(hf: Holdfast) -> list[_Line]:
    run = await hf.start(letter, id="original")
    await run.signal("letter", "a")
    assert await run.result() == "a"
    return await lines_of(hf, "original")


@pytest.mark.parametrize(
    ("kind", "column", "value"),
    [
        ("messages", "id", 2**63 - 1),
        ("messages", "id", -1),
        ("logs", "number", 2**63 - 1),
        ("run", "epoch", 2**31 - 1),
        ("run", "epoch", 2**64),
        ("run", "setbacks", -1),
        ("run", "wake_at", 2**62),
        ("run", "created_at", -1),
    ],
)
async def test_a_number_that_nobody_counts_to_is_refused(
    store_url: str, kind: str, column: str, value: int
) -> None:
    """With such a number of a message no namespace could number its own any more, and a node that took a run
    with such an epoch ended, again after each start."""
    async with holdfast(store_url) as hf, holdfast(store_url, namespace="neighbour") as neighbour:
        lines = forged(await ended_letter(hf), setting(kind, column, value))

        with pytest.raises(BadArchive, match=f"column '{column}' has {value}"):
            await hf.import_runs(lines)

        run = await neighbour.start(letter)
        await run.signal("letter", "b")
        assert await run.result() == "b"


async def test_many_files_do_not_use_up_the_numbers_of_the_database(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.stores.archives._LAST_RESERVED", 2**43 + 1)
    async with holdfast(store_url) as hf:
        original = await ended_letter(hf)
        change = setting("messages", "id", 2**43)
        await hf.import_runs(forged(original, change, id="first"))

        with pytest.raises(CannotImport, match="too few numbers are left"):
            await hf.import_runs(forged(original, change, id="second"))

        run = await hf.start(letter)
        await run.signal("letter", "b")
        assert await run.result() == "b"


async def test_a_run_cannot_be_made_a_child_of_a_neighbours(store_url: str) -> None:
    """Its parent would take what it returned for the result of its own child."""
    async with holdfast(store_url) as hf, holdfast(store_url, namespace="neighbour") as neighbour:
        theirs = await neighbour.start(reader, id="theirs")
        original = await ended_letter(hf)

        def change(line: _Line) -> None:
            if line["kind"] == "run":
                line["row"] |= {"parent": key_text(theirs.key), "parent_seq": 0, "output": '"forged"'}

        with pytest.raises(CannotImport, match="another namespace of this database has its parent"):
            await hf.import_runs(forged(original, change), skip_existing=True)
        assert len(await hf.list()) == 1
