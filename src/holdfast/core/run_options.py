"""What a run is started with besides its workflow, its input and its id.

`StartOptions` is what callers give, `RunTerms` what it means for the new row. Everything that only people and
the engine read is one JSON value (`RunOptions`); a run without options has none, and costs nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import (
    Any,
    Final,
    Generic,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    overload,
)
from zlib import crc32

import msgspec

from holdfast.core.names import check_keywords, checked_address_name, checked_span, is_storable
from holdfast.core.policies import TaskOptions
from holdfast.core.values import Instant, RunKey, instant, is_instant, later
from holdfast.errors import BadOption

P = ParamSpec("P")
R = TypeVar("R")

HIGHEST_PRIORITY = 9
_MOST_TAGS = 20
_LONGEST_TAG = 200
_LONGEST_NOTE = 2_000


class IdPolicy(StrEnum):
    """What to do if the id of a new run is taken."""

    RETURN = "return"
    """Return the run that has it, if that is of the same workflow with the same input. Otherwise refuse."""
    REFUSE = "refuse"
    RESTART_ENDED = "restart_ended"
    """Give the id to the new run if the run that has it has ended. Otherwise as `return`."""
    REPLACE = "replace"
    """End the run that has it, if it has not ended, and give the id to the new run."""


TAKES_IDS = frozenset({IdPolicy.RESTART_ENDED.value, IdPolicy.REPLACE.value})
"""The policies with which a new run may get the id of another."""


class OnParentEnd(StrEnum):
    """What becomes of a child when its parent ends."""

    CANCEL = "cancel"
    DETACH = "detach"
    """It goes on."""
    TERMINATE = "terminate"


class RunOptions(msgspec.Struct, frozen=True, omit_defaults=True):
    """Stored with the run, as JSON. New fields need a default."""

    deadline: Instant | None = None
    tags: tuple[str, ...] = ()
    note: str = ""
    by: str = ""
    """Who started it."""
    start_at: Instant | None = None
    """Not before. For a run that is paused until then."""
    task_options: TaskOptions | None = None
    """Of a task that was started by itself with options for this run. None: those in its code."""
    former_id: str = ""
    """The id that the run was started with, if a newer run has taken it."""
    previous: str = ""
    """The key of the run that had the id before, as text."""
    generation: int = 0
    """How many runs had the id before."""
    on_parent_end: str = ""
    """`terminate`, if the run is a child that is terminated with its parent, not cancelled."""
    trace: str = ""
    """The span in which it was started, as W3C writes it: `traceparent`, or that, a space and `tracestate`.
    Empty: whoever started it is not traced."""
    traced_at: Instant | None = None
    """When that span was, if it is older than the run: a child has that of its parent."""
    trace_share: float = 1.0
    """How many of the runs that were started together are traced. `trace_of` says which."""


NO_OPTIONS = RunOptions()
_TRACE_FLAGS = len("00-") + 32 + len("-") + 16 + len("-")
"""Where they are in a `traceparent`."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(RunOptions).decode
_decoded: dict[bytes, RunOptions] = {}
"""Runs that are started together have the same options, which are read several times for each. A `lru_cache`
takes three times as long to find bytes."""
_MOST_DECODED = 256


def read_run_options(stored: bytes | None) -> RunOptions:
    """What cannot be read, because it is damaged or of a later version, counts as nothing."""
    if stored is None:
        return NO_OPTIONS
    known = _decoded.get(stored)
    if known is not None:
        return known
    try:
        options = _decode(stored)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return NO_OPTIONS
    if len(_decoded) >= _MOST_DECODED:
        _decoded.clear()
    _decoded[stored] = options
    return options


def with_options_changed(stored: bytes | None, **changes: Any) -> bytes:
    """The stored options of a run with other values. What cannot be read is kept out."""
    return _encode(msgspec.structs.replace(read_run_options(stored), **changes))


def traced_options(
    stored: bytes | None, trace: str, traced_at: Instant | None = None, share: float = 1.0
) -> bytes | None:
    """The stored options of new runs that belong to a trace. What they say already counts."""
    if not trace:
        return stored
    if stored is None:
        return _encode(RunOptions(trace=trace, traced_at=traced_at, trace_share=share))
    if read_run_options(stored).trace:
        return stored
    return with_options_changed(stored, trace=trace, traced_at=traced_at, trace_share=share)


def trace_of(options: RunOptions, run: RunKey) -> str:
    """The span in which the run was started. If the run is none of those that are traced, its flags say so.
    Every node finds the same, also after a crash."""
    is_traced = options.trace_share == 1.0 or is_in_share(options.trace_share, run)
    return options.trace if is_traced else unsampled(options.trace)


def is_in_share(share: float, run: RunKey) -> bool:
    return crc32(run) < share * 2**32


def unsampled(trace: str) -> str:
    return trace[:_TRACE_FLAGS] + "00" + trace[_TRACE_FLAGS + 2 :]


