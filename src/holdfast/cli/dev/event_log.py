"""What `holdfast dev` prints: calm lines for people, or JSON objects, one a line."""

from __future__ import annotations

import datetime as dt
import errno
from collections import OrderedDict
from typing import Any, Final

from holdfast.cli.dev.messages import EventReport
from holdfast.cli.views.output import COLOURS, json_text, say, write_answer

_MOST_KNOWN: Final = 10_000
_OF_RUNS: Final = frozenset({"run", "more"})


class EventLog:
    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self._as_json, self._quiet = as_json, quiet
        self._statuses: OrderedDict[str, str] = OrderedDict()
        """Of runs, by their keys, as they were last told. A child that crashes may not have said how far it
        told, and a line is printed once."""

    def print(
        self, event: str, text: str, style: str = "", at: dt.datetime | None = None, **facts: Any
    ) -> None:
        at = at or dt.datetime.now(dt.UTC)
        try:
            if self._as_json:
                write_answer(json_text({"event": event, "at": at, **facts}))
            else:
                say(f"{at.astimezone():%H:%M:%S} {text}", style)
        except OSError as error:
            if error.errno != errno.EIO:  # the terminal is gone, and SIGHUP says what to do
                raise

    def pass_on(self, report: EventReport) -> None:
        """Prints what a child tells."""
        status = report.facts.get("status", "")
        if self._quiet and report.event in _OF_RUNS:
            return
        if report.event == "run":
            key = report.facts["key"]
            known = self._statuses.get(key)
            if known == status or (known is not None and status == "pending"):
                return
            self._statuses[key] = status
            self._statuses.move_to_end(key)
            if len(self._statuses) > _MOST_KNOWN:
                self._statuses.popitem(last=False)
        self.print(report.event, report.text, COLOURS.get(status, ""), report.at, **report.facts)
