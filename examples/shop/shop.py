"""A shop with orders, carts and a search index, so that the pages have something to show. See README.md."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import Literal

from holdfast import Retry, context, task, task_context, workflow


class PaymentDeclined(Exception):
    pass


class LedgerUnavailable(Exception):
    pass


@task
async def reserve(items: list[str]) -> int:
    task_context().logger.info("reserving %d items", len(items))
    await asyncio.sleep(random.uniform(0.02, 0.1))
    return len(items)


@task(retry=Retry(max_attempts=3, first_delay=timedelta(milliseconds=150), never_on=(PaymentDeclined,)))
async def charge(cents: int, currency: str = "EUR") -> str:
    log = task_context().logger
    log.info("charging %.2f %s", cents / 100, currency)
    await asyncio.sleep(random.uniform(0.05, 0.3))
    if not currency:
        log.error("\x1b[31mthe provider says no\x1b[0m: currency missing")
        raise PaymentDeclined("currency missing")
    if cents % 7 == 0 and task_context().attempt < 2:
        log.warning("the provider does not answer, attempt %d", task_context().attempt)
        raise ConnectionError("payments:443 refused the connection")
    return f"receipt-{cents}"


@task
async def pack(item: str) -> str:
    await asyncio.sleep(random.uniform(0.02, 0.4))
    return f"{item} in a box"


@task
async def ship(parcels: list[str]) -> str:
    await asyncio.sleep(0.1)
    return f"{len(parcels)} parcels on their way"


@workflow
async def fulfil(
    items: list[str], cents: int, currency: Literal["EUR", "USD", ""] = "EUR", gift: bool = False
) -> str:
    """An order: reserve, charge, pack every item, ship."""
    state = context().state
    state.set("step", "reserving")
    await reserve(items)
    state.set("step", "charging")
    receipt = await charge(cents, currency)
    state.set("step", "packing")
    parcels = await asyncio.gather(*[pack(item) for item in items])
    context().publish("progress", {"packed": len(parcels), "gift": gift})
    state.set("step", "shipping")
    return f"{receipt}: {await ship(list(parcels))}"


@workflow
async def refund(customer: str, cents: int, reason: Literal["damaged", "late", "other"] = "late") -> str:
    """Small ones are paid at once; a person decides on the others."""
    if cents > 5_000:
        answer = await context().ask(
            f"Refund € {cents / 100:,.2f} to {customer}?",
            name="ask",
            facts={"customer": customer, "amount": f"€ {cents / 100:,.2f}", "reason": reason},
            answer=bool,
            timeout=timedelta(days=1),
            details=True,
        )
        if not answer.value:
            return f"kept, says {answer.by or 'somebody'}: {answer.comment}"
    return await charge(-cents)


@task(queue="ledger", retry=Retry(max_attempts=5, first_delay=timedelta(seconds=20)))
async def post_month(month: str) -> str:
    if task_context().attempt < 3:
        raise LedgerUnavailable(f"the ledger of {month} is closed for an hour")
    return month


@workflow
async def close_books(month: str) -> str:
    """Waits between attempts, so that there is something to try now."""
    return await post_month(month)


@task(queue="ledger", heartbeat=timedelta(seconds=30))
async def compare_accounts(account: str, seconds: float) -> str:
    """Reports how far it is. Another node that takes it over goes on there."""
    begun = task_context().heartbeat_details(int) or 0
    for second in range(begun, int(seconds)):
        await asyncio.sleep(1)
        task_context().heartbeat(second + 1)
    return f"{account} agrees"


@workflow
async def reconcile(account: str, seconds: float = 600.0) -> str:
    """The ledger bears two of these at once (`queues` in holdfast.toml): the others wait for a slot."""
    return await compare_accounts(account, seconds)


@task
async def price(item: str) -> int:
    await asyncio.sleep(0.02)
    return 10 * len(item)


@workflow
async def cart(customer: str) -> int:
    """Takes updates (`add`, `pay`) and the signal `note`, and waits for them."""
    items: dict[str, int] = {}
    is_paid = False

    async def add(item: str) -> int:
        items[item] = await price(item)
        context().state.set("items", items)
        return sum(items.values())

    def pay() -> str:
        nonlocal is_paid
        is_paid = True
        return f"paid {sum(items.values())}"

    context().on_update("add", add)
    context().on_update("pay", pay)
    await context().wait_until(lambda: is_paid)
    return sum(items.values())


@workflow
async def wait_for_payment(order: str) -> str:
    paid = await context().signal("paid")
    return f"{order}: {paid}"


@task
async def index_page(number: int) -> int:
    await asyncio.sleep(random.expovariate(40))
    if number % 97 == 13 and task_context().attempt == 1:
        raise ConnectionError(f"page {number} is busy")
    return number


@workflow
async def rebuild_search(pages: int = 200) -> int:
    """A wide fan-out."""
    options = index_page.options(retry=Retry(max_attempts=2, first_delay=timedelta(milliseconds=50)))
    return len(await asyncio.gather(*[options(number) for number in range(pages)]))


@workflow
async def season(orders: int = 3) -> list[str]:
    """Children: an order each."""
    return await asyncio.gather(
        *[fulfil([f"scarf-{number}", "hat"], 1_000 + number) for number in range(orders)]
    )


@workflow
async def nap(seconds: float = 3600.0) -> str:
    await asyncio.sleep(seconds)
    return "rested"
