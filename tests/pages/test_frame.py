"""What all pages have: themes, keys, one stream of events, and what they do without their server."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages.browser import DESK, PHONE, Server, expect, needs_browser, opened, serving

pytestmark = needs_browser

_LOST = (
    "ERR_CONNECTION",
    "ERR_CONTENT_LENGTH_MISMATCH",
    "ERR_INCOMPLETE_CHUNKED_ENCODING",
    "ERR_NETWORK",
    "status of 503",
)
"""What Chromium writes on the console when a server is killed, and comes back."""


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_every_page_opens_without_an_error_and_asks_nobody_else(
    shop: Server, theme: str, viewport: dict[str, int]
):
    async with opened(shop.base, viewport=viewport, theme=theme) as page:
        for path in (
            "/runs",
            "/workflows",
            "/approvals",
            "/schedules",
            "/fleet",
            "/settings",
            "/runs/cart-ann",
            "/workflows/fulfil",
        ):
            await page.goto(f"{shop.base}{path}")
            await expect(page.locator("main h1").first).to_be_attached()
            assert await page.evaluate("document.documentElement.dataset.theme") == theme
            wide = await page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert wide <= 0, f"{path} can be scrolled sideways"


async def test_a_tab_has_one_stream_of_events(shop: Server):
    async with opened(shop.base) as page:
        for path in ("Runs", "Workflows", "Fleet", "Home"):
            await page.get_by_role("navigation", name="Pages").get_by_role("link", name=path).click()
            await expect(page.get_by_role("link", name=path, exact=True).first).to_have_attribute(
                "aria-current", "page"
            )
        streams = [url for url in page.asked if "/pulse" in url]

    assert len(streams) == 1


async def test_the_theme_is_kept(shop: Server):
    async with opened(shop.base, theme="light") as page:
        await page.keyboard.press("t")
        assert await page.evaluate("document.documentElement.dataset.theme") == "dark"
        await page.reload()
        await expect(page.locator("main .say")).to_be_attached()
        assert await page.evaluate("document.documentElement.dataset.theme") == "dark"


async def test_keys_lead_to_pages_and_are_listed(shop: Server):
    async with opened(shop.base) as page:
        await page.keyboard.press("g")
        await page.keyboard.press("s")
        await page.wait_for_url("**/schedules")
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog", name="Keys")).to_have_count(0)


async def test_a_page_that_loses_its_server_says_so_and_comes_back_by_itself(tmp_path: Path):
    with serving(tmp_path, orders=0) as server:
        async with opened(server.base, "/runs", strict=False) as page:
            await expect(page.locator("button.live")).to_contain_text("live")
            server.kill()
            await expect(page.get_by_text("The server has not been heard of")).to_be_visible()
            server.start()
            await expect(page.get_by_text("The server has not been heard of")).to_have_count(0)
            server.ask("/runs", {"workflow": "nap", "input": {"seconds": 600}, "id": "after-the-outage"})
            await expect(page.get_by_text("after-the-outage").first).to_be_visible()
            assert [error for error in page.errors if not any(text in error for text in _LOST)] == []


async def test_an_address_that_names_no_page_says_so(shop: Server):
    async with opened(shop.base, "/runs/a/b/c") as page:
        await expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()


async def test_the_first_page_shows_the_first_steps_and_notices_the_first_workflow(tmp_path: Path):
    with serving(tmp_path, orders=0, files=()) as server:
        async with opened(server.base) as page:
            program = page.locator("main pre").first
            await expect(program).to_contain_text("async def hello")
            ends, begins = (
                await program.bounding_box(),
                await page.locator("main ol > li").nth(1).bounding_box(),
            )
            assert ends["y"] + ends["height"] <= begins["y"], "the program lies on the step below it"

            server.ask("/workflows/rest", {"text": "name: rest\ntasks: {nap: {sleep: 1s}}"}, method="PUT")
            await page.get_by_role("link", name="rest", exact=True).click()
            await expect(page.get_by_role("button", name="Start a run")).to_be_visible()
