"""Going on with a run: after a crash, after leaving it, after a failure, after an edit."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from tests.cli.processes import SECONDS, Project, eventually, read_until
from tests.cli.terminal import Terminal

SLOW = """\
name: slow
tasks:
  first: {command: 'echo once >> first.txt'}
  wait:
    depends_on: [first]
    command: 'echo $$ > pid; while [ ! -e go ]; do sleep 0.05; done; echo "HOLDFAST_OUTPUT:7"'
output: {given: wait}
"""


@pytest.fixture
def slow(project: Project) -> Project:
    project.write("slow.yaml", SLOW)
    return project


def under_way(project: Project) -> int:
    """Wait until the slow task runs: the id of its process."""
    pid = project.folder / "pid"
    return int(eventually(lambda: pid.exists() and pid.read_text().strip()))


def start_slow(project: Project, *words: str) -> subprocess.Popen[str]:
    process = project.start("run", *(words or ("slow.yaml",)))
    under_way(project)
    (project.folder / "pid").unlink()
    return process


def is_gone(pid: int) -> bool:
    """Or waits only for whoever inherited it to take note."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_another_run_of_the_workflow_leaves_a_killed_one_alone(slow: Project):
    process = slow.start("run", "slow.yaml", "--id", "killed")
    under_way(slow)
    process.kill()
    process.communicate()
    (slow.folder / "go").touch()

    done = slow.execute("run", "slow.yaml", "--id", "another")

    assert done.returncode == 0
    assert (slow.folder / "first.txt").read_text() == "once\nonce\n"
    shown = json.loads(slow.run("runs", "show", "killed", "--json").stdout)
    assert shown["status"] == "running"
    assert [(task["name"], task["attempt"]) for task in shown["tasks"]] == [("first", 1), ("wait", 1)]
    assert slow.execute("run", "--resume", "killed").returncode == 0


def test_after_kill_nine_the_run_goes_on_where_it_was_and_nothing_recorded_is_done_again(slow: Project):
    process = slow.start("run", "slow.yaml")
    task = under_way(slow)
    process.kill()
    process.communicate()
    run = slow.last_run()
    (slow.folder / "go").touch()

    done = slow.execute("run", "--resume", run["id"])

    assert run["status"] == "running"
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"given": 7}
    assert (slow.folder / "first.txt").read_text() == "once\n"
    assert re.search(r"wait lost \(attempt 1 of 2\): its node died", done.stderr)
    assert f"run {run['id']} of slow goes on" in done.stderr
    assert is_gone(task)
    attempts = slow.ask("runs", "show", run["id"])["attempts"]
    assert [(each["attempt"], each["status"]) for each in attempts] == [(1, "lost")]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_outside_a_terminal_detaches_in_order(slow: Project, number: signal.Signals, code: int):
    slow.write("slow.yaml", SLOW.replace("output:", "  last: {depends_on: [wait], command: 'true'}\noutput:"))
    process = start_slow(slow)

    process.send_signal(number)
    lines = read_until(
        process.stderr, "stopping in order: tasks under way get 10 s at most; Ctrl-C stops at once"
    )
    (slow.folder / "go").touch()
    said, told = process.communicate(timeout=SECONDS)

    run = slow.last_run()
    assert process.returncode == code
    assert said == ""
    assert "detached" not in "".join(lines)
    assert told.endswith(f"detached; the run goes on with: holdfast run --resume {run['id']}\n")
    assert "Traceback" not in told
    assert told.count("wait success") == 1
    done = slow.run("run", "--resume", run["id"])
    assert done.returncode == 0, done.stderr
    assert (slow.folder / "first.txt").read_text() == "once\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_ends_while_its_last_task_is_let_finish_ends_as_any_other(
    slow: Project, number: signal.Signals
):
    slow.write("slow.yaml", SLOW.replace("sleep 0.05; done;", "sleep 0.05; done; echo at last;"))
    process = start_slow(slow)

    process.send_signal(number)
    read_until(process.stderr, "stopping in order")
    (slow.folder / "go").touch()
    said, told = process.communicate(timeout=SECONDS)

    assert process.returncode == 0
    assert json.loads(said) == {"given": 7}
    assert "success after" in told
    assert "wait | at last" in told
    assert "detached" not in told


