"""Text that comes from users, made safe to show: the one place that keeps it from speaking to a terminal.

An escape sequence in a log line or in the id of a run could clear the screen, set the title, or show one
thing and mean another. What is not for the eye is therefore written out, as in `\\x1b[2J`. Everything that is
said to people passes through here; what is for programs (`--json`, and results in a pipe) does not.
"""

from __future__ import annotations

import unicodedata

_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Control characters, those that turn the direction of text, halves of pairs, and breaks of lines."""
_JOINERS = "\u200c\u200d"
"""Of this kind too, but letters of some scripts, and emojis, are joined by them; they do nothing else."""


def visible(text: str, *, keep: str = "\n\t") -> str:
    """The text with everything written out that a terminal would act on, but for the characters to keep."""
    if text.isprintable():
        return text
    return "".join(each if each in keep else _shown(each) for each in text)


def one_line(text: str, longest: int | None = 300) -> str:
    """As one line: what breaks lines or makes room between words is a blank."""
    flat = "".join(" " if each in "\n\r\t" else _shown(each) for each in text.strip())
    return flat if longest is None or len(flat) <= longest else flat[: longest - 1] + "…"


def log_line(text: str, longest: int = 20_000) -> str:
    """A line that a task has said, indented as it was."""
    shown = visible(text.rstrip(), keep="\t")
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def shell_word(text: str) -> str:
    """As a word of a command that people can copy from the screen and paste into bash or zsh."""
    import shlex

    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def _escaped(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    # Byte by byte: how many digits of a number a shell takes for a character depends on the shell.
    return "".join(f"\\x{byte:02x}" for byte in character.encode(errors="surrogateescape"))


def _shown(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    if unicodedata.category(character) not in _UNSEEN:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
