"""Pictures of runs, as text: what is drawn for what, at whatever size."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from tests.cli.builders import DATABASE, after, attempt, dag, info, said, snapshot, task

from holdfast.cli.database import DatabaseOptions
from holdfast.cli.views.live import LogTails, ViewSize, draw
from holdfast.cli.views.progress import RunProgress, RunSnapshot
from holdfast.cli.views.visible import shell_word
from holdfast.settings import Settings


def picture(
    seen: RunSnapshot,
    *,
    width: int = 100,
    height: int | None = 24,
    seconds: float = 3,
    unicode: bool = True,
) -> list[str]:
    tails = LogTails()
    tails.add(seen.lines)
    return [
        text.plain for text in draw(seen, tails, DATABASE, ViewSize(width, height, after(seconds), unicode))
    ]


def line_of(lines: Sequence[str], name: str) -> str:
    return next(line for line in lines if re.search(rf"\b{name}\b", line))


def test_the_head_says_what_runs_how_it_stands_how_long_and_by_which_name():
    assert picture(snapshot(RunProgress()))[0] == "test  running  3.0 s  order-42"
    assert picture(snapshot(RunProgress(), "failed"))[0] == "test  failed  5.0 s  order-42"


def test_a_run_without_tasks_is_only_its_head():
    assert len(picture(snapshot(RunProgress()))) == 1


def test_each_state_has_a_word_and_a_glyph():
    progress = RunProgress()
    progress.apply(
        [
            task(0, "done", "success"),
            task(1, "bad", "failed", problem="exited with code 3"),
            task(2, "busy", "running"),
            task(3, "handed", "dispatched"),
            task(4, "later", "pending"),
            task(5, "again", "pending", attempt=2, retry_at=after(8)),
            task(6, "ended", "cancelled"),
            task(7, "left", "skipped"),
        ]
    )

    lines = picture(snapshot(progress))

    assert line_of(lines, "done") == "  ✓ done    success         2.0 s"
    assert line_of(lines, "bad") == "  ✗ bad     failed          2.0 s  exited with code 3"
    assert line_of(lines, "busy") == "  ● busy    running         3.0 s"
    assert line_of(lines, "handed") == "  ● handed  running"
    assert line_of(lines, "later") == "  · later   queued"
    assert line_of(lines, "again") == "  ↻ again   retrying               attempt 2, again in 5.0 s"
    assert line_of(lines, "ended") == "  ⊘ ended   cancelled       2.0 s"
    assert line_of(lines, "left") == "  – left    skipped"


def test_without_unicode_everything_is_ascii():
    progress = RunProgress(dag("  each: {parallel: 4, command: x}\n"))
    progress.apply([task(0, "each", "success", count=4), task(1, "each", "failed", count=4)])

    lines = picture(snapshot(progress), unicode=False)

    assert (
        lines[1]
        == "  * each  running         3.0 s  #####xxxxx----------".replace("x", "#") + " 2/4  1 failed"
    )
    assert all(line.isascii() for line in lines)


def test_a_hundred_thousand_tasks_are_one_line():
    progress = RunProgress(dag("  each: {parallel: 100000, concurrency: 100, command: x}\n"))
    progress.apply(task(seq, "each", "success", count=100_000) for seq in range(43_210))
    progress.apply(task(seq, "each", "running", count=100_000) for seq in range(43_210, 43_310))

    lines = picture(snapshot(progress))

    assert lines[1:] == ["  ● each  running         3.0 s  ━━━━━━━━──────────── 43,210/100,000  100 running"]


def test_a_bar_is_full_only_when_all_is_done_and_a_lone_failure_is_seen_in_it():
    progress = RunProgress()
    progress.apply(task(seq, "a", "failed" if seq == 5 else "success", count=1000) for seq in range(999))
    progress.apply([task(999, "a", "running", count=1000)])

    almost = picture(snapshot(progress))[1]
    progress.apply([task(999, "a", "success", count=1000)])
    whole = picture(snapshot(progress))[1]

    assert "━" * 19 + "─ 999/1,000  1 failed" in almost
    assert "━" * 20 + " 1,000/1,000  1 failed" in whole


def test_what_is_tried_again_says_when_how_often_and_why():
    progress = RunProgress(dag("  work: {command: x, retries: {max_attempts: 5}}\n"))
    progress.apply([task(0, "work", "pending", attempt=2, retry_at=after(4.5))])
    progress.note_attempts([attempt(0, problem="exited with code 7")])

    waiting = picture(snapshot(progress))[1]
    progress.apply([task(0, "work", "running", attempt=2)])
    running = picture(snapshot(progress))[1]

    assert waiting.endswith("retrying               attempt 2 of 5, again in 1.5 s: exited with code 7")
    assert running.endswith("attempt 2 of 5: exited with code 7")


def test_lost_attempts_do_not_count_against_the_retries():
    progress = RunProgress(dag("  work: {command: x, retries: {max_attempts: 2}}\n"))

    progress.apply([task(0, "work", "running", attempt=3, lost=2)])

    assert "attempt 3 of 4" in picture(snapshot(progress))[1]


def test_attempts_of_a_run_that_was_opened_again_have_no_limit_to_show():
    progress = RunProgress(dag("  work: {command: x, retries: {max_attempts: 2}}\n"))

    progress.apply([task(0, "work", "running", attempt=3)])

    assert picture(snapshot(progress))[1].endswith("attempt 3")


def test_items_of_a_fan_out_that_are_tried_again_are_counted_and_the_next_is_named():
    progress = RunProgress(dag("  each: {parallel: 4, command: x, retries: {max_attempts: 3}}\n"))
    progress.apply([task(seq, "each", "running", index=seq, count=4) for seq in range(2)])
    progress.apply([task(2, "each", "pending", index=2, count=4, attempt=3, retry_at=after(9))])
    progress.apply([task(3, "each", "pending", index=3, count=4, attempt=2, retry_at=after(5))])

    line = picture(snapshot(progress), width=150)[1]

    assert line.endswith(" 0/4  2 running  2 retrying (each[3] attempt 2 of 3, again in 2.0 s)")


def test_the_newest_word_of_a_running_task_is_shown_but_not_that_of_its_last_attempt():
    progress = RunProgress()
    progress.apply([task(0, "work", "running", attempt=2)])

    old = picture(snapshot(progress, lines=[said("work", "trying", attempt=1)]))[1]
    new = picture(snapshot(progress, lines=[said("work", "40 %"), said("work", "80 %", attempt=2)]))[1]

    assert "trying" not in old
    assert new.endswith("attempt 2  80 %")


def test_the_last_words_of_what_failed_are_below_it_and_nobody_elses():
    progress = RunProgress()
    progress.apply([task(0, "bad", "failed", problem="x"), task(1, "good", "success")])
    lines = [said("bad", f"line {number}") for number in range(30)] + [said("good", "fine")]

    shown = picture(snapshot(progress, lines=lines))

    assert shown[2:-1] == [f"      │ line {number}" for number in range(22, 30)]
    assert not any("fine" in line for line in shown)


def test_the_last_words_are_those_of_the_last_attempt():
    progress = RunProgress()
    progress.apply([task(0, "bad", "failed", attempt=2, problem="x")])

    shown = picture(snapshot(progress, lines=[said("bad", "once"), said("bad", "twice", attempt=2)]))

    assert shown[2:] == ["      │ twice"]


def test_what_tasks_say_cannot_move_the_cursor():
    progress = RunProgress()
    progress.apply([task(0, "bad", "failed", problem="a\x1b[2Jb\nc")])

    shown = picture(snapshot(progress, lines=[said("bad", "x\x1b[1Ay\rz\tw")]))

    assert all(character.isprintable() for line in shown for character in line)


def test_an_approval_and_a_signal_show_the_command_that_answers():
    review = "  review: {approval: {message: 'Ship it?'}}\n"
    progress = RunProgress(dag(f"{review}  parcel: {{wait_for_signal: sent}}\n  nap: {{sleep: 90}}\n"))
    progress.apply([task(0, "review"), task(1, "parcel"), task(2, "nap")])

    shown = picture(snapshot(progress))

    assert shown[1].endswith("asks            3.0 s  waits for approval: Ship it?")
    assert shown[2] == "      holdfast approve order-42 review"
    assert shown[3].endswith("waits for signal 'sent'")
    assert shown[4] == "      holdfast signal order-42 sent"
    assert shown[5].endswith("sleeps for 1m30s")


@pytest.mark.parametrize(
    ("waiting", "words"),
    [
        ("signal 'go'", "waits for signal 'go'"),
        ("until 2026-01-31T12:00:00+00:00", "waits until 2026-01-31T12:00:00+00:00"),
        ("signal 'go'; promise 'p'; until noon", "waits for signal 'go'; promise 'p', or until noon"),
    ],
)
def test_a_code_workflow_that_only_waits_says_for_what(waiting: str, words: str):
    shown = picture(snapshot(RunProgress(), waiting=waiting))

    assert shown[-1] == f"    {words}"


def test_a_skipped_task_says_why():
    progress = RunProgress(
        dag("  a: {command: x}\n  b: {depends_on: [a], command: x}\n  c: {when: 'input.n > 5', command: x}\n")
    )
    progress.apply([task(0, "a", "failed", problem="x"), task(1, "b", "skipped"), task(2, "c", "skipped")])

    shown = picture(snapshot(progress))

    assert line_of(shown, "b").endswith("skipped                a failed")
    assert line_of(shown, "c").endswith("skipped                when is not met: input.n > 5")


def test_a_task_that_has_yet_to_begin_says_for_what_it_waits_until_the_run_is_over():
    progress = RunProgress(dag("  a: {command: x}\n  b: {depends_on: [a], command: x}\n"))

    assert line_of(picture(snapshot(progress)), "b").endswith("waiting                for a")
    assert line_of(picture(snapshot(progress, "cancelled")), "b").endswith("not begun")


def forty() -> RunProgress:
    tasks = "".join(f"  task{each}: {{command: x}}\n" for each in range(40))
    progress = RunProgress(dag(tasks))
    progress.apply(task(seq, f"task{seq}", "success") for seq in range(20))
    progress.apply([task(20, "task20", "failed", problem="no"), task(21, "task21", "running")])
    return progress


def test_where_not_all_fits_what_matters_is_shown_in_its_order_and_the_rest_is_counted():
    lines = picture(snapshot(forty()), height=8)

    assert len(lines) == 7
    assert any("task20" in line and "failed" in line for line in lines)
    assert any("task21" in line and "running" in line for line in lines)
    assert lines[-1].startswith("    and 35 more: ")
    assert re.search(r"\d+ success", lines[-1])
    assert re.search(r"\d+ waiting", lines[-1])
    names = [int(match[1]) for line in lines if (match := re.search(r"task(\d+)", line))]
    assert names == sorted(names)


def test_at_the_end_all_is_shown():
    lines = picture(snapshot(forty(), "failed"), height=None)

    assert len(lines) == 41


@pytest.mark.parametrize("width", [1, 10, 24, 40, 60, 80, 200])
@pytest.mark.parametrize("height", [1, 2, 3, 5, 10, 24, 100])
def test_nothing_is_ever_wider_or_higher_than_the_terminal(width: int, height: int):
    lines = picture(snapshot(forty(), lines=[said("task20", "x" * 500)]), width=width, height=height)

    assert len(lines) <= max(2, height - 1)
    assert all(cell_len(line) <= width for line in lines)


def test_wide_characters_take_the_columns_they_take():
    progress = RunProgress()
    progress.apply([task(0, "処理", "failed", problem="失敗" * 100), task(1, "work", "success")])

    lines = picture(snapshot(progress), width=60)

    assert all(cell_len(line) <= 60 for line in lines)
    where = {cell_len(re.split(r"failed|success", line)[0]) for line in (lines[1], lines[-1])}
    assert len(where) == 1, "the columns stand below each other"


def test_tails_forget_those_that_have_been_silent_longest():
    tails = LogTails()

    tails.add(said("each", "first", index=number) for number in range(1000))

    assert list(tails.of("each", 0)) == []
    assert [line.text for line in tails.of("each", 999)] == ["first"]


def test_the_time_of_a_run_on_a_clock_that_is_ahead_is_not_negative():
    seen = RunSnapshot(info(started_at=after(60)), RunProgress())

    assert picture(seen)[0] == "test  running  0.0 s  order-42"


NARROW = """\
  transform_everything: {command: x}
  many_items: {parallel: 12, command: x}
  after_all_of_them: {depends_on: many_items, command: x}
  review: {approval: {message: 'Ship it to all of the customers?'}}
  flaky_upload: {command: x, retries: 3}
