"""What clients do to runs: send messages, cancel, terminate, pause, resume, retry."""

from __future__ import annotations

import builtins
from abc import abstractmethod
from typing import Any, Unpack

import msgspec

from holdfast.client.bulk_acts import BulkActs
from holdfast.client.families import Families
from holdfast.client.operators import (
    MessageInfo,
    Operators,
    Timers,
    checked_sender,
    message_info,
    timers_wait,
)
from holdfast.client.posting import Letter
from holdfast.client.questions import (
    AnsweredQuestion,
    QuestionInfo,
    answered_question,
    question_filter,
    question_info,
)
from holdfast.client.run import Run, RunInfo
from holdfast.client.run_filters import RunConditions, check_number, workflow_name
from holdfast.client.selection import RunSelection
from holdfast.client.signalling import address_of
from holdfast.client.updating import RunUpdates
from holdfast.core.events import MessageId
from holdfast.core.failures import capture
from holdfast.core.names import checked_name
from holdfast.core.questions import checked_comment
from holdfast.core.records import MessageKind
from holdfast.core.run_options import KEEP_DEADLINE, NewDeadline, StartTarget
from holdfast.core.values import Failure, Payload, RunStatus, TaskStatus
from holdfast.errors import BadOption, NotAsked, NotParked, WrongType, show
from holdfast.ports.runs import RunFilter

_RESUMED_AT_ONCE = 500
_MOST_QUESTIONS = 2**31


