"""Checks a condition against the declared types of its references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, assert_never

from holdfast.authoring.dag.expression_parser import FUNCTIONS
from holdfast.authoring.dag.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    STR,
    ListType,
    ObjectType,
    ScalarType,
    Type,
    describe,
    is_any,
    without_null,
)
from holdfast.authoring.documents.expression_tree import Constant, ListOf, Operation, Part, Reference
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.references import Ref
from holdfast.core.values import TaskStatus

_STATES: Final = [status.value for status in TaskStatus if status.is_final]

TypeOf = Callable[[Reference], Type]
Report = Callable[[int, str], None]
"""The offset in the text, and what is wrong there."""


def check_condition(tree: Part, type_of: TypeOf, report: Report, problems: Problems) -> None:
    """Report what must fail, or can never be true, whatever the values are."""
    result = _Checker(type_of, report, problems).type(tree)
    if not is_any(result) and result != BOOL:
        report(tree.at, f"a condition must come to true or false, not to {describe(result)}")


class _Checker:
    def __init__(self, type_of: TypeOf, report: Report, problems: Problems) -> None:
        self._type_of, self._report, self._problems = type_of, report, problems

    def type(self, part: Part) -> Type:
        """The type of a part; `any` if it is not known. A type that may be null counts as the type without
        null, since `exists` can be asked."""
        match part:
            case Constant(value):
                return _type_of_literal(value)
            case Reference():
                return without_null(self._type_of(part))
            case ListOf(of):
                types = [self.type(each) for each in of]
                return ListType(types[0] if types and all(each == types[0] for each in types) else ANY)
            case Operation("not", (of,)):
                self._expect(self.type(of), (BOOL,), of.at, "'not' is for true and false")
                return BOOL
            case Operation("negate", (of,)):
                return self._number(self.type(of), of.at, "-")
            case Operation(name) if name in FUNCTIONS:
                return self._function(part)
            case Operation():
                return self._binary(part)
            case _:
                assert_never(part)

    def _expect(self, found: Type, wanted: tuple[Type, ...], at: int, rule: str) -> None:
        if not is_any(found) and found not in wanted:
            self._report(at, f"{rule}, not for {describe(found)}")

    def _number(self, found: Type, at: int, sign: str) -> Type:
        self._expect(found, (INT, FLOAT), at, f"{sign!r} is for numbers")
        return found if found in (INT, FLOAT) else ANY

    # --- operators

    def _binary(self, part: Operation) -> Type:
        first, second = part.operands
        sign, left, right = part.operator, self.type(first), self.type(second)
        match sign:
            case "and" | "or":
                for its_type, at in ((left, first.at), (right, second.at)):
                    self._expect(its_type, (BOOL,), at, f"{sign!r} is for true and false")
                return BOOL
            case "==" | "!=" | "<" | "<=" | ">" | ">=":
                self._compare(part, left, right)
                return BOOL
            case "in" | "not in":
                self._contain(part, left, right)
                return BOOL
            case "+" if STR in (left, right):
                for its_type, at in ((left, first.at), (right, second.at)):
                    self._expect(its_type, (STR, *_DATES), at, "'+' with text is for text")
                return STR
            case _:
                numbers = (self._number(left, first.at, sign), self._number(right, second.at, sign))
                return FLOAT if sign == "/" or FLOAT in numbers else INT if numbers == (INT, INT) else ANY

    def _compare(self, part: Operation, left: Type, right: Type) -> None:
        sign, (first, second) = part.operator, part.operands
        if _DATETIME in (left, right) and not _is_null(first) and not _is_null(second):
            self._report(
                part.at, f"{sign!r} cannot compare datetimes: one moment can be written in many ways"
            )
            return
        if is_any(left) or is_any(right):
            return
        if sign not in ("==", "!="):
            for its_type, at in ((left, first.at), (right, second.at)):
                if not _has_order(its_type):
                    self._report(
                        at, f"{sign!r} compares numbers, or text with text, not {describe(its_type)}"
                    )
                    return
        if not _are_alike(left, right):
            self._report(part.at, f"{sign!r} compares {describe(left)} with {describe(right)}")
            return
        self._check_state(first, second)
        self._check_state(second, first)

    def _contain(self, part: Operation, item: Type, container: Type) -> None:
        first, second = part.operands
        if isinstance(container, ListType):
            if not is_any(item) and not is_any(container.of) and not _are_alike(item, container.of):
                self._report(
                    part.at,
                    f"{part.operator!r} looks for {describe(item)} in a list of {describe(container.of)}",
                )
            for each in second.parts if isinstance(second, ListOf) else ():
                self._check_state(first, each)
        elif isinstance(container, ObjectType) or container in (STR, *_DATES):
            self._expect(item, (STR, *_DATES), first.at, f"{part.operator!r} looks for text here")
        elif not is_any(container):
            words = "looks into lists, text and objects"
            self._report(second.at, f"{part.operator!r} {words}, not into {describe(container)}")

    def _check_state(self, reference: Part, literal: Part) -> None:
        """Report a state in which no task ends: the condition would never be true."""
        ref = reference.ref if isinstance(reference, Reference) else None
        if isinstance(ref, Ref) and ref.is_status and isinstance(literal, Constant):
            state = literal.value
            if isinstance(state, str) and state not in _STATES:
                hint = self._problems.did_you_mean(state, _STATES)
                self._report(
                    literal.at,
                    f"no task ends as {state[:50]!r}{hint or '; they end as ' + ', '.join(_STATES)}",
                )

    # --- functions

    def _function(self, part: Operation) -> Type:
        types = [self.type(each) for each in part.operands]
        match part.operator:
            case "exists":
                return BOOL
            case "len":
                found = types[0]
                if isinstance(found, ScalarType) and not is_any(found) and found not in (STR, *_DATES):
                    self._report(
                        part.operands[0].at,
                        f"len() is for text, lists and objects, not for {describe(found)}",
                    )
                return INT
            case _:
                for its_type, argument in zip(types, part.operands, strict=True):
                    self._expect(its_type, (STR, *_DATES), argument.at, f"{part.operator}() is for text")
                return STR if part.operator in ("lower", "upper") else BOOL


_DATE: Final = ScalarType("date")
_DATETIME: Final = ScalarType("datetime")
_DATES: Final = (_DATE, _DATETIME)


def _type_of_literal(value: Any) -> Type:
    match value:
        case None:
            return ANY  # everything may be compared with null
        case bool():
            return BOOL
        case int():
            return INT
        case float():
            return FLOAT
        case _:
            return STR


def _is_null(part: Part) -> bool:
    return isinstance(part, Constant) and part.value is None


def _has_order(type: Type) -> bool:
    return type in (INT, FLOAT, STR, _DATE)


def _are_alike(left: Type, right: Type) -> bool:
    """Whether a value of one can be equal to a value of the other."""
    if is_any(left) or is_any(right):
        return True
    if isinstance(left, ListType) and isinstance(right, ListType):
        return True
    if isinstance(left, ObjectType) and isinstance(right, ObjectType):
        return True
    return _family(left) == _family(right)


def _family(type: Type) -> str:
    if not isinstance(type, ScalarType):
        return "list" if isinstance(type, ListType) else "object"
    return {"float": "int", "date": "str", "datetime": "str"}.get(type.name, type.name)
