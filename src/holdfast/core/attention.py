"""What needs a person, in sentences: pure, from what was read.

Things of one cause are one item. The worst come first: what keeps all work from going on, then what failed,
then what waits.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from holdfast.core.english import counted, number_words, span_words, times_words
from holdfast.core.explanations import ExplanationPart
from holdfast.core.values import Instant, moment

MOST_ITEMS: Final = 20
Quote: TypeAlias = Callable[[str], str]
_SCHEDULES_NAMED: Final = 5
_LONGEST_TEXT: Final = 300
"""Characters of an error or a title that are shown."""


class AttentionKind(StrEnum):
    FAILED = "failed"
    PARKED = "parked"
    QUESTION = "question"
    NODE = "node"
    SCHEDULE = "schedule"
    QUEUE = "queue"
    """A service has workers, and its tasks wait for long."""
    SERVICE = "service"
    """Tasks wait for a service that has no worker."""
    LIMIT = "limit"
    """Tasks wait for the slots of a queue of a node."""
    OVERDUE = "overdue"
    """Runs are due, and no node takes them."""


class AttentionItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that needs a person: all runs, questions or tasks of one cause."""

    kind: AttentionKind
    title: str
    parts: list[ExplanationPart]
    """What is so, in sentences."""
    count: int = 1
    """How many runs, questions or tasks; or 1."""
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    """Of failed runs: when the last of them was created."""
    run: str = ""
    """The id of a run: the newest one that failed or is parked, or the one that asked first."""
    workflow: str = ""
    filter: str = ""
    """A query that lists the runs, for `/runs`; empty if there is none."""
    fingerprint: str = ""
    """Of the failure."""
    act: str = ""
    """What to do: `retry`, `resume`, `answer`, `look`, or empty."""


class AttentionCounts(msgspec.Struct, frozen=True):
    """20,000 stands for 20,000 or more runs of a state."""

    open: int
    pending: int
    running: int
    paused: int
    parked: int
    waiting_for_person: int
    """Open questions: 1,000 stands for 1,000 or more."""
    ended_lately: int
    """In the last 24 hours."""
    failed_lately: int
    nodes: int
    nodes_alive: int


class DatabaseAnswer(msgspec.Struct, frozen=True):
    kind: str
    """SQLite or PostgreSQL."""
    answers_in: float
    """How long it took to answer a small question, in seconds."""


class Attention(msgspec.Struct, frozen=True):
    sentence: list[ExplanationPart]
    """Whether all is well, and what goes on."""
    more: list[ExplanationPart]
    """What has happened lately, and how nodes and database are."""
    is_fine: bool
    """Nothing needs a person."""
    counts: AttentionCounts
    items: list[AttentionItem]
    """The worst first, 20 at most."""
    database: DatabaseAnswer


# --- what was read


class FailedRuns(msgspec.Struct, frozen=True):
    fingerprint: str
    count: int
    workflow: str
    task: str
    """In which it failed; empty if it was in none."""
    run: str
    """The newest one."""
    summary: str
    first_at: Instant
    last_at: Instant


class ParkedRuns(msgspec.Struct, frozen=True):
    """Of one workflow."""

    workflow: str
    count: int
    is_exact: bool
    run: str
    """The newest, as are reason and whether it is tried again."""
    why: str
    is_tried_again: bool


class OpenQuestions(msgspec.Struct, frozen=True):
    count: int
    is_exact: bool
    title: str
    """Of the oldest, as are run and time."""
    run: str
    asked_at: Instant
    workflows: tuple[str, ...]


class NodeSign(msgspec.Struct, frozen=True):
    id: str
    is_alive: bool
    lease_until: Instant
    runs: int


class DueClaim(msgspec.Struct, frozen=True):
    """Runs that are due, and that no node takes."""

    workflow: str
    count: int
    since: Instant
    lack: str
    """Why, if it is sure: no node has their code. Else empty."""
    what: str
    """What a node must have."""


class WaitingService(msgspec.Struct, frozen=True):
    service: str
    count: int
    since: Instant
    has_workers: bool


class LateSchedule(msgspec.Struct, frozen=True):
    name: str
    workflow: str
    since: Instant
    problem: str