class RunChanges(RunUpdates):
    """The part of a client that changes runs which are there already."""

    _operators: Operators
    _families: Families
    _bulk_acts: BulkActs

    @abstractmethod
    async def describe(self, run: Run[Any] | str) -> RunInfo: ...

    @abstractmethod
    def _decode_plain(self, payload: Payload) -> Any: ...

    # --- sending messages

    async def resolve(
        self,
        run: Run[Any] | str,
        name: str | int,
        value: Any = None,
        *,
        by: str = "",
        comment: str = "",
        ahead: bool = False,
        message_id: str | None = None,
    ) -> None:
        """Answer what the run asks for with `context().promise(name)` or `context().ask(...)`.

        `name` is the name, or the number of a question in `questions()`. If the run has asked for the name
        several times, the oldest open question is answered. Raises UnknownPromise if the run does not ask for
        it; with `ahead=True` the value is then kept until it does. Raises PromiseSettled, PromiseClosed, and
        MayNotAnswer or BadAnswer if the question is for others or for another type of answer.

        `message_id` is what you call this answer: it is given once, however often you send it under that id.
        """
        name = _checked_question(name)
        payload = self._workflows.encode(value, f"promise {name!r}")
        kind = MessageKind.RESOLVED
        await self._answer(run, kind, name, payload, by, comment, ahead=ahead, message_id=message_id)

    async def approve(
        self, run: Run[Any] | str, task: str, *, value: Any = True, by: str = "", comment: str = ""
    ) -> None:
        """Answer an approval: yes, or no with `value=False`. Raises NotAsked if the run is not waiting for
        it.

        `task` is the name of a DAG's task, or the path of a flow's node, as in `checkout/confirm`.
        """
        key = await self.key_of(run)
        for record in await self._store.list_tasks(self.namespace, key):
            if record.name == task and record.status is TaskStatus.RUNNING:
                asked: dict[str, Any] = self._workflows.decode(record.input, dict[str, Any], "an approval")
                if isinstance(asked.get("question"), int):
                    await self.resolve(run, asked["question"], value, by=by, comment=comment)
                    return
                if isinstance(asked.get("promise"), str):
                    await self.resolve(run, asked["promise"], value, by=by, comment=comment)
                    return
                if isinstance(asked.get("signal"), str):
                    if value is None or value == "":
                        raise BadOption("value", value, "an answer: null and '' mean that none has come")
                    await self.signal(run, asked["signal"], value, by=by)
                    return
        raise NotAsked(run if isinstance(run, str) else run.id, task)

    async def reject(
        self,
        run: Run[Any] | str,
        name: str | int,
        error: Exception | Failure | str,
        *,
        by: str = "",
        comment: str = "",
        ahead: bool = False,
        message_id: str | None = None,
    ) -> None:
        """Make `context().promise(name)` or `context().ask(...)` raise. Otherwise as `resolve`."""
        name = _checked_question(name)
        if not isinstance(error, Failure):
            error = capture(error if isinstance(error, Exception) else ValueError(error))
        payload = Payload(msgspec.json.encode(error))
        kind = MessageKind.REJECTED
        await self._answer(run, kind, name, payload, by, comment, ahead=ahead, message_id=message_id)

    async def questions(
        self,
        *,
        run: Run[Any] | str | None = None,
        workflow: StartTarget[..., Any] | type | str | None = None,
        by: str | None = None,
        limit: int = 100,
        after: QuestionInfo | None = None,
    ) -> builtins.list[QuestionInfo]:
        """What runs ask for and nobody has answered, the oldest first: all, or those of a run, of a workflow,
        or that `by` may answer. For the next page, pass the last one as `after`."""
        self._check_loop()
        check_number("limit", limit, 1, 10_000)
        key = None if run is None else await self.key_of(run)
        which = question_filter(key, workflow_name(workflow), by, limit, after)
        found = await self._store.list_questions(self.namespace, which)
        return [question_info(record) for record in found]

    async def answered_questions(self, limit: int = 100) -> builtins.list[AnsweredQuestion]:
        """What was asked and is closed: with its answer and who gave it, or given up. The newest first."""
        self._check_loop()
        check_number("limit", limit, 1, 1_000)
        found = await self._store.list_closed_questions(self.namespace, limit)
        return [answered_question(record) for record in found]

    async def cancel(self, run: Run[Any] | str, reason: str = "", *, by: str = "") -> None:
        """Cancel a run. Its code gets CancelledError and may clean up; then the run is cancelled.

        A second call has no effect. A parked run cannot clean up and is cancelled at once.
        """
        if not isinstance(reason, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongType("cancel()", f"expected the reason as text, got {show(reason)}")
        payload = self._workflows.encode(reason, "the reason")
        key = await self.key_of(run)
        if not await self._families.cancel_parked(key, reason):
            await self._post(run, MessageKind.CANCEL, "", payload, by)

    async def _answer(
        self,
        run: Run[Any] | str,
        kind: MessageKind,
        name: str | int,
        payload: Payload,
        by: str,
        comment: str,
        *,
        ahead: bool,
        message_id: str | None,
    ) -> None:
        await self._send(
            run,
            Letter(
                address_of(run),
                kind,
                "" if isinstance(name, int) else name,
                payload,
                checked_sender(by),
                None if message_id is None else checked_name("message_id", message_id),
                comment=checked_comment(comment),
                question=name if isinstance(name, int) else None,
                is_ahead=bool(ahead),
            ),
        )

    # --- resuming and retrying

    async def resume(self, run: Run[Any] | str, *, timers: str = Timers.CATCH_UP, by: str = "") -> None:
        """Let a paused run go on, or a parked one, once its problem is fixed.

        With `timers="catch_up"`, timers that came due meanwhile fire at once. With `timers="wait"`, timers
        and backoffs of a paused run are due later by as long as it was paused. Deadlines stay as they are.
        """
        waits, by = timers_wait(timers), checked_sender(by)
        key = await self.key_of(run)
        if not await self._store.unpark_runs(self.namespace, [key], self._now(), by, waits):
            info = await self.describe(run)
            if waits and info.status is RunStatus.PARKED:
                raise BadOption("timers", timers, f"left out: run {info.id!r} is parked, not paused")
            is_pausing = not info.status.is_final and await self._is_pausing(run)
            raise NotParked(info.id, info.status, is_pausing=is_pausing)

    async def _is_pausing(self, run: Run[Any] | str) -> bool:
        """Whether a pause has been asked for that the run's node has not made yet."""
        last = 0
        while page := await self.messages(run, acts_only=True, after=last):
            if any(each.kind == MessageKind.PAUSE and not each.is_read for each in page):
                return True
            last = page[-1].id
        return False

    async def pause(self, run: Run[Any] | str, note: str = "", *, by: str = "") -> None:
        """Pause a run until it is resumed: no task of it begins, and its timers do not fire. Tasks that run
        may end. Raises NotRunning if it is paused or parked, or has ended."""
        await self._operators.act(await self.key_of(run), MessageKind.PAUSE, note, by)

    async def terminate(self, run: Run[Any] | str, reason: str = "", *, by: str = "") -> None:
        """End a run without asking it: its code cannot clean up. Children that would be cancelled with it are
        asked to end. Raises NotRunning if it has ended."""
        await self._operators.act(await self.key_of(run), MessageKind.TERMINATE, reason, by)

    async def try_now(self, run: Run[Any] | str, task: str | int | None = None, *, by: str = "") -> None:
        """End the backoff of a task, given by its name or number, or of all tasks of the run."""
        key = await self.key_of(run)
        if task is not None:
            await self._operators.check_task(key, task)
        await self._operators.act(key, MessageKind.TRY_NOW, "", by, task)

    def select(self, **conditions: Unpack[RunConditions]) -> RunSelection:
        """Many runs at once: count them, then cancel, terminate, pause, resume, retry or delete them or end
        their backoffs."""
        self._check_loop()
        return RunSelection(self, self._store, self._bulk_acts, self.namespace, conditions)

    async def messages(
        self, run: Run[Any] | str, *, acts_only: bool = False, after: int = 0, limit: int = 1000
    ) -> builtins.list[MessageInfo]:
        """The signals, answers and cancellations that the run got, and what operators did to it: who, what
        and when. The oldest come first; for the next page, pass the `id` of the last one as `after`. With
        `acts_only`, only answers, cancellations and what operators did."""
        check_number("limit", limit, 1, 10_000)
        check_number("after", after, 0, 1 << 62)
        found = await self._store.list_messages(
            self.namespace, await self.key_of(run), MessageId(after), limit, acts_only
        )
        return [message_info(message, self._decode_plain) for message in found]

    async def resume_all(self, workflow: StartTarget[..., Any] | type | str | None = None) -> int:
        """Let all parked runs go on, or those of one workflow, once their problem is fixed. Returns their
        number."""
        self._check_loop()
        name = workflow_name(workflow)
        resumed, last = 0, None
        while page := await self._store.list_runs(
            self.namespace, RunFilter((RunStatus.PARKED,), name, last, _RESUMED_AT_ONCE)
        ):
            keys = [record.key for record in page]
            resumed += len(await self._store.unpark_runs(self.namespace, keys, self._now()))
            last = keys[-1]
        return resumed

    async def retry(
        self, run: Run[Any] | str, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = ""
    ) -> None:
        """Reopen a run that failed or was cancelled.

        Recorded results stay. The tasks that failed are tried again, and the run goes on. If children are
        still being cancelled because the run ended, this waits for them; they go on as well.

        A run whose deadline has passed needs a new `deadline`, or None to have none any more: otherwise this
        raises DeadlineOver. Children whose own deadline has passed get the same one.
        """
        await self._families.reopen(await self.key_of(run), checked_sender(by), deadline)


def _checked_question(name: Any) -> str | int:
    """The name or the number of a question. Raises BadOption."""
    if not isinstance(name, int) or isinstance(name, bool):
        return checked_name("name", name)
    if not 0 <= name < _MOST_QUESTIONS:
        raise BadOption("name", name, "the name of a promise, or the number of a question")
    return name
