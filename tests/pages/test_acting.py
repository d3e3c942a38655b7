"""What a person does with the pages: each test is one errand, from the first click to what is recorded."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.pages.browser import DESK, PHONE, Server, expect, needs_browser, opened, serving

pytestmark = needs_browser

BOTH = pytest.mark.parametrize(
    ("viewport", "theme"), [(DESK, "light"), (PHONE, "dark")], ids=["desk-light", "phone-dark"]
)


def until(server: Server, path: str, is_enough: Any) -> Any:
    """What the server answers, once it is enough."""
    end = time.monotonic() + 60
    while not is_enough(found := server.ask(path)):
        assert time.monotonic() < end, found
        time.sleep(0.1)
    return found


def ended(server: Server, run: str) -> Any:
    return until(server, f"/runs/{run}", lambda found: found["finished_at"] is not None)


async def test_runs_are_filtered_and_the_address_is_shared(shop: Server):
    ended(shop, "order-88104")
    async with opened(shop.base, "/runs") as page:
        await page.get_by_role("button", name=re.compile("^failed")).click()
        await expect(page.get_by_role("link", name="order-88104")).to_be_visible()
        await page.keyboard.press("/")
        await page.get_by_role("combobox", name="Add a filter").fill("workflow=fulfil")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("link", name="order-88101")).to_have_count(0)
        address = page.url
    assert "status=failed" in address
    assert "workflow=fulfil" in address

    async with opened(shop.base, address.removeprefix(shop.base)) as other:
        await expect(other.get_by_role("link", name="order-88104")).to_be_visible()
        await expect(other.get_by_role("link", name="order-88101")).to_have_count(0)


@BOTH
async def test_a_schedule_is_paused_and_goes_on(tmp_path: Path, viewport: dict[str, int], theme: str):
    with serving(tmp_path, orders=1) as server:
        async with opened(
            server.base, "/schedules?name=hourly_orders", viewport=viewport, theme=theme
        ) as page:
            schedule = page.get_by_role("region", name="Schedule hourly_orders")
            dialog = page.get_by_role("dialog")
            await schedule.get_by_role("button", name="Pause").click()
            await dialog.get_by_role("button", name="Pause").click()
            await expect(dialog).to_have_count(0)
            await expect(schedule.get_by_role("button", name="Resume")).to_be_visible()
            assert server.ask("/schedules/hourly_orders")["is_paused"] is True

            await schedule.get_by_role("button", name="Resume").click()
            await dialog.get_by_role("button", name="Resume").click()
            await expect(dialog).to_have_count(0)
            await expect(schedule.get_by_role("button", name="Pause")).to_be_visible()
            assert server.ask("/schedules/hourly_orders")["is_paused"] is False


@BOTH
async def test_a_backfill_says_what_it_would_start_before_it_does(
    tmp_path: Path, viewport: dict[str, int], theme: str
):
    with serving(tmp_path, orders=1) as server:
        async with opened(
            server.base, "/schedules?name=hourly_orders", viewport=viewport, theme=theme
        ) as page:
            await page.get_by_role("button", name="Backfill…").click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_label("from, inclusive").fill("2026-03-01T00:00")
            await dialog.get_by_label("until, not inclusive").fill("2026-03-01T05:00")
            await expect(dialog).to_contain_text("Start 5 runs")
            assert server.ask("/runs?schedule=hourly_orders")["items"] == []

            await dialog.get_by_role("button", name="Start 5").click()
            await expect(dialog).to_have_count(0)
        found = until(server, "/runs?schedule=hourly_orders", lambda found: len(found["items"]) == 5)
    assert len(found["items"]) == 5


def make_key(folder: Path, name: str, role: str) -> str:
    command = [
        sys.executable,
        "-m",
        "holdfast",
        "keys",
        "create",
        name,
        "--role",
        role,
        "--db",
        str(folder / "shop.db"),
    ]
    made = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    found = re.search(r"hf_\w+", made.stdout)
    assert found is not None, made.stdout
    return found[0]


@BOTH
async def test_a_key_is_made_shown_once_and_revoked(tmp_path: Path, viewport: dict[str, int], theme: str):
    admin = make_key(tmp_path, "ann", "admin")
    with serving(tmp_path, orders=0) as server:
        async with opened(
            server.base, "/settings/keys", viewport=viewport, theme=theme, strict=False
        ) as page:
            await page.get_by_label("Key", exact=True).fill(admin)
            await page.get_by_role("button", name=re.compile("^Log in")).click()
            await page.get_by_role("button", name="Make a key…").click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_label("For whom").fill("robot")
            await dialog.get_by_role("button", name=re.compile("^Make")).click()
            text = await page.get_by_text(re.compile(r"hf_\w{20,}")).first.inner_text()
            made = re.search(r"hf_\w+", text)
            assert made is not None
            assert server.ask("/me", key=made[0])["name"] == "robot"
            await page.keyboard.press("Escape")

            await (
                page.get_by_role("row", name=re.compile("robot"))
                .get_by_role("button", name=re.compile("Revoke"))
                .click()
            )
            await page.get_by_role("dialog").get_by_role("button", name=re.compile("^Revoke")).click()
            await expect(page.get_by_role("dialog")).to_have_count(0)
        states = {key["name"]: key["state"] for key in server.ask("/keys", key=admin)["items"]}
    assert states["robot"] == "revoked"