class FullQueue(msgspec.Struct, frozen=True):
    name: str
    held: int
    limit: int
    count: int
    """How many tasks wait."""
    since: Instant
    node: str


class Signs(msgspec.Struct, frozen=True):
    counts: AttentionCounts
    failed: Sequence[FailedRuns]
    """Of the runs that were created after `failed_since`."""
    failed_since: Instant
    parked: Sequence[ParkedRuns]
    questions: OpenQuestions | None
    nodes: Sequence[NodeSign]
    due: Sequence[DueClaim]
    services: Sequence[WaitingService]
    schedules: Sequence[LateSchedule]
    queues: Sequence[FullQueue]
    paused: Sequence[str]
    """The names of schedules."""
    next_tick: Instant | None
    database: DatabaseAnswer


# --- what is said


def attention(signs: Signs, now: Instant, quote: Quote) -> Attention:
    """`quote` writes a text as a part of a query."""
    items = list(_items(signs, now, quote))
    return Attention(
        _sentence(signs, len(items), now),
        _more(signs),
        not items,
        signs.counts,
        items[:MOST_ITEMS],
        signs.database,
    )


def plain_text(parts: Sequence[ExplanationPart]) -> str:
    return "".join(part.text for part in parts)


def _items(signs: Signs, now: Instant, quote: Quote) -> Iterator[AttentionItem]:
    if signs.counts.open and not signs.counts.nodes_alive:
        yield _no_node(signs, now)
    for failed in sorted(signs.failed, key=lambda it: (-it.count, -it.last_at, it.fingerprint)):
        yield _failed(failed, signs.failed_since, quote)
    for due in sorted(signs.due, key=lambda it: (it.since, it.workflow)):
        yield _due(due, now, quote)
    for service in sorted(signs.services, key=lambda it: (it.has_workers, it.since)):
        yield _service(service, now)
    for parked in sorted(signs.parked, key=lambda it: (-it.count, it.workflow)):
        yield _parked(parked, quote)
    for schedule in sorted(signs.schedules, key=lambda it: (it.since, it.name)):
        yield AttentionItem(
            kind=AttentionKind.SCHEDULE,
            title=f"schedule {schedule.name} does not fire",
            parts=[_ref(schedule.name, "schedule", schedule.name), _text(f" is {schedule.problem}.")],
            since=moment(schedule.since),
            workflow=schedule.workflow,
            act="look",
        )
    for queue in sorted(signs.queues, key=lambda it: (-it.count, it.name)):
        yield _queue(queue, now)
    if signs.questions is not None:
        yield _questions(signs.questions, now)
    if signs.counts.nodes_alive:
        for node in signs.nodes:
            if not node.is_alive:
                yield _lost_node(node, now)
    if signs.paused:
        yield _paused(signs.paused)


def _no_node(signs: Signs, now: Instant) -> AttentionItem:
    last = max(signs.nodes, key=lambda node: node.lease_until, default=None)
    parts = [_text(f"{counted(signs.counts.open, 'run is', 'runs are')} open, and nothing works on them. ")]
    if last is not None:
        parts += [_text("The lease of the last one, "), _ref(last.id, "node", last.id)]
        parts += [_text(f", ran out {_ago(last.lease_until, now)}. ")]
    parts.append(_text("Start a node that has their workflows."))
    return AttentionItem(
        kind=AttentionKind.NODE,
        title="no node is running",
        parts=parts,
        count=signs.counts.open,
        since=None if last is None else moment(last.lease_until),
        act="look",
    )


def _failed(found: FailedRuns, since: Instant, quote: Quote) -> AttentionItem:
    where = f" in {found.task}" if found.task else ""
    how = _short(found.summary) or "an error without a text"
    parts = [_text("It failed with " if found.count == 1 else "All with "), _ref(how, "strong")]
    if found.task:
        parts += [
            _text(". Recorded results stay, so a retry begins at "),
            _ref(found.task, "strong"),
            _text("."),
        ]
    else:
        parts.append(_text(". Recorded results stay; a retry does again what failed."))
    return AttentionItem(
        kind=AttentionKind.FAILED,
        title=f"{found.workflow} failed{where}"
        + ("" if found.count == 1 else f", {times_words(found.count)}"),
        parts=parts,
        count=found.count,
        since=moment(found.first_at),
        until=moment(found.last_at),
        run=found.run,
        workflow=found.workflow,
        filter=f"status=failed&fingerprint={found.fingerprint}&created_after={quote(moment(since).isoformat())}",
        fingerprint=found.fingerprint,
        act="retry",
    )


