"""The commands that ask about runs and tell them something: runs, logs, approve, signal, doctor."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from tests.cli.builders import attempt, info, task
from tests.cli.processes import COMMAND, SECONDS, Project, environment, eventually, json_lines, read_until
from tests.cli.terminal import Terminal

from holdfast import Holdfast
from holdfast.authoring.dag.loader import load_text
from holdfast.authoring.dag.outline import outline_dag
from holdfast.cli.database import DatabaseOptions
from holdfast.cli.views.progress import RunProgress
from holdfast.cli.views.run_details import RunDetails, print_run_details, read_run_details
from holdfast.settings import Settings

FAILING = """\
name: failing
tasks:
  good: {command: 'echo fine; echo "[bold]not markup"'}
  flaky:
    depends_on: [good]
    command: 'echo "try $HOLDFAST_ATTEMPT"; echo "no luck" >&2; exit 3'
    retries: {max_attempts: 2, first_delay: 0.1}
  each: {parallel: 3, command: 'echo item $HOLDFAST_PARALLEL_INDEX'}
"""

ASKING = """\
name: asking
tasks:
  review: {approval: {message: 'Ship it?'}}
  parcel: {depends_on: [review], wait_for_signal: sent}
output: {review: review, parcel: parcel}
"""


@pytest.fixture(scope="module")
def once_failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = Project(tmp_path_factory.mktemp("failed"))
    project.write("failing.yaml", FAILING)
    assert project.run("run", "failing.yaml", "--id", "bad").returncode == 1
    return project.folder


@pytest.fixture
def failed(project: Project, once_failed: Path) -> Project:
    """With one run, called `bad`, that has failed."""
    shutil.copytree(once_failed, project.folder, dirs_exist_ok=True)
    return project


@pytest.fixture
def asking(project: Project) -> tuple[Project, subprocess.Popen[str]]:
    """With one run, called `mine`, that waits for approval."""
    project.write("asking.yaml", ASKING)
    process = project.start("run", "asking.yaml", "--id", "mine", "--json")
    database = project.folder / ".holdfast" / "holdfast.db"
    eventually(lambda: database.exists() and project.run("runs", "show", "mine").stdout.count("running") == 2)
    return project, process


# --- runs


def test_runs_are_listed_newest_first_by_state_and_workflow(failed: Project):
    failed.write("good.yaml", "name: good\ntasks:\n  a: {command: 'true'}\n")
    failed.run("run", "good.yaml", "--id", "well")

    table = failed.execute("runs", "list").stdout.splitlines()
    by_status = failed.ask("runs", "list", "--status", "failed")
    by_workflow = failed.ask("runs", "list", "--workflow", "good")
    limited = failed.ask("runs", "list", "--limit", "1")

    assert re.match(r"RUN +WORKFLOW +STATUS +CREATED +TOOK", table[0])
    assert re.match(r"well +good +success +20\S+\+0[12]:00 +\d+\.\d s$", table[1])
    assert re.match(r"bad +failing +failed .* task 'flaky' failed: exited with code 3$", table[2])
    assert [info["id"] for info in by_status] == ["bad"]
    assert [info["id"] for info in by_workflow] == ["well"]
    assert [info["id"] for info in limited] == ["well"]


def test_a_run_is_shown_with_its_tasks_and_the_attempts_that_did_not_succeed(failed: Project):
    shown = failed.execute("runs", "show", "bad").stdout

    assert re.search(r"^status +failed$", shown, re.MULTILINE)
    assert re.search(r"^problem +task 'flaky' failed: exited with code 3$", shown, re.MULTILINE)
    assert re.search(r"^flaky +failed +2 .* exited with code 3$", shown, re.MULTILINE)
    assert re.search(r"^each\[2\] +success +1 ", shown, re.MULTILINE)
    assert re.search(r"^flaky +failed +1 +20\S+ +\S+ +exited with code 3$", shown, re.MULTILINE)
    assert "holdfast run --retry bad" in shown


DETAILS = """\
name: details
tasks:
  list: {command: 'echo "HOLDFAST_OUTPUT:[1, 2]"'}
  kids: {depends_on: [list], workflow: kid, foreach: list, inputs: {item: {ref: item}}}
  never: {depends_on: [list], when: 'list == [9]', command: 'true'}
  deep: {file: deep.py, function: go, retries: {max_attempts: 2, first_delay: 0}}
  slow: {command: 'sleep 60', timeout: 0.2}
  after: {depends_on: [never], command: 'true'}
  last: {depends_on: [list, deep], command: 'true'}
