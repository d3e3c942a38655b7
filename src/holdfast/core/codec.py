"""Users' values to JSON and back, by type hint.

The rule: a value is stored faithfully, or it is refused where it was passed, with the path inside it.
msgspec does the work and sets the speed. It writes NaN as null and the keys 1 and "1" as the same, without an
error, and some of its errors do not say where the bad value is. Only in such cases this module walks through
the value itself.

`decoder_for` tries every type hint when a task or workflow is defined. So a hint that cannot be read back
is an error at import, not in the first run.

An exception is stored as an `ExceptionValue`. A hint that names exceptions is read by `exception_hints`;
where a hint says nothing, stored exceptions are recognised by their key.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any, Final, NamedTuple, TypeAlias, cast, get_origin
from zlib import crc32

import msgspec

from holdfast.core import exception_hints
from holdfast.core.exception_hints import (
    ExceptionOr,
    find_exception,
    is_exception,
    read_exception,
    revive_within,
)
from holdfast.core.failures import capture_value, identity_of
from holdfast.core.nesting import is_deeper
from holdfast.core.sealed import is_sealed, why_sealed
from holdfast.core.untyped import UntypedModels
from holdfast.core.values import EXCEPTION_KEY, NULL, Payload
from holdfast.errors import CannotStore, PayloadTooLarge, WrongType, show

DEFAULT_LIMIT: Final = 4 * 1024 * 1024
"""In bytes of JSON. Keep larger data in a file or an object store, and put its address in the payload."""

Decode: TypeAlias = Callable[[bytes], Any]


class Codec:
    """Safe to share between threads: it has no state except its settings.

    `warn` is told of values that will come back as something else.
    """

    __slots__ = ("limit", "warn")

    def __init__(self, limit: int = DEFAULT_LIMIT, warn: Callable[[str], object] | None = None) -> None:
        self.limit = limit
        self.warn = warn

    def encode(self, value: object, what: str) -> Payload:
        """The value as JSON. `what` names the value in errors: "the result of task 'charge'".

        Raises CannotStore, PayloadTooLarge.
        """
        if value is None:
            return NULL
        try:
            payload = _encode(value)
        except Exception as error:  # from msgspec, or from a user's model while it was dumped
            unstorable = _find_unstorable_safely(value) or ("it", _explain_whole(error))
            raise CannotStore(what, *unstorable) from error
        size = len(payload)
        if size > self.limit:
            raise PayloadTooLarge(what, size, self.limit)
        if size > 2 * _DEEPEST and is_deeper(payload, _DEEPEST):
            raise CannotStore(what, "it", "is nested too deeply")
        # msgspec writes NaN and the infinities as null, so only a payload with a null can hide one.
        # (`find` is four times as fast as `in`, which first tries to read the bytes as an integer.)
        may_be_changed = payload.find(b"null") >= 0 and _may_hide_nan(value)
        if size >= _SHORTEST_WITH_EQUAL_KEYS and not may_be_changed:
            may_be_changed = _NUMBER_AS_KEY.search(payload) is not None and _may_lose_keys(payload)
        if may_be_changed:
            unstorable = _find_unstorable_safely(value)
            if unstorable is not None:
                raise CannotStore(what, *unstorable)
        return payload

    def check_size(self, size: int, what: str) -> None:
        """Raises PayloadTooLarge."""
        if size > self.limit:
            raise PayloadTooLarge(what, size, self.limit)

    def decode(self, payload: Payload, type: Any, what: str) -> Any:
        """The value as the type that the hint names. Raises WrongType."""
        try:
            decode = decoder_for(type)
        except TypeError as error:
            raise WrongType(what, str(error)) from error
        try:
            return decode(payload)
        except Exception as error:  # a user's __post_init__ or validator may raise anything
            reason = why_sealed(payload) if is_sealed(payload) else explain_mismatch(error)
            raise WrongType(what, reason) from error


# --- types ------------------------------------------------------------------------------------

_decoders: dict[Any, Decode] = {}
_MOST_DECODERS: Final = 1000
"""A class that is defined inside a workflow function is a new class in every run. Without a limit all of them
would be kept."""


def decoder_for(type: Any) -> Decode:
    """A function that reads JSON as `type`. Raises TypeError with the reason if that is impossible."""
    try:
        return _decoders[type]
    except (KeyError, TypeError):  # new, or not hashable (Annotated[int, []])
        return reader_for(type).decode


class Reader(NamedTuple):
    decode: Decode
    info: msgspec.inspect.Type
    untyped: UntypedModels | None
    """What finds models that the hint does not name. None if the hint says everywhere what is there."""


def reader_for(type: Any) -> Reader:
    """As `decoder_for`, with more about the hint."""
    try:
        decode, info, unions = _compile(type)
    except Exception as error:  # a hint is user code and may raise anything
        raise TypeError(_explain_hint(error)) from error
    foreign = _find_foreign(info)
    if foreign is not None:
        raise TypeError(
            f"{_type_name(foreign)} cannot be read back from JSON; use plain types, dataclasses, TypedDict, "
            "NamedTuple, attrs classes, msgspec Structs or pydantic models"
        )
    for union in unions:  # not sooner: a hint may contain itself
        union.decode_rest, union.info = reader_for(union.rest)[:2]
    untyped = UntypedModels.of(info)
    if untyped is not None:
        decode = partial(_decode_untyped, decode)
    if len(_decoders) >= _MOST_DECODERS:
        _decoders.clear()
    try:
        _decoders[type] = decode
    except TypeError:
        pass  # not hashable: works, but is built again each time
    return Reader(decode, info, untyped)


def _compile(type: Any) -> tuple[Decode, msgspec.inspect.Type, list[ExceptionOr]]:
    try:
        decode = msgspec.json.Decoder(type, dec_hook=_from_plain).decode
        return decode, msgspec.inspect.type_info(type), []
    except TypeError:
        # msgspec takes no union of exceptions and other types. The hint, or a class in it, may have one.
        replaced = exception_hints.replace(type)
        if replaced is None:
            raise
    with replaced.in_classes():
        decode = msgspec.json.Decoder(replaced.hint, dec_hook=_from_plain).decode
        return decode, msgspec.inspect.type_info(replaced.hint), replaced.unions


_EXCEPTION_MARK: Final = f'"{EXCEPTION_KEY}"'.encode()


def _decode_untyped(decode: Decode, payload: bytes) -> Any:
    value = decode(payload)
    return value if payload.find(_EXCEPTION_MARK) < 0 else revive_within(value)


decode_any: Decode = partial(_decode_untyped, msgspec.json.decode)
"""Reads JSON without a type hint."""


def _explain_hint(error: Exception) -> str:
    reason = words_of(error)
    if "Type unions" in reason:
        return f"{reason}: nothing in the JSON tells them apart (tagged msgspec Structs can be)"
    return reason


def _find_foreign(root: msgspec.inspect.Type) -> type | None:
    """The first class inside the type that neither msgspec nor `_from_plain` can build."""
    todo: list[object] = [root]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if isinstance(node, msgspec.inspect.CustomType):
            if not _is_readable(node.cls):
                return node.cls
        elif isinstance(node, tuple):
            todo += cast("tuple[object, ...]", node)
        elif isinstance(node, (msgspec.inspect.Type, msgspec.inspect.Field)) and id(node) not in seen:
            seen.add(id(node))  # a type may contain itself
            todo += [getattr(node, name) for name in node.__struct_fields__ if name != "cls"]
    return None


def _is_readable(kind: type) -> bool:
    return kind is object or _is_model(kind) or is_exception(kind) or isinstance(kind, ExceptionOr)


_PLACE = re.compile(r" - at (`key` in )?`\$(.*?)`$", re.DOTALL)


def explain_mismatch(error: Exception) -> str:
    """A decoder's error in our form: `items[3].price: expected int, got str`."""
    text = words_of(error)
    if not isinstance(error, msgspec.DecodeError):
        return f"{_type_name(type(error))}: {text}"
    if not isinstance(error, msgspec.ValidationError):
        return f"this is not JSON: {text}"
    place = _PLACE.search(text)
    reason = (text[: place.start()] if place else text).replace("`", "")
    if place is None:
        return _lower_first(reason)
    path = _tidy(place[2])
    return f"a key of {path}: {_lower_first(reason)}" if place[1] else f"{path}: {_lower_first(reason)}"


