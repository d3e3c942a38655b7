"""What a flow asks for, and where it goes. After every event the program is born anew from its journal."""

from __future__ import annotations

import pytest
from tests.authoring.flow.playing import Play, failure, json

from holdfast.authoring.flow import branches, program
from holdfast.core.events import SignalReceived, TaskEnded
from holdfast.core.records import MessageKind
from holdfast.core.waiting import describe_wait

TWO = """
    start: first
    nodes:
      first: {kind: executor, service: s, prep: {input_key: $params.x}, post: {output_key: one}}
      second: {kind: executor, service: s, prep: {input_key: one}, post: {output_key: two}}
    edges: [{from: first, to: second}]
"""


# --- from node to node


def test_nodes_are_visited_one_after_the_other_and_the_state_is_the_result():
    play = Play(TWO, {"x": 5})
    assert play.open == ["first"]
    assert play.input_of("first") == {"input": 5, "params": {"x": 5}}
    assert play.at == "first"

    play.end("first", {"n": 1})
    assert play.input_of("second") == {"input": {"n": 1}, "params": {"x": 5}}
    play.end("second", "done")

    assert play.output == {"one": {"n": 1}, "two": "done"}
    assert play.shared == play.output
    assert play.at == ""


def test_params_of_a_node_are_under_those_of_the_run():
    text = "{start: a, nodes: {a: {kind: executor, service: s, params: {x: 1, y: 2}}}}"

    play = Play(text, {"x": 5, "z": 6})

    assert play.input_of("a")["params"] == {"x": 5, "y": 2, "z": 6}


def test_an_input_map_takes_paths_and_keys_of_shared():
    play = Play(
        """
        start: a
        nodes:
          a: {kind: executor, service: s, post: {output_key: list}}
          b:
            kind: executor
            service: s
            prep: {input_map: {a: $params.x, b: "$shared.list[1]", key: list, none: nothing}}
        edges: [{from: a, to: b}]
        """,
        {"x": 5},
    )

    play.end("a", [10, 20])

    assert play.input_of("b")["input"] == {"a": 5, "b": 20, "key": [10, 20], "none": None}


def test_an_output_map_copies_fields_and_what_is_not_there_is_null():
    play = Play(
        """
        start: a
        nodes:
          a:
            kind: executor
            service: s
            post: {output_map: {total: sum.all, none: nothing}, output_key: whole}
        """
    )

    play.end("a", {"sum": {"all": 3}})

    assert play.output == {"total": 3, "none": None, "whole": {"sum": {"all": 3}}}


@pytest.mark.parametrize(
    ("post", "result", "goes_to"),
    [
        ("{action_static: left}", {"action": "right"}, "left"),
        ("{action_key: action}", {"action": "right"}, "right"),
        ("{action_key: deep.action}", {"deep": {"action": "left"}}, "left"),
        ("{action_key: action}", {"action": "nowhere"}, "other"),
        ("{action_key: action}", {"action": 5}, "other"),
        ("{action_key: action}", "text", "other"),
        ("{}", {"action": "right"}, "other"),
    ],
)
def test_the_action_of_a_node_chooses_the_edge_and_default_is_for_all_others(
    post: str, result: object, goes_to: str
):
    play = Play(
        f"""
        start: a
        nodes:
          a: {{kind: executor, service: s, post: {post}}}
          left: {{kind: executor, service: s}}
          right: {{kind: executor, service: s}}
          other: {{kind: executor, service: s}}
        edges:
          - {{from: a, action: left, to: left}}
          - {{from: a, action: right, to: right}}
          - {{from: a, action: default, to: other}}
        """
    )

    play.end("a", result)

    assert play.open == [goes_to]


def test_an_action_that_leads_nowhere_ends_the_run_well():
    play = Play(
        """
        start: a
        nodes:
          a: {kind: executor, service: s, post: {action_key: action}}
          b: {kind: executor, service: s}
        edges: [{from: a, action: go, to: b}]
        """
    )

    play.end("a", {"action": "stop"})

    assert play.output == {}