class RunTerms(NamedTuple):
    """The columns of a new run that follow from its options."""

    start_at: Instant | None = None
    """No node may claim it before. None: it is due at once."""
    schedule: str | None = None
    """The schedule that it is started for, if there is one."""
    options: bytes | None = None
    """`RunOptions` as JSON."""
    priority: int = 0


PLAIN_TERMS = RunTerms()


class StartOptions(msgspec.Struct, frozen=True):
    """How to start a run. Checked when it is made: raises BadOption."""

    id: str | None = None
    version: str | int | None = None
    id_policy: str = IdPolicy.RETURN
    delay: dt.timedelta | None = None
    start_at: dt.datetime | None = None
    deadline: dt.timedelta | dt.datetime | None = None
    tags: Sequence[str] = ()
    note: str = ""
    priority: int | None = None
    """None: 0, or for a child the priority of its parent."""
    by: str = ""
    task_options: TaskOptions | None = None
    """Instead of those of the task that is started."""

    def __post_init__(self) -> None:
        if self.id is not None:
            # As plain text: a subclass may hash, compare or encode in its own way.
            msgspec.structs.force_setattr(self, "id", checked_address_name("id", self.id))
        if self.id_policy not in {policy.value for policy in IdPolicy}:
            raise BadOption("id_policy", self.id_policy, "one of " + ", ".join(IdPolicy))
        if self.delay is not None and checked_span("delay", self.delay) < dt.timedelta(0):
            raise BadOption("delay", self.delay, "zero or more")
        if self.start_at is not None:
            _check_zone("start_at", self.start_at)
            if self.delay is not None:
                raise BadOption("start_at", self.start_at, "given without delay: one of the two")
        self._check_deadline()
        _check_tags(self.tags)
        _check_text("note", self.note, _LONGEST_NOTE)
        _check_text("by", self.by, _LONGEST_TAG)
        for name in ("note", "by", "id_policy"):
            msgspec.structs.force_setattr(self, name, str.__str__(getattr(self, name)))
        msgspec.structs.force_setattr(self, "tags", tuple(map(str.__str__, self.tags)))
        priority = self.priority
        if priority is not None and not (_is_whole(priority) and 0 <= priority <= HIGHEST_PRIORITY):
            raise BadOption("priority", priority, f"a whole number from 0 to {HIGHEST_PRIORITY}")

    @property
    def is_plain(self) -> bool:
        """Whether it says nothing besides the id and the version."""
        return msgspec.structs.replace(self, id=None, version=None) == PLAIN_START

    def check_policy(self, ids: Sequence[str | None]) -> None:
        """Raises BadOption if the policy has no ids to go by, or if two of the new runs want one id."""
        if self.id_policy == IdPolicy.RETURN:
            return
        if None in ids:
            raise BadOption("id_policy", self.id_policy, "given together with an id")
        if self.id_policy in TAKES_IDS and len(set(ids)) < len(ids):
            twice = next(id for id in ids if ids.count(id) > 1)
            raise BadOption("ids", twice, f"each once with id_policy={self.id_policy!r}")

    def _check_deadline(self) -> None:
        deadline: Any = self.deadline
        if isinstance(deadline, dt.datetime):
            _check_zone("deadline", deadline)
        elif deadline is not None and checked_span("deadline", deadline) <= dt.timedelta(0):
            raise BadOption("deadline", deadline, "more than zero")

    def terms(self, now: Instant, schedule: str | None = None, *, inherited: int = 0) -> RunTerms:
        """`inherited` is the priority of a run whose options name none.

        Raises BadOption if the deadline is not after the start.
        """
        start_at = _when("delay", self.delay, now) if self.start_at is None else instant(self.start_at)
        begins = now if start_at is None else max(now, start_at)
        deadline = self.deadline
        due = instant(deadline) if isinstance(deadline, dt.datetime) else _when("deadline", deadline, begins)
        if due is not None and due <= begins:
            raise BadOption("deadline", deadline, "after the start of the run")
        begins_later = None if begins == now else begins
        tags = tuple(dict.fromkeys(self.tags)) or ()
        options = RunOptions(due, tags, self.note, self.by, begins_later, self.task_options)
        stored = None if options == NO_OPTIONS else _encode(options)
        return RunTerms(
            begins_later, schedule, stored, inherited if self.priority is None else int(self.priority)
        )


KEEP_DEADLINE: Final = "keep"

NewDeadline: TypeAlias = dt.timedelta | dt.datetime | Literal["keep"] | None
"""For a run that is retried. None: it has none any more."""


def checked_deadline(given: NewDeadline, now: Instant) -> Instant | None:
    """The instant of a new deadline. Raises BadOption."""
    if isinstance(given, str):
        raise BadOption("deadline", given, f"a timedelta, a datetime with a zone, None or {KEEP_DEADLINE!r}")
    start = StartOptions(deadline=given).terms(now)
    return read_run_options(start.options).deadline


class StartKeywords(TypedDict, total=False):
    """`StartOptions` as keyword arguments."""

    id: str | None
    version: str | int | None
    id_policy: str
    delay: dt.timedelta | None
    start_at: dt.datetime | None
    deadline: dt.timedelta | dt.datetime | None
    tags: Sequence[str]
    note: str
    priority: int | None
    by: str


