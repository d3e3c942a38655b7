"""A page that stays open: while its server goes and comes back, beside other tabs, and under hasty hands."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path
from typing import Any

import pytest
from tests.pages.browser import WAIT, Server, expect, needs_browser, opened, serving

pytestmark = needs_browser


async def test_what_is_held_still_is_not_called_live_when_the_server_has_gone(tmp_path: Path):
    with serving(tmp_path, orders=0) as server:
        async with opened(server.base, "/fleet", strict=False) as page:
            button = page.locator("button.live")
            await expect(button).to_contain_text("live")
            await page.keyboard.press(".")
            await expect(button).to_contain_text("held still")
            asked = len(page.asked)
            await page.wait_for_timeout(6_000)
            assert page.asked[asked:] == [], "the page of the fleet asks every five seconds otherwise"

            server.kill()
            await page.wait_for_timeout(4_500)
            await page.keyboard.press(".")
            await expect(button).to_contain_text("not live")
            server.start()
            await expect(button).to_contain_text(re.compile("^live"))


async def test_a_tab_that_is_opened_in_the_background_asks_for_events_when_it_is_seen(shop: Server):
    """A browser has six connections to a server over HTTP/1.1: seven such tabs would stand still."""
    async with opened(shop.base) as page:
        await page.add_init_script(
            """
            let isHidden = true;
            Object.defineProperty(document, "hidden", { get: () => isHidden });
            window.show = () => { isHidden = false; document.dispatchEvent(new Event("visibilitychange")); };
            """
        )
        page.asked.clear()
        await page.goto(f"{shop.base}/runs")
        await expect(page.get_by_role("link", name="cart-ann")).to_be_visible()
        assert [url for url in page.asked if "/pulse" in url] == []

        async with page.expect_request("**/api/v1/pulse*"):
            await page.evaluate("window.show()")


async def test_a_page_whose_script_is_gone_is_loaded_again(shop: Server):
    """A server of another version has other files."""
    async with opened(shop.base, strict=False) as page:
        is_old = True

        def look(request: Any) -> None:
            nonlocal is_old
            is_old = is_old and request.resource_type != "document"

        async def answer(route: Any) -> None:
            await (route.fulfill(status=404) if is_old else route.continue_())

        page.on("request", look)
        await page.route(re.compile(r"/pages/Fleet-[\w-]+\.js"), answer)
        await page.get_by_role("link", name="Fleet", exact=True).first.click()
        await expect(page.get_by_role("heading", name="Queues")).to_be_visible()
        assert page.url.endswith("/fleet")
        assert not is_old


async def test_a_page_that_is_opened_while_the_database_is_away_comes_by_itself(shop: Server):
    async with opened(shop.base, strict=False) as page:
        away: dict[str, Any] = {"status": 503, "content_type": "application/problem+json"}
        away["body"] = '{"code": "store-unavailable", "detail": "the database does not answer"}'
        await page.route("**/api/v1/session", lambda route: route.fulfill(**away))
        await page.goto(f"{shop.base}/runs")
        await expect(page.get_by_role("heading", name="The server cannot answer")).to_be_visible()
        await expect(page.get_by_text("the database does not answer")).to_be_visible()
        await page.unroute("**/api/v1/session")
        await expect(page.get_by_role("link", name="cart-ann")).to_be_visible()


async def test_rows_stay_under_the_eye_when_the_stream_comes_back(tmp_path: Path):
    with serving(tmp_path, orders=0) as server:
        for number in range(260):
            server.ask("/runs", {"workflow": "nap", "input": {"seconds": 0}, "id": f"nap-{number:03}"})
        async with opened(server.base, "/runs", strict=False) as page:
            row = page.get_by_role("link", name="nap-020", exact=True)
            for _ in range(12):
                await page.mouse.move(700, 600)
                await page.mouse.wheel(0, 1_500)
                await page.wait_for_timeout(200)
            await expect(row).to_be_visible()
            before = await page.evaluate("scrollY")
            assert before > 4_000
            for _ in range(2):
                await page.keyboard.press(".")
                await page.wait_for_timeout(1_500)
            assert abs(await page.evaluate("scrollY") - before) < 40
            await expect(row).to_be_visible()


async def test_keys_of_the_page_do_nothing_behind_a_dialog(shop: Server):
    async with opened(shop.base, "/schedules?name=hourly_orders") as page:
        await page.get_by_role("button", name="Pause").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Cancel").focus()
        theme = await page.evaluate("document.documentElement.dataset.theme")
        for key in ("t", "g", "h", "j"):
            await page.keyboard.press(key)
        await expect(dialog).to_contain_text("Pause hourly_orders?")
        assert await page.evaluate("document.documentElement.dataset.theme") == theme
        assert "/schedules?name=hourly_orders" in page.url
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)


async def test_a_double_click_deletes_one_schedule_and_asks_about_no_other(tmp_path: Path):
    with serving(tmp_path, orders=1) as server:
        names = {each["name"] for each in server.ask("/schedules")["items"]}
        assert len(names) > 2
        async with opened(server.base, "/schedules?name=hourly_orders", strict=False) as page:

            async def slowly(route: Any) -> None:
                await page.wait_for_timeout(1_500)
                await route.continue_()

            dialog = page.get_by_role("dialog")
            await page.get_by_role("button", name="Delete").click()
            await expect(dialog).to_contain_text("Delete the schedule hourly_orders?")
            box = await dialog.get_by_role("button", name="Delete", exact=True).bounding_box()
            await page.route("**/api/v1/schedules", slowly)
            await page.mouse.click(box["x"] + 5, box["y"] + 5)
            for _ in range(10):
                await page.wait_for_timeout(100)
                await page.mouse.click(box["x"] + 5, box["y"] + 5)
            await expect(dialog).to_have_count(0)
            await page.unroute("**/api/v1/schedules", slowly)
        assert {each["name"] for each in server.ask("/schedules")["items"]} == names - {"hourly_orders"}


async def test_a_schedule_that_is_not_there_is_not_taken_for_another(shop: Server):
    async with opened(shop.base, "/schedules?name=gone&do=delete") as page:
        await expect(page.get_by_text("There is no schedule gone.")).to_be_visible()
        await expect(page.get_by_role("button", name="Trigger now")).to_have_count(0)
        await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_an_address_names_the_namespace_that_was_chosen(tmp_path: Path):
    with serving(tmp_path, orders=1) as server:
        async with opened(server.base, "/runs?namespace=%E5%BA%97", strict=False) as page:
            await expect(page.get_by_text("There is no run yet.")).to_be_visible()
            await page.get_by_role("link", name="Schedules").first.click()
            await page.wait_for_url("**/schedules?namespace=*")
            await expect(page.get_by_text("No schedules.")).to_be_visible()
            await page.get_by_role("button", name="店").click()
            await page.get_by_role("button", name=re.compile("^default")).click()
            await page.wait_for_url("**/schedules?namespace=default")
            address = page.url
            await expect(page.locator("main").get_by_text("hourly_orders").first).to_be_visible()
            assert page.errors == []
        async with opened(server.base, address.removeprefix(server.base)) as other:
            await expect(other.locator("main").get_by_text("hourly_orders").first).to_be_visible()


async def test_filters_with_the_names_of_the_api_can_be_taken_away(shop: Server):
    async with opened(shop.base, "/runs?id_contains=cart&created_after=2020-01-01T00:00:00Z") as page:
        await expect(page.get_by_role("link", name="cart-ann")).to_be_visible()
        await page.get_by_role("button", name="Take away id").click()
        await expect(page.get_by_role("button", name="Take away id")).to_have_count(0)
        await page.get_by_role("button", name="Take away began").click()
        await expect(page.get_by_role("button", name=re.compile("^Take away"))).to_have_count(0)
        assert page.url == f"{shop.base}/runs"


@pytest.mark.parametrize(
    "path", ["/", "/runs", "/workflows", "/workflows/fulfil", "/approvals", "/schedules"]
)
async def test_the_keys_of_every_page_can_be_listed(shop: Server, path: str):
    async with opened(shop.base, path) as page:
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


async def test_a_text_is_copied_where_there_is_no_clipboard_for_scripts(shop: Server):
    """So it is over plain HTTP, which is what a server in a network of one's own may have."""
    async with opened(shop.base, "/runs") as page:
        await page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        await page.goto(f"{shop.base}/workflows/fulfil")
        await page.evaluate("addEventListener('copy', () => (window.copied = document.activeElement.value))")
        await page.get_by_role("button", name="Copy the source").click()
        await expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert "async def fulfil" in await page.evaluate("window.copied")