def _due(found: DueClaim, now: Instant, quote: Quote) -> AttentionItem:
    waits = counted(found.count, "run waits", "runs wait")
    since = f", the first for {span_words(_age(found.since, now))}" if found.count > 1 else ""
    if found.count == 1:
        since = f", for {span_words(_age(found.since, now))}"
    if found.lack:
        title = found.lack
        parts = [_text(f"{waits}{since}. Start a node that has {found.what}; what is due waits until then.")]
    else:
        title = f"no node takes runs of {found.workflow}"
        parts = [_text(f"{waits}{since}. Nodes are probably too busy, or none of them has {found.what}.")]
    return AttentionItem(
        kind=AttentionKind.OVERDUE,
        title=title,
        parts=parts,
        count=found.count,
        since=moment(found.since),
        workflow=found.workflow,
        filter=f"status=pending&status=running&workflow={quote(found.workflow)}",
        act="look",
    )


def _service(found: WaitingService, now: Instant) -> AttentionItem:
    oldest = span_words(_age(found.since, now))
    waits = f"{counted(found.count, 'task waits', 'tasks wait')}, the oldest for {oldest}."
    name = _ref(found.service, "service", found.service)
    if found.has_workers:
        parts = [_text("The workers of "), name, _text(f" are too slow or too few: {waits}")]
        title, kind = f"service {found.service} falls behind", AttentionKind.QUEUE
    else:
        parts = [_text(f"{waits} No worker of "), name, _text(" has been heard of lately. Start one.")]
        title, kind = f"no worker for service {found.service}", AttentionKind.SERVICE
    return AttentionItem(
        kind=kind, title=title, parts=parts, count=found.count, since=moment(found.since), act="look"
    )


def _parked(found: ParkedRuns, quote: Quote) -> AttentionItem:
    many = found.count > 1
    number = f"{found.count:,}{'' if found.is_exact else ' or more'}"
    title = f"{number} runs of {found.workflow} are parked" if many else f"{found.workflow} is parked"
    parts = [_text("The newest, " if many else ""), _ref(found.run, "run", found.run)]
    why = _short(found.why).rstrip(".")
    parts.append(_text(f": {why}. " if why else " says no reason. "))
    again = "It is tried again by itself." if found.is_tried_again else "It is not tried again by itself."
    parts.append(_text(again))
    return AttentionItem(
        kind=AttentionKind.PARKED,
        title=title,
        parts=parts,
        count=found.count,
        run=found.run,
        workflow=found.workflow,
        filter=f"status=parked&workflow={quote(found.workflow)}",
        act="resume",
    )


def _questions(found: OpenQuestions, now: Instant) -> AttentionItem:
    number = f"{found.count:,}{'' if found.is_exact else ' or more'}"
    title = "a question waits for somebody" if found.count == 1 else f"{number} questions wait for somebody"
    parts = [
        _text("Run " if found.count == 1 else "The oldest is of "),
        _ref(found.run, "run", found.run),
        _text(" asks " if found.count == 1 else ": "),
        _ref(_short(found.title), "strong"),
        _text(f", for {span_words(_age(found.asked_at, now))}."),
    ]
    return AttentionItem(
        kind=AttentionKind.QUESTION,
        title=title,
        parts=parts,
        count=found.count,
        since=moment(found.asked_at),
        run=found.run,
        workflow=found.workflows[0] if len(found.workflows) == 1 else "",
        act="answer",
    )


def _queue(found: FullQueue, now: Instant) -> AttentionItem:
    parts = [
        _text(f"{counted(found.count, 'task waits', 'tasks wait')} for a slot of "),
        _ref(found.name, "queue", found.name),
        _text(" on "),
        _ref(found.node, "node", found.node),
        _text(f", the oldest for {span_words(_age(found.since, now))}. "),
        _text(f"{found.held:,} of {counted(found.limit, 'slot is', 'slots are')} held."),
    ]
    return AttentionItem(
        kind=AttentionKind.LIMIT,
        title=f"queue {found.name} is full",
        parts=parts,
        count=found.count,
        since=moment(found.since),
        act="look",
    )


