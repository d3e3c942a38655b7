"""Every field of a DAG, and what it becomes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from holdfast.authoring.dag.loader import load_text
from holdfast.authoring.dag.model import (
    ApprovalTask,
    CallTask,
    Const,
    Dag,
    DagTask,
    DagWork,
    Each,
    Ref,
    SignalTask,
    SleepTask,
    Source,
    Times,
)
from holdfast.core.policies import Retry, TaskOptions
from holdfast.core.timetable import Catchup, CatchupMode, Plan
from holdfast.ports.executor import PythonFunction, ShellCommand

seconds = dt.timedelta(seconds=1)


def load(*lines: str) -> Dag:
    """A DAG of these lines, with a task if they have none."""
    text = "\n".join(lines)
    return load_text(f"name: t\n{text}\n" + ("" if "tasks:" in text else "tasks: {a: {command: x}}\n"))


def task(*lines: str) -> DagTask:
    """A task of these lines, after a task `a`, in a run with the inputs `n` and `files`."""
    body = "".join(f"    {line}\n" for line in lines)
    top = "name: t\ninput: {n: int, files: [str]}\ntasks:\n  a: {command: x}\n  b:\n"
    return load_text(f"{top}{body}    depends_on: a\n").tasks["b"]


ISSUE = """
name: nightly_etl
description: ...
schedule: {cron: "0 2 * * *", timezone: Europe/Berlin, overlap: skip, catchup: last}   # or just a cron string
input: {day: date, limit: int = 100}            # run inputs, typed, with defaults
defaults: {retries: 2, timeout: 600}
types: {Extract: {files: [str], count: int}}
tasks:
  discover:
    executor: python
    file: etl.py
    function: discover
    input_type: {day: date}
    inputs: {day: {ref: input.day}}
    output_type: types.Extract
  process:
    depends_on: [discover]
    foreach: discover.files
    concurrency: 4
    executor: shell
    command: ./process.sh
    retries: {max_attempts: 5, first_delay: 1, factor: 2, max_delay: 60, jitter: 0.1}
    timeout: 300
    heartbeat: 60
  publish: {depends_on: [process], module: shop.publish, function: main, when: "discover.count > 0"}
  alert:   {depends_on: [publish], on_failure: run, command: ./alert.sh}