GREET = "name: greet\ninput: {%s}\ntasks: {rest: {sleep: %s}}\n"


async def test_what_is_typed_outlives_a_new_version_of_the_workflow(tmp_path: Path):
    with serving(tmp_path, orders=0) as server:

        def publish(text: str) -> None:
            server.ask("/workflows/greet", {"kind": "dag", "text": text}, method="PUT")

        publish(GREET % ("name: str", "0s"))
        async with opened(server.base, "/workflows/greet") as page:
            form = page.get_by_role("region", name="Start a run")
            name = form.get_by_label("name", exact=True)
            await name.fill("Ann")
            await form.get_by_label("id of the run").fill("for-ann")
            publish(GREET % ("name: str", "1s"))
            for _ in range(2):
                await page.locator("button.live").click()
            await expect(form.get_by_role("button", name="Start v2")).to_be_visible()
            await expect(name).to_have_value("Ann")

            publish(GREET % ("name: str, town: str", "1s"))
            for _ in range(2):
                await page.locator("button.live").click()
            await expect(form.get_by_text("v3 takes another input.")).to_be_visible()
            await expect(form.get_by_role("button", name="Start v2")).to_be_visible()
            await expect(name).to_have_value("Ann")
            await form.get_by_role("button", name="Use v3").click()
            await expect(form.get_by_label("town", exact=True)).to_be_visible()
            await expect(name).to_have_value("Ann")
            await expect(form.get_by_label("id of the run")).to_have_value("for-ann")


