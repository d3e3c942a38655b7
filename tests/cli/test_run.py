"""`holdfast run` in a pipe: what goes where, and what it ends with."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from tests.cli.processes import COMMAND, SECONDS, Project, environment, json_lines

SMALL = """\
name: small
input: {word: str = hello, count: int = 2}
tasks:
  say: {command: 'echo "say $HOLDFAST_INPUT"; echo "aside" >&2; echo "HOLDFAST_OUTPUT:\\"done\\""'}
  each: {depends_on: [say], parallel: input.count, command: 'echo item'}
output: {said: say}
"""

FAILING = """\
name: failing
tasks:
  flaky:
    command: 'echo "try $HOLDFAST_ATTEMPT"; echo "no luck" >&2; exit 3'
    retries: {max_attempts: 2, first_delay: 0.5, jitter: 0}
  after: {depends_on: [flaky], command: 'true'}
"""

SHOP = '''\
from holdfast import task, workflow

print("imported")


@task
def charge(cents: int) -> str:
    print("charging")
    return f"receipt for {cents}"


@workflow
async def fulfil(cents: int = 5, id: str = "none") -> str:
    """A parameter called `id`, as many have."""
    return f"{await charge(cents)} of {id}"


@workflow
async def nothing() -> None:
    await charge(1)
'''


def test_a_dag_is_run_and_what_it_gives_is_all_there_is_on_stdout(project: Project):
    project.write("small.yaml", SMALL)

    done = project.execute("run", "small.yaml")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"said": "done"}
    assert done.stdout.startswith('{\n  "said"')
    assert (project.folder / ".holdfast" / "holdfast.db").is_file()


def test_in_a_pipe_lines_tell_what_happens_with_times_in_the_local_zone_and_the_logs(project: Project):
    project.write("small.yaml", SMALL)

    done = project.run("run", "small.yaml")

    lines = done.stderr.splitlines()
    moment = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00"
    assert re.fullmatch(moment + r" run [0-9a-f-]{36} of small starts", lines[0])
    assert 'say | say {"word":"hello","count":2}' in lines
    assert "say | aside" in lines
    assert "each[0] | item" in lines
    assert "each[1] | item" in lines
    assert any(re.search(r"\+0[12]:00 each\[1\] success after \d+\.\d s$", line) for line in lines)
    assert lines[-1].startswith("success after ")
    assert lines[-1].endswith("(tasks: 3 success)")
    assert "\x1b" not in done.stderr


def test_what_a_task_said_is_told_before_its_end(project: Project):
    project.write("small.yaml", SMALL)

    lines = project.run("run", "small.yaml").stderr.splitlines()

    said = lines.index("say | aside")
    ended = next(number for number, line in enumerate(lines) if " say success" in line)
    assert said < ended


def test_a_run_that_fails_says_why_ends_with_one_and_tells_how_to_try_again(project: Project):
    project.write("failing.yaml", FAILING)

    done = project.run("run", "failing.yaml")

    run = project.last_run()["id"]
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.search(r"flaky failed \(attempt 1 of 2\): exited with code 3; again in 0\.5 s", done.stderr)
    assert re.search(r"flaky failed \(attempt 2 of 2\): exited with code 3$", done.stderr, re.MULTILINE)
    assert "flaky | no luck" in done.stderr
    assert "after skipped: flaky failed" in done.stderr
    assert f"holdfast run --retry {run}" in done.stderr


def test_json_lines_tell_everything_and_the_last_is_the_result(project: Project):
    project.write("failing.yaml", FAILING)

    done = project.run("run", "failing.yaml", "--json")

    events = json_lines(done.stdout)
    assert done.returncode == 1
    assert events[0]["event"] == "run"
    assert events[0]["workflow"] == "failing"
    assert events[-1]["event"] == "result"
    assert events[-1]["status"] == "failed"
    assert events[-1]["failure"]["message"] == "task 'flaky' failed: exited with code 3"
    attempts = [(each["attempt"], each["problem"]) for each in events if each["event"] == "attempt"]
    assert attempts == [(1, "exited with code 3"), (2, "exited with code 3")]
    logs = [(each["attempt"], each["stream"], each["text"]) for each in events if each["event"] == "log"]
    assert (1, "stdout", "try 1") in logs
    assert (2, "stderr", "no luck") in logs
    states = [each["status"] for each in events if each["event"] == "task" and each["task"] == "after"]
    assert states == ["skipped"]


def test_a_workflow_in_python_is_named_by_module_by_file_or_alone(project: Project):
    project.write("shop.py", SHOP)

    for target in ("shop:fulfil", "shop.py:fulfil"):
        done = project.run("run", target, "--input", '{"cents": 7, "id": "mine"}')

        assert done.returncode == 0, done.stderr
        assert done.stdout == '"receipt for 7 of mine"\n'


def test_what_user_code_prints_does_not_mix_with_the_result(project: Project):
    project.write("shop.py", SHOP)

    done = project.run("run", "shop:fulfil")

    assert done.stdout == '"receipt for 5 of none"\n'
    assert "imported" in done.stderr
    assert "charging" in done.stderr


TALKING = """\
from holdfast import context, task, workflow

