"""URLs: understood, or refused with the reason and without the password."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stores.builders import SPACE, new_run

from holdfast.errors import BadUrl, StoreUnavailable
from holdfast.stores import store_for


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("holdfast.db", "expected sqlite:///relative"),
        ("", "expected sqlite:///relative"),
        ("mysql://me:secret@host/db", "expected sqlite:///relative"),
        ("sqlite://holdfast.db", "expected sqlite:///relative"),
        ("sqlite:///", "expected sqlite:///relative"),
        ("sqlite:///a.db?mode=ro", "takes no options"),
        ("sqlite://:memory:", "threads=False"),
        ("postgresql://me:secret@host/db?nonsense=secret", "expected postgresql://"),
    ],
)
def test_a_url_that_means_nothing_is_refused_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(BadUrl) as caught:
        store_for(url)

    assert reason in str(caught.value)
    assert "secret" not in str(caught.value)


async def test_a_relative_path_is_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    store = store_for("sqlite:///my%20runs.db")
    await store.open()
    await store.close()

    assert (tmp_path / "my runs.db").exists()


async def test_a_database_in_memory_works_without_threads() -> None:
    store = store_for("sqlite://:memory:", threads=False)
    await store.open()

    await store.create_runs(SPACE, [new_run(1, id="here")])

    assert await store.find_run(SPACE, "here") is not None
    await store.close()


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    store = store_for(f"sqlite:///{tmp_path}/missing/runs.db")

    with pytest.raises(StoreUnavailable, match=r"there is no folder .*missing"):
        await store.open()

    await store.close()


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, but long enough to be looked at as one. " * 20)
    store = store_for(f"sqlite:///{tmp_path}/notes.txt")

    with pytest.raises(StoreUnavailable, match="not a database"):
        await store.open()


async def test_a_server_that_does_not_answer_is_named_without_the_password() -> None:
    store = store_for("postgresql://me:sesame@127.0.0.1:1/orders")

    with pytest.raises(StoreUnavailable) as caught:
        await store.open()

    assert "orders at 127.0.0.1" in str(caught.value)
    assert "sesame" not in str(caught.value)