def _lower_first(text: str) -> str:
    """Make a clause of msgspec's sentence. A user's message stays as it is."""
    return text[0].lower() + text[1:] if text.startswith(("Expected ", "Object ", "Invalid ")) else text


# --- types that msgspec does not support by itself --------------------------------------------


def _is_model(kind: type) -> bool:
    """Whether it is a pydantic model. We check its methods, because pydantic need not be installed."""
    return hasattr(kind, "model_validate_json") and hasattr(kind, "model_dump")


def _dump(model: Any) -> Any:
    # By alias and without computed fields, because the model's validation expects that.
    try:
        return model.model_dump(mode="json", by_alias=True, round_trip=True)
    except ValueError:  # pydantic's own error is one; there may be an exception in the model
        return model.model_dump(mode="json", by_alias=True, round_trip=True, fallback=_exception_to_plain)


def _exception_to_plain(value: object) -> Any:
    if not isinstance(value, BaseException):
        raise NotImplementedError(f"objects of type {_type_name(type(value))} are not supported")
    return msgspec.to_builtins(capture_value(value))


def _dump_faithfully(model: Any) -> Any:
    return model.model_dump(by_alias=True, round_trip=True)


def _to_plain(value: object) -> Any:
    kind = type(value)
    if _is_model(kind):
        return _dump(value)
    if issubclass(kind, BaseException):
        return capture_value(cast("BaseException", value))
    # A subclass, such as numpy.float64, is stored as its plain type. To get the class back, use a model.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, int) and kind is not bool:  # a bool gets here only as a key, and "1" would be wrong
        return int.__int__(value)
    # A stored exception gets here only as a key.
    raise NotImplementedError(f"objects of type {_type_name(kind)} are not supported")


