"""A day of the shop of `examples`, played in seconds: `python -m tests.pages.played_day DATABASE`.

The engine, the store and the tasks are the real ones. Only time is not: the event loop does not sleep until
the next timer, but moves its clock there. So the pages have a history to show, as long as it is wanted.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import importlib
import math
import selectors
import sys
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.pages.browser import SHOP

from holdfast.authoring.catalog import default_catalog
from holdfast.client.client import Client
from holdfast.client.waiters import Waiters
from holdfast.core.values import Instant, RunKey, instant, moment
from holdfast.engine.system_clock import SystemClock
from holdfast.parts import Parts
from holdfast.settings import Settings
from holdfast.stores.open_store import store_for

_HOUR: Final = dt.timedelta(hours=1)
_ITEMS: Final = ("tea", "pot", "cup", "spoon", "honey", "kettle", "sugar", "tray")
_PEOPLE: Final = ("Lindqvist AB", "Kato KK", "Moreau & fils", "Ann", "Osei Ltd")
_OLDER: Final = (
    ('    context().publish("progress", {"packed": len(parcels), "gift": gift})\n', ""),
    ('    state.set("step", "packing")\n', ""),
)
"""What the shop did in another way until six hours ago."""


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop that waits for no timer: when nothing is ready, it is the time of the next one."""

    def __init__(self) -> None:
        super().__init__(_SkippingSelector(self._pass))
        self._passed = 0.0

    def time(self) -> float:
        return self._passed

    def _pass(self, seconds: float) -> None:
        self._passed += seconds


class _SkippingSelector(selectors.DefaultSelector):
    def __init__(self, let_pass: Callable[[float], None]) -> None:
        super().__init__()
        self._let_pass = let_pass

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0 if timeout is not None else None)
        if not ready and timeout:
            self._let_pass(timeout)
        return ready


class _LoopClock(SystemClock):
    """Shows the time of an event loop, and is not set by the database, which has the time of the machine."""

    def __init__(self, loop: asyncio.AbstractEventLoop, start: dt.datetime) -> None:
        super().__init__(lambda: int(loop.time() * 1e9), None)
        super().set_to(instant(start))

    def set_to(self, there: Instant, within: int = 0) -> None:
        pass


class Shop(Client):
    """A node and a client in one event loop, whose clock is that of the loop."""

    def __init__(self, database: Path, loop: asyncio.AbstractEventLoop, start: dt.datetime) -> None:
        settings = Settings(url=f"sqlite:///{database}")
        self.clock = _LoopClock(loop, start)
        store = store_for(settings.url, threads=False)
        self._parts = Parts(settings, default_catalog, store=store, clock=self.clock, dice=Random(7))
        waiters = Waiters(store, settings.namespace, self._has)
        self.engine = self._parts.engine(waiters)
        super().__init__(
            store,
            self._parts.definitions,
            self.engine,
            waiters,
            namespace=settings.namespace,
            now=self.clock.now,
            new_key=self._parts.new_key,
        )

    def _has(self, run: RunKey) -> bool:
        return self.engine.has(run)

    async def open(self) -> None:
        await self._parts.store.open()
        self._bind_loop(asyncio.get_running_loop())
        await self.register_all()
        self.engine.start()

    async def close(self) -> None:
        await self.engine.stop()
        await self._waiters.close()
        await self._parts.store.close()

    def time(self) -> dt.datetime:
        return moment(self.clock.now())


