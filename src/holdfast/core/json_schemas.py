"""The JSON schemas of answers and arguments: making one from a type, and checking a value against it.

The checks cover what msgspec and pydantic write. A keyword that is not known here is not checked: the code
that asked, or is called, reads the value as its type in any case.
"""

from __future__ import annotations

import datetime as dt
import decimal
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

import msgspec

from holdfast.core.pattern_costs import may_take_long
from holdfast.errors import BadOption, show

Schema: TypeAlias = dict[str, Any] | bool


def schema_of(type: Any) -> dict[str, Any] | None:
    """None for Any: there is nothing to check. Raises BadOption."""
    if type is Any:
        return None
    own = getattr(type, "model_json_schema", None)
    try:
        if callable(own):  # a model of pydantic, which core does not import
            return cast("dict[str, Any]", own())
        [schema], parts = schemas_of([type])
    except Exception as error:
        raise BadOption("answer", type, f"a type that JSON can carry ({error})") from error
    return {**schema, "$defs": parts} if parts else schema


def schemas_of(types: Sequence[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The schema of each type, and the parts that they refer to, which belong under `$defs`. What JSON
    cannot describe may be anything. Raises what msgspec, pydantic and the types raise."""
    parts: dict[str, Any] = {}

    def hook(type: Any) -> dict[str, Any]:
        own = getattr(type, "model_json_schema", None)
        if not callable(own):
            return {}
        # Two models may have parts of the same name, so each part is called after its model, too.
        place = f"{type.__module__}.{type.__qualname__}."
        schema = cast("dict[str, Any]", own(ref_template=f"#/$defs/{place}{{model}}"))
        parts.update({place + name: part for name, part in schema.pop("$defs", {}).items()})
        return schema

    schemas, others = msgspec.json.schema_components(types, schema_hook=hook, ref_template="#/$defs/{name}")
    return list(schemas), others | parts


def find_mismatch(schema: Schema, value: Any, place: str = "the answer") -> str | None:
    """The first place where the value does not fit, and why. None if it fits. `place` is what the value is
    called."""
    definitions: Mapping[str, Any] = {} if isinstance(schema, bool) else schema.get("$defs", {})
    try:
        return next(_mismatches(schema, value, place, definitions), None)
    except RecursionError:
        return None  # nested more deeply than can be checked here; the code reads it as its type anyway
    except (TypeError, ValueError, AttributeError, KeyError, re.error) as error:
        # Definitions have schemas that people wrote.
        return f"{place}: its JSON schema is not one ({error})"


def _mismatches(schema: Schema, value: Any, place: str, known: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(schema, bool):
        if not schema:
            yield f"{place}: there must be nothing here, got {show(value)}"
        return
    reference = schema.get("$ref")
    if isinstance(reference, str):
        yield from _mismatches(known.get(reference.rpartition("/")[2], True), value, place, known)
    if not _has_type(schema, value):
        yield f"{place}: expected {_words(schema)}, got {show(value)}"
        return
    if "enum" in schema and not any(_same(value, each) for each in schema["enum"]):
        yield f"{place}: expected one of {', '.join(map(show, schema['enum']))}, got {show(value)}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{place}: expected {show(schema['const'])}, got {show(value)}"
    yield from _no_alternative(schema, value, place, known)
    for each in schema.get("allOf", ()):
        yield from _mismatches(each, value, place, known)
    if isinstance(value, str):
        yield from _in_text(schema, value, place)
    elif isinstance(value, list):
        yield from _in_list(schema, cast("list[Any]", value), place, known)
    elif isinstance(value, dict):
        yield from _in_map(schema, cast("dict[str, Any]", value), place, known)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _in_number(schema, value, place)


def _no_alternative(
    schema: dict[str, Any], value: Any, place: str, known: Mapping[str, Any]
) -> Iterator[str]:
    for keyword in ("anyOf", "oneOf"):
        found = [next(_mismatches(each, value, place, known), None) for each in schema.get(keyword, ())]
        if found and None not in found:
            yield cast("str", found[0]) if len(found) == 1 else _closest(cast("list[str]", found), place)


def _closest(found: list[str], place: str) -> str:
    """What is wrong inside the value says more than that another type was expected."""
    inner = [text for text in found if not text.startswith(f"{place}: ")]
    return inner[0] if inner else " or ".join([found[0], *(it.partition(": ")[2] for it in found[1:])])


def _in_map(
    schema: dict[str, Any], value: dict[str, Any], place: str, known: Mapping[str, Any]
) -> Iterator[str]:
    fields: dict[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place}: the field {name!r} is missing"
    rest = schema.get("additionalProperties", True)
    for name, each in value.items():
        if name in fields:
            yield from _mismatches(fields[name], each, f"{place}.{name}", known)
        elif rest is False:
            yield f"{place}: there is no field {name!r}"
        else:
            yield from _mismatches(rest, each, f"{place}.{name}", known)
    yield from _in_limits(schema, len(value), "Properties", "fields", place)


def _in_list(schema: dict[str, Any], value: list[Any], place: str, known: Mapping[str, Any]) -> Iterator[str]:
    first: list[Any] = schema.get("prefixItems", [])
    rest = schema.get("items", True)
    yield from _in_limits(schema, len(value), "Items", "items", place)
    for index, each in enumerate(value):
        yield from _mismatches(first[index] if index < len(first) else rest, each, f"{place}[{index}]", known)


def _in_text(schema: dict[str, Any], value: str, place: str) -> Iterator[str]:
    yield from _in_limits(schema, len(value), "Length", "characters", place)
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and may_take_long(pattern, len(value)):
        yield f"{place}: the text is too long to be compared with the pattern {pattern!r}, which repeats much"
    elif isinstance(pattern, str) and re.search(pattern, value) is None:
        yield f"{place}: expected text like {pattern!r}, got {show(value)}"
    form = _FORMATS.get(schema.get("format", ""))
    if form is not None:
        try:
            msgspec.convert(value, form)
        except msgspec.ValidationError as error:
            yield f"{place}: {error}, got {show(value)}"


def _in_number(schema: dict[str, Any], value: float, place: str) -> Iterator[str]:
    for keyword, (words, is_kept) in _LIMITS.items():
        limit = schema.get(keyword)
        if limit is not None and not is_kept(value, limit):
            yield f"{place}: expected a number {words} {limit}, got {value}"


def _in_limits(schema: dict[str, Any], size: int, keyword: str, what: str, place: str) -> Iterator[str]:
    least, most = schema.get(f"min{keyword}"), schema.get(f"max{keyword}")
    if least is not None and size < least:
        yield f"{place}: expected {least} {what} or more, got {size}"
    if most is not None and size > most:
        yield f"{place}: expected {most} {what} at most, got {size}"


def _has_type(schema: dict[str, Any], value: Any) -> bool:
    wanted = schema.get("type")
    if wanted is None:
        return True
    names = [wanted] if isinstance(wanted, str) else wanted
    if schema.get("format") == "decimal" and _is_number(value):
        return True  # it may be written either way
    return any(_IS_TYPE[name](value) for name in names if name in _IS_TYPE)


def _words(schema: dict[str, Any]) -> str:
    wanted = schema["type"]
    names = [wanted] if isinstance(wanted, str) else wanted
    return " or ".join(_TYPE_WORDS.get(name, name) for name in names)


def _same(one: Any, other: Any) -> bool:
    """Python takes True and 1 for the same."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_IS_TYPE: Final[Mapping[str, Callable[[Any], bool]]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and value == value // 1,
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_TYPE_WORDS: Final = {
    "null": "null",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "array": "a list",
    "object": "a map of fields",
}
_LIMITS: Final[Mapping[str, tuple[str, Callable[[float, float], bool]]]] = {
    "minimum": ("from", lambda value, limit: value >= limit),
    "maximum": ("up to", lambda value, limit: value <= limit),
    "exclusiveMinimum": ("above", lambda value, limit: value > limit),
    "exclusiveMaximum": ("below", lambda value, limit: value < limit),
    "multipleOf": ("that is a multiple of", lambda value, limit: value % limit == 0),
}
_FORMATS: Final[Mapping[str, Any]] = {
    "date-time": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "duration": dt.timedelta,
    "uuid": uuid.UUID,
    "decimal": decimal.Decimal,
}
