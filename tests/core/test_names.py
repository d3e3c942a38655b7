"""Which names are refused."""

from __future__ import annotations

import pytest

from holdfast.core.names import checked_address_name, checked_name
from holdfast.errors import BadOption


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_that_no_address_can_carry_is_refused(name: str):
    with pytest.raises(BadOption, match="in an address it means the folder"):
        checked_address_name("id", name)
    assert checked_name("a key of the state", name) == name


@pytest.mark.parametrize("name", ["...", ".a", "a/b", "..%2f", "counts", "compare"])
def test_other_names_with_dots_and_words_of_the_api_are_not(name: str):
    assert checked_address_name("id", name) == name
