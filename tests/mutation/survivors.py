"""The page of survivors: what no test noticed, and what a person thinks of it.

Written again by every run. A judgement is kept for as long as its mutant survives, wherever the line
has moved to; a survivor that nobody has judged yet says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.mutation.mutants import Mutant

UNJUDGED = "not judged yet"

_HEAD = """\
# Mutants that survive

Written by `make mutate`; the judgements are by hand. A mutant is the source with one small thing changed.
It is killed when a test fails or hangs, and survives when all tests that go through its line pass.
A judgement is either why the change makes no difference that anybody could see, or what is missing.

"""
_ENTRY = re.compile(
    r"^## (?P<file>\S+?):\d+ in `(?P<function>[^`\n]+)`\n\n"
    r"```text\n(?P<change>.*?)\n```\n\n"
    r"(?P<judgement>.*?)\n(?=\n## |\Z)",
    re.MULTILINE | re.DOTALL,
)

Key = tuple[str, str, str]


def read_judgements(page: Path) -> dict[Key, str]:
    """By file, function and change: what stays the same when lines move."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    return {
        (entry["file"], entry["function"], entry["change"]): entry["judgement"].strip()
        for entry in _ENTRY.finditer(text)
    }


def write_page(
    page: Path, verdicts: Counter[str], survivors: Sequence[Mutant], known: Mapping[Key, str]
) -> int:
    """Answers how many of the survivors nobody has judged."""
    counts = ", ".join(f"{times} {verdict}" for verdict, times in verdicts.most_common())
    entries = [f"{_HEAD}Of {verdicts.total()} mutants: {counts}.\n"]
    unjudged = 0
    for mutant in sorted(survivors, key=lambda mutant: (mutant.file, mutant.line, mutant.change)):
        judgement = known.get((mutant.file, mutant.function, mutant.change), UNJUDGED)
        unjudged += judgement == UNJUDGED
        entries.append(
            f"## {mutant.file}:{mutant.line} in `{mutant.function}`\n\n"
            f"```text\n{mutant.change}\n```\n\n{judgement}\n"
        )
    page.write_text("\n".join(entries), encoding="utf-8")
    return unjudged
