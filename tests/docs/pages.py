"""The pages of the documentation, as blocks of code with the line they stand on.

What a page may contain, and what is done with it:

    ```python                  run, in one namespace with the other blocks of the page; `await` may
                               stand at the top level, as in a notebook
    ```python title="a.py"     saved as that file, for a later block to run
    ```toml title="a.toml"     saved likewise; every toml block is read as settings
    ```sh                      run with bash, but for `pip`, `make` and `git`, which are only checked
    ```sh title="a.sh"         saved likewise, and made executable
    ```yaml title="a.yaml"     saved likewise; if it has tasks, it must be a DAG without problems, if it has
                               nodes and a start, a flow
    ```yaml                    the same, without the files that it names; a part of one is only shown
    ```yaml add="a.yaml"       put into that flow, as a reader would do by hand: nodes and edges that are
                               there already are replaced
    ```json, ```json title=    a flow likewise
    ```text                    right after one of these: what it printed; `...` stands for anything
    <!-- not run: why -->      above a block: it is shown only
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent

_FENCE = re.compile(r"^```(?P<language>\w*)(?:\s+(?P<how>title|add)=\"(?P<title>[^\"]+)\")?\s*$")
_LANGUAGES = ("python", "toml", "sh", "yaml", "json", "text", "sql", "")
_NOT_RUN = re.compile(r"^<!-- not run: .+ -->$")


class Block(NamedTuple):
    language: str
    title: str | None
    line: int
    """Of its first line of code, from 1."""
    code: str
    is_run: bool
    shows: str | None
    """What it is said to print."""
    is_added: bool = False
    """To the file of that title, which is there already."""


def pages() -> list[Path]:
    found = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
    ]
    return sorted(found)


def blocks_of(text: str) -> list[Block]:
    """Raises ValueError for a fence that is not understood or not closed."""
    blocks: list[Block] = []
    lines = text.splitlines()
    at = 0
    previous_end = -1
    while at < len(lines):
        if not lines[at].startswith("```"):
            at += 1
            continue
        fence = _FENCE.match(lines[at])
        if fence is None or fence["language"] not in _LANGUAGES:
            raise ValueError(f"line {at + 1}: cannot understand {lines[at]!r}")
        end = next((i for i in range(at + 1, len(lines)) if lines[i].rstrip() == "```"), None)
        if end is None:
            raise ValueError(f"line {at + 1}: the block is not closed")
        code = "\n".join(lines[at + 1 : end]) + "\n"
        is_run = not (at and _NOT_RUN.match(lines[at - 1]))
        follows = blocks and not any(line.strip() for line in lines[previous_end + 1 : at])
        if fence["language"] == "text" and follows and blocks[-1].language in ("python", "sh"):
            blocks[-1] = blocks[-1]._replace(shows=code)
        else:
            is_added = fence["how"] == "add"
            blocks.append(Block(fence["language"], fence["title"], at + 2, code, is_run, None, is_added))
        previous_end = end
        at = end + 1
    return blocks


def prints_as_shown(printed: str, shown: str) -> bool:
    """Whether the output is as the page has it; `...` and `…` in the page stand for anything."""
    pieces = re.split(r"\.\.\.|…", shown.strip())
    pattern = ".*".join(re.escape(piece) for piece in pieces)
    return (
        re.fullmatch(pattern, "\n".join(line.rstrip() for line in printed.strip().splitlines()), re.DOTALL)
        is not None
    )
