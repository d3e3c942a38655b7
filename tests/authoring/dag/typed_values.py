"""Types of a DAG, and values of those types, for hypothesis."""

from __future__ import annotations

import datetime as dt
from typing import Any

from hypothesis import strategies as st

from holdfast.authoring.dag.types import SCALARS, ListType, ObjectType, OptionalType, ScalarType, Type, maybe

_names = st.sampled_from(["a", "b", "c"])

types: st.SearchStrategy[Type] = st.recursive(
    st.sampled_from([ScalarType(name) for name in SCALARS]),
    lambda inner: (
        inner.map(ListType)
        | st.builds(ObjectType, st.dictionaries(_names, inner, max_size=3))
        | inner.map(maybe)
    ),
    max_leaves=5,
)

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "a", "2026-01-31", "2026-02-30", "2026-01-31T02:00:00Z", "2026-01-31T02:00:00"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=5,
)

_SCALAR_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "str": st.text(max_size=5),
    "int": st.integers(-10, 10),
    "float": st.integers(-10, 10) | st.floats(-10, 10),
    "bool": st.booleans(),
    "date": st.dates(dt.date(1, 1, 1)).map(str),
    "datetime": st.datetimes(timezones=st.just(dt.UTC)).map(dt.datetime.isoformat),
    "any": json_values,
}


def values_of(type: Type) -> st.SearchStrategy[Any]:
    match type:
        case ScalarType(name):
            return _SCALAR_VALUES[name]
        case ListType(of):
            return st.lists(values_of(of), max_size=3)
        case OptionalType(of):
            return st.none() | values_of(of)
        case ObjectType(fields):
            needed = {
                name: values_of(its) for name, its in fields.items() if not isinstance(its, OptionalType)
            }
            others = {name: values_of(its) for name, its in fields.items() if isinstance(its, OptionalType)}
            return st.fixed_dictionaries(needed, optional=others | {"more": json_values})
