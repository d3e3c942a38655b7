"""The output of a process: bytes in, lines of text out.

A line is returned when its end is read. A line that is too long is returned in pieces, so that a process that
writes a gigabyte without a newline needs no more memory than another.

The exception is a line of standard output that begins with the marker, because it may be the task's output.
Only the last line counts as output, so such a line is held back until it is known whether another line
follows.
"""

from __future__ import annotations

from typing import Final

from holdfast.executors.processes.limits import LARGEST_OUTPUT

LONGEST_LINE: Final = 16 * 1024
"""In bytes. A longer line becomes several lines."""

OUTPUT_MARKER: Final = b"HOLDFAST_OUTPUT:"

_INSTEAD: Final = "or write the output to the file $HOLDFAST_OUTPUT_FILE"
_NOT_THE_LAST: Final = (
    "a line HOLDFAST_OUTPUT:... was not the last line of standard output, so it is not the task's output; "
    f"print it last, {_INSTEAD}"
)
_NOT_AT_THE_BEGINNING: Final = (
    "the last line of standard output has HOLDFAST_OUTPUT: in it but does not begin with that, so it is not "
    f"the task's output; print a newline before it, {_INSTEAD}"
)

_REPLACEMENT: Final = "\ufffd"
_MOST_BLANK_LINES: Final = 100


class LineReader:
    """One stream of one attempt."""

    __slots__ = (
        "_blank_lines",
        "_held",
        "_is_continued",
        "_marker",
        "_marker_inside",
        "_partial",
        "_partial_excess",
        "_released_marked",
        "excess",
    )

    def __init__(self, marker: bytes | None = None) -> None:
        self._marker = marker
        self._partial = bytearray()
        """The beginning of a line whose end has not been read."""
        self._is_continued = False
        """A first piece of that line was returned before."""
        self._held: bytes | None = None
        """The marked line that is held back."""
        self._blank_lines: list[bytes] = []
        """Blank lines after the line that is held back. It still counts as the last line."""
        self.excess = 0
        """How many bytes of the marked line were dropped, because they are over the limit."""
        self._partial_excess = 0
        """The same for the line whose end has not been read."""
        self._released_marked = False
        """A marked line was followed by another line, so it was returned as an ordinary line."""
        self._marker_inside = False
        """The last line that is not blank contains the marker, but does not begin with it."""

    def feed(self, data: bytes) -> list[str]:
        end = data.rfind(b"\n")
        if end < 0:
            self._partial += data
            return self._take_pieces()
        lines: list[str] = []
        first_end = data.find(b"\n")
        if self._partial or self._is_continued:
            self._partial += data[:first_end]
            self._add_line(bytes(self._partial), lines)
            whole = data[first_end + 1 : end] if end > first_end else None
        else:
            whole = data[:end]
        if whole is not None:
            self._add_lines(whole, lines)
        self._partial = bytearray(data[end + 1 :])
        return lines + self._take_pieces() if len(self._partial) > LONGEST_LINE else lines

    def close(self) -> list[str]:
        """The stream is at its end. Returns the last line, if it had no newline."""
        lines: list[str] = []
        if self._partial:
            self._add_line(bytes(self._partial), lines)
            self._partial = bytearray()
        return lines

    def marked_output(self) -> bytes | None:
        """The text behind the marker on the last line; None without a marker. To be called after `close`."""
        if self._held is None or self._marker is None:
            return None
        return self._held[len(self._marker) :]

    def why_no_output(self) -> str | None:
        """A message for users, if a line has the marker but is not the output. To be called after `close`."""
        if self._held is not None:
            return None
        if self._marker_inside:
            return _NOT_AT_THE_BEGINNING
        return _NOT_THE_LAST if self._released_marked else None

    def _add_lines(self, whole: bytes, lines: list[str]) -> None:
        """Add lines that began and ended in one read."""
        is_plain = self._held is None and (self._marker is None or self._marker not in whole)
        if is_plain and len(whole) <= LONGEST_LINE:
            # The usual case, and about ten times as fast: no line can be too long.
            text = whole.decode("utf-8", "replace").replace("\0", _REPLACEMENT)
            lines += text.replace("\r\n", "\n").removesuffix("\r").split("\n")
            if self._marker_inside and text.strip():
                self._marker_inside = False
        else:
            for line in whole.split(b"\n"):
                self._add_line(line, lines)

    def _add_line(self, line: bytes, lines: list[str]) -> None:
        is_whole, self._is_continued = not self._is_continued, False
        if self._marker is not None and is_whole and line.startswith(self._marker):
            self._release(lines)
            self._held, self.excess, self._partial_excess = line, self._partial_excess, 0
            return
        self._look_for_marker(line, is_beginning=is_whole)
        if self._held is None:
            lines += _texts_of(line)
        elif line.strip() or len(self._blank_lines) >= _MOST_BLANK_LINES:
            self._release(lines)
            lines += _texts_of(line)
        else:
            self._blank_lines.append(line)

    def _look_for_marker(self, text: bytes | bytearray, *, is_beginning: bool) -> None:
        """In a line that does not begin with the marker, or in the next piece of one. Blank lines change
        nothing."""
        if self._marker is not None and (text.strip() or not is_beginning):
            was_before = self._marker_inside and not is_beginning
            self._marker_inside = was_before or self._marker in text

    def _release(self, lines: list[str]) -> None:
        """Another line follows the marked line, so the marked line is an ordinary line."""
        if self._held is not None:
            lines += _texts_of(self._held)
            lines += map(_text_of, self._blank_lines)
            self._released_marked = True
        self._held, self._blank_lines, self.excess = None, [], 0

    def _take_pieces(self) -> list[str]:
        partial = self._partial
        if len(partial) <= LONGEST_LINE:
            return []
        if self._marker is not None and not self._is_continued and partial.startswith(self._marker):
            if len(partial) > LARGEST_OUTPUT:
                self._partial_excess += len(partial) - LARGEST_OUTPUT
                del partial[LARGEST_OUTPUT:]
            return []
        self._look_for_marker(partial, is_beginning=not self._is_continued)
        lines: list[str] = []
        self._release(lines)
        while len(partial) > LONGEST_LINE:
            end = _end_of_piece(partial)
            lines.append(_text_of(bytes(partial[:end])))
            del partial[:end]
        self._is_continued = True
        return lines


def _texts_of(line: bytes) -> list[str]:
    if len(line) <= LONGEST_LINE:
        return [_text_of(line)]
    texts: list[str] = []
    start = 0
    while len(line) - start > LONGEST_LINE:
        end = _end_of_piece(line, start)
        texts.append(_text_of(line[start:end]))
        start = end
    return [*texts, _text_of(line[start:])]


def _end_of_piece(line: bytes | bytearray, start: int = 0) -> int:
    """Where to cut, so that no UTF-8 character is cut in two. Other bytes are cut anywhere."""
    end = start + LONGEST_LINE
    for back in range(4):
        if line[end - back] & 0xC0 != 0x80:
            return end - back
    return end


def _text_of(line: bytes) -> str:
    # Databases accept no NUL in text, and an invalid byte is no reason to lose a line of a log.
    return line.decode("utf-8", "replace").replace("\0", _REPLACEMENT).removesuffix("\r")