# --- failures


def test_a_node_that_fails_with_nobody_to_deal_with_it_ends_the_run_badly():
    play = Play(TWO.replace("{from: first, to: second}", "{from: first, action: go, to: second}"))

    play.end("first", failure("no luck"))

    assert play.failure == "node 'first' failed: no luck"


@pytest.mark.parametrize("action", ["error", "default"])
def test_a_failure_is_dealt_with_by_the_edge_for_errors_or_the_default_one(action: str):
    play = Play(
        f"""
        start: a
        nodes:
          a: {{kind: executor, service: s, post: {{output_key: a}}}}
          mend: {{kind: executor, service: s, post: {{output_key: mended}}}}
        edges: [{{from: a, action: {action}, to: mend}}]
        """
    )

    play.end("a", failure())
    assert play.action == "error"
    play.end("mend", True)

    assert play.output == {"mended": True}
    assert play.states == {"a": "failed", "mend": "success"}


def test_a_retry_tries_the_failed_task_again_under_its_old_number_and_nothing_that_was_dealt_with():
    play = Play(
        """
        start: a
        nodes:
          a: {kind: executor, service: s}
          b: {kind: executor, service: s, post: {output_key: b}}
        edges: [{from: a, action: error, to: b}]
        """
    )
    play.end("a", failure())
    play.end("b", failure("twice"))
    assert play.failure == "node 'b' failed: twice"

    play.retry()

    assert play.open == ["b"]
    assert play.states == {"a": "failed", "b": "pending"}
    assert sorted(play.rows) == [0, 1]
    play.end("b", "well")
    assert play.output == {"b": "well"}


def test_a_cancelled_run_can_be_tried_again_where_it_was():
    play = Play(TWO, {"x": 5})
    play.end("first", 1)
    play.cancel()
    assert play.is_cancelled

    play.retry()

    assert play.open == ["second"]
    assert play.shared == {"one": 1}
    play.end("second", 2)
    assert play.output == {"one": 1, "two": 2}


# --- choices and loops

CHOICE = """
    start: choose
    nodes:
      choose:
        kind: choice
        prep: {input_key: $params.order}
        post: {output_key: seen, action_key: way}
        choice_cases:
          - {action: big, expr: {gt: [$input.total, 100]}}
          - {action: small, expr: {le: [$input.total, 10]}}
        default_action: usual
      big: {kind: executor, service: s}
      small: {kind: executor, service: s}
      usual: {kind: executor, service: s}
      other: {kind: executor, service: s}
    edges:
      - {from: choose, action: big, to: big}
      - {from: choose, action: small, to: small}
      - {from: choose, action: usual, to: usual}
      - {from: choose, action: default, to: other}
"""


@pytest.mark.parametrize(
    ("order", "goes_to"),
    [
        ({"total": 500}, "big"),
        ({"total": "500"}, "big"),
        ({"total": 5}, "small"),
        ({"total": 50}, "usual"),
        ({"total": 50, "way": "elsewhere"}, "other"),
        (None, "usual"),
    ],
)
def test_a_choice_takes_the_first_true_case_then_its_action_key_then_its_default(order: object, goes_to: str):
    play = Play(CHOICE, {"order": order})

    assert play.open == [goes_to]
    assert play.shared == {"seen": order}


LOOP = """
    start: work
    nodes:
      work: {kind: executor, service: s, post: {output_key: n}}
      again:
        kind: choice
        choice_cases: [{action: more, expr: {lt: [$shared.n, 3]}}]
        default_action: enough
      done: {kind: executor, service: s}
    edges:
      - {from: work, to: again}
      - {from: again, action: more, to: work}
      - {from: again, action: enough, to: done}
"""


