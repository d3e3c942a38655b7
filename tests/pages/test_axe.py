"""No page has a serious finding of axe-core, in both themes and at both widths."""

from __future__ import annotations

from typing import Any

import pytest
from tests.pages.browser import DESK, PHONE, ROOT, Server, expect, needs_browser, opened
from tests.pages.screenshots import PAGES

pytestmark = needs_browser

AXE = ROOT / "ui" / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """async () => {
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations
        .filter((each) => ["serious", "critical"].includes(each.impact))
        .map((each) => [each.id, each.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]);
}"""


async def findings(page: Any) -> Any:
    # The policy of the pages allows no script from elsewhere: the driver evaluates it.
    await page.evaluate(AXE.read_text("utf-8"))
    return await page.evaluate(_RUN)


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_no_page_has_a_serious_finding(shop: Server, theme: str, viewport: dict[str, int]):
    found: dict[str, Any] = {}
    async with opened(shop.base, viewport=viewport, theme=theme) as page:
        for name, path in PAGES.items():
            await page.goto(f"{shop.base}{path}")
            await expect(page.locator("main h1, main .say").first).to_be_attached()
            await page.wait_for_timeout(700)
            if serious := await findings(page):
                found[name] = serious

    assert found == {}


async def test_a_serious_finding_would_be_seen(shop: Server):
    async with opened(shop.base) as page:
        await page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        assert [name for name, _ in await findings(page)] == ["button-name"]
