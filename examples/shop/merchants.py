"""What the flow `onboarding` calls."""

from __future__ import annotations

import asyncio

from holdfast import task


@task
async def check_merchant(merchant: str) -> int:
    await asyncio.sleep(0.1)
    return 10 * len(merchant)


@task
async def open_account(merchant: str) -> str:
    await asyncio.sleep(0.1)
    return f"account of {merchant}"