def test_a_loop_goes_on_until_its_choice_says_otherwise():
    play = Play(LOOP)

    for number in (1, 2, 3):
        play.end("work", number)

    assert play.open == ["done"]
    assert [row.name for row in play.rows.values()] == ["work", "again"] * 3 + ["done"]


def test_a_loop_without_end_is_stopped_and_can_go_on_with_a_retry():
    play = Play(LOOP, max_steps=4)
    play.end("work", 1)
    play.end("work", 1)
    assert "has visited 4 nodes" in play.failure

    play.max_steps = 2
    play.retry()

    assert play.open == ["work"]
    play.end("work", 3)
    assert "has visited 6 nodes" in play.failure


CIRCLE = """
start: a
nodes:
  a: {kind: choice, default_action: go, prep: {input_key: $params.ballast}}
  b: {kind: choice, default_action: go}
edges: [{from: a, action: go, to: b}, {from: b, action: go, to: a}]
"""


def test_a_circle_of_choices_is_stopped_too():
    play = Play(CIRCLE, max_steps=100)

    assert "has visited 100 nodes" in play.failure


def test_a_circle_of_choices_takes_many_steps_and_not_one_long_one():
    play = Play(CIRCLE, max_steps=1700)
    while play.is_paused:
        assert len(play.rows) == 500 * len(play.steps)
        play.pass_time(0)

    assert "has visited 1,700 nodes" in play.failure
    assert len(play.steps) == 4


def test_a_circle_that_records_large_values_takes_more_steps():
    play = Play(CIRCLE, {"ballast": "x" * 90_000}, max_steps=100)
    while play.is_paused:
        play.pass_time(0)

    # Every other node records 90 kB as its input, and 1 MB ends a step.
    assert "has visited 100 nodes" in play.failure
    assert len(play.steps) == 5


def test_signals_and_a_cancellation_reach_a_flow_between_two_steps_of_a_circle():
    play = Play(CIRCLE, max_steps=10_000)
    play.signal("key", 7)
    assert play.is_paused
    assert play.shared == {"key": 7}

    play.cancel()

    assert play.is_cancelled
    assert len(play.rows) == 500
    play.retry()
    assert len(play.rows) == 1000
    assert play.is_paused


def test_where_an_earlier_version_did_not_pause_replay_does_not_either(monkeypatch: pytest.MonkeyPatch):
    choices = "".join(f"  n{it}: {{kind: choice, default_action: go}}\n" for it in range(600))
    edges = ", ".join(f"{{from: n{it}, action: go, to: n{it + 1}}}" for it in range(599))
    text = f"start: n0\nnodes:\n{choices}  last: {{kind: wait_event}}\n"
    text += f"edges: [{edges}, {{from: n599, action: go, to: last}}]\n"
    with monkeypatch.context() as patch:
        patch.setattr(program, "_MOST_VISITS", 10_000)
        play = Play(text)
    assert play.open == ["last"]

    play.signal("last", True)

    assert play.output == {"last": True}
    assert len(play.steps) == 2


def test_a_limit_that_was_lowered_does_not_stop_what_has_gone_further_already():
    play = Play(LOOP, max_steps=100)
    for _ in range(10):
        play.end("work", 1)

    play.max_steps = 5
    play.pass_time(1)

    assert play.open == ["work"]


# --- branches

PARALLEL = """
    start: p
    nodes:
      p:
        kind: parallel
        parallel_services: [a, b, a]
        parallel_mode: {mode}
        failure_strategy: {strategy}
        prep: {{input_key: $params.x}}
        post: {{output_key: all}}
      mend: {{kind: executor, service: s}}
    edges: [{{from: p, action: error, to: mend}}]
"""


def parallel(mode: str = "concurrent", strategy: str = "collect_errors") -> Play:
    return Play(PARALLEL.format(mode=mode, strategy=strategy), {"x": 1})


