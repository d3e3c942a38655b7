"""How a call of a user's function is stored: its arguments and its result.

The arguments are one JSON object by parameter name: `{"order_id": "x", "cents": 5}`. Defaults are written
too, so a later change of a default does not affect a run under way.

Each signature has a msgspec Struct with one field per parameter. Creating an instance binds the arguments,
encoding stores them, and decoding checks them against their hints, all in C. Only if that fails does Python
code look at the call, to explain the error.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import (
    Any,
    Literal,
    NamedTuple,
    Never,
    NoReturn,
    ParamSpecArgs,
    ParamSpecKwargs,
    Unpack,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)
from zlib import crc32

import msgspec

from holdfast.core.codec import (
    Codec,
    Decode,
    decode_any,
    decoder_for,
    digest_of,
    explain_mismatch,
    reader_for,
    words_of,
)
from holdfast.core.input_schemas import InputSchema, explain_call, schema_of_parameters, written_schema
from holdfast.core.values import Payload
from holdfast.errors import BadDefinition, Refused, WrongType, show

_INNER = re.compile(rb"[\[{]")
"""How a dict, a set or another collection begins."""

_EMPTY: Any = inspect.Parameter.empty
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Signature:
    """Stores calls of one function, and restores the arguments of a stored call.

    `name` names the function in errors: "task 'charge'".
    """

    __slots__ = (
        "_call",
        "_decode",
        "_decode_result",
        "_has_defaults",
        "_input_schema",
        "_is_plain",
        "_make",
        "_make_sparse",
        "_parameters",
        "_result",
        "_shape",
        "_untyped",
        "_untyped_result",
        "name",
    )

    def __init__(
        self, name: str, function: str, parameters: inspect.Signature, hints: dict[str, Any]
    ) -> None:
        """Use `Signature.of` instead, which finds out these arguments."""
        self.name = name
        self._call = f"the arguments of {name}"
        self._result = f"the result of {name}"
        self._parameters = parameters
        self._shape = _shape(parameters)
        self._is_plain = self._shape.is_plain
        self._has_defaults = any(it.default is not _EMPTY for it in parameters.parameters.values())
        self._make = _struct(function, parameters, hints)
        self._make_sparse = _struct(function, parameters, hints, omit_defaults=True)
        self._decode, _, self._untyped = reader_for(self._make)
        result = reader_for(hints["return"])
        self._decode_result: Decode | None = None if hints["return"] is Any else result.decode
        self._untyped_result = result.untyped
        self._input_schema: str | Literal[False] | None = False

    def takes(self, name: str) -> bool:
        """Whether an argument of that name may be passed by keyword."""
        parameters = self._parameters.parameters
        return name in parameters or any(it.kind is it.VAR_KEYWORD for it in parameters.values())

    @classmethod
    def of(cls, function: Callable[..., Any], *, name: str, skip: int = 0) -> Signature:
        """Read a function's parameters and hints, without the first `skip` parameters (self, context).

        Raises BadDefinition if a hint cannot be resolved, or names a type that cannot be read back from JSON.
        """
        title = _name_of(function)
        parameters = _parameters_of(function, title, skip)
        names = _Names.of(function)
        hints: dict[str, Any] = {}
        for each in parameters.parameters.values():
            hint = names.resolve(title, f"parameter {each.name!r}", each.annotation)
            hints[each.name] = _check(title, f"parameter {each.name!r}", _widen(each, hint))
            _check_default(title, each, hints[each.name])
        result = names.resolve(title, "the result", parameters.return_annotation)
        hints["return"] = _check(title, "the result", Any if result in (Never, NoReturn) else result)
        return cls(name, title, parameters, hints)

    @property
    def names(self) -> list[str]:
        """The parameters that can be passed by name, in order."""
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return [it.name for it in self._parameters.parameters.values() if it.kind in named]

    @property
    def input_schema(self) -> str | None:
        """What the stored arguments look like, as definitions have it. None if a type cannot be described."""
        if self._input_schema is False:  # made at the first use: many functions are never registered
            self._input_schema = written_schema(self.describe())
        return self._input_schema

    def describe(self, *, by_position: bool = False) -> InputSchema | None:
        """What the stored arguments look like, or only those that may be passed `by_position`. None if a type
        cannot be described."""
        types = {each.encode_name: each.type for each in msgspec.structs.fields(self._make)}
        passed = (*_POSITIONAL, _REST)
        each = self._parameters.parameters.values()
        parameters = [it for it in each if not by_position or it.kind in passed]
        return schema_of_parameters(parameters, [types[it.name] for it in parameters])

    @property
    def needed(self) -> list[str]:
        """Those of `names` that have no default."""
        parameters = self._parameters.parameters
        return [name for name in self.names if parameters[name].default is _EMPTY]

    def pack(self, args: tuple[Any, ...], kwargs: dict[str, Any], codec: Codec) -> Payload:
        """The arguments of a call as JSON. Raises WrongType, CannotStore, PayloadTooLarge."""
        try:
            call = self._make(*args, **kwargs) if self._shape.is_plain else self._bind(args, kwargs)
        except TypeError:
            reason = explain_call(self._parameters, self._make.__name__, args, kwargs)
            raise WrongType(f"a call of {self.name}", reason) from None
        payload = codec.encode(call, self._call)
        try:
            self._decode(payload)
        except Exception as error:  # a user's __post_init__ or validator may raise anything
            raise WrongType(self._call, explain_mismatch(error)) from error
        if self._untyped is not None and codec.warn is not None:
            self._untyped.check(call, self._call, codec.warn)
        return payload

    def digest(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """The digest of a call, as `digest_of`. Defaults do not count, so a function may get a new parameter
        with a default. None if there is no such call."""
        try:
            if self._is_plain:
                return digest_of(self._make_sparse(*args, **kwargs))
            given = self._parameters.bind(*args, **kwargs).arguments
            return digest_of(self._make_sparse(**{_field_name(name): each for name, each in given.items()}))
        except TypeError:
            return None

    def digest_of_packed(self, payload: Payload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """As `digest`, of a call that is packed. Without defaults, and if nothing in it has an order of its
        own, the payload is what would be encoded again."""
        if self._has_defaults or _INNER.search(payload, 1) is not None:
            return self.digest(args, kwargs)
        return crc32(payload)

    def unpack(self, payload: Payload) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and keyword arguments of a stored call. Raises WrongType."""
        try:
            values = msgspec.structs.astuple(self._decode(payload))
        except Exception as error:
            raise WrongType(self._call, explain_mismatch(error)) from error
        shape = self._shape
        if not shape.keywords:
            return values, {}
        args = values[: shape.positional]
        kwargs = dict(zip(shape.keywords, values[shape.positional :], strict=True))
        # Take out both before merging: a key of **options may be named like another parameter.
        rest = kwargs.pop(shape.rest, ())
        options = kwargs.pop(shape.options, {})
        return (*args, *rest), kwargs | options

    def pack_result(self, result: Any, codec: Codec) -> Payload:
        """Raises WrongType, CannotStore, PayloadTooLarge."""
        payload = codec.encode(result, self._result)
        if self._decode_result is not None:
            try:
                self._decode_result(payload)
            except Exception as error:
                raise WrongType(self._result, explain_mismatch(error)) from error
        if self._untyped_result is not None and codec.warn is not None:
            self._untyped_result.check(result, self._result, codec.warn)
        return payload

    def unpack_result(self, payload: Payload) -> Any:
        """Raises WrongType."""
        try:
            return decode_any(payload) if self._decode_result is None else self._decode_result(payload)
        except Exception as error:
            raise WrongType(self._result, explain_mismatch(error)) from error

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> msgspec.Struct:
        """Bind calls that a Struct cannot: *args, **kwargs, positional-only parameters and odd names."""
        bound = self._parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        return self._make(**{_field_name(name): value for name, value in bound.arguments.items()})


