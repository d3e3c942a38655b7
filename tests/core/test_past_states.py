"""What a journal proves of an earlier state: cases that no run of this version leaves behind."""

from __future__ import annotations

from typing import Any

import msgspec

from holdfast.core.codec import Codec, digest_of
from holdfast.core.journal import EXACT
from holdfast.core.past_states import NotKept, PastKeys, StateEvidence, keys_after, with_replayed
from holdfast.core.values import Payload


def step(*asked: Any, edition: int = EXACT, heard: tuple[Any, ...] = ()) -> bytes:
    return msgspec.msgpack.encode((0, heard, [("S", *each) for each in asked], edition))


def put(key: str, value: object) -> tuple[str, int | None]:
    return key, digest_of(value)


def removed(key: str) -> tuple[str, None]:
    return key, None


def state(values: dict[str, Any]) -> dict[str, Payload]:
    return {key: Payload(msgspec.json.encode(value)) for key, value in values.items()}


def look(steps: list[bytes], at: int, ended_with: dict[str, Any], *, can_remove: bool = True) -> PastKeys:
    numbered = list(enumerate(steps))
    evidence = StateEvidence(
        len(steps), (0, len(steps)), None, None, numbered[: at + 1], numbered[at + 1 :], None
    )
    return keys_after(at, evidence, {}, state(ended_with), can_remove=can_remove, hidden="$cursor")


def test_journals_of_old_versions_do_not_tell_a_removed_key_from_one_that_was_set():
    steps = [step(("a",), edition=0), step(("a",), edition=0), step(("a",), edition=0)]

    assert look(steps, 0, {"a": 1}).not_kept == [NotKept("a", 0, 1)], "it was not there before"
    assert look(steps, 1, {"a": 1}).not_kept == [NotKept("a", None, 2)]
    assert look(steps, 2, {"a": 1}).kept == state({"a": 1})
    assert look(steps, 2, {}) == PastKeys({}, [], [], ["a"], is_all=True)


def test_a_key_that_was_removed_is_not_there_whatever_came_later():
    steps = [step(put("a", 1)), step(removed("a")), step(put("a", 1)), step(put("a", 2))]

    assert look(steps, 1, {"a": 2}) == PastKeys({}, [], [], ["a"], is_all=True)
    assert look(steps, 2, {"a": 2}) == PastKeys({}, [NotKept("a", 2, 3)], ["a"], [], is_all=True)


def test_a_key_that_was_set_and_removed_in_one_step_was_never_there():
    steps = [step(put("a", 1), removed("a")), step()]

    assert look(steps, 0, {}) == PastKeys({}, [], [], [], is_all=True)


def test_a_flow_has_no_digests_and_removes_nothing():
    steps = [step(removed("a")), step(removed("a"), removed("$cursor")), step(removed("a"))]

    found = look(steps, 1, {"a": 3}, can_remove=False)

    assert found == PastKeys({}, [NotKept("a", 1, 2)], ["a"], [], is_all=True)
    assert with_replayed(found, state({"a": 2})).kept == state({"a": 2})


def test_a_replay_that_differs_where_the_journal_knows_better_is_not_believed():
    steps = [step(removed("a"), removed("b")), step(removed("a"))]
    found = look(steps, 0, {"a": 2, "b": 1}, can_remove=False)
    assert found.kept == state({"b": 1})

    assert with_replayed(found, state({"a": 1, "b": 1})).kept == state({"a": 1, "b": 1})
    for replayed in ({"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": 1, "c": 1}):
        assert with_replayed(found, state(replayed)) == found


def test_nothing_is_concluded_across_a_step_that_cannot_be_read():
    steps = [step(put("a", 1), put("b", 1)), step(put("b", 2)), b"\xc1", step(put("c", 3)), step(put("b", 3))]
    now = {"a": 1, "b": 3, "c": 3}

    before, after = look(steps, 1, now), look(steps, 3, now)

    assert before.kept == state({"a": 1}), "its digest is that of the value that is stored"
    assert before.not_kept == [NotKept("b", 1, None)]
    assert before.is_all
    assert after.kept == state({"a": 1, "c": 3}), "no later step has changed them"
    assert after.not_kept == [NotKept("b", None, 4)]
    assert after.is_all


def test_an_exception_has_no_digest_that_proves_it():
    """The digest leaves out the traceback."""
    error = ValueError("x")
    steps = [step(put("a", error)), step(put("a", error))]
    stored = {"a": msgspec.json.decode(Codec().encode(error, "an error"))}

    assert look(steps, 0, stored).not_kept == [NotKept("a", 0, 1)]
    assert look(steps, 1, stored).kept == state(stored)
