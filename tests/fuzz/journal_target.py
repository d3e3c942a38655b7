"""The journal and what is made of it: any bytes and any rows are a past, or the journal is corrupt."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.household import catalog, eventful
from tests.fuzz.outcomes import refusing

from holdfast.authoring.catalog import Definitions
from holdfast.authoring.kinds import Kinds, reopening_plan
from holdfast.core.codec import Codec
from holdfast.core.history import restore
from holdfast.core.journal import read_step
from holdfast.core.pieces import finish
from holdfast.core.policies import TaskOptions
from holdfast.core.records import (
    ChildRecord,
    History,
    MessageKind,
    MessageRecord,
    RunRecord,
    TaskRecord,
    new_run,
)
from holdfast.core.reopening import depends_on_end_of, is_being_cancelled
from holdfast.core.values import Failure, Instant, Payload, RunKey, RunStatus, TaskStatus
from holdfast.errors import HoldfastError, JournalCorrupt

RUN: Final = RunKey(bytes(range(16)))
definitions = Definitions(catalog, Codec(), Kinds())

# --- steps -------------------------------------------------------------------------------------------

_any_int = st.integers(-3, 5) | st.sampled_from([2**31, 2**63, 2**64 - 1, -(2**63)])
_word = st.sampled_from(["echo", "refuse", "resting", "go", "", "\x00", "é"])
_scalar = _any_int | _word | st.none() | st.booleans() | st.floats() | st.binary(max_size=4)
_TAGS: Final = ["t", "c", "f", "m", "r", "T", "L", "CT", "W", "CW", "H", "CH", "S", "P", "E", "?", ""]
_options = st.just(TaskOptions()) | st.dictionaries(_word, _scalar, max_size=2)
_entry = st.tuples(st.sampled_from(_TAGS), st.lists(_any_int, min_size=1, max_size=4)).map(
    lambda drawn: [drawn[0], *drawn[1]]
)
_odd_entry = st.tuples(st.sampled_from(_TAGS), st.lists(_scalar | _options, max_size=5)).map(
    lambda drawn: [drawn[0], *drawn[1]]
)
_named = st.tuples(st.sampled_from(["T", "L", "H"]), st.integers(0, 4), _word).map(list)
_entries = st.lists(_named | _entry | _odd_entry, max_size=4)
_steps = st.tuples(_any_int, _entries, _entries).map(msgspec.msgpack.encode)
_odd_bytes = st.sampled_from([b"", b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\x93\x01\x90\xc1"])
_deep_bytes = st.integers(0, 5000).map(lambda depth: b"\x94\x01\x90\x90" + b"\x91" * depth + b"\x01")


@st.composite
def _mangled(draw: st.DrawFn) -> bytes:
    step = bytearray(draw(_steps))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(step) - 1))
        step[place] ^= 1 << draw(st.integers(0, 7))
    return bytes(step[: draw(st.integers(0, len(step)))])


step_bytes = st.one_of(_steps, _mangled(), _deep_bytes, _odd_bytes, st.binary(max_size=40))


@given(step_bytes)
def any_bytes_are_a_step_or_corrupt(data: bytes) -> None:
    with refusing(JournalCorrupt):
        read_step(0, data)


# --- rows --------------------------------------------------------------------------------------------

_payload = st.sampled_from(
    [b"null", b"1", b'"x"', b"", b"not json", b"\xff", b"[" * 3000, b'{"type":5}']
).map(Payload)
_failure = st.none() | st.builds(Failure, type=_word, message=_word, task=st.none() | _word)
_task = st.builds(
    TaskRecord,
    run=st.just(RUN),
    seq=st.integers(0, 4),
    name=_word,
    status=st.sampled_from(TaskStatus),
    attempt=_any_int,
    lost=_any_int,
    forgiven=_any_int,
    input=_payload,
    output=st.none() | _payload,
    failure=_failure,
    heartbeat=st.none() | _payload,
    due_at=st.none() | _any_int,
    created_at=_any_int,
    started_at=st.none() | _any_int,
    finished_at=st.none() | _any_int,
)
_message = st.builds(
    MessageRecord,
    id=st.integers(0, 5),
    run=st.just(RUN),
    kind=st.sampled_from(MessageKind),
    name=_word | st.integers(0, 4).map(str),
    payload=_payload,
    taken=st.none() | st.integers(-1, 5),
)
_child = st.builds(
    ChildRecord,
    parent=st.just(RUN),
    seq=st.integers(0, 4),
    key=st.binary(min_size=16, max_size=16).map(RunKey),
    status=st.sampled_from(RunStatus),
    output=st.none() | _payload,
    failure=_failure,
)


@st.composite
def histories(draw: st.DrawFn) -> History:
    run: RunRecord = new_run(
        RUN, "default", None, "eventful", eventful.version, "eventful", draw(_payload), Instant(0)
    )
    run = msgspec.structs.replace(run, status=draw(st.sampled_from(RunStatus)), failure=draw(_failure))
    good_or_bad = draw(st.sampled_from([_steps, _steps, step_bytes]))
    return History(
        run,
        draw(st.lists(good_or_bad, max_size=5)),
        draw(st.lists(_task, max_size=5)),
        draw(st.lists(_message, max_size=5)),
        draw(st.lists(_child, max_size=4)),
    )


@given(histories())
def any_history_is_a_past_or_corrupt(history: History) -> None:
    with refusing(JournalCorrupt):
        restore(history)


@given(histories())
def any_history_can_be_asked_about_reopening(history: History) -> None:
    questions: list[Any] = [
        lambda it: reopening_plan("code", it),
        is_being_cancelled,
        lambda it: depends_on_end_of(it, 0),
    ]
    for ask in questions:
        with refusing(JournalCorrupt):
            ask(history)


@given(histories())
def any_past_is_replayed_or_refused_by_the_program(history: History) -> None:
    """The program is the user's code fed with nonsense: it may break, but only in ways that park its run."""
    with refusing(HoldfastError):
        past = restore(history)
        program = finish(definitions.replay(history.run, past, 1))
        program.waits()
        program.dispose()