def result_type(function: Callable[..., Any]) -> Any:
    """The type that a function's return annotation names; Any if it has none. Raises BadDefinition if the
    annotation cannot be resolved, or names a type that cannot be read back from JSON."""
    title, innermost = _name_of(function), _innermost(function)
    try:
        annotation = getattr(innermost, "__annotations__", {}).get("return", _EMPTY)
    except Exception as error:  # since Python 3.14 annotations are evaluated here, and may raise anything
        raise BadDefinition(title, f"its type hints cannot be read ({words_of(error)})") from error
    if annotation is _EMPTY:
        return Any
    hint = _Names.of(innermost).resolve(title, "the result", annotation)
    return _check(title, "the result", Any if hint in (Never, NoReturn) else hint)


# --- the Struct -------------------------------------------------------------------------------


class _ParameterLayout(NamedTuple):
    positional: int
    keywords: list[str]
    """All other parameters, in the order of the Struct's fields after the positional ones."""
    rest: str
    """The name of the parameter `*args`, or empty."""
    options: str
    """The name of the parameter `**kwargs`, or empty."""
    is_plain: bool
    """Whether a Struct binds arguments just as the function does."""


def _shape(parameters: inspect.Signature) -> _ParameterLayout:
    each = list(parameters.parameters.values())
    names = {kind: next((it.name for it in each if it.kind is kind), "") for kind in (_REST, _OPTIONS)}
    return _ParameterLayout(
        positional=sum(it.kind in _POSITIONAL for it in each),
        keywords=[it.name for it in each if it.kind not in _POSITIONAL],
        rest=names[_REST],
        options=names[_OPTIONS],
        is_plain=all(it.kind in _BOUND_BY_STRUCTS and it.name == _field_name(it.name) for it in each),
    )


