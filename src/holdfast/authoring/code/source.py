"""Where code is, its text, and its hash, which changes with the code, but not with comments and layout."""

from __future__ import annotations

import hashlib
import inspect
import io
import textwrap
import tokenize
from collections.abc import Callable
from typing import Any

from holdfast.errors import show

_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER}


def source_of(definition: Callable[..., Any] | type) -> str | None:
    """The source text, or None if there is none (as in an interactive session)."""
    try:
        return textwrap.dedent(inspect.getsource(definition))
    except (OSError, TypeError):
        return None


def origin_of(definition: Any) -> str:
    """Where it was defined: `module:name`."""
    try:
        return f"{definition.__module__}:{definition.__qualname__}"
    except Exception:  # a partial, or a class with a metaclass that raises
        return f"<locals> {show(definition)}"


def hash_of(definition: Callable[..., Any] | type) -> str:
    source = source_of(definition)
    text = _without_layout(source) if source is not None else _bytecode(definition)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_layout(source: str) -> str:
    """The tokens without comments and spacing. Unlike an AST dump, they do not depend on the Python
    version."""
    parts: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.INDENT:
                parts.append("{")
            elif token.type == tokenize.DEDENT:
                parts.append("}")
            elif token.type not in _LAYOUT:
                parts.append(token.string)
    except (tokenize.TokenError, IndentationError):
        return source  # a lambda, or another fragment that is not valid by itself
    return "".join(parts)


def _bytecode(definition: Any) -> str:
    if inspect.isclass(definition):
        members = [m for _, m in sorted(vars(definition).items()) if inspect.isfunction(m)]
        return "".join(_bytecode(member) for member in members)
    code = definition.__code__
    return repr((code.co_code, code.co_names, [c for c in code.co_consts if not hasattr(c, "co_code")]))
