"""The live view of a run in a terminal, redrawn in place.

`draw` is a pure function from what is known to lines of text that fit the terminal, however many tasks there
are: what has failed, asks for something or runs goes before what has ended or has yet to begin.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.text import Span, Text

from holdfast.cli.database_options import DatabaseOptions
from holdfast.cli.views.output import COLOURS, between, can_show_unicode, glyph, span_text, task_label
from holdfast.cli.views.progress import BranchesLine, RunProgress, TaskLine
from holdfast.cli.views.visible import log_line, one_line, visible
from holdfast.cli.views.wording import (
    asked_of,
    attempt_text,
    cursor_text,
    own_words,
    retry_text,
    skip_text,
    visits_text,
    wait_of,
    waits_text,
    wanted_of,
)
from holdfast.cli.watching import RunSnapshot
from holdfast.client.logs import LogLine
from holdfast.client.run import RunInfo, TaskInfo
from holdfast.core.values import TaskStatus

_TAIL = 8
"""Lines of a failed task that are shown while the run goes on; at the end twice as many."""
_MOST_TAILS = 300
_MOST_FAILURES = 3
"""Items of a fan-out whose logs are shown."""
_MOST_LINES = 200
"""Of tasks, in the picture that stays on the screen."""
_STATE = 9
_TIME = 11
_BAR = 20
_NARROW = 60
"""Columns under which times are left out."""
_ENOUGH = 30
"""Columns of detail with which a line can do. Where there are fewer, what does not fit stands beneath it."""
_MOST_FOLDED = 3
"""Lines that it may have there."""
_WIDE = 100
"""Columns from which bars are long."""

_INDENT = " " * 6
_FOLDS = Console()
"""Folds text; nothing is written to it."""

_WORD = re.compile(r"""(?:\$'(?:\\.|[^'\\])*'|'[^']*'|"[^"]*"|[^\s'"])+""")
"""Of a command, as `DatabaseOptions.command` quotes them."""

_URGENCY = {"failed": 0, "asking": 1, "retrying": 2, "running": 2, "queued": 3, "cancelled": 4, "success": 5}


class Tails:
    """The last lines that tasks have said, of those that said something last."""

    def __init__(self) -> None:
        self._lines: OrderedDict[tuple[str, int | None], deque[LogLine]] = OrderedDict()

    def add(self, lines: Iterable[LogLine]) -> None:
        for line in lines:
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
        """The last one of whichever item."""
        for (name, _), tail in reversed(self._lines.items()):
            if name == task and tail:
                return tail[-1]
        return None


class ViewSize(NamedTuple):
    """What a picture is drawn for."""

    width: int
    height: int | None
    """None: as high as it likes."""
    now: dt.datetime
    unicode: bool


class LiveView:
    def __init__(self, console: Console, place: DatabaseOptions) -> None:
        self._console = console
        self._place = place
        self._tails = Tails()
        self._live: Live | None = None
        self._is_hidden = False
        self._unicode = can_show_unicode(console)

    def show(self, news: RunSnapshot) -> None:
        self._tails.add(news.lines)
        if self._is_hidden:
            return
        if self._live is None:
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        size = self._console.size
        frame = ViewSize(size.width, size.height, dt.datetime.now(dt.UTC), self._unicode)
        self._live.update(Group(*draw(news, self._tails, self._place, frame)), refresh=True)

    def hide(self) -> None:
        self._is_hidden = True
        if self._live is not None:
            self._live.stop()
            self._live = None

    def reveal(self) -> None:
        self._is_hidden = False

    def finish(self, news: RunSnapshot) -> None:
        self._tails.add(news.lines)
        self.hide()
        frame = ViewSize(self._console.size.width, None, dt.datetime.now(dt.UTC), self._unicode)
        for text in draw(news, self._tails, self._place, frame):
            self._console.print(text, soft_wrap=False)


# --- drawing


def draw(news: RunSnapshot, tails: Tails, place: DatabaseOptions, frame: ViewSize) -> list[Text]:
    """Lines that fit the frame."""
    info, board = news.info, news.board
    header = _header(info, frame)
    most = _MOST_LINES if frame.height is None else max(1, frame.height - 2 - int(news.cursor is not None))
    shown = _choose(board, most)
    columns = _columns(shown, frame)
    rows: list[Text] = []
    room = None if frame.height is None else max(0, most - len(shown) - int(len(shown) < len(board.lines)))
    for line in shown:
        row, extra = _row(line, news, tails, place, columns, frame)
        rows.append(row)
        extra += _beneath(line, info, tails, place, frame)
        if room is not None:
            extra = extra[:room]
            room -= len(extra)
        rows += extra
    if len(shown) < len(board.lines):
        rows.append(_others(board, shown))
    if news.cursor is not None:
        rows.append(Text(f"    {one_line(cursor_text(news.cursor))}", style="dim"))
    elif info.waiting and not any(line.task for line in board.lines.values()):
        rows.append(Text(f"    {one_line(waits_text(info.waiting))}", style="magenta"))
    texts = [_made_visible(text) for text in (header, *rows)]
    for text in texts:
        text.no_wrap = True
        text.overflow = "ellipsis"
        text.truncate(frame.width, overflow="ellipsis")
    return texts


def _made_visible(text: Text) -> Text:
    """Names and ids, which may be any text, go to the terminal as whatever they are of."""
    shown = visible(text.plain, keep="")
    if shown == text.plain:
        return text
    places = [0]
    for each in text.plain:
        places.append(places[-1] + len(visible(each, keep="")))
    spans = [Span(places[span.start], places[span.end], span.style) for span in text.spans]
    return Text(shown, style=text.style, spans=spans)


def _header(info: RunInfo, frame: ViewSize) -> Text:
    took = between(info.started_at or info.created_at, info.finished_at, frame.now)
    text = Text(info.workflow, style="bold")
    text.append(f"  {info.status}", style=COLOURS.get(info.status, ""))
    text.append(f"  {span_text(took)}" if took is not None else "")
    text.append(f"  {info.id}", style="dim")
    return text


def _choose(board: RunProgress, most: int) -> list[TaskLine]:
    """Those that people want to see, in their order."""
    lines = list(board.lines.values())
    if len(lines) <= most:
        return lines
    places = range(len(lines))

    def urgency(place: int) -> tuple[int, float]:
        line = lines[place]
        # Of what has ended the latest, of what has yet to begin the next.
        ended = -line.finished_at.timestamp() if line.finished_at is not None else float(place)
        return _URGENCY.get(line.state, 6), ended

    chosen = sorted(sorted(places, key=urgency)[: max(0, most - 1)])
    return [lines[place] for place in chosen]


def _others(board: RunProgress, shown: Sequence[TaskLine]) -> Text:
    counts = board.totals()
    for line in shown:
        counts[line.state] -= 1
    words = ", ".join(f"{count} {state}" for state, count in counts.most_common() if count > 0)
    return Text(f"    and {sum(counts.values())} more: {words}", style="dim")


class _Columns(NamedTuple):
    name: int
    indent: int
    """Columns for each level of depth."""
    has_time: bool

    @property
    def before_detail(self) -> int:
        time = 1 + _TIME if self.has_time else 0
        return len("  + ") + self.name + len("  ") + _STATE + time + len("  ")


def _columns(lines: Sequence[TaskLine], frame: ViewSize) -> _Columns:
    indent = 2 if frame.width >= _NARROW else 1
    widest = max((_depth(line) * indent + cell_len(line.name) for line in lines), default=0)
    return _Columns(min(widest, max(8, frame.width * 2 // 5)), indent, frame.width >= _NARROW)


def _depth(line: TaskLine) -> int:
    return min(line.depth, 8)


def _row(
    line: TaskLine,
    news: RunSnapshot,
    tails: Tails,
    place: DatabaseOptions,
    columns: _Columns,
    frame: ViewSize,
) -> tuple[Text, list[Text]]:
    """The line, and what of it there is no room for beside the rest."""
    asked = asked_of(line, news.info.id, place)
    state = "asking" if asked is not None else line.state
    is_left_out = state == "waiting" and news.info.status.is_final
    colour = COLOURS.get(state, "")
    name = Text(" " * (_depth(line) * columns.indent) + line.name)
    name.truncate(columns.name, overflow="ellipsis", pad=True)
    text = Text(style="dim" if colour == "dim" else "")
    text.append(f"  {glyph(state, unicode=frame.unicode)} ", style=colour)
    text.append_text(name)
    word = "asks" if asked is not None else "not begun" if is_left_out else state
    text.append(f"  {word:<{_STATE}}", style=colour)
    if columns.has_time:
        took = between(line.started_at, line.finished_at if line.is_over else None, frame.now)
        text.append(f" {span_text(took) if took is not None else '':>{_TIME}}", style="dim")
    text.append("  ")
    detail = Text()
    if asked is not None:
        detail = Text(asked.words, style=colour)
    elif not is_left_out:
        detail = _detail(line, news, tails, frame)
    room = frame.width - columns.before_detail
    # What a task says while it runs comes and goes: it is cut, and the lines below it stay where they are.
    if room >= _ENOUGH or detail.cell_len <= room or (state == "running" and not line.is_fan_out):
        text.append_text(detail)
        detail = Text()
    text.rstrip()
    return text, _folded(detail, frame)


def _folded(detail: Text, frame: ViewSize) -> list[Text]:
    """On lines of its own, between words."""
    lines = list(detail.wrap(_FOLDS, max(1, frame.width - len(_INDENT))))
    if len(lines) > _MOST_FOLDED:
        lines[_MOST_FOLDED - 1].rstrip()
        lines[_MOST_FOLDED - 1].append("…")
    return [Text.assemble(_INDENT, each) for each in lines[:_MOST_FOLDED] if each.plain.strip()]


def _detail(line: TaskLine, news: RunSnapshot, tails: Tails, frame: ViewSize) -> Text:
    if line.is_empty:
        return Text("no items", style="dim")
    if line.is_fan_out and line.asked_for and line.state != "skipped":
        return _fan_out(line, frame)
    match line.state:
        case "failed":
            tried = [visits_text(line), attempt_text(line.attempt, line.lost, line.most_attempts)]
            parts = (", ".join(each for each in tried if each), _problem(line))
            return Text(": ".join(each for each in parts if each), style="red")
        case "skipped":
            return Text(skip_text(line, news.board), style="dim")
        case "waiting" if line.task is not None and line.task.depends_on:
            return Text(f"for {', '.join(line.task.depends_on)}", style="dim")
        case "running" | "retrying":
            return _under_way(line, news.board, tails, frame)
        case _:
            parts = [visits_text(line), attempt_text(line.attempt, line.lost, line.most_attempts)]
            parts.append(wanted_of(line))
            parts.append(f"{line.lost} lost" if line.lost else "")
            return Text(", ".join(each for each in parts if each), style="dim")


def _under_way(line: TaskLine, board: RunProgress, tails: Tails, frame: ViewSize) -> Text:
    task = next(iter(line.active.values()), None)
    waits, visits = wait_of(line), visits_text(line)
    if task is None or waits is not None:
        return Text(", ".join(each for each in (visits, waits) if each), style="dim")
    setback = board.setbacks.get(task.seq)
    text = Text(", ".join(each for each in (visits, _retry(task, line, frame)) if each), style="yellow")
    if setback is not None and setback.problem:
        text.append(f"{': ' if text else ''}{one_line(own_words(setback.problem, line.name))}", style="red")
    latest = tails.latest(line.name)
    if latest is not None and task.retry_at is None and latest.attempt == task.attempt:
        text.append(f"{'  ' if text else ''}{one_line(latest.text)}", style="dim")
    return text


def _fan_out(line: TaskLine, frame: ViewSize) -> Text:
    total, failed, cancelled = (
        line.expected,
        line.counts[TaskStatus.FAILED],
        line.counts[TaskStatus.CANCELLED],
    )
    parts = [(line.counts[TaskStatus.SUCCESS], "green"), (failed, "red"), (cancelled, "yellow")]
    if isinstance(line, BranchesLine):
        text = Text(f"{line.done - cancelled:,} done")
    else:
        text = _bar(parts, total, frame) if frame.width >= _NARROW else Text()
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
        soonest = min(again, key=lambda task: (task.retry_at or frame.now, task.seq))
        text.append(f"  {len(again):,} retrying", style="yellow")
        text.append(
            f" ({task_label(line.name, soonest.index)} {_retry(soonest, line, frame)})", style="yellow"
        )
    if line.lost:
        text.append(f"  {line.lost:,} lost", style="red")
    return text


def _problem(line: TaskLine) -> str:
    """Of the first that failed."""
    return one_line(own_words(line.failed[0].problem or "", line.name)) if line.failed else ""


def _retry(task: TaskInfo, line: TaskLine, frame: ViewSize) -> str:
    parts = [attempt_text(task.attempt, task.lost, line.most_attempts), retry_text(task.retry_at, frame.now)]
    return ", ".join(each for each in parts if each)


def _bar(parts: Sequence[tuple[int, str]], total: int, frame: ViewSize) -> Text:
    """Full only when all is done, and each part that is there is seen, however small."""
    width = _BAR if frame.width >= _WIDE else _BAR // 2
    full, empty = ("━", "─") if frame.unicode else ("#", "-")
    there = sorted((count, style) for count, style in parts if count)
    done = sum(count for count, _ in there)
    filled = width if done >= total else max(len(there), min(width - 1, done * width // total))
    shares: dict[str, int] = {}
    for number, (count, style) in enumerate(there, 1):  # the largest last, which takes what is left
        is_largest = number == len(there)
        shares[style] = filled - sum(shares.values()) if is_largest else max(1, count * filled // done)
    text = Text()
    for _, style in parts:
        text.append(full * shares.get(style, 0), style=style)
    text.append(empty * (width - len(text)), style="dim")
    return text


def _beneath(
    line: TaskLine, info: RunInfo, tails: Tails, place: DatabaseOptions, frame: ViewSize
) -> list[Text]:
    """The command that answers what it asks for, or the last words of what failed."""
    asked = asked_of(line, info.id, place)
    if asked is not None:
        return [Text(each, style="bold") for each in _command_lines(asked.command, frame.width)]
    rows: list[Text] = []
    most = 2 * _TAIL if frame.height is None else _TAIL
    for task in line.failed[:_MOST_FAILURES]:
        prefix = f"{task_label(line.name, task.index)} " if task.index is not None else ""
        rule = "│" if frame.unicode else "|"
        for said in list(tails.of(line.name, task.index))[-most:]:
            rows.append(Text(f"      {prefix}{rule} {log_line(said.text.expandtabs(), 300)}", style="dim"))
    return rows


def _command_lines(command: str, width: int) -> Iterator[str]:
    """On several lines if it must be, which mean the same when they are pasted."""
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
