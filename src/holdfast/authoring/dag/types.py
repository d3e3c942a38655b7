"""The types that a DAG may declare for its inputs, and for the inputs and outputs of its tasks.

They describe JSON, since JSON passes between tasks: a `date` is text such as 2026-01-31, a `datetime` is text
with a zone, as in 2026-01-31T02:00:00Z. (Without a zone it would not be one moment.) An object may have more
fields than its type, so that a task can add a field without breaking the tasks that read the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, Literal, TypeAlias, assert_never, cast

import msgspec

from holdfast.authoring.documents.comparison import name_of_value
from holdfast.authoring.documents.dates import is_date, is_datetime

ScalarName: TypeAlias = Literal["str", "int", "float", "bool", "date", "datetime", "any"]
SCALARS: Final[tuple[ScalarName, ...]] = ("str", "int", "float", "bool", "date", "datetime", "any")


class ScalarType(msgspec.Struct, frozen=True, tag="scalar"):
    """A type that is a word; `any` is every value of JSON."""

    name: ScalarName


class ListType(msgspec.Struct, frozen=True, tag="list"):
    of: Type


class ObjectType(msgspec.Struct, frozen=True, tag="object", omit_defaults=True):
    fields: dict[str, Type]
    name: str | None = None
    """Its name in `types` of the DAG."""


class OptionalType(msgspec.Struct, frozen=True, tag="maybe"):
    """`T?`: null, or a T. A field of this type may be missing, too."""

    of: Type


Type: TypeAlias = ScalarType | ListType | ObjectType | OptionalType

ANY: Final = ScalarType("any")
STR: Final = ScalarType("str")
INT: Final = ScalarType("int")
FLOAT: Final = ScalarType("float")
BOOL: Final = ScalarType("bool")


def is_any(type: Type) -> bool:
    return isinstance(type, ScalarType) and type.name == "any"


def maybe(type: Type) -> Type:
    """The type or null. `any` and an optional type include null already."""
    return type if isinstance(type, OptionalType) or is_any(type) else OptionalType(type)


def is_optional(type: Type) -> bool:
    """Whether a field of this type may be missing."""
    return isinstance(type, OptionalType) or is_any(type)


def without_null(type: Type) -> Type:
    return type.of if isinstance(type, OptionalType) else type


def may_be_missing(type: Type, steps: Sequence[str | int]) -> bool:
    """Whether a value of the type may have nothing at the end of the path."""
    for step in steps:
        if isinstance(type, OptionalType):
            return True
        if isinstance(type, ObjectType):
            type = type.fields.get(str(step), ANY)
        else:
            type = type.of if isinstance(type, ListType) else ANY
    return isinstance(type, OptionalType)


def inside(type: Type, steps: Sequence[str | int]) -> Type:
    """The type at the end of the path; `any` if it is not declared."""
    for step in steps:
        type = type.of if isinstance(type, OptionalType) else type
        if isinstance(type, ObjectType):
            type = type.fields.get(str(step), ANY)
        else:
            type = type.of if isinstance(type, ListType) else ANY
    return type


def json_schema_of(type: Type) -> dict[str, Any]:
    """For pages that make a form of it, and for checking answers."""
    match type:
        case ScalarType():
            return dict(_SCALAR_SCHEMAS[type.name])
        case ListType():
            return {"type": "array", "items": json_schema_of(type.of)}
        case ObjectType():
            schema: dict[str, Any] = {
                "type": "object",
                "properties": {name: json_schema_of(it) for name, it in type.fields.items()},
                "required": [name for name, it in type.fields.items() if not is_optional(it)],
            }
            return schema if type.name is None else {"title": type.name, **schema}
        case OptionalType():
            return {"anyOf": [json_schema_of(type.of), {"type": "null"}]}
        case _:
            assert_never(type)


_SCALAR_SCHEMAS: Final[dict[ScalarName, dict[str, Any]]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "any": {},
}


# --- in words

_LONGEST_DESCRIPTION: Final = 120


def describe(type: Type) -> str:
    """The type as a DAG would write it. A type that is too long for a message is cut short."""
    text = _describe(type, _LONGEST_DESCRIPTION)
    return text if len(text) <= _LONGEST_DESCRIPTION else text[:_LONGEST_DESCRIPTION] + "…"


def _describe(type: Type, room: int) -> str:
    match type:
        case ScalarType(name):
            return name
        case ListType(of):
            return f"[{_describe(of, room - 2)}]"
        case OptionalType(of):
            return f"{_describe(of, room - 1)}?"
        case ObjectType(fields, name):
            if name is not None:
                return name
            text = ""
            for field, its_type in fields.items():
                if len(text) > room:
                    break
                text += f"{', ' if text else ''}{field}: {_describe(its_type, room - len(text))}"
            return f"{{{text}}}"
        case _:
            assert_never(type)


# --- type against type


def fits(source: Type, target: Type) -> str | None:
    """Why a value of type `source` does not fit `target`; None if it does."""
    reason = _misfit(source, target, "")
    if reason is None:
        return None
    path, words = reason
    if path.startswith("[]"):
        path = "an item" + path.removeprefix("[]")
    return f"{path.removeprefix('.')}: {words}" if path else words


def _misfit(source: Type, target: Type, path: str) -> tuple[str, str] | None:
    """The path to the part that does not fit, and why."""
    if is_any(source) or is_any(target):
        return None
    if isinstance(target, OptionalType):
        return _misfit(without_null(source), target.of, path)
    if isinstance(source, OptionalType):
        return path, f"{describe(source)} may be null, but {describe(target)} may not"
    if isinstance(source, ListType) and isinstance(target, ListType):
        return _misfit(source.of, target.of, f"{path}[]")
    if isinstance(source, ObjectType) and isinstance(target, ObjectType):
        for name, wanted in target.fields.items():
            given = source.fields.get(name)
            if given is None:
                if not is_optional(wanted):
                    return f"{path}.{name}", "missing"
                continue
            reason = _misfit(given, wanted, f"{path}.{name}")
            if reason is not None:
                return reason
        return None
    if source == target or (source == INT and target == FLOAT):
        return None
    return path, f"{describe(source)} does not fit {describe(target)}"


# --- value against type


def check(value: Any, type: Type) -> str | None:
    """What is wrong with a value that was read from JSON, as `files[3]: expected str, got int`; None if
    nothing.

    The path is made only once something is wrong: an output may be a list of a hundred thousand.
    """
    if is_of(value, type):
        return None
    path, reason = _mismatch(value, type, "")
    return f"{path.removeprefix('.')}: {reason}" if path else reason


def is_of(value: Any, type: Type) -> bool:
    return _are_of([value], type)


def _are_of(values: list[Any], of: Type) -> bool:
    """Checks all values at once, field by field and not item by item, so that nearly all of it is done in
    C."""
    match of:
        case ScalarType("any"):
            return True
        case ScalarType("date"):
            return all(isinstance(value, str) and is_date(value) for value in values)
        case ScalarType("datetime"):
            return all(isinstance(value, str) and is_datetime(value) for value in values)
        case ScalarType(name):
            return set(map(type, values)) <= _KINDS[name]
        case OptionalType(inner):
            return _are_of([value for value in values if value is not None], inner)
        case ListType(inner):
            return set(map(type, values)) <= {list} and _are_of(list(chain.from_iterable(values)), inner)
        case ObjectType(fields):
            return set(map(type, values)) <= {dict} and all(
                _have_field(values, name, its_type) for name, its_type in fields.items()
            )
        case _:
            assert_never(of)


def _have_field(objects: list[dict[str, Any]], name: str, of: Type) -> bool:
    column = [each[name] for each in objects if name in each]
    return (len(column) == len(objects) or is_optional(of)) and _are_of(column, of)


_KINDS: Final[dict[str, frozenset[type]]] = {
    "str": frozenset({str}),
    "int": frozenset({int}),
    "float": frozenset({float, int}),
    "bool": frozenset({bool}),
}
"""Compared by class and not by isinstance: a bool is no int here."""


def _mismatch(value: Any, type: Type, path: str) -> tuple[str, str]:
    """The path to the first mismatch, and what it is. Only for a value that has one."""
    match type:
        case OptionalType(of):
            return _mismatch(value, of, path)
        case ListType(of) if isinstance(value, list):
            for index, item in enumerate(cast("list[Any]", value)):
                if not is_of(item, of):
                    return _mismatch(item, of, f"{path}[{index}]")
        case ObjectType(fields) if isinstance(value, dict):
            there = cast("dict[str, Any]", value)
            for name, its_type in fields.items():
                if name not in there:
                    if not is_optional(its_type):
                        return f"{path}.{name}", f"missing; expected {describe(its_type)}"
                elif not is_of(there[name], its_type):
                    return _mismatch(there[name], its_type, f"{path}.{name}")
        case _:
            pass
    return path, f"expected {_expected(type)}, got {_got(value, type)}"


def _expected(type: Type) -> str:
    match type:
        case ScalarType("date"):
            return "date (as 2026-01-31)"
        case ScalarType("datetime"):
            return "datetime with a zone (as 2026-01-31T02:00:00Z)"
        case _:
            return describe(type)


def _got(value: Any, wanted: Type) -> str:
    if isinstance(value, str) and isinstance(wanted, ScalarType) and wanted.name in ("date", "datetime"):
        return repr(value if len(value) <= 40 else value[:40] + "…")  # the kind is right, the text is not
    return name_of_value(value)
