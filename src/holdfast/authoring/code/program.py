"""The program of a code workflow. It restores a run by replaying its coroutine.

Replay feeds the events of each step at the instant of that step. The code has to ask again for exactly what
it asked for then; `Requests` compares each request with the journal.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any, cast

import msgspec

from holdfast.authoring.code.answering import Answering
from holdfast.authoring.code.chapter_end import ChapterEnd
from holdfast.authoring.code.handles import Handle, forget_error, is_unheard, place_if_dropped, settle
from holdfast.authoring.code.loop import CALLBACKS_ALLOWED, WorkflowLoop
from holdfast.authoring.code.open_questions import OpenQuestions
from holdfast.authoring.code.places import line_of, raising_line, waiting_line
from holdfast.authoring.code.recorded_requests import RecordedRequests
from holdfast.authoring.code.requests import DefinitionResolver
from holdfast.authoring.code.run_log import RunLog
from holdfast.core.codec import Codec
from holdfast.core.commands import (
    AskQuestion,
    CancelRun,
    CloseQuestion,
    Command,
    CompleteRun,
    ContinueRun,
    EndRun,
    FailRun,
    ResumeChild,
    ScheduleTask,
    SetState,
    StartChild,
)
from holdfast.core.events import (
    CancelRequested,
    ChildEnded,
    DeadlinePassed,
    Event,
    PromiseAnswered,
    Reopened,
    SignalReceived,
    TaskEnded,
    TimerFired,
    UpdateReceived,
)
from holdfast.core.failures import capture, deadline_failure
from holdfast.core.history import Past, Step
from holdfast.core.journal import entry_of
from holdfast.core.log_lines import LimitedLog, OutputLine
from holdfast.core.pieces import Pieces
from holdfast.core.questions import read_chapter, write_chapter
from holdfast.core.records import ChapterStart, RunRecord
from holdfast.core.stream_items import UnwrittenItems, encode_items
from holdfast.core.values import Failure, Instant, Payload
from holdfast.core.waiting import WaitKind, WaitReason, wait_for_children
from holdfast.errors import ChapterRefused, Deadlock

_log = logging.getLogger("holdfast.workflow")


_decode_state = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode_state = msgspec.json.Encoder().encode


class CodeProgram(Answering):
    __slots__ = (
        "_ending",
        "_has_ended",
        "_unheard",
        "cancel_requested",
        "history_size",
        "log",
        "published",
    )

    def __init__(
        self,
        run: RunRecord,
        codec: Codec,
        main: Callable[[CodeProgram], Coroutine[Any, Any, Payload]],
        resolver: DefinitionResolver,
    ) -> None:
        super().__init__(run, codec, resolver)
        self.log: LimitedLog | None = None
        self.published: UnwrittenItems | None = None
        self.cancel_requested = False
        self.history_size = 0
        """How many steps of this chapter have been recorded."""
        self._ending: CancelRun | FailRun | None = None
        """How the run ends after it was cancelled or its deadline has passed."""
        self._has_ended = False
        self._unheard: list[Handle[Any]] | None = None
        """Tasks and children that failed while nobody waited for them. The code may yet look at the error."""
        self._loop = WorkflowLoop(self, run.key)
        self._main = asyncio.Task(main(self), loop=self._loop, name=run.workflow)

    # --- the protocol

    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        self.at = at
        self._new_timers = None
        self._loop.feed(events, self._hear, SignalReceived, CALLBACKS_ALLOWED)
        if self._main.done():
            self._end()
        elif not (self._handles or self._waits_beyond_tasks):
            raise Deadlock()
        if self._inbox is not None and self._inbox.questions.misfits:
            self._tell_of_misfits(self._inbox.questions)
        commands: list[Any] = self._commands
        self._commands = []
        if events or commands or not self.history_size:
            self.history_size += 1
        self._warn_of_dropped(commands)
        if not self._next_timer:
            return commands
        return [command for command in commands if command is not None]

    def _tell_of_misfits(self, questions: OpenQuestions) -> None:
        """Say in the log of the run that an answer was not taken which came ahead of its question."""
        for answer, why in questions.misfits:
            self.print("stderr", f"an answer to {answer.name!r} was not taken: {why}\n")
        questions.misfits.clear()

    def _warn_of_dropped(self, commands: Sequence[Command | None]) -> None:
        """Name tasks and children that this step asked for and whose handle nobody has any more: nobody can
        await them."""
        dropped: dict[str, str] = {}
        for command in commands:
            if isinstance(command, ScheduleTask):
                place, name = place_if_dropped(self._handles, command.seq), command.name
            elif isinstance(command, StartChild) and not command.detached:
                place, name = place_if_dropped(self._children or {}, command.seq), command.id
            else:
                continue
            if place is not None:
                dropped[line_of(place)] = f"{_kind_of(command)} {name!r}"
        for line, what in dropped.items():
            _log.warning(_DROPPED, self.run_id, what, line)

    @property
    def _waits_beyond_tasks(self) -> bool:
        """Whether the run waits for a timer, a child or a message. A handler of an update may set anything
        that the code waits for."""
        has_waits = self._inbox is not None and self._inbox.waits
        return bool(self._open_timers or self._children or has_waits or self._updates)

    def waits(self) -> list[WaitReason]:
        messages = [] if self._inbox is None else list(self._inbox.waits)
        children = () if self._children is None else self._children.values()
        reasons = wait_for_children(child.id for child in children) + messages
        if self._updates and (self._conditions or not (reasons or self._handles or self._open_timers)):
            reasons += [WaitReason(WaitKind.UPDATE, name) for name in sorted(self._updates)]
        return reasons

    def dispose(self) -> None:
        """Also breaks the reference cycle of program, loop and coroutine, so that reference counting frees
        them at once. At ten thousand runs a second the garbage collector would be busy with them."""
        if not self._is_disposed:
            self._is_disposed = True
            self._loop.dispose(self._main)
            self._loop.host = None  # pyright: ignore[reportAttributeAccessIssue]
            self._main = None  # pyright: ignore[reportAttributeAccessIssue]
            self._handles.clear()
            for handle in self._unheard or ():
                forget_error(handle)
            self._unheard = None

    def begin_chapter(self, chapter: ChapterStart) -> None:
        self._next_task, self._next_timer = chapter.first_task, chapter.first_timer
        self._next_child = chapter.first_child
        if chapter.questions is not None:
            self.inbox.questions.begin_chapter(read_chapter(chapter.questions))
        if chapter.state is not None:
            self.state = {key: Payload(bytes(value)) for key, value in _decode_state(chapter.state).items()}

    # --- replay

    def replay(self, past: Past, pause_after: int) -> Pieces[None]:
        replay = self._replay(past, pause_after)
        while True:
            with self._loop.running():
                next(replay, None)
            if self._recorded is None:
                return
            yield

    def _replay(self, past: Past, pause_after: int) -> Iterator[None]:
        """Yields after so many steps, and also within a long one. The caller makes the loop the running
        one."""
        recorded = self._recorded = RecordedRequests(past)
        first = self._replay_from_reopening(past.steps, recorded)
        was_reopened = False
        for number in range(first, len(past.steps)):
            step = past.steps[number]
            past.steps[number] = _REPLAYED  # to free a hundred thousand steps at the end would take long
            recorded.begin_step(number, step)
            self.history_size = number
            events, is_reopening = step.events, _is_reopening(step)
            if was_reopened and not is_reopening:
                self._write_state()
                was_reopened = False
            if len(events) <= _LONGEST_PIECE:
                self._replay_events(step.at, events)
            else:
                for piece in _in_pieces(events):
                    self._replay_events(step.at, piece)
                    yield
            if self._main.done():
                self._end()
            if not recorded.is_step_done:
                self._check_step_end()
            if is_reopening:
                recorded.note_reopening()
                was_reopened = True
            if number % pause_after == pause_after - 1:
                yield
        self._recorded = None
        self.history_size = len(past.steps)
        if self._inbox is not None:
            self._inbox.questions.misfits.clear()  # they were told when they came
        if was_reopened:
            self._write_state()
            # Children that were reopened with this run may be held back until it asks for them.
            for seq, child in past.children.items():
                if child is not None and not child.status.is_final:
                    self._ask(ResumeChild(seq))

    def _replay_events(self, at: Instant, events: Sequence[Event]) -> None:
        self.at = at
        self._new_timers = None
        if len(events) == 1 and type(ended := events[0]) is TaskEnded:
            # The quick way, which nearly every step takes.
            self._end_task(ended)
            self._loop.drain(CALLBACKS_ALLOWED)
        else:
            self._loop.feed_inside(events, self._hear, SignalReceived, CALLBACKS_ALLOWED)
        if self._determinism_error is not None:
            raise self._determinism_error

    def _replay_from_reopening(self, steps: Sequence[Step], recorded: RecordedRequests) -> int:
        """A retry that went back to the very beginning leaves a journal that begins with a reopening; several
        retries leave several. The code starts at the first one. What it asks for there is recorded with the
        first step that is no reopening; without such a step, the code asks for it now.

        Returns the number of steps that are replayed by this."""
        count = 0
        while count < len(steps) and _is_reopening(steps[count]):
            count += 1
        if not count:
            return 0
        recorded.note_reopening()
        if count == len(steps):
            self._recorded = None
            self._write_state()  # with which this chapter began
            carried, self._commands = self._commands, []
            asked = [command for step in steps for command in self.advance(step.at, step.events)]
            self._commands = [*carried, *asked]
            return count
        recorded.begin_step(count, steps[count])
        self._write_state()
        for number, step in enumerate(steps[: count + 1]):
            self.history_size = number
            self._replay_events(step.at, step.events)
            if self._main.done():
                self._end()
        self._check_step_end()
        return count + 1

    def _check_step_end(self) -> None:
        """Raises DeterminismError if a request of the step is recorded that the code has not made, or if the
        code has started a timer that is not recorded."""
        assert self._recorded is not None
        loose = self._recorded.unrecorded_timer()
        if loose is not None or self._recorded.unmade() is not None:
            raise self._mismatch(loose, waiting_line(self._main.get_coro()))

    def _write_state(self) -> None:
        """After a reopening: the store has dropped the state of the steps that were struck out."""
        for key, value in (self.state or {}).items():
            self._ask(SetState(key, value))

    # --- events

    def _hear(self, event: Event) -> None:
        match event:
            case TaskEnded():
                self._end_task(event)
            case TimerFired():
                if self._loop.fire(event.seq):
                    self._open_timers -= 1
            case ChildEnded():
                child = self._children.pop(event.seq, None) if self._children else None
                if child is not None and settle(child, event.outcome, self._child_error):
                    self._note_unheard(child)
            case _ if isinstance(event, _MESSAGES) and self._main.done():
                self.inbox.late.append(event.message)  # if there is a next chapter, it hears this
            case SignalReceived():
                self.inbox.queue(event.name).put_nowait(event)
            case PromiseAnswered():
                question = self.inbox.ask_anew(event)
                answered = self.inbox.settle(event) if question is None else None
                if question is not None:
                    self._ask(AskQuestion(question.seq, question.name, question.details))
                elif answered is not None:
                    self._ask(CloseQuestion(answered, event.message))
            case UpdateReceived():
                self._receive_update(event)
            case CancelRequested():
                self._request_cancel(CancelRun(event.reason), event.reason)
            case DeadlinePassed():
                self._request_cancel(FailRun(deadline_failure(event.deadline)), "its deadline has passed")
            case Reopened():
                self._next_task = max(self._next_task, event.tasks)
                self._next_timer = max(self._next_timer, event.timers)
                self._next_child = max(self._next_child, event.children)
                if event.questions:
                    self.inbox.questions.next = max(self.inbox.questions.next, event.questions)

    # --- ends

    def _end_task(self, event: TaskEnded) -> None:
        handle = self._handles.pop(event.seq, None)
        # None if the code has cancelled it
        if handle is not None and settle(handle, event.outcome, self._task_error):
            self._note_unheard(handle)

    def _note_unheard(self, handle: Handle[Any]) -> None:
        """It has failed, and nobody waits for it. If that stays so, the run fails in the end."""
        unheard = self._unheard
        if unheard is None:
            unheard = self._unheard = []
        unheard.append(handle)
        if len(unheard) >= _MOST_UNHEARD and len(unheard).bit_count() == 1:
            # Now and then, when their number has doubled, drop those that were looked at meanwhile.
            self._unheard = list(filter(is_unheard, unheard))

    def _request_cancel(self, ending: CancelRun | FailRun, reason: str) -> None:
        # A second request must not interrupt the clean-up that the first one began.
        if not self.cancel_requested:
            self.cancel_requested = True
            self._ending = ending
            self._main.cancel(reason or None)

    def _end(self) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        command, error = self._ending_command()
        if self._inbox is not None and not isinstance(command, ContinueRun):
            for seq in self._inbox.questions.close_all():
                self._ask(CloseQuestion(seq))
        self._ask_for_end(command, error)

    def _ending_command(self) -> tuple[EndRun | ContinueRun, BaseException | None]:
        """How the run or its chapter ends, and with which error its code has ended."""
        if self._main.cancelled():
            if self._ending is not None:
                return self._ending, None
            error = asyncio.CancelledError("it awaited something that it had cancelled itself")
            return FailRun(capture(error)), error
        error = self._main.exception()
        chapter = _chapter_end_in(error)
        if isinstance(self._ending, FailRun):
            # Whatever it did since: it is a failure not to end in time.
            cause = None if error is None else capture(error, task=getattr(error, "task_id", None))
            return FailRun(msgspec.structs.replace(self._ending.failure, cause=cause)), error
        if error is not None and chapter is None:
            return FailRun(capture(error, task=getattr(error, "task_id", None))), error
        if unheard := list(filter(is_unheard, self._unheard or ())):
            return FailRun(self._failure_of_unheard(unheard[0])), None
        if chapter is not None:
            return self._next_chapter(chapter.input), error
        if self.asked_for_chapter:
            return FailRun(capture(ChapterRefused("returned a value"))), None
        return CompleteRun(self._main.result()), None

    def note_chapter_end(self, error: BaseException) -> None:
        """Called when the code has ended. If the run goes on as a new chapter, code that ran beside it runs
        no further: it could take messages that the next chapter would miss."""
        if _chapter_end_in(error) is not None:
            self._loop.end_code()
            if self._inbox is not None:
                self._inbox.late.extend(self._inbox.unread())

    def _next_chapter(self, input: Payload) -> ContinueRun:
        for seq in () if self._inbox is None else self._inbox.cancelled_questions():
            self.close_question(seq)
        state = {key: msgspec.Raw(value) for key, value in (self.state or {}).items()}
        return ContinueRun(
            self.run.chapter + 1,
            input,
            self._next_task,
            self._next_timer,
            self._next_child,
            _encode_state(state) if state else None,
            tuple(sorted(set(self._inbox.late))) if self._inbox is not None else (),
            None if self._inbox is None else write_chapter(self._inbox.questions_of_next_chapter()),
        )

    def _failure_of_unheard(self, handle: Handle[Any]) -> Failure:
        """Nobody has awaited a task or a child that failed. Its failure is the run's, and says so."""
        error = handle.exception()
        assert error is not None
        failure = capture(error, task=getattr(error, "task_id", None))
        words = f"The run fails, too: it called this in {line_of(handle.place)} and did not await it."
        return msgspec.structs.replace(failure, traceback=f"{failure.traceback.rstrip()}\n\n{words}\n")

    def _ask_for_end(self, command: EndRun | ContinueRun, error: BaseException | None = None) -> None:
        if self._recorded is None:
            self._ask(command)
            return
        end = entry_of(command)
        if not self._recorded.take(end):
            raise self._mismatch(end, raising_line(error), error=error)

    # --- the log of the run (LineSink)

    secrets = None

    @property
    def origin(self) -> dict[str, str | int]:
        return {"run": self.run_id}

    def add_lines(self, lines: Sequence[OutputLine]) -> None:
        # `context().logger` names the run for the handlers of `logging`. Here it would be on every line.
        name = f"[{self.run_id}] "
        self._run_log.add([OutputLine(self.at, it.stream, it.text.removeprefix(name)) for it in lines])

    def print(self, stream: str, text: str) -> None:
        self._run_log.print(stream, text)

    @property
    def _run_log(self) -> RunLog:
        if not isinstance(self.log, RunLog):
            self.log = RunLog(self.resolver.log_limit, self.at)
        return self.log

    def publish(self, stream: str, items: Iterable[object]) -> None:
        """Replay encodes the items too: if one cannot be stored, the code gets the same error."""
        encoded = encode_items(self.codec, stream, self.at, items)
        if self.is_live and encoded:
            if self.published is None:
                self.published = UnwrittenItems()
            self.published.add(stream, encoded)

    def report_unhandled(self, context: dict[str, Any]) -> None:
        if self._recorded is None:
            error = context.get("exception")
            _log.warning("run %s: %s", self.run_id, context.get("message"), exc_info=error)