"""
KID = "name: kid\ninput: {item: int}\ntasks:\n  a: {command: 'true'}\n"
DEEP = """\
def go(depth: int = 20):
    further(depth)

def further(depth):
    if depth == 0:
        raise ValueError("x" * 500 + "END")
    go(depth - 1)
"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """With one run, called `all`, that has failed in several ways."""
    project = Project(tmp_path_factory.mktemp("details"))
    project.write("details.yaml", DETAILS)
    project.write("kid.yaml", KID)
    project.write("deep.py", DEEP)
    assert project.run("run", "details.yaml", "--id", "all").returncode == 1
    return project


def row_of(text: str, task: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"{task} "))


def test_a_run_is_shown_with_what_its_tasks_gave_and_why_others_were_skipped(drawn: Project):
    shown = drawn.run("runs", "show", "all").stdout

    assert row_of(shown, "list").endswith("[1,2]")
    assert row_of(shown, "never").endswith("when is not met: list == [9]")
    assert row_of(shown, "after").endswith("never was skipped")
    assert row_of(shown, "last").endswith("deep failed")
    assert row_of(shown, "kids[0]").split()[1] == row_of(shown, "kids[1]").split()[1] == "success"


def test_a_problem_is_told_whole_in_a_pipe_and_does_not_name_its_task_again(drawn: Project):
    shown = drawn.run("runs", "show", "all").stdout

    assert row_of(shown, "deep").endswith("ValueError: " + "x" * 500 + "END")
    assert re.search(r"  ran longer than \S+$", row_of(shown, "slow"))


def test_what_failed_and_what_runs_is_shown_however_much_came_before_it(project: Project):
    tasks = (
        "  each: {parallel: 250, command: 'true'}\n"
        "  wrong: {depends_on: [each], command: 'exit 3'}\n"
        "  ask: {depends_on: [each], approval: {message: 'Go on?'}}\n"
    )
    project.write("wide.yaml", "name: wide\ntasks:\n" + tasks)
    process = project.start("run", "wide.yaml", "--id", "wide")
    read_until(process.stderr, "wrong failed")
    eventually(lambda: [it for it in project.ask("runs", "show", "wide")["tasks"] if it["name"] == "ask"])

    shown = project.run("runs", "show", "wide").stdout
    full = project.run("runs", "show", "wide", "--full").stdout
    project.finish(process, signal.SIGTERM)

    assert row_of(shown, "wrong").split()[1] == "failed"
    assert row_of(shown, "ask").split()[1] == "running"
    assert len(re.findall(r"^each\[\d+\] +success", shown, re.MULTILINE)) == 198
    assert "\nand 52 more (52 success); --full and --json have all of them\n" in shown
    assert len(re.findall(r"^each\[\d+\] +success", full, re.MULTILINE)) == 250
    assert " more (" not in full


def test_the_end_of_a_traceback_is_shown_and_all_of_it_if_asked_for(drawn: Project):
    short = drawn.run("runs", "show", "all").stdout
    whole = drawn.run("runs", "show", "all", "--full").stdout

    assert "\ndeep, attempt 2:\n" in short
    assert re.search(r"^  \(\d+ lines before; --full has all of them\)$", short, re.MULTILINE)
    assert "Traceback (most recent call last)" not in short
    assert '    raise ValueError("x" * 500 + "END")' in short
    assert "  Traceback (most recent call last):" in whole
    assert whole.count("in go") > short.count("in go")


async def test_what_tasks_have_given_is_not_read_where_none_of_it_is_shown(project: Project):
    project.write(
        "bad.yaml", "name: bad\ntasks:\n  a: {command: 'false'}\n  b: {command: x, depends_on: a}\n"
    )
    assert await asyncio.to_thread(project.execute, "run", "bad.yaml", "--id", "bad")
    url = f"sqlite:///{project.folder}/.holdfast/holdfast.db"

    async with Holdfast(url, engine=False) as client:
        client.list_tasks = AsyncMock(wraps=client.list_tasks)
        shown = await read_run_details(client, await client.describe("bad"), is_full=False)
        looked_for_people = client.list_tasks.await_count
        whole = await read_run_details(client, await client.describe("bad"), is_full=True)

        assert looked_for_people == 0
        assert [task.problem for task in shown.tasks] == ["exited with code 1", None]
        assert client.list_tasks.await_count == 1
        assert whole.outcomes[0].failure is not None


def test_explain_says_what_a_run_waits_for_as_runs_show_does(
    asking: tuple[Project, subprocess.Popen[str]],
):
    project, process = asking
    said = project.run("explain", "mine").stdout
    shown = project.run("runs", "show", "mine").stdout
    facts = project.ask("explain", "mine")
    project.run("runs", "cancel", "mine")
    process.communicate()

    assert "\n  review waits for approval: Ship it?" in said
    assert "\n    to move it: holdfast approve mine review" in said
    assert "review waits for approval: Ship it?" in shown
    assert [it["name"] for it in facts["reasons"] if it["kind"] == "approval"] == ["review"]


def test_runs_show_tells_what_a_run_waits_for_and_how_to_give_it(
    capsys: pytest.CaptureFixture[str],
):
    progress = RunProgress(outline_dag(load_text(ASKING)))
    progress.apply([task(0, "review", "running")])

    print_run_details(
        RunDetails(info(), progress, [], {}, {}, [], {}), DatabaseOptions(Settings(), ()), is_full=False
    )

    assert (
        "review waits for approval: Ship it?: holdfast approve order-42 review\n" in capsys.readouterr().out
    )


def test_a_task_that_waits_for_its_next_attempt_shows_where_the_last_one_went_wrong(
    capsys: pytest.CaptureFixture[str],
):
    tasks = [task(0, "a", "pending", attempt=3), task(1, "b", "success", attempt=2)]
    attempts = [attempt(0, 1, traceback="first"), attempt(0, 2, traceback="second")]
    attempts.append(attempt(1, 1, traceback="old"))
    details = RunDetails(info(), RunProgress(), tasks, {}, {}, attempts, {})

    print_run_details(details, DatabaseOptions(Settings(), ()), is_full=False)

    said = capsys.readouterr().out
    assert "a, attempt 2:\n  second\n" in said
    assert "first" not in said
    assert "old" not in said


def test_json_has_outputs_reasons_and_tracebacks(drawn: Project):
    tasks = {(task["name"], task["index"]): task for task in drawn.ask("runs", "show", "all")["tasks"]}

    assert tasks["list", None]["output"] == [1, 2]
    assert tasks["never", None]["skipped_because"] == "when is not met: list == [9]"
    assert tasks["deep", None]["failure"]["traceback"].startswith("Traceback")
    assert ("kids", 1) in tasks


def test_what_is_done_to_a_run_is_told_in_json(failed: Project):
    opened = failed.ask("runs", "retry", "bad")
    signalled = failed.ask("signal", "bad", "go", '{"by": 1}', "--message-id", "m1", "--by", "ann")
    again = failed.ask("signal", "bad", "go", '{"by": 1}', "--message-id", "m1")
    other = failed.run("signal", "bad", "go", '{"by": 2}', "--message-id", "m1")
    cancelled = failed.ask("runs", "cancel", "bad", "--reason", "never mind", "--by", "bob")
    told = failed.ask("runs", "show", "bad")["messages"]
    shown = failed.execute("runs", "show", "bad").stdout

    assert [(it["kind"], it["by"]) for it in told][-2:] == [("signal", "ann"), ("cancel", "bob")]
    assert {"retry", "signal", "cancel"} <= {line.split()[0] for line in shown.splitlines() if line}
    assert (opened["id"], opened["workflow"], opened["status"]) == ("bad", "failing", "running")
    assert signalled == again == {"run": "bad", "signal": "go", "value": {"by": 1}}
    assert other.returncode == 2
    assert "run 'bad' has another message with the id 'm1'" in other.stderr
    assert cancelled["id"] == "bad"


def test_runs_that_failed_are_counted_and_then_retried(failed: Project):
    succeeded = failed.ask("runs", "retry", "--status", "success")
    counted = failed.ask("runs", "retry", "--workflow", "failing")
    retried = failed.ask("runs", "retry", "--workflow", "failing", "--yes")

    assert (succeeded, counted) == ({"matching": 0}, {"matching": 1})
    assert (retried["done"], retried["refusals"]) == (1, 0)
    assert failed.ask("runs", "show", "bad")["status"] in ("pending", "running")


def test_the_same_in_json(failed: Project):
    facts = failed.ask("runs", "show", "bad")

    assert facts["status"] == "failed"
    assert {task["name"]: task["status"] for task in facts["tasks"]} == {
        "good": "success",
        "flaky": "failed",
        "each": "success",
    }
    assert [each["attempt"] for each in facts["attempts"]] == [1, 2]
    assert re.search(r"\+0[12]:00$", facts["created_at"])


def test_a_run_can_be_retried_for_whoever_serves_it(failed: Project):
    done = failed.execute("runs", "retry", "bad")
    again = failed.run("runs", "retry", "bad")

    assert done.returncode == 0
    assert "holdfast run --resume bad" in done.stderr
    assert failed.last_run()["status"] in ("pending", "running")
    assert again.returncode == 2
    assert "only a run that failed or was cancelled can be retried" in again.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runs", "show", "nobody"], "no run 'nobody' in namespace 'default'"),
        (["runs", "cancel", "bad"], "run 'bad' has ended and takes no cancellation any more"),
        (["runs", "resume", "bad"], "only a run that is parked or paused can be resumed"),
        (["runs", "list", "--status", "odd"], "status is 'odd', but must be one of pending, running"),
        (["runs", "list", "--limit", "0"], "limit is 0"),
        (["logs", "nobody"], "no run 'nobody'"),
        (["logs", "bad", "flakey"], "one that the run has asked for: good, each, flaky"),
        (["approve", "bad", "flaky"], "task 'flaky' of run 'bad' does not wait for approval"),
        (["approve", "bad", "flaky", "--value", "{"], "--value is '{', but must be JSON"),
        (["approve", "bad", "flaky", "--value", "1", "--reject"], "left out with --reject"),
        (["signal", "bad", "x"], "run 'bad' has ended and takes no signals any more"),
        (["signal", "bad", "x", "nonsense"], "must be JSON"),
    ],
)
def test_what_is_refused_is_one_line_and_ends_with_two(failed: Project, words: list[str], message: str):
    done = failed.run(*words)

    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    "words",
    [["runs", "list"], ["runs", "show", "abcdef"], ["logs", "x"], ["doctor"], ["approve", "x", "y"]],
    ids=" ".join,
)
def test_asking_where_there_is_no_database_says_so_and_makes_none(project: Project, words: list[str]):
    done = project.run(*words)

    assert done.returncode == 2
    assert "holdfast.db cannot be used: there is no such file" in done.stderr
    assert list(project.folder.iterdir()) == []


def test_a_run_can_be_named_by_its_beginning_unless_several_begin_so(project: Project):
    project.write("good.yaml", "name: good\ntasks:\n  a: {command: 'true'}\n")
    project.run("run", "good.yaml", "--id", "nightly-2026-01-30")
    project.run("run", "good.yaml", "--id", "nightly-2026-01-31")

    one = project.run("runs", "show", "nightly-2026-01-31"[:-1] + "1")
    several = project.run("runs", "show", "nightly")
    key = project.ask("runs", "show", "nightly-2026-01-30")["key"]
    by_key = project.run("runs", "show", key[:20])
    short = project.run("runs", "show", "night")

    assert one.returncode == 0
    assert several.returncode == 2
    assert "2 begin with it: nightly-2026-01-31, nightly-2026-01-30" in several.stderr
    assert "nightly-2026-01-30" in by_key.stdout
    assert short.returncode == 2
    assert "no run 'night'" in short.stderr


def test_a_reader_that_leaves_is_no_error(failed: Project):
    for words in (["runs", "show", "bad"], ["logs", "bad"], ["runs", "list", "--json"]):
        command = subprocess.Popen(
            [*COMMAND, *words],
            cwd=failed.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert command.stdout is not None
        assert command.stderr is not None
        command.stdout.close()

        told = command.stderr.read()
        command.stderr.close()
        command.wait(timeout=SECONDS)

        assert told == ""


def test_namespaces_are_kept_apart(failed: Project):
    failed.run("run", "failing.yaml", "--id", "other", "--namespace", "tenant")

    assert [info["id"] for info in failed.ask("runs", "list", "--namespace", "tenant")] == ["other"]
    assert [info["id"] for info in failed.ask("runs", "list")] == ["bad"]


# --- logs


def test_logs_are_told_with_time_task_attempt_and_stream(failed: Project):
    lines = failed.execute("logs", "bad").stdout.splitlines()

    assert len(lines) == 9
    texts = [line.partition(" ")[2] for line in lines]
    assert "good stdout | fine" in texts
    assert "flaky stdout | try 1" in texts
    assert "flaky#2 stderr | no luck" in texts
    assert "each[1] stdout | item 1" in texts
    assert all(re.match(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00 ", line) for line in lines)


def test_logs_of_one_task_or_of_one_item_of_it(failed: Project):
    each = failed.run("logs", "bad", "each").stdout.splitlines()
    one = failed.run("logs", "bad", "each[2]").stdout.splitlines()
    lines = json_lines(failed.run("logs", "bad", "each[2]", "--json").stdout)

    assert len(each) == 3
    assert [line.partition(" ")[2] for line in one] == ["each[2] stdout | item 2"]
    assert [(line["task"], line["index"], line["stream"], line["text"]) for line in lines] == [
        ("each", 2, "stdout", "item 2")
    ]


def test_what_tasks_say_is_no_markup_in_a_terminal(failed: Project):
    with Terminal(failed.folder, "logs", "bad", "good") as terminal:
        code = terminal.end()

    assert code == 0
    assert "[bold]not markup" in terminal.screen.text


def test_logs_are_followed_until_the_run_has_ended(project: Project):
    script = "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two"
    project.write("slow.yaml", f"name: slow\ntasks:\n  work: {{command: '{script}'}}\n")
    process = project.start("run", "slow.yaml", "--id", "slow")
    eventually(lambda: "one" in project.run("logs", "slow").stdout)
    following = project.start("logs", "slow", "--follow")
    assert following.stdout is not None

    first = following.stdout.readline()
    (project.folder / "go").touch()
    rest, told = following.communicate(timeout=SECONDS)

    process.communicate(timeout=SECONDS)
    assert first.endswith("| one\n")
    assert rest.endswith("| two\n")
    assert following.returncode == 0
    assert told == ""


# --- answers


def test_an_approval_and_a_signal_let_the_run_go_on(asking: tuple[Project, subprocess.Popen[str]]):
    project, process = asking

    approved = project.run("approve", "mine", "review", "--json")
    eventually(lambda: "parcel" in project.run("runs", "show", "mine").stdout)
    sent = project.run("signal", "mine", "sent", '{"by": "post"}')
    said, _ = process.communicate(timeout=SECONDS)

    assert approved.returncode == 0, approved.stderr
    assert json_lines(approved.stdout) == [{"run": "mine", "task": "review", "value": True}]
    assert approved.stderr == ""
    assert sent.returncode == 0, sent.stderr
    assert json_lines(said)[-1]["output"] == {"review": True, "parcel": {"by": "post"}}
    assert process.returncode == 0


def test_no_is_an_answer(asking: tuple[Project, subprocess.Popen[str]]):
    project, process = asking

    rejected = project.execute("approve", "mine", "review", "--reject")
    said, _ = process.communicate(timeout=SECONDS)

    assert rejected.returncode == 0
    assert "told run mine no for 'review'" in rejected.stderr
    assert json_lines(said)[-1]["status"] == "failed"
    assert process.returncode == 1


def test_what_a_run_waits_for_is_shown(asking: tuple[Project, subprocess.Popen[str]]):
    project, process = asking

    eventually(lambda: "approval 'review'" in project.run("runs", "list").stdout)

    project.run("runs", "cancel", "mine", "--reason", "never mind")
    process.communicate(timeout=SECONDS)
    assert process.returncode == 3


# --- the schema


def test_the_schema_is_brought_up_to_date_and_shown(project: Project):
    refused = project.run("db", "status")
    migrated = project.execute("db", "migrate")
    shown = project.run("db", "status")
    answer = json.loads(project.run("db", "status", "--json").stdout)

    assert refused.returncode == 2
    assert "there is no such file" in refused.stderr
    assert "applying migration 0001 kernel" in migrated.stderr
    assert (migrated.returncode, shown.returncode) == (0, 0)
    assert "is up to date; 0.4.0 and later may use it" in shown.stderr
    assert re.search(r"^0005 +facts +applied ", shown.stdout, re.MULTILINE)
    assert answer["pending"] == answer["newer"] == []
    assert (answer["oldest_release"], answer["is_usable"]) == ("0.4.0", True)


def test_pending_migrations_and_a_schema_that_cannot_be_used_are_told(project: Project):
    project.run("db", "migrate")
    with closing(sqlite3.connect(project.folder / ".holdfast" / "holdfast.db")) as file, file:
        file.execute("DELETE FROM schema_changes WHERE number = 6")
    pending = project.run("db", "status")
    with closing(sqlite3.connect(project.folder / ".holdfast" / "holdfast.db")) as file, file:
        file.execute("INSERT INTO schema_migrations (number, name) VALUES (99, 'from_the_future')")
    newer = project.run("db", "status")
    refused = project.run("db", "migrate")

    assert pending.returncode == 1
    assert "has 1 pending: `holdfast db migrate` applies them" in pending.stderr
    assert newer.returncode == 1
    assert "needs a release that knows migration 0099: upgrade holdfast" in newer.stderr
    assert (refused.returncode, "schema 99" in refused.stderr) == (2, True)


# --- doctor


def test_doctor_finds_nothing_wrong(failed: Project):
    done = failed.execute("doctor")
    answer = json.loads(failed.run("doctor", "--json").stdout)

    assert done.returncode == 0
    assert "has a reason to wake" in done.stderr
    assert answer == []


# --- streams

PUBLISHING = """\
from datetime import timedelta

