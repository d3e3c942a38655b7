"""Recordings of every version: today's code opens them, reads the same, replays them, and goes on."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.compat.dumps import DATABASES, load, migrations_in
from tests.compat.reading import go_on, is_as_it_was, read, read_schedules, replay
from tests.compat.record import EXPECTED, HERE, record, version

from holdfast.core import journal
from holdfast.stores.named_queries import load_migrations

VERSIONS = sorted(
    (folder.name for folder in HERE.iterdir() if (folder / EXPECTED).exists()),
    key=lambda name: [int(part) for part in name.split(".")],
)


class Recorded:
    """A recording that was loaded into a database of its own."""

    def __init__(self, url: str, kind: str, version: str) -> None:
        self.url = url
        load(url, (HERE / version / f"{kind}.sql").read_text())
        expected: dict[str, Any] = msgspec.json.decode((HERE / version / EXPECTED).read_bytes())
        self.recorded_until: int = expected["recorded_until"]
        self.then: dict[str, list[list[Any]]] = expected["then"]
        self.runs: dict[str, Any] = expected["runs"]
        self.ends: dict[str, Any] = expected["ends"]
        self.schedules: list[Any] = expected.get("schedules", [])


@pytest.fixture
def postgres_template() -> str:
    """One without tables: a recording brings its own."""
    return "template1"


@pytest.fixture
def sqlite_template() -> None:
    """No file, for the same reason."""


@pytest.fixture(params=VERSIONS)
def recorded(request: pytest.FixtureRequest, store_url: str) -> Recorded:
    return Recorded(store_url, "postgres" if store_url.startswith("postgresql") else "sqlite", request.param)


async def test_runs_of_an_older_version_read_as_they_did(recorded: Recorded) -> None:
    found = await read(recorded.url)

    assert found.keys() == recorded.runs.keys()
    for id, run in found.items():
        assert is_as_it_was(run, recorded.runs[id]), (id, run, recorded.runs[id])
    assert is_as_it_was(await read_schedules(recorded.url), recorded.schedules)


@pytest.mark.parametrize(
    ("found", "then", "expected"),
    [
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({"a": 1, "b": None, "c": [], "d": False}, {"a": 1}, True),
        ({"a": 1, "b": "something"}, {"a": 1}, False),
        ([{"a": 1}], [{"a": 1}, {"a": 1}], False),
        ([{"a": [1, {"b": 0}]}], [{"a": [1, {}]}], True),
    ],
)
def test_only_what_a_version_has_added_and_left_empty_may_be_different(
    found: Any, then: Any, expected: bool
) -> None:
    assert is_as_it_was(found, then) is expected


async def test_every_step_of_an_older_version_is_taken_again_from_its_journal(recorded: Recorded) -> None:
    replayed = await replay(recorded.url)

    assert replayed.keys() == recorded.runs.keys()
    assert sum(replayed.values()) > 2 * len(replayed)


async def test_runs_that_an_older_version_left_half_way_come_to_the_end_they_would_have_had(
    recorded: Recorded,
) -> None:
    ends = await go_on(recorded.url, recorded.recorded_until, recorded.then)

    for id, end in ends.items():
        assert end == recorded.ends[id], id
    assert ends.keys() == recorded.ends.keys()


async def test_what_had_ended_is_left_as_it_is_while_the_rest_goes_on(recorded: Recorded) -> None:
    before = await read(recorded.url)

    await go_on(recorded.url, recorded.recorded_until, recorded.then)

    after = await read(recorded.url)
    final = [id for id, run in before.items() if "result" in run and id not in recorded.then]
    assert final
    for id in final:
        # A child that it did not wait for goes on, as it should.
        assert after[id] | {"children": []} == before[id] | {"children": []}, id


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_migration_that_a_version_went_out_with_is_never_edited(version: str, kind: str) -> None:
    recorded = migrations_in((HERE / version / f"{kind}.sql").read_text())

    today = load_migrations(f"holdfast.stores.{kind}")

    assert recorded
    assert today[: len(recorded)] == recorded


@pytest.mark.parametrize("version", VERSIONS[-1:])
def test_the_newest_recording_has_every_kind_of_entry_that_a_journal_can_have(version: str) -> None:
    rows = re.findall(r"INSERT INTO journal .*x'([0-9a-f]+)'\);", (HERE / version / "sqlite.sql").read_text())
    steps = [journal.read_step(0, bytes.fromhex(row)) for row in rows]

    recorded = {type(entry).__name__ for step in steps for entry in (*step.heard, *step.asked)}

    kinds = {kind.__name__ for kind in journal._Entry.__subclasses__()}
    assert recorded == kinds | {journal.StepAsked.__name__}


def test_todays_code_records_what_the_folder_of_its_version_has(new_databases: Callable[[str], str]) -> None:
    folder = HERE / version()
    assert folder.exists(), (
        f"there is no recording of version {version()}: make it with `python -m tests.compat.record`, "
        "look at what is different from the one before, and commit it"
    )

    for name, content in record(new_databases).items():
        known = _lines(name, (folder / name).read_bytes())
        changed = list(difflib.unified_diff(known, _lines(name, content), lineterm="", n=0))
        assert not changed, (
            f"what this code writes is no longer what {folder.name}/{name} says. If {version()} is released, "
            "older nodes and databases have the old form: read both, and raise the version in pyproject.toml "
            "before you record. If it is not released yet, record it again. Either way: "
            "`python -m tests.compat.record`. The first differences:\n" + "\n".join(changed[:20])
        )


def _lines(name: str, content: bytes) -> list[str]:
    """For a difference that is small enough to read: in the file, a run is one line."""
    text = msgspec.json.format(content, indent=1) if name == EXPECTED else content
    return text.decode().splitlines()
