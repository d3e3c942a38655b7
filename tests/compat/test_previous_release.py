"""A deploy can be taken back: 0.4.0's own code goes on with a database that this version has migrated."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.compat.releases import Playing, code_of, code_of_today, play

TODAY = code_of_today()


@pytest.fixture
def postgres_template() -> str:
    """One without tables: the releases make them."""
    return "template1"


@pytest.fixture
def sqlite_template() -> None:
    """No file, for the same reason."""


@pytest.fixture(scope="session")
def previous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return code_of("0.4.0", tmp_path_factory.mktemp("0.4.0"))


def test_0_4_0_goes_on_with_a_migrated_database_and_todays_code_after_it(
    store_url: str, previous: Path
) -> None:
    play(
        TODAY,
        store_url,
        ["run", "quick", 1, "new-quick"],
        ["start", "listening", 1, "new-listening"],
        ["start", "listening", 2, "new-left-open"],
        ["start", "family", 2, "new-family"],
        ["wait_until_listening", "new-listening"],
        ["wait_until_listening", "new-left-open"],
        ["wait_until_listening", "new-family-1"],
    )

    answers = play(
        previous,
        store_url,
        ["list", {"workflow": "quick"}],
        ["list", {"status": "success"}],
        ["list", {"status": "running"}],
        ["signal", "new-listening", "go", 5],
        ["result", "new-listening"],
        ["signal", "new-family-0", "go", 1],
        ["signal", "new-family-1", "go", 1],
        ["result", "new-family"],
        ["run", "quick", 2, "old-quick"],
        ["start", "listening", 1, "old-left-open"],
        ["start", "family", 2, "old-family"],
        ["start", "sleeping", 3, "old-sleeping"],
        ["wait_until_listening", "old-left-open"],
        ["wait_until_listening", "old-family-1"],
        ["doctor"],
    )
    opened = ["new-family", "new-family-0", "new-family-1", "new-left-open", "new-listening"]
    assert answers == [
        [["new-quick", "success"]],
        [["new-quick", "success"]],
        [[id, "running"] for id in opened],
        None,
        14,
        None,
        None,
        8,
        4,
        "old-left-open",
        "old-family",
        "old-sleeping",
        None,
        None,
        [],
    ]

    again = play(
        TODAY,
        store_url,
        ["signal", "new-left-open", "go", 1],
        ["result", "new-left-open"],
        ["signal", "old-left-open", "go", 1],
        ["result", "old-left-open"],
        ["signal", "old-family-0", "go", 1],
        ["signal", "old-family-1", "go", 1],
        ["result", "old-family"],
        ["result", "old-sleeping"],
        ["doctor"],
    )
    assert again == [None, 10, None, 6, None, None, 8, 3, []]


def test_a_database_is_migrated_while_0_4_0_works_on_it(store_url: str, previous: Path) -> None:
    play(previous, store_url, ["start", "listening", 1, "before"], ["wait_until_listening", "before"])
    requests = [["run", "quick", number, f"during-{number}"] for number in range(60)]
    old = Playing(previous, store_url, requests)

    today = play(
        TODAY, store_url, ["signal", "before", "go", 1], ["result", "before"], ["run", "quick", 1, "after"]
    )

    assert today == [None, 6, 2]
    assert old.answers() == [2 * number for number in range(60)]
    assert play(previous, store_url, ["list", {"status": "parked"}], ["doctor"]) == [[], []]


def test_0_4_0_and_today_work_beside_each_other(store_url: str, previous: Path) -> None:
    play(TODAY, store_url)
    names = ("old", "new")

    both = [
        Playing(
            code,
            store_url,
            [
                *[["start", "quick", number, f"{name}-{number}"] for number in range(20)],
                *[["start", "sleeping", 1, f"{name}-sleeping-{number}"] for number in range(5)],
                *[["result", f"{name}-{number}"] for number in range(20)],
                *[["result", f"{name}-sleeping-{number}"] for number in range(5)],
            ],
        )
        for name, code in zip(names, (previous, TODAY), strict=True)
    ]

    for answers in [each.answers() for each in both]:
        assert answers[25:] == [*[2 * number for number in range(20)], *[1] * 5]
    assert play(TODAY, store_url, ["list", {"status": "parked"}], ["doctor"]) == [[], []]


def add_unknown_entry(url: str, id: str) -> None:
    """What a later release might write into the journal of a run."""
    step = bytes.fromhex("9301909192a25a5a01")  # [1, [], [["ZZ", 1]]]
    insert = (
        "INSERT INTO {0}journal (run, position, step) "
        "SELECT run, max(position) + 1, {1} FROM {0}journal "
        "WHERE run = (SELECT key FROM {0}runs WHERE id = {1}) GROUP BY run"
    )
    if url.startswith("postgresql"):
        with psycopg.connect(url) as connection:
            connection.execute(insert.format("holdfast.", "%s").encode(), (step, id))
    else:
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file, file:
            file.execute(insert.format("", "?"), (step, id))


@pytest.mark.parametrize("release", ["0.4.0", "today"])
def test_a_journal_of_a_later_release_parks_its_run_by_name_and_no_other(
    store_url: str, previous: Path, release: str
) -> None:
    play(TODAY, store_url, ["start", "listening", 1, "later"], ["wait_until_listening", "later"])
    add_unknown_entry(store_url, "later")

    code = previous if release == "0.4.0" else TODAY
    answers = play(
        code,
        store_url,
        ["signal", "later", "go", 1],
        ["wait_until", "later", "parked"],
        ["run", "quick", 1, "other"],
    )

    assert answers[0] is None
    assert "cannot be read" in answers[1]
    assert "if a newer holdfast wrote it, upgrade this one" in answers[1]
    assert answers[2] == 2
