"""`holdfast run` in a terminal: the live view, and Ctrl-C."""

from __future__ import annotations

import re
import signal

import pytest
from tests.cli.processes import Project, eventually, json_lines
from tests.cli.terminal import Terminal

SLOW = """\
name: slow
tasks:
  first: {command: 'echo hello'}
  items:
    depends_on: [first]
    parallel: 12
    concurrency: 4
    command: 'test $HOLDFAST_PARALLEL_INDEX -lt 4 || while [ ! -e go ]; do sleep 0.05; done'
  last: {depends_on: [items], command: 'true'}
output: {}
"""


@pytest.fixture
def slow(project: Project) -> Project:
    project.write("slow.yaml", SLOW)
    return project


def line(pattern: str) -> re.Pattern[str]:
    return re.compile(f"^{pattern}$", re.MULTILINE)


def go_on(project: Project) -> None:
    (project.folder / "go").touch()


def test_the_view_shows_every_task_in_place_and_the_end_stays_on_the_screen(slow: Project):
    with Terminal(slow.folder, "run", "slow.yaml") as terminal:
        terminal.see(
            line(r"slow  running  \d+(\.\d)? s  [0-9a-f-]{36}"),
            line(r" *✓ first +success +\d\.\d s"),
            line(r" *●   items +running +\d+(\.\d)? s  ━{6}─{14} 4/12  4 running"),
            line(r" *·     last +waiting +for items"),
        )
        go_on(slow)
        code = terminal.end()

    after = terminal.screen.text
    assert code == 0, terminal.screen.text
    assert re.search(r"✓   items +success +\d+(\.\d)? s  ━{20} 12/12$", after, re.MULTILINE)
    assert re.search(r"✓     last +success", after, re.MULTILINE)
    assert "success after" in after
    assert after.count("items") == 1, "it was drawn in place"
    assert after.rstrip().endswith("{}")


def test_a_failure_is_shown_with_the_last_words_of_the_task_and_how_to_try_again(project: Project):
    script = "for i in $(seq 40); do echo said $i; done; echo at last >&2; exit 3"
    project.write("bad.yaml", f"name: bad\ntasks:\n  work: {{command: '{script}'}}\n")

    with Terminal(project.folder, "run", "bad.yaml") as terminal:
        code = terminal.end()

    text = terminal.screen.text
    assert code == 1, terminal.screen.text
    assert re.search(r"✗ work +failed +\d\.\d s  exited with code 3$", text, re.MULTILINE)
    assert "│ at last" in text
    assert "│ said 40" in text
    assert "│ said 1\n" not in text
    assert re.search(r"try again what failed: holdfast run --retry [0-9a-f-]{36}", text)
    assert "\x1b[31m" in terminal.raw


def test_a_retry_is_counted_down_with_what_went_wrong(project: Project):
    retries = "{max_attempts: 3, first_delay: 4, jitter: 0}"
    project.write(
        "flaky.yaml", f"name: flaky\ntasks:\n  work: {{command: 'test -e go', retries: {retries}}}\n"
    )

    with Terminal(project.folder, "run", "flaky.yaml", columns=120) as terminal:
        time = r"(?:[\d.]+ s +)?"
        counting = re.compile(
            rf"↻ work +retrying +{time}attempt 2 of 3, again in (\d\.\d) s: exited with code 1"
        )
        first = counting.search(terminal.see(counting))
        terminal.see(lambda text: (later := counting.search(text)) and later[1] < first[1])
        go_on(project)
        code = terminal.end()

    assert code == 0, terminal.screen.text
    assert re.search(r"✓ work +success .* attempt 2 of 3$", terminal.screen.text, re.MULTILINE)


def test_what_a_run_waits_for_is_shown_with_the_command_to_type(project: Project):
    project.write(
        "ask.yaml",
        "name: ask\ntasks:\n  review: {approval: {message: 'Ship it?'}}\n  parcel: {wait_for_signal: sent}\n",
    )

    with Terminal(project.folder, "run", "ask.yaml", "--id", "mine") as terminal:
        terminal.see(
            "waits for approval: Ship it?", "holdfast signal mine sent", "holdfast approve mine review"
        )
        approved = project.run("approve", "mine", "review")
        sent = project.execute("signal", "mine", "sent", '{"by": "post"}')
        code = terminal.end()

    assert (approved.returncode, sent.returncode) == (0, 0)
    assert code == 0, terminal.screen.text
    assert '"by": "post"' in terminal.screen.text


