"""Who looks at the pages: sessions that end or change under an open page, and what a role is offered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.pages.browser import Server, expect, log_in, make_key, needs_browser, opened, serving

pytestmark = needs_browser


async def another_tab(page: Any, server: Server, path: str) -> Any:
    other = await page.context.new_page()
    await other.goto(f"{server.base}{path}")
    return other


async def test_logging_out_in_one_tab_takes_the_data_from_the_others(tmp_path: Path):
    key = make_key(tmp_path, "ann", "admin")
    with serving(tmp_path, orders=0) as server:
        server.ask("/runs", {"workflow": "nap", "input": [60.0], "id": "nap-1"}, key=key)
        async with opened(server.base, "/runs", strict=False) as page:
            await log_in(page, key)
            await expect(page.get_by_role("link", name="nap-1")).to_be_visible()
            other = await another_tab(page, server, "/settings")
            await other.get_by_role("button", name="Log out").click()

            await expect(page.get_by_role("heading", name="Your session has ended")).to_be_visible(
                timeout=2_000
            )
            await expect(page.get_by_text("nap-1")).to_have_count(0)


async def test_a_tab_is_not_left_to_somebody_else_who_logs_in_in_another(tmp_path: Path):
    admin, viewer = make_key(tmp_path, "ann", "admin"), make_key(tmp_path, "bob", "viewer")
    with serving(tmp_path, orders=0) as server:
        server.ask("/runs", {"workflow": "nap", "input": [60.0], "id": "nap-1"}, key=admin)
        async with opened(server.base, "/runs/nap-1", strict=False) as page:
            await log_in(page, admin)
            await expect(page.get_by_role("button", name="Cancel…")).to_be_visible()
            other = await another_tab(page, server, "/settings")
            await other.get_by_role("button", name="Log out").click()
            await log_in(other, viewer)
            await expect(other.get_by_role("button", name="Log out")).to_be_visible()

            await expect(page.get_by_text("Waits").first).to_be_visible()
            await expect(page.get_by_role("button", name="Cancel…")).to_have_count(0)


async def test_a_change_with_the_token_of_a_session_before_says_what_to_do(tmp_path: Path):
    key = make_key(tmp_path, "ann", "admin")
    with serving(tmp_path, orders=0) as server:
        server.ask("/runs", {"workflow": "nap", "input": [60.0], "id": "nap-1"}, key=key)
        async with opened(server.base, "/runs/nap-1", strict=False) as page:
            await log_in(page, key)
            await page.get_by_role("button", name="Cancel…").click()
            # Of another tab that could not tell this one.
            await page.evaluate(
                """key => fetch("/api/v1/session", {
                    method: "POST",
                    headers: {"content-type": "application/json"},
                    body: JSON.stringify({key}),
                })""",
                key,
            )
            dialog = page.get_by_role("dialog")
            await dialog.get_by_role("button", name="Cancel the run").click()
            await expect(dialog).to_contain_text("Nothing was done. Try it again.")
            await dialog.get_by_role("button", name="Cancel the run").click()
            await expect(dialog).to_have_count(0)
            await expect(page.get_by_role("region", name="This run")).to_contain_text("cancelled")


@pytest.mark.parametrize("role", ["viewer", "operator"])
async def test_an_address_opens_no_dialog_for_what_the_role_may_not_do(tmp_path: Path, role: str):
    key = make_key(tmp_path, "ann", role)
    with serving(tmp_path, orders=0) as server:
        async with opened(server.base, "/schedules?new=1", strict=False) as page:
            await log_in(page, key)
            await expect(page.locator("main").get_by_text("nightly_settlement").first).to_be_visible()
            await expect(page.get_by_role("dialog")).to_have_count(0)
