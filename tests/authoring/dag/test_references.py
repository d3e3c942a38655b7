"""References: what they stand for, however they are written."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.authoring.dag.references import parse_reference
from holdfast.authoring.documents.references import Missing, Ref, follow

PATHS = [
    ("input.day", ("input", "day")),
    ("input", ("input",)),
    ("tasks.discover.output", ("tasks", "discover", "output")),
    ("tasks.discover.output.files[0].name", ("tasks", "discover", "output", "files", 0, "name")),
    ("tasks.publish.status", ("tasks", "publish", "status")),
    ("discover.files", ("tasks", "discover", "output", "files")),
    ("discover", ("tasks", "discover", "output")),
    ("discover[3]", ("tasks", "discover", "output", 3)),
    ("my-task.some-key", ("tasks", "my-task", "output", "some-key")),
    ('discover["a key"].x', ("tasks", "discover", "output", "a key", "x")),
    ("discover['it\"s']", ("tasks", "discover", "output", 'it"s')),
    ('tasks["a-"].output', ("tasks", "a-", "output")),
    ("item", ("item",)),
    ("item.path", ("item", "path")),
    ("parallel_index", ("parallel_index",)),
    ("parallel_count", ("parallel_count",)),
    ("  input.day  ", ("input", "day")),
]


@pytest.mark.parametrize(("text", "path"), PATHS)
def test_a_reference_has_its_whole_path(text: str, path: tuple[str | int, ...]):
    assert parse_reference(text).ref == Ref(path)


@pytest.mark.parametrize("path", [path for _, path in PATHS if 'it"s' not in path])
def test_a_reference_is_read_again_from_how_it_is_shown(path: tuple[str | int, ...]):
    assert parse_reference(str(Ref(path))).ref == Ref(path)


@pytest.mark.parametrize(
    ("path", "task"), [(("tasks", "a", "output"), "a"), (("input", "a"), None), (("item",), None)]
)
def test_a_reference_knows_its_task(path: tuple[str | int, ...], task: str | None):
    assert Ref(path).task == task


def test_every_step_knows_where_it_stands_in_the_text():
    text = "  tasks.discover.output.files[0].name"

    written = parse_reference(text)

    steps = ["tasks", "discover", "output", "files", "0", "name"]
    assert [text[offset:].startswith(step) for offset, step in zip(written.offsets, steps, strict=True)] == [
        True
    ] * 6


FOUND: dict[str, Any] = {"files": [{"name": "a"}], "count": 0, "nothing": None}


@pytest.mark.parametrize(
    ("steps", "expected"),
    [((), FOUND), (("files", 0, "name"), "a"), (("count",), 0), (("nothing",), None)],
)
def test_a_path_is_followed_into_a_value(steps: tuple[str | int, ...], expected: Any):
    assert follow(FOUND, steps) == expected


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (("fils",), "there is no fils"),
        (("files", 1), "there is no files[1]: the list has 1"),
        (("files", "name"), "there is no files.name: files is not an object"),
        (("count", 0), "there is no count[0]: count is not a list"),
        (("nothing", "x"), "there is no nothing.x: nothing is not an object"),
        ((0,), "there is no [0]: it is not a list"),
    ],
)
def test_a_path_that_leads_nowhere_says_where_it_ends(steps: tuple[str | int, ...], message: str):
    with pytest.raises(Missing) as caught:
        follow(FOUND, steps)

    assert str(caught.value) == message
    assert caught.value.number == len(steps) - 1
