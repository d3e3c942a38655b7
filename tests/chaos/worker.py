"""A node of a chaos run: `python -m tests.chaos.worker URL FOLDER`. It works until it is sent SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import logging
from pathlib import Path

from tests.chaos.workloads import catalog, keep_notebook

from holdfast import Holdfast
from holdfast.errors import StoreFull

NO_ROOM = 75
"""The exit code of a process that could not begin because the disk was full."""


def settings_of(text: list[str]) -> dict[str, float]:
    """Settings from texts such as `lease_seconds=2`. Whole numbers stay whole."""
    pairs = (each.partition("=") for each in text)
    return {name: int(value) if value.isdigit() else float(value) for name, _, value in pairs}


async def open_or_leave(hf: Holdfast) -> None:
    """Open it. On a full disk log the error and exit; the supervisor starts the process again."""
    try:
        await hf.open()
    except StoreFull as error:
        logging.getLogger(__name__).error("cannot begin: %s", error)
        raise SystemExit(NO_ROOM) from error


async def _serve(url: str, settings: dict[str, float]) -> None:
    hf = Holdfast(url, catalog=catalog, **settings)
    await open_or_leave(hf)
    try:
        logging.getLogger(__name__).info("serving")
        await hf.serve()
    finally:
        await hf.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("settings", nargs="*")
    asked = parser.parse_args()
    logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    keep_notebook(asked.folder)
    asyncio.run(_serve(asked.url, settings_of(asked.settings)))


if __name__ == "__main__":
    main()
