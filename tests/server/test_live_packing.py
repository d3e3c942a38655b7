"""Chunks that are compressed once are a whole stream for whoever gets them, in any order and number."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.server.live.packing import PackedStream, accepts_packed, pack
from holdfast.server.live.sse import Chunk

_texts = st.binary(max_size=200) | st.builds(
    lambda text, times: text * times, st.binary(max_size=9), st.integers(0, 9_000)
)


@given(st.lists(_texts, max_size=6))
@example([b"\xff" * 70_000, b"", b"\0" * 65_521, b"a"])
def test_any_chunks_in_a_row_are_one_stream(texts: list[bytes]):
    stream = PackedStream()
    client = zlib.decompressobj()

    for text in texts:
        assert client.decompress(stream.add(pack(text))) == text, "a client sees each chunk at once"
    assert client.decompress(stream.end()) == b""

    assert client.eof, "the checksum was right"


def test_a_chunk_is_packed_once():
    chunk = Chunk(b"event: x\n\n" * 100, 100)

    assert chunk.packed is chunk.packed
    assert len(chunk.packed.data) < len(chunk.data) / 10


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip, deflate, br", True),
        ("DEFLATE;q=0.5", True),
        ("deflate;q=1.0", True),
        ("deflate;q=0", False),
        ("deflate; q=0.000", False),
        ("gzip", False),
        ("", False),
        ("*", False),
    ],
)
def test_packed_is_sent_only_to_clients_that_name_it(header: str, accepted: bool):
    assert accepts_packed(header) is accepted
