"""The JSON Schema (draft 2020-12) of a shape, for editors: it accepts what `shapes.conform` accepts.

The meaning of a text is not in it: a reference to an unknown task has the right shape all the same.
"""

from __future__ import annotations

from typing import Any, TypeAlias, assert_never

from holdfast.authoring.documents.shapes import (
    MOST_ENTRIES,
    Anything,
    Enumeration,
    Excludes,
    ListShape,
    MapShape,
    Needs,
    Number,
    Plain,
    Record,
    Shape,
    Text,
    TrueOnly,
    TypeNotation,
    UnionShape,
)

Schema: TypeAlias = dict[str, Any]

_TYPE: Schema = {
    "description": "A type: str, int, float, bool, date, datetime or any; [T]; a map of fields; the name of "
    "one in `types`. With a ? at its end it may be null, and a field of an object may be missing, too.",
    "anyOf": [
        {"type": "string", "pattern": r"\S"},
        {"type": "array", "items": {"$ref": "#/$defs/type"}, "minItems": 1, "maxItems": 1},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/type"}},
    ],
}


def json_schema(shape: Shape, title: str) -> Schema:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **_schema(shape),
        "$defs": {"type": _TYPE},
    }


def _schema(shape: Shape) -> Schema:
    match shape:
        case Text():
            return _text(shape)
        case Number():
            least = "exclusiveMinimum" if shape.without_least else "minimum"
            kind = "integer" if shape.is_whole else "number"
            return {"type": kind, least: shape.least, "maximum": shape.most}
        case TrueOnly():
            return {"const": True}
        case Enumeration(options):
            return {"enum": list(options)}
        case Plain():
            return {"type": ["string", "number", "boolean"]}
        case Anything():
            return {}
        case TypeNotation():
            return {"$ref": "#/$defs/type"}
        case ListShape(item, _, least, most):
            return {"type": "array", "items": _schema(item), "minItems": least, "maxItems": most}
        case MapShape(key, value, _, least):
            return {
                "type": "object",
                "propertyNames": _text(key),
                "additionalProperties": _schema(value),
                "minProperties": least,
                "maxProperties": MOST_ENTRIES,
            }
        case UnionShape(shapes):
            return {"anyOf": [_schema(each) for each in shapes]}
        case Record():
            return _record(shape)
        case _:
            assert_never(shape)


def _text(shape: Text) -> Schema:
    schema: Schema = {"type": "string", "minLength": 1, "maxLength": shape.longest}
    if shape.pattern is not None:
        schema["pattern"] = f"^(?:{shape.pattern})$"
    return schema


def _record(shape: Record) -> Schema:
    schema: Schema = {
        "type": "object",
        "properties": {
            name: {"description": field.description, **_schema(field.shape)}
            for name, field in shape.fields.items()
        },
        "additionalProperties": False,
    }
    if shape.required:
        schema["required"] = list(shape.required)
    if shape.exactly_one:
        schema["oneOf"] = [{"required": [name]} for name in shape.exactly_one]
    rules = [*map(_excludes, shape.excludes), *map(_needs, shape.needs)]
    if rules:
        schema["allOf"] = rules
    return schema


def _excludes(rule: Excludes) -> Schema:
    return {"not": {"required": [rule.field, rule.other]}}


def _needs(need: Needs) -> Schema:
    condition: Schema = {"required": [need.field]}
    if need.value is not None:
        condition["properties"] = {need.field: {"const": need.value}}
    return {"if": condition, "then": {"anyOf": [{"required": [name]} for name in need.others]}}
