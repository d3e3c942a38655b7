"""Names of secrets, and where their values are found: what users write in `secrets=[...]` and in settings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from holdfast.errors import BadOption, show

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_RESERVED: Final = "HOLDFAST_"
"""Variables of this prefix are ours; see docs/reference/task-contract.md."""
_MOST_SECRETS: Final = 100
_SOURCE: Final = (
    "env:PREFIX for variables of the environment, file:FOLDER for a folder with a file for each secret, or "
    "command:PROGRAM for a program that is given the name and prints the value"
)


def checked_secrets(option: str, given: Any) -> tuple[str, ...]:
    """The names of one secret or several, each once. Raises BadOption."""
    try:
        names = (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
    except TypeError:
        raise BadOption(option, given, "the name of a secret, or several") from None
    for name in names:
        if not isinstance(name, str) or _NAME.fullmatch(name) is None or name.startswith(_RESERVED):
            raise BadOption(
                option,
                name,
                "the name of a secret: letters, digits and _, such as STRIPE_KEY, and not HOLDFAST_…",
            )
    if len(names) > _MOST_SECRETS:
        raise BadOption(option, names, f"at most {_MOST_SECRETS} secrets")
    return tuple(str.__str__(name) for name in names)


class SourceOfSecrets(NamedTuple):
    kind: str
    """`env`, `file` or `command`."""
    prefix: str = ""
    folder: str = ""
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind == "env":
            return f"the environment, as {self.prefix}…"
        return f"the folder {self.folder}" if self.kind == "file" else f"the command {self.arguments[0]}"


def read_sources(option: str, texts: Iterable[str]) -> tuple[SourceOfSecrets, ...]:
    """Raises BadOption."""
    return tuple(_read_source(option, text) for text in texts)


def _read_source(option: str, text: str) -> SourceOfSecrets:
    kind, _, rest = text.partition(":")
    if kind == "env" and re.fullmatch(r"[A-Za-z0-9_]*", rest):
        return SourceOfSecrets(kind, prefix=rest)
    if kind == "file" and rest:
        return SourceOfSecrets(kind, folder=rest)
    if kind == "command":
        try:
            arguments = tuple(shlex.split(rest))
        except ValueError as error:
            raise BadOption(option, text, f"a command that a shell could read ({error})") from None
        if arguments:
            return SourceOfSecrets(kind, arguments=arguments)
    raise BadOption(option, show(text), _SOURCE)
