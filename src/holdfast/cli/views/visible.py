"""Escapes control characters in text from users, so that it cannot control the terminal.

An escape sequence in a log line or in the id of a run could clear the screen, set the title, or hide what is
really there. So it is shown as text, as in `\\x1b[2J`. All output for people passes through here. Output for
programs (results in a pipe) does not; JSON has escapes of its own for these characters.
"""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Control characters, characters that change the direction of text, surrogates, and line separators."""
_IN_JSON = re.compile("[\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
"""Those of them that JSON has as they are."""
_LINE_START = re.compile(r"\n(?=[^ \t\n])")
_JOINERS = "\u200c\u200d"
"""They are of category Cf, but only join letters of some scripts, and emojis."""


def visible(text: str, *, keep: str = "\n\t") -> str:
    """Escapes every character that a terminal would act on, except those in `keep`."""
    if text.isprintable():
        return text
    return "".join(each if each in keep else _shown(each) for each in text)


def message(text: str) -> str:
    """For a message that quotes names and errors of users. The lines after the first are indented, so that no
    name can begin a line that looks like a message of ours."""
    return _LINE_START.sub("\n  ", visible(text))


def one_line(text: str, longest: int | None = 300) -> str:
    """The text on one line: line breaks and tabs become blanks."""
    # One character more than is shown says that there are more. A result may have megabytes.
    start = text.strip()[: None if longest is None else longest + 1]
    flat = "".join(" " if each in "\n\r\t" else _shown(each) for each in start)
    return flat if longest is None or len(flat) <= longest else flat[: longest - 1] + "…"


def log_line(text: str, longest: int = 20_000) -> str:
    """A log line of a task, with its indentation."""
    shown = visible(text.rstrip()[: longest + 1], keep="\t")
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def json_escapes(text: str) -> str:
    """JSON that says the same. Encoders escape only the first 32 characters, but terminals act on others,
    too."""
    return text if text.isascii() and "\x7f" not in text else _IN_JSON.sub(_json_escape, text)


def _json_escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def shell_word(text: str) -> str:
    """Quotes a word of a command, so that it can be copied and pasted into bash or zsh."""
    import shlex

    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def _escaped(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    # Byte by byte: shells differ in how many digits they read as one character.
    return "".join(f"\\x{byte:02x}" for byte in character.encode(errors="surrogateescape"))


def _shown(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    if unicodedata.category(character) not in _INVISIBLE:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