def _to_nearly_plain(value: object) -> Any:
    """Like `_to_plain`, but keeps NaN, which a model's JSON mode turns into null in a field of type Any."""
    return _dump_faithfully(value) if _is_model(type(value)) else _to_plain(value)


def _digestible(to_plain: Callable[[object], Any], value: object) -> Any:
    return identity_of(value) if isinstance(value, BaseException) else to_plain(value)


def _from_plain(kind: Any, plain: Any) -> Any:
    if kind is object:
        return plain
    if isinstance(kind, ExceptionOr):
        return _from_plain_union(kind, plain)
    if is_exception(kind):
        return read_exception((get_origin(kind) or kind,), plain)
    payload = _encode(plain)
    try:
        if payload.find(_EXCEPTION_MARK) >= 0:
            return kind.model_validate(revive_within(plain))  # no JSON becomes an exception in pydantic
        # From JSON, not from objects: a strict model accepts "2024-01-01" as a date only from JSON.
        return kind.model_validate_json(payload)
    except ValueError as error:
        raise ValueError(_explain_model(error)) from error


def _from_plain_union(union: ExceptionOr, plain: Any) -> Any:
    """What is no exception is read again as the rest of the union."""
    if union.rest is None or find_exception(plain) is not None:
        return read_exception(union.exceptions, plain)
    try:
        return (union.decode_rest or decoder_for(union.rest))(_encode(plain))
    except Exception as error:  # a user's __post_init__ or validator may raise anything
        wanted = " | ".join(kind.__qualname__ for kind in union.exceptions)
        raise ValueError(f"{explain_mismatch(error)}, and it is no {wanted}") from error


def _explain_model(error: ValueError) -> str:
    list_errors = getattr(error, "errors", None)
    if list_errors is None:
        return str(error)
    found: list[dict[str, Any]] = list_errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{_model_place(each['loc'])}{each['msg']}" for each in found)


def _model_place(location: tuple[str | int, ...]) -> str:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return f"{_tidy(path)}: " if path else ""


# The cast is here because a call of the NewType Payload would cost as much as encoding a small value.
_encode: Callable[[object], Payload] = cast("Any", msgspec.json.Encoder(enc_hook=_to_plain).encode)
_encode_binary = msgspec.msgpack.Encoder(enc_hook=_to_nearly_plain).encode
# Not "sorted", which sorts the fields of objects: on a Struct with an unset field it crashes the process.
_encode_in_order = msgspec.json.Encoder(
    enc_hook=partial(_digestible, _to_nearly_plain), order="deterministic"
).encode
_encode_any_order = msgspec.json.Encoder(enc_hook=partial(_digestible, _to_plain)).encode


