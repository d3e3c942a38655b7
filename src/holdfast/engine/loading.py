"""Runs that a node has claimed and not replayed yet.

A history may be long, so it is read in pages and replayed in pieces. Between two of them the node ticks: it
commits for other runs, and renews its lease. A run that is being loaded is in memory, so that it is held,
counted and handed back like the others. But it has no program and no events. Its mail waits here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from holdfast.core.events import MessageId
from holdfast.core.history import Past
from holdfast.core.pieces import Pieces
from holdfast.core.program import Program
from holdfast.core.records import History, MessageRecord
from holdfast.core.values import Succeeded
from holdfast.engine.resident import Resident
from holdfast.ports.nodes import StallRecord
from holdfast.ports.runs import HistoryPage, HistoryPlace, beginning_of

Replay: TypeAlias = Pieces[tuple[Past, Program]]


class LoadingRun:
    __slots__ = ("began", "bytes", "history", "mail", "place", "replay", "resident", "stalls")

    def __init__(self, resident: Resident, stalls: Sequence[StallRecord], began: int) -> None:
        self.began = began
        """When it was claimed, by the counter of the clock."""
        self.resident = resident
        self.stalls = stalls
        self.history = History(resident.record, [], [], [], [], outcomes={})
        self.bytes = 0
        """About how large its history is, without what has not been read."""
        self.place: HistoryPlace | None = HistoryPlace()
        """Where its next page begins. None: all of its history has been read."""
        self.replay: Replay | None = None
        self.mail: dict[MessageId, MessageRecord] = {}
        """Its unread messages, as far as they were collected. Those about children may be in `history`."""

    def set(self, history: History) -> None:
        """The whole history."""
        self.history, self.place = history, None
        self.bytes = _size_of(history)

    def begin(self, history: History) -> None:
        """The history without its rows: they come in pages."""
        self.history, self.place = history, beginning_of(history.chapter)

    def add(self, page: HistoryPage) -> None:
        self.bytes += _size_of(page)
        known = self.history
        self.history = History(
            known.run,
            known.steps,
            page.tasks,
            known.messages,
            page.children,
            page.damage,
            known.outcomes,
            known.chapter,
        )
        known.steps.extend(page.steps)
        known.messages.extend(page.messages)
        known.outcomes.update(page.outcomes)
        self.place = None if page.is_last else page.next

    def late_mail(self) -> list[MessageRecord]:
        """Its unread messages, in order."""
        return [self.mail[id] for id in sorted(self.mail)]

    def drop(self) -> None:
        """Its run has left memory."""
        if self.replay is not None:
            self.replay.close()


def _size_of(part: History | HistoryPage) -> int:
    outputs = [outcome.payload for outcome in part.outcomes.values() if isinstance(outcome, Succeeded)]
    payloads = [message.payload for message in part.messages]
    return sum(map(len, part.steps)) + sum(map(len, outputs)) + sum(map(len, payloads))
