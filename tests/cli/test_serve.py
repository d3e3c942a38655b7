"""`holdfast serve`: a node that works until it is told to stop."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Callable

import pytest
from tests.cli.processes import Project, eventually

JOB = "name: job\ntasks:\n  work: {command: 'echo done'}\noutput: {}\n"


def wait_for(process: subprocess.Popen[str], is_it: Callable[[str], bool]) -> list[str]:
    """Read lines until one is it: all of them."""
    assert process.stderr is not None
    lines: list[str] = []
    for line in process.stderr:
        lines.append(line)
        if is_it(line):
            return lines
    raise AssertionError(f"it ended before: {lines}")


def with_a_failed_run(project: Project) -> Project:
    project.write("job.yaml", JOB.replace("echo done", "test -e go"))
    assert project.run("run", "job.yaml", "--id", "mine").returncode == 1
    (project.folder / "go").touch()
    return project


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_takes_runs_that_others_have_opened_tells_of_them_and_stops_in_order(
    project: Project, number: signal.Signals
):
    with_a_failed_run(project)
    process = project.start("serve", "job.yaml")
    wait_for(process, lambda line: "serving job" in line)

    project.run("runs", "retry", "mine")
    lines = wait_for(process, lambda line: "mine of job success" in line)
    code, said, told = project.finish(process, number)

    assert re.match(r"20\S+\+0[12]:00 run mine of job success after", lines[-1])
    assert code == 0
    assert said == ""
    assert told.endswith("stopped\n")
    assert "Traceback" not in told


def test_the_schedules_of_its_files_are_put_changed_and_deleted_with_them(project: Project):
    project.write("job.yaml", JOB + "schedule: '*/1 * * * * *'\n")
    process = project.start("serve", "job.yaml")
    lines = wait_for(process, lambda line: re.search(r"run job@\S+ of job success", line) is not None)
    project.finish(process, signal.SIGTERM)
    project.write("job.yaml", JOB)

    process = project.start("serve", "job.yaml")
    later = wait_for(process, lambda line: "serving job" in line)
    project.finish(process, signal.SIGTERM)

    assert any("schedule job fires next at 20" in line for line in lines)
    assert any("schedule job is deleted: it is not in its file any more" in line for line in later)
    runs = len(project.ask("runs", "list"))
    assert runs >= 1
    assert project.ask("schedules", "list") == []


def test_quiet_says_nothing_of_runs(project: Project):
    with_a_failed_run(project)
    process = project.start("serve", "job.yaml", "--quiet")
    wait_for(process, lambda line: "serving job" in line)

    project.run("runs", "retry", "mine")
    eventually(lambda: project.last_run()["status"] == "success")
    _, _, told = project.finish(process, signal.SIGTERM)

    assert "mine" not in told


def test_what_cannot_be_served_is_refused(project: Project):
    project.write("bad.yaml", "name: bad\ntasks: {}\n")

    nothing = project.run("serve")
    bad = project.run("serve", "bad.yaml")

    assert nothing.returncode == 2
    assert "TARGET" in nothing.stderr
    assert bad.returncode == 2
    assert bad.stderr.startswith("bad.yaml:")
    assert not (project.folder / ".holdfast").exists()
