"""What the sources of the pages promise: contrast, colours in one place, nothing inline, and few bytes."""

from __future__ import annotations

import gzip
import itertools
import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
UI: Final = ROOT / "ui" / "src"
TOKENS: Final = (UI / "styles" / "tokens.css").read_text("utf-8")
BUILT: Final = ROOT / "src" / "holdfast" / "server" / "pages" / "built"
_MOST_BYTES: Final = 120_000

TEXT: Final = ("ink", "ink-2", "ink-3", "accent", "running", "success", "failed", "needs", "idle")
GRAPHICS: Final = (
    "running-fill",
    "success-fill",
    "failed-fill",
    "needs-fill",
    "needs-mark",
    "idle-fill",
    "hatch",
    "line-strong",
)
GROUNDS: Final = {
    "light": ("surface", "sunken", "raised", "accent-tint"),
    "dark": ("surface", "raised", "accent-tint"),
}
ON: Final = (
    ("on-ink", "ink", 4.5),
    ("on-failed", "failed", 4.5),
    ("running", "running-tint", 4.5),
    ("success", "success-tint", 4.5),
    ("failed", "failed-tint", 4.5),
    ("needs", "needs-tint", 4.5),
    ("idle", "idle-tint", 4.5),
    ("ink", "needs-tint", 4.5),
    ("ink", "failed-tint", 4.5),
    ("ink", "running-tint", 4.5),
)
"""What is written on a ground of its own."""


def tokens_of(theme: str) -> dict[str, str]:
    light, dark = re.findall(r":root(?:\[data-theme=\"dark\"\])? \{(.*?)\n\}", TOKENS, re.DOTALL)[:2]
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})\b", light))
    return found if theme == "light" else {**found, **dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})\b", dark))}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_pair_of_tokens_that_meets_has_the_contrast_of_wcag(theme: str):
    tokens = tokens_of(theme)
    text = [(one, ground, 4.5) for one, ground in itertools.product(TEXT, GROUNDS[theme])]
    marks = [(one, ground, 3.0) for one, ground in itertools.product(GRAPHICS, ("surface", "accent-tint"))]

    weak = [
        (one, ground, round(found, 2), least)
        for one, ground, least in (*text, *marks, *ON)
        if (found := contrast(tokens[one], tokens[ground])) < least - 0.005
    ]

    assert weak == []


def test_a_weak_pair_would_be_found():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") < 4.5


def sources(*suffixes: str) -> dict[str, str]:
    return {
        str(path.relative_to(UI)): path.read_text("utf-8")
        for path in sorted(UI.rglob("*"))
        if path.suffix in suffixes
        and path.name not in ("tokens.css", "schema.d.ts")
        and ".test." not in path.name
    }


def test_only_the_tokens_hold_a_colour():
    colour = re.compile(r"#[0-9a-fA-F]{3,8}\b(?![\w-])|\brgba?\(|\bhsla?\(|\boklch\(")
    found = {
        (name, match)
        for name, text in sources(".svelte", ".css", ".ts").items()
        for match in colour.findall(re.sub(r"&#\d+;|href=\{?[`\"]#|\{#\w+|url\(#", "", text))
    }

    assert found == set()


def test_no_style_script_or_markup_is_written_inline():
    """The policy forbids it: a browser would leave it out without a word."""
    inline = re.compile(
        r"[\s\"]style=[\"{]|\{@html|\.innerHTML|insertAdjacentHTML|\bon\w+=\"|setAttribute\(.style"
    )
    found = {
        (name, match) for name, text in sources(".svelte", ".ts").items() for match in inline.findall(text)
    }

    assert found == set()


def test_text_of_users_is_shown_without_marks_of_direction():
    """A name with such marks could look like another one. What stands in <bdi> is text of users."""
    # These have been through visible() where they were made.
    ready = {"textOf(part)", "tokenText(token)", "tokenText(each)", "fact.name", "fact.text", "offer.label"}
    shown = re.compile(r"<bdi\b[^>]*>\s*\{(?![#@:/])([^{}]*)\}")
    found = {
        (name, match)
        for name, text in sources(".svelte").items()
        for match in shown.findall(text)
        if "visible(" not in match and match not in ready
    }

    assert found == set()


def test_nothing_is_loaded_from_elsewhere():
    files = [path for path in BUILT.rglob("*") if path.suffix in (".js", ".css", ".html")]
    addresses = {
        each
        for path in files
        for each in re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s\"'`)]*", path.read_text("utf-8"))
    }

    assert files, "the pages are not built: run make pages"
    # Names of namespaces, links in messages of Svelte, and examples: none of them is asked for.
    known = re.compile(r"https?://(www\.w3\.org|svelte\.dev|[a-z.]+\.example)/")
    assert {each for each in addresses if not known.match(each)} == set()


def test_the_first_load_is_small():
    """Everything that home needs: the document, its script and style, and the chunk of the page."""
    document = (BUILT / "index.html").read_text("utf-8")
    names = set(re.findall(r"\./pages/([\w.-]+)", document))
    entry = next(
        (BUILT / "pages" / name).read_text("utf-8")
        for name in names
        if name.startswith("index-") and name.endswith(".js")
    )
    home = re.search(r"\./(Home-[\w-]+\.js)", entry)
    assert home is not None
    pending, needed = [*names, home[1]], set[str]()
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            if name.endswith(".js"):
                text = (BUILT / "pages" / name).read_text("utf-8")
                pending += re.findall(r"(?:from|import)\s*[\"']\./([\w.-]+\.js)[\"']", text)
    style = [path.name for path in (BUILT / "pages").glob("Home-*.css")]
    needed |= set(style)
    sizes = {name: len(gzip.compress((BUILT / "pages" / name).read_bytes(), 9)) for name in needed}

    assert len(needed) > 4
    assert sum(sizes.values()) < _MOST_BYTES, sizes