def _paused(names: Sequence[str]) -> AttentionItem:
    first = sorted(names)[:_SCHEDULES_NAMED]
    parts = list[ExplanationPart]()
    for index, name in enumerate(first):
        parts += [_text(", " if index else ""), _ref(name, "schedule", name)]
    left = len(names) - len(first)
    more = f" and {left:,} more" if left else ""
    start = "starts" if len(names) == 1 else "start"
    resumes = "it" if len(names) == 1 else "them"
    parts.append(_text(f"{more} {start} no runs until somebody resumes {resumes}."))
    title = f"schedule {names[0]} is paused" if len(names) == 1 else f"{len(names):,} schedules are paused"
    return AttentionItem(kind=AttentionKind.SCHEDULE, title=title, parts=parts, count=len(names), act="look")


def _lost_node(node: NodeSign, now: Instant) -> AttentionItem:
    runs = counted(node.runs, "run")
    left = f" It had {runs}, which other nodes take up." if node.runs else ""
    return AttentionItem(
        kind=AttentionKind.NODE,
        title=f"node {node.id} has not been heard of",
        parts=[
            _text("The lease of "),
            _ref(node.id, "node", node.id),
            _text(f" ran out {_ago(node.lease_until, now)}.{left}"),
        ],
        count=node.runs,
        since=moment(node.lease_until),
        act="look",
    )


def _sentence(signs: Signs, problems: int, now: Instant) -> list[ExplanationPart]:
    counts = signs.counts
    stands_still = bool(counts.open and not counts.nodes_alive)
    if not problems:
        begin = [_text("All is well: "), _ref("nothing needs a person.", "strong")]
    else:
        many = f"{number_words(problems)} things need" if problems > 1 else "one thing needs"
        first = "No work goes on, and " if stands_still else "Work goes on, and "
        begin = [_text(first), _ref(f"{many} a person.", "strong")]
    going = (
        f"{counted(counts.open, 'run is', 'runs are')} under way" if counts.open else "No run is under way"
    )
    tick = ""
    if signs.next_tick is not None:
        left = max(1.0, (signs.next_tick - now) / 1_000_000)
        # Whole minutes, because the sentence may be read a while after it was made.
        tick = f"; the next schedule fires in {span_words(left if left < 120 else left - left % 60)}"
    return [*begin, _text(f" {going}{tick}.")]


def _more(signs: Signs) -> list[ExplanationPart]:
    counts = signs.counts
    # Times and not runs: one that is tried again ends again.
    ended = f"runs ended {_times(counts.ended_lately)}" if counts.ended_lately else "no run ended"
    parts = [_text(f"In the last 24 hours {ended}")]
    if counts.failed_lately:
        parts.append(_text(f", {counts.failed_lately:,} with a failure"))
        most = max((it.count for it in signs.failed), default=0)
        if 1 < most <= counts.failed_lately:
            parts.append(
                _text(
                    ", all for one reason"
                    if most == counts.failed_lately
                    else f", {most:,} of them for one reason"
                )
            )
    nodes = "No node is up"
    if counts.nodes_alive:
        up = number_words(counts.nodes_alive).capitalize()
        of = "" if counts.nodes == counts.nodes_alive else f" of {number_words(counts.nodes)}"
        nodes = f"{up}{of} {'node is' if counts.nodes == 1 else 'nodes are'} up"
    took = span_words(max(0.001, signs.database.answers_in))
    return [*parts, _text(f". {nodes}; the database answers in {took}.")]


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number) or f"{number:,} times"


def _text(text: str) -> ExplanationPart:
    return ExplanationPart(text)


def _ref(text: str, kind: str, ref: str = "") -> ExplanationPart:
    return ExplanationPart(text, kind, ref)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TEXT else line[: _LONGEST_TEXT - 1] + "…"


def _age(since: Instant, now: Instant) -> float:
    return max(0, now - since) / 1_000_000


def _ago(at: Instant, now: Instant) -> str:
    return f"{span_words(_age(at, now))} ago" if at <= now else "just now"
