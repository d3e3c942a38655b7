"""What tasks and attempts look like as node runs."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from holdfast.core.records import AttemptRecord, Definition, TaskRecord
from holdfast.core.values import Failure, Instant, Payload, RunKey, TaskStatus
from holdfast.server.compat.flows.node_runs import NodeRun, VisitDescription, describe, node_runs

RUN = RunKey(bytes(16))
KEY = "00000000-0000-0000-0000-000000000000"
SECOND = 1_000_000
WORK = VisitDescription("done", {"input_key": "$params.n"}, "executor")


def task(seq: int = 0, name: str = "work", **more: Any) -> TaskRecord:
    found = TaskRecord(
        run=RUN,
        seq=seq,
        name=name,
        status=TaskStatus.SUCCESS,
        attempt=1,
        lost=0,
        forgiven=0,
        input=Payload(b'{"input":5,"params":{"n":5}}'),
        output=Payload(b"10"),
        failure=None,
        heartbeat=None,
        due_at=None,
        created_at=Instant(1 * SECOND),
        started_at=Instant(2 * SECOND),
        finished_at=Instant(3 * SECOND),
    )
    return msgspec.structs.replace(found, **more)


def attempt(number: int, status: str = "failed", seq: int = 0, **more: Any) -> AttemptRecord:
    failure = None if status in ("success", "lost") else Failure("builtins:ValueError", f"oh {number}")
    times = Instant(number * 10 * SECOND), Instant((number * 10 + 1) * SECOND)
    found = AttemptRecord(RUN, seq, number, status, failure, *times, "node")
    return msgspec.structs.replace(found, **more)


def runs_of(task: TaskRecord, *attempts: AttemptRecord, visit: VisitDescription = WORK) -> list[NodeRun]:
    return node_runs("order-1", [task], attempts, [visit])


def test_a_task_that_succeeded_here_is_one_node_run():
    [run] = runs_of(task())

    assert run == NodeRun(
        id=f"{KEY}:0:1",
        task_id="order-1",
        node_key="work",
        attempt_no=1,
        status="ok",
        sub_status="",
        branch_id="",
        prep_json='{"input_key":"$params.n"}',
        exec_input_json="5",
        exec_output_json="10",
        error_text="",
        action="done",
        started_at=2,
        finished_at=3,
        worker_id="",
        worker_url="",
    )


def test_attempts_that_failed_come_before_the_one_that_did_not():
    first, second, third = runs_of(task(attempt=3), attempt(2, "lost"), attempt(1))

    assert [run.attempt_no for run in (first, second, third)] == [1, 2, 3]
    assert [run.status for run in (first, second, third)] == ["error", "error", "ok"]
    assert [run.error_text for run in (first, second, third)] == ["ValueError: oh 1", "lost", ""]
    assert [run.exec_output_json for run in (first, second, third)] == ["", "", "10"]
    assert [run.action for run in (first, second, third)] == ["", "", "done"]
    assert (first.started_at, first.finished_at) == (10, 11)


def test_a_task_that_failed_for_good_is_its_last_attempt_and_no_more():
    ended = task(
        status=TaskStatus.FAILED, attempt=2, output=None, failure=Failure("builtins:ValueError", "oh 2")
    )

    first, last = runs_of(ended, attempt(1), attempt(2, "timed_out"), visit=WORK._replace(action="error"))

    assert (first.status, last.status, last.error_text) == ("error", "error", "ValueError: oh 2")
    assert (first.action, last.action) == ("", "error")


def test_an_attempt_that_a_worker_made_names_the_worker():
    called = attempt(1, "success", worker="the first", worker_url="http://localhost:8080")
    asked = attempt(1, "success", worker="w1")

    [by_call] = runs_of(task(), called)
    [by_asking] = runs_of(task(), asked)

    assert (by_call.worker_id, by_call.worker_url) == ("the first", "http://localhost:8080")
    assert (by_asking.worker_id, by_asking.worker_url) == ("w1", "")
    assert (by_call.status, by_call.exec_output_json, by_call.action) == ("ok", "10", "done")


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        (TaskStatus.PENDING, "queued"),
        (TaskStatus.DISPATCHED, "queued"),
        (TaskStatus.RUNNING, "running"),
        (TaskStatus.CANCELLED, "canceled"),
        (TaskStatus.SKIPPED, "canceled"),
    ],
)
def test_a_task_that_has_not_come_to_an_end_shows_how_it_stands(status: TaskStatus, shown: str):
    open_task = task(status=status, output=None, started_at=None, finished_at=None)

    [run] = runs_of(open_task, visit=WORK._replace(action=""))

    assert (run.status, run.started_at, run.finished_at, run.exec_output_json) == (shown, 0, 0, "")


@pytest.mark.parametrize(
    ("name", "given", "place"),
    [
        ("work", {}, ("work", "", "")),
        ("fan/branch", {"branch": 2, "service": "sum"}, ("fan", "branch_complete", "2")),
        ("each/item", {"index": 0}, ("each", "item_complete", "0")),
        ("sub/item", {}, ("sub", "sub_node_complete", "item")),
        ("sub/inner", {}, ("sub", "sub_node_complete", "inner")),
        ("sub/deep/inner", {}, ("sub", "sub_node_complete", "deep/inner")),
        ("sub/each/item", {"index": 3}, ("sub", "item_complete", "each/3")),
    ],
)
def test_branches_items_and_nodes_of_subflows_say_which_they_are(
    name: str, given: dict[str, Any], place: tuple[str, str, str]
):
    input = Payload(msgspec.json.encode({"input": None, "params": {}, **given}))

    [run] = runs_of(task(name=name, input=input))

    assert (run.node_key, run.sub_status, run.branch_id) == place
    assert run.exec_input_json == "null"


def test_tasks_of_other_workflows_are_shown_as_they_are():
    other = task(name="shop/charge", input=Payload(b'{"input":1,"index":2}'))

    [run] = runs_of(other, visit=VisitDescription())

    assert (run.node_key, run.sub_status, run.branch_id) == ("shop/charge", "", "")
    assert (run.exec_input_json, run.prep_json, run.action) == ('{"input":1,"index":2}', "{}", "")


@pytest.mark.parametrize("damaged", [b"[1]", b"{", b"\xff"])
def test_an_input_that_cannot_be_read_is_shown_as_it_stands(damaged: bytes):
    [run] = runs_of(task(input=Payload(damaged)))

    assert run.exec_input_json == damaged.decode(errors="replace")


def test_a_run_whose_version_is_not_known_any_more_is_shown_without_what_its_definition_says():
    definition = Definition("demo", "1", "flow", "", "{}")
    tasks = [task(), task(1)]

    known = describe(
        lambda definition, tasks: [VisitDescription(definition.name)] * len(tasks), definition, tasks
    )
    unknown = describe(
        lambda definition, tasks: [VisitDescription(definition.name)] * len(tasks), None, tasks
    )

    assert [each.action for each in known] == ["demo", "demo"]
    assert list(unknown) == [VisitDescription(), VisitDescription()]


def test_node_runs_are_in_the_order_of_the_tasks():
    runs = node_runs("r", [task(0), task(1, attempt=2)], [attempt(1, seq=1)], [WORK, WORK])

    assert [(json.loads(run.exec_input_json), run.id) for run in runs] == [
        (5, f"{KEY}:0:1"),
        (5, f"{KEY}:1:1"),
        (5, f"{KEY}:1:2"),
    ]
