"""The question that an approval of a flow asks: `title`, `facts`, `answer` and `by` of its `question`.

A text that is a path (`$shared.order.total`) stands for its value, in title, facts, the map of facts and by.
"""

from __future__ import annotations

from typing import Any, cast

from holdfast.authoring.flow.command_buffer import CommandBuffer
from holdfast.authoring.flow.model import ApprovalNode
from holdfast.authoring.flow.paths import BadPath, is_rooted, parse_path
from holdfast.authoring.flow.visits import VisitContext
from holdfast.core.names import LONGEST_NAME
from holdfast.core.questions import QuestionDetails, checked_answerers
from holdfast.core.values import Payload
from holdfast.errors import BadOption, WrongType, show


def question_details(buffer: CommandBuffer, context: VisitContext) -> Payload:
    """If there are no facts, the input of the node is what the person should know. Raises WrongType,
    PayloadTooLarge."""
    does = context.node.does
    assert isinstance(does, ApprovalNode)
    asked = does.question
    title = _at(context, "title", asked.get("title")) or ""
    if not isinstance(title, str) or len(title) > LONGEST_NAME:
        raise _wrong(context, "title", f"expected a text of up to {LONGEST_NAME} characters", title)
    facts = _at(context, "facts", asked.get("facts"))
    if isinstance(facts, dict):
        facts = {name: _at(context, "facts", it) for name, it in cast("dict[str, Any]", facts).items()}
    by = _at(context, "by", asked.get("by"))
    try:
        names = checked_answerers(by)
    except BadOption as error:
        raise _wrong(context, "by", f"expected {error.expected}", by) from None
    details = QuestionDetails(
        title,
        context.input if facts is None else facts,
        asked.get("answer"),
        None if names is None else tuple(names),
    )
    return buffer.encode(details, f"the question of node {context.path!r}")


def _at(context: VisitContext, name: str, value: Any) -> Any:
    """The value at the end of a path, or the value itself if it is no path."""
    if not isinstance(value, str) or not is_rooted(value):
        return value
    try:
        return context.values.at(parse_path(value))
    except BadPath as error:
        raise _wrong(context, name, str(error), value) from None


def _wrong(context: VisitContext, name: str, reason: str, value: Any) -> WrongType:
    return WrongType(f"question.{name} of node {context.path!r}", f"{reason}; got {show(value)}")
