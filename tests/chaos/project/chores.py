"""Tasks as plain functions."""

from __future__ import annotations

import time
from dataclasses import dataclass

from notes import began, finished


@dataclass
class Found:
    items: list[int]
    nothing: list[int]
    count: int


def discover(who: str, items: list[int]) -> Found:
    began("discover", [])
    print(f"{who} has {len(items)} things to do")
    finished()
    return Found(items, [], len(items))


def join(who: str, process: list[str], helper: list[str], seconds: float) -> list[str]:
    began("join", ["discover", "watched", *(f"process.{index}" for index in range(len(process)))])
    time.sleep(seconds)
    finished()
    return [*process, *helper, f"{who}:join"]


async def last(who: str) -> str:
    began("last", ["shaky"])
    finished()
    return f"{who}:last"
