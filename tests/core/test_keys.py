"""The text of a key, and how a secret is checked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import keys
from holdfast.core.keys import KeyParts, Role, checked_role, hash_of, is_secret, key_of, read_key
from holdfast.errors import BadOption

PARTS = KeyParts("0123456789abcdef", "ab" * 32)


def test_a_key_is_read_as_it_was_written() -> None:
    assert key_of(PARTS) == f"hf_0123456789abcdef_{'ab' * 32}"
    assert read_key(key_of(PARTS)) == PARTS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hf_",
        "hf__",
        key_of(PARTS).upper(),
        key_of(PARTS)[:-1],
        key_of(PARTS) + "a",
        key_of(PARTS) + "\n",
        " " + key_of(PARTS),
        key_of(PARTS).replace("hf_", "gh_"),
        key_of(PARTS).replace("0123", "٠123"),
        None,
        7,
        b"hf_0123456789abcdef_" + b"ab" * 32,
    ],
)
def test_what_has_another_form_is_no_key(text: Any) -> None:
    assert read_key(text) is None


@given(st.text())
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    read = read_key(text)
    assert read is None or key_of(read) == text


def test_only_the_secret_fits_its_hash() -> None:
    assert is_secret(PARTS.secret, hash_of(PARTS.secret))
    assert not is_secret("ac" * 32, hash_of(PARTS.secret))
    assert not is_secret(PARTS.secret, PARTS.secret)
    assert not is_secret(PARTS.secret, "")


def test_the_hash_is_as_rows_have_it() -> None:
    # What sha256sum says. Keys that were made would be lost if it changed.
    assert hash_of("ab" * 32) == "271a413bd339c5709fdceaec41f14f11e9fbfb5042d72d331c65f32b284cd09a"


def test_nothing_is_the_secret_of_a_key_that_there_is_not() -> None:
    assert not is_secret(PARTS.secret, None)
    assert not is_secret("", None)  # although something is compared


def test_a_key_that_there_is_not_is_compared_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[int, int]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((len(one), len(other)))
        return one == other

    monkeypatch.setattr(keys.hmac, "compare_digest", compare)
    is_secret(PARTS.secret, None)
    is_secret(PARTS.secret, hash_of("another"))

    assert compared == [(64, 64), (64, 64)]


def test_roles_are_named() -> None:
    assert checked_role("viewer") is Role.VIEWER
    assert checked_role(Role.ADMIN) is Role.ADMIN
    for wrong in ("Viewer", "", None, 1, "root"):
        with pytest.raises(BadOption, match="one of viewer, operator, admin, worker"):
            checked_role(wrong)
