"""What a person does with the pages: each test is one errand, from the first click to what is recorded."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from tests.pages.browser import (
    DESK,
    PHONE,
    Server,
    expect,
    log_in,
    make_key,
    needs_browser,
    opened,
    serving,
)

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


@BOTH
async def test_a_run_is_started_from_the_form_and_watched_to_its_end(
    tmp_path: Path, viewport: dict[str, int], theme: str
):
    with serving(tmp_path, orders=0) as server:
        async with opened(server.base, "/workflows/fulfil", viewport=viewport, theme=theme) as page:
            await page.evaluate("window.isTheSame = true")
            form = page.get_by_role("region", name="Start a run")
            items = form.get_by_role("group", name="items", exact=True)
            for number, item in enumerate(("tea", "pot"), 1):
                await items.get_by_role("button", name="Add one").click()
                await items.get_by_label(f"items {number}", exact=True).fill(item)
            await form.get_by_label("cents", exact=True).fill("a lot")
            await form.get_by_label("id of the run").fill("from-the-form")
            await form.get_by_role("button", name=re.compile("^Start ")).click()
            await expect(form.get_by_label("cents", exact=True)).to_have_attribute("aria-invalid", "true")
            await expect(form.get_by_label("cents", exact=True)).to_have_accessible_description(
                re.compile("number")
            )
            assert server.ask("/runs")["items"] == []

            await form.get_by_label("cents", exact=True).fill("1250")
            await form.get_by_role("button", name=re.compile("^Start ")).click()
            await page.wait_for_url("**/runs/from-the-form")
            await expect(page.get_by_role("region", name="This run")).to_contain_text("success")
            assert await page.evaluate("window.isTheSame") is True
        found = server.ask("/runs/from-the-form")
    given = {"items": ["tea", "pot"], "cents": 1250}
    assert found["input"] == {**given, "currency": "EUR", "gift": False}
    assert found["output"] == "receipt-1250: 2 parcels on their way"


FRAGILE = """
from pathlib import Path

from holdfast import task, task_context, workflow

@task
async def open_valve() -> str:
    if not Path("mended").exists():
        task_context().logger.error("the valve is stuck at 40 degrees")
        raise RuntimeError("stuck")
    return "open"

@task
async def look() -> str:
    task_context().logger.info("all pipes are dry")
    return "dry"

@workflow
async def water() -> str:
    await look()
    return await open_valve()
