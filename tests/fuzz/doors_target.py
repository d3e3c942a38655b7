"""The doors: settings from the environment and a file, names, and URLs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz import hostile
from tests.fuzz.outcomes import refusing

from holdfast.core.names import checked_name
from holdfast.core.policies import Retry, TaskOptions
from holdfast.errors import BadOption, BadUrl
from holdfast.settings import PREFIX, Settings, read_settings
from holdfast.stores.open_store import store_for

_NAMES: Final = sorted(Settings.__struct_fields__)
# What a shell can put there: any bytes but NUL, which Python reads with half pairs for what is not UTF-8.
_from_shell = st.binary(max_size=30).map(lambda raw: raw.replace(b"\0", b"").decode(errors="surrogateescape"))
_values = _from_shell | st.sampled_from(
    [
        "",
        "-1",
        "0",
        "1e9",
        "nan",
        "inf",
        "9" * 5000,
        "[" * 5000,
        '{"gpu": 1}',
        '{"gpu": 0}',
        '{"": 1}',
        "{}",
        "1_000",
    ]
)


@given(st.dictionaries(st.sampled_from([*_NAMES, "unknown"]), _values, max_size=3))
def any_environment_is_settings_or_refused(environment: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder, refusing(BadOption):
        read_settings({}, {PREFIX + name.upper(): text for name, text in environment.items()}, Path(folder))


_toml_values = st.sampled_from(
    [
        "1",
        "-1",
        "1.5",
        "nan",
        "-inf",
        '"x"',
        "true",
        "[1]",
        "{a=1}",
        "1979-05-27",
        "9" * 50,
        "9" * 5000,
        "[" * 3000,
    ]
)
_toml = st.one_of(
    st.lists(st.tuples(st.sampled_from(_NAMES), _toml_values), max_size=3).map(
        lambda pairs: "\n".join(f"{name} = {value}" for name, value in pairs).encode()
    ),
    st.binary(max_size=60),
)


@given(_toml)
def any_file_is_settings_or_refused(text: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, refusing(BadOption):
        (Path(folder) / "holdfast.toml").write_bytes(text)
        read_settings({}, {}, Path(folder))


@given(st.dictionaries(st.sampled_from([*_NAMES, "unknown"]), hostile.anything, max_size=2))
def any_arguments_are_settings_or_refused(given_names: dict[str, str]) -> None:
    given_values = {name: hostile.hostile(value) for name, value in given_names.items()}
    with tempfile.TemporaryDirectory() as folder, refusing(BadOption, hostile.Obstinate):
        read_settings(given_values, {}, Path(folder))


_URL_PARTS = [
    "sqlite",
    "postgresql",
    "postgres",
    "mysql",
    "://",
    ":///",
    ":////",
    "/",
    "//",
    "user",
    ":",
    "@",
]
_URL_PARTS += [
    "secret",
    "host",
    ":5432",
    ":99999",
    "[::1]",
    "[",
    "?",
    "&",
    "#",
    "=",
    "password=secret",
    "sslmode=odd",
]
_URL_PARTS += [
    "%00",
    "%zz",
    "%",
    ":memory:",
    ".db",
    " ",
    "\n",
    "\x00",
    "\ud800",
    "é",
    "x" * 5000,
    "host=a,b port=1",
]
urls = st.lists(st.sampled_from(_URL_PARTS), max_size=8).map("".join)


@given(urls)
def any_url_is_a_store_or_refused_without_its_password(url: str) -> None:
    try:
        store_for(url)
    except BadUrl as refusal:
        said = str(refusal)
        said.encode()
        assert ":secret@" not in said
        assert "password=secret" not in said


@given(hostile.anything)
def any_name_is_taken_as_it_is_or_refused(name: str) -> None:
    value: Any = hostile.hostile(name)
    with refusing(BadOption, hostile.Obstinate):
        checked = checked_name("name", value)
        assert type(checked) is str
        assert len(checked.encode()) >= 1


_OPTIONS: Final = sorted(TaskOptions.__struct_fields__)
_RETRY: Final = sorted(Retry.__struct_fields__)


@given(
    st.dictionaries(st.sampled_from(_OPTIONS), hostile.anything, max_size=2),
    st.dictionaries(st.sampled_from(_RETRY), hostile.anything, max_size=2),
)
def any_options_are_taken_or_refused(options: dict[str, str], retry: dict[str, str]) -> None:
    with refusing(BadOption, hostile.Obstinate):
        Retry(**{name: hostile.hostile(value) for name, value in retry.items()})
    with refusing(BadOption, hostile.Obstinate):
        TaskOptions(**{name: hostile.hostile(value) for name, value in options.items()})
