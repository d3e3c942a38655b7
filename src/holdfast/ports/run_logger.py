"""What users get from `task_context().logger` and `context().logger`. Both promise the same about levels."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any


class RunLogger(logging.LoggerAdapter[logging.Logger]):
    """Its records reach the log of the run: INFO and above, also where `logging` is not set up.

    A level that was set for the logger or a logger above it, except the root logger, decides instead. The
    root logger has the level WARNING by default, and then nobody would find out why INFO is missing. Handlers
    get a record as usual, by the level that applies to the logger.
    """

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802  # logging's name
        return self._is_logged(level) or self.logger.isEnabledFor(level)

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        if self.logger.isEnabledFor(level) or not self._is_logged(level):
            kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
            super().log(level, msg, *args, **kwargs)
            return
        message, options = self.process(msg, kwargs)
        given: Any = options.get("exc_info")
        error: Any = sys.exc_info() if given is True else given
        if isinstance(given, BaseException):
            error = (type(given), given, given.__traceback__)
        # The record goes to the log of the run where it is made, and no handler gets it.
        name, extra = self.logger.name, options.get("extra")
        self.logger.makeRecord(name, level, "", 0, message, args, error or None, extra=extra)

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        return msg, {**kwargs, "extra": {**(self.extra or {}), **(kwargs.get("extra") or {})}}

    def _is_logged(self, level: int) -> bool:
        if self.logger.manager.disable >= level:
            return False
        each = self.logger
        while each.parent is not None:
            if each.level:
                return level >= each.level
            each = each.parent
        return level >= logging.INFO
