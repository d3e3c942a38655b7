"""Bytes in, lines out: however they are cut on the way."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.executors.processes.limits import LARGEST_OUTPUT
from holdfast.executors.processes.line_reader import LONGEST_LINE, OUTPUT_MARKER, LineReader


def lines_of(*chunks: bytes, marker: bytes | None = None) -> list[str]:
    reader = LineReader(marker)
    lines = [line for chunk in chunks for line in reader.feed(chunk)]
    return lines + reader.close()


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([b""], []),
        ([b"one\ntwo\n"], ["one", "two"]),
        ([b"one\n", b"two"], ["one", "two"]),
        ([b"o", b"n", b"e", b"\n", b"\n"], ["one", ""]),
        ([b"\n\n"], ["", ""]),
        ([b"dos\r\nunix\n"], ["dos", "unix"]),
        ([b"dos\r", b"\nmore\r"], ["dos", "more"]),
        ([b"10%\r20%\r30%\n"], ["10%\r20%\r30%"]),
        ([b"bad \xff\xfe bytes\n"], ["bad \ufffd\ufffd bytes"]),
        ([b"nul \0 byte\n"], ["nul \ufffd byte"]),
        (["Grüße\n".encode()[:3], "Grüße\n".encode()[3:]], ["Grüße"]),
        ([b"half \xe2\x82\nnext\n"], ["half \ufffd", "next"]),
    ],
)
def test_lines_are_what_stands_between_newlines(chunks: list[bytes], lines: list[str]) -> None:
    assert lines_of(*chunks) == lines


@given(st.binary(max_size=200), st.data())
def test_how_the_bytes_arrive_makes_no_difference(text: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    chunks = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    assert lines_of(*chunks) == lines_of(text)


alphabet = st.sampled_from([OUTPUT_MARKER, b"1", b"\n", b"\r\n", b" ", b"x", OUTPUT_MARKER[:5]])


@given(st.lists(alphabet, max_size=12), st.data())
def test_the_output_is_the_last_line_if_it_has_the_marker_and_all_others_are_passed_on(
    pieces: list[bytes], data: st.DataObject
) -> None:
    text = b"".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    reader = LineReader(OUTPUT_MARKER)
    lines: list[str] = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        lines += reader.feed(text[start:end])
    lines += reader.close()

    expected = lines_of(text)
    said = [at for at, line in enumerate(expected) if line.strip()]
    marker = OUTPUT_MARKER.decode()
    if said and expected[said[-1]].startswith(marker):
        output = expected[said[-1]].removeprefix(marker)
        expected = expected[: said[-1]]
        assert (reader.marked_output() or b"").decode().removesuffix("\r") == output
    else:
        assert reader.marked_output() is None
    assert lines == expected


@pytest.mark.parametrize("chunk", [1000, LONGEST_LINE, 65536])
def test_a_line_without_an_end_is_passed_on_in_pieces_of_whole_characters(chunk: int) -> None:
    text = ("€" * 30_000).encode() + b"\nnext\n"

    lines = lines_of(*(text[at : at + chunk] for at in range(0, len(text), chunk)))

    assert "".join(lines[:-1]) == "€" * 30_000
    assert lines[-1] == "next"
    assert all(len(line.encode()) <= LONGEST_LINE for line in lines)
    assert len(lines) == 90_000 // LONGEST_LINE + 2


def test_bytes_that_are_no_characters_at_all_are_cut_as_well() -> None:
    lines = lines_of(b"\x80" * 40_000)

    assert sum(map(len, lines)) == 40_000
    assert len(lines) == 3


def test_the_marker_in_the_middle_of_a_long_line_is_not_one() -> None:
    reader = LineReader(OUTPUT_MARKER)

    lines = reader.feed(b"x" * (LONGEST_LINE + 1))
    lines += reader.feed(OUTPUT_MARKER + b"1\n")
    first = b"x" * LONGEST_LINE

    assert lines == [first.decode(), "x" + OUTPUT_MARKER.decode() + "1"]
    assert reader.marked_output() is None


def test_a_line_of_exactly_the_longest_length_is_one_line() -> None:
    assert lines_of(b"x" * LONGEST_LINE + b"\n") == ["x" * LONGEST_LINE]


def test_a_large_output_costs_the_time_of_its_size_and_not_of_its_square() -> None:
    reader = LineReader(OUTPUT_MARKER)
    began = time.process_time()

    reader.feed(OUTPUT_MARKER)
    for _ in range(LARGEST_OUTPUT // 65536 + 16):
        assert reader.feed(b"1" * 65536) == []
    reader.close()

    assert time.process_time() - began < 3
    assert len(reader.marked_output() or b"") == LARGEST_OUTPUT - len(OUTPUT_MARKER)
    assert reader.excess == 16 * 65536 + len(OUTPUT_MARKER)


def test_what_was_beyond_one_output_does_not_count_against_the_next() -> None:
    reader = LineReader(OUTPUT_MARKER)

    reader.feed(OUTPUT_MARKER + b"1" * (LARGEST_OUTPUT + 5))
    lines = reader.feed(b"\n" + OUTPUT_MARKER + b"2\n")

    assert len(lines) == LARGEST_OUTPUT // LONGEST_LINE
    assert (reader.marked_output(), reader.excess) == (b"2", 0)
