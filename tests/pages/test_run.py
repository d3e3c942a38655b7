"""The page of a run: its graph, its timeline, its journal and its values, as a person looks at them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import pytest
from tests.pages.browser import Server, expect, needs_browser, opened, serving

pytestmark = needs_browser

PROGRAM: Final = """
import asyncio

from holdfast import context, task, workflow

@task
async def look(number: int) -> int:
    await asyncio.sleep(0.1)
    return number

@workflow
async def naps() -> dict[str, object]:
    await look(0)
    await asyncio.sleep(0.2)
    await asyncio.gather(*[look(number) for number in range(3)])
    for number in range(6):
        await look(number)
    await context().signal("wake")
    return {"id": 9007199254740993, "deep": {"few": [1, 2, {"last": "found"}]}}

def part_of(kind: int):
    @task(name=f"part_{kind:02}")
    async def part(number: int) -> int:
        return number

    return part

PARTS = [part_of(kind) for kind in range(60)]

@workflow
async def wide() -> None:
    await asyncio.gather(*[part(number) for part in PARTS for number in range(25)])

@workflow
async def long() -> None:
    for number in range(450):
        await PARTS[0](number)

@workflow
async def counted() -> str:
    state = context().state
    state.set("stays", "as it is")
    for number in range(3):
        state.set("number", number)
        await asyncio.sleep(0.05)
    return "done"
"""
FLOW: Final = """
name: loops
start: ask
nodes:
  ask: {kind: approval, params: {timeout_ms: 86400000}}
  wait: {kind: timer, params: {delay_ms: 100}}
  done: {kind: timer, params: {delay_ms: 100}}
edges:
  - {from: ask, action: approved, to: done}
  - {from: ask, action: rejected, to: wait}
  - {from: wait, to: ask}
"""


@pytest.fixture(scope="module")
def naps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With the run `nap`, which waits for a signal, the run `loop`, which waits for an approval, and the runs
    `count` and `wide`, which have ended."""
    folder: Path = tmp_path_factory.mktemp("naps")
    program, flow = folder / "naps.py", folder / "loops.yaml"
    program.write_text(PROGRAM, encoding="utf-8")
    flow.write_text(FLOW, encoding="utf-8")
    with serving(folder, orders=0, files=(str(program), str(flow))) as server:
        server.ask("/runs?wait=3", {"workflow": "naps", "id": "nap"})
        server.ask("/runs", {"workflow": "loops", "id": "loop"})
        server.ask("/runs?wait=10", {"workflow": "counted", "id": "count"})
        server.ask("/runs?wait=20", {"workflow": "wide", "id": "wide"})
        yield server


async def places(page: Any, selector: str) -> list[dict[str, float]]:
    return [await each.bounding_box() for each in await page.locator(selector).all()]


BOXES: Final = """
axis => [axis, ...axis.querySelectorAll("text")]
    .filter(each => each.textContent)
    .map(each => each.getBoundingClientRect().toJSON())
"""


def are_apart(one: dict[str, float], other: dict[str, float]) -> bool:
    return (
        one["x"] + one["width"] <= other["x"] + 1
        or other["x"] + other["width"] <= one["x"] + 1
        or one["y"] + one["height"] <= other["y"] + 1
        or other["y"] + other["height"] <= one["y"] + 1
    )


async def test_nothing_of_a_run_stands_under_the_heading_of_another(naps: Server):
    refusal = {"status": 503, "content_type": "application/problem+json", "body": '{"detail": "away"}'}
    async with opened(naps.base, "/runs/loop", strict=False) as page:
        await expect(page.locator(".graph .face").first).to_be_visible()
        await page.route(
            re.compile(r"/runs/count/(graph|groups|neighbours)"), lambda route: route.fulfill(**refusal)
        )

        await page.evaluate(
            """const link = document.body.appendChild(document.createElement("a"));
            link.href = "/runs/count"; link.click();"""
        )

        await expect(page.get_by_role("heading", name="count", exact=True)).to_be_visible()
        await expect(page.locator(".say .why")).to_contain_text("Done in")
        await expect(page.locator(".graph .face")).to_have_count(0)
        assert await page.get_by_text("approved").count() == 0
        assert await page.get_by_role("link", name="The run before").count() == 0


