"""Every public call of `Holdfast` and its nouns is done over HTTP, made of other calls, or refused by name.

A call that is new in the client and forgotten here would be the local one, which has no store.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Final

import pytest
from tests.remote.conftest import Pair

from holdfast import Holdfast, NotOverHttp

NOUNS: Final = (
    "schedules",
    "alerts",
    "flows",
    "workflows",
    "workers",
    "keys",
    "sessions",
    "audit",
    "bulk",
    "run_overviews",
    "backlogs",
)
MADE_OF_OTHERS: Final = {"start", "result", "schedules.put", "schedules.overdue"}
"""They call only methods that are checked here."""


def public(kind: type) -> Iterator[str]:
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        if not name.startswith("_") and (callable(found) or isinstance(found, property)):
            yield name


def owner_of(kind: type, name: str) -> str:
    """The module of the class that defines it."""
    return next(each.__module__ for each in kind.__mro__ if name in vars(each))


def calls_of(remote: Holdfast) -> Iterator[tuple[str, type, str]]:
    """Each with its name, the class that has it, and its name there."""
    for name in public(type(remote)):
        yield name, type(remote), name
    for noun in NOUNS:
        kind = type(getattr(remote, noun))
        for name in public(kind):
            yield f"{noun}.{name}", kind, name
    for name in public(type(remote.select())):
        yield f"select().{name}", type(remote.select()), name


async def test_no_call_is_the_local_one_by_accident(pair: Pair):
    local = {
        called
        for called, kind, name in calls_of(pair.remote)
        if not owner_of(kind, name).startswith("holdfast.remote")
    }

    assert local == MADE_OF_OTHERS


async def test_every_noun_of_the_client_is_there(pair: Pair):
    nouns = {name for name, value in vars(pair.local).items() if not name.startswith("_")}

    assert nouns == {*NOUNS, "namespace", "settings"}
    assert all(isinstance(getattr(pair.remote, noun), type(getattr(pair.local, noun))) for noun in NOUNS)


async def test_what_cannot_be_done_over_http_says_so_and_what_to_do(pair: Pair):
    refused = [
        (called, kind, name)
        for called, kind, name in calls_of(pair.remote)
        if getattr(inspect.getattr_static(kind, name), "is_refused", False)
    ]

    assert {"serve", "take_up", "prune", "flows.publish", "keys.check"} <= {
        called for called, _, _ in refused
    }
    for called, kind, name in refused:
        with pytest.raises(NotOverHttp, match=f"^{called} cannot be done over HTTP; .+"):
            await ask(getattr(kind, name), pair.remote)


async def ask(method: Any, remote: Holdfast) -> None:
    answer = method(remote)
    await (anext(answer) if inspect.isasyncgen(answer) else answer)


async def test_an_engine_of_its_own_is_refused_and_the_default_is_none():
    with pytest.raises(NotOverHttp, match='engine="own" cannot be done over HTTP'):
        Holdfast("http://127.0.0.1:1", engine="own")

    assert isinstance(Holdfast("http://127.0.0.1:1", engine=False), Holdfast)
