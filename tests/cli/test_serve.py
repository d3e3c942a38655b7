"""`holdfast serve`: a node that works until it is told to stop."""

from __future__ import annotations

import datetime as dt
import re
import signal

import pytest
from tests.cli.processes import SECONDS, Project, eventually, json_lines, read_until

JOB = "name: job\ntasks:\n  work: {command: 'echo done'}\noutput: {}\n"


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
    process = project.start("serve", "--no-http", "job.yaml")
    read_until(process.stderr, "serving job")

    project.run("runs", "retry", "mine")
    lines = read_until(process.stderr, "mine of job success")
    code, said, told = project.finish(process, number)

    assert re.match(r"20\S+\+0[12]:00 run mine of job success after", lines[-1])
    assert code == 0
    assert said == ""
    assert told.endswith("stopped\n")
    assert "Traceback" not in told


def test_the_schedules_of_its_files_are_put_changed_and_deleted_with_them(project: Project):
    project.write("job.yaml", JOB + "schedule: '*/1 * * * * *'\n")
    process = project.start("serve", "--no-http", "job.yaml")
    lines = read_until(process.stderr, re.compile(r"run job@\S+ of job success"))
    project.finish(process, signal.SIGTERM)
    project.write("job.yaml", JOB)

    process = project.start("serve", "--no-http", "job.yaml")
    later = read_until(process.stderr, "serving job")
    project.finish(process, signal.SIGTERM)

    assert any("schedule job fires next at 20" in line for line in lines)
    assert any("schedule job is deleted: it is not in its file any more" in line for line in later)
    runs = len(project.ask("runs", "list"))
    assert runs >= 1
    assert project.ask("schedules", "list") == []


def test_a_file_that_was_moved_still_says_what_its_schedule_is(project: Project):
    def serve(file: str, text: str) -> tuple[dict[str, str], str]:
        """The schedules and their files then, and what was said."""
        (project.folder / file).parent.mkdir(exist_ok=True)
        project.write(file, text)
        process = project.start("serve", "--no-http", file)
        told = read_until(process.stderr, "serving job")
        project.finish(process, signal.SIGTERM)
        (project.folder / file).unlink()
        schedules = {each["name"]: each["origin"][-12:] for each in project.ask("schedules", "list")}
        return schedules, "".join(told)

    scheduled = JOB + "schedule: '@yearly'\n"
    project.write("job.yaml", JOB)
    project.run("schedules", "put", "by-hand", "job.yaml", "--cron", "@yearly")

    put, _ = serve("old/job.yaml", scheduled)
    moved, _ = serve("new/job.yaml", scheduled)
    taken_out, told = serve("any/job.yaml", JOB)

    assert put == {"by-hand": "", "job": "old/job.yaml"}
    assert moved == {"by-hand": "", "job": "new/job.yaml"}
    assert taken_out == {"by-hand": ""}
    assert "schedule job is deleted: it is not in its file any more" in told


def test_quiet_says_nothing_of_runs(project: Project):
    with_a_failed_run(project)
    process = project.start("serve", "--no-http", "job.yaml", "--quiet")
    read_until(process.stderr, "serving job")

    project.run("runs", "retry", "mine")
    eventually(lambda: project.last_run()["status"] == "success")
    _, _, told = project.finish(process, signal.SIGTERM)

    assert "mine" not in told


def test_what_happens_can_be_had_as_json_lines(project: Project):
    with_a_failed_run(project)
    project.write("job.yaml", (project.folder / "job.yaml").read_text() + "schedule: {cron: '0 0 1 1 *'}\n")
    project.write("other.yaml", "name: other\ntasks: {a: {command: 'false'}}\n")
    process = project.start("serve", "--no-http", "job.yaml", "other.yaml", "--json")
    lines = read_until(process.stdout, '"serving"')

    project.run("runs", "retry", "mine")
    lines += read_until(process.stdout, '"success"')
    code, said, told = project.finish(process, signal.SIGTERM)

    events = json_lines("".join(lines) + said)
    assert (code, told) == (0, "")
    assert all(dt.datetime.fromisoformat(event.pop("at")).tzinfo for event in events)
    schedule, serving, *runs, stopped = events
    assert (schedule["event"], schedule["schedule"], schedule["status"]) == ("schedule", "job", "on")
    assert schedule["next_at"].endswith("-01-01T01:00:00+01:00")
    assert serving == {"event": "serving", "workflows": ["job", "other"]}
    assert {(run["event"], run["run"], run["workflow"]) for run in runs} == {("run", "mine", "job")}
    assert (runs[-1]["status"], runs[-1]["problem"]) == ("success", None)
    assert stopped == {"event": "stopped"}


def test_a_node_whose_lines_nobody_reads_any_more_stops_in_order(project: Project):
    with_a_failed_run(project)
    process = project.start("serve", "--no-http", "job.yaml", "--json")
    read_until(process.stdout, '"serving"')
    assert process.stdout is not None
    process.stdout.close()

    project.run("runs", "retry", "mine")

    assert process.wait(timeout=SECONDS) == 141
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    assert project.last_run()["status"] == "success"


def test_a_file_with_tasks_only_is_served(project: Project):
    project.write("mails.py", "from holdfast import task\n\n\n@task\ndef send() -> None: ...\n")

    process = project.start("serve", "--no-http", "mails.py")
    read_until(process.stderr, "serving task send")

    assert project.finish(process, signal.SIGTERM)[0] == 0


def test_what_cannot_be_served_is_refused(project: Project):
    project.write("bad.yaml", "name: bad\ntasks: {}\n")
    project.write("empty.py", "")

    empty = project.run("serve", "empty.py")
    bad = project.run("serve", "bad.yaml")

    assert empty.returncode == 2
    assert "empty.py: it has no workflow, which is a function or a class with @workflow" in empty.stderr
    assert bad.returncode == 2
    assert bad.stderr.startswith("bad.yaml:")
    assert not (project.folder / ".holdfast").exists()
