"""How the code of a run answers updates, and how it waits for conditions, which updates may change."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from holdfast.authoring.code.chapter_end import ChapterEnd
from holdfast.authoring.code.loop import CALLBACKS_ALLOWED
from holdfast.authoring.code.requests import DefinitionResolver, Requests
from holdfast.authoring.code.updates import Condition, Onlooker, UpdateHandler
from holdfast.core.codec import Codec
from holdfast.core.commands import AnswerUpdate
from holdfast.core.events import UpdateReceived
from holdfast.core.failures import capture
from holdfast.core.records import RunRecord
from holdfast.core.updates import UpdateRefusal
from holdfast.core.values import Failed, Payload, Succeeded
from holdfast.errors import ChapterRefused, DeterminismError, MayOnlyLook, UpdateRefused

_CONDITION = "the condition of wait_until"


class Answering(Requests):
    """The part of a `CodeProgram` that has handlers of updates and conditions."""

    _main: asyncio.Task[Payload]
    __slots__ = ("_conditions", "_main", "_updates", "asked_for_chapter", "refused")

    def __init__(self, run: RunRecord, codec: Codec, resolver: DefinitionResolver) -> None:
        super().__init__(run, codec, resolver)
        self.asked_for_chapter = False
        """The code has called `continue_as`."""
        self.refused: list[UpdateRefusal] | None = None
        self._updates: dict[str, UpdateHandler] | None = None
        """The handlers of updates, by name."""
        self._conditions: list[Condition] | None = None
        """What the code waits for with `wait_until`, in order."""

    # --- updates

    def add_handler(self, name: str, handler: UpdateHandler) -> None:
        if self._updates is None:
            self._updates = {}
        self._updates[name] = handler

    def _receive_update(self, event: UpdateReceived) -> None:
        # The code may register its handlers in this very step: it has just begun, or a message let it go on.
        self._loop.drain(CALLBACKS_ALLOWED)
        if self._main.done():
            self.inbox.late.append(event.message)
            return  # the run or its chapter ends with this step, and answers no more updates
        handler = (self._updates or {}).get(event.name)
        if self._recorded is not None:
            if handler is None:
                hint = f"restore the handler of update {event.name!r}, which the run has taken"
                recorded = f"update {event.name!r}"
                raise DeterminismError(self._recorded.step, 0, recorded, "no such update", hint=hint)
            args, kwargs = handler.unpack(event.payload, self.codec)
        else:
            try:
                if handler is None:
                    raise UpdateRefused(_lack_of_handler(self._updates))
                args, kwargs = handler.unpack(event.payload, self.codec)
                if handler.validator is not None:
                    self._validate(event.name, handler.validator, args, kwargs)
            except (Exception, asyncio.CancelledError, SystemExit) as error:
                if getattr(error, "has_changed_run", False):
                    raise
                if self.refused is None:
                    self.refused = []
                self.refused.append(UpdateRefusal(event.message, capture(error)))
                return
        self.inbox.unanswered.add(event.message)
        self.spawn(self._answer(event, handler, args, kwargs), f"update {event.name!r}")

    def _validate(self, name: str, validator: Callable[..., Any], args: Any, kwargs: Any) -> None:
        """Raises what the validator raises."""
        who = f"the validator of update {name!r}"
        verdict = self._look(who, lambda: validator(*args, **kwargs))
        if verdict is False:
            raise UpdateRefused(f"{who} returned False")

    def _look(self, who: str, code: Callable[[], Any]) -> Any:
        """Run code that may only look at the run."""
        before = len(self._commands), self._loop.ready_count
        try:
            with self._loop.hosted_by(Onlooker(self, who)):
                found = code()
        finally:
            if before != (len(self._commands), self._loop.ready_count):
                what = "code of the run to go on or to be cancelled"
                raise MayOnlyLook(who, what, has_changed_run=True)
        if inspect.isawaitable(found):
            close = getattr(found, "close", None)
            if close is not None:
                close()
            raise MayOnlyLook(who, "something to be awaited")
        return found

    async def _answer(self, event: UpdateReceived, handler: UpdateHandler, args: Any, kwargs: Any) -> None:
        outcome: Succeeded | Failed
        try:
            result = handler.call(*args, **kwargs)
            if inspect.isawaitable(result):
                result = await result
            outcome = Succeeded(handler.signature.pack_result(result, self.codec))
        except (Exception, asyncio.CancelledError, SystemExit) as error:
            outcome = Failed(capture(error, task=getattr(error, "task_id", None)))
        except ChapterEnd:  # nobody awaits a handler, so this would end nothing, and the update had no answer
            self.asked_for_chapter = False
            outcome = Failed(capture(ChapterRefused(f"ended the handler of update {event.name!r} with it")))
        self.inbox.unanswered.discard(event.message)
        self._ask(AnswerUpdate(event.message, outcome))

    # --- conditions

    async def wait_until(self, holds: Callable[[], Any]) -> None:
        if self._look(_CONDITION, holds):
            return
        if self._conditions is None:
            self._conditions = []
            self._loop.on_idle = self._meet_condition
        condition = Condition(holds, self._loop.create_future())
        self._conditions.append(condition)
        try:
            await condition.met
        finally:
            self._conditions.remove(condition)

    def _meet_condition(self) -> bool:
        """Let the first code go on whose condition holds. The others are looked at when that code waits
        again, so that each condition still holds where the code goes on."""
        for condition in self._conditions or ():
            if condition.met.done():
                continue
            try:
                holds = self._look(_CONDITION, condition.holds)
            except Exception as error:
                if getattr(error, "has_changed_run", False):
                    raise
                condition.met.set_exception(error)
                return True
            if holds:
                condition.met.set_result(None)
                return True
        return False


def _lack_of_handler(handlers: Mapping[str, UpdateHandler] | None) -> str:
    if not handlers:
        return "it has no handlers of updates at this point"
    return f"it has no handler of that name; it has {', '.join(map(repr, sorted(handlers)))}"
