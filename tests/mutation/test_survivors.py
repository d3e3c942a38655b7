"""The page of survivors: a judgement is kept for as long as its mutant survives."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.mutation.mutants import Mutant
from tests.mutation.survivors import UNJUDGED, read_judgements, write_page


def mutant(line: int, function: str, change: str) -> Mutant:
    return Mutant("core/codec.py", function, line, line, change, "")


def test_judgements_are_kept_though_lines_have_moved_and_go_with_their_mutants(tmp_path: Path) -> None:
    page = tmp_path / "survivors.md"
    first, second, gone = (
        mutant(7, "one", "1  →  2"),
        mutant(9, "two", "a\nb  →  (removed)"),
        mutant(3, "x", "y"),
    )
    write_page(page, Counter(survived=3), [first, second, gone], {})
    text = page.read_text("utf-8")
    for judgement in ("gone soon", "makes no difference", "worth a test"):
        text = text.replace(UNJUDGED, judgement, 1)
    page.write_text(text, "utf-8")

    moved = [mutant(17, "one", "1  →  2"), mutant(19, "two", "a\nb  →  (removed)"), mutant(20, "new", "z")]
    unjudged = write_page(page, Counter(survived=3), moved, read_judgements(page))

    kept = read_judgements(page)
    assert unjudged == 1
    assert set(kept.values()) == {"makes no difference", "worth a test", UNJUDGED}