async def test_back_leads_through_the_tabs_of_a_run(shop: Server):
    async with opened(shop.base, "/runs") as page:
        await page.get_by_role("link", name="cart-ann").click()
        for name in ("Tasks", "Logs"):
            await page.get_by_role("tab", name=re.compile(f"^{name}")).click()
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("ArrowRight")
        for tab in ("Tasks", "Timeline"):
            await page.go_back()
            chosen = page.get_by_role("tab", name=re.compile(f"^{tab}"))
            await expect(chosen).to_have_attribute("aria-selected", "true")
        await page.go_back()
        await expect(
            page.get_by_role("heading", name=re.compile("runs", re.IGNORECASE)).first
        ).to_be_visible()
        assert page.url == f"{shop.base}/runs"


@pytest.mark.parametrize("hours", [3, -3])
async def test_the_time_without_the_server_is_right_when_the_clock_of_the_browser_is_wrong(
    tmp_path: Path, hours: int
):
    with serving(tmp_path, orders=0) as server:
        async with opened(server.base, strict=False) as page:
            await page.add_init_script(f"const now = Date.now; Date.now = () => now() + {hours} * 3_600_000")
            await page.goto(f"{server.base}/runs")
            await expect(page.locator("button.live")).to_contain_text("live")
            await page.wait_for_timeout(2_000)
            server.kill()
            await expect(page.get_by_text("The server has not been heard of for")).to_be_visible()
            said = await page.get_by_text("The server has not been heard of for").inner_text()
            assert re.search(r"for \d+(\.\d+)?\ss\.", said), said


async def test_back_leads_to_the_place_in_a_long_list(tmp_path: Path):
    with serving(tmp_path, orders=0) as server:
        runs = [{"input": {"seconds": 0}, "id": f"nap-{number:03}"} for number in range(400)]
        server.ask("/run-batches", {"workflow": "nap", "runs": runs})
        async with opened(server.base, "/runs") as page:
            row = page.get_by_role("link", name="nap-020", exact=True)
            for _ in range(20):
                await page.mouse.move(700, 600)
                await page.mouse.wheel(0, 1_500)
                await page.wait_for_timeout(200)
            await expect(row).to_be_visible()
            await row.scroll_into_view_if_needed()
            before = await page.evaluate("scrollY")
            assert before > 6_000
            await row.click()
            await expect(page.get_by_role("region", name="This run")).to_be_visible()

            await page.go_back()
            await expect(row).to_be_in_viewport()
            assert abs(await page.evaluate("scrollY") - before) < 200


