"""A real Chromium that looks at the pages of a real server, which serves the shop of `examples`."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, Final

import pytest

from holdfast.server.pages.app import are_built

ROOT: Final = Path(__file__).resolve().parents[2]
SHOP: Final = ROOT / "examples" / "shop"
FILES: Final = ("shop.py", "merchants.py", "nightly_settlement.yaml", "onboarding.yaml")
WAIT: Final = float(os.environ.get("PAGES_WAIT_MS", "60000"))
"""Milliseconds, on a busy machine."""
DESK: Final = {"width": 1440, "height": 900}
PHONE: Final = {"width": 390, "height": 844}

playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
expect: Final[Any] = playwright.expect
expect.set_options(timeout=WAIT)


def find_chromium() -> str | None:
    """One of the system, or the one that `playwright install chromium` has brought."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if (found := shutil.which(name)) is not None:
            return found
    own = sorted(Path.home().glob(".cache/ms-playwright/chromium-*/chrome-linux*/chrome"))
    return str(own[-1]) if own else None


CHROMIUM: Final = find_chromium()
needs_browser: Final = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("HOLDFAST_MUST_TEST_PAGES"),
    reason="there is no Chromium, so the pages are NOT TESTED in a browser; apt install chromium, or "
    "python -m playwright install chromium",
)


class Server:
    """`holdfast serve` for the shop, in a process of its own."""

    def __init__(
        self, folder: Path, *options: str, port: int | None = None, files: tuple[str, ...] = FILES
    ) -> None:
        self._folder = folder
        self._options = options
        self._files = files
        self._port = free_port() if port is None else port
        self.base = f"http://127.0.0.1:{self._port}"
        self.database = folder / "shop.db"
        shutil.copy(SHOP / "holdfast.toml", folder)
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "holdfast", "serve", *[str(SHOP / name) for name in self._files]]
        command += [
            "--db",
            str(self.database),
            "--port",
            str(self._port),
            "--json",
            "--quiet",
            *self._options,
        ]
        with open(self._folder / "serve.log", "a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                command, cwd=self._folder, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if json.loads(line)["event"] == "serving":
                return
        raise AssertionError((self._folder / "serve.log").read_text("utf-8"))

    def fill(self, orders: int = 12) -> None:
        code = f"import asyncio, fill; asyncio.run(fill.fill({self.base!r}, orders={orders}))"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=SHOP, timeout=100)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(timeout=60)
            assert process.stdout is not None
            process.stdout.close()

    def ask(self, path: str, body: Any = None, key: str = "", method: str | None = None) -> Any:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}/api/v1{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            said = answer.read()
        return json.loads(said) if said else None


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def make_key(folder: Path, name: str, role: str) -> str:
    command = [
        sys.executable,
        "-m",
        "holdfast",
        "keys",
        "create",
        name,
        "--role",
        role,
        "--db",
        str(folder / "shop.db"),
    ]
    made = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    found = re.search(r"hf_\w+", made.stdout)
    assert found is not None, made.stdout
    return found[0]


@contextlib.contextmanager
def serving(folder: Path, *options: str, orders: int = 12, **more: Any) -> Any:
    server = Server(folder, *options, **more)
    server.start()
    try:
        if orders:
            server.fill(orders)
        yield server
    finally:
        server.stop()


@contextlib.asynccontextmanager
async def browser() -> AsyncGenerator[Any]:
    assert CHROMIUM is not None, "there is no Chromium: apt install chromium"
    async with playwright.async_playwright() as driver:
        arguments = ["--disable-background-networking", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        found = await driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            yield found
        finally:
            await found.close()


@contextlib.asynccontextmanager
async def opened(
    base: str, path: str = "/", *, viewport: dict[str, int] = DESK, theme: str = "light", strict: bool = True
) -> AsyncGenerator[Any]:
    """A page of somebody who has never been here. With `strict`, nothing may go wrong on it: no error of a
    script, nothing that the policy refuses, nothing that is asked of another host."""
    assert are_built(), "the pages are not built: run make pages"
    async with browser() as chromium:
        context = await chromium.new_context(
            viewport=viewport, color_scheme=theme, has_touch=viewport is PHONE
        )
        page = await context.new_page()
        page.set_default_timeout(WAIT)
        page.errors, page.asked = [], []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on(
            "console",
            lambda said: said.type == "error" and page.errors.append(f"{said.text} {said.location['url']}"),
        )
        page.on("request", lambda request: page.asked.append(request.url))
        await page.goto(f"{base}{path}")
        await expect(page.locator("main h1, main .say").first).to_be_attached()
        yield page
        if strict:
            assert page.errors == [], page.errors
        assert {url for url in page.asked if not url.startswith((f"{base}/", "data:", "blob:"))} == set()


async def log_in(page: Any, key: str) -> None:
    await page.get_by_label("Key", exact=True).fill(key)
    await page.get_by_role("button", name=re.compile("^Log in")).click()
    await expect(page.get_by_label("Key", exact=True)).to_have_count(0)
