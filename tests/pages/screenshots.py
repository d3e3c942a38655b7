"""A picture of every page, with real data, at two widths and in both themes: `make screenshots`.

`make screenshots ARGS="run fleet"` takes some of them. They are in `build/screenshots`. The data is the shop
of `examples`: the day before is played (played_day.py), then two nodes and a worker go on with it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import datetime as dt
import http.server
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.pages.browser import (
    DESK,
    FILES,
    PHONE,
    ROOT,
    SHOP,
    Server,
    browser,
    expect,
    log_in,
    make_key,
    serving,
)

OUT: Final = ROOT / "build" / "screenshots"
PAGES: Final = {
    "home": "/",
    "runs": "/runs",
    "runs-failed": "/runs?status=failed",
    "run": "/runs/settlement-2026-03-16",
    "run-code": "/runs/season-spring",
    "run-failed": "/runs/order-88104",
    "run-fanout": "/runs/rebuild-search-1",
    "run-flow": "/runs/merchant-kato",
    "run-tasks": "/runs/rebuild-search-1?tab=tasks",
    "run-journal": "/runs/order-88101?tab=journal",
    "run-logs": "/runs/order-88104?tab=logs",
    "run-values": "/runs/order-88101?tab=values",
    "run-streams": "/runs/order-88101?tab=streams",
    "run-messages": "/runs/cart-ann?tab=messages",
    "compare": "/compare?left=order-88101&right=order-88104",
    "workflows": "/workflows",
    "workflow": "/workflows/fulfil",
    "workflow-dag": "/workflows/nightly_settlement",
    "workflow-flow": "/workflows/onboarding",
    "approvals": "/approvals",
    "schedules": "/schedules",
    "schedule": "/schedules?name=stock_levels",
    "fleet": "/fleet",
    "missing": "/runs/a/b/c",
}
LOGIN: Final = "login"
WITH_KEYS: Final = {
    LOGIN: "/",
    "settings": "/settings",
    "settings-keys": "/settings/keys",
    "settings-sessions": "/settings/sessions",
    "settings-namespaces": "/settings/namespaces",
    "settings-retention": "/settings/retention",
    "settings-audit": "/settings/audit",
    "settings-alerts": "/settings/alerts",
}
"""Taken at the end, of a server that asks for keys."""
_STARTING: Final = 3.0
"""Seconds until the second node takes its share of what is started."""
_SETTLED: Final = 1_200.0
"""Milliseconds until what is loaded is drawn."""


def play_yesterday(folder: Path) -> None:
    """Twenty-four hours of the shop until now, with a change of its code six hours ago."""
    now = dt.datetime.now(dt.UTC).replace(microsecond=0)
    for hours, until, code in ((24, 6, ["--older"]), (6, 0, [])):
        span = [(now - dt.timedelta(hours=each)).isoformat() for each in (hours, until)]
        command = [sys.executable, "-m", "tests.pages.played_day", str(folder / "shop.db"), *code]
        with open(folder / "played.log", "a", encoding="utf-8") as log:
            subprocess.run(
                [*command, "--from", span[0], "--until", span[1]], check=True, cwd=ROOT, stderr=log
            )


@contextlib.contextmanager
def staffed(server: Server, folder: Path) -> Iterator[None]:
    """The server with a second node and a worker."""
    files = [str(SHOP / name) for name in FILES]
    node = ["-m", "holdfast", "worker", *files, "--db", str(server.database), "--quiet"]
    started: list[subprocess.Popen[bytes]] = []
    try:
        for arguments in (node, [str(SHOP / "mailer.py"), server.base]):
            with open(folder / "staff.log", "a", encoding="utf-8") as log:
                command = [sys.executable, *arguments]
                started.append(subprocess.Popen(command, cwd=folder, stdout=log, stderr=log))
        yield
    finally:
        for process in started:
            process.terminate()
            process.wait(timeout=60)


def prepare(server: Server) -> None:
    """Most of the shop has ended, some of it by an operator."""
    end = time.monotonic() + 60
    while server.ask("/run-counts?status=running")["items"][0]["count"] > 16 and time.monotonic() < end:
        time.sleep(0.5)
    server.ask("/runs/nap-1/pause", {"note": "until the stock is counted"})
    server.ask("/runs/payment-88101/cancel", {"reason": "the customer took it back"})
    server.ask("/runs/cart-ann/signals", {"name": "note", "value": "a gift"})
    server.ask("/schedules/refund_sweep/pause", {})


class Hook(http.server.BaseHTTPRequestHandler):
    """Who is told by the rule for alerts."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextlib.contextmanager
def locked(server: Server, folder: Path) -> Iterator[str]:
    """The server with a rule for alerts that has told somebody something, two people and the key of one."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook) as hook:
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        rule = {
            "url": f"http://127.0.0.1:{hook.server_port}/hook",
            "on": ["failed", "waiting"],
            "waiting_after": 3600,
        }
        server.ask("/alerts/ops", rule, method="PUT")
        server.ask("/alerts/ops/test", {})
        server.stop()
        key = make_key(folder, "dana", "admin")
        make_key(folder, "kiosk", "viewer")
        server.start()
        yield key
        hook.shutdown()


async def take(server: Server, pages: dict[str, str], only_theme: str | None, key: str = "") -> int:
    problems = 0
    async with browser() as chromium:
        for theme in [only_theme] if only_theme else ["light", "dark"]:
            for viewport in (DESK, PHONE):
                page = await chromium.new_page(viewport=viewport, color_scheme=theme)
                page.on("pageerror", lambda error: sys.stdout.write(f"    error: {error}\n"))
                for name, path in pages.items():
                    await page.goto(f"{server.base}{path}")
                    problems += await take_one(page, name, theme, viewport)
                    if name == LOGIN:
                        await log_in(page, key)
                await page.close()
    return problems


async def take_one(page: Any, name: str, theme: str, viewport: dict[str, int]) -> int:
    await expect(page.locator("main h1, main .say").first).to_be_attached()
    await page.wait_for_timeout(_SETTLED)
    path = OUT / f"{name}-{theme}-{viewport['width']}.png"
    await page.screenshot(path=path)
    wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    sys.stdout.write(f"{path.relative_to(ROOT)}{f'  {wide} px too wide' if wide > 0 else ''}\n")
    return int(wide > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    every = ", ".join(PAGES | WITH_KEYS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {every}")
    parser.add_argument("--theme", choices=["light", "dark"])
    parser.add_argument("--url", help="of a server that is there already, and has a shop")
    options = parser.parse_args()
    asked = tuple(options.names) or ("",)
    pages = {name: path for name, path in PAGES.items() if name.startswith(asked)}
    with_keys = {name: path for name, path in WITH_KEYS.items() if name.startswith((*asked, LOGIN))}
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        if options.url:
            server = Server(Path(folder))
            server.base = options.url
            return asyncio.run(take(server, pages, options.theme))
        sys.stdout.write("playing the day before ...\n")
        play_yesterday(Path(folder))
        with serving(Path(folder), orders=0) as server, staffed(server, Path(folder)):
            time.sleep(_STARTING)
            server.fill(60)
            prepare(server)
            problems = asyncio.run(take(server, pages, options.theme))
            if len(with_keys) > 1:
                with locked(server, Path(folder)) as key:
                    problems += asyncio.run(take(server, with_keys, options.theme, key))
            return problems


if __name__ == "__main__":
    sys.exit(main())