_REST = inspect.Parameter.VAR_POSITIONAL
_OPTIONS = inspect.Parameter.VAR_KEYWORD
_BOUND_BY_STRUCTS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _struct(
    name: str, parameters: inspect.Signature, hints: dict[str, Any], *, omit_defaults: bool = False
) -> type[msgspec.Struct]:
    each = list(parameters.parameters.values())
    rename = {_field_name(it.name): it.name for it in each if _field_name(it.name) != it.name}
    positional = [_field(it, hints[it.name]) for it in each if it.kind in _POSITIONAL]
    others = [_field(it, hints[it.name]) for it in each if it.kind not in _POSITIONAL]
    # Keyword-only fields of a base come after the Struct's own fields and stay keyword-only.
    base = msgspec.defstruct(name, others, kw_only=True, rename=rename, omit_defaults=omit_defaults)
    return msgspec.defstruct(
        name,
        positional,
        bases=(base,),
        rename=rename,
        forbid_unknown_fields=True,
        omit_defaults=omit_defaults,
    )


def _field(parameter: inspect.Parameter, hint: Any) -> tuple[str, Any] | tuple[str, Any, Any]:
    name, default = _field_name(parameter.name), parameter.default
    if parameter.kind is _REST:
        return name, hint, ()
    if parameter.kind is _OPTIONS:
        return name, hint, msgspec.field(default_factory=dict[str, Any])
    if default is _EMPTY:
        return name, hint
    if default is None or isinstance(default, (str, int, float, bytes, Enum)):
        return name, hint, default
    # msgspec refuses most mutable defaults. They are safe here: a default is encoded at once, or passed to
    # the function as Python itself would do.
    return name, hint, msgspec.field(default_factory=lambda: default)


def _field_name(parameter: str) -> str:
    """The Struct's field for a parameter. A name with two leading underscores would be mangled or special in
    a class, so it gets a prefix."""
    return f"parameter{parameter}" if parameter.startswith("__") else parameter