async def test_what_edges_say_can_be_read(naps: Server):
    async with opened(naps.base, "/runs/loop") as page:
        await expect(page.locator(".graph text.said")).to_have_count(2)
        boxes = await places(page, ".graph .face")
        labels = await places(page, ".graph text.said")
    assert len(boxes) == 3
    assert all(are_apart(label, box) for label in labels for box in boxes)
    assert all(are_apart(one, other) for one, other in combinations(labels, 2))


async def test_a_node_that_the_run_has_not_come_to_says_what_it_will_do(naps: Server):
    async with opened(naps.base, "/runs/loop") as page:
        await page.get_by_role("region", name="Graph").get_by_role("button", name=re.compile("^done")).click()
        chosen = page.get_by_role("complementary", name="What is chosen")
        await expect(chosen).to_contain_text("has not come to it")
        await expect(chosen).to_contain_text("after ask")


async def test_timers_and_signals_stand_in_the_timeline_and_are_chosen_as_tasks_are(naps: Server):
    async with opened(naps.base, "/runs/nap") as page:
        timeline = page.get_by_role("region", name="Timeline")
        await expect(timeline.get_by_role("button", name=re.compile("timer"))).to_be_visible()
        await timeline.get_by_role("button", name=re.compile("wake")).click()
        await page.wait_for_url("**name=wake*")
        chosen = page.get_by_role("complementary", name="What is chosen")
        await expect(chosen).to_contain_text("Waits for the signal")
        node = page.get_by_role("region", name="Graph").get_by_role("button", name=re.compile("^wake"))
        await expect(node).to_have_attribute("aria-pressed", "true")


async def test_tasks_that_overlap_open_to_a_row_for_each(naps: Server):
    async with opened(naps.base, "/runs/nap") as page:
        timeline = page.get_by_role("region", name="Timeline")
        await timeline.get_by_role("button", name="Open look").click()
        await timeline.get_by_role("button", name=re.compile("task 3")).click()
        await page.wait_for_url("**task=3*")
        await expect(page.get_by_role("complementary", name="What is chosen")).to_contain_text("task 3")


async def test_rows_of_many_names_are_loaded_when_they_come_into_view(naps: Server):
    async with opened(naps.base, "/runs/wide") as page:
        area = page.get_by_role("tabpanel").locator("path.area")
        await expect(area.first).to_be_visible()
        await page.wait_for_timeout(1_000)
        first = [url for url in page.asked if "/busy" in url]
        await page.locator("[data-row=part_59]").scroll_into_view_if_needed()
        last = page.get_by_role("tabpanel").locator("li", has=page.locator("[data-row=part_59]"))

        await expect(last.locator("path.area")).to_be_visible()
    assert 1 <= len(first) < 30, "of 60 names"


async def test_the_labels_above_the_timeline_are_whole_and_apart(naps: Server):
    async with opened(naps.base, "/runs/nap") as page:
        axis = page.get_by_role("img", name=re.compile("The time axis"))
        await expect(axis).to_be_visible()
        await page.evaluate("document.fonts.ready")
        for width in range(1_000, 1_440, 11):  # the run goes on meanwhile, and its axis with it
            await page.set_viewport_size({"width": width, "height": 900})
            frame, *found = await axis.evaluate(BOXES)
            assert len(found) > 2
            assert all(are_apart(one, other) for one, other in combinations(found, 2))
            assert all(each["x"] + each["width"] <= frame["x"] + frame["width"] + 1 for each in found)
            await page.wait_for_timeout(100)


async def test_a_link_to_a_step_opens_the_fold_that_has_it(naps: Server):
    async with opened(naps.base, "/runs/nap?tab=journal&step=8") as page:
        chosen = page.locator('[role="row"][aria-selected="true"]')
        await expect(chosen).to_have_count(1)
        await expect(chosen.get_by_role("cell").first).to_have_text("8")
        await page.wait_for_url("**at=*")

        await page.goto(f"{naps.base}/runs/nap?tab=journal&step=99999")
        await expect(page.get_by_role("row").nth(3)).to_be_visible()
        await expect(page.get_by_text("The journal is empty.")).to_have_count(0)


