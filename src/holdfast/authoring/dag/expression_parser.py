"""From the text of a condition to its tree.

Weakest first: `or`, `and`, `not`, comparisons (`== != < <= > >= in`, `not in`; they do not chain), `+ -`, `*
/ %`, a sign. A name may have hyphens in it, so a minus needs a space before it: `discover.count - 1`.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, NoReturn

from holdfast.authoring.dag.references import BadReference, read_reference
from holdfast.authoring.documents.expression_tree import Constant, ListOf, Operation, Part, Reference

LONGEST_EXPRESSION: Final = 2000
_DEEPEST: Final = 40
_MOST_PARTS: Final = 200
_MOST_DIGITS: Final = 18

FUNCTIONS: Final[dict[str, int]] = {
    "len": 1,
    "exists": 1,
    "lower": 1,
    "upper": 1,
    "starts_with": 2,
    "ends_with": 2,
}
"""Each with the number of its arguments."""


class BadExpression(Exception):
    """At an `offset` in the text. It never leaves this package: it becomes a problem of a DAG."""

    def __init__(self, offset: int, reason: str) -> None:
        self.offset, self.reason = offset, reason
        super().__init__(reason)


def parse_expression(text: str) -> Part:
    """Raises BadExpression."""
    return _Parser(text).parse()


# --- tokens

_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-+[A-Za-z0-9_]+)*")
_TOKEN = re.compile(
    r"""(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)
    | (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | (?P<sign>==|!=|<=|>=|[<>+\-*/%()\[\],])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_KEYWORDS: Final = ("and", "or", "not", "in")
_SURPRISES: Final = {
    "=": "to compare, write ==",
    "&": "write and",
    "|": "write or",
    "!": "write not, or != to compare",
}


class _Token(NamedTuple):
    kind: str
    """`number`, `text`, `word`, `end`, or the sign or keyword itself."""
    text: str
    at: int
    end: int


_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=", "in", "not in")
_STRENGTH: Final = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(_COMPARISONS, 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "%"), 6),
}
_NOT: Final = 3
_SIGN: Final = 7


