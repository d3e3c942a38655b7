"""What a client does to runs, over HTTP. Each change has an id, so that it is done once however often it is
sent."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import datetime as dt
from collections.abc import Callable, Iterable
from typing import Any, Final, ParamSpec, TypeVar, Unpack

import msgspec

from holdfast.client.operators import MessageInfo, Timers, checked_sender, timers_wait
from holdfast.client.posting import new_uid
from holdfast.client.questions import AnsweredQuestion, QuestionInfo
from holdfast.client.run import Run, RunInfo
from holdfast.client.run_filters import RunConditions, check_number, workflow_name
from holdfast.client.selection import RunSelection
from holdfast.client.signals import Signal, signal_letter
from holdfast.core.failures import capture
from holdfast.core.names import checked_name, checked_span
from holdfast.core.questions import checked_comment
from holdfast.core.run_options import KEEP_DEADLINE, NewDeadline, StartTarget
from holdfast.core.values import Failure, Payload, RunStatus, instant
from holdfast.errors import (
    BadOption,
    HoldfastError,
    NotEnded,
    NotParked,
    NotRunning,
    Refused,
    RunEnded,
    RunNotFound,
    SignalsRefused,
    UpdateTimedOut,
    WrongType,
    show,
)
from holdfast.remote.addressing import Page, all_pages, name_of, retry_body, run_path
from holdfast.remote.connection import Tries
from holdfast.remote.run_graphs import RemoteRunGraphs
from holdfast.remote.run_points import RemoteRunPoints
from holdfast.remote.run_views import RemoteRunViews
from holdfast.remote.selection import RemoteSelection

_AT_ONCE: Final = 20
_LONGEST_WAIT: Final = 60.0
_LONG_ENOUGH: Final = 30.0

P = ParamSpec("P")
R = TypeVar("R")


class _UpdateAnswer(msgspec.Struct, frozen=True):
    is_answered: bool
    answer: msgspec.Raw = msgspec.Raw(b"null")


class RemoteRunChanges(RemoteRunViews, RemoteRunGraphs, RemoteRunPoints):
    # --- messages

    async def signal(
        self,
        run: Run[Any] | str,
        name: str,
        value: Any = None,
        *,
        by: str = "",
        message_id: str | None = None,
    ) -> None:
        self._check_run(run)
        letter = signal_letter("", Signal(name, value, message_id, by), self._workflows)
        body = {
            "name": letter.name,
            "value": msgspec.Raw(letter.payload),
            "message_id": letter.uid or new_uid(),
        }
        await self._connection.ask("POST", run_path(run, "signals"), body=body, by=letter.by)

    async def signal_many(self, signals: Iterable[tuple[Run[Any] | str, Signal]]) -> None:
        self._check_loop()
        wanted = [*signals]
        for run, signal in wanted:  # to refuse all of them before the first is sent
            signal_letter("", signal, self._workflows)
            with contextlib.suppress(RunNotFound):
                self._check_run(run)
        of_run: dict[str, list[int]] = {}
        for place, (run, _) in enumerate(wanted):
            of_run.setdefault(name_of(run), []).append(place)
        slots = asyncio.Semaphore(_AT_ONCE)
        refused: dict[int, HoldfastError] = {}

        async def send(places: list[int]) -> None:
            """To one run, one after the other: it hears them in this order."""
            async with slots:
                for place in places:
                    run, signal = wanted[place]
                    try:
                        await self.signal(
                            run, signal.name, signal.value, by=signal.by, message_id=signal.message_id
                        )
                    except Refused as error:
                        refused[place] = error

        await _all(send(places) for places in of_run.values())
        if refused:
            raise SignalsRefused(sorted(refused.items()), len(wanted) - len(refused))

    async def update(
        self,
        run: Run[Any] | str,
        name: str,
        /,
        *args: Any,
        timeout: dt.timedelta | None = None,
        by: str = "",
        message_id: str | None = None,
        type: Any = Any,
    ) -> Any:
        self._check_run(run)
        name = checked_name("name", name)
        seconds = None if timeout is None else checked_span("timeout", timeout).total_seconds()
        if seconds is not None and seconds < 0:
            raise BadOption("timeout", timeout, "zero or more")
        uid = new_uid() if message_id is None else checked_name("message_id", message_id)
        what = f"the arguments of update {name!r}"
        body = {
            "name": name,
            "args": msgspec.Raw(self._workflows.encode(list(args), what)),
            "message_id": uid,
        }
        clock = asyncio.get_running_loop().time
        end = None if seconds is None else clock() + seconds
        while True:
            wait = _LONG_ENOUGH if end is None else min(_LONGEST_WAIT, max(0.0, end - clock()))
            answer = await self._connection.ask(
                "POST",
                run_path(run, "updates"),
                _UpdateAnswer,
                body={**body, "wait": wait},
                by=checked_sender(by),
                wait=wait,
            )
            if answer.is_answered:
                return self._workflows.decode(
                    Payload(bytes(answer.answer)), type, f"the answer to update {name!r}"
                )
            if end is not None and clock() >= end:
                raise UpdateTimedOut(run if isinstance(run, str) else run.id, name, uid, seconds or 0)

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
        said = {"value": msgspec.Raw(self._workflows.encode(value, f"promise {name!r}"))}
        await self._answer_over_http(run, name, said, by, comment, ahead=ahead, message_id=message_id)

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
        if isinstance(error, str):
            said: dict[str, Any] = {"reject": error}
        else:
            said = {"failure": error if isinstance(error, Failure) else capture(error)}
        await self._answer_over_http(run, name, said, by, comment, ahead=ahead, message_id=message_id)

    async def _answer_over_http(
        self,
        run: Run[Any] | str,
        name: str | int,
        said: dict[str, Any],
        by: str,
        comment: str,
        *,
        ahead: bool,
        message_id: str | None,
    ) -> None:
        self._check_run(run)
        body = {
            "question": name,
            "comment": checked_comment(comment),
            "ahead": bool(ahead),
            "message_id": message_id or new_uid(),
            **said,
        }
        await self._connection.ask("POST", run_path(run, "answers"), body=body, by=checked_sender(by))

    async def approve(
        self, run: Run[Any] | str, task: str, *, value: Any = True, by: str = "", comment: str = ""
    ) -> None:
        self._check_run(run)
        body = {
            "task": task,
            "value": msgspec.Raw(self._workflows.encode(value, "an approval")),
            "comment": checked_comment(comment),
        }
        await self._connection.ask("POST", run_path(run, "approvals"), body=body, by=checked_sender(by))

    async def questions(
        self,
        *,
        run: Run[Any] | str | None = None,
        workflow: StartTarget[..., Any] | type | str | None = None,
        by: str | None = None,
        limit: int = 100,
        after: QuestionInfo | None = None,
    ) -> builtins.list[QuestionInfo]:
        self._check_loop()
        check_number("limit", limit, 1, 10_000)
        query: dict[str, Any] = {"workflow": workflow_name(workflow), "by": by}
        if run is not None:
            query["run"] = name_of(run)
        if after is not None:
            query["after"] = f"{instant(after.asked_at)}.{after.key}.{after.number}"
        return await all_pages(self._connection, "/questions", QuestionInfo, query, limit)

    async def answered_questions(self, limit: int = 100) -> builtins.list[AnsweredQuestion]:
        self._check_loop()
        check_number("limit", limit, 1, 1_000)
        path, query = "/questions/answered", {"limit": limit}
        return (await self._connection.ask("GET", path, Page[AnsweredQuestion], query=query)).items

    async def messages(
        self, run: Run[Any] | str, *, acts_only: bool = False, after: int = 0, limit: int = 1000
    ) -> builtins.list[MessageInfo]:
        self._check_run(run)
        check_number("limit", limit, 1, 10_000)
        check_number("after", after, 0, 1 << 62)
        query = {"acts_only": acts_only, "after": after}
        return await all_pages(self._connection, run_path(run, "messages"), MessageInfo, query, limit)

    # --- what operators do

    async def cancel(self, run: Run[Any] | str, reason: str = "", *, by: str = "") -> None:
        if not isinstance(reason, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongType("cancel()", f"expected the reason as text, got {show(reason)}")
        await self._act(run, "cancel", {"reason": reason}, by, lambda it: it.status is RunStatus.CANCELLED)

    async def terminate(self, run: Run[Any] | str, reason: str = "", *, by: str = "") -> None:
        await self._act(run, "terminate", {"reason": reason}, by, lambda it: it.status.is_final)

    async def pause(self, run: Run[Any] | str, note: str = "", *, by: str = "") -> None:
        await self._act(run, "pause", {"note": note}, by, lambda it: it.status is RunStatus.PAUSED)

    async def resume(self, run: Run[Any] | str, *, timers: str = Timers.CATCH_UP, by: str = "") -> None:
        timers_wait(timers)
        await self._act(run, "resume", {"timers": str(timers)}, by, _goes_on)

    async def retry(
        self, run: Run[Any] | str, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = ""
    ) -> None:
        if isinstance(deadline, str) and deadline != KEEP_DEADLINE:
            expected = f"a timedelta, a datetime with a zone, None or {KEEP_DEADLINE!r}"
            raise BadOption("deadline", deadline, expected)
        await self._act(run, "retry", retry_body(deadline), by, _goes_on)

    async def try_now(self, run: Run[Any] | str, task: str | int | None = None, *, by: str = "") -> None:
        await self._act(run, "try-now", {"task": task}, by, lambda _: False)

    async def _act(
        self,
        run: Run[Any] | str,
        act: str,
        body: dict[str, Any],
        by: str,
        is_done: Callable[[RunInfo], bool],
    ) -> None:
        """`is_done` says whether a run is as the act leaves it. If the server was restarted before it could
        answer, the second try is refused because the first has done it."""
        self._check_run(run)
        tries = Tries()
        try:
            await self._connection.ask(
                "POST", run_path(run, act), body=body, by=checked_sender(by), tries=tries, wait=_LONG_ENOUGH
            )
        except (NotRunning, NotParked, NotEnded, RunEnded):
            if not tries.may_have_acted or not is_done(await self.describe(run)):
                raise

    def select(self, **conditions: Unpack[RunConditions]) -> RunSelection:
        self._check_loop()
        return RemoteSelection(self, self._connection, conditions)

    async def resume_all(self, workflow: StartTarget[..., Any] | type | str | None = None) -> int:
        self._check_loop()
        chosen = self.select(status=RunStatus.PARKED, workflow=workflow_name(workflow))
        return (await chosen.resume()).done


def _goes_on(run: RunInfo) -> bool:
    return run.status in (RunStatus.PENDING, RunStatus.RUNNING)


async def _all(calls: Iterable[Any]) -> None:
    async with asyncio.TaskGroup() as group:
        for each in calls:
            group.create_task(each)