def comparable(value: object) -> Any:
    """Plain data that is equal for equal values. Exceptions have no equality of their own."""
    return msgspec.to_builtins(value, enc_hook=partial(_digestible, _to_plain))


def digest_of(value: object) -> int | None:
    """A number that tells an edited value from the recorded one. It guards against mistakes, not against
    attacks. None if the value cannot be stored.

    It is the same in every process, although sets are in another order there.
    """
    try:
        return crc32(_encode_in_order(value))
    except Exception:  # msgspec sorts neither keys that are not text, nor sets of several types
        return _digest_of_bytes(value)


def _digest_of_bytes(value: object) -> int | None:
    """Of the bytes that the JSON has, and how many of each: this does not depend on an order either."""
    try:
        payload = _encode_any_order(value)
    except Exception:  # a user's model may raise anything
        return None
    return crc32(b"".join(b"%d:%d," % (byte, payload.count(byte)) for byte in sorted(set(payload))))


# --- finding the value that cannot be stored --------------------------------------------------

_NOT_A_NUMBER = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")
"""A MessagePack float whose exponent is all ones. Other data may match by chance."""


def _may_hide_nan(value: object) -> bool:
    """Whether the value must be searched for NaN. MessagePack, unlike JSON, can represent NaN.

    In most payloads a null is just a None. This check takes as long as one more encode; a search in Python
    would take a hundred times as long.
    """
    try:
        return _NOT_A_NUMBER.search(_encode_binary(value)) is not None
    except Exception:  # MessagePack has no integers beyond 64 bits: search
        return True


_SHORTEST_WITH_EQUAL_KEYS: Final = len('{"1":0,"1":0}')
_NUMBER_AS_KEY = re.compile(rb'"[-0-9][^"\\]*":')
"""A key that begins like a number or a date. It may have been one, beside the same text."""


def _may_lose_keys(payload: bytes) -> bool:
    """Whether the value must be searched for keys that are equal in JSON, as 1 and "1" are. A reader keeps
    only one of them, so what it has read is shorter."""
    try:
        return len(_encode(msgspec.json.decode(payload))) != len(payload)
    except Exception:  # a number beyond what msgspec reads: search
        return True


