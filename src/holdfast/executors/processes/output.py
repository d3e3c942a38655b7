"""What a process says: bytes in, lines of text out.

A line is passed on when its end is read. One that does not end is passed on in pieces, so that a
process which writes a gigabyte without a newline costs no more memory than another.

The exception is a line of standard output that begins with the marker, which may be the task's output.
Only the last line counts as that, so one is held back until it is known whether another follows it.
"""

from __future__ import annotations

from typing import Final

LONGEST_LINE: Final = 16 * 1024
"""In bytes. What is longer becomes several lines."""

LARGEST_OUTPUT: Final = 64 * 1024 * 1024
"""In bytes. Larger outputs are not even read; the limit that users know of is far below."""

LARGEST_VARIABLE: Final = 100_000
"""In bytes. Linux takes no variable of 128 KiB or more; an input that is larger is only in its file."""

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

_STAND_IN: Final = "\ufffd"
_MOST_BLANK_LINES: Final = 100


class LineReader:
    """One stream of one attempt."""

    __slots__ = (
        "_beyond",
        "_blank_lines",
        "_has_passed_marked",
        "_held",
        "_is_continued",
        "_is_marker_inside",
        "_marker",
        "_rest",
        "dropped",
    )

    def __init__(self, marker: bytes | None = None) -> None:
        self._marker = marker
        self._rest = bytearray()
        """What was read of a line whose end was not."""
        self._is_continued = False
        """The beginning of that line was passed on."""
        self._held: bytes | None = None
        self._blank_lines: list[bytes] = []
        """Those after the line that is held back. They do not make it any less the last one."""
        self.dropped = 0
        """How many bytes of the marked line were beyond what is kept."""
        self._beyond = 0
        """The same for the line whose end was not read yet."""
        self._has_passed_marked = False
        """A line with the marker was followed by another, and so was passed on."""
        self._is_marker_inside = False
        """The last line that says something has the marker behind something else, and so was passed on."""

    def feed(self, data: bytes) -> list[str]:
        end = data.rfind(b"\n")
        if end < 0:
            self._rest += data
            return self._pass_on_pieces()
        lines: list[str] = []
        first_end = data.find(b"\n")
        if self._rest or self._is_continued:
            self._rest += data[:first_end]
            self._take(bytes(self._rest), lines)
            whole = data[first_end + 1 : end] if end > first_end else None
        else:
            whole = data[:end]
        if whole is not None:
            self._take_all(whole, lines)
        self._rest = bytearray(data[end + 1 :])
        return lines + self._pass_on_pieces() if len(self._rest) > LONGEST_LINE else lines

    def close(self) -> list[str]:
        """The last line, if it had no end; the stream has nothing more to say."""
        lines: list[str] = []
        if self._rest:
            self._take(bytes(self._rest), lines)
            self._rest = bytearray()
        return lines

    def take_marked(self) -> bytes | None:
        """What stands behind the marker on the last line; None if there is no marker. For after `close`."""
        if self._held is None or self._marker is None:
            return None
        return self._held[len(self._marker) :]

    def why_no_output(self) -> str | None:
        """For people, if a line has the marker and yet is not the output. For after `close`."""
        if self._held is not None:
            return None
        if self._is_marker_inside:
            return _NOT_AT_THE_BEGINNING
        return _NOT_THE_LAST if self._has_passed_marked else None

    def _take_all(self, whole: bytes, lines: list[str]) -> None:
        """Lines that began and ended in one reading."""
        is_plain = self._held is None and (self._marker is None or self._marker not in whole)
        if is_plain and len(whole) <= LONGEST_LINE:
            # The usual case, and some ten times as fast: none of them can be too long.
            text = whole.decode("utf-8", "replace").replace("\0", _STAND_IN)
            lines += text.replace("\r\n", "\n").removesuffix("\r").split("\n")
            if self._is_marker_inside and text.strip():
                self._is_marker_inside = False
        else:
            for line in whole.split(b"\n"):
                self._take(line, lines)

    def _take(self, line: bytes, lines: list[str]) -> None:
        is_whole, self._is_continued = not self._is_continued, False
        if self._marker is not None and is_whole and line.startswith(self._marker):
            self._release(lines)
            self._held, self.dropped, self._beyond = line, self._beyond, 0
            return
        self._look_inside(line, is_beginning=is_whole)
        if self._held is None:
            lines += _texts_of(line)
        elif line.strip() or len(self._blank_lines) >= _MOST_BLANK_LINES:
            self._release(lines)
            lines += _texts_of(line)
        else:
            self._blank_lines.append(line)

    def _look_inside(self, text: bytes | bytearray, *, is_beginning: bool) -> None:
        """At a line that is not marked, or at the next piece of one. Blank lines change nothing."""
        if self._marker is not None and (text.strip() or not is_beginning):
            was_before = self._is_marker_inside and not is_beginning
            self._is_marker_inside = was_before or self._marker in text

    def _release(self, lines: list[str]) -> None:
        """The line that was held back is not the last one, so it is one like any other."""
        if self._held is not None:
            lines += _texts_of(self._held)
            lines += map(_text_of, self._blank_lines)
            self._has_passed_marked = True
        self._held, self._blank_lines, self.dropped = None, [], 0

    def _pass_on_pieces(self) -> list[str]:
        rest = self._rest
        if len(rest) <= LONGEST_LINE:
            return []
        if self._marker is not None and not self._is_continued and rest.startswith(self._marker):
            if len(rest) > LARGEST_OUTPUT:
                self._beyond += len(rest) - LARGEST_OUTPUT
                del rest[LARGEST_OUTPUT:]
            return []
        self._look_inside(rest, is_beginning=not self._is_continued)
        lines: list[str] = []
        self._release(lines)
        while len(rest) > LONGEST_LINE:
            end = _end_of_piece(rest)
            lines.append(_text_of(bytes(rest[:end])))
            del rest[:end]
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
    """Where to cut, so that no character is cut in two; bytes that are no UTF-8 are cut anywhere."""
    end = start + LONGEST_LINE
    for back in range(4):
        if line[end - back] & 0xC0 != 0x80:
            return end - back
    return end


def _text_of(line: bytes) -> str:
    # Databases take no NUL in text, and a stray byte in a log is no reason to lose the line.
    return line.decode("utf-8", "replace").replace("\0", _STAND_IN).removesuffix("\r")