class StartTarget(Generic[P, R]):
    """What clients start: a workflow, a task, or one of them with options. Type checkers compare the
    arguments of `hf.start(target, ...)` with the parameters P, and know that the result is R."""

    __slots__ = ()


class WithOptions(StartTarget[P, R]):
    """A workflow, a task or the name of one, with options for its start."""

    on_parent_end: OnParentEnd | None = None
    """For a child. None: not given."""

    def __init__(self, target: Any, options: StartOptions) -> None:
        self.target = target
        self.start_options = options


@overload
def with_options(target: StartTarget[P, R], **options: Unpack[StartKeywords]) -> WithOptions[P, R]: ...
@overload
def with_options(target: str | type, **options: Unpack[StartKeywords]) -> WithOptions[..., Any]: ...
def with_options(target: Any, **options: Unpack[StartKeywords]) -> WithOptions[..., Any]:
    """A workflow, a task or the name of one, with options for its start:
    `hf.start(with_options("order", tags=["vip"]), amount=5)`.

    Raises BadOption.
    """
    checked = checked_options(options)
    if isinstance(target, WithOptions):
        target = cast("WithOptions[..., Any]", target)
        inner, known = target_and_options(target)
        if msgspec.structs.replace(known, task_options=None) != PLAIN_START or known.task_options is None:
            raise BadOption("target", target, "without options of its own: give all of them at once")
        return WithOptions(inner, msgspec.structs.replace(checked, task_options=known.task_options))
    return WithOptions(target, checked)


def target_and_options(
    workflow: Any, id: str | None = None, version: str | int | None = None
) -> tuple[Any, StartOptions]:
    """The workflow, and the options that it was given, by `.options(...)` or as arguments of `start`."""
    if not isinstance(workflow, WithOptions):
        if id is None and version is None:
            return workflow, PLAIN_START
        return workflow, StartOptions(id=id, version=version)
    configured = cast("WithOptions[..., Any]", workflow)
    options = configured.start_options
    for name, given in (("id", id), ("version", version)):
        if given is not None:
            if getattr(options, name) is not None:
                raise BadOption(name, given, f"given once; options() says {getattr(options, name)!r}")
            options = msgspec.structs.replace(options, **{name: given})
    return configured.target, options


def root_and_options(
    workflow: Any, id: str | None = None, version: str | int | None = None
) -> tuple[Any, StartOptions]:
    """As `target_and_options`, of a run that has no parent."""
    policy = workflow.on_parent_end if isinstance(workflow, WithOptions) else None
    if policy is not None and policy is not OnParentEnd.CANCEL:
        raise BadOption("on_parent_end", str(policy), "left out: a run that a client starts has no parent")
    return target_and_options(workflow, id, version)


def child_policy(given: Any, detached: Any) -> OnParentEnd:
    """What becomes of a child when its parent ends. `detached=True` is another word for "detach". Raises
    BadOption."""
    if detached is not True and detached is not False:
        raise BadOption("detached", detached, "True or False")
    if given is None:
        return OnParentEnd.DETACH if detached else OnParentEnd.CANCEL
    if given not in {each.value for each in OnParentEnd}:
        raise BadOption("on_parent_end", given, "one of " + ", ".join(OnParentEnd))
    if detached:
        raise BadOption("on_parent_end", given, "given without detached: one of the two")
    return OnParentEnd(given)


def checked_options(options: Mapping[str, Any]) -> StartOptions:
    """Raises BadOption."""
    check_keywords("option", options, StartKeywords)
    return StartOptions(**options)


def _when(what: str, span: dt.timedelta | None, since: Instant) -> Instant | None:
    if span is None:
        return None
    at = later(since, span)
    if not is_instant(at):
        raise BadOption(what, span, "a time before the year 9999")
    return at


def _check_zone(what: str, moment: Any) -> None:
    if not isinstance(moment, dt.datetime) or moment.utcoffset() is None:
        raise BadOption(what, moment, "a datetime with a time zone, such as datetime.now(UTC)")


def _check_tags(tags: Any) -> None:
    if not isinstance(tags, (list, tuple)):
        raise BadOption("tags", tags, "a list of texts")
    given = cast("Sequence[Any]", tags)
    if len(given) > _MOST_TAGS:
        raise BadOption("tags", given, f"{_MOST_TAGS} at most")
    for tag in given:
        checked_tag(tag)


def checked_tag(tag: Any) -> str:
    if not isinstance(tag, str) or not 1 <= len(tag) <= _LONGEST_TAG or not is_storable(tag):
        raise BadOption("tag", tag, f"text of 1 to {_LONGEST_TAG} characters, without NUL")
    return tag


def _check_text(what: str, text: Any, longest: int) -> None:
    if not isinstance(text, str) or len(text) > longest or not is_storable(text):
        raise BadOption(what, text, f"text of up to {longest:,} characters, without NUL")


def _is_whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


PLAIN_START = StartOptions()