async def test_the_focus_goes_back_to_the_button_of_a_menu(shop: Server):
    async with opened(shop.base, "/runs/cart-ann") as page:
        more = page.get_by_role("button", name="More to do with this run")
        for keys in (["Tab", "Escape"], ["Tab", "Enter", "Escape"]):
            await more.focus()
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("button", name="Terminate…")).to_be_visible()
            for key in keys:
                await page.keyboard.press(key)
            await expect(page.get_by_role("dialog")).to_have_count(0)
            await expect(more).to_be_focused()


async def test_a_dialog_is_closed_when_back_leads_to_another_run(tmp_path: Path):
    with serving(tmp_path, orders=0) as server:
        for each in ("nap-a", "nap-b"):
            server.ask("/runs", {"workflow": "nap", "input": {"seconds": 600}, "id": each})
        async with opened(server.base, "/runs/nap-a") as page:
            dialog = page.get_by_role("dialog")
            cancel = page.get_by_role("button", name="Cancel…")
            await expect(cancel).to_be_visible()
            await page.get_by_role("link", name=re.compile("^The run (before|after)$")).click()
            await expect(page.get_by_role("heading", name="nap-b", level=1)).to_be_visible()
            await cancel.click()
            await dialog.get_by_label("Reason").fill("nap-b is not needed")
            await page.go_back()
            await expect(page.get_by_role("heading", name="nap-a", level=1)).to_be_visible()
            await expect(dialog).to_have_count(0)

            # Back may lead to the same run, too.
            await page.get_by_role("tab", name=re.compile("^Tasks")).click()
            await cancel.click()
            await expect(dialog).to_contain_text("Cancel nap-a?")
            await page.go_back()
            await expect(page.get_by_role("tab", name="Timeline")).to_have_attribute("aria-selected", "true")
            await expect(dialog).to_have_count(0)


async def test_a_dialog_does_not_delete_a_later_run_with_the_same_id(tmp_path: Path):
    with serving(tmp_path, orders=0) as server:

        def start() -> str:
            server.ask("/runs", {"workflow": "nap", "input": {"seconds": 0}, "id": "nap-a"})
            while (found := server.ask("/runs/nap-a"))["finished_at"] is None:
                time.sleep(0.1)
            return found["key"]

        start()
        async with opened(server.base, "/runs/nap-a", strict=False) as page:
            dialog = page.get_by_role("dialog")
            # The page does not hear that the run is gone.
            await page.locator("button.live").click()
            await page.get_by_role("button", name="More to do with this run").click()
            await page.get_by_role("button", name="Delete…").click()
            server.ask("/runs/nap-a", method="DELETE")
            later = start()
            await dialog.get_by_role("button", name="Delete", exact=True).click()
            await expect(dialog.get_by_role("alert")).to_be_visible()
        assert server.ask("/runs/nap-a")["key"] == later


