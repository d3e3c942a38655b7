"""What the input of a workflow and its updates look like, for processes that do not have its code.

A node stores it with each definition: the JSON Schema of the input as runs have it, and the parameters in
their order. That is enough to bind the arguments of a call as Python does, to fill in defaults, and to check
the values. For each update whose handler is known before a run begins, the same of its arguments.

Code from before updates were described reads the text as well: it leaves out the updates, and takes an input
of null for one that is not known.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from holdfast.core.codec import Codec
from holdfast.core.json_schemas import find_mismatch, schemas_of
from holdfast.core.values import Payload
from holdfast.errors import WrongType

_EMPTY: Final[Any] = inspect.Parameter.empty
_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_STARS: Final = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
_ANY_NUMBER: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class InputSchema(msgspec.Struct, frozen=True, omit_defaults=True):
    schema: dict[str, Any]
    """Of the input as runs have it: an object with a field for each parameter."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Of code: each parameter with its kind as `inspect` names it, in order."""

    def pack(self, args: tuple[Any, ...], kwargs: dict[str, Any], codec: Codec, name: str) -> Payload:
        """The input of a call as JSON. `name` is that of the workflow or task.

        Raises WrongType with all wrong values at once, CannotStore, PayloadTooLarge.
        """
        signature, what = self._signature(), f"the arguments of {name!r}"
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            reason = explain_call(signature, name, args, kwargs)
            raise WrongType(f"a call of {name!r}", reason) from None
        bound.apply_defaults()
        payload = codec.encode(bound.arguments, what)
        # A value may be passed as an object. Its JSON is stored, so its JSON is checked.
        stored: dict[str, Any] = msgspec.json.decode(payload)
        fields, parts = self.schema["properties"], self.schema.get("$defs", {})
        checked = [
            find_mismatch({**fields[field], "$defs": parts}, value, field) for field, value in stored.items()
        ]
        problems = [problem for problem in checked if problem is not None]
        if problems:
            raise WrongType(what, "; ".join(problems))
        return payload

    def parameter_titles(self) -> list[str]:
        """As Python writes them: `sku`, `*items`."""
        return [_STARS.get(kind, "") + name for name, kind in self.parameters]

    def _signature(self) -> inspect.Signature:
        fields = self.schema["properties"]
        return inspect.Signature(
            [
                inspect.Parameter(
                    name,
                    kind := getattr(inspect.Parameter, kind_name),
                    default=_EMPTY if kind in _ANY_NUMBER else fields[name].get("default", _EMPTY),
                )
                for name, kind_name in self.parameters
            ]
        )


class UpdateSchema(msgspec.Struct, frozen=True, omit_defaults=True):
    description: str = ""
    """The first line of its handler's docstring."""
    arguments: InputSchema | None = None
    """They are passed in their order, never by name. None: a type cannot be described."""


def schema_of_parameters(parameters: Sequence[inspect.Parameter], types: Sequence[Any]) -> InputSchema | None:
    """`types` are those that the arguments are stored as. None if one of them cannot be described: then
    nothing is checked before the call."""
    try:
        schemas, parts = schemas_of(types)
        fields = {it.name: {**schema, **_default(it)} for it, schema in zip(parameters, schemas, strict=True)}
    except Exception:  # types may raise anything
        return None
    needed = [it.name for it in parameters if it.default is _EMPTY and it.kind not in _ANY_NUMBER]
    schema: dict[str, Any] = {"type": "object", "properties": fields, "required": needed}
    schema["additionalProperties"] = False
    return InputSchema(
        {**schema, "$defs": parts} if parts else schema, tuple((it.name, it.kind.name) for it in parameters)
    )


def _default(parameter: inspect.Parameter) -> dict[str, Any]:
    """As JSON, since JSON is what a client elsewhere fills in."""
    if parameter.kind in _ANY_NUMBER:
        return {"default": [] if parameter.kind is parameter.VAR_POSITIONAL else {}}
    if parameter.default is _EMPTY:
        return {}
    return {"default": msgspec.json.decode(Codec().encode(parameter.default, parameter.name))}


def explain_call(
    signature: inspect.Signature, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    """Python's message for a call that does not fit the parameters."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        reason = str(error)
        if reason == "too many positional arguments":
            takes, given = sum(it.kind in _POSITIONAL for it in signature.parameters.values()), len(args)
            reason = f"takes {takes} positional argument{'' if takes == 1 else 's'} but {given} were given"
        elif reason.startswith("multiple values"):
            reason = f"got {reason}"
        return f"{function}() {reason}"
    return f"{function}() cannot be called like this"


class _Written(msgspec.Struct, frozen=True, omit_defaults=True):
    schema: dict[str, Any] | None
    parameters: tuple[tuple[str, str], ...] = ()
    updates: Mapping[str, UpdateSchema] = {}


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Written).decode
_UNKNOWN: Final = _Written(None)


def written_schema(schema: InputSchema | None, updates: Mapping[str, UpdateSchema] = {}) -> str | None:
    """As definitions have it."""
    if schema is None:
        return _encode(_Written(None, updates=updates)).decode() if updates else None
    return _encode(_Written(schema.schema, schema.parameters, updates)).decode()


def read_schema(text: str | None) -> InputSchema | None:
    """None if it is not known, or if a later release has written it in another way."""
    found = _read(text)
    return None if found.schema is None else InputSchema(found.schema, found.parameters)


def read_updates(text: str | None) -> Mapping[str, UpdateSchema]:
    """By name. Those that are not there may exist: code may register handlers while it runs."""
    return _read(text).updates


def _read(text: str | None) -> _Written:
    try:
        return _UNKNOWN if text is None else _decode(text)
    except msgspec.MsgspecError:
        return _UNKNOWN