def test_the_results_of_branches_are_in_order_and_two_of_one_service_stay_two():
    play = parallel()
    assert play.open == ["p", "p/branch[0]", "p/branch[1]", "p/branch[2]"]
    assert play.input_of("p/branch", 2) == {"input": 1, "params": {"x": 1}, "branch": 2, "service": "a"}

    play.end("p/branch", "third", 2)
    play.end("p/branch", "first", 0)
    play.end("p/branch", "second", 1)

    assert play.output == {"all": ["first", "second", "third"]}


def test_in_sequence_one_branch_follows_the_other():
    play = parallel("sequential")

    assert play.open == ["p", "p/branch[0]"]
    play.end("p/branch", 1, 0)
    assert play.open == ["p", "p/branch[1]"]
    play.end("p/branch", 2, 1)
    play.end("p/branch", 3, 2)

    assert play.output == {"all": [1, 2, 3]}


def test_ignored_errors_are_null_in_the_results():
    play = parallel(strategy="ignore_errors")

    play.end("p/branch", failure(), 1)
    play.end("p/branch", 1, 0)
    play.end("p/branch", 3, 2)

    assert play.output == {"all": [1, None, 3]}


def test_collected_errors_are_told_all_at_once_when_every_branch_has_ended():
    play = parallel("sequential")

    play.end("p/branch", failure("one"), 0)
    play.end("p/branch", 2, 1)
    play.end("p/branch", failure("three"), 2)

    assert play.open == ["mend"]
    assert play.shared == {"all": [None, 2, None]}
    failed = next(row.failure for row in play.rows.values() if row.name == "p" and row.seq == 0)
    assert failed is not None
    assert failed.message == "2 of 3 failed: a (branch 0): one; a (branch 2): three"


def test_to_fail_fast_ends_the_other_branches():
    play = parallel(strategy="fail_fast")

    play.end("p/branch", failure("at once"), 1)

    assert play.open == ["mend"]
    assert play.shared == {}
    assert [str(row.status) for row in play.rows.values()][:4] == [
        "failed",
        "cancelled",
        "failed",
        "cancelled",
    ]


@pytest.mark.parametrize("strategy", ["collect_errors", "fail_fast"])
def test_a_retry_tries_only_the_branches_again_that_did_not_succeed(strategy: str):
    play = Play(
        PARALLEL.format(mode="concurrent", strategy=strategy)
        .replace("edges: [{from: p, action: error, to: mend}]", "")
        .replace("      mend: {kind: executor, service: s}\n", "")
    )
    play.end("p/branch", 1, 0)
    play.end("p/branch", failure(), 1)
    if strategy == "collect_errors":
        play.end("p/branch", failure(), 2)

    play.retry()

    assert play.open == ["p/branch[1]", "p/branch[2]", "p"]
    play.end("p/branch", 2, 1)
    play.end("p/branch", 3, 2)
    assert play.output == {"all": [1, 2, 3]}
    assert len(play.rows) == 5


def test_services_may_come_from_the_params_of_the_run():
    text = "{start: p, nodes: {p: {kind: parallel, parallel_mode: concurrent, post: {output_key: all}}}}"

    play = Play(text, {"services": ["x", "y"]})
    assert [play.input_of("p/branch", index)["service"] for index in (0, 1)] == ["x", "y"]
    assert Play(text).failure.startswith("node 'p' failed: params.services of node 'p': expected a list")


FOREACH = """
    start: each
    nodes:
      each:
        kind: foreach
        service: s
        parallel_mode: concurrent
        max_parallel: 2
        prep: {input_key: $params.items}
        post: {output_key: all}
"""


def test_foreach_takes_items_a_few_at_a_time():
    play = Play(FOREACH, {"items": ["a", "b", "c"]})

    assert play.open == ["each", "each/item[0]", "each/item[1]"]
    assert play.input_of("each/item", 1)["input"] == "b"
    play.end("each/item", "B", 1)
    assert play.open == ["each", "each/item[0]", "each/item[2]"]
    play.end("each/item", "A", 0)
    play.end("each/item", "C", 2)

    assert play.output == {"all": ["A", "B", "C"]}


