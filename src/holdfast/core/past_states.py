"""The durable state of a run as it was after one step of its journal.

A store keeps one value of each key: the newest. The journal says which step has set or removed which key,
and has a digest of the value, but no value. What a key was after a step is therefore told in three cases:

- No later step of its chapter has changed the key. Then its value is the one at the end of the chapter: what
  the next chapter began with, or what is stored now.
- Later steps have changed the key, and no step of the chapter before. Then it is what the chapter began with.
- The key was changed on both sides, and its digest then is that of a value which is kept: it was set to the
  same value again.

Of all other keys it is said that their values are not kept, and which step has changed them. A value that
could be another one is never shown. A flow is replayed to find them (`authoring.flow.past_states`). Code is
not: a server may not have it, and where it has, code of users would run in the process that answers all.

A retry clears the state in the store, and the program then sets every key again. Steps that the retry has
struck out did happen, so they are shown with what they had set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

import msgspec

from holdfast.core.codec import digest_of
from holdfast.core.journal import EXACT, ReopenedHeard, StateAsked, StepRecord, read_step
from holdfast.core.records import History
from holdfast.core.values import Payload
from holdfast.errors import JournalCorrupt


class NotKept(msgspec.Struct, frozen=True):
    """A key whose value of then is not known any more."""

    key: str
    set_at: int | None
    """The step that had set it. None: it is not known whether the key was there."""
    changed_at: int | None
    """The first step after that which set or removed it. None: it is further on than was looked."""


class PastState(msgspec.Struct, frozen=True):
    """The durable state of a run as it was after a step of its journal."""

    step: int
    values: dict[str, Any]
    """What it was, without the keys of `not_kept`."""
    not_kept: list[NotKept]
    changed: list[str]
    """The keys that this step has set."""
    removed: list[str]
    """The keys that this step has removed."""
    is_all: bool
    """False: the journal is too long to be read whole, and there may have been other keys."""


class StateEvidence(NamedTuple):
    """What a store has about the state of a run after a step, read in one snapshot."""

    steps: int
    """Of the whole journal."""
    chapter: tuple[int, int]
    """The first step of its chapter, and the one behind the last."""
    began_with: bytes | None
    """The state with which its chapter began, as a JSON object. None: it was empty."""
    ended_with: bytes | Mapping[str, Payload] | None
    """The state after the last step of its chapter: what the next one began with, or what is stored now."""
    before: Sequence[tuple[int, bytes]]
    """Steps up to this one, in order. If there are too many, the last ones."""
    after: Sequence[tuple[int, bytes]]
    """Steps of the chapter behind it, in order. If there are too many, the first ones."""
    history: History | None
    """For replay, if the run has one chapter and is not too large."""


class _Kind(Enum):
    SET = "set"
    REMOVED = "removed"
    UNCLEAR = "unclear"
    """Journals of 0.4.0 and before do not tell which."""


class _Change(NamedTuple):
    position: int
    kind: _Kind
    digest: int | None


class PastKeys(NamedTuple):
    """As a `PastState`, with payloads."""

    kept: dict[str, Payload]
    not_kept: list[NotKept]
    changed: list[str]
    removed: list[str]
    is_all: bool


def keys_after(
    step: int,
    evidence: StateEvidence,
    began_with: Mapping[str, Payload],
    ended_with: Mapping[str, Payload],
    *,
    can_remove: bool,
    hidden: str,
) -> PastKeys:
    """What the journal proves of the state after that step. `can_remove`: the workflow is code. Flows set
    keys, and never remove one. `hidden` is the key that is left out."""
    before = _Before(step, evidence, began_with, can_remove=can_remove)
    after = _After(step, evidence)
    kept: dict[str, Payload] = {}
    not_kept: list[NotKept] = []
    keys = {*before.changes, *before.base, *before.touched, *ended_with, *after.changes}
    for key in sorted(keys - {hidden}):
        change, changed_at = before.changes.get(key), after.change_of(key)
        found: Payload | None = None
        if changed_at is None and after.is_whole:
            found = ended_with.get(key)
        elif change is None and before.is_whole:
            found = before.base.get(key)
        elif change is None or change.kind is _Kind.UNCLEAR:
            not_kept.append(NotKept(key, None, changed_at))
        elif change.kind is _Kind.SET:
            values = (ended_with.get(key), began_with.get(key))
            found = next((it for it in values if it is not None and _has_digest(it, change.digest)), None)
            if found is None:
                not_kept.append(NotKept(key, change.position, changed_at))
        if found is not None:
            kept[key] = found
    there = {*kept, *(each.key for each in not_kept)}
    return PastKeys(
        kept,
        not_kept,
        changed=sorted(before.touched & there),
        removed=sorted(before.touched - there - before.absent - {hidden}),
        is_all=before.is_whole or after.is_whole,
    )


def with_replayed(keys: PastKeys, replayed: Mapping[str, Payload]) -> PastKeys:
    """The same with values from a replay. If the replay differs in one key that the journal proves, none of
    it is believed."""
    unknown = {each.key for each in keys.not_kept}
    others = {key: payload for key, payload in replayed.items() if key not in unknown}
    if not have_same_values(others, keys.kept):
        return keys
    gone = unknown - replayed.keys()
    return PastKeys(
        dict(sorted(replayed.items())),
        [],
        [key for key in keys.changed if key not in gone],
        keys.removed,
        keys.is_all,
    )


def have_same_values(one: Mapping[str, Payload], other: Mapping[str, Payload]) -> bool:
    decode = msgspec.json.decode
    return {key: decode(it) for key, it in one.items()} == {key: decode(it) for key, it in other.items()}


def _has_digest(payload: Payload, digest: int | None) -> bool:
    # The digest of an exception leaves out parts of the exception, so an equal digest would not prove that
    # the value is the same. An exception is decoded as plain data here, so its digest is never equal.
    return digest is not None and digest_of(msgspec.json.decode(payload)) == digest


class _Before:
    """The changes up to a step, and what that step did."""

    def __init__(
        self, step: int, evidence: StateEvidence, began_with: Mapping[str, Payload], *, can_remove: bool
    ) -> None:
        self.changes: dict[str, _Change] = {}
        """The last change of each key."""
        self.base: Mapping[str, Payload] = began_with
        """What keys had that are not in `changes`."""
        self.is_whole = bool(evidence.before) and evidence.before[0][0] == evidence.chapter[0]
        """Whether all changes since `base` are known."""
        self.touched: set[str] = set()
        """The keys that the step itself has set or removed."""
        self.absent: set[str] = set()
        """Those of them that were not there before."""
        self._can_remove = can_remove
        for position, data in evidence.before:
            try:
                record = read_step(position, data)
            except JournalCorrupt:
                self.changes.clear()
                self.is_whole = False
                continue
            self._add(position, record, is_last=position == step)

    def _add(self, position: int, record: StepRecord, *, is_last: bool) -> None:
        if any(isinstance(heard, ReopenedHeard) for heard in record.heard):
            if is_last:
                known = [key for key, it in self.changes.items() if it.kind is not _Kind.REMOVED]
                self.touched.update(known, self.base.keys() - self.changes.keys())
            self.changes.clear()
            self.base = dict[str, Payload]()
            self.is_whole = True
        for asked in record.asked:
            if isinstance(asked, StateAsked):
                if is_last and asked.key not in self.touched:
                    self.touched.add(asked.key)
                    if self._is_there(asked.key) is False:
                        self.absent.add(asked.key)
                kind = self._kind_of(asked, record)
                self.changes[asked.key] = _Change(position, kind, asked.digest)

    def _is_there(self, key: str) -> bool | None:
        """None: it is not known."""
        change = self.changes.get(key)
        if change is not None:
            return None if change.kind is _Kind.UNCLEAR else change.kind is _Kind.SET
        return key in self.base if self.is_whole else None

    def _kind_of(self, asked: StateAsked, record: StepRecord) -> _Kind:
        """A removal has no digest. A flow has none for what it sets, nor has code that sets its state again
        after a retry. But code removes only a key that is there."""
        if asked.digest is not None or not self._can_remove:
            return _Kind.SET
        match self._is_there(asked.key):
            case False:
                return _Kind.SET
            case True if record.edition >= EXACT:
                return _Kind.REMOVED
            case _:
                return _Kind.UNCLEAR


class _After:
    """The changes behind a step."""

    def __init__(self, step: int, evidence: StateEvidence) -> None:
        self.changes: dict[str, int] = {}
        """The first change of each key."""
        self.is_whole = False
        """Whether all changes up to the end of the chapter are known."""
        self._cleared_at: int | None = None
        next = step + 1
        for position, data in evidence.after:
            try:
                record = read_step(position, data)
            except JournalCorrupt:
                return
            if any(isinstance(heard, ReopenedHeard) for heard in record.heard):
                self._cleared_at = position
                return
            for asked in record.asked:
                if isinstance(asked, StateAsked):
                    self.changes.setdefault(asked.key, position)
            next = position + 1
        self.is_whole = next == evidence.chapter[1]

    def change_of(self, key: str) -> int | None:
        return self.changes.get(key, self._cleared_at)
