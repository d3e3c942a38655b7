"""Takes the values of secrets out of everything that an attempt leaves behind.

A value is found as it is, and in the forms that it commonly takes in text: quoted as in JSON, in Python, in a
shell, in HTML or in a URL, as base64 (also in the middle of it) and as hexadecimal digits. What is found
becomes `***NAME***`. Text that comes in pieces is held back while its end may be the beginning of a value.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import msgspec

from holdfast.core.log_lines import OutputLine
from holdfast.core.values import Failed, Failure, Outcome, Payload, Succeeded

SHORTEST_SECRET: Final = 6
"""In characters. A shorter value occurs in other text by chance, and masking it would spoil that."""

_SHORTEST_LINE: Final = 8
"""Of a value with several lines, those of so many characters are found by themselves."""
_SHORTEST_BEGINNING: Final = 4
"""How many characters of a value are masked at the end of a text that was cut there."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*')
"""A string or a number of JSON."""
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Mask:
    """The forms of the values of some secrets."""

    __slots__ = ("_forms", "_longest", "_pattern")

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._forms: dict[str, str] = {}
        """What is to be found, and what stands there instead."""
        for name, value in secrets.items():
            for form in _forms_of(value):
                self._forms.setdefault(form, f"***{name}***")
        longest_first = sorted(self._forms, key=len, reverse=True)
        self._longest = len(longest_first[0]) if longest_first else 0
        self._pattern = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def text(self, text: str) -> str:
        return self._pattern.sub(self._instead, text)

    def _instead(self, found: re.Match[str]) -> str:
        return self._forms[found[0]]

    def begun_at(self, text: str) -> int:
        """Where the end of the text begins that may be the beginning of a value; its length if none may."""
        start = max(0, len(text) - self._longest + 1)
        tail = text[start:]
        first = len(tail)
        for form in self._forms:
            at = tail.find(form[0])
            while 0 <= at < first:
                if form.startswith(tail[at:]):
                    first = at
                    break
                at = tail.find(form[0], at + 1)
        return start + first

    def cut_text(self, text: str) -> str:
        """Text that may have been cut at its end, which `…` shows: also the beginning of a value there."""
        text = self.text(text)
        if text.endswith("…"):
            begun = self.begun_at(text[:-1])
            if len(text) - 1 - begun >= _SHORTEST_BEGINNING:
                return f"{text[:begun]}***…"
        return text

    def payload(self, payload: Payload) -> Payload:
        """JSON stays JSON: strings are masked, and a number that has a value in it becomes a string."""
        text = payload.decode()
        if "\\" not in text and self._pattern.search(text) is None:
            return payload
        masked = _TOKEN.sub(self._masked_token, text)
        return payload if masked == text else Payload(masked.encode())

    def _masked_token(self, found: re.Match[str]) -> str:
        token = found[0]
        content = json.loads(token) if token[0] == '"' else token
        masked = self.text(content)
        return token if masked == content else json.dumps(masked, ensure_ascii=False)

    def plain(self, value: Any) -> Any:
        """Plain data, as JSON has it."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            entries = cast("Mapping[Any, Any]", value)
            return {self.plain(key): self.plain(item) for key, item in entries.items()}
        if isinstance(value, list | tuple):
            return [self.plain(item) for item in cast("Sequence[Any]", value)]
        if isinstance(value, int | float) and not isinstance(value, bool):
            masked = self.text(str(value))
            return value if masked == str(value) else masked
        return value

    def failure(self, failure: Failure) -> Failure:
        return msgspec.structs.replace(
            failure,
            message=self.cut_text(failure.message),
            traceback=self.text(failure.traceback),
            cause=None if failure.cause is None else self.failure(failure.cause),
            arguments=self.plain(failure.arguments),
            attributes=self.plain(failure.attributes),
        )

    def outcome(self, outcome: Outcome) -> Outcome:
        """The same object, if there is nothing to mask in an output."""
        if isinstance(outcome, Succeeded):
            payload = self.payload(outcome.payload)
            return outcome if payload is outcome.payload else Succeeded(payload)
        return Failed(self.failure(outcome.failure)) if isinstance(outcome, Failed) else outcome

    def joined_lines(self, lines: Sequence[OutputLine]) -> list[OutputLine]:
        """Masks what goes on from one line to the next: a line that is too long is cut anywhere."""
        joined = "".join(line.text for line in lines)
        if len(lines) < 2 or self._pattern.search(joined) is None:
            return list(lines)
        masked: list[OutputLine] = []
        matches = [
            (found.start(), found.end(), self._instead(found)) for found in self._pattern.finditer(joined)
        ]
        start = 0
        for line in lines:
            end = start + len(line.text)
            masked.append(line._replace(text="".join(_kept(joined, start, end, matches))))
            start = end
        return masked


def _kept(joined: str, start: int, end: int, matches: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    """What is left of `joined[start:end]`. The replacement stands where the match begins."""
    at = start
    for first, last, instead in matches:
        if last <= start or first >= end:
            continue
        if first >= start:
            yield joined[at:first] + instead
        at = min(last, end)
    yield joined[at:end]


class MaskedLines:
    """The log of one attempt. Holds back a line that ends as a value begins, until the next line.

    `source` tells apart what is written at the same time, such as threads.
    """

    __slots__ = ("_held", "_mask")

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._held: dict[tuple[str, int], list[OutputLine]] = {}

    def feed(self, lines: Sequence[OutputLine], source: int = 0) -> list[OutputLine]:
        """The lines that can be shown now."""
        shown: list[OutputLine] = []
        streams: dict[str, list[OutputLine]] = {}
        for line in lines:
            streams.setdefault(line.stream, []).append(line._replace(text=self._mask.text(line.text)))
        for stream, new in streams.items():
            waiting = self._mask.joined_lines([*self._held.pop((stream, source), ()), *new])
            begun = self._mask.begun_at("".join(line.text for line in waiting))
            place = 0
            for index, line in enumerate(waiting):
                place += len(line.text)
                if place > begun:
                    self._held[stream, source] = waiting[index:]
                    waiting = waiting[:index]
                    break
            shown += waiting
        return shown

    def close(self) -> list[OutputLine]:
        held, self._held = self._held, {}
        return [line for lines in held.values() for line in lines]


class MaskedText:
    """Text that is shown as it comes, as that of a terminal."""

    __slots__ = ("_held", "_mask")

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._held: dict[tuple[str, int], str] = {}

    def feed(self, stream: str, text: str, source: int = 0) -> str:
        text = self._mask.text(self._held.pop((stream, source), "") + text)
        begun = self._mask.begun_at(text)
        if begun < len(text):
            self._held[stream, source] = text[begun:]
        return text[:begun]

    def close(self) -> list[tuple[str, str]]:
        """What is left, each with its stream."""
        held, self._held = self._held, {}
        return [(stream, text) for (stream, _), text in held.items()]


class AttemptSecrets:
    """The secrets of one attempt. They are in memory only, as long as the attempt."""

    __slots__ = ("lines", "mask", "shown", "values")

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.mask = Mask(values)
        self.lines = MaskedLines(self.mask)
        self.shown = MaskedText(self.mask)

    def __repr__(self) -> str:
        return f"<secrets {', '.join(self.values)}>"


# --- the forms of a value


def _forms_of(value: str) -> Iterator[str]:
    lines = [line.strip() for line in value.splitlines()]
    parts = [line for line in lines if len(line) >= _SHORTEST_LINE and not line.startswith("-----")]
    for text in dict.fromkeys([value, value.strip(), *(parts if len(lines) > 1 else ())]):
        for form in dict.fromkeys(_forms_of_text(text)):
            if len(form) >= SHORTEST_SECRET:
                yield form


def _forms_of_text(text: str) -> Iterator[str]:
    escaped = [text, *_escaped(text)]
    for once in dict.fromkeys(escaped):
        yield once
        yield from _escaped(once)  # JSON inside JSON
    yield text.replace("'", "'\"'\"'")
    yield text.replace("'", "'\\''")
    yield html.escape(text)
    for kept in (b"", b"/"):
        for escape in ("%{:02X}", "%{:02x}"):
            quoted = "".join(
                chr(it) if it in _UNRESERVED or it in kept else escape.format(it) for it in text.encode()
            )
            yield quoted
            yield quoted.replace("%20", "+")
    for once in dict.fromkeys(escaped):
        yield from _encoded(once.encode())


def _escaped(text: str) -> Iterator[str]:
    for escaped in (json.dumps(text), json.dumps(text, ensure_ascii=False), repr(text)):
        yield escaped[1:-1]


def _encoded(data: bytes) -> Iterator[str]:
    yield data.hex()
    yield data.hex().upper()
    for before in range(3):
        # The first characters depend on what comes before the value, and the last on what comes after.
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        first, rest = (0, 2, 3)[before], (before + len(data)) % 3
        inner = whole[first : len(whole) - (1 if rest else 0)]
        yield inner
        yield inner.replace("+", "-").replace("/", "_")