class _Parser:
    """Precedence climbing: an operand, then operators as long as they bind strongly enough."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_EXPRESSION:
            raise BadExpression(0, f"a condition has at most {LONGEST_EXPRESSION:,} characters")
        self._text = text
        self._parts = 0
        self._depth = 0
        self._next = self._read(0)

    def parse(self) -> Part:
        if self._next.kind == "end":
            raise BadExpression(0, "a condition is missing")
        tree = self._expression(0)
        if self._next.kind != "end":
            self._unexpected()
        return tree

    # --- grammar

    def _expression(self, strength: int) -> Part:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BadExpression(self._next.at, f"nested more than {_DEEPEST} levels deep")
        left = self._operand()
        while True:
            operator, at = self._operator()
            binds = _STRENGTH.get(operator, 0)
            if binds <= strength:
                break
            self._take_operator(operator)
            right = self._expression(binds)
            left = self._made(Operation(operator, (left, right), at))
            if binds == _STRENGTH["=="] and _STRENGTH.get(self._operator()[0], 0) == binds:
                raise BadExpression(
                    self._next.at, "comparisons do not chain; write a < b and b < c, or use parentheses"
                )
        self._depth -= 1
        return left

    def _operator(self) -> tuple[str, int]:
        """The next token, if it can be an operator between two values; `not in` is two words."""
        token = self._next
        if token.kind == "not":
            following = self._read(token.end)
            return ("not in" if following.kind == "in" else "", token.at)
        return token.kind, token.at

    def _take_operator(self, operator: str) -> None:
        self._take()
        if operator == "not in":
            self._take()

    def _operand(self) -> Part:
        token = self._next
        match token.kind:
            case "number":
                self._take()
                return self._made(Constant(_number(token), token.at))
            case "text":
                self._take()
                return self._made(Constant(_unquoted(token), token.at))
            case "word":
                return self._made(self._word(token))
            case "not":
                self._take()
                return self._made(Operation("not", (self._expression(_NOT),), token.at))
            case "-":
                self._take()
                return self._made(Operation("negate", (self._expression(_SIGN),), token.at))
            case "(":
                self._take()
                inner = self._expression(0)
                self._close(")", token)
                return inner
            case "[":
                self._take()
                return self._made(ListOf(self._arguments("]", token), token.at))
            case _:
                self._unexpected()

    def _word(self, token: _Token) -> Part:
        if token.text in _CONSTANTS:
            self._take()
            return Constant(_CONSTANTS[token.text], token.at)
        if self._text[token.end : token.end + 1] == "(":
            return self._call(token)
        try:
            written = read_reference(self._text, token.at)
        except BadReference as error:
            raise BadExpression(error.offset, error.reason) from None
        self._next = self._read(written.end)
        return Reference(written.ref, token.at, written.offsets, written.is_short)

    def _call(self, token: _Token) -> Part:
        if token.text not in FUNCTIONS:
            raise BadExpression(
                token.at, f"no function {token.text[:50]!r}; there are {', '.join(FUNCTIONS)}"
            )
        self._take()
        opening = self._next
        self._take()
        arguments = self._arguments(")", opening)
        wanted = FUNCTIONS[token.text]
        if len(arguments) != wanted:
            plural = "argument" if wanted == 1 else "arguments"
            raise BadExpression(token.at, f"{token.text}() takes {wanted} {plural}, not {len(arguments)}")
        if token.text == "exists" and not isinstance(arguments[0], Reference):
            raise BadExpression(arguments[0].at, "exists() takes a reference, such as discover.note")
        return Operation(token.text, arguments, token.at)

    def _arguments(self, closing: str, opening: _Token) -> tuple[Part, ...]:
        found: list[Part] = []
        while self._next.kind != closing:
            found.append(self._expression(0))
            if self._next.kind != ",":
                break
            self._take()
        self._close(closing, opening)
        return tuple(found)

    # --- tokens, one ahead

    def _take(self) -> None:
        self._next = self._read(self._next.end)

    def _read(self, start: int) -> _Token:
        space = _SPACE.match(self._text, start)
        at = start if space is None else space.end()
        if at == len(self._text):
            return _Token("end", "", at, at)
        word = _WORD.match(self._text, at)
        if word is not None:
            kind = word[0] if word[0] in _KEYWORDS else "word"
            return _Token(kind, word[0], at, word.end())
        found = _TOKEN.match(self._text, at)
        if found is None:
            character = self._text[at]
            reason = f"cannot read {character!r}"
            if character in "'\"":
                reason = "text in quotes that is not closed"
            elif character in _SURPRISES:
                reason = f"there is no {character!r}; {_SURPRISES[character]}"
            raise BadExpression(at, reason)
        kind = str(found.lastgroup)
        return _Token(found[0] if kind == "sign" else kind, found[0], at, found.end())

    def _close(self, closing: str, opening: _Token) -> None:
        if self._next.kind != closing:
            if self._next.kind == "end":
                raise BadExpression(opening.at, f"{opening.text} is not closed by {closing}")
            self._unexpected()
        self._take()

    def _unexpected(self) -> NoReturn:
        token = self._next
        if token.kind == "end":
            raise BadExpression(token.at, "a value is missing at the end")
        raise BadExpression(token.at, f"did not expect {token.text[:30]!r} here")

    def _made(self, part: Part) -> Part:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise BadExpression(part.at, f"a condition has at most {_MOST_PARTS} parts")
        return part


def _number(token: _Token) -> int | float:
    if token.text.isdigit():
        if len(token.text) > _MOST_DIGITS:
            raise BadExpression(token.at, f"a whole number has at most {_MOST_DIGITS} digits")
        return int(token.text)
    number = float(token.text)
    if number == float("inf"):
        raise BadExpression(token.at, "a number beyond what can be computed with")
    return number


def _unquoted(token: _Token) -> str:
    def meant(escape: re.Match[str]) -> str:
        if escape[1] not in _ESCAPES:
            raise BadExpression(
                token.at + 1 + escape.start(), f"unknown escape {escape[0]!r}; write \\\\ for \\"
            )
        return _ESCAPES[escape[1]]

    return _ESCAPE.sub(meant, token.text[1:-1])