def _explain_whole(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    return f"cannot be written as JSON: {words_of(error)}"


def words_of(error: Exception) -> str:
    """The message of an error. Its `__str__` may be a user's and raise."""
    try:
        return str(error).encode(errors="backslashreplace").decode()
    except Exception:
        return _type_name(type(error))


def _find_unstorable_safely(root: object) -> tuple[str, str] | None:
    try:
        return _find_unstorable(root)
    except Exception as error:  # a user's property, __repr__ or __getattribute__
        return "it", f"cannot be looked at: {words_of(error)}"


def _find_unstorable(root: object) -> tuple[str, str] | None:
    """The path to the first value that JSON cannot hold, and the reason; None if there is none.

    Slow, so it is only used when something is wrong. It has its own stack, because a value that is nested
    too deeply for msgspec is also too deep for recursion in Python.
    """
    trail: list[str] = []
    open_values: list[object] = []
    open_ids: set[int] = set()
    stack: list[Iterator[tuple[str, object]]] = [iter([("", root)])]
    while stack:
        step, value = next(stack[-1], ("", _NO_MORE))
        if value is _NO_MORE:
            stack.pop()
            if open_values:
                open_ids.discard(id(open_values.pop()))
                trail.pop()
            continue
        reason = "contains itself" if id(value) in open_ids else _why_unstorable(value)
        if reason is not None:
            return _tidy("".join([*trail, step])), reason
        children = _children(value)
        if len(stack) > 2 * _DEEPEST:  # it does not contain itself: that was checked above
            return "it", "is nested too deeply"
        if children is not None:
            stack.append(children)
            trail.append(step)
            open_values.append(value)
            open_ids.add(id(value))
    return None


_NO_MORE: Final = object()
_DEEPEST: Final = 1000
"""Python's default recursion limit."""


def _children(value: object) -> Iterator[tuple[str, object]] | None:
    """The values inside, each with its path step; None if the value is not a container."""
    kind = cast("Any", type(value))
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return ((f"[{show(key)}]", item) for key, item in items)
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return (
            (f".{name}", item)
            for name, item in zip(kind._fields, cast("tuple[object, ...]", value), strict=True)
        )
    if isinstance(value, (list, tuple, set, frozenset)):
        sequence = cast("list[object]", value)
        return ((f"[{index}]", item) for index, item in enumerate(sequence))
    if _is_model(kind):
        dumped = _dump(value)
        if isinstance(dumped, dict):
            return ((f".{name}", item) for name, item in cast("dict[str, object]", dumped).items())
        return iter([("", dumped)])
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
    elif dataclasses.is_dataclass(kind):
        names = tuple(field.name for field in dataclasses.fields(kind))
    elif hasattr(kind, "__attrs_attrs__"):
        names = tuple(field.name for field in kind.__attrs_attrs__)
    else:
        return None
    return ((f".{name}", getattr(value, name)) for name in names if hasattr(value, name))


def _why_unstorable(value: object) -> str | None:
    """Why JSON cannot hold this value, apart from the values inside it."""
    kind = type(value)
    if isinstance(value, float):
        return None if math.isfinite(value) else f"is {float(value)}, and JSON has no such number"
    try:
        if isinstance(value, dict):
            return _why_keys_unstorable(cast("dict[object, object]", value))
        if _is_model(kind):
            lost = _find_lost_number(_dump_faithfully(value), _dump(value), "")
            return None if lost is None else f"has {lost}, and JSON has no such number"
        elif _children(value) is None:
            _encode(value)
    except UnicodeEncodeError:
        return "is text with half a surrogate pair in it, which UTF-8 cannot carry"
    except (NotImplementedError, TypeError):
        return f"is of type {_type_name(kind)}, which JSON cannot carry"
    except Exception as error:
        return f"cannot be written as JSON: {words_of(error)}"
    return None


def _find_lost_number(there: Any, stored: Any, path: str) -> str | None:
    """The first number in a model that its JSON has as null, and its path."""
    if stored is None:
        is_lost = isinstance(there, float) and not math.isfinite(there)
        return f"{there} at {_tidy(path)}" if is_lost else None
    # Compare by position, not by key: the keys of a dict[int, Any] are text in JSON, and sets have no keys.
    places: list[tuple[Any, Any, Any]] = []
    if isinstance(there, dict) and isinstance(stored, dict):
        here, kept = cast("dict[Any, Any]", there), cast("dict[Any, Any]", stored)
        places = list(zip(here, here.values(), kept.values(), strict=False))
    elif isinstance(there, (list, tuple, set, frozenset, deque)) and isinstance(stored, list):
        places = list(zip(count(), cast("list[Any]", there), cast("list[Any]", stored), strict=False))
    for step, value, its_json in places:
        lost = _find_lost_number(value, its_json, f"{path}[{show(step)}]")
        if lost is not None:
            return lost
    return None


def _why_keys_unstorable(value: dict[object, object]) -> str | None:
    texts: dict[bytes, object] = {}
    for key in value:
        try:
            text = _encode({key: None})
        except UnicodeEncodeError:
            return f"has the key {show(key)}, with half a surrogate pair in it, which UTF-8 cannot carry"
        except (NotImplementedError, TypeError):
            return f"has the key {show(key)} of type {_type_name(type(key))}, which JSON has no text for"
        if text in texts:
            return f"has the keys {show(texts[text])} and {show(key)}, which are the same in JSON"
        texts[text] = key
    return None


def _tidy(path: str) -> str:
    """The path for messages: `order.items[3]`, `['key']`, or `it` for the whole value."""
    path = path.removeprefix(".") or "it"
    return path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}…"


_LONGEST_PATH: Final = 200


def _type_name(kind: type) -> str:
    try:
        module, name = kind.__module__, kind.__qualname__
    except Exception:  # a metaclass may raise
        return "a class without a name"
    return name if module == "builtins" else f"{module}.{name}"