def test_tasks_get_a_while_to_finish_and_a_second_signal_takes_it_from_them(slow: Project):
    process = slow.start("run", "slow.yaml")
    task = under_way(slow)
    process.send_signal(signal.SIGINT)
    read_until(process.stderr, "tasks under way get 10 s at most")
    assert not is_gone(task)

    ended, _, told = slow.finish(process, signal.SIGINT)

    assert ended == 130
    assert "Traceback" not in told
    assert "detached; the run goes on with" in told
    eventually(lambda: is_gone(task))
    assert slow.last_run()["status"] == "running"


LEAVING = """\
import time
from holdfast import task, workflow

@task
def first() -> int:
    return 1

@task
def nap() -> None:
    time.sleep(30)

@workflow
async def main() -> int:
    nap()  # nobody waits for it, and a thread cannot be stopped
    return 4 + await first()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_end_of_the_run_does_not_change_what_it_ended_with(
    project: Project, number: signal.Signals
):
    project.write("shop.py", LEAVING)
    process = project.start("run", "shop:main")
    lines = read_until(process.stderr, "stopping in order; Ctrl-C stops at once")

    ended, said, told = project.finish(process, number)

    assert (ended, said) == (0, "5\n")
    assert "success after" in "".join(lines)
    assert "detached" not in "".join(lines) + told


LINGERING = """\
import os, time
from holdfast import workflow

class Lingering:
    def __del__(self, write=os.write, sleep=time.sleep):
        write(2, b"Python is nearly gone\\n")
        sleep(2)

lingering = Lingering()

@workflow
async def main() -> int:
    return 5
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nor_does_one_that_comes_when_python_is_nearly_gone(project: Project, number: signal.Signals):
    project.write("shop.py", LINGERING)
    process = project.start("run", "shop:main")
    read_until(process.stderr, "Python is nearly gone")

    ended, said, _ = project.finish(process, number)

    assert (ended, said) == (0, "5\n")


def test_a_run_that_has_ended_is_shown_and_its_end_decides_the_exit_code(project: Project):
    project.write("good.yaml", "name: good\ntasks:\n  a: {command: 'true'}\noutput: {}\n")
    project.write("bad.yaml", "name: bad\ntasks:\n  a: {command: 'echo sorry; false'}\n")
    ended = project.run("run", "good.yaml", "--id", "good")
    assert ended.returncode == 0, ended.stderr
    ended = project.run("run", "bad.yaml", "--id", "bad")
    assert ended.returncode == 1, ended.stderr
    (project.folder / "bad.yaml").unlink()

    good = project.run("run", "--resume", "good")
    bad = project.run("run", "--resume", "bad")

    assert (good.returncode, good.stdout) == (0, "{}\n"), good.stderr
    assert "run good of good had ended" in good.stderr
    assert bad.returncode == 1, bad.stderr
    assert "task 'a' failed: exited with code 1" in bad.stderr


def test_a_failed_run_is_tried_again_where_it_failed(project: Project):
    text = "name: half\ntasks:\n  first: {command: 'echo once >> first.txt'}\n"
    text += "  second: {depends_on: [first], command: 'test -e go'}\noutput: {}\n"
    project.write("half.yaml", text)
    failed = project.run("run", "half.yaml")
    run = project.last_run()["id"]
    (project.folder / "go").touch()

    done = project.run("run", "--retry", run)

    assert failed.returncode == 1
    assert done.returncode == 0, done.stderr
    assert (project.folder / "first.txt").read_text() == "once\n"
    again = project.run("run", "--retry", run)
    assert again.returncode == 2
    assert "only a run that failed or was cancelled can be retried" in again.stderr


def test_what_was_before_a_retry_is_marked_and_does_not_count(project: Project):
    text = "name: half\ntasks:\n  first: {command: 'test -e go'}\n"
    project.write("half.yaml", text + "  second: {depends_on: [first], command: 'true'}\noutput: {}\n")
    failed = project.run("run", "half.yaml", "--id", "mine")
    (project.folder / "go").touch()

    done = project.run("run", "--retry", "mine")
    looked_at = project.run("run", "--resume", "mine")

    assert "(tasks: 1 failed, 1 skipped)" in failed.stderr
    assert "(tasks: 2 success)" in done.stderr
    assert "(tasks: 2 success)" in looked_at.stderr
    shown = project.run("runs", "show", "mine").stdout
    assert re.search(r"^second +skipped +1 .* before a retry$", shown, re.MULTILINE)
    tasks = project.ask("runs", "show", "mine")["tasks"]
    assert [(each["status"], each["is_overtaken"]) for each in tasks] == [
        ("success", False),
        ("skipped", True),
        ("success", False),
    ]


