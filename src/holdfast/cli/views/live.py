"""The live view of a run in a terminal, redrawn in place.

`draw` is a pure function from a snapshot to lines that fit the terminal, however many tasks there are. Tasks
that failed, that wait for a person, or that run are preferred over tasks that have ended or not begun.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, Group
from rich.file_proxy import FileProxy
from rich.live import Live
from rich.text import Span, Text

from holdfast.authoring.outline import TaskRows
from holdfast.cli.database import DatabaseOptions
from holdfast.cli.views.above_view import prints_above
from holdfast.cli.views.output import (
    COLOURS,
    PRINTED,
    between,
    can_show_unicode,
    glyph,
    json_text,
    log_label,
    span_text,
    task_label,
)
from holdfast.cli.views.progress import BranchesLine, RunProgress, RunSnapshot, TaskLine
from holdfast.cli.views.visible import log_line, one_line, visible
from holdfast.cli.views.wording import (
    attempt_text,
    cursor_text,
    inner_wait_text,
    outside_wait,
    retry_text,
    skip_text,
    visits_text,
    waits_text,
    without_task_name,
    worker_wait_text,
)
from holdfast.client.logs import LogLine
from holdfast.client.run import RunInfo, TaskInfo
from holdfast.core.values import TaskStatus

_TAIL = 8
"""Log lines shown of a failed task while the run goes on; twice as many at the end."""
_MOST_TAILS = 300
_MOST_FAILURES = 3
"""Failed items of a fan-out whose logs are shown."""
_MOST_LINES = 200
"""Task lines in the final picture."""
_STATE = 9
_TIME = 11
_BAR = 20
_NARROW = 60
"""In a terminal with fewer columns, times are left out."""
_DETAIL_WIDTH = 30
"""Columns that the detail of a line needs. With fewer, the detail is moved below the line."""
_MOST_WRAPPED = 3
"""Lines of a detail below its line."""
_WIDE = 100
"""In a terminal with this many columns, bars are long."""

_INDENT = " " * 6
_LONGEST_PROGRESS = 60
"""How many characters of heartbeat details are shown, so that there is room for the last log line."""
_WRAPPER = Console()
"""Only wraps text; nothing is written to it."""

_WORD = re.compile(r"""(?:\$'(?:\\.|[^'\\])*'|'[^']*'|"[^"]*"|[^\s'"])+""")
"""A word of a command, as `DatabaseOptions.command` quotes it."""

_URGENCY = {"failed": 0, "asking": 1, "retrying": 2, "running": 2, "queued": 3, "cancelled": 4, "success": 5}


class LogTails:
    """The last log lines of the tasks that wrote most recently."""

    def __init__(self) -> None:
        self._lines: OrderedDict[tuple[str, int | None], deque[LogLine]] = OrderedDict()

    def add(self, lines: Iterable[LogLine]) -> None:
        for line in lines:
            if line.task is None:
                continue  # shown above the view
            key = (line.task, line.index)
            tail = self._lines.setdefault(key, deque(maxlen=2 * _TAIL))
            if tail and tail[-1].attempt != line.attempt:
                tail.clear()
            tail.append(line)
            self._lines.move_to_end(key)
        while len(self._lines) > _MOST_TAILS:
            self._lines.popitem(last=False)

    def of(self, task: str, index: int | None) -> Sequence[LogLine]:
        return self._lines.get((task, index), ())

    def latest(self, task: str) -> LogLine | None:
        """The last line of any item."""
        for (name, _), tail in reversed(self._lines.items()):
            if name == task and tail:
                return tail[-1]
        return None


class ViewSize(NamedTuple):
    """The terminal and the time that a picture is drawn for."""

    width: int
    height: int | None
    """None: no limit."""
    now: dt.datetime
    unicode: bool


class LiveView:
    def __init__(self, console: Console, database: DatabaseOptions) -> None:
        self._console = console
        self._database = database
        self._tails = LogTails()
        self._live: Live | None = None
        self._above: FileProxy | None = None
        self._is_hidden = False
        self._unicode = can_show_unicode(console)

    def prints_above(self) -> AbstractContextManager[None]:
        """While the view is on the screen, what this process prints appears above it."""
        return prints_above(lambda: self._above)

    def show(self, snapshot: RunSnapshot) -> None:
        self._add(snapshot)
        if self._is_hidden:
            return
        if self._live is None:
            self._live = Live(
                console=self._console,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
            self._above = FileProxy(self._console, self._console.file)
        width, height = self._console.size
        size = ViewSize(width, height, dt.datetime.now(dt.UTC), self._unicode)
        self._live.update(Group(*draw(snapshot, self._tails, self._database, size)), refresh=True)

    def hide(self) -> None:
        self._is_hidden = True
        if self._above is not None:
            self._above.flush()
            self._above = None
        if self._live is not None:
            self._live.stop()
            self._live = None

    def reveal(self) -> None:
        self._is_hidden = False

    def _add(self, snapshot: RunSnapshot) -> None:
        self._tails.add(snapshot.lines)
        for line in snapshot.lines:
            # What the code prints is on the screen already.
            if line.task is None and line.stream not in PRINTED:
                self._console.print(Text(f"{log_label(None, None)} | {log_line(line.text)}"))

    def finish(self, snapshot: RunSnapshot) -> None:
        self._add(snapshot)
        self.hide()
        size = ViewSize(self._console.size.width, None, dt.datetime.now(dt.UTC), self._unicode)
        for text in draw(snapshot, self._tails, self._database, size):
            self._console.print(text, soft_wrap=False)


# --- drawing


def draw(snapshot: RunSnapshot, tails: LogTails, database: DatabaseOptions, size: ViewSize) -> list[Text]:
    """Lines that fit the terminal."""
    info, progress = snapshot.info, snapshot.progress
    header = _header(info, size)
    most = _MOST_LINES if size.height is None else max(1, size.height - 2 - int(snapshot.cursor is not None))
    shown = _choose(progress, most)
    columns = _columns(shown, size)
    rows: list[Text] = []
    room = None if size.height is None else max(0, most - len(shown) - int(len(shown) < len(progress.lines)))
    for line in shown:
        row, extra = _row(line, snapshot, tails, database, columns, size)
        rows.append(row)
        extra += _below(line, info, tails, database, size)
        if room is not None:
            extra = extra[:room]
            room -= len(extra)
        rows += extra
    if len(shown) < len(progress.lines):
        rows.append(_others(progress, shown))
    if snapshot.cursor is not None:
        rows.append(Text(f"    {one_line(cursor_text(snapshot.cursor))}", style="dim"))
    elif info.waiting and all(line.outline.rows is not TaskRows.ITEMS for line in progress.lines.values()):
        rows.append(Text(f"    {one_line(waits_text(info.waiting))}", style="magenta"))
    texts = [_made_visible(text) for text in (header, *rows)]
    for text in texts:
        text.no_wrap = True
        text.overflow = "ellipsis"
        text.truncate(size.width, overflow="ellipsis")
    return texts


def _made_visible(text: Text) -> Text:
    """Escapes control characters in names and ids, and moves the styles along."""
    shown = visible(text.plain, keep="")
    if shown == text.plain:
        return text
    offsets = [0]
    for each in text.plain:
        offsets.append(offsets[-1] + len(visible(each, keep="")))
    spans = [Span(offsets[span.start], offsets[span.end], span.style) for span in text.spans]
    return Text(shown, style=text.style, spans=spans)


def _header(info: RunInfo, size: ViewSize) -> Text:
    took = between(info.started_at or info.created_at, info.finished_at, size.now)
    text = Text(info.workflow, style="bold")
    text.append(f"  {info.status}", style=COLOURS.get(info.status, ""))
    text.append(f"  {span_text(took)}" if took is not None else "")
    text.append(f"  {info.id}", style="dim")
    return text


def _choose(progress: RunProgress, most: int) -> list[TaskLine]:
    """The lines that matter most, in their order."""
    lines = list(progress.lines.values())
    if len(lines) <= most:
        return lines

    def urgency(position: int) -> tuple[int, float]:
        line = lines[position]
        # The latest of those that have ended, the first of those that have not begun.
        order = -line.finished_at.timestamp() if line.finished_at is not None else float(position)
        return _URGENCY.get(line.state, 6), order

    chosen = sorted(sorted(range(len(lines)), key=urgency)[: max(0, most - 1)])
    return [lines[position] for position in chosen]


def _others(progress: RunProgress, shown: Sequence[TaskLine]) -> Text:
    counts = progress.totals()
    for line in shown:
        counts[line.state] -= 1
    words = ", ".join(f"{count} {state}" for state, count in counts.most_common() if count > 0)
    return Text(f"    and {sum(counts.values())} more: {words}", style="dim")


class _Columns(NamedTuple):
    name: int
    indent: int
    """Columns per level of depth."""
    has_time: bool

    @property
    def before_detail(self) -> int:
        time = 1 + _TIME if self.has_time else 0
        return len("  + ") + self.name + len("  ") + _STATE + time + len("  ")


def _columns(lines: Sequence[TaskLine], size: ViewSize) -> _Columns:
    indent = 2 if size.width >= _NARROW else 1
    widest = max((_depth(line) * indent + cell_len(line.name) for line in lines), default=0)
    return _Columns(min(widest, max(8, size.width * 2 // 5)), indent, size.width >= _NARROW)


def _depth(line: TaskLine) -> int:
    return min(line.depth, 8)


def _row(
    line: TaskLine,
    snapshot: RunSnapshot,
    tails: LogTails,
    database: DatabaseOptions,
    columns: _Columns,
    size: ViewSize,
) -> tuple[Text, list[Text]]:
    """The line, and its detail on further lines if it does not fit beside the rest."""
    wait = outside_wait(line, snapshot.info.id, database)
    state = "asking" if wait is not None else line.state
    is_left_out = state == "waiting" and snapshot.info.status.is_final
    colour = COLOURS.get(state, "")
    name = Text(" " * (_depth(line) * columns.indent) + line.name)
    name.truncate(columns.name, overflow="ellipsis", pad=True)
    text = Text(style="dim" if colour == "dim" else "")
    text.append(f"  {glyph(state, unicode=size.unicode)} ", style=colour)
    text.append_text(name)
    word = "asks" if wait is not None else "not begun" if is_left_out else state
    text.append(f"  {word:<{_STATE}}", style=colour)
    if columns.has_time:
        took = between(line.started_at, line.finished_at if line.is_over else None, size.now)
        text.append(f" {span_text(took) if took is not None else '':>{_TIME}}", style="dim")
    text.append("  ")
    detail = Text()
    if wait is not None:
        detail = Text(wait.text, style=colour)
    elif not is_left_out:
        detail = _detail(line, snapshot, tails, size)
    room = size.width - columns.before_detail
    # The last log line of a running task changes often. It is cut, so that the lines below do not move.
    if room >= _DETAIL_WIDTH or detail.cell_len <= room or (state == "running" and not line.is_fan_out):
        text.append_text(detail)
        detail = Text()
    text.rstrip()
    return text, _wrapped(detail, size)


def _wrapped(detail: Text, size: ViewSize) -> list[Text]:
    """Wraps the detail between words, into lines of its own."""
    lines = list(detail.wrap(_WRAPPER, max(1, size.width - len(_INDENT))))
    if len(lines) > _MOST_WRAPPED:
        lines[_MOST_WRAPPED - 1].rstrip()
        lines[_MOST_WRAPPED - 1].append("…")
    return [Text.assemble(_INDENT, each) for each in lines[:_MOST_WRAPPED] if each.plain.strip()]


def _detail(line: TaskLine, snapshot: RunSnapshot, tails: LogTails, size: ViewSize) -> Text:
    if line.is_empty:
        return Text("no items", style="dim")
    if line.is_fan_out and line.asked_for and line.state != "skipped":
        return _fan_out(line, size)
    match line.state:
        case "failed":
            tried = [visits_text(line), attempt_text(line.attempt, line.lost, line.outline.max_attempts)]
            parts = (", ".join(each for each in tried if each), _problem(line))
            return Text(": ".join(each for each in parts if each), style="red")
        case "skipped":
            return Text(skip_text(line, snapshot.progress), style="dim")
        case "waiting" if line.outline.depends_on:
            return Text(f"for {', '.join(line.outline.depends_on)}", style="dim")
        case "running" | "retrying":
            return _under_way(line, snapshot.progress, tails, size)
        case _:
            parts = [visits_text(line), attempt_text(line.attempt, line.lost, line.outline.max_attempts)]
            parts.append(worker_wait_text(line))
            parts.append(f"{line.lost} lost" if line.lost else "")
            return Text(", ".join(each for each in parts if each), style="dim")


def _under_way(line: TaskLine, progress: RunProgress, tails: LogTails, size: ViewSize) -> Text:
    task = next(iter(line.active.values()), None)
    wait, visits = inner_wait_text(line), visits_text(line)
    if task is None or wait is not None:
        return Text(", ".join(each for each in (visits, wait) if each), style="dim")
    unsuccessful = progress.unsuccessful.get(task.seq)
    text = Text(", ".join(each for each in (visits, _retry(task, line, size)) if each), style="yellow")
    if unsuccessful is not None and unsuccessful.problem:
        text.append(
            f"{': ' if text else ''}{one_line(without_task_name(unsuccessful.problem, line.name))}",
            style="red",
        )
    if task.progress is not None:
        text.append(f"{'  ' if text else ''}{one_line(json_text(task.progress), _LONGEST_PROGRESS)}")
    latest = tails.latest(line.name)
    if latest is not None and task.retry_at is None and latest.attempt == task.attempt:
        text.append(f"{'  ' if text else ''}{one_line(latest.text)}", style="dim")
    return text


def _fan_out(line: TaskLine, size: ViewSize) -> Text:
    total, failed, cancelled = (
        line.expected,
        line.counts[TaskStatus.FAILED],
        line.counts[TaskStatus.CANCELLED],
    )
    parts = [(line.counts[TaskStatus.SUCCESS], "green"), (failed, "red"), (cancelled, "yellow")]
    if isinstance(line, BranchesLine):
        text = Text(f"{line.done - cancelled:,} done")
    else:
        text = _bar(parts, total, size) if size.width >= _NARROW else Text()
        text.append(f"{' ' if text else ''}{line.done - cancelled:,}/{total:,}")
    if failed:
        text.append(f"  {failed:,} failed", style="red")
    if cancelled:
        text.append(f"  {cancelled:,} cancelled", style="yellow")
    if line.is_over:
        if line.failed:
            text.append(f"  {_problem(line)}", style="red")
        return text
    if line.running:
        text.append(f"  {line.running:,} running", style="cyan")
    again = [task for task in line.active.values() if task.retry_at is not None]
    if again:
        soonest = min(again, key=lambda task: (task.retry_at or size.now, task.seq))
        text.append(f"  {len(again):,} retrying", style="yellow")
        text.append(
            f" ({task_label(line.name, soonest.index)} {_retry(soonest, line, size)})", style="yellow"
        )
    if line.lost:
        text.append(f"  {line.lost:,} lost", style="red")
    return text


def _problem(line: TaskLine) -> str:
    """The problem of the first task that failed."""
    return one_line(without_task_name(line.failed[0].problem or "", line.name)) if line.failed else ""


def _retry(task: TaskInfo, line: TaskLine, size: ViewSize) -> str:
    parts = [
        attempt_text(task.attempt, task.lost, line.outline.max_attempts),
        retry_text(task.retry_at, size.now),
    ]
    return ", ".join(each for each in parts if each)


def _bar(parts: Sequence[tuple[int, str]], total: int, size: ViewSize) -> Text:
    """Full only when everything is done. Each part is visible, however small."""
    width = _BAR if size.width >= _WIDE else _BAR // 2
    full, empty = ("━", "─") if size.unicode else ("#", "-")
    counts = sorted((count, style) for count, style in parts if count)
    done = sum(count for count, _ in counts)
    filled = width if done >= total else max(len(counts), min(width - 1, done * width // total))
    shares: dict[str, int] = {}
    for number, (count, style) in enumerate(counts, 1):  # the largest comes last and takes the rest
        is_largest = number == len(counts)
        shares[style] = filled - sum(shares.values()) if is_largest else max(1, count * filled // done)
    text = Text()
    for _, style in parts:
        text.append(full * shares.get(style, 0), style=style)
    text.append(empty * (width - len(text)), style="dim")
    return text


def _below(
    line: TaskLine, info: RunInfo, tails: LogTails, database: DatabaseOptions, size: ViewSize
) -> list[Text]:
    """The command that ends the wait, or the last log lines of tasks that failed."""
    wait = outside_wait(line, info.id, database)
    if wait is not None:
        return [Text(each, style="bold") for each in _command_lines(wait.command, size.width)]
    rows: list[Text] = []
    most = 2 * _TAIL if size.height is None else _TAIL
    for task in line.failed[:_MOST_FAILURES]:
        prefix = f"{task_label(line.name, task.index)} " if task.index is not None else ""
        rule = "│" if size.unicode else "|"
        for logged in list(tails.of(line.name, task.index))[-most:]:
            rows.append(Text(f"      {prefix}{rule} {log_line(logged.text.expandtabs(), 300)}", style="dim"))
    return rows


def _command_lines(command: str, width: int) -> Iterator[str]:
    """The command on one line, or on several with a backslash at the end, so that it can be pasted."""
    if len(_INDENT) + len(command) <= width:
        yield _INDENT + command
        return
    line = ""
    for word in _WORD.findall(command):
        if line and len("  ") + len(line) + 1 + len(word) + len(" \\") > width:
            yield f"  {line} \\"
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield f"  {line}"
