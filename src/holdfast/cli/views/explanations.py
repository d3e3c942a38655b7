"""Why a run does not go on, as lines for people."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from holdfast.cli.database import DatabaseOptions
from holdfast.cli.views.output import print_line, span_text, stdout
from holdfast.cli.views.visible import one_line
from holdfast.core.explanations import Explanation, Reason

_LONGEST = 1000


def print_explanation(explanation: Explanation, database: DatabaseOptions) -> None:
    now = dt.datetime.now(dt.UTC)
    version = f" {explanation.version}" if explanation.version else ""
    text = f"run {explanation.run} of {explanation.workflow}{version} is {explanation.status.value}"
    print_line(one_line(text, _LONGEST))
    if explanation.sentence:
        print_line(one_line(explanation.sentence, _LONGEST))
    for text, style in reason_lines(explanation, database, now):
        stdout().print(f"  {text}", style=style or None)


def reason_lines(
    explanation: Explanation, database: DatabaseOptions, now: dt.datetime
) -> Iterator[tuple[str, str]]:
    """Lines, each with its style."""
    for reason in explanation.reasons:
        yield one_line(reason.what + _span_of(reason, now), _LONGEST), ""
        if reason.problem:
            yield f"  problem: {one_line(reason.problem, _LONGEST)}", "red"
        if reason.advice:
            # A command comes last. It gets the options of this one, so that it can be pasted.
            words = [reason.advice, *(database.options if "holdfast " in reason.advice else ())]
            yield f"  to move it: {one_line(' '.join(words), _LONGEST)}", ""
    for note in explanation.notes:
        yield f"({note})", ""


def _span_of(reason: Reason, now: dt.datetime) -> str:
    """` (for 12 s)`; empty if it is not known since when."""
    return "" if reason.since is None else f" (for {span_text(now - reason.since)})"