"""


@pytest.mark.parametrize("width", [40, 50, 60])
def test_in_a_narrow_terminal_what_matters_stands_beneath(width: int):
    progress = RunProgress(dag(NARROW))
    items = [task(1 + each, "many_items", "success", index=each, count=12) for each in range(11)]
    failed = task(12, "many_items", "failed", index=11, count=12, problem="exited with code 5")
    progress.apply(
        [task(0, "transform_everything", "failed", problem="it cannot be read: orders.csv is empty")]
    )
    progress.apply([*items, failed, task(13, "after_all_of_them", "skipped"), task(14, "review")])
    progress.apply([task(15, "flaky_upload", "pending", attempt=2, retry_at=after(8))])
    seen = snapshot(progress, id="0198c0de-0000-7000-8000-000000000000")

    lines = picture(seen, width=width)

    text = " ".join(" ".join(lines).split())
    assert all(cell_len(line) <= width for line in lines)
    assert "it cannot be read: orders.csv is empty" in text
    assert "12/12 1 failed exited with code 5" in text
    assert "many_items failed" in text
    assert "waits for approval: Ship it to all of the customers?" in text
    assert "attempt 2 of 4, again in 5.0 s" in text
    command = "\n".join(lines).partition("holdfast approve")[2].replace("\\\n", " ").splitlines()[0]
    assert command.split() == ["0198c0de-0000-7000-8000-000000000000", "review"]


def test_in_a_narrow_terminal_what_a_running_task_says_moves_nothing():
    progress = RunProgress()
    progress.apply([task(0, "transform_everything"), task(1, "next")])

    quiet = picture(snapshot(progress), width=40)
    talking = picture(snapshot(progress, lines=[said("transform_everything", "word " * 50)]), width=40)

    assert len(quiet) == len(talking) == 3


def test_a_command_is_broken_only_between_its_words():
    database = DatabaseOptions(Settings(), ("--namespace", shell_word("two words, and it's \n one")))
    progress = RunProgress(dag("  review: {approval: {message: x}}\n"))
    progress.apply([task(0, "review")])

    lines = draw(snapshot(progress), LogTails(), database, ViewSize(40, None, after(3), True))

    script = "holdfast() { printf '%s\\0' \"$@\"; }\n" + "\n".join(text.plain for text in lines[-3:])
    heard = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout.decode()
    assert heard.split("\0")[:-1] == [
        "approve",
        "order-42",
        "review",
        "--namespace",
        "two words, and it's \n one",
    ]


def test_a_running_task_shows_how_far_its_last_heartbeat_says_it_is():
    progress = RunProgress()
    progress.apply([task(0, "copy", progress={"row": 1})])
    progress.apply([task(0, "copy", progress={"row": 2})])

    assert '{"row":2}' in line_of(picture(snapshot(progress)), "copy")