def test_foreach_of_nothing_gives_nothing_and_of_no_list_fails():
    assert Play(FOREACH, {"items": []}).output == {"all": []}
    assert "foreach expects a list, got None" in Play(FOREACH).failure


def test_branches_whose_inputs_would_fill_a_disk_are_not_begun(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(branches, "_MOST_BYTES", 10_000)
    play = Play(FOREACH, {"items": list(range(1000))})

    assert "branches take more than 10,000 bytes" in play.failure
    assert "give it fewer items" in play.failure


# --- waiting


def test_a_timer_waits_for_its_delay():
    play = Play("{start: t, nodes: {t: {kind: timer, params: {delay_ms: 1500}}}}")

    play.pass_time(1.4)
    assert play.open == ["t"]
    play.pass_time(0.2)

    assert play.output == {}


def test_a_timer_with_a_delay_that_is_none_has_failed():
    play = Play("{start: t, nodes: {t: {kind: timer, params: {delay_ms: 1}}}}", {"delay_ms": "soon"})

    assert "params.delay_ms of node 't': expected a number of milliseconds, got 'soon'" in play.failure


WAIT = """
    start: w
    nodes:
      w: {kind: wait_event, params: {signal_key: $shared.paid, timeout_ms: 1000}, post: {output_key: got}}
      late: {kind: executor, service: s}
    edges: [{from: w, action: error, to: late}]
"""


def test_an_event_is_a_key_of_shared_that_a_signal_writes():
    play = Play(WAIT)
    assert describe_wait(play.program.waits()).words == "signal 'paid'"

    play.signal("other", 1)
    play.signal("paid", False)
    assert play.open == ["w"]
    play.signal("paid", {"cents": 5})

    assert play.output == {"other": 1, "paid": {"cents": 5}, "got": {"cents": 5}}
    assert play.timers == {}


def test_an_event_that_does_not_come_in_time_is_a_failure():
    play = Play(WAIT)

    play.pass_time(1)

    assert play.open == ["late"]
    assert play.states["w"] == "failed"


def test_a_wait_that_had_its_event_in_time_is_not_given_up_later():
    play = Play(
        """
        start: paid
        nodes:
          paid: {kind: wait_event, params: {timeout_ms: 5000}, post: {action_static: next}}
          work: {kind: executor, service: s}
        edges: [{from: paid, action: next, to: work}, {from: paid, action: error, to: work}]
        """
    )

    play.signal("paid", 5)
    play.pass_time(10)

    assert play.timers == {}
    assert play.open == ["work"]
    assert play.states["paid"] == "success"


LATE = """
    start: paid
    nodes:
      paid: {kind: wait_event, params: {timeout_ms: 5000}, post: {action_static: late}}
      error: {kind: executor, service: s}
      late: {kind: executor, service: s}
      default: {kind: executor, service: s}
    edges:
      - {from: paid, action: error, to: error}
      - {from: paid, action: late, to: late}
      - {from: paid, to: default}
"""


@pytest.mark.parametrize("lacking", [[], ["error"], ["error", "late"]])
def test_of_a_wait_in_vain_the_edge_for_errors_comes_first_then_that_of_its_own_action(lacking: list[str]):
    text = LATE
    for action in lacking:
        text = text.replace(f"      {action}: {{kind: executor, service: s}}\n", "")
        text = text.replace(f"      - {{from: paid, action: {action}, to: {action}}}\n", "")
    play = Play(text)

    play.pass_time(5)

    assert play.open == [["error", "late", "default"][len(lacking)]]


def test_the_action_of_a_wait_in_vain_is_not_that_of_the_subflow_around_it():
    play = Play(
        """
        start: sf
        nodes:
          sf:
            kind: subflow
            subflow:
              start: paid
              nodes: {paid: {kind: wait_event, params: {timeout_ms: 5000}, post: {action_static: late}}}
          late: {kind: executor, service: s}
          default: {kind: executor, service: s}
        edges: [{from: sf, action: late, to: late}, {from: sf, to: default}]
        """
    )

    play.pass_time(5)

    assert play.open == ["default"]


def test_a_signal_that_comes_with_the_failure_of_a_run_is_there_when_it_is_tried_again():
    play = Play(
        """
        start: work
        nodes:
          work: {kind: executor, service: s, post: {action_static: next}}
          paid: {kind: wait_event}
        edges: [{from: work, action: next, to: paid}]
        """
    )
    [work] = play.rows
    message = play._post(MessageKind.SIGNAL, "paid", json(5))
    play._settle(work, failure())
    play._advance([TaskEnded(work, failure()), SignalReceived(message, "paid", json(5))])
    assert play.failure == "node 'work' failed: broken"

    play.retry()
    play.end("work")

    assert play.output == {"paid": 5}


def test_a_signal_that_comes_early_is_there_when_it_is_waited_for():
    play = Play(
        """
        start: a
        nodes:
          a: {kind: executor, service: s}
          w: {kind: wait_event}
        edges: [{from: a, to: w}]
        """
    )

    play.signal("w", "early")
    play.end("a")

    assert play.output == {"w": "early"}


APPROVAL = """
    start: ok
    nodes:
      ok: {kind: approval, post: {action_key: decision, output_key: answer}}
      yes: {kind: executor, service: s}
      no: {kind: executor, service: s}
      maybe: {kind: executor, service: s}
    edges:
      - {from: ok, action: approved, to: yes}
      - {from: ok, action: rejected, to: no}
      - {from: ok, action: default, to: maybe}
"""


@pytest.mark.parametrize(
    ("answer", "goes_to"),
    [
        (True, "yes"),
        ("Yes", "yes"),
        ("approved", "yes"),
        (False, "no"),
        ("denied", "no"),
        ("later", "maybe"),
        ({"decision": True, "by": "ann"}, "yes"),
        ({"decision": "no"}, "no"),
    ],
)
def test_an_approval_is_approved_or_rejected_by_what_people_say(answer: object, goes_to: str):
    play = Play(APPROVAL)
    assert describe_wait(play.program.waits()).words == "approval 'ok'"

    play.signal("ok", answer)

    assert play.open == [goes_to]
    assert play.shared["answer"] == answer


def test_an_answer_that_is_neither_yes_nor_no_fails_the_node():
    play = Play(APPROVAL)

    play.signal("ok", 7)

    assert play.action == "error"
    assert play.states["ok"] == "failed"


def test_an_approval_that_is_visited_again_needs_a_new_answer():
    play = Play(
        """
        start: ok
        nodes:
          ok: {kind: approval}
          mend: {kind: executor, service: s}
        edges: [{from: ok, action: rejected, to: mend}, {from: mend, to: ok}]
        """
    )
    play.signal("ok", False)
    play.end("mend")
    assert play.open == ["ok"]

    play.signal("ok", True)

    assert play.output == {"ok": True}


def test_an_approval_by_a_parameter_that_is_not_there_can_never_come():
    text = "{start: ok, nodes: {ok: {kind: approval, params: {approval_key: $params.yes}}}}"

    assert Play(text, {"yes": True}).action == "approved"
    assert "none can come" in Play(text).failure


# --- subflows

NESTED = """
    start: sf
    nodes:
      sf:
        kind: subflow
        params: {b: 2}
        post: {output_key: inner, action_key: way}
        subflow:
          start: a
          nodes:
            a: {kind: executor, service: s, params: {b: 3, c: 4}, post: {output_key: m, action_static: go}}
            w: {kind: wait_event, params: {signal_key: $shared.flag}, post: {output_key: way}}
          edges: [{from: a, action: go, to: w}]
      end: {kind: executor, service: s, prep: {input_key: $shared.inner.m}}
      mend: {kind: executor, service: s}
    edges: [{from: sf, action: on, to: end}, {from: sf, action: error, to: mend}]
"""


def test_a_subflow_has_a_state_of_its_own_which_is_what_its_node_gives():
    play = Play(NESTED, {"a": 1})
    assert play.open == ["sf", "sf/a"]
    assert play.input_of("sf/a")["params"] == {"a": 1, "b": 2, "c": 4}

    play.end("sf/a", 10)
    assert play.at == "sf/w"
    assert play.shared == {}
    play.signal("flag", "on")

    assert play.shared == {"flag": "on", "inner": {"m": 10, "way": "on"}}
    assert play.input_of("end")["input"] == 10


def test_a_failure_inside_a_subflow_is_a_failure_of_its_node():
    play = Play(NESTED)

    play.end("sf/a", failure("inside"))

    assert play.open == ["mend"]
    assert play.states == {"sf": "failed", "sf/a": "failed", "mend": "pending"}


def test_a_retry_goes_back_into_the_subflow_that_failed():
    play = Play(
        NESTED.replace(", {from: sf, action: error, to: mend}", "").replace(
            "      mend: {kind: executor, service: s}\n", ""
        )
    )
    play.end("sf/a", failure("inside"))
    assert play.failure == "node 'sf/a' failed: inside"
    assert play.states == {"sf": "failed", "sf/a": "failed"}

    play.retry()

    assert play.at == "sf/a"
    play.end("sf/a", 10)
    play.signal("flag", "on")
    assert play.shared["inner"] == {"m": 10, "way": "on"}


def test_a_node_may_call_another_workflow_by_name():
    play = Play(
        """
        start: call
        nodes:
          call:
            kind: subflow
            workflow: etl
            prep: {input_map: {day: $params.day}}
            post: {output_key: out}
        """,
        {"day": "monday"},
        etl=True,
    )
    assert describe_wait(play.program.waits()).words == "child play/call"

    play.end_child("play/call", {"rows": 5})

    assert play.output == {"out": {"rows": 5}}


def test_a_workflow_that_is_called_again_is_another_run_each_time():
    play = Play(
        """
        start: call
        nodes: {call: {kind: subflow, workflow: etl, post: {output_key: out, action_key: way}}}
        edges: [{from: call, action: again, to: call}]
        """,
        etl=True,
    )

    play.end_child("play/call", {"way": "again"})
    assert describe_wait(play.program.waits()).words == "child play/call#2"
    play.end_child("play/call#2", {"way": "on"})

    assert play.output == {"out": {"way": "on"}}


def test_a_workflow_that_is_not_known_fails_the_node_and_a_retry_calls_it():
    play = Play("{start: call, nodes: {call: {kind: subflow, workflow: etl}}}")
    assert "etl" in play.failure

    play.known = {"etl": True}
    play.retry()

    assert describe_wait(play.program.waits()).words == "child play/call"


def test_a_result_that_is_too_large_fails_its_node():
    play = Play(PARALLEL.format(mode="concurrent", strategy="collect_errors"), {"x": 1}, limit=1000)

    for branch in range(3):
        play.end("p/branch", "x" * 500, branch)

    assert play.open == ["mend"]
    assert play.shared == {}


def test_what_was_too_large_stays_so_under_a_higher_limit():
    play = Play(PARALLEL.format(mode="concurrent", strategy="collect_errors"), {"x": 1}, limit=1000)
    for branch in range(3):
        play.end("p/branch", "x" * 500, branch)

    play.limit = 100_000
    play.end("mend", 1)

    assert play.output == {}
    assert play.states["p"] == "failed"


def test_what_was_decided_with_another_limit_stays_decided():
    play = Play(TWO, {"x": "y" * 500}, limit=10_000)

    play.end("first", "z" * 500)

    play.limit = 100
    play.pass_time(1)

    assert play.open == ["second"]
