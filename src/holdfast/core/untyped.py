"""Models in places where the type hint says nothing. They are stored, and come back as dicts.

A search takes time, so it looks only at the beginning of long collections, and only where the hint is `Any`,
a bare `list`, and so on: that is decided once, when the hint is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple, cast

from msgspec import inspect

from holdfast.core.exception_hints import ExceptionOr, has_fields

_MOST_ITEMS = 10
"""Of one collection. Its items are usually of one class."""
_MOST_VALUES = 200

_PLAIN = frozenset({str, int, float, bool, type(None)})
_ITEM = re.compile(r"\[.*?\]")


class _Place(NamedTuple):
    hint: object
    value: Any
    path: str
    wrapped: str
    """How a hint for it is written, around the name of the class."""

    @property
    def kind(self) -> type[Any]:
        return cast("type[Any]", type(self.value))


class UntypedModels:
    """Finds models that the hint does not name, and tells of each place once."""

    __slots__ = ("_hint", "_known", "_reaching")

    def __init__(self, hint: object, reaching: set[int]) -> None:
        """Use `UntypedModels.of` instead."""
        self._hint = hint
        self._reaching = reaching
        self._known: set[tuple[str, str, type]] = set()

    @classmethod
    def of(cls, hint: object) -> UntypedModels | None:
        """None if the hint says everywhere what is there."""
        parts = {id(part): part for part in _parts(hint)}
        reaching = {
            key for key, part in parts.items() if any(isinstance(it, inspect.AnyType) for it in _parts(part))
        }
        return cls(hint, reaching) if reaching else None

    def check(self, value: Any, what: str, warn: Callable[[str], object]) -> None:
        """`what` names the value: "the result of task 'load'"."""
        if type(value) in _PLAIN:
            return
        found = self._find(value)
        if found is None:
            return
        kind, path = found.kind, found.path.removeprefix(".") or "it"
        place = (what, _ITEM.sub("[]", path), kind)
        if place in self._known:
            return
        self._known.add(place)
        name = kind.__qualname__
        becomes = "a list" if issubclass(kind, tuple) else "a dict"
        warn(
            f"{what}: {path} is of class {name}, but its type hint does not say so, and it will come back as "
            f"{becomes}; write {found.wrapped.format(name)} in the hint"
        )

    def _find(self, root: Any) -> _Place | None:
        todo = [_Place(self._hint, root, "", "{}")]
        for _ in range(_MOST_VALUES):
            if not todo:
                return None
            place = todo.pop()
            if type(place.value) in _PLAIN or id(place.hint) not in self._reaching:
                continue
            if isinstance(place.hint, inspect.AnyType) and _is_model(place.kind):
                return place
            todo += islice(_inside(place), _MOST_ITEMS)
        return None


def _parts(root: object) -> Iterator[object]:
    """All types inside the hint, and the hint itself."""
    todo, seen = [root], set[int]()
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo += cast("tuple[object, ...]", node)
        elif isinstance(node, (inspect.Type, inspect.Field)) and id(node) not in seen:
            seen.add(id(node))  # a type may contain itself
            yield node
            todo += [getattr(node, name) for name in node.__struct_fields__ if name != "cls"]
            todo.append(_rest_of(node))


def _rest_of(hint: object) -> object:
    """The other types of a union with exceptions."""
    if isinstance(hint, inspect.CustomType) and isinstance(hint.cls, ExceptionOr):
        return hint.cls.info
    return None


def _inside(place: _Place) -> Iterator[_Place]:
    """The values inside that a hint can name, each with its hint."""
    hint: Any = place.hint
    value = place.value
    if isinstance(hint, inspect.UnionType):
        yield from (place._replace(hint=each) for each in hint.types if _fits(each, value))
    elif isinstance(hint, inspect.CustomType):
        yield place._replace(hint=_rest_of(hint))
    elif isinstance(value, dict):
        values = cast("dict[Any, Any]", value)
        if isinstance(hint, inspect.TypedDictType):
            fields = ((it.name, it.type) for it in hint.fields if it.name in values)
            yield from (_Place(each, values[name], f"{place.path}[{name!r}]", "{}") for name, each in fields)
        else:
            each = getattr(hint, "value_type", hint)
            for key, item in values.items():
                yield _Place(each, item, f"{place.path}[{key!r}]", "dict[str, {}]")
    elif isinstance(value, (list, tuple, set, frozenset)):
        hints = getattr(hint, "item_types", None)
        for index, item in enumerate(cast("list[Any]", value)):
            each = getattr(hint, "item_type", hint) if hints is None else hints[index]
            yield _Place(each, item, f"{place.path}[{index}]", "list[{}]")
    elif isinstance(hint, (inspect.StructType, inspect.DataclassType)):
        for field in hint.fields:
            yield _Place(field.type, getattr(value, field.name, None), f"{place.path}.{field.name}", "{}")


def _fits(hint: object, value: Any) -> bool:
    if isinstance(hint, (inspect.StructType, inspect.DataclassType)):
        return isinstance(value, hint.cls)
    if isinstance(value, dict):
        return isinstance(hint, (inspect.DictType, inspect.TypedDictType))
    if isinstance(value, (list, tuple, set, frozenset)):
        return hasattr(hint, "item_type") or hasattr(hint, "item_types")
    return isinstance(hint, inspect.AnyType)


def _is_model(kind: type) -> bool:
    return hasattr(kind, "model_dump") or has_fields(kind)
