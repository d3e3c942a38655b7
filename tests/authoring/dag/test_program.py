"""What a DAG does when: order, fan-out, conditions, failures, waits, cancellation, retries."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import msgspec
import pytest
from tests.authoring.dag.playing import Play, failure, json

from holdfast.core.events import ChildEnded, PromiseAnswered, TimerFired
from holdfast.core.history import CHILD_EXISTS, restore
from holdfast.core.records import MessageKind
from holdfast.core.values import Cancelled, Failed, RunStatus, Succeeded
from holdfast.core.waiting import describe_wait

DIAMOND = """
    tasks:
      top: {command: x}
      left: {command: x, depends_on: top}
      right: {command: x, depends_on: top}
      bottom: {command: x, depends_on: [left, right]}
"""


# --- order


def test_a_task_begins_when_all_that_it_depends_on_have_succeeded() -> None:
    play = Play(DIAMOND)

    assert play.open == ["top"]
    play.end("top")
    assert play.open == ["left", "right"]
    play.end("right")
    assert play.open == ["left"]
    play.end("left")
    assert play.open == ["bottom"]
    play.end("bottom", 7)

    assert play.output == {"bottom": 7}


def test_a_task_without_inputs_is_given_those_of_the_run_and_what_is_upstream() -> None:
    play = Play(
        """
        input: {day: date, limit: int = 10}
        tasks:
          a: {command: x}
          b: {command: x, depends_on: a}
        """,
        {"day": "2026-01-31"},
    )

    play.end("a", {"n": 1})

    assert play.input_of("b") == {"day": "2026-01-31", "limit": 10, "a": {"n": 1}}


def test_inputs_are_constants_and_references_of_both_forms() -> None:
    play = Play(
        """
        input: {day: date}
        tasks:
          a: {command: x}
          b:
            command: x
            depends_on: a
            inputs:
              fixed: {const: [1, 2]}
              day: {ref: input.day}
              long: {ref: "tasks.a.output.files[1]"}
              short: {ref: a.files}
        """,
        {"day": "2026-01-31"},
    )

    play.end("a", {"files": ["x", "y"]})

    given = {"fixed": [1, 2], "day": "2026-01-31", "long": "y", "short": ["x", "y"]}
    assert play.input_of("b") == given


def test_an_output_that_lacks_what_is_referred_to_fails_the_task_that_refers_to_it() -> None:
    play = Play(
        """
        tasks:
          a: {command: x}
          b: {command: x, depends_on: a, inputs: {n: {ref: a.count}}}
          c: {command: x, depends_on: b}
        """
    )

    play.end("a", {"size": 3})

    assert play.states == {"a": "success", "b": "failed", "c": "skipped"}
    assert play.failure == "task 'b' failed: tasks.a.output.count: there is no count"


def test_the_output_of_a_run_is_what_its_last_tasks_gave_or_what_it_says() -> None:
    said = Play(
        """
        output: {n: a.n, all: b}
        tasks:
          a: {command: x}
          b: {command: x, depends_on: a}
        """
    )

    said.end("a", {"n": 1})
    said.end("b", "two")

    assert said.output == {"n": 1, "all": "two"}


# --- fan-out


def fan_out(how: str, rest: str = "") -> str:
    return f"""
        tasks:
          find: {{command: x}}
          work: {{command: x, depends_on: find, {how}{rest}}}
          join: {{command: x, depends_on: work, inputs: {{all: {{ref: work}}}}}}
    """


def test_foreach_gives_each_item_its_place_and_joins_outputs_in_the_order_of_the_items() -> None:
    play = Play(fan_out("foreach: find.files"))

    play.end("find", {"files": ["a", "b", "c"]})
    given = [play.input_of("work", index) for index in range(3)]
    for index in (2, 0, 1):
        play.end("work", index * 10, index=index)

    assert given == [{"item": item, "parallel_index": n, "parallel_count": 3} for n, item in enumerate("abc")]
    assert play.input_of("join") == {"all": [0, 10, 20]}


@pytest.mark.parametrize(("how", "found"), [("parallel: 2", None), ("parallel: find.n", {"n": 2})])
def test_parallel_runs_it_so_many_times(how: str, found: Any) -> None:
    play = Play(fan_out(how))

    play.end("find", found)

    assert play.open == ["work[0]", "work[1]"]
    assert play.input_of("work", 1) == {"parallel_index": 1, "parallel_count": 2}


@pytest.mark.parametrize(
    ("how", "found"), [("foreach: find.files", {"files": []}), ("parallel: find.n", {"n": 0})]
)
def test_a_fan_out_over_nothing_succeeds_with_an_empty_list(how: str, found: Any) -> None:
    play = Play(fan_out(how))

    play.end("find", found)

    assert play.input_of("join") == {"all": []}


def test_concurrency_starts_the_next_item_when_one_ends() -> None:
    play = Play(fan_out("parallel: 5", ", concurrency: 2"))

    play.end("find")
    assert play.open == ["work[0]", "work[1]"]
    play.end("work", index=1)
    assert play.open == ["work[0]", "work[2]"]
    play.end("work", failure(), index=0)
    assert play.open == ["work[2]", "work[3]"]


def test_all_items_are_run_though_one_has_failed_and_then_the_task_has_failed() -> None:
    play = Play(fan_out("parallel: 3"))

    play.end("find")
    play.end("work", failure("no disk"), index=1)
    assert not play.has_ended
    play.end("work", index=0)
    play.end("work", failure("no network"), index=2)

    assert play.failure == "task 'work' failed (2 of 3): no disk"
    assert play.states["join"] == "skipped"


@pytest.mark.parametrize(
    ("how", "found", "problem"),
    [
        ("foreach: find.files", {"files": 3}, "foreach needs a list, got int"),
        ("parallel: find.n", {"n": -1}, "parallel needs a whole number from 0 to 1,000,000, got -1"),
        ("parallel: find.n", {"n": True}, "parallel needs a whole number from 0 to 1,000,000, got bool"),
        ("foreach: find.files", {}, "there is no files"),
    ],
)
def test_a_fan_out_over_what_is_no_list_or_number_fails(how: str, found: Any, problem: str) -> None:
    play = Play(fan_out(how))

    play.end("find", found)

    assert problem in play.failure


def test_no_more_run_at_once_than_max_parallel_and_the_urgent_ones_first() -> None:
    play = Play(
        """
        max_parallel: 2
        tasks:
          slow: {command: x, parallel: 3}
          urgent: {command: x, priority: 5}
        """
    )

    assert play.open == ["urgent", "slow[0]"]
    play.end("urgent")
    assert play.open == ["slow[0]", "slow[1]"]


# --- conditions and failures


def test_a_condition_that_is_not_met_skips_the_task_and_what_depends_on_it_and_the_run_succeeds() -> None:
    play = Play(
        """
        tasks:
          a: {command: x}
          b: {command: x, depends_on: a, when: a.count > 0}
          c: {command: x, depends_on: b}
        """
    )

    play.end("a", {"count": 0})

    assert play.states == {"a": "success", "b": "skipped", "c": "skipped"}
    assert play.output == {"c": None}


def test_a_condition_that_cannot_be_told_fails_the_task() -> None:
    play = Play(
        """
        tasks:
          a: {command: x}
          b: {command: x, depends_on: a, when: a.count > 0}
        """
    )

    play.end("a", {"count": "many"})

    assert play.states["b"] == "failed"
    assert "task 'b' failed" in play.failure


def test_downstream_of_a_failed_task_is_skipped_unless_it_is_to_run_and_the_run_fails() -> None:
    play = Play(
        """
        tasks:
          a: {command: x}
          b: {command: x, depends_on: a}
          c: {command: x, depends_on: b}
          alert: {command: x, depends_on: a, on_failure: run}
          other: {command: x}
        """
    )

    play.end("a", failure("no disk"))
    assert play.open == ["alert", "other"] or play.open == ["other", "alert"]
    assert play.input_of("alert") == {"a": None}
    play.end("alert")
    play.end("other")

    assert play.states["b"] == play.states["c"] == "skipped"
    assert play.failure == "task 'a' failed: no disk"


def test_a_task_can_run_only_after_a_failure() -> None:
    text = """
        tasks:
          a: {command: x}
          alert: {command: x, depends_on: a, on_failure: run, when: "tasks.a.status == 'failed'"}
    """
    bad, good = Play(text), Play(text)

    bad.end("a", failure())
    good.end("a")

    assert bad.open == ["alert"]
    assert good.states["alert"] == "skipped"


def test_a_chain_of_thousands_that_is_skipped_at_once_is_no_trouble() -> None:
    tasks = "\n".join(f"  t{n}: {{command: x, depends_on: t{n - 1}}}" for n in range(1, 3000))
    play = Play("tasks:\n  t0: {command: x}\n" + tasks)

    play.end("t0", failure())

    assert play.states["t2999"] == "skipped"


# --- waits


def test_a_sleep_ends_when_its_time_is_over() -> None:
    play = Play("tasks: {nap: {sleep: 10m}, after: {command: x, depends_on: nap}}")

    play.pass_time(599)
    assert play.open == ["nap"]
    play.pass_time(1)

    assert play.open == ["after"]


def test_a_signal_is_taken_by_one_task_and_one_that_came_early_is_kept() -> None:
    play = Play(
        """
        tasks:
          first: {wait_for_signal: go}
          second: {wait_for_signal: go, depends_on: first}
        """
    )

    play.signal("go", 1)
    assert play.open == ["second"]
    play.signal("other")
    play.signal("go", 2)

    assert play.output == {"second": 2}


@pytest.mark.parametrize("yes", [True, "yes", "Approved", "ok", {"by": "Ann"}, 3])
def test_a_yes_is_success_and_what_was_said_is_the_output(yes: Any) -> None:
    play = Play("tasks: {gate: {approval: Ship it?}, ship: {command: x, depends_on: gate}}")

    assert describe_wait(play.program.waits()).words == "approval 'gate'"
    assert play.input_of("gate") == {"promise": "gate", "question": 0, "message": "Ship it?"}
    play.answer("gate", yes)

    assert play.input_of("ship") == {"gate": yes}


@pytest.mark.parametrize("no", [False, "no", "Rejected", None, 0, "", "denied"])
def test_a_no_fails_the_task(no: Any) -> None:
    play = Play("tasks: {gate: {approval: true}, ship: {command: x, depends_on: gate}}")

    play.answer("gate", no)

    assert play.states == {"gate": "failed", "ship": "skipped"}
    assert "not approved" in play.failure


@pytest.mark.parametrize("kind", ["approval: true", "wait_for_signal: go", "workflow: other"])
def test_a_wait_that_takes_too_long_fails(kind: str) -> None:
    play = Play(f"tasks: {{gate: {{{kind}, timeout: 60}}}}", other=True)

    play.pass_time(59)
    assert play.open == ["gate"]
    play.pass_time(1)

    assert "waited longer than 1m" in play.failure


def test_an_answer_in_time_calls_the_limit_off() -> None:
    play = Play("tasks: {gate: {approval: true, timeout: 60}, nap: {sleep: 90}}")

    play.answer("gate", True)
    play.pass_time(90)

    assert play.output == {"gate": True, "nap": None}


# --- other workflows


def test_a_workflow_is_called_with_its_inputs_and_its_result_is_the_output() -> None:
    play = Play(
        "tasks: {call: {workflow: other, inputs: {n: {const: 3}}}, after: {command: x, depends_on: call}}",
        other=True,
    )

    assert play.input_of("call") == {"n": 3}
    assert describe_wait(play.program.waits()).words == "child play/call"
    play.end_child("play/call", {"sum": 6})

    assert play.input_of("after") == {"call": {"sum": 6}}


def test_a_workflow_is_called_for_each_item() -> None:
    play = Play("tasks: {call: {workflow: other, parallel: 2}}", other=True)

    play.end_child("play/call/1", "b")
    play.end_child("play/call/0", "a")

    assert play.output == {"call": ["a", "b"]}


@pytest.mark.parametrize("end", [failure("no luck"), Cancelled("bored")])
def test_a_workflow_that_does_not_succeed_fails_the_task(end: Any) -> None:
    play = Play("tasks: {call: {workflow: other}}", other=True)

    play.end_child("play/call", end)

    assert "task 'call' failed" in play.failure


def test_a_workflow_that_nobody_knows_fails_the_task_also_if_it_is_known_when_that_is_replayed() -> None:
    play = Play("tasks: {call: {workflow: other}, slow: {command: x}}")

    assert play.states["call"] == "failed"
    play.known["other"] = True
    play.end("slow")

    assert "no workflow 'other'" in play.failure


def test_what_a_workflow_gives_is_held_against_the_output_type() -> None:
    play = Play("tasks: {call: {workflow: other, output_type: {n: int}}}", other=True)

    play.end_child("play/call", {"n": "three"})

    assert "expected int" in play.failure


# --- ends


def test_a_cancelled_run_ends_at_once() -> None:
    play = Play("tasks: {a: {command: x}, gate: {approval: true}}")

    play.cancel()

    assert play.is_cancelled
    assert play.states == {"a": "cancelled", "gate": "cancelled"}


def test_a_run_that_takes_too_long_fails() -> None:
    play = Play("timeout: 1h\ntasks: {a: {command: x}, gate: {approval: true}, nap: {sleep: 2h}}")

    play.pass_time(3600)

    assert play.failure == "the run took longer than 1h"
    assert play.states == {"a": "cancelled", "gate": "cancelled", "nap": "cancelled"}


# --- trying again


def test_a_retry_does_what_failed_again_and_nothing_that_succeeded() -> None:
    play = Play(
        """
        tasks:
          a: {command: x}
          b: {command: x, depends_on: a}
          other: {command: x}
          after: {command: x, depends_on: other}
        """
    )
    play.end("a", failure())
    play.end("other")
    play.end("after", "kept")

    play.retry()

    assert play.open == ["a"]
    assert [row.seq for row in play.rows.values() if row.name == "a"] == [0]
    play.end("a")
    play.end("b", "now")
    assert play.output == {"b": "now", "after": "kept"}


def test_a_retry_of_a_fan_out_does_only_the_items_that_failed() -> None:
    play = Play(fan_out("parallel: 3", ", concurrency: 2"))
    play.end("find")
    play.end("work", "zero", index=0)
    play.end("work", failure(), index=1)
    play.end("work", "two", index=2)

    play.retry()

    assert play.open == ["work[1]"]
    play.end("work", failure(), index=1)
    play.retry()
    play.end("work", "one", index=1)
    assert play.input_of("join") == {"all": ["zero", "one", "two"]}


def test_a_cancelled_fan_out_goes_on_where_it_was() -> None:
    play = Play(fan_out("parallel: 4", ", concurrency: 2"))
    play.end("find")
    play.end("work", "zero", index=0)
    play.cancel()

    play.retry()

    assert play.open == ["work[1]", "work[2]"]
    for index in (1, 2, 3):
        play.end("work", index, index=index)
    assert play.input_of("join") == {"all": ["zero", 1, 2, 3]}


def test_after_a_no_a_retry_asks_again() -> None:
    play = Play("tasks: {gate: {approval: true}}")
    play.answer("gate", False)

    play.retry()

    assert describe_wait(play.program.waits()).words == "approval 'gate'"
    play.answer("gate", True)
    assert play.output == {"gate": True}


def test_waits_of_a_cancelled_run_are_begun_anew() -> None:
    play = Play("tasks: {gate: {approval: true}, go: {wait_for_signal: go}, nap: {sleep: 60}}")
    play.pass_time(30)
    play.cancel()

    play.retry()

    assert play.open == ["gate", "go", "nap"] or sorted(play.open) == ["gate", "go", "nap"]
    play.answer("gate", True)
    play.signal("go", 1)
    play.pass_time(60)
    assert play.output == {"gate": True, "go": 1, "nap": None}


def test_a_called_workflow_that_failed_is_waited_for_again() -> None:
    play = Play("tasks: {call: {workflow: other}}", other=True)
    play.end_child("play/call", failure())

    play.retry()

    assert describe_wait(play.program.waits()).words == "child play/call"
    play.end_child("play/call", 5)
    assert play.output == {"call": 5}


def test_the_time_limit_of_the_run_counts_anew_after_a_retry() -> None:
    play = Play("timeout: 60\ntasks: {a: {command: x}}")
    play.pass_time(60)

    play.retry()

    assert play.open == ["a"]
    play.pass_time(59)
    assert not play.has_ended
    play.pass_time(1)
    assert play.failure == "the run took longer than 1m"


def test_succeeding_after_a_retry_gives_the_output_of_all() -> None:
    play = Play(DIAMOND)
    play.end("top", 1)
    play.end("left", failure())
    play.end("right", 3)

    play.retry()
    play.end("left", Succeeded(json(2)))

    assert play.input_of("bottom") == {"left": 2, "right": 3}


def test_a_field_that_may_be_missing_is_null_where_it_is() -> None:
    play = Play(
        """
        input: {order: "{id: int, note: str?}"}
        types: {Row: {id: int, note: str?}}
        tasks:
          a: {command: x, output_type: {count: int, note: str?, rows: [Row]}}
          b: {command: x, depends_on: a, inputs: {note: {ref: a.note}}, input_type: {note: str?}}
          c: {command: x, depends_on: a, when: a.note == null, inputs: {note: {ref: input.order.note}}}
          d: {command: x, depends_on: a, foreach: a.rows, inputs: {note: {ref: item.note}}}
        """.replace('"{id: int, note: str?}"', "{id: int, note: str?}"),
        {"order": {"id": 1}},
    )

    play.end("a", {"count": 1, "rows": [{"id": 1}]})

    assert play.open == ["b", "c", "d[0]"]
    assert play.input_of("b") == play.input_of("c") == {"note": None}
    assert play.input_of("d", 0)["note"] is None


def test_a_retry_keeps_to_the_concurrency_and_to_max_parallel() -> None:
    play = Play("max_parallel: 3\n" + dedent(fan_out("parallel: 6", ", concurrency: 2")))
    play.end("find")
    for index in (0, 1, 2, 3, 4, 5):
        play.end("work", failure(), index=index)

    play.retry()

    assert play.open == ["work[0]", "work[1]"]
    play.end("work", 10, index=1)
    assert play.open == ["work[0]", "work[2]"]
    for index in (0, 2, 3, 4, 5):
        play.end("work", index, index=index)
    assert play.input_of("join") == {"all": [0, 10, 2, 3, 4, 5]}


def test_what_is_read_of_a_task_that_is_tried_again_is_what_it_gives_then() -> None:
    play = Play(
        """
        tasks:
          a: {command: x}
          b: {command: x, depends_on: a, on_failure: run, parallel: 2, concurrency: 1, inputs: {x: {ref: a}}}
          c: {command: x, depends_on: a, inputs: {x: {ref: a}}}
        """
    )
    play.end("a", failure())
    play.cancel()

    play.retry()
    play.end("b", index=0)
    play.end("a", 42)

    assert play.input_of("c") == {"x": 42}


def test_a_child_whose_name_was_taken_is_begun_anew_under_another_by_a_retry() -> None:
    play = Play("tasks: {a: {workflow: other}}", other=True)
    seq = play.child_ids["play/a"]
    del play.children[seq]  # the store refused it
    play._advance([ChildEnded(seq, Failed(CHILD_EXISTS))])
    assert "belongs to another run" in play.failure

    play.retry()

    assert describe_wait(play.program.waits()).words == "child play/a#2"
    play.end_child("play/a#2", 5)
    assert play.output == {"a": 5}


def test_a_child_that_was_given_up_and_succeeded_all_the_same_is_heard_after_a_retry() -> None:
    play = Play("tasks: {a: {workflow: other, timeout: 10}}", other=True)
    seq = play.child_ids["play/a"]
    play.pass_time(10)
    play.children[seq] = msgspec.structs.replace(play.children[seq], status=RunStatus.SUCCESS, output=json(1))

    play.retry()

    assert describe_wait(play.program.waits()).words == "child play/a"
    assert restore(play._history()).unheard == [ChildEnded(seq, Succeeded(json(1)))]


def test_a_retry_that_was_broken_off_after_it_had_opened_a_child_can_be_tried_again() -> None:
    play = Play("tasks: {a: {workflow: other}}", other=True)
    seq = play.child_ids["play/a"]
    play.end_child("play/a", failure())
    play.children[seq] = msgspec.structs.replace(play.children[seq], status=RunStatus.RUNNING, failure=None)

    play.retry()

    assert describe_wait(play.program.waits()).words == "child play/a"
    play.end_child("play/a", 5)
    assert play.output == {"a": 5}


def test_an_answer_that_comes_with_the_end_of_the_time_is_recorded_once() -> None:
    play = Play("timeout: 10\ntasks: {a: {approval: true}}")
    message = play._post(MessageKind.RESOLVED, "a", json(True))
    [timer] = play.timers

    commands = play.program.advance(
        play.now, [TimerFired(timer), PromiseAnswered(message, "a", Succeeded(json(True)))]
    )

    assert [type(command).__name__ for command in commands] == [
        "CloseQuestion",
        "RecordTask",
        "FailRun",
    ]


def test_a_child_that_succeeded_after_its_parent_had_ended_is_not_begun_anew_by_a_retry() -> None:
    play = Play("tasks: {a: {workflow: other}}", other=True)
    seq = play.child_ids["play/a"]
    play.cancel()
    play.children[seq] = msgspec.structs.replace(play.children[seq], status=RunStatus.SUCCESS, output=json(5))

    play.retry(heard=[ChildEnded(seq, Succeeded(json(5)))])

    assert list(play.child_ids) == ["play/a"]
    assert play.output == {"a": 5}


def test_children_that_were_cancelled_before_their_turn_came_again_are_not_begun_anew() -> None:
    play = Play("max_parallel: 1\ntasks: {a: {workflow: other, parallel: 3}}", other=True)
    children = ["play/a/0", "play/a/1", "play/a/2"]
    for child in children:
        play.end_child(child, failure())

    play.retry()
    play.end_child("play/a/1", Cancelled("no"))
    play.end_child("play/a/2", Cancelled("no"))
    play.end_child("play/a/0", 1)

    assert list(play.child_ids) == children
    assert play.failure == "task 'a' failed (2 of 3): its run was cancelled"
