"""Gives the shop something to do: runs that succeed, fail, wait and ask. `python fill.py http://127.0.0.1:8070`

With `--go-on`, customers go on to order things until Ctrl-C.
"""

from __future__ import annotations

import asyncio
import random
import sys

from holdfast import Holdfast

ITEMS = ["tea", "pot", "cup", "spoon", "honey", "kettle"]


async def fill(url: str, orders: int = 60, seed: int = 7) -> None:
    """Ends when everything is started; most of it has ended a few seconds later."""
    draw = random.Random(seed)
    async with Holdfast(url) as hf:
        for number in range(orders):
            items = draw.sample(ITEMS, draw.randint(1, 5))
            currency = "" if number % 9 == 4 else "EUR"
            cents = draw.randint(500, 9_000)
            await hf.start("fulfil", items, cents, currency, id=f"order-{88100 + number}")
        for number, (customer, cents) in enumerate(
            [("Lindqvist AB", 418_000), ("Kato KK", 9_900), ("Ann", 1_250)]
        ):
            await hf.start("refund", customer, cents, id=f"refund-{number + 1}")
        await hf.start("rebuild_search", 400, id="rebuild-search-1")
        await hf.start("close_books", "2026-02", id="books-2026-02")
        for account in ("kasse", "bank", "card", "gift"):
            await hf.start("reconcile", account, id=f"ledger-{account}")
        await hf.start("season", 4, id="season-spring")
        await hf.start("cart", "Ann", id="cart-ann")
        await hf.start("wait_for_payment", "order-88101", id="payment-88101")
        await hf.start("nap", id="nap-1")
        await hf.start("nightly_settlement", id="settlement-2026-03-16")
        await hf.start("onboarding", merchant="Kato Trading", id="merchant-kato")
        await hf.start("onboarding", merchant="Ann", id="merchant-ann")
        await hf.schedules.put(
            "hourly_orders", "fulfil", cron="0 * * * *", input={"items": ["tea"], "cents": 900}
        )
        await hf.schedules.put(
            "stock_levels", "rebuild_search", cron="*/15 * * * *", timezone="Asia/Tokyo", input={"pages": 20}
        )
        await hf.schedules.put(
            "refund_sweep", "nap", cron="0 18 * * 1-5", timezone="America/New_York", input={"seconds": 1}
        )


async def go_on(url: str) -> None:
    """An order every few seconds. One in ten has no currency, and fails."""
    draw = random.Random()
    async with Holdfast(url) as hf:
        while True:
            await asyncio.sleep(draw.uniform(0.5, 5))
            currency = "" if draw.random() < 0.1 else "EUR"
            await hf.start(
                "fulfil", draw.sample(ITEMS, draw.randint(1, 5)), draw.randint(500, 9_000), currency
            )


if __name__ == "__main__":
    urls = [each for each in sys.argv[1:] if each != "--go-on"]
    asyncio.run((go_on if "--go-on" in sys.argv else fill)(urls[0] if urls else "http://127.0.0.1:8070"))
