"""What clients do with updates: send a message, and wait for its answer."""

from __future__ import annotations

import asyncio
import datetime as dt
from abc import abstractmethod
from typing import Any

from holdfast.client.operators import checked_sender
from holdfast.client.posting import Letter, new_uid
from holdfast.client.run import Run
from holdfast.client.signalling import RunSignals, address_of, id_of
from holdfast.client.traced_calls import sending
from holdfast.client.waiters import Waiters
from holdfast.core.failures import revive
from holdfast.core.names import checked_name, checked_span
from holdfast.core.records import MessageKind
from holdfast.core.updates import read_answer
from holdfast.core.values import RunKey
from holdfast.errors import (
    BadOption,
    RunNotFound,
    UpdateFailed,
    UpdateRefused,
    UpdateTimedOut,
    UpdateUnanswered,
)


class RunUpdates(RunSignals):
    """The part of a client that sends updates."""

    _waiters: Waiters

    @abstractmethod
    async def key_of(self, run: Run[Any] | str) -> RunKey: ...

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
        """Send a message, and return its answer: what the handler (`context().on_update`) returned, once.

        A call with the same `message_id` gets the same answer. Raises what the handler raised, UpdateRefused,
        UpdateTimedOut, RunEnded, and UpdateUnanswered if the run ends before it has answered."""
        name = checked_name("name", name)
        seconds = None if timeout is None else checked_span("timeout", timeout).total_seconds()
        if seconds is not None and seconds < 0:
            raise BadOption("timeout", timeout, "zero or more")
        uid = new_uid() if message_id is None else checked_name("message_id", message_id)
        payload = self._workflows.encode(list(args), f"the arguments of update {name!r}")
        letter = Letter(address_of(run), MessageKind.UPDATE, name, payload, checked_sender(by), uid)
        id = id_of(run)
        limit = asyncio.timeout(seconds)
        try:
            async with limit, sending(self._tracing, "update", name, id, lambda: self._record_of(run)):
                key = await self.key_of(run)
                await self._send(run, letter)
                found = await self._waiters.answers.wait(key, uid)
        except TimeoutError:
            if seconds is None or not limit.expired():
                raise
            raise UpdateTimedOut(id, name, uid, seconds) from None
        if found is None:
            raise RunNotFound(id, self.namespace)
        if found.answer is None:
            raise UpdateUnanswered(id, name, uid)
        answer = read_answer(found.answer)
        if answer.failure is None:
            return self._workflows.decode(answer.payload, type, f"the answer to update {name!r}")
        error = revive(answer.failure, UpdateFailed)
        if answer.is_refusal:
            cause = None if isinstance(error, UpdateRefused) else error
            raise UpdateRefused(answer.failure.message or answer.failure.summary, id, name) from cause
        raise error
