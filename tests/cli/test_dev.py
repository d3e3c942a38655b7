"""`holdfast dev`: edits are picked up, bad edits are not, and nothing is lost or left behind."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from pathlib import Path

import httpx
import pytest
from tests.cli.dev_process import developing, is_alive, start_run
from tests.cli.processes import Project, eventually
from tests.cli.terminal import Terminal

JOB = "name: job\ntasks:\n  work: {command: 'true'}\n"
SHOP = """
from pathlib import Path
from holdfast import context, task, workflow


@task
def price() -> int:
    with Path("calls.txt").open("a") as calls:
        calls.write("price\\n")
    return 1


@workflow
async def buy() -> int:
    return await price()


@workflow
async def wait() -> int:
    before = await price()
    await context().signal("go")
    return before * 10 + await price()
"""
STUCK = (
    "name: stuck\ntasks:\n  work: {command: 'trap \"\" TERM; echo > began; while true; do sleep 0.1; done'}\n"
)

TALK = """
import time
from pathlib import Path
from holdfast import task, workflow


@task
def say() -> None:
    Path("began").touch()
    for number in range(100):
        time.sleep(0.1)
        print(number)


@workflow
async def talk() -> None:
    await say()
"""


def edit(project: Project, name: str, old: str, new: str) -> None:
    file = project.folder / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_edits_are_for_new_runs_and_a_run_under_way_ends_once(project: Project):
    project.write("shop.py", SHOP)
    project.write("jobs/job.yaml", "name: job\ntasks:\n  work: {command: 'touch one'}\n")
    with developing(project) as dev:
        assert dev.serving()["workflows"] == ["buy", "wait", "job"]
        dev.start("wait", "under-way")
        eventually((project.folder / "calls.txt").exists)

        edit(project, "shop.py", "return 1", "return 2")
        edit(project, "jobs/job.yaml", "touch one", "touch two")
        assert sorted(dev.next("changed")["files"]) == ["jobs/job.yaml", "shop.py"]
        dev.serving()
        dev.use(lambda hf: hf.signal("under-way", "go"))
        dev.start("buy", "new")
        dev.start("job", "new-job")
        results = [dev.result(id) for id in ("under-way", "new")]
        dev.result("new-job")
        eventually(lambda: len([it for it in dev.events if it["event"] == "run"]) >= 6)
        code = dev.finish()

    assert results == [12, 2]
    assert (project.folder / "calls.txt").read_text().split() == ["price"] * 3
    assert sorted(file.name for file in (project.folder / "jobs").iterdir()) == ["job.yaml", "two"]
    ends = [it["run"] for it in dev.events if it["event"] == "run" and it["status"] == "success"]
    assert sorted(ends) == ["new", "new-job", "under-way"]
    assert (code, "".join(dev.errors)) == (0, "")


def test_after_a_bad_edit_the_old_code_goes_on_until_it_is_mended(project: Project):
    project.write("shop.py", SHOP)
    project.write("job.yaml", JOB)
    with developing(project) as dev:
        dev.serving()
        edit(project, "shop.py", "return 1", "return 1 +")
        edit(project, "job.yaml", "command", "comand")
        refused = dev.next("refused")
        dev.start("buy", "old")
        old = dev.result("old")

        edit(project, "shop.py", "return 1 +", "return 2")
        dev.next("refused")
        edit(project, "job.yaml", "comand", "command")
        dev.serving()
        dev.start("buy", "new")
        new = dev.result("new")

    assert refused["is_serving"]
    assert (old, new) == (1, 2)
    problems = dev.texts("problem", "problem")
    assert any(each.startswith("shop.py:10:15: SyntaxError") for each in problems)
    assert any(each.startswith("job.yaml:3:10: ") for each in problems)


def test_a_bad_file_does_not_stop_the_others(project: Project):
    project.write("shop.py", SHOP)
    project.write("bad.py", "from holdfast import task\n\n\n@task\ndef lost(): ...\n\n\nprint(nothing)\n")
    project.write("other/shop.py", SHOP)
    project.write("bad.yaml", "name: bad\ntasks:\n  a: {command: x, after: [b]}\n  c: {}\n")
    with developing(project) as dev:
        serving = dev.serving()
        project.write("later.yaml", "tasks: 5\n")
        dev.serving()

        dev.start("buy", "one")
        assert dev.result("one") == 1

    assert serving["workflows"] == ["buy", "wait"]
    assert serving["tasks"] == ["price"]
    problems = dev.texts("problem", "problem")
    assert problems.count("bad.py:8:7: NameError: name 'nothing' is not defined") == 1
    assert len([each for each in problems if each.startswith("bad.yaml:")]) == 2
    assert len([each for each in problems if each.startswith("other/shop.py:1:1: Python has a mod")]) == 1
    assert any(each.startswith("later.yaml:1:") for each in problems)


def test_in_an_empty_folder_it_says_what_to_do_and_picks_up_what_is_written(project: Project):
    with developing(project) as dev:
        empty = dev.serving()
        hint = dev.next("hint")["hint"]
        project.write("package.json", '{"name": "x", "scripts": {}}')
        project.write("compose.yaml", "services: {}\n")
        project.write("script.py", "import sys\nsys.exit(3)\n")
        project.write("tests/test_shop.py", SHOP)
        project.write(".hidden/shop.py", SHOP)
        project.write("node_modules/job.yaml", JOB)
        project.write("shop.py", SHOP)
        full = dev.serving()
        next_hint = dev.next("hint")["hint"]
        (project.folder / "shop.py").unlink()
        gone = dev.serving()

    assert "`holdfast init`" in hint
    assert next_hint == "start a run with: holdfast run shop.py:buy"
    assert [each["workflows"] for each in (empty, full, gone)] == [[], ["buy", "wait"], []]
    assert empty["url"].startswith("http://127.0.0.1:")
    assert dev.texts("problem", "problem") == []


def test_what_a_person_reads(project: Project):
    project.write("job.yaml", JOB)
    with project.start("dev", "job.yaml", "--port", "0") as process:
        try:
            assert process.stderr is not None
            first, second = process.stderr.readline(), process.stderr.readline()
            done = project.execute("run", "job.yaml", "--id", "mine")
            starts, ends = process.stderr.readline(), process.stderr.readline()
            code, said, told = project.finish(process, signal.SIGTERM)
        finally:
            process.kill()

    assert done.returncode == 0
    assert " http://127.0.0.1:" in first
    assert first.endswith("/api/v1): 1 workflow (job); Ctrl-C stops\n")
    assert second.split(" ", 1)[1] == "start a run with: holdfast run job.yaml\n"
    assert starts.split(" ", 1)[1] == "run mine of job starts\n"
    assert ends.split(" ", 1)[1].startswith("run mine of job success after 0.")
    assert (code, said, told.split(" ", 1)[1]) == (0, "", "stopped\n")


def test_a_port_that_is_taken_is_refused_if_it_was_asked_for_and_else_the_next_one_is_used(project: Project):
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", 8070))
            listener.listen()
        except OSError:
            pass  # somebody else has it
        with developing(project, "--port", "0") as dev:
            dev.serving()
            taken = dev.events[0]["url"].rpartition(":")[2]
            refused = project.execute("dev", "--port", taken)
        with project.start("dev", "--json") as process:
            try:
                assert process.stdout is not None
                line = process.stdout.readline()
                project.finish(process, signal.SIGINT)
            finally:
                process.kill()

    assert refused.returncode == 2
    assert f"--port is {taken}, but must be one that is free on 127.0.0.1" in refused.stderr
    assert '"url":"http://127.0.0.1:80' in line
    assert ":8070" not in line


def test_no_request_is_refused_while_code_is_loaded_again(project: Project):
    project.write("shop.py", SHOP)
    answers: list[int] = []
    is_over = threading.Event()
    with developing(project) as dev:
        url = dev.serving()["url"]

        def ask() -> None:
            while not is_over.is_set():
                answers.append(httpx.get(f"{url}/api/tasks", timeout=20).status_code)

        asking = threading.Thread(target=ask)
        asking.start()
        for number in (2, 3):
            time.sleep(0.2)
            edit(project, "shop.py", f"return {number - 1}", f"return {number}")
            dev.serving()
        is_over.set()
        asking.join()

    assert set(answers) == {200}
    assert len(answers) > 10


def test_a_child_that_is_killed_is_started_again_and_goes_on(project: Project):
    project.write("shop.py", SHOP)
    with developing(project) as dev:
        dev.serving()
        dev.start("wait", "under-way")
        eventually((project.folder / "calls.txt").exists)
        [child] = dev.children()

        os.kill(child, signal.SIGKILL)
        crashed = dev.next("crashed")
        dev.serving()
        dev.use(lambda hf: hf.signal("under-way", "go"))

        assert dev.result("under-way") == 11
        assert dev.children() != [child]
    assert (crashed["exit_code"], crashed["again_in"]) == (-signal.SIGKILL, 0.5)


def test_code_that_kills_its_process_when_it_is_imported_is_not_taken(project: Project):
    project.write("shop.py", SHOP)
    with developing(project) as dev:
        dev.serving()
        [child] = dev.children()
        edit(project, "shop.py", "from pathlib", "import os\nos._exit(9)\nfrom pathlib")
        refused = dev.next("refused")
        dev.start("buy", "old")

        assert dev.result("old") == 1
        assert dev.children() == [child]
    assert dev.texts("crashed", "exit_code") == []
    assert refused["is_serving"]
    assert dev.texts("problem", "problem") == ["the process that loads it ended with exit code 9"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
def test_when_the_supervisor_goes_nothing_is_left(project: Project, number: signal.Signals):
    project.write("stuck.yaml", STUCK)
    with developing(project, HOLDFAST_KILL_SECONDS="0.2") as dev:
        dev.serving()
        dev.start("stuck", "one")
        eventually((project.folder / "began").exists)
        [child] = dev.children()

        code = dev.finish(number)
        eventually(lambda: not is_alive(child), seconds=20)
        eventually(lambda: not _processes_of(project.folder), seconds=20)

    assert code == (-number if number is signal.SIGKILL else 0)
    assert project.last_run()["status"] in ("pending", "running")


def _processes_of(folder: Path) -> list[str]:
    """All processes that work in the folder."""
    found: list[str] = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.readlink() == folder:
                found.append(link.parent.name)
        except OSError:
            continue
    return found


def test_a_second_ctrl_c_ends_it_at_once(project: Project):
    project.write("stuck.yaml", STUCK)
    with developing(project, HOLDFAST_KILL_SECONDS="60") as dev:
        dev.serving()
        dev.start("stuck", "one")
        eventually((project.folder / "began").exists)
        [child] = dev.children()

        dev.process.send_signal(signal.SIGINT)
        eventually(lambda: any("Ctrl-C stops at once" in line for line in dev.errors))
        began = time.monotonic()
        code = dev.finish(signal.SIGINT)

    assert code == 130
    assert time.monotonic() - began < 5
    assert not is_alive(child)


def test_when_nobody_reads_its_lines_any_more_it_stops_in_order(project: Project):
    project.write("job.yaml", JOB)
    with developing(project) as dev:
        dev.serving()
        dev.next("hint")
        [child] = dev.children()
        dev.stop_reading()
        dev.start("job", "one")
        code = dev.process.wait(20)

    assert code == 141
    assert not is_alive(child)
    assert "".join(dev.errors) == ""
    assert project.last_run()["status"] == "success"


def test_what_cannot_be_served_is_refused(project: Project):
    project.write("notes.txt", "")

    nowhere = project.run("dev", "nowhere")
    text = project.run("dev", "notes.txt")
    port = project.run("dev", "--port", "65536")
    database = project.execute("dev", "--port", "0", "--db", "no/such/folder/x.db")

    assert [each.returncode for each in (nowhere, text, port, database)] == [2] * 4
    assert "nowhere: no such file or folder" in nowhere.stderr
    assert "notes.txt: not a YAML, JSON or Python file" in text.stderr
    assert "--port is 65536" in port.stderr
    assert "no/such/folder" in database.stderr


# --- in a terminal


def test_in_a_terminal_it_has_colours_and_ctrl_c_is_for_the_supervisor(project: Project):
    project.write("job.yaml", JOB)
    with Terminal(project.folder, "dev", "--port", "0") as terminal:
        terminal.see("start a run with")
        assert project.execute("run", "job.yaml", "--id", "mine").returncode == 0
        terminal.see("mine of job success")
        terminal.press("\x03")
        code = terminal.end()

    assert code == 0
    assert "\x1b[32m" in terminal.raw
    assert terminal.screen.text.rstrip().endswith(" stopped")
    assert "Traceback" not in terminal.raw


def test_when_the_terminal_is_closed_nothing_is_left_and_no_task_fails(project: Project):
    project.write("talk.py", TALK)
    with Terminal(project.folder, "dev", "--port", "0") as terminal:
        terminal.see("start a run with")
        start_run(project, "talk", "one")
        eventually((project.folder / "began").exists)
        terminal.hang_up()
        code = terminal.process.wait(20)
        eventually(lambda: not _processes_of(project.folder), seconds=20)

    assert code == 0
    assert project.last_run()["status"] in ("pending", "running")
