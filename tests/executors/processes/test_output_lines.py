"""Lines that were meant as the output of a task and are not: people are told why."""

from __future__ import annotations

import pytest

from holdfast.executors.processes.line_reader import LONGEST_LINE, OUTPUT_MARKER, LineReader

NOT_THE_LAST = "was not the last line of standard output"
NOT_AT_THE_BEGINNING = "does not begin with that"


def read(*chunks: bytes) -> tuple[LineReader, list[str]]:
    reader = LineReader(OUTPUT_MARKER)
    lines = [line for chunk in chunks for line in reader.feed(chunk)]
    return reader, lines + reader.close()


@pytest.mark.parametrize(
    "said",
    [
        '50% HOLDFAST_OUTPUT:{"a":1}',
        '50% HOLDFAST_OUTPUT:{"a":1}\n',
        '50%\rHOLDFAST_OUTPUT:{"a":1}\n',
        " HOLDFAST_OUTPUT:1\n",
        "before\n50% HOLDFAST_OUTPUT:1\n\n \n",
        "HOLDFAST_OUTPUT:1\n50% HOLDFAST_OUTPUT:2\n",
        "." * LONGEST_LINE + "HOLDFAST_OUTPUT:1\n",
        "." * 5 * LONGEST_LINE + "HOLDFAST_OUTPUT:1" + "." * 5 * LONGEST_LINE,
    ],
)
@pytest.mark.parametrize("size", [1, 1000, LONGEST_LINE + 100, 1_000_000])
def test_the_marker_in_the_middle_of_the_last_line_is_told_of(said: str, size: int) -> None:
    text = said.encode()

    reader, lines = read(*(text[at : at + size] for at in range(0, len(text), size)))

    assert reader.marked_output() is None
    assert NOT_AT_THE_BEGINNING in (reader.why_no_output() or "")
    assert "".join(lines) == said.replace("\n", "")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", None),
        ("nothing\n", None),
        ("HOLDFAST_OUTPUT:1\n", None),
        ("50% HOLDFAST_OUTPUT:1\nHOLDFAST_OUTPUT:2\n", None),
        ("the line HOLDFAST_OUTPUT: is how it is done\nlater\n", None),
        ("the line HOLDFAST_OUTPUT: is how it is done\n" + "." * 3 * LONGEST_LINE, None),
        ("." * 3 * LONGEST_LINE + " HOLDFAST_OUTPUT:\nlater\n", None),
        ("HOLDFAST_OUTPUT:1\nlater\n", NOT_THE_LAST),
        ("HOLDFAST_OUTPUT:1\nhas HOLDFAST_OUTPUT: inside\nlater\n", NOT_THE_LAST),
    ],
)
@pytest.mark.parametrize("size", [1, 1000, 1_000_000])
def test_what_was_not_meant_as_the_last_line_is_not_taken_for_one(
    said: str, why: str | None, size: int
) -> None:
    text = said.encode()

    reader, _ = read(*(text[at : at + size] for at in range(0, len(text), size)))

    assert (reader.why_no_output() is None) == (why is None)
    assert (why or "") in (reader.why_no_output() or "")


def test_a_stream_without_a_marker_has_nothing_to_be_told_of() -> None:
    reader = LineReader()

    reader.feed(b"50% HOLDFAST_OUTPUT:1\nHOLDFAST_OUTPUT:1\nlater\n")

    assert reader.why_no_output() is None


@pytest.mark.parametrize("end", [b"y", b" "])
def test_a_line_that_is_passed_on_in_pieces_comes_after_the_one_that_was_held_back(end: bytes) -> None:
    reader, lines = read(b"HOLDFAST_OUTPUT:1\n", b"x" * LONGEST_LINE, end)

    assert lines == ["HOLDFAST_OUTPUT:1", "x" * LONGEST_LINE, end.decode()]
    assert reader.marked_output() is None
    assert NOT_THE_LAST in (reader.why_no_output() or "")
