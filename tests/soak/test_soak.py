"""Soaks of a few seconds. They are too short to find a slow leak, and check that the soak itself works."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.soak.report import as_json, page
from tests.soak.samples import ALLOWANCES
from tests.soak.soak import Plan, Soaked, soak

INDEPENDENT_OF_LOAD: Final = ("open files", "log bytes")
"""Every other series grows while a slow machine leaves more runs in flight. `make soak` judges those."""


async def test_a_short_soak_holds_its_load_and_leaks_no_file_and_no_log(sqlite_url: str) -> None:
    said: list[str] = []

    soaked = await soak(sqlite_url, Plan(seconds=6, peak_seconds=2, every=0.25), said.append)

    growing = [name for name in INDEPENDENT_OF_LOAD if soaked.verdicts[name].grows]
    assert not growing, page(soaked.sampler, soaked.verdicts, {})
    assert soaked.stranded == 0
    assert soaked.runs > 50
    assert soaked.sampler.times
    assert any("peak:" in line for line in said)


async def test_a_short_soak_on_postgres_knows_its_sizes(postgres_url: str, tmp_path: Path) -> None:
    soaked = await soak(postgres_url, Plan(seconds=2, peak_seconds=1, every=0.25), lambda _: None)

    shown = page(soaked.sampler, soaked.verdicts, {"store": "postgres"})
    written = as_json(soaked.sampler, soaked.verdicts, {"store": "postgres"})
    assert all(name in shown for name in ALLOWANCES)
    assert min(written["series"]["database bytes"]) > 100_000
    assert min(written["series"]["log bytes"]) > 1_000_000


async def test_a_soak_in_which_something_grows_is_not_sound(sqlite_url: str) -> None:
    soaked = await soak(sqlite_url, Plan(seconds=2, peak_seconds=0.5, every=0.1), lambda _: None)

    leaking = {name: verdict._replace(grows=True) for name, verdict in soaked.verdicts.items()}

    assert not Soaked(soaked.sampler, leaking, 1, 1, 0, stranded=0).is_sound
    assert not soaked._replace(stranded=1).is_sound
    assert "GROWS: memory" in page(soaked.sampler, leaking, {})
