"""As much of JSON Schema (draft 2020-12) as the schema of a DAG uses, and an error for anything else.

So that the tests need no library for it: they compare two readers of one table, and this is a third that
knows nothing of either.
"""

from __future__ import annotations

import re
from typing import Any

_WORDS = {"description", "title", "$schema", "$defs"}
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "object": (dict,),
    "array": (list,),
    "boolean": (bool,),
    "number": (int, float),
    "integer": (int, float),
}


def accepts(schema: dict[str, Any], value: Any, root: dict[str, Any] | None = None) -> bool:
    root = schema if root is None else root
    return all(_keyword(word, schema, value, root) for word in schema if word not in _WORDS)


def _keyword(word: str, schema: dict[str, Any], value: Any, root: dict[str, Any]) -> bool:
    told = schema[word]
    match word:
        case "type":
            return any(_is(value, kind) for kind in (told if isinstance(told, list) else [told]))
        case "const":
            return type(value) is type(told) and value == told
        case "enum":
            return any(type(value) is type(each) and value == each for each in told)
        case "anyOf":
            return any(accepts(each, value, root) for each in told)
        case "oneOf":
            return sum(accepts(each, value, root) for each in told) == 1
        case "allOf":
            return all(accepts(each, value, root) for each in told)
        case "not":
            return not accepts(told, value, root)
        case "if":
            return not accepts(told, value, root) or accepts(schema["then"], value, root)
        case "then":
            return True
        case "$ref":
            return accepts(root["$defs"][told.removeprefix("#/$defs/")], value, root)
        case _:
            return _of_kind(word, told, schema, value, root)


def _of_kind(word: str, told: Any, schema: dict[str, Any], value: Any, root: dict[str, Any]) -> bool:
    """Keywords that say nothing of values of another kind."""
    match word, value:
        case (("minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"), _):
            kind = {"Length": str, "Items": list, "Properties": dict}[word[3:]]
            if not isinstance(value, kind):
                return True
            return len(value) >= told if word.startswith("min") else len(value) <= told
        case "pattern", str():
            return re.search(told, value) is not None
        case (("minimum" | "maximum" | "exclusiveMinimum"), int() | float()) if not isinstance(value, bool):
            return {
                "minimum": value >= told,
                "maximum": value <= told,
                "exclusiveMinimum": value > told,
            }[word]
        case "required", dict():
            return all(name in value for name in told)
        case "properties", dict():
            return all(accepts(told[name], value[name], root) for name in value if name in told)
        case "additionalProperties", dict():
            others = [name for name in value if name not in schema.get("properties", {})]
            return not others if told is False else all(accepts(told, value[name], root) for name in others)
        case "propertyNames", dict():
            return all(accepts(told, name, root) for name in value)
        case "items", list():
            return all(accepts(told, item, root) for item in value)
        case (
            (
                "pattern"
                | "minimum"
                | "maximum"
                | "exclusiveMinimum"
                | "required"
                | "properties"
                | "additionalProperties"
                | "propertyNames"
                | "items"
            ),
            _,
        ):
            return True
        case _:
            raise NotImplementedError(word)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS[kind])
