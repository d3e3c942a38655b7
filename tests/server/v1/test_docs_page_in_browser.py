"""The page of the API in a real Chromium: it asks only its own server, and does what its user may do."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from tests.server.v1.test_access import Server, all_routes, keyed_server

playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason="chromium is not installed, so the page of the API is NOT TESTED in a browser; "
    "install it (apt install chromium)",
)
_WAIT: Final = 60_000.0
"""Milliseconds, on a busy machine."""


@asynccontextmanager
async def opened(server: Server, **options: Any) -> AsyncGenerator[Any]:
    """The page, as somebody sees it who has never been there."""
    async with playwright.async_playwright() as driver:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            page = await browser.new_page(**options)
            page.set_default_timeout(_WAIT)
            page.asked = []
            page.errors = []
            page.on("request", lambda request: page.asked.append(request.url))
            page.on("pageerror", lambda error: page.errors.append(str(error)))
            await page.goto(f"{server.base}/api/v1/docs")
            await page.wait_for_selector("#routes details")
            yield page
        finally:
            await browser.close()


async def says(page: Any, text: str) -> None:
    await playwright.expect(page.locator("#caller")).to_have_text(text, timeout=_WAIT)


async def log_in(page: Any, key: str) -> None:
    await page.locator("#key").fill(key)
    await page.get_by_role("button", name="Log in").click()


async def send(page: Any, method: str, path: str, body: str | None = None, **parameters: str) -> str:
    """Tries a route, and returns what the page says of the answer."""
    route = (
        page.locator("details")
        .filter(has=page.locator("summary .method", has_text=method))
        .filter(has=page.locator("summary code", has_text=re.compile(f"^{re.escape(path)}$")))
    )
    if await route.get_attribute("open") is None:
        await route.locator("summary").click()
    for name, value in parameters.items():
        await route.locator(f"input[aria-label^='{name} in ']").fill(value)
    if body is not None:
        await route.locator("textarea").fill(body)
    await route.get_by_role("button", name="Send").click()
    status = route.locator(".send [role=status]")
    await playwright.expect(status).to_have_text(re.compile(r"^\d{3} "), timeout=_WAIT)
    answer = await route.locator("pre[aria-label=answer]").text_content()
    return f"{await status.text_content()} {answer}"


async def test_everybody_sees_all_routes_and_nobody_else_is_asked(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, opened(server) as page:
        await says(page, "Log in to try the routes.")

        shown = await page.locator("#routes details summary").all_inner_texts()
        assert page.url == f"{server.base}/api/v1/docs"
        assert len(shown) == len([path for _, path, _ in all_routes() if path.startswith("/api/v1/")])
        assert {url for url in page.asked if not url.startswith((f"{server.base}/", "data:"))} == set()
        assert page.errors == []


async def test_routes_are_found_by_words_and_by_the_address(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, opened(server) as page:
        await page.locator("#filter").fill("post {id}/cancel")
        visible = await page.locator("#routes details:visible summary code").all_inner_texts()
        assert visible == ["/api/v1/runs/{id}/cancel", "/api/v1/bulk/{id}/cancel"]

        opened_route = page.locator("details:visible").first
        await opened_route.locator("summary").click()
        await playwright.expect(page).to_have_url(re.compile("#."))
        await page.reload()
        address = page.url.partition("#")[2]
        await playwright.expect(page.locator(f"details[id='{address}']")).to_have_attribute("open", "")


async def test_without_a_key_or_with_a_wrong_one_nothing_is_answered(sqlite_url: str):
    async with keyed_server(sqlite_url) as server, opened(server) as page:
        await says(page, "Log in to try the routes.")
        assert (await send(page, "GET", "/api/v1/runs")).startswith("401 ")

        await log_in(page, "hf_0000000000000000_wrong")

        await playwright.expect(page.locator("#caller")).not_to_have_text("Log in to try the routes.")
        assert await page.locator("#login").is_visible()
        assert (await send(page, "GET", "/api/v1/runs")).startswith("401 ")


async def test_with_a_key_one_can_do_what_its_role_may_do_until_one_logs_out(sqlite_url: str):
    body = '{"workflow": "doubled", "input": [4], "id": "from-the-page"}'
    async with keyed_server(sqlite_url) as server, opened(server) as page:
        await says(page, "Log in to try the routes.")
        await log_in(page, server.keys["viewer"])
        await says(page, "You are the viewer: viewer in the namespace default.")
        assert (await send(page, "GET", "/api/v1/runs")).startswith("200 ")
        refused = await send(page, "POST", "/api/v1/runs", body)
        await page.get_by_role("button", name="Log out").click()
        await says(page, "Log in to try the routes.")

        await log_in(page, server.keys["operator"])
        await says(page, "You are the operator: operator in the namespace default.")
        started = await send(page, "POST", "/api/v1/runs", body, wait="20")
        read = await send(page, "GET", "/api/v1/runs/{id}", id="from-the-page")

        assert refused.startswith("403 "), refused
        assert started.startswith("201 "), started
        assert '"output": 8' in read
        assert await page.locator("#key").input_value() == ""
        assert page.errors == []


async def test_it_fits_a_telephone_and_has_a_dark_side(sqlite_url: str):
    async with keyed_server(sqlite_url) as server:
        backgrounds: set[str] = set()
        for scheme in ("light", "dark"):
            narrow = {"width": 360, "height": 740}
            async with opened(server, color_scheme=scheme, viewport=narrow) as page:
                await send(page, "GET", "/api/v1/me")
                assert await page.evaluate("document.documentElement.scrollWidth") <= 360
                backgrounds.add(await page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert len(backgrounds) == 2