from holdfast import Retry, context, task, task_context, workflow


@task(retry=Retry(max_attempts=2, first_delay=timedelta(0)))
async def talk() -> None:
    await task_context().publish_many("tokens", ["a", {"b": 1}])
    if task_context().attempt == 1:
        raise ValueError("again")


@workflow
async def chat() -> None:
    context().publish("progress", "begun")
    await talk()
"""


def test_a_stream_is_printed_item_by_item(project: Project):
    project.write("chat.py", PUBLISHING)
    assert project.run("run", "chat.py:chat", "--id", "chat").returncode == 0

    said = project.run("runs", "stream", "chat", "tokens")
    some = project.run("runs", "stream", "chat", "tokens", "--after", "2", "--no-follow", "--json")
    gone = project.run("runs", "stream", "nobody", "tokens")

    assert said.stdout.splitlines() == ['"a"', '{"b":1}', '"a"', '{"b":1}']
    assert "talk: attempt 2 begins again" in said.stderr
    (item,) = json_lines(some.stdout)
    assert (item["offset"], item["value"], item["task"], item["attempt"]) == (3, {"b": 1}, "talk", 2)
    assert gone.returncode == 2
    assert "no run 'nobody'" in gone.stderr


SLOW = """\
import asyncio
from pathlib import Path

