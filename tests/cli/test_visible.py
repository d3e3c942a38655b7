"""Users' text in a terminal: shown, never obeyed."""

from __future__ import annotations

import json
import re

import pytest
from rich.text import Text
from tests.cli.builders import DATABASE, after, said, snapshot, task
from tests.cli.processes import Project
from tests.cli.terminal import Terminal

from holdfast.cli.views.live import LogTails, ViewSize, draw
from holdfast.cli.views.output import json_text
from holdfast.cli.views.progress import RunProgress
from holdfast.cli.views.visible import log_line, message, one_line, visible

NASTY = "a\x1b[2J\x07b\r\x9bc\u202ed"
SHOWN = "a\\x1b[2J\\x07b\\x0d\\u009bc\\u202ed"
SCRIPT = """\
name: nasty
tasks:
  talk: {command: 'printf "\\t\\033[2J  [bold]x[/] :smile: \\342\\200\\256\\n"'}
  fail: {file: work.py, function: fail}
"""
CODE = """\
def fail():
    raise ValueError("\\x1b[31mred\\x07 [bold]loud[/bold] :smile:\\nnext")
"""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain größe 日本 👩‍🚀", "plain größe 日本 👩‍🚀"),
        (NASTY, SHOWN),
        ("\x00\x7f\x85\u2028\u2066\U000e0001", "\\x00\\x7f\\u0085\\u2028\\u2066\\U000e0001"),
        ("\udc80", "\\udc80"),
        ("no\u00a0break\u3000wide", "no\u00a0break\u3000wide"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ],
)
def test_what_a_terminal_would_act_on_is_written_out(text: str, shown: str):
    assert visible(text) == shown


def test_no_name_in_a_message_begins_a_line_that_looks_like_a_message_of_ours():
    assert message("no run 'a\nerror: all is lost\x1b'") == "no run 'a\n  error: all is lost\\x1b'"
    assert message("do this:\n  holdfast run\n\nor that") == "do this:\n  holdfast run\n\n  or that"


def test_json_has_nothing_that_a_terminal_would_act_on():
    value = {"id": NASTY + "\x7f\u2066größe 日本 👩‍🚀"}

    written = json_text(value)

    assert visible(written) == written
    assert json.loads(written) == value
    assert "größe 日本 👩‍🚀" in written


def test_one_line_is_one_line_and_as_long_as_it_may_be():
    assert one_line(" a\r\n\tb\x1b ") == "a   b\\x1b"
    assert one_line("x" * 400) == "x" * 299 + "…"
    assert one_line("x" * 400, None) == "x" * 400


def test_a_line_of_a_log_keeps_its_indentation_and_tabs():
    assert log_line("    return\t1  \r") == "    return\t1"
    assert log_line("50%\r100%") == "50%\\x0d100%"


def test_the_live_view_shows_names_and_ids_with_their_colours_where_they_belong():
    name, shown = "a\x1b[2Jb\u202e", "a\\x1b[2Jb\\u202e"
    progress = RunProgress()
    progress.apply([task(0, name, "failed", problem=name)])
    seen = snapshot(progress, "failed", [said(name, name)], id=name, workflow=name)
    tails = LogTails()
    tails.add(seen.lines)

    lines = draw(seen, tails, DATABASE, ViewSize(200, None, after(3), True))

    assert all(text.plain.isprintable() for text in lines)
    assert lines[0].plain == f"{shown}  failed  5.0 s  {shown}"
    assert _styled(lines[0], "red") == ["  failed"]
    assert lines[-1].plain.endswith(f"│ {shown}")


def _styled(text: Text, style: str) -> list[str]:
    return [text.plain[span.start : span.end] for span in text.spans if span.style == style]


@pytest.fixture
def nasty(project: Project) -> Project:
    """With one run that fails, whose id, logs and failure would all like to speak to the terminal."""
    project.write("nasty.yaml", SCRIPT)
    project.write("work.py", CODE)
    done = project.run("run", "nasty.yaml", "--id", NASTY)
    assert done.returncode == 1
    assert _is_tame(done.stderr), done.stderr
    return project


def _is_tame(text: str) -> bool:
    """Nothing in it but line breaks and tabs moves a cursor."""
    return not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_no_command_passes_it_on(nasty: Project):
    for words in (
        ["runs", "list"],
        ["runs", "show", NASTY],
        ["runs", "show", NASTY, "--full"],
        ["runs", "retry", "nobody" + NASTY],
        ["logs", NASTY],
        ["logs", NASTY, NASTY],
        ["signal", NASTY, NASTY],
        ["run", "--resume", NASTY],
        ["run", "--retry", NASTY],
        ["schedules", "put", NASTY, "nasty.yaml", "--every", "1h"],
        ["schedules", "list"],
        ["schedules", "show", NASTY],
        ["schedules", "pause", NASTY],
        ["schedules", "preview", NASTY],
    ):
        done = nasty.run(*words)

        assert _is_tame(done.stdout + done.stderr), words
        assert done.stdout + done.stderr, words


def test_a_log_in_a_terminal_is_neither_obeyed_nor_taken_for_markup(nasty: Project):
    with Terminal(nasty.folder, "logs", NASTY, "talk") as terminal:
        code = terminal.end()

    assert code == 0, terminal.screen.text
    assert "\\x1b[2J  [bold]x[/] :smile: \\u202e" in terminal.screen.text
    ours = re.sub(r"\x1b\[[\d;]*m|\r(?=\n)", "", terminal.raw)
    assert _is_tame(ours)


def test_nothing_that_is_told_is_taken_for_markup(nasty: Project):
    shown = nasty.run("runs", "show", NASTY).stdout
    told = nasty.run("run", "--resume", NASTY).stderr

    for text in (shown, told):
        assert re.search(
            r"ValueError: .*\[31mred\\x07 \[bold\]loud\[/bold\] :smile: next$", text, re.MULTILINE
        )


def test_json_is_as_it_was_said(nasty: Project):
    [line] = [json.loads(each) for each in nasty.run("logs", NASTY, "talk", "--json").stdout.splitlines()]
    facts = nasty.ask("runs", "show", NASTY)

    assert line["text"] == "\t\x1b[2J  [bold]x[/] :smile: \u202e"
    assert facts["id"] == NASTY
    assert "\x1b[31mred\x07" in facts["failure"]["message"]


def test_the_result_of_a_run_is_tame_in_a_terminal_and_whole_in_a_pipe(project: Project):
    project.write("give.yaml", "name: give\ntasks:\n  a: {file: g.py, function: g}\noutput: {it: a}\n")
    project.write("g.py", "def g():\n    return 'x\\x9b2J\\u202e'\n")

    piped = project.run("run", "give.yaml")
    with Terminal(project.folder, "run", "give.yaml") as terminal:
        terminal.end()

    assert json.loads(piped.stdout) == {"it": "x\x9b2J\u202e"}
    assert '"it": "x\\u009b2J\\u202e"' in terminal.screen.text
    assert "\x9b" not in terminal.raw
    assert "\u202e" not in terminal.raw


def test_what_a_stream_cannot_encode_is_escaped_and_json_says_the_same(project: Project):
    project.write("echo.py", "from holdfast import workflow\n@workflow\nasync def say(it: str): return it\n")
    text = "größe 日本 👩"

    done = project.execute("run", "echo:say", "--input", json.dumps([text]), PYTHONIOENCODING="ascii")

    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert json.loads(done.stdout) == text
    shown = project.execute("runs", "show", "zu lang…", PYTHONIOENCODING="ascii")
    assert "no run 'zu lang\\u2026'" in shown.stderr
