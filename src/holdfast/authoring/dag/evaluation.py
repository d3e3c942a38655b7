"""What a condition comes to, given what its references stand for.

Nothing is converted in silence: `'1' + 1`, `'a' < 2` and `not 0` are mistakes, and are said so. Values of
different types are simply not equal, and true is not 1. What is computed stays small, whatever it is computed
from.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, assert_never, cast

from holdfast.authoring.dag.expression_tree import Apply, Binary, Constant, Items, Lookup, Part, Read, Unary
from holdfast.authoring.dag.types import name_of_value
from holdfast.errors import CannotEvaluate, Refused

_LONGEST_TEXT: Final = 100_000
_LARGEST_NUMBER: Final = 10**30


def evaluate(tree: Part, lookup: Lookup) -> bool:
    """Raises CannotEvaluate, and nothing else."""
    try:
        result = _value(tree, lookup)
    except RecursionError:  # to compare two values takes as many levels as they have
        raise CannotEvaluate("a value is nested too deeply to be compared") from None
    if not isinstance(result, bool):
        raise CannotEvaluate(f"a condition must come to true or false, not to {name_of_value(result)}")
    return result


def _value(part: Part, lookup: Lookup) -> Any:
    match part:
        case Constant(value):
            return value
        case Read():
            return _read(part, lookup)
        case Items(of):
            return [_value(each, lookup) for each in of]
        case Unary("not", of):
            return not _truth(_value(of, lookup), "not")
        case Unary(_, of):
            return -_number(_value(of, lookup), "-")
        case Binary("and", left, right):
            return _truth(_value(left, lookup), "and") and _truth(_value(right, lookup), "and")
        case Binary("or", left, right):
            return _truth(_value(left, lookup), "or") or _truth(_value(right, lookup), "or")
        case Binary(sign, left, right):
            return _BINARY[sign](sign, _value(left, lookup), _value(right, lookup))
        case Apply("exists", (Read() as path,)):
            return _exists(path, lookup)
        case Apply(function, arguments):
            return _FUNCTIONS[function](function, *[_value(each, lookup) for each in arguments])
        case _:
            assert_never(part)


def _read(part: Read, lookup: Lookup) -> Any:
    try:
        return lookup(part.ref)
    except (LookupError, Refused) as error:
        said = error.args[0] if isinstance(error, KeyError) and error.args else error
        raise CannotEvaluate(f"{part.ref} cannot be read: {said}") from error


def _exists(path: Read, lookup: Lookup) -> bool:
    try:
        return lookup(path.ref) is not None
    except (LookupError, Refused):
        return False  # which is just what was asked


# --- operators


def _truth(value: Any, sign: str) -> bool:
    if not isinstance(value, bool):
        raise CannotEvaluate(f"{sign!r} is for true and false, not for {name_of_value(value)}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(value: Any, sign: str) -> Any:
    if not _is_number(value):
        raise CannotEvaluate(f"{sign!r} is for numbers, not for {name_of_value(value)}")
    return value


def same(left: Any, right: Any) -> bool:
    """Whether two values from JSON are equal. 1 and 1.0 are; 1 and true are not, at any depth."""
    if isinstance(left, dict) and isinstance(right, dict):
        ours, theirs = cast("dict[str, Any]", left), cast("dict[str, Any]", right)
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(left, list) and isinstance(right, list):
        here, there = cast("list[Any]", left), cast("list[Any]", right)
        return len(here) == len(there) and all(map(same, here, there))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return left == right


def _equal(sign: str, left: Any, right: Any) -> bool:
    return same(left, right) is (sign == "==")


_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _ordered(sign: str, left: Any, right: Any) -> bool:
    is_fit = (_is_number(left) and _is_number(right)) or (isinstance(left, str) and isinstance(right, str))
    if not is_fit:
        kinds = f"{name_of_value(left)} with {name_of_value(right)}"
        raise CannotEvaluate(f"{sign!r} compares numbers, or text with text, not {kinds}")
    return _ORDERS[sign](left, right)


def _contains(sign: str, item: Any, container: Any) -> bool:
    is_in = sign == "in"
    if isinstance(container, list):
        return any(same(item, each) for each in cast("list[Any]", container)) is is_in
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
        if abs(_number(operand, sign)) > _LARGEST_NUMBER:
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


_BINARY: Final[dict[str, Callable[[str, Any, Any], Any]]] = {
    **dict.fromkeys(("==", "!="), _equal),
    **dict.fromkeys(_ORDERS, _ordered),
    **dict.fromkeys(("in", "not in"), _contains),
    "+": _add,
    **dict.fromkeys(("-", "*", "/", "%"), _compute),
}

# --- functions


def _text(value: Any, function: str) -> str:
    if not isinstance(value, str):
        raise CannotEvaluate(f"{function}() is for text, not for {name_of_value(value)}")
    return value


def _length(function: str, value: Any) -> int:
    if not isinstance(value, (str, list, dict)):
        raise CannotEvaluate(f"len() is for text, lists and objects, not for {name_of_value(value)}")
    return len(cast("list[Any]", value))


def _change_case(function: str, value: Any) -> str:
    text = _short(_text(value, function))
    return text.lower() if function == "lower" else text.upper()


def _compare_ends(function: str, value: Any, end: Any) -> bool:
    text, part = _text(value, function), _text(end, function)
    return text.startswith(part) if function == "starts_with" else text.endswith(part)


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "len": _length,
    "lower": _change_case,
    "upper": _change_case,
    "starts_with": _compare_ends,
    "ends_with": _compare_ends,
}
