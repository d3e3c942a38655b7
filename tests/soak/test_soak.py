"""A soak of ten seconds: too short to see a slow leak, long enough to see that the soak itself works."""

from __future__ import annotations

from pathlib import Path

from tests.soak.judge import FEWEST_SAMPLES
from tests.soak.report import as_json, page
from tests.soak.samples import ALLOWANCES
from tests.soak.soak import Plan, Soaked, soak


async def test_a_short_soak_holds_its_load_and_finds_nothing_that_grows(sqlite_url: str) -> None:
    said: list[str] = []

    soaked = await soak(sqlite_url, Plan(seconds=6, peak_seconds=2, every=0.25), said.append)

    growing = {name for name, verdict in soaked.verdicts.items() if verdict.grows}
    # What is in flight, and for how long, depends on what else this machine does in these seconds.
    assert growing <= {"asyncio tasks", "python objects", "p50 ms"}, page(soaked.sampler, soaked.verdicts, {})
    assert soaked.stranded == 0
    assert soaked.runs > 50
    assert len(soaked.sampler.times) > FEWEST_SAMPLES
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