class Day:
    """What customers, operators and schedules do between `start` and `end`."""

    def __init__(self, shop: Shop, start: dt.datetime, end: dt.datetime, *, is_first: bool) -> None:
        self._shop, self._start, self._end = shop, start, end
        self._is_first = is_first
        self._draw = Random(start.hour)
        self._number = 0

    async def play(self) -> None:
        if self._is_first:
            await self._plan()
        acts = [self._orders(), self._refunds()] + ([self._season()] if self._is_first else [self._carts()])
        await asyncio.gather(*map(self._until_the_end, acts))

    async def _until_the_end(self, act: Coroutine[Any, Any, None]) -> None:
        left = (self._end - self._shop.time()).total_seconds()
        try:
            await asyncio.wait_for(act, left)
        except TimeoutError:
            return
        await asyncio.sleep(max(0.0, (self._end - self._shop.time()).total_seconds()))

    async def _plan(self) -> None:
        put = self._shop.schedules.put
        await put("hourly_orders", "fulfil", cron="0 * * * *", input={"items": ["tea"], "cents": 900})
        await put(
            "stock_levels",
            "rebuild_search",
            cron="*/30 * * * *",
            timezone="Asia/Tokyo",
            input={"pages": 60},
        )
        await put(
            "refund_sweep", "nap", cron="0 18 * * *", timezone="America/New_York", input={"seconds": 90}
        )

    async def _orders(self) -> None:
        """More by day than by night. The currency of some was forgotten for an hour."""
        while True:
            hour = self._shop.time().hour + self._shop.time().minute / 60
            await asyncio.sleep(self._draw.expovariate(1 / (150 - 110 * math.sin((hour - 8) * math.pi / 12))))
            left = self._end - self._shop.time()
            is_bad = not self._is_first and _HOUR < left < 2.5 * _HOUR and self._draw.random() < 0.25
            self._number += 1
            await self._shop.start(
                "fulfil",
                self._draw.sample(_ITEMS, self._draw.randint(1, 6)),
                self._draw.randint(500, 9_000),
                "" if is_bad else "EUR",
                id=f"order-{(70_000 if self._is_first else 80_000) + self._number}",
            )

    async def _refunds(self) -> None:
        """Dana answers after a while, and says no to some."""
        number = 0
        while True:
            number += 1
            run = await self._shop.start(
                "refund",
                self._draw.choice(_PEOPLE),
                self._draw.randint(5_100, 90_000),
                id=f"refund-{self._start:%H}-{number}",
            )
            await asyncio.sleep(self._draw.uniform(1_200, 9_000))
            comment = "" if (is_yes := self._draw.random() < 0.7) else "sent back too late"
            await self._shop.resolve(run, "ask", is_yes, by="dana", comment=comment)
            await asyncio.sleep(self._draw.uniform(600, 4_000))

    async def _season(self) -> None:
        await asyncio.sleep(3 * 3600)
        await self._shop.start("season", 12, id="season-winter")
        await self._shop.start("rebuild_search", 2_000, id="rebuild-search-all")

    async def _carts(self) -> None:
        await asyncio.sleep(1_800)
        run = await self._shop.start("cart", "Ben", id="cart-ben")
        for item in ("pot", "tea", "tray"):
            await asyncio.sleep(self._draw.uniform(60, 900))
            await run.update("add", item)
        await run.update("pay")


def play(database: Path, code: Path, start: dt.datetime, end: dt.datetime, *, is_first: bool) -> None:
    """`code` is the folder of the shop's Python files, as they were in that time."""
    sys.path.insert(0, str(code))
    importlib.import_module("shop")
    loop = SkippingLoop()

    async def whole() -> None:
        shop = Shop(database, loop, start)
        await shop.open()
        try:
            await Day(shop, start, end, is_first=is_first).play()
        finally:
            await shop.close()

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(whole())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("--from", dest="start", type=dt.datetime.fromisoformat, required=True)
    parser.add_argument("--until", dest="end", type=dt.datetime.fromisoformat, required=True)
    parser.add_argument("--older", action="store_true", help="as the shop was before its code was changed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = SHOP
        if options.older:
            folder = Path(name)
            text = (SHOP / "shop.py").read_text("utf-8")
            for now, before in _OLDER:
                text = text.replace(now, before)
            (folder / "shop.py").write_text(text, "utf-8")
        play(options.database, folder, options.start, options.end, is_first=options.older)


if __name__ == "__main__":
    main()
