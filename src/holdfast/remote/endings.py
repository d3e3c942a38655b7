"""Waiting for runs to end, over HTTP: one request waits for up to 1,000 of them.

The server answers when one of the runs has ended. Who begins to wait in the meantime gets a request of their
own. Requests that come back without an answer are joined.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

import msgspec

from holdfast.client.waiters import Ending, Waiters, all_of
from holdfast.core.history import run_outcome
from holdfast.core.values import Failure, Payload, RunKey, RunStatus, key_from_text, key_text
from holdfast.errors import HoldfastError, NotOpen, RunNotFound
from holdfast.remote.connection import Connection

_log = logging.getLogger("holdfast.remote")

_MOST: Final = 1_000
_LONG: Final = 30.0
_SHORT: Final = 2.0
_FEW: Final = 4
"""So many requests may wait for long."""
_FINAL: Final = frozenset(status.value for status in RunStatus if status.is_final)


class RunEnd(msgspec.Struct, frozen=True):
    """How a run has ended, as far as its result needs it."""

    key: str
    status: str
    """`missing`: there is no such run."""
    output: msgspec.Raw = msgspec.Raw(b"null")
    failure: Failure | None = None

    @property
    def is_final(self) -> bool:
        return self.status in _FINAL


class RemoteWaiters(Waiters):
    def __init__(self, connection: Connection, namespace: Callable[[], str]) -> None:
        self._connection = connection
        self._namespace_of = namespace
        self._waiting: dict[RunKey, Ending] = {}
        self._unasked: dict[RunKey, None] = {}
        """Those of the waited-for runs that no request is under way for."""
        self._requests: set[asyncio.Task[None]] = set()
        self._timer: asyncio.Handle | None = None
        self._is_closed = False

    def wait(self, run: RunKey, id: str | None, unpack: Callable[[Payload], Any]) -> Ending:
        if self._is_closed:
            raise NotOpen
        ending = Ending(id, unpack)
        first = self._waiting.get(run)
        ending.other = first
        self._waiting[run] = ending
        if first is None:
            self._unasked[run] = None
            self._begin_soon()
        return ending

    async def close(self) -> None:
        self._is_closed = True
        for each in [*self._requests]:
            each.cancel()
        await asyncio.gather(*self._requests, return_exceptions=True)
        self._refuse([*self._waiting], NotOpen())

    def refresh(self) -> None:
        pass  # a request is under way for every run

    # --- asking

    def _begin_soon(self) -> None:
        if self._timer is None and self._unasked and not self._is_closed:
            self._timer = asyncio.get_running_loop().call_soon(self._begin)

    def _begin(self) -> None:
        """Who begins to wait in one turn of the event loop shares a request."""
        self._timer = None
        runs: list[RunKey] = []
        while self._unasked and len(runs) < _MOST:
            run, _ = self._unasked.popitem()
            if any(not each.done() for each in all_of(self._waiting.get(run))):
                runs.append(run)
            else:
                self._waiting.pop(run, None)
        if runs and not self._is_closed:
            asking = asyncio.create_task(self._ask(runs), name="holdfast waiters")
            self._requests.add(asking)
            asking.add_done_callback(self._requests.discard)
        self._begin_soon()

    async def _ask(self, runs: list[RunKey]) -> None:
        wait = _LONG if len(self._requests) <= _FEW else _SHORT
        try:
            ends = await self._connection.ask(
                "POST",
                "/run-ends",
                list[RunEnd],
                body={"runs": [key_text(run) for run in runs], "wait": wait},
                wait=wait,
            )
            for end in ends:
                run = key_from_text(end.key)
                if run is not None:
                    self._settle_end(run, end)
        except Exception as error:  # those who wait must not wait for ever
            if not isinstance(error, HoldfastError):
                _log.exception("waiting for runs has failed")
            self._refuse(runs, error)
        self._unasked.update(dict.fromkeys(run for run in runs if run in self._waiting))
        self._begin_soon()

    def _settle_end(self, run: RunKey, end: RunEnd) -> None:
        for ending in all_of(self._waiting.pop(run, None)):
            if ending.done():
                continue
            if end.is_final:
                ending.settle(run, outcome_of(end))
            else:
                ending.set_exception(RunNotFound(ending.id or key_text(run), self._namespace_of()))

    def _refuse(self, runs: list[RunKey], error: Exception) -> None:
        for run in runs:
            for ending in all_of(self._waiting.pop(run, None)):
                if not ending.done():
                    ending.set_exception(error)


def outcome_of(end: RunEnd) -> Any:
    return run_outcome(RunStatus(end.status), Payload(bytes(end.output)), end.failure)
