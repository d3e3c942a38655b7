"""Paths: what they lead to, and what is none. What is not there is null; nothing fails."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.authoring.documents.references import Path, find
from holdfast.authoring.flow.paths import (
    BadPath,
    PathValues,
    is_rooted,
    parse_path,
    parse_steps,
)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("$params", Path("params")),
        ("$params.limit", Path("params", ("limit",))),
        ("$shared.order.items[0]", Path("shared", ("order", "items", 0))),
        ("$shared.grid[1][20].x", Path("shared", ("grid", 1, 20, "x"))),
        ("$input", Path("input")),
        ("$input[3].name", Path("input", (3, "name"))),
        ("total", Path("shared", ("total",))),
        ("order.items[0]", Path("shared", ("order", "items", 0))),
        ("with space.ünïcode", Path("shared", ("with space", "ünïcode"))),
        ("price$", Path("shared", ("price$",))),
        ("$shared.0", Path("shared", ("0",))),
    ],
)
def test_a_path_is_a_root_keys_and_places(text: str, path: Path):
    assert parse_path(text) == path


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "a.", ".a", "a..b", "a[", "a]", "a[]", "a[x]", "a[-1]", "[0]", "a[0]b", "a.[0]"),
        *("$", "$foo.x", "$Params.x", "$5.00", "$shared.", "$shared[", "$shared..a", "$sharedx", "$$shared"),
        *("$shared.$x", "a.$b", "a[1234567890]"),
    ],
)
def test_anything_else_is_refused(text: str):
    with pytest.raises(BadPath):
        parse_path(text)


@pytest.mark.parametrize("text", ["$params", "$foo.x", "$shared.a b", "$_x"])
def test_a_dollar_before_a_word_means_a_path(text: str):
    assert is_rooted(text)


@pytest.mark.parametrize("text", ["$5.00", "$", "$$", "", "params", "a$b", " $params", "$ params"])
def test_other_text_is_text(text: str):
    assert not is_rooted(text)


ORDER: dict[str, Any] = {"items": [{"sku": "a"}, {"sku": "b"}], "total": 0, "note": None, "0": "zero"}


@pytest.mark.parametrize(
    ("steps", "value"),
    [
        ("items[1].sku", "b"),
        ("items[0]", {"sku": "a"}),
        ("total", 0),
        ("note", None),
        ("note.more", None),
        ("items[2].sku", None),
        ("items.sku", None),
        ("total[0]", None),
        ("missing.x[0]", None),
        ("0", "zero"),
        ("items[0].sku.length", None),
    ],
)
def test_a_value_is_found_or_is_null(steps: str, value: Any):
    assert find(ORDER, parse_steps(steps)) == value


def test_a_text_is_no_list_of_characters():
    assert find("text", (0,)) is None
    assert find({"a": "text"}, ("a", 1)) is None


def test_a_node_sees_params_shared_and_its_input():
    values = PathValues({"x": 1}, {"x": 2}, [3])

    assert [values.at(parse_path(text)) for text in ("$params.x", "$shared.x", "x", "$input[0]")] == [
        1,
        2,
        2,
        3,
    ]
    assert values.at(Path("shared")) == {"x": 2}


_keys = st.text(st.characters(exclude_characters=".[]"), min_size=1).filter(
    lambda key: not key.startswith("$")
)
_steps = st.lists(_keys | st.integers(0, 10**9 - 1)).map(tuple)


@given(st.sampled_from(["params", "shared", "input"]), _steps)
def test_a_path_that_is_written_down_is_read_as_the_same(root: str, steps: tuple[str | int, ...]):
    path = Path(root, steps)

    assert parse_path(str(path)) == path