def _kind_of(command: ScheduleTask | StartChild) -> str:
    if isinstance(command, StartChild):
        return "child"
    return "step" if command.options.is_step else "task"


def _is_reopening(step: Step) -> bool:
    for event in step.events:  # noqa: SIM110  # any() with a generator would double the cost of replay
        if type(event) is Reopened:
            return True
    return False


_DROPPED = (
    "run %s: nobody awaits %s, which was called in %s: if the run ends first, it is cancelled. Put `await` "
    "before the call, or keep what it returns and await that later"
)


def _chapter_end_in(error: BaseException | None) -> ChapterEnd | None:
    """The exception of `continue_as`, if the code has ended with it. A TaskGroup puts it into a group."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        found = [_chapter_end_in(each) for each in group.exceptions]
        return None if None in found else found[0]
    return error if isinstance(error, ChapterEnd) else None


_MESSAGES = (SignalReceived, PromiseAnswered, UpdateReceived, CancelRequested)
_MOST_UNHEARD = 64
_LONGEST_PIECE = 50
_REPLAYED = Step(Instant(0), (), ())


def _in_pieces(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    """The events of a long step, in parts between which replay may pause. Consecutive signals are heard
    together, so they are not parted."""
    first = 0
    for index in range(1, len(events)):
        is_queue = type(events[index]) is type(events[index - 1]) is SignalReceived
        if index - first >= _LONGEST_PIECE and not is_queue:
            yield events[first:index]
            first = index
    yield events[first:]