@task
async def work() -> None:
    print("works")

@workflow
async def talk() -> None:
    print("begins")
    context().logger.info("goes on")
    await work()
"""


def test_what_code_prints_is_in_the_log_and_on_the_terminal_once(project: Project):
    project.write("talk.py", TALKING)

    done = project.run("run", "talk:talk", "--id", "one", "--plain")
    logs = project.run("logs", "one")
    of_task = project.run("logs", "one", "work")
    as_json = json_lines(project.run("logs", "one", "--json").stdout)

    assert done.returncode == 0, done.stderr
    assert (done.stderr.count("begins"), done.stderr.count("works")) == (1, 1)
    assert "(workflow) | goes on" in done.stderr
    assert [line.split(" ", 1)[1] for line in logs.stdout.splitlines()] == [
        "(workflow) stdout | begins",
        "(workflow) INFO | goes on",
        "work stdout | works",
    ]
    assert [line.split(" ", 1)[1] for line in of_task.stdout.splitlines()] == ["work stdout | works"]
    assert [(line["task"], line["attempt"], line["text"]) for line in as_json] == [
        (None, 0, "begins"),
        (None, 0, "goes on"),
        ("work", 1, "works"),
    ]


def test_a_run_that_is_watched_as_json_tells_of_lines_of_the_workflow(project: Project):
    project.write("talk.py", TALKING)

    told = json_lines(project.run("run", "talk:talk", "--json").stdout)

    logged = [(event["task"], event["stream"], event["text"]) for event in told if event["event"] == "log"]
    assert sorted(logged, key=str) == sorted(
        [(None, "stdout", "begins"), (None, "INFO", "goes on"), ("work", "stdout", "works")], key=str
    )


def test_arguments_can_be_a_list_for_python_a_file_or_stdin(project: Project):
    project.write("shop.py", SHOP)
    project.write("in.json", '{"cents": 8}')

    by_position = project.run("run", "shop:fulfil", "--input", "[9]")
    from_file = project.run("run", "shop:fulfil", "--input", "@in.json")
    from_stdin = project.run("run", "shop:fulfil", "--input", "-", input='{"cents": 10}')

    assert by_position.stdout == '"receipt for 9 of none"\n'
    assert from_file.stdout == '"receipt for 8 of none"\n'
    assert from_stdin.stdout == '"receipt for 10 of none"\n'


def test_a_task_is_run_by_itself_and_tried_again_from_where_it_was_defined(project: Project):
    project.write("shop.py", SHOP.replace('"receipt for {cents}"', '"receipt for {100 // cents}"'))

    done = project.run("run", "shop.py:charge", "--input", '{"cents": 5}', "--id", "paid")
    failed = project.run("run", "shop:charge", "--input", "[0]", "--id", "unpaid")
    project.write("shop.py", SHOP)
    again = project.run("run", "--retry", "unpaid")

    assert done.stdout == '"receipt for 20"\n'
    assert failed.returncode == 1
    assert "ZeroDivisionError" in failed.stderr
    assert again.stdout == '"receipt for 0"\n', "the code is that of today"
    shown = project.run("runs", "show", "paid").stdout
    assert "task      charge\n" in shown
    assert "workflow" not in shown


def test_a_run_that_gives_nothing_gives_null_in_a_pipe(project: Project):
    project.write("shop.py", SHOP)

    done = project.run("run", "shop:nothing")

    assert json.loads(done.stdout) is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["smal.yaml"], "did you mean 'small.yaml'?"),
        (["shop:fulfill"], "did you mean 'fulfil'?"),
        (["shpo:fulfil"], "did you mean 'shop'?"),
        (["shop"], "shop: it has 2 workflows; name one of them: shop:fulfil, shop:nothing"),
        (["shop:workflow"], "shop: 'workflow' is no workflow or task; its workflows are fulfil, nothing"),
        (["small.yaml", "--input", "{"], "--input is '{', but must be JSON (line 1, column 2"),
        (["small.yaml", "--input", "3"], "a JSON object with the inputs by name"),
        (["small.yaml", "--input", '{"wrod": "x"}'], "it has no input 'wrod'; it takes word, count"),
        (["small.yaml", "--input", '{"count": "x"}'], "count: expected int, got str"),
        (["small.yaml", "--input", "[1]"], "by name, not by position"),
        (["small.yaml", "--input", '{"count": NaN}'], "NaN is no JSON"),
        (["small.yaml", "--input", '{"count": 1, "count": 2}'], "the key 'count' is there twice"),
        (["small.yaml", "--input", '{"word": [{"a": 1, "b": 2, "a": 1}]}'], "the key 'a' is there twice"),
        (["small.yaml", "--input", "@none.json"], "error: none.json: no such file\n"),
        (["small.yaml", "--input", "@."], "error: .: this is a folder, not a file\n"),
        (["smal/none.yaml"], "error: smal/none.yaml: no such file\n"),
        (["shop:fulfil", "--input", '{"cents": "x"}'], "cents"),
        (["small.yaml", "--db", "oracle://x"], "expected sqlite:///relative/path.db"),
        (["small.yaml", "--namespace", ""], "namespace"),
        (["small.yaml", "--id", ""], "id is ''"),
        (["small.yaml", "--db", "no/such/folder/x.db"], "there is no folder"),
        ([], "TARGET"),
        (["small.yaml", "--wrong"], "No such option: --wrong"),
        (["--resume", "nobody"], "there is no such file"),
        (["--resume", "a", "--retry", "b"], "leave out --resume"),
        (["--resume", "a", "--input", "{}"], "run 'a' has its own"),
    ],
)
def test_what_is_refused_is_told_in_one_line_ends_with_two_and_starts_nothing(
    project: Project, words: list[str], message: str
):
    project.write("small.yaml", SMALL)
    project.write("shop.py", SHOP)

    done = project.run("run", *words)

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    database = project.folder / ".holdfast" / "holdfast.db"
    assert not database.exists() or project.ask("runs", "list") == []


def test_everything_that_is_wrong_with_a_file_is_told_with_its_place(project: Project):
    project.write("bad.yaml", "name: bad\ntasks:\n  a: {comand: x}\n  b: {command: x, depends_on: [c]}\n")

    done = project.run("run", "bad.yaml")

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "bad.yaml:3:7: tasks.a has no field 'comand'; did you mean 'command'?",
        "bad.yaml:4:32: no task 'c'",
    ]
    assert not (project.folder / ".holdfast").exists()


def test_an_error_in_user_code_keeps_its_traceback(project: Project):
    project.write("broken.py", "import holdfast\n1 / 0\n")

    done = project.run("run", "broken:main")

    assert done.returncode == 70
    assert "ZeroDivisionError" in done.stderr
    assert 'broken.py", line 2' in done.stderr


def test_a_run_of_an_id_is_started_once(project: Project):
    project.write("small.yaml", SMALL)

    first = project.run("run", "small.yaml", "--id", "today")
    second = project.run("run", "small.yaml", "--id", "today")

    assert first.returncode == second.returncode == 0
    assert second.stdout == first.stdout
    assert [info["id"] for info in project.ask("runs", "list")] == ["today"]


def test_a_dag_finds_the_workflows_that_it_calls_beside_it_or_where_it_is_told(project: Project):
    project.write("outer.yaml", "name: outer\ntasks:\n  one: {workflow: inner}\n  two: {workflow: nothing}\n")
    project.write("inner.yaml", "name: inner\ntasks:\n  work: {command: 'echo inside'}\n")
    project.write("shop.py", SHOP)

    lost = project.run("run", "outer.yaml")
    found = project.run("run", "outer.yaml", "--also", "shop:nothing")

    assert lost.returncode == 2
    assert "the workflow that 'two' calls is 'nothing'" in lost.stderr
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("words", [["--json"], []], ids=["stdout", "stderr"])
def test_a_reader_that_leaves_ends_the_command_without_a_word_and_the_run_can_go_on(
    project: Project, words: list[str]
):
    many = "{parallel: 8, concurrency: 1, command: 'sleep 0.2'}"
    project.write("long.yaml", f"name: long\ntasks:\n  many: {many}\n")
    command = subprocess.Popen(
        [*COMMAND, "run", "long.yaml", *words],
        cwd=project.folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if words else subprocess.STDOUT,
        text=True,
    )
    assert command.stdout is not None

    first = command.stdout.readline()
    command.stdout.close()

    code = command.wait(timeout=SECONDS)
    said = command.stderr.read() if command.stderr is not None else ""
    if command.stderr is not None:
        command.stderr.close()
    assert first
    assert code == 141
    assert "Traceback" not in said
    assert "Broken" not in said
    resumed = project.run("run", "--resume", project.last_run()["id"])
    assert resumed.returncode == 0, resumed.stderr


def test_of_a_large_fan_out_a_hundred_lines_are_told_and_then_only_failures_and_counts(project: Project):
    body = "name: wide\ntasks:\n  each: {parallel: 300, concurrency: 50, command: '%s'}\n"
    project.write("wide.yaml", body % "test $HOLDFAST_PARALLEL_INDEX -ne 277")

    done = project.run("run", "wide.yaml")

    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len([line for line in lines if re.search(r"each\[\d+\] (running|success)", line)]) == 100
    assert any("each[277] failed: exited with code 1" in line for line in lines)
    assert [line.partition(" ")[2] for line in lines if "each: " in line] == [
        "each: from here on, only failures and counts are printed"
    ]
    assert any("each 300 of 300 done, 1 failed" in line for line in lines)
    assert len(lines) < 120


def test_the_end_of_a_large_fan_out_is_told_before_what_comes_after_it(project: Project):
    tasks = (
        "  each: {parallel: 150, command: 'true'}\n  after: {depends_on: [each], command: 'echo at last'}\n"
    )
    project.write("wide.yaml", "name: wide\ntasks:\n" + tasks)

    done = project.run("run", "wide.yaml", "--plain")

    assert done.returncode == 0, done.stderr
    told = [line.partition(" ")[2] for line in done.stderr.splitlines() if line.startswith("20")]
    after = next(at for at, line in enumerate(told) if line.startswith("after "))
    assert told[after - 1] == "each 150 of 150 done"


def test_a_place_that_cannot_be_written_is_told(project: Project):
    project.write("small.yaml", SMALL)
    project.write(".holdfast", "a file where the folder should be")

    done = project.run("run", "small.yaml")

    assert done.returncode == 2
    assert "holdfast.db cannot be used: its folder cannot be made (File exists)" in done.stderr
    assert "Traceback" not in done.stderr


def test_force_color_colours_lines_but_draws_no_live_view_into_a_pipe(project: Project):
    project.write("small.yaml", SMALL)

    coloured = project.run("run", "small.yaml", FORCE_COLOR="1")

    assert "\x1b[32m" in coloured.stderr
    assert "\x1b[2K" not in coloured.stderr
    assert "each[1] success" in coloured.stderr
    assert json.loads(coloured.stdout) == {"said": "done"}
