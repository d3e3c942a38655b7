"""The exception with which code ends its chapter."""

from __future__ import annotations

from holdfast.core.values import Payload


class ChapterEnd(BaseException):
    """Raised by `continue_as`, and not an Exception, so that the code does not handle it by mistake."""

    def __init__(self, input: Payload) -> None:
        self.input = input
        super().__init__("the run goes on as a new chapter; this must leave the workflow")