def test_a_run_goes_on_as_it_began_after_its_file_was_edited(slow: Project):
    process = start_slow(slow)
    process.kill()
    process.communicate()
    slow.write("slow.yaml", "name: slow\ntasks:\n  other: {command: 'echo new'}\n")
    (slow.folder / "go").touch()

    with Terminal(slow.folder, "run", "--resume", slow.last_run()["id"]) as terminal:
        code = terminal.end()

    assert code == 0, terminal.screen.text
    assert '"given": 7' in terminal.screen.text
    assert re.search(r"✓ first +success", terminal.screen.text)
    assert re.search(r"✓   wait +success", terminal.screen.text), "drawn as the file was then"
    assert "other" not in terminal.screen.text


def test_a_run_is_resumed_from_anywhere_by_the_beginning_of_its_id(slow: Project, tmp_path: Path):
    process = start_slow(slow)
    process.kill()
    process.communicate()
    (slow.folder / "go").touch()
    run = slow.last_run()["id"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    database = str(slow.folder / ".holdfast" / "holdfast.db")
    done = slow.run("run", "--resume", run[:18], "--db", database, folder=elsewhere)

    assert done.returncode == 0, done.stderr
    assert list(elsewhere.iterdir()) == []


CODE = """\
from holdfast import context, task, workflow

@task
def first() -> int:
    return 1

@task
def second() -> int:
    return 2

@workflow
async def main() -> int:
    one = await first()
    await context().signal("go")
    return one + await second()
"""


def test_a_run_that_does_not_fit_its_code_any_more_is_set_aside_and_goes_on_when_that_is_mended(
    project: Project,
):
    project.write("shop.py", CODE)
    process = project.start("run", "shop:main")
    run = eventually(lambda: _waiting(project))
    process.kill()
    process.communicate()
    project.write("shop.py", CODE.replace("await first()", "await second()"))
    assert project.run("signal", run, "go").returncode == 0

    parked = project.run("run", "--resume", run)
    project.write("shop.py", CODE)
    done = project.run("run", "--resume", run)

    assert parked.returncode == 4
    assert "step 0 of its journal has task 'first' as request 0" in parked.stderr
    assert "now asks for task 'second'" in parked.stderr
    assert f"when that is mended: holdfast run --resume {run}" in parked.stderr
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3\n"


def _waiting(project: Project) -> str | None:
    """The id of the run, once its first task is done: then it waits for its signal."""
    if not (project.folder / ".holdfast" / "holdfast.db").exists():
        return None
    runs = json.loads(project.run("runs", "list", "--json").stdout or "[]")
    if not runs or [task["status"] for task in project.ask("runs", "show", runs[0]["id"])["tasks"]] != [
        "success"
    ]:
        return None
    return runs[0]["id"]


def test_where_the_workflow_is_must_be_told_if_it_is_not_where_it_was(project: Project):
    project.write("shop.py", CODE)
    process = project.start("run", "shop:main")
    run = eventually(lambda: _waiting(project))
    process.kill()
    process.communicate()
    os.rename(project.folder / "shop.py", project.folder / "store.py")
    project.run("signal", run, "go")

    lost = project.run("run", "--resume", run)
    found = project.run("run", "store:main", "--resume", run)

    assert lost.returncode == 2
    assert "there is no module 'shop'" in lost.stderr
    assert found.returncode == 0, found.stderr
    assert found.stdout == "3\n"


def test_cancelled_elsewhere_it_ends_with_three(slow: Project):
    process = start_slow(slow)

    cancelled = slow.execute("runs", "cancel", slow.last_run()["id"], "--reason", "no need")
    said, told = process.communicate(timeout=SECONDS)

    assert cancelled.returncode == 0, cancelled.stderr
    assert process.returncode == 3
    assert said == ""
    assert "cancelled after" in told