@pytest.mark.parametrize(("columns", "rows"), [(100, 24), (60, 12), (40, 8), (24, 4), (200, 60)])
def test_the_view_fits_the_terminal_and_never_scrolls_while_the_run_goes_on(
    project: Project, columns: int, rows: int
):
    tasks = "".join(f"  task_number_{each}: {{command: 'echo {each}; test -e go'}}\n" for each in range(40))
    last = "  wait: {command: 'while [ ! -e go ]; do sleep 0.05; done'}\n"
    project.write("many.yaml", f"name: many\ntasks:\n{tasks}{last}")

    with Terminal(project.folder, "run", "many.yaml", columns=columns, rows=rows) as terminal:
        terminal.see("failed")
        terminal.see(lambda text: "more" in text or rows == 60)
        height = len(terminal.screen.text.rstrip().splitlines())
        widest = terminal.screen.longest
        go_on(project)
        code = terminal.end()

    assert code == 1, terminal.screen.text
    assert height <= rows
    assert widest <= columns
    assert "task_number_39"[: columns // 4] in terminal.screen.text, "the end is shown whole"


def test_after_ctrl_c_enter_goes_on(slow: Project):
    with Terminal(slow.folder, "run", "slow.yaml") as terminal:
        terminal.see("4/12  4 running")
        terminal.press("\x03")
        terminal.see("[c]ancel the run, [d]etach")
        terminal.press("\n")
        terminal.see("4/12  4 running")
        go_on(slow)
        code = terminal.end()

    assert code == 0, terminal.screen.text
    assert slow.last_run()["status"] == "success"


def test_after_ctrl_c_the_run_can_be_cancelled(slow: Project):
    with Terminal(slow.folder, "run", "slow.yaml") as terminal:
        terminal.see("4/12  4 running")
        terminal.press("\x03")
        terminal.see("[c]ancel")
        terminal.press("x\n")
        terminal.see(lambda text: text.count("[c]ancel") == 2)
        terminal.press("c\n")
        code = terminal.end()

    text = terminal.screen.text
    assert code == 3, terminal.screen.text
    assert slow.last_run()["status"] == "cancelled"
    assert re.search(r"⊘   items +cancelled .* 4/12  4 cancelled$", text, re.MULTILINE)
    assert re.search(r"·     last +not begun$", text, re.MULTILINE)


@pytest.mark.parametrize("answer", ["d\n", "\x03"], ids=["d", "Ctrl-C again"])
def test_after_ctrl_c_the_run_can_be_left_and_taken_up_again(slow: Project, answer: str):
    with Terminal(slow.folder, "run", "slow.yaml") as terminal:
        terminal.see("4/12  4 running")
        terminal.press("\x03")
        terminal.see("[d]etach")
        terminal.press(answer)
        terminal.see("stopping in order: tasks under way get 10 s at most")
        go_on(slow)
        code = terminal.end()

    assert "detached; the run goes on with: holdfast run --resume" in terminal.screen.text
    run = slow.last_run()
    assert code == 130, terminal.screen.text
    assert run["status"] == "running"
    with Terminal(slow.folder, "run", "--resume", run["id"]) as terminal:
        assert terminal.end() == 0, terminal.screen.text
    assert re.search(r"✓   items +success .* 12/12$", terminal.screen.text, re.MULTILINE)


def test_the_end_of_the_run_is_an_answer_too(slow: Project):
    with Terminal(slow.folder, "run", "slow.yaml") as terminal:
        terminal.see("4/12  4 running")
        terminal.press("\x03")
        terminal.see("[c]ancel")
        go_on(slow)
        code = terminal.end()

    assert code == 0, terminal.screen.text
    assert "success after" in terminal.screen.text


def test_an_answer_that_came_too_late_is_not_typed_into_the_shell(slow: Project):
    with Terminal(slow.folder, "run", "slow.yaml") as terminal:
        terminal.see("4/12  4 running")
        terminal.press("\x03")
        terminal.see("[c]ancel")
        terminal.press("d")
        terminal.see("Enter to go on: d")
        go_on(slow)
        code = terminal.end()

        assert code == 0, terminal.screen.text
        assert terminal.typed_ahead() == b""


def test_sigterm_detaches_in_a_terminal_too(slow: Project):
    with Terminal(slow.folder, "run", "slow.yaml") as terminal:
        terminal.see("4/12  4 running")
        go_on(slow)
        terminal.process.send_signal(signal.SIGTERM)
        code = terminal.end()

    assert code == 143, terminal.screen.text
    assert "holdfast run --resume" in terminal.screen.text


def test_plain_lines_can_be_had_in_a_terminal(slow: Project):
    go_on(slow)

    with Terminal(slow.folder, "run", "slow.yaml", "--plain") as terminal:
        code = terminal.end()

    assert code == 0, terminal.screen.text
    assert "items[11] success" in terminal.screen.text
    assert "\x1b[2K" not in terminal.raw


def test_no_color_and_a_dumb_terminal_are_heeded(slow: Project):
    go_on(slow)

    with Terminal(slow.folder, "run", "slow.yaml", NO_COLOR="1") as terminal:
        terminal.end()
    with Terminal(slow.folder, "run", "slow.yaml", TERM="dumb") as dumb:
        dumb.end()

    assert "✓" in terminal.screen.text
    assert not re.search(r"\x1b\[[\d;]*3[1-6]m", terminal.raw)
    assert "items[11] success" in dumb.screen.text
    assert "\x1b" not in dumb.raw


def test_a_terminal_that_knows_ascii_only_gets_ascii(slow: Project):
    go_on(slow)

    with Terminal(slow.folder, "run", "slow.yaml", PYTHONIOENCODING="ascii") as terminal:
        code = terminal.end()

    assert code == 0, terminal.screen.text
    assert "+   items" in terminal.screen.text
    assert "####" in terminal.screen.text
    assert terminal.raw.isascii()


def test_tasks_of_code_are_lines_by_name_in_the_order_they_were_asked_for(project: Project):
    project.write(
        "shop.py",
        "import asyncio, pathlib\n"
        "from holdfast import task, workflow\n\n"
        "@task\nasync def pack(number: int) -> int:\n"
        "    while number and not pathlib.Path('go').exists():\n        await asyncio.sleep(0.05)\n"
        "    print('packed')\n    return number\n\n"
        "@task\ndef charge() -> int:\n    return 1\n\n"
        "@workflow\nasync def main() -> int:\n    await charge()\n"
        "    return sum(await asyncio.gather(*[pack(number) for number in range(50)]))\n",
    )

    with Terminal(project.folder, "run", "shop:main") as terminal:
        during = terminal.see(re.compile(r"✓ charge +success"), re.compile(r"● pack +running .* 1/50"))
        go_on(project)
        code = terminal.end()

    assert code == 0, terminal.screen.text
    assert during.index("charge") < during.index("pack ")
    assert terminal.screen.text.rstrip().endswith("1225")


def test_what_code_prints_stands_above_the_view_and_the_view_is_not_in_the_log(project: Project):
    project.write(
        "talk.py",
        "import asyncio, pathlib\n"
        "from holdfast import context, task, workflow\n\n"
        "@task\nasync def work() -> None:\n    print('works')\n"
        "    while not pathlib.Path('go').exists():\n"
        "        await asyncio.sleep(0.2)\n        print('still', 'works')\n\n"
        "@workflow\nasync def talk() -> None:\n    context().logger.info('begins')\n    await work()\n",
    )

    with Terminal(project.folder, "run", "talk:talk", "--id", "one") as terminal:
        terminal.see("(workflow) | begins", "still works", re.compile(r"● work +running"))
        go_on(project)
        code = terminal.end()

    assert code == 0, terminal.screen.text
    texts = {line["text"] for line in json_lines(project.run("logs", "one", "--json").stdout)}
    assert texts == {"begins", "works", "still works"}


def test_a_run_killed_in_a_terminal_shows_what_was_lost_when_it_goes_on(slow: Project):
    with Terminal(slow.folder, "run", "slow.yaml") as terminal:
        terminal.see("4/12  4 running")
        terminal.process.kill()
        terminal.end()
    run = eventually(slow.last_run)

    with Terminal(slow.folder, "run", "--resume", run["id"]) as terminal:
        terminal.see("4 lost", re.compile(r"items +running .* 4/12"))
        go_on(slow)
        code = terminal.end()

    assert code == 0, terminal.screen.text
    assert slow.last_run()["output"] == {}


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_tables_keep_the_column_of_problems_however_narrow_the_terminal_is(project: Project, columns: int):
    script = "echo cannot open orders.csv >&2; exit 3"
    project.write("bad.yaml", f"name: of_a_longer_name\ntasks:\n  transform_it: {{command: '{script}'}}\n")
    project.run("run", "bad.yaml")
    run = project.last_run()["id"]

    with Terminal(project.folder, "runs", "list", columns=columns) as listed:
        assert listed.end() == 0
    with Terminal(project.folder, "runs", "show", run, columns=columns) as shown:
        assert shown.end() == 0

    assert "task 'transform_it' failed: exited with code 3" in " ".join(listed.screen.text.split())
    assert run in listed.screen.text
    assert "failed" in listed.screen.text
    tables = shown.screen.text.partition("TASK")[2]
    assert tables.count("exited with code 3") == 2, "of the task, and of its attempt"
    assert max(listed.screen.longest, shown.screen.longest) <= columns
