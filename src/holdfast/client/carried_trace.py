"""The trace of whoever has called a command: `TRACEPARENT` and `TRACESTATE` of its environment.

Runs that the command starts store that span, and a server is told of it. No span is made, so OpenTelemetry is
not needed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from holdfast.ports.tracing import SendingSpan, StartTrace

_TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_TRACESTATE: Final = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,511}")


class CarriedTrace:
    """Implements `ClientTracing`, and what is sent of `TraceHeaders`."""

    def __init__(self, traceparent: str, tracestate: str) -> None:
        self._headers = {"traceparent": traceparent}
        if tracestate:
            self._headers["tracestate"] = tracestate

    def current(self) -> Mapping[str, str]:
        return self._headers

    def entered(self, traceparent: str, tracestate: str) -> AbstractContextManager[None]:
        return nullcontext()  # it gets no requests

    def starting(self, workflow: str, ids: Sequence[str | None]) -> AbstractContextManager[StartTrace]:
        return nullcontext(StartTrace(" ".join(self._headers.values())))

    def sending(
        self, what: str, names: Collection[str], runs: Sequence[str]
    ) -> AbstractContextManager[SendingSpan | None]:
        return nullcontext()


def read_trace(environment: Mapping[str, str]) -> CarriedTrace | None:
    """None: there is none. What W3C does not allow is ignored, as in a header."""
    traceparent = environment.get("TRACEPARENT", "").strip()
    tracestate = environment.get("TRACESTATE", "").strip()
    if not _TRACEPARENT.fullmatch(traceparent):
        return None
    return CarriedTrace(traceparent, tracestate if _TRACESTATE.fullmatch(tracestate) else "")