async def test_what_is_pressed_again_after_a_lost_answer_is_done_once(tmp_path: Path):
    with serving(tmp_path, orders=1) as server:
        server.ask("/runs", {"workflow": "wait_for_payment", "input": {"order": "7"}, "id": "pay"})
        async with opened(server.base, "/runs/pay", strict=False) as page:
            lost: list[str] = []

            async def lose_the_first(route: Any) -> None:
                if route.request.method != "POST" or route.request.url in lost:
                    return await route.continue_()
                lost.append(route.request.url)
                await route.fetch()
                await route.abort()

            await page.route(re.compile("/(signals|trigger|runs)$"), lose_the_first)
            alert = page.get_by_role("alert").filter(has_text="The server does not answer.")
            dialog = page.get_by_role("dialog")

            await page.get_by_role("button", name="Signal…").click()
            await dialog.get_by_label("Name").fill("note")
            await dialog.get_by_role("button", name="Signal").click()
            await expect(alert).to_be_visible()
            await dialog.get_by_role("button", name="Signal").click()
            await expect(dialog).to_have_count(0)
            assert len(server.ask("/runs/pay/messages")["items"]) == 1

            # Pressed after an answer came, it is another signal.
            await page.get_by_role("button", name="Signal…").click()
            await dialog.get_by_label("Name").fill("note")
            await dialog.get_by_role("button", name="Signal").click()
            await expect(dialog).to_have_count(0)
            assert len(server.ask("/runs/pay/messages")["items"]) == 2

            await page.goto(f"{server.base}/schedules?name=refund_sweep&do=trigger")
            await dialog.get_by_role("button", name="Start it").click()
            await expect(alert).to_be_visible()
            await dialog.get_by_role("button", name="Start it").click()
            await expect(page.get_by_role("status").filter(has_text="Started ")).to_be_visible()
            assert len(server.ask("/runs?schedule=refund_sweep")["items"]) == 1

            before = len(server.ask("/runs?workflow=nap")["items"])
            await page.goto(f"{server.base}/workflows/nap")
            form = page.get_by_role("region", name="Start a run")
            start = form.get_by_role("button", name=re.compile("^Start "))
            await start.click()
            await expect(alert).to_be_visible()
            await start.click()
            await page.wait_for_url("**/runs/*")
            assert len(server.ask("/runs?workflow=nap")["items"]) == before + 1
        assert len(lost) == 3


async def test_a_task_that_is_found_late_is_not_written_into_the_address_of_another_page(shop: Server):
    async with opened(shop.base, "/runs/order-88104") as page:

        async def slowly(route: Any) -> None:
            await asyncio.sleep(1.5)
            await route.continue_()

        await expect(page.get_by_text("failed").first).to_be_visible()
        await page.route("**/runs/order-88104/tasks?*status=failed*", slowly)
        async with page.expect_request("**/runs/order-88104/tasks?*status=failed*"):
            await page.keyboard.press("e")
        await page.get_by_role("link", name="Runs", exact=True).first.click()
        await expect(page.get_by_role("link", name="cart-ann")).to_be_visible()
        await page.wait_for_timeout(2_500)
        assert page.url == f"{shop.base}/runs"


WRITER = """
import asyncio

from holdfast import task, task_context, workflow

@task
async def write() -> None:
    for number in range(1_000_000):
        task_context().logger.info("line %d", number)
        await asyncio.sleep(0.2)

@workflow
async def writing() -> None:
    await write()
"""


async def test_many_tabs_follow_a_log_and_one_that_is_held_still_reads_no_more(tmp_path: Path):
    """A browser has six connections to a server over HTTP/1.1, and each tab keeps one open."""
    program = tmp_path / "writer.py"
    program.write_text(WRITER, encoding="utf-8")
    with serving(tmp_path, orders=0, files=(str(program),)) as server:
        server.ask("/runs", {"workflow": "writing", "id": "writing"})
        async with opened(server.base, "/runs/writing?tab=logs", strict=False) as page:
            for _ in range(4):
                other = await page.context.new_page()
                await other.goto(f"{server.base}/runs/writing?tab=logs")
                await expect(other.get_by_role("log")).to_contain_text(re.compile(r"line \d"))

            await page.bring_to_front()
            log = page.get_by_role("log")

            async def shown() -> list[int]:
                return [int(each) for each in re.findall(r"line (\d+)", await log.inner_text())]

            async def reach(number: int) -> None:
                async with asyncio.timeout(WAIT / 1_000):
                    while max(await shown(), default=-1) < number:  # noqa: ASYNC110
                        await asyncio.sleep(0.1)

            await reach(0)
            newest = (await shown())[-1]
            await reach(newest + 20)
            numbers = await shown()
            assert sorted(numbers) == list(range(min(numbers), max(numbers) + 1))

            await page.keyboard.press(".")
            await expect(page.get_by_role("button", name="held still")).to_be_visible()
            async with asyncio.timeout(WAIT / 1_000):  # a busy machine answers late what was asked before
                is_quiet = False
                while not is_quiet:
                    page.asked.clear()
                    await page.wait_for_timeout(2_500)
                    is_quiet = not any("/logs" in each for each in page.asked)
            await page.keyboard.press(".")
            await reach(newest + 50)
