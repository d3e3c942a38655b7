"""Names, logs, errors and payloads full of markup, colours, marks of direction, long lines: all is text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from tests.pages.browser import DESK, PHONE, expect, needs_browser, opened, serving

pytestmark = needs_browser

MARKUP: Final = "<img src=x onerror=\"window.hit='img'\"><script>window.hit='script'</script>&lt;b&gt;"
ANSI: Final = "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link\x1b]8;;\x07 \x1b[2J"
BIDI: Final = "safe\u202etxt.exe\u2066 \u200bhidden"
LINK: Final = "javascript:window.hit='link'"
NASTY: Final = f"{MARKUP} {ANSI} {BIDI} {LINK}"

PROGRAM: Final = f"""
from holdfast import context, task, task_context, workflow

NASTY = {NASTY!r}

@task
async def shout(text: str) -> str:
    task_context().logger.info(NASTY)
    task_context().logger.info("x" * 1_000_000)
    context_free = text
    return context_free

@task
async def break_down(text: str) -> None:
    raise RuntimeError(NASTY)

@workflow(name={MARKUP[:60]!r})
async def hostile(text: str, fails: bool = True) -> str:
    context().state.set("nasty", NASTY)
    context().publish("news", NASTY)
    said = await shout(text)
    if fails:
        await break_down(text)
    return said

@workflow
async def asks(text: str) -> object:
    return await context().ask(NASTY, name="ask", facts={{NASTY: NASTY}}, answer=bool)
"""


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
async def test_everything_of_users_is_shown_as_text(tmp_path: Path, viewport: dict[str, int]):
    program = tmp_path / "hostile.py"
    program.write_text(PROGRAM, encoding="utf-8")
    with serving(tmp_path, orders=0, files=(str(program),)) as server:
        nasty = {"text": NASTY, NASTY: [NASTY, "y" * 1_000_000]}
        text = json.dumps(nasty)
        name = MARKUP[:60]
        run = server.ask(
            "/runs?wait=20", {"workflow": name, "input": [text], "id": f"run {MARKUP[:80]}", "tags": [BIDI]}
        )
        server.ask("/runs?wait=20", {"workflow": name, "input": [text, False], "id": "fine"})
        asks = server.ask("/runs", {"workflow": "asks", "input": [text], "id": f"asks {BIDI}"})
        async with opened(server.base, "/", viewport=viewport) as page:
            tabs = [f"/runs/{run['key']}?tab={tab}" for tab in TABS] + [
                f"/runs/fine?tab={tab}" for tab in TABS
            ]
            for path in ["/", "/runs", "/workflows", "/approvals", "/fleet", "/settings/audit", *tabs]:
                await page.goto(f"{server.base}{path}")
                await expect(page.locator("main h1, main .say").first).to_be_attached()
                await page.wait_for_timeout(500)
                if "?tab=" in path:
                    await expect(page.get_by_role("tabpanel")).to_be_attached()
                assert await page.evaluate("window.hit") is None, path
                assert await page.locator("main img[src=x], main script").count() == 0, path
                assert await page.locator("main a[href^='javascript']").count() == 0, path
                shown = await page.locator("main").inner_text()
                assert "\x1b" not in shown, path
                assert "\u202e" not in shown, path
                wide = await page.evaluate(
                    "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                )
                assert wide <= 0, path
            await page.goto(f"{server.base}/runs/{asks['key']}?tab=messages")
            await page.get_by_role("button", name="Answer…").click()
            dialog = await page.get_by_role("dialog").inner_text()
            assert "safe\\u202etxt.exe" in dialog
            for said in (dialog, await page.title()):
                assert "\u202e" not in said
                assert "\x1b" not in said


TABS: Final = ("timeline", "tasks", "journal", "logs", "values", "messages", "streams")