"""


def test_a_whole_dag_is_read():
    dag = load_text(ISSUE)

    assert dag.name == "nightly_etl"
    assert list(dag.tasks) == ["discover", "process", "publish", "alert"]
    assert dag.tasks["process"].fan_out == Each(Ref(("tasks", "discover", "output", "files")))
    assert dag.tasks["process"].options == TaskOptions(
        retry=Retry(max_attempts=5, first_delay=seconds, factor=2, max_delay=60 * seconds, jitter=0.1),
        timeout=300 * seconds,
        heartbeat=60 * seconds,
    )
    assert dag.tasks["alert"].runs_on_failure
    assert dag.tasks["alert"].options == TaskOptions(retry=Retry(max_attempts=3), timeout=600 * seconds)


# --- the top


def test_the_name_is_that_of_the_file_if_there_is_no_other():
    text = "tasks: {a: {command: x}}"

    assert load_text(text, file="dags/nightly-etl.yaml").name == "nightly-etl"
    assert load_text("name: other\n" + text, file="dags/nightly-etl.yaml").name == "other"


def test_the_rest_of_the_top_is_as_it_was_written():
    dag = load("description: what for", "timeout: 1h30m", "max_parallel: 3")

    assert (dag.description, dag.timeout, dag.max_parallel) == ("what for", 5400 * seconds, 3)


def test_without_them_there_is_no_limit_and_nothing_is_said():
    dag = load()

    assert (dag.description, dag.timeout, dag.max_parallel, dag.schedule) == ("", None, None, None)
    assert (dag.inputs, dag.output) == ({}, None)


def test_the_output_of_a_run_is_made_of_references():
    dag = load("input: {day: date}", "output: {files: a.files, all: {ref: tasks.a.output}, day: input.day}")

    assert dag.output == {
        "files": Ref(("tasks", "a", "output", "files")),
        "all": Ref(("tasks", "a", "output")),
        "day": Ref(("input", "day")),
    }


# --- schedules


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("schedule: 0 2 * * *", Plan.of(cron="0 2 * * *")),
        ("schedule: '@daily'", Plan.of(cron="@daily")),
        ("schedule: {cron: 0 2 * * *}", Plan.of(cron="0 2 * * *")),
        (
            "schedule: {cron: 0 2 * * *, timezone: Europe/Berlin, jitter: 5m, overlap: queue, catchup: none}",
            Plan.of(
                cron="0 2 * * *",
                timezone="Europe/Berlin",
                jitter=300 * seconds,
                overlap="queue",
                catchup="none",
            ),
        ),
        ("schedule: {every: 90s}", Plan.of(every=90 * seconds)),
        ("schedule: {every: 90, catchup: all}", Plan.of(every=90 * seconds, catchup="all")),
        (
            "schedule: {every: 90, catchup: {all: 7}}",
            Plan.of(every=90 * seconds, catchup=Catchup(CatchupMode.ALL, 7)),
        ),
        (
            "schedule: {every: 1h, start: 2026-01-31, end: 2026-02-28T12:00:00+02:00}",
            Plan.of(
                every=3600 * seconds,
                start=dt.datetime(2026, 1, 31, tzinfo=dt.UTC),
                end=dt.datetime(2026, 2, 28, 10, tzinfo=dt.UTC),
            ),
        ),
        (
            "schedule: {cron: '@daily', timezone: Europe/Berlin, start: 2026-01-31, "
            "end: 2026-07-01T08:00:00}",
            Plan.of(
                cron="@daily",
                timezone="Europe/Berlin",
                start=dt.datetime(2026, 1, 30, 23, tzinfo=dt.UTC),
                end=dt.datetime(2026, 7, 1, 6, tzinfo=dt.UTC),
            ),
        ),
    ],
)
def test_a_schedule_is_a_cron_line_or_a_map(lines: str, expected: Plan):
    assert load(lines).schedule == expected


# --- what a task does


@pytest.mark.parametrize(
    ("lines", "work"),
    [
        (["command: echo $HOME"], ShellCommand("echo $HOME")),
        (["command: [echo, $HOME, '5']"], ShellCommand(("echo", "$HOME", "5"))),
        (["executor: shell", "command: x"], ShellCommand("x")),
        (["executor: process", "command: x"], ShellCommand("x")),
        (["file: etl.py"], PythonFunction("main", file="etl.py")),
        (["executor: python", "file: a/etl.py", "function: f"], PythonFunction("f", file="a/etl.py")),
        (["module: shop.publish", "function: _f2"], PythonFunction("_f2", module="shop.publish")),
        (["workflow: other one"], CallTask("other one")),
        (["executor: workflow", "workflow: w"], CallTask("w")),
        (["approval: true"], ApprovalTask()),
        (["approval: Ship it?"], ApprovalTask("Ship it?")),
        (["approval: {message: Ship it?}"], ApprovalTask("Ship it?")),
        (["approval: {}"], ApprovalTask()),
        (["wait_for_signal: true"], SignalTask("b")),
        (["wait_for_signal: paid"], SignalTask("paid")),
        (["sleep: 5"], SleepTask(5 * seconds)),
        (["executor: sleep", "sleep: 2d"], SleepTask(dt.timedelta(days=2))),
        (["sleep: 0"], SleepTask(dt.timedelta(0))),
    ],
)
def test_what_a_task_does_follows_from_the_field_it_has(lines: list[str], work: DagWork):
    assert task(*lines).work == work


def test_a_task_has_what_it_says_of_itself():
    found = task(
        "command: x", "description: what for", "env: {A: b}", "workdir: sub", "concurrency: 3", "parallel: 4"
    )

    assert (found.name, found.description, found.workdir) == ("b", "what for", "sub")
    assert (found.concurrency, found.fan_out) == (3, Times(4))


def test_without_them_a_task_has_nothing_special():
    found = load().tasks["a"]

    assert found == DagTask(name="a", work=ShellCommand("x"))


@pytest.mark.parametrize("written", ["a", "[a]"])
def test_a_task_depends_on_one_or_several_others(written: str):
    dag = load(f"tasks: {{a: {{command: x}}, b: {{command: x, depends_on: {written}}}}}")

    assert dag.tasks["b"].depends_on == ("a",)


def test_dependencies_keep_their_order():
    dag = load(
        "tasks:",
        "  a: {command: x}",
        "  b: {command: x}",
        "  c: {command: x, depends_on: [b, a]}",
        "  d: {command: x, depends_on: []}",
    )

    assert dag.tasks["c"].depends_on == ("b", "a")
    assert dag.tasks["d"].depends_on == ()


@pytest.mark.parametrize(("written", "runs"), [("run", True), ("skip", False)])
def test_a_task_runs_after_a_failure_or_is_skipped(written: str, runs: bool):
    assert task("command: x", f"on_failure: {written}").runs_on_failure is runs


def test_a_condition_is_kept_with_its_text():
    when = task("command: x", "when: a.count > 0 and input.n < 5").when

    assert when is not None
    assert when.text == "a.count > 0 and input.n < 5"
    assert when.references() == [Ref(("tasks", "a", "output", "count")), Ref(("input", "n"))]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{}", {}),
        ("{x: {const: 5}}", {"x": Const(5)}),
        ("{x: {const: null}}", {"x": Const(None)}),
        ("{x: {const: [1, {a: yes}]}}", {"x": Const([1, {"a": "yes"}])}),
        ("{x: {ref: input.n}}", {"x": Ref(("input", "n"))}),
        ("{x: {ref: a.y}}", {"x": Ref(("tasks", "a", "output", "y"))}),
        ("{'a key': {ref: a}}", {"a key": Ref(("tasks", "a", "output"))}),
    ],
)
def test_inputs_are_constants_and_references(written: str, expected: dict[str, Source]):
    assert task("command: x", f"inputs: {written}").inputs == expected


def test_a_fan_out_knows_its_item_its_index_and_how_many_there_are():
    inputs = "{a: {ref: item}, b: {ref: parallel_index}, c: {ref: parallel_count}}"

    found = task("command: x", "foreach: input.files", f"inputs: {inputs}")

    assert found.fan_out == Each(Ref(("input", "files")))
    assert found.inputs == {"a": Ref(("item",)), "b": Ref(("parallel_index",)), "c": Ref(("parallel_count",))}


@pytest.mark.parametrize(
    ("written", "count"), [("3", 3), ("3.0", 3), ("a.count", Ref(("tasks", "a", "output", "count")))]
)
def test_a_task_is_done_a_number_of_times(written: str, count: int | Ref):
    assert task("command: x", f"parallel: {written}").fan_out == Times(count)


def test_the_list_that_a_fan_out_gives_can_be_fanned_out_over():
    dag = load(
        "tasks:",
        "  a: {command: x, parallel: 3, output_type: {size: int}}",
        "  b: {command: x, depends_on: a, foreach: a, inputs: {s: {ref: item.size}}, input_type: {s: int}}",
        "  c: {command: x, depends_on: a, when: 'a[0].size > 1 and len(a) == 3'}",
    )

    assert dag.tasks["b"].fan_out == Each(Ref(("tasks", "a", "output")))


# --- options


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("0", Retry(max_attempts=1)),
        ("2", Retry(max_attempts=3)),
        ("{max_attempts: 5}", Retry(max_attempts=5)),
        (
            "{max_attempts: 5, first_delay: 250ms, factor: 1.5, max_delay: 1m, jitter: 0, "
            "never_on: ValueError}",
            Retry(5, 0.25 * seconds, 1.5, 60 * seconds, 0, ("ValueError",)),
        ),
        ("{max_attempts: 2, never_on: [A, m:B]}", Retry(2, never_on=("A", "m:B"))),
        ("{max_attempts: 2, first_delay: 0}", Retry(2, first_delay=0 * seconds)),
    ],
)
def test_retries_are_a_number_of_times_after_the_first_or_a_whole_policy(written: str, expected: Retry):
    assert task("command: x", f"retries: {written}").options.retry == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("5", 5),
        ("0.5", 0.5),
        ("1e3", 1000),
        ("90s", 90),
        ("10m", 600),
        ("1h30m", 5400),
        ("2d", 172_800),
        ("250ms", 0.25),
        ("1.5h", 5400),
        ("1m1s1ms", 61.001),
    ],
)
def test_a_duration_is_in_seconds_or_has_units(written: str, expected: float):
    assert task("command: x", f"timeout: {written}").options.timeout == expected * seconds


def test_all_options_of_a_task():
    lines = ["timeout: 1", "start_timeout: 2", "heartbeat: 3", "queue: q", "priority: -4", "retries: 1"]

    assert task("file: x.py", *lines).options == TaskOptions(
        Retry(max_attempts=2), 1 * seconds, 2 * seconds, 3 * seconds, "q", -4
    )


def test_defaults_are_for_tasks_that_do_not_say_it_themselves():
    dag = load(
        "defaults: {retries: 2, timeout: 9, start_timeout: 8, heartbeat: 7, queue: q, priority: 6,",
        "           workdir: w, env: {A: 1, B: 2}, executor: python}",
        "tasks:",
        "  a: {command: x}",
        "  b: {file: x.py, retries: 0, timeout: 1, queue: other, workdir: v, env: {B: 3, C: 4}}",
    )

    a, b = dag.tasks["a"], dag.tasks["b"]
    assert a.options == TaskOptions(Retry(max_attempts=3), 9 * seconds, 8 * seconds, 7 * seconds, "q", 6)
    assert (a.workdir, a.env) == ("w", {"A": "1", "B": "2"})
    assert b.options == TaskOptions(Retry(), 1 * seconds, 8 * seconds, 7 * seconds, "other", 6)
    assert (b.workdir, b.env) == ("v", {"A": "1", "B": "3", "C": "4"})


def test_whoever_waits_for_a_person_gets_no_default_that_was_meant_for_processes():
    dag = load(
        "defaults: {retries: 2, timeout: 9, env: {A: 1}, workdir: w}",
        "tasks:",
        "  a: {approval: true}",
        "  b: {sleep: 1}",
        "  c: {workflow: w}",
        "  d: {wait_for_signal: true, timeout: 5}",
    )

    assert [dag.tasks[name].options for name in "abc"] == [TaskOptions()] * 3
    assert dag.tasks["d"].options == TaskOptions(timeout=5 * seconds)
    assert [(it.env, it.workdir) for it in dag.tasks.values()] == [({}, None)] * 4


@pytest.mark.parametrize(
    ("written", "value"),
    [("text", "text"), ("1.10", "1.10"), ("true", "true"), ("0x1F", "0x1F"), ("''", ""), ("'a b'", "a b")],
)
def test_the_environment_has_values_as_they_were_written(written: str, value: str):
    assert task("command: x", f"env: {{A: {written}}}").env == {"A": value}


def test_one_name_may_stand_for_an_input_and_for_a_task_if_it_is_clear_which_is_meant():
    dag = load(
        "input: {a: str}",
        "tasks:",
        "  a: {command: x}",
        "  b: {command: x, depends_on: a, inputs: {x: {ref: a}, y: {ref: input.a}}}",
        "  c: {command: x, depends_on: b}",
        "  d: {workflow: x, depends_on: a}",
    )

    found: Any = dag.tasks["b"].inputs
    assert found == {"x": Ref(("tasks", "a", "output")), "y": Ref(("input", "a"))}


@pytest.mark.parametrize(
    "tasks",
    [
        ["again: {workflow: t, when: input.n > 0}"],
        ["again: {workflow: t, foreach: input.folders}"],
        ["again: {workflow: t, parallel: input.n}"],
        ["more: {command: x, when: input.n > 0}", "again: {workflow: t, depends_on: more}"],
        [
            "ask: {approval: more?}",
            "wait: {sleep: 1, depends_on: ask}",
            "again: {workflow: t, depends_on: wait}",
        ],
        ["go: {wait_for_signal: true}", "again: {workflow: t, depends_on: go}"],
    ],
    ids=[
        "when",
        "a list that may be empty",
        "a number that may be 0",
        "a when before it",
        "a no",
        "a signal",
    ],
)
def test_a_dag_may_call_itself_if_there_are_runs_that_do_not(tasks: list[str]):
    dag = load("input: {n: int, folders: [str]}", "tasks:", *[f"  {each}" for each in tasks])

    assert dag.tasks["again"].work == CallTask(dag.name)
