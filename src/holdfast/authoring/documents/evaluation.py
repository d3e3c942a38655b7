"""Evaluates a condition, given the values of its references.

A strict operation converts nothing: `'1' + 1`, `'a' < 2` and `not 0` are mistakes, and messages say so.
Values of different types are not equal, and true is not 1. A loose operation never fails (see
`expression_tree`). Computed values stay small, whatever they are computed from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from holdfast.authoring.documents.comparison import (
    LOOSE_ORDERS,
    ORDERS,
    are_equal,
    compare,
    is_number,
    is_within,
    name_of_value,
)
from holdfast.authoring.documents.expression_tree import Constant, ListOf, Lookup, Operation, Part, Reference
from holdfast.errors import CannotEvaluate, Refused

_LONGEST_TEXT: Final = 100_000
_LARGEST_NUMBER: Final = 10**30


def evaluate(tree: Part, lookup: Lookup) -> bool:
    """Raises CannotEvaluate, and nothing else of its own."""
    result = _value(tree, lookup)
    if not isinstance(result, bool):
        raise CannotEvaluate(f"a condition must come to true or false, not to {name_of_value(result)}")
    return result


def _value(part: Part, lookup: Lookup) -> Any:
    match part:
        case Constant(value):
            return value
        case Reference():
            return _read(part, lookup)
        case ListOf(parts):
            return [_value(each, lookup) for each in parts]
        case Operation("and", parts):
            return all(_truth("and", _value(each, lookup)) for each in parts)
        case Operation("or", parts):
            return any(_truth("or", _value(each, lookup)) for each in parts)
        case Operation("exists", (Reference() as reference,)):
            return _exists(reference, lookup)
        case Operation(name, operands):
            return _OPERATIONS[name](name, *[_value(each, lookup) for each in operands])


def _read(part: Reference, lookup: Lookup) -> Any:
    try:
        return lookup(part.ref)
    except (LookupError, Refused) as error:
        said = error.args[0] if isinstance(error, KeyError) and error.args else error
        raise CannotEvaluate(f"{part.ref} cannot be read: {said}") from error


def _exists(part: Reference, lookup: Lookup) -> bool:
    try:
        return lookup(part.ref) is not None
    except (LookupError, Refused):
        return False


# --- strict operators


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise CannotEvaluate(f"{name!r} is for true and false, not for {name_of_value(value)}")
    return value


def _not(name: str, value: Any) -> bool:
    return not _truth(name, value)


def _number(sign: str, value: Any) -> Any:
    if not is_number(value):
        raise CannotEvaluate(f"{sign!r} is for numbers, not for {name_of_value(value)}")
    return value


def _negate(name: str, value: Any) -> Any:
    return -_number("-", value)


def _equal(sign: str, left: Any, right: Any) -> bool:
    return are_equal(left, right) is (sign == "==")


def _ordered(sign: str, left: Any, right: Any) -> bool:
    is_fit = (is_number(left) and is_number(right)) or (isinstance(left, str) and isinstance(right, str))
    if not is_fit:
        kinds = f"{name_of_value(left)} with {name_of_value(right)}"
        raise CannotEvaluate(f"{sign!r} compares numbers, or text with text, not {kinds}")
    return ORDERS[sign](left, right)


def _contains(sign: str, item: Any, container: Any) -> bool:
    is_in = sign == "in"
    if isinstance(container, list):
        return any(are_equal(item, each) for each in cast("list[Any]", container)) is is_in
    if isinstance(container, (str, dict)) and isinstance(item, str):
        return (item in container) is is_in
    raise CannotEvaluate(
        f"{sign!r} looks for something in a list, or for text in text or in the keys of an object, "
        f"not for {name_of_value(item)} in {name_of_value(container)}"
    )


def _add(sign: str, left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        return _short(left + right)
    if isinstance(left, str) or isinstance(right, str):
        raise CannotEvaluate(
            f"'+' adds numbers, or text to text, not {name_of_value(right)} to {name_of_value(left)}"
        )
    return _compute(sign, left, right)


def _compute(sign: str, left: Any, right: Any) -> Any:
    for operand in (left, right):
        if abs(_number(sign, operand)) > _LARGEST_NUMBER:
            raise CannotEvaluate("a number beyond what can be computed with")
    if sign in ("/", "%") and right == 0:
        raise CannotEvaluate("a division by zero")
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case _:
            return left % right


def _short(text: str) -> str:
    if len(text) > _LONGEST_TEXT:
        raise CannotEvaluate(f"a text of more than {_LONGEST_TEXT:,} characters")
    return text


# --- functions


def _text(function: str, value: Any) -> str:
    if not isinstance(value, str):
        raise CannotEvaluate(f"{function}() is for text, not for {name_of_value(value)}")
    return value


def _length(function: str, value: Any) -> int:
    if not isinstance(value, (str, list, dict)):
        raise CannotEvaluate(f"len() is for text, lists and objects, not for {name_of_value(value)}")
    return len(cast("list[Any]", value))


def _change_case(function: str, value: Any) -> str:
    text = _short(_text(function, value))
    return text.lower() if function == "lower" else text.upper()


def _compare_ends(function: str, value: Any, end: Any) -> bool:
    text, part = _text(function, value), _text(function, end)
    return text.startswith(part) if function == "starts_with" else text.endswith(part)


def _within(name: str, item: Any, collection: Any) -> bool:
    return is_within(item, collection)


_OPERATIONS: Final[dict[str, Callable[..., Any]]] = {
    "not": _not,
    "negate": _negate,
    **dict.fromkeys(("==", "!="), _equal),
    **dict.fromkeys(ORDERS, _ordered),
    **dict.fromkeys(("in", "not in"), _contains),
    "+": _add,
    **dict.fromkeys(("-", "*", "/", "%"), _compute),
    "len": _length,
    **dict.fromkeys(("lower", "upper"), _change_case),
    **dict.fromkeys(("starts_with", "ends_with"), _compare_ends),
    **dict.fromkeys(("eq", "ne", *LOOSE_ORDERS), compare),
    "within": _within,
}
