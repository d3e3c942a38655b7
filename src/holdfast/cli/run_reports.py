"""What `serve`, `worker` and `dev` print of runs: a line when a run begins, and a line when it ends."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from holdfast.cli.views.output import span_text
from holdfast.cli.views.visible import one_line
from holdfast.core.changes import Change, ChangeKind
from holdfast.core.ids import first_key_of
from holdfast.core.values import Failure, RunStatus, instant, key_text
from holdfast.errors import StoreError

if TYPE_CHECKING:
    from holdfast.app import Holdfast
    from holdfast.client.run_news import NewsPage

_NEWEST: Final = 200
_MOST_KNOWN: Final = 1_000
_STATUSES: Final = {status.value: status for status in RunStatus}
_AT_ONCE: Final = dt.timedelta(seconds=2)
"""A run that waited for less before it ran has one line for both."""


class Events(Protocol):
    """Who is told what happens."""

    def print(self, event: str, text: str, at: dt.datetime | None = None, **facts: Any) -> None: ...


class _Known(NamedTuple):
    """A run as it was told last."""

    status: RunStatus
    created_at: dt.datetime | None = None
    started_at: dt.datetime | None = None


class RunReports:
    def __init__(
        self, client: Holdfast, events: Events, on_told: Callable[[str], None] = lambda _: None
    ) -> None:
        """`on_told` gets the offset up to which everything was told."""
        from holdfast.client.run_news import RunNews

        self._client = client
        self._events = events
        self._on_told = on_told
        self._news = RunNews(client)
        self._known: OrderedDict[str, _Known] = OrderedDict()
        """Some runs, by their keys; those that were told of last are last."""
        self._told_at = dt.datetime.now(dt.UTC)

    async def begin(self, after: str | None = None) -> None:
        """What has happened until now is not printed, or until that offset, if it is given."""
        with contextlib.suppress(StoreError):
            await self._news.begin(after)
            self._on_told(self._news.offset)
            page = await self._client.page(limit=_NEWEST, payloads=False)
            for info in reversed(page.items):
                self._known[info.key] = _Known(info.status, info.created_at, info.started_at)

    async def go_on(self, every: float) -> None:
        """Does not end. What happens within so many seconds is printed together."""
        async with contextlib.aclosing(self._news.pages(every)) as pages:
            async for page in pages:
                self._print(page)

    async def catch_up(self) -> None:
        """Prints everything up to now."""
        async with contextlib.aclosing(self._news.rest()) as pages:
            async for page in pages:
                self._print(page)

    def _print(self, page: NewsPage) -> None:
        for change in page.changes:
            self._tell(change, page.failures.get(change.key))
        if page.changes:
            self._told_at = page.changes[-1].at
            self._on_told(self._news.offset)
        if page.is_cut:
            text = "more runs have begun and ended than are printed here; `holdfast runs list` shows all"
            self._events.print("more", text)

    def _tell(self, change: Change, failure: Failure | None) -> None:
        before = self._known.get(change.key)
        if change.kind is ChangeKind.RUN_DELETED:
            self._known.pop(change.key, None)
            if self._is_new(change.key) if before is None else not before.status.is_final:
                self._print_run(change, "has ended and is deleted", "deleted")
            return
        status = _STATUSES.get(change.status or "")
        if status is None:
            return  # a newer release may have more
        self._remember(change, status, before)
        match status:
            case RunStatus.PENDING | RunStatus.RUNNING if change.kind is ChangeKind.RUN_CREATED:
                self._print_run(change, "starts", status)
            case RunStatus.PENDING | RunStatus.RUNNING:
                # Such changes tell of what a run waits for, too.
                if before is not None and before.status is not status and not _is_at_once(change, before):
                    self._print_run(change, "is running", status)
            case RunStatus.PARKED | RunStatus.PAUSED:
                if before is None or before.status is not status:
                    self._print_run(change, f"is {status}", status, failure)
            case RunStatus.SUCCESS | RunStatus.FAILED | RunStatus.CANCELLED:
                started_at = None if before is None else before.started_at
                took = "" if started_at is None else f" after {span_text(change.at - started_at)}"
                self._print_run(change, f"{status}{took}", status, failure)

    def _is_new(self, key: str) -> bool:
        """Whether the run was created after the last look: else somebody deletes old runs."""
        return key >= key_text(first_key_of(instant(self._told_at)))

    def _remember(self, change: Change, status: RunStatus, before: _Known | None) -> None:
        created_at, started_at = (None, None) if before is None else before[1:]
        if change.kind is ChangeKind.RUN_CREATED:
            created_at = change.at
        if started_at is None and status is RunStatus.RUNNING and created_at is not None:
            started_at = change.at
        self._known[change.key] = _Known(status, created_at, started_at)
        self._known.move_to_end(change.key)
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)

    def _print_run(self, change: Change, text: str, status: str, failure: Failure | None = None) -> None:
        why = f": {one_line(failure.message)}" if failure is not None else ""
        self._events.print(
            "run",
            f"run {change.run} of {change.workflow} {text}{why}",
            change.at,
            run=change.run,
            key=change.key,
            workflow=change.workflow,
            status=status,
            problem=None if failure is None else failure.summary,
        )


def _is_at_once(change: Change, before: _Known) -> bool:
    return (
        before.status is RunStatus.PENDING
        and before.created_at is not None
        and change.at - before.created_at < _AT_ONCE
    )