"""


@BOTH
async def test_the_log_of_a_failed_task_is_found_and_the_run_is_retried(
    tmp_path: Path, viewport: dict[str, int], theme: str
):
    program = tmp_path / "garden.py"
    program.write_text(FRAGILE, encoding="utf-8")
    with serving(tmp_path, orders=0, files=(str(program),)) as server:
        server.ask("/runs?wait=30", {"workflow": "water", "id": "roses"})
        async with opened(server.base, "/runs?status=failed", viewport=viewport, theme=theme) as page:
            await page.get_by_role("link", name="roses").click()
            this = page.get_by_role("region", name="This run")
            await expect(this).to_contain_text("failed")
            await page.keyboard.press("e")
            await page.wait_for_url("**name=open_valve*")
            chosen = page.get_by_role("complementary", name="What is chosen")
            await chosen.get_by_role("button", name="Logs", exact=True).click()
            await expect(page.get_by_text("the valve is stuck at 40 degrees").first).to_be_visible()
            await expect(page.get_by_text("all pipes are dry")).to_have_count(0)

            (tmp_path / "mended").touch()
            await this.get_by_role("button", name=re.compile("^Retry")).click()
            dialog = page.get_by_role("dialog")
            await expect(dialog).to_contain_text("what failed in it is tried again")
            await expect(dialog).to_contain_text("1 task is done and recorded, and not done again")
            await dialog.get_by_role("button", name="Retry", exact=True).click()
            await expect(this).to_contain_text("success")
        assert ended(server, "roses")["output"] == "open"


@BOTH
async def test_an_approval_takes_two_presses_and_the_run_goes_on(
    tmp_path: Path, viewport: dict[str, int], theme: str
):
    with serving(tmp_path, orders=0) as server:
        server.ask("/runs", {"workflow": "refund", "input": ["Kato KK", 9_900], "id": "refund-1"})
        async with opened(server.base, "/approvals", viewport=viewport, theme=theme) as page:
            ask = page.get_by_role("article", name="Refund € 99.00 to Kato KK?")
            await ask.get_by_role("button", name="Yes", exact=True).click()
            again = ask.get_by_role("button", name="Press again: yes")
            await expect(again).to_be_visible()
            assert server.ask("/runs/refund-1")["finished_at"] is None

            # A second press within 350 ms is half of a double click, and answers nothing.
            await page.wait_for_timeout(500)
            await again.click()
            await expect(ask).to_contain_text("You answered yes")
            await page.goto(f"{server.base}/runs/refund-1")
            await expect(page.get_by_role("region", name="This run")).to_contain_text("success")
        assert ended(server, "refund-1")["output"] == "receipt--9900"


@BOTH
async def test_a_signal_is_sent_from_the_messages_and_ends_the_wait(
    tmp_path: Path, viewport: dict[str, int], theme: str
):
    with serving(tmp_path, orders=0) as server:
        server.ask("/runs", {"workflow": "wait_for_payment", "input": ["order-88101"], "id": "payment-88101"})
        async with opened(
            server.base, "/runs/payment-88101?tab=messages", viewport=viewport, theme=theme
        ) as page:
            await page.get_by_role("button", name="Send a signal").click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_label("name", exact=True).fill("paid")
            await dialog.get_by_label("value", exact=True).fill('"in cash"')
            await dialog.get_by_role("button", name="Send the signal").click()
            await expect(page.get_by_role("region", name="This run")).to_contain_text("success")
            await expect(page.get_by_role("row", name=re.compile("paid"))).to_contain_text("heard")
        assert ended(server, "payment-88101")["output"] == "order-88101: in cash"


async def test_a_part_of_the_chart_is_marked_with_the_mouse_and_becomes_a_filter(tmp_path: Path):
    with serving(tmp_path, orders=0) as server:
        server.ask("/runs", {"workflow": "nap", "input": [5.0], "id": "first-nap"})
        ended(server, "first-nap")
        server.ask("/runs", {"workflow": "nap", "input": [0.0], "id": "second-nap"})
        ended(server, "second-nap")
        async with opened(server.base, "/runs") as page:
            first, second = (page.get_by_role("link", name=name) for name in ("first-nap", "second-nap"))
            await expect(second).to_be_visible()
            chart = page.get_by_role("application", name=re.compile("when they began"))
            box = await chart.bounding_box()
            await page.mouse.move(box["x"] + 50, box["y"] + 2)
            await page.mouse.down()
            for part in (0.06, 0.08, 0.1):
                await page.mouse.move(box["x"] + part * box["width"], box["y"] + box["height"] - 5)
            await page.mouse.up()
            await page.wait_for_url("**brush=*")
            await expect(second).to_have_count(0)
            await expect(first).to_be_visible()

            await chart.press("Enter")
            await page.wait_for_url("**began=*")
            assert "brush=" not in page.url
            await expect(second).to_have_count(0)
            await expect(first).to_be_visible()


async def test_a_journal_is_stepped_through_and_the_graph_shows_the_run_as_it_was(shop: Server):
    ended(shop, "order-88101")
    async with opened(shop.base, "/runs/order-88101?tab=journal") as page:
        graph = page.get_by_role("region", name="Graph")
        await expect(graph.get_by_role("button", name=re.compile("ship, success"))).to_be_visible()
        await page.get_by_role("button", name="The first step").click()
        await page.wait_for_url("**step=0*")
        await expect(graph.get_by_role("button", name=re.compile("ship, success"))).to_have_count(0)
        await page.keyboard.press("ArrowRight")
        await page.wait_for_url("**step=1*")
        await expect(graph.get_by_role("button", name=re.compile("reserve, success"))).to_be_visible()

        await page.get_by_role("button", name="Back to now").click()
        await expect(graph.get_by_role("button", name=re.compile("ship, success"))).to_be_visible()
        assert "step=" not in page.url


async def test_six_characters_of_an_id_lead_to_the_run(shop: Server):
    async with opened(shop.base, "/fleet") as page:
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox", name="Find or do").fill("cart-a")
        await expect(page.get_by_role("option", name=re.compile("cart-ann"))).to_be_visible()
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/runs/cart-ann")
        await expect(page.get_by_role("heading", name="cart-ann")).to_be_visible()


@pytest.mark.parametrize("role", ["viewer", "operator", "admin"])
async def test_who_may_not_do_something_sees_no_button_for_it(tmp_path: Path, role: str):
    key = make_key(tmp_path, "ann", role)
    admin = make_key(tmp_path, "root", "admin")
    with serving(tmp_path, orders=0) as server:
        server.ask("/runs?wait=30", {"workflow": "fulfil", "input": [["tea"], 1, ""], "id": "bad"}, admin)
        server.ask("/runs", {"workflow": "refund", "input": ["Kato", 9_900], "id": "asks"}, admin)
        server.ask("/runs", {"workflow": "nap", "id": "nap-1"}, admin)
        async with opened(server.base, "/runs/bad", strict=False) as page:
            await log_in(page, key)
            acts = int(role != "viewer")
            administers = int(role == "admin")
            await expect(page.get_by_role("heading", name="bad")).to_be_visible()
            await expect(page.get_by_role("button", name=re.compile("^Retry"))).to_have_count(acts)
            await page.get_by_role("button", name="More to do with this run").click()
            await expect(page.get_by_role("link", name="Compare with…")).to_be_visible()
            await expect(page.get_by_role("button", name="Delete…")).to_have_count(administers)

            await page.goto(f"{server.base}/runs/nap-1?tab=messages")
            await expect(page.get_by_text("Nothing was sent to it yet.")).to_be_visible()
            await expect(page.get_by_role("button", name="Send a signal")).to_have_count(acts)
            await expect(page.get_by_role("button", name="Cancel…")).to_have_count(acts)

            await page.goto(f"{server.base}/workflows/fulfil")
            await expect(page.get_by_role("link", name="Its runs", exact=True)).to_be_visible()
            await expect(page.get_by_role("button", name="Start a run")).to_have_count(acts)

            await page.goto(f"{server.base}/approvals")
            await expect(page.get_by_role("article")).to_have_count(1)
            await expect(page.get_by_role("button", name="Yes", exact=True)).to_have_count(acts)

            await page.goto(f"{server.base}/schedules")
            await expect(page.locator("main h1")).to_be_attached()
            await expect(page.get_by_role("button", name=re.compile("^New schedule"))).to_have_count(
                administers
            )
            await page.goto(f"{server.base}/settings")
            settings = page.get_by_role("navigation", name="Settings")
            await expect(settings.get_by_role("link", name="Alerts")).to_be_visible()
            await expect(settings.get_by_role("link", name="Keys")).to_have_count(administers)
