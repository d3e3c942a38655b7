"""The spans of `holdfast serve`, `worker` and `dev`, on their way to a collector."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final

import msgspec

from holdfast.app import export_spans
from holdfast.cli.database import DatabaseOptions
from holdfast.errors import BadOption
from holdfast.settings import names_collector

_log = logging.getLogger("holdfast")

_LAST_SECONDS: Final = 3.0
"""How long the end of a command waits for a collector that does not answer."""


def start_exporting(database: DatabaseOptions) -> tuple[DatabaseOptions, Callable[[], None]]:
    """The settings as they are in effect, and what sends the last spans, at the end of the process.

    Raises BadOption if the setting `tracing` is on and its extra is not installed. If only the environment
    names a collector, as it does in many clusters for all programs, that is logged.
    """
    settings = database.settings
    if settings.tracing:
        return database, _bounded(export_spans(settings))
    if not names_collector():
        return database, lambda: None
    settings = msgspec.structs.replace(settings, tracing=True)
    try:
        end = export_spans(settings)
    except BadOption:
        _log.warning(
            "OTEL_EXPORTER_OTLP_ENDPOINT names a collector, but there will be no spans: "
            "pip install 'holdfast[tracing]'"
        )
        return database, lambda: None
    return database._replace(settings=settings), _bounded(end)


def _bounded(end: Callable[[], None]) -> Callable[[], None]:
    def end_soon() -> None:
        thread = threading.Thread(target=end, name="holdfast last spans", daemon=True)
        thread.start()
        thread.join(_LAST_SECONDS)

    return end_soon
