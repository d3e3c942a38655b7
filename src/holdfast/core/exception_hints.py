"""Type hints that name exceptions: `ValueError`, `list[int | Exception]`, or a field of such a type.

msgspec reads an exception class as a custom type, through our hook. But it takes no union of a custom type
and others. So `replace` puts a class of ours, an `ExceptionOr`, in the place of each such union, and msgspec
calls the hook for that class too. All this happens once, when a hint is compiled. Where a hint says nothing,
`revive_within` looks for stored exceptions in what was read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from contextlib import contextmanager
from operator import is_
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints, is_typeddict

import msgspec

from holdfast.core.failures import revive_value
from holdfast.core.values import EXCEPTION_KEY, ExceptionValue


class ExceptionOr(type):
    """The class of classes that stand for a union with exceptions in it, such as `int | ValueError`."""

    exceptions: tuple[type[BaseException], ...]
    rest: Any
    """The union of the other types; None if there is none."""
    decode_rest: Callable[[bytes], Any] | None
    info: msgspec.inspect.Type | None
    """What msgspec knows of the rest."""

    def __instancecheck__(cls, instance: object) -> bool:
        """msgspec asks after the hook, which has checked the value."""
        return True


def is_exception(hint: Any) -> bool:
    """Whether it is an exception class that is not stored by its fields."""
    kind = get_origin(hint) or hint
    return isinstance(kind, type) and issubclass(kind, BaseException) and not has_fields(kind)


def has_fields(kind: Any) -> bool:
    """Whether msgspec stores its instances by the fields that the class declares."""
    return (
        hasattr(kind, "__dataclass_fields__")
        or hasattr(kind, "__attrs_attrs__")
        or hasattr(kind, "__struct_fields__")
        or is_typeddict(kind)
        or (hasattr(kind, "_fields") and issubclass(kind, tuple))
    )


class Replacement:
    """A hint in which every union with exceptions is replaced, also in the classes that it names."""

    __slots__ = ("_annotations", "_open", "hint", "unions")

    def __init__(self, hint: Any) -> None:
        self.unions: list[ExceptionOr] = []
        self._annotations: dict[type, dict[str, Any]] = {}
        self._open: list[Any] = []
        self.hint = self._replaced(hint)

    @contextmanager
    def in_classes(self) -> Generator[None, None, None]:
        """While msgspec reads the classes, their annotations are the replaced ones. It keeps what it has
        read, so the next hint with such a class needs no replacement."""
        before = {kind: kind.__annotations__ for kind in self._annotations}
        try:
            for kind, changed in self._annotations.items():
                kind.__annotations__ = before[kind] | changed
            yield
        finally:
            for kind, annotations in before.items():
                kind.__annotations__ = annotations

    def _replaced(self, hint: Any) -> Any:
        origin = get_origin(hint)
        if origin is Annotated:
            return Annotated[(self._replaced(hint.__origin__), *hint.__metadata__)]
        if origin in (Union, UnionType):
            return self._replaced_union(get_args(hint))
        if hasattr(hint, "__supertype__"):
            return self._replaced(hint.__supertype__)
        if hasattr(hint, "__value__"):  # `type Name = ...`
            return self._replaced_alias(hint)
        self._look_into(origin or hint)
        if origin is None or origin is Literal:
            return hint
        given = get_args(hint)
        args = tuple(self._replaced(each) for each in given)
        return hint if args == given else origin[args]

    def _replaced_union(self, members: tuple[Any, ...]) -> Any:
        rest = [each for each in members if not is_exception(each)]
        if len(rest) < len(members) and not any(getattr(it, "__parameters__", ()) for it in rest):
            name = " | ".join(
                "None" if it is NoneType else getattr(it, "__name__", str(it)) for it in members
            )
            made = ExceptionOr(name, (), {})
            made.exceptions = tuple(get_origin(it) or it for it in members if is_exception(it))
            made.rest = _union(rest) if rest else None
            made.decode_rest = made.info = None
            self.unions.append(made)
            return made
        return _union([self._replaced(each) for each in members])

    def _replaced_alias(self, alias: Any) -> Any:
        if alias in self._open:
            return alias  # it contains itself, and msgspec will say so
        self._open.append(alias)
        replaced = self._replaced(alias.__value__)
        self._open.pop()
        return replaced

    def _look_into(self, kind: Any) -> None:
        """Find unions with exceptions in the fields of a class."""
        if not has_fields(kind) or kind in self._annotations:
            return
        for each in getattr(kind, "__mro__", (kind,)):
            if each in self._annotations or "__annotations__" not in vars(each):
                continue
            self._annotations[each] = changed = {}
            own = each.__annotations__
            try:
                hints = get_type_hints(each, include_extras=True)
            except Exception:  # msgspec will say that a name cannot be resolved
                hints = {}
            for name in own.keys() & hints:
                hint = hints[name]
                replaced = self._replaced(hint)
                if replaced is not hint:
                    changed[name] = replaced


def _union(members: list[Any]) -> Any:
    return Union[tuple(members)]  # noqa: UP007  # a member may be a class without `|`


def replace(hint: Any) -> Replacement | None:
    """The hint with its unions replaced; None if it has no union with exceptions."""
    replacement = Replacement(hint)
    return replacement if replacement.unions else None


def read_exception(kinds: tuple[type[BaseException], ...], plain: Any) -> BaseException:
    """The exception that was stored. Raises ValueError if it is none, or of another class."""
    error = find_exception(plain)
    wanted = " | ".join(kind.__qualname__ for kind in kinds)
    if error is None:
        raise ValueError(
            f"expected {wanted}, got {_JSON_NAMES.get(type(plain), 'a value')} that is no exception"
        )
    if not isinstance(error, kinds):
        stored = plain[EXCEPTION_KEY]["type"]
        kind = type(error)
        is_same = stored == f"{kind.__module__}:{kind.__qualname__}"
        lost = (
            ""
            if is_same
            else f", which is not found under that name here and came back as {kind.__qualname__}"
        )
        raise ValueError(f"expected {wanted}, got {stored.replace(':', '.')}{lost}")
    return error


_JSON_NAMES: dict[Any, str] = {
    dict: "an object",
    list: "an array",
    str: "a str",
    int: "an int",
    float: "a float",
    bool: "a bool",
}


def find_exception(plain: Any) -> BaseException | None:
    """The exception that this JSON value is; None if it is none."""
    if type(plain) is not dict or EXCEPTION_KEY not in plain:
        return None
    try:
        return revive_value(msgspec.convert(plain, ExceptionValue))
    except msgspec.ValidationError:
        return None  # a user's dict, after all


def revive_within(root: Any) -> Any:
    """The value with exceptions in the place of stored ones. Changes it in place where it can be changed.

    It has its own list of what to do, because a value may be nested more deeply than Python can recurse.
    """
    whole = [root]
    todo: list[Any] = [whole]
    seen: set[int] = set()  # a default may be shared, or contain itself

    def revived(value: Any) -> Any:
        if type(value) is dict:
            error = find_exception(value)
            if error is not None:
                return error
        if isinstance(value, tuple):
            items = cast("tuple[Any, ...]", value)
            changed = [revived(item) for item in items]
            if all(map(is_, items, changed)):
                return items
            return cast("Any", items)._make(changed) if hasattr(items, "_fields") else tuple(changed)
        if not isinstance(value, (str, int, float)):
            todo.append(value)
        return cast("Any", value)

    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, list):
            value[:] = map(revived, cast("list[Any]", value))
        elif isinstance(value, dict):
            for key, item in cast("dict[Any, Any]", value).items():
                value[key] = revived(item)
        elif not isinstance(value, BaseException) and has_fields(type(value)):
            _revive_fields(value, revived)
    return whole[0]


def _revive_fields(value: Any, revived: Callable[[Any], Any]) -> None:
    set_field: Any = object.__setattr__
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        set_field = msgspec.structs.force_setattr
    elif dataclasses.is_dataclass(value):
        names = tuple(field.name for field in dataclasses.fields(value))
    else:
        names = tuple(field.name for field in value.__attrs_attrs__)
    for name in names:
        before = getattr(value, name, None)
        after = revived(before)
        if after is not before:  # frozen or not: nobody else has seen it yet
            set_field(value, name, after)
