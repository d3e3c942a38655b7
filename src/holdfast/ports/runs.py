"""Runs as clients use them: to start, to send messages to, to list, to reopen."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple, Protocol, TypeAlias

import msgspec

from holdfast.core.events import MessageId
from holdfast.core.questions import ClosedQuestion, QuestionRecord
from holdfast.core.records import (
    FIRST_CHAPTER,
    AttemptRecord,
    ChapterRecord,
    ChapterStart,
    ChildRecord,
    History,
    LogRecord,
    MessageKind,
    MessageRecord,
    PostedMessage,
    RunRecord,
    TaskRecord,
    TaskSummary,
)
from holdfast.core.stream_items import StreamPage, StreamSummary
from holdfast.core.values import Instant, Outcome, Payload, RunKey, RunStatus, TaskStatus
from holdfast.core.waiting import WaitReason
from holdfast.ports.commits import NewMessage, NewStep


class StartedRuns(NamedTuple):
    keys: list[RunKey]
    """Of the runs that were asked for, in order."""
    existing: frozenset[RunKey] = frozenset()
    """Those of them that were there before: their ids were taken."""


def started_runs(asked: list[RunKey], existing: Mapping[RunKey, RunKey]) -> StartedRuns:
    """`existing` has the new runs that were not added, each with the run that has its id."""
    if not existing:
        return StartedRuns(asked)
    taken = frozenset(existing[key] for key in asked if key in existing)
    return StartedRuns([existing.get(key, key) for key in asked], taken)


class PostResult(Enum):
    POSTED = "posted"
    NO_SUCH_RUN = "no such run"
    ENDED = "the run has ended"
    SETTLED = "the promise is settled"
    UID_TAKEN = "another message has the id"
    CLOSED = "the question is closed"


class SignalledRun(NamedTuple):
    """The run that got a signal, or refused it."""

    key: RunKey
    workflow: str
    result: PostAnswer | None
    """None if it is a run of another workflow: it was not sent the signal."""


class UpdateAnswer(NamedTuple):
    run: RunKey
    uid: str
    answer: bytes | None
    """None: there is none yet; and there will be none, if the run has ended. `core.updates` reads it."""
    has_ended: bool
    """Whether the run has ended."""


class NotAskedFor(NamedTuple):
    """An answer to what the run does not ask for was not posted."""

    open: tuple[str, ...]
    """The names of some questions that are open."""
    has_begun: bool
    """Whether the run has taken a step."""


class NotAllowedToAnswer(NamedTuple):
    """An answer of somebody who may not answer was not posted."""

    name: str
    """Of the question."""
    by: tuple[str, ...]
    """Who may."""


class UnfitAnswer(NamedTuple):
    """An answer that does not fit the schema of its question was not posted."""

    name: str
    """Of the question."""
    why: str


PostAnswer: TypeAlias = PostResult | NotAskedFor | NotAllowedToAnswer | UnfitAnswer


class QuestionFilter(NamedTuple):
    run: RunKey | None = None
    workflow: str | None = None
    by: str | None = None
    """Only questions that this person may answer."""
    after: tuple[Instant, RunKey, int] | None = None
    """Only questions after this one: when it was asked, its run and its number."""
    limit: int = 100


class Act(NamedTuple):
    """What an operator wants to be done to a run."""

    run: RunKey
    kind: MessageKind
    """TERMINATE, PAUSE or TRY_NOW."""
    text: str = ""
    """The reason, or a note."""
    by: str = ""
    task: str = ""
    """For TRY_NOW: the name or the number of the task. Empty: every task in a backoff."""


class ActResult(Enum):
    DONE = "done"
    """No node has the run, and the store has done it."""
    POSTED = "posted"
    """The node that has the run does it next."""
    NO_SUCH_RUN = "no such run"
    REFUSED = "refused"
    """The run is in a state in which it cannot be done: it has ended, is paused or is parked."""


class Reopening(NamedTuple):
    """All changes that reopen an ended run."""

    run: RunKey
    epoch: int
    """What the caller saw; if the run has moved since, nothing is changed."""
    step: NewStep
    tasks: Sequence[int]
    """Tasks to be tried again. Their outcome is dropped, and they become pending."""
    messages: Sequence[MessageId]
    """Messages to be read again."""
    now: Instant
    overtaken: Sequence[MessageId] = ()
    """Messages to be marked as read: what was to cancel or pause the ended run must not do so to the reopened
    run."""
    waiting: WaitReason | None = None
    """Set if the run must not go on yet. Its parent wakes it later."""
    by: str | None = None
    """Who asked for it. None for the children of that run."""
    options: bytes | None = None
    """Its new `RunOptions` as JSON. None: they stay as they are."""
    questions: Sequence[int] = ()
    """Questions that are open again, unless they have been answered."""


class ParkedRunCancellation(NamedTuple):
    """All changes that cancel a parked run, except the message to its parent, which the store adds."""

    run: RunKey
    epoch: int
    """What the caller saw; if the run has moved since, nothing is changed."""
    failure: bytes
    """The reason: a Failure as JSON."""
    messages: Sequence[NewMessage]
    """Messages to the children that end with the run."""
    now: Instant


class Stranded(NamedTuple):
    run: RunKey
    id: str | None
    workflow: str
    status: RunStatus
    problem: str


class RunFilter(NamedTuple):
    """Which runs to list. All conditions that are given must hold."""

    statuses: tuple[RunStatus, ...] | None = None
    """One of these."""
    workflow: str | None = None
    before: RunKey | None = None
    """Only runs created before this one: `next` of the previous page."""
    limit: int = 100
    tags: tuple[str, ...] = ()
    """All of these."""
    fingerprint: str | None = None
    """Of the failure."""
    since: RunKey | None = None
    """Only this run and those created after it."""
    version: str | None = None
    schedule: str | None = None
    parent: RunKey | None = None
    ended_since: Instant | None = None
    ended_before: Instant | None = None
    error_type: str | None = None
    """The class of the failure or of one of its causes, with its module or without."""
    id_text: str | None = None
    """The id contains it, in capital letters or small ones. So for `error_text`."""
    error_text: str | None = None
    """The message of the failure or of one of its causes contains it."""
    took_over: dt.timedelta | None = None
    """It has ended, and took so long or longer from its beginning to its end."""
    took_under: dt.timedelta | None = None
    """It has ended, and took less than that."""

    @property
    def is_of_ranges(self) -> bool:
        """Whether its runs are whole ranges of indexes: those of some states, of a workflow, of a time."""
        return self == RunFilter(self.statuses, self.workflow, self.before, self.limit, since=self.since)


class ListedRuns(NamedTuple):
    """A page of a list."""

    runs: list[RunRecord]
    next: RunKey | None
    """Up to which run was looked: the next page has runs before it. None: there are no more."""


class GroupedRuns(NamedTuple):
    counts: dict[tuple[RunStatus, str], int]
    """By state and workflow."""
    next: RunKey | None
    """As in `ListedRuns`."""


MOST_COUNTED: Final = 1_000_000


MOST_OF_A_CAUSE: Final = 100_000
"""Runs that failed for the same cause are counted so far."""


class FailureGroup(NamedTuple):
    """Runs that failed for the same cause."""

    fingerprint: str
    runs: int
    """How many, up to `MOST_OF_A_CAUSE`."""
    first: RunKey
    last: RunKey
    """The oldest and the newest of them."""


class RunPage(NamedTuple):
    """Which runs to list, newest first. A condition that is None is not applied."""

    statuses: Sequence[RunStatus] | None = None
    workflow: str | None = None
    version: str | None = None
    is_queued: bool | None = None
    """Whether a task of the run is in the queue: it waits for a worker, or a worker has taken it."""
    is_cancelling: bool | None = None
    """Whether the run has a cancellation that it has not read yet."""
    limit: int = 10
    offset: int = 0


class RunOverview(NamedTuple):
    """A run with the other facts that a list shows."""

    run: RunRecord
    state: dict[str, Payload]
    is_queued: bool
    is_cancelling: bool


HISTORY_BYTES: Final = 8 * 1024 * 1024


class ShortHistories(NamedTuple):
    loaded: list[History]
    """Without inputs of settled tasks: `History.outcomes` has how they ended. Without unread messages, except
    those about children: they come as mail."""
    left: list[RunKey]
    """Not read, because the others have filled the number of rows or bytes."""
    long: list[History]
    """With more rows than were allowed. They have to be read in pages: here is only the run, and where its
    chapter begins."""


class HistoryPlace(NamedTuple):
    """How far a history has been read."""

    step: int = 0
    """The first step that has not been read. `task` is the same for settled tasks."""
    task: int = 0
    message: MessageId = 0
    """The last message that has been read."""
    chapter: ChapterStart = FIRST_CHAPTER
    """What lies before it is left out."""


def beginning_of(chapter: ChapterStart) -> HistoryPlace:
    return HistoryPlace(chapter.first_position, chapter.first_task, 0, chapter)


class HistoryPage(msgspec.Struct):
    """A part of a history, as far as it is needed for replay: without inputs of settled tasks, and without
    unread messages except those about children."""

    steps: list[bytes] = []
    outcomes: dict[int, Outcome] = {}
    messages: list[MessageRecord] = []
    tasks: list[TaskRecord] = []
    """Tasks that are not settled, and `children`: all of them, on the last page."""
    children: list[ChildRecord] = []
    next: HistoryPlace = HistoryPlace()
    """Where the next page begins."""
    is_last: bool = False
    damage: str | None = None
    """What could not be read of it, if anything."""


class HistoryStore(Protocol):
    """The reads that an engine and a client share."""

    async def load_histories(self, namespace: str, runs: Sequence[RunKey]) -> list[History]:
        """The histories of these runs, in the given order: of a run with several chapters, that of the last
        one. Runs that do not exist are left out."""
        ...

    async def load_short_histories(
        self, namespace: str, runs: Sequence[RunKey], rows: int, bytes: int = HISTORY_BYTES
    ) -> ShortHistories:
        """The histories of these runs for replay, with no more than `rows` rows in all, and no more than
        about `bytes` bytes, but at least one. Runs that do not exist are left out."""
        ...

    async def load_history_page(
        self, namespace: str, run: RunKey, place: HistoryPlace, rows: int
    ) -> HistoryPage:
        """The next part of the history of a run that the caller owns: up to `rows` steps, settled tasks and
        messages each. A message that is posted meanwhile may be missing; it comes with the mail."""
        ...

    async def list_tasks(
        self, namespace: str, run: RunKey, since: int = 0, limit: int | None = None
    ) -> list[TaskRecord]:
        """The tasks of the run with all fields, from number `since` on."""
        ...

    async def count_questions(self, namespace: str, most: int) -> dict[str, int]:
        """Of the oldest open questions, as many as `most`: how many each workflow has asked."""
        ...

    async def list_closed_questions(self, namespace: str, limit: int) -> list[ClosedQuestion]:
        """The questions that were answered or given up last, the newest first."""
        ...

    async def read_state(self, namespace: str, run: RunKey) -> dict[str, Payload]: ...

    async def ended_runs(self, namespace: str, runs: Sequence[RunKey]) -> list[RunRecord]:
        """The runs among these that have ended."""
        ...


class RunStore(HistoryStore, Protocol):
    async def create_runs(self, namespace: str, runs: Sequence[RunRecord]) -> dict[RunKey, RunKey]:
        """Add runs for any node to claim. Returns runs whose id was taken, each with the run that has it."""
        ...

    async def restart_runs(
        self, namespace: str, runs: Sequence[RunRecord], replaces: bool, by: str, now: Instant
    ) -> dict[RunKey, RunKey]:
        """Add runs for any node to claim, and give them their ids, which are all different. A run that has
        ended loses its id. A run that has not ended keeps it; if `replaces`, it is terminated first, even if
        a node has it. Returns the runs that were not added, each with the run that kept the id.

        A run that has lost its id is found by its key. Its options say which id it had, and those of the new
        run which run that was.
        """
        ...

    async def post_messages(
        self, namespace: str, messages: Sequence[NewMessage], now: Instant
    ) -> list[PostAnswer]:
        """Put messages into inboxes and wake the runs. Returns one result for each message.

        If the run has a message with the same `uid`, nothing is written, and the result is POSTED, even if
        the run has ended since: the message was sent before. If that message says something else, it is
        UID_TAKEN.

        An answer gets the number of the oldest open question of its name and closes it, so that no other
        answer is given to that question, nor this one to another.
        """
        ...

    async def list_questions(self, namespace: str, which: QuestionFilter) -> list[QuestionRecord]:
        """Open questions of runs, the oldest first."""
        ...

    async def signal_or_start(
        self, namespace: str, run: RunRecord, message: NewMessage, now: Instant
    ) -> SignalledRun:
        """Send the message to the run that has the id of `run`; if there is none, add `run`, with the message
        in its inbox. All in one transaction. The call may be repeated if its answer was lost."""
        ...

    async def find_answers(self, namespace: str, updates: Sequence[tuple[RunKey, str]]) -> list[UpdateAnswer]:
        """The answers to messages, given by run and uid, in any order. Those that are gone are left out."""
        ...

    async def find_run(self, namespace: str, id: str | RunKey) -> RunRecord | None:
        """The run with that key, or with that text as its user-given id or else as its key."""
        ...

    async def find_runs(self, namespace: str, runs: Collection[RunKey]) -> list[RunRecord]:
        """Those of these runs that exist, in any order."""
        ...

    async def find_keys(self, namespace: str, ids: Sequence[str]) -> dict[str, RunKey]:
        """The keys of runs, by their user-given ids or, as text, by their keys. A text that can be neither is
        left out. A run of a key that is given as text may not exist."""
        ...

    async def list_runs(self, namespace: str, which: RunFilter) -> list[RunRecord]:
        """Newest first. Reads page after page until it has `limit` runs."""
        ...

    async def page_runs(self, namespace: str, which: RunFilter, payloads: bool = True) -> ListedRuns:
        """Some runs, newest first. Looks at no more than 10,000 runs and reads no more than about 8 MB. So it
        may have fewer than `limit` runs, or none, although there are more.

        Without `payloads` the input and the output of each run are None."""
        ...

    async def count_listed(self, namespace: str, which: RunFilter, most: int = MOST_COUNTED) -> int:
        """How many runs `list_runs` would list without a limit. Stops at `most`."""
        ...

    async def group_listed(self, namespace: str, which: RunFilter) -> GroupedRuns:
        """How many runs a page of `which.limit` has of each state and workflow. Looks at no more than 10,000
        runs, as `page_runs` does."""
        ...

    async def group_failures(self, namespace: str, since: RunKey, limit: int) -> list[FailureGroup]:
        """Failed runs from `since` on, by the fingerprints of their failures, the most frequent first."""
        ...

    async def list_chapters(self, namespace: str, run: RunKey, since: int, limit: int) -> list[ChapterRecord]:
        """The chapters of the run, from number `since` on. A run that has never gone on as a new chapter has
        one, number 0."""
        ...

    async def list_attempts(
        self, namespace: str, run: RunKey, of: Sequence[int] | None = None
    ) -> list[AttemptRecord]:
        """The attempts at the tasks with the numbers `of`, or for None at all tasks."""
        ...

    async def list_task_summaries(
        self,
        namespace: str,
        run: RunKey,
        since: int,
        limit: int,
        name: str | None = None,
        statuses: Collection[TaskStatus] | None = None,
    ) -> list[TaskSummary]:
        """Summaries of the run's tasks, from number `since` on. With `name` and `statuses`, only of tasks of
        that name, and that are in one of these states."""
        ...

    async def read_logs(
        self, namespace: str, run: RunKey, after: int, task: str | None, limit: int
    ) -> list[LogRecord]:
        """The logs of the run's code and its tasks, or only of the tasks named `task`, in the order in which
        they were written. The first log is the one after the number `after`."""
        ...

    async def read_stream(
        self, namespace: str, run: RunKey, name: str, since: int, rows: int, bytes: int
    ) -> StreamPage:
        """The items of a stream from offset `since` on, in order, with no more than `rows` rows and about
        `bytes` bytes, but at least one row. The first row may begin before `since`. If it begins after it,
        the items in between were dropped."""
        ...

    async def list_streams(self, namespace: str, run: RunKey) -> list[StreamSummary]:
        """The streams of the run, by name."""
        ...

    async def reopen_runs(self, namespace: str, family: Sequence[Reopening]) -> bool:
        """Reopen ended runs, all or none. False if one of them has changed since it was read."""
        ...

    async def unpark_runs(
        self, namespace: str, runs: Sequence[RunKey], now: Instant, by: str = "", moves_timers: bool = False
    ) -> list[RunKey]:
        """Make parked or paused runs due again. A paused run that is to start later is due then. Returns the
        runs that were parked or paused.

        With `moves_timers`, only paused ones: what they wait for in time, timers and backoffs, is due later
        by as long as they were paused.
        """
        ...

    async def act_on_runs(self, namespace: str, acts: Sequence[Act], now: Instant) -> list[ActResult]:
        """Terminate runs, pause them, or end backoffs: at once if no node has the run, else by a message to
        its node. Returns one result for each act.

        A terminated run is cancelled, with its open tasks; its parent and its attached children are told.
        """
        ...

    async def list_messages(
        self, namespace: str, run: RunKey, after: MessageId, limit: int, acts_only: bool = False
    ) -> list[PostedMessage]:
        """The messages that the run got, in order, from the first one after `after` on. With `acts_only`
        without signals, updates, and news of children and tasks."""
        ...

    async def cancel_parked_run(self, namespace: str, cancellation: ParkedRunCancellation) -> bool:
        """Cancel a parked run, which cannot cancel itself, and its open tasks. False if the run is not
        parked, or has changed since it was read."""
        ...

    async def stranded_runs(
        self, namespace: str, now: Instant, progress: Callable[[int], None] | None = None
    ) -> list[Stranded]:
        """Open runs that nothing will wake, or that have long been due without a node to take them. There
        should be none, and 1,000 at most are returned. Looks at all open runs, page by page; `progress` is
        called with their number so far."""
        ...

    async def list_run_overviews(self, namespace: str, page: RunPage) -> list[RunOverview]: ...

    async def count_runs(self, namespace: str, page: RunPage, most: int) -> int:
        """The number of all matching runs, without limit and offset; `most` if there are more."""
        ...

    async def find_run_overview(self, namespace: str, run: RunKey) -> RunOverview | None: ...