async def test_the_durable_state_is_shown_as_it_was_at_a_step(naps: Server):
    async with opened(naps.base, "/runs/count?tab=journal&step=1") as page:
        await page.wait_for_url("**at=*")
        await expect(page.get_by_text("show the run as it was then")).to_be_visible()

        await page.get_by_role("tab", name="Input and output").click()
        tree = page.get_by_role("tree", name="the durable state")
        await expect(tree).to_contain_text("stays")
        await expect(tree).not_to_contain_text("number")
        unknown = page.get_by_text("number: step 1 had set it, and step 2 has changed it")
        await expect(unknown).to_be_visible()
        await expect(page.get_by_text("This step has set number")).to_be_visible()
        await expect(page.get_by_text("There was none then")).to_be_visible()

        await page.goto(page.url.replace("step=1", "step=0"))
        await expect(page.locator('[role="treeitem"].marked')).to_have_text(re.compile("stays"))
        await page.get_by_text("step 1 has changed it").get_by_role("link", name="1").click()
        chosen = page.locator('[role="row"][aria-selected="true"]')
        await expect(chosen.get_by_role("cell").first).to_have_text("1")
        await page.wait_for_url("**at=*")

        await page.get_by_role("tab", name="Input and output").click()
        await page.get_by_role("button", name="Back to now").click()
        await expect(tree).to_contain_text("number: 2")
        await expect(page.get_by_text("There was none then")).to_have_count(0)


async def test_large_numbers_are_exact_on_their_way_to_the_run_and_back(tmp_path: Path):
    program = tmp_path / "naps.py"
    program.write_text(PROGRAM, encoding="utf-8")
    with serving(tmp_path, orders=0, files=(str(program),)) as server:
        server.ask("/runs?wait=3", {"workflow": "naps", "id": "nap"})
        async with opened(server.base, "/runs/nap?tab=messages") as page:
            await page.get_by_role("button", name="Send a signal").click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_label("name", exact=True).fill("wake")
            await dialog.get_by_label("value", exact=True).fill("[18446744073709551615]")
            await dialog.get_by_role("button", name="Send the signal").click()
            await expect(page.get_by_role("row", name=re.compile("18446744073709551615"))).to_be_visible()
            await page.get_by_role("tab", name="Input and output").click()
            tree = page.get_by_role("tree", name="the output")
            await expect(tree).to_contain_text("9007199254740993")

            folder = tree.get_by_role("treeitem", name=re.compile("few"))
            await expect(folder).to_have_attribute("aria-expanded", "true")
            await folder.click()
            await expect(folder).to_have_attribute("aria-expanded", "false")
        (message,) = server.ask("/runs/nap/messages")["items"]
    assert message["value"] == [18446744073709551615]


async def answer_slowly(route: Any) -> None:
    await asyncio.sleep(1.5)
    await route.continue_()


async def test_a_step_that_comes_late_is_not_written_into_the_address_of_another_page(naps: Server):
    naps.ask("/runs?wait=60", {"workflow": "long", "id": "long"})
    async with opened(naps.base, "/runs/long?tab=journal") as page:
        await expect(page.get_by_text("451 steps.")).to_be_visible()
        await page.route("**/runs/*/journal*", answer_slowly)
        await page.get_by_role("button", name="The last step").click()
        await page.get_by_role("link", name="Runs", exact=True).first.click()
        await expect(page.get_by_role("link", name="nap", exact=True)).to_be_visible()
        await page.wait_for_timeout(2_500)
        assert page.url == f"{naps.base}/runs"

        await page.goto(f"{naps.base}/runs/long?tab=journal&step=440")
        await page.wait_for_timeout(500)
        await page.evaluate(
            """const link = document.body.appendChild(document.createElement("a"));
            link.href = "/runs/nap?tab=journal&step=8"; link.click();"""
        )
        await page.wait_for_url("**at=*")
        await page.wait_for_timeout(2_500)
        assert "/runs/nap?" in page.url
        assert "step=8" in page.url


async def test_moves_in_the_journal_end_at_the_last_one(naps: Server):
    naps.ask("/runs?wait=60", {"workflow": "long", "id": "long"})
    async with opened(naps.base, "/runs/long?tab=journal") as page:
        await expect(page.get_by_text("451 steps.")).to_be_visible()
        await page.route("**/runs/*/journal*", answer_slowly)
        await page.get_by_role("button", name="The last step").click()
        await page.get_by_role("button", name="The first step").click()
        await page.wait_for_url("**step=0*")
        await page.wait_for_timeout(2_500)
        assert "step=0" in page.url
        await expect(page.locator('[role="row"][aria-selected="true"]')).to_be_visible()

        await page.get_by_label("Go to step").fill("300")
        await page.keyboard.press("Enter")
        for _ in range(3):
            await page.get_by_role("button", name="The step after").click()
        await page.wait_for_url("**step=303*")
        await page.wait_for_timeout(2_500)
        assert "step=303" in page.url