from holdfast import task, task_context, workflow


@task
async def talk() -> None:
    await task_context().publish("tokens", "a")
    if not Path("stopped").exists():
        await asyncio.sleep(600)


@workflow
async def chat() -> None:
    await talk()
"""


def test_a_stream_says_that_an_attempt_begins_again_that_a_stopping_node_handed_back(project: Project):
    project.write("chat.py", SLOW)
    process = project.start("run", "chat.py:chat", "--id", "chat", HOLDFAST_DRAIN_SECONDS="0")
    while "a" not in project.run("runs", "stream", "chat", "tokens", "--no-follow").stdout:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    project.write("stopped", "")
    assert project.run("run", "chat.py:chat", "--id", "chat").returncode == 0

    said = project.run("runs", "stream", "chat", "tokens")

    assert said.stdout.splitlines() == ['"a"', '"a"']
    assert said.stderr.splitlines() == ["talk: attempt 1 begins again"]


def test_a_running_task_shows_the_details_of_its_last_heartbeat(capsys: pytest.CaptureFixture[str]):
    details = RunDetails(info(), RunProgress(), [task(0, "a", progress={"row": 7})], {}, {}, [], {})

    print_run_details(details, DatabaseOptions(Settings(), ()), is_full=False)

    assert 'at {"row":7}' in capsys.readouterr().out
