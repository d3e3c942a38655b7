"""A run of 100,000 tasks and a journal of 300,000 events, looked at: `python -m tests.pages.large`.

Prints for each view how long it takes until it shows something, how many frames a second it has while it is
scrolled, and the memory of the tab. Measure on an idle machine: a server and a browser share its cores.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.pages.browser import DESK, browser

from holdfast import Catalog, Holdfast, context, task, workflow

_AT_ONCE: Final = 100
VIEWS: Final = {
    "graph": "main svg [data-node]",
    "timeline": "[role=tabpanel] [data-row=weigh]",
    "tasks": "[role=tabpanel] [role=cell]",
    "journal": "[role=tabpanel] .rows [role=row]",
    "logs": "[role=tabpanel] [role=log] .line",
    "values": "[role=tabpanel] [role=treeitem]",
    "messages": "[role=tabpanel] .region",
}
"""What is looked for, of each view."""
_SHOWN: Final = """(selector) => new Promise((shown) => {
    const look = () => document.querySelector(selector)?.getBoundingClientRect().height
        ? shown(performance.now())
        : requestAnimationFrame(look);
    look();
})"""
"""The milliseconds since the address was opened. The driver itself looks twice a second only."""
_SCROLL: Final = """async () => {
    const isLong = (each) => each.scrollHeight > each.clientHeight + 200;
    const scrolls = (each) => /auto|scroll/.test(getComputedStyle(each).overflowY);
    const boxes = [...document.querySelectorAll("main *")].filter((each) => isLong(each) && scrolls(each));
    const box = boxes.at(-1) ?? document.scrollingElement;
    const frames = [];
    let last = performance.now();
    const end = last + 2000;
    while (last < end) {
        box.scrollTop += 90;
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        frames.push(now - last);
        last = now;
    }
    return frames;
}"""


def make_catalog() -> Catalog:
    catalog = Catalog()

    @task(catalog=catalog)
    async def weigh(number: int) -> int:
        return number

    @task(catalog=catalog)
    async def label(number: int) -> str:
        from holdfast import task_context

        task_context().logger.info("parcel %d", number)
        return f"parcel {number}"

    async def sort(number: int) -> None:
        await (weigh if number % 10 else label)(number)
        context().state.set(f"bin {number % _AT_ONCE}", number)

    @workflow(catalog=catalog)
    async def sort_parcels(tasks: int) -> int:
        done = 0
        while done < tasks:
            some = range(done, min(tasks, done + _AT_ONCE))
            await asyncio.gather(*map(sort, some))
            done += len(some)
        return done

    return catalog


class Seen(NamedTuple):
    view: str
    opened: float
    """In milliseconds, as `slowest`."""
    frames: float
    slowest: float
    megabytes: float


async def look(page: Any, devtools: Any, base: str, view: str) -> Seen:
    await page.goto(f"{base}/runs/large?tab={view}", wait_until="commit")
    took = await page.evaluate(_SHOWN, VIEWS[view])
    frames = await page.evaluate(_SCROLL)
    memory = {
        each["name"]: each["value"] for each in (await devtools.send("Performance.getMetrics"))["metrics"]
    }
    worst = sorted(frames)[len(frames) * 95 // 100]
    return Seen(view, took, 1000 / statistics.mean(frames), worst, memory["JSHeapUsedSize"] / 1e6)


async def count_events(hf: Holdfast) -> tuple[int, int]:
    steps = events = 0
    after: int | None = None
    while True:
        page = await hf.journal("large", after=after)
        steps += len(page.items)
        events += sum(len(each.events) + len(each.requests) for each in page.items)
        if page.next is None:
            return steps, events
        after = page.next


async def measure(url: str, tasks: int) -> None:
    async with Holdfast(url, catalog=make_catalog()) as hf:
        begun = time.perf_counter()
        await hf.run("sort_parcels", tasks, id="large")
        took = time.perf_counter() - begun
        steps, events = await count_events(hf)
        say(f"the run took {took:.0f} s; its journal has {events:,} events in {steps:,} steps")
        server = hf.api_server()
        port = await server.start("127.0.0.1", 0)
        base = f"http://127.0.0.1:{port}"
        async with browser() as chromium:
            page = await chromium.new_page(viewport=DESK)
            devtools = await page.context.new_cdp_session(page)
            await devtools.send("Performance.enable")
            await page.goto(base, wait_until="load")
            await page.wait_for_timeout(2_000)  # what the first page reads is not to count
            for view in VIEWS:
                for _ in range(2):
                    seen = await look(page, devtools, base, view)
                    say(
                        f"{seen.view:>9}: shown in {seen.opened:5.0f} ms, {seen.frames:4.1f} frames/s, "
                        f"95 % within {seen.slowest:4.1f} ms, {seen.megabytes:5.1f} MB"
                    )
        await server.stop()


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--db", type=Path, help="keep the run here, to look at it again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(f"sqlite:///{options.db or Path(folder) / 'large.db'}", options.tasks))


if __name__ == "__main__":
    main()
