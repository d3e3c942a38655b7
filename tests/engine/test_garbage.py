"""How a node sets the garbage collector of its process, and that it leaves the collector as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from holdfast import Catalog, Holdfast


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield before
    gc.set_threshold(*before)


async def test_a_node_has_the_collector_run_less_often_while_it_is_open(sqlite_url: str) -> None:
    async with Holdfast(sqlite_url, catalog=Catalog()):
        assert gc.get_threshold() == (20_000, 10, 10)
        async with Holdfast(sqlite_url, catalog=Catalog()):
            assert gc.get_threshold() == (20_000, 10, 10)
        assert gc.get_threshold() == (20_000, 10, 10)
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [(0, 10, 10), (5000, 5, 5), (100_000, 20, 20)])
async def test_a_program_that_has_set_its_collector_keeps_what_it_set(
    sqlite_url: str, own: tuple[int, int, int]
) -> None:
    gc.set_threshold(*own)
    async with Holdfast(sqlite_url, catalog=Catalog()):
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


async def test_what_a_program_sets_meanwhile_stays(sqlite_url: str) -> None:
    async with Holdfast(sqlite_url, catalog=Catalog()):
        gc.set_threshold(3000, 7, 7)
    assert gc.get_threshold() == (3000, 7, 7)


async def test_a_client_without_an_engine_leaves_it_alone(sqlite_url: str) -> None:
    async with Holdfast(sqlite_url, catalog=Catalog(), engine=False):
        assert gc.get_threshold() == (700, 10, 10)
