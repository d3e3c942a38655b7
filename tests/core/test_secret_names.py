from __future__ import annotations

from typing import Any

import pytest

from holdfast import BadOption
from holdfast.core.policies import TaskOptions
from holdfast.core.secret_names import SourceOfSecrets, read_sources


@pytest.mark.parametrize("name", ["", "a b", "1A", "HOLDFAST_KEY", "../etc", "ä", 5])
def test_a_name_that_cannot_be_one_is_refused(name: Any):
    with pytest.raises(BadOption, match="the name of a secret"):
        TaskOptions(secrets=(name,))


def test_one_name_may_stand_for_itself_and_each_counts_once():
    assert TaskOptions(secrets="KEY").secrets == ("KEY",)  # pyright: ignore[reportArgumentType]
    assert TaskOptions(secrets=("B", "A", "B")).secrets == ("B", "A")


def test_sources_are_read_in_their_order():
    found = read_sources("secrets", ["env:", "file:/run/secrets", "command:vault kv get 'a b'"])

    assert found == (
        SourceOfSecrets("env"),
        SourceOfSecrets("file", folder="/run/secrets"),
        SourceOfSecrets("command", arguments=("vault", "kv", "get", "a b")),
    )


@pytest.mark.parametrize("text", ["", "vault", "file:", "command:", "command:'", "env:A-B"])
def test_a_source_that_cannot_be_one_is_refused(text: str):
    with pytest.raises(BadOption, match=r"env:PREFIX|a shell could read"):
        read_sources("secrets", [text])
