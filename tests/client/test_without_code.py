"""Starting workflows by name from a process that does not have them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from tests.patience import SOON

from holdfast import Catalog, Holdfast, UnknownWorkflow, load_dag, with_options, workflow
from holdfast.errors import RunFailed, WrongType


def deployed() -> Catalog:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def buy(cents: int, currency: str = "EUR") -> dict[str, Any]:
        return {"charged": cents, "in": currency}

    @workflow(name="pay", version=1, catalog=catalog)
    async def pay(cents: int) -> str:
        return f"{cents} in the old way"

    @workflow(name="pay", version=2, catalog=catalog)
    async def pay_again(cents: int) -> str:
        return f"{cents} in the new way"

    return catalog


async def test_a_client_without_the_code_starts_a_workflow_by_its_name(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        run = await hf.start("buy", cents=5)
        tagged = await hf.start(with_options("buy", tags=["web"]), cents=6, currency="USD")

        assert await run.result(timeout=SOON) == {"charged": 5, "in": "EUR"}
        assert await tagged.result(timeout=SOON) == {"charged": 6, "in": "USD"}
        assert (await tagged.describe()).tags == ("web",)


async def test_the_version_that_was_registered_last_is_started_or_the_one_that_is_named(
    store_url: str,
) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        newest = await hf.start("pay", cents=5)
        named = await hf.start("pay", version=1, cents=5)

        assert await newest.result(timeout=SOON) == "5 in the new way"
        assert await named.result(timeout=SOON) == "5 in the old way"
        with pytest.raises(UnknownWorkflow, match="pay version 3"):
            await hf.start("pay", version=3, cents=5)


async def test_arguments_are_given_by_name_and_checked_by_the_node(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        with pytest.raises(WrongType, match=r"parameters are not known here; give all arguments by name"):
            await hf.start("buy", 5)
        run = await hf.start("buy", cents="many")

        with pytest.raises(RunFailed, match="cents"):
            await run.result(timeout=SOON)


async def test_a_dag_is_read_from_the_store_and_checks_its_inputs(store_url: str, tmp_path: Path) -> None:
    catalog = Catalog()
    path = tmp_path / "nap.yaml"
    path.write_text("name: nap\ninput:\n  days: int = 3\ntasks:\n  wait: {sleep: 0s}\n")
    load_dag(path, catalog=catalog)
    async with (
        Holdfast(store_url, catalog=catalog),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        run = await hf.start("nap")
        await run.result(timeout=SOON)

        assert (await run.describe()).input == {"days": 3}
        with pytest.raises(WrongType, match="days"):
            await hf.start("nap", days="some")


async def test_what_nobody_has_registered_is_unknown(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
        Holdfast(store_url, catalog=Catalog(), engine=False, namespace="elsewhere") as other,
    ):
        with pytest.raises(UnknownWorkflow, match="no workflow 'sell' is registered"):
            await hf.start("sell", cents=5)
        with pytest.raises(UnknownWorkflow):
            await other.start("buy", cents=5)


async def test_a_schedule_is_put_without_the_code(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=deployed()),
        Holdfast(store_url, catalog=Catalog(), engine=False) as hf,
    ):
        await hf.schedules.put("hourly", "buy", every=dt.timedelta(hours=1), input={"cents": 5})

        assert (await hf.schedules.get("hourly")).workflow == "buy"