# --- reading a function -----------------------------------------------------------------------


def _name_of(function: Callable[..., Any]) -> str:
    while isinstance(function, partial):
        function = cast("partial[Any]", function).func
    return getattr(function, "__name__", type(function).__name__)


def _parameters_of(function: Callable[..., Any], title: str, skip: int) -> inspect.Signature:
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError, NameError) as error:
        raise BadDefinition(title, f"its parameters cannot be read: {error}") from error
    return signature.replace(parameters=list(signature.parameters.values())[skip:])


def _innermost(function: Any) -> Any:
    """The function that the user wrote, below partials, wrappers and objects that can be called."""
    while isinstance(function, partial) or hasattr(function, "__wrapped__"):
        function = function.func if isinstance(function, partial) else function.__wrapped__
    if not inspect.isroutine(function):
        function = type(function).__call__
    return inspect.unwrap(getattr(function, "__func__", function))


class _Names:
    """The namespaces in which a function's type hints are resolved."""

    __slots__ = ("_closure", "_module")

    def __init__(self, module: dict[str, Any], closure: dict[str, Any]) -> None:
        self._module, self._closure = module, closure

    @classmethod
    def of(cls, function: Any) -> _Names:
        function = _innermost(function)
        code, closure = getattr(function, "__code__", None), dict[str, Any]()
        cells = getattr(function, "__closure__", None) or ()
        for name, cell in zip(getattr(code, "co_freevars", ()), cells, strict=True):
            try:
                closure[name] = cell.cell_contents
            except ValueError:
                pass  # not assigned yet, like the name of a function that refers to itself
        return cls(getattr(function, "__globals__", {}), closure)

    def resolve(self, title: str, whose: str, annotation: Any) -> Any:
        """The type of one annotation. Each is resolved alone, so that an error can name it."""
        if annotation is _EMPTY:
            return Any

        def holder() -> None: ...

        holder.__annotations__ = {"it": annotation}
        try:
            hint = get_type_hints(holder, self._module, self._closure, include_extras=True)["it"]
        except Exception as error:  # a hint is an expression and may raise anything
            raise BadDefinition(
                title,
                f"the type hint {_hint_text(annotation)} of {whose} cannot be resolved ({words_of(error)}); "
                "define or import that type at the top of the module, not inside a function and not under "
                "TYPE_CHECKING",
            ) from error
        return Any if isinstance(hint, (ParamSpecArgs, ParamSpecKwargs)) else hint


def _hint_text(annotation: Any) -> str:
    try:
        return show(annotation if isinstance(annotation, str) else inspect.formatannotation(annotation))
    except Exception:  # the annotation may be broken
        return show(annotation)


def _widen(parameter: inspect.Parameter, hint: Any) -> Any:
    """The stored type of a parameter. It is wider than the hint in three cases."""
    if parameter.kind is _REST:
        return tuple[hint, ...]
    if parameter.kind is _OPTIONS:
        return get_args(hint)[0] if get_origin(hint) is Unpack else dict[str, hint]
    if parameter.default is None and hint is not Any:
        return hint | None  # `order: str = None` is common, and clear enough
    return hint


def _check(title: str, whose: str, hint: Any) -> Any:
    if hint is not Any:
        try:
            decoder_for(hint)
        except TypeError as error:
            raise BadDefinition(title, f"the type of {whose} does not work: {error}") from error
    return hint


def _check_default(title: str, parameter: inspect.Parameter, hint: Any) -> None:
    """A default that cannot be stored is an error of the definition, because calls that use it would fail."""
    if parameter.default is _EMPTY:
        return
    codec, what = Codec(), f"the default of parameter {parameter.name!r}"
    try:
        codec.decode(codec.encode(parameter.default, what), hint, what)
    except Refused as error:
        raise BadDefinition(title, str(error)) from error
