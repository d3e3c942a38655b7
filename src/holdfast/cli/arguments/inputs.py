"""Reads JSON that users pass: on the command line, in a file, or through a pipe."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, cast

from holdfast.errors import BadFile, BadOption, show

Arguments: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""Positional arguments and arguments by name."""


def read_json(option: str, text: str) -> Any:
    """Raises BadOption with the line and column of the mistake."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        raise BadOption(option, text, f"JSON ({position}: {error.msg})") from None
    except (ValueError, RecursionError) as error:  # NaN, a repeated key, too many digits, nested too deeply
        raise BadOption(option, text, f"JSON ({error})") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {show(key)} is there twice in one object; leave one out")
        found[key] = value
    return found


def read_arguments(text: str | None) -> Arguments:
    """Raises BadOption."""
    if text is None:
        return (), {}
    value = read_json("--input", _text_of(text))
    match value:
        case dict():
            return (), cast("dict[str, Any]", value)
        case list():
            return tuple(cast("list[Any]", value)), {}
        case _:
            expected = 'a JSON object with the inputs by name, such as {"day": "2026-01-31"}'
            raise BadOption("--input", value, f"{expected}, or a list for a workflow in Python")


def read_named(text: str | None) -> dict[str, Any]:
    """For workflows that take inputs by name only. Raises BadOption."""
    args, kwargs = read_arguments(text)
    if args:
        raise BadOption("--input", text, "a JSON object: inputs by name")
    return kwargs


def _text_of(text: str) -> str:
    if text == "-":
        return _decoded("standard input", sys.stdin.buffer.read())
    if not text.startswith("@"):
        return text
    file = text[1:]
    try:
        return _decoded(file, Path(file).read_bytes())
    except OSError as error:
        raise BadFile.unreadable("--input", file, error) from None


def _decoded(file: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"not text in UTF-8 (byte {error.start}: {error.reason})"
        raise BadFile("--input", file, reason) from None
