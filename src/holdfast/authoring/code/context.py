"""What workflow code can ask its run: `Context`.

Every answer is the same on replay. Workflow code gets the context from `context()`, or as the first parameter
of a workflow if that is annotated `Context`.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import random
import uuid
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from types import UnionType
from typing import Any, Generic, Literal, NoReturn, TypeVar, Unpack, overload

import msgspec

from holdfast.authoring.code.chapter_end import ChapterEnd
from holdfast.authoring.code.handles import ChildHandle, TaskHandle
from holdfast.authoring.code.loop import WorkflowLoop, get_running_loop
from holdfast.authoring.code.open_questions import OpenQuestion
from holdfast.authoring.code.places import caller
from holdfast.authoring.code.program import CodeProgram
from holdfast.authoring.code.signalling import SIGNAL_OPTIONS, HasRunId, checked_run_id, signal_body
from holdfast.authoring.code.steps import checked_step_name, effect_body, step_body
from holdfast.authoring.code.task_options import Options, merge
from holdfast.authoring.code.updates import Onlooker, make_handler
from holdfast.core.codec import digest_of
from holdfast.core.failures import revive
from holdfast.core.names import checked_name, checked_span
from holdfast.core.policies import STEP_OPTIONS
from holdfast.core.questions import checked_title, make_details, type_details
from holdfast.core.run_options import WithOptions, child_policy, target_and_options
from holdfast.core.stream_items import checked_stream
from holdfast.core.values import Cancelled, Failed, Outcome, Succeeded
from holdfast.core.waiting import WaitKind
from holdfast.errors import OutsideContext, TaskError
from holdfast.ports.executor import LineSink
from holdfast.ports.run_logger import RunLogger

T = TypeVar("T")
D = TypeVar("D")

_loggers = logging.getLogger("holdfast.workflow")


def current_program() -> CodeProgram | None:
    """The program whose code is running now, if any."""
    loop = get_running_loop()
    return loop.host if type(loop) is WorkflowLoop else None  # pyright: ignore[reportReturnType]


def current_log() -> LineSink | None:
    """The log of the run whose code is running now. None during replay, which would write every line
    again."""
    program = current_program()
    return program if program is not None and program.is_live else None


def context() -> Context:
    program = current_program()
    if program is None:
        raise OutsideContext("context() works only inside a workflow; in a task, use task_context()")
    return Context(program)


class Answer(msgspec.Struct, Generic[T], frozen=True):
    """An answer to a question, with who gave it."""

    value: T
    by: str
    """Empty if they did not say."""
    comment: str


class _View:
    __slots__ = ("_owner",)

    def __init__(self, program: CodeProgram) -> None:
        self._owner = program

    @property
    def _program(self) -> CodeProgram:
        """For what belongs to the workflow's code alone. A step or a thread that has kept the context would
        change the run unseen by replay. Raises OutsideContext."""
        current = current_program()
        if isinstance(current, Onlooker) and current.owner is self._owner:
            return current  # pyright: ignore[reportReturnType]  # it refuses what is not for looking
        if current is not self._owner:
            raise OutsideContext(
                "the context of a workflow works only in the workflow's own code, not in a step, a task or "
                "another thread: pass values into the step, and return a result from it"
            )
        return self._owner


class Context(_View):
    """A view of the run. It is cheap: the program has all the state."""

    __slots__ = ()

    # --- the run

    @property
    def run_id(self) -> str:
        return self._owner.run_id

    @property
    def namespace(self) -> str:
        return self._owner.run.namespace

    @property
    def workflow(self) -> str:
        return self._owner.run.workflow

    @property
    def version(self) -> str:
        return self._owner.run.version

    @property
    def input(self) -> Any:
        """The arguments of the run by name, as plain JSON values."""
        return self._owner.codec.decode(self._owner.run.input, Any, "the input of the run")

    @property
    def cancel_requested(self) -> bool:
        return self._owner.cancel_requested

    # --- chapters

    @property
    def chapter(self) -> int:
        """The number of this chapter. The first one is 1."""
        return self._owner.run.chapter + 1

    @property
    def history_size(self) -> int:
        """How many steps the history of this chapter has, without the one that the code is in. The longer it
        is, the longer it takes to load the run after a crash or a long wait."""
        return self._program.history_size

    def continue_as(self, *args: Any, **kwargs: Any) -> NoReturn:
        """End this chapter, and go on as a new one: from the start of the workflow, with these arguments and
        an empty history. For whoever has started the run, or awaits it, it is the same run.

        Its state, its unread signals and its promises stay. Tasks and attached children that have not ended
        are cancelled. It raises an exception that must leave the workflow; `finally` blocks run.
        Raises WrongType, CannotStore and PayloadTooLarge.
        """
        program = self._program
        input = program.resolver.pack_input(args, kwargs, program.codec)
        program.asked_for_chapter = True
        raise ChapterEnd(input)

    # --- time and random numbers

    def now(self) -> dt.datetime:
        """The instant of this step of the run, in UTC."""
        return self._program.now()

    @property
    def random(self) -> random.Random:
        """A random generator that gives the same numbers in every replay of this run."""
        return self._program.random

    def uuid4(self) -> uuid.UUID:
        return self._program.uuid4()

    @property
    def state(self) -> State:
        return State(self._program)

    # --- steps

    @overload
    def step(
        self, name: str, function: Callable[[], Awaitable[T]], /, **options: Unpack[Options]
    ) -> TaskHandle[T]: ...
    @overload
    def step(self, name: str, function: Callable[[], T], /, **options: Unpack[Options]) -> TaskHandle[T]: ...
    def step(self, name: str, function: Callable[[], Any], /, **options: Unpack[Options]) -> TaskHandle[Any]:
        """Run a function as a step of this run, and record its result. Replay returns the recorded result.

        The function is called without arguments, after the request is recorded: an async function on the
        node's event loop, a plain one on a thread. Options are those of a task. `task_context()` works in the
        function; the context of the workflow does not.
        """
        program = self._program
        name = checked_step_name(name)
        changed = merge(STEP_OPTIONS, options) if options else STEP_OPTIONS
        handle = program.step(name, step_body(name, function, program.codec), changed)
        handle.place = caller()
        return handle

    async def run(self, name: str, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """As `step`, for a function with arguments and without options. The result is plain JSON values,
        whatever the annotation says."""
        program = self._program
        name = checked_name("the name of a side effect", name)
        past = program.past_effect(name)
        if past is not None:
            return _value(past, program, Any, f"the result of {name!r}")
        body = effect_body(name, function, args, kwargs, program.codec)
        handle = program.step(name, body, STEP_OPTIONS)
        handle.place = caller()
        return await handle

    # --- messages

    @overload
    def promise(
        self, name: str, /, *, timeout: dt.timedelta | None = None, same: bool = False
    ) -> asyncio.Task[Any]: ...
    @overload
    def promise(
        self, name: str, type: type[T], /, *, timeout: dt.timedelta | None = None, same: bool = False
    ) -> asyncio.Task[T]: ...
    @overload
    def promise(
        self, name: str, type: UnionType, /, *, timeout: dt.timedelta | None = None, same: bool = False
    ) -> asyncio.Task[Any]: ...
    def promise(
        self, name: str, type: Any = Any, /, *, timeout: dt.timedelta | None = None, same: bool = False
    ) -> asyncio.Task[Any]:
        """A value that is given from outside, once, with `hf.resolve(run, name, value)`, which refuses a
        value of another type.

        Raises TimeoutError after `timeout`, and the error given to `hf.reject` if it is rejected. To ask for
        a name again is a new question, with an answer of its own. With `same=True` it is the same one for all
        who ask for the name with `same=True`, and keeps its value.
        """
        name, program = checked_name("the name of a promise", name), self._program
        if same or program.knows_promises_by_name:
            program.ask_by_name(name)
            return program.spawn(self._promise(name, type, timeout), f"promise {name!r}")
        return self._await_answer(program.ask(name, type_details(type)), type, timeout, has_details=False)

    async def _promise(self, name: str, type: Any, timeout: dt.timedelta | None) -> Any:
        async with asyncio.timeout(_seconds(timeout)):
            answer = await self._program.inbox.answer_of(name)
        return _value(answer.outcome, self._program, type, f"promise {name!r}")

    # --- questions

    @overload
    def ask(
        self,
        title: str,
        /,
        *,
        facts: Any = None,
        answer: type[T],
        by: Iterable[str] | str | None = None,
        timeout: dt.timedelta | None = None,
        name: str | None = None,
        details: Literal[False] = False,
    ) -> asyncio.Task[T]: ...
    @overload
    def ask(
        self,
        title: str,
        /,
        *,
        facts: Any = None,
        answer: type[T],
        by: Iterable[str] | str | None = None,
        timeout: dt.timedelta | None = None,
        name: str | None = None,
        details: Literal[True],
    ) -> asyncio.Task[Answer[T]]: ...
    @overload
    def ask(
        self,
        title: str,
        /,
        *,
        facts: Any = None,
        answer: Any = Any,
        by: Iterable[str] | str | None = None,
        timeout: dt.timedelta | None = None,
        name: str | None = None,
        details: bool = False,
    ) -> asyncio.Task[Any]: ...
    def ask(
        self,
        title: str,
        /,
        *,
        facts: Any = None,
        answer: Any = Any,
        by: Iterable[str] | str | None = None,
        timeout: dt.timedelta | None = None,
        name: str | None = None,
        details: bool = False,
    ) -> asyncio.Task[Any]:
        """A question to a person. `hf.questions()` lists it, and `hf.resolve(run, name, value)` answers it.

        `facts` is what the person should know, `answer` the type of the answer, `by` who may answer. An
        answer of another type or by somebody else is refused before it is written. `name` is the title unless
        given. Raises TimeoutError after `timeout`; the question is closed then. With `details=True`, returns
        an `Answer`, which has the value, who answered, and the comment.
        """
        title, program = checked_title(title), self._program
        name = title if name is None else checked_name("the name of a question", name)
        packed = make_details(program.codec, f"question {name!r}", title, facts, answer, by)
        return self._await_answer(program.ask(name, packed), answer, timeout, has_details=details)

    def _await_answer(
        self, question: OpenQuestion, type: Any, timeout: dt.timedelta | None, *, has_details: bool
    ) -> asyncio.Task[Any]:
        program, what = self._program, f"promise {question.name!r}"
        task = program.spawn_reader(self._answer(question, type, timeout, what, has_details), what)
        program.inbox.asking[question.seq] = task
        # A callback, because a task that is cancelled before it began never gets to a `finally`.
        task.add_done_callback(lambda task: program.end_question(question, is_cancelled=task.cancelled()))
        return task

    async def _answer(
        self,
        question: OpenQuestion,
        type: Any,
        timeout: dt.timedelta | None,
        what: str,
        has_details: bool,
    ) -> Any:
        try:
            async with asyncio.timeout(_seconds(timeout)):
                answer = await self._program.inbox.answer_to(question)
        except TimeoutError:
            if not question.answer.done() or question.answer.cancelled():
                raise
            answer = self._program.inbox.take_answer(question)  # it came in the step in which the time was up
        value = _value(answer.outcome, self._program, type, what)
        return Answer(value, answer.by, answer.comment) if has_details else value

    @overload
    def signal(self, name: str, /, *, timeout: dt.timedelta | None = None) -> asyncio.Task[Any]: ...
    @overload
    def signal(
        self, name: str, type: type[T], /, *, timeout: dt.timedelta | None = None
    ) -> asyncio.Task[T]: ...
    @overload
    def signal(
        self, name: str, type: UnionType, /, *, timeout: dt.timedelta | None = None
    ) -> asyncio.Task[Any]: ...
    def signal(
        self, name: str, type: Any = Any, /, *, timeout: dt.timedelta | None = None
    ) -> asyncio.Task[Any]:
        """The next message sent with `hf.signal(run, name, value)`: first in, first out, each once.

        Raises TimeoutError after `timeout`. No message is lost by a timeout.
        """
        name = checked_name("the name of a signal", name)
        self._program.expect_message(WaitKind.SIGNAL, name)
        return self._program.spawn_reader(self._signal(name, type, timeout), f"signal {name!r}")

    async def _signal(self, name: str, type: Any, timeout: dt.timedelta | None) -> Any:
        async with asyncio.timeout(_seconds(timeout)):
            payload = await self._program.inbox.next_signal(name)
        return self._program.codec.decode(payload, type, f"signal {name!r}")

    def has_signal(self, name: str) -> bool:
        return self._program.inbox.has_signal(checked_name("the name of a signal", name))

    @overload
    def drain_signals(self, name: str) -> list[Any]: ...
    @overload
    def drain_signals(self, name: str, type: type[T]) -> list[T]: ...
    @overload
    def drain_signals(self, name: str, type: UnionType) -> list[Any]: ...
    def drain_signals(self, name: str, type: Any = Any) -> list[Any]:
        """All messages of that name that have arrived, without waiting."""
        name = checked_name("the name of a signal", name)
        self._program.expect_message(WaitKind.SIGNAL, name)
        payloads = self._program.inbox.drain_signals(name)
        return [self._program.codec.decode(payload, type, f"signal {name!r}") for payload in payloads]

    # --- updates

    def on_update(
        self, name: str, handler: Callable[..., Any], /, validator: Callable[..., Any] | None = None
    ) -> None:
        """Have a function answer the updates of that name, which clients send with `hf.update`.

        What the function returns or raises is the answer. An async function may await tasks, steps and
        timers. `validator` is called first, with the same arguments. If it raises, the update is refused, and
        nothing of it is recorded. It may only look at the run.

        Register handlers before the first `await`: an update without a handler is refused at once.
        """
        name = checked_name("the name of an update", name)
        self._program.add_handler(name, make_handler(name, handler, validator))

    async def wait_until(
        self, condition: Callable[[], object], *, timeout: dt.timedelta | None = None
    ) -> None:
        """Wait until the condition holds: a function that only looks. It is called now, and whenever
        something has happened to the run. Raises TimeoutError after `timeout`."""
        async with asyncio.timeout(_seconds(timeout)):
            await self._program.wait_until(condition)

    def signal_run(self, run: HasRunId | str, name: str, value: Any = None) -> TaskHandle[None]:
        """Send a signal to another run, given by its id or as a child: `await context().signal_run(…)`.

        It is a step of this run, and is sent once, also across crashes. Raises RunNotFound or RunEnded if the
        run does not take it.
        """
        program = self._program
        id = checked_run_id(run, program.run.namespace)
        name = checked_name("the name of a signal", name)
        payload = program.codec.encode(value, f"signal {name!r}")
        asked = {"run": id, "name": name, "value": value}
        input = program.codec.encode(asked, f"signal {name!r}")
        body = signal_body(
            program.resolver.signal_sender, id, name, payload, program.next_task_id, program.codec
        )
        handle = program.step(f"signal {name}", body, SIGNAL_OPTIONS, input, digest_of(asked))
        handle.place = caller()
        return handle

    # --- streams

    def publish(self, stream: str, item: Any) -> None:
        """Add an item to a stream of this run. Whoever reads `run.stream(name)` gets it within milliseconds.

        It is recorded together with this step of the run, so it is there once: replay publishes nothing.
        Raises CannotStore and PayloadTooLarge.
        """
        self._program.publish(checked_stream(stream), (item,))

    def publish_many(self, stream: str, items: Iterable[Any]) -> None:
        """`publish` for several items. Either all of them are published, or none."""
        self._program.publish(checked_stream(stream), items)

    # --- tasks and children

    def schedule(self, task: Any, /, *args: Any, **kwargs: Any) -> TaskHandle[Any]:
        """Ask for a task, given by itself or by name. By name, arguments are passed by keyword."""
        handle = self._program.resolver.schedule(self._program, task, args, kwargs)
        handle.place = caller()
        return handle

    def start_child(
        self,
        workflow: Any,
        /,
        *args: Any,
        id: str | None = None,
        version: str | None = None,
        on_parent_end: str | None = None,
        detached: bool = False,
        **kwargs: Any,
    ) -> ChildHandle[Any]:
        """Start a workflow of any kind as a child, given by itself or by name, or with `with_options`.

        `on_parent_end` is what becomes of the child when its parent ends: "cancel", "detach" (it goes on;
        also `detached=True`) or "terminate".
        """
        if on_parent_end is None and not detached and isinstance(workflow, WithOptions):
            on_parent_end = workflow.on_parent_end
        policy = child_policy(on_parent_end, detached)
        workflow, options = target_and_options(workflow, id, version)
        handle = self._program.resolver.start_child(
            self._program, workflow, args, kwargs, options=options, on_parent_end=policy
        )
        handle.place = caller()
        return handle

    # --- changed code

    def patched(self, change_id: str) -> bool:
        """Whether this run takes the changed path.

        True if the run reaches this line for the first time, False if it passed here before the change was
        made. A run always gets the same answer. So old and new runs can go on with the same code.
        """
        return self._program.patched(checked_name("change_id", change_id))

    @property
    def logger(self) -> logging.LoggerAdapter[logging.Logger]:
        """A logger that writes nothing during replay, so that every line is written once.

        INFO and above are in the log of the run, also where `logging` is not set up."""
        return _ReplayAwareLogger(self._owner)


class State(_View):
    """The durable key-value state of the run. Clients can read it, and replay rebuilds it."""

    __slots__ = ()

    @overload
    def get(self, key: str) -> Any: ...
    @overload
    def get(self, key: str, type: type[T]) -> T | None: ...
    @overload
    def get(self, key: str, type: type[T], default: D) -> T | D: ...
    @overload
    def get(self, key: str, type: UnionType, default: Any = None) -> Any: ...
    def get(self, key: str, type: Any = Any, default: Any = None) -> Any:
        key = checked_name("a key of the state", key)
        payload = self._program.state.get(key) if self._program.state else None
        return default if payload is None else self._program.codec.decode(payload, type, f"state {key!r}")

    def set(self, key: str, value: Any) -> None:
        key = checked_name("a key of the state", key)
        payload = self._program.codec.encode(value, f"state {key!r}")
        self._program.set_state(key, payload, digest_of(value))

    def delete(self, key: str) -> None:
        key = checked_name("a key of the state", key)
        if self._program.state and key in self._program.state:
            self._program.set_state(key, None, None)

    def keys(self) -> list[str]:
        return list(self._program.state or ())

    def clear(self) -> None:
        """Delete all keys: a next chapter then begins without a state."""
        for key in self.keys():
            self.delete(key)


class _ReplayAwareLogger(RunLogger):
    def __init__(self, program: CodeProgram) -> None:
        super().__init__(_loggers.getChild(program.run.workflow), {"run_id": program.run_id})
        self._program = program

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802  # logging's name
        return self._program.is_live and super().isEnabledFor(level)

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        return super().process(f"[{self._program.run_id}] {msg}", kwargs)


def _value(outcome: Outcome, program: CodeProgram, type: Any, what: str) -> Any:
    match outcome:
        case Succeeded():
            return program.codec.decode(outcome.payload, type, what)
        case Failed():
            raise revive(outcome.failure, TaskError)
        case Cancelled():
            raise asyncio.CancelledError(f"{what} was cancelled")


def _seconds(timeout: dt.timedelta | None) -> float | None:
    return None if timeout is None else checked_span("timeout", timeout).total_seconds()
