"""What is told at the end of a watched run: one line, what to do next, and what it gave."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from typing import assert_never

from holdfast.cli.database_options import DatabaseOptions
from holdfast.cli.views.output import (
    COLOURS,
    answer_console,
    answer_stream,
    between,
    is_terminal,
    json_text,
    say,
    span_text,
    write_answer,
)
from holdfast.cli.views.progress import RunProgress
from holdfast.cli.views.visible import one_line, visible
from holdfast.cli.watching import RunSnapshot
from holdfast.client.run import RunInfo
from holdfast.core.values import RunStatus


class Exit(IntEnum):
    """What `holdfast run` ends with."""

    SUCCESS = 0
    FAILED = 1
    REFUSED = 2
    """Bad usage or input: nothing was changed."""
    CANCELLED = 3
    SET_ASIDE = 4
    """The run is parked or paused: somebody has to mend something, then resume it."""
    INTERRUPTED = 130
    """Detached by Ctrl-C: the run goes on with --resume."""
    BROKEN_PIPE = 141
    """Detached, since nobody reads the output any more."""
    TERMINATED = 143
    """Detached by SIGTERM."""


def tell_end(news: RunSnapshot, place: DatabaseOptions, *, also: Sequence[str] = (), as_json: bool) -> Exit:
    """`also` is what a command that goes on with the run has to name besides it."""
    info = news.info
    if as_json:
        write_answer(json_text({"event": "result", **_facts(info)}))
        return exit_of(info.status)
    say(_summary(info, news.board), COLOURS.get(info.status, ""))
    if info.failure is not None and info.status is not RunStatus.CANCELLED:
        say(f"  {one_line(info.failure.summary, 2000)}", "red")
    match info.status:
        case RunStatus.SUCCESS:
            _print_output(info)
        case RunStatus.FAILED | RunStatus.CANCELLED:
            say(f"  try again what failed: {place.command('run', '--retry', info.id, *also)}")
        case RunStatus.PARKED | RunStatus.PAUSED:
            say(f"  when that is mended: {place.command('run', '--resume', info.id, *also)}")
        case RunStatus.PENDING | RunStatus.RUNNING:
            pass
        case _:
            assert_never(info.status)
    return exit_of(info.status)


def exit_of(status: RunStatus) -> Exit:
    match status:
        case RunStatus.SUCCESS:
            return Exit.SUCCESS
        case RunStatus.FAILED:
            return Exit.FAILED
        case RunStatus.CANCELLED:
            return Exit.CANCELLED
        case _:
            return Exit.SET_ASIDE


def _summary(info: RunInfo, board: RunProgress) -> str:
    took = between(info.started_at or info.created_at, info.finished_at, dt.datetime.now(dt.UTC))
    after = "" if took is None else f" after {span_text(took)}"
    counts: Counter[str] = Counter()
    for line in board.lines.values():
        if line.is_to_come_again:
            continue
        counts.update({status.value: count for status, count in line.counts.items()})
    tasks = ", ".join(f"{count:,} {state}" for state, count in sorted(counts.items()) if count)
    return f"{info.status}{after}" + (f" (tasks: {tasks})" if tasks else "")


def _print_output(info: RunInfo) -> None:
    """On a terminal nothing is said of a run that gives nothing; in a pipe it is null, which is JSON too."""
    text = json_text(info.output, is_pretty=True)
    if not is_terminal(answer_stream()):
        write_answer(text)
    elif info.output is not None:
        from rich.highlighter import JSONHighlighter

        answer_console().print(JSONHighlighter()(visible(text)))


def _facts(info: RunInfo) -> dict[str, object]:
    return {
        "run": info.id,
        "key": info.key,
        "workflow": info.workflow,
        "version": info.version,
        "status": info.status,
        "output": info.output,
        "failure": info.failure,
        "created_at": info.created_at,
        "started_at": info.started_at,
        "finished_at": info.finished_at,
    }
